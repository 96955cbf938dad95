//! The command line widened by a configuration file and the environment.
//!
//! Options of the file and `RETOLD_*` variables are turned into arguments and put before those a
//! person typed; the last one given counts. So there is one list of names, one way to read each
//! value, and one set of messages, whichever way an option came in.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command};
use retold_report::PROGRAM;
use toml::{Table, Value};

use crate::failure::Failure;

/// Options that only make sense where they are typed.
const TYPED_ONLY: [&str; 3] = ["help", "version", "config"];

/// Parameters that are options too. Turned into `--set`, so that a later `--set` goes before them.
const SHORTCUTS: [&str; 2] = ["containment", "passage-words"];

/// Options by name; those of `set` by parameter.
#[derive(Debug, Default)]
struct Given {
    options: BTreeMap<String, Setting>,
    parameters: BTreeMap<String, String>,
}

/// What an option is set to.
#[derive(Debug)]
enum Setting {
    /// A switch, on.
    On,
    /// A switch, off; it outdoes an earlier one.
    Off,
    /// A value.
    Value(String),
}

/// Reads a command line together with the file and the environment it is to be read with.
///
/// `variables` are all variables of the environment.
pub(crate) fn parse(
    command: &Command,
    typed: &[OsString],
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Result<ArgMatches, Failure> {
    let strict = |line: &[OsString]| {
        let mut name = "retold".to_owned();
        let mut at = command;
        for word in line.iter().skip(1) {
            let Some(below) = word.to_str().and_then(|word| at.find_subcommand(word)) else {
                break;
            };
            at = below;
            name = format!("{name} {}", below.get_name());
        }
        let matches = command.clone().try_get_matches_from(line);
        matches.map_err(|error| Failure::from_clap(error, &name))
    };
    // What must be given may stand in the file, so the first look asks for nothing.
    let loose = command.clone().mut_subcommands(without_required);
    let Ok(first) = loose.clone().try_get_matches_from(typed) else { return strict(typed) };
    if first.subcommand().is_none() {
        return strict(typed);
    }
    let (mut here, mut matches, mut n_words) = (&loose, &first, 1);
    while let Some((name, below)) = matches.subcommand() {
        here = here.find_subcommand(name).expect("clap matched one of its own commands");
        matches = below;
        n_words += 1;
    }

    let variables: BTreeMap<String, String> = variables
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, value)| name.starts_with("RETOLD_") && !value.is_empty())
        .collect();
    let mut given = Given::default();
    if here.get_arguments().any(|arg| arg.get_long() == Some("config")) {
        let typed = matches.get_one::<PathBuf>("config").cloned();
        if let Some(path) = typed.or_else(|| variables.get("RETOLD_CONFIG").map(PathBuf::from)) {
            given.take_file(&loose, here, &path)?;
        }
    }
    given.take_environment(here, &variables)?;
    // The name of the command comes first: there are no options before it.
    let (start, rest) = typed.split_at(n_words.min(typed.len()));
    let line: Vec<OsString> = start
        .iter()
        .cloned()
        .chain(given.arguments().into_iter().map(OsString::from))
        .chain(rest.iter().cloned())
        .collect();
    strict(&line)
}

