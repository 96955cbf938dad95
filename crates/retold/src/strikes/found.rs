//! Strikes in memory.

use super::{LeftRow, StrikeRow, StrikeSink};
use crate::error::Error;

/// Keeps strikes, and what is left of every document, in memory.
///
/// ```
/// use retold::{Document, Documents, Strike, Struck};
///
/// let mut struck = Struck::new();
/// Strike::new(Documents::new(vec![Document::plain("a", "some text")])).run(&mut struck)?;
/// assert!(struck.strikes().is_empty());
/// assert_eq!((struck.texts()[0].as_str(), struck.documents()[0].left), ("some text", 1.0));
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Struck {
    strikes: Vec<StrikeRow>,
    documents: Vec<LeftRow>,
    texts: Vec<String>,
}

impl Struck {
    /// Makes an empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns all strikes, by document and from left to right.
    pub fn strikes(&self) -> &[StrikeRow] {
        &self.strikes
    }

    /// Returns how much is left of every document, in the order in which they were read.
    pub fn documents(&self) -> &[LeftRow] {
        &self.documents
    }

    /// Returns what is left of every text, in the same order.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }
}

impl StrikeSink for Struck {
    fn begin(&mut self) -> Result<(), Error> {
        *self = Self::default();
        Ok(())
    }

    fn wants_texts(&self) -> bool {
        true
    }

    fn document(
        &mut self,
        row: &LeftRow,
        strikes: &[StrikeRow],
        original: Option<&str>,
    ) -> Result<(), Error> {
        let original = original.unwrap_or_default();
        let (mut left, mut from) = (String::new(), 0);
        for strike in strikes {
            left.push_str(&original[from..strike.span.start as usize]);
            from = strike.span.end as usize;
        }
        left.push_str(&original[from..]);
        self.texts.push(left);
        self.documents.push(row.clone());
        self.strikes.extend_from_slice(strikes);
        Ok(())
    }
}
