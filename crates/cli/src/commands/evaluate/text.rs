//! Figures as a table on a terminal.

use std::fmt::Write as _;

use retold_lab::measures::clusters::SizeDistribution;
use retold_lab::measures::evaluation::{
    Comparison, Evaluation, Figure, PairFigures, PairedTests, PassageFigures, RankingFigures,
    ScoreFigures,
};
use retold_lab::measures::{Direction, FiveNumbers};
use retold_lab::statistics::Level;
use retold_lab::{Compared, Evaluated, Figures};
use retold_report::{Style, escape_terminal, grouped};
use unicode_width::UnicodeWidthStr as _;

use super::percent;
use crate::markdown::{Ink, paint};

/// Columns that names of figures take.
const NAME: usize = 34;
/// Columns that a figure takes.
const VALUE: usize = 10;

/// Returns everything as text.
pub(super) fn text(evaluated: &Evaluated, style: Style) -> String {
    let mut page = Page { out: String::new(), style };
    for (at, result) in evaluated.results.iter().enumerate() {
        if at > 0 {
            page.out.push('\n');
        }
        page.head(evaluated, &result.found);
        match &result.figures {
            Figures::Pairs(evaluation) => page.pairs(evaluated, evaluation),
            Figures::Counts(figures) => {
                page.section("Pairs");
                page.five(figures.counts);
                page.plain(evaluated.precision_name, figures.scores.precision);
                page.plain(evaluated.recall_name, figures.scores.recall);
                page.plain("F1", figures.scores.f1);
            }
            Figures::Ranking(figures) => page.ranking(evaluated, figures),
            Figures::Passages(figures) => page.passages(evaluated, figures),
        }
        let of_evaluation = match &result.figures {
            Figures::Pairs(evaluation) => evaluation.notes.as_slice(),
            _ => &[],
        };
        let caution = match &result.figures {
            Figures::Pairs(_) | Figures::Counts(_) => evaluated.truth.caution(),
            _ => None,
        };
        let caution = caution.map(|caution| format!("{}: {caution}", evaluated.precision_name));
        page.remarks(caution.iter().chain(of_evaluation).chain(&result.remarks));
    }
    match &evaluated.comparison {
        Some(Compared::Pairs(comparison)) => page.comparison(comparison),
        Some(Compared::Paired(tests)) => {
            page.section("First against second");
            page.tests(tests);
        }
        None => {}
    }
    if let Some(output) = &evaluated.output {
        let _ = writeln!(page.out, "\ndetails in {}", escape_terminal(&output.to_string_lossy()));
    }
    page.out
}

struct Page {
    out: String,
    style: Style,
}

impl Page {
    fn head(&mut self, evaluated: &Evaluated, found: &str) {
        let head =
            format!("{} against {}", escape_terminal(found), escape_terminal(&evaluated.reference));
        let facts = &evaluated.facts;
        let what = match evaluated.kind.name() {
            "clusters" | "members" => "clusters",
            "qrels" | "run" => "relevant documents",
            "pan" | "spans" => "passages",
            _ if evaluated.direction == Direction::Ordered => "ordered pairs",
            _ => "pairs",
        };
        let mut line = format!("{} {what} are true", grouped(facts.n_true));
        for (n, said) in [
            (facts.n_negative, "are said not to be"),
            (facts.n_ignored, "lines passed over"),
            (facts.n_self, "of a document with itself left out"),
        ] {
            if n > 0 {
                let _ = write!(line, ", {} {said}", grouped(n));
            }
        }
        let has_intervals =
            evaluated.results.iter().any(|result| !matches!(result.figures, Figures::Counts(_)));
        if has_intervals && evaluated.repeats > 0 {
            let level = Level::new(evaluated.level).unwrap_or_default();
            let repeats = grouped(evaluated.repeats as u64);
            let _ = write!(line, "; {} intervals of {repeats} bootstrap samples", percent(level));
        }
        let _ = writeln!(self.out, "{}", paint(self.style, Ink::Strong, &head));
        let _ = writeln!(self.out, "{}", paint(self.style, Ink::Faint, &line));
    }

