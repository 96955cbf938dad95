//! Questions: documents ranked by how much of a question they hold, and what that comes to.

use retold::{Document, Documents, Find, Found, rank_sources};

use super::bench::{Bench, Clock, Ran, Trial};
use super::index_figures::index_figures;
use super::measure::Measure;
use super::outcome::Cell;
use crate::error::Error;
use crate::measures::retrieval::Retrieval;

impl Bench<'_> {
    /// Ranks documents by how much of a question they hold, best first.
    pub(super) fn ranking(
        &self,
        trial: &Trial,
        documents: &[Document],
        question: &Document,
    ) -> Result<Ran<Vec<u32>>, Error> {
        let figures = index_figures(&trial.job, documents, self.stop())?;
        let find = Find::new(Documents::new(documents))
            .against(Documents::new([question.clone()]))
            .job(trial.job.clone())
            .resources(self.resources.clone());
        let mut found = Found::only_pairs();
        let clock = Clock::start();
        find.run(&mut found)?;
        let (seconds, cpu_seconds) = clock.read();
        let mut relations = found.into_pairs();
        rank_sources(&mut relations);
        let result = relations.into_iter().map(|relation| relation.a.0).collect();
        Ok(Ran { result, figures, seconds, cpu_seconds })
    }
}

/// Measures the answer to a question.
pub(super) fn of_ranking(cell: &mut Cell, ran: &Ran<Vec<u32>>, relevant: &[u32]) {
    let measured = Retrieval::of(ran.result.iter().copied(), relevant.iter().copied());
    for (measure, value) in &ran.figures {
        cell.put(*measure, *value);
    }
    let scores = measured.scores();
    cell.put(Measure::Relevant, measured.n_relevant as f64);
    cell.put(Measure::Recognition, measured.recognition as f64);
    cell.put(Measure::Total, measured.valid_results as f64);
    cell.put(Measure::Precision, scores.precision);
    cell.put(Measure::Recall, scores.recall);
    cell.put(Measure::F1, scores.f1);
    cell.put(Measure::ReciprocalRank, measured.reciprocal_rank());
    if let Some(rank) = measured.last_correct_rank {
        cell.put(Measure::Lcr, rank as f64);
    }
    let top = measured.at(measured.n_relevant.max(1)).scores;
    cell.put(Measure::TopPrecision, top.precision);
    cell.put(Measure::TopRecall, top.recall);
    cell.put(Measure::TopF1, top.f1);
    let most = measured.n_relevant * 5 / 4;
    let step = (measured.n_relevant / 36).max(1);
    let ks = (1..).map(|i| i * step).take_while(|&k| k <= most.max(step));
    cell.curve = measured
        .curve(ks)
        .into_iter()
        .map(|at| (at.k, at.scores.precision, at.scores.recall, at.scores.f1))
        .collect();
}
