//! Pairs and clusters against pairs and clusters.

use std::path::Path;

use super::{
    Compared, CountFigures, EvaluateError, Evaluated, EvaluatedResult, Figures, Request, details,
};
use crate::error::Error;
use crate::measures::evaluation::{Comparison, Evaluating, Evaluation, Found, Truth};
use crate::measures::large::PairParts;
use crate::reference::{
    Claim, Evidence, Halt, ListFileError, ListKind, Names, ReadFound, Source, TruthFacts, held,
    n_lines, open, read_found, read_pairs, read_truth,
};

/// Evaluates results against a truth of pairs or clusters.
pub(super) fn evaluate(request: Request<'_>, evaluated: &mut Evaluated) -> Result<(), Error> {
    let Request { found, reference, settings } = request;
    let (counting, mut names) = (settings.counting(), Names::default());
    // Only lists of pairs can be counted in parts.
    let most = match evaluated.kind {
        ListKind::Pairs => settings.most_pairs,
        _ => usize::MAX,
    };
    if is_too_long(request, most)? {
        return in_parts(request, evaluated);
    }
    let mut results: Vec<ReadFound> = Vec::new();
    for path in found {
        let held = results.iter().map(|result| result.pairs.len()).sum::<usize>();
        match read_found(
            path,
            settings.found_kind,
            &counting,
            most.saturating_sub(held),
            &mut names,
        )? {
            Some(result) => results.push(result),
            None => return in_parts(request, evaluated),
        }
    }
    let held = results.iter().map(|result| result.pairs.len()).sum::<usize>();
    let n_known = names.len() as u64;
    let truth =
        read_truth(reference, evaluated.kind, &counting, most.saturating_sub(held), &mut names)?;
    let Some(truth) = truth else { return in_parts(request, evaluated) };
    if truth.facts.n_true == 0 {
        return Err(EvaluateError::EmptyTruth(reference.to_owned()).into());
    }
    evaluated.facts = truth.facts;
    let truth = truth.truth;
    if settings.is_listed_only {
        for result in &mut results {
            keep_listed(result, &truth);
        }
    }

    let listed = results.iter().filter_map(|result| result.n_documents).max();
    let known = settings.n_documents.or(listed);
    let how = Evaluating {
        n_documents: names.len().max(usize::try_from(known.unwrap_or(0)).unwrap_or(usize::MAX)),
        knows_all: known.is_some(),
        costs: settings.costs,
        estimates_p_dup: settings.estimates_p_dup,
        bootstrap: settings.bootstrap,
    };
    let n_strange = (names.len() as u64).saturating_sub(n_known);
    for (path, result) in found.iter().zip(&results) {
        let mut remarks = result.remarks.clone();
        if result.n_documents.is_some() && n_strange > 0 {
            remarks.push(format!(
                "{n_strange} documents of the list are not in the collection; their pairs count \
                 as not found"
            ));
        }
        evaluated.results.push(EvaluatedResult {
            found: path.display().to_string(),
            figures: Figures::Pairs(Box::new(Evaluation::of(&result.found, &truth, &how))),
            remarks,
        });
    }
    if let [one, two] = &results[..] {
        let comparison = Comparison::of([&one.found, &two.found], &truth, &how);
        evaluated.comparison = comparison.map(|comparison| Compared::Pairs(Box::new(comparison)));
    }
    if let Some(output) = &settings.output {
        details::write_pairs(output, settings, &results, &truth, &names, evaluated)?;
    }
    Ok(())
}

/// Leaves of a result the pairs that the truth lists; clusters, which bring others, are left out.
fn keep_listed(result: &mut ReadFound, truth: &Truth) {
    let is_listed = |a: u32, b: u32| {
        truth.pairs.as_ref().is_some_and(|pairs| pairs.contains(a, b))
            || truth.negatives.contains(a, b)
    };
    let Found { pairs, scores, clusters } = &mut result.found;
    if let Some(found) = pairs {
        let kept: Vec<bool> = found.iter().map(|(a, b)| is_listed(a, b)).collect();
        let keep = |at: usize| kept.get(at).copied().unwrap_or(true);
        let mut at = 0..;
        scores.retain(|_| at.next().is_some_and(keep));
        let mut at = 0..;
        result.pairs.retain(|_| at.next().is_some_and(keep));
        *found = found.filtered(is_listed);
    }
    if clusters.take().is_some() {
        let remark = "clusters of the result are not used: they were made of all pairs";
        result.remarks.push(remark.to_owned());
    }
}

