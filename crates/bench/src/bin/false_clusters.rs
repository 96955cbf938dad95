//! `false_clusters [--common 85,50,20] [-o DIR] FILE...`: how many documents of one cluster really
//! resemble each other, by how clusters are made.
//!
//! Each file is one collection. Documents are related if their images (`minimal-elements`, runs
//! of ten words, 100 units, profile `paper`) have at least `--common` units in common; components,
//! star and cliques are made of these relations, closed sets of the images at the same threshold.
//! Of all pairs of documents that stand in one cluster, exact copies left out, the exact
//! resemblance is computed: the share of common runs of five words. At most a million pairs of each
//! are looked at, spread evenly over all, and it says so.
//!
//! ```text
//! cargo run --release -p retold-bench --bin false_clusters -- -o bench/results reuters.jsonl.zst
//! ```
//!
//! Prints a table in Markdown and writes it with charts as SVG and PNG.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use retold::{Files, Find, Found, Grouping, Job, MinCommon, Profile, Sets};
use retold_core::features::shingles::Shingles;
use retold_core::features::{Featurizer, Words};
use retold_plot::{Axis, Chart, Series};
use retold_read::{ReadOptions, Reader, discover};

/// Pairs looked at, at most, of one way of clustering.
const MOST_PAIRS: u64 = 1_000_000;

const WAYS: [(&str, Grouping); 4] = [
    ("components", Grouping::Components),
    ("star", Grouping::Star),
    ("cliques", Grouping::Cliques),
    ("closed sets", Grouping::ClosedSets),
];

/// What came of one way on one collection at one threshold.
struct Figures {
    common: u32,
    way: &'static str,
    n_clusters: usize,
    largest: usize,
    n_pairs: u64,
    n_looked_at: u64,
    n_half: u64,
    n_four_fifths: u64,
    lowest: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut commons = vec![85, 70, 50, 30, 20, 10];
    let mut output: Option<PathBuf> = None;
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--common" => {
                let given = arguments.next().ok_or("--common needs numbers")?;
                commons = given.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            "-o" => output = Some(arguments.next().ok_or("-o needs a folder")?.into()),
            _ => files.push(PathBuf::from(argument)),
        }
    }
    let mut text = String::new();
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let name = name.split('.').next().unwrap_or_default().to_owned();
        let mut figures = Vec::new();
        for &common in &commons {
            for (way, grouping) in WAYS {
                figures.push(measure(file, way, grouping, common)?);
            }
        }
        text.push_str(&table(&name, &figures));
        if let Some(dir) = &output {
            let path = dir.join(format!("false-clusters-{name}"));
            let chart = chart(&name, &figures);
            fs::write(path.with_extension("svg"), chart.to_svg())?;
            fs::write(path.with_extension("png"), chart.to_png(900))?;
        }
    }
    if let Some(dir) = &output {
        fs::write(dir.join("false-clusters.md"), &text)?;
    }
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

