//! The claims of a design and how each is checked.

use serde::Deserialize;

use crate::experiment::measure::Measure;

/// A claim and how it is checked.
#[derive(Clone, Debug, Deserialize)]
pub struct Claim {
    /// The claim in words.
    #[serde(rename = "says")]
    pub text: String,
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
        measure: Measure,
        /// Rows, or groups of rows among which there is no order.
        rows: Vec<OneOrMore>,
    },
    /// The values of the rows differ by at most `most`.
    Within {
        /// What is compared.
        measure: Measure,
        /// Rows.
        rows: Vec<String>,
        /// The most.
        most: f64,
    },
    /// The first row has no less than the second minus `slack`.
    NoLess {
        /// What is compared.
        measure: Measure,
        /// Pairs of rows.
        pairs: Vec<(String, String)>,
        /// Tolerance. The default is 0.
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
        measure: Measure,
        /// Rows in order.
        rows: Vec<String>,
        /// The row from which it is level.
        levels_at: String,
        /// Largest change after it, as a share.
        most: f64,
    },
    /// The measure of each row is at least `value`.
    AtLeast {
        /// What is compared.
        measure: Measure,
        /// Rows; empty means all.
        #[serde(default)]
        rows: Vec<String>,
        /// The least.
        value: f64,
    },
    /// The first row of each pair is smaller than the second by at least the share `least`.
    Saves {
        /// What is compared.
        measure: Measure,
        /// Pairs: smaller, larger.
        pairs: Vec<(String, String)>,
        /// Least share.
        least: f64,
    },
    /// The paired comparison comes out as its design expects, with p below 0.05.
    Paired {
        /// The measure.
        measure: Measure,
    },
    /// The fitted exponents of these methods are at most `most`.
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
