//! The sentences of one document as a small tree of words: what CoDet keeps of a document.
//!
//! Every sentence, its words in the order of the [`Shape`], is a path from the root; sentences
//! with a common beginning share the nodes of it. The nodes are kept in preorder with how many
//! sentences pass through each, and that is enough for all of CoDet's sums (Varol, Can, Aykanat,
//! Kaya 2011): with `k` the depth of a node, `idf` its word's weight, and `x`, `y` the numbers of
//! sentences of two documents that pass through it,
//!
//! * Σᵢ Σⱼ cs(sᵢ, sⱼ) = Σ x·y·k·idf over common nodes;
//! * Σᵢ maxⱼ cs(sᵢ, sⱼ) = Σ x·k·idf over common nodes.

use std::cmp::Ordering;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::encode::{Encoded, Input, put_number};
use crate::hash;

/// Words that the paths of one document may have together. Only whole sentences beyond it are
/// left out, and [`SentenceTree::is_cut`] tells.
pub const MOST_STEPS: usize = 1 << 23;

/// In which order the words of a sentence are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WordOrder {
    /// Heaviest first, words of equal weight by spelling: word sorting (WS).
    Idf,
    /// As they stand in the text.
    Text,
}

/// How the matches of a sentence with several sentences of the other document count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aggregate {
    /// All of them: Σᵢ Σⱼ cs(sᵢ, sⱼ). The same in both directions; may exceed the self-similarity.
    Sum,
    /// The best of them: Σᵢ maxⱼ cs(sᵢ, sⱼ). A share of the self-similarity, always.
    Max,
}

/// How sentences become paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Order of words.
    pub order: WordOrder,
    /// Processed suffix count (PSC), at least 1: the sentence, the sentence without its first
    /// word, and so on.
    pub suffixes: usize,
    /// Depth threshold (DT), at least 1: words of a path.
    pub depth: usize,
}

/// A word on its way into a path.
#[derive(Clone, Copy, Debug)]
struct Weighted {
    word: u64,
    weight: f64,
    place: u32,
}

/// Collects sentences; becomes a [`SentenceTree`].
#[derive(Clone, Debug)]
pub struct Sentences {
    shape: Shape,
    words: Vec<(u64, f64)>,
    paths: Vec<Range<u32>>,
    n_steps: usize,
    is_cut: bool,
    scratch: Vec<Weighted>,
}

impl Sentences {
    /// Starts a document.
    pub fn new(shape: Shape) -> Self {
        debug_assert!(shape.suffixes > 0 && shape.depth > 0, "a path has words");
        let (words, paths, scratch) = (Vec::new(), Vec::new(), Vec::new());
        Self { shape, words, paths, n_steps: 0, is_cut: false, scratch }
    }

    /// Adds a sentence of words with their weights. `spelling` gives the word at a place of the
    /// sentence; it is asked only where equal weights leave the order open.
    pub fn push(
        &mut self,
        sentence: impl Iterator<Item = (u64, f64)>,
        spelling: impl FnMut(usize) -> String,
    ) {
        let start = self.words.len();
        // The words that any path can reach.
        let most = self.shape.depth.saturating_add(self.shape.suffixes - 1);
        match self.shape.order {
            WordOrder::Text => self.words.extend(sentence.take(most)),
            WordOrder::Idf => self.push_sorted(sentence, most, spelling),
        }
        let end = self.words.len();
        for first in (start..end).take(self.shape.suffixes) {
            let last = end.min(first.saturating_add(self.shape.depth));
            if self.n_steps + last - first > MOST_STEPS {
                self.is_cut = true;
                return;
            }
            self.n_steps += last - first;
            self.paths.push(first as u32..last as u32);
        }
    }

    fn push_sorted(
        &mut self,
        sentence: impl Iterator<Item = (u64, f64)>,
        most: usize,
        mut spelling: impl FnMut(usize) -> String,
    ) {
        let mut words = std::mem::take(&mut self.scratch);
        words.clear();
        words.extend((0..).zip(sentence).map(|(place, (word, weight))| Weighted {
            word,
            weight,
            place,
        }));
        words.sort_unstable_by(|x, y| {
            y.weight.total_cmp(&x.weight).then_with(|| x.word.cmp(&y.word))
        });
        let end = self.words.len().saturating_add(most);
        for equals in words.chunk_by(|x, y| x.weight.total_cmp(&y.weight).is_eq()) {
            let room = end - self.words.len();
            if room == 0 {
                break;
            }
            let mut put = |same: &[Weighted]| {
                let room = end - self.words.len();
                self.words.extend(same.iter().take(room).map(|word| (word.word, word.weight)));
            };
            if equals.len() == 1 || equals[0].word == equals[equals.len() - 1].word {
                put(equals);
                continue;
            }
            let mut spelled: Vec<(String, &[Weighted])> = Vec::new();
            for same in equals.chunk_by(|x, y| x.word == y.word) {
                spelled.push((spelling(same[0].place as usize), same));
                // Of a long list of equals only the first few in order are wanted.
                if spelled.len() >= 64 && spelled.len() / 2 > room {
                    spelled.sort_unstable_by(|x, y| x.0.cmp(&y.0));
                    spelled.truncate(room);
                }
            }
            spelled.sort_unstable_by(|x, y| x.0.cmp(&y.0));
            for (_, same) in &spelled {
                put(same);
            }
        }
        self.scratch = words;
    }