    fn section(&mut self, name: &str) {
        let rule = if self.style.unicode { "─" } else { "-" };
        let width = usize::from(self.style.width).clamp(40, 80);
        let name = paint(self.style, Ink::Strong, name);
        let rule = paint(self.style, Ink::Faint, &rule.repeat(width));
        let _ = writeln!(self.out, "\n{name}\n{rule}");
    }

    fn line(&mut self, name: &str, value: &str, more: &str) {
        let name = escape_terminal(name);
        let pad = " ".repeat(NAME.saturating_sub(name.width()));
        let more = paint(self.style, Ink::Faint, more);
        let line = format!("  {name}{pad}{value:>VALUE$}   {more}");
        let _ = writeln!(self.out, "{}", line.trim_end());
    }

    fn count(&mut self, name: &str, n: u64, more: &str) {
        self.line(name, &grouped(n), more);
    }

    fn plain(&mut self, name: &str, value: f64) {
        self.line(name, &decimal(value), "");
    }

    fn figure(&mut self, name: &str, figure: &Figure) {
        self.remarked(name, figure, "");
    }

    fn remarked(&mut self, name: &str, figure: &Figure, remark: &str) {
        let interval = figure.interval.map(|interval| {
            let dash = if self.style.unicode { "–" } else { "-" };
            format!("{} {dash} {}", decimal(interval.low), decimal(interval.high))
        });
        let interval = interval.unwrap_or_default();
        let gap = if remark.is_empty() || interval.is_empty() { "" } else { "   " };
        self.line(name, &decimal(figure.value), &format!("{interval}{gap}{remark}"));
    }

    fn five(&mut self, five: FiveNumbers) {
        let FiveNumbers { all_ref, all_ours, only_ref, only_ours, common } = five;
        self.count("listed", all_ref, "");
        self.count("found", all_ours, "");
        self.count("only listed", only_ref, "");
        self.count("only found", only_ours, "");
        self.count("in both", common, "");
    }

    fn scores(&mut self, names: [&str; 2], scores: &ScoreFigures) {
        self.figure(names[0], &scores.precision);
        self.figure(names[1], &scores.recall);
        self.figure("F1", &scores.f1);
    }

    fn pair_figures(&mut self, evaluated: &Evaluated, figures: &PairFigures, is_judged: bool) {
        let precision =
            if is_judged { "precision of judged pairs" } else { evaluated.precision_name };
        self.scores([precision, evaluated.recall_name], &figures.scores);
        if let Some(by_cluster) = figures.by_cluster.as_ref().filter(|_| !is_judged) {
            let _ =
                writeln!(self.out, "  mean over {} true clusters", grouped(by_cluster.n_clusters));
            self.figure("  precision", &by_cluster.scores.precision);
            self.figure("  recall", &by_cluster.scores.recall);
            self.figure("  F1", &by_cluster.scores.f1);
        }
    }

    fn pairs(&mut self, evaluated: &Evaluated, evaluation: &Evaluation) {
        if let Some(figures) = &evaluation.pairs {
            self.section("Pairs");
            self.five(figures.counts);
            self.pair_figures(evaluated, figures, false);
        }
        if let Some(figures) = &evaluation.judged {
            self.section("Pairs that were judged");
            self.count("found and judged", figures.counts.all_ours, "");
            self.pair_figures(evaluated, figures, true);
        }
        if let Some(curve) = &evaluation.curve {
            self.section("Over all thresholds");
            self.plain("average precision", curve.average_precision);
            if let Some(best) = &curve.best {
                let at = format!("at a score of {}", decimal(best.threshold));
                self.line("highest F1", &decimal(best.scores.f1), &at);
            }
        }
        if !evaluation.labels.is_empty() {
            self.section("By label");
            for label in &evaluation.labels {
                let of = format!("{} of {}", grouped(label.n_found), grouped(label.n_pairs));
                self.remarked(&label.label, &label.recall, &of);
            }
        }
        self.documents(evaluation);
        if let Some(figures) = &evaluation.clusters {
            self.section("Clusters");
            self.figure("adjusted Rand index", &figures.adjusted_rand);
            let marks = if self.style.unicode { "B³" } else { "B-cubed" };
            self.figure(&format!("{marks} precision"), &figures.b3.precision);
            self.figure(&format!("{marks} recall"), &figures.b3.recall);
            self.figure(&format!("{marks} F1"), &figures.b3.f1);
            self.figure("homogeneity", &figures.homogeneity);
            self.figure("completeness", &figures.completeness);
            self.figure("V-measure", &figures.v_measure);
            let _ = writeln!(self.out, "  pairs joined by clusters");
            self.figure("  precision", &figures.pairs.precision);
            self.figure("  recall", &figures.pairs.recall);
            self.figure("  F1", &figures.pairs.f1);
        }
        self.section("Sizes and removal");
        self.sizes("found clusters", &evaluation.found_sizes);
        self.sizes("true clusters", &evaluation.true_sizes);
        let removal = &evaluation.removal;
        let share = format!("{} of all documents", percents(removal.share_removed()));
        self.count("removed if one is kept", removal.n_removed, &share);
        let share = format!("{} of those removed", percents(removal.share_wrongly()));
        self.count("removed wrongly", removal.n_wrongly, &share);
    }

