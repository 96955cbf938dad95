//! How a claim is checked: our numbers, with their intervals, against what it says.

use super::claims::Verdicts;
use super::design::{Bar, Check, CheckAt, Design, OneOrMore};
use super::findings::{Fit, PairedResult, p_text, paired_by};
use super::measure::Measure;
use super::rows::Row;
use crate::statistics::Alternative;

/// A power law through fewer sizes says nothing about growth.
const LEAST_SIZES: usize = 4;

/// Everything that was measured for a design.
pub(super) struct Measured<'a> {
    pub(super) design: &'a Design,
    pub(super) rows: &'a [Row],
    pub(super) paired: &'a [PairedResult],
    pub(super) fits: &'a [Fit],
}

/// What a check came to, and the numbers behind it.
#[derive(Clone)]
pub(super) struct Checked {
    pub(super) verdict: Verdicts,
    pub(super) ours: String,
    /// Whether rows that it needs are not there.
    pub(super) is_missing: bool,
}

/// Returns the verdict of something that is either so or not.
fn plain(holds: bool) -> Verdicts {
    if holds { Verdicts::Reproduced } else { Verdicts::NotReproduced }
}

/// Names a limit as ours, unless the paper has it.
fn named(bar: Bar, limit: &str) -> String {
    match bar {
        Bar::Ours => format!("; limit, ours: {limit}"),
        Bar::Paper => format!("; limit of the paper: {limit}"),
    }
}

