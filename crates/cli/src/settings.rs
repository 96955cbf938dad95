//! From arguments to settings.
//!
//! Every argument struct is taken apart completely, so the compiler asks about each new option.
//! What was not given keeps the library's default.

mod evaluate;
mod experiment;
mod generate;
mod graphs;
mod index;
mod judging;
mod mining;
mod of_index;
mod regroup;
mod serving;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use retold::{
    Aim, Asking, EntityLists, Filter, Job, PairsWritten, PdfHelper, Quotes, Resources,
    StrikeSettings, TableFormat, TimeWindow, WatchOptions,
};
use retold_core::features::StopList;

pub(crate) use self::evaluate::{Evaluating, evaluate};
pub(crate) use self::experiment::{Experimenting, experiment};
pub(crate) use self::generate::{Make, Making, generate};
pub(crate) use self::graphs::{Descent, Linking, lineage, links};
pub(crate) use self::index::{IndexTask, Indexing, index};
pub(crate) use self::judging::{JudgeTask, Judging, PoolTask, Pooling, Written, judge, pool};
pub(crate) use self::mining::{Drawing, Drawn, MineJob, SetsFor, lattice, mine};
pub(crate) use self::regroup::{Regrouping, regroup};
pub(crate) use self::serving::{Serving, serve};
pub(crate) use self::tree::{Growing, tree};
use crate::READ_PDF;
use crate::args::{
    ClusterArgs, Color, Compare, Dedup, DetectArgs, Entities, FilterArgs, Find, Idf, IdfAction,
    InputArgs, LimitArgs, MannerArgs, MethodArgs, Plan, Query, ReadArgs, ResourceArgs, RunArgs,
    Stream, StrikeArgs, TableArgs, TextArgs,
};
use crate::failure::Failure;

/// What to do, what to do it with, and whether results may take the place of earlier ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) job: Job,
    pub(crate) resources: Resources,
    pub(crate) overwrite: bool,
}

