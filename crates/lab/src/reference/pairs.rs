//! Lists of pairs.

use std::borrow::Cow;
use std::io::BufRead;

use retold_core::relation::Kind;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::cells::{Cells, Delimiter};
use super::error::ListError;
use super::lines::Lines;
use crate::measures::Direction;
use crate::measures::passages::Part;

/// Whether passages of pairs are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// They are read.
    Read,
    /// They are passed over, which is much faster.
    Skipped,
}

/// Which score of a pair counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreOf {
    /// How much of one document stands in the other: the greater share, or in ordered pairs the
    /// share of the first.
    #[default]
    Containment,
    /// Shared runs over all runs of both.
    Resemblance,
}

/// One line of a list of pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairLine<'a> {
    /// The one document.
    pub a: Cow<'a, str>,
    /// The other document.
    pub b: Cow<'a, str>,
    /// The label of the pair in the list, if it has one.
    pub label: Option<Cow<'a, str>>,
    /// The relation that the label names, seen from `a`.
    pub relation: Option<Kind>,
    /// A number that the list gives it.
    pub score: Option<f64>,
    /// Shared runs over all runs.
    pub resemblance: Option<f64>,
    /// Share of `a` in `b`.
    pub a_in_b: Option<f64>,
    /// Share of `b` in `a`.
    pub b_in_a: Option<f64>,
    /// Passages of `a` and of `b`, if wanted.
    pub evidence: Vec<(Part, Part)>,
}

impl PairLine<'_> {
    /// Returns the pairs that the line stands for, with the score of each.
    ///
    /// Where order matters, a pair says that the first stands in the second: two near-duplicates
    /// stand in each other, a `contains` is turned round, a partial copy is no pair at all, and
    /// a line without relation is taken as it stands.
    pub fn pairs(&self, direction: Direction, of: ScoreOf) -> [Option<(&str, &str, f64)>; 2] {
        let score = |shares: f64| {
            let named = match of {
                ScoreOf::Containment => Some(shares).filter(|share| !share.is_nan()),
                ScoreOf::Resemblance => self.resemblance,
            };
            named.or(self.score).or(self.resemblance).unwrap_or(f64::NAN)
        };
        let share = |share: Option<f64>| share.unwrap_or(f64::NAN);
        let (a_in_b, b_in_a) = (share(self.a_in_b), share(self.b_in_a));
        let (a, b) = (self.a.as_ref(), self.b.as_ref());
        if direction == Direction::Unordered {
            return [Some((a, b, score(a_in_b.max(b_in_a)))), None];
        }
        let (forth, back) = ((a, b, score(a_in_b)), (b, a, score(b_in_a)));
        match self.relation {
            Some(Kind::Exact | Kind::NearDuplicate) => [Some(forth), Some(back)],
            Some(Kind::Contains) => [Some(back), None],
            Some(Kind::Contained) | None => [Some(forth), None],
            Some(Kind::Partial) => [None, None],
        }
    }

    fn set_label(&mut self, label: Cow<'_, str>) {
        self.relation = Kind::ALL.into_iter().find(|kind| kind.name() == label);
        self.label = Some(Cow::Owned(label.into_owned()));
    }
}

/// Returns whether a label usually means that a pair is not related.
pub fn is_negative(label: &str) -> bool {
    const WORDS: [&str; 16] = [
        "0",
        "n",
        "no",
        "non",
        "none",
        "not",
        "false",
        "negative",
        "unique",
        "different",
        "unrelated",
        "distinct",
        "non-duplicate",
        "non_duplicate",
        "not-duplicate",
        "no-plagiarism",
    ];
    WORDS.iter().any(|word| label.eq_ignore_ascii_case(word))
}

