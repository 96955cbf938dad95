//! Inverted lists: documents that share kept features, rare ones first.
//!
//! Images go in as (feature, document) postings, cut into [`N_PARTS`] parts by feature. To
//! propose, each part is sorted once; features of a single document fall out; the rest become
//! lists. Each document then asks its own lists, rarest first, and counts who answers. Tiny
//! documents are also looked up in all features of the long ones ([`tiny`](super::tiny)).
//!
//! # What it may miss
//! A document asks all lists of at most `rare` documents, and commoner ones only until the lists
//! not asked could no longer hold the share that is needed (the prefix filter of Chaudhuri et
//! al. 2006). Within that it is complete for the kept features, except where a limit of work
//! thins it (every n-th of the larger lists is asked) or cuts it: then the document is counted
//! in [`Cuts`]. Whether a pair shares a kept feature at all is up to the image; a feature is told
//! apart by 40 bits of its hash, so a false agreement costs one needless look at two documents.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::tiny::{Fine, Tiny};
use super::{Candidate, Candidates, Cuts, Proposed};
use crate::document::Ordinal;
use crate::executor::Executor;

/// Number of parts the postings are cut into.
pub const N_PARTS: usize = 256;

/// How candidates are chosen.
#[derive(Clone, Copy, Debug)]
pub struct Voting {
    /// Share of a document's features that must be shared: the threshold of the relation. Where
    /// both documents keep all their features it is applied as it stands.
    pub share: f64,
    /// Smallest share of a sample that must be shared where one of the documents keeps no more.
    /// It lies below `share`: edits move samples.
    pub least: f64,
    /// Lists of at most this many documents always vote.
    pub rare: usize,
    /// Votes that make a candidate of two sampled documents whatever the share: a passage.
    pub passage_votes: u32,
    /// The same as a share of the smaller sample, where that is more.
    pub passage_share: f64,
    /// Votes for a passage where both documents keep all their features.
    pub passage_votes_whole: u32,
    /// Documents in a list beyond which it votes only where nothing rarer is left, and then only
    /// if the document shares at least `least_common` of its features with anybody.
    pub stop: usize,
    /// See `stop`; nearer to `share` than `least`.
    pub least_common: f64,
    /// List entries beyond the rare ones that one document may read.
    pub most_reads: usize,
    /// Documents whose lists are counted out against those of one document. They answered in the
    /// order of rarity, so those left out share nothing but common features.
    pub most_merges: usize,
    /// Candidates one document may have.
    pub most_candidates: usize,
}

/// The image: a sample of the features, and for short documents all the others too.
///
/// A short document meets short ones through all its features, exactly, and long ones, which
/// keep only their sample, through its own sample.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Hashes of the sample; repeats do no harm.
    pub sample: Vec<u64>,
    /// Hashes of all other features, if the image is whole.
    pub rest: Vec<u64>,
    /// Whether `rest` holds all other features.
    pub is_whole: bool,
    /// All features once more, for tiny documents to be found in long ones.
    pub fine: Fine,
}

/// Marks a document or list number as coming from [`Kept::rest`].
const REST: u32 = 1 << 31;

/// Postings under way.
#[derive(Debug)]
pub struct Inverted {
    voting: Voting,
    parts: Vec<Vec<u64>>,
    is_whole: Vec<bool>,
    tiny: Tiny,
}

impl Inverted {
    /// Makes an empty structure.
    pub fn new(voting: Voting) -> Self {
        Self {
            voting,
            parts: (0..N_PARTS).map(|_| Vec::new()).collect(),
            is_whole: Vec::new(),
            tiny: Tiny::default(),
        }
    }

    fn post(&mut self, feature: u64, doc: u32) {
        // Kept hashes are small ones (they were minima); the product spreads them again.
        let key = feature.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let posting = ((key << 8) & 0xffff_ffff_0000_0000) | u64::from(doc);
        self.parts[(key >> 56) as usize].push(posting);
    }
}

impl Candidates<Kept> for Inverted {
    fn insert(&mut self, ordinal: Ordinal, image: Kept) {
        assert!(ordinal.0 < REST, "two thousand million documents at most");
        self.is_whole.resize(ordinal.index() + 1, false);
        self.is_whole[ordinal.index()] = image.is_whole;
        for feature in image.sample {
            self.post(feature, ordinal.0);
        }
        for feature in image.rest {
            self.post(feature, ordinal.0 | REST);
        }
        self.tiny.insert(ordinal, image.fine);
    }

