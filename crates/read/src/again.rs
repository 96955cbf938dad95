//! Reading a document once more, by its place.
//!
//! Verification looks at documents again after their text has been dropped from memory. Each read
//! says at which byte it begins, so that threads can share an open file without a lock; only some
//! files stay open at a time.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use retold_core::document::Document;

use crate::access::Access;
use crate::bad::{BadRecord, Fault, quoted};
use crate::format::{Context, Format};
use crate::input::InputFile;
use crate::options::ReadOptions;
use crate::reader::Place;
use crate::sniff::{self, Told};
use crate::stream::HEAD_BYTES;
use crate::{scan, text};

/// Files that stay open at a time.
const OPEN_FILES: usize = 64;

/// Reads documents again.
pub struct Again {
    files: Vec<(InputFile, Option<SystemTime>)>,
    context: Context,
    open: Mutex<Open>,
}

/// Open files, oldest first.
#[derive(Default)]
struct Open {
    files: BTreeMap<u32, Arc<Opened>>,
    order: VecDeque<u32>,
}

struct Opened {
    access: Access,
    told: Told,
}

impl Again {
    /// Prepares for reading from `files`, with the options they were read with first.
    ///
    /// Files are remembered as they are now; one that changes later is refused.
    pub fn new(files: &[InputFile], options: &ReadOptions) -> Self {
        let modified = |path: &Path| path.metadata().and_then(|found| found.modified()).ok();
        let files =
            files.iter().map(|file| (file.clone(), file.path.as_deref().and_then(modified)));
        Self {
            files: files.collect(),
            context: Context::new(options.clone(), Arc::default()),
            open: Mutex::default(),
        }
    }

    /// Reads the document at `place`, whose id is `id`.
    ///
    /// *Errors*: the place cannot be read again, or the file is not what it was.
    pub fn document(&self, place: &Place, id: &str) -> Result<Document, BadRecord> {
        let Some((input, modified)) = self.files.get(place.file as usize) else {
            return Err(BadRecord::of_file("?", format!("no file has the number {}", place.file)));
        };
        let range = place.again.as_ref();
        let bad = |reason: String| {
            Fault { record: Some(0), offset: range.map(|range| range.start), reason }
                .into_bad(&input.name, place.record)
        };
        let range = range.ok_or_else(|| bad("cannot be read again by position".to_owned()))?;
        let opened = self.opened(place.file, input, *modified).map_err(bad)?;
        let longest = self.context.limits().document_bytes.max(self.context.limits().line_bytes);
        let n = range.end.saturating_sub(range.start);
        if n > longest {
            return Err(bad(text::too_large(longest)));
        }
        let mut bytes = vec![0; n as usize];
        opened
            .access
            .read_exact_at(&mut bytes, range.start)
            .map_err(|error| bad(format!("cannot be read again: {error}")))?;
        let mut document = self.parse(bytes, opened.told).map_err(bad)?;
        if document.id.is_empty() {
            // A record without an id was given one made of its place, and is given it again.
            id.clone_into(&mut document.id);
        } else if document.id != id {
            let found = quoted(&document.id);
            return Err(bad(format!(
                "the file has changed: expected {}, found {found}",
                quoted(id)
            )));
        }
        Ok(document)
    }

    fn parse(&self, bytes: Vec<u8>, told: Told) -> Result<Document, String> {
        let forced = self.context.options.encoding.as_deref();
        match told.format {
            Format::Jsonl | Format::Json => {
                let json = simdutf8::basic::from_utf8(&bytes)
                    .map_err(|_| "the file has changed: the line is not UTF-8".to_owned())?;
                let depth = self.context.limits().json_depth;
                scan::document(json, &self.context.names, depth)
                    .map_err(|error| format!("the file has changed: {}", error.reason))
            }
            format => text::document(bytes, format, forced),
        }
    }

    fn opened(
        &self,
        number: u32,
        input: &InputFile,
        modified: Option<SystemTime>,
    ) -> Result<Arc<Opened>, String> {
        let known =
            self.open.lock().unwrap_or_else(PoisonError::into_inner).files.get(&number).cloned();
        if let Some(opened) = known {
            return unchanged(&opened.access, input, modified).map(|()| opened);
        }
        let path = input.path.as_ref().ok_or("standard input cannot be read again")?;
        let file = File::open(path).map_err(|error| format!("cannot be opened again: {error}"))?;
        let access = Access::of_file(file).map_err(|error| error.to_string())?;
        unchanged(&access, input, modified)?;
        let length = access.bytes();
        let mut head = vec![0; usize::try_from(length).unwrap_or(usize::MAX).min(HEAD_BYTES)];
        access
            .read_exact_at(&mut head, 0)
            .map_err(|error| format!("cannot be read again: {error}"))?;
        let told = sniff::tell(&head, length <= HEAD_BYTES as u64, &input.name, &self.context)?;
        let opened = Arc::new(Opened { access, told });
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.files.insert(number, Arc::clone(&opened)).is_none() {
            open.order.push_back(number);
        }
        if open.order.len() > OPEN_FILES
            && let Some(oldest) = open.order.pop_front()
        {
            open.files.remove(&oldest);
        }
        Ok(opened)
    }
}

/// Checks that a file has the size and time it had.
fn unchanged(
    access: &Access,
    input: &InputFile,
    modified: Option<SystemTime>,
) -> Result<(), String> {
    let metadata = access.metadata().map_err(|error| error.to_string())?;
    if input.bytes > 0 && metadata.len() != input.bytes {
        let (now, then) = (metadata.len(), input.bytes);
        return Err(format!("the file has changed: it had {then} bytes and has {now}"));
    }
    if modified.is_some() && metadata.modified().ok() != modified {
        return Err("the file has changed: it was written to in the meantime".to_owned());
    }
    Ok(())
}
