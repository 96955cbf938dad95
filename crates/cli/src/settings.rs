//! From arguments to settings.
//!
//! Every argument struct is taken apart completely, so the compiler asks about each new option.
//! What was not given keeps the library's default.

mod evaluate;
mod experiment;
mod generate;
mod judging;
mod mining;

use std::env;
use std::fs;
use std::path::PathBuf;

use retold::core::features::StopList;
use retold::read::PdfHelper;
use retold::{EntityLists, Settings, TimeWindow};

pub(crate) use self::evaluate::{Evaluating, evaluate};
pub(crate) use self::experiment::{Experimenting, experiment};
pub(crate) use self::generate::{Make, Making, generate};
pub(crate) use self::judging::{JudgeTask, Judging, PoolTask, Pooling, Written, judge, pool};
pub(crate) use self::mining::{Drawing, Drawn, MineJob, SetsFor, lattice, mine};
use crate::READ_PDF;
use crate::args::{
    ClusterArgs, Color, Compare, Dedup, DetectArgs, Entities, Find, Idf, IdfAction, InputArgs,
    LimitArgs, MannerArgs, MethodArgs, Query, ReadArgs, ResourceArgs, RunArgs, Stream, TableArgs,
    TextArgs,
};
use crate::failure::Failure;

/// A run over a collection, resolved.
#[derive(Debug)]
pub(crate) struct Job {
    /// What to read.
    pub(crate) paths: Vec<PathBuf>,
    /// What to compare it with; empty means with itself.
    pub(crate) against: Vec<PathBuf>,
    /// Where to write.
    pub(crate) output: Option<PathBuf>,
    /// How to run.
    pub(crate) settings: Settings,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// A comparison of two documents, resolved.
#[derive(Debug)]
pub(crate) struct Couple {
    /// The one document.
    pub(crate) a: PathBuf,
    /// The other document.
    pub(crate) b: PathBuf,
    /// File for the page.
    pub(crate) page: Option<PathBuf>,
    /// How to compare.
    pub(crate) settings: Settings,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// A question to a collection, resolved.
#[derive(Debug)]
pub(crate) struct Question {
    /// The texts asked about.
    pub(crate) query: PathBuf,
    /// What to look in.
    pub(crate) paths: Vec<PathBuf>,
    /// Hits listed.
    pub(crate) n_top: usize,
    /// Hits shown side by side.
    pub(crate) n_shown: usize,
    /// How to compare.
    pub(crate) settings: Settings,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// A stream to follow, resolved.
#[derive(Debug)]
pub(crate) struct Following {
    /// Files in order.
    pub(crate) paths: Vec<PathBuf>,
    /// Which times are compared.
    pub(crate) window: TimeWindow,
    /// How to compare.
    pub(crate) settings: Settings,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// A table to make, resolved.
#[derive(Debug)]
pub(crate) struct Counting {
    /// What to count.
    pub(crate) paths: Vec<PathBuf>,
    /// File to write.
    pub(crate) output: PathBuf,
    /// How documents become words.
    pub(crate) settings: Settings,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// A document whose names are wanted, resolved.
#[derive(Debug)]
pub(crate) struct Naming {
    /// The document.
    pub(crate) file: PathBuf,
    /// By which lists.
    pub(crate) lists: EntityLists,
    /// How it is read.
    pub(crate) settings: Settings,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// How a command talks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Talk {
    /// Whether results are printed as JSON.
    pub(crate) is_json: bool,
    /// How much is said beside the results.
    pub(crate) volume: Volume,
    /// When output is coloured.
    pub(crate) color: Color,
}

/// How much is said beside the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Volume {
    /// Nothing.
    Quiet,
    /// Progress on a terminal, the first skipped records, notes.
    #[default]
    Normal,
    /// Every skipped record.
    Verbose,
}

/// Resolves `retold find`.
pub(crate) fn find(args: Find) -> Result<Job, Failure> {
    let Find { paths, against, output, tables, clusters, detect, resources, manner } = args;
    let mut settings = detecting(detect)?;
    put_tables(tables, &mut settings);
    put_clusters(clusters, &mut settings);
    put_resources(resources, &mut settings);
    Ok(Job { paths, against, output, settings, talk: talk(manner) })
}

/// Resolves `retold dedup`.
pub(crate) fn dedup(args: Dedup) -> Result<Job, Failure> {
    let Dedup {
        paths,
        output,
        cover,
        remove_contained,
        tables,
        clusters,
        detect,
        resources,
        manner,
    } = args;
    // Kept records are copied from where they were read, and a stream is gone by then.
    if paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::hinted(
            "standard input cannot be read a second time to copy what is kept",
            "save it to a file first",
        ));
    }
    let mut settings = Settings { remove_contained, ..detecting(detect)? };
    put(cover, &mut settings.cover);
    put_tables(tables, &mut settings);
    put_clusters(clusters, &mut settings);
    put_resources(resources, &mut settings);
    Ok(Job { paths, against: Vec::new(), output: Some(output), settings, talk: talk(manner) })
}

/// Resolves `retold compare`.
pub(crate) fn compare(args: Compare) -> Result<Couple, Failure> {
    let Compare { a, b, page, overwrite, passages_per_pair, detect, manner } = args;
    if a.as_os_str() == "-" && b.as_os_str() == "-" {
        return Err(Failure::usage("only one of two documents can be standard input"));
    }
    let mut settings = detecting(detect)?;
    put(passages_per_pair, &mut settings.passages_per_pair);
    settings.overwrite = overwrite;
    Ok(Couple { a, b, page, settings, talk: talk(manner) })
}

/// Resolves `retold query`.
pub(crate) fn query(args: Query) -> Result<Question, Failure> {
    let Query {
        asked: query,
        paths,
        top: n_top,
        show: n_shown,
        passages_per_pair,
        detect,
        resources,
        manner,
    } = args;
    let mut settings = detecting(detect)?;
    put(passages_per_pair, &mut settings.passages_per_pair);
    put_resources(resources, &mut settings);
    Ok(Question { query, paths, n_top, n_shown, settings, talk: talk(manner) })
}

/// Resolves `retold stream`.
pub(crate) fn stream(args: Stream) -> Result<Following, Failure> {
    let Stream { paths, window: seconds, ahead, passages_per_pair, detect, manner } = args;
    let mut settings = detecting(detect)?;
    put(passages_per_pair, &mut settings.passages_per_pair);
    let mut window = TimeWindow::from(seconds);
    put(ahead, &mut window.ahead_seconds);
    Ok(Following { paths, window, settings, talk: talk(manner) })
}

/// Resolves `retold idf`.
pub(crate) fn idf(args: Idf) -> Result<Counting, Failure> {
    let Idf { action: IdfAction::Build, paths, output, overwrite, detect, resources, manner } =
        args;
    let mut settings = detecting(detect)?;
    settings.overwrite = overwrite;
    put_resources(resources, &mut settings);
    Ok(Counting { paths, output, settings, talk: talk(manner) })
}

/// Resolves `retold entities`.
pub(crate) fn entities(args: Entities) -> Naming {
    let Entities { file, rules, gazetteer, no_bundled, html, language, input, manner } = args;
    let mut settings = Settings::default();
    put(html, &mut settings.text.clean.html);
    put(language, &mut settings.text.language);
    put_input(input, &mut settings);
    let lists = EntityLists { rules, gazetteer, without_bundled: no_bundled };
    Naming { file, lists, settings, talk: talk(manner) }
}

/// Checks what can be checked before anything is read.
fn check(settings: &Settings) -> Result<(), Failure> {
    settings.detector()?;
    Ok(())
}

fn put_tables(args: TableArgs, settings: &mut Settings) {
    let TableArgs { overwrite, format, no_page, pairs, pairs_per_document, passages_per_pair } =
        args;
    settings.overwrite = overwrite;
    settings.page = !no_page;
    put(format, &mut settings.format);
    put(pairs, &mut settings.pairs);
    put(pairs_per_document, &mut settings.pairs_per_document);
    put(passages_per_pair, &mut settings.passages_per_pair);
}

fn put_clusters(args: ClusterArgs, settings: &mut Settings) {
    let ClusterArgs { keep, clusters, min_common, sets, join } = args;
    put(keep, &mut settings.keep);
    put(clusters, &mut settings.grouping);
    put(min_common, &mut settings.min_common);
    put(sets, &mut settings.closed_sets);
    put(join, &mut settings.joining);
}

/// Returns the settings of a method that documents are compared by, checked as far as that can be
/// done before anything is read.
fn detecting(args: DetectArgs) -> Result<Settings, Failure> {
    let DetectArgs { method, text, input } = args;
    let mut settings = of_method(method)?;
    put_text(text, &mut settings)?;
    put_input(input, &mut settings);
    check(&settings)?;
    Ok(settings)
}

/// Returns the settings of the method that was asked for, in its profile.
fn of_method(args: MethodArgs) -> Result<Settings, Failure> {
    let MethodArgs { method, profile, decide, idf, containment, passage_words, set } = args;
    let method = method.unwrap_or_else(|| Settings::default().method);
    let mut settings = Settings::of(&method, profile.unwrap_or_default())?;
    settings.decide = decide;
    settings.idf = idf;
    settings.parameters.extend(set);
    if let Some(containment) = containment {
        settings.parameters.insert("containment".to_owned(), containment.into());
    }
    if let Some(passage_words) = passage_words {
        settings.parameters.insert("passage_words".to_owned(), passage_words.into());
    }
    Ok(settings)
}

fn put_text(args: TextArgs, settings: &mut Settings) -> Result<(), Failure> {
    let TextArgs { html, form, case, dictionary, stop_words, stem, language, detect_language } =
        args;
    let text = &mut settings.text;
    put(html, &mut text.clean.html);
    put(form, &mut text.clean.form);
    put(case, &mut text.case);
    put(stem, &mut text.stem);
    put(language, &mut text.language);
    text.dictionary |= dictionary;
    if let Some(which) = stop_words {
        text.stop_words = stop_list(&which)?;
    }
    settings.detect_language = detect_language;
    Ok(())
}

/// Reads a choice of stop words; a file holds words between white space, `#` begins a remark.
fn stop_list(which: &str) -> Result<StopList, Failure> {
    match which {
        "none" => Ok(StopList::None),
        "language" => Ok(StopList::Language),
        file => {
            let text = fs::read_to_string(file).map_err(|error| {
                Failure::hinted(
                    format!("cannot read stop words `{file}`: {error}"),
                    "`--stop-words` takes none, language or a file",
                )
            })?;
            let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
            Ok(StopList::Words(lines.flat_map(str::split_whitespace).map(str::to_owned).collect()))
        }
    }
}

fn put_input(args: InputArgs, settings: &mut Settings) {
    let InputArgs { read, limits, run } = args;
    put_read(read, settings);
    put_limits(limits, settings);
    put_run(&run, settings);
}

fn put_read(args: ReadArgs, settings: &mut Settings) {
    let ReadArgs {
        input_format,
        encoding,
        id_field,
        text_field,
        title_field,
        time_field,
        source_field,
        url_field,
        language_field,
        strict,
    } = args;
    let fields = &mut settings.read.fields;
    put(id_field, &mut fields.id);
    put(text_field, &mut fields.text);
    put(title_field, &mut fields.title);
    put(time_field, &mut fields.time);
    put(source_field, &mut fields.source);
    put(url_field, &mut fields.url);
    put(language_field, &mut fields.language);
    settings.read.format = input_format;
    // Without a path of its own the program refuses PDF, and says what is missing.
    settings.read.pdf_helper = env::current_exe()
        .map(|program| PdfHelper { program, arguments: vec![READ_PDF.into()] })
        .ok();
    settings.read.encoding = encoding;
    settings.strict = strict;
}

fn put_limits(args: LimitArgs, settings: &mut Settings) {
    let LimitArgs { max_document, max_line, max_archive, max_members, max_ratio, max_words } = args;
    let limits = &mut settings.read.limits;
    put(max_document, &mut limits.document_bytes);
    put(max_line, &mut limits.line_bytes);
    put(max_archive, &mut limits.archive_bytes);
    put(max_members, &mut limits.entries);
    put(max_ratio, &mut limits.ratio);
    put(max_words, &mut settings.text.most_words);
}

fn put_run(args: &RunArgs, settings: &mut Settings) {
    // The file was read before the arguments were.
    let RunArgs { seed, config: _ } = args;
    put(*seed, &mut settings.seed);
}

fn put_resources(args: ResourceArgs, settings: &mut Settings) {
    let ResourceArgs { threads, memory, scratch } = args;
    put(threads, &mut settings.threads);
    put(memory, &mut settings.memory_bytes);
    settings.scratch = scratch;
}

fn talk(args: MannerArgs) -> Talk {
    let MannerArgs { json, quiet, verbose, color } = args;
    let volume = match (quiet, verbose) {
        (true, _) => Volume::Quiet,
        (false, true) => Volume::Verbose,
        (false, false) => Volume::Normal,
    };
    Talk { is_json: json, volume, color: color.unwrap_or_default() }
}

/// Puts a value where one was given.
fn put<T>(given: Option<T>, slot: &mut T) {
    if let Some(given) = given {
        *slot = given;
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use retold::Keep;
    use retold::core::cluster::Joining;

    use super::*;
    use crate::args::{Cli, Command};

    fn settings(line: &str) -> Settings {
        let line = ["retold", "find"].into_iter().chain(line.split_whitespace());
        let Command::Find(args) = Cli::parse_from(line).command else { panic!("not find") };
        find(args).expect("good settings").settings
    }

    #[test]
    fn what_is_not_given_is_the_default_of_the_library() {
        let mut found = settings("x");
        let helper = found.read.pdf_helper.take().expect("the program reads PDF");
        assert_eq!(helper.arguments, [READ_PDF]);
        assert_eq!(found, Settings::default());
    }

    #[test]
    fn options_reach_the_settings() {
        let found = settings(
            "x --keep source:ap,afp --join containment --max-document 1M --text-field a,b \
             --memory 2G --no-page --stop-words language --containment 0.9 --set k=7",
        );
        assert_eq!(found.keep, Keep::Source(vec!["ap".into(), "afp".into()]));
        assert_eq!(found.joining, Joining::Containment);
        assert_eq!(found.read.limits.document_bytes, 1 << 20);
        assert_eq!(found.read.fields.text, ["a", "b"]);
        assert_eq!(found.memory_bytes, 2 << 30);
        assert!(!found.page);
        assert_eq!(found.text.stop_words, StopList::Language);
        assert_eq!(found.parameters["containment"], 0.9);
        assert_eq!(found.parameters["k"], 7);
    }

    #[test]
    fn a_file_of_stop_words_may_have_remarks() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let path = dir.path().join("words.txt");
        fs::write(&path, "# articles\nthe a\nan # before vowels\n").expect("a file for a test");
        let words = ["the", "a", "an"].map(str::to_owned).to_vec();
        assert_eq!(stop_list(&path.to_string_lossy()).ok(), Some(StopList::Words(words)));
    }
}