/// Returns whether lists have more lines than pairs can be held, so that nobody begins to hold
/// them. Where some lines do not count, only reading them tells.
fn is_too_long(request: Request<'_>, most: usize) -> Result<bool, Error> {
    let Request { found, reference, settings } = request;
    if most == usize::MAX || !settings.counting().counts_all() {
        return Ok(false);
    }
    let mut files = vec![reference.to_owned()];
    for path in found {
        match Source::of(path, settings.found_kind)? {
            Source::Folder { pairs: file, .. } | Source::File(file, ListKind::Pairs) => {
                files.push(file);
            }
            Source::File(..) | Source::Pan(_) => {}
        }
    }
    let mut n_read = 0;
    for file in files {
        n_read += n_lines(&file, most - n_read)?;
        if n_read > most {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Counts lists of pairs that are too long to hold.
fn in_parts(request: Request<'_>, evaluated: &mut Evaluated) -> Result<(), Error> {
    let Request { found, reference, settings } = request;
    let counting = settings.counting();
    if settings.is_listed_only {
        return Err(EvaluateError::TooLongForListed.into());
    }
    for path in found {
        let file = match Source::of(path, settings.found_kind)? {
            Source::Folder { pairs, .. } => pairs,
            Source::File(file, ListKind::Pairs) => file,
            other => {
                return Err(ListFileError::Unfit {
                    path: path.clone(),
                    holds: other.holds(),
                    truth: "a list of pairs as long as this",
                    needed: "pairs",
                }
                .into());
            }
        };
        let parts = || {
            let folder = settings.scratch.as_deref();
            let named = folder.map_or_else(std::env::temp_dir, Path::to_owned);
            PairParts::new(settings.direction, folder).map_err(Error::io("write to", &named))
        };
        let mut ours = parts()?;
        let write = |error| Halt::Other(Error::io("write a scratch file for", path)(error));
        let outcome = read_pairs(open(&file)?, Evidence::Skipped, |line| {
            counting.found(line).try_for_each(|(a, b, _)| ours.push(a, b).map_err(write))
        });
        outcome.map_err(|halt| held(halt, &file))?;

        let mut listed = parts()?;
        let mut facts = TruthFacts::default();
        let outcome = read_pairs(open(reference)?, Evidence::Skipped, |line| {
            facts.n_lines += 1;
            match counting.claim(line) {
                Claim::Nothing => facts.n_ignored += 1,
                Claim::Unrelated => facts.n_negative += 1,
                Claim::Related => {
                    let pairs = line.pairs(settings.direction, settings.score);
                    for (a, b, _) in pairs.into_iter().flatten() {
                        facts.n_self += u64::from(a == b);
                        listed.push(a, b).map_err(write)?;
                    }
                }
            }
            Ok(())
        });
        outcome.map_err(|halt| held(halt, reference))?;
        let counts = PairParts::compare(ours, listed).map_err(Error::io("compare", path))?;
        facts.n_true = counts.n_reference();
        evaluated.facts = facts;
        let mut remarks = vec![
            "the lists are too long to hold: counted in parts, without intervals, documents and \
             clusters; more `--memory` holds more"
                .to_owned(),
        ];
        if settings.output.is_some() {
            remarks.push("no details were written".to_owned());
        }
        evaluated.results.push(EvaluatedResult {
            found: path.display().to_string(),
            figures: Figures::Counts(CountFigures {
                counts: counts.five(),
                scores: counts.scores(),
            }),
            remarks,
        });
    }
    Ok(())
}
