//! Making documents again from their log, without random numbers.

use retold_core::document::Document;
use retold_core::hash;

use super::collection::Collection;
use super::edit::Draft;
use super::error::ReplayError;
use super::log::{Entry, Log};
use super::make::dressed;

/// Makes all documents of a log again, in its order.
pub fn replay(log: &Log, inputs: &[Document]) -> Result<Vec<Document>, ReplayError> {
    let collection = Collection::new(inputs);
    log.entries.iter().map(|entry| replay_entry(entry, &collection)).collect()
}

/// Makes one document again.
pub fn replay_entry(entry: &Entry, collection: &Collection) -> Result<Document, ReplayError> {
    let draft = draft(entry, collection)?;
    Ok(dressed(entry, draft.text().to_owned(), collection))
}

/// Makes one document again and tells where each stretch of it is from.
pub(super) fn draft(entry: &Entry, collection: &Collection) -> Result<Draft, ReplayError> {
    let output = || entry.output.clone();
    let mut draft = match &entry.input {
        None => Draft::default(),
        Some(name) => {
            let Some(number) = collection.find(name) else {
                return Err(ReplayError::Missing { output: output(), input: name.clone() });
            };
            if digits(collection.source(number).hash) != entry.input_hash {
                return Err(ReplayError::Different { output: output(), input: name.clone() });
            }
            Draft::whole(collection, number)
        }
    };
    for (i, step) in entry.steps.iter().enumerate() {
        draft = draft.apply(&step.edits, collection).map_err(|(edit, reason)| {
            ReplayError::Edit { output: output(), step: i + 1, edit: edit + 1, reason }
        })?;
    }
    if digits(hash::bytes(draft.text().as_bytes(), 0)) != entry.output_hash {
        return Err(ReplayError::Result { output: output() });
    }
    Ok(draft)
}

/// Writes a hash as it stands in logs.
pub(super) fn digits(hash: u64) -> String {
    format!("{hash:016x}")
}
