//! Designs: what an experiment does, as a file that anyone can copy and change.

mod built_in;
mod claims;
mod data;
mod tables;

use std::collections::BTreeMap;

use retold::{Grouping, Profile};
use retold_core::methods::find;
use serde::Deserialize;
use serde_json::{Map, Value};

pub use self::built_in::BUILT_IN;
pub use self::claims::{Bar, Check, CheckAt, Claim, OneOrMore};
pub use self::data::{Axis, AxisValue, By, Counts, Data, Draw, Size, Truth};
pub use self::tables::{
    AdvicePlan, ChartKind, ChartPlan, ColumnPlan, Paired, PerSet, PrintedColumn, PrintedSets,
    Published,
};
use super::error::ExperimentError;
use super::measure::Measure;
use super::mining::{Groups, MinerPlan};
use super::published::printed_table;
use crate::error::Error;

/// How much of an experiment is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// A small version in seconds.
    Quick,
    /// All of it.
    Full,
}

/// What an experiment does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// Its name.
    #[serde(skip)]
    pub name: String,
    /// What it is, in a line.
    pub title: String,
    /// The question that it answers.
    pub question: String,
    /// The paper, and what of it is done again; empty for designs of our own.
    #[serde(default)]
    pub paper: String,
    /// Differences from the paper that are needed to interpret the numbers.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The documents.
    pub data: Data,
    /// What is true.
    pub truth: Truth,
    /// The methods.
    #[serde(rename = "method")]
    pub methods: Vec<MethodPlan>,
    /// Name of a row, with `{method}` and `{axis}` in it. The default names the method and, with
    /// their names, all axes.
    #[serde(default)]
    pub row: String,
    /// A measure: the table then has a row for every combination of axes and a column for every
    /// method.
    #[serde(default)]
    pub pivot: Option<Measure>,
    /// What the table shows.
    #[serde(default)]
    pub columns: Vec<ColumnPlan>,
    /// What the paper printed.
    #[serde(default)]
    pub published: Option<Published>,
    /// Two methods compared over sets.
    #[serde(default)]
    pub paired: Option<Paired>,
    /// Tables with a row for every set.
    #[serde(default)]
    pub per_set: Vec<PerSet>,
    /// Cost that is fitted to the number of documents.
    #[serde(default)]
    pub fitted: Option<Measure>,
    /// The measures by which a method is recommended.
    #[serde(default)]
    pub advice: Option<AdvicePlan>,
    /// The charts.
    #[serde(default, rename = "chart")]
    pub charts: Vec<ChartPlan>,
    /// The claims that are checked.
    #[serde(default, rename = "claim")]
    pub claims: Vec<Claim>,
}

/// A method of a design.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodPlan {
    /// How it is called in tables.
    pub label: String,
    /// Name of the method or form.
    pub method: String,
    /// Its profile. The default is the paper's.
    #[serde(default = "paper")]
    pub profile: Profile,
    /// Parameters.
    #[serde(default)]
    pub parameters: Map<String, Value>,
    /// Axes whose values are further parameters: their `value` is a table of them.
    #[serde(default)]
    pub parameters_from: Vec<String>,
    /// How documents become words, where it differs from the profile: names and values of the
    /// command's options.
    #[serde(default)]
    pub text: Map<String, Value>,
    /// Parameters that take several values; `p+s` sets both to the same.
    #[serde(default)]
    pub sweep: BTreeMap<String, Vec<Value>>,
    /// Values of the sweep in the quick version, where they differ.
    #[serde(default)]
    pub quick: BTreeMap<String, Vec<Value>>,
    /// Sets it is run on: axis and names of its values. The default is all.
    #[serde(default)]
    pub on: BTreeMap<String, Vec<String>>,
    /// Whether statistics of words are made before and not timed. The default is false.
    #[serde(default)]
    pub is_idf_frozen: bool,
    /// A method that is run with the same parameters on the same sets; the pairs of both are
    /// compared as `agreement`.
    #[serde(default)]
    pub beside: Option<String>,
    /// Label of the method over which `percent_gain` is told: the share of its time that is saved.
    #[serde(default)]
    pub gain_over: String,
    /// A miner of its images: the cell is what that finds, and its time. The default is none.
    #[serde(default)]
    pub miner: Option<MinerPlan>,
    /// How clusters are made: the cell is what is inside them. The default is that only relations
    /// are looked at.
    #[serde(default)]
    pub clusters: Option<Grouping>,
    /// Whether it is drawn as a line to compare with. The default is false.
    #[serde(default)]
    pub is_reference: bool,
    /// What it is good for, shown with the advice.
    #[serde(default)]
    pub note: String,
}

fn paper() -> Profile {
    Profile::Paper
}

