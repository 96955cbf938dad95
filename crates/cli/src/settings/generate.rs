//! From the arguments of `retold generate` to a plan.

use std::fs;
use std::path::{Path, PathBuf};

use retold::{Job, Resources};
use retold_lab::generate::{self as lab, Operation, Place, Plan, Unit, Variant};

use super::{Settings, Talk, put, talk, with_input};
use crate::args::{DetailArgs, Generate, OperationArgs, Sequence};
use crate::failure::Failure;

/// A test collection to make, resolved.
#[derive(Debug)]
pub(crate) struct Making {
    /// What to make it of.
    pub(crate) paths: Vec<PathBuf>,
    /// What to do.
    pub(crate) what: Make,
    /// Whether it is written down.
    pub(crate) log: bool,
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

/// Resolves `retold generate`.
pub(crate) fn generate(args: Generate) -> Result<Making, Failure> {
    let Generate {
        paths,
        output,
        overwrite,
        no_originals,
        related,
        no_log,
        counts,
        plan,
        replay,
        sequence,
        details,
        input,
        threads,
        manner,
    } = args;
    let seed = input.run.seed;
    let settings = Settings {
        job: with_input(input, Job::default()),
        resources: Resources::new().threads(threads.unwrap_or_default()),
        overwrite,
    };
    let what = match (counts, output, replay) {
        (true, ..) => Make::Count,
        (false, None, _) => {
            return Err(Failure::hinted(
                "there is no folder to write to",
                "name one with `-o`, or pass `--counts` to make nothing",
            ));
        }
        (false, Some(output), Some(log)) => {
            if !sequence.order.is_empty() || seed.is_some() {
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
                Some(path) => retold_lab::read_plan(&path)?,
                None => written_plan(sequence, details)?,
            };
            put(seed, &mut plan.seed);
            put(related, &mut plan.related);
            plan.originals &= !no_originals;
            plan.check().map_err(retold_lab::Error::from)?;
            Make::Plan(Box::new(plan), output)
        }
    };
    Ok(Making { paths, what, log: !no_log, settings, talk: talk(manner) })
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
        hyphens,
        spaces,
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
            "hyphens" => hyphens.map(|percent| Operation::Hyphens { percent }),
            "spaces" => spaces.map(|percent| Operation::Spaces { percent }),
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

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

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
        let all = "--plant 1 --excerpt 1:2 --contain 1:3 --zero-width 1 --hyphens 1 --spaces 1 --homoglyphs 1 --ocr 1 \
                   --replace-characters a=b --add-repeated 1x1 --replace-words 1 --add-foreign 1 \
                   --delete 1 --reorder 1";
        assert_eq!(names(&all.split_whitespace().collect::<Vec<_>>().join(" ")).len(), 14);
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
}
