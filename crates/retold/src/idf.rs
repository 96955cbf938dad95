//! Frozen statistics of a reference collection: made once, used by any later run.
//!
//! The file is text, so that anybody can read, check and make one:
//!
//! ```text
//! # retold idf 1
//! # documents 21578
//! # text {"html":"text", ...}
//! the<TAB>20871
//! harbour<TAB>312
//! ```
//!
//! Words stand as they are compared (folded, stemmed), with the number of documents that hold
//! them, by word. Hashes are not stored: a run hashes the words under its own seed. A method that
//! counts something else than words has a table of its own, of hashes: then a third line names the
//! method and the seed, and a feature is written as sixteen digits.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use retold_core::document::Document;
use retold_core::features::counts::Counts;
use retold_core::features::{Featurizer, Places, TextSettings, Words};
use retold_core::hash;
use retold_core::methods::Detector;
use retold_read::{Reader, discover};
use retold_report::OutputFile;

use crate::error::Error;
use crate::pipeline::parallel::Pool;
use crate::progress::{Progress, Stage, Stop};
use crate::settings::Settings;

const HEAD: &str = "# retold idf 1";

/// What the lines of a table are.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Counted {
    Words,
    /// Features of this method under this seed.
    Features(String, u64),
}

impl Counted {
    fn of(settings: &Settings, detector: &dyn Detector) -> Self {
        // What a method that weighs nothing counts is words: its table serves the others.
        if detector.counts_words() || !detector.needs_counts() {
            Self::Words
        } else {
            Self::Features(detector.spec().name.to_owned(), settings.seed)
        }
    }
}

/// What a table was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdfTable {
    /// Documents counted.
    pub n_documents: u64,
    /// Different words.
    pub n_words: u64,
    /// Records that could not be read.
    pub n_bad: u64,
}

/// Documents counted at a time.
const MOST_DOCUMENTS: usize = 16_384;