impl Measured<'_> {
    /// Checks a claim; rows that are missing leave it open. A comparison of two methods that stands
    /// at several combinations of axes is checked at each, which is named.
    pub(super) fn check(&self, one: &CheckAt, bar: Bar) -> Vec<(String, Checked)> {
        let CheckAt { at, check } = one;
        let missing = || Checked {
            verdict: Verdicts::Open,
            ours: "this version has not all the rows it needs".to_owned(),
            is_missing: true,
        };
        if let Check::Paired { measure, first: None, second: None } = check {
            let of = self.paired.iter().filter(|result| result.measure == *measure);
            let each: Vec<(String, Checked)> =
                of.map(|result| (result.at.clone(), compared(result))).collect();
            return match each.len() {
                0 => vec![(String::new(), missing())],
                1 => each.into_iter().map(|(_, checked)| (String::new(), checked)).collect(),
                _ => each,
            };
        }
        let mut checked = self.checked(check, bar).unwrap_or_else(missing);
        if !at.is_empty() {
            self.shorten(&mut checked.ours);
        }
        vec![(String::new(), checked)]
    }

    /// Names rows by their methods: the setting that the rows have in common is named once, before
    /// the numbers.
    fn shorten(&self, ours: &mut String) {
        let mut named: Vec<&Row> =
            self.rows.iter().filter(|row| ours.contains(&format!("{} ", row.name))).collect();
        let is_one_setting = named.iter().all(|row| row.at == named[0].at);
        if !is_one_setting {
            return;
        }
        // Longer names first: a short one may be part of them.
        named.sort_by_key(|row| usize::MAX - row.name.len());
        for row in named {
            *ours = ours.replace(&row.name, &row.label);
        }
    }

    fn checked(&self, check: &Check, bar: Bar) -> Option<Checked> {
        let (verdict, ours) = match check {
            Check::Order { measure, rows } => self.order(*measure, rows)?,
            Check::Within { measure, rows, most } => {
                let rows = self.rows_of(rows)?;
                let means = means(&rows, *measure)?;
                let (low, high) = ends(&means);
                let told = format!(
                    "{} lies between {} and {}{}",
                    measure.title(),
                    measure.figure(low),
                    measure.figure(high),
                    named(bar, &format!("differences of at most {}", measure.figure(*most)))
                );
                (plain(high - low <= *most), told)
            }
            Check::NoLess { measure, pairs, slack, equal } => {
                self.no_less(*measure, pairs, *slack, *equal, bar)?
            }
            Check::Levels { measure, rows: names, levels_at, most } => {
                let rows = self.rows_of(names)?;
                let means = means(&rows, *measure)?;
                let from = names.iter().position(|row| row == levels_at)?;
                let falls = means.windows(2).all(|two| two[1] <= two[0]);
                let last = means.last().copied()?;
                let change = (means[from] - last).abs() / means[from].abs().max(1e-12);
                let told = format!(
                    "{}; after {levels_at} it changes by {:.1} %{}",
                    told(&rows, *measure),
                    100.0 * change,
                    named(bar, &format!("at most {:.0} %", 100.0 * most))
                );
                (plain(falls && change <= *most), told)
            }
            Check::AtLeast { measure, rows: names, value } => {
                let all: Vec<&Row> = self.rows.iter().collect();
                let rows = if names.is_empty() { all } else { self.rows_of(names)? };
                let (least, _) = ends(&means(&rows, *measure)?);
                let told = format!(
                    "the least {} is {}{}",
                    measure.title(),
                    measure.figure(least),
                    named(bar, &format!("at least {}", measure.figure(*value)))
                );
                (plain(least >= *value), told)
            }
            Check::Saves { measure, pairs, least } => {
                let mut holds = true;
                let mut parts = Vec::new();
                for (smaller, larger) in pairs {
                    let (less, more) = (self.row(smaller)?, self.row(larger)?);
                    let (less, more) = (less.mean(*measure)?, more.mean(*measure)?);
                    let saved = 1.0 - less / more.max(1e-12);
                    holds &= saved >= *least;
                    let (less, more) = (measure.figure(less), measure.figure(more));
                    parts.push(format!(
                        "{smaller} {less} against {larger} {more}, {:.1} % fewer",
                        100.0 * saved
                    ));
                }
                let limit = named(bar, &format!("at least {:.1} % fewer", 100.0 * least));
                (plain(holds), format!("{}: {}{limit}", measure.title(), parts.join("; ")))
            }
            Check::Paired { measure, first, second } => {
                let plan = self.design.paired.as_ref()?;
                let row = |name: &Option<String>, or| self.row(name.as_deref().unwrap_or(or));
                let (first, second) = (row(first, &plan.first)?, row(second, &plan.second)?);
                let checked = compared(&paired_by(plan, first, second, *measure)?);
                (checked.verdict, checked.ours)
            }
            Check::Exponent { methods, most } => self.exponent(methods, *most, bar)?,
        };
        Some(Checked { verdict, ours, is_missing: false })
    }

    fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    fn rows_of(&self, names: &[String]) -> Option<Vec<&Row>> {
        names.iter().map(|name| self.row(name)).collect()
    }

    /// Each row above all later ones. Where two stand the other way round but their intervals
    /// overlap, it cannot be told. Neighbours that overlap are named.
    fn order(&self, measure: Measure, rows: &[OneOrMore]) -> Option<(Verdicts, String)> {
        let groups: Option<Vec<Vec<&Row>>> =
            rows.iter().map(|group| self.rows_of(group.rows())).collect();
        let groups = groups?;
        let mut verdict = Verdicts::Reproduced;
        let mut near = Vec::new();
        for (place, group) in groups.iter().enumerate() {
            for (distance, later) in groups[place + 1..].iter().enumerate() {
                for (first, second) in group.iter().flat_map(|f| later.iter().map(move |s| (f, s)))
                {
                    let is_near = overlap(first, second, measure);
                    if is_near && distance == 0 {
                        near.push(format!("{} and {}", first.name, second.name));
                    }
                    if first.mean(measure)? <= second.mean(measure)? {
                        verdict = worse(verdict, is_near);
                    }
                }
            }
        }
        let all: Vec<&Row> = groups.concat();
        means(&all, measure)?;
        let mut text = format!("{}: {}", measure.title(), told(&all, measure));
        if !near.is_empty() {
            text.push_str("; intervals overlap: ");
            text.push_str(&near.join(", "));
        }
        Some((verdict, text))
    }

    fn no_less(
        &self,
        measure: Measure,
        pairs: &[(String, String)],
        slack: f64,
        equal: bool,
        bar: Bar,
    ) -> Option<(Verdicts, String)> {
        let mut verdict = Verdicts::Reproduced;
        let mut differs = equal;
        let mut parts = Vec::new();
        for (first, second) in pairs {
            let (first, second) = (self.row(first)?, self.row(second)?);
            let (x, y) = (first.mean(measure)?, second.mean(measure)?);
            if x < y - slack {
                verdict = worse(verdict, overlap(first, second, measure));
            }
            differs |= (x - y).abs() > f64::EPSILON;
            parts.push(format!(
                "{} against {}",
                with_interval(first, measure),
                with_interval(second, measure)
            ));
        }
        let rows: Vec<&Row> = pairs.iter().filter_map(|(first, _)| self.row(first)).collect();
        let verdict = if differs { verdict } else { Verdicts::Open };
        let limit = if slack > 0.0 {
            named(bar, &format!("less by at most {}", measure.figure(slack)))
        } else {
            String::new()
        };
        let told =
            format!("{}: {}{}{limit}", measure.title(), parts.join("; "), kind(&rows, measure));
        Some((verdict, told))
    }

    /// The whole interval of each exponent at or below the limit; above it, it is refuted.
    fn exponent(&self, methods: &[String], most: f64, bar: Bar) -> Option<(Verdicts, String)> {
        let mut verdict = Verdicts::Reproduced;
        let mut parts = Vec::new();
        for method in methods {
            let fit = self.fits.iter().find(|fit| fit.label == *method)?;
            let law = &fit.law;
            let interval =
                law.interval.map_or((f64::NEG_INFINITY, f64::INFINITY), |i| (i.low, i.high));
            if law.n < LEAST_SIZES {
                verdict = worse(verdict, true);
                parts.push(format!("{method} {:.2} through {} sizes only", law.exponent, law.n));
                continue;
            }
            if interval.1 > most {
                verdict = worse(verdict, interval.0 <= most);
            }
            parts.push(format!(
                "{method} {:.2} [{:.2}, {:.2}]",
                law.exponent, interval.0, interval.1
            ));
        }
        let sizes = self.fits.iter().map(|fit| fit.law.n).max().unwrap_or(0);
        let limit = named(bar, &format!("at most {most}"));
        let told = format!("exponents: {} (95 %, {sizes} sizes){limit}", parts.join(", "));
        Some((verdict, told))
    }
}