fn measure(
    file: &Path,
    way: &'static str,
    grouping: Grouping,
    common: u32,
) -> Result<Figures, Box<dyn Error>> {
    let job = Job::of("minimal-elements", Profile::Paper)?
        .with_parameter("common", common)
        .with_clusters(grouping)
        .with_min_common(MinCommon::Units(common))
        .with_sets(Sets::Cover);
    let seed = job.seed();
    let mut found = Found::new();
    Find::new(Files::new([file])).job(job).run(&mut found)?;
    let ids = |positions: &[usize]| positions.iter().map(|&at| found.id(at).to_owned()).collect();
    let clusters: Vec<Vec<String>> =
        found.clusters().iter().map(|cluster| ids(cluster.documents())).collect();
    let wanted: BTreeSet<&str> = clusters.iter().flatten().map(String::as_str).collect();
    let runs = runs_of(file, &wanted, seed)?;

    let mut pairs: BTreeSet<(u32, u32)> = BTreeSet::new();
    let number: HashMap<&str, u32> = wanted.iter().zip(0..).map(|(&id, at)| (id, at)).collect();
    let mut by_number = vec![&[][..]; wanted.len()];
    for (at, id) in wanted.iter().enumerate() {
        by_number[at] = runs.get(*id).map_or(&[][..], Vec::as_slice);
    }
    for cluster in &clusters {
        let cluster: Vec<u32> = cluster.iter().map(|id| number[id.as_str()]).collect();
        for (at, &a) in cluster.iter().enumerate() {
            for &b in &cluster[at + 1..] {
                if by_number[a as usize] != by_number[b as usize] {
                    pairs.insert((a.min(b), a.max(b)));
                }
            }
        }
        if pairs.len() as u64 > 50 * MOST_PAIRS {
            return Err("more pairs than this program can hold".into());
        }
    }
    let step = (pairs.len() as u64).div_ceil(MOST_PAIRS).max(1) as usize;
    let mut figures = Figures {
        common,
        way,
        n_clusters: clusters.len(),
        largest: clusters.iter().map(Vec::len).max().unwrap_or(0),
        n_pairs: pairs.len() as u64,
        n_looked_at: 0,
        n_half: 0,
        n_four_fifths: 0,
        lowest: 1.0,
    };
    for &(a, b) in pairs.iter().step_by(step) {
        let resemblance = jaccard(by_number[a as usize], by_number[b as usize]);
        figures.n_looked_at += 1;
        figures.n_half += u64::from(resemblance >= 0.5);
        figures.n_four_fifths += u64::from(resemblance >= 0.8);
        figures.lowest = figures.lowest.min(resemblance);
    }
    Ok(figures)
}

/// Returns the distinct runs of five words of some documents, ascending.
fn runs_of(
    file: &Path,
    wanted: &BTreeSet<&str>,
    seed: u64,
) -> Result<BTreeMap<String, Vec<u64>>, Box<dyn Error>> {
    let featurizer = Featurizer::new(retold_core::features::TextSettings::default(), seed);
    let shingles = Shingles::new(5);
    let mut words = Words::default();
    let mut found = BTreeMap::new();
    let mut reader = Reader::new(discover(&[file.to_owned()])?.files, ReadOptions::default());
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |record| {
            if let Ok(record) = record
                && wanted.contains(record.document.id.as_str())
            {
                featurizer.words(&record.document, &mut words);
                let mut runs = shingles.of(&words.hashes);
                runs.sort_unstable();
                runs.dedup();
                found.insert(record.document.id.clone(), runs);
            }
        });
    }
    Ok(found)
}

fn jaccard(a: &[u64], b: &[u64]) -> f64 {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                i += 1;
                j += 1;
            }
        }
    }
    common as f64 / (a.len() + b.len() - common).max(1) as f64
}

fn share(n: u64, of: u64) -> f64 {
    if of == 0 { 1.0 } else { n as f64 / of as f64 }
}

fn table(name: &str, figures: &[Figures]) -> String {
    use std::fmt::Write as _;
    let mut text = format!(
        "**{name}**\n\n| units in common | clusters as | clusters | largest | pairs inside | \
         looked at | resemble by 0.5 | by 0.8 | lowest |\n|---|---|---|---|---|---|---|---|---|\n"
    );
    for row in figures {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {:.4} | {:.4} | {:.3} |",
            row.common,
            row.way,
            row.n_clusters,
            row.largest,
            row.n_pairs,
            row.n_looked_at,
            share(row.n_half, row.n_looked_at),
            share(row.n_four_fifths, row.n_looked_at),
            row.lowest,
        );
    }
    text.push('\n');
    text
}

fn chart(name: &str, figures: &[Figures]) -> Chart {
    let axis = |label: &str, range| Axis { label: label.to_owned(), range, ..Axis::default() };
    let mut chart =
        Chart::lines(&format!("Pairs of one cluster that resemble each other by 0.5: {name}"))
            .note("exact share of common runs of five words; exact copies left out")
            .x_axis(axis("units in common, of 100", Some((0.0, 100.0))))
            .y_axis(axis("share of pairs", Some((0.0, 1.0))));
    for (way, _) in WAYS {
        let of_way = figures.iter().filter(|row| row.way == way);
        let points = of_way.map(|row| (f64::from(row.common), share(row.n_half, row.n_looked_at)));
        chart = chart.with(Series::new(way, points));
    }
    chart
}