    fn sizes(&mut self, name: &str, sizes: &SizeDistribution) {
        let more = if sizes.n_clusters == 0 {
            String::new()
        } else {
            let common: Vec<String> = sizes
                .sizes
                .iter()
                .take(4)
                .map(|(size, n)| format!("{} of {size}", grouped(*n)))
                .collect();
            let rest = if sizes.sizes.len() > 4 { ", …" } else { "" };
            format!(
                "{} documents, largest {}: {}{rest}",
                grouped(sizes.n_clustered),
                grouped(sizes.largest),
                common.join(", ")
            )
        };
        self.count(name, sizes.n_clusters, &more);
    }

    fn documents(&mut self, evaluation: &Evaluation) {
        let figures = &evaluation.documents;
        let counts = figures.counts;
        self.section("Documents in clusters");
        self.count("a  duplicates found", counts.a, "");
        self.count("b  others found", counts.b, "");
        self.count("c  duplicates missed", counts.c, "");
        let d = if evaluation.knows_all { "" } else { "of those named; give --documents" };
        self.count("d  others left alone", counts.d, d);
        self.figure("miss", &figures.miss);
        if let Some(costs) = &figures.costs {
            self.figure("false alarm", &costs.false_alarm);
        }
        self.figure("precision", &figures.precision);
        self.figure("recall", &figures.recall);
        self.figure("F1", &figures.f1);
        if let Some(costs) = &figures.costs {
            let whence = if costs.is_p_dup_estimated { ", estimated" } else { "" };
            let with = format!("P_dup {}{whence}", decimal(costs.costs.p_dup));
            self.remarked("C_dup", &costs.c_dup, &with);
            self.figure("C_dup normalised", &costs.c_norm);
        }
    }

    fn ranking(&mut self, evaluated: &Evaluated, figures: &RankingFigures) {
        self.section("Answers");
        self.count("questions", figures.n_questions, "");
        self.count("valid results", figures.valid_results, "");
        let of = format!("of {}", grouped(figures.n_relevant));
        self.count("recognition", figures.recognition, &of);
        self.scores([evaluated.precision_name, evaluated.recall_name], &figures.scores);
        self.figure("mean reciprocal rank", &figures.reciprocal_rank);
        self.figure("mean average precision", &figures.average_precision);
        if let Some(rank) = figures.last_correct_rank {
            self.line("rank of the last correct one", &format!("{rank:.1}"), "mean");
        }
        for at in &figures.at {
            let _ = writeln!(self.out, "  first {}", grouped(at.k));
            self.figure("  precision", &at.precision);
            self.figure("  recall", &at.recall);
        }
    }

