//! From the arguments of `retold serve` to what is done.

use std::env;
use std::fs;
use std::path::PathBuf;

use retold_server::{Config, Limits};
use serde_json::{Map, Value};

use super::{Talk, pdf_helper, talk};
use crate::args::Serve;
use crate::failure::Failure;

/// The variable that may hold the first key.
const TOKEN_VARIABLE: &str = "RETOLD_TOKEN";

/// A server to start, resolved.
#[derive(Debug)]
pub(crate) struct Serving {
    /// What it is started with; its data folder is empty if it is to be a temporary one.
    pub(crate) config: Config,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// Resolves `retold serve`.
pub(crate) fn serve(args: Serve) -> Result<Serving, Failure> {
    let Serve {
        archives,
        listen,
        data,
        demo,
        root,
        token_file,
        host,
        allow_webhook,
        limit,
        jobs,
        threads,
        memory,
        manner,
    } = args;
    let mut config = Config::new(listen, data.unwrap_or_default());
    config.archives = archives;
    config.roots = root;
    config.hosts = host;
    config.token = token(token_file)?;
    config.webhooks = allow_webhook;
    config.limits = limits(&limit)?;
    config.read.pdf_helper = pdf_helper();
    config.n_jobs = jobs.unwrap_or(1);
    config.job_threads = threads.unwrap_or_default();
    config.job_memory = memory.unwrap_or_default();
    config.demo = demo;
    Ok(Serving { config, talk: talk(manner) })
}

/// Returns the first key: of a file, or of the environment. It is never taken from the command line,
/// which others on the machine can read.
fn token(file: Option<PathBuf>) -> Result<Option<String>, Failure> {
    let Some(file) = file else {
        return Ok(env::var(TOKEN_VARIABLE).ok().filter(|token| !token.is_empty()));
    };
    let text = fs::read_to_string(&file).map_err(|error| {
        Failure::usage(format!("cannot read the key in `{}`: {error}", file.display()))
    })?;
    let line = text.lines().next().map(str::trim).filter(|line| !line.is_empty());
    let empty = || Failure::usage(format!("`{}` holds no key", file.display()));
    line.map(|line| Some(line.to_owned())).ok_or_else(empty)
}

fn limits(given: &[String]) -> Result<Limits, Failure> {
    let mut values = match serde_json::to_value(Limits::default()) {
        Ok(Value::Object(values)) => values,
        _ => Map::new(),
    };
    let known = values.keys().cloned().collect::<Vec<_>>().join(", ");
    for text in given {
        let value = text
            .split_once('=')
            .and_then(|(name, value)| Some((values.get_mut(name)?, value.parse::<u64>().ok()?)));
        let Some((limit, value)) = value else {
            return Err(Failure::hinted(
                format!("`--limit {text}` is not a limit and a number"),
                format!("the limits are {known}"),
            ));
        };
        *limit = Value::from(value);
    }
    serde_json::from_value(Value::Object(values))
        .map_err(|error| Failure::usage(format!("limits: {error}")))
}
