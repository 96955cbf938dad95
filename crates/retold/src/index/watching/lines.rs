//! Lines that go into a stream, and lines that come out of it.

use std::collections::BTreeMap;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use retold_core::document::Document;

use crate::error::Error;
use crate::resources::Resources;

/// A file that lines are added to.
pub(super) struct Output {
    pub(super) name: String,
    path: PathBuf,
    file: std::fs::File,
    n_bytes: u64,
}

impl Output {
    /// Opens it behind the last line that belongs to a story which is durable; `outputs` says for
    /// each file how many bytes do.
    pub(super) fn open(path: &Path, outputs: &BTreeMap<String, u64>) -> Result<Self, Error> {
        let failed = || Error::io("write", path);
        let name = path.to_string_lossy().into_owned();
        let mut options = std::fs::OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(failed())?;
        let len = file.metadata().map_err(failed())?.len();
        let n_bytes = outputs.get(&name).copied().unwrap_or(0);
        if n_bytes > len {
            return Err(Error::NotReadable {
                path: path.to_owned(),
                reason: format!("it has {len} bytes and had {n_bytes} when the stream stopped"),
            });
        }
        // A file that another stream or nobody wrote is not touched, but added to.
        let n_bytes = if outputs.contains_key(&name) { n_bytes } else { len };
        file.set_len(n_bytes).map_err(failed())?;
        file.seek(SeekFrom::Start(n_bytes)).map_err(failed())?;
        Ok(Self { name, path: path.to_owned(), file, n_bytes })
    }

    /// Adds lines and returns how long the file is now.
    pub(super) fn write(&mut self, lines: &[String]) -> Result<u64, Error> {
        let mut bytes = Vec::new();
        for line in lines {
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        let written = self.file.write_all(&bytes).and_then(|()| self.file.sync_data());
        written.map_err(Error::io("write", &self.path))?;
        self.n_bytes += bytes.len() as u64;
        Ok(self.n_bytes)
    }
}

/// Hands over the documents of standard input, and `None` when none is there to be read. At most
/// `most` wait; whoever writes them has to wait, too, then.
pub(super) fn each_waiting(
    options: &retold_read::ReadOptions,
    is_strict: bool,
    resources: &Resources,
    most: usize,
    each: &mut dyn FnMut(Option<Document>) -> Result<(), Error>,
) -> Result<(), Error> {
    let (send, receive) = mpsc::sync_channel(most);
    let options = options.clone();
    // It ends with the input, or with the process: a read that waits cannot be called back.
    std::thread::spawn(move || {
        let mut lines = retold_read::LineReader::new(std::io::stdin().lock(), &options);
        loop {
            let next = lines.next_document().transpose();
            let is_end = !matches!(next, Some(Ok(_)));
            if send.send(next).is_err() || is_end {
                break;
            }
        }
    });
    let wait = Duration::from_millis(100);
    while !resources.stop.is_set() {
        let next = if let Ok(next) = receive.try_recv() {
            next
        } else {
            each(None)?;
            match receive.recv_timeout(wait) {
                Ok(next) => next,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            }
        };
        match next {
            None => break,
            Some(Err(error)) => return Err(Error::io("read", "-".as_ref())(error)),
            Some(Ok(Ok(document))) => each(Some(document))?,
            Some(Ok(Err(bad))) if is_strict => return Err(Error::Input(bad)),
            Some(Ok(Err(bad))) => resources.progress.bad(&bad),
        }
    }
    Ok(())
}
