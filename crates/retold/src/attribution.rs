//! Which passages of a question come from which documents.

use std::ops::Range;

use retold_core::document::Span;
use serde::Serialize;

/// Where the words of a question come from: the fewest documents that explain what can be explained,
/// and the stretches that were found nowhere.
///
/// ```
/// # use retold::*;
/// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// # let archive = Documents::new(vec![Document::plain("a", text)]);
/// let draft = format!("{text}. Nobody has told this sentence before, as far as we know today.");
/// let answers = Query::new(Documents::new(vec![Document::plain("draft", draft)]), archive).run()?;
/// let told = &answers.answers[0].attribution;
/// assert_eq!((told.n_words, told.n_found), (26, 14));
/// assert_eq!(told.sources[0].id, "a");
/// assert_eq!(told.unfound.len(), 1);
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Attribution {
    /// Words of the question.
    pub n_words: u32,
    /// Words of it that stand in a document of the collection.
    pub n_found: u32,
    /// The documents that explain them, those that explain most first.
    pub sources: Vec<AttributedSource>,
    /// Whether no smaller number of documents explains as much; otherwise there were too many to try
    /// all choices.
    pub is_smallest: bool,
    /// Stretches of the question that were found in no document.
    pub unfound: Vec<Span>,
}

/// A document that explains part of a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AttributedSource {
    /// Its id.
    pub id: String,
    /// Words of the question in it.
    pub n_words: u32,
    /// Words of the question that none of the sources before it explains.
    pub n_new: u32,
    /// Where these words stand in the question.
    pub spans: Vec<Span>,
}

/// Fewest words that a document must add to be named: passages of two documents seldom end at the
/// very same word, and a word at the edge is no reason to name another document.
const LEAST_NEW: u32 = 5;
/// Documents among which all choices are tried.
const MOST_TRIED: usize = 24;
/// Choices that are tried.
const MOST_CHOICES: usize = 200_000;

/// Explains a question of words at `words` by documents and the spans of the question that stand in
/// each, the best document first.
pub(crate) fn attribute<'a>(
    words: &[Span],
    found: impl IntoIterator<Item = (&'a str, Vec<Span>)>,
) -> Attribution {
    let mut sources: Vec<(&str, Bits)> = Vec::new();
    let mut all = Bits::new(words.len());
    for (id, spans) in found {
        let mut bits = Bits::new(words.len());
        for span in spans {
            bits.set(words_in(words, span));
        }
        all.add(&bits);
        sources.push((id, bits));
    }
    let n_found = all.count();
    let kept = not_dominated(&sources);
    let mut chosen = greedy(&sources, &kept, words.len());
    let is_smallest = prune(&sources, &kept, &mut chosen, words.len());
    let mut explained = Bits::new(words.len());
    let mut named = Vec::new();
    // Those that explain most come first, each counted for what is left.
    while !chosen.is_empty() {
        let best = (0..chosen.len())
            .max_by_key(|&i| {
                (sources[chosen[i]].1.count_beside(&explained), usize::MAX - chosen[i])
            })
            .unwrap_or(0);
        let (id, bits) = &sources[chosen.remove(best)];
        let new = bits.without(&explained);
        explained.add(bits);
        named.push(AttributedSource {
            id: (*id).to_owned(),
            n_words: bits.count(),
            n_new: new.count(),
            spans: spans(words, &new),
        });
    }
    Attribution {
        n_words: words.len() as u32,
        n_found,
        sources: named,
        is_smallest,
        unfound: spans(words, &all.inverted(words.len())),
    }
}

/// Returns the numbers of the words inside a span.
fn words_in(words: &[Span], span: Span) -> Range<usize> {
    let start = words.partition_point(|word| word.start < span.start);
    let end = words.partition_point(|word| word.end <= span.end);
    start..end.max(start)
}

/// Returns the documents that explain something no single other document explains all of.
fn not_dominated(sources: &[(&str, Bits)]) -> Vec<usize> {
    let mut by_size: Vec<usize> = (0..sources.len()).collect();
    by_size.sort_by_key(|&i| (std::cmp::Reverse(sources[i].1.count()), i));
    let mut kept: Vec<usize> = Vec::new();
    for i in by_size {
        let bits = &sources[i].1;
        if bits.count() > 0 && kept.iter().all(|&other| bits.count_beside(&sources[other].1) > 0) {
            kept.push(i);
        }
        // Beyond this the rest can only be scraps.
        if kept.len() >= 1_000 {
            break;
        }
    }
    kept
}

/// Chooses documents one after the other, each time the one that adds most.
fn greedy(sources: &[(&str, Bits)], kept: &[usize], n_words: usize) -> Vec<usize> {
    let mut explained = Bits::new(n_words);
    let mut chosen = Vec::new();
    loop {
        let best = kept
            .iter()
            .map(|&i| (sources[i].1.count_beside(&explained), std::cmp::Reverse(i)))
            .max();
        match best {
            Some((n_new, std::cmp::Reverse(i)))
                if n_new >= LEAST_NEW || n_new > 0 && chosen.is_empty() =>
            {
                explained.add(&sources[i].1);
                chosen.push(i);
            }
            _ => return chosen,
        }
    }
}

