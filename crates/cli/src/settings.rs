//! From arguments to settings.
//!
//! Every argument struct is taken apart completely, so the compiler asks about each new option.
//! What was not given keeps the library's default.

use std::fs;
use std::path::{Path, PathBuf};

use retold::core::features::StopList;
use retold::lab::generate::{self as lab, Operation, Place, Plan, Unit, Variant};
use retold::{EntityLists, Settings};

use crate::args::{
    ClusterArgs, Color, Compare, Dedup, DetailArgs, Entities, Find, Generate, Idf, IdfAction,
    LimitArgs, MannerArgs, MethodArgs, OperationArgs, Query, ReadArgs, ResourceArgs, RunArgs,
    Sequence, Stream, TableArgs, TextArgs,
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
    /// Length of the window.
    pub(crate) window_seconds: Option<i64>,
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

/// A test collection to make, resolved.
#[derive(Debug)]
pub(crate) struct Making {
    /// What to make it of.
    pub(crate) paths: Vec<PathBuf>,
    /// What to do.
    pub(crate) what: Make,
    /// How documents are read.
    pub(crate) settings: Settings,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// What `retold generate` does.
#[derive(Debug)]
pub(crate) enum Make {
    /// Count what documents are made of.
    Count,
    /// Carry a plan out and write this folder.
    Plan(Box<Plan>, PathBuf),
    /// Carry a log out and write this folder.
    Replay(PathBuf, PathBuf),
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
    let Find {
        paths,
        against,
        output,
        tables,
        clusters,
        method,
        text,
        read,
        limits,
        run,
        resources,
        manner,
    } = args;
    let mut settings = base(method)?;
    put_tables(tables, &mut settings);
    put_clusters(clusters, &mut settings);
    put_text(text, &mut settings)?;
    put_read(read, &mut settings);
    put_limits(limits, &mut settings);
    put_run(&run, &mut settings);
    put_resources(resources, &mut settings);
    check(&settings)?;
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
        method,
        text,
        read,
        limits,
        run,
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
    let mut settings = Settings { remove_contained, ..base(method)? };
    put(cover, &mut settings.cover);
    put_tables(tables, &mut settings);
    put_clusters(clusters, &mut settings);
    put_text(text, &mut settings)?;
    put_read(read, &mut settings);
    put_limits(limits, &mut settings);
    put_run(&run, &mut settings);
    put_resources(resources, &mut settings);
    check(&settings)?;
    Ok(Job { paths, against: Vec::new(), output: Some(output), settings, talk: talk(manner) })
}

/// Resolves `retold compare`.
pub(crate) fn compare(args: Compare) -> Result<Couple, Failure> {
    let Compare { a, b, page, passages_per_pair, method, text, read, limits, run, manner } = args;
    if a.as_os_str() == "-" && b.as_os_str() == "-" {
        return Err(Failure::usage("only one of two documents can be standard input"));
    }
    let mut settings = base(method)?;
    put(passages_per_pair, &mut settings.passages_per_pair);
    put_text(text, &mut settings)?;
    put_read(read, &mut settings);
    put_limits(limits, &mut settings);
    put_run(&run, &mut settings);
    check(&settings)?;
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
        method,
        text,
        read,
        limits,
        run,
        resources,
        manner,
    } = args;
    let mut settings = base(method)?;
    put(passages_per_pair, &mut settings.passages_per_pair);
    put_text(text, &mut settings)?;
    put_read(read, &mut settings);
    put_limits(limits, &mut settings);
    put_run(&run, &mut settings);
    put_resources(resources, &mut settings);
    check(&settings)?;
    Ok(Question { query, paths, n_top, n_shown, settings, talk: talk(manner) })
}

/// Resolves `retold stream`.
pub(crate) fn stream(args: Stream) -> Result<Following, Failure> {
    let Stream { paths, window, passages_per_pair, method, text, read, limits, run, manner } = args;
    let mut settings = base(method)?;
    put(passages_per_pair, &mut settings.passages_per_pair);
    put_text(text, &mut settings)?;
    put_read(read, &mut settings);
    put_limits(limits, &mut settings);
    put_run(&run, &mut settings);
    check(&settings)?;
    Ok(Following { paths, window_seconds: window, settings, talk: talk(manner) })
}

/// Resolves `retold idf`.
pub(crate) fn idf(args: Idf) -> Result<Counting, Failure> {
    let Idf {
        action: IdfAction::Build,
        paths,
        output,
        method,
        text,
        read,
        limits,
        run,
        resources,
        manner,
    } = args;
    let mut settings = base(method)?;
    put_text(text, &mut settings)?;
    put_read(read, &mut settings);
    put_limits(limits, &mut settings);
    put_run(&run, &mut settings);
    put_resources(resources, &mut settings);
    check(&settings)?;
    Ok(Counting { paths, output, settings, talk: talk(manner) })
}

/// Resolves `retold entities`.
pub(crate) fn entities(args: Entities) -> Naming {
    let Entities { file, rules, gazetteer, no_bundled, html, language, read, limits, run, manner } =
        args;
    let mut settings = Settings::default();
    put(html, &mut settings.text.clean.html);
    put(language, &mut settings.text.language);
    put_read(read, &mut settings);
    put_limits(limits, &mut settings);
    put_run(&run, &mut settings);
    let lists = EntityLists { rules, gazetteer, without_bundled: no_bundled };
    Naming { file, lists, settings, talk: talk(manner) }
}

/// Resolves `retold generate`.
pub(crate) fn generate(args: Generate) -> Result<Making, Failure> {
    let Generate {
        paths,
        output,
        overwrite,
        no_originals,
        related,
        counts,
        plan,
        replay,
        sequence,
        details,
        read,
        limits,
        threads,
        run,
        manner,
    } = args;
    let mut settings = Settings { overwrite, ..Settings::default() };
    put_read(read, &mut settings);
    put_limits(limits, &mut settings);
    put_run(&run, &mut settings);
    put(threads, &mut settings.threads);
    let what = match (counts, output, replay) {
        (true, ..) => Make::Count,
        (false, None, _) => {
            return Err(Failure::hinted(
                "there is no folder to write to",
                "name one with `-o`, or pass `--counts` to make nothing",
            ));
        }
        (false, Some(output), Some(log)) => {
            if !sequence.order.is_empty() || run.seed.is_some() {
                return Err(Failure::usage("a log is carried out as it is; nothing can be added"));
            }
            Make::Replay(log, output)
        }
        (false, Some(output), None) => {
            let mut plan = match plan {
                Some(_) if !sequence.order.is_empty() || details.query.is_some() => {
                    return Err(Failure::hinted(
                        "operations stand in the plan or here, not in both",
                        "add them to the plan",
                    ));
                }
                Some(path) => retold::read_plan(&path)?,
                None => written_plan(sequence, details)?,
            };
            put(run.seed, &mut plan.seed);
            put(related, &mut plan.related);
            plan.originals &= !no_originals;
            plan.check().map_err(retold::Error::from)?;
            Make::Plan(Box::new(plan), output)
        }
    };
    Ok(Making { paths, what, settings, talk: talk(manner) })
}

/// Makes a plan of the operations of a command line.
fn written_plan(sequence: Sequence, details: DetailArgs) -> Result<Plan, Failure> {
    let Sequence { given, order } = sequence;
    let DetailArgs {
        unit,
        variants,
        documents,
        dictionary,
        occurrences,
        ocr_table,
        query,
        amount,
        from,
        into,
    } = details;
    if order.is_empty() && query.is_none() {
        return Err(Failure::hinted(
            "nothing is to be done",
            "`retold generate --help` lists the operations",
        ));
    }
    let OperationArgs {
        reorder,
        delete,
        add_foreign,
        replace_words,
        add_repeated,
        replace_characters,
        ocr,
        homoglyphs,
        zero_width,
        contain,
        excerpt,
        plant,
    } = given;
    let table = ocr_table.map(|path| read_table(&path)).transpose()?.unwrap_or_default();
    let (block, stretch) = (unit.unwrap_or_default(), unit.unwrap_or(Unit::Sentence));
    let place = from.unwrap_or_default();
    let steps = order
        .into_iter()
        .filter_map(|name| match name {
            "reorder" => reorder.map(|percent| Operation::Reorder { percent, unit: block }),
            "delete" => delete.map(|percent| Operation::Delete { percent, unit: block }),
            "add_foreign" => {
                add_foreign.map(|percent| Operation::AddForeign { percent, unit: block })
            }
            "replace_words" => replace_words.map(|percent| Operation::ReplaceWords { percent }),
            "add_repeated" => add_repeated.map(|(amount, repeats)| Operation::AddRepeated {
                amount,
                repeats,
                unit: block,
            }),
            "replace_characters" => replace_characters
                .clone()
                .map(|pairs| Operation::ReplaceCharacters { pairs, percent: occurrences }),
            "ocr" => ocr.map(|percent| Operation::Ocr { percent, table: table.clone() }),
            "homoglyphs" => homoglyphs.map(|percent| Operation::Homoglyphs { percent }),
            "zero_width" => zero_width.map(|percent| Operation::ZeroWidth { percent }),
            "contain" => contain.map(|ratio| Operation::Contain { ratio, place: into }),
            "excerpt" => excerpt.map(|ratio| Operation::Excerpt { ratio, place }),
            _ => plant.map(|sources| Operation::Plant {
                sources,
                unit: stretch,
                amount,
                from: place,
                into,
            }),
        })
        .collect::<Vec<_>>();
    let mut plan = Plan::default();
    if !steps.is_empty() {
        plan.variants.push(Variant { name: String::new(), copies: variants, documents, steps });
    }
    if let Some(documents) = query {
        let thirds = || vec![Place::Begin, Place::Middle, Place::End];
        plan.queries.push(lab::Query {
            documents,
            unit: stretch,
            amount,
            places: from.map_or_else(thirds, |place| vec![place]),
            ..lab::Query::default()
        });
    }
    if let Some(path) = dictionary {
        let text = fs::read_to_string(&path).map_err(|error| {
            Failure::usage(format!("cannot read dictionary `{}`: {error}", path.display()))
        })?;
        plan.dictionary = text.split_whitespace().map(str::to_owned).collect();
        if plan.dictionary.is_empty() {
            let message = format!("there are no words in dictionary `{}`", path.display());
            return Err(Failure::usage(message));
        }
    }
    Ok(plan)
}

/// Reads a table of `from<TAB>to`; blank lines are passed over.
fn read_table(path: &Path) -> Result<Vec<(String, String)>, Failure> {
    let shown = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read table `{shown}`: {error}")))?;
    let mut table = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let Some((from, to)) = line.split_once('\t') else {
            let message = format!("in `{shown}`, line {}: a line is from<TAB>to", i + 1);
            return Err(Failure::usage(message));
        };
        table.push((from.to_owned(), to.to_owned()));
    }
    if table.is_empty() {
        return Err(Failure::usage(format!("there is nothing in table `{shown}`")));
    }
    Ok(table)
}