/// The difference is significant as expected; one the other way refutes, anything else is open.
fn compared(result: &PairedResult) -> Checked {
    let difference = result.test.mean_difference;
    let is_right = match result.alternative {
        Alternative::Greater => difference > 0.0,
        _ => difference < 0.0,
    };
    let verdict = match (is_right, result.test.p < 0.05) {
        (true, true) => Verdicts::Reproduced,
        (true, false) => Verdicts::Open,
        (false, _) => Verdicts::NotReproduced,
    };
    let of = |which: usize| {
        format!("{} {}", result.rows[which], result.measure.figure(result.means[which]))
    };
    let ours = format!(
        "{}: {} against {}, mean difference {difference:.4} over {} sets, p = {} (one-sided paired t)",
        result.measure.title(),
        of(0),
        of(1),
        result.test.n,
        p_text(result.test.p)
    );
    Checked { verdict, ours, is_missing: false }
}

/// Returns the verdict after something failed: for good, or within what chance does.
fn worse(verdict: Verdicts, is_chance: bool) -> Verdicts {
    match (verdict, is_chance) {
        (Verdicts::NotReproduced, _) | (_, false) => Verdicts::NotReproduced,
        _ => Verdicts::Open,
    }
}

fn means(rows: &[&Row], measure: Measure) -> Option<Vec<f64>> {
    rows.iter().map(|row| row.mean(measure)).collect()
}

