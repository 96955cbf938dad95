//! `generate`: a test collection made of a collection, with all that is known of it.
//!
//! All inputs are held in memory, because foreign paragraphs may come from any of them. What is
//! made is written as it is made; only where its words are from is kept until the pairs are known.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::generate::{
    Collection, CopiedSpan, Counts, Entry, Finished, Head, Log, Maker, Pair, Plan, Reference,
};
use retold_core::document::Document;
use retold_core::relation::Kind;
use retold_read::{BadRecord, FileDigest, Reader, discover};
use retold_report::{BadRow, Manifest, ManifestInput, ManifestRun, OutputDir};
use serde::Serialize;

use crate::error::Error;
use retold::Settings;
use retold::internal::Pool;
use retold::{Progress, Stage, Stop};

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

/// Makes a test collection of the documents under `paths` and writes it to `output`.
///
/// The folder holds `collection.jsonl`, `queries.jsonl` if there are any, the reference `pairs.tsv`
/// and `spans.tsv`, the log as `log.jsonl` and `log.txt`, and `manifest.json`. It appears under its
/// name only when it is complete.
pub fn generate(
    paths: &[PathBuf],
    plan: &Plan,
    output: &Path,
    settings: &Settings,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Generated, Error> {
    plan.check()?;
    let run = Run::start(paths, output, settings, progress, stop)?;
    let collection = &run.inputs.collection;
    let maker = Maker::new(plan, collection)?;
    maker.prepare(&|| stop.is_set());
    let make = |i: usize| maker.make(&maker.tasks()[i]).map_err(Error::from);
    let n = maker.tasks().len();
    let figures = run.write(plan, n, "generate", &make)?;
    run.finish(figures)
}

/// Makes a test collection again from its log, and from the documents it was made of.
///
/// The folder is the one that [`generate`] wrote, byte for byte, its manifest apart.
pub fn regenerate(
    paths: &[PathBuf],
    log: &Path,
    output: &Path,
    settings: &Settings,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Generated, Error> {
    let unusable = |source| Error::Log { path: log.to_owned(), source };
    let text = fs::read_to_string(log).map_err(Error::io("read", log))?;
    let Log { plan, entries } = Log::parse(&text).map_err(unusable)?;
    drop(text);
    let run = Run::start(paths, output, settings, progress, stop)?;
    let collection = &run.inputs.collection;
    let make = |i: usize| {
        let unusable = |source| Error::Log { path: log.to_owned(), source };
        Finished::again(entries[i].clone(), collection).map_err(unusable)
    };
    let figures = run.write(&plan, entries.len(), "generate --replay", &make)?;
    run.finish(figures)
}

/// Reads a plan from a TOML file.
pub fn read_plan(path: &Path) -> Result<Plan, Error> {
    let text = fs::read_to_string(path).map_err(Error::io("read", path))?;
    Plan::parse(&text).map_err(|source| Error::Plan { path: path.to_owned(), source })
}

/// Counts the paragraphs, sentences and words of each document under `paths`.
///
/// The counts are of the clean text: what [`generate`] would edit.
pub fn count(
    paths: &[PathBuf],
    settings: &Settings,
    progress: &dyn Progress,
    stop: &Stop,
) -> Result<Vec<(String, Counts)>, Error> {
    let inputs = Inputs::read(paths, settings, progress, stop)?;
    let documents: Vec<&Document> = inputs.collection.documents().collect();
    let pool = Pool::with_stop(settings.threads, stop)?;
    let counted = pool.map(&documents, |document| {
        if stop.is_set() { Counts::default() } else { Counts::of(&document.text) }
    });
    if stop.is_set() {
        let n_documents = documents.len() as u64;
        return Err(Error::Stopped { stage: Stage::Read.name(), n_documents });
    }
    progress.end();
    Ok(documents.iter().map(|document| document.id.clone()).zip(counted).collect())
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
    fn read(
        paths: &[PathBuf],
        settings: &Settings,
        progress: &dyn Progress,
        stop: &Stop,
    ) -> Result<Self, Error> {
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
        let mut reader = Reader::stopped_by(found.files, settings.read_options(), stop.flag());
        let mut refused = None;
        while let Some(batch) = reader.next_batch() {
            if stop.is_set() {
                let n_documents = documents.len() as u64;
                return Err(Error::Stopped { stage: Stage::Read.name(), n_documents });
            }
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
            if let Some(record) = refused.take().filter(|_| settings.strict) {
                return Err(Error::Input(record));
            }
            progress.at(reader.bytes_read(), documents.len() as u64);
        }
        if documents.is_empty() {
            let names: Vec<String> =
                paths.iter().map(|path| format!("`{}`", path.display())).collect();
            return Err(Error::Empty(names.join(", ")));
        }
        let digests = reader.digests();
        let n_documents = documents.len() as u64;
        let collection = Collection::of_while(documents, &|| stop.is_set());
        if stop.is_set() {
            return Err(Error::Stopped { stage: Stage::Read.name(), n_documents });
        }
        Ok(Self { collection, digests, n_per_file, bad, bad_by_file, n_bad })
    }
}

/// A run under way.
struct Run<'a> {
    settings: &'a Settings,
    progress: &'a dyn Progress,
    stop: &'a Stop,
    output: OutputDir,
    inputs: Inputs,
    pool: Pool,
    started: Instant,
}

/// Documents that are made at a time: between two slices the run may be stopped.
const SLICE: usize = 256;

impl<'a> Run<'a> {
    fn start(
        paths: &[PathBuf],
        output: &Path,
        settings: &'a Settings,
        progress: &'a dyn Progress,
        stop: &'a Stop,
    ) -> Result<Self, Error> {
        let started = Instant::now();
        let output = OutputDir::create(output, settings.overwrite)?;
        let inputs = Inputs::read(paths, settings, progress, stop)?;
        let pool = Pool::with_stop(settings.threads, stop)?;
        Ok(Self { settings, progress, stop, output, inputs, pool, started })
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
        self.progress.begin(Stage::Make, 2 * n as u64);
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
            let made = self.pool.map(slice, |&i| {
                self.check_stop(i)?;
                make(i)
            });
            for finished in made {
                let Finished { document, entry, trace } = finished?;
                figures.take(&entry);
                files.made(&document, &entry).map_err(faulty)?;
                traces.push(trace);
            }
            self.progress.at(traces.len() as u64, traces.len() as u64);
        }
        let is_stopped = || self.stop.is_set();
        let reference = Reference::new(collection, &traces, plan.related, &is_stopped);
        for (i, slice) in numbers.chunks(SLICE).enumerate() {
            self.check_stop(n)?;
            let compared = self.pool.map(slice, |&made| {
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
            self.progress.at((n + i * SLICE + slice.len()) as u64, n as u64);
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
        self.progress.end();
        Ok(figures)
    }

    fn check_stop(&self, n_documents: usize) -> Result<(), Error> {
        if self.stop.is_set() {
            let n_documents = n_documents as u64;
            return Err(Error::Stopped { stage: Stage::Make.name(), n_documents });
        }
        Ok(())
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
            settings: serde_json::json!({ "plan": plan, "read": self.settings.read }),
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
                threads: self.pool.n_threads() as u32,
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

    use super::*;
    use retold::Silent;
    use retold::{Document, PairsWritten, find_in_memory};

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
        let mut settings = Settings { threads: 1, ..Settings::default() };
        let stop = Stop::new();
        let made = generate(&samples(), &plan(), &one, &settings, &Silent, &stop).expect("made");
        assert_eq!((made.n_documents, made.n_queries), (74, 1));
        assert_eq!(made.n_made, 2 * 30 + 7);
        settings.threads = 3;
        generate(&samples(), &plan(), &two, &settings, &Silent, &stop).expect("made");
        assert_eq!(files(&one), files(&two));
        let log = one.join("log.jsonl");
        regenerate(&samples(), &log, &again, &settings, &Silent, &stop).expect("made again");
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
        let settings = Settings::default();
        let stop = Stop::new();
        generate(&samples(), &plan(), &out, &settings, &Silent, &stop).expect("made");
        let written = ["collection.jsonl", "queries.jsonl"].map(|name| out.join(name));
        let read = Inputs::read(&written, &settings, &Silent, &stop).expect("documents");
        let documents: Vec<Document> = read.collection.documents().cloned().collect();
        let exhaustive = Settings {
            method: "exhaustive".to_owned(),
            pairs: PairsWritten::All,
            ..Settings::default()
        };
        let names: Vec<String> = documents.iter().map(|document| document.id.clone()).collect();
        let texts: BTreeMap<String, String> =
            documents.iter().map(|document| (document.id.clone(), document.text.clone())).collect();
        let found = find_in_memory(documents, &exhaustive).expect("it runs");
        let shown = |share: f64| format!("{share:.6}");
        let found: BTreeMap<(&str, &str), [String; 4]> = found
            .relations
            .iter()
            .map(|relation| {
                let name = |ordinal: retold_core::document::Ordinal| &*names[ordinal.index()];
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
        let counted = count(&paths, &Settings::default(), &Silent, &Stop::new()).expect("counted");
        let counts = counted[0].1;
        assert_eq!((counts.paragraphs, counts.sentences, counts.words), (2, 3, 5));
    }

    #[test]
    fn a_run_that_is_stopped_or_finds_nothing_leaves_nothing() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let out = dir.path().join("made");
        let stop = Stop::new();
        stop.set();
        let stopped = generate(&samples(), &plan(), &out, &Settings::default(), &Silent, &stop);
        assert!(matches!(stopped, Err(Error::Stopped { .. })));
        let empty = [dir.path().to_owned()];
        let refused = generate(&empty, &plan(), &out, &Settings::default(), &Silent, &Stop::new());
        assert!(matches!(refused, Err(Error::Empty(_))), "{refused:?}");
        assert!(fs::read_dir(dir.path()).expect("a folder").next().is_none());
    }

    #[test]
    fn names_stay_in_their_columns() {
        assert_eq!(cell("a\tb\\c\nd"), "a\\tb\\\\c\\nd");
    }
}
