//! Which entries are decided, and which still need a judgement.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;

use super::judgement::{Answer, Judgement, Judgements};
use super::pool::{Entry, Pool, Subject};
use super::question::Question;

/// The answer of one person about one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vote {
    /// The person, as a position in [`Tally::people`].
    pub person: usize,
    /// The answer.
    pub answer: Answer,
    /// Whether it breaks a tie of others.
    pub breaks_tie: bool,
}

/// How far the judging of an entry has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Fewer people judged it than every entry needs.
    Waiting,
    /// Enough people judged it, but there is no majority: one more is needed.
    Split,
    /// At least two people answered yes or no, and more than gave the opposite answer.
    Decided(bool),
}

impl State {
    /// Returns the state of an entry that got `votes` and is judged by `n_judges` people.
    pub fn of(votes: &[Vote], n_judges: usize) -> Self {
        let n = |answer| votes.iter().filter(|vote| vote.answer == answer).count();
        let (yes, no) = (n(Answer::Yes), n(Answer::No));
        if votes.len() < n_judges {
            Self::Waiting
        } else if yes.max(no) >= 2 && yes != no {
            Self::Decided(yes > no)
        } else {
            Self::Split
        }
    }
}

/// How many entries are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// Decided with yes.
    pub n_yes: u64,
    /// Decided with no.
    pub n_no: u64,
    /// Enough judgements, but no majority.
    pub n_split: u64,
    /// Some judgements, not yet enough.
    pub n_begun: u64,
    /// No judgement.
    pub n_untouched: u64,
}

impl Standing {
    /// Returns all entries.
    pub fn n(&self) -> u64 {
        self.n_decided() + self.n_split + self.n_begun + self.n_untouched
    }

    /// Returns the entries that are decided.
    pub fn n_decided(&self) -> u64 {
        self.n_yes + self.n_no
    }

    fn count(&mut self, votes: &[Vote], state: State) {
        match state {
            State::Decided(true) => self.n_yes += 1,
            State::Decided(false) => self.n_no += 1,
            State::Split => self.n_split += 1,
            State::Waiting if votes.is_empty() => self.n_untouched += 1,
            State::Waiting => self.n_begun += 1,
        }
    }
}

/// Judgements set beside a pool.
#[derive(Clone, Debug)]
pub struct Tally<'a> {
    pool: &'a Pool,
    people: Vec<String>,
    /// Votes on each entry, by person.
    votes: Vec<Vec<Vote>>,
    /// Judgements that belong to another pool or question.
    pub n_elsewhere: usize,
}

impl<'a> Tally<'a> {
    /// Sets the judgements that count beside a pool.
    pub fn of(pool: &'a Pool, judgements: &Judgements) -> Self {
        let people: BTreeSet<&str> = judgements.iter().map(|said| said.by.as_str()).collect();
        let mut tally = Self {
            pool,
            people: people.into_iter().map(ToOwned::to_owned).collect(),
            votes: vec![Vec::new(); pool.entries().len()],
            n_elsewhere: 0,
        };
        for judgement in judgements.latest() {
            if !tally.put(judgement) {
                tally.n_elsewhere += 1;
            }
        }
        tally
    }

    /// Counts a judgement in the place of an earlier one of the same person; returns whether it
    /// belongs here.
    pub fn put(&mut self, judgement: &Judgement) -> bool {
        let question = self.pool.header.question;
        let found = match &judgement.subject.b {
            Some(b) => Subject::pair(question.direction(), &judgement.subject.a, b)
                .and_then(|subject| self.pool.find(&subject)),
            None => self.pool.find(&judgement.subject),
        };
        let Some(at) = found.filter(|_| judgement.question == question) else { return false };
        let known = self.people.iter().position(|name| *name == judgement.by);
        let person = known.unwrap_or_else(|| {
            self.people.push(judgement.by.clone());
            self.people.len() - 1
        });
        let vote = Vote { person, answer: judgement.answer, breaks_tie: judgement.breaks_tie };
        let votes = &mut self.votes[at];
        match votes.iter_mut().find(|held| held.person == person) {
            Some(held) => *held = vote,
            None => votes.push(vote),
        }
        true
    }

