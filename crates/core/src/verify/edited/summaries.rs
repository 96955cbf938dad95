//! Summaries: a short stretch of one text that tells most of the other.

use super::agreement::Agreement;
use super::bags::Both;
use super::seeds::Seed;
use super::{EditedPassage, Passage, Settings, agreeing, hull, keep_best, len, meet};

/// Returns the summary of one text by the other, if there is one: passages with wide gaps in the longer
/// text that make up a large share of it, and that the `usual` passages do not explain.
pub(super) fn find(
    settings: &Settings,
    found: &[Seed],
    (both, agreement): (&mut Both<'_>, &mut Agreement),
    usual: &[Passage],
) -> Option<Vec<EditedPassage>> {
    if found.len() < settings.summary_seeds {
        return None;
    }
    [1, 0].into_iter().find_map(|long| {
        let least = settings.summary_share * f64::from(both.n_words(long));
        // What is told lies between the first and the last seed.
        let extent = found.iter().map(|seed| seed.side(long)).reduce(hull)?;
        if f64::from(len(extent)) < least {
            return None;
        }
        let mut gaps = [settings.gap; 2];
        gaps[long] = settings.summary_gap;
        let mut wide = Vec::new();
        agreeing(
            settings,
            found,
            gaps,
            settings.summary_seeds,
            |both, a, b, _| {
                Some(both.cosine(a, b)).filter(|&cosine| cosine >= settings.summary_cosine)
            },
            both,
            |_, a, b, cosine| wide.push(Passage::new(a, b, cosine)),
        );
        keep_best(&mut wide, |x, y| meet(x.a, y.a) || meet(x.b, y.b));
        let sum = |side: usize| -> f64 {
            wide.iter().map(|told| f64::from(len(if side == 0 { told.a } else { told.b }))).sum()
        };
        let (n_short, n_long) = (sum(1 - long), sum(long));
        let is_summary =
            !wide.is_empty() && n_long >= settings.summary_ratio * n_short && n_long >= least;
        if !is_summary {
            return None;
        }
        let in_wide = found.iter().filter(|seed| wide.iter().any(|told| told.holds(seed)));
        let (mut n_seeds, mut n_known) = (0.0, 0.0);
        for seed in in_wide {
            n_seeds += 1.0;
            if usual.iter().any(|passage| passage.holds(seed)) {
                n_known += 1.0;
            }
        }
        if n_known > settings.summary_known * n_seeds {
            return None;
        }
        let in_order = |told: &Passage| f64::from(both.in_order(told.a, told.b, agreement));
        if wide.iter().map(in_order).sum::<f64>() < settings.summary_order * n_short {
            return None;
        }
        let told = |told: &Passage| EditedPassage { a: told.a, b: told.b, is_summary: true };
        Some(wide.iter().map(told).collect())
    })
}