/// Returns the long names of the options that stand in the command line itself.
pub(crate) fn typed_options(command: &Command, line: &[OsString]) -> BTreeSet<String> {
    let loose = command.clone().mut_subcommands(without_required);
    let Ok(first) = loose.clone().try_get_matches_from(line) else { return BTreeSet::new() };
    let (mut here, mut matches) = (&loose, &first);
    while let Some((name, below)) = matches.subcommand() {
        here = here.find_subcommand(name).expect("clap matched one of its own commands");
        matches = below;
    }
    let is_typed = |arg: &&clap::Arg| {
        matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    let typed = here.get_arguments().filter(is_typed).filter_map(|arg| arg.get_long());
    typed.map(str::to_owned).collect()
}

/// Returns a command and those below it with nothing that must be given.
fn without_required(command: Command) -> Command {
    command.mut_subcommands(without_required).mut_args(|arg| arg.required(false))
}

/// Returns the commands below one, and those below them.
fn all_below(command: &Command) -> Vec<&Command> {
    let below = |command| std::iter::once(command).chain(all_below(command));
    command.get_subcommands().flat_map(below).collect()
}

impl Given {
    /// Takes the options of a file. Those that only other commands have are passed over, so that
    /// one file serves all.
    fn take_file(&mut self, all: &Command, here: &Command, path: &Path) -> Result<(), Failure> {
        let shown = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::usage(format!("cannot read configuration `{shown}`: {error}"))
        })?;
        let table = table_of(&text).map_err(|(line, message)| {
            Failure::usage(format!("cannot read configuration `{shown}`, line {line}: {message}"))
        })?;
        let known: BTreeSet<&str> = all_below(all).into_iter().flat_map(names).collect();
        for (name, value) in &table {
            if !known.contains(name.as_str()) {
                let message = format!("there is no option `{name}` in `{shown}`");
                return Err(match nearest(name, &known) {
                    Some(near) => Failure::hinted(message, format!("did you mean `{near}`?")),
                    None => Failure::hinted(message, "it takes the long options of `retold find`"),
                });
            }
            if names(here).all(|here| here != name) {
                continue;
            }
            let mut one = Self::default();
            one.put(here, name, value)
                .and_then(|()| one.check(here))
                .map_err(|error| within(error, &format!("in `{shown}`")))?;
            self.extend(one);
        }
        Ok(())
    }

    /// Takes `RETOLD_NAME` for every option `--name` of the command.
    fn take_environment(
        &mut self,
        here: &Command,
        variables: &BTreeMap<String, String>,
    ) -> Result<(), Failure> {
        for name in names(here) {
            let variable = format!("RETOLD_{}", name.to_uppercase().replace('-', "_"));
            let Some(text) = variables.get(&variable) else { continue };
            let value = match text.as_str() {
                "true" | "1" if is_switch(here, name) => Value::Boolean(true),
                "false" | "0" if is_switch(here, name) => Value::Boolean(false),
                _ => Value::String(text.clone()),
            };
            let mut one = Self::default();
            one.put(here, name, &value)
                .and_then(|()| one.check(here))
                .map_err(|error| within(error, &format!("in {variable}")))?;
            self.extend(one);
        }
        Ok(())
    }

    /// Puts one option.
    fn put(&mut self, here: &Command, name: &str, value: &Value) -> Result<(), Failure> {
        if is_switch(here, name) {
            let Value::Boolean(is_on) = value else {
                return Err(Failure::usage(format!("{name} must be true or false, got {value}")));
            };
            let setting = if *is_on { Setting::On } else { Setting::Off };
            self.options.insert(name.to_owned(), setting);
            return Ok(());
        }
        if name == "set" {
            return self.put_set(value);
        }
        let text = match value {
            Value::Array(list) => {
                list.iter().map(plain).collect::<Option<Vec<_>>>().map(|l| l.join(","))
            }
            value => plain(value),
        };
        let Some(text) = text else {
            return Err(Failure::usage(format!("{name} must be a value or a list, got {value}")));
        };
        if SHORTCUTS.contains(&name) {
            self.parameters.insert(name.replace('-', "_"), text);
        } else {
            self.options.insert(name.to_owned(), Setting::Value(text));
        }
        Ok(())
    }

    /// Puts parameters: a table in a file, `k=7,window=4` in the environment.
    fn put_set(&mut self, value: &Value) -> Result<(), Failure> {
        let error = || Failure::usage(format!("set must be a table of values, got {value}"));
        match value {
            Value::Table(table) => {
                for (name, value) in table {
                    let value = plain(value).or_else(|| nested(value)).ok_or_else(error)?;
                    self.parameters.insert(name.replace('-', "_"), value);
                }
            }
            Value::String(text) => {
                for part in text.split(',') {
                    let (name, value) = part.split_once('=').ok_or_else(error)?;
                    self.parameters.insert(name.trim().replace('-', "_"), value.trim().to_owned());
                }
            }
            _ => return Err(error()),
        }
        Ok(())
    }

    /// Lets what comes later go before what is here.
    fn extend(&mut self, later: Self) {
        self.options.extend(later.options);
        self.parameters.extend(later.parameters);
    }

    /// Reads the options as clap would, to say where a wrong one stands.
    fn check(&self, here: &Command) -> Result<(), Failure> {
        let line = [here.get_name().to_owned()].into_iter().chain(self.arguments());
        let read = here.clone().args_override_self(true).try_get_matches_from(line);
        read.map(|_| ())
            .map_err(|error| Failure::from_clap(error, &format!("retold {}", here.get_name())))
    }

    /// Returns the options as they would be typed.
    fn arguments(&self) -> Vec<String> {
        let options = self.options.iter().filter_map(|(name, value)| match value {
            Setting::On => Some(format!("--{name}")),
            Setting::Off => None,
            Setting::Value(value) => Some(format!("--{name}={value}")),
        });
        let parameters =
            self.parameters.iter().map(|(name, value)| format!("--set={name}={value}"));
        options.chain(parameters).collect()
    }
}