    fn held_bytes(&self) -> usize {
        let postings: usize = self.parts.iter().map(Vec::capacity).sum();
        postings * size_of::<u64>() + self.tiny.held_bytes()
    }

    fn propose(self: Box<Self>, border: Option<Ordinal>, executor: &dyn Executor) -> Proposed {
        let Self { voting, parts, is_whole, tiny } = *self;
        let (mut out, mut cuts) = tiny.propose(voting.share, voting.stop, executor);
        let lists = Lists::build(parts, is_whole.len(), executor);
        cuts.n_stop_features += lists.n_larger_than(voting.stop);
        let n_pieces = lists.n_docs().div_ceil(DOCS_PER_PIECE);
        let pieces: Vec<Mutex<(Vec<Candidate>, Cuts)>> =
            (0..n_pieces).map(|_| Mutex::default()).collect();
        let searches: Mutex<Vec<Search<'_>>> = Mutex::default();
        executor.run(n_pieces, &|piece| {
            let idle = searches.lock().expect(NO_PANIC).pop();
            let mut search = idle.unwrap_or_else(|| Search::new(&lists, &is_whole, voting));
            let start = piece * DOCS_PER_PIECE;
            for doc in start..(start + DOCS_PER_PIECE).min(lists.n_docs()) {
                search.ask(doc as u32);
            }
            *pieces[piece].lock().expect(NO_PANIC) =
                (std::mem::take(&mut search.out), std::mem::take(&mut search.cuts));
            searches.lock().expect(NO_PANIC).push(search);
        });
        for piece in pieces {
            let (candidates, piece) = piece.into_inner().expect(NO_PANIC);
            out.extend(candidates);
            cuts.n_searches_cut += piece.n_searches_cut;
            cuts.n_candidates_cut += piece.n_candidates_cut;
        }
        out.sort_unstable();
        out.dedup();
        Proposed::unjudged(out, cuts).across(border)
    }
}

/// Returns the document of a posting.
fn doc_of(posting: u64) -> usize {
    (posting as u32 & !REST) as usize
}

/// Documents one piece of work asks for.
const DOCS_PER_PIECE: usize = 256;

/// Why a lock can be had.
const NO_PANIC: &str = "no piece panics while it holds a lock";

/// Lists of the features that at least two documents share, and each document's own lists.
struct Lists {
    /// Where each list starts in `members`; one more at the end. Lists of one first member stand
    /// together: who shares one of them mostly shares those beside it.
    starts: Vec<u32>,
    /// Documents of each list; [`REST`] marks those whose sample does not hold the feature.
    members: Vec<u32>,
    /// Place of each list in the order of features, which is no order of documents: where lists
    /// of one length cannot all be asked, chance decides.
    chance: Vec<u32>,
    /// Where each document's lists start in `of_doc`; one more at the end.
    doc_starts: Vec<u32>,
    /// Numbers of lists, ascending; [`REST`] marks those of features outside the sample.
    of_doc: Vec<u32>,
    /// Distinct kept features of each document, shared or not.
    n_kept: Vec<u32>,
    /// Those of its sample.
    n_sample: Vec<u32>,
}