/// A run over a collection, resolved.
#[derive(Debug)]
pub(crate) struct Task {
    /// What to read.
    pub(crate) paths: Vec<PathBuf>,
    /// What to compare it with; empty means with itself.
    pub(crate) against: Vec<PathBuf>,
    /// The method of an index, if one was named.
    pub(crate) index_method: Option<String>,
    /// What parameters are to be found for.
    pub(crate) aim: Option<Aim>,
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
    /// What becomes of quotations.
    pub(crate) quotes: Quotes,
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
    /// How an index is asked; the method only if one was named.
    pub(crate) asking: Asking,
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
    /// The index that keeps it, if one does.
    pub(crate) kept: Option<KeptStream>,
    /// How to compare.
    pub(crate) settings: Settings,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// A stream that an index keeps, resolved.
#[derive(Debug)]
pub(crate) struct KeptStream {
    /// The index.
    pub(crate) index: PathBuf,
    /// How it is watched.
    pub(crate) options: WatchOptions,
    /// File for the lines.
    pub(crate) output: Option<PathBuf>,
    /// Whether standard input begins again from its start.
    pub(crate) is_replay: bool,
    /// Number behind which the last lines are printed again.
    pub(crate) after: Option<u64>,
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

/// Sets what was given: `given!(job, with_cover(cover))`.
macro_rules! given {
    ($job:ident $(, $with:ident($value:expr))+) => {
        $(if let Some(value) = $value {
            $job = $job.$with(value);
        })+
    };
}

/// Resolves `retold find`.
pub(crate) fn find(args: Find) -> Result<Task, Failure> {
    let Find {
        paths,
        against,
        relations,
        boilerplate,
        distinctive,
        recall,
        output,
        resume,
        tables,
        clusters,
        detect,
        resources,
        manner,
    } = args;
    let index_method = detect.method.method.clone();
    let aim = match (detect.method.similarity, recall) {
        (Some(similarity), Some(recall)) => Some(Aim::new(similarity, recall)?),
        _ => None,
    };
    for index in against.iter().filter(|path| retold::is_index(path)) {
        of_index::check(&detect.method, index)?;
    }
    let mut job = with_clusters(clusters, with_tables(tables, detecting(detect)?));
    given!(
        job,
        with_relations(relations),
        with_boilerplate(boilerplate),
        with_distinctive(distinctive)
    );
    job.check()?;
    let resources = resuming(resume, output.as_deref(), resources_of(resources));
    let settings = Settings { job, resources, overwrite: tables.overwrite };
    Ok(Task { paths, against, index_method, aim, output, settings, talk: talk(manner) })
}

/// Says where a run is written down that is to be resumed: beside its output.
fn resuming(is_resumed: bool, output: Option<&Path>, resources: Resources) -> Resources {
    match output.filter(|_| is_resumed) {
        None => resources,
        Some(output) => {
            let name = output.file_name().unwrap_or(output.as_os_str());
            let mut name = name.to_owned();
            name.push(".resume");
            resources.resume(output.with_file_name(name))
        }
    }
}

/// Resolves `retold plan`.
pub(crate) fn plan(args: Plan) -> Result<Task, Failure> {
    let Plan { paths, detect, resources, manner } = args;
    let job = detecting(detect)?;
    let settings = Settings { job, resources: resources_of(resources), overwrite: false };
    let (against, index_method, aim, output) = (Vec::new(), None, None, None);
    Ok(Task { paths, against, index_method, aim, output, settings, talk: talk(manner) })
}

/// Options of `dedup` that say nothing below the document: which method, by what it judges, and what is
/// written of pairs and clusters.
const OF_DOCUMENTS: [&str; 25] = [
    "cover",
    "remove-contained",
    "pairs",
    "search-containment",
    "search-passage-words",
    "pairs-per-document",
    "passages-per-pair",
    "no-page",
    "no-shared-text",
    "clusters",
    "min-common",
    "sets",
    "miner",
    "join",
    "method",
    "profile",
    "decide",
    "copies",
    "idf",
    "containment",
    "similarity",
    "passage-words",
    "edits",
    "set",
    "detect-language",
];

/// Options of `dedup` about pairs and clusters: without `--pairs` it makes neither.
const OF_PAIRS: [&str; 7] =
    ["clusters", "min-common", "sets", "miner", "join", "pairs-per-document", "passages-per-pair"];

/// Refuses the first of some options that was typed. One that stands in a file or in the environment is
/// meant for other runs as well.
fn refuse(
    options: &[&str],
    typed: &BTreeSet<String>,
    why: &str,
    hint: &str,
) -> Result<(), Failure> {
    match options.iter().find(|&&option| typed.contains(option)) {
        Some(option) => Err(Failure::hinted(format!("`--{option}` is of no use {why}"), hint)),
        None => Ok(()),
    }
}

/// Resolves `retold dedup`, and what is struck if it looks below the document. `typed` has the names of
/// the options that stand in the command line itself.
pub(crate) fn dedup(
    args: Dedup,
    typed: &BTreeSet<String>,
) -> Result<(Task, Option<StrikeSettings>), Failure> {
    let Dedup {
        paths,
        against,
        output,
        cover,
        remove_contained,
        shard_size,
        resume,
        strikes,
        tables,
        clusters,
        detect,
        resources,
        manner,
    } = args;
    let strikes = strikes.settings();
    if strikes.is_none() {
        let hint = "name what is struck, such as `--level passage`";
        refuse(&StrikeArgs::OPTIONS, typed, "for whole documents", hint)?;
    }
    if let Some(settings) = &strikes {
        let hint = "leave it out, or `--level`";
        refuse(&OF_DOCUMENTS, typed, "below the document", hint)?;
        if settings.drop_short && settings.least_left.is_none() {
            return Err(Failure::usage("`--drop-short` must be used with `--least-left`"));
        }
        settings.check()?;
        if against.iter().any(retold::is_index) {
            return Err(Failure::usage("below the document `--against` takes files, not an index"));
        }
        if tables.format.is_some_and(|format| format != TableFormat::Jsonl) {
            return Err(Failure::usage("below the document tables are written as jsonl"));
        }
    }
    // Kept records are copied from where they were read, and a stream is gone by then.
    if paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::hinted(
            "standard input cannot be read a second time to copy what is kept",
            "save it to a file first",
        ));
    }
    let index_method = detect.method.method.clone();
    for index in against.iter().filter(|path| retold::is_index(path)) {
        of_index::check(&detect.method, index)?;
    }
    let mut job = detecting(detect)?.with_remove_contained(remove_contained);
    given!(job, with_cover(cover), with_shard_size(shard_size));
    let job = with_clusters(clusters, with_tables(tables, job));
    job.check()?;
    if strikes.is_none() && matches!(job.pairs(), None | Some(PairsWritten::Nothing)) {
        let hint = "`--pairs star` makes pairs and clusters, too";
        refuse(&OF_PAIRS, typed, "where no pairs are made", hint)?;
    }
    let output = Some(output);
    let resources = resuming(resume, output.as_deref(), resources_of(resources));
    let settings = Settings { job, resources, overwrite: tables.overwrite };
    let talk = talk(manner);
    Ok((Task { paths, against, index_method, aim: None, output, settings, talk }, strikes))
}

