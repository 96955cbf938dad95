//! `retold index`: a collection that remembers.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use retold::{
    Added, CheckReport, Error, Files, Filter, Index, IndexStats, IndexWriter, Job, Problem,
    RepairReport, backup_index, check_index, repair_index, restore_index,
};
use retold_report::{counted, escape_terminal};
use serde::Serialize;
use serde_json::json;

use crate::commands::run;
use crate::failure::Failure;
use crate::settings::{IndexTask, Indexing, Talk};
use crate::terminal;

/// Does what was asked with an index.
pub(crate) fn index(task: IndexTask) -> Result<(), Failure> {
    let IndexTask { index, action, resources, talk } = task;
    let name = index.display();
    match action {
        Indexing::Create { jobs, options } => {
            IndexWriter::create(&index, &jobs, &options)?;
            let methods: Vec<&str> = jobs.iter().map(Job::method).collect();
            let text = format!("{name}: an empty index for {}\n", methods.join(", "));
            say(talk, &json!({ "index": index, "methods": methods }), &text)
        }
        Indexing::Add { paths, reading } => {
            let added = run::watched(talk, &paths, &resources, |resources| {
                let mut writer = IndexWriter::open(&index)?;
                writer.set_read_options(joined(&writer, &reading));
                writer.set_strict(reading.strict());
                writer.add(Files::new(&paths), &resources)
            })?;
            say(talk, &added, &told_added(&added))
        }
        Indexing::AddMethod { job } => {
            run::watched(talk, &[], &resources, |resources| {
                IndexWriter::open(&index)?.add_method(&job, &resources)
            })?;
            let method = job.method();
            say(talk, &json!({ "added": method }), &format!("{name}: has method {method} now\n"))
        }
        Indexing::List { filter } => list(&Index::open(&index)?, &filter, talk),
        Indexing::Get { ids } => get(&Index::open(&index)?, &ids, talk),
        Indexing::Remove { ids, is_purged } => {
            let mut writer = IndexWriter::open(&index)?;
            let n_removed = if is_purged { writer.purge(&ids)? } else { writer.remove(&ids)? };
            let n_unknown = ids.len() as u64 - n_removed.min(ids.len() as u64);
            let verb = if is_purged { "erased" } else { "removed" };
            let mut text = format!("{} {verb}", counted(n_removed, "document"));
            if n_unknown > 0 {
                let _ = write!(text, ", {n_unknown} were not there");
            }
            text.push('\n');
            say(talk, &json!({ "n_removed": n_removed, "n_unknown": n_unknown }), &text)
        }
        Indexing::Expire { before } => {
            let expired = IndexWriter::open(&index)?.expire(before)?;
            let (documents, parts) =
                (counted(expired.n_documents, "document"), counted(expired.n_parts, "part"));
            say(talk, &expired, &format!("{documents} expired; {parts} went whole\n"))
        }
        Indexing::Refresh => {
            let stats = run::watched(talk, &[], &resources, |resources| {
                let mut writer = IndexWriter::open(&index)?;
                writer.refresh(&resources)?;
                writer.index()?.stats()
            })?;
            let documents = counted(stats.n_documents, "document");
            say(talk, &stats, &format!("{name}: everything kept of {documents} was remade\n"))
        }
        Indexing::Stats => {
            let stats = Index::open(&index)?.stats()?;
            say(talk, &stats, &told_stats(&stats))
        }
        Indexing::Check => {
            let report = check_index(&index)?;
            say(talk, &report, &told_check(&report))?;
            if report.is_sound() {
                return Ok(());
            }
            Err(Failure::hinted(
                format!("index `{name}` is damaged"),
                format!("`retold index repair {name}` drops what is damaged and keeps the rest"),
            ))
        }
        Indexing::Repair => {
            let report = repair_index(&index)?;
            say(talk, &report, &told_repair(&report))
        }
        Indexing::Merge => {
            let mut writer = IndexWriter::open(&index)?;
            writer.merge()?;
            let stats = writer.index()?.stats()?;
            say(talk, &stats, &told_stats(&stats))
        }
        Indexing::Export { output, overwrite, filter } => {
            export(&Index::open(&index)?, output.as_deref(), overwrite, &filter, talk)
        }
        Indexing::Backup { to } => {
            backup_index(&index, &to)?;
            let text = format!("{}: a copy of {name}\n", to.display());
            say(talk, &json!({ "from": index, "to": to }), &text)
        }
        Indexing::Restore { to } => {
            restore_index(&index, &to)?;
            let text = format!("{}: made from the backup {name}\n", to.display());
            say(talk, &json!({ "from": index, "to": to }), &text)
        }
        Indexing::Upgrade => {
            // There is one format so far; opening it proves that it is the one.
            Index::open(&index)?;
            let version = retold::INDEX_FORMAT;
            let text = format!("{name}: format {version} is the newest, nothing to do\n");
            say(talk, &json!({ "version": version, "is_upgraded": false }), &text)
        }
    }
}