    fn passages(&mut self, evaluated: &Evaluated, figures: &PassageFigures) {
        self.section("Passages");
        self.count("listed", figures.n_cases, "");
        self.count("found", figures.n_detections, "");
        let share = percents(figures.n_detected as f64 / figures.n_cases.max(1) as f64);
        self.count("detected", figures.n_detected, &format!("{share} of those listed"));
        let _ = writeln!(self.out, "  characters, mean over passages");
        self.figure(&format!("  {}", evaluated.precision_name), &figures.scores.precision);
        self.figure(&format!("  {}", evaluated.recall_name), &figures.scores.recall);
        self.figure("  F1", &figures.scores.f1);
        let _ = writeln!(self.out, "  characters, all together");
        self.plain("  precision", figures.micro.precision);
        self.plain("  recall", figures.micro.recall);
        self.figure("granularity", &figures.granularity);
        self.figure("plagdet", &figures.plagdet);
        if let Some(error) = figures.border_error {
            self.line("mean error of a border", &format!("{error:.1}"), "characters");
        }
        if let Some(length) = figures.shortest_found {
            let what = "characters; of all that long or longer 90 % were detected";
            self.count("shortest length found", length, what);
        }
        for label in &figures.labels {
            let of = format!(
                "recall; {} of {} detected; precision {}, granularity {}, plagdet {}",
                grouped(label.n_detected),
                grouped(label.n_cases),
                decimal(label.precision),
                decimal(label.granularity),
                decimal(label.plagdet)
            );
            self.line(&label.label, &decimal(label.recall), &of);
        }
    }

    fn comparison(&mut self, comparison: &Comparison) {
        self.section("First against second");
        self.count("units that hang together", comparison.n_units, "");
        for difference in &comparison.differences {
            let p = difference.p.map(|p| format!("p {}", small(p)));
            let corrected =
                difference.p_corrected.map(|p| format!(", {} corrected (Holm)", small(p)));
            let p = format!("{}{}", p.unwrap_or_default(), corrected.unwrap_or_default());
            let name = match difference.figure {
                "f1" => "F1",
                other => other,
            };
            self.remarked(&format!("difference of {name}"), &difference.difference, &p);
        }
        if let Some(tests) = &comparison.over_clusters {
            self.tests(tests);
        }
    }

    fn tests(&mut self, tests: &PairedTests) {
        let _ = writeln!(self.out, "  {}, {} pairs", tests.over, grouped(tests.n));
        self.plain("  mean of the first", tests.first);
        self.plain("  mean of the second", tests.second);
        let none = "nothing differs";
        match &tests.t {
            Some(t) => {
                let interval = Figure { value: t.p, interval: None };
                let (low, high) = (decimal(t.interval.low), decimal(t.interval.high));
                let more = format!("difference {} ({low} to {high})", decimal(t.mean_difference));
                self.line("  paired t-test, p", &small(interval.value), &more);
            }
            None => self.line("  paired t-test, p", "", none),
        }
        match &tests.wilcoxon {
            Some(test) => {
                let how = if test.is_exact { "exact" } else { "normal approximation" };
                self.line("  Wilcoxon signed-rank test, p", &small(test.p), how);
            }
            None => self.line("  Wilcoxon signed-rank test, p", "", none),
        }
        if let Some(test) = &tests.permutation {
            let how = if test.is_exact { "all swaps" } else { "swaps drawn at random" };
            self.line("  permutation test, p", &small(test.p), how);
        }
    }

    fn remarks<'a>(&mut self, remarks: impl Iterator<Item = &'a String>) {
        for (at, remark) in remarks.enumerate() {
            if at == 0 {
                self.out.push('\n');
            }
            let remark = format!("note: {}", escape_terminal(remark));
            let _ = writeln!(self.out, "{}", paint(self.style, Ink::Faint, &remark));
        }
    }
}

/// Returns a share with four places.
fn decimal(value: f64) -> String {
    format!("{value:.4}")
}

/// Returns a p-value: as it is, or as a power where it is tiny.
fn small(p: f64) -> String {
    if p >= 0.0001 || p == 0.0 { format!("{p:.4}") } else { format!("{p:.2e}") }
}

fn percents(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiny_probabilities_are_powers() {
        assert_eq!([0.05, 0.0001, 1.2e-7].map(small), ["0.0500", "0.0001", "1.20e-7"]);
        assert_eq!([7, 1_000, 1_234_567].map(grouped), ["7", "1,000", "1,234,567"]);
    }
}