/// Resolves `retold compare`.
pub(crate) fn compare(args: Compare) -> Result<Couple, Failure> {
    let Compare { a, b, page, overwrite, passages_per_pair, quotes, detect, manner } = args;
    if a.as_os_str() == "-" && b.as_os_str() == "-" {
        return Err(Failure::usage("only one of two documents can be standard input"));
    }
    let mut job = detecting(detect)?;
    given!(job, with_passages_per_pair(passages_per_pair));
    let settings = Settings { job, overwrite, ..Settings::default() };
    let quotes = quotes.unwrap_or_default();
    Ok(Couple { a, b, page, quotes, settings, talk: talk(manner) })
}

/// Resolves `retold query`.
pub(crate) fn query(args: Query) -> Result<Question, Failure> {
    let Query {
        asked: query,
        paths,
        top: n_top,
        show: n_shown,
        passages_per_pair,
        relations,
        distinctive,
        rank,
        whole: is_whole,
        explain: explains,
        quotes,
        filter,
        detect,
        resources,
        manner,
    } = args;
    let asking = Asking {
        method: detect.method.method.clone(),
        top: Some(n_top),
        shown: n_shown,
        relations,
        filter: filter_of(filter),
        rank: rank.unwrap_or_default(),
        passages_per_pair,
        is_whole,
        quotes: quotes.unwrap_or_default(),
        distinctive,
        explains,
        within: None,
        is_strict: detect.input.read.strict,
    };
    if let [path] = &paths[..]
        && retold::is_index(path)
    {
        of_index::check(&detect.method, path)?;
    }
    let mut job = detecting(detect)?;
    given!(job, with_passages_per_pair(passages_per_pair), with_distinctive(distinctive));
    let settings = Settings { job, resources: resources_of(resources), ..Settings::default() };
    let talk = talk(manner);
    Ok(Question { query, paths, n_top, n_shown, asking, settings, talk })
}

/// Resolves `retold stream`.
pub(crate) fn stream(args: Stream) -> Result<Following, Failure> {
    let Stream {
        paths,
        window: seconds,
        ahead,
        index,
        name,
        forget: forgets,
        group,
        output,
        replay: is_replay,
        after,
        passages_per_pair,
        detect,
        manner,
    } = args;
    let mut window = TimeWindow::from(seconds);
    put(ahead, &mut window.ahead_seconds);
    let mut kept = None;
    if let Some(index) = index {
        of_index::check(&detect.method, &index)?;
        let method = detect.method.method.clone();
        let mut options = WatchOptions { method, window, forgets, ..WatchOptions::default() };
        put(name, &mut options.name);
        put(group, &mut options.group);
        kept = Some(KeptStream { index, options, output, is_replay, after });
    }
    let mut job = detecting(detect)?;
    given!(job, with_passages_per_pair(passages_per_pair));
    let settings = Settings { job, ..Settings::default() };
    Ok(Following { paths, window, kept, settings, talk: talk(manner) })
}