    /// Returns the pool.
    pub fn pool(&self) -> &'a Pool {
        self.pool
    }

    /// Returns everybody who judged, sorted as far as they were known from the beginning.
    pub fn people(&self) -> &[String] {
        &self.people
    }

    /// Returns the entries with their votes and states, in the order of the pool.
    pub fn iter(&self) -> impl Iterator<Item = (&'a Entry, &[Vote], State)> {
        let n_judges = self.pool.header.question.n_judges();
        self.pool
            .entries()
            .iter()
            .zip(&self.votes)
            .map(move |(entry, votes)| (entry, votes.as_slice(), State::of(votes, n_judges)))
    }

    /// Returns the votes on an entry.
    pub fn votes(&self, entry: usize) -> &[Vote] {
        &self.votes[entry]
    }

    /// Returns the state of an entry.
    pub fn state(&self, entry: usize) -> State {
        State::of(&self.votes[entry], self.pool.header.question.n_judges())
    }

    /// Returns the entries that need a judgement which `person` may give: not decided, and nothing
    /// that `person` has judged. With a group only its entries.
    pub fn open_to(&self, person: &str, group: Option<u32>) -> Vec<usize> {
        let person = self.people.iter().position(|name| name == person);
        let is_open = |&entry: &usize| {
            let is_here = group.is_none() || self.pool.entries()[entry].group == group;
            let has_judged = self.votes[entry].iter().any(|vote| Some(vote.person) == person);
            is_here && !has_judged && !matches!(self.state(entry), State::Decided(_))
        };
        (0..self.votes.len()).filter(is_open).collect()
    }

    /// Returns how many entries are in which state.
    pub fn standing(&self) -> Standing {
        let mut standing = Standing::default();
        self.iter().for_each(|(_, votes, state)| standing.count(votes, state));
        standing
    }

    /// Returns the states of each group; the first is group 1.
    pub fn standing_by_group(&self) -> Vec<Standing> {
        let mut by_group = vec![Standing::default(); self.pool.group_sizes().len()];
        for (entry, votes, state) in self.iter() {
            let group = entry.group.expect("every entry of a pool has its group");
            by_group[group as usize - 1].count(votes, state);
        }
        by_group
    }

    /// Returns the states of what each method nominated.
    pub fn standing_by_method(&self) -> BTreeMap<&'a str, Standing> {
        let mut by_method: BTreeMap<&str, Standing> = BTreeMap::new();
        for (entry, votes, state) in self.iter() {
            for method in &entry.by {
                by_method.entry(method).or_default().count(votes, state);
            }
        }
        by_method
    }

    /// Returns what is decided as a list of truth, a line each, and how many entries cannot stand
    /// in one because an id holds a tab or the end of a line.
    ///
    /// Columns are those of a list of pairs: `id_a`, `id_b`, the relation or `none`, and the votes;
    /// documents alone have no `id_b`, and are `duplicate` or `none`.
    pub fn reference(&self) -> (String, usize) {
        let question = self.pool.header.question;
        let is_alone = question == Question::Duplicate;
        let head = if is_alone { "id\trelation\tnote\n" } else { "id_a\tid_b\trelation\tnote\n" };
        let (mut list, mut n_left_out) = (head.to_owned(), 0);
        for (entry, votes, state) in self.iter() {
            let State::Decided(is_so) = state else { continue };
            let ids: Vec<&str> = [Some(&entry.subject.a), entry.subject.b.as_ref()]
                .into_iter()
                .flatten()
                .map(String::as_str)
                .collect();
            if ids.iter().any(|id| id.contains(['\t', '\n', '\r'])) {
                n_left_out += 1;
                continue;
            }
            let n = |answer| votes.iter().filter(|vote| vote.answer == answer).count();
            let [yes, no, unsure] = Answer::ALL.map(n);
            let relation = if is_so { question.relation() } else { "none" };
            let ids = ids.join("\t");
            writeln!(list, "{ids}\t{relation}\t{yes} yes, {no} no, {unsure} unsure")
                .expect("a string takes every byte");
        }
        (list, n_left_out)
    }
}