/// Counts the words of the documents under `paths` and writes them to `output`.
///
/// Words are made by the text settings, so those of the runs that will use the table. The file may
/// take the place of another if the settings say `overwrite`.
pub fn build_idf(
    paths: &[PathBuf],
    output: &Path,
    settings: &Settings,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<IdfTable, Error> {
    let found = discover(paths)?;
    // Asked now, before hours of work.
    let file = OutputFile::create(output, settings.overwrite)?;
    let mut table = IdfTable { n_documents: 0, n_words: 0, n_bad: found.skipped.len() as u64 };
    found.skipped.iter().for_each(|bad| progress.bad(bad));
    let total = found.files.iter().map(|file| file.bytes).sum();
    progress.begin(Stage::Read, total);
    let mut reader = Reader::stopped_by(found.files, settings.read_options(), stop.flag());
    let detector = settings.detector()?;
    let kind = Counted::of(settings, &*detector);
    let featurizer = Featurizer::new(settings.text.clone(), settings.seed);
    let pool = Pool::with_stop(settings.threads, stop)?;
    let mut counted: HashMap<u64, (Box<str>, u32)> = HashMap::new();
    let mut count = |documents: &[Document]| {
        let of_documents = pool.map(documents, |document| {
            if stop.is_set() {
                return Vec::new();
            }
            let mut words = Words::default();
            featurizer.read(document, Places::Kept, None, &mut words, |reading, _| {
                if kind != Counted::Words {
                    let mut features = Vec::new();
                    detector.count(reading, &mut |feature| {
                        features.push((feature, format!("{feature:016x}")));
                    });
                    return features;
                }
                let mut first: Vec<(u64, usize)> =
                    reading.words.hashes.iter().copied().zip(0..).collect();
                first.sort_unstable();
                first.dedup_by_key(|(hash, _)| *hash);
                first.into_iter().map(|(hash, i)| (hash, reading.word(i))).collect::<Vec<_>>()
            })
        });
        for (hash, word) in of_documents.into_iter().flatten() {
            counted.entry(hash).or_insert_with(|| (word.into(), 0)).1 += 1;
        }
    };
    while let Some(batch) = reader.next_batch() {
        if stop.is_set() {
            let n_documents = table.n_documents;
            return Err(Error::Stopped { stage: Stage::Read.name(), n_documents });
        }
        let mut documents = Vec::new();
        let mut refused = None;
        batch.parse(&mut |record| {
            match record {
                Ok(record) => {
                    table.n_documents += 1;
                    documents.push(record.document);
                }
                Err(bad) => {
                    table.n_bad += 1;
                    progress.bad(&bad);
                    refused = refused.take().or(Some(bad));
                }
            }
            // A small file may be compressed and hold millions.
            if documents.len() >= MOST_DOCUMENTS {
                count(&std::mem::take(&mut documents));
            }
        });
        if let Some(bad) = refused.filter(|_| settings.strict) {
            return Err(Error::Input(bad));
        }
        count(&documents);
        progress.at(reader.bytes_read(), table.n_documents);
    }
    if table.n_documents == 0 {
        return Err(Error::Empty("the given paths".to_owned()));
    }
    table.n_words = counted.len() as u64;
    let lines = sorted(counted, stop);
    let file = write(file, &table, &settings.text, &kind, &lines, stop)
        .map_err(Error::io("write", output))?;
    let Some(file) = file else {
        let n_documents = table.n_documents;
        return Err(Error::Stopped { stage: Stage::Report.name(), n_documents });
    };
    file.commit()?;
    progress.end();
    Ok(table)
}

/// Puts words in order, piece by piece, so that the wish to stop is seen between two pieces.
fn sorted(counted: HashMap<u64, (Box<str>, u32)>, stop: &Stop) -> Vec<(Box<str>, u32)> {
    let mut pieces: BTreeMap<Vec<u8>, Vec<(Box<str>, u32)>> = BTreeMap::new();
    for (word, n) in counted.into_values().take_while(|_| !stop.is_set()) {
        let start = word.as_bytes().iter().take(2).copied().collect();
        pieces.entry(start).or_default().push((word, n));
    }
    let mut lines = Vec::new();
    for mut piece in pieces.into_values().take_while(|_| !stop.is_set()) {
        piece.sort_unstable();
        lines.append(&mut piece);
    }
    lines
}

/// Lines between two looks whether the table is still wanted.
const LINES_PER_LOOK: usize = 4096;

/// Writes a table and returns its file, unless somebody asked to stop.
fn write(
    file: OutputFile,
    table: &IdfTable,
    text: &TextSettings,
    kind: &Counted,
    lines: &[(Box<str>, u32)],
    stop: &Stop,
) -> std::io::Result<Option<OutputFile>> {
    let mut out = BufWriter::new(file);
    let text = serde_json::to_string(text)?;
    writeln!(out, "{HEAD}\n# documents {}\n# text {text}", table.n_documents)?;
    if let Counted::Features(method, seed) = kind {
        writeln!(out, "# features {method} {seed}")?;
    }
    for some in lines.chunks(LINES_PER_LOOK) {
        if stop.is_set() {
            return Ok(None);
        }
        for (word, n) in some {
            writeln!(out, "{word}\t{n}")?;
        }
    }
    let file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    Ok((!stop.is_set()).then_some(file))
}

/// Loads the table that the settings name for their method.
pub(crate) fn load(
    path: &Path,
    settings: &Settings,
    detector: &dyn Detector,
) -> Result<Counts, Error> {
    let (text, seed) = (&settings.text, settings.seed);
    let wanted = Counted::of(settings, detector);
    let mut kind = Counted::Words;
    let wrong = |line: usize, reason: &str| Error::Table {
        path: path.to_owned(),
        line: line as u64,
        reason: reason.to_owned(),
    };
    let file = File::open(path).map_err(Error::io("open", path))?;
    let mut n_documents = None;
    let mut counts = Vec::new();
    for (at, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(Error::io("read", path))?;
        if at == 0 {
            if line != HEAD {
                return Err(wrong(1, "not a table made by `retold idf build`"));
            }
        } else if let Some(n) = line.strip_prefix("# documents ") {
            n_documents = n.parse::<u64>().ok();
        } else if let Some(made) = line.strip_prefix("# text ") {
            let made: TextSettings = serde_json::from_str(made)
                .map_err(|_| wrong(at + 1, "text settings that cannot be read"))?;
            if !makes_the_same_words(&made, text) {
                let made = serde_json::to_string(&made).expect("settings are plain data");
                let reason = format!("words were made with other text settings: {made}");
                return Err(wrong(at + 1, &reason));
            }
        } else if let Some(made) = line.strip_prefix("# features ") {
            kind = match made.split_once(' ').map(|(name, seed)| (name, seed.parse())) {
                Some((name, Ok(seed))) => Counted::Features(name.to_owned(), seed),
                _ => return Err(wrong(at + 1, "a method and a seed are missing")),
            };
        } else if let Some((word, n)) = line.split_once('\t') {
            let n = n.parse().map_err(|_| wrong(at + 1, "no number after the word"))?;
            let feature = match kind {
                Counted::Words => hash::word(word.as_bytes(), seed),
                Counted::Features(..) => u64::from_str_radix(word, 16)
                    .map_err(|_| wrong(at + 1, "a feature is sixteen digits"))?,
            };
            counts.push((feature, n));
        } else {
            return Err(wrong(at + 1, "a line is a word, a tab and a number"));
        }
    }
    if kind != wanted {
        let told = |kind: &Counted| match kind {
            Counted::Words => "words".to_owned(),
            Counted::Features(method, seed) => format!("features of `{method}` under seed {seed}"),
        };
        let reason = format!("it counts {}, and the run needs {}", told(&kind), told(&wanted));
        return Err(wrong(4, &reason));
    }
    let n_documents = n_documents.ok_or_else(|| wrong(1, "the number of documents is missing"))?;
    Ok(Counts::new(n_documents, counts))
}

/// Markup may differ between collections, words may not.
fn makes_the_same_words(made: &TextSettings, asked: &TextSettings) -> bool {
    let words = |text: &TextSettings| {
        (text.case, text.dictionary, text.stop_words.clone(), text.stem, text.clean.form)
    };
    words(made) == words(asked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    #[test]
    fn a_table_gives_the_frequencies_it_was_made_of() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        for (name, text) in [("a.txt", "Ships wait"), ("b.txt", "ships sail"), ("c.txt", "rain")] {
            std::fs::write(dir.path().join(name), text).expect("a file for a test");
        }
        let (settings, path) = (Settings::default(), dir.path().join("table.idf"));
        let paths = [dir.path().to_owned()];
        let made = build_idf(&paths, &path, &settings, &Silent, &Stop::new()).expect("a table");
        assert_eq!(made, IdfTable { n_documents: 3, n_words: 4, n_bad: 0 });
        let text = std::fs::read_to_string(&path).expect("it was written");
        assert!(text.ends_with("\nrain\t1\nsail\t1\nships\t2\nwait\t1\n"), "{text}");
        let imatch = Settings { method: "imatch".to_owned(), seed: 7, ..settings.clone() };
        let detector = imatch.detector().expect("a method");
        let counts = load(&path, &imatch, &*detector).expect("it can be loaded");
        assert_eq!(counts.df(hash::word(b"ships", 7)), 2);
        assert!((counts.idf(hash::word(b"ships", 7)) - 1.5f64.ln()).abs() < 1e-12);

        let mut other = imatch;
        other.text.dictionary = true;
        let refused = load(&path, &other, &*detector).expect_err("other words");
        assert!(refused.to_string().contains("other text settings"), "{refused}");
    }

    #[test]
    fn a_table_that_nobody_wants_is_not_written() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        std::fs::write(dir.path().join("a.txt"), "Ships wait").expect("a file for a test");
        let (paths, path) = ([dir.path().to_owned()], dir.path().join("table.idf"));
        let stop = Stop::new();
        stop.set();
        let stopped = build_idf(&paths, &path, &Settings::default(), &Silent, &stop);
        assert!(matches!(stopped, Err(Error::Stopped { .. })), "{stopped:?}");
        // The wish may come when all is counted.
        let (table, kind) = (IdfTable { n_documents: 1, n_words: 1, n_bad: 0 }, Counted::Words);
        let (text, lines) = (TextSettings::default(), [("a".into(), 1)]);
        let file = OutputFile::create(&path, false).expect("a file beside");
        let written = write(file, &table, &text, &kind, &lines, &stop).expect("no error");
        assert!(written.is_none());
        assert_eq!(std::fs::read_dir(dir.path()).expect("the folder is there").count(), 1);
    }

    #[test]
    fn a_method_that_counts_something_else_has_a_table_of_its_own() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        std::fs::write(dir.path().join("a.txt"), "Ships wait").expect("a file for a test");
        let (paths, path) = ([dir.path().to_owned()], dir.path().join("own.idf"));
        let own = Settings { method: "descriptive-words".to_owned(), ..Settings::default() };
        build_idf(&paths, &path, &own, &Silent, &Stop::new()).expect("a table");
        let counts = load(&path, &own, &*own.detector().expect("a method")).expect("it is its own");
        assert_eq!(counts.n_documents(), 1);
        assert!(!counts.is_empty());
        let words = Settings { method: "imatch".to_owned(), ..Settings::default() };
        let refused = load(&path, &words, &*words.detector().expect("a method"));
        let refused = refused.expect_err("not words").to_string();
        assert!(refused.contains("it counts features of `descriptive-words`"), "{refused}");
    }
}
