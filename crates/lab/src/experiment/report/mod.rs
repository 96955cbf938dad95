//! The report of experiments: Markdown, one HTML page, charts as SVG and PNG, verdicts, results and
//! times as JSON Lines, and the manifest.

mod markdown;
mod page;
mod pairs;
mod text;
mod times;
mod verdicts;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use retold_report::Manifest;
use serde_json::json;

pub use self::text::{findings_text, verdicts_text};
use self::times::{time_of, times_table};
pub use self::verdicts::verdicts_markdown;
use super::claims::{Verdict, Verdicts};
use super::design::Extent;
use super::findings::{Findings, NamedChart};
use crate::error::Error;

/// Dots across a PNG chart: twice its size on a page, for sharp print.
const PNG_WIDTH: u32 = 1_440;

/// Returns a name that is safe as a file's.
pub(super) fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = name.chars().map(safe).collect();
    name.trim_start_matches('.').to_owned()
}

/// Writes the report into a folder.
pub(super) fn write_report(folder: &Path, all: &[Findings], extent: Extent) -> Result<(), Error> {
    let plots = folder.join("plots");
    fs::create_dir_all(&plots).map_err(Error::io("create", &plots))?;
    let write =
        |path: PathBuf, bytes: &[u8]| fs::write(&path, bytes).map_err(Error::io("write", &path));
    let (mut results, mut times) = (String::new(), String::new());
    for findings in all {
        for record in &findings.records {
            let mut cell = json!({ "experiment": findings.name });
            let of = serde_json::to_value(&record.cell).expect("a cell is plain data");
            if let (Some(cell), Some(of)) = (cell.as_object_mut(), of.as_object()) {
                cell.extend(of.clone());
            }
            let _ = writeln!(results, "{cell}");
            let time = serde_json::to_string(&record.time).expect("a time is plain data");
            let _ = writeln!(times, "{time}");
        }
        for NamedChart { id, chart, .. } in &findings.charts {
            let name = file_name(id);
            write(plots.join(format!("{name}.svg")), chart.to_svg().as_bytes())?;
            write(plots.join(format!("{name}.png")), &chart.to_png(PNG_WIDTH))?;
        }
    }
    write(folder.join("results.jsonl"), results.as_bytes())?;
    write(folder.join("times.jsonl"), times.as_bytes())?;
    let verdicts: Vec<Verdict> = all.iter().flat_map(|f| f.verdicts.iter().cloned()).collect();
    let line = |verdict: &Verdict| serde_json::to_string(verdict).expect("a verdict is plain data");
    let lines: String = verdicts.iter().map(|verdict| line(verdict) + "\n").collect();
    write(folder.join("verdicts.jsonl"), lines.as_bytes())?;
    write(folder.join("verdicts.md"), verdicts_markdown(&verdicts).as_bytes())?;
    let mut took = String::new();
    markdown::table_to(&times_table(all), &mut took);
    write(folder.join("times.md"), took.trim_start().as_bytes())?;
    write(folder.join("report.md"), markdown::report(all).as_bytes())?;
    write(folder.join("report.html"), page::report(all).as_bytes())?;
    let manifest = manifest(all, extent);
    let path = folder.join("manifest.json");
    manifest.write(folder).map_err(Error::io("write", &path))
}

fn manifest(all: &[Findings], extent: Extent) -> Manifest {
    let extent = match extent {
        Extent::Quick => "quick",
        Extent::Full => "full",
    };
    let verdicts = || all.iter().flat_map(|findings| &findings.verdicts);
    let count = |verdict: Verdicts| verdicts().filter(|v| v.verdict == verdict).count() as u64;
    let mut counts = BTreeMap::new();
    counts.insert("experiments".to_owned(), all.len() as u64);
    counts.insert("cells".to_owned(), all.iter().map(|f| f.records.len() as u64).sum());
    counts.insert("claims_reproduced".to_owned(), count(Verdicts::Reproduced));
    counts.insert("claims_not_reproduced".to_owned(), count(Verdicts::NotReproduced));
    counts.insert("claims_conditional".to_owned(), count(Verdicts::Conditional));
    counts.insert("claims_open".to_owned(), count(Verdicts::Open));
    let settings = json!({
        "extent": extent,
        "experiments": all
            .iter()
            .map(|f| json!({ "name": f.name, "setting": f.setting, "time": time_of(f) }))
            .collect::<Vec<_>>(),
    });
    Manifest {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: "experiment".to_owned(),
        settings,
        counts,
        finished: true,
        ..Manifest::default()
    }
}