impl Lists {
    fn build(parts: Vec<Vec<u64>>, n_docs: usize, executor: &dyn Executor) -> Self {
        let n_kept: Vec<AtomicU32> = (0..n_docs).map(|_| AtomicU32::new(0)).collect();
        let n_sample: Vec<AtomicU32> = (0..n_docs).map(|_| AtomicU32::new(0)).collect();
        let n_lists: Vec<AtomicU32> = (0..n_docs).map(|_| AtomicU32::new(0)).collect();
        // Lists above, and their members below, of each first member.
        let n_first: Vec<AtomicU64> = (0..n_docs).map(|_| AtomicU64::new(0)).collect();
        let parts: Vec<Mutex<Vec<u64>>> = parts.into_iter().map(Mutex::new).collect();
        let n_members = AtomicU64::new(0);
        executor.run(parts.len(), &|part| {
            let mut postings = parts[part].lock().expect("no piece panics");
            postings.sort_unstable();
            postings.dedup();
            let mut to = 0;
            let mut from = 0;
            while from < postings.len() {
                let feature = postings[from] >> 32;
                let mut end = from;
                while end < postings.len() && postings[end] >> 32 == feature {
                    let doc = doc_of(postings[end]);
                    n_kept[doc].fetch_add(1, Ordering::Relaxed);
                    let is_sampled = postings[end] as u32 & REST == 0;
                    n_sample[doc].fetch_add(u32::from(is_sampled), Ordering::Relaxed);
                    end += 1;
                }
                if end - from > 1 {
                    let count = 1 << 32 | (end - from) as u64;
                    n_first[doc_of(postings[from])].fetch_add(count, Ordering::Relaxed);
                    for i in from..end {
                        n_lists[doc_of(postings[i])].fetch_add(1, Ordering::Relaxed);
                        postings[to] = postings[i];
                        to += 1;
                    }
                }
                from = end;
            }
            postings.truncate(to);
            postings.shrink_to_fit();
            n_members.fetch_add(to as u64, Ordering::Relaxed);
        });

        assert!(n_members.into_inner() < 1 << 32, "four thousand million shared postings at most");
        let mut doc_starts = Vec::with_capacity(n_docs + 1);
        let mut sum = 0;
        for n in &n_lists {
            doc_starts.push(sum);
            sum += n.load(Ordering::Relaxed);
        }
        doc_starts.push(sum);
        // Lists go by their first members: counted, then dealt out.
        let parts: Vec<Vec<u64>> =
            parts.into_iter().map(|part| part.into_inner().expect(NO_PANIC)).collect();
        // Where the next list of each first member goes: its number, its start.
        let mut n_lists = 0;
        let mut n_members = 0;
        let mut next: Vec<(u32, u32)> = Vec::with_capacity(n_docs);
        for count in n_first {
            let count = count.into_inner();
            next.push((n_lists, n_members));
            n_lists += (count >> 32) as u32;
            n_members += count as u32;
        }
        assert!(n_lists < REST, "two thousand million shared features at most");
        let mut starts = vec![n_members; n_lists as usize + 1];
        let mut chance = vec![0; n_lists as usize];
        let mut members = vec![0; n_members as usize];
        let lists = parts.iter().flat_map(|part| part.chunk_by(|x, y| x >> 32 == y >> 32));
        for (place, list) in lists.enumerate() {
            let (id, start) = next[doc_of(list[0])];
            next[doc_of(list[0])] = (id + 1, start + list.len() as u32);
            starts[id as usize] = start;
            chance[id as usize] = place as u32;
            for (member, &posting) in members[start as usize..].iter_mut().zip(list) {
                *member = posting as u32;
            }
        }
        drop(parts);
        let mut of_doc = vec![0; sum as usize];
        let mut next = doc_starts.clone();
        for (id, range) in starts.windows(2).enumerate() {
            for &member in &members[range[0] as usize..range[1] as usize] {
                let next = &mut next[(member & !REST) as usize];
                of_doc[*next as usize] = id as u32 | (member & REST);
                *next += 1;
            }
        }
        let plain =
            |counts: Vec<AtomicU32>| counts.into_iter().map(AtomicU32::into_inner).collect();
        let (n_kept, n_sample) = (plain(n_kept), plain(n_sample));
        Self { starts, members, chance, doc_starts, of_doc, n_kept, n_sample }
    }

    fn n_docs(&self) -> usize {
        self.n_kept.len()
    }

    fn list(&self, id: u32) -> &[u32] {
        let id = id as usize;
        &self.members[self.starts[id] as usize..self.starts[id + 1] as usize]
    }

    fn len(&self, id: u32) -> usize {
        let id = id as usize;
        (self.starts[id + 1] - self.starts[id]) as usize
    }

    fn of(&self, doc: u32) -> &[u32] {
        let doc = doc as usize;
        &self.of_doc[self.doc_starts[doc] as usize..self.doc_starts[doc + 1] as usize]
    }

    fn n_larger_than(&self, stop: usize) -> u64 {
        self.starts.windows(2).filter(|w| (w[1] - w[0]) as usize > stop).count() as u64
    }
}

/// One thread's counters.
struct Search<'a> {
    lists: &'a Lists,
    is_whole: &'a [bool],
    voting: Voting,
    votes: Vec<u32>,
    answered: Vec<u32>,
    /// Length, what decides between equal lengths, and number of each list.
    asked: Vec<(u32, u32, u32)>,
    out: Vec<Candidate>,
    cuts: Cuts,
}

