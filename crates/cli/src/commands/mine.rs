//! `retold mine`: frequent sets of items in a file of transactions.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use retold::{Progress as _, Resources, Stage};
use retold_lab::{Error, Mined, Mining, SetsTo, SizeRow, mine_file};
use retold_mine::{Cut, MINERS, Preparation, Spec, Target};
use retold_report::{Style, counted, escape_terminal, grouped};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::interrupt::{self, STOP};
use crate::markdown::{self, Ink, paint};
use crate::progress::Bars;
use crate::settings::{MineJob, SetsFor, Talk};
use crate::terminal;

/// Columns of text that is not printed on a terminal.
const WIDTH: u16 = 80;

/// Widest text: longer lines are harder to read.
const WIDEST: u16 = 92;

/// Columns of a summary.
const COLUMNS: usize = 56;

/// Sizes up to which each has a row of its own; larger ones share a row up to twice as many items.
const MOST_ALONE: u64 = 8;

/// Does what is asked for.
pub(crate) fn mine(job: &MineJob) -> Result<(), Failure> {
    match job {
        MineJob::List(talk) => list(*talk),
        MineJob::File { file, to, mining, resources, talk } => {
            run(file, to, mining, resources, *talk)
        }
    }
}

fn run(
    file: &Path,
    to: &SetsFor,
    mining: &Mining,
    resources: &Resources,
    talk: Talk,
) -> Result<(), Failure> {
    interrupt::watch(talk.color, file.as_os_str() == "-");
    let mut stdout = io::stdout();
    let sets = match to {
        SetsFor::Stdout => SetsTo::Writer(&mut stdout),
        SetsFor::Count => SetsTo::Nowhere,
        SetsFor::File(path) => SetsTo::File(path),
    };
    let bars = Bars::new(talk);
    if *to != SetsFor::Stdout {
        bars.begin(Stage::Search, 0);
    }
    let mined = mine_file(file, mining, sets, &resources.clone().stop(&STOP));
    bars.finish();
    let mined = mined.map_err(|error| match error {
        Error::Sets(error) => Failure::Print(error),
        error => error.into(),
    })?;
    if let Some((what, hint)) = cut_text(&mined) {
        terminal::say("warning", &what, talk.color);
        terminal::say("hint", &hint, talk.color);
    }
    match to {
        SetsFor::Stdout => Ok(()),
        _ if talk.is_json => terminal::print(&format!("{:#}\n", json_of(&mined, mining, to))),
        _ => terminal::print(&summary(&mined, mining, to, terminal::style(talk.color, WIDTH))),
    }
}

/// Returns what a limit left out and how to lift it, if one did.
fn cut_text(mined: &Mined) -> Option<(String, String)> {
    if mined.is_complete() {
        return None;
    }
    let mut reasons = Vec::new();
    let mut options: Vec<&str> = Vec::new();
    if let Some(cut) = mined.cut {
        reasons.push(format!("it reached the limit of {}", limit_name(cut)));
        options.push(if cut == Cut::Sets { "--most-sets 0" } else { lifted(cut) });
    }
    if !mined.cut_parts.is_empty() {
        let n_items: u64 = mined.cut_parts.iter().map(|part| part.n_items).sum();
        let mut by_limit: BTreeMap<Cut, u64> = BTreeMap::new();
        for part in &mined.cut_parts {
            *by_limit.entry(part.cut).or_default() += 1;
        }
        let limits: Vec<String> = by_limit
            .iter()
            .map(|(cut, n)| format!("{} the limit of {}", grouped(*n), limit_name(*cut)))
            .collect();
        reasons.push(format!(
            "{} with {} did not come to an end ({})",
            counted(mined.cut_parts.len() as u64, "component"),
            counted(n_items, "item"),
            limits.join(", ")
        ));
        options.extend(by_limit.keys().map(|&cut| lifted(cut)));
    }
    options.dedup();
    let told = format!(
        "the search was cut, there are at least {}: {}",
        counted(mined.n_sets, "set"),
        reasons.join("; ")
    );
    Some((told, format!("`{}` searches on", options.join(" "))))
}

fn limit_name(cut: Cut) -> &'static str {
    match cut {
        Cut::Sets => "sets",
        Cut::Steps => "steps",
        Cut::Bytes => "memory",
        Cut::Time | Cut::Stopped => "time",
    }
}

/// Returns the option that lifts the limit of a component.
fn lifted(cut: Cut) -> &'static str {
    match cut {
        Cut::Sets => "--component-sets 0",
        Cut::Steps => "--steps 0",
        Cut::Bytes => "--most-memory 0",
        Cut::Time | Cut::Stopped => "--most-seconds 0",
    }
}

