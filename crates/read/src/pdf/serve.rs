//! Reading PDF for others: the process at the other end of the pipe.

use std::io::{self, BufReader, BufWriter, Read};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::thread;

use super::extract::text_of;
use super::frame;
use super::limits::Own;

/// Stack of the thread that reads, the same on every system.
const STACK_BYTES: usize = 16 << 20;

/// Reads PDF files from standard input and writes their texts to standard output until the input
/// ends: what a [`PdfHelper`](crate::PdfHelper) does.
///
/// It is for processes that do nothing else: limits of memory and time are set for the whole
/// process, and a file that goes past one ends it.
///
/// *Errors*: the other side of a pipe is gone, or there is no thread.
pub fn serve_pdf() -> io::Result<()> {
    // A panic is told to the other side as an answer.
    set_hook(Box::new(|_| {}));
    let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(answer_all)?;
    thread.join().unwrap_or_else(|_| Err(io::Error::other("reading gave up")))
}

fn answer_all() -> io::Result<()> {
    let mut from = BufReader::new(io::stdin());
    let mut to = BufWriter::new(io::stdout());
    let own = Own::set();
    frame::greet(&mut to)?;
    while let Some((n_bytes, most_bytes)) = frame::read_request(&mut from)? {
        own.for_file(n_bytes);
        let mut bytes = Vec::with_capacity(n_bytes as usize);
        if from.by_ref().take(n_bytes).read_to_end(&mut bytes)? as u64 != n_bytes {
            return Ok(());
        }
        let read = catch_unwind(AssertUnwindSafe(|| text_of(bytes, most_bytes)));
        own.done();
        let answer =
            read.unwrap_or_else(|_| Err("is broken PDF: reading gave up on it".to_owned()));
        frame::write_answer(&mut to, &answer)?;
    }
    Ok(())
}
