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
use std::path::Path;

use retold_core::document::Document;
use retold_core::features::counts::Counts;
use retold_core::features::{Featurizer, Places, TextSettings, Words};
use retold_core::hash;
use retold_core::methods::Detector;
use retold_report::OutputFile;

use crate::error::Error;
use crate::job::Job;
use crate::pipeline::parallel::Pool;
use crate::pipeline::sources::Sources;
use crate::progress::{Stage, Stop};
use crate::resources::{Resources, common_settings};
use crate::source::{Content, Opening, Source};

const HEAD: &str = "# retold idf 1";

/// What the lines of a table are.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Counted {
    Words,
    /// Features of this method under this seed.
    Features(String, u64),
}

impl Counted {
    fn of(job: &Job, detector: &dyn Detector) -> Self {
        // What a method that weighs nothing counts is words: its table serves the others.
        if detector.counts_words() || !detector.needs_counts() {
            Self::Words
        } else {
            Self::Features(detector.spec().name.to_owned(), job.seed)
        }
    }
}

/// What a table was made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
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

/// Makes a table of how many documents hold each word, for methods that weigh words.
///
/// ```
/// use retold::{Document, Documents, Find, IdfBuilder, Job, Nothing, Profile};
///
/// # let folder = tempfile::tempdir()?;
/// # let table = folder.path().join("news.idf");
/// let archive = vec![Document::plain("a", "apples and pears"), Document::plain("b", "apples")];
/// let job = Job::of("imatch", Profile::Retold)?;
/// let made = IdfBuilder::new(Documents::new(archive)).job(job.clone()).write(&table)?;
/// assert_eq!((made.n_documents, made.n_words), (2, 3));
///
/// let news = Documents::new(vec![Document::plain("c", "apples and plums")]);
/// Find::new(news).job(job.with_idf(table)).run(&mut Nothing)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "nothing is done before it is written"]
pub struct IdfBuilder {
    source: Box<dyn Source>,
    overwrite: bool,
    job: Job,
    resources: Resources,
}

common_settings!(IdfBuilder);

impl IdfBuilder {
    /// Counts the words of the documents of a source.
    pub fn new(source: impl Source + 'static) -> Self {
        Self {
            source: Box::new(source),
            overwrite: false,
            job: Job::default(),
            resources: Resources::new(),
        }
    }

    /// Says whether an earlier table is replaced.
    pub fn overwrite(self, overwrite: bool) -> Self {
        Self { overwrite, ..self }
    }

    /// Counts words and writes the table. The text settings of the job decide what a word is, so
    /// they must be the same as in the jobs that will use the table.
    pub fn write(self, output: impl AsRef<Path>) -> Result<IdfTable, Error> {
        let (output, job) = (output.as_ref(), &self.job);
        let (progress, stop) = (&*self.resources.progress, &self.resources.stop);
        let options = job.read_options();
        let opened = self.source.open(&Opening { options: &options, stop })?;
        // Asked now, before hours of work.
        let file = OutputFile::create(output, self.overwrite)?;
        let name = opened.name.clone();
        let mut table = IdfTable::default();
        if let Content::Files { skipped, .. } = &opened.content {
            table.n_bad = skipped.len() as u64;
            for bad in skipped {
                progress.bad(bad);
            }
        }
        let mut sources = Sources::new(opened, None, &options, stop);
        progress.begin(Stage::Read, sources.total());
        let detector = job.detector()?;
        let mut counting = Counting {
            kind: Counted::of(job, &*detector),
            featurizer: Featurizer::new(job.text.clone(), job.seed),
            detector: &*detector,
            pool: Pool::new(&self.resources)?,
            stop,
            counted: HashMap::new(),
        };
        let stopped =
            |stage: Stage, n_documents| Error::Stopped { stage: stage.name(), n_documents };
        while let Some(portion) = sources.next() {
            if stop.is_set() {
                return Err(stopped(Stage::Read, table.n_documents));
            }
            let mut documents = Vec::new();
            let mut refused = None;
            portion.parse(&mut |record| {
                match record {
                    Ok((document, _)) => {
                        table.n_documents += 1;
                        documents.push(document.into_owned());
                    }
                    Err(bad) => {
                        table.n_bad += 1;
                        progress.bad(&bad);
                        refused = refused.take().or(Some(bad));
                    }
                }
                // A small file may be compressed and hold millions.
                if documents.len() >= MOST_DOCUMENTS {
                    counting.count(&std::mem::take(&mut documents));
                }
            });
            if let Some(bad) = refused.filter(|_| job.strict) {
                return Err(Error::Input(bad));
            }
            counting.count(&documents);
            progress.at(sources.done(), table.n_documents);
        }
        if table.n_documents == 0 {
            return Err(Error::Empty(name));
        }
        let Counting { kind, counted, .. } = counting;
        table.n_words = counted.len() as u64;
        let lines = sorted(counted, stop);
        let file = write(file, &table, &job.text, &kind, &lines, stop);
        let Some(file) = file.map_err(Error::io("write", output))? else {
            return Err(stopped(Stage::Report, table.n_documents));
        };
        file.commit()?;
        progress.end();
        Ok(table)
    }
}

