//! Designs: what an experiment does, as a file that anyone can copy and change.

use std::collections::BTreeMap;

use retold_core::methods::Profile;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::drawn::Drawn;
use super::error::ExperimentError;

/// The designs that come with the program: name and text.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("which-method", include_str!("../../experiments/which-method.toml")),
    ("pooled-comparison", include_str!("../../experiments/pooled-comparison.toml")),
    ("thresholds", include_str!("../../experiments/thresholds.toml")),
    ("codet-parameters", include_str!("../../experiments/codet-parameters.toml")),
    (
        "image-size-and-threshold",
        include_str!("../../experiments/image-size-and-threshold.toml"),
    ),
    ("shingle-length", include_str!("../../experiments/shingle-length.toml")),
    ("sentence-windows", include_str!("../../experiments/sentence-windows.toml")),
    ("window-runs", include_str!("../../experiments/window-runs.toml")),
    ("known-item-180", include_str!("../../experiments/known-item-180.toml")),
    ("pne", include_str!("../../experiments/pne.toml")),
    ("thesis-a", include_str!("../../experiments/thesis-a.toml")),
    ("thesis-b", include_str!("../../experiments/thesis-b.toml")),
    ("thesis-c", include_str!("../../experiments/thesis-c.toml")),
    ("sensitivity", include_str!("../../experiments/sensitivity.toml")),
    ("partial-length", include_str!("../../experiments/partial-length.toml")),
    ("containment-ratio", include_str!("../../experiments/containment-ratio.toml")),
    ("hard-negatives", include_str!("../../experiments/hard-negatives.toml")),
    ("scaling", include_str!("../../experiments/scaling.toml")),
];

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
    /// What it wants to know.
    pub question: String,
    /// The paper, and what of it is done again; empty for designs of our own.
    #[serde(default)]
    pub paper: String,
    /// What differs from the paper and must be known to read the numbers.
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
    pub pivot: String,
    /// What the table shows.
    #[serde(default)]
    pub columns: Vec<ColumnPlan>,
    /// What the paper printed.
    #[serde(default)]
    pub published: Option<Published>,
    /// Two methods compared over sets.
    #[serde(default)]
    pub paired: Option<Paired>,
    /// Cost that is fitted to the number of documents.
    #[serde(default)]
    pub fitted: Option<String>,
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

/// The documents.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// Name of the collection looked for under `--data`; if none is given, documents are drawn.
    pub collection: String,
    /// How documents are drawn.
    #[serde(default)]
    pub drawn: Drawn,
    /// Whether documents of the user's that resemble an earlier one are left out first, so that
    /// what is planted is all there is to find. The default is true.
    #[serde(default = "yes")]
    pub is_purged: bool,
    /// Seed of everything. The default is 1.
    #[serde(default = "one")]
    pub seed: u64,
    /// Sizes of the quick version.
    pub quick: Size,
    /// Sizes of the full version.
    pub full: Size,
    /// What is planted: a plan of the generator, in which `$name` stands for a value of an axis.
    #[serde(default)]
    pub plan: toml::Table,
    /// What differs between sets.
    #[serde(default, rename = "axis")]
    pub axes: Vec<Axis>,
}

fn yes() -> bool {
    true
}

fn one() -> u64 {
    1
}

fn one_set() -> usize {
    1
}

/// How much there is.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Documents of a set, before anything is planted.
    pub documents: usize,
    /// Sets, each of other documents. The default is 1.
    #[serde(default = "one_set")]
    pub sets: usize,
}

/// Something that takes several values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Vec<AxisValue>,
    /// The values of the quick version; empty takes all.
    #[serde(default)]
    pub quick: Vec<AxisValue>,
}

impl Axis {
    /// Returns the values of an extent.
    pub fn values(&self, extent: Extent) -> &[AxisValue] {
        if extent == Extent::Quick && !self.quick.is_empty() { &self.quick } else { &self.values }
    }
}