fn filter_of(args: FilterArgs) -> Filter {
    let FilterArgs { from, until, fields: given } = args;
    let mut fields = BTreeMap::<String, Vec<String>>::new();
    for (name, value) in given {
        fields.entry(name).or_default().push(value);
    }
    Filter { from, until, fields, ..Filter::default() }
}

/// Resolves `retold idf`.
pub(crate) fn idf(args: Idf) -> Result<Counting, Failure> {
    let Idf { action: IdfAction::Build, paths, output, overwrite, detect, resources, manner } =
        args;
    let settings =
        Settings { job: detecting(detect)?, resources: resources_of(resources), overwrite };
    Ok(Counting { paths, output, settings, talk: talk(manner) })
}

/// Resolves `retold entities`.
pub(crate) fn entities(args: Entities) -> Naming {
    let Entities {
        file,
        rules,
        gazetteer,
        no_bundled,
        lists,
        profile,
        html,
        language,
        input,
        manner,
    } = args;
    let mut text = Job::default().text().clone();
    put(html, &mut text.clean.html);
    put(language, &mut text.language);
    let job = with_input(input, Job::default().with_text(text));
    let lists = EntityLists {
        rules,
        gazetteer,
        without_bundled: no_bundled,
        size: lists.unwrap_or_default(),
        profile: profile.unwrap_or_default(),
    };
    let settings = Settings { job, ..Settings::default() };
    Naming { file, lists, settings, talk: talk(manner) }
}

fn with_tables(args: TableArgs, mut job: Job) -> Job {
    // Whether results may be replaced is no part of the job.
    let TableArgs {
        overwrite: _,
        format,
        no_page,
        no_shared_text,
        pairs,
        search_containment,
        search_passage_words,
        pairs_per_document,
        passages_per_pair,
    } = args;
    given!(
        job,
        with_format(format),
        with_pairs(pairs),
        with_pairs_per_document(pairs_per_document),
        with_passages_per_pair(passages_per_pair)
    );
    // What is not given is left to the method.
    job.with_no_page(no_page)
        .with_no_shared_text(no_shared_text)
        .with_search_containment(search_containment)
        .with_search_passage_words(search_passage_words)
}

fn with_clusters(args: ClusterArgs, mut job: Job) -> Job {
    let ClusterArgs { keep, clusters, min_common, sets, miner, join } = args;
    given!(
        job,
        with_keep(keep),
        with_clusters(clusters),
        with_min_common(min_common),
        with_sets(sets),
        with_miner(miner),
        with_join(join)
    );
    job
}

/// Returns the job of a method that documents are compared by, checked as far as that can be done
/// before anything is read.
fn detecting(args: DetectArgs) -> Result<Job, Failure> {
    let DetectArgs { method, text, input } = args;
    let job = with_input(input, with_text(text, of_method(method)?)?);
    job.check()?;
    Ok(job)
}

/// Returns the job of the method that was asked for, in its profile.
fn of_method(args: MethodArgs) -> Result<Job, Failure> {
    let MethodArgs {
        method,
        profile,
        decide,
        copies,
        idf,
        containment,
        similarity,
        passage_words,
        edits,
        set,
    } = args;
    let method = method.unwrap_or_else(|| Job::default().method().to_owned());
    let mut job = Job::of(&method, profile.unwrap_or_default())?.with_decide(decide).with_idf(idf);
    if let Some(copies) = copies {
        job = job.with_copies(copies);
    }
    for (name, value) in set {
        job = job.with_parameter(name, value);
    }
    if let Some(containment) = containment {
        job = job.with_parameter("containment", containment);
    }
    if let Some(similarity) = similarity {
        job = job.with_parameter("similarity", similarity);
    }
    if let Some(passage_words) = passage_words {
        job = job.with_parameter("passage_words", passage_words);
    }
    if let Some(edits) = edits {
        job = job.with_edits(edits);
    }
    Ok(job)
}

