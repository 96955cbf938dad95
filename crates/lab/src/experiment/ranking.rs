//! Questions: documents ranked by how much of a question they hold, and what that comes to.

use retold::{Document, Documents, Find, Found, Relation, rank_sources};

use super::bench::{Bench, Clock, Trial};
use super::index_figures::{IndexFigures, index_figures};
use super::measure::Measure;
use super::outcome::{Cell, Time};
use super::question::Question;
use crate::error::Error;
use crate::measures::retrieval::Retrieval;
use crate::statistics::Bootstrap;

/// Answers to questions about one collection.
#[derive(Clone, Debug)]
pub(super) struct Answered {
    /// For each question the documents that were found, best first.
    rankings: Vec<Vec<u32>>,
    index: IndexFigures,
    seconds: f64,
    cpu_seconds: f64,
}

impl Bench<'_> {
    /// Ranks documents by how much of each question they hold, best first.
    pub(super) fn ranking(
        &self,
        trial: &Trial,
        documents: &[Document],
        questions: &[Question],
    ) -> Result<Answered, Error> {
        let index = self.index(trial, documents, questions)?;
        let asked: Vec<Document> =
            questions.iter().map(|question| question.document.clone()).collect();
        let find = Find::new(Documents::new(documents))
            .against(Documents::new(asked))
            .job(trial.job.clone())
            .resources(self.resources.clone());
        let mut found = Found::only_pairs();
        let clock = Clock::start();
        find.run(&mut found)?;
        let (seconds, cpu_seconds) = clock.read();
        let mut by_question: Vec<Vec<Relation>> = vec![Vec::new(); questions.len()];
        for relation in found.into_pairs() {
            // Methods look both ways. A document that would find the question but holds nothing
            // that the question asks with is no answer to it.
            if relation.scores.b_in_a.get() <= 0.0 {
                continue;
            }
            by_question[relation.b.index() - documents.len()].push(relation);
        }
        let ranked = |mut relations: Vec<Relation>| {
            rank_sources(&mut relations);
            relations.into_iter().map(|relation| relation.a.0).collect()
        };
        let rankings = by_question.into_iter().map(ranked).collect();
        Ok(Answered { rankings, index, seconds, cpu_seconds })
    }

    /// Counts and times what a method of features puts into an index and asks it with.
    pub(super) fn index(
        &self,
        trial: &Trial,
        documents: &[Document],
        questions: &[Question],
    ) -> Result<IndexFigures, Error> {
        let asked = questions.iter().map(|question| &question.document);
        index_figures(&trial.job, documents, asked, self.stop())
    }
}

/// Sets the figures of an index.
pub(super) fn of_index(cell: &mut Cell, time: &mut Time, index: &IndexFigures) {
    for (measure, value) in &index.counts {
        cell.put(*measure, *value);
    }
    for (measure, seconds) in &index.stages {
        time.stages.insert(measure.name().to_owned(), *seconds);
    }
}

/// Measures the answers to questions: means, with intervals where there are several questions.
pub(super) fn of_ranking(
    cell: &mut Cell,
    time: &mut Time,
    answered: &Answered,
    questions: &[Question],
) {
    of_index(cell, time, &answered.index);
    (time.seconds, time.cpu_seconds) = (answered.seconds, answered.cpu_seconds);
    let answers = answered.rankings.iter().zip(questions);
    let measured: Vec<Retrieval> = answers
        .map(|(ranking, question)| {
            Retrieval::of(question.judged(ranking), question.relevant.iter().copied())
        })
        .collect();
    let figures: Vec<Vec<(Measure, f64)>> = measured.iter().map(figures).collect();
    let drawn = Bootstrap { repeats: 500, ..Bootstrap::default() };
    for (at, &(measure, first)) in figures.first().into_iter().flatten().enumerate() {
        let values: Vec<f64> = figures.iter().map(|figures| figures[at].1).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        cell.put(measure, if values.len() == 1 { first } else { mean });
        if values.len() > 1
            && let Some(interval) = drawn.mean(&values)
        {
            cell.put_interval(measure, interval.low, interval.high);
        }
    }
    cell.curve = mean_curve(&measured);
}

/// Returns the figures of one answer, always in the same order.
fn figures(answer: &Retrieval) -> Vec<(Measure, f64)> {
    let scores = answer.scores();
    let top = answer.at(answer.n_relevant.max(1));
    vec![
        (Measure::Relevant, answer.n_relevant as f64),
        (Measure::Recognition, answer.recognition as f64),
        (Measure::Total, answer.valid_results as f64),
        (Measure::Precision, scores.precision),
        (Measure::Recall, scores.recall),
        (Measure::F1, scores.f1),
        (Measure::ReciprocalRank, answer.reciprocal_rank()),
        // Where nothing right was found, every rank is too late.
        (Measure::Lcr, answer.last_correct_rank.unwrap_or(answer.valid_results) as f64),
        (Measure::TopRecognition, top.n_correct as f64),
        (Measure::TopPrecision, top.scores.precision),
        (Measure::TopRecall, top.scores.recall),
        (Measure::TopF1, top.scores.f1),
    ]
}

/// Returns the means of precision, recall and F1 of the first k answers: k up to five quarters of
/// what is relevant, in 45 steps.
fn mean_curve(measured: &[Retrieval]) -> Vec<(u64, f64, f64, f64)> {
    let n_relevant = measured.iter().map(|answer| answer.n_relevant).max().unwrap_or(0);
    let step = (n_relevant / 36).max(1);
    let most = (n_relevant * 5 / 4).max(step);
    let n = measured.len() as f64;
    let at = |k: u64| {
        let all = measured.iter().map(|answer| answer.at(k).scores);
        let sum = all.fold([0.0; 3], |[p, r, f], scores| {
            [p + scores.precision, r + scores.recall, f + scores.f1]
        });
        (k, sum[0] / n, sum[1] / n, sum[2] / n)
    };
    (1..).map(|i| i * step).take_while(|&k| k <= most).map(at).collect()
}
