//! Documents that could not be read a second time, as their file has changed or gone.

use retold_core::document::Ordinal;
use retold_read::BadRecord;

use super::bits::Bits;
use super::intake;
use crate::progress::Progress;

/// A document that could not be read again, and why.
#[derive(Clone, Debug)]
pub(crate) struct Lost {
    pub(crate) doc: Ordinal,
    pub(crate) bad: BadRecord,
}

/// All of them, each told once, however many comparisons it would have been part of.
#[derive(Debug)]
pub(super) struct Losses {
    documents: Bits,
    first: Vec<BadRecord>,
}

impl Losses {
    /// None so far, of a collection of so many documents.
    pub(super) fn new(n_documents: usize) -> Self {
        Self { documents: Bits::new(n_documents), first: Vec::new() }
    }

    /// Takes one, and tells of it if it is new.
    pub(super) fn take(&mut self, lost: Lost, progress: &dyn Progress) {
        if !self.documents.insert(lost.doc) {
            return;
        }
        progress.bad(&lost.bad);
        if self.first.len() < intake::MOST_BAD {
            self.first.push(lost.bad);
        }
    }

    /// Adds them to the bad records of the first reading.
    pub(super) fn count(self, n_bad: &mut u64, bad: &mut Vec<BadRecord>) {
        *n_bad += self.documents.len();
        bad.extend(self.first);
        bad.truncate(intake::MOST_BAD);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    #[test]
    fn a_document_is_told_once_however_often_it_was_wanted() {
        let mut losses = Losses::new(10);
        for doc in [3, 7, 3, 3, 7] {
            let bad = BadRecord {
                file: format!("{doc}.txt"),
                record: None,
                offset: None,
                reason: "the file has changed".to_owned(),
            };
            losses.take(Lost { doc: Ordinal(doc), bad }, &Silent);
        }
        let (mut n_bad, mut bad) = (1, Vec::new());
        losses.count(&mut n_bad, &mut bad);
        assert_eq!(n_bad, 3);
        assert_eq!(bad.iter().map(|bad| &*bad.file).collect::<Vec<_>>(), ["3.txt", "7.txt"]);
    }
}
