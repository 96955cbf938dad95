//! `retold stream`: a line of JSON for every document that comes.

use retold::{Arrival, Error};

use crate::commands::run;
use crate::failure::Failure;
use crate::interrupt::STOP;
use crate::settings::Following;
use crate::terminal;

/// Follows the documents and prints what each meets.
pub(crate) fn stream(job: &Following) -> Result<(), Failure> {
    let Following { paths, window_seconds, settings, talk } = job;
    let mut unprinted = None;
    let ended = run::watched(*talk, paths, |bars| {
        retold::follow(paths, *window_seconds, settings, bars, &STOP, &mut |arrival| {
            print(&arrival).map_err(|failure| {
                // Whoever read the lines has gone; the reason is told below.
                unprinted = Some(failure);
                Error::Stopped { stage: "following", n_documents: arrival.n_live }
            })
        })
    });
    match unprinted {
        Some(failure) => Err(failure),
        None => ended,
    }
}

fn print(arrival: &Arrival) -> Result<(), Failure> {
    let line = serde_json::to_string(arrival).expect("an arrival is plain data");
    terminal::print(&format!("{line}\n"))
}
