//! What is struck, as plain data.

use retold_core::error::ConfigError;
use retold_core::features::units::UnitKind;
use serde::{Deserialize, Serialize};

/// What a collection is looked through for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Level {
    /// Runs of words, wherever they begin and end.
    #[default]
    Passage,
    /// Stretches between blank lines.
    Paragraph,
    /// Lines.
    Line,
    /// Sentences.
    Sentence,
}

impl Level {
    /// Returns the name used in files and flags.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passage => "passage",
            Self::Paragraph => "paragraph",
            Self::Line => "line",
            Self::Sentence => "sentence",
        }
    }

    /// Returns the units that are compared, if it is not runs of words.
    pub(super) fn units(self) -> Option<UnitKind> {
        match self {
            Self::Passage => None,
            Self::Paragraph => Some(UnitKind::Paragraph),
            Self::Line => Some(UnitKind::Line),
            Self::Sentence => Some(UnitKind::Sentence),
        }
    }
}

/// What is struck.
///
/// ```
/// use retold::{Level, StrikeSettings};
/// let settings = StrikeSettings { level: Level::Line, ..StrikeSettings::default() };
/// assert_eq!((StrikeSettings::default().least_words(), settings.least_words()), (50, 5));
/// let wrong = StrikeSettings { differ: 0.5, ..StrikeSettings::default() };
/// assert!(settings.check().is_ok() && wrong.check().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct StrikeSettings {
    /// Passages or units. The default is passages.
    pub level: Level,
    /// Words that a passage or unit must have. The default is 50 for passages and 5 for units, so
    /// that "Yes." stays wherever it stands; 0 takes units of any length.
    pub min_words: Option<u32>,
    /// Share of the words in which a passage may differ from one before it. The default is 0.
    pub differ: f64,
    /// Documents of one source beyond which what stands in all of them is boilerplate. The default is
    /// none.
    pub boilerplate: Option<u32>,
    /// Share of its words below which a document is listed for review. The default is none.
    pub least_left: Option<f64>,
    /// Whether a document with less than that left is dropped. The default is false.
    pub drop_short: bool,
    /// Whether strikes are only reported, and no records copied. The default is false.
    pub report_only: bool,
}

/// The largest share of words in which a passage may differ.
pub(super) const MOST_DIFFER: f64 = 0.2;

/// Words that a passage may be asked to have at most.
const MOST_WORDS: u32 = 100_000;

impl StrikeSettings {
    /// Returns the words that a passage or unit must have.
    pub fn least_words(&self) -> u32 {
        self.min_words.unwrap_or(if self.level == Level::Passage { 50 } else { 5 })
    }

    /// Checks that they fit together.
    pub fn check(&self) -> Result<(), ConfigError> {
        let least = self.least_words();
        if self.level == Level::Passage && !(2..=MOST_WORDS).contains(&least) {
            let accepted = format!("between 2 and {MOST_WORDS} for passages");
            return Err(ConfigError::value("min-words", accepted, &least));
        }
        if !(0.0..=MOST_DIFFER).contains(&self.differ) {
            let accepted = format!("between 0 and {MOST_DIFFER} (20%)");
            return Err(ConfigError::value("differ", accepted, &self.differ));
        }
        if self.differ > 0.0 && self.level != Level::Passage {
            return Err(ConfigError::value(
                "differ",
                "left out unless the level is passage",
                &self.differ,
            ));
        }
        if let Some(least_left) = self.least_left
            && !(0.0..=1.0).contains(&least_left)
        {
            return Err(ConfigError::value("least-left", "between 0 and 1", &least_left));
        }
        if self.drop_short && self.least_left.is_none() {
            return Err(ConfigError::value("drop-short", "used with least-left", &true));
        }
        Ok(())
    }
}
