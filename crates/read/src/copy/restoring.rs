//! Lines of JSON as they were, from copies without parts of their texts.

use std::collections::VecDeque;
use std::sync::Arc;

use retold_core::document::Span;

use crate::file::{FileReader, Raw};
use crate::format::Format;
use crate::input::InputFile;
use crate::jsonl::Cutter;
use crate::options::ReadOptions;
use crate::reader::Shared;
use crate::scan;

/// Lines of JSON that [`copy_kept`](crate::copy_kept) wrote, in order, without their ends.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("copy.jsonl");
/// use retold_core::document::Span;
/// use retold_read::{CopiedLines, InputFile, ReadOptions};
///
/// std::fs::write(&path, "{\"id\": 7, \"text\": \"One four\", \"n\": 1.50}\n")?;
/// let file = InputFile { name: "copy.jsonl".to_owned(), bytes: 0, path: Some(path) };
/// let mut lines = CopiedLines::new(vec![file], ReadOptions::default());
/// let line = lines.next().expect("there is one")?;
/// let (line, text) = lines.restored(&line, 8, &[(Span::new(4, 8), "tw\\u006f ")]).expect("it fits");
/// assert_eq!(line, "{\"id\": 7, \"text\": \"One tw\\u006f four\", \"n\": 1.50}");
/// assert_eq!(text, "One two four");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CopiedLines {
    shared: Arc<Shared>,
    next_file: u32,
    cutter: Option<Cutter>,
    lines: VecDeque<String>,
}

impl CopiedLines {
    /// Reads the lines of some files, with the options by which records were read.
    pub fn new(files: Vec<InputFile>, options: ReadOptions) -> Self {
        let options = ReadOptions { format: Some(Format::Jsonl), ..options };
        let shared = Shared::new(files, options, Arc::default());
        Self { shared, next_file: 0, cutter: None, lines: VecDeque::new() }
    }

    /// Puts back into a line what was cut out of its text, of which `left_bytes` are left: bytes of the
    /// text as it was, ascending, and how they stood in the line. Returns the line and the text as they
    /// were; nothing if the cuts do not fit.
    pub fn restored(
        &self,
        line: &str,
        left_bytes: u64,
        cuts: &[(Span, &str)],
    ) -> Option<(String, String)> {
        let context = &self.shared.context;
        let (names, depth) = (&context.names, context.limits().json_depth);
        let (start, n_bytes) = scan::text_field(line, names, depth).ok()?;
        // What came before a headline is not part of the text.
        let n_before = n_bytes.checked_sub(usize::try_from(left_bytes).ok()?)?;
        let (mut out, mut from, mut at) = (String::with_capacity(line.len()), 0, start);
        let (mut n_left, mut n_put) = (0, 0);
        for &(span, raw) in cuts {
            let border = (span.range().start + n_before).checked_sub(n_put)?;
            while n_left < border {
                if line.as_bytes().get(at).is_none_or(|&byte| byte == b'"') {
                    return None;
                }
                let (n_raw, n_decoded) = scan::next_char(line, at);
                (at, n_left) = (at + n_raw, n_left + n_decoded);
            }
            out.push_str(&line[from..at]);
            out.push_str(raw);
            (from, n_put) = (at, n_put + span.range().len());
        }
        out.push_str(&line[from..]);
        let text = scan::document(&out, names, depth).ok()?.text;
        Some((out, text))
    }
}

impl Iterator for CopiedLines {
    type Item = Result<String, String>;

    /// Returns the next line, or why there is none.
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Some(Ok(line));
            }
            let block = match &mut self.cutter {
                Some(cutter) => cutter.next(),
                None if (self.next_file as usize) < self.shared.files.len() => {
                    let raw = FileReader::open_raw(&self.shared, self.next_file);
                    self.next_file += 1;
                    match raw {
                        Ok(Some(Raw { format: Format::Jsonl, opened, .. })) => {
                            let longest = opened.context.limits().line_bytes;
                            self.cutter = Some(Cutter::new(opened.stream, longest));
                            continue;
                        }
                        Ok(_) => return Some(Err("it holds no lines of JSON".to_owned())),
                        Err(reason) => return Some(Err(reason)),
                    }
                }
                None => return None,
            };
            match block {
                None => self.cutter = None,
                Some(Err(fault)) => return Some(Err(fault.reason)),
                Some(Ok(block)) => {
                    for (_, line) in block.iter() {
                        let line = block.bytes[line].trim_ascii_end();
                        if line.trim_ascii_start().is_empty() {
                            continue;
                        }
                        match std::str::from_utf8(line) {
                            Ok(line) => self.lines.push_back(line.to_owned()),
                            Err(error) => return Some(Err(error.to_string())),
                        }
                    }
                }
            }
        }
    }
}