    /// Returns the paths in the order of the text, as word hashes: the sentences after sorting
    /// and cutting.
    pub fn paths(&self) -> impl Iterator<Item = Vec<u64>> {
        self.paths.iter().map(|path| self.path(path).iter().map(|&(word, _)| word).collect())
    }

    fn path(&self, path: &Range<u32>) -> &[(u64, f64)] {
        &self.words[path.start as usize..path.end as usize]
    }

    /// Makes the tree.
    pub fn finish(mut self) -> SentenceTree {
        let mut paths = std::mem::take(&mut self.paths);
        paths.sort_unstable_by(|x, y| {
            let key = |&(word, _): &(u64, f64)| word;
            self.path(x).iter().map(key).cmp(self.path(y).iter().map(key))
        });
        let mut steps: Vec<Step> = Vec::with_capacity(self.n_steps.min(paths.len() * 8));
        let mut open: Vec<usize> = Vec::new();
        let mut last: &[(u64, f64)] = &[];
        let mut sentences = 0;
        for path in &paths {
            let path = self.path(path);
            let n_common = last.iter().zip(path).take_while(|(x, y)| x.0 == y.0).count();
            open.truncate(n_common);
            for &step in &open {
                steps[step].visits += 1;
            }
            for (depth, &(word, weight)) in (1..).zip(path).skip(n_common) {
                open.push(steps.len());
                steps.push(Step { word, weight, depth, visits: 1 });
            }
            if n_common < path.len() || n_common < last.len() {
                let start = hash::fold(sentences ^ path.len() as u64, SENTENCE);
                sentences = path.iter().fold(start, |x, &(word, _)| hash::fold(x ^ word, SENTENCE));
            }
            last = path;
        }
        SentenceTree { steps, sentences, is_cut: self.is_cut }
    }
}

/// Key of the hash that stands for a set of sentences.
const SENTENCE: u64 = 0xd6e8_feb8_6659_fd93;

/// A node of a document's tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Hash of the word.
    pub word: u64,
    /// Its idf.
    pub weight: f64,
    /// Words from the root to here; 1 for the first of a sentence.
    pub depth: u32,
    /// Sentences that pass through.
    pub visits: u32,
}

impl Step {
    /// Returns what one match of this node adds: its depth times its word's idf.
    pub fn impact(&self) -> f64 {
        f64::from(self.depth) * self.weight
    }
}

/// The sentences of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SentenceTree {
    steps: Vec<Step>,
    sentences: u64,
    is_cut: bool,
}

impl SentenceTree {
    /// Returns the nodes in preorder, children by word hash.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns whether sentences beyond [`MOST_STEPS`] were left out.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns a hash that documents with the same set of sentences share.
    pub fn sentences(&self) -> u64 {
        self.sentences
    }

    /// Returns the document's similarity to itself, SCS.
    pub fn self_similarity(&self, aggregate: Aggregate) -> f64 {
        let times = |visits: u32| match aggregate {
            Aggregate::Sum => f64::from(visits) * f64::from(visits),
            Aggregate::Max => f64::from(visits),
        };
        self.steps.iter().map(|step| times(step.visits) * step.impact()).sum()
    }

    /// Returns the hash of the path of words to each node, in preorder: nodes of two documents
    /// are the same if their paths are.
    pub fn paths(&self) -> impl Iterator<Item = u64> {
        let mut open: Vec<u64> = Vec::new();
        self.steps.iter().map(move |step| {
            open.truncate(step.depth as usize - 1);
            let parent = open.last().copied().unwrap_or(SENTENCE);
            let path = hash::mix(parent.rotate_left(23) ^ step.word);
            open.push(path);
            path
        })
    }