/// Reads pairs and hands each to `each`.
///
/// Lines are two names and anything behind them, between tabs, commas or white space; a third cell
/// is a score if it is a number, else a label. A first line with names of columns (`a b`,
/// `id_a id_b`, `relation`, `label`, `score`, `resemblance`, `a_in_b`, `b_in_a`) says where they
/// stand. Or each line is JSON with those names, as `retold find` writes them.
pub fn read_pairs<E: From<ListError>>(
    input: impl BufRead,
    evidence: Evidence,
    mut each: impl FnMut(&PairLine<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut lines = Lines::new(input);
    let mut table: Option<Table> = None;
    let mut n_lines = 0u64;
    while let Some(line) = lines.next_line()? {
        n_lines += 1;
        if line.trim_start().starts_with('{') {
            let read = match evidence {
                Evidence::Read => json::<Vec<JsonPassage>>(line),
                Evidence::Skipped => json::<IgnoredAny>(line),
            };
            match read {
                Ok(line) => each(&line)?,
                Err(reason) => return Err(ListError::line(lines.number(), reason).into()),
            }
            continue;
        }
        if n_lines == 1
            && let Some(named) = Table::of_head(line)
        {
            table = Some(named);
            continue;
        }
        let table = table.get_or_insert_with(|| Table::plain(line));
        match table.read(line) {
            Ok(line) => each(&line)?,
            Err(reason) => return Err(ListError::line(lines.number(), reason).into()),
        }
    }
    Ok(())
}

/// Returns whether the cells of a first line are names of columns.
pub(super) fn is_head(cells: &[String]) -> bool {
    Columns::of_head(cells).is_some()
}

/// Where things stand in a line of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Columns {
    a: usize,
    b: usize,
    label: Option<usize>,
    score: Option<usize>,
    resemblance: Option<usize>,
    a_in_b: Option<usize>,
    b_in_a: Option<usize>,
}

impl Columns {
    fn of_head(cells: &[String]) -> Option<Self> {
        const A: &[&str] =
            &["id_a", "id1", "id_1", "doc1", "doc_a", "a_id", "left", "susp_id", "query", "a"];
        const B: &[&str] =
            &["id_b", "id2", "id_2", "doc2", "doc_b", "b_id", "right", "src_id", "document", "b"];
        let find = |names: &[&str]| cells.iter().position(|cell| names.contains(&cell.as_str()));
        let columns = Self {
            a: find(A)?,
            b: find(B)?,
            label: find(&["relation", "label", "kind", "class"]),
            score: find(&["score", "similarity"]),
            resemblance: find(&["resemblance"]),
            a_in_b: find(&["a_in_b"]),
            b_in_a: find(&["b_in_a"]),
        };
        // Documents may be called a and b; then nothing else in the line is a name of ours.
        let is_sure = cells[columns.a].len() > 1
            || columns.label.is_some()
            || columns.score.is_some()
            || columns.resemblance.is_some();
        is_sure.then_some(columns)
    }
}

/// A table of pairs.
struct Table {
    cells: Cells,
    columns: Columns,
    /// Whether the third cell may be a label or a score.
    is_plain: bool,
}

impl Table {
    fn of_head(line: &str) -> Option<Self> {
        let delimiter = Delimiter::of(line);
        let mut names = Vec::new();
        Cells::new(delimiter).of(line, |_, cell| names.push(cell.to_lowercase()));
        let columns = Columns::of_head(&names)?;
        Some(Self { cells: Cells::new(delimiter), columns, is_plain: false })
    }

    fn plain(line: &str) -> Self {
        let columns = Columns { a: 0, b: 1, label: Some(2), ..Columns::default() };
        Self { cells: Cells::new(Delimiter::of(line)), columns, is_plain: true }
    }

