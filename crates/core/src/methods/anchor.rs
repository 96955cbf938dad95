//! Anchor: the default; full fingerprinting's quality at linear cost, with both containments
//! and the passages.
//!
//! # What it finds
//! Exact copies, near-duplicates, containment in both directions and partial copies, each with
//! the passages that prove it. Every reported pair was compared word by word.
//! # How it works
//! Hash every run of `k` words, keep the smallest hash of each `window`
//! ([`winnow`](crate::image::winnow)); documents of up to `dense` runs keep the smallest of every
//! four, which are the same ones and more, and those of up to `whole` runs keep all. Documents
//! meet in the hashes they keep ([`samples`](crate::candidates::samples)); who shares enough of
//! them is a candidate. Documents of fewer than 2 · `window` runs, too short for sampling, are
//! looked up in all runs of the long ones ([`probe`](crate::candidates::probe)). Candidates are
//! read again and aligned on shared runs ([`align`](crate::verify::align)). A passage with many
//! small changes shares few sampled runs: a pair is looked at as a partial copy from three of them
//! on (5/8 of `passage_words` over `window`), from two if one of the documents keeps no more than 40
//! or keeps all, or between two documents that keep all runs from `passage_words` / 8. A run that more
//! than 32 documents have counts a third of that, and a passage of such runs alone is not looked at:
//! it is a formula. Between long documents, which share formulas all over, the shared runs of a
//! passage must lie in one place. With heavy edits documents also meet in pairs of content words that
//! stand close together ([`close_pairs`](crate::candidates::close_pairs)): these survive rewriting.
//! # Parameters
//! `k` = 5 words (shorter agreements are noise, longer ones break at every edit), `window` = 8
//! runs, so that 12 equal words in a row are never overlooked by sampling; `dense` = 256 runs (a
//! passage of a news story is short, and so are the pieces between its edits), `whole` = 64 runs;
//! `containment` = 0.6; `passage_words` = 40; `shared` = 0.2; `stop` = 1000 documents before the one
//! that asks, beyond which a run is boilerplate and loses its vote; `tiny` = true looks documents of a
//! few runs up in all runs of the long ones.
//! # Cost
//! One pass over the text; about 2 / (window + 1) of the hashes are kept, two fifths of those of
//! documents of up to `dense` runs, some 40 bits each or fewer in the image, and with `tiny` some 12
//! bits of every hash of a long document; 8 bytes for each kept hash while the search runs; then one
//! more look at each document that has a candidate. With heavy edits one word pair for two words is
//! kept beside, some seven bytes each.
//! # Where we differ from the papers
//! Full fingerprinting keeps every run and compares through all of them. We sample by winnowing,
//! which keeps the same runs on both sides of a copied passage, let boilerplate lose its vote in
//! the search but not in the scores, and compare the documents themselves.
//! # Reference
//! Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003 (the sample); Varol, Can, Aykanat, Kaya:
//! CoDet, CIKM 2011 (full fingerprinting as the yardstick).

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::tuning::setting;
use super::{Method, Spec};
use crate::candidates::samples::{Sample, Samples, Voting, spread};
use crate::features::Places;
use crate::features::reading::Reading;
use crate::features::shingles::Shingles;
use crate::image::winnow::{MOST_WINDOW, Winnow};
use crate::parameters::parameters;
use crate::relation::Kind;
use crate::verify::rule::{PASSAGE_SHARE, Rule};
use crate::verify::runs::put_runs;

/// Documents of fewer runs than this many windows are tiny: sampling alone might overlook them
/// in a long document. Longer documents contain a full window, so sampling finds them.
const TINY_WINDOWS: usize = 2;

/// Runs of which a document of up to `dense` runs keeps the smallest hash. What it keeps holds what it
/// would keep of larger windows: the smallest hash of a window is that of a smaller one inside of it.
const DENSE_WINDOW: usize = 4;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "anchor",
    title: "sampled word runs, inverted lists, alignment of the documents (the default)",
    finds: &Kind::ALL,
    approximate: Some(
        "candidates: a pair is missed if it shares too few sampled word runs (for a partial copy \
         three by default, two if one of the documents is short, or an eighth of passage_words \
         between two short documents; more where some \
         of them stand in over 32 documents, and never if all do; between long documents close \
         to each other); runs of \
         window + k - 1 equal words are always sampled alike, and documents of fewer than \
         2 * window runs are looked up in all runs. With heavy edits also if too few pairs of content words \
         stand close together in both documents. Scores and passages are exact.",
    ),
    ..Spec::of::<Anchor>(include_str!("anchor.rs"))
};

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// words in a run
        k: usize = 5, in 1..=64;
        /// runs of which the smallest hash is kept
        window: usize = 8, in 1..=MOST_WINDOW;
        /// documents of up to this many runs keep the smallest hash of every four
        dense: usize = 256, in 0..;
        /// documents of up to this many runs keep all
        whole: usize = 64, in 0..;
        /// documents that share a run before it is boilerplate
        stop: usize = 1000, in 2..;
        /// whether documents of a few runs are looked up in all runs of long ones
        tiny: bool = true;
    }
}

