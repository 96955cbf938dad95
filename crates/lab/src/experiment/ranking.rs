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
    if !index.rankings.is_empty() {
        let n_found: usize = index.rankings.iter().map(Vec::len).sum();
        cell.put(Measure::Total, n_found as f64 / index.rankings.len() as f64);
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
    (1..=most / step).map(|i| at(i * step)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use retold::{Profile, Resources};
    use serde_json::Map;

    use super::*;
    use crate::experiment::{Drawn, draw};

    #[test]
    fn a_plain_index_finds_the_documents_that_the_methods_find() {
        let bench = Bench { data: None, resources: Resources::new().threads(1) };
        let mut documents = draw(40, &Drawn::default(), 3);
        // Parts of three documents, and a list of pieces of one word that two others have.
        let part = |i: usize| documents[i].text[..documents[i].text.len() / 2].to_owned() + "\n\n";
        let list = "one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve. ";
        let text = [part(4), part(9), part(17), list.to_owned()].concat();
        for i in [20, 30] {
            documents[i].text.push_str(list);
        }
        let question = Document { text, ..documents[4].clone() };
        let questions = [Question::new(question, vec![4, 9, 17])];
        for method in ["full-fp", "sg-63", "sg-63-sym", "sl-fp", "sl-fp-sd", "ws8sw1", "ws8sw1-dj"]
        {
            let trial = Trial::new(method, Profile::Paper, &Map::new(), 1).expect("a method");
            let answered = bench.ranking(&trial, &documents, &questions).expect("it runs");
            let found = |ranking: &[u32]| ranking.iter().copied().collect::<BTreeSet<u32>>();
            let by_index = found(&answered.index.rankings[0]);
            assert_eq!(found(&answered.rankings[0]), by_index, "{method}");
            assert!(by_index.len() >= 2, "{method}: {by_index:?}");
        }
    }

    #[test]
    fn figures_of_several_questions_are_means_with_an_interval() {
        let question = |relevant: Vec<u32>| Question::new(Document::plain("q", ""), relevant);
        let mut second = question(vec![1, 2]);
        second.excused.insert(9);
        let questions = [question(vec![1, 2]), second];
        let answered = Answered {
            rankings: vec![vec![1, 2, 3, 4], vec![9, 1, 5]],
            index: IndexFigures::default(),
            seconds: 1.0,
            cpu_seconds: 1.0,
        };
        let (mut cell, mut time) = (Cell::default(), Time::default());
        of_ranking(&mut cell, &mut time, &answered, &questions);
        let figure = |name: &str| cell.measures[name];
        assert_eq!((figure("total"), figure("recognition")), (3.0, 1.5));
        assert_eq!((figure("recall"), figure("precision")), (0.75, 0.5));
        assert_eq!((figure("lcr"), figure("top_recognition")), (1.5, 1.5));
        assert_eq!((figure("recall_low"), figure("recall_high")), (0.5, 1.0));
        // The first answer is right for both, the second for one of them.
        assert_eq!(cell.curve[0], (1, 1.0, 0.5, 2.0 / 3.0));
        assert_eq!((cell.curve[1].0, cell.curve[1].1), (2, 0.75));
    }
}