    fn read<'a>(&'a mut self, line: &'a str) -> Result<PairLine<'a>, String> {
        let Self { cells, columns, is_plain } = self;
        let mut pair = PairLine::default();
        let mut label = "";
        cells.of(line, |at, cell| {
            let number = || cell.parse::<f64>().ok();
            if at == columns.a {
                pair.a = Cow::Borrowed(cell);
            } else if at == columns.b {
                pair.b = Cow::Borrowed(cell);
            } else if columns.label == Some(at) {
                if *is_plain && let Some(score) = number() {
                    pair.score = Some(score);
                } else {
                    label = cell;
                }
            } else if columns.score == Some(at) {
                pair.score = number();
            } else if columns.resemblance == Some(at) {
                pair.resemblance = number();
            } else if columns.a_in_b == Some(at) {
                pair.a_in_b = number();
            } else if columns.b_in_a == Some(at) {
                pair.b_in_a = number();
            }
        });
        if pair.a.is_empty() || pair.b.is_empty() {
            return Err("a pair needs two names of documents".to_owned());
        }
        if !label.is_empty() {
            pair.relation = Kind::ALL.into_iter().find(|kind| kind.name() == label);
            pair.label = Some(Cow::Borrowed(label));
        }
        Ok(pair)
    }
}

/// A line of JSON; `E` is what is made of the passages.
#[derive(Deserialize)]
#[serde(bound(deserialize = "E: Deserialize<'de> + Default"))]
struct JsonPair<'a, E> {
    #[serde(borrow, alias = "id_a", alias = "id1")]
    a: Cow<'a, str>,
    #[serde(borrow, alias = "id_b", alias = "id2")]
    b: Cow<'a, str>,
    // Absent, null or a name.
    #[serde(borrow, default, alias = "label")]
    relation: Field<'a>,
    #[serde(default, alias = "similarity")]
    score: Option<f64>,
    #[serde(default)]
    resemblance: Option<f64>,
    #[serde(default)]
    a_in_b: Option<f64>,
    #[serde(default)]
    b_in_a: Option<f64>,
    #[serde(default)]
    evidence: E,
}

/// A relation that may be missing (nothing is said) or null (there is none).
#[derive(Default)]
enum Field<'a> {
    #[default]
    Missing,
    None,
    Some(Cow<'a, str>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Field<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
        Ok(match Option::<Text<'a>>::deserialize(from)? {
            None => Self::None,
            Some(Text(text)) => Self::Some(text),
        })
    }
}

#[derive(Deserialize)]
struct JsonPassage {
    a: (u64, u64),
    b: (u64, u64),
}

/// What passages become.
trait Passages {
    fn parts(self) -> Vec<(Part, Part)>;
}

impl Passages for Vec<JsonPassage> {
    fn parts(self) -> Vec<(Part, Part)> {
        let part = |(start, end)| Part { start, end };
        self.into_iter().map(|passage| (part(passage.a), part(passage.b))).collect()
    }
}

impl Passages for IgnoredAny {
    fn parts(self) -> Vec<(Part, Part)> {
        Vec::new()
    }
}

