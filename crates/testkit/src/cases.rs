//! Conformance cases: two texts and what any method must say of them.
//!
//! Cases lie in `testdata/cases/*.toml`. A method names the cases that it cannot show in its own
//! file ([`Skip`]), each with the reason.

use std::path::PathBuf;

use retold::Document;
use retold_core::document::Markup;
use retold_core::methods::Skip;
use retold_samples::testdata;
use serde::Deserialize;

/// A share that must lie within bounds.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// Lower bound.
    pub at_least: Option<f64>,
    /// Upper bound.
    pub at_most: Option<f64>,
}

impl Bounds {
    /// Returns whether `value` lies within.
    pub fn hold(self, value: f64) -> bool {
        self.at_least.is_none_or(|least| value >= least)
            && self.at_most.is_none_or(|most| value <= most)
    }
}

/// What must be found.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Kind of relation seen from the left text; `none` if nothing may be reported.
    pub kind: String,
    /// Share of the left text's runs found in the right one.
    #[serde(default)]
    pub a_in_b: Bounds,
    /// Share of the right text's runs found in the left one.
    #[serde(default)]
    pub b_in_a: Bounds,
    /// Shared runs over all runs.
    #[serde(default)]
    pub resemblance: Bounds,
}

/// Two texts and what must be found.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What the case shows.
    pub name: String,
    /// The one text.
    pub left: String,
    /// The other text.
    pub right: String,
    /// How both are marked up.
    #[serde(default)]
    pub markup: Option<Markup>,
    /// How the left one is marked up, if they differ.
    #[serde(default)]
    pub left_markup: Option<Markup>,
    /// How the right one is marked up, if they differ.
    #[serde(default)]
    pub right_markup: Option<Markup>,
    /// Language of both.
    #[serde(default)]
    pub language: Option<String>,
    /// What must be found.
    pub relation: Expected,
    /// Texts that must lie inside one passage of the left text.
    #[serde(default)]
    pub passages: Vec<String>,
}

impl Case {
    /// Returns the two texts as documents.
    pub fn documents(&self) -> [Document; 2] {
        let document = |id: &str, text: &str, own: Option<Markup>| Document {
            markup: own.or(self.markup).unwrap_or_default(),
            language: self.language.clone(),
            ..Document::plain(id, text)
        };
        [
            document("left", &self.left, self.left_markup),
            document("right", &self.right, self.right_markup),
        ]
    }
}

/// Returns whether a skip leaves a case out.
pub fn is_left_out(case: &Case, skip: &Skip) -> bool {
    skip.cases.contains(&case.name.as_str())
        || skip.kinds.iter().any(|kind| kind.name() == case.relation.kind)
}

/// Reads all cases, file by file in order of name.
pub fn cases() -> Vec<Case> {
    #[derive(Deserialize)]
    struct File {
        case: Vec<Case>,
    }
    let folder = testdata().join("cases");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the cases are in the repository")
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a case file is UTF-8 text");
        let file: File = toml::from_str(&text)
            .unwrap_or_else(|error| panic!("{} does not parse: {error}", path.display()));
        file.case
    };
    paths.into_iter().flat_map(read).collect()
}
