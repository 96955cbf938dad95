//! `generate`: a test collection made of a collection, with all that is known of it.
//!
//! All inputs are held in memory, because foreign paragraphs may come from any of them. What is
//! made is written as it is made; only where its words are from is kept until the pairs are known.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use rayon::ThreadPool;
use rayon::prelude::*;
use retold::{Document, Job, Kind, Resources, Stage};
use retold_read::{BadRecord, FileDigest, Reader, discover};
use retold_report::{BadRow, Manifest, ManifestInput, ManifestRun, OutputDir};
use serde::Serialize;

use crate::error::Error;
use crate::generate::{
    Collection, CopiedSpan, Counts, Entry, Finished, Head, Log, Maker, Pair, Plan, Reference,
};

/// What was made.
#[derive(Clone, Debug, Serialize)]
pub struct Generated {
    /// Files read.
    pub n_files: u64,
    /// Documents read.
    pub n_documents: u64,
    /// Records that could not be read.
    pub n_bad: u64,
    /// Documents made of one document each.
    pub n_made: u64,
    /// Queries pasted together.
    pub n_queries: u64,
    /// Documents in the collection, inputs included if the plan keeps them.
    pub n_collection: u64,
    /// What the made documents were made of, counted once for each of them.
    pub before: Counts,
    /// What was made.
    pub after: Counts,
    /// Pairs listed.
    pub n_pairs: u64,
    /// Pairs by the name of their relation; `none` are those of which too little is left.
    pub pairs: BTreeMap<&'static str, u64>,
    /// Copied stretches listed.
    pub n_spans: u64,
    /// Made documents for which something did not go as the plan says.
    pub n_noted: u64,
    /// What did not, numbers left out, and for how many documents.
    pub notes: BTreeMap<String, u64>,
    /// Seed of the plan.
    pub seed: u64,
    /// Seconds it took.
    pub seconds: f64,
    /// Where it was written.
    pub output: String,
}

/// Makes test collections: documents with planted copies, and all that is known of them.
///
/// ```no_run
/// use retold_lab::{Generate, read_plan};
///
/// let plan = read_plan("plan.toml".as_ref())?;
/// let made = Generate::new(["news.jsonl"]).plan(plan).write("made")?;
/// assert!(made.n_pairs > 0);
/// # Ok::<(), retold_lab::Error>(())
/// ```
#[must_use = "nothing is done before it is written"]
pub struct Generate {
    paths: Vec<PathBuf>,
    orders: Orders,
    overwrite: bool,
    job: Job,
    resources: Resources,
}

/// What is to be made.
enum Orders {
    /// Whatever a plan asks for.
    Plan(Plan),
    /// What was made before, by its log.
    Log(PathBuf),
}

impl Generate {
    /// Makes copies of the documents under these paths.
    pub fn new(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Self {
            paths: paths.into_iter().map(Into::into).collect(),
            orders: Orders::Plan(Plan::default()),
            overwrite: false,
            job: Job::default(),
            resources: Resources::new(),
        }
    }

    /// Sets what is made of the documents. The default plan makes nothing.
    pub fn plan(self, plan: Plan) -> Self {
        Self { orders: Orders::Plan(plan), ..self }
    }

    /// Makes a collection again from its log, and from the documents it was made of. The folder is
    /// the one that the log is of, byte for byte, its manifest apart.
    pub fn replay(self, log: impl Into<PathBuf>) -> Self {
        Self { orders: Orders::Log(log.into()), ..self }
    }

    /// Sets whether an earlier collection is replaced. The default is no.
    pub fn overwrite(self, overwrite: bool) -> Self {
        Self { overwrite, ..self }
    }

    /// Sets how files become documents; nothing else of a job matters here.
    pub fn job(self, job: Job) -> Self {
        Self { job, ..self }
    }

    /// Sets what it is done with.
    pub fn resources(self, resources: Resources) -> Self {
        Self { resources, ..self }
    }

