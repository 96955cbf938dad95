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

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::error::GenerateError;
use super::tables;

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
/// Most further copies of a repeated unit.
const MOST_REPEATS: u32 = 1_000_000;
/// Largest part of a containment.
const MOST_RATIO: u32 = 100_000;

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

/// What is done to a document.
///
/// The first six are those of Ignatov, Jánosi-Rancz and Kuznetsov 2009, Table 1. A percentage p of
/// n things is p·n/100 rounded half up, and at least 1 if both are above 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Operation {
    /// Chosen units change places with each other; each of them moves.
    Reorder {
        /// Share of the units.
        percent: Percent,
        /// What moves.
        #[serde(default)]
        unit: Unit,
    },
    /// Chosen units are deleted, but never all of them: one stays, and the log says so.
    Delete {
        /// Share of the units: [`Percent::of`] them, so at least one if it is above 0, and at most
        /// all but one.
        percent: Percent,
        /// What is deleted.
        #[serde(default)]
        unit: Unit,
    },
    /// Units of other documents are inserted at random places.
    AddForeign {
        /// As a share of this document's units.
        percent: Percent,
        /// What is inserted.
        #[serde(default)]
        unit: Unit,
    },
    /// Chosen words are replaced by random words of the dictionary.
    ReplaceWords {
        /// Share of the words.
        percent: Percent,
    },
    /// Chosen units are inserted again at random places.
    AddRepeated {
        /// How many are chosen.
        amount: u32,
        /// How many further copies of each.
        repeats: u32,
        /// What is repeated.
        #[serde(default)]
        unit: Unit,
    },
    /// Characters, or strings of them, are replaced by others, all at once.
    ReplaceCharacters {
        /// What by what.
        pairs: Vec<(String, String)>,
        /// Share of the occurrences. The default is all of them.
        #[serde(default = "all")]
        percent: Percent,
    },
    /// Characters are taken for others that look like them, as by a machine that reads.
    Ocr {
        /// As a share of all characters that are not white space.
        percent: Percent,
        /// What is taken for what; empty means the table that comes with the program.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        table: Vec<(String, String)>,
    },
    /// Letters are replaced by those of other alphabets that look the same.
    Homoglyphs {
        /// Share of the letters that have such a twin.
        percent: Percent,
    },
    /// Characters that are not seen are put into words.
    ZeroWidth {
        /// Share of the words.
        percent: Percent,
    },
    /// The document becomes a part of a larger one, filled up with paragraphs of others.
    Contain {
        /// Words of the document to words of the whole.
        ratio: Ratio,
        /// Where in the whole it stands.
        #[serde(default)]
        place: Place,
    },
    /// One stretch of the document stays and the rest goes.
    Excerpt {
        /// Words that stay to words there are.
        ratio: Ratio,
        /// Where it is taken.
        #[serde(default)]
        place: Place,
    },
    /// Stretches of other documents are planted into this one, as paragraphs.
    Plant {
        /// Documents to take from.
        #[serde(default = "one")]
        sources: u32,
        /// What a stretch is counted in.
        #[serde(default = "sentence")]
        unit: Unit,
        /// How many units of each.
        amount: Extent,
        /// Where in its document a stretch is taken.
        #[serde(default)]
        from: Place,
        /// Where in this one it is put.
        #[serde(default)]
        into: Place,
    },
}

fn all() -> Percent {
    Percent::new(100.0)
}

fn one() -> u32 {
    1
}

fn sentence() -> Unit {
    Unit::Sentence
}

