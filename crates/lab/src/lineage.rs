//! A lineage as a file: JSON, a picture, or text for Graphviz.

use std::path::Path;

use retold::{Changes, Lineage, LineageDocument, LineageStep};
use retold_plot::{VersionNode, VersionTree};
use retold_report::counted;
use serde::Deserialize;

/// How a lineage is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineageFormat {
    /// Everything that is known of it.
    #[default]
    Json,
    /// The language of Graphviz.
    Dot,
    /// A picture.
    Svg,
    /// A picture made of dots.
    Png,
}

impl LineageFormat {
    /// Returns the format that the ending of a file asks for.
    pub fn of_ending(path: &Path) -> Option<Self> {
        match path.extension()?.to_ascii_lowercase().to_str()? {
            "json" => Some(Self::Json),
            "dot" | "gv" => Some(Self::Dot),
            "svg" => Some(Self::Svg),
            "png" => Some(Self::Png),
            _ => None,
        }
    }
}

/// Returns a lineage as the bytes of a file.
pub fn lineage_file(lineage: &Lineage, title: &str, format: LineageFormat) -> Vec<u8> {
    match format {
        LineageFormat::Json => {
            let mut json = serde_json::to_vec_pretty(lineage).expect("a lineage is plain data");
            json.push(b'\n');
            json
        }
        LineageFormat::Dot => lineage_diagram(lineage, title).to_dot().into_bytes(),
        LineageFormat::Svg => lineage_diagram(lineage, title).to_svg().into_bytes(),
        LineageFormat::Png => lineage_diagram(lineage, title).to_png(1_720),
    }
}

/// Returns what is drawn of a lineage.
pub fn lineage_diagram(lineage: &Lineage, title: &str) -> VersionTree {
    let n_timed = lineage.documents.iter().filter(|document| document.time.is_some()).count();
    let mut note = format!(
        "{}, {} with a time; the first is {} % sure",
        counted(lineage.documents.len() as u64, "document"),
        n_timed,
        percent(lineage.root_confidence)
    );
    if lineage.n_left_out > 0 {
        note.push_str(&format!("; {} left out", lineage.n_left_out));
    }
    // Every document but the first has a step, in the same order.
    let steps = std::iter::once(None).chain(lineage.steps.iter().map(Some));
    let node = |(document, step): (&LineageDocument, Option<&LineageStep>)| {
        let time = document.time.iter().map(String::as_str);
        let source = document.source.iter().map(String::as_str);
        let n_words = counted(document.n_words as u64, "word");
        let details: Vec<&str> = time.chain(source).chain([n_words.as_str()]).collect();
        let mut node = VersionNode {
            parent: document.parent,
            name: document.title.clone().unwrap_or_else(|| document.id.clone()),
            details: details.join(" · "),
            confidence: 1.0,
            ..VersionNode::default()
        };
        if document.title.is_some() {
            node.details = format!("{} · {}", document.id, node.details);
        }
        if let Some(step) = step {
            node.step = told(step);
            (node.added, node.dropped) = texts(&step.changes);
            node.confidence = step.confidence;
        }
        node
    };
    let documents = lineage.documents.iter().zip(steps).map(node).collect();
    VersionTree { title: title.to_owned(), note, documents }
}

/// Says what a step came to.
fn told(step: &LineageStep) -> String {
    let Changes { n_added, n_dropped, .. } = step.changes;
    let changed = match (n_added, n_dropped) {
        (0, 0) => "same words".to_owned(),
        (added, 0) => format!("{} added", counted(added as u64, "word")),
        (0, dropped) => format!("{} dropped", counted(dropped as u64, "word")),
        (added, dropped) => format!("{} added, {dropped} dropped", counted(added as u64, "word")),
    };
    let sure = match (step.is_tie, &step.rival) {
        (true, Some(rival)) => format!("a tie with {rival}"),
        (true, None) => "a tie: it may be the other way round".to_owned(),
        (false, _) => format!("{} % sure", percent(step.confidence)),
    };
    format!("{changed} · {sure}")
}

fn percent(share: f64) -> u64 {
    // What is not certain is not called so.
    let percent = (share * 100.0).round();
    #[expect(clippy::cast_sign_loss, reason = "a share is not below 0")]
    let percent = percent as u64;
    if share < 1.0 { percent.min(99) } else { percent }
}

/// Returns the longest stretches that were added and dropped, as one line each.
fn texts(changes: &Changes) -> (String, String) {
    let line = |list: &[retold::Change]| {
        let mut longest: Vec<&retold::Change> = list.iter().collect();
        longest.sort_by_key(|change| (std::cmp::Reverse(change.n_words), change.span));
        longest.truncate(3);
        longest.sort_by_key(|change| change.span);
        let texts: Vec<String> = longest
            .iter()
            .map(|change| change.text.split_whitespace().take(40).collect::<Vec<_>>().join(" "))
            .collect();
        texts.join(" … ")
    };
    (line(&changes.added), line(&changes.dropped))
}

#[cfg(test)]
mod tests {
    use retold::{Document, Job, Resources};

    use super::*;

    #[test]
    fn a_lineage_is_written_in_every_format() {
        let text = "The ferry leaves at nine from the old pier every day of the week.";
        let documents = [
            Document::plain("a", text),
            Document::plain("b", format!("{text} It costs four crowns <return>.")),
            Document::plain("c", text),
        ];
        let lineage =
            Lineage::of(&documents, &Job::default(), &Resources::new()).expect("a lineage");
        let written = |format| lineage_file(&lineage, "Cluster 1", format);
        let text = |format| String::from_utf8(written(format)).expect("text");
        assert!(text(LineageFormat::Json).contains("\"text\": \"It costs four crowns <return\""));
        let svg = text(LineageFormat::Svg);
        assert!(svg.contains("+ It costs four crowns &lt;return"), "{svg}");
        assert!(svg.contains("a tie"), "{svg}");
        assert!(text(LineageFormat::Dot).starts_with("digraph "));
        assert!(written(LineageFormat::Png).starts_with(b"\x89PNG"));
        assert_eq!(LineageFormat::of_ending(Path::new("x.GV")), Some(LineageFormat::Dot));
        assert_eq!(LineageFormat::of_ending(Path::new("x.txt")), None);
    }
}