    /// Makes the collection and writes it to a folder.
    ///
    /// The folder holds `collection.jsonl`, `queries.jsonl` if there are any, the reference
    /// `pairs.tsv` and `spans.tsv`, the log as `log.jsonl` and `log.txt`, and `manifest.json`. It
    /// appears under its name only when it is complete.
    pub fn write(self, output: impl AsRef<Path>) -> Result<Generated, Error> {
        match &self.orders {
            Orders::Plan(plan) => self.by_plan(plan, output.as_ref()),
            Orders::Log(log) => self.by_log(log, output.as_ref()),
        }
    }

    fn by_plan(&self, plan: &Plan, output: &Path) -> Result<Generated, Error> {
        plan.check()?;
        let run = Run::start(self, output)?;
        let stop = self.resources.stop_wish();
        let maker = Maker::new(plan, &run.inputs.collection)?;
        maker.prepare(&|| stop.is_set());
        let make = |i: usize| maker.make(&maker.tasks()[i]).map_err(Error::from);
        let n = maker.tasks().len();
        let figures = run.write(plan, n, "generate", &make)?;
        run.finish(figures)
    }

    fn by_log(&self, path: &Path, output: &Path) -> Result<Generated, Error> {
        let unusable = |source| Error::Log { path: path.to_owned(), source };
        let text = fs::read_to_string(path).map_err(Error::io("read", path))?;
        let Log { plan, entries } = Log::parse(&text).map_err(unusable)?;
        drop(text);
        let run = Run::start(self, output)?;
        let make = |i: usize| {
            let unusable = |source| Error::Log { path: path.to_owned(), source };
            Finished::again(entries[i].clone(), &run.inputs.collection).map_err(unusable)
        };
        let figures = run.write(&plan, entries.len(), "generate --replay", &make)?;
        run.finish(figures)
    }
}

/// Reads a plan from a TOML file.
pub fn read_plan(path: &Path) -> Result<Plan, Error> {
    let text = fs::read_to_string(path).map_err(Error::io("read", path))?;
    Plan::parse(&text).map_err(|source| Error::Plan { path: path.to_owned(), source })
}

/// Counts the paragraphs, sentences and words of each document under `paths`.
///
/// The counts are of the clean text: what [`Generate`] would edit.
pub fn count(
    paths: &[PathBuf],
    job: &Job,
    resources: &Resources,
) -> Result<Vec<(String, Counts)>, Error> {
    let inputs = Inputs::read(paths, job, resources)?;
    let documents: Vec<&Document> = inputs.collection.documents().collect();
    let (pool, stop) = (resources.thread_pool()?, resources.stop_wish());
    let counted = map(&pool, &documents, |document| {
        if stop.is_set() { Counts::default() } else { Counts::of(&document.text) }
    });
    Error::if_stopped(stop, Stage::Read, documents.len())?;
    resources.progress_listener().end();
    Ok(documents.iter().map(|document| document.id.clone()).zip(counted).collect())
}

/// Maps a slice on all threads of a pool; results stand in the order of the slice.
fn map<T: Sync, R: Send>(
    pool: &ThreadPool,
    items: &[T],
    work: impl Fn(&T) -> R + Sync + Send,
) -> Vec<R> {
    pool.install(|| items.par_iter().map(work).collect())
}

/// What was read.
struct Inputs {
    collection: Collection,
    digests: Vec<FileDigest>,
    n_per_file: BTreeMap<u32, u64>,
    bad: Vec<BadRecord>,
    bad_by_file: BTreeMap<String, u64>,
    n_bad: u64,
}

/// Bad records kept for the manifest; all are counted.
const MOST_BAD: usize = retold_report::MAX_BAD_ROWS;

