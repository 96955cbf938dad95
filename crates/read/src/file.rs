//! Reads one file: opens compression and archives, finds the format out and hands over chunks.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use crate::access::Access;
use crate::archive::{Member, Members};
use crate::bad::{BadRecord, Fault};
use crate::compress::{Compression, Ratio};
use crate::encoding::{Encoding, Transcoder};
use crate::format::{Chunk, Draft, Format, Input, Opened, Source, Work};
use crate::reader::{FileDigest, Piece, Place, Record, Shared};
use crate::sniff;
use crate::stream::{Fixed, Stream, Tallied, Tally};
use crate::{office, tar, zip};

/// Reads one file.
pub(crate) struct FileReader {
    shared: Arc<Shared>,
    file: u32,
    tally: Tally,
    /// Size when opened, if known.
    bytes: Option<u64>,
    /// Archives being walked, the outermost first, each with its label and nesting.
    archives: Vec<(Box<dyn Members>, Arc<str>, u32)>,
    /// The stream being cut, and its label.
    source: Option<(Box<dyn Source>, Arc<str>)>,
    /// The bytes of a file that is read by position; at the end they are read in order, for the
    /// digest.
    unread: Option<Stream>,
    next_record: u64,
    kind: Option<String>,
    skipped: u64,
    is_broken: bool,
    is_done: bool,
    /// Whether no format reader is opened, and what it would have been given instead.
    keeps_raw: bool,
    raw: Option<Raw>,
    /// A fault found outside a format reader.
    fault: Option<(Fault, Arc<str>)>,
}

/// A file opened up to its format.
pub(crate) struct Raw {
    pub(crate) format: Format,
    pub(crate) opened: Opened,
    /// The outermost compression.
    pub(crate) compression: Option<Compression>,
    /// Counts and hashes what is read of the file.
    pub(crate) tally: Tally,
    /// The bytes of a file that is read by position. They are to be read in order, for the digest.
    pub(crate) unread: Option<Stream>,
}

/// A stream on its way through the containers.
struct Layer {
    stream: Stream,
    label: Arc<str>,
    /// Name without the endings of containers, such as `.gz`. It decides the format if the content
    /// does not.
    name: String,
    /// Containers around it so far.
    nesting: u32,
    access: Option<Access>,
    /// Compressions taken off, innermost first.
    compressions: Vec<Compression>,
    /// Their ratios.
    ratios: Vec<Ratio>,
}

impl FileReader {
    /// Opens a file. If that fails, the first piece holds the fault.
    pub(crate) fn open(shared: &Arc<Shared>, file: u32) -> Self {
        Self::new(shared, file, false)
    }

    /// Opens a file up to its format, for copying; archives have none.
    pub(crate) fn open_raw(shared: &Arc<Shared>, file: u32) -> Result<Option<Raw>, String> {
        let mut reader = Self::new(shared, file, true);
        match reader.fault.take() {
            Some((fault, _)) => Err(fault.reason),
            None => Ok(reader.raw.take()),
        }
    }

    fn new(shared: &Arc<Shared>, file: u32, keeps_raw: bool) -> Self {
        let label: Arc<str> = shared.files[file as usize].name.as_str().into();
        let mut reader = Self {
            shared: Arc::clone(shared),
            file,
            tally: Tally::new(Arc::clone(&shared.bytes_read)),
            bytes: None,
            archives: Vec::new(),
            source: None,
            unread: None,
            next_record: 0,
            kind: None,
            skipped: 0,
            is_broken: false,
            is_done: false,
            keeps_raw,
            raw: None,
            fault: None,
        };
        if let Err(reason) = reader.start(&label) {
            reader.fault = Some((Fault::rest(None, reason), label));
        }
        reader
    }

    fn start(&mut self, label: &Arc<str>) -> Result<(), String> {
        let input = &self.shared.files[self.file as usize];
        let mut access = None;
        let raw: Box<dyn Read + Send> = match &input.path {
            None => Box::new(io::stdin()),
            Some(path) => {
                let open = || {
                    // Checked first, because opening a FIFO waits for its writer.
                    if !path.metadata()?.is_file() {
                        return Err(io::Error::other("it is no longer a regular file"));
                    }
                    File::open(path)
                };
                let file = open().map_err(|error| format!("cannot be opened: {error}"))?;
                let shared = file.try_clone().and_then(Access::of_file);
                let shared = shared.map_err(|error| format!("cannot be opened: {error}"))?;
                let bytes = shared.bytes();
                // Kernel files claim to be empty and are read to their end.
                if bytes > 0 {
                    self.bytes = Some(bytes);
                    access = Some(shared);
                    Box::new(Fixed::new(file, bytes))
                } else {
                    Box::new(file)
                }
            }
        };
        let stream = Stream::new(Tallied::new(raw, self.tally.clone()));
        let name = input.name.clone();
        let label = Arc::clone(label);
        self.enter(Layer {
            stream,
            label,
            name,
            nesting: 0,
            access,
            compressions: Vec::new(),
            ratios: Vec::new(),
        })
    }

