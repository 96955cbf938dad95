//! `retold stream`: a line of JSON for every document that comes.

use retold::{Arrival, Error, Stream};
use retold_report::counted;

use crate::commands::run;
use crate::failure::Failure;
use crate::settings::{Following, Volume};
use crate::terminal;

/// Follows the documents and prints what each meets.
pub(crate) fn stream(job: &Following) -> Result<(), Failure> {
    let Following { paths, window, settings, talk } = job;
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

fn print(arrival: &Arrival) -> Result<(), Failure> {
    let line = serde_json::to_string(arrival).expect("an arrival is plain data");
    terminal::print(&format!("{line}\n"))
}
