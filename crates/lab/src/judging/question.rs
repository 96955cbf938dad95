//! What people are asked.

use std::fmt;
use std::str::FromStr;

use retold_core::error::ConfigError;
use retold_core::relation::Kind;
use serde::{Deserialize, Serialize};

use crate::measures::Direction;

/// What is asked of two documents, or of one beside its cluster.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// Is the first document contained in the second? Asked for both directions.
    #[default]
    Containment,
    /// Do both documents have the same content?
    NearDuplicate,
    /// Do they share a passage that one took from the other?
    Partial,
    /// Is this document a duplicate of its cluster mates? Asked of a document found by one of two
    /// methods.
    Duplicate,
}

impl Question {
    /// All questions.
    pub const ALL: [Self; 4] =
        [Self::Containment, Self::NearDuplicate, Self::Partial, Self::Duplicate];

    /// Returns the name used in files and flags.
    pub fn name(self) -> &'static str {
        match self {
            Self::Containment => "containment",
            Self::NearDuplicate => "near-duplicate",
            Self::Partial => "partial",
            Self::Duplicate => "duplicate",
        }
    }

    /// Returns the question as it is put to a person.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Containment => "does b hold what a tells, so that a is contained in b?",
            Self::NearDuplicate => "does each tell what the other tells?",
            Self::Partial => "do they share a passage that was copied?",
            Self::Duplicate => "is the document a near-duplicate of one shown beside it?",
        }
    }

    /// Returns whether the order of a pair matters.
    pub fn direction(self) -> Direction {
        match self {
            Self::Containment => Direction::Ordered,
            Self::NearDuplicate | Self::Partial | Self::Duplicate => Direction::Unordered,
        }
    }

    /// Returns how many people judge everything; beyond them one more where they differ.
    pub fn n_judges(self) -> usize {
        match self {
            Self::Duplicate => 3,
            Self::Containment | Self::NearDuplicate | Self::Partial => 2,
        }
    }

    /// Returns the relation that "yes" stands for, seen from the first document of a pair.
    pub fn relation(self) -> &'static str {
        match self {
            Self::Containment => Kind::Contained.name(),
            Self::NearDuplicate => Kind::NearDuplicate.name(),
            Self::Partial => Kind::Partial.name(),
            Self::Duplicate => "duplicate",
        }
    }

    /// Returns whether a relation `kind`, seen from `a`, claims "yes" of (`a`, `b`), and whether it
    /// does of (`b`, `a`). Where order does not matter the second is never claimed.
    ///
    /// ```
    /// use retold_core::relation::Kind;
    /// use retold_lab::judging::Question;
    /// assert_eq!(Question::Containment.claimed(Kind::Contains), (false, true));
    /// assert_eq!(Question::NearDuplicate.claimed(Kind::Contains), (false, false));
    /// ```
    pub fn claimed(self, kind: Kind) -> (bool, bool) {
        let is_both = matches!(kind, Kind::Exact | Kind::NearDuplicate);
        match self {
            Self::Containment => {
                (is_both || kind == Kind::Contained, is_both || kind == Kind::Contains)
            }
            Self::NearDuplicate | Self::Duplicate => (is_both, false),
            Self::Partial => (true, false),
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Question {
    type Err = ConfigError;

    fn from_str(name: &str) -> Result<Self, ConfigError> {
        let accepted = "containment, near-duplicate, partial or duplicate";
        let found = Self::ALL.into_iter().find(|question| question.name() == name);
        found.ok_or_else(|| ConfigError::value("question", accepted, &name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_turns_round_with_its_relation() {
        for kind in Kind::ALL {
            let (there, back) = Question::Containment.claimed(kind);
            assert_eq!(Question::Containment.claimed(kind.flipped()), (back, there), "{kind}");
        }
        assert_eq!(Question::Containment.claimed(Kind::Partial), (false, false));
        assert_eq!(Question::Containment.claimed(Kind::Exact), (true, true));
        assert_eq!(Question::Partial.claimed(Kind::Contains), (true, false));
    }

    #[test]
    fn a_question_is_read_as_it_is_written() {
        for question in Question::ALL {
            assert_eq!(question.name().parse(), Ok(question));
            let json = serde_json::to_string(&question).expect("a name is JSON");
            assert_eq!(json, format!("\"{question}\""));
        }
        assert!("identity".parse::<Question>().is_err());
    }
}
