//! From the arguments of `retold evaluate` to what is evaluated.

use std::path::PathBuf;

use retold::Job;
use retold_lab::EvaluateSettings;
use retold_lab::measures::{Costs, Direction};
use retold_lab::reference::LastCell;
use retold_lab::statistics::{Bootstrap, Level};

use super::{Talk, talk, with_input};
use crate::args::Evaluate;
use crate::failure::Failure;

/// Results to evaluate, resolved.
#[derive(Debug)]
pub(crate) struct Evaluating {
    /// One result, or two.
    pub(crate) found: Vec<PathBuf>,
    /// What is true.
    pub(crate) reference: PathBuf,
    /// How it is evaluated.
    pub(crate) settings: EvaluateSettings,
    /// How to talk.
    pub(crate) talk: Talk,
}

/// Bytes that a pair of a list is reckoned to take with its names.
const PAIR_BYTES: u64 = 256;

/// Resolves `retold evaluate`.
pub(crate) fn evaluate(args: Evaluate) -> Result<Evaluating, Failure> {
    let Evaluate {
        found,
        reference,
        kind,
        found_kind,
        truth,
        labels,
        negative,
        ignore,
        count_last,
        ordered,
        relations,
        listed_only,
        score,
        min_score,
        documents,
        p_dup,
        cost_miss,
        cost_false_alarm,
        top,
        texts,
        unit,
        level,
        repeats,
        output,
        overwrite,
        memory,
        scratch,
        input,
        manner,
    } = args;
    let reading = with_input(input, Job::default());
    let level = Level::new(level).ok_or_else(|| {
        Failure::usage(format!("`--level` must be above 0 and below 1, got {level}"))
    })?;
    let defaults = EvaluateSettings::default();
    let settings = EvaluateSettings {
        kind,
        found_kind,
        last_cell: if count_last { LastCell::Count } else { LastCell::Document },
        direction: if ordered { Direction::Ordered } else { Direction::Unordered },
        truth: truth.unwrap_or(defaults.truth),
        relations,
        labels,
        negative,
        ignored: ignore,
        is_listed_only: listed_only,
        score: score.unwrap_or(defaults.score),
        min_score,
        n_documents: documents,
        costs: Costs {
            miss: cost_miss,
            false_alarm: cost_false_alarm,
            p_dup: p_dup.unwrap_or(defaults.costs.p_dup),
        },
        estimates_p_dup: p_dup.is_none(),
        top,
        unit,
        texts,
        read: reading.read_options(),
        bootstrap: Bootstrap { repeats, seed: reading.seed(), level },
        most_pairs: usize::try_from(memory / PAIR_BYTES).unwrap_or(usize::MAX),
        scratch,
        output,
        overwrite,
    };
    Ok(Evaluating { found, reference, settings, talk: talk(manner) })
}