impl Inputs {
    fn read(paths: &[PathBuf], job: &Job, resources: &Resources) -> Result<Self, Error> {
        let (progress, stop) = (resources.progress_listener(), resources.stop_wish());
        let found = discover(paths)?;
        let total = found.files.iter().map(|file| file.bytes).sum();
        progress.begin(Stage::Read, total);
        let mut documents = Vec::new();
        let (mut bad, mut n_bad) = (Vec::new(), 0);
        let mut bad_by_file: BTreeMap<String, u64> = BTreeMap::new();
        let mut n_per_file: BTreeMap<u32, u64> = BTreeMap::new();
        let mut note = |record: BadRecord| {
            progress.bad(&record);
            n_bad += 1;
            *bad_by_file.entry(record.file.clone()).or_default() += 1;
            if bad.len() < MOST_BAD {
                bad.push(record);
            }
        };
        found.skipped.into_iter().for_each(&mut note);
        let mut reader = Reader::stopped_by(found.files, job.read_options(), stop.flag());
        let mut refused = None;
        while let Some(batch) = reader.next_batch() {
            Error::if_stopped(stop, Stage::Read, documents.len())?;
            batch.parse(&mut |record| match record {
                Ok(record) => {
                    *n_per_file.entry(record.place.file).or_default() += 1;
                    documents.push(record.document);
                }
                Err(record) => {
                    refused = refused.take().or_else(|| Some(record.clone()));
                    note(record);
                }
            });
            if let Some(record) = refused.take().filter(|_| job.strict()) {
                return Err(retold::Error::Input(record).into());
            }
            progress.at(reader.bytes_read(), documents.len() as u64);
        }
        if documents.is_empty() {
            let names: Vec<String> =
                paths.iter().map(|path| format!("`{}`", path.display())).collect();
            return Err(retold::Error::Empty(names.join(", ")).into());
        }
        let digests = reader.digests();
        let n_documents = documents.len();
        let collection = Collection::of_while(documents, &|| stop.is_set());
        Error::if_stopped(stop, Stage::Read, n_documents)?;
        Ok(Self { collection, digests, n_per_file, bad, bad_by_file, n_bad })
    }
}

/// A run under way.
struct Run<'a> {
    asked: &'a Generate,
    output: OutputDir,
    inputs: Inputs,
    pool: Arc<ThreadPool>,
    started: Instant,
}

/// Documents that are made at a time: between two slices the run may be stopped.
const SLICE: usize = 256;

impl<'a> Run<'a> {
    fn start(asked: &'a Generate, output: &Path) -> Result<Self, Error> {
        let started = Instant::now();
        let output = OutputDir::create(output, asked.overwrite)?;
        let inputs = Inputs::read(&asked.paths, &asked.job, &asked.resources)?;
        let pool = asked.resources.thread_pool()?;
        Ok(Self { asked, output, inputs, pool, started })
    }

