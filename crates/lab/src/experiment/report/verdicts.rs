//! Verdicts as Markdown: a table for every paper, then a line for every claim with its numbers.

use std::fmt::Write as _;

use super::markdown::cell;
use crate::experiment::Verdict;

/// What stands over the claims that no paper makes.
const OWN: &str = "Claims of our own";

/// Writes verdicts as pages quote them: by paper, each claim with its place, the paper's number and
/// the verdict; below, the data, our numbers and what the verdict hangs on.
///
/// ```
/// use retold_lab::experiment::verdicts_markdown;
/// assert_eq!(verdicts_markdown(&[]), "No verdicts are recorded.\n");
/// ```
pub fn verdicts_markdown(verdicts: &[Verdict]) -> String {
    if verdicts.is_empty() {
        return "No verdicts are recorded.\n".to_owned();
    }
    let mut papers: Vec<&str> = Vec::new();
    for verdict in verdicts {
        if !verdict.paper.is_empty() && !papers.contains(&verdict.paper.as_str()) {
            papers.push(&verdict.paper);
        }
    }
    papers.push("");
    let mut out = String::new();
    let mut number = 0;
    for paper in papers {
        let of: Vec<&Verdict> = verdicts.iter().filter(|one| one.paper == paper).collect();
        if of.is_empty() {
            continue;
        }
        let gap = if out.is_empty() { "" } else { "\n" };
        let _ = write!(
            out,
            "{gap}### {}\n\n| | claim | where | the paper's number | verdict |\n|--:|---|---|---|---|\n",
            if paper.is_empty() { OWN } else { paper }
        );
        for (verdict, number) in of.iter().zip(number + 1..) {
            let [claim, place, printed, told] =
                [&verdict.claim, &verdict.place, &verdict.printed, &verdict.told()]
                    .map(|t| cell(t));
            let _ = writeln!(out, "| {number} | {claim} | {place} | {printed} | {told} |");
        }
        out.push('\n');
        for (verdict, number) in of.iter().zip(number + 1..) {
            line(verdict, number, &mut out);
        }
        number += of.len();
    }
    out
}

/// Writes data, numbers and what the verdict hangs on, as an item of a list.
fn line(verdict: &Verdict, number: usize, out: &mut String) {
    let _ = write!(
        out,
        "* {number} (`{}`; {}): {}.",
        verdict.design,
        plain(&verdict.data),
        plain(&verdict.ours.join("; "))
    );
    if !verdict.hangs_on.is_empty() {
        let _ = write!(out, " Hangs on {}.", plain(&verdict.hangs_on));
    }
    out.push('\n');
}

/// Makes text one line.
fn plain(text: &str) -> String {
    text.replace('\n', " ").trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Verdicts;

    #[test]
    fn papers_come_in_order_and_our_own_claims_last() {
        let of = |paper: &str, claim: &str| Verdict {
            design: "d".to_owned(),
            claim: claim.to_owned(),
            paper: paper.to_owned(),
            place: String::new(),
            data: "news".to_owned(),
            ours: vec!["0.5 | 0.4".to_owned()],
            printed: String::new(),
            verdict: Verdicts::Conditional,
            condition: "on news".to_owned(),
            hangs_on: "names.".to_owned(),
        };
        let text = verdicts_markdown(&[of("", "ours"), of("B", "b"), of("A", "a"), of("B", "c")]);
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
        assert!(at("### B") < at("### A") && at("### A") < at(OWN));
        assert!(at("| 2 | c |") < at("| 3 | a |") && at("| 3 | a |") < at("| 4 | ours |"));
        at("holds under a condition: on news |");
        at("* 4 (`d`; news): 0.5 | 0.4. Hangs on names.\n");
    }
}
