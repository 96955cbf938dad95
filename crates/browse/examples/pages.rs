//! How long the side file and the pages of a large result take.
//!
//! Makes a result of 1,000,000 pairs, 500,000 clusters and 1,200,000 documents (seed 1), builds its side
//! file, and asks for pages, facets and exports. Run it by
//!
//! ```text
//! cargo run --release -p retold-browse --example pages -- FOLDER
//! ```
//!
//! FOLDER is made if it is not there, and used again if it is. Each question is asked of a browser that
//! was just opened, so that its time includes the reading of columns, and then again of the same one.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

use std::error::Error;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use retold_browse::{Browser, ExportRequest, PageRequest, ResultTable, TableFormat, build};
use retold_core::document::Span;
use retold_core::relation::{Counted, Evidence, Kind, Passage, Score, Scores};
use retold_report::{
    ClusterRow, ClustersWriter, DocumentRow, DocumentsWriter, Manifest, PROGRAM, PairRow,
    PairsWriter, Verdict,
};

const N_PAIRS: u32 = 1_000_000;
const N_CLUSTERS: u32 = 500_000;
const N_DOCUMENTS: u32 = 1_200_000;

/// Questions about a table: filter and order.
const QUESTIONS: &[(ResultTable, &str, &str)] = &[
    (ResultTable::Pairs, "", ""),
    (ResultTable::Pairs, "", "-in"),
    (ResultTable::Pairs, "", "time"),
    (ResultTable::Pairs, "relation:near-duplicate in:>=0.9", "-words"),
    (ResultTable::Pairs, "source:source-7,source-8 time:2026-03..2026-04", "-longest"),
    (ResultTable::Pairs, "across:source -relation:partial", "resemblance"),
    (ResultTable::Pairs, "cluster:none", "-in"),
    (ResultTable::Pairs, "record-0012", "-in"),
    (ResultTable::Clusters, "", "-size"),
    (ResultTable::Clusters, "source:source-7 cohesion:>0.5", "-shared"),
    (ResultTable::Clusters, "time:2026-05 size:>2", "time"),
    (ResultTable::Documents, "", "-pairs"),
    (ResultTable::Documents, "verdict:copy language:en", "source"),
    (ResultTable::Documents, "file:input/1*", "time"),
    (ResultTable::Documents, "000123", "-words"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: pages FOLDER")?;
    let folder = PathBuf::from(folder);
    let (found, side) = (folder.join("found"), folder.join("side"));
    if !found.exists() {
        fs::create_dir_all(&found)?;
        make(&found)?;
    }
    let mut table_bytes = 0;
    for table in ["pairs", "clusters", "documents"] {
        table_bytes += fs::metadata(found.join(format!("{table}.jsonl")))?.len();
    }
    println!("tables                     {:>8.1} MB", table_bytes as f64 / 1e6);

    let start = Instant::now();
    let built = build(&found, &side, &mut |_| ControlFlow::Continue(()))?;
    println!("building the side file     {}", shown(start.elapsed()));
    println!("side file                  {:>8.1} MB", built.side_bytes as f64 / 1e6);

    let start = Instant::now();
    let browser = Browser::open(&found, &side)?;
    browser.page(ResultTable::Pairs, &PageRequest::default())?;
    println!("opening and first page     {}", shown(start.elapsed()));

    println!("\njust opened       again   matching  question");
    for &(table, filter, sort) in QUESTIONS {
        let fresh = Browser::open(&found, &side)?;
        let request = PageRequest {
            filter: filter.to_owned(),
            sort: sort.to_owned(),
            ..PageRequest::default()
        };
        let start = Instant::now();
        let page = fresh.page(table, &request)?;
        let first = start.elapsed();
        let start = Instant::now();
        fresh.page(table, &PageRequest { after: page.next, ..request })?;
        let again = start.elapsed();
        let n = page.n_matching;
        println!("{} {} {n:>10}  {table} `{filter}` by `{sort}`", shown(first), shown(again));
    }

    println!();
    for table in [ResultTable::Pairs, ResultTable::Clusters, ResultTable::Documents] {
        let start = Instant::now();
        browser.facets(table, "")?;
        println!("facets of {table:<10}       {}", shown(start.elapsed()));
    }
    let start = Instant::now();
    browser.neighbours(17, 100)?;
    println!("neighbours of a cluster    {}", shown(start.elapsed()));
    for format in TableFormat::ALL {
        let request = ExportRequest { filter: String::new(), sort: "-in".to_owned(), format };
        let start = Instant::now();
        let go_on = &mut |_| ControlFlow::Continue(());
        browser.export(ResultTable::Pairs, &request, io::sink(), go_on)?;
        println!("all pairs as {format:<10}    {}", shown(start.elapsed()));
    }
    Ok(())
}

fn shown(time: Duration) -> String {
    format!("{:>8.1} ms", time.as_secs_f64() * 1e3)
}

/// Random numbers from a seed: splitmix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % u64::from(bound)) as u32
    }

    fn score(&mut self) -> Score {
        Score::new(f64::from(self.below(1_000_001)) / 1e6).expect("between 0 and 1")
    }
}