/// A value of an axis.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "GivenValue")]
pub struct AxisValue {
    /// How it is called.
    pub name: String,
    /// What stands for `$name` in a plan.
    pub value: toml::Value,
    /// Documents of a set, if the axis says so.
    pub documents: Option<usize>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum GivenValue {
    Named {
        name: String,
        #[serde(default)]
        value: Option<toml::Value>,
        #[serde(default)]
        documents: Option<usize>,
    },
    Plain(toml::Value),
}

impl From<GivenValue> for AxisValue {
    fn from(given: GivenValue) -> Self {
        match given {
            GivenValue::Named { name, value, documents } => {
                let value = value.unwrap_or_else(|| toml::Value::String(name.clone()));
                Self { name, value, documents }
            }
            GivenValue::Plain(value) => {
                let name = match &value {
                    toml::Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                Self { name, value, documents: None }
            }
        }
    }
}

/// What is true of a set.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Truth {
    /// What the generator planted.
    Planted {
        /// Which relations are looked for.
        #[serde(default)]
        counts: Counts,
        /// Share from which a planted containment is one.
        #[serde(default = "sixty")]
        least: f64,
    },
    /// What a method says, such as an exact one.
    Method {
        /// Its name.
        method: String,
        /// Whose setting.
        #[serde(default)]
        profile: Profile,
        /// Its parameters.
        #[serde(default)]
        parameters: Map<String, Value>,
        /// Which relations are looked for.
        #[serde(default)]
        counts: Counts,
    },
    /// The protocol of the thesis: what both methods say is true; where they differ, it is looked
    /// up what was planted, as annotators would look.
    Difference {
        /// Share from which a planted pair is one of duplicates.
        #[serde(default = "sixty")]
        least: f64,
    },
    /// The sources of each question.
    Question,
    /// Nothing is compared, only counted and timed.
    None,
}

fn sixty() -> f64 {
    0.6
}

/// Which relations count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// Exact copies and near-duplicates, without order.
    #[default]
    Near,
    /// Containments, each direction by itself.
    Containment,
    /// All relations, without order.
    Any,
}

/// A method of a design.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodPlan {
    /// How it is called in tables.
    pub label: String,
    /// Name of the method or form.
    pub method: String,
    /// Whose setting. The default is the paper's.
    #[serde(default = "paper")]
    pub profile: Profile,
    /// Parameters.
    #[serde(default)]
    pub parameters: Map<String, Value>,
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
    /// Whether it is drawn as a line to compare with. The default is false.
    #[serde(default)]
    pub is_reference: bool,
    /// Why one would take it, for advice.
    #[serde(default)]
    pub note: String,
}

fn paper() -> Profile {
    Profile::Paper
}

/// A column of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "GivenColumn")]
pub struct ColumnPlan {
    /// The measure.
    pub measure: String,
    /// What stands over it.
    pub title: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum GivenColumn {
    Plain(String),
    Titled(String, String),
}

impl From<GivenColumn> for ColumnPlan {
    fn from(given: GivenColumn) -> Self {
        match given {
            GivenColumn::Plain(measure) => Self { title: measure.replace('_', " "), measure },
            GivenColumn::Titled(measure, title) => Self { measure, title },
        }
    }
}

/// What a paper printed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Where, such as «Table 2».
    #[serde(default)]
    pub place: String,
    /// Names of the columns after the first, which names the row.
    #[serde(default)]
    pub columns: Vec<String>,
    /// The rows; the first cell is the name of our row.
    #[serde(default)]
    pub rows: Vec<Vec<Value>>,
    /// A table that comes with the program, instead of rows.
    #[serde(default)]
    pub fixture: String,
    /// Name of our row, with `{column}` of the fixture in it.
    #[serde(default)]
    pub row: String,
    /// Columns of the fixture that are shown, with their titles.
    #[serde(default)]
    pub shown: Vec<ColumnPlan>,
    /// p-values of [`Paired`], by measure.
    #[serde(default)]
    pub p_values: BTreeMap<String, f64>,
}

/// Two methods over the same sets.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paired {
    /// Row of the one.
    pub first: String,
    /// Row of the other.
    pub second: String,
    /// Measures that should be greater for the first.
    #[serde(default)]
    pub greater: Vec<String>,
    /// Measures that should be less for the first.
    #[serde(default)]
    pub less: Vec<String>,
}

/// By what a method is recommended.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdvicePlan {
    /// What should be high.
    pub quality: String,
    /// What should be low.
    pub cost: String,
    /// Needs: measure and how it is called.
    #[serde(default)]
    pub needs: Vec<ColumnPlan>,
}

/// A chart of a design.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChartPlan {
    /// How it is drawn.
    pub kind: super::findings::ChartKind,
    /// What it shows.
    pub title: String,
    /// How its numbers came about.
    #[serde(default)]
    pub note: String,
    /// Axis along which points stand; `set` for sets, a measure for points.
    #[serde(default)]
    pub x: String,
    /// What the horizontal axis is called.
    #[serde(default)]
    pub x_label: String,
    /// The measure.
    pub y: String,
    /// What the vertical axis is called.
    #[serde(default)]
    pub y_label: String,
    /// Which axes are kept apart as series, besides methods.
    #[serde(default)]
    pub by: Vec<String>,
    /// An axis of which every value gets a chart of its own.
    #[serde(default)]
    pub split: String,
    /// Only rows with these values of axes, or these methods.
    #[serde(default, rename = "where")]
    pub filter: BTreeMap<String, Vec<String>>,
    /// Whether the horizontal axis grows by ratio.
    #[serde(default)]
    pub log_x: bool,
    /// Whether the vertical axis grows by ratio.
    #[serde(default)]
    pub log_y: bool,
    /// Ends of the vertical axis.
    #[serde(default)]
    pub range: Option<(f64, f64)>,
    /// Column of the published table drawn beside ours.
    #[serde(default)]
    pub published: String,
}

