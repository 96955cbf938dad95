//! What a design shows: columns, what the paper printed, comparisons, charts.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::experiment::measure::Measure;

/// A column of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "GivenColumn")]
pub struct ColumnPlan {
    /// The measure.
    pub measure: Measure,
    /// What stands over it.
    pub title: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum GivenColumn {
    Plain(String),
    Titled(String, String),
}

impl TryFrom<GivenColumn> for ColumnPlan {
    type Error = String;

    fn try_from(given: GivenColumn) -> Result<Self, String> {
        let PrintedColumn { name, title } = given.into();
        let measure =
            Measure::named(&name).ok_or_else(|| format!("there is no measure `{name}`"))?;
        Ok(Self { measure, title })
    }
}

/// A column of a table that a paper printed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "GivenColumn")]
pub struct PrintedColumn {
    /// Its name in the table.
    pub name: String,
    /// What stands over it.
    pub title: String,
}

impl From<GivenColumn> for PrintedColumn {
    fn from(given: GivenColumn) -> Self {
        match given {
            GivenColumn::Plain(name) => Self { title: name.replace('_', " "), name },
            GivenColumn::Titled(name, title) => Self { name, title },
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
    /// Name of a table that comes with the program, instead of rows.
    #[serde(default, rename = "fixture")]
    pub table: String,
    /// Name of our row, with `{column}` of that table in it.
    #[serde(default)]
    pub row: String,
    /// Columns of that table that are shown, with their titles.
    #[serde(default)]
    pub shown: Vec<PrintedColumn>,
    /// p-values of [`Paired`], by measure.
    #[serde(default)]
    pub p_values: BTreeMap<Measure, f64>,
}

/// Two methods over the same sets.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paired {
    /// Row of the first method.
    pub first: String,
    /// Row of the second method.
    pub second: String,
    /// Measures that should be greater for the first.
    #[serde(default)]
    pub greater: Vec<Measure>,
    /// Measures that should be less for the first.
    #[serde(default)]
    pub less: Vec<Measure>,
}

/// A table with a row for every set and columns for every method, and what is said of its columns.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerSet {
    /// What it shows.
    pub title: String,
    /// The measures, each shown of every row.
    pub columns: Vec<ColumnPlan>,
    /// Rows whose sets are shown; empty takes all.
    #[serde(default)]
    pub rows: Vec<String>,
    /// Whether least, greatest, mean, median and deviation follow in a table of their own. The
    /// default is true.
    #[serde(default = "yes")]
    pub summary: bool,
    /// What a paper printed of its own sets, summarised beside ours.
    #[serde(default)]
    pub published: Option<PrintedSets>,
}

fn yes() -> bool {
    true
}

/// Sets of a table that a paper printed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintedSets {
    /// Where, such as «table 6.3».
    #[serde(default)]
    pub place: String,
    /// Name of a table that comes with the program; its first column numbers the sets.
    #[serde(rename = "fixture")]
    pub table: String,
    /// First and last set.
    pub sets: (u64, u64),
    /// Column of that table for a measure of one of our rows: `columns.ROW.MEASURE`. Values of a
    /// column whose name ends in `_pct` are percent.
    pub columns: BTreeMap<String, BTreeMap<Measure, String>>,
}

/// The measures by which a method is recommended.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdvicePlan {
    /// The measure that should be high.
    pub quality: Measure,
    /// The measure that should be low.
    pub cost: Measure,
    /// Needs of users: a measure and its title.
    #[serde(default)]
    pub needs: Vec<ColumnPlan>,
}

/// Kinds of charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChartKind {
    /// A bar for every row.
    Bars,
    /// Lines along an axis.
    Lines,
    /// A line for every row along the sets.
    Paired,
    /// Figures of the first k answers.
    TopK,
    /// Points of two measures.
    Scatter,
    /// Points of two measures joined along a sweep: precision and recall, miss and false alarm.
    Tradeoff,
    /// Lines on logarithmic axes with a fitted power law.
    Scaling,
    /// Two circles: documents in clusters that only the first of two rows found, both, only the
    /// second. The rows are those of `[paired]`, or the first two that are kept.
    Venn,
}

/// A chart of a design.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChartPlan {
    /// How it is drawn.
    pub kind: ChartKind,
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
    pub y: Measure,
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
    /// Whether the horizontal axis is logarithmic.
    #[serde(default)]
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic.
    #[serde(default)]
    pub log_y: bool,
    /// Ends of the vertical axis.
    #[serde(default)]
    pub range: Option<(f64, f64)>,
    /// Column of the published table drawn beside ours.
    #[serde(default)]
    pub published: String,
}