    /// Takes containers off a stream until a format or an archive is reached.
    fn enter(&mut self, mut layer: Layer) -> Result<(), String> {
        let limits = *self.shared.context.limits();
        loop {
            let cannot = |error: io::Error| format!("cannot be read: {error}");
            let head = layer.stream.head().map_err(cannot)?;
            let compression = Compression::shown_by(head, &layer.name);
            let is_tar = tar::shows(head);
            // Office files and books are documents, although they are archives as well.
            let is_zip = zip::shows(head) && !office::is_document(head, &layer.name);
            // A compressed tar counts as one container.
            let is_inside = is_tar && layer.compressions.len() == 1 && self.archives.is_empty();
            let is_container = compression.is_some() || is_zip || is_tar;
            if is_container && !is_inside {
                layer.nesting += 1;
                if layer.nesting > limits.nesting {
                    return Err(nested_too_deep(&limits));
                }
            }
            if let Some(compression) = compression {
                let (stream, ratio) = compression.open(layer.stream, &limits).map_err(cannot)?;
                layer.stream = stream;
                layer.ratios.push(ratio);
                let inner = compression.inner_name(&layer.name).len();
                layer.name.truncate(inner);
                layer.access = None;
                layer.compressions.insert(0, compression);
            } else if is_zip {
                let label = Arc::clone(&layer.label);
                let nesting = layer.nesting;
                self.note_kind("zip", &layer.compressions);
                let members = zip::open(self.positioned(layer)?, &limits)?;
                self.archives.push((members, label, nesting));
                return Ok(());
            } else if is_tar {
                self.note_kind("tar", &layer.compressions);
                self.archives.push((tar::open(layer.stream, &limits), layer.label, layer.nesting));
                return Ok(());
            } else {
                return self.tell(layer);
            }
        }
    }

    /// Tells the format of a stream and opens it.
    fn tell(&mut self, mut layer: Layer) -> Result<(), String> {
        let shared = Arc::clone(&self.shared);
        let context = &shared.context;
        let is_all = layer.stream.head_is_all();
        let head = layer.stream.head().map_err(|error| format!("cannot be read: {error}"))?;
        let told = sniff::tell(head, is_all, &layer.name, context)?;
        let spec = told.format.spec();
        self.note_kind(told.format.name(), &layer.compressions);
        if spec.is_collection {
            layer.ratios.iter().for_each(Ratio::raise);
        }
        let label = Arc::clone(&layer.label);
        let compressions = std::mem::take(&mut layer.compressions);
        let mut opened = Opened {
            stream: Stream::new(io::empty()),
            context: Arc::clone(context),
            is_seekable: false,
            access: None,
            path: None,
        };
        if spec.input == Input::Positions {
            let is_file = matches!(layer.access, Some(Access::File(..)));
            let path = || self.shared.files[self.file as usize].path.clone();
            opened.path = is_file.then(path).flatten();
            opened.access = Some(self.positioned(layer)?);
        } else {
            opened.is_seekable = layer.access.is_some();
            opened.stream = layer.stream;
            if spec.input == Input::Utf8
                && let Some((encoding, mark)) = told.encoding
            {
                opened.stream.skip_head(mark);
                if encoding != Encoding::UTF_8 {
                    opened.is_seekable = false;
                    opened.stream = Stream::new(Transcoder::new(opened.stream, encoding));
                }
            }
        }
        if self.keeps_raw {
            let compression = compressions.last().copied();
            let (tally, unread) = (self.tally.clone(), self.unread.take());
            self.raw = Some(Raw { format: told.format, opened, compression, tally, unread });
        } else {
            self.source = Some(((spec.open)(opened), label));
        }
        Ok(())
    }