/// Returns the figures of a search as text.
fn summary(mined: &Mined, mining: &Mining, to: &SetsFor, style: Style) -> String {
    let dot = if style.unicode { " · " } else { " - " };
    let kind = match mining.target {
        Target::All => "frequent",
        Target::Closed => "closed",
        Target::Maximal | Target::Cover => "maximal",
    };
    let at_least = if mined.is_complete() { "" } else { "at least " };
    let head = format!("{at_least}{}", counted(mined.n_sets, &format!("{kind} set")));
    let mut facts = vec![
        counted(mined.n_transactions, "transaction"),
        counted(mined.n_items, "item"),
        format!("support {} or more", grouped(u64::from(mined.min_support))),
        mining.algorithm.clone(),
        format!("{:.1} s", mined.read_seconds + mined.seconds),
    ];
    if mining.preparation == Preparation::Raw {
        facts.insert(4, "without reduction".to_owned());
    }
    if mining.target == Target::Cover {
        facts.insert(3, "a cover of all pairs".to_owned());
    }
    let mut out = format!(
        "{}\n{}\n",
        paint(style, Ink::Strong, &head),
        paint(style, Ink::Faint, &facts.join(dot))
    );
    if !mined.sizes.is_empty() {
        let head = format!("{:>14}{:>16}{:>24}", "items in a set", "sets", "support");
        let rule = if style.unicode { "─" } else { "-" }.repeat(COLUMNS);
        let (head, rule) = (paint(style, Ink::Strong, &head), paint(style, Ink::Faint, &rule));
        let _ = writeln!(out, "\n{head}\n{rule}");
        for (from, to, row) in rows(&mined.sizes) {
            let _ = writeln!(
                out,
                "{:>14}{:>16}{:>24}",
                range(from, to, style),
                grouped(row.n_sets),
                range(u64::from(row.least_support), u64::from(row.most_support), style)
            );
        }
    }
    if let SetsFor::File(path) = to {
        let path = path.display().to_string();
        let _ = writeln!(out, "\nsets in {}", escape_terminal(&path));
    }
    out
}

/// Returns rows of the summary: smallest and largest size, and the sets of all sizes between.
fn rows(sizes: &[SizeRow]) -> Vec<(u64, u64, SizeRow)> {
    let mut rows: Vec<(u64, u64, SizeRow)> = Vec::new();
    for size in sizes {
        let class = |n: u64| if n <= MOST_ALONE { n } else { n.next_power_of_two() };
        match rows.last_mut() {
            Some((from, to, row)) if class(*from) == class(size.n_items) => {
                *to = size.n_items;
                row.n_sets += size.n_sets;
                row.least_support = row.least_support.min(size.least_support);
                row.most_support = row.most_support.max(size.most_support);
            }
            _ => rows.push((size.n_items, size.n_items, *size)),
        }
    }
    rows
}

fn range(from: u64, to: u64, style: Style) -> String {
    let dash = if style.unicode { "–" } else { "-" };
    if from == to { grouped(from) } else { format!("{} {dash} {}", grouped(from), grouped(to)) }
}

/// Returns the figures of a search as JSON. The names are stable.
fn json_of(mined: &Mined, mining: &Mining, to: &SetsFor) -> Value {
    let n_sets = mined.n_sets as f64;
    let mean = |sum: u64| (mined.n_sets > 0).then(|| sum as f64 / n_sets);
    let sizes = &mined.sizes;
    let size_sum = sizes.iter().map(|row| row.n_items * row.n_sets).sum();
    let support_sum: u64 = sizes.iter().map(|row| row.sum_of_supports).sum();
    let counts: Vec<Value> = sizes
        .iter()
        .map(|row| {
            json!({
                "n_items": row.n_items,
                "n_sets": row.n_sets,
                "least_support": row.least_support,
                "most_support": row.most_support,
            })
        })
        .collect();
    let parts: Vec<Value> = mined
        .cut_parts
        .iter()
        .map(|part| {
            json!({
                "first_item": part.first_item,
                "n_items": part.n_items,
                "n_sets": part.n_sets,
                "cut": part.cut.name(),
            })
        })
        .collect();
    json!({
        "algorithm": mining.algorithm,
        "target": mining.target.name(),
        "raw": mining.preparation == Preparation::Raw,
        "min_support": mined.min_support,
        "min_size": mining.min_size,
        "n_transactions": mined.n_transactions,
        "n_items": mined.n_items,
        "n_sets": mined.n_sets,
        "is_complete": mined.is_complete(),
        "sizes": {
            "least": sizes.first().map(|row| row.n_items),
            "most": sizes.last().map(|row| row.n_items),
            "mean": mean(size_sum),
            "counts": counts,
        },
        "supports": {
            "least": sizes.iter().map(|row| row.least_support).min(),
            "most": sizes.iter().map(|row| row.most_support).max(),
            "mean": mean(support_sum),
            "sum": support_sum,
        },
        "cut": mined.cut.map(Cut::name),
        "cut_parts": parts,
        "read_seconds": mined.read_seconds,
        "seconds": mined.seconds,
        "output": match to {
            SetsFor::File(path) => Some(path),
            SetsFor::Stdout | SetsFor::Count => None,
        },
    })
}

