//! Comparisons of a question and its parts with one document after the other.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use retold_core::relation::Kind;
use retold_core::verify::Profile;
use retold_core::verify::align::{self, Bench, Comparison, Held};
use retold_core::verify::rule::Rule;

/// A document with which a question and its parts are compared: it goes into a table once.
pub(super) struct Compared<'a> {
    document: &'a Profile,
    rule: Rule,
    table: Option<&'a mut Bench>,
    held: Option<Held<'a>>,
}

impl<'a> Compared<'a> {
    pub(super) fn new(document: &'a Profile, rule: Rule, table: &'a mut Bench) -> Self {
        Self { document, rule, table: Some(table), held: None }
    }

    /// Returns the document as the longer one of a pair; `None` if the asker is longer.
    fn held(&mut self, asker: &Profile) -> Option<&mut Held<'a>> {
        if asker.n_words() > self.document.n_words() {
            return None;
        }
        if let Some(table) = self.table.take() {
            self.held = Some(table.hold(self.document));
        }
        self.held.as_mut()
    }

    /// Says how an asker is related to the document; `None` if it is not.
    pub(super) fn verify(&mut self, asker: &Profile) -> Option<(Kind, Comparison)> {
        let rule = self.rule;
        let Some(held) = self.held(asker) else { return align::judge(asker, self.document, rule) };
        let mut found = Comparison::default();
        let kind = held.judge(asker, rule, &mut found)?;
        Some((kind, found))
    }

    /// Returns what an asker and the document have in common.
    pub(super) fn compare(&mut self, asker: &Profile) -> Comparison {
        let edits = self.rule.edits;
        let Some(held) = self.held(asker) else {
            return align::compare(asker, self.document, asker.k(), self.rule.edits);
        };
        let mut found = Comparison::default();
        held.compare(asker, edits, &mut found);
        found
    }
}

/// How many different shingles documents have, once somebody had to count them.
pub(super) struct Counted {
    n_ordinals: usize,
    /// 0 where nobody counted.
    counts: OnceLock<Box<[AtomicU32]>>,
}

impl Counted {
    pub(super) fn new(n_ordinals: usize) -> Self {
        Self { n_ordinals, counts: OnceLock::new() }
    }

    pub(super) fn get(&self, doc: u32) -> Option<usize> {
        let count = self.counts.get()?.get(doc as usize)?.load(Ordering::Relaxed);
        (count > 0).then_some(count as usize)
    }

    pub(super) fn put(&self, doc: u32, count: usize) {
        let none = || (0..self.n_ordinals).map(|_| AtomicU32::new(0)).collect();
        if let Some(known) = self.counts.get_or_init(none).get(doc as usize) {
            // A number that does not fit stays unknown.
            known.store(u32::try_from(count).unwrap_or(0), Ordering::Relaxed);
        }
    }
}