fn ends(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    (low, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

/// Returns the interval of a row; two sets give none.
fn interval(row: &Row, measure: Measure) -> Option<(f64, f64)> {
    row.interval(measure).filter(|_| row.records.len() != 2)
}

/// Returns whether the intervals of two rows overlap; without intervals they do not.
fn overlap(first: &Row, second: &Row, measure: Measure) -> bool {
    let both = interval(first, measure).zip(interval(second, measure));
    both.is_some_and(|(first, second)| first.0 <= second.1 && second.0 <= first.1)
}

fn named_mean(row: &Row, measure: Measure) -> String {
    let mean = row.mean(measure).map(|mean| measure.figure(mean)).unwrap_or_default();
    format!("{} {mean}", row.name)
}

fn with_interval(row: &Row, measure: Measure) -> String {
    let ends = interval(row, measure)
        .map(|(low, high)| format!(" [{}, {}]", measure.figure(low), measure.figure(high)));
    format!("{}{}", named_mean(row, measure), ends.unwrap_or_default())
}

/// Says what the intervals of rows are over; nothing if they have none.
fn kind(rows: &[&Row], measure: Measure) -> String {
    let with: Vec<&&Row> = rows.iter().filter(|row| interval(row, measure).is_some()).collect();
    match with.iter().map(|row| row.records.len()).max() {
        None => String::new(),
        Some(1) => " (95 %, bootstrap)".to_owned(),
        Some(n) => format!(" (95 %, over {n} sets)"),
    }
}

fn told(rows: &[&Row], measure: Measure) -> String {
    let each: Vec<String> = rows.iter().map(|row| with_interval(row, measure)).collect();
    format!("{}{}", each.join(", "), kind(rows, measure))
}

#[cfg(test)]
mod tests {
    use super::super::outcome::{Cell, Record};
    use super::*;
    use crate::statistics::{Level, PowerLaw};

    const DESIGN: &str = r#"
        title = "Toy"
        question = "Which?"
        [data]
        collection = "none"
        quick = { documents = 4 }
        full = { documents = 4 }
        [truth]
        kind = "METHOD"
        [[method]]
        label = "A"
        method = "ffp"
    "#;

    fn design(truth: &str) -> Design {
        Design::parse("toy", &DESIGN.replace("\"METHOD\"", truth)).expect("a good design")
    }

    /// A row of one set, with a measure and its interval.
    fn row(name: &str, f1: f64, half: f64) -> Row {
        let mut cell = Cell { set: 1, n_documents: 10, ..Cell::default() };
        cell.put(Measure::F1, f1);
        if half > 0.0 {
            cell.measures.insert("f1_low".to_owned(), f1 - half);
            cell.measures.insert("f1_high".to_owned(), f1 + half);
        }
        Row {
            name: name.to_owned(),
            method: 0,
            label: name.to_owned(),
            at: std::collections::BTreeMap::default(),
            records: vec![Record { cell, ..Record::default() }],
        }
    }

    fn checked(rows: &[Row], fits: &[Fit], check: &str) -> Checked {
        let design = design("\"none\"");
        let check: Check = toml::from_str(check).expect("a check");
        let measured = Measured { design: &design, rows, paired: &[], fits };
        let one = CheckAt { at: String::new(), check };
        let mut all = measured.check(&one, Bar::Ours);
        assert_eq!(all.len(), 1);
        all.remove(0).1
    }

    const ORDER: &str = "check = \"order\"\nmeasure = \"f1\"\nrows = [\"A\", \"B\", \"C\"]";

    #[test]
    fn an_order_names_the_neighbours_whose_intervals_overlap() {
        let rows = [row("A", 0.9, 0.02), row("B", 0.8, 0.05), row("C", 0.78, 0.05)];
        let told = checked(&rows, &[], ORDER);
        assert_eq!(told.verdict, Verdicts::Reproduced);
        assert!(told.ours.contains("A 0.900 [0.880, 0.920]"), "{}", told.ours);
        assert!(told.ours.ends_with("intervals overlap: B and C"), "{}", told.ours);
    }

    #[test]
    fn an_order_that_chance_may_have_turned_cannot_be_told() {
        let near = [row("A", 0.9, 0.02), row("B", 0.78, 0.05), row("C", 0.8, 0.05)];
        assert_eq!(checked(&near, &[], ORDER).verdict, Verdicts::Open);
        let far = [row("A", 0.9, 0.02), row("B", 0.5, 0.05), row("C", 0.8, 0.05)];
        assert_eq!(checked(&far, &[], ORDER).verdict, Verdicts::NotReproduced);
        let turned = [row("A", 0.5, 0.06), row("B", 0.6, 0.06), row("C", 0.7, 0.06)];
        let told = checked(&turned, &[], ORDER);
        assert_eq!(told.verdict, Verdicts::NotReproduced, "A is below C for certain");
        let plain = [row("A", 0.9, 0.0), row("B", 0.78, 0.0), row("C", 0.8, 0.0)];
        assert_eq!(checked(&plain, &[], ORDER).verdict, Verdicts::NotReproduced);
    }

    #[test]
    fn a_limit_of_ours_is_named_as_ours() {
        let rows = [row("A", 0.9, 0.0), row("B", 0.87, 0.0)];
        let check = "check = \"within\"\nmeasure = \"f1\"\nrows = [\"A\", \"B\"]\nmost = 0.05";
        let told = checked(&rows, &[], check);
        assert_eq!(told.verdict, Verdicts::Reproduced);
        assert!(told.ours.ends_with("limit, ours: differences of at most 0.050"), "{}", told.ours);
    }

    #[test]
    fn growth_through_few_sizes_cannot_be_told() {
        let check = "check = \"exponent\"\nmethods = [\"A\"]\nmost = 1.1";
        let of = |costs: &[f64]| {
            let sizes = [1000.0, 2000.0, 4000.0, 8000.0, 16_000.0];
            let points: Vec<(f64, f64)> = sizes.into_iter().zip(costs.iter().copied()).collect();
            let law = PowerLaw::fit(&points, Level::default()).expect("sizes");
            checked(&[], &[Fit { method: 0, label: "A".to_owned(), law }], check)
        };
        assert_eq!(of(&[1.0, 2.0, 4.0]).verdict, Verdicts::Open);
        assert_eq!(of(&[1.0, 2.0, 4.0, 8.0]).verdict, Verdicts::Reproduced);
        assert_eq!(of(&[1.0, 4.0, 16.0, 64.0, 256.0]).verdict, Verdicts::NotReproduced);
        assert_eq!(of(&[1.0, 2.4, 3.6, 9.6, 14.0]).verdict, Verdicts::Open, "a wide interval");
    }

    #[test]
    fn a_design_that_judges_its_reference_is_known() {
        let by = |method: &str| design(&format!("\"method\"\nmethod = \"{method}\""));
        assert_eq!(by("full-fingerprint").judges_its_reference(), Some("full-fingerprint"));
        assert_eq!(by("exhaustive").judges_its_reference(), None);
        assert_eq!(design("\"none\"").judges_its_reference(), None);
    }
}
