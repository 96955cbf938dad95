//! What a step added and dropped, as stretches of text.

use std::collections::HashSet;

use retold_core::document::Span;
use retold_core::features::Words;
use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Stretches that are listed of each kind, the longest.
const MOST_STRETCHES: usize = 100;
/// Bytes of a stretch whose text is given; of longer ones the beginning is.
const MOST_BYTES: usize = 2_000;

/// What a step changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Changes {
    /// Words that the child has and the parent has not at their place.
    pub n_added: usize,
    /// Words that the parent has and the child has not at their place.
    pub n_dropped: usize,
    /// Stretches of the child, in its order; the longest if there are many.
    pub added: Vec<Change>,
    /// Stretches of the parent, in its order; the longest if there are many.
    pub dropped: Vec<Change>,
    /// Stretches that are not listed.
    pub n_cut: usize,
}

/// A stretch that was added or dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// Where it stands, in bytes of the text that has it.
    pub span: Span,
    /// Its words.
    pub n_words: usize,
    /// Its text; the beginning if it is long.
    pub text: String,
}

impl Changes {
    /// Compares the words of a parent and of a child, each with its text.
    pub(super) fn between(parent: (&Words, &str), child: (&Words, &str)) -> Self {
        let (one, other) = (&parent.0.hashes, &child.0.hashes);
        // Words that the other has nowhere are changed for sure, and need not be looked at.
        let kept = |hashes: &[u64], other: &[u64]| -> Vec<usize> {
            let others: HashSet<u64> = other.iter().copied().collect();
            (0..hashes.len()).filter(|&place| others.contains(&hashes[place])).collect()
        };
        let (kept_one, kept_other) = (kept(one, other), kept(other, one));
        let of = |hashes: &[u64], places: &[usize]| -> Vec<u64> {
            places.iter().map(|&place| hashes[place]).collect()
        };
        let (old, new) = (of(one, &kept_one), of(other, &kept_other));
        let (mut is_old_same, mut is_new_same) = (vec![false; one.len()], vec![false; other.len()]);
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            if let DiffOp::Equal { old_index, new_index, len } = op {
                for at in 0..len {
                    is_old_same[kept_one[old_index + at]] = true;
                    is_new_same[kept_other[new_index + at]] = true;
                }
            }
        }
        let (n_dropped, dropped, cut_dropped) = stretches(parent, &is_old_same);
        let (n_added, added, cut_added) = stretches(child, &is_new_same);
        Self { n_added, n_dropped, added, dropped, n_cut: cut_dropped + cut_added }
    }
}

/// Returns the number of words that are not the same, the stretches they make, and how many of these
/// were left out.
fn stretches((words, text): (&Words, &str), is_same: &[bool]) -> (usize, Vec<Change>, usize) {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for place in (0..is_same.len()).filter(|&place| !is_same[place]) {
        match runs.last_mut() {
            Some((_, end)) if *end == place => *end += 1,
            _ => runs.push((place, place + 1)),
        }
    }
    let n_words = runs.iter().map(|(start, end)| end - start).sum();
    let n_cut = runs.len().saturating_sub(MOST_STRETCHES);
    if n_cut > 0 {
        runs.sort_by_key(|&(start, end)| (std::cmp::Reverse(end - start), start));
        runs.truncate(MOST_STRETCHES);
        runs.sort_unstable();
    }
    let change = |(start, end): (usize, usize)| {
        let span = Span::new(words.spans[start].start, words.spans[end - 1].end);
        let text = span.of(text).unwrap_or_default();
        let shown = text.floor_char_boundary(MOST_BYTES.min(text.len()));
        Change { span, n_words: end - start, text: text[..shown].to_owned() }
    };
    (n_words, runs.into_iter().map(change).collect(), n_cut)
}