/// Replaces the choice by the smallest that explains as much; returns whether all were tried.
fn prune(
    sources: &[(&str, Bits)],
    kept: &[usize],
    chosen: &mut Vec<usize>,
    n_words: usize,
) -> bool {
    let explained = |choice: &[usize]| {
        let mut bits = Bits::new(n_words);
        for &i in choice {
            bits.add(&sources[i].1);
        }
        bits.count()
    };
    let target = explained(chosen);
    if chosen.len() <= 1 {
        return true;
    }
    let mut n_tried = 0;
    for size in 1..chosen.len() {
        let mut choice: Vec<usize> = (0..size).collect();
        if kept.len() > MOST_TRIED || size > kept.len() {
            return false;
        }
        loop {
            n_tried += 1;
            if n_tried > MOST_CHOICES {
                return false;
            }
            let documents: Vec<usize> = choice.iter().map(|&at| kept[at]).collect();
            if explained(&documents) >= target {
                *chosen = documents;
                return true;
            }
            if !next_choice(&mut choice, kept.len()) {
                break;
            }
        }
    }
    true
}

/// Goes on to the next choice of some of `n` things; false after the last.
fn next_choice(choice: &mut [usize], n: usize) -> bool {
    let size = choice.len();
    let Some(at) = (0..size).rev().find(|&at| choice[at] < n - size + at) else { return false };
    choice[at] += 1;
    for i in at + 1..size {
        choice[i] = choice[i - 1] + 1;
    }
    true
}

/// Returns the stretches of text from the first to the last of words in a row.
pub(crate) fn spans(words: &[Span], of: &Bits) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    let mut was_set = false;
    for (at, word) in words.iter().enumerate() {
        let is_set = of.has(at);
        match out.last_mut() {
            Some(last) if is_set && was_set => last.end = word.end,
            _ if is_set => out.push(*word),
            _ => {}
        }
        was_set = is_set;
    }
    out
}

/// Which words of a question.
#[derive(Clone, Debug)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    fn new(n: usize) -> Self {
        Self(vec![0; n.div_ceil(64)])
    }

    fn set(&mut self, range: Range<usize>) {
        for at in range {
            self.0[at / 64] |= 1 << (at % 64);
        }
    }

    fn has(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    fn count(&self) -> u32 {
        self.0.iter().map(|bits| bits.count_ones()).sum()
    }

    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own |= other);
    }

    fn count_beside(&self, other: &Self) -> u32 {
        self.0.iter().zip(&other.0).map(|(own, other)| (own & !other).count_ones()).sum()
    }

    fn without(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(own, other)| own & !other).collect())
    }

    fn inverted(&self, n: usize) -> Self {
        let mut out = Self(self.0.iter().map(|bits| !bits).collect());
        if let Some(last) = out.0.last_mut()
            && !n.is_multiple_of(64)
        {
            *last &= (1 << (n % 64)) - 1;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of one letter with a space between them.
    fn words(n: u32) -> Vec<Span> {
        (0..n).map(|at| Span::new(2 * at, 2 * at + 1)).collect()
    }

    fn span(words: Range<u32>) -> Span {
        Span::new(2 * words.start, 2 * words.end - 1)
    }

    #[test]
    fn two_documents_that_share_the_work_are_named_and_the_rest_is_unfound() {
        let words = words(100);
        let found =
            [("a", vec![span(0..40)]), ("part of a", vec![span(5..30)]), ("c", vec![span(38..62)])];
        let told = attribute(&words, found);
        assert_eq!((told.n_words, told.n_found, told.is_smallest), (100, 62, true));
        let named: Vec<_> = told.sources.iter().map(|s| (&*s.id, s.n_words, s.n_new)).collect();
        assert_eq!(named, [("a", 40, 40), ("c", 24, 22)]);
        assert_eq!(told.sources[1].spans, [span(40..62)]);
        assert_eq!(told.unfound, [span(62..100)]);
    }

    #[test]
    fn the_greedy_choice_of_three_gives_way_to_two() {
        // The largest document cuts both of the two that explain everything.
        let found = [
            ("middle", vec![span(10..50)]),
            ("first half", vec![span(0..30)]),
            ("second half", vec![span(30..60)]),
        ];
        let told = attribute(&words(60), found);
        let named: Vec<_> = told.sources.iter().map(|source| &*source.id).collect();
        assert_eq!(named, ["first half", "second half"]);
        assert!(told.is_smallest && told.unfound.is_empty());
    }

    #[test]
    fn a_word_at_the_edge_names_no_other_document() {
        let told = attribute(&words(40), [("a", vec![span(0..30)]), ("b", vec![span(20..32)])]);
        assert_eq!(told.sources.len(), 1);
        assert_eq!((told.sources[0].n_words, told.n_found), (30, 32));
    }

    #[test]
    fn a_question_found_nowhere_or_without_words_has_no_sources() {
        let told = attribute(&words(3), []);
        assert_eq!((told.n_found, told.unfound), (0, vec![span(0..3)]));
        let nothing = attribute(&[], [("a", vec![Span::new(0, 0)])]);
        assert_eq!((nothing.n_words, nothing.unfound.len()), (0, 0));
    }
}