/// A claim and how it is checked.
#[derive(Clone, Debug, Deserialize)]
pub struct Claim {
    /// The claim in words.
    pub says: String,
    /// How it is checked.
    #[serde(flatten)]
    pub check: Check,
}

/// How a claim is checked; rows are named as in the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "check", rename_all = "kebab-case")]
pub enum Check {
    /// Each row has more of the measure than all later ones.
    Order {
        /// What is compared.
        measure: String,
        /// Rows, or groups of rows among which there is no order.
        rows: Vec<OneOrMore>,
    },
    /// The rows differ by at most so much.
    Within {
        /// What is compared.
        measure: String,
        /// Rows.
        rows: Vec<String>,
        /// The most.
        most: f64,
    },
    /// The first row has no less than the second minus `slack`.
    NoLess {
        /// What is compared.
        measure: String,
        /// Pairs of rows.
        pairs: Vec<(String, String)>,
        /// What is forgiven. The default is nothing.
        #[serde(default)]
        slack: f64,
        /// Whether the claim is that nothing is lost. By default, where no pair differs, the
        /// experiment cannot tell.
        #[serde(default)]
        equal: bool,
    },
    /// The measure falls from row to row, and from `levels_at` on by at most `most` of it.
    Levels {
        /// What is compared.
        measure: String,
        /// Rows in order.
        rows: Vec<String>,
        /// The row from which it is level.
        levels_at: String,
        /// Largest change after it, as a share.
        most: f64,
    },
    /// The measure of each row is at least so much.
    AtLeast {
        /// What is compared.
        measure: String,
        /// Rows; empty means all.
        #[serde(default)]
        rows: Vec<String>,
        /// The least.
        value: f64,
    },
    /// The share by which the first row of a pair is smaller lies between two shares.
    Saves {
        /// What is compared.
        measure: String,
        /// Pairs: smaller, larger.
        pairs: Vec<(String, String)>,
        /// Least share.
        least: f64,
    },
    /// The second method of the paired comparison is better, p below 0.05.
    Paired {
        /// The measure.
        measure: String,
    },
    /// The fitted exponents of these methods are at most so much.
    Exponent {
        /// Methods.
        methods: Vec<String>,
        /// The most.
        most: f64,
    },
}

/// A row or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore {
    /// A row.
    One(String),
    /// Rows without order among them.
    More(Vec<String>),
}

impl OneOrMore {
    /// Returns the rows.
    pub fn rows(&self) -> &[String] {
        match self {
            Self::One(row) => std::slice::from_ref(row),
            Self::More(rows) => rows,
        }
    }
}

impl Design {
    /// Reads a design; `name` is how it is called in messages.
    pub fn parse(name: &str, text: &str) -> Result<Self, ExperimentError> {
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
    pub fn built_in(name: &str) -> Option<Result<Self, ExperimentError>> {
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

    pub(super) fn unusable(&self, reason: String) -> ExperimentError {
        ExperimentError::Unusable { name: self.name.clone(), reason }
    }

    fn check(&self) -> Result<(), ExperimentError> {
        if self.methods.is_empty() {
            return Err(self.unusable("there is no method".to_owned()));
        }
        let axes: Vec<&str> = self.data.axes.iter().map(|axis| axis.name.as_str()).collect();
        for method in &self.methods {
            for axis in method.on.keys() {
                if !axes.contains(&axis.as_str()) {
                    let label = &method.label;
                    let reason = format!("method `{label}` is for values of `{axis}`, no axis");
                    return Err(self.unusable(reason));
                }
            }
        }
        for size in [self.data.quick, self.data.full] {
            if size.documents == 0 || size.sets == 0 {
                return Err(self.unusable("sizes must be at least 1".to_owned()));
            }
        }
        if let Some(published) = &self.published
            && !published.fixture.is_empty()
            && super::fixtures::table(&published.fixture).is_none()
        {
            return Err(self.unusable(format!("no published table `{}`", published.fixture)));
        }
        Ok(())
    }
}
