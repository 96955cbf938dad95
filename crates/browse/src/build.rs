//! Making the side file of a result: one pass over each table.
//!
//! Documents come first, because the other tables name them by their ids. Of each line only what is
//! sorted or filtered by is decoded. What is held are the columns, and each text once.

mod lines;

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::ops::ControlFlow;
use std::path::Path;

use crate::column::ColumnBuilder;
use crate::error::BrowseError;
use crate::result::ResultFiles;
use crate::side::SideWriter;
use crate::strings::StringsBuilder;
use crate::table::ResultTable;

use lines::{ClusterColumns, DocumentColumns, PairColumns, RemovalColumns};

/// Bytes read from a table at a time.
const BUFFER_BYTES: usize = 1 << 20;

/// The longest line that is read, so that a file without line feeds does not fill the memory.
const MOST_LINE_BYTES: u64 = 1 << 30;

/// How far the side file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Building {
    /// Bytes of the tables read so far.
    pub done_bytes: u64,
    /// Bytes of all tables.
    pub all_bytes: u64,
}

/// What [`build`] made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Built {
    /// Bytes of the side file.
    pub side_bytes: u64,
}

/// Makes the side file of the result in `folder` and puts it into `side_folder`, where it replaces an
/// earlier one when it is whole.
///
/// `progress` is told how far it is, at least once for every MiB, and may ask to stop.
pub fn build(
    folder: &Path,
    side_folder: &Path,
    progress: &mut dyn FnMut(Building) -> ControlFlow<()>,
) -> Result<Built, BrowseError> {
    let files = ResultFiles::open(folder)?;
    let lengths = ResultTable::ALL.iter().filter_map(|&table| files.table(table));
    let all_bytes = lengths.map(|(_, _, bytes)| bytes).sum();
    let mut pass = Pass { files: &files, progress, done_bytes: 0, all_bytes };
    let mut texts = Texts::default();
    let mut writer = SideWriter::create(side_folder)?;
    let mut n_rows = vec![None; ResultTable::ALL.len()];

    let mut documents = DocumentColumns::new();
    let starts = pass.each_line(ResultTable::Documents, |line| documents.push(line, &mut texts))?;
    n_rows[ResultTable::Documents.place()] = Some(starts.len() as u64 - 1);
    writer.column("documents.lines", starts)?;

    let mut clusters = ClusterColumns::new();
    let starts = pass.each_line(ResultTable::Clusters, |line| clusters.push(line, &mut texts))?;
    n_rows[ResultTable::Clusters.place()] = Some(starts.len() as u64 - 1);
    writer.column("clusters.lines", starts)?;
    clusters.write(&mut writer, ResultTable::Clusters)?;

    let mut pairs = PairColumns::new();
    let starts = pass.each_line(ResultTable::Pairs, |line| pairs.push(line, &mut texts))?;
    n_rows[ResultTable::Pairs.place()] = Some(starts.len() as u64 - 1);
    writer.column("pairs.lines", starts)?;
    pairs.write(&mut writer, ResultTable::Pairs)?;

    let mut removals = Vec::new();
    for table in [ResultTable::Removed, ResultTable::Review] {
        if files.table(table).is_some() {
            let mut columns = RemovalColumns::new();
            let starts = pass.each_line(table, |line| columns.push(line, &mut texts))?;
            n_rows[table.place()] = Some(starts.len() as u64 - 1);
            writer.column(&format!("{table}.lines"), starts)?;
            removals.push((table, columns));
        }
    }

    // Codes of names are in alphabetical order, so that rows can be sorted by them.
    let Texts { ids, files: names, sources, languages } = texts;
    let (names, new_names) = names.sorted();
    let (sources, new_sources) = sources.sorted();
    let (languages, new_languages) = languages.sorted();
    documents.file.recode(&new_names);
    documents.source.recode(&new_sources);
    documents.language.recode(&new_languages);
    documents.write(&mut writer, ResultTable::Documents)?;
    for (table, mut columns) in removals {
        columns.file.recode(&new_names);
        columns.write(&mut writer, table)?;
    }
    writer.strings("ids", ids)?;
    writer.strings("files", names)?;
    writer.strings("sources", sources)?;
    writer.strings("languages", languages)?;
    if pass.told().is_break() {
        return Err(BrowseError::Stopped);
    }
    let side_bytes = writer.finish(files.fingerprint.clone(), n_rows)?;
    Ok(Built { side_bytes })
}

/// Texts that columns hold as codes.
#[derive(Default)]
pub(crate) struct Texts {
    ids: StringsBuilder,
    files: StringsBuilder,
    sources: StringsBuilder,
    languages: StringsBuilder,
}

/// One pass over the tables.
struct Pass<'p> {
    files: &'p ResultFiles,
    progress: &'p mut dyn FnMut(Building) -> ControlFlow<()>,
    done_bytes: u64,
    all_bytes: u64,
}

impl Pass<'_> {
    fn told(&mut self) -> ControlFlow<()> {
        let Self { done_bytes, all_bytes, .. } = *self;
        (self.progress)(Building { done_bytes, all_bytes })
    }

    /// Hands over the lines of a table; returns where each begins, and where the last one ends.
    fn each_line(
        &mut self,
        table: ResultTable,
        mut each: impl FnMut(&[u8]) -> Result<(), String>,
    ) -> Result<ColumnBuilder, BrowseError> {
        let files = self.files;
        let (path, _, _) = files.table(table).ok_or_else(|| files.no_table(table))?;
        // A handle of its own: the one of the result is read by place.
        let file = File::open(path).map_err(BrowseError::io("open", path))?;
        let mut lines = BufReader::with_capacity(BUFFER_BYTES, file);
        let mut starts = ColumnBuilder::default();
        let (mut line, mut at, mut n_lines, mut told) = (Vec::new(), 0, 0, 0);
        loop {
            starts.push(at);
            line.clear();
            let mut limited = lines.by_ref().take(MOST_LINE_BYTES);
            limited.read_until(b'\n', &mut line).map_err(BrowseError::io("read", path))?;
            if line.is_empty() {
                break;
            }
            n_lines += 1;
            at += line.len() as u64;
            let wrong = |reason| BrowseError::Line { file: path.to_owned(), line: n_lines, reason };
            if line.pop() != Some(b'\n') {
                return Err(wrong("has no end: the file is cut off".to_owned()));
            }
            if n_lines > u64::from(u32::MAX) {
                return Err(wrong("is beyond the most rows that can be browsed".to_owned()));
            }
            each(&line).map_err(wrong)?;
            if at - told >= BUFFER_BYTES as u64 {
                self.done_bytes += at - told;
                told = at;
                if self.told().is_break() {
                    return Err(BrowseError::Stopped);
                }
            }
        }
        self.done_bytes += at - told;
        Ok(starts)
    }
}
