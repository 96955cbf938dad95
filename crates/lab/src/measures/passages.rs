//! Characters of passages: what was copied from where, found or not.
//!
//! # What it measures
//! A case is a passage of one document and the passage of another that it comes from; so is a
//! detection. A detection detects a case if both are of the same two documents and their passages
//! meet on both sides. Precision and recall count characters of both sides, averaged over
//! detections and over cases. Granularity is the mean number of detections of a detected case.
//! plagdet = F1 / log2(1 + granularity).
//! # Where we differ from the paper
//! A share of nothing is settled as everywhere here: without detections precision is 1, without
//! cases recall is 1. plagdet is the same.
//! # Reference
//! Potthast, Stein, Barrón-Cedeño, Rosso: An evaluation framework for plagiarism detection, 2010,
//! equations 1 to 4.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::Serialize;

use super::pairs::Scores;

/// A part of a text, from `start` up to `end`.
///
/// What is counted (bytes or characters) is for the caller to say, the same on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Part {
    /// First place.
    pub start: u64,
    /// Place behind the last; a part that ends before it starts is empty.
    pub end: u64,
}

impl Part {
    /// Makes a part from a place and a length.
    pub fn of_length(start: u64, length: u64) -> Self {
        Self { start, end: start.saturating_add(length) }
    }

    /// Returns how long it is.
    pub fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether there is nothing in it.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns what lies in both.
    #[must_use]
    pub fn common(self, other: Self) -> Self {
        Self { start: self.start.max(other.start), end: self.end.min(other.end) }
    }
}

/// A passage and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Passage {
    /// Document that holds the copy.
    pub copy: u32,
    /// Document it comes from.
    pub source: u32,
    /// The passage in the copy.
    pub in_copy: Part,
    /// The passage in the source.
    pub in_source: Part,
}

impl Passage {
    /// Returns the characters of both sides.
    pub fn len(&self) -> u64 {
        self.in_copy.len() + self.in_source.len()
    }

    /// Returns whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether the other one meets it on both sides.
    pub fn meets(&self, other: &Self) -> bool {
        (self.copy, self.source) == (other.copy, other.source)
            && !self.in_copy.common(other.in_copy).is_empty()
            && !self.in_source.common(other.in_source).is_empty()
    }
}

/// What was found of one case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct OfCase {
    /// Characters of both sides.
    pub n_chars: u64,
    /// Those that detections of it cover.
    pub n_found: u64,
    /// Detections that detect it.
    pub n_detections: u64,
    /// Characters by which the first and the last detected place of the copy miss the borders of
    /// the case, both added up; 0 if it is not detected.
    pub border_error: u64,
}

impl OfCase {
    /// Returns the share of its characters that was found; 1 if it has none.
    pub fn share(&self) -> f64 {
        super::share(self.n_found, self.n_chars, 1.0)
    }
}

/// Cases against detections.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PassageScores {
    /// Passages that should be found.
    pub n_cases: u64,
    /// Those that were detected at all.
    pub n_detected: u64,
    /// Passages that were found.
    pub n_detections: u64,
    /// Precision, recall and F1 of characters, averaged over passages.
    #[serde(rename = "macro")]
    pub of_passages: Scores,
    /// Precision, recall and F1 of characters, all taken together.
    #[serde(rename = "micro")]
    pub of_characters: Scores,
    /// Mean number of detections of a detected case, at least 1.
    pub granularity: f64,
    /// F1 averaged over passages / log2(1 + granularity).
    pub plagdet: f64,
    /// Mean number of characters by which a border of a detected case is missed; none if nothing
    /// was detected.
    pub border_error: Option<f64>,
}

/// What the cases and detections of some copies add to the figures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PassageSums {
    /// Passages that should be found.
    pub n_cases: u64,
    /// Passages that were found.
    pub n_detections: u64,
    /// Sum over cases of the share that was found.
    pub found_of_cases: f64,
    /// Sum over detections of the share that is true.
    pub true_of_detections: f64,
    /// Cases that were detected at all.
    pub n_detected: u64,
    /// Sum over cases of the detections of each.
    pub n_times: u64,
    /// Sum over detected cases of what both borders miss.
    pub border_error: u64,
}

