//! How far assessors agree.
//!
//! Answers of a person who breaks a tie are left out: that person disagrees with one of the two in
//! every case.

use std::collections::BTreeMap;

use serde::Serialize;

use super::judgement::Answer;
use super::tally::{Tally, Vote};
use crate::measures::agreement::{Agreement, cohen, fleiss, krippendorff};
use crate::statistics::Level;

/// Two people and what both of them judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TwoAssessors {
    /// The first person.
    pub first: String,
    /// The second person.
    pub second: String,
    /// Entries by answer: rows are those of the first, columns those of the second, both in the
    /// order yes, no, unsure.
    pub confusion: [[u64; 3]; 3],
    /// Cohen's kappa over the three answers.
    pub cohen: Agreement,
}

/// Agreement of everybody who judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assessors {
    /// Every two people who judged something in common.
    pub pairs: Vec<TwoAssessors>,
    /// Mean of their kappas, each counted once; none if none has a kappa.
    pub mean_kappa: Option<f64>,
    /// Fleiss' kappa over entries with the same number of judgements, by that number.
    pub fleiss: BTreeMap<u64, Agreement>,
    /// Krippendorff's alpha over all entries with two judgements or more.
    pub alpha: Agreement,
}

impl Assessors {
    /// Compares the answers of everybody.
    pub fn of(tally: &Tally<'_>, level: Level) -> Self {
        let regular: Vec<Vec<Vote>> = tally
            .iter()
            .map(|(_, votes, _)| votes.iter().copied().filter(|vote| !vote.breaks_tie).collect())
            .collect();
        let mut confusions: BTreeMap<(usize, usize), [[u64; 3]; 3]> = BTreeMap::new();
        let mut tables: BTreeMap<u64, Vec<[u64; 3]>> = BTreeMap::new();
        let mut units: Vec<Vec<u32>> = Vec::new();
        for votes in &regular {
            for (i, one) in votes.iter().enumerate() {
                for other in &votes[i + 1..] {
                    let (x, y) =
                        if one.person < other.person { (one, other) } else { (other, one) };
                    let confusion = confusions.entry((x.person, y.person)).or_default();
                    confusion[x.answer as usize][y.answer as usize] += 1;
                }
            }
            if votes.len() >= 2 {
                let n = |answer| votes.iter().filter(|vote| vote.answer == answer).count() as u64;
                tables.entry(votes.len() as u64).or_default().push(Answer::ALL.map(n));
            }
            units.push(votes.iter().map(|vote| vote.answer as u32).collect());
        }
        let pairs: Vec<TwoAssessors> = confusions
            .into_iter()
            .map(|((first, second), confusion)| TwoAssessors {
                first: tally.people()[first].clone(),
                second: tally.people()[second].clone(),
                confusion,
                cohen: cohen(&confusion, level).expect("three rows of three are square"),
            })
            .collect();
        let kappas: Vec<f64> = pairs.iter().filter_map(|pair| pair.cohen.kappa).collect();
        let fleiss = tables.into_iter().map(|(n, table)| {
            (n, fleiss(&table).expect("rows of one table have the same number of judgements"))
        });
        Self {
            mean_kappa: (!kappas.is_empty())
                .then(|| kappas.iter().sum::<f64>() / kappas.len() as f64),
            pairs,
            fleiss: fleiss.collect(),
            alpha: krippendorff(&units),
        }
    }
}