impl<'a> Search<'a> {
    fn new(lists: &'a Lists, is_whole: &'a [bool], voting: Voting) -> Self {
        Self {
            lists,
            is_whole,
            voting,
            votes: vec![0; lists.n_docs()],
            answered: Vec::new(),
            asked: Vec::new(),
            out: Vec::new(),
            cuts: Cuts::default(),
        }
    }

    /// Finds the candidates of one document.
    fn ask(&mut self, doc: u32) {
        let own = self.lists.of(doc);
        if own.is_empty() {
            return;
        }
        let voting = self.voting;
        let n_kept = self.lists.n_kept[doc as usize] as usize;
        self.asked.clear();
        self.asked.extend(own.iter().map(|&id| {
            let (list, flag) = (id & !REST, id & REST);
            (self.lists.len(list) as u32, self.lists.chance[list as usize] | flag, id)
        }));
        self.asked.sort_unstable();

        // Prefix filter: features of this document alone come first in rarity and are passed over.
        // PERF: the prefix for half the share asks more lists than it must, but then chance
        //       answers fall short of the other half and need no merge of lists.
        let is_whole = self.is_whole[doc as usize];
        let share = if is_whole { 0.99 * voting.share } else { voting.least } / 2.0;
        let n_alone = n_kept - own.len();
        let n_prefix = (n_kept + 1).saturating_sub(part(n_kept, share)).saturating_sub(n_alone);
        let least_common = part(n_kept, voting.least_common);
        let is_needed = |i: usize, len: usize, id: u32| {
            len <= voting.rare || i < n_prefix || (is_whole && id & REST == 0)
        };
        // Where the lists to ask hold more than may be read, every n-th of the larger ones is
        // asked: partners share many of them, so they answer to some.
        let n_reads: usize = self
            .asked
            .iter()
            .enumerate()
            .map(|(i, &(len, _, id))| (i, len as usize, id))
            .filter(|&(i, len, id)| {
                len > voting.rare && len <= voting.stop && is_needed(i, len, id)
            })
            .map(|(_, len, _)| len)
            .sum();
        let stride = n_reads.div_ceil(voting.most_reads).max(1);
        self.cuts.n_searches_cut += u64::from(stride > 1);
        let mut n_large = 0;
        let mut n_asked = 0;
        for (i, &(len, _, id)) in self.asked.iter().enumerate() {
            let len = len as usize;
            if !is_needed(i, len, id) {
                continue;
            }
            let is_common = len > voting.stop;
            if is_common && own.len() < least_common {
                break; // All that is left is common, and not enough of it to be a containment.
            }
            if is_common && n_asked > 0 {
                self.cuts.n_searches_cut += u64::from(stride == 1);
                break;
            }
            if len > voting.rare {
                n_large += 1;
                if n_large % stride != 0 && !is_common {
                    continue;
                }
            }
            // A document made of nothing but common features meets the first that share its
            // rarest one.
            let n_members = if is_common { voting.stop } else { len };
            for &member in &self.lists.list(id & !REST)[..n_members] {
                let other = member & !REST;
                let votes = &mut self.votes[other as usize];
                if *votes == 0 {
                    self.answered.push(other);
                }
                *votes += 1;
            }
            n_asked += 1;
        }
        self.choose(doc, own.len() - n_asked);
    }