/// Prints a result, as JSON or for people.
fn say(talk: Talk, value: &impl Serialize, text: &str) -> Result<(), Failure> {
    if talk.is_json {
        let json = serde_json::to_value(value).expect("a result is plain data");
        return terminal::print(&format!("{json:#}\n"));
    }
    terminal::print(text)
}

/// Returns how an index reads its sources, but for what was given now.
fn joined(writer: &IndexWriter, reading: &Job) -> retold::ReadOptions {
    let (mut read, given, usual) =
        (writer.read_options().clone(), reading.read().clone(), Job::default().read().clone());
    if given.fields != usual.fields {
        read.fields = given.fields;
    }
    if given.limits != usual.limits {
        read.limits = given.limits;
    }
    if given.headline != usual.headline {
        read.headline = given.headline;
    }
    if !given.further_fields.is_empty() {
        read.further_fields = given.further_fields;
    }
    read.encoding = given.encoding.or(read.encoding);
    read.format = given.format.or(read.format);
    if given.table.is_some() || given.sql.is_some() {
        (read.table, read.sql) = (given.table, given.sql);
    }
    read.pdf_helper = given.pdf_helper;
    read
}

fn told_added(added: &Added) -> String {
    let mut text = format!("{} added", counted(added.n_added, "document"));
    for (n, what) in [
        (added.n_replaced, "replaced"),
        (added.n_unchanged, "there already"),
        (added.n_too_short, "too short to be judged"),
    ] {
        if n > 0 {
            let _ = write!(text, ", {n} {what}");
        }
    }
    if added.n_bad > 0 {
        let _ = write!(text, "; {} skipped", counted(added.n_bad, "record"));
    }
    if added.is_refreshed {
        text.push_str("; statistics were taken");
    }
    text.push('\n');
    text
}

fn told_stats(stats: &IndexStats) -> String {
    let mut text = counted(stats.n_documents, "document");
    if stats.n_removed > 0 {
        let _ = write!(text, ", {} more removed and not yet cleared away", stats.n_removed);
    }
    let storage = &stats.storage;
    let _ = write!(
        text,
        "\n{} on disk in {}, {} of it texts; {} bytes not yet in a part\n",
        bytes(
            storage.parts.iter().filter(|part| !part.is_in_memory).map(|part| part.n_bytes).sum()
        ),
        counted(storage.parts.iter().filter(|part| !part.is_in_memory).count() as u64, "part"),
        bytes(storage.sections.texts),
        storage.log_bytes,
    );
    for method in &stats.methods {
        let _ = write!(text, "method {} ({})", method.name, method.profile.name());
        if let Some(edits) = method.parameters["edits"].as_str() {
            let _ = write!(text, ", {edits} edits");
        }
        if let (Some(epoch), Some(n_changed)) = (&method.epoch, method.n_changed) {
            let _ = write!(text, ": statistics of {} documents", epoch.n_documents);
            if let Some(n_bytes) = method.statistics_bytes {
                let _ = write!(text, " in {}", bytes(n_bytes));
            }
            if n_changed > 0 {
                let _ = write!(text, ", {n_changed} came or went since; `refresh` takes them anew");
            }
        }
        if method.needs_refresh {
            text.push_str("; they are lost, `refresh` takes them anew");
        }
        text.push('\n');
    }
    text
}

/// Returns a size for people.
fn bytes(n: u64) -> String {
    match n {
        0..10_000 => format!("{n} bytes"),
        10_000..10_000_000 => format!("{} kB", n / 1_000),
        _ => format!("{} MB", n / 1_000_000),
    }
}

