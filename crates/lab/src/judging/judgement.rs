//! Judgements: the answer of one person about one pair.

use std::collections::BTreeMap;
use std::fmt;
use std::io::BufRead;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::lines::{self, BadLine, JudgingError};
use super::pool::Subject;
use super::question::Question;

/// Version of the files that is written and read.
const FORMAT: u32 = 1;

/// Key of the header.
const KEY: &str = "retold_judgements";

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The question is answered with yes.
    Yes,
    /// The question is answered with no.
    No,
    /// The person cannot tell; it counts as a judgement but decides nothing.
    Unsure,
}

impl Answer {
    /// All answers, in the order of rows and columns of a confusion.
    pub const ALL: [Self; 3] = [Self::Yes, Self::No, Self::Unsure];

    /// Returns the name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unsure => "unsure",
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One line of a file of judgements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// What was judged.
    #[serde(flatten)]
    pub subject: Subject,
    /// What was asked.
    pub question: Question,
    /// The answer.
    pub answer: Answer,
    /// The person who gave it.
    pub by: String,
    /// Whether it breaks a tie of others. Such answers decide, but say nothing about agreement:
    /// this person always differs from somebody.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub breaks_tie: bool,
}

impl Judgement {
    /// Returns the judgement as a line of a file, line feed included.
    pub fn line(&self) -> String {
        let json = serde_json::to_string(self).expect("a judgement is plain data");
        format!("{json}\n")
    }
}

/// Returns the first line of a new file of judgements, line feed included.
pub fn judgements_header() -> String {
    format!("{}\n", json!({ KEY: FORMAT }))
}

/// Returns whether a person may use `name`, which becomes part of a file name.
pub fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty()
        && name.len() <= 64
        && !name.starts_with(['.', '-'])
        && name.chars().all(is_part)
}

/// Where a line stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file.
    pub file: String,
    /// Number of the line, from 1.
    pub line: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}", self.file, self.line)
    }
}

/// Two different answers of one person in two files; the file that is read last decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The answer that was set aside.
    pub earlier: Place,
    /// The answer that counts.
    pub later: Place,
    /// The person.
    pub by: String,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { earlier, later, by } = self;
        write!(f, "{later}: `{by}` answered otherwise in {earlier}; the last counts")
    }
}

/// Judgements of any number of people and files, in the order they were read.
///
/// All are kept; [`latest`](Self::latest) returns those that count.
#[derive(Clone, Debug, Default)]
pub struct Judgements {
    all: Vec<(Judgement, Place)>,
    /// Lines that could not be used.
    pub bad: Vec<BadLine>,
}

impl Judgements {
    /// Reads a file after those read before.
    ///
    /// Headers may occur anywhere, as in concatenated files. Lines that cannot be used
    /// are listed in [`bad`](Self::bad).
    ///
    /// # Errors
    /// If the file cannot be read, or a header says that a newer version wrote it.
    pub fn read(&mut self, file: &str, reader: impl BufRead) -> Result<(), JudgingError> {
        let (mut newer, all) = (None, &mut self.all);
        let bad = lines::read(file, reader, |line, value| {
            match lines::version(&value, KEY, FORMAT) {
                Ok(None) => {}
                Ok(Some(_)) => return Ok(()),
                Err(reason) => {
                    let bad = BadLine { file: file.to_owned(), line, reason: reason.clone() };
                    newer.get_or_insert(bad);
                    return Err(reason);
                }
            }
            let judgement: Judgement = serde_json::from_value(value)
                .map_err(|error| format!("not a judgement: {error}"))?;
            all.push((judgement, Place { file: file.to_owned(), line }));
            Ok(())
        })?;
        self.bad.extend(bad);
        newer.map_or(Ok(()), |bad| Err(JudgingError::Header(bad)))
    }

    /// Appends a judgement.
    pub fn push(&mut self, judgement: Judgement, place: Place) {
        self.all.push((judgement, place));
    }

    /// Returns all judgements, superseded ones included.
    pub fn iter(&self) -> impl Iterator<Item = &Judgement> {
        self.all.iter().map(|(judgement, _)| judgement)
    }

    /// Returns the last judgement of every person on every subject and question, in the order in
    /// which the first of each was read.
    pub fn latest(&self) -> Vec<&Judgement> {
        let mut at: BTreeMap<(&str, Question, &Subject), usize> = BTreeMap::new();
        let mut latest: Vec<&Judgement> = Vec::new();
        for (judgement, _) in &self.all {
            let slot = at.entry(key(judgement)).or_insert(latest.len());
            match latest.get_mut(*slot) {
                Some(earlier) => *earlier = judgement,
                None => latest.push(judgement),
            }
        }
        latest
    }

    /// Returns where one person answered the same question differently in two files. Within a file
    /// a later answer is a change of mind and no conflict.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let mut last: BTreeMap<(&str, Question, &Subject), &(Judgement, Place)> = BTreeMap::new();
        let mut found = Vec::new();
        for here in &self.all {
            let (judgement, place) = here;
            if let Some((earlier, before)) = last.insert(key(judgement), here)
                && earlier.answer != judgement.answer
                && before.file != place.file
            {
                let by = judgement.by.clone();
                found.push(Conflict { earlier: before.clone(), later: place.clone(), by });
            }
        }
        found
    }
}

fn key(judgement: &Judgement) -> (&str, Question, &Subject) {
    (&judgement.by, judgement.question, &judgement.subject)
}

impl FromStr for Answer {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "y" | "yes" => Ok(Self::Yes),
            "n" | "no" => Ok(Self::No),
            "u" | "unsure" => Ok(Self::Unsure),
            _ => Err(()),
        }
    }
}
