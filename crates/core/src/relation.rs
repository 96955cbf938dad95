//! What is found: how two documents relate, how strongly, and the passages that prove it.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use crate::document::{Ordinal, Span};

/// A share between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Score(f64);

impl Score {
    /// Everything.
    pub const ONE: Self = Self(1.0);
    /// Nothing.
    pub const ZERO: Self = Self(0.0);

    /// Makes a score, or `None` if `value` is not between 0 and 1.
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Self(value))
    }

    /// Returns `part / whole`; an empty whole is contained in everything, so the result is 1.
    pub fn share(part: usize, whole: usize) -> Self {
        debug_assert!(part <= whole, "a part is no larger than its whole");
        if whole == 0 { Self::ONE } else { Self(part as f64 / whole as f64) }
    }

    /// Returns the number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The kinds of relation between a document `a` and a document `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The same words in the same order.
    Exact,
    /// Each is contained in the other.
    NearDuplicate,
    /// `a` holds (nearly) all of `b`.
    Contains,
    /// `a` stands (nearly) whole in `b`.
    Contained,
    /// They share a long passage, or shorter ones that are much of the shorter document.
    Partial,
}

impl Kind {
    /// All kinds, strongest first.
    pub const ALL: [Self; 5] =
        [Self::Exact, Self::NearDuplicate, Self::Contains, Self::Contained, Self::Partial];

    /// Returns the name used in files, flags and pages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::NearDuplicate => "near-duplicate",
            Self::Contains => "contains",
            Self::Contained => "contained",
            Self::Partial => "partial",
        }
    }

    /// Returns the kind of two documents of which each may be contained in the other; `None` if
    /// neither is.
    pub fn of(a_in_b: bool, b_in_a: bool) -> Option<Self> {
        match (a_in_b, b_in_a) {
            (true, true) => Some(Self::NearDuplicate),
            (false, true) => Some(Self::Contains),
            (true, false) => Some(Self::Contained),
            (false, false) => None,
        }
    }

    /// Returns the kind as seen from the other document.
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Self::Contains => Self::Contained,
            Self::Contained => Self::Contains,
            same => same,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A stretch of `a` that stands again in `b`.
///
/// Written down it also says how both sides agree ([`Passage::agreement`]), as `agrees`; read back, that
/// follows from the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub struct Passage {
    /// Where in `a`.
    pub a: Span,
    /// Where in `b`.
    pub b: Span,
    /// Words that agree, in order.
    pub words: u32,
    /// Words inside the passage without a partner: 0 means equal after normalisation.
    /// A replaced word counts once, an inserted or left-out word once.
    pub differ: u32,
    /// Words that agree but stand in another order; only heavily edited passages have any.
    #[serde(default)]
    pub moved: u32,
}

impl Serialize for Passage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Line {
            a: Span,
            b: Span,
            words: u32,
            differ: u32,
            #[serde(skip_serializing_if = "is_zero")]
            moved: u32,
            agrees: &'static str,
        }
        let Self { a, b, words, differ, moved } = *self;
        Line { a, b, words, differ, moved, agrees: self.agreement().name() }.serialize(serializer)
    }
}

/// How the two sides of a passage agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Agreement {
    /// All words are equal, in the same order.
    Equal,
    /// Some words differ; those that agree stand in the same order.
    Edited,
    /// At least a fifth of the words that agree stand in another order.
    Reordered,
    /// One side tells in at most half as much text what the other says.
    Summarised,
}

impl Agreement {
    /// Returns the name used in files and pages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Edited => "edited",
            Self::Reordered => "reordered",
            Self::Summarised => "summarised",
        }
    }
}

/// Bytes of the shorter side from which a passage may be a summary.
const LEAST_SUMMARY: usize = 150;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Passage {
    /// Returns the passage as seen from the other document.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self { a: self.b, b: self.a, ..self }
    }

    /// Returns the number of words that agree, those that stand in another order included.
    pub fn n_agreeing(self) -> u32 {
        self.words + self.moved
    }

    /// Returns how the two sides agree.
    pub fn agreement(self) -> Agreement {
        let (short, long) = (self.a.len().min(self.b.len()), self.a.len().max(self.b.len()));
        if self.differ == 0 && self.moved == 0 {
            Agreement::Equal
        } else if short >= LEAST_SUMMARY && long >= 2 * short {
            Agreement::Summarised
        } else if self.moved > 0 && self.moved >= self.n_agreeing() / 5 {
            Agreement::Reordered
        } else {
            Agreement::Edited
        }
    }
}

/// How strongly two documents agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Shared features over all features of both.
    pub resemblance: Score,
    /// Share of the features of `a` found in `b`.
    pub a_in_b: Score,
    /// Share of the features of `b` found in `a`.
    pub b_in_a: Score,
}

impl Scores {
    /// Everything agrees.
    pub const EQUAL: Self =
        Self { resemblance: Score::ONE, a_in_b: Score::ONE, b_in_a: Score::ONE };

