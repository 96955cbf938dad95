//! Comparisons of a question and its parts with one document after the other.

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
        let Some(held) = self.held(asker) else {
            return align::compare(asker, self.document, asker.k());
        };
        let mut found = Comparison::default();
        held.compare(asker, &mut found);
        found
    }
}
