//! Operations: what can be done to a document.

use serde::{Deserialize, Serialize};

use super::{Extent, Percent, Place, Ratio, Unit, at_most};
use crate::generate::error::GenerateError;
use crate::generate::tables;

/// Most further copies of a repeated unit.
const MOST_REPEATS: u32 = 1_000_000;

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
    /// Characters are misread as others that look like them, as by optical character recognition.
    Ocr {
        /// As a share of all characters that are not white space.
        percent: Percent,
        /// Characters and what they are misread as; empty means the table of the program.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        table: Vec<(String, String)>,
    },
    /// Letters are replaced by those of other alphabets that look the same.
    Homoglyphs {
        /// Share of the letters that have such a twin.
        percent: Percent,
    },
    /// Invisible characters are put into words.
    ZeroWidth {
        /// Share of the words.
        percent: Percent,
    },
    /// Words are broken over two lines with a hyphen.
    Hyphens {
        /// Share of the words that are long enough.
        percent: Percent,
    },
    /// Words are broken in two by a space, or run into the word before them.
    Spaces {
        /// Share of the words that are long enough.
        percent: Percent,
    },
    /// The document becomes a part of a larger one, filled up with paragraphs of others.
    Contain {
        /// Ratio of the words of the document to the words of the whole.
        ratio: Ratio,
        /// Where in the whole it stands.
        #[serde(default)]
        place: Place,
    },
    /// One stretch of the document stays and the rest goes.
    Excerpt {
        /// Ratio of the words that stay to the words of the document.
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
            Self::Hyphens { .. } => "hyphens",
            Self::Spaces { .. } => "spaces",
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
            Self::ReplaceWords { .. }
            | Self::ZeroWidth { .. }
            | Self::Hyphens { .. }
            | Self::Spaces { .. }
            | Self::Excerpt { .. } => Unit::Word,
            Self::ReplaceCharacters { .. } | Self::Ocr { .. } | Self::Homoglyphs { .. } => {
                Unit::Character
            }
            Self::Contain { .. } => Unit::Paragraph,
        }
    }

    pub(super) fn check(&self) -> Result<(), GenerateError> {
        if self.unit() == Unit::Character && !self.edits_characters() {
            let accepted = "paragraph, line, sentence or word";
            return Err(GenerateError::value("unit", accepted, "character"));
        }
        match self {
            Self::Reorder { percent, .. }
            | Self::Delete { percent, .. }
            | Self::ReplaceWords { percent }
            | Self::Homoglyphs { percent }
            | Self::ZeroWidth { percent }
            | Self::Hyphens { percent }
            | Self::Spaces { percent } => percent.check(self.name()),
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
