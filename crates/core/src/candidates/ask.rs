//! One search: a document asks the lists of its keys. The same for every engine.
//!
//! Lists are read from the shortest to the longest. What a search leaves out is decided by the
//! number of documents *before* the asker in each list, never by what comes after it, so a
//! collection, two collections, a question and a stream get the same answers.

use std::borrow::Cow;
use std::io;

use super::lists::Posting;
use super::meeting::{Common, Limits, Meeting, Met, SHORT_LIST, Weighed};
use super::{Found, Judgement, Partner};
use crate::document::Ordinal;

/// A list that a document asks, up to the documents that may answer.
pub(super) struct Asked<'a, P> {
    /// Lower bits of the key: what decides between lists of one length.
    pub(super) key: u32,
    pub(super) payload: P,
    pub(super) list: &'a [Posting<P>],
}

/// Marks a document as known that has no votes yet.
const KNOWN: u64 = 1 << 63;

/// Steps that looking one document up in a list takes, about.
const SEARCH_STEPS: usize = 12;

/// Votes of one thread.
#[derive(Debug, Default)]
pub(super) struct Tally {
    votes: Vec<u64>,
    answered: Vec<u32>,
    chosen: Vec<(u64, Partner)>,
    /// Documents whose votes have to come from one place.
    scattered: Vec<Scattered>,
}

/// A document with enough votes, if they come from one place of the asker.
#[derive(Debug)]
struct Scattered {
    doc: u32,
    votes: u64,
    /// The part of the asker that was counted last, its votes and those of the part before it.
    part: u8,
    n_here: u32,
    n_before: u32,
    /// Most votes of two parts that follow each other.
    most: u32,
}

impl Scattered {
    fn new(doc: u32, votes: u64) -> Self {
        Self { doc, votes, part: 0, n_here: 0, n_before: 0, most: 0 }
    }

    /// Counts a vote; parts come in order.
    fn count(&mut self, part: u8) {
        if part != self.part {
            let is_next = part == self.part + 1;
            self.n_before = if is_next { self.n_here } else { 0 };
            (self.part, self.n_here) = (part, 0);
        }
        self.n_here += 1;
        self.most = self.most.max(self.n_before + self.n_here);
    }
}

/// Where images and facts of other documents come from.
pub(super) trait Known<M: Meeting> {
    /// Returns the facts of a document.
    fn facts(&self, doc: u32) -> io::Result<M::Facts>;
    /// Returns the image of a document.
    fn image(&self, doc: u32) -> io::Result<M::Image>;

    /// Returns what decides between documents where a limit leaves some out: those with smaller
    /// values stay. The default is the order of their coming.
    fn order(&self, doc: u32) -> io::Result<u64> {
        Ok(u64::from(doc))
    }

    /// Returns the `n` documents of a list that stay, by ordinal. The default is the first ones.
    fn first<'a>(
        &self,
        list: &'a [Posting<M::Payload>],
        n: usize,
    ) -> io::Result<Cow<'a, [Posting<M::Payload>]>> {
        Ok(Cow::Borrowed(&list[..n]))
    }

    /// Puts documents into the order in which images are looked at, if there are more of them than
    /// may be. The default is to leave them as they answered.
    fn put_in_order(&self, _docs: &mut [u32]) -> io::Result<()> {
        Ok(())
    }
}

/// Who asks.
pub(super) struct Asker<'a, M: Meeting> {
    pub(super) facts: M::Facts,
    /// Its image, made when it is needed.
    pub(super) image: &'a mut dyn FnMut() -> io::Result<M::Image>,
}

impl Tally {
    /// Reads the lists and adds the documents that are related. `first` is the smallest ordinal
    /// there is, `n_docs` the number of ordinals from there on.
    pub(super) fn ask<M: Meeting>(
        &mut self,
        meeting: &M,
        mut asker: Asker<'_, M>,
        asked: &mut Vec<Asked<'_, M::Payload>>,
        (first, n_docs): (u32, usize),
        known: &impl Known<M>,
        found: &mut Found,
    ) -> io::Result<()> {
        let limits = meeting.limits();
        asked.retain(|list| !list.list.is_empty());
        if asked.is_empty() {
            return Ok(());
        }
        asked.sort_unstable_by_key(|list| (list.list.len(), list.key, list.payload));
        if self.votes.len() < n_docs {
            self.votes.resize(n_docs, 0);
        }
        let n_unread = self.read(meeting, &asker.facts, limits, asked, first, known, found)?;
        self.weigh(meeting, &mut asker, limits, n_unread, first, known, found)?;
        if !self.scattered.is_empty() {
            self.gather(meeting, &mut asker, limits, asked, first, known)?;
        }
        self.choose(limits, known, found)
    }