/// Writes the result. Documents 2k and 2k + 1 are in cluster k; every tenth cluster has one more.
fn make(found: &Path) -> Result<(), Box<dyn Error>> {
    let manifest = Manifest { program: PROGRAM.to_owned(), ..Manifest::default() };
    manifest.write(found)?;
    let mut random = Random(1);
    let id = |document: u32| format!("archive/2026/record-{document:07}");
    let first_extra = 2 * N_CLUSTERS;

    let mut documents = DocumentsWriter::create(found, TableFormat::Jsonl)?;
    for document in 0..N_DOCUMENTS {
        let cluster = match document {
            _ if document < first_extra => Some(document / 2),
            _ if document < first_extra + N_CLUSTERS / 10 => Some((document - first_extra) * 10),
            _ => None,
        };
        let verdict = match cluster {
            None => Verdict::Unique,
            Some(_) if document % 2 == 0 && document < first_extra => Verdict::Representative,
            Some(_) => Verdict::Copy,
        };
        let (file, source) = (document / 500, random.below(400));
        let (month, day) = (1 + random.below(12), 1 + random.below(28));
        documents.push(&DocumentRow {
            id: &id(document),
            file: &format!("input/{file:04}.jsonl"),
            record: u64::from(document % 500),
            n_words: 50 + random.below(2000),
            verdict,
            cluster,
            clusters: &[],
            representative: None,
            exact_copy_of: None,
            n_pairs: random.below(5),
            pairs_cut: false,
            n_partial: random.below(2),
            notes: &[],
            language: Some(["en", "de", "tr"][random.below(3) as usize]),
            is_too_short: false,
            time: Some(&format!("2026-{month:02}-{day:02}T12:00:00Z")),
            source: Some(&format!("source-{source}")),
            keep_value: None,
        })?;
    }
    documents.finish()?;

    let mut clusters = ClustersWriter::create(found, TableFormat::Jsonl)?;
    for cluster in 0..N_CLUSTERS {
        let mut members = vec![id(2 * cluster), id(2 * cluster + 1)];
        members.extend((cluster % 10 == 0).then(|| id(first_extra + cluster / 10)));
        let members: Vec<&str> = members.iter().map(String::as_str).collect();
        clusters.push(&ClusterRow {
            id: cluster,
            members: &members,
            representative: members[0],
            cohesion: random.score().get(),
            n_pairs: u64::from(1 + random.below(3)),
            kind_counts: [0, 1, 0, 0, 0],
            n_derived: 0,
            n_common: None,
            shared_words: Some(random.below(500)),
            shared_text: Some("the text that all members of the cluster have in common"),
        })?;
    }
    clusters.finish()?;

    let mut pairs = PairsWriter::create(found, TableFormat::Jsonl)?;
    for pair in 0..N_PAIRS {
        // One half are pairs inside clusters, the other half are of any two documents.
        let (a, b) = match pair % 2 {
            0 => (pair, pair + 1),
            _ => (random.below(N_DOCUMENTS), random.below(N_DOCUMENTS)),
        };
        let words = 20 + random.below(900);
        let passage = |from: u32| Passage {
            a: Span::new(from, from + 40),
            b: Span::new(from + 3, from + 43),
            words: 8,
            differ: 0,
            moved: 0,
        };
        let evidence = Evidence {
            passages: (0..3).map(|place| passage(place * 60)).collect(),
            a_words: words,
            b_words: words + random.below(20),
            n_cut: 0,
            counted: Some(Counted {
                a_runs: 500,
                b_runs: 600,
                common_runs: 400,
                longest_words: random.below(words),
                shared_words: random.below(words),
                distinctive_runs: None,
            }),
        };
        let scores =
            Scores { resemblance: random.score(), a_in_b: random.score(), b_in_a: random.score() };
        let relation = Kind::ALL[1 + random.below(4) as usize];
        pairs.push(&PairRow { a: &id(a), b: &id(b), relation, scores, evidence: &evidence })?;
    }
    pairs.finish()?;
    Ok(())
}
