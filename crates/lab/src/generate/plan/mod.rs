//! Plans: what is to be made, as plain data that can stand in a TOML file.
//!
//! ```toml
//! seed = 7
//!
//! [[variant]]
//! name = "rewritten"
//! copies = 2
//! steps = [
//!     { operation = "delete", percent = 25 },
//!     { operation = "replace-words", percent = 10 },
//! ]
//!
//! [[query]]
//! name = "known-items"
//! documents = 180
//! unit = "sentence"
//! amount = [2, 10]
//! ```

mod operation;
mod values;

use serde::{Deserialize, Serialize};

pub use self::operation::Operation;
pub use self::values::{Extent, Percent, Place, Ratio, Unit};
use super::error::GenerateError;

/// What is to be made of a collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plan {
    /// Seed of all choices. The default is 1.
    pub seed: u64,
    /// Whether the documents themselves belong to what is made. The default is true.
    pub originals: bool,
    /// Which pairs are listed. The default is `all`.
    pub related: Related,
    /// Words that replace others; if there are none, the words of the collection do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dictionary: Vec<String>,
    /// What is made of each document.
    #[serde(rename = "variant", skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
    /// What is pasted together from several documents.
    #[serde(rename = "query", skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<Query>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            seed: 1,
            originals: true,
            related: Related::All,
            dictionary: Vec::new(),
            variants: Vec::new(),
            queries: Vec::new(),
        }
    }
}

impl Plan {
    /// Makes a plan of one variant.
    pub fn of(seed: u64, steps: impl IntoIterator<Item = Operation>) -> Self {
        let variant = Variant { steps: steps.into_iter().collect(), ..Variant::default() };
        Self { seed, variants: vec![variant], ..Self::default() }
    }

    /// Reads a plan from TOML.
    pub fn parse(text: &str) -> Result<Self, GenerateError> {
        let plan: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            let reason = error.message().lines().next().unwrap_or_default().to_owned();
            GenerateError::Plan { line, reason }
        })?;
        plan.check()?;
        Ok(plan)
    }

    /// Checks every number.
    pub fn check(&self) -> Result<(), GenerateError> {
        for variant in &self.variants {
            variant.documents.check("documents")?;
            at_most("copies", variant.copies, MOST_COPIES)?;
            variant.steps.iter().try_for_each(Operation::check)?;
        }
        for query in &self.queries {
            at_most("documents", query.documents, u32::MAX)?;
            query.amount.check()?;
            if query.places.is_empty() {
                return Err(GenerateError::value("places", "at least one place", "none"));
            }
        }
        if self.dictionary.iter().any(|word| word.trim().is_empty()) {
            return Err(GenerateError::value("dictionary", "words", "an empty one"));
        }
        Ok(())
    }
}

/// Most copies of one variant.
const MOST_COPIES: u32 = 1_000_000;

fn at_most(name: &str, given: u32, most: u32) -> Result<(), GenerateError> {
    if (1..=most).contains(&given) {
        return Ok(());
    }
    Err(GenerateError::value(name, &format!("1 to {most}"), given))
}

/// Which pairs of a made collection are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Related {
    /// All that have five words from one place of an input: inputs with what was made of them,
    /// and those with each other.
    #[default]
    All,
    /// Each made document with the inputs it has words of.
    Inputs,
    /// None: where words are from is not remembered, so that large collections can be made.
    None,
}

/// One way to change documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Variant {
    /// Its name in the log; empty means none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Documents made of each input, each by choices of its own. The default is 1.
    pub copies: u32,
    /// Share of the inputs that it is made of. The default is 100 %.
    pub documents: Percent,
    /// What is done, in order. With none, the variant is an exact copy.
    pub steps: Vec<Operation>,
}

impl Default for Variant {
    fn default() -> Self {
        Self { name: String::new(), copies: 1, documents: Percent::new(100.0), steps: Vec::new() }
    }
}