fn with_text(args: TextArgs, job: Job) -> Result<Job, Failure> {
    let TextArgs { html, form, case, dictionary, stop_words, stem, language, detect_language } =
        args;
    let mut text = job.text().clone();
    put(html, &mut text.clean.html);
    put(form, &mut text.clean.form);
    put(case, &mut text.case);
    put(stem, &mut text.stem);
    put(language, &mut text.language);
    text.dictionary |= dictionary;
    if let Some(which) = stop_words {
        text.stop_words = stop_list(&which)?;
    }
    Ok(job.with_text(text).with_detect_language(detect_language))
}

/// Reads a choice of stop words; a file holds words between white space, `#` begins a remark.
fn stop_list(which: &str) -> Result<StopList, Failure> {
    if let Ok(list) = which.parse() {
        return Ok(list);
    }
    let text = fs::read_to_string(which).map_err(|error| {
        Failure::hinted(
            format!("cannot read stop words `{which}`: {error}"),
            "`--stop-words` takes none, language, words:A,B,C or a file",
        )
    })?;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    Ok(StopList::Words(lines.flat_map(str::split_whitespace).map(str::to_owned).collect()))
}

fn with_input(args: InputArgs, job: Job) -> Job {
    let InputArgs { read, limits, run } = args;
    // The file was read before the arguments were.
    let RunArgs { seed, config: _ } = run;
    let mut job = with_limits(limits, with_read(read, job));
    given!(job, with_seed(seed));
    job
}

fn with_read(args: ReadArgs, job: Job) -> Job {
    let ReadArgs {
        input_format,
        encoding,
        table,
        sql,
        id_field,
        text_field,
        title_field,
        headline,
        time_field,
        source_field,
        url_field,
        language_field,
        store_fields,
        strict,
    } = args;
    let mut read = job.read().clone();
    let fields = &mut read.fields;
    put(id_field, &mut fields.id);
    put(text_field, &mut fields.text);
    put(title_field, &mut fields.title);
    put(headline, &mut read.headline);
    let fields = &mut read.fields;
    put(time_field, &mut fields.time);
    put(source_field, &mut fields.source);
    put(url_field, &mut fields.url);
    put(language_field, &mut fields.language);
    put(store_fields, &mut read.further_fields);
    read.format = input_format;
    read.pdf_helper = pdf_helper();
    read.encoding = encoding;
    read.table = table;
    read.sql = sql;
    job.with_read(read).with_strict(strict)
}

/// Returns the program that reads PDF: this one. Without a path of its own it refuses PDF, and says
/// what is missing.
fn pdf_helper() -> Option<PdfHelper> {
    let program = env::current_exe().ok()?;
    Some(PdfHelper { program, arguments: vec![READ_PDF.into()] })
}

fn with_limits(args: LimitArgs, job: Job) -> Job {
    let LimitArgs {
        max_document,
        max_line,
        max_archive,
        max_members,
        max_ratio,
        max_nesting,
        max_json_depth,
        max_xml_depth,
        max_name,
        max_words,
    } = args;
    let (mut read, mut text) = (job.read().clone(), job.text().clone());
    let limits = &mut read.limits;
    put(max_document, &mut limits.document_bytes);
    put(max_line, &mut limits.line_bytes);
    put(max_archive, &mut limits.archive_bytes);
    put(max_members, &mut limits.entries);
    put(max_ratio, &mut limits.ratio);
    put(max_nesting, &mut limits.nesting);
    put(max_json_depth, &mut limits.json_depth);
    put(max_xml_depth, &mut limits.xml_depth);
    put(max_name, &mut limits.path_bytes);
    put(max_words, &mut text.most_words);
    job.with_read(read).with_text(text)
}

fn resources_of(args: ResourceArgs) -> Resources {
    let ResourceArgs { threads, memory, scratch } = args;
    let mut resources = Resources::new();
    given!(resources, threads(threads), memory(memory), scratch(scratch));
    resources
}