impl Operation {
    /// Returns the name used in plans, options and logs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Reorder { .. } => "reorder",
            Self::Delete { .. } => "delete",
            Self::AddForeign { .. } => "add-foreign",
            Self::ReplaceWords { .. } => "replace-words",
            Self::AddRepeated { .. } => "add-repeated",
            Self::ReplaceCharacters { .. } => "replace-characters",
            Self::Ocr { .. } => "ocr",
            Self::Homoglyphs { .. } => "homoglyphs",
            Self::ZeroWidth { .. } => "zero-width",
            Self::Contain { .. } => "contain",
            Self::Excerpt { .. } => "excerpt",
            Self::Plant { .. } => "plant",
        }
    }

    /// Returns what the operation counts in.
    pub fn unit(&self) -> Unit {
        match self {
            Self::Reorder { unit, .. }
            | Self::Delete { unit, .. }
            | Self::AddForeign { unit, .. }
            | Self::AddRepeated { unit, .. }
            | Self::Plant { unit, .. } => *unit,
            Self::ReplaceWords { .. } | Self::ZeroWidth { .. } | Self::Excerpt { .. } => Unit::Word,
            Self::ReplaceCharacters { .. } | Self::Ocr { .. } | Self::Homoglyphs { .. } => {
                Unit::Character
            }
            Self::Contain { .. } => Unit::Paragraph,
        }
    }

    fn check(&self) -> Result<(), GenerateError> {
        if self.unit() == Unit::Character && !self.edits_characters() {
            let accepted = "paragraph, line, sentence or word";
            return Err(GenerateError::value("unit", accepted, "character"));
        }
        match self {
            Self::Reorder { percent, .. }
            | Self::Delete { percent, .. }
            | Self::ReplaceWords { percent }
            | Self::Homoglyphs { percent }
            | Self::ZeroWidth { percent } => percent.check(self.name()),
            // More than everything may be added.
            Self::AddForeign { percent, .. } => percent.check_up_to(self.name(), 10_000.0),
            Self::AddRepeated { amount, repeats, .. } => {
                at_most("amount", *amount, u32::MAX)?;
                at_most("repeats", *repeats, MOST_REPEATS)
            }
            Self::ReplaceCharacters { pairs, percent } => {
                if pairs.is_empty() {
                    return Err(GenerateError::value("pairs", "at least one pair", "none"));
                }
                tables::check("pairs", pairs)?;
                percent.check(self.name())
            }
            Self::Ocr { percent, table } => {
                tables::check("table", table)?;
                percent.check(self.name())
            }
            Self::Contain { ratio, .. } | Self::Excerpt { ratio, .. } => ratio.check(),
            Self::Plant { sources, amount, .. } => {
                at_most("sources", *sources, u32::MAX)?;
                amount.check()
            }
        }
    }

    fn edits_characters(&self) -> bool {
        matches!(self, Self::ReplaceCharacters { .. } | Self::Ocr { .. } | Self::Homoglyphs { .. })
    }
}

/// What a text is taken apart into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Stretches between blank lines.
    #[default]
    Paragraph,
    /// Lines that are not blank.
    Line,
    /// Stretches that end with `.`, `!` or `?` or with their paragraph, by character alone.
    Sentence,
    /// Words as they are compared.
    Word,
    /// Characters; only for counting.
    Character,
}

impl Unit {
    /// Returns the name used in plans, options and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Paragraph => "paragraph",
            Self::Line => "line",
            Self::Sentence => "sentence",
            Self::Word => "word",
            Self::Character => "character",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A place in a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// At its beginning.
    Begin,
    /// In its middle.
    Middle,
    /// At its end.
    End,
    /// Wherever chance will have it.
    #[default]
    Any,
}

impl Place {
    /// Returns the name used in plans, options and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::Middle => "middle",
            Self::End => "end",
            Self::Any => "any",
        }
    }
}

/// A share in hundredths; in files a number or a text such as `25%`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "Number", into = "f64")]
pub struct Percent(f64);

impl Percent {
    /// Makes a percentage; whether it can be used is checked with the plan.
    pub fn new(value: f64) -> Self {
        Self(value)
    }

    /// Returns the number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Returns how many of `n` things it is: rounded half up, at least 1 if both are above 0, and
    /// never more than memory can count.
    ///
    /// ```
    /// use retold_lab::generate::Percent;
    /// assert_eq!(Percent::new(25.0).of(10), 3);
    /// assert_eq!(Percent::new(1.0).of(10), 1);
    /// assert_eq!(Percent::new(0.0).of(10), 0);
    /// ```
    #[expect(clippy::cast_sign_loss, reason = "checked to be at least 0 with the plan")]
    pub fn of(self, n: usize) -> usize {
        if n == 0 || self.0 <= 0.0 {
            return 0;
        }
        // The tiny part makes up for percentages that binary numbers do not hold exactly.
        ((self.0 * n as f64 / 100.0 + 0.5 + 1e-9).floor() as usize).max(1)
    }

