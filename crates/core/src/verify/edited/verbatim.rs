//! Chains of equal words: they know better than seeds where a passage begins and ends.

use super::{Passage, Range, Settings, hull, len, meet};

/// Words between two runs of a chain, at most, on either side.
const MOST_GAP: u32 = 4;

/// A run of equal words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EqualRun {
    /// First word in the first text.
    pub a: u32,
    /// First word in the second text.
    pub b: u32,
    /// Number of words.
    pub n_words: u32,
}

/// Sets the borders of passages that are mostly equal words to those of their chains, and lets others
/// grow around chains that reach out of them. Returns whether there was one of the first kind.
pub(super) fn settle(settings: &Settings, equal: &[EqualRun], passages: &mut [Passage]) -> bool {
    let chains = chains(equal, settings.chain_words);
    let mut is_any = false;
    for passage in passages {
        let first = chains.partition_point(|chain| chain.0.1 <= passage.a.0);
        let near = chains[first..].iter().take_while(|chain| chain.0.0 < passage.a.1);
        let mut extent: Option<(Range, Range)> = None;
        let mut covered = [0; 2];
        for &(a, b) in near.filter(|chain| meet(chain.1, passage.b)) {
            covered[0] += a.1.min(passage.a.1) - a.0.max(passage.a.0);
            covered[1] += b.1.min(passage.b.1) - b.0.max(passage.b.0);
            extent = Some(extent.map_or((a, b), |extent| (hull(extent.0, a), hull(extent.1, b))));
        }
        let Some((a, b)) = extent else { continue };
        let is_most = |covered: u32, of: Range| {
            f64::from(covered) >= settings.chain_share * f64::from(len(of))
        };
        if is_most(covered[0], passage.a) && is_most(covered[1], passage.b) {
            (passage.a, passage.b) = (a, b);
            is_any = true;
        } else {
            (passage.a, passage.b) = (hull(passage.a, a), hull(passage.b, b));
        }
    }
    is_any
}

/// Joins runs that follow each other closely in both texts; chains of too few equal words are left out.
fn chains(equal: &[EqualRun], least_words: u32) -> Vec<(Range, Range)> {
    let mut chains: Vec<(Range, Range, u32)> = Vec::new();
    let is_next = |end: u32, start: u32| start >= end && start - end <= MOST_GAP;
    for run in equal {
        let (a, b) = ((run.a, run.a + run.n_words), (run.b, run.b + run.n_words));
        match chains.last_mut() {
            Some(last) if is_next(last.0.1, a.0) && is_next(last.1.1, b.0) => {
                (last.0.1, last.1.1) = (a.1, b.1);
                last.2 += run.n_words;
            }
            _ => chains.push((a, b, run.n_words)),
        }
    }
    chains.retain(|chain| chain.2 >= least_words);
    chains.into_iter().map(|(a, b, _)| (a, b)).collect()
}