/// A document pasted together from stretches of several others: a query with known answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Query {
    /// Name of the made document. The default is `query`.
    pub name: String,
    /// Documents that are pasted into it. The default is 180.
    pub documents: u32,
    /// What a stretch is counted in. The default is `sentence`.
    pub unit: Unit,
    /// How many units of each document. The default is 2 to 10, 6 on average.
    pub amount: Extent,
    /// Where in a document a stretch is taken. The default is begin, middle and end.
    pub places: Vec<Place>,
    /// Whether the places are shared out among the documents or taken of each. The default is
    /// `subsets`.
    pub spread: Spread,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            name: "query".to_owned(),
            documents: 180,
            unit: Unit::Sentence,
            amount: Extent { least: 2, most: 10 },
            places: vec![Place::Begin, Place::Middle, Place::End],
            spread: Spread::Subsets,
        }
    }
}

/// How places are shared out among the documents of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spread {
    /// One place a document, in subsets of equal size.
    #[default]
    Subsets,
    /// Every place of every document.
    Every,
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = r#"
        seed = 7
        originals = false

        [[variant]]
        name = "rewritten"
        copies = 2
        documents = "50%"
        steps = [
            { operation = "delete", percent = 25 },
            { operation = "replace-words", percent = "10%" },
            { operation = "add-repeated", amount = 2, repeats = 3, unit = "sentence" },
            { operation = "replace-characters", pairs = [["a", "@"]] },
            { operation = "contain", ratio = "1:10", place = "middle" },
            { operation = "plant", amount = [2, 10] },
        ]

        [[query]]
        documents = 27
        unit = "paragraph"
        places = ["begin", "end"]
        spread = "every"
    "#;

    #[test]
    fn a_plan_is_read_from_toml_and_comes_back_from_json() {
        let plan = Plan::parse(WRITTEN).expect("a good plan");
        assert_eq!(plan.seed, 7);
        let variant = &plan.variants[0];
        assert_eq!((variant.copies, variant.documents), (2, Percent::new(50.0)));
        assert_eq!(
            variant.steps[0],
            Operation::Delete { percent: Percent::new(25.0), unit: Unit::Paragraph }
        );
        assert_eq!(
            variant.steps[5],
            Operation::Plant {
                sources: 1,
                unit: Unit::Sentence,
                amount: Extent { least: 2, most: 10 },
                from: Place::Any,
                into: Place::Any,
            }
        );
        assert_eq!(plan.queries[0].spread, Spread::Every);
        let json = serde_json::to_string(&plan).expect("a plan is plain data");
        assert_eq!(serde_json::from_str::<Plan>(&json).expect("its own words"), plan);
    }

    #[test]
    fn what_cannot_be_used_is_named_with_its_line_or_value() {
        let refused = |text: &str| Plan::parse(text).expect_err("not a plan").to_string();
        let of = |step: &str| refused(&format!("[[variant]]\nsteps = [\n  {step}\n]"));
        assert_eq!(
            of("{ operation = \"delete\", percent = 250 }"),
            "delete must be 0 to 100 percent, got 250"
        );
        assert_eq!(
            of("{ operation = \"contain\", ratio = \"1:0\" }"),
            "a ratio must be 1:1 to 1:100000, got 1:0"
        );
        assert_eq!(
            of("{ operation = \"plant\", amount = [5, 2] }"),
            "an amount must be such as 6 or 2-10, got 5-2"
        );
        assert_eq!(
            of("{ operation = \"delete\", percent = 5, unit = \"character\" }"),
            "unit must be paragraph, line, sentence or word, got character"
        );
        let unknown = of("{ operation = \"shuffle\", percent = 5 }");
        assert!(unknown.starts_with("line 3: unknown variant `shuffle`"), "{unknown}");
        let misspelt = of("{ operation = \"delete\", precent = 5 }");
        assert!(misspelt.contains("precent"), "{misspelt}");
    }
}