    /// Makes `n` documents and writes them and all that is known of them.
    fn write(
        &self,
        plan: &Plan,
        n: usize,
        command: &str,
        make: &(dyn Fn(usize) -> Result<Finished, Error> + Sync),
    ) -> Result<Generated, Error> {
        let collection = &self.inputs.collection;
        let mut figures = Generated {
            n_files: self.inputs.digests.len() as u64,
            n_documents: collection.len() as u64,
            n_bad: self.inputs.n_bad,
            n_made: 0,
            n_queries: 0,
            n_collection: if plan.originals { collection.len() as u64 } else { 0 },
            before: Counts::default(),
            after: Counts::default(),
            n_pairs: 0,
            pairs: BTreeMap::new(),
            n_spans: 0,
            n_noted: 0,
            notes: BTreeMap::new(),
            seed: plan.seed,
            seconds: 0.0,
            output: self.output.final_path().display().to_string(),
        };
        let dir = self.output.path().to_owned();
        let faulty = |error| Error::io("write", &dir)(error);
        let progress = self.asked.resources.progress_listener();
        progress.begin(Stage::Make, 2 * n as u64);
        let mut files = Files::create(&dir, !plan.queries.is_empty()).map_err(faulty)?;
        files.head(plan).map_err(faulty)?;
        if plan.originals {
            for document in collection.documents() {
                self.check_stop(0)?;
                line(&mut files.collection, document).map_err(faulty)?;
            }
        }
        let mut traces = Vec::with_capacity(n);
        let numbers: Vec<usize> = (0..n).collect();
        for slice in numbers.chunks(SLICE) {
            self.check_stop(traces.len())?;
            let made = map(&self.pool, slice, |&i| {
                self.check_stop(i)?;
                make(i)
            });
            for finished in made {
                let Finished { document, entry, trace } = finished?;
                figures.take(&entry);
                files.made(&document, &entry).map_err(faulty)?;
                traces.push(trace);
            }
            progress.at(traces.len() as u64, traces.len() as u64);
        }
        let is_stopped = || self.asked.resources.stop_wish().is_set();
        let reference = Reference::new(collection, &traces, plan.related, &is_stopped);
        for (i, slice) in numbers.chunks(SLICE).enumerate() {
            self.check_stop(n)?;
            let compared = map(&self.pool, slice, |&made| {
                self.check_stop(n)?;
                Ok::<_, Error>(reference.compare(made))
            });
            for compared in compared {
                let (pairs, spans) = compared?;
                figures.n_spans += spans.len() as u64;
                for pair in &pairs {
                    figures.n_pairs += 1;
                    *figures.pairs.entry(relation(pair)).or_default() += 1;
                }
                files.truth(&pairs, &spans).map_err(faulty)?;
            }
            progress.at((n + i * SLICE + slice.len()) as u64, n as u64);
        }
        files.finish().map_err(faulty)?;
        figures.seconds = self.started.elapsed().as_secs_f64();
        self.manifest(plan, command, &figures).write(&dir).map_err(faulty)?;
        Ok(figures)
    }

    /// Puts the folder into place.
    fn finish(self, figures: Generated) -> Result<Generated, Error> {
        self.check_stop(figures.n_made as usize)?;
        self.output.commit()?;
        self.asked.resources.progress_listener().end();
        Ok(figures)
    }

    fn check_stop(&self, n_documents: usize) -> Result<(), Error> {
        Error::if_stopped(self.asked.resources.stop_wish(), Stage::Make, n_documents)
    }

    fn manifest(&self, plan: &Plan, command: &str, figures: &Generated) -> Manifest {
        let Inputs { collection: _, digests, n_per_file, bad, bad_by_file, n_bad } = &self.inputs;
        let inputs = digests
            .iter()
            .map(|digest| ManifestInput {
                name: digest.name.clone(),
                bytes: digest.bytes,
                kind: digest.kind.clone(),
                blake3: digest.is_complete.then(|| digest.blake3.clone()),
                n_documents: n_per_file.get(&digest.file).copied().unwrap_or(0),
                n_bad: bad_by_file.get(&digest.name).copied().unwrap_or(0),
            })
            .collect();
        let mut counts: BTreeMap<String, u64> = [
            ("documents", figures.n_documents),
            ("made", figures.n_made),
            ("queries", figures.n_queries),
            ("collection", figures.n_collection),
            ("pairs", figures.n_pairs),
            ("spans", figures.n_spans),
            ("noted", figures.n_noted),
        ]
        .map(|(name, n)| (name.to_owned(), n))
        .into();
        for (name, n) in &figures.pairs {
            counts.insert(format!("pairs_{}", name.replace('-', "_")), *n);
        }
        Manifest {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.to_owned(),
            settings: serde_json::json!({ "plan": plan, "read": self.asked.job.read() }),
            seed: plan.seed,
            hashes: [("texts", "xxh3-64"), ("inputs", "blake3")]
                .map(|(role, name)| (role.to_owned(), name.to_owned()))
                .into(),
            inputs,
            counts,
            n_bad: *n_bad,
            bad_records: bad
                .iter()
                .map(|record| BadRow {
                    file: record.file.clone(),
                    record: record.record.unwrap_or(0),
                    offset: record.offset,
                    reason: record.reason.clone(),
                })
                .collect(),
            finished: true,
            run: ManifestRun {
                threads: self.pool.current_num_threads() as u32,
                timings: BTreeMap::from([("total".to_owned(), figures.seconds)]),
                ..ManifestRun::default()
            },
            ..Manifest::default()
        }
    }
}

