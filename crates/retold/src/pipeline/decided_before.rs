//! What was decided, written down for a run that is interrupted while it copies, and taken up again.

use retold_core::scratch::Record as _;
use retold_report::{Cut, Summary};
use serde::{Deserialize, Serialize};

use super::decisions::{Deciding, Written};
use super::intake::MOST_BAD;
use super::run::{Detected, Run};
use crate::error::Error;
use crate::resume::{Resume, put_bad, take_bad};

use super::bytes::Taking;

/// Decisions that are written down at a time.
const PER_PIECE: usize = 1 << 16;

/// What is said of all decisions.
#[derive(Serialize, Deserialize)]
struct Figures {
    n_exact_groups: u64,
    n_exact_copies: u64,
    n_candidates: u64,
    n_similarities: u64,
    cuts: Vec<Cut>,
    /// Records that could not be read, among them those that could not be read again.
    n_bad: u64,
}

impl Run<'_> {
    /// Writes down what was decided, if the run is to be resumed.
    pub(super) fn write_decided(&mut self, detected: &Detected) -> Result<(), Error> {
        let (Some(resume), Some(decided)) = (&mut self.intake.resume, &detected.decided) else {
            return Ok(());
        };
        for (list, is_removed) in [(&decided.removed, true), (&decided.review, false)] {
            let mut piece = vec![u8::from(is_removed)];
            for decision in list {
                decision.map_err(|error| self.scratch.failed(error))?.put(&mut piece);
                if piece.len() > PER_PIECE * Written::BYTES {
                    resume.decisions(&piece)?;
                    piece.truncate(1);
                }
            }
            resume.decisions(&piece)?;
        }
        let Summary { n_exact_groups, n_exact_copies, .. } = detected.summary;
        let figures = Figures {
            n_exact_groups,
            n_exact_copies,
            n_candidates: detected.n_candidates,
            n_similarities: detected.n_similarities,
            cuts: detected.cuts.clone(),
            n_bad: self.intake.n_bad,
        };
        let json =
            serde_json::to_vec(&figures).map_err(|error| Error::Internal(error.to_string()))?;
        let mut out = Vec::new();
        super::bytes::put_bytes(&mut out, &json);
        super::bytes::put_number(&mut out, self.intake.bad.len() as u64);
        for bad in &self.intake.bad {
            put_bad(&mut out, bad);
        }
        resume.all_decided(&out)
    }

    /// Takes up what was decided before.
    pub(super) fn decided_before(&self, resume: &Resume) -> Result<(Detected, Bad), Error> {
        let mut deciding = Deciding::new(self.job, &self.budget, &self.scratch);
        let figures = resume.decided(&mut |piece| {
            let Some((&is_removed, rest)) = piece.split_first() else { return Ok(()) };
            for decision in rest.chunks_exact(Written::BYTES) {
                deciding.again(Written::get(decision), is_removed == 1)?;
            }
            Ok(())
        })?;
        let mut taking = Taking(&figures);
        let read = serde_json::from_slice(taking.bytes()?);
        let read: Figures = read.map_err(|error| Error::Internal(error.to_string()))?;
        let mut bad = Vec::new();
        for _ in 0..taking.number()?.min(MOST_BAD as u64) {
            bad.push(take_bad(&mut taking)?);
        }
        let summary = Summary {
            decides_only: true,
            n_exact_groups: read.n_exact_groups,
            n_exact_copies: read.n_exact_copies,
            ..Summary::default()
        };
        let detected = Detected {
            summary,
            cuts: read.cuts,
            n_candidates: read.n_candidates,
            n_similarities: read.n_similarities,
            ..self.undecided(Some(deciding.finish()?))
        };
        Ok((detected, Bad { n_bad: read.n_bad, bad }))
    }
}

/// Records that could not be read, as they were known when all was decided.
pub(super) struct Bad {
    pub(super) n_bad: u64,
    pub(super) bad: Vec<retold_read::BadRecord>,
}
