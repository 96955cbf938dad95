//! Looks at two documents again: exact resemblance, containment both ways, matching passages.
//!
//! Everything here is exact for the words as they were folded: scores are those of the sets of
//! word shingles, and passages are runs of equal words, joined across small gaps. Where heavy edits
//! are allowed for ([`rule::Edits`]), passages of rewritten text come from [`edited`].

pub mod align;
mod damaged;
pub mod edited;
pub mod rule;
pub mod runs;
pub mod table;

use self::table::{Coder, Codes, Filter};
use crate::document::{Document, Span};
use crate::features::shingles::Shingles;
use crate::features::{Featurizer, Places, Words};

/// A document made ready for comparison.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Its words.
    pub words: Words,
    /// The shingles that start at its words.
    shingles: Codes,
    k: usize,
    /// The document's text, where damaged words are told by their letters; empty if that is not wanted.
    text: String,
    /// What the aligner of edited text wants, if content words are told from common ones.
    edited: edited::Text,
}

impl Profile {
    /// Makes the profile of a document's words.
    pub fn new(words: Words, shingles: Shingles) -> Self {
        Profiler::default().made(words, shingles, "")
    }

    /// Reads a document.
    pub fn of(document: &Document, featurizer: &Featurizer, shingles: Shingles) -> Self {
        Profiler::default().profile(document, featurizer, shingles)
    }

    /// Returns whether there is a shingle to compare by.
    pub fn has_shingles(&self) -> bool {
        self.n_words() >= self.k
    }

    /// Returns the number of words in a shingle.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Returns the number of words.
    pub fn n_words(&self) -> usize {
        self.words.hashes.len()
    }

    /// Returns the stretch of the original from the first to the last of some words.
    pub fn span(&self, start: u32, end: u32) -> Span {
        let spans = &self.words.spans[start as usize..end as usize];
        match (spans.first(), spans.last()) {
            (Some(first), Some(last)) => Span::new(first.start, last.end),
            _ => Span::new(0, 0),
        }
    }

    /// Returns a word as it is written; nothing if the text is not at hand.
    fn written(&self, word: usize) -> &str {
        let span = self.words.spans.get(word).map_or(0..0, |span| span.range());
        self.text.get(span).unwrap_or_default()
    }

    /// Returns the number of bytes held.
    pub fn held_bytes(&self) -> usize {
        self.text.len()
            + (self.words.hashes.len() + self.words.spans.len() + self.words.content.len()) * 8
            + self.shingles.held_bytes()
            + self.edited.held_bytes()
    }
}

/// Makes profiles one after the other; what it needs on the way is kept for the next.
#[derive(Clone, Debug, Default)]
pub struct Profiler {
    words: Words,
    coder: Coder,
    runs: (Vec<u64>, Vec<u64>),
    edited: edited::Room,
    text: edited::Text,
}

impl Profiler {
    /// Reads a document.
    pub fn profile(
        &mut self,
        document: &Document,
        featurizer: &Featurizer,
        shingles: Shingles,
    ) -> Profile {
        featurizer.words(document, &mut self.words);
        // A copy is as large as its contents.
        self.made(self.words.clone(), shingles, kept_text(document, featurizer))
    }

    fn made(&mut self, words: Words, shingles: Shingles, text: &str) -> Profile {
        let codes = self.coder.codes(&words.hashes, shingles);
        self.text.fill(&words.content, &mut self.edited);
        let (text, edited) = (text.to_owned(), self.text.clone());
        Profile { words, shingles: codes, k: shingles.k(), text, edited }
    }

    /// Reads a document and returns its different [runs], ascending.
    pub fn runs(
        &mut self,
        document: &Document,
        featurizer: &Featurizer,
        shingles: Shingles,
    ) -> Box<[u64]> {
        featurizer.read(document, Places::Dropped, None, &mut self.words, |_, _| ());
        let (all, room) = &mut self.runs;
        runs::put_runs(&self.words.hashes, shingles, all, room);
        all.dedup();
        all[..].into()
    }