impl Generated {
    fn take(&mut self, entry: &Entry) {
        if entry.is_query() {
            self.n_queries += 1;
        } else {
            self.n_made += 1;
            self.n_collection += 1;
        }
        let notes: BTreeSet<String> = entry
            .steps
            .iter()
            .flat_map(|step| &step.notes)
            .map(|note| without_numbers(note))
            .collect();
        self.n_noted += u64::from(!notes.is_empty());
        for note in notes {
            *self.notes.entry(note).or_default() += 1;
        }
        for (sum, counts) in [(&mut self.before, entry.before), (&mut self.after, entry.after)] {
            sum.paragraphs += counts.paragraphs;
            sum.sentences += counts.sentences;
            sum.words += counts.words;
            sum.characters += counts.characters;
        }
    }
}

/// Returns a note with `…` for each number, so that like notes can be counted together.
fn without_numbers(note: &str) -> String {
    let words = note.split(' ');
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    words.map(|word| if is_number(word) { "…" } else { word }).collect::<Vec<_>>().join(" ")
}

/// The files of a made collection.
struct Files {
    collection: BufWriter<File>,
    queries: Option<BufWriter<File>>,
    pairs: BufWriter<File>,
    spans: BufWriter<File>,
    log: BufWriter<File>,
    told: BufWriter<File>,
}

impl Files {
    fn create(dir: &Path, has_queries: bool) -> io::Result<Self> {
        let file = |name: &str| File::create(dir.join(name)).map(BufWriter::new);
        Ok(Self {
            collection: file("collection.jsonl")?,
            queries: has_queries.then(|| file("queries.jsonl")).transpose()?,
            pairs: file("pairs.tsv")?,
            spans: file("spans.tsv")?,
            log: file("log.jsonl")?,
            told: file("log.txt")?,
        })
    }

    fn head(&mut self, plan: &Plan) -> io::Result<()> {
        self.log.write_all(Head::of(plan).line().as_bytes())?;
        writeln!(self.pairs, "a\tb\trelation\tresemblance\ta_in_b\tb_in_a\tedit_ratio")?;
        writeln!(self.spans, "a\tb\ta_start\ta_end\tb_start\tb_end\twords")
    }

    fn made(&mut self, document: &Document, entry: &Entry) -> io::Result<()> {
        let file = match &mut self.queries {
            Some(queries) if entry.is_query() => queries,
            _ => &mut self.collection,
        };
        line(file, document)?;
        self.log.write_all(entry.line().as_bytes())?;
        self.told.write_all(entry.told().as_bytes())
    }

    fn truth(&mut self, pairs: &[Pair], spans: &[CopiedSpan]) -> io::Result<()> {
        for pair in pairs {
            writeln!(
                self.pairs,
                "{}\t{}\t{}\t{:.6}\t{:.6}\t{:.6}\t{:.6}",
                cell(&pair.a),
                cell(&pair.b),
                relation(pair),
                pair.scores.resemblance.get(),
                pair.scores.a_in_b.get(),
                pair.scores.b_in_a.get(),
                pair.edit_ratio,
            )?;
        }
        for CopiedSpan { a, b, a_span, b_span, words } in spans {
            let (a, b) = (cell(a), cell(b));
            let (here, there) = ((a_span.start, a_span.end), (b_span.start, b_span.end));
            writeln!(
                self.spans,
                "{a}\t{b}\t{}\t{}\t{}\t{}\t{words}",
                here.0, here.1, there.0, there.1
            )?;
        }
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        let Self { collection, queries, pairs, spans, log, told } = self;
        for mut file in [collection, pairs, spans, log, told].into_iter().chain(queries) {
            file.flush()?;
        }
        Ok(())
    }
}

