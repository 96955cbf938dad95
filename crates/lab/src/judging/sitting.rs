//! One person's session of judging.

use super::judgement::{Answer, Judgement};
use super::pool::Entry;
use super::tally::{State, Tally};

/// Hands one person what still needs judgement.
///
/// The list is made once, at the beginning: nothing that the person judged before, and nothing
/// that is decided. Going back is for correcting what was just said.
#[derive(Clone, Debug)]
pub struct Sitting<'a> {
    tally: Tally<'a>,
    person: String,
    queue: Vec<usize>,
    at: usize,
    n_answered: usize,
}

impl<'a> Sitting<'a> {
    /// Begins with what needs a judgement of `person`, of one group or of all.
    pub fn new(tally: Tally<'a>, person: &str, group: Option<u32>) -> Self {
        let queue = tally.open_to(person, group);
        Self { tally, person: person.to_owned(), queue, at: 0, n_answered: 0 }
    }

    /// Returns what is to be judged now; none at the end.
    pub fn current(&self) -> Option<&'a Entry> {
        self.queue.get(self.at).map(|&entry| &self.tally.pool().entries()[entry])
    }

    /// Returns everything this sitting hands out, in order.
    pub fn queue(&self) -> impl Iterator<Item = &'a Entry> + '_ {
        self.queue.iter().map(|&entry| &self.tally.pool().entries()[entry])
    }

    /// Returns the place in the list, from 0.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Returns the length of the list.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Returns whether there was nothing to judge.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Returns how many answers were given.
    pub fn n_answered(&self) -> usize {
        self.n_answered
    }

    /// Returns what the person said of the current entry before going back to it.
    pub fn said(&self) -> Option<Answer> {
        let votes = self.tally.votes(*self.queue.get(self.at)?);
        let own = votes.iter().find(|vote| self.tally.people()[vote.person] == self.person);
        own.map(|vote| vote.answer)
    }

    /// Returns the judgement that an answer to the current entry makes, to be written down before
    /// [`answered`](Self::answered) goes on.
    pub fn judgement(&self, answer: Answer) -> Option<Judgement> {
        let &entry = self.queue.get(self.at)?;
        let is_own = |person: usize| self.tally.people()[person] == self.person;
        let of_others: Vec<_> =
            self.tally.votes(entry).iter().copied().filter(|vote| !is_own(vote.person)).collect();
        let question = self.tally.pool().header.question;
        Some(Judgement {
            subject: self.tally.pool().entries()[entry].subject.clone(),
            question,
            answer,
            by: self.person.clone(),
            breaks_tie: State::of(&of_others, question.n_judges()) == State::Split,
        })
    }

    /// Counts a judgement that was written down and goes on.
    pub fn answered(&mut self, judgement: &Judgement) {
        self.tally.put(judgement);
        self.n_answered += 1;
        self.skip();
    }

    /// Leaves the current entry for another time and goes on.
    pub fn skip(&mut self) {
        self.at = (self.at + 1).min(self.queue.len());
    }

    /// Goes back to the entry before; returns whether there is one.
    pub fn back(&mut self) -> bool {
        let can = self.at > 0;
        self.at = self.at.saturating_sub(1);
        can
    }
}