    /// Keeps the answers that have enough votes.
    fn choose(&mut self, doc: u32, n_not_asked: usize) {
        let voting = self.voting;
        let is_whole = self.is_whole[doc as usize];
        let n_kept = self.lists.n_kept[doc as usize] as usize;
        let n_sample = self.lists.n_sample[doc as usize] as usize;
        let mut chosen: Vec<(u32, u32)> = Vec::new();
        let mut n_merges = 0;
        for &other in &self.answered {
            let votes = std::mem::take(&mut self.votes[other as usize]);
            if other == doc {
                continue;
            }
            let n_other = self.lists.n_kept[other as usize] as usize;
            let (needed, passage) = match (is_whole, self.is_whole[other as usize]) {
                (true, true) => (part(n_kept, 0.99 * voting.share), voting.passage_votes_whole),
                // A passage in a short document is most of it: its share decides.
                (true, false) => (part(n_sample, voting.least), u32::MAX),
                (false, true) => (part(n_kept, voting.least), u32::MAX),
                (false, false) => {
                    let by_share = part(n_kept.min(n_other), voting.passage_share) as u32;
                    (part(n_kept, voting.least), voting.passage_votes.max(by_share))
                }
            };
            let needed = needed.max(1) as u32;
            let mut is_chosen = votes >= needed.min(passage);
            if !is_chosen
                && votes + n_not_asked as u32 >= needed
                && self.lists.of(other).len() >= needed as usize
            {
                n_merges += 1;
                is_chosen = n_merges <= voting.most_merges
                    && has_common(self.lists.of(doc), self.lists.of(other), needed as usize);
            }
            if is_chosen {
                chosen.push((votes, other));
            }
        }
        self.answered.clear();
        self.cuts.n_searches_cut += u64::from(n_merges > voting.most_merges);
        if chosen.len() > voting.most_candidates {
            // Most votes first; among equals the earliest documents, so that large groups of
            // copies agree on whom to compare with.
            chosen.sort_unstable_by_key(|&(votes, other)| (u32::MAX - votes, other));
            self.cuts.n_candidates_cut += (chosen.len() - voting.most_candidates) as u64;
            chosen.truncate(voting.most_candidates);
        }
        self.out
            .extend(chosen.iter().map(|&(_, other)| Candidate::new(Ordinal(doc), Ordinal(other))));
    }
}

/// Returns the whole part of a share of `n`.
#[expect(clippy::cast_sign_loss, reason = "shares are not negative")]
pub(super) fn part(n: usize, share: f64) -> usize {
    (n as f64 * share) as usize
}