fn relation(pair: &Pair) -> &'static str {
    pair.relation.map_or("none", Kind::name)
}

/// Returns a name that stays in its column: tabs and line ends are written as `\t` and `\n`.
fn cell(name: &str) -> String {
    name.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

/// A document as it is written.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'a str>,
    text: &'a str,
}

/// Writes a document as a line of JSON.
fn line(out: &mut impl Write, document: &Document) -> io::Result<()> {
    let Document { id, text, markup: _, title, time, source, url, language, rank: _ } = document;
    let line = Line {
        id,
        title: title.as_deref(),
        time: time.as_deref(),
        source: source.as_deref(),
        url: url.as_deref(),
        language: language.as_deref(),
        text,
    };
    serde_json::to_writer(&mut *out, &line)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use crate::generate::{Operation, Percent, Query, Unit, Variant};

    use retold::{Documents, Family, Find, Found, Ordinal, PairsWritten, Profile, Stop};

    use super::*;

    fn samples() -> Vec<PathBuf> {
        vec![retold_samples::samples().join("news")]
    }

    fn plan() -> Plan {
        let percent = Percent::new;
        let unit = Unit::Paragraph;
        Plan {
            seed: 7,
            variants: vec![
                Variant {
                    name: "rewritten".to_owned(),
                    copies: 2,
                    documents: percent(40.0),
                    steps: vec![
                        Operation::Delete { percent: percent(25.0), unit },
                        Operation::AddForeign { percent: percent(25.0), unit },
                        Operation::ReplaceWords { percent: percent(5.0) },
                    ],
                },
                Variant {
                    name: "copied".to_owned(),
                    documents: percent(10.0),
                    ..Variant::default()
                },
            ],
            queries: vec![Query { documents: 12, ..Query::default() }],
            ..Plan::default()
        }
    }

    fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(dir).expect("a folder");
        entries
            .map(|entry| {
                let path = entry.expect("an entry").path();
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                (name, fs::read(path).expect("a readable file"))
            })
            .filter(|(name, _)| name != "manifest.json")
            .collect()
    }

    #[test]
    fn a_folder_is_made_again_from_its_log_on_any_number_of_threads() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let (one, two, again) = (dir.path().join("1"), dir.path().join("2"), dir.path().join("3"));
        let with =
            |n_threads| Generate::new(samples()).resources(Resources::new().threads(n_threads));
        let made = with(1).plan(plan()).write(&one).expect("made");
        assert_eq!((made.n_documents, made.n_queries), (74, 1));
        assert_eq!(made.n_made, 2 * 30 + 7);
        with(3).plan(plan()).write(&two).expect("made");
        assert_eq!(files(&one), files(&two));
        with(3).replay(one.join("log.jsonl")).write(&again).expect("made again");
        assert_eq!(files(&one), files(&again));
        let names: Vec<String> = files(&one).into_keys().collect();
        assert_eq!(
            names,
            ["collection.jsonl", "log.jsonl", "log.txt", "pairs.tsv", "queries.jsonl", "spans.tsv"]
        );
    }

    /// Reads the columns of a table.
    fn rows(path: &Path) -> Vec<Vec<String>> {
        let text = fs::read_to_string(path).expect("a table");
        text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn what_exhaustive_finds_in_the_written_collection_is_what_the_reference_says() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let out = dir.path().join("made");
        Generate::new(samples()).plan(plan()).write(&out).expect("made");
        let written = ["collection.jsonl", "queries.jsonl"].map(|name| out.join(name));
        let read = Inputs::read(&written, &Job::default(), &Resources::new()).expect("documents");
        let documents: Vec<Document> = read.collection.documents().cloned().collect();
        let exhaustive = Job::of("exhaustive", Profile::Retold).expect("a method");
        let exhaustive = exhaustive.with_pairs(PairsWritten::All);
        let names: Vec<String> = documents.iter().map(|document| document.id.clone()).collect();
        let texts: BTreeMap<String, String> =
            documents.iter().map(|document| (document.id.clone(), document.text.clone())).collect();
        let mut found = Found::only_pairs();
        Find::new(Documents::new(documents)).job(exhaustive).run(&mut found).expect("it runs");
        let shown = |share: f64| format!("{share:.6}");
        let found: BTreeMap<(&str, &str), [String; 4]> = found
            .pairs()
            .iter()
            .map(|relation| {
                let name = |ordinal: Ordinal| &*names[ordinal.index()];
                let scores = relation.scores;
                let row = [
                    relation.kind.name().to_owned(),
                    shown(scores.resemblance.get()),
                    shown(scores.a_in_b.get()),
                    shown(scores.b_in_a.get()),
                ];
                ((name(relation.a), name(relation.b)), row)
            })
            .collect();
        let pairs = rows(&out.join("pairs.tsv"));
        let (mut n_related, mut n_broken) = (0, 0);
        for row in &pairs {
            if row[2] != "none" {
                n_related += 1;
                let found = found.get(&(&*row[0], &*row[1])).map(|row| &row[..]);
                // Where a document tells something twice, a run that stands in the other telling
                // breaks a passage that the reference, which knows what was copied, sees whole.
                if found.is_none() && row[2] == "partial" {
                    n_broken += 1;
                    continue;
                }
                assert_eq!(found, Some(&row[2..6]), "{row:?}");
            }
        }
        assert!(n_related > 150 && n_broken * 50 < n_related, "{n_broken} of {n_related}");
        // What else is found stood in the inputs before: copies of the same or of related ones.
        let listed: BTreeSet<(&str, &str)> = pairs.iter().map(|row| (&*row[0], &*row[1])).collect();
        let is_made = |name: &str| name.contains('~') || name == "query";
        let n_more = found.keys().filter(|pair| !listed.contains(*pair) && is_made(pair.1)).count();
        assert!(n_more * 2 < found.len(), "{n_more} of {}", found.len());
        for row in rows(&out.join("spans.tsv")) {
            let at = |i: usize| row[i].parse::<usize>().expect("a number");
            let here = texts[&row[0]].get(at(2)..at(3)).expect("a stretch of it");
            let there = texts[&row[1]].get(at(4)..at(5)).expect("a stretch of it");
            let first = |text: &str| text.split_whitespace().next().map(str::to_owned);
            assert_eq!(first(here).is_some(), first(there).is_some());
        }
    }

    #[test]
    fn documents_are_counted_as_they_would_be_edited() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let page = "<p>Ships wait. Why?</p><p>Nobody <b>knows</b>.</p>";
        fs::write(dir.path().join("a.html"), page).expect("a file for a test");
        let paths = [dir.path().to_owned()];
        let counted = count(&paths, &Job::default(), &Resources::new()).expect("counted");
        let counts = counted[0].1;
        assert_eq!((counts.paragraphs, counts.sentences, counts.words), (2, 3, 5));
    }

    #[test]
    fn a_run_that_is_stopped_or_finds_nothing_leaves_nothing() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let out = dir.path().join("made");
        let stop = Stop::new();
        stop.set();
        let stopping =
            Generate::new(samples()).plan(plan()).resources(Resources::new().stop(&stop));
        let stopped = stopping.write(&out).expect_err("it was asked to stop");
        assert_eq!(stopped.family(), Family::Stopped);
        let refused = Generate::new([dir.path()]).plan(plan()).write(&out);
        assert!(matches!(refused, Err(Error::Retold(retold::Error::Empty(_)))), "{refused:?}");
        assert!(fs::read_dir(dir.path()).expect("a folder").next().is_none());
    }

    #[test]
    fn names_stay_in_their_columns() {
        assert_eq!(cell("a\tb\\c\nd"), "a\\tb\\\\c\\nd");
    }
}
