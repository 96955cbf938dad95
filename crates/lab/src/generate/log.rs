//! The log: what was done to each document, in enough detail to repeat it without random numbers.
//!
//! As JSON Lines the first line is the [`Head`] and every other an [`Entry`]; [`Entry::told`] says
//! the same for people.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::counts::Counts;
use super::edit::{Edit, Put};
use super::error::ReplayError;
use super::plan::{Operation, Plan, Unit};

/// What a log says it is.
const FORMAT: &str = "retold generate log";
/// The version of logs that is written.
const VERSION: u32 = 1;

/// The first line of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// `retold generate log`.
    pub format: String,
    /// Version of the format.
    pub version: u32,
    /// The plan that was carried out.
    pub plan: Plan,
}

/// A log as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// The plan that was carried out.
    pub plan: Plan,
    /// What was made, in order.
    pub entries: Vec<Entry>,
}

/// What was done to make one document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Name of the made document.
    pub output: String,
    /// Name of the document it was made of; `None` if it was pasted together from several.
    pub input: Option<String>,
    /// Name of the variant or of the query in the plan; empty if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
    /// Seed of the plan.
    pub seed: u64,
    /// Hash of the input's clean text (XXH3, sixteen digits), by which it is known again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub input_hash: String,
    /// Hash of the made text.
    pub output_hash: String,
    /// Counts of the input.
    pub before: Counts,
    /// Counts of what was made.
    pub after: Counts,
    /// What was done, in order.
    pub steps: Vec<Step>,
}

/// What one operation did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The operation with its parameters.
    pub done: Operation,
    /// How much it changed.
    pub changed: Changed,
    /// What it changed.
    pub edits: Vec<Edit>,
    /// Remarks where the result differs from what the plan asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How much a step changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Changed {
    /// What was deleted.
    #[serde(skip_serializing_if = "Amount::is_nothing")]
    pub deleted: Amount,
    /// What was inserted.
    #[serde(skip_serializing_if = "Amount::is_nothing")]
    pub added: Amount,
    /// What was replaced by something else.
    #[serde(skip_serializing_if = "Amount::is_nothing")]
    pub replaced: Amount,
    /// What was moved.
    #[serde(skip_serializing_if = "Amount::is_nothing")]
    pub moved: Amount,
}

/// An amount of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Amount {
    /// Units of the operation: paragraphs, sentences, words.
    pub units: usize,
    /// Words.
    pub words: usize,
    /// Unicode scalar values.
    pub characters: usize,
}

impl Amount {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Adds a unit.
    pub(super) fn add(&mut self, words: usize, text: &str) {
        self.units += 1;
        self.words += words;
        self.characters += text.chars().count();
    }
}

impl Log {
    /// Returns the log as JSON Lines.
    pub fn to_jsonl(&self) -> String {
        let mut out = Head::of(&self.plan).line();
        self.entries.iter().for_each(|entry| out.push_str(&entry.line()));
        out
    }

    /// Reads a log from JSON Lines; blank lines are passed over.
    pub fn parse(text: &str) -> Result<Self, ReplayError> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let wrong = |at: usize, reason: String| ReplayError::Line { line: at + 1, reason };
        let Some((at, first)) = lines.next() else {
            return Err(wrong(0, "it is empty".to_owned()));
        };
        let head: Head = serde_json::from_str(first)
            .map_err(|error| wrong(at, format!("not the head of a log: {error}")))?;
        if head.format != FORMAT {
            return Err(wrong(at, format!("format must be `{FORMAT}`, got `{}`", head.format)));
        }
        if head.version > VERSION {
            let newer = format!("version {} is newer than {VERSION}", head.version);
            return Err(wrong(at, newer));
        }
        let entries = lines
            .map(|(at, line)| {
                serde_json::from_str(line).map_err(|error| wrong(at, error.to_string()))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { plan: head.plan, entries })
    }
}

impl Head {
    /// Makes the head of the log of a plan.
    pub fn of(plan: &Plan) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, plan: plan.clone() }
    }

    /// Returns the line of a log.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("a head is plain data") + "\n"
    }
}

impl Entry {
    /// Returns whether the document was pasted together from several.
    pub fn is_query(&self) -> bool {
        self.input.is_none()
    }

    /// Returns the line of a log.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("an entry is plain data") + "\n"
    }

    /// Says for people what was done.
    ///
    /// ```text
    /// council-budget~1, made of council-budget (seed 7)
    ///   10 paragraphs, 31 sentences, 412 words, 2,480 characters → 7, 22, 290, 1,751
    ///   1. delete 25 % of paragraphs: 3 paragraphs, 122 words, 729 characters deleted
    ///      paragraph 2, paragraph 5, paragraph 6 deleted
    /// ```
    pub fn told(&self) -> String {
        let mut out = self.output.clone();
        match &self.input {
            Some(input) => {
                let _ = write!(out, ", made of {input}");
            }
            None => out.push_str(", pasted together"),
        }
        if !self.variant.is_empty() {
            let _ = write!(out, ", as {}", self.variant);
        }
        let _ = writeln!(out, " (seed {})", self.seed);
        let (before, after) = (self.before, self.after);
        let _ = writeln!(
            out,
            "  {} → {}, {}, {}, {}",
            [
                counted(before.paragraphs, Unit::Paragraph),
                counted(before.sentences, Unit::Sentence),
                counted(before.words, Unit::Word),
                counted(before.characters, Unit::Character),
            ]
            .join(", "),
            after.paragraphs,
            after.sentences,
            after.words,
            after.characters,
        );
        for (n, step) in self.steps.iter().enumerate() {
            step.tell(n + 1, &mut out);
        }
        out
    }
}