/// Counts in how many documents each word, or other feature, stands.
struct Counting<'a> {
    kind: Counted,
    featurizer: Featurizer,
    detector: &'a dyn Detector,
    pool: Pool,
    stop: &'a Stop,
    counted: HashMap<u64, (Box<str>, u32)>,
}

impl Counting<'_> {
    fn count(&mut self, documents: &[Document]) {
        let of_documents = self.pool.map(documents, |document| {
            if self.stop.is_set() {
                return Vec::new();
            }
            let mut words = Words::default();
            self.featurizer.read(document, Places::Kept, None, &mut words, |reading, _| {
                if self.kind != Counted::Words {
                    let mut features = Vec::new();
                    self.detector.count(reading, &mut |feature| {
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
            self.counted.entry(hash).or_insert_with(|| (word.into(), 0)).1 += 1;
        }
    }
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

/// Loads the table that the job names for its method.
pub(crate) fn load(path: &Path, job: &Job, detector: &dyn Detector) -> Result<Counts, Error> {
    let (text, seed) = (&job.text, job.seed);
    let wanted = Counted::of(job, detector);
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
                .map_err(|_| wrong(at + 1, "text job that cannot be read"))?;
            if !makes_the_same_words(&made, text) {
                let made = serde_json::to_string(&made).expect("job are plain data");
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
    use crate::source::Files;

    #[test]
    fn a_table_gives_the_frequencies_it_was_made_of() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        for (name, text) in [("a.txt", "Ships wait"), ("b.txt", "ships sail"), ("c.txt", "rain")] {
            std::fs::write(dir.path().join(name), text).expect("a file for a test");
        }
        let path = dir.path().join("table.idf");
        let paths = [dir.path().to_owned()];
        let made = IdfBuilder::new(Files::new(paths)).write(&path).expect("a table");
        assert_eq!(made, IdfTable { n_documents: 3, n_words: 4, n_bad: 0 });
        let text = std::fs::read_to_string(&path).expect("it was written");
        assert!(text.ends_with("\nrain\t1\nsail\t1\nships\t2\nwait\t1\n"), "{text}");
        let imatch = Job::default().with_method("imatch").with_seed(7_u64);
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
        let stopped = IdfBuilder::new(Files::new(paths)).stop(&stop).write(&path);
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
        let own = Job::default().with_method("descriptive-words");
        IdfBuilder::new(Files::new(paths)).job(own.clone()).write(&path).expect("a table");
        let counts = load(&path, &own, &*own.detector().expect("a method")).expect("it is its own");
        assert_eq!(counts.n_documents(), 1);
        assert!(!counts.is_empty());
        let words = Job::default().with_method("imatch");
        let refused = load(&path, &words, &*words.detector().expect("a method"));
        let refused = refused.expect_err("not words").to_string();
        assert!(refused.contains("it counts features of `descriptive-words`"), "{refused}");
    }
}