    /// Adds up votes; returns the number of lists that were not read.
    #[expect(clippy::too_many_arguments, reason = "one step of `ask`, cut out to be readable")]
    fn read<M: Meeting>(
        &mut self,
        meeting: &M,
        facts: &M::Facts,
        limits: Limits,
        asked: &[Asked<'_, M::Payload>],
        first: u32,
        known: &impl Known<M>,
        found: &mut Found,
    ) -> io::Result<u32> {
        let Limits { stop, common, most_reads, .. } = limits;
        let n_not_common = asked.partition_point(|list| list.list.len() <= stop);
        let n_short = asked.partition_point(|list| list.list.len() <= SHORT_LIST.min(stop));
        let long = &asked[n_short..n_not_common];
        let n_reads: usize = long.iter().map(|list| list.list.len()).sum();
        let stride = n_reads.div_ceil(most_reads.max(1)).max(1);
        found.cuts.n_searches_cut += u64::from(stride > 1);
        let rare = meeting.rare_vote();
        for list in &asked[..n_short] {
            self.add(meeting, list.payload, list.list, first, rare);
        }
        let is_read = |list: &Asked<'_, M::Payload>| {
            stride == 1 || (list.key as usize).is_multiple_of(stride)
        };
        for list in long.iter().filter(|list| is_read(list)) {
            self.add(meeting, list.payload, list.list, first, 0);
        }
        let common_lists = &asked[n_not_common..];
        found.cuts.n_stop_features += common_lists.len() as u64;
        let share = match common {
            Common::Skip(share) => share,
            Common::First(most) => {
                for list in common_lists {
                    let n = most.min(list.list.len());
                    found.cuts.n_candidates_cut += (list.list.len() - n) as u64;
                    self.add(meeting, list.payload, &known.first(list.list, n)?, first, 0);
                }
                return Ok(0);
            }
        };
        if let Some(shortest) = common_lists.first()
            && common_lists.len() as f64 >= share * f64::from(meeting.n_asked(facts).max(1))
        {
            found.cuts.n_searches_cut += 1;
            let n = stop.min(shortest.list.len());
            self.know(meeting, shortest.payload, &known.first(shortest.list, n)?, first);
        }
        // Lists that bring nobody in still count for those that others brought in.
        let mut n_left = most_reads.saturating_mul(16);
        let mut n_unread = 0;
        for (list, is_common) in long
            .iter()
            .filter(|list| !is_read(list))
            .map(|list| (list, false))
            .chain(common_lists.iter().map(|list| (list, true)))
        {
            let n_steps = list.list.len().min(self.answered.len() * SEARCH_STEPS);
            if n_steps > n_left {
                n_unread += 1;
                continue;
            }
            n_left -= n_steps;
            self.count(meeting, list, is_common, first);
        }
        found.cuts.n_searches_cut += u64::from(n_unread > 0 && stride == 1);
        Ok(n_unread)
    }

    /// Makes documents known without counting them.
    fn know<M: Meeting>(
        &mut self,
        meeting: &M,
        asked: M::Payload,
        list: &[Posting<M::Payload>],
        first: u32,
    ) {
        for posting in list {
            let votes = &mut self.votes[(posting.doc - first) as usize];
            if *votes == 0 && meeting.vote(asked, posting.payload) > 0 {
                self.answered.push(posting.doc);
                *votes = KNOWN;
            }
        }
    }

    /// Counts a list for documents that are known already.
    fn count<M: Meeting>(
        &mut self,
        meeting: &M,
        asked: &Asked<'_, M::Payload>,
        is_common: bool,
        first: u32,
    ) {
        let vote = |posting: &Posting<M::Payload>| {
            let vote = meeting.vote(asked.payload, posting.payload);
            if is_common { meeting.common_vote(vote) } else { vote }
        };
        if self.answered.len() * SEARCH_STEPS < asked.list.len() {
            for &doc in &self.answered {
                if let Ok(at) = asked.list.binary_search_by_key(&doc, |posting| posting.doc) {
                    self.votes[(doc - first) as usize] += vote(&asked.list[at]);
                }
            }
            return;
        }
        for posting in asked.list {
            let votes = &mut self.votes[(posting.doc - first) as usize];
            if *votes > 0 {
                *votes += vote(posting);
            }
        }
    }

    #[inline]
    fn add<M: Meeting>(
        &mut self,
        meeting: &M,
        asked: M::Payload,
        list: &[Posting<M::Payload>],
        first: u32,
        rare: u64,
    ) {
        for posting in list {
            let vote = meeting.vote(asked, posting.payload);
            if vote == 0 {
                continue;
            }
            let votes = &mut self.votes[(posting.doc - first) as usize];
            if *votes == 0 {
                self.answered.push(posting.doc);
            }
            *votes += vote + rare;
        }
    }