/// Edits of a step that are told one by one.
const MOST_TOLD: usize = 40;

impl Step {
    fn tell(&self, number: usize, out: &mut String) {
        let unit = self.done.unit();
        let Changed { deleted, added, replaced, moved } = self.changed;
        let amounts: Vec<String> =
            [(deleted, "deleted"), (added, "added"), (replaced, "replaced"), (moved, "moved")]
                .into_iter()
                .filter(|(amount, _)| !amount.is_nothing())
                .map(|(amount, verb)| format!("{} {verb}", amount.told(unit)))
                .collect();
        let amounts =
            if amounts.is_empty() { "nothing changed".to_owned() } else { amounts.join("; ") };
        let _ = writeln!(out, "  {number}. {}: {amounts}", self.done.told());
        for note in &self.notes {
            let _ = writeln!(out, "     note: {note}");
        }
        for edit in self.edits.iter().take(MOST_TOLD) {
            let _ = writeln!(out, "     {}", edit.told(unit));
        }
        if self.edits.len() > MOST_TOLD {
            let _ = writeln!(out, "     and {} more", self.edits.len() - MOST_TOLD);
        }
    }
}

impl Amount {
    fn told(self, unit: Unit) -> String {
        let mut parts = vec![counted(self.units, unit)];
        if unit != Unit::Word && unit != Unit::Character {
            parts.push(counted(self.words, Unit::Word));
        }
        if unit != Unit::Character {
            parts.push(counted(self.characters, Unit::Character));
        }
        parts.join(", ")
    }
}

fn counted(n: usize, unit: Unit) -> String {
    format!("{n} {unit}{}", if n == 1 { "" } else { "s" })
}

impl Operation {
    /// Says for people what is to be done: `delete 25 % of paragraphs`.
    pub fn told(&self) -> String {
        let name = self.name();
        match self {
            Self::Reorder { percent, unit }
            | Self::Delete { percent, unit }
            | Self::AddForeign { percent, unit } => format!("{name} {percent} of {unit}s"),
            Self::ReplaceWords { percent } | Self::ZeroWidth { percent } => {
                format!("{name} {percent} of words")
            }
            Self::AddRepeated { amount, repeats, unit } => {
                format!("{name} {} {repeats} times each", counted(*amount as usize, *unit))
            }
            Self::ReplaceCharacters { pairs, percent } => {
                let pairs: Vec<String> =
                    pairs.iter().map(|(from, to)| format!("{from:?} by {to:?}")).collect();
                format!("{name} {}, {percent} of them", pairs.join(", "))
            }
            Self::Ocr { percent, .. } => format!("{name} {percent} of characters"),
            Self::Homoglyphs { percent } => format!("{name} {percent} of letters with a twin"),
            Self::Hyphens { percent } | Self::Spaces { percent } => {
                format!("{name} {percent} of long words")
            }
            Self::Contain { ratio, place } | Self::Excerpt { ratio, place } => {
                format!("{name} {ratio}, {}", place.name())
            }
            Self::Plant { sources, unit, amount, from, into } => format!(
                "{name} {amount} {unit}s of {sources} documents each, from {} into {}",
                from.name(),
                into.name()
            ),
        }
    }
}

impl Edit {
    fn told(&self, unit: Unit) -> String {
        let mut out = format!("bytes {}-{}", self.at.start, self.at.end);
        match (self.unit, &self.was) {
            (Some(number), Some(was)) => {
                let _ = write!(out, ", {unit} {number} {was:?}");
            }
            (Some(number), None) => {
                let _ = write!(out, ", {unit} {number}");
            }
            (None, Some(was)) => {
                let _ = write!(out, ", {was:?}");
            }
            (None, None) => {}
        }
        let put: Vec<String> = self
            .put
            .iter()
            .filter_map(|put| match put {
                // What only parts two paragraphs is not worth telling.
                Put::Text(text) if text.trim().is_empty() && self.put.len() > 1 => None,
                Put::Text(text) => Some(format!("{text:?}")),
                Put::Copy { from, span, unit: number } => {
                    let from = from.as_ref().map(|from| format!(" of {from}")).unwrap_or_default();
                    let bytes = format!("bytes {}-{}", span.start, span.end);
                    let number = match number {
                        Some(number) => format!("{unit} {number} ({bytes})"),
                        None => bytes,
                    };
                    Some(format!("{number}{from}"))
                }
            })
            .collect();
        if put.is_empty() {
            out.push_str(" deleted");
        } else if self.at.is_empty() {
            let _ = write!(out, ": {} inserted", put.join(" + "));
        } else {
            let _ = write!(out, " → {}", put.join(" + "));
        }
        out
    }
}
