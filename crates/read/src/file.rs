//! One file from its first byte to its last: containers taken off, the format told, chunks cut.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use crate::bad::{BadRecord, Fault};
use crate::format::{Chunk, Context, Opened, Source};
use crate::reader::{FileDigest, Piece, Shared};
use crate::stream::{Stream, Tallied, Tally};
use crate::{encoding, sniff};

/// Reads one file.
pub(crate) struct FileReader {
    shared: Arc<Shared>,
    file: u32,
    label: Arc<str>,
    tally: Tally,
    source: Option<Box<dyn Source>>,
    next_record: u64,
    kind: String,
    is_broken: bool,
    is_done: bool,
    /// Faults found outside a format reader.
    faults: Vec<Fault>,
}

impl FileReader {
    /// Opens a file; what goes wrong is told by the first piece.
    pub(crate) fn open(shared: &Arc<Shared>, file: u32) -> Self {
        let input = &shared.files[file as usize];
        let mut reader = Self {
            shared: Arc::clone(shared),
            file,
            label: input.name.as_str().into(),
            tally: Tally::new(Arc::clone(&shared.bytes_read)),
            source: None,
            next_record: 0,
            kind: "unknown".to_owned(),
            is_broken: false,
            is_done: false,
            faults: Vec::new(),
        };
        if let Err(reason) = reader.start() {
            reader.is_broken = true;
            reader.faults.push(Fault::rest(None, reason));
        }
        reader
    }

    fn start(&mut self) -> Result<(), String> {
        let input = &self.shared.files[self.file as usize];
        let stream: Box<dyn Read + Send> = match &input.path {
            None => Box::new(io::stdin()),
            Some(path) => {
                let file =
                    File::open(path).map_err(|error| format!("cannot be opened: {error}"))?;
                let metadata = file.metadata().map_err(|error| error.to_string())?;
                if !metadata.is_file() {
                    return Err("is no longer a regular file".to_owned());
                }
                // A file that grows while it is read ends where it ended when it was opened.
                // Kernel files say 0 and are read to their end.
                if metadata.len() > 0 {
                    Box::new(file.take(metadata.len()))
                } else {
                    Box::new(file)
                }
            }
        };
        let is_file = input.path.is_some();
        let stream = Stream::new(Tallied::new(stream, self.tally.clone()));
        let name = input.name.clone();
        self.source = Some(self.enter(stream, &name, is_file)?);
        Ok(())
    }

    /// Tells the format of a stream and opens it.
    fn enter(
        &mut self,
        mut stream: Stream,
        name: &str,
        is_file: bool,
    ) -> Result<Box<dyn Source>, String> {
        let context: &Arc<Context> = &self.shared.context;
        stream.head().map_err(|error| format!("cannot be read: {error}"))?;
        let is_all = stream.head_is_all();
        let head = stream.head().map_err(|error| format!("cannot be read: {error}"))?;
        let told = sniff::tell(head, is_all, name, context)?;
        self.kind = told.format.to_string();
        let mut is_seekable = is_file;
        if told.format.spec().holds_records
            && let Some((encoding, mark)) = told.encoding
        {
            stream.skip_head(mark);
            if encoding != encoding::Encoding::UTF_8 {
                is_seekable = false;
                stream = Stream::new(encoding::Transcoder::new(stream, encoding));
            }
        }
        let opened = Opened { stream, context: Arc::clone(context), is_seekable };
        Ok((told.format.spec().open)(opened))
    }

    /// Returns the next piece of the file.
    pub(crate) fn next(&mut self) -> Option<Piece> {
        if let Some(fault) = self.faults.pop() {
            return Some(self.piece(Chunk::fault(fault)));
        }
        if let Some(chunk) = self.source.as_mut().and_then(|source| source.next()) {
            return Some(self.piece(chunk));
        }
        if !self.is_done {
            self.is_done = true;
            self.finish();
        }
        None
    }

    fn piece(&mut self, chunk: Chunk) -> Piece {
        let first = self.next_record;
        self.next_record += chunk.records;
        Piece { file: self.file, label: Arc::clone(&self.label), first, chunk }
    }

    fn finish(&mut self) {
        self.source = None;
        let digest = FileDigest {
            file: self.file,
            name: self.shared.files[self.file as usize].name.clone(),
            bytes: self.tally.bytes(),
            blake3: self.tally.hex(),
            kind: std::mem::take(&mut self.kind),
            is_complete: !self.is_broken,
        };
        self.shared.note(digest);
    }
}

impl Piece {
    /// Turns the piece into records.
    pub(crate) fn parse(self, each: &mut dyn FnMut(Result<crate::Record, BadRecord>)) {
        use crate::format::Work;
        let Self { file, label, first, chunk } = self;
        let mut place = |result: Result<crate::format::Draft, Fault>| {
            each(match result {
                Ok(draft) => {
                    let mut document = draft.document;
                    let record = first + draft.record;
                    if document.id.is_empty() {
                        document.id = if draft.is_whole {
                            label.to_string()
                        } else {
                            format!("{label}#{record}")
                        };
                    }
                    Ok(crate::Record {
                        document,
                        place: crate::Place { file, record, again: draft.again },
                    })
                }
                Err(fault) => Err(fault.into_bad(&label, first)),
            });
        };
        match chunk.work {
            Work::Ready(drafts) => drafts.into_iter().for_each(place),
            Work::Later(parse) => parse(&mut place),
        }
    }
}