    /// Returns the bytes of a stream at any position; one that is no file is kept in memory.
    fn positioned(&mut self, mut layer: Layer) -> Result<Access, String> {
        if let Some(access) = layer.access {
            self.unread = Some(layer.stream);
            return Ok(access);
        }
        let limit = self.shared.context.limits().document_bytes;
        match layer.stream.rest(limit) {
            Ok(Some(bytes)) => Ok(Access::Memory(Arc::new(bytes))),
            Ok(None) => Err(format!(
                "has to be kept in memory, since it comes as a stream, and is larger than the \
                 limit of {limit} bytes (`document_bytes`)"
            )),
            Err(error) => Err(format!("cannot be read: {error}")),
        }
    }

    /// Notes what the file itself is; members of archives do not change it.
    fn note_kind(&mut self, kind: &str, compressions: &[Compression]) {
        if self.kind.is_none() {
            let names = compressions.iter().map(|compression| format!("+{}", compression.name()));
            self.kind = Some(std::iter::once(kind.to_owned()).chain(names).collect());
        }
    }

    /// Returns the next piece of the file.
    pub(crate) fn next(&mut self) -> Option<Piece> {
        loop {
            if let Some((fault, label)) = self.fault.take() {
                // Inside an archive the other members can still be read.
                self.is_broken |= self.archives.is_empty();
                return Some(self.piece(Chunk::fault(fault), &label));
            }
            if let Some((source, label)) = &mut self.source {
                let label = Arc::clone(label);
                if let Some(chunk) = source.next() {
                    return Some(self.piece(chunk, &label));
                }
                self.skipped += source.skipped();
                self.source = None;
            }
            let Some((members, label, nesting)) = self.archives.last_mut() else { break };
            match members.next() {
                Ok(Some(member)) => {
                    let label = format!("{label}!{}", member.name).into();
                    let nesting = *nesting;
                    self.enter_member(member, label, nesting);
                }
                Err(fault) => {
                    self.fault = Some((fault, Arc::clone(label)));
                    self.archives.pop();
                }
                Ok(None) => {
                    self.archives.pop();
                }
            }
        }
        if !self.is_done {
            self.is_done = true;
            self.finish();
        }
        None
    }

    fn enter_member(&mut self, member: Member, label: Arc<str>, nesting: u32) {
        let entered = member.content.and_then(|stream| {
            let (name, label) = (member.name, Arc::clone(&label));
            self.enter(Layer {
                stream,
                label,
                name,
                nesting,
                access: None,
                compressions: Vec::new(),
                ratios: Vec::new(),
            })
        });
        if let Err(reason) = entered {
            self.fault = Some((Fault::rest(None, reason), label));
        }
    }

    fn piece(&mut self, chunk: Chunk, label: &Arc<str>) -> Piece {
        let first = self.next_record;
        self.next_record += chunk.records;
        Piece { file: self.file, label: Arc::clone(label), first, chunk }
    }

    fn finish(&mut self) {
        if let Some(unread) = self.unread.take()
            && !self.is_broken
        {
            drain(unread);
        }
        let bytes = self.tally.bytes();
        self.shared.note(FileDigest {
            file: self.file,
            name: self.shared.files[self.file as usize].name.clone(),
            bytes,
            blake3: self.tally.hex(),
            kind: self.kind.take().unwrap_or_else(|| "unknown".to_owned()),
            skipped: self.skipped,
            is_complete: self.bytes.map_or(!self.is_broken, |all| bytes == all),
        });
    }
}

/// Reads a stream to its end for its digest alone. If it cannot be read, the digest is incomplete.
pub(crate) fn drain(mut stream: Stream) {
    let mut buffer = vec![0; 1 << 20];
    while stream.read(&mut buffer).is_ok_and(|n| n > 0) {}
}

pub(crate) fn nested_too_deep(limits: &crate::Limits) -> String {
    match limits.nesting {
        0 => "is compressed or an archive; the limit allows none (`nesting`)".to_owned(),
        1 => "is compressed or an archive inside another one; the limit is 1 level (`nesting`)"
            .to_owned(),
        n => format!("lies deeper than {n} archives inside each other (`nesting`)"),
    }
}

impl Piece {
    /// Turns the piece into records.
    pub(crate) fn parse(self, each: &mut dyn FnMut(Result<Record, BadRecord>)) {
        let Self { file, label, first, chunk } = self;
        let mut place = |result: Result<Draft, Fault>| {
            each(match result {
                Ok(draft) => {
                    let mut document = draft.document;
                    let record = first + draft.record;
                    if document.id.is_empty() {
                        document.id = match draft.part {
                            _ if draft.is_whole => label.to_string(),
                            Some(part) => format!("{label}#{part}"),
                            None => format!("{label}#{record}"),
                        };
                    }
                    Ok(Record { document, place: Place { file, record, again: draft.again } })
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