    /// Keeps the answers that have enough votes.
    #[expect(clippy::too_many_arguments, reason = "one step of `ask`, cut out to be readable")]
    fn weigh<M: Meeting>(
        &mut self,
        meeting: &M,
        asker: &mut Asker<'_, M>,
        limits: Limits,
        n_unread: u32,
        first: u32,
        known: &impl Known<M>,
        found: &mut Found,
    ) -> io::Result<()> {
        let mut image = None;
        let mut n_looks = 0;
        found.n_compared += self.answered.len() as u64;
        if self.answered.len() > limits.most_looks {
            known.put_in_order(&mut self.answered)?;
        }
        for doc in self.answered.drain(..) {
            let votes = std::mem::take(&mut self.votes[(doc - first) as usize]) & !KNOWN;
            let met = Met { votes, n_unread };
            let judgement = match meeting.weigh(&asker.facts, &known.facts(doc)?, met) {
                Weighed::No => continue,
                Weighed::Yes(judgement) => judgement,
                Weighed::IfTogether => {
                    self.scattered.push(Scattered::new(doc, votes));
                    continue;
                }
                Weighed::Look => {
                    n_looks += 1;
                    if n_looks > limits.most_looks {
                        continue;
                    }
                    let mine = match &image {
                        Some(image) => image,
                        None => image.insert((asker.image)()?),
                    };
                    match meeting.judge(mine, &known.image(doc)?, met) {
                        Some(judgement) => judgement,
                        None => continue,
                    }
                }
            };
            let Judgement { kind, scores } = judgement;
            self.chosen.push((votes, Partner { ordinal: Ordinal(doc), kind, scores }));
        }
        found.cuts.n_candidates_cut += n_looks.saturating_sub(limits.most_looks) as u64;
        Ok(())
    }

    /// Keeps the scattered answers of which enough votes come from one place of the asker: long
    /// documents share stock phrases all over, which are no passage.
    fn gather<M: Meeting>(
        &mut self,
        meeting: &M,
        asker: &mut Asker<'_, M>,
        limits: Limits,
        asked: &[Asked<'_, M::Payload>],
        first: u32,
        known: &impl Known<M>,
    ) -> io::Result<()> {
        let mut parts = meeting.parts(&(asker.image)()?);
        parts.sort_unstable_by_key(|&(key, _)| key as u32);
        // The shortest lists, which say most. Where some are left out, `read` thinned the search and
        // counted that.
        let mut n_left = limits.most_reads.saturating_mul(4);
        let within = |list: &&Asked<'_, M::Payload>| {
            let n = list.list.len();
            let is_short = n <= SHORT_LIST;
            n_left = n_left.saturating_sub(if is_short { 0 } else { n });
            is_short || n <= limits.stop && n_left > 0
        };
        let mut lists: Vec<(u8, &Asked<'_, M::Payload>)> = Vec::with_capacity(asked.len());
        for list in asked.iter().take_while(within) {
            let at = parts.binary_search_by_key(&list.key, |&(key, _)| key as u32);
            lists.extend(at.map(|at| (parts[at].1, list)));
        }
        let counted = lists.len() as f64 / asked.len() as f64;
        lists.sort_by_key(|&(part, _)| part);
        for (i, other) in self.scattered.iter().enumerate() {
            self.votes[(other.doc - first) as usize] = i as u64 + 1;
        }
        for (part, list) in lists {
            for posting in list.list {
                let at = self.votes[(posting.doc - first) as usize];
                if at > 0 {
                    self.scattered[at as usize - 1].count(part);
                }
            }
        }
        for Scattered { doc, votes, most, .. } in self.scattered.drain(..) {
            self.votes[(doc - first) as usize] = 0;
            if parts.is_empty()
                || meeting.is_together(&asker.facts, &known.facts(doc)?, most, counted)
            {
                let Judgement { kind, scores } = Judgement::UNKNOWN;
                self.chosen.push((votes, Partner { ordinal: Ordinal(doc), kind, scores }));
            }
        }
        Ok(())
    }

    /// Keeps the best answers.
    fn choose<M: Meeting>(
        &mut self,
        limits: Limits,
        known: &impl Known<M>,
        found: &mut Found,
    ) -> io::Result<()> {
        if self.chosen.len() > limits.most_partners {
            let mut in_order = Vec::with_capacity(self.chosen.len());
            for (votes, partner) in self.chosen.drain(..) {
                in_order.push((known.order(partner.ordinal.0)?, votes, partner));
            }
            in_order.sort_unstable_by(|(x_order, x_votes, x), (y_order, y_votes, y)| {
                let by_share = y.scores.containment().total_cmp(&x.scores.containment());
                let by_votes = by_share.then(y_votes.cmp(x_votes));
                by_votes.then(x_order.cmp(y_order)).then(x.ordinal.cmp(&y.ordinal))
            });
            self.chosen.extend(in_order.into_iter().map(|(_, votes, partner)| (votes, partner)));
            found.cuts.n_candidates_cut += (self.chosen.len() - limits.most_partners) as u64;
            self.chosen.truncate(limits.most_partners);
        }
        self.chosen.sort_unstable_by_key(|(_, partner)| partner.ordinal);
        found.partners.extend(self.chosen.drain(..).map(|(_, partner)| partner));
        Ok(())
    }
}