impl AddAssign<&Self> for PassageSums {
    fn add_assign(&mut self, other: &Self) {
        self.n_cases += other.n_cases;
        self.n_detections += other.n_detections;
        self.found_of_cases += other.found_of_cases;
        self.true_of_detections += other.true_of_detections;
        self.n_detected += other.n_detected;
        self.n_times += other.n_times;
        self.border_error += other.border_error;
    }
}

impl PassageSums {
    /// Returns precision, recall and F1 averaged over passages.
    pub fn scores(&self) -> Scores {
        let mean = |sum: f64, n: u64| if n == 0 { 1.0 } else { sum / n as f64 };
        Scores::new(
            mean(self.true_of_detections, self.n_detections),
            mean(self.found_of_cases, self.n_cases),
        )
    }

    /// Returns the mean number of detections of a detected case; 1 if none was detected.
    pub fn granularity(&self) -> f64 {
        super::share(self.n_times, self.n_detected, 1.0)
    }

    /// Returns F1 / log2(1 + granularity).
    pub fn plagdet(&self) -> f64 {
        plagdet(self.scores().f1, self.granularity())
    }
}

/// Returns the score that puts F1 and granularity together.
pub fn plagdet(f1: f64, granularity: f64) -> f64 {
    f1 / (1.0 + granularity.max(1.0)).log2()
}

/// Measures detections against cases. Repeats on either side count once; empty passages are left
/// out.
///
/// ```
/// use retold_lab::measures::passages::{Part, Passage, measure};
/// let of = |start, length| {
///     let part = Part::of_length(start, length);
///     Passage { copy: 0, source: 1, in_copy: part, in_source: part }
/// };
/// // One case found in two halves.
/// let scores = measure(&[of(0, 100)], &[of(0, 50), of(50, 50)]);
/// assert_eq!((scores.of_passages.f1, scores.granularity), (1.0, 2.0));
/// assert!((scores.plagdet - 0.63093).abs() < 1e-5);
/// ```
pub fn measure(cases: &[Passage], detections: &[Passage]) -> PassageScores {
    let mut sum = PassageSums::default();
    for copy in &by_copy(cases, detections) {
        sum += copy;
    }
    let border_error =
        (sum.n_detected > 0).then(|| sum.border_error as f64 / (2 * sum.n_detected) as f64);
    PassageScores {
        n_cases: sum.n_cases,
        n_detected: sum.n_detected,
        n_detections: sum.n_detections,
        of_passages: sum.scores(),
        of_characters: micro(&tidy(cases), &tidy(detections)),
        granularity: sum.granularity(),
        plagdet: sum.plagdet(),
        border_error,
    }
}

/// Returns what each copy that has a case or a detection adds to the figures: the units of a
/// bootstrap.
///
/// *Order* is that of the copies.
pub fn by_copy(cases: &[Passage], detections: &[Passage]) -> Vec<PassageSums> {
    let (cases, detections) = (tidy(cases), tidy(detections));
    let mut of_copy: BTreeMap<u32, PassageSums> = BTreeMap::new();
    for (case, of) in cases.iter().zip(of_each(&cases, &detections)) {
        let sums = of_copy.entry(case.copy).or_default();
        sums.n_cases += 1;
        sums.found_of_cases += of.share();
        sums.n_detected += u64::from(of.n_detections > 0);
        sums.n_times += of.n_detections;
        sums.border_error += of.border_error;
    }
    for (detection, of) in detections.iter().zip(of_each(&detections, &cases)) {
        let sums = of_copy.entry(detection.copy).or_default();
        sums.n_detections += 1;
        sums.true_of_detections += of.share();
    }
    of_copy.into_values().collect()
}

/// Returns what was found of each case, in the order given; `detections` may stand in any order.
pub fn of_cases(cases: &[Passage], detections: &[Passage]) -> Vec<OfCase> {
    of_each(cases, &tidy(detections))
}

/// Returns the least length such that, of all cases at least that long, at least the share
/// `recall` was found; none if even the longest were not. `cases` are (length, whether found).
pub fn shortest_found(cases: &[(u64, bool)], recall: f64) -> Option<u64> {
    let mut sorted = cases.to_vec();
    sorted.sort_unstable_by_key(|&(length, _)| std::cmp::Reverse(length));
    let (mut n, mut n_found, mut shortest) = (0u64, 0u64, None);
    for equal in sorted.chunk_by(|x, y| x.0 == y.0) {
        n += equal.len() as u64;
        n_found += equal.iter().filter(|(_, is_found)| *is_found).count() as u64;
        if n_found as f64 >= recall * n as f64 {
            shortest = Some(equal[0].0);
        }
    }
    shortest
}