/// Reads a file of options: TOML, JSON, or the manifest of an earlier run, whose settings count.
/// *Errors* with line and reason.
fn table_of(text: &str) -> Result<Table, (usize, String)> {
    if !text.trim_start().starts_with('{') {
        return text.parse().map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            (line, error.message().lines().next().unwrap_or_default().to_owned())
        });
    }
    let wrong = |error: serde_json::Error| (error.line(), error.to_string());
    let mut json: serde_json::Value = serde_json::from_str(text).map_err(wrong)?;
    if json["program"] == PROGRAM {
        json = json["settings"].take();
    }
    // What is not set has no value, and TOML knows no null.
    if let Some(options) = json.as_object_mut() {
        options
            .retain(|_, value| !value.is_null() && *value != "" && *value != serde_json::json!([]));
    }
    serde_json::from_value(json).map_err(wrong)
}

/// Returns a list or a table as it would be typed behind `--set NAME=`: as JSON.
fn nested(value: &Value) -> Option<String> {
    serde_json::to_string(value).ok()
}

/// Returns the options that may be given elsewhere than on the command line.
fn names(command: &Command) -> impl Iterator<Item = &str> {
    command
        .get_arguments()
        .filter_map(|arg| arg.get_long())
        .filter(|name| !TYPED_ONLY.contains(name))
}

fn is_switch(command: &Command, name: &str) -> bool {
    command
        .get_arguments()
        .any(|arg| arg.get_long() == Some(name) && matches!(arg.get_action(), ArgAction::SetTrue))
}

/// Returns a single value as it would be typed.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(truth) => Some(truth.to_string()),
        Value::Datetime(_) | Value::Array(_) | Value::Table(_) => None,
    }
}

/// Returns the known name most like `name`, if one is like it at all.
fn nearest<'a>(name: &str, known: &BTreeSet<&'a str>) -> Option<&'a str> {
    let name = name.replace('_', "-");
    known
        .iter()
        .map(|&known| (strsim::jaro_winkler(&name, known), known))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