/// The method.
pub(super) struct Anchor {
    config: Config,
    shingles: Shingles,
}

impl Method for Anchor {
    type Config = Config;
    type Image = Sample;
    type Meeting = Samples;
    const SPEC: &'static Spec = &SPEC;
    const PLACES: Places = Places::Dropped;
    const DECIDES: bool = false;
    const SEARCHES_EDITED: bool = true;

    fn new(config: Config, _: u64) -> Self {
        let shingles = Shingles::new(config.k);
        Self { config, shingles }
    }

    fn shingles(&self) -> Shingles {
        self.shingles
    }

    fn image(&self, reading: &Reading<'_>) -> Option<Sample> {
        let words = &reading.words.hashes;
        let Config { k, window, dense, whole, tiny, .. } = self.config;
        let n_runs = (words.len() + 1).checked_sub(k).filter(|&n| n > 0)?;
        let is_probed = tiny && window > 1;
        let is_dense = n_runs <= dense && n_runs > whole && window > DENSE_WINDOW;
        let kept_of = if is_dense { DENSE_WINDOW } else { window };
        let mut sample = Vec::with_capacity(16 + n_runs * 5 / (2 * kept_of));
        let mut winnow = Winnow::new(kept_of);
        self.shingles.each(words, |hash| winnow.push(hash, |kept| sample.push(spread(kept))));
        winnow.finish(|kept| sample.push(spread(kept)));
        // PERF: rolling once more is cheaper than a second thing to do in the loop above, which
        //       then is no longer inlined (4 against 18 ms of 0.36 s on Reuters-21578).
        let all = || {
            reading.runs.map_or_else(
                || {
                    let mut runs = Vec::new();
                    put_runs(words, self.shingles, &mut runs, &mut Vec::new());
                    Cow::Owned(runs)
                },
                Cow::Borrowed,
            )
        };
        if n_runs <= whole {
            let is_tiny = is_probed && n_runs < TINY_WINDOWS * window;
            return Some(Sample::of_short(all().into_owned(), sample.len(), is_tiny));
        }
        let runs = (is_probed && !reading.are_runs_held).then(all);
        if is_dense {
            // About as many as windows of full size would keep.
            let n_sample = sample.len() * (DENSE_WINDOW + 1) / (window + 1);
            return Some(Sample::of_dense(sample, n_sample, runs.as_deref()));
        }
        Some(Sample::of_long(sample, runs.as_deref()))
    }

    fn settings(_: f64, _: f64) -> Vec<Map<String, Value>> {
        [8_usize, 4, 2, 1].map(|window| setting([("window", window.into())])).into()
    }

    fn meeting(&self, rule: Rule) -> Samples {
        let Config { window, stop, .. } = self.config;
        Samples::new(Voting {
            share: rule.containment,
            // Edits move the minima of the windows they touch, so shared samples fall short of
            // shared runs.
            least: 0.5 * rule.containment,
            mostly_common: 0.95 * rule.containment,
            // A run of n equal words keeps at least (n - k + 1) / window of its hashes on both
            // sides. A passage has gaps: some half of its runs are enough to look. Smaller windows
            // keep more, and then short passages are found by as many.
            passage_votes: (rule.passage_words * 5 / 8 / window.max(8) as u32).max(2),
            passage_share: 0.6 * PASSAGE_SHARE,
            // Measured on the Congressional Record: three tenths of the words compared between
            // sampled documents falls away, and 0.1 % of the partial copies.
            place_share: 0.6 * PASSAGE_SHARE,
            passage_votes_whole: (rule.passage_words / 8).max(2),
            stop,
            most_reads: 50_000,
            most_looks: 2_000,
            most_candidates: 10_000,
        })
    }
}