impl MethodPlan {
    /// Returns what it does instead of finding relations.
    pub(in crate::experiment) fn groups(&self) -> Option<Groups> {
        match (&self.miner, self.clusters) {
            (Some(miner), _) => Some(Groups::Mined(miner.clone())),
            (None, Some(grouping)) => Some(Groups::Clusters(grouping)),
            (None, None) => None,
        }
    }
}

impl Design {
    /// Reads a design; `name` is how it is called in messages.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let mut design: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            let reason = error.message().lines().next().unwrap_or_default().to_owned();
            ExperimentError::Design { name: name.to_owned(), line, reason }
        })?;
        name.clone_into(&mut design.name);
        design.check()?;
        Ok(design)
    }

    /// Returns a design that comes with the program.
    pub fn built_in(name: &str) -> Option<Result<Self, Error>> {
        let (name, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        Some(Self::parse(name, text))
    }

    /// Returns the sizes of an extent.
    pub fn size(&self, extent: Extent) -> Size {
        match extent {
            Extent::Quick => self.data.quick,
            Extent::Full => self.data.full,
        }
    }

    pub(in crate::experiment) fn unusable(&self, reason: String) -> ExperimentError {
        ExperimentError::Unusable { name: self.name.clone(), reason }
    }

    /// Returns the method that made the reference of this design if a form of it is also judged:
    /// what such a design says of its methods stands on itself.
    pub fn judges_its_reference(&self) -> Option<&'static str> {
        let Truth::Method { method, .. } = &self.truth else { return None };
        let family = |name: &str| find(name).ok().map(|(spec, _)| spec.name);
        let reference = family(method)?;
        let judged = self.methods.iter().filter(|plan| !plan.is_reference);
        judged.filter_map(|plan| family(&plan.method)).find(|name| *name == reference)
    }

    fn check(&self) -> Result<(), ExperimentError> {
        if self.methods.is_empty() {
            return Err(self.unusable("there is no method".to_owned()));
        }
        let axes: Vec<&str> = self.data.axes.iter().map(|axis| axis.name.as_str()).collect();
        self.check_methods(&axes)?;
        for axis in &self.data.axes {
            for value in axis.values.iter().chain(&axis.quick) {
                self.truth.with(&value.truth).map_err(|reason| {
                    self.unusable(format!("axis `{}`, value `{}`: {reason}", axis.name, value.name))
                })?;
            }
        }
        for size in [self.data.quick, self.data.full] {
            if size.documents == 0 || size.sets == 0 {
                return Err(self.unusable("sizes must be at least 1".to_owned()));
            }
        }
        if let Some(published) = &self.published
            && !published.table.is_empty()
            && printed_table(&published.table).is_none()
        {
            return Err(self.unusable(format!("no published table `{}`", published.table)));
        }
        let of_sets = self.per_set.iter().filter_map(|plan| plan.published.as_ref());
        for published in of_sets {
            if printed_table(&published.table).is_none() {
                return Err(self.unusable(format!("no published table `{}`", published.table)));
            }
        }
        for chart in &self.charts {
            let is_of_measures = matches!(chart.kind, ChartKind::Scatter | ChartKind::Tradeoff);
            if is_of_measures && Measure::named(&chart.x).is_none() {
                let reason = format!("chart `{}`: there is no measure `{}`", chart.title, chart.x);
                return Err(self.unusable(reason));
            }
        }
        Ok(())
    }

    fn check_methods(&self, axes: &[&str]) -> Result<(), ExperimentError> {
        for method in &self.methods {
            let label = &method.label;
            if method.miner.is_some() && method.clusters.is_some() {
                let reason = format!("method `{label}` has both a miner and clusters");
                return Err(self.unusable(reason));
            }
            if let Some(Err(reason)) = method.miner.as_ref().map(MinerPlan::miner) {
                return Err(self.unusable(format!("method `{label}`: {reason}")));
            }
            for axis in method.on.keys().chain(&method.parameters_from) {
                if !axes.contains(&axis.as_str()) {
                    let reason = format!("method `{label}` is for values of `{axis}`, no axis");
                    return Err(self.unusable(reason));
                }
            }
            let is_known = |label: &String| self.methods.iter().any(|plan| plan.label == *label);
            if !method.gain_over.is_empty() && !is_known(&method.gain_over) {
                let reason =
                    format!("method `{label}` has a gain over `{}`, no method", method.gain_over);
                return Err(self.unusable(reason));
            }
        }
        if matches!(self.truth, Truth::Difference { .. }) && self.methods.len() != 2 {
            let n = self.methods.len();
            return Err(self.unusable(format!("the difference is that of 2 methods, got {n}")));
        }
        Ok(())
    }
}
