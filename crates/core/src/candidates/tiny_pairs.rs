//! Which tiny documents stand in which long ones, once it is known who holds which code.
//!
//! A tiny document must have most of its codes in a long one. So whoever is missing from more lists
//! than that allows is out: the shortest lists bring documents in, and longer ones only count for
//! documents that are in.

use std::io;

use super::Cuts;
use super::meeting::Meeting;
use super::probe::Codes;
use crate::document::Ordinal;
use crate::scratch::Sorted;

/// Steps that looking one document up in a list takes, about.
const SEARCH_STEPS: usize = 12;

/// The codes of a tiny document.
#[derive(Debug)]
pub(super) struct CodesOf {
    doc: u32,
    /// Number of each code, and how many tiny documents before this one have it.
    codes: Vec<(u32, u32)>,
}

impl CodesOf {
    /// Returns the codes of all tiny documents, by ordinal.
    pub(super) fn all(codes: &Codes) -> Vec<Self> {
        let mut both: Vec<(u32, u32, u32)> = Vec::new();
        for at in 0..codes.len() {
            let docs = codes.docs(at).iter();
            both.extend((0..).zip(docs).map(|(before, &doc)| (doc, at as u32, before)));
        }
        both.sort_unstable();
        let of_doc = |same: &[(u32, u32, u32)]| Self {
            doc: same[0].0,
            codes: same.iter().map(|&(_, at, before)| (at, before)).collect(),
        };
        both.chunk_by(|x, y| x.0 == y.0).map(of_doc).collect()
    }
}

/// The long documents that hold each code of some tiny ones.
pub(super) struct Holders {
    /// Where the list of each code starts; one more at the end.
    starts: Vec<u32>,
    docs: Vec<u32>,
}

impl Holders {
    /// Takes the lists of the codes of some tiny documents from all hits, which are codes with long
    /// documents that hold them.
    pub(super) fn of(
        hits: &Sorted<(u32, u32)>,
        n_codes: usize,
        tiny: &[CodesOf],
    ) -> io::Result<Self> {
        let mut is_wanted = vec![false; n_codes];
        for &(at, _) in tiny.iter().flat_map(|tiny| &tiny.codes) {
            is_wanted[at as usize] = true;
        }
        let mut starts = vec![0u32; n_codes + 1];
        let mut docs = Vec::new();
        let mut last = None;
        for hit in hits {
            let hit = hit?;
            // A code may stand in one document under several of its own codes.
            if is_wanted[hit.0 as usize] && last.replace(hit) != Some(hit) {
                starts[hit.0 as usize + 1] += 1;
                docs.push(hit.1);
            }
        }
        for at in 0..n_codes {
            starts[at + 1] += starts[at];
        }
        Ok(Self { starts, docs })
    }

    fn list(&self, at: u32) -> &[u32] {
        let at = at as usize;
        &self.docs[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// Votes of one thread.
#[derive(Default)]
pub(super) struct Votes {
    votes: Vec<u8>,
    known: Vec<u32>,
}

/// What pairs tiny documents with long ones.
pub(super) struct Pairing<'a, M> {
    pub(super) meeting: &'a M,
    pub(super) codes: &'a Codes,
    pub(super) border: Option<Ordinal>,
    /// Documents before the asker that a code counts for.
    pub(super) stop: usize,
}

impl<M: Meeting> Pairing<'_, M> {
    /// Returns who may answer a document: those before it, or before the border.
    fn before(&self, doc: u32) -> u32 {
        self.border.map_or(doc, |border| if doc >= border.0 { border.0 } else { 0 })
    }

    /// Returns the parts of a list for which a code of a tiny document counts: documents that answer
    /// it, and documents that it answers.
    fn counted<'l>(&self, doc: u32, n_before: u32, list: &'l [u32]) -> [&'l [u32]; 2] {
        let n = list.partition_point(|&long| long < self.before(doc));
        let answers = &list[..n.min(self.stop)];
        let first_asker = match self.border {
            None => doc,
            Some(border) if doc < border.0 => border.0,
            Some(_) => return [answers, &[]],
        };
        if n_before as usize >= self.stop {
            return [answers, &[]];
        }
        [answers, &list[list.partition_point(|&long| long < first_asker)..]]
    }

    /// Adds the pairs of a tiny document, as (later, earlier).
    pub(super) fn pair_up(
        &self,
        tiny: &CodesOf,
        holders: &Holders,
        room: &mut Votes,
        found: &mut Vec<(u32, u32)>,
    ) {
        let Votes { votes, known } = room;
        let n = tiny.codes.len();
        let least = self.meeting.least_codes(n).max(1);
        let mut lists: Vec<[&[u32]; 2]> = tiny
            .codes
            .iter()
            .map(|&(at, n_before)| self.counted(tiny.doc, n_before, holders.list(at)))
            .collect();
        lists.sort_by_key(|parts| parts[0].len() + parts[1].len());
        for (i, parts) in lists.into_iter().enumerate() {
            for list in parts {
                let Some(&last) = list.last() else { continue };
                if votes.len() <= last as usize {
                    votes.resize(last as usize + 1, 0);
                }
                if i + least <= n {
                    for &long in list {
                        let votes = &mut votes[long as usize];
                        if *votes == 0 {
                            known.push(long);
                        }
                        *votes = votes.saturating_add(1);
                    }
                } else if known.len() * SEARCH_STEPS < list.len() {
                    for &long in known.iter() {
                        if list.binary_search(&long).is_ok() {
                            votes[long as usize] = votes[long as usize].saturating_add(1);
                        }
                    }
                } else {
                    for &long in list {
                        let votes = &mut votes[long as usize];
                        if *votes > 0 {
                            *votes = votes.saturating_add(1);
                        }
                    }
                }
            }
        }
        let enough = u8::try_from(least).unwrap_or(u8::MAX);
        for long in known.drain(..) {
            if std::mem::take(&mut votes[long as usize]) >= enough {
                found.push((long.max(tiny.doc), long.min(tiny.doc)));
            }
        }
    }

    /// Counts, for every document that asks, the codes that more than [`Self::stop`] documents before
    /// it have.
    pub(super) fn count_cuts(&self, hits: &Sorted<(u32, u32)>, cuts: &mut Cuts) -> io::Result<()> {
        let mut count = |at: u32, long: &[u32]| {
            let tiny = self.codes.docs(at as usize);
            for (askers, others) in [(tiny, long), (long, tiny)] {
                if others.len() <= self.stop {
                    continue;
                }
                for &asker in askers {
                    let n = others.partition_point(|&other| other < self.before(asker));
                    cuts.n_stop_features += u64::from(n > self.stop);
                }
            }
        };
        let mut group: (u32, Vec<u32>) = (0, Vec::new());
        for hit in hits {
            let (at, doc) = hit?;
            if at != group.0 {
                count(group.0, &group.1);
                group.0 = at;
                group.1.clear();
            }
            if group.1.last() != Some(&doc) {
                group.1.push(doc);
            }
        }
        if !group.1.is_empty() {
            count(group.0, &group.1);
        }
        Ok(())
    }
}
