//! How parameters were found for a wanted recall, told in text.

use std::fmt::Write as _;

use retold::TuningReport;

/// Returns what was chosen, by what, and the curve.
pub(super) fn text(report: &TuningReport) -> String {
    let mut text = String::new();
    let Some(taken) = report.tried.last() else { return text };
    let settings: Vec<String> =
        taken.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let _ = writeln!(text, "{} with {}", report.method, settings.join(", "));
    if let Some(promised) = taken.promised {
        let _ = writeln!(
            text,
            "  theory promises {} of the pairs that are just as similar as wanted",
            percent(promised)
        );
    }
    let sample = &report.sample;
    let of = match sample.n_made {
        0 => format!("a sample of {} documents", sample.n_documents),
        n => format!("a sample of {} documents and {n} copies made of them", sample.n_documents),
    };
    match (taken.recall, taken.bounds) {
        (Some(recall), Some((low, high))) => {
            let _ = writeln!(
                text,
                "  found {} ({} to {}) of the {} similar pairs in {of}",
                percent(recall),
                percent(low),
                percent(high),
                sample.n_pairs
            );
        }
        _ => {
            let _ = writeln!(text, "  there is no similar pair in {of}: not measured");
        }
    }
    if !report.is_reached {
        let _ = writeln!(text, "  THE WANTED RECALL WAS NOT REACHED; no setting finds more");
    }
    let _ = writeln!(text, "  similarity  promised  found");
    for point in &report.curve {
        let promised = point.promised.map_or_else(|| "-".to_owned(), percent);
        let _ = writeln!(
            text,
            "  from {:.2}   {promised:>8}  {} of {}",
            point.similarity, point.n_found, point.n_pairs
        );
    }
    text.push('\n');
    text
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