/// Checks what can be checked before anything is read.
fn check(settings: &Settings) -> Result<(), Failure> {
    settings.detector()?;
    Ok(())
}

fn put_tables(args: TableArgs, settings: &mut Settings) {
    let TableArgs { overwrite, format, no_page, pairs_per_document, passages_per_pair } = args;
    settings.overwrite = overwrite;
    settings.page = !no_page;
    put(format, &mut settings.format);
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

/// Returns the settings of the method that was asked for, in its profile.
fn base(args: MethodArgs) -> Result<Settings, Failure> {
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
        assert_eq!(settings("x"), Settings::default());
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

    fn plan(line: &str) -> Result<Plan, String> {
        let line = ["retold", "generate", "x", "-o", "made"].into_iter().chain(line.split(' '));
        let Command::Generate(args) = Cli::parse_from(line).command else { panic!("not generate") };
        match generate(*args).map(|making| making.what) {
            Ok(Make::Plan(plan, _)) => Ok(*plan),
            Ok(other) => panic!("not a plan: {other:?}"),
            Err(failure) => Err(failure.message().unwrap_or_default()),
        }
    }

    #[test]
    fn operations_are_done_in_the_order_given() {
        let names = |line: &str| -> Vec<&str> {
            let plan = plan(line).expect("a good plan");
            plan.variants[0].steps.iter().map(Operation::name).collect()
        };
        assert_eq!(names("--delete 25% --replace-words 10%"), ["delete", "replace-words"]);
        assert_eq!(
            names("--replace-words=10 --delete=25 --ocr 1%"),
            ["replace-words", "delete", "ocr"]
        );
        assert_eq!(names("--ocr 1% --delete 2% --ocr 3%"), ["delete", "ocr"], "the last counts");
        let all = "--plant 1 --excerpt 1:2 --contain 1:3 --zero-width 1 --homoglyphs 1 --ocr 1 \
                   --replace-characters a=b --add-repeated 1x1 --replace-words 1 --add-foreign 1 \
                   --delete 1 --reorder 1";
        assert_eq!(names(&all.split_whitespace().collect::<Vec<_>>().join(" ")).len(), 12);
    }

    #[test]
    fn details_reach_the_plan() {
        let made = plan("--plant 3 --amount 4-5 --unit word --from end --variants 2 --seed 9");
        let made = made.expect("a good plan");
        assert_eq!((made.seed, made.variants[0].copies), (9, 2));
        let expected = Operation::Plant {
            sources: 3,
            unit: Unit::Word,
            amount: lab::Extent { least: 4, most: 5 },
            from: Place::End,
            into: Place::Any,
        };
        assert_eq!(made.variants[0].steps, [expected]);
        let made = plan("--query 27 --no-originals --related inputs").expect("a good plan");
        assert!(made.variants.is_empty() && !made.originals);
        assert_eq!(made.queries[0].places.len(), 3);
        assert_eq!(plan("--delete 250%"), Err("delete must be 0 to 100 percent, got 250".into()));
        assert_eq!(plan("--variants 2"), Err("nothing is to be done".into()));
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
