//! Ranked answers against relevance judgements.

use std::collections::BTreeMap;
use std::path::Path;

use super::{
    Compared, EvaluateError, EvaluateSettings, Evaluated, EvaluatedResult, Figures, Request,
    details,
};
use crate::error::Error;
use crate::measures::Direction;
use crate::measures::evaluation::{PairedTests, RankingFigures};
use crate::measures::retrieval::Retrieval;
use crate::reference::{
    Counting, Evidence, Halt, ListFileError, ListKind, Names, Source, held, open, read_judgements,
    read_pairs, read_ranking,
};

/// Answers to questions by their names: documents with scores, best first.
type Answers = BTreeMap<String, Vec<(f64, u32)>>;

/// Evaluates results against judgements.
pub(super) fn evaluate(request: Request<'_>, evaluated: &mut Evaluated) -> Result<(), Error> {
    let Request { found, reference, settings } = request;
    let mut names = Names::default();
    let mut relevant: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let facts = &mut evaluated.facts;
    let outcome = read_judgements(open(reference)?, |judgement| {
        facts.n_lines += 1;
        if judgement.grade > 0.0 {
            let document = names.number(judgement.document);
            relevant.entry(judgement.question.to_owned()).or_default().push(document);
            facts.n_true += 1;
        } else {
            facts.n_negative += 1;
        }
        Ok::<(), Halt>(())
    });
    outcome.map_err(|halt| held(halt, reference))?;
    if relevant.is_empty() {
        return Err(EvaluateError::EmptyTruth(reference.to_owned()).into());
    }
    let questions: Vec<String> = relevant.keys().cloned().collect();
    let mut columns: Vec<Vec<Retrieval>> = Vec::new();
    for path in found {
        let answers = read_answers(path, settings, &relevant, &mut names)?;
        let measured: Vec<Retrieval> = relevant
            .iter()
            .map(|(question, relevant)| {
                let ranked = answers.get(question).map(Vec::as_slice).unwrap_or_default();
                let ranked = ranked.iter().map(|&(_, document)| document);
                Retrieval::of(ranked, relevant.iter().copied())
            })
            .collect();
        let figures = RankingFigures::of(&measured, &settings.top, &settings.bootstrap)
            .ok_or_else(|| Error::internal("questions were checked to be there"))?;
        let n_unjudged = answers.keys().filter(|name| !relevant.contains_key(*name)).count();
        let remarks = (n_unjudged > 0).then(|| {
            format!("{n_unjudged} questions of the result have no relevant document in the list")
        });
        evaluated.results.push(EvaluatedResult {
            found: path.display().to_string(),
            figures: Figures::Ranking(figures),
            remarks: remarks.into_iter().collect(),
        });
        columns.push(measured);
    }
    if let [one, two] = &columns[..] {
        let of = |answers: &[Retrieval]| -> Vec<f64> {
            answers.iter().map(|answer| answer.average_precision).collect()
        };
        let over = "average precision of questions";
        evaluated.comparison =
            PairedTests::of(over, &of(one), &of(two), &settings.bootstrap).map(Compared::Paired);
    }
    if let Some(output) = &settings.output {
        details::write_questions(output, settings, &questions, &columns, evaluated)?;
    }
    Ok(())
}

/// Reads answers: a ranking, or pairs whose one document is a question.
fn read_answers(
    path: &Path,
    settings: &EvaluateSettings,
    relevant: &BTreeMap<String, Vec<u32>>,
    names: &mut Names,
) -> Result<Answers, Error> {
    let source = Source::of(path, settings.found_kind)?;
    let mut answers = Answers::new();
    let file = match &source {
        Source::File(file, ListKind::Run | ListKind::Qrels) => {
            let outcome = read_ranking(open(file)?, |ranked| {
                let document = names.number(ranked.document);
                let question = answers.entry(ranked.question.to_owned()).or_default();
                question.push((ranked.score, document));
                Ok::<(), Halt>(())
            });
            outcome.map_err(|halt| held(halt, file))?;
            return Ok(sorted(answers));
        }
        Source::Folder { pairs, .. } => pairs,
        Source::File(file, ListKind::Pairs) => file,
        _ => {
            return Err(ListFileError::Unfit {
                path: path.to_owned(),
                holds: source.holds(),
                truth: "relevance judgements",
                needed: "ranked answers or pairs",
            }
            .into());
        }
    };
    let counting = Counting { direction: Direction::Unordered, ..settings.counting() };
    let outcome = read_pairs(open(file)?, Evidence::Skipped, |line| {
        for (a, b, score) in counting.found(line) {
            for (question, document) in [(a, b), (b, a)] {
                if relevant.contains_key(question) {
                    let score = if score.is_nan() { 0.0 } else { score };
                    let document = names.number(document);
                    answers.entry(question.to_owned()).or_default().push((score, document));
                }
            }
        }
        Ok::<(), Halt>(())
    });
    outcome.map_err(|halt| held(halt, file))?;
    Ok(sorted(answers))
}

/// Sorts answers by score; those of equal score keep the order in which they came.
fn sorted(mut answers: Answers) -> Answers {
    for ranked in answers.values_mut() {
        ranked.sort_by(|x, y| y.0.total_cmp(&x.0));
    }
    answers
}