pub(crate) fn talk(args: MannerArgs) -> Talk {
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
    use retold::{Joining, Keep};

    use super::*;
    use crate::args::{Cli, Command};

    fn settings(line: &str) -> Settings {
        let line = ["retold", "find"].into_iter().chain(line.split_whitespace());
        let Command::Find(args) = Cli::parse_from(line).command else { panic!("not find") };
        find(args).expect("good settings").settings
    }

    #[test]
    fn what_is_not_given_is_the_default_of_the_library() {
        let job = settings("x").job;
        let mut read = job.read().clone();
        let helper = read.pdf_helper.take().expect("the program reads PDF");
        assert_eq!(helper.arguments, [READ_PDF]);
        assert_eq!(job.with_read(read), Job::default());
    }

    #[test]
    fn options_reach_the_settings() {
        let Settings { job, resources, .. } = settings(
            "x --keep source:ap,afp --join containment --max-document 1M --text-field a,b \
             --memory 2G --no-page --stop-words language --containment 0.9 --set k=7",
        );
        assert_eq!(*job.keep(), Keep::Source(vec!["ap".into(), "afp".into()]));
        assert_eq!(job.join(), Joining::Containment);
        assert_eq!(job.read().limits.document_bytes, 1 << 20);
        assert_eq!(job.read().fields.text, ["a", "b"]);
        assert!(format!("{resources:?}").contains("memory_bytes: 2147483648"), "{resources:?}");
        assert!(job.no_page());
        assert_eq!(job.text().stop_words, StopList::Language);
        assert_eq!(job.parameters()["containment"], 0.9);
        assert_eq!(job.parameters()["k"], 7);
    }

    #[test]
    fn options_that_are_of_no_use_are_refused_where_they_are_typed() {
        let program = crate::args::command();
        let command = program.find_subcommand("dedup").expect("a command");
        let known: BTreeSet<&str> = command.get_arguments().filter_map(|a| a.get_long()).collect();
        let all = OF_DOCUMENTS.iter().chain(&OF_PAIRS).chain(&StrikeArgs::OPTIONS);
        for option in all {
            assert!(known.contains(option), "{option}");
        }
        let resolved = |line: &str, typed: &[&str]| {
            let line = ["retold", "dedup", "x", "-o", "y"].into_iter().chain(line.split(' '));
            let Command::Dedup(args) = Cli::parse_from(line).command else { panic!("not dedup") };
            let typed = typed.iter().map(|&name| name.to_owned()).collect();
            dedup(args, &typed).map_err(|failure| failure.message().unwrap_or_default())
        };
        for option in OF_DOCUMENTS {
            let refused = resolved("--level passage", &[option]).expect_err("it is of no use");
            assert_eq!(refused, format!("`--{option}` is of no use below the document"));
        }
        for option in OF_PAIRS {
            assert!(resolved("--cover 0.9", &[option]).is_err());
            assert!(resolved("--pairs star", &["pairs", option]).is_ok());
        }
        assert!(resolved("--cover 0.9 --method minhash", &["cover", "method"]).is_ok());
        assert!(resolved("--level passage --keep first", &["level", "keep"]).is_ok());
        // In a file or in the environment they do no harm.
        assert!(resolved("--level passage --cover 0.9 --pairs all", &["level"]).is_ok());
        assert!(resolved("--clusters components --min-words 9", &[]).is_ok());
    }

    /// Every setting of a stored job is an option, so that a manifest can be given to `--config`.
    #[test]
    fn every_setting_is_an_option() {
        let stored = serde_json::to_value(Job::default()).expect("plain data");
        let program = crate::args::command();
        let commands =
            ["find", "dedup"].map(|name| program.find_subcommand(name).expect("a command"));
        for name in stored.as_object().expect("a table").keys() {
            let mut options = commands.iter().flat_map(|command| command.get_arguments());
            assert!(options.any(|arg| arg.get_long() == Some(name)), "there is no option --{name}");
        }
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
