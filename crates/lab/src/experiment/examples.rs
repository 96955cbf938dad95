//! Examples: pairs that two methods judge differently, side by side with their common part marked.

use retold::Document;
use serde::{Deserialize, Serialize};

/// Words of a text that are shown.
const MOST_WORDS: usize = 300;

/// Common words in a row that are marked; fewer may stand in any two texts.
const LEAST_RUN: usize = 3;

/// Why a pair is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExampleKind {
    /// The texts are near each other, and only one method found them.
    Found,
    /// The texts are not near each other, and one method found them.
    FalseAlarm,
}

/// A pair that one of two methods found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// Why it is shown.
    pub kind: ExampleKind,
    /// The method that found it.
    pub found_by: String,
    /// The method that did not.
    pub missed_by: String,
    /// Resemblance by runs of words.
    pub resemblance: f64,
    /// The two documents.
    pub sides: [ExampleSide; 2],
}

/// A document of an example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExampleSide {
    /// Its id.
    pub id: String,
    /// The beginning of its text, cut where the common part begins and ends.
    pub pieces: Vec<Piece>,
    /// Whether the text goes on.
    pub is_cut: bool,
}

/// A stretch of words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The words as they are written, joined by spaces.
    pub text: String,
    /// Whether the other document has them too, in the same order.
    pub is_common: bool,
}

/// What one of two methods found.
pub(super) struct FoundBy<'a> {
    pub(super) label: &'a str,
    /// Pairs of documents by their places.
    pub(super) pairs: &'a [(u32, u32)],
}

/// Chooses pairs that only one of two methods found: for each method up to `most` that are as near
/// as `least`, nearest first, and up to `most` that are not, farthest first.
pub(super) fn examples(
    documents: &[Document],
    [first, second]: [FoundBy<'_>; 2],
    resemblance: &dyn Fn(u32, u32) -> f64,
    least: f64,
    most: usize,
) -> Vec<Example> {
    let mut out = Vec::new();
    for (found, missed) in [(&first, &second), (&second, &first)] {
        let is_new = |pair: &&(u32, u32)| {
            !missed.pairs.contains(pair) && !missed.pairs.contains(&(pair.1, pair.0))
        };
        let mut only: Vec<(f64, (u32, u32))> =
            found.pairs.iter().filter(is_new).map(|&(a, b)| (resemblance(a, b), (a, b))).collect();
        only.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        let n_near = only.partition_point(|(near, _)| *near >= least);
        let (near, far) = only.split_at(n_near);
        let near = near.iter().map(|one| (ExampleKind::Found, one)).take(most);
        let far = far.iter().rev().map(|one| (ExampleKind::FalseAlarm, one)).take(most);
        out.extend(near.chain(far).filter_map(|(kind, &(resemblance, (a, b)))| {
            let [a, b] = [a, b].map(|place| documents.get(place as usize));
            Some(Example {
                kind,
                found_by: found.label.to_owned(),
                missed_by: missed.label.to_owned(),
                resemblance,
                sides: sides(a?, b?),
            })
        }));
    }
    out
}

/// Cuts two texts into pieces that are common and pieces that are not.
fn sides(a: &Document, b: &Document) -> [ExampleSide; 2] {
    let words = [a, b].map(|document| document.text.split_whitespace().collect::<Vec<_>>());
    let [x, y] = [&words[0], &words[1]].map(|words| &words[..words.len().min(MOST_WORDS)]);
    let [in_x, in_y] = common(x, y);
    let side = |document: &Document, words: &[&str], common: &[bool], n_all: usize| ExampleSide {
        id: document.id.clone(),
        pieces: pieces(words, common),
        is_cut: words.len() < n_all,
    };
    [side(a, x, &in_x, words[0].len()), side(b, y, &in_y, words[1].len())]
}

/// Marks the words of a longest common subsequence that stand in runs of [`LEAST_RUN`] in both.
fn common(x: &[&str], y: &[&str]) -> [Vec<bool>; 2] {
    let fold = |word: &&str| -> String {
        word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let folded = [x, y].map(|words| words.iter().map(fold).collect::<Vec<String>>());
    let (x, y) = (&folded[0], &folded[1]);
    // longest[i][j] is the length of the longest common subsequence of x[i..] and y[j..].
    let mut longest = vec![vec![0_u32; y.len() + 1]; x.len() + 1];
    for i in (0..x.len()).rev() {
        for j in (0..y.len()).rev() {
            longest[i][j] = if x[i] == y[j] {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let mut marked = [vec![false; x.len()], vec![false; y.len()]];
    let (mut i, mut j) = (0, 0);
    while i < x.len() && j < y.len() {
        if x[i] != y[j] {
            if longest[i + 1][j] >= longest[i][j + 1] {
                i += 1;
            } else {
                j += 1;
            }
            continue;
        }
        let run = x[i..].iter().zip(&y[j..]).take_while(|(a, b)| a == b).count();
        if run >= LEAST_RUN {
            marked[0][i..i + run].fill(true);
            marked[1][j..j + run].fill(true);
        }
        (i, j) = (i + run, j + run);
    }
    marked
}

/// Joins neighbouring words that are marked alike.
fn pieces(words: &[&str], marked: &[bool]) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for (word, &is_common) in words.iter().zip(marked) {
        match out.last_mut() {
            Some(last) if last.is_common == is_common => {
                last.text.push(' ');
                last.text.push_str(word);
            }
            _ => out.push(Piece { text: (*word).to_owned(), is_common }),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(side: &ExampleSide) -> String {
        let piece = |piece: &Piece| {
            if piece.is_common { format!("_{}_", piece.text) } else { piece.text.clone() }
        };
        side.pieces.iter().map(piece).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_common_part_is_marked_and_chance_words_are_not() {
        let a = Document::plain("a", "One more line. The mayor opened the bridge, and 12 came.");
        let b = Document::plain("b", "The mayor opened the bridge and 15 came.");
        let [a, b] = sides(&a, &b);
        assert_eq!(told(&a), "One more line. _The mayor opened the bridge, and_ 12 came.");
        assert_eq!(told(&b), "_The mayor opened the bridge and_ 15 came.");
        assert!(!a.is_cut);
    }

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        let text = "word ".repeat(MOST_WORDS + 1);
        let [a, b] = sides(&Document::plain("a", &text), &Document::plain("b", "word"));
        assert!(a.is_cut && !b.is_cut);
    }

    #[test]
    fn only_what_one_of_both_found_is_shown() {
        let documents: Vec<Document> =
            (0..6).map(|n| Document::plain(n.to_string(), "some text")).collect();
        let near = |a: u32, _: u32| if a == 0 { 0.9 } else { 0.1 };
        let first = FoundBy { label: "A", pairs: &[(0, 1), (2, 3), (4, 5)] };
        let second = FoundBy { label: "B", pairs: &[(3, 2)] };
        let shown = examples(&documents, [first, second], &near, 0.5, 3);
        let told: Vec<(&str, ExampleKind, &str)> = shown
            .iter()
            .map(|one| (one.found_by.as_str(), one.kind, one.sides[0].id.as_str()))
            .collect();
        assert_eq!(told, [("A", ExampleKind::Found, "0"), ("A", ExampleKind::FalseAlarm, "4")]);
    }
}
