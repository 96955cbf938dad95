//! The claims of a design and how each is checked.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::experiment::measure::Measure;

/// A claim and how it is checked.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "toml::Table")]
pub struct Claim {
    /// The claim in words.
    pub text: String,
    /// Where in the paper it stands, such as «table 6.2»; empty for a claim of our own.
    pub place: String,
    /// The paper's own number, as text, such as «0.155 against 0.036».
    pub paper: String,
    /// What the verdict depends on: a setting, a list of names, a kind of text.
    pub hangs_on: String,
    /// The condition under which it is checked here; a claim that holds then holds under it.
    pub condition: String,
    /// Whose the limits are that the check compares with.
    pub bar: Bar,
    /// How it is checked: once, or once for every combination of the values of `each`.
    pub checks: Vec<CheckAt>,
}

/// A check, and the values of `each` that were put into its rows.
#[derive(Clone, Debug)]
pub struct CheckAt {
    /// The values, such as «common 85, Reuters»; empty if the claim has no `each`.
    pub at: String,
    /// The check.
    pub check: Check,
}

/// Whose a limit is, such as the largest change that still counts as none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bar {
    /// Ours: the paper names none. The verdict says so.
    #[default]
    Ours,
    /// The paper's.
    Paper,
}

/// What a claim holds besides its check.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    says: String,
    #[serde(default, rename = "where")]
    place: String,
    #[serde(default)]
    paper: String,
    #[serde(default)]
    hangs_on: String,
    #[serde(default)]
    condition: String,
    #[serde(default)]
    bar: Bar,
    #[serde(default)]
    each: BTreeMap<String, Vec<String>>,
}

const WORDS: [&str; 7] = ["says", "where", "paper", "hangs_on", "condition", "bar", "each"];

impl TryFrom<toml::Table> for Claim {
    type Error = String;

    fn try_from(mut given: toml::Table) -> Result<Self, String> {
        let told = |error: toml::de::Error| error.message().to_owned();
        let mut words = toml::Table::new();
        for name in WORDS {
            if let Some(value) = given.remove(name) {
                words.insert(name.to_owned(), value);
            }
        }
        let words: Words = words.try_into().map_err(told)?;
        let mut checks = Vec::new();
        for at in combinations(&words.each) {
            let filled = filled(&toml::Value::Table(given.clone()), &at);
            let at: Vec<String> = at.iter().map(|(axis, value)| named(axis, value)).collect();
            checks.push(CheckAt { at: at.join(", "), check: filled.try_into().map_err(told)? });
        }
        Ok(Self {
            text: words.says,
            place: words.place,
            paper: words.paper,
            hangs_on: words.hangs_on,
            condition: words.condition,
            bar: words.bar,
            checks,
        })
    }
}

/// Names a value of an axis; numbers say nothing without it.
fn named(axis: &str, value: &str) -> String {
    if value.parse::<f64>().is_ok() { format!("{axis} {value}") } else { value.to_owned() }
}

/// Lists all combinations of values, the last axis changing fastest; one empty combination for none.
fn combinations(each: &BTreeMap<String, Vec<String>>) -> Vec<Vec<(&str, &str)>> {
    let mut all: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
    for (axis, values) in each {
        let mut longer = Vec::new();
        for taken in &all {
            for value in values {
                let mut taken = taken.clone();
                taken.push((axis.as_str(), value.as_str()));
                longer.push(taken);
            }
        }
        all = longer;
    }
    all
}

/// Puts values in for `{axis}` in all texts.
fn filled(value: &toml::Value, at: &[(&str, &str)]) -> toml::Value {
    match value {
        toml::Value::String(text) => {
            let put = |text: String, (axis, value): &(&str, &str)| {
                text.replace(&format!("{{{axis}}}"), value)
            };
            toml::Value::String(at.iter().fold(text.clone(), put))
        }
        toml::Value::Array(all) => all.iter().map(|one| filled(one, at)).collect::<Vec<_>>().into(),
        toml::Value::Table(table) => {
            let each = table.iter().map(|(name, value)| (name.clone(), filled(value, at)));
            toml::Value::Table(each.collect())
        }
        other => other.clone(),
    }
}

/// How a claim is checked; rows are named as in the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "check", rename_all = "kebab-case", deny_unknown_fields)]
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
    /// Two rows over the same sets differ as `[paired]` of the design expects, with p below 0.05.
    Paired {
        /// The measure.
        measure: Measure,
        /// The first row. The default is that of `[paired]`.
        #[serde(default)]
        first: Option<String>,
        /// The second row. The default is that of `[paired]`.
        #[serde(default)]
        second: Option<String>,
    },
    /// The fitted exponents of these methods are at most `most`. Fewer than four sizes tell nothing.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(text: &str) -> Result<Claim, String> {
        toml::from_str(text).map_err(|error: toml::de::Error| error.message().to_owned())
    }

    #[test]
    fn a_claim_is_checked_once_for_every_combination_of_values() {
        let text = r#"
            says = "first is best"
            where = "table 6.2"
            paper = "0.155 against 0.036"
            each = { names = ["few", "many"], share = ["0.5", "0.7"] }
            check = "order"
            measure = "f1"
            rows = ["first {names}", ["second {share}", "third"]]
        "#;
        let claim = claim(text).expect("a good claim");
        let at: Vec<&str> = claim.checks.iter().map(|one| one.at.as_str()).collect();
        assert_eq!(at[0], "few, share 0.5");
        assert_eq!(at.len(), 4);
        let Check::Order { rows, .. } = &claim.checks[3].check else { panic!("an order") };
        assert_eq!(
            (&rows[0].rows()[0], &rows[1].rows()[0]),
            (&"first many".into(), &"second 0.7".into())
        );
    }

    #[test]
    fn a_key_that_no_claim_has_is_named() {
        let text = "says = \"a\"\nhang_on = \"b\"\ncheck = \"paired\"\nmeasure = \"f1\"";
        let told = claim(text).expect_err("a misspelt key");
        assert!(told.contains("hang_on"), "{told}");
    }
}
