//! One search: a document asks the lists of its keys. The same for every engine.
//!
//! Lists are read from the shortest to the longest; among short ones the order does not matter. What a
//! search leaves out is decided by the number of documents *before* the asker in each list, never by what comes after it, so a
//! collection, two collections, a question and a stream get the same answers.

use std::borrow::Cow;
use std::io;

use super::lists::Posting;
use super::meeting::{Common, Limits, Meeting, Met, Payload, SHORT_LIST, Shared, Weighed};
use super::{Found, Judgement, Partner};
use crate::document::Ordinal;

/// A list that a document asks, up to the documents that may answer.
pub(super) struct Asked<'a, P> {
    /// Lower bits of the key: what decides between lists of one length.
    pub(super) key: u32,
    pub(super) payload: P,
    pub(super) list: &'a [Posting<P>],
    /// What the list has besides.
    pub(super) hidden: Hidden,
}

/// Entries of a list that are counted and not at hand: those between the first ones, more than
/// [`Limits::stop`], and the last ones. Only documents that are known otherwise are looked for in them
/// ([`Known::hidden`]).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hidden {
    /// Entries.
    pub(super) n: usize,
    /// What [`Known`] finds the list by.
    pub(super) list: u64,
}

impl<P> Asked<'_, P> {
    /// Returns the number of all entries.
    fn len(&self) -> usize {
        self.list.len() + self.hidden.n
    }
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
    /// Documents with which the shared keys have to lie close together, and their votes.
    perhaps_close: Vec<(u32, u64)>,
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

    /// Returns whether a document answers nobody any more. The default is that all answer.
    fn is_gone(&self, _doc: u32) -> bool {
        false
    }

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

    /// Returns what a document brings along in the hidden part of a list, if it stands there.
    fn hidden(&self, _doc: u32, _hidden: Hidden) -> io::Result<Option<M::Payload>> {
        Ok(None)
    }

    /// Returns in how many hidden parts a document may stand, as far as [`Known::hidden`] could not say.
    fn n_open(&self, _doc: u32) -> u64 {
        0
    }

    /// Puts documents into the order in which images are looked at, if there are more of them than
    /// may be. The default is to leave them as they answered.
    fn put_in_order(&self, _docs: &mut [u32]) -> io::Result<()> {
        Ok(())
    }
}