    /// Nothing agrees, or nothing is known.
    pub const NOTHING: Self =
        Self { resemblance: Score::ZERO, a_in_b: Score::ZERO, b_in_a: Score::ZERO };

    /// Computes the three shares from set sizes.
    ///
    /// Two empty sets are equal; an empty set is contained in every set.
    pub fn of_sets(n_a: usize, n_b: usize, n_common: usize) -> Self {
        Self {
            resemblance: Score::share(n_common, n_a + n_b - n_common),
            a_in_b: Score::share(n_common, n_a),
            b_in_a: Score::share(n_common, n_b),
        }
    }

    /// Returns the larger of the two containments.
    pub fn containment(self) -> f64 {
        self.a_in_b.get().max(self.b_in_a.get())
    }

    /// Returns the scores as seen from the other document.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self { a_in_b: self.b_in_a, b_in_a: self.a_in_b, ..self }
    }
}

/// The counts that scores and a relation follow from, where documents were compared word by word.
/// Scores are written with six decimals; these say which side of a threshold they are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// Distinct word runs of `a`.
    pub a_runs: u32,
    /// Distinct word runs of `b`.
    pub b_runs: u32,
    /// Distinct word runs that both have.
    pub common_runs: u32,
    /// Equal words of the longest passage; where heavy edits are allowed for, the words of all edited
    /// passages if these are more, on the side that has more of them.
    pub longest_words: u32,
    /// Equal words of all passages of at least eight, or those of the edited passages likewise.
    pub shared_words: u32,
    /// Distinct word runs that both have and few documents of the collection, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinctive_runs: Option<u32>,
}

impl Counted {
    /// Returns the scores.
    pub fn scores(self) -> Scores {
        let Self { a_runs, b_runs, common_runs, .. } = self;
        Scores::of_sets(a_runs as usize, b_runs as usize, common_runs as usize)
    }

    /// Returns the counts as seen from the other document.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self { a_runs: self.b_runs, b_runs: self.a_runs, ..self }
    }
}

/// The proof of a relation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Matching passages in the order of `a`.
    pub passages: Vec<Passage>,
    /// Words of `a` inside passages, each counted once.
    pub a_words: u32,
    /// Words of `b` inside passages, each counted once.
    pub b_words: u32,
    /// Passages found but not listed because of the limit per pair.
    pub n_cut: u32,
    /// What was counted; nothing of exact copies, and of scores that are a method's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<Counted>,
}

impl Evidence {
    /// Returns the evidence as seen from the other document.
    #[must_use]
    pub fn flipped(&self) -> Self {
        let mut passages: Vec<Passage> =
            self.passages.iter().map(|passage| passage.flipped()).collect();
        passages.sort_by_key(|passage| (passage.a, passage.b));
        Self {
            passages,
            a_words: self.b_words,
            b_words: self.a_words,
            n_cut: self.n_cut,
            counted: self.counted.map(Counted::flipped),
        }
    }
}

/// Two documents that were looked at and found related.
///
/// Only verification makes one; a [`Candidate`](crate::candidates::Candidate) is not a relation.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// The document with the smaller ordinal.
    pub a: Ordinal,
    /// The document with the larger ordinal.
    pub b: Ordinal,
    /// How they relate, seen from `a`.
    pub kind: Kind,
    /// How strongly.
    pub scores: Scores,
    /// The passages.
    pub evidence: Evidence,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_set_is_contained_in_everything() {
        let scores = Scores::of_sets(0, 7, 0);
        assert!((scores.a_in_b.get() - 1.0).abs() < f64::EPSILON);
        assert!(scores.b_in_a.get().abs() < f64::EPSILON);
        assert_eq!(Scores::of_sets(0, 0, 0), Scores::EQUAL);
    }

    #[test]
    fn scores_outside_zero_to_one_are_refused() {
        assert!(Score::new(1.8).is_none() && Score::new(-0.1).is_none());
        assert!(Score::new(f64::NAN).is_none());
    }

    #[test]
    fn a_written_passage_says_how_it_agrees_and_is_read_back() {
        let (long, short) = (Span::new(0, 700), Span::new(5, 205));
        let of = |b, differ, moved| Passage { a: long, b, words: 40, differ, moved };
        for (passage, agrees) in [
            (of(long, 0, 0), "equal"),
            (of(long, 3, 0), "edited"),
            (of(long, 3, 20), "reordered"),
            (of(short, 3, 0), "summarised"),
        ] {
            let line = serde_json::to_value(passage).expect("plain data");
            assert_eq!(line["agrees"], agrees);
            assert_eq!(line.get("moved").is_some(), passage.moved > 0);
            assert_eq!(serde_json::from_value::<Passage>(line).ok(), Some(passage));
        }
    }

    #[test]
    fn flipping_twice_changes_nothing() {
        for kind in Kind::ALL {
            assert_eq!(kind.flipped().flipped(), kind);
        }
    }
}
