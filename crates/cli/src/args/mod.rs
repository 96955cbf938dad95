//! The command line as plain structs: one file a command, and one for each group of options that
//! commands share.
//!
//! Nothing is decided here. What is not given stays `None` and is resolved in
//! [`settings`](crate::settings), so defaults live in one place, the library; [`command`] copies
//! them from there into the help.

mod compare;
mod completions;
mod dedup;
mod defaults;
mod documents;
mod entities;
mod evaluate;
mod experiment;
mod find;
mod generate;
mod idf;
mod index;
mod judge;
mod lattice;
mod lineage;
mod links;
mod man;
mod method;
mod methods;
mod mine;
mod output;
mod plan;
mod pool;
mod query;
mod read;
mod rebuild;
mod regroup;
mod run;
mod serve;
mod spark;
mod stream;
mod strikes;
mod text;
mod tree;
mod values;

use clap::{CommandFactory, Parser, Subcommand};

pub(crate) use compare::Compare;
pub(crate) use completions::Completions;
pub(crate) use dedup::Dedup;
pub(crate) use documents::{DetectArgs, InputArgs};
pub(crate) use entities::Entities;
pub(crate) use evaluate::Evaluate;
pub(crate) use experiment::Experiment;
pub(crate) use find::Find;
pub(crate) use generate::{DetailArgs, Generate, OperationArgs, Sequence};
pub(crate) use idf::{Idf, IdfAction};
pub(crate) use index::{FilterArgs, Index, IndexAction};
pub(crate) use judge::Judge;
pub(crate) use lattice::Lattice;
pub(crate) use lineage::Lineage;
pub(crate) use links::Links;
pub(crate) use man::Man;
pub(crate) use method::MethodArgs;
pub(crate) use methods::Methods;
pub(crate) use mine::Mine;
pub(crate) use output::{ClusterArgs, TableArgs};
pub(crate) use plan::Plan;
pub(crate) use pool::Pool;
pub(crate) use query::Query;
pub(crate) use read::{LimitArgs, ReadArgs};
pub(crate) use rebuild::Rebuild;
pub(crate) use regroup::Regroup;
pub(crate) use run::{Color, MannerArgs, ResourceArgs, RunArgs};
pub(crate) use serve::Serve;
pub(crate) use spark::{Spark, SparkCommand};
pub(crate) use stream::Stream;
pub(crate) use strikes::StrikeArgs;
pub(crate) use text::TextArgs;
pub(crate) use tree::Tree;

/// Finds what was told again: copies, near-duplicates, containments and shared passages.
#[derive(Debug, Parser)]
#[command(
    name = "retold",
    version,
    max_term_width = 100,
    args_override_self = true,
    disable_help_subcommand = true,
    after_help = EXAMPLES
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Find(Find),
    Dedup(Dedup),
    Rebuild(Rebuild),
    Regroup(Box<Regroup>),
    Plan(Box<Plan>),
    Compare(Compare),
    Query(Box<Query>),
    Stream(Box<Stream>),
    Index(Box<Index>),
    Serve(Box<Serve>),
    Spark(Box<Spark>),
    Lineage(Box<Lineage>),
    Links(Box<Links>),
    Evaluate(Box<Evaluate>),
    Idf(Box<Idf>),
    Entities(Box<Entities>),
    Generate(Box<Generate>),
    Experiment(Box<Experiment>),
    Mine(Box<Mine>),
    Lattice(Lattice),
    Tree(Box<Tree>),
    Pool(Box<Pool>),
    Judge(Box<Judge>),
    Methods(Methods),
    Completions(Completions),
    Man(Man),
}

const EXAMPLES: &str = "\
EXAMPLES
  retold find news/ archive.jsonl.zst -o found    pairs, clusters and passages of a collection
  retold dedup corpus/*.parquet -o clean          the collection without its copies
  retold regroup found --containment 0.8          other thresholds and clusters, no new run
  retold plan corpus/ --memory 4G                 time, memory and disk before it is done
  retold compare a.html b.txt                     two documents side by side
  retold query draft.txt --in archive/            what a text was copied from
  retold stream - --window 7d                     documents as they come
  retold index create archive.idx                 a collection that remembers
  retold serve archive.idx --data state           the same over HTTP, for people and programs
  retold spark dedup hdfs:///corpus -o clean      the same on a cluster of machines
  retold lineage found --cluster 17 -o tree.svg   who most likely copied from whom
  retold links archive.idx -o links.graphml       documents that share passages, as a graph
  retold evaluate found -r planted.tsv            how well pairs and clusters were found
  retold entities story.txt                       persons, places and organisations it names
  retold generate news/ -o made --delete 25%      a test collection whose copies are known
  retold experiment all --quick -o report         the papers' experiments, with a report
  retold mine inverted.dat -k 85 -o sets.txt      frequent sets of items, clusters among them
  retold tree a.txt b.txt                         sentence beginnings that documents share
  retold pool news/ --methods codet,ffp -o pool   what methods find, for people to judge
  retold judge pool --as ann                      pair by pair, side by side
  retold methods anchor                           how a method works and what it can be told

EXIT CODES
  0 done    2 something to fix in the command    3 an input that cannot be used
  4 a mistake of this program    130 stopped by Ctrl-C

`retold COMMAND --help` shows the options of a command.";

/// Returns the command line with the library's defaults written into its help.
pub(crate) fn command() -> clap::Command {
    let known = defaults::written();
    Cli::command().mut_subcommands(|command| with_defaults(command, &known))
}

/// Writes defaults into the help of a command and of those below it.
fn with_defaults(command: clap::Command, known: &[(String, String)]) -> clap::Command {
    let command = command.mut_subcommands(|command| with_defaults(command, known));
    // `generate --query` is something else.
    let has_query = command.get_arguments().any(|arg| arg.get_long() == Some("query"));
    command.mut_args(|arg| {
        let arg = if arg.get_long() == Some("sql") && !has_query {
            arg.visible_alias("query")
        } else {
            arg
        };
        let default = known.iter().find(|(name, _)| arg.get_long() == Some(name.as_str()));
        match (default, arg.get_help().map(ToString::to_string)) {
            // Where a command has a default of its own, its help says so.
            (Some((_, default)), Some(help))
                if !help.contains("[default: ") && arg.get_default_values().is_empty() =>
            {
                arg.help(format!("{help} [default: {default}]"))
            }
            _ => arg,
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn every_default_belongs_to_an_option() {
        let names: BTreeSet<String> = Cli::command()
            .get_subcommands()
            .flat_map(|command| command.get_arguments().filter_map(|arg| arg.get_long()))
            .map(ToOwned::to_owned)
            .collect();
        for (name, _) in defaults::written() {
            assert!(names.contains(&name), "there is no --{name}");
        }
    }

    #[test]
    fn every_command_shows_examples() {
        for command in command().get_subcommands() {
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.starts_with("EXAMPLES\n"), "{}", command.get_name());
        }
    }
}
