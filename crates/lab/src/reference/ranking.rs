//! Relevance judgements and ranked answers, in the forms of TREC.

use std::io::BufRead;

use super::cells::{Cells, Delimiter};
use super::error::ListError;
use super::lines::Lines;

/// A person's judgement of a document as an answer to a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement<'a> {
    /// The question.
    pub question: &'a str,
    /// The document.
    pub document: &'a str,
    /// How well it answers; above 0 it is relevant.
    pub grade: f64,
}

/// A document among the answers to a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked<'a> {
    /// The question.
    pub question: &'a str,
    /// The document.
    pub document: &'a str,
    /// Its score; higher is better.
    pub score: f64,
}

/// Reads judgements, `question 0 document grade` or `question document grade`, and hands each to
/// `each`.
pub fn read_judgements<E: From<ListError>>(
    input: impl BufRead,
    mut each: impl FnMut(Judgement<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut lines = Lines::new(input);
    while let Some(line) = lines.next_line()? {
        let delimiter = spaced(line);
        let (mut cells, mut row) = (Cells::new(delimiter), Vec::with_capacity(4));
        cells.of(line, |_, cell| row.push(cell));
        let read = match row[..] {
            [question, _, document, grade] | [question, document, grade] => {
                grade.parse().ok().map(|grade| Judgement { question, document, grade })
            }
            _ => None,
        };
        let Some(judgement) = read else {
            let reason = "a judgement is a question, 0, a document and a grade";
            return Err(ListError::line(lines.number(), reason).into());
        };
        each(judgement)?;
    }
    Ok(())
}

/// Reads answers, `question Q0 document rank score name` or `question document score`, and hands
/// each to `each`.
pub fn read_ranking<E: From<ListError>>(
    input: impl BufRead,
    mut each: impl FnMut(Ranked<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut lines = Lines::new(input);
    while let Some(line) = lines.next_line()? {
        let (mut cells, mut row) = (Cells::new(spaced(line)), Vec::with_capacity(6));
        cells.of(line, |_, cell| row.push(cell));
        let read = match row[..] {
            [question, _, document, _, score, ..] | [question, document, score] => {
                let score = score.parse().ok().filter(|score: &f64| !score.is_nan());
                score.map(|score| Ranked { question, document, score })
            }
            _ => None,
        };
        let Some(ranked) = read else {
            let reason = "an answer is a question, Q0, a document, a rank, a score and a name";
            return Err(ListError::line(lines.number(), reason).into());
        };
        each(ranked)?;
    }
    Ok(())
}

/// These lists are not separated by commas, which names may hold.
fn spaced(line: &str) -> Delimiter {
    if line.contains('\t') { Delimiter::Tab } else { Delimiter::Space }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_trec_are_read() {
        let mut seen = Vec::new();
        let text = "301 0 A,1 1\n301\t0\tB 2\t0\n302 C 2\n";
        read_judgements(text.as_bytes(), |judgement| {
            seen.push(format!("{} {} {}", judgement.question, judgement.document, judgement.grade));
            Ok::<(), ListError>(())
        })
        .expect("three judgements");
        assert_eq!(seen, ["301 A,1 1", "301 B 2 0", "302 C 2"]);
        let mut seen = Vec::new();
        read_ranking("301 Q0 A 1 9.5 run\n301 B 3\n".as_bytes(), |ranked| {
            seen.push(format!("{} {}", ranked.document, ranked.score));
            Ok::<(), ListError>(())
        })
        .expect("two answers");
        assert_eq!(seen, ["A 9.5", "B 3"]);
    }

    #[test]
    fn what_has_no_grade_is_named() {
        let read = read_judgements("301 0 A\n".as_bytes(), |_| Ok::<(), ListError>(()));
        let error = read.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.starts_with("line 1: a judgement is"), "{error}");
        assert!(read_ranking("301 A nan\n".as_bytes(), |_| Ok::<(), ListError>(())).is_err());
    }
}