    /// Calls `each` with the nodes that two documents share, in preorder: this one's and the
    /// other's.
    pub fn each_common<'a>(&'a self, other: &'a Self, mut each: impl FnMut(&'a Step, &'a Step)) {
        let (mut mine, mut theirs) = (self.steps.iter().peekable(), other.steps.iter().peekable());
        while let (Some(x), Some(y)) = (mine.peek(), theirs.peek()) {
            // The deeper step lies below a node that the other document lacks or has already passed.
            // At equal depth both are children of one common node.
            match y.depth.cmp(&x.depth).then(x.word.cmp(&y.word)) {
                Ordering::Less => {
                    mine.next();
                }
                Ordering::Greater => {
                    theirs.next();
                }
                Ordering::Equal => {
                    each(x, y);
                    mine.next();
                    theirs.next();
                }
            }
        }
    }

    /// Returns what two documents have in common, CS: as much of this one as stands in the other,
    /// and as much of the other as stands in this one. Words weigh what they weigh here.
    pub fn common(&self, other: &Self, aggregate: Aggregate) -> (f64, f64) {
        let (mut here, mut there) = (0.0, 0.0);
        self.each_common(other, |x, y| {
            let (mine, theirs) = (f64::from(x.visits), f64::from(y.visits));
            let impact = x.impact();
            let (a, b) = match aggregate {
                Aggregate::Sum => (mine * theirs * impact, mine * theirs * impact),
                Aggregate::Max => (mine * impact, theirs * impact),
            };
            here += a;
            there += b;
        });
        (here, there)
    }
}