    fn check(self, name: &str) -> Result<(), GenerateError> {
        self.check_up_to(name, 100.0)
    }

    fn check_up_to(self, name: &str, most: f64) -> Result<(), GenerateError> {
        if (0.0..=most).contains(&self.0) {
            return Ok(());
        }
        Err(GenerateError::value(name, &format!("0 to {most} percent"), self.0))
    }
}

impl FromStr for Percent {
    type Err = GenerateError;

    fn from_str(text: &str) -> Result<Self, GenerateError> {
        let number = text.trim().strip_suffix('%').unwrap_or(text).trim();
        let value: f64 = number
            .parse()
            .map_err(|_| GenerateError::value("a percentage", "a number such as 25%", text))?;
        Ok(Self(value))
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.0)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Number(f64),
    Text(String),
}

impl TryFrom<Number> for Percent {
    type Error = GenerateError;

    fn try_from(number: Number) -> Result<Self, GenerateError> {
        match number {
            Number::Number(value) => Ok(Self(value)),
            Number::Text(text) => text.parse(),
        }
    }
}

impl From<Percent> for f64 {
    fn from(percent: Percent) -> Self {
        percent.0
    }
}

/// A ratio of sizes, written `1:10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Ratio(u32);

impl Ratio {
    /// Makes the ratio of one to `whole`.
    pub fn new(whole: u32) -> Self {
        Self(whole)
    }

    /// Returns how many times the whole is larger than the part.
    pub fn whole(self) -> u32 {
        self.0
    }

    fn check(self) -> Result<(), GenerateError> {
        if (1..=MOST_RATIO).contains(&self.0) {
            return Ok(());
        }
        Err(GenerateError::value("a ratio", &format!("1:1 to 1:{MOST_RATIO}"), self))
    }
}

impl FromStr for Ratio {
    type Err = GenerateError;

    fn from_str(text: &str) -> Result<Self, GenerateError> {
        let whole = text.split_once(':').filter(|(part, _)| part.trim() == "1");
        let whole = whole.and_then(|(_, whole)| whole.trim().parse().ok());
        whole.map(Self).ok_or_else(|| GenerateError::value("a ratio", "such as 1:10", text))
    }
}

impl TryFrom<String> for Ratio {
    type Error = GenerateError;

    fn try_from(text: String) -> Result<Self, GenerateError> {
        text.parse()
    }
}

impl From<Ratio> for String {
    fn from(ratio: Ratio) -> Self {
        ratio.to_string()
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1:{}", self.0)
    }
}

/// A number of units between two numbers, both included; in files one number or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Bounds", into = "(u32, u32)")]
pub struct Extent {
    /// At least so many.
    pub least: u32,
    /// At most so many.
    pub most: u32,
}

impl Extent {
    /// Makes an extent of exactly `n`.
    pub fn exactly(n: u32) -> Self {
        Self { least: n, most: n }
    }

    fn check(self) -> Result<(), GenerateError> {
        if self.least >= 1 && self.least <= self.most {
            return Ok(());
        }
        Err(GenerateError::value("an amount", "such as 6 or 2-10", self))
    }
}

impl FromStr for Extent {
    type Err = GenerateError;

    fn from_str(text: &str) -> Result<Self, GenerateError> {
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let found = match text.split_once('-') {
            Some((least, most)) => number(least).zip(number(most)),
            None => number(text).map(|n| (n, n)),
        };
        found
            .map(|(least, most)| Self { least, most })
            .ok_or_else(|| GenerateError::value("an amount", "such as 6 or 2-10", text))
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.least == self.most {
            return write!(f, "{}", self.least);
        }
        write!(f, "{}-{}", self.least, self.most)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Bounds {
    One(u32),
    Two(u32, u32),
    Text(String),
}

impl TryFrom<Bounds> for Extent {
    type Error = GenerateError;

    fn try_from(bounds: Bounds) -> Result<Self, GenerateError> {
        match bounds {
            Bounds::One(n) => Ok(Self::exactly(n)),
            Bounds::Two(least, most) => Ok(Self { least, most }),
            Bounds::Text(text) => text.parse(),
        }
    }
}

impl From<Extent> for (u32, u32) {
    fn from(extent: Extent) -> Self {
        (extent.least, extent.most)
    }
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