fn told_check(report: &CheckReport) -> String {
    let files = counted(report.n_files as u64, "file");
    let mut text = format!("{} in {files} read\n", bytes(report.n_bytes));
    for Problem { file, offset, what } in &report.problems {
        let _ = writeln!(text, "`{file}` is damaged at byte {offset}: {what}");
    }
    if report.is_sound() {
        let _ =
            writeln!(text, "{}: all is as it should be", counted(report.n_documents, "document"));
    }
    text
}

fn told_repair(report: &RepairReport) -> String {
    if report.is_clean() {
        return "nothing was damaged\n".to_owned();
    }
    let mut text = String::new();
    for part in &report.dropped {
        let _ = writeln!(
            text,
            "`{}` dropped with {}; ids that could be read: {}",
            part.name,
            counted(u64::from(part.n_documents), "document"),
            part.ids.iter().map(|id| escape_terminal(id)).collect::<Vec<_>>().join(" "),
        );
    }
    for dropped in &report.dropped_attachments {
        let name = escape_terminal(&dropped.name);
        let _ =
            writeln!(text, "statistics `{name}` dropped; `retold index refresh` takes them anew");
    }
    if report.log_bytes_dropped > 0 {
        let _ = writeln!(text, "{} bytes of the log dropped", report.log_bytes_dropped);
    }
    for part in &report.lost_removals {
        let _ = writeln!(text, "what was removed from `{part}` is not known any more");
    }
    if report.is_manifest_new {
        text.push_str("the manifest was made anew from the parts\n");
    }
    let _ = writeln!(text, "{} are there", counted(report.n_documents, "document"));
    text
}

fn list(index: &Index, filter: &Filter, talk: Talk) -> Result<(), Failure> {
    let mut failed = None;
    let ended = index.list(filter, &mut |stored| {
        let document = &stored.document;
        let line = if talk.is_json {
            let mut line = serde_json::to_value(&stored).expect("a document is plain data");
            if let Some(line) = line.as_object_mut() {
                line.remove("text");
            }
            format!("{line}\n")
        } else {
            let [time, source] = [&document.time, &document.source]
                .map(|text| escape_terminal(text.as_deref().unwrap_or("-")));
            let title = document.title.as_deref().map(escape_terminal).unwrap_or_default();
            format!("{}\t{time}\t{source}\t{title}\n", escape_terminal(&document.id))
        };
        terminal::print(&line).map_err(|failure| {
            failed = Some(failure);
            Error::StoppedFollowing { n_documents: 0 }
        })
    });
    match failed {
        Some(failure) => Err(failure),
        None => Ok(ended?),
    }
}

fn get(index: &Index, ids: &[String], talk: Talk) -> Result<(), Failure> {
    for id in ids {
        let Some(stored) = index.get(id)? else {
            return Err(Failure::hinted(
                format!("there is no document `{id}`"),
                "`retold index list` names them all",
            ));
        };
        if talk.is_json {
            let line = serde_json::to_string(&stored).expect("a document is plain data");
            terminal::print(&format!("{line}\n"))?;
        } else {
            terminal::print(&format!("{}\n", stored.document.text))?;
        }
    }
    Ok(())
}

fn export(
    index: &Index,
    output: Option<&Path>,
    overwrite: bool,
    filter: &Filter,
    talk: Talk,
) -> Result<(), Failure> {
    let Some(path) = output else {
        let mut out = BufWriter::new(std::io::stdout().lock());
        index.export(filter, &mut out)?;
        return out.flush().map_err(Failure::Print);
    };
    let failed = |error| Failure::usage(format!("cannot write `{}`: {error}", path.display()));
    let mut options = OpenOptions::new();
    options.write(true).truncate(true);
    let options = if overwrite { options.create(true) } else { options.create_new(true) };
    let mut out = BufWriter::new(options.open(path).map_err(failed)?);
    let n_documents = index.export(filter, &mut out)?;
    out.flush().map_err(failed)?;
    let text = format!("{}: {}\n", path.display(), counted(n_documents, "document"));
    say(talk, &json!({ "output": path, "n_documents": n_documents }), &text)
}