    /// Reads a document into a profile that is no longer needed.
    pub fn profile_into(
        &mut self,
        document: &Document,
        featurizer: &Featurizer,
        shingles: Shingles,
        out: &mut Profile,
    ) {
        featurizer.words(document, &mut out.words);
        out.text.clear();
        out.text.push_str(kept_text(document, featurizer));
        out.k = shingles.k();
        self.coder.fill(&out.words.hashes, shingles, &mut out.shingles);
        out.edited.fill(&out.words.content, &mut self.edited);
    }

    /// Reads a document into a profile that is no longer needed; if it has at least as many words as
    /// each of the askers, only as far as these can be compared with it.
    ///
    /// `n_distinct` is the number of its different shingles, if it is known. Returns that number.
    pub fn profile_for(
        &mut self,
        askers: &Askers,
        document: &Document,
        featurizer: &Featurizer,
        shingles: Shingles,
        n_distinct: Option<usize>,
        out: &mut Profile,
    ) -> usize {
        featurizer.words(document, &mut out.words);
        out.text.clear();
        out.text.push_str(kept_text(document, featurizer));
        out.k = shingles.k();
        let words = &out.words.hashes;
        if words.len() < askers.n_words {
            self.coder.fill(words, shingles, &mut out.shingles);
        } else {
            let filter = &askers.filter;
            self.coder.fill_some(words, shingles, filter, n_distinct, &mut out.shingles);
        }
        out.edited.fill(&out.words.content, &mut self.edited);
        out.shingles.n_distinct
    }
}

/// Returns the text that is kept beside the words of a document. Where heavy edits are allowed for, damaged
/// text is found as edited text is, and none is needed.
fn kept_text<'a>(document: &'a Document, featurizer: &Featurizer) -> &'a str {
    if featurizer.has_content() { "" } else { &document.text }
}

/// Documents that are going to be compared with many others.
#[derive(Clone, Debug)]
pub struct Askers {
    filter: Filter,
    /// Words of the longest.
    n_words: usize,
}

impl Askers {
    /// Takes note of their shingles.
    pub fn new<'a>(askers: impl Iterator<Item = &'a Profile> + Clone) -> Self {
        let filter = Filter::of(askers.clone().map(|asker| &asker.shingles));
        Self { filter, n_words: askers.map(Profile::n_words).max().unwrap_or(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::align::{Bench, Comparison};
    use super::rule::Edits;
    use super::*;
    use crate::features::TextSettings;
    use crate::hash::Random;

    #[test]
    fn a_profile_for_askers_compares_with_them_like_a_whole_one() {
        let mut random = Random::new(7);
        let featurizer = Featurizer::new(TextSettings::default(), 1);
        let shingles = Shingles::new(3);
        let mut profiler = Profiler::default();
        let mut part = Profile::default();
        for n_different in [1, 8, 400] {
            let mut text = |n: usize| {
                let words: Vec<String> =
                    (0..n).map(|_| format!("w{}", random.below(n_different))).collect();
                words.join(" ")
            };
            let long = text(3_000);
            let copied: String = long.split_inclusive(' ').skip(700).take(90).collect();
            let askers = [copied.clone(), format!("{} {copied}{}", text(60), text(30)), text(120)];
            let askers = askers.map(|text| Document::plain("asker", text));
            let askers = askers.map(|asker| profiler.profile(&asker, &featurizer, shingles));
            let all = Askers::new(askers.iter());
            for held in [Document::plain("long", long), Document::plain("short", copied)] {
                let whole = profiler.profile(&held, &featurizer, shingles);
                for known in [None, Some(whole.shingles.n_distinct)] {
                    let n =
                        profiler.profile_for(&all, &held, &featurizer, shingles, known, &mut part);
                    assert_eq!(n, whole.shingles.n_distinct);
                    for asker in askers.iter().filter(|asker| asker.n_words() <= whole.n_words()) {
                        let (mut one, mut other) = (Comparison::default(), Comparison::default());
                        Bench::default().hold(&whole).compare(asker, Edits::Light, &mut one);
                        Bench::default().hold(&part).compare(asker, Edits::Light, &mut other);
                        assert_eq!(one, other);
                    }
                }
            }
            assert!(part.shingles.codes.len() <= 90, "the last one is short");
        }
    }
}