/// Prints the algorithms.
fn list(talk: Talk) -> Result<(), Failure> {
    let specs = MINERS.iter().map(|miner| miner.spec());
    if talk.is_json {
        let all: Vec<Value> = specs
            .map(|spec| {
                let targets: Vec<&str> = spec.targets.iter().map(|target| target.name()).collect();
                json!({
                    "name": spec.name,
                    "title": spec.title,
                    "source": spec.source,
                    "targets": targets,
                })
            })
            .collect();
        return terminal::print(&format!("{:#}\n", Value::Array(all)));
    }
    let mut style = terminal::style(talk.color, WIDTH);
    style.width = style.width.clamp(40, WIDEST);
    let columns = Target::ALL.map(|target| format!("{:<9}", target.name())).concat();
    let head = format!("{:<14}{columns}", "algorithm");
    let mut out = format!("{}\n", paint(style, Ink::Strong, head.trim_end()));
    for spec in specs {
        put_spec(&mut out, spec, style);
    }
    terminal::print(&out)
}

fn put_spec(out: &mut String, spec: &Spec, style: Style) {
    let mark = |target| match (spec.targets.contains(&target), style.unicode) {
        (true, true) => "✓",
        (true, false) => "x",
        (false, _) => "",
    };
    let marks = Target::ALL.map(|target| format!("{:<9}", mark(target))).concat();
    let name = format!("{:<14}", spec.name);
    let _ = writeln!(out, "{}{}", paint(style, Ink::Code, &name), marks.trim_end());
    let about = format!("{}. {}", spec.title, spec.source);
    out.push_str(&markdown::wrapped_faint(&about, style, 2));
}

#[cfg(test)]
mod tests {
    use retold_lab::CutComponent;
    use retold_mine::MinSupport;

    use super::*;

    fn size(n_items: u64, n_sets: u64, supports: (u32, u32)) -> SizeRow {
        let (least_support, most_support) = supports;
        SizeRow { n_items, n_sets, least_support, most_support, sum_of_supports: 0 }
    }

    fn mined() -> Mined {
        Mined {
            n_transactions: 1_440_820,
            n_items: 20_000,
            min_support: 85,
            n_sets: 1_214,
            sizes: vec![
                size(2, 1_204, (85, 100)),
                size(9, 8, (86, 90)),
                size(16, 1, (95, 95)),
                size(17, 1, (85, 85)),
            ],
            read_seconds: 0.4,
            seconds: 0.1,
            ..Mined::default()
        }
    }

    #[test]
    fn large_sizes_share_a_row() {
        let mining = Mining::new(MinSupport::Absolute(85));
        let text = summary(&mined(), &mining, &SetsFor::Count, Style::default());
        assert_eq!(
            text,
            "1,214 maximal sets\n\
             1,440,820 transactions · 20,000 items · support 85 or more · auto · 0.5 s\n\
             \n\
             items in a set            sets                 support\n\
             ────────────────────────────────────────────────────────\n\
             \x20            2           1,204                85 – 100\n\
             \x20       9 – 16               9                 86 – 95\n\
             \x20           17               1                      85\n"
        );
    }

    #[test]
    fn a_cut_is_told_with_its_limits_and_what_lifts_them() {
        assert_eq!(cut_text(&mined()), None);
        let part = |cut, n_items| CutComponent { first_item: 3, n_items, n_sets: 7, cut };
        let cut = Mined {
            cut: Some(Cut::Time),
            cut_parts: vec![part(Cut::Steps, 20), part(Cut::Sets, 325), part(Cut::Sets, 1)],
            ..mined()
        };
        let (told, hint) = cut_text(&cut).expect("it is cut");
        assert_eq!(
            told,
            "the search was cut, there are at least 1,214 sets: it reached the limit of time; \
             3 components with 346 items did not come to an end (2 the limit of sets, 1 the limit \
             of steps)"
        );
        assert_eq!(hint, "`--most-seconds 0 --component-sets 0 --steps 0` searches on");
        let mining = Mining::new(MinSupport::Absolute(85));
        let text = summary(&cut, &mining, &SetsFor::Count, Style::default());
        assert!(text.starts_with("at least 1,214 maximal sets\n"), "{text}");
        let json = json_of(&cut, &mining, &SetsFor::Count);
        assert_eq!((&json["is_complete"], &json["cut"]), (&json!(false), &json!("time")));
        assert_eq!(json["cut_parts"][1]["n_items"], 325);
    }
}