/// Sorts and takes out repeats and empty passages.
fn tidy(passages: &[Passage]) -> Vec<Passage> {
    let mut tidy: Vec<Passage> =
        passages.iter().copied().filter(|passage| !passage.is_empty()).collect();
    tidy.sort_unstable();
    tidy.dedup();
    tidy
}

/// Calls `each` with every passage of `others`, which are sorted, that meets `passage`.
fn meeting(passage: &Passage, others: &Sorted<'_>, mut each: impl FnMut(&Passage)) {
    let key = |other: &Passage| (other.copy, other.source);
    let wanted = key(passage);
    let all = others.passages;
    let first = all.partition_point(|other| key(other) < wanted);
    let last = first + all[first..].partition_point(|other| key(other) == wanted);
    // Greatest ends so far ascend, so all before the first that reaches the passage can be passed.
    let reaches = others.farthest[first..last].partition_point(|&end| end <= passage.in_copy.start);
    for other in &all[first + reaches..last] {
        if other.in_copy.start >= passage.in_copy.end {
            break;
        }
        if passage.meets(other) {
            each(other);
        }
    }
}

/// Sorted passages, with the greatest end so far among those of the same two documents.
struct Sorted<'a> {
    passages: &'a [Passage],
    farthest: Vec<u64>,
}

impl<'a> Sorted<'a> {
    fn new(passages: &'a [Passage]) -> Self {
        let mut farthest: Vec<u64> = Vec::with_capacity(passages.len());
        for (at, passage) in passages.iter().enumerate() {
            let before = at.checked_sub(1).filter(|&before| {
                let before: &Passage = &passages[before];
                (before.copy, before.source) == (passage.copy, passage.source)
            });
            let before = before.map_or(0, |before| farthest[before]);
            farthest.push(before.max(passage.in_copy.end));
        }
        Self { passages, farthest }
    }
}

/// Returns what of each passage is covered by sorted others that meet it.
fn of_each(passages: &[Passage], others: &[Passage]) -> Vec<OfCase> {
    let sorted = Sorted::new(others);
    let (mut in_copy, mut in_source) = (Vec::new(), Vec::new());
    let of = |passage: &Passage| {
        in_copy.clear();
        in_source.clear();
        let mut hull = Part { start: u64::MAX, end: 0 };
        meeting(passage, &sorted, |other| {
            in_copy.push(passage.in_copy.common(other.in_copy));
            in_source.push(passage.in_source.common(other.in_source));
            hull.start = hull.start.min(other.in_copy.start);
            hull.end = hull.end.max(other.in_copy.end);
        });
        let border_error = if in_copy.is_empty() {
            0
        } else {
            passage.in_copy.start.abs_diff(hull.start) + passage.in_copy.end.abs_diff(hull.end)
        };
        OfCase {
            n_chars: passage.len(),
            n_detections: in_copy.len() as u64,
            n_found: covered(&mut in_copy) + covered(&mut in_source),
            border_error,
        }
    };
    passages.iter().map(of).collect()
}

/// Returns how many places at least one part covers.
fn covered(parts: &mut [Part]) -> u64 {
    parts.sort_unstable();
    let (mut sum, mut reached) = (0, 0);
    for part in parts {
        let start = part.start.max(reached);
        sum += part.end.saturating_sub(start);
        reached = reached.max(part.end);
    }
    sum
}