/// Puts lists into the order in which they are read: the short ones as they stand, which are all read
/// whatever the limits, then the longer ones from the shortest to the longest.
fn put_long_last<P: Payload>(asked: &mut Vec<Asked<'_, P>>, stop: usize) {
    let long = asked.extract_if(.., |list| list.len() > SHORT_LIST.min(stop));
    let mut long: Vec<Asked<'_, P>> = long.collect();
    long.sort_unstable_by_key(|list| (list.len(), list.key, list.payload));
    asked.append(&mut long);
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
        asked.retain(|list| list.len() > 0);
        if asked.is_empty() {
            return Ok(());
        }
        put_long_last(asked, limits.stop);
        if self.votes.len() < n_docs {
            self.votes.resize(n_docs, 0);
        }
        let n_unread = self.read(meeting, &asker.facts, limits, asked, first, known, found)?;
        self.weigh(meeting, &mut asker, limits, n_unread, first, known, found)?;
        if !self.scattered.is_empty() {
            self.gather(meeting, &mut asker, limits, asked, first, known)?;
        }
        if !self.perhaps_close.is_empty() {
            self.keep_close(meeting, limits, asked, first);
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
        let n_not_common = asked.partition_point(|list| list.len() <= stop);
        let n_short = asked.partition_point(|list| list.len() <= SHORT_LIST.min(stop));
        let long = &asked[n_short..n_not_common];
        let n_reads: usize = long.iter().map(|list| list.list.len()).sum();
        let stride = n_reads.div_ceil(most_reads.max(1)).max(1);
        found.cuts.n_searches_cut += u64::from(stride > 1);
        for list in &asked[..n_short] {
            self.add(meeting, list.payload, list.list, first);
        }
        let is_read = |list: &Asked<'_, M::Payload>| {
            stride == 1 || (list.key as usize).is_multiple_of(stride)
        };
        for list in long.iter().filter(|list| is_read(list)) {
            self.add(meeting, list.payload, list.list, first);
        }
        let common_lists = &asked[n_not_common..];
        let share = match common {
            Common::Nothing => {
                found.cuts.n_stop_features += common_lists.len() as u64;
                return Ok(0);
            }
            Common::Skip(share) => share,
            Common::First(most) => {
                found.cuts.n_stop_features += common_lists.len() as u64;
                for list in common_lists {
                    let n = most.min(list.len());
                    found.cuts.n_candidates_cut += (list.len() - n) as u64;
                    self.add(meeting, list.payload, &known.first(list.list, n)?, first);
                }
                return Ok(0);
            }
        };
        found.cuts.n_stop_features += common_lists.len() as u64;
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
            let n_steps = list.len().min(self.answered.len() * SEARCH_STEPS);
            if n_steps > n_left {
                n_unread += 1;
                continue;
            }
            n_left -= n_steps;
            self.count(meeting, list, is_common, first, known)?;
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
        known: &impl Known<M>,
    ) -> io::Result<()> {
        let vote = |payload: M::Payload| {
            let vote = meeting.vote(asked.payload, payload);
            if is_common { meeting.common_vote(vote) } else { vote }
        };
        if asked.hidden.n > 0 || self.answered.len() * SEARCH_STEPS < asked.list.len() {
            for &doc in &self.answered {
                let at = asked.list.binary_search_by_key(&doc, |posting| posting.doc);
                let payload = match at {
                    Ok(at) => Some(asked.list[at].payload),
                    Err(_) if asked.hidden.n > 0 => known.hidden(doc, asked.hidden)?,
                    Err(_) => None,
                };
                self.votes[(doc - first) as usize] += payload.map_or(0, vote);
            }
            return Ok(());
        }
        for posting in asked.list {
            let votes = &mut self.votes[(posting.doc - first) as usize];
            if *votes > 0 {
                *votes += vote(posting.payload);
            }
        }
        Ok(())
    }

    #[inline]
    fn add<M: Meeting>(
        &mut self,
        meeting: &M,
        asked: M::Payload,
        list: &[Posting<M::Payload>],
        first: u32,
    ) {
        let more = meeting.list_vote(list.len());
        for posting in list {
            let vote = meeting.vote(asked, posting.payload);
            if vote == 0 {
                continue;
            }
            let votes = &mut self.votes[(posting.doc - first) as usize];
            if *votes == 0 {
                self.answered.push(posting.doc);
            }
            *votes += vote + more;
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
            if known.is_gone(doc) {
                continue;
            }
            let met = Met { votes, n_unread };
            let n_open = known.n_open(doc);
            if n_open > 0 {
                // It may have more votes than were counted: if they could decide, its image tells.
                let more =
                    meeting.common_vote(meeting.vote(Default::default(), Default::default()));
                let most = Met { votes: votes + n_open * more, n_unread };
                let is_bounded = M::Payload::BYTES == 0;
                let weighed = meeting.weigh(&asker.facts, &known.facts(doc)?, most);
                if !is_bounded || !matches!(weighed, Weighed::No) {
                    known.image(doc)?;
                }
            }
            let judgement = match meeting.weigh(&asker.facts, &known.facts(doc)?, met) {
                Weighed::No => continue,
                Weighed::Yes(judgement) => judgement,
                Weighed::IfTogether => {
                    self.scattered.push(Scattered::new(doc, votes));
                    continue;
                }
                Weighed::IfClose => {
                    self.perhaps_close.push((doc, votes));
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
            let n = list.len();
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

    /// Keeps the answers whose shared keys lie close together in both documents.
    fn keep_close<M: Meeting>(
        &mut self,
        meeting: &M,
        limits: Limits,
        asked: &mut [Asked<'_, M::Payload>],
        first: u32,
    ) {
        asked.sort_unstable_by_key(|list| (list.payload, list.key));
        let mut shared: Vec<Vec<Shared<M::Payload>>> = vec![Vec::new(); self.perhaps_close.len()];
        for (i, &(doc, _)) in self.perhaps_close.iter().enumerate() {
            self.votes[(doc - first) as usize] = i as u64 + 1;
        }
        for list in asked.iter().filter(|list| list.len() <= limits.stop) {
            let more = meeting.list_vote(list.len());
            for posting in list.list {
                let at = self.votes[(posting.doc - first) as usize];
                let vote = meeting.vote(list.payload, posting.payload);
                if at > 0 && vote > 0 {
                    let (asked, held, votes) = (list.payload, posting.payload, vote + more);
                    shared[at as usize - 1].push(Shared { asked, held, votes });
                }
            }
        }
        for ((doc, votes), shared) in self.perhaps_close.drain(..).zip(shared) {
            self.votes[(doc - first) as usize] = 0;
            if meeting.is_close(&shared) {
                let Judgement { kind, scores } = Judgement::UNKNOWN;
                self.chosen.push((votes, Partner { ordinal: Ordinal(doc), kind, scores }));
            }
        }
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