/// Weights are written once each: many words are equally rare.
impl Encoded for SentenceTree {
    fn encode(&self, out: &mut Vec<u8>) {
        let Self { steps, sentences, is_cut } = self;
        sentences.encode(out);
        out.push(u8::from(*is_cut));
        let mut weights: Vec<u64> = steps.iter().map(|step| step.weight.to_bits()).collect();
        weights.sort_unstable();
        weights.dedup();
        put_number(weights.len() as u64, out);
        for weight in &weights {
            weight.encode(out);
        }
        put_number(steps.len() as u64, out);
        for Step { word, weight, depth, visits } in steps {
            put_number(u64::from(*depth), out);
            put_number(u64::from(*visits), out);
            let place = weights.partition_point(|&other| other < weight.to_bits());
            put_number(place as u64, out);
            word.encode(out);
        }
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        let sentences = u64::decode(input)?;
        let is_cut = *input.take(1)?.first()? != 0;
        let n_weights = input.count()?;
        let weights: Vec<u64> =
            (0..n_weights).map(|_| u64::decode(input)).collect::<Option<_>>()?;
        let is_weight = |&bits: &u64| {
            let weight = f64::from_bits(bits);
            weight >= 0.0 && weight.is_finite()
        };
        if !weights.iter().all(is_weight) {
            return None;
        }
        let n_steps = input.count()?;
        let mut steps: Vec<Step> = Vec::with_capacity(n_steps.min(input.len() / 8));
        for _ in 0..n_steps {
            let depth = u32::try_from(input.number()?).ok()?;
            let visits = u32::try_from(input.number()?).ok()?;
            let weight = *weights.get(usize::try_from(input.number()?).ok()?)?;
            let most_depth = steps.last().map_or(1, |last| last.depth.saturating_add(1));
            if !(1..=most_depth).contains(&depth) {
                return None;
            }
            let word = u64::decode(input)?;
            steps.push(Step { word, weight: f64::from_bits(weight), depth, visits });
        }
        Some(Self { steps, sentences, is_cut })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::{from_bytes, to_bytes};

    const ALL: Shape = Shape { order: WordOrder::Text, suffixes: 1, depth: usize::MAX };

    fn tree(shape: Shape, sentences: &[&[(u64, f64)]]) -> SentenceTree {
        let mut out = Sentences::new(shape);
        for sentence in sentences {
            out.push(sentence.iter().copied(), |place| sentence[place].0.to_string());
        }
        out.finish()
    }

    fn visits(tree: &SentenceTree) -> Vec<(u64, u32, u32)> {
        tree.steps().iter().map(|step| (step.word, step.depth, step.visits)).collect()
    }

    #[test]
    fn common_beginnings_are_shared_and_counted() {
        let found = tree(ALL, &[&[(1, 1.0), (2, 1.0), (4, 1.0)], &[(1, 1.0), (2, 1.0), (3, 1.0)]]);
        assert_eq!(visits(&found), [(1, 1, 2), (2, 2, 2), (3, 3, 1), (4, 3, 1)]);
        assert!((found.self_similarity(Aggregate::Sum) - 18.0).abs() < 1e-9);
        assert!((found.self_similarity(Aggregate::Max) - 12.0).abs() < 1e-9);
    }

    #[test]
    fn common_nodes_are_those_of_equal_paths() {
        let mut random = hash::Random::new(4);
        for _ in 0..500 {
            let mut document = || {
                let mut out = Sentences::new(Shape { suffixes: 2, ..ALL });
                for _ in 0..random.below(5) {
                    let n = 1 + random.below(5);
                    let words: Vec<u64> = (0..n).map(|_| random.below(3) as u64).collect();
                    out.push(words.into_iter().map(|word| (word, 1.0)), |_| String::new());
                }
                out.finish()
            };
            let (one, other) = (document(), document());
            let theirs: Vec<u64> = other.paths().collect();
            let expected: Vec<Step> = (one.paths().zip(one.steps()))
                .filter(|(path, _)| theirs.contains(path))
                .map(|(_, step)| *step)
                .collect();
            let mut found = Vec::new();
            one.each_common(&other, |x, y| {
                assert_eq!((x.word, x.depth), (y.word, y.depth));
                found.push(*x);
            });
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_tree_comes_back_to_the_last_bit() {
        let third = 1.0 / 3.0;
        let shape = Shape { suffixes: 3, ..ALL };
        let found = tree(shape, &[&[(9, third), (2, 0.7), (4, third)], &[(1, 0.0)], &[(9, third)]]);
        assert_eq!(from_bytes(&to_bytes(&found)), Some(found));
        let mut random = hash::Random::new(1);
        for n in 0..2000 {
            let bytes: Vec<u8> = (0..n % 60).map(|_| random.below(20) as u8).collect();
            let _ = SentenceTree::decode(&mut Input::new(&bytes));
        }
    }

    #[test]
    fn suffixes_are_taken_after_sorting_and_cut_to_the_depth() {
        let shape = Shape { order: WordOrder::Idf, suffixes: 3, depth: 2 };
        let mut sentences = Sentences::new(shape);
        let words = [(7, 1.0), (8, 3.0), (9, 2.0), (6, 3.0), (5, 0.5)];
        sentences.push(words.into_iter(), |place| ["g", "b", "i", "f", "e"][place].to_owned());
        // Sorted: 8 6 9 7 5, since `b` comes before `f`.
        assert_eq!(sentences.paths().collect::<Vec<_>>(), [[8, 6], [6, 9], [9, 7]]);
    }

    #[test]
    fn a_sentence_shorter_than_the_suffix_count_has_one_path_a_word() {
        let shape = Shape { suffixes: 3, ..ALL };
        let found = tree(shape, &[&[(1, 1.0), (2, 1.0)]]);
        assert_eq!(visits(&found), [(1, 1, 1), (2, 2, 1), (2, 1, 1)]);
    }

    #[test]
    fn spelling_is_asked_only_where_weights_leave_the_order_open() {
        let shape = Shape { order: WordOrder::Idf, suffixes: 1, depth: 2 };
        let mut sentences = Sentences::new(shape);
        let words = [(1, 3.0), (2, 2.0), (2, 2.0), (3, 1.0), (4, 1.0)];
        sentences.push(words.into_iter(), |place| panic!("{place} is not needed"));
        assert_eq!(sentences.paths().collect::<Vec<_>>(), [[1, 2]]);
    }

    #[test]
    fn a_long_list_of_equals_is_ordered_like_a_short_one() {
        let spelling = |place: usize| format!("w{:05}", place * 7919 % 10_007);
        let words: Vec<(u64, f64)> = (0..10_007).map(|word| (word, 1.0)).collect();
        let shape = Shape { order: WordOrder::Idf, suffixes: 2, depth: 4 };
        let mut sentences = Sentences::new(shape);
        sentences.push(words.iter().copied(), spelling);
        let mut sorted: Vec<usize> = (0..10_007).collect();
        sorted.sort_by_key(|&place| spelling(place));
        let first: Vec<u64> = sorted[..4].iter().map(|&place| place as u64).collect();
        assert_eq!(sentences.paths().next(), Some(first));
    }

    #[test]
    fn the_set_of_sentences_counts_each_once_in_any_order() {
        let (a, b) = ([(1, 0.0), (2, 0.0)], [(3, 0.0)]);
        let set = |sentences: &[&[(u64, f64)]]| tree(ALL, sentences).sentences();
        assert_eq!(set(&[&a, &b, &a]), set(&[&b, &a]));
        assert_ne!(set(&[&a]), set(&[&a, &b]));
        assert_ne!(set(&[&a]), set(&[&[(1, 0.0)], &[(2, 0.0)]]));
    }

    #[test]
    fn a_document_beyond_the_limit_says_so() {
        let shape = Shape { suffixes: 4, ..ALL };
        let long = vec![(1, 1.0); MOST_STEPS / 2 - 10];
        let found = tree(shape, &[&long]);
        assert!(found.is_cut());
        assert_eq!(found.steps().len(), MOST_STEPS / 2 - 10, "the second path lies in the first");
    }
}