/// Says where the fault stands.
fn within(failure: Failure, place: &str) -> Failure {
    match failure {
        Failure::Usage { message, hint } => {
            Failure::Usage { message: format!("{place}: {message}"), hint }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::args;

    /// Reads a line of `retold find`, with a file if there is one.
    fn read(file: &str, variables: &[(&str, &str)], typed: &[&str]) -> Result<ArgMatches, Failure> {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let mut line: Vec<OsString> = ["retold", "find"].map(OsString::from).to_vec();
        if !file.is_empty() {
            let path = dir.path().join("retold.toml");
            fs::write(&path, file).expect("a file for a test");
            line.extend(["--config".into(), path.into_os_string()]);
        }
        line.extend(typed.iter().map(OsString::from));
        let variables: Vec<(OsString, OsString)> =
            variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        parse(&args::command(), &line, variables.into_iter())
    }

    fn threads(read: Result<ArgMatches, Failure>) -> usize {
        let matches = read.expect("a good line");
        let (_, find) = matches.subcommand().expect("a command");
        *find.get_one::<usize>("threads").expect("threads are given")
    }

    fn message(read: Result<ArgMatches, Failure>) -> (String, String) {
        let failure = read.expect_err("a bad line");
        (failure.message().unwrap_or_default(), failure.hint().unwrap_or_default())
    }

    #[test]
    fn the_command_line_goes_before_the_environment_and_that_before_the_file() {
        let file = "threads = 3";
        let variable = [("RETOLD_THREADS", "5")];
        assert_eq!(threads(read(file, &[], &["x"])), 3);
        assert_eq!(threads(read(file, &variable, &["x"])), 5);
        assert_eq!(threads(read(file, &variable, &["x", "--threads", "7"])), 7);
    }

    #[test]
    fn a_switch_of_the_file_can_be_turned_off_by_the_environment() {
        let strict = |variables: &[(&str, &str)]| {
            let matches = read("strict = true", variables, &["x"]).expect("a good line");
            matches.subcommand().expect("a command").1.get_flag("strict")
        };
        assert!(strict(&[]));
        assert!(!strict(&[("RETOLD_STRICT", "0")]));
    }

    #[test]
    fn parameters_are_taken_from_everywhere_and_the_last_counts() {
        let file = "containment = 0.5\n[set]\nk = 7\nwindow = 4";
        let variable = [("RETOLD_SET", "window=5, stop=10")];
        let matches = read(file, &variable, &["x", "--set", "k=9", "--set", "containment=0.9"]);
        let matches = matches.expect("a good line");
        let find = matches.subcommand().expect("a command").1;
        let last: BTreeMap<_, _> = find
            .get_many::<(String, serde_json::Value)>("set")
            .expect("parameters")
            .map(|(name, value)| (name.as_str(), value.to_string()))
            .collect();
        let expected = [("containment", "0.9"), ("k", "9"), ("stop", "10"), ("window", "5")];
        assert_eq!(last, expected.map(|(n, v)| (n, v.to_owned())).into_iter().collect());
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest_known_one() {
        let (error, hint) = message(read("passage_words = 30", &[], &["x"]));
        assert!(error.starts_with("there is no option `passage_words` in `"), "{error}");
        assert_eq!(hint, "did you mean `passage-words`?");
        let (_, hint) = message(read("treads = 30", &[], &["x"]));
        assert_eq!(hint, "did you mean `threads`?");
    }

    #[test]
    fn a_bad_value_is_refused_with_its_place() {
        let (error, _) = message(read("html = \"all\"", &[], &["x"]));
        assert!(error.starts_with("in `"), "{error}");
        assert!(error.ends_with("`--html` must be text, main or keep, got `all`"), "{error}");
        let (error, _) = message(read("", &[("RETOLD_MEMORY", "lots")], &["x"]));
        assert!(error.starts_with("in RETOLD_MEMORY: `--memory`: a size must be"), "{error}");
        let (error, _) = message(read("a = 1\nb =", &[], &["x"]));
        assert!(error.contains("line 2"), "{error}");
    }

    #[test]
    fn what_was_typed_is_known() {
        let line = ["retold", "dedup", "x", "-o", "y", "--cluster", "star", "--no-page"];
        let typed = typed_options(&args::command(), &line.map(OsString::from));
        assert_eq!(typed, ["clusters", "no-page", "output"].map(str::to_owned).into());
    }

    #[test]
    fn options_of_other_commands_may_stand_in_the_file() {
        assert_eq!(threads(read("cover = 0.9\nthreads = 2", &[], &["x"])), 2);
    }

    #[test]
    fn what_must_be_given_may_stand_in_the_file() {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let path = dir.path().join("retold.toml");
        fs::write(&path, "output = \"clean\"").expect("a file for a test");
        let line = ["retold", "dedup", "x", "--config"].map(OsString::from).into_iter();
        let line: Vec<_> = line.chain([path.into_os_string()]).collect();
        assert!(parse(&args::command(), &line, std::iter::empty()).is_ok());
        assert!(parse(&args::command(), &line[..3], std::iter::empty()).is_err());
    }
}