/// Counts characters over all passages, each once for its role as copy and as source.
fn micro(cases: &[Passage], detections: &[Passage]) -> Scores {
    let sorted = Sorted::new(detections);
    let mut both = Vec::new();
    for case in cases {
        meeting(case, &sorted, |detection| {
            both.push(Passage {
                in_copy: case.in_copy.common(detection.in_copy),
                in_source: case.in_source.common(detection.in_source),
                ..*case
            });
        });
    }
    let chars = |passages: &[Passage]| {
        let mut parts: BTreeMap<(bool, u32), Vec<Part>> = BTreeMap::new();
        for passage in passages {
            parts.entry((false, passage.copy)).or_default().push(passage.in_copy);
            parts.entry((true, passage.source)).or_default().push(passage.in_source);
        }
        parts.values_mut().map(|parts| covered(parts)).sum::<u64>()
    };
    let n_both = chars(&both);
    Scores::new(
        super::share(n_both, chars(detections), 1.0),
        super::share(n_both, chars(cases), 1.0),
    )
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "shares of small counts are exact")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn same(copy: u32, start: u64, length: u64) -> Passage {
        let part = Part::of_length(start, length);
        Passage { copy, source: copy + 10, in_copy: part, in_source: part }
    }

    #[test]
    fn a_detection_has_to_meet_on_both_sides() {
        let case = same(1, 0, 100);
        let elsewhere = Passage { in_source: Part::of_length(200, 100), ..case };
        assert!(case.meets(&same(1, 99, 1)) && !case.meets(&same(1, 100, 1)));
        assert!(!case.meets(&elsewhere) && !case.meets(&same(2, 0, 100)));
        let scores = measure(&[case], &[elsewhere]);
        assert_eq!((scores.n_detected, scores.plagdet, scores.granularity), (0, 0.0, 1.0));
    }

    #[test]
    fn shares_are_averaged_over_passages() {
        let scores = measure(&[same(1, 0, 100), same(2, 0, 10)], &[same(1, 0, 50)]);
        assert_eq!(scores.of_passages.precision, 1.0);
        assert_eq!(scores.of_passages.recall, 0.25);
        assert!((scores.of_characters.recall - 100.0 / 220.0).abs() < 1e-15);
        assert_eq!(scores.border_error, Some(25.0));
    }

    #[test]
    fn overlapping_detections_cover_a_character_once() {
        let of = of_cases(&[same(2, 0, 100)], &[same(2, 50, 100), same(2, 25, 75)]);
        assert_eq!((of[0].share(), of[0].n_detections), (0.75, 2));
    }

    #[test]
    fn shares_of_nothing_are_settled() {
        assert_eq!(measure(&[], &[]).plagdet, 1.0);
        let (case, none) = (same(1, 0, 5), same(1, 9, 0));
        assert_eq!(measure(&[case], &[none]).of_passages, Scores::new(1.0, 0.0));
        assert_eq!(measure(&[], &[case]).of_passages, Scores::new(0.0, 1.0));
    }

    #[test]
    fn the_shortest_length_found_looks_at_all_longer_ones() {
        let cases = [(20, false), (40, true), (80, true), (80, false), (160, true), (160, true)];
        assert_eq!(shortest_found(&cases, 0.75), Some(40));
        assert_eq!(shortest_found(&cases, 0.9), Some(160));
        assert_eq!(shortest_found(&[(5, false)], 0.9), None);
    }

    #[test]
    fn places_at_the_end_of_numbers_do_no_harm() {
        let far = same(1, u64::MAX - 1, 100);
        assert_eq!(far.in_copy.len(), 1);
        assert_eq!(measure(&[far], &[far]).plagdet, 1.0);
        let reversed = Part { start: 9, end: 2 };
        assert!(reversed.is_empty());
    }

    fn passages() -> impl Strategy<Value = Vec<Passage>> {
        let one = (0u32..2, 0u32..2, 0u64..40, 0u64..20, 0u64..40, 0u64..20);
        let made = one.prop_map(|(copy, source, at, n, from, m)| Passage {
            copy,
            source,
            in_copy: Part::of_length(at, n),
            in_source: Part::of_length(from, m),
        });
        prop::collection::vec(made, 0..15)
    }

    proptest! {
        #[test]
        fn covered_characters_are_those_marked_one_by_one(
            cases in passages(),
            detections in passages(),
        ) {
            let detections = tidy(&detections);
            for (case, of) in cases.iter().zip(of_cases(&cases, &detections)) {
                let meeting: Vec<&Passage> =
                    detections.iter().filter(|detection| case.meets(detection)).collect();
                let is_in = |part: Part, at: u64| part.start <= at && at < part.end;
                let marked = (0..60).filter(|&at| {
                    is_in(case.in_copy, at) && meeting.iter().any(|d| is_in(d.in_copy, at))
                }).count() + (0..60).filter(|&at| {
                    is_in(case.in_source, at) && meeting.iter().any(|d| is_in(d.in_source, at))
                }).count();
                prop_assert_eq!(of.n_found, marked as u64);
                prop_assert_eq!(of.n_detections, meeting.len() as u64);
            }
        }
    }
}