/// Returns whether two documents have at least `needed` lists in common, given those of each in
/// order.
fn has_common<'a>(mut one: &'a [u32], mut other: &'a [u32], needed: usize) -> bool {
    if one.len() > other.len() {
        std::mem::swap(&mut one, &mut other);
    }
    let mut n = 0;
    if other.len() / 8 > one.len() {
        // The few are looked up among the many, each behind the one before.
        while n < needed && n + one.len() >= needed {
            let Some((&x, rest)) = one.split_first() else { break };
            one = rest;
            let x = x & !REST;
            let mut step = 1;
            while other.get(step).is_some_and(|y| y & !REST < x) {
                step *= 2;
            }
            let reach = (step + 1).min(other.len());
            let at = other[..reach].partition_point(|y| y & !REST < x);
            n += usize::from(other.get(at).is_some_and(|y| y & !REST == x));
            other = &other[at..];
        }
        return n >= needed;
    }
    // PERF: steps without branches, and a look at the outcome only now and then.
    while n < needed && n + one.len().min(other.len()) >= needed {
        for _ in 0..16 {
            let (Some(x), Some(y)) = (one.first(), other.first()) else { break };
            let (x, y) = (x & !REST, y & !REST);
            n += usize::from(x == y);
            one = &one[usize::from(x <= y)..];
            other = &other[usize::from(y <= x)..];
        }
    }
    n >= needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::tiny;
    use crate::executor::Inline;
    use crate::hash::mix;

    fn voting() -> Voting {
        Voting {
            share: 0.6,
            least: 0.25,
            rare: 32,
            passage_votes: 4,
            passage_share: 0.006,
            passage_votes_whole: 30,
            stop: 1000,
            least_common: 0.5,
            most_reads: 50_000,
            most_merges: 4_000,
            most_candidates: 1000,
        }
    }

    fn propose(voting: Voting, images: Vec<Vec<u64>>) -> Proposed {
        let mut inverted = Box::new(Inverted::new(voting));
        for (i, features) in images.into_iter().enumerate() {
            let sample = features.into_iter().map(mix).collect();
            inverted.insert(Ordinal(i as u32), Kept { sample, ..Kept::default() });
        }
        inverted.propose(None, &Inline)
    }

    #[test]
    fn documents_that_share_features_are_proposed_once() {
        let images = vec![(0..100).collect(), (0..100).collect(), (200..300).collect()];
        let Proposed { pairs, cuts, .. } = propose(voting(), images);
        assert_eq!(pairs, [Candidate::new(Ordinal(0), Ordinal(1))]);
        assert_eq!(cuts, Cuts::default());
    }

    #[test]
    fn common_lists_are_counted_up_to_what_is_needed() {
        let mut random = crate::hash::Random::new(9);
        for (n_one, n_other) in [(0, 5), (1, 1), (20, 30), (300, 200), (5, 4000), (60, 900)] {
            let mut lists = |n: usize| {
                let mut lists: Vec<u32> =
                    (0..n).map(|_| random.below(2 * n_other.max(n_one)) as u32).collect();
                lists.sort_unstable();
                lists.dedup();
                lists
            };
            let (one, other) = (lists(n_one), lists(n_other));
            let n_common = one.iter().filter(|list| other.contains(list)).count();
            let marked: Vec<u32> = other.iter().map(|list| list | REST).collect();
            for needed in 1..n_common + 3 {
                assert_eq!(has_common(&one, &marked, needed), n_common >= needed);
                assert_eq!(has_common(&marked, &one, needed), n_common >= needed);
            }
        }
    }

    #[test]
    fn a_small_document_finds_the_large_one_that_holds_it() {
        let images = vec![(0..10_000).collect(), (500..520).collect()];
        assert_eq!(propose(voting(), images).pairs.len(), 1);
    }

    #[test]
    fn a_short_document_meets_short_ones_by_all_and_long_ones_by_its_sample() {
        let mut inverted = Box::new(Inverted::new(voting()));
        let codes = |range: std::ops::Range<u64>| range.map(mix).collect::<Vec<u64>>();
        // The long document keeps a fifth of what the short ones keep whole.
        let long = Kept {
            sample: codes(0..4).into_iter().chain(codes(100..400)).collect(),
            ..Kept::default()
        };
        inverted.insert(Ordinal(0), long);
        let short =
            || Kept { sample: codes(0..4), rest: codes(4..20), is_whole: true, fine: Fine::Absent };
        inverted.insert(Ordinal(1), short());
        inverted.insert(
            Ordinal(2),
            Kept { sample: codes(50..54), rest: codes(10..20), is_whole: true, fine: Fine::Absent },
        );
        let Proposed { pairs, .. } = inverted.propose(None, &Inline);
        let expected =
            [Candidate::new(Ordinal(0), Ordinal(1)), Candidate::new(Ordinal(1), Ordinal(2))];
        assert_eq!(pairs, expected);
    }

    #[test]
    fn a_tiny_document_is_found_between_the_samples_of_a_long_one() {
        let mut inverted = Box::new(Inverted::new(voting()));
        let codes = |range: std::ops::Range<u64>| range.map(mix).collect::<Vec<u64>>();
        let fine = |range: std::ops::Range<u64>| range.map(|i| tiny::code(mix(i))).collect();
        let long = Kept {
            sample: codes(0..2000).into_iter().step_by(5).collect(),
            fine: Fine::Held(fine(0..2000)),
            ..Kept::default()
        };
        let short = Kept {
            sample: codes(1001..1002),
            rest: codes(1002..1004),
            is_whole: true,
            fine: Fine::Asked(fine(1001..1004)),
        };
        inverted.insert(Ordinal(0), long);
        inverted.insert(Ordinal(1), short);
        let Proposed { pairs, .. } = inverted.propose(None, &Inline);
        assert_eq!(pairs, [Candidate::new(Ordinal(0), Ordinal(1))]);
    }

    #[test]
    fn a_footer_in_every_document_proposes_nothing() {
        let footer = 1 << 40..(1 << 40) + 40;
        let image = |i: u64| (i * 1000..i * 1000 + 60).chain(footer.clone()).collect();
        let Proposed { pairs, cuts, .. } = propose(voting(), (0..3000).map(image).collect());
        assert!(pairs.is_empty(), "{} pairs", pairs.len());
        assert_eq!(cuts.n_stop_features, 40);
    }

    #[test]
    fn a_document_with_too_many_candidates_keeps_the_best_and_counts_the_rest() {
        let mut limited = voting();
        limited.most_candidates = 5;
        let Proposed { pairs, cuts, .. } =
            propose(limited, (0..20).map(|_| (0..50).collect()).collect());
        assert!(cuts.n_candidates_cut > 0);
        let star: Vec<_> = pairs.iter().filter(|pair| pair.a == Ordinal(0)).collect();
        assert_eq!(star.len(), 19, "every document still meets the first");
    }
}