fn json<'a, E>(line: &'a str) -> Result<PairLine<'a>, String>
where
    E: Deserialize<'a> + Default + Passages,
{
    let pair: JsonPair<'a, E> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let mut read = PairLine {
        a: pair.a,
        b: pair.b,
        score: pair.score,
        resemblance: pair.resemblance,
        a_in_b: pair.a_in_b,
        b_in_a: pair.b_in_a,
        evidence: pair.evidence.parts(),
        ..PairLine::default()
    };
    match pair.relation {
        Field::Missing => {}
        // A pair that a list names as unrelated.
        Field::None => read.label = Some(Cow::Borrowed("none")),
        Field::Some(label) => read.set_label(label),
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<PairLine<'static>>, String> {
        let mut seen = Vec::new();
        read_pairs(text.as_bytes(), Evidence::Read, |line| {
            let own = |text: &str| Cow::Owned(text.to_owned());
            let label = line.label.as_deref().map(own);
            seen.push(PairLine {
                a: own(&line.a),
                b: own(&line.b),
                label,
                evidence: line.evidence.clone(),
                ..*line
            });
            Ok::<(), ListError>(())
        })
        .map_err(|error| error.to_string())?;
        Ok(seen)
    }

    #[test]
    fn a_third_cell_is_a_label_or_a_score() {
        let pairs = read("d1\td2\theavy\nd3\td4\t0.75\nd5\td6\n").expect("three pairs");
        assert_eq!(pairs[0].label.as_deref(), Some("heavy"));
        assert_eq!((pairs[1].score, &pairs[1].label), (Some(0.75), &None));
        assert_eq!((pairs[2].a.as_ref(), &pairs[2].label), ("d5", &None));
    }

    #[test]
    fn columns_are_found_by_their_names() {
        let pairs = read("note\tid_b\tid_a\trelation\nx\td2\td1\tcontained\n").expect("one pair");
        assert_eq!((pairs[0].a.as_ref(), pairs[0].b.as_ref()), ("d1", "d2"));
        assert_eq!(pairs[0].relation, Some(Kind::Contained));
        let csv = read("a,b,relation,resemblance,a_in_b,b_in_a\n\"x, y\",z,exact,1,1,0.5\n");
        let csv = csv.expect("one pair");
        assert_eq!((csv[0].a.as_ref(), csv[0].b_in_a), ("x, y", Some(0.5)));
    }

    #[test]
    fn documents_may_be_called_a_and_b() {
        assert_eq!(read("a\tb\nb\tc\n").map(|pairs| pairs.len()), Ok(2));
    }

    #[test]
    fn json_lines_of_ours_are_read_with_passages() {
        let line = r#"{"a":"x\"1","b":"y","relation":"contains","resemblance":0.5,"a_in_b":0.4,"b_in_a":1,"evidence":[{"a":[0,9],"b":[3,12],"words":4}]}"#;
        let pairs = read(line).expect("a pair");
        assert_eq!(pairs[0].a, "x\"1");
        let parts = (Part { start: 0, end: 9 }, Part { start: 3, end: 12 });
        assert_eq!(pairs[0].evidence, [parts]);
        let none = read(r#"{"a":"x","b":"y","relation":null}"#).expect("a pair");
        assert!(none[0].label.as_deref().is_some_and(is_negative));
    }

    #[test]
    fn order_follows_from_the_relation() {
        let of = |relation| {
            let line = PairLine {
                a: "x".into(),
                b: "y".into(),
                relation,
                a_in_b: Some(0.4),
                b_in_a: Some(0.9),
                ..PairLine::default()
            };
            let ordered = line.pairs(Direction::Ordered, ScoreOf::Containment);
            ordered.map(|pair| pair.map(|(from, _, score)| (from.to_owned(), score)))
        };
        let (x, y) = (Some(("x".to_owned(), 0.4)), Some(("y".to_owned(), 0.9)));
        assert_eq!(of(Some(Kind::NearDuplicate)), [x.clone(), y.clone()]);
        assert_eq!(of(Some(Kind::Contains)), [y, None]);
        assert_eq!(of(Some(Kind::Contained)), [x.clone(), None]);
        assert_eq!(of(None), [x, None]);
        assert_eq!(of(Some(Kind::Partial)), [None, None]);
    }

    #[test]
    fn scores_fall_back_to_what_there_is() {
        let line = PairLine { score: Some(0.3), ..PairLine::default() };
        for of in [ScoreOf::Containment, ScoreOf::Resemblance] {
            let score = line.pairs(Direction::Unordered, of)[0].map(|(_, _, score)| score);
            assert_eq!(score, Some(0.3));
        }
        let bare = PairLine::default();
        let bare = bare.pairs(Direction::Unordered, ScoreOf::Containment);
        assert!(bare[0].is_some_and(|(_, _, score)| score.is_nan()));
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = read("# list\nd1\td2\nd3\n").err();
        assert_eq!(error.as_deref(), Some("line 3: a pair needs two names of documents"));
        let error = read("{\"a\":\"x\"}\n").err().unwrap_or_default();
        assert!(error.starts_with("line 1: missing field `b`"), "{error}");
    }
}
