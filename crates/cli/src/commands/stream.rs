//! `retold stream`: a line of JSON for every document that comes.

use retold::{Arrival, Error, IndexWriter, Stream, Watch};
use retold_report::counted;

use crate::commands::run;
use crate::failure::Failure;
use crate::settings::{Following, KeptStream, Volume};
use crate::terminal;

/// Follows the documents and prints what each meets.
pub(crate) fn stream(job: &Following) -> Result<(), Failure> {
    if let Some(kept) = &job.kept {
        return keep(job, kept);
    }
    let Following { paths, window, settings, talk, .. } = job;
    let mut unprinted = None;
    let (mut n_documents, mut n_ahead) = (0, 0);
    let warn = |text: &str| {
        if talk.volume != Volume::Quiet {
            terminal::say("warning", text, talk.color);
        }
    };
    let ended = run::watched(*talk, paths, &settings.resources, |resources| {
        let mut stream = Stream::new(&settings.job, *window)?;
        stream.follow(paths, &resources, &mut |arrival| {
            n_documents += 1;
            if arrival.is_ahead {
                n_ahead += 1;
                // The first is told at once: a stream may have no end.
                if n_ahead == 1 {
                    let (id, time) = (&arrival.id, arrival.time.as_deref().unwrap_or_default());
                    warn(&format!(
                        "`{id}` is dated {time}, too far ahead; such documents count as documents \
                         without a time"
                    ));
                }
            }
            print(&arrival).map_err(|failure| {
                // Whoever read the lines has gone; the reason is told below.
                unprinted = Some(failure);
                Error::StoppedFollowing { n_documents }
            })
        })
    });
    if n_ahead > 1 {
        warn(&format!("{} in all were dated too far ahead", counted(n_ahead, "document")));
    }
    match unprinted {
        Some(failure) => Err(failure),
        None => ended,
    }
}

/// Follows a stream that an index keeps.
fn keep(job: &Following, kept: &KeptStream) -> Result<(), Failure> {
    let Following { paths, settings, talk, .. } = job;
    let (mut unprinted, mut n_ahead) = (None, 0);
    let ended = run::watched(*talk, paths, &settings.resources, |resources| {
        let mut writer = IndexWriter::open(&kept.index)?;
        writer.set_read_options(settings.job.read_options());
        writer.set_strict(settings.job.strict());
        let mut watch = Watch::of(writer, kept.options.clone())?;
        let mut gone = |failure| {
            unprinted = Some(failure);
            Error::StoppedFollowing { n_documents: 0 }
        };
        for line in kept.after.map(|after| watch.last_told(after)).unwrap_or_default() {
            terminal::print(&format!("{line}\n")).map_err(&mut gone)?;
        }
        // Files are read from their start; standard input goes on, unless it is said to begin again.
        for path in paths {
            let skips = path.as_os_str() != "-" || kept.is_replay;
            let following = retold::Following { skips, output: kept.output.clone() };
            let path = std::slice::from_ref(path);
            watch.follow(path, &following, &resources, &mut |arrival| {
                n_ahead += u64::from(arrival.is_ahead);
                if kept.output.is_some() { Ok(()) } else { print(arrival).map_err(&mut gone) }
            })?;
        }
        Ok::<_, Error>(())
    });
    if n_ahead > 0 && talk.volume != Volume::Quiet {
        let text = format!("{} were dated too far ahead", counted(n_ahead, "document"));
        terminal::say("warning", &text, talk.color);
    }
    match unprinted {
        Some(failure) => Err(failure),
        None => ended,
    }
}

fn print(arrival: &Arrival) -> Result<(), Failure> {
    let line = serde_json::to_string(arrival).expect("an arrival is plain data");
    terminal::print(&format!("{line}\n"))
}
