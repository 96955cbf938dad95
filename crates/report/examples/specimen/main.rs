//! Writes specimen pages into a folder, to look at them in a browser, and prints what a terminal
//! shows.
//!
//! ```text
//! cargo run -p retold-report --example specimen -- /tmp/specimen
//! ```

mod data;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use retold_report::{Page, Style, compare_html, compare_text, summary_text, write_page};

fn main() -> io::Result<()> {
    let dir = PathBuf::from(std::env::args_os().nth(1).unwrap_or_else(|| "specimen".into()));
    fs::create_dir_all(&dir)?;
    let manifest = data::manifest();
    let page = data::page(&manifest);
    let empty = Page {
        summary: data::empty_summary(),
        manifest: &manifest,
        clusters: Vec::new(),
        partials: Vec::new(),
    };
    for (name, page) in [("report.html", &page), ("empty.html", &empty)] {
        let mut out = BufWriter::new(File::create(dir.join(name))?);
        write_page(page, &mut out)?;
        out.flush()?;
    }
    let mut out = BufWriter::new(File::create(dir.join("compare.html"))?);
    compare_html(&page.clusters[0].pairs[0], &mut out)?;
    out.flush()?;

    let style = Style { colour: std::env::var_os("NO_COLOR").is_none(), ..Style::default() };
    let mut out = io::stdout().lock();
    writeln!(out, "{}", summary_text(&page.summary, style))?;
    writeln!(out, "{}", summary_text(&empty.summary, style))?;
    writeln!(out, "{}", compare_text(&page.clusters[0].pairs[0], style))?;
    write!(out, "{}", compare_text(&page.partials[0], style))
}
