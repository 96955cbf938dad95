//! `retold serve`: collections over HTTP.

use std::thread;
use std::time::Duration;

use retold_server::{Server, StartError};
use serde_json::json;

use crate::failure::Failure;
use crate::interrupt::{self, STOP};
use crate::settings::{Serving, Volume};
use crate::terminal;

/// How often the wish to stop is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// Serves until Ctrl-C or a request to terminate.
pub(crate) fn serve(serving: Serving) -> Result<(), Failure> {
    let Serving { mut config, talk } = serving;
    // Goes with everything in it when the server ends.
    let mut temporary = None;
    if config.data.as_os_str().is_empty() {
        let folder = tempfile::tempdir().map_err(|error| {
            Failure::usage(format!("cannot make a folder for temporary files: {error}"))
        })?;
        folder.path().clone_into(&mut config.data);
        temporary = Some(folder);
    }
    let data = config.data.clone();
    let server = Server::start(config).map_err(|error| failure(&error))?;
    let address = server.address();
    for warning in server.warnings() {
        terminal::say("warning", warning, talk.color);
    }
    if talk.is_json {
        let line = json!({ "listens": format!("http://{address}"), "data": data });
        terminal::print(&format!("{line}\n"))?;
    } else if talk.volume != Volume::Quiet {
        terminal::print(&format!("Retold listens on http://{address}\n"))?;
        let kept = if temporary.is_some() { "until it ends" } else { "from now on" };
        terminal::say("note", &format!("data is kept in {} {kept}", data.display()), talk.color);
    }
    interrupt::watch(talk.color, false);
    let end = server.end();
    thread::spawn(move || {
        while !STOP.is_set() {
            thread::sleep(LOOK);
        }
        end.ask();
    });
    server.run();
    drop(temporary);
    Ok(())
}

fn failure(error: &StartError) -> Failure {
    let hint = match error {
        StartError::NoToken(_) => {
            "give a key with `--token-file FILE` or the variable RETOLD_TOKEN, or listen on 127.0.0.1"
        }
        StartError::ShortToken(_) => "`openssl rand -hex 32` makes a good one",
        StartError::InUse(_) => {
            "end the other server, or give this one another folder with `--data`"
        }
        StartError::Listen(..) => "`--listen 127.0.0.1:0` takes any port that is free",
        _ => return Failure::usage(error.to_string()),
    };
    Failure::hinted(error.to_string(), hint.to_owned())
}
