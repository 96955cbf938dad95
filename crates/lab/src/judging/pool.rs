//! What was nominated, by whom, and in which group it is judged.
//!
//! The file is JSON Lines and only grows; ids stand for documents, texts are not copied:
//!
//! ```text
//! {"retold_pool":1,"question":"containment","seed":1,"n_groups":20,"paths":["news"],"read":{}}
//! {"run":{"method":"codet","profile":"paper","parameters":{"threshold":0.3},"n_nominated":2}}
//! {"a":"note-1","b":"feature-7","group":3,"by":["codet","ffp"]}
//! {"a":"note-1","b":"feature-7","by":["winnowing"]}
//! ```
//!
//! The last line stands for a pair that was in the pool already when another method came.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::BufRead;

use retold::{ConfigError, ReadOptions};
use retold_core::hash;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::lines::{self, BadLine, JudgingError};
use super::question::Question;
use crate::measures::Direction;

/// Version of the files that is written and read.
pub const POOL_FORMAT: u32 = 1;

/// Key of the header.
const KEY: &str = "retold_pool";

/// Most groups of a pool.
const MOST_GROUPS: u32 = 1_000;

/// What is judged: a pair, or a document beside its cluster mates.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// Id of the first document.
    pub a: String,
    /// Id of the second; none for a document alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
}

impl Subject {
    /// Makes a pair: the lesser id first where order does not matter. None for a document with
    /// itself.
    pub fn pair(direction: Direction, a: &str, b: &str) -> Option<Self> {
        let (a, b) = match direction {
            Direction::Unordered if b < a => (b, a),
            Direction::Unordered | Direction::Ordered => (a, b),
        };
        (a != b).then(|| Self { a: a.to_owned(), b: Some(b.to_owned()) })
    }

    /// Makes a document alone.
    pub fn document(id: &str) -> Self {
        Self { a: id.to_owned(), b: None }
    }

    /// Returns both ids, the lesser first: a pair and its reverse are judged in one group.
    fn unit(&self) -> (&str, &str) {
        let b = self.b.as_deref().unwrap_or("");
        if *b < *self.a { (b, &self.a) } else { (&self.a, b) }
    }
}

/// What a pool is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the file: [`POOL_FORMAT`].
    pub retold_pool: u32,
    /// What is asked.
    pub question: Question,
    /// Seed by which nominations are dealt.
    pub seed: u64,
    /// Groups.
    pub n_groups: u32,
    /// Paths of the collection, so that texts can be found.
    #[serde(default)]
    pub paths: Vec<String>,
    /// How the collection is read.
    #[serde(default)]
    pub read: Value,
    /// The two methods whose difference is judged, where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<Between>,
}

impl Header {
    /// Returns how the collection is read.
    ///
    /// *Errors* if an option has a name or value that is not known here.
    pub fn read_options(&self) -> Result<ReadOptions, ConfigError> {
        let unknown =
            |given: String| ConfigError::value("read", "options of a version known here", &given);
        if self.read.is_null() {
            return Ok(ReadOptions::default());
        }
        let options: ReadOptions = serde_json::from_value(self.read.clone())
            .map_err(|error| unknown(error.to_string()))?;
        let known = serde_json::to_value(&options).expect("options are plain data");
        let names = self.read.as_object().into_iter().flat_map(|options| options.keys());
        match names.into_iter().find(|name| known.get(name).is_none()) {
            Some(name) => Err(unknown(format!("`{name}`"))),
            None => Ok(options),
        }
    }
}

/// Two methods, and the documents that both or neither of them found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Between {
    /// The methods.
    pub methods: [String; 2],
    /// Documents that both put into a cluster: taken as duplicates.
    pub n_both: u64,
    /// Documents that neither put into one: taken as unique.
    pub n_neither: u64,
}

/// A method that nominated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolRun {
    /// Its name.
    pub method: String,
    /// Its profile.
    #[serde(default)]
    pub profile: String,
    /// Whether its parameters were made permissive.
    #[serde(default)]
    pub is_permissive: bool,
    /// All its parameters.
    #[serde(default)]
    pub parameters: Value,
    /// Documents it read.
    #[serde(default)]
    pub n_documents: u64,
    /// Number of its nominations.
    #[serde(default)]
    pub n_nominated: u64,
    /// Files it read, with their hashes.
    #[serde(default)]
    pub inputs: BTreeMap<String, String>,
}

/// Something to judge, as it stands in the pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The pair or document.
    #[serde(flatten)]
    pub subject: Subject,
    /// The group, from 1; none if the pool had it before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// Names of the methods that nominated it.
    pub by: Vec<String>,
    /// The other documents of its cluster, for a document alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mates: Vec<String>,
}

/// What methods claim, gathered before it goes into a pool.
#[derive(Clone, Debug, Default)]
pub struct Nominations {
    claims: BTreeMap<Subject, (BTreeSet<String>, BTreeSet<String>)>,
}

impl Nominations {
    /// Adds what one method claims of one subject; returns whether it is new for this method.
    pub fn add(&mut self, method: &str, subject: Subject) -> bool {
        self.claims.entry(subject).or_default().0.insert(method.to_owned())
    }

    /// Adds a document alone, with the other members of its cluster.
    pub fn add_document(&mut self, method: &str, id: &str, mates: &[&str]) {
        let (by, beside) = self.claims.entry(Subject::document(id)).or_default();
        by.insert(method.to_owned());
        beside.extend(mates.iter().filter(|mate| **mate != id).map(|&mate| mate.to_owned()));
    }

    /// Returns how many subjects there are.
    pub fn len(&self) -> usize {
        self.claims.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.claims.is_empty()
    }

    /// Returns the subjects in order.
    pub fn subjects(&self) -> impl Iterator<Item = &Subject> {
        self.claims.keys()
    }
}

/// What changed when nominations were taken into a pool.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    /// Lines to append to the file.
    pub entries: Vec<Entry>,
    /// Subjects that the pool did not have.
    pub n_new: usize,
    /// Subjects it had.
    pub n_known: usize,
}

/// A question that a pool cannot be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a pool for `{pool}` cannot be asked for `{asked}`")]
pub struct NotAsked {
    /// What the pool is about.
    pub pool: Question,
    /// What was asked for.
    pub asked: Question,
}

/// A pool in memory.
///
/// ```
/// use retold_lab::judging::{Nominations, Pool, Question, Subject};
/// let mut pool = Pool::new(Question::NearDuplicate, 1, 20);
/// let mut nominations = Nominations::default();
/// let pair = Subject::pair(Question::NearDuplicate.direction(), "b", "a").unwrap();
/// nominations.add("codet", pair);
/// assert_eq!(pool.take(nominations.clone()).n_new, 1);
/// assert_eq!(pool.take(nominations).n_new, 0);
/// assert_eq!(pool.entries()[0].subject.a, "a");
/// ```
#[derive(Clone, Debug)]
pub struct Pool {
    /// What it is about.
    pub header: Header,
    /// Methods that nominated, in order.
    pub runs: Vec<PoolRun>,
    /// Lines of its file that could not be used.
    pub bad: Vec<BadLine>,
    entries: Vec<Entry>,
    at: HashMap<Subject, usize>,
    /// Entries of each group.
    sizes: Vec<u64>,
}

impl Pool {
    /// Makes an empty pool; there is at least one group.
    pub fn new(question: Question, seed: u64, n_groups: u32) -> Self {
        let n_groups = n_groups.clamp(1, MOST_GROUPS);
        Self::with(Header {
            retold_pool: POOL_FORMAT,
            question,
            seed,
            n_groups,
            paths: Vec::new(),
            read: Value::Null,
            between: None,
        })
    }

    fn with(header: Header) -> Self {
        let sizes = vec![0; header.n_groups as usize];
        let (entries, at) = (Vec::new(), HashMap::new());
        Self { header, runs: Vec::new(), bad: Vec::new(), entries, at, sizes }
    }

    /// Reads a pool. Lines behind the header that cannot be used are listed in
    /// [`bad`](Self::bad).
    ///
    /// # Errors
    /// If the file cannot be read or does not begin with the header of a pool.
    pub fn read(file: &str, reader: impl BufRead) -> Result<Self, JudgingError> {
        let mut pool: Option<Self> = None;
        let mut refused = None;
        let bad = lines::read(file, reader, |line, value| {
            let read = match &mut pool {
                Some(pool) => pool.put_line(value),
                None if refused.is_some() => Ok(()),
                None => begin(value).map(|begun| pool = Some(begun)),
            };
            if pool.is_none() && refused.is_none() {
                let reason = read.clone().err().unwrap_or_default();
                refused = Some(BadLine { file: file.to_owned(), line, reason });
            }
            read
        })?;
        if let Some(mut pool) = pool {
            pool.bad = bad;
            Ok(pool)
        } else {
            let reason = "not a pool: there is no header".to_owned();
            let none = BadLine { file: file.to_owned(), line: 1, reason };
            Err(JudgingError::Header(refused.or(bad.into_iter().next()).unwrap_or(none)))
        }
    }

    /// Reads one line behind the header.
    fn put_line(&mut self, mut value: Value) -> Result<(), String> {
        // A second header is that of a pool whose file was appended to this one.
        if lines::version(&value, KEY, POOL_FORMAT)?.is_some() {
            let header: Header =
                serde_json::from_value(value).map_err(|error| error.to_string())?;
            if header.question != self.header.question || header.between != self.header.between {
                return Err("another pool begins here, and it is about something else".to_owned());
            }
            return Ok(());
        }
        if let Some(run) = value.get_mut("run") {
            let run = serde_json::from_value(run.take());
            self.runs.push(run.map_err(|error| format!("not a run: {error}"))?);
            return Ok(());
        }
        let entry: Entry =
            serde_json::from_value(value).map_err(|error| format!("not a nomination: {error}"))?;
        if entry.subject.b.is_none() != (self.header.question == Question::Duplicate) {
            return Err("pairs and documents alone do not go together".to_owned());
        }
        if entry.group.is_some_and(|group| group == 0 || group > self.header.n_groups) {
            return Err(format!("group must be from 1 to {}", self.header.n_groups));
        }
        self.put(entry);
        Ok(())
    }

    /// Puts an entry in, or what is new in it to the one of the same subject.
    fn put(&mut self, entry: Entry) -> bool {
        if let Some(&at) = self.at.get(&entry.subject) {
            let held = &mut self.entries[at];
            for name in entry.by {
                if let Err(at) = held.by.binary_search(&name) {
                    held.by.insert(at, name);
                }
            }
            return false;
        }
        let mut entry = entry;
        entry.by.sort_unstable();
        entry.by.dedup();
        // A pair whose first line was torn has no group: it goes to the smallest one.
        let group = *entry.group.get_or_insert_with(|| smallest(&self.sizes));
        self.sizes[group as usize - 1] += 1;
        self.at.insert(entry.subject.clone(), self.entries.len());
        self.entries.push(entry);
        true
    }

    /// Takes nominations in. What the pool has already stays in its group; the rest is dealt, in an
    /// order drawn by the seed, each to the group that is smallest then. A pair and its reverse go
    /// to the same group.
    pub fn take(&mut self, nominations: Nominations) -> Taken {
        let mut taken = Taken::default();
        let mut new: Vec<(u64, Entry)> = Vec::new();
        for (subject, (by, mates)) in nominations.claims {
            let (by, mates): (Vec<_>, Vec<_>) =
                (by.into_iter().collect(), mates.into_iter().collect());
            if let Some(&at) = self.at.get(&subject) {
                taken.n_known += 1;
                let held = &self.entries[at].by;
                let by: Vec<String> =
                    by.into_iter().filter(|name| held.binary_search(name).is_err()).collect();
                if !by.is_empty() {
                    let entry = Entry { subject, group: None, by, mates: Vec::new() };
                    taken.entries.push(entry.clone());
                    self.put(entry);
                }
                continue;
            }
            let (x, y) = subject.unit();
            let drawn = hash::bytes(format!("{x}\n{y}").as_bytes(), self.header.seed);
            new.push((drawn, Entry { subject, group: None, by, mates }));
        }
        new.sort_by(|(x, p), (y, q)| {
            (x, p.subject.unit(), &p.subject).cmp(&(y, q.subject.unit(), &q.subject))
        });
        taken.n_new = new.len();
        for (_, mut entry) in new {
            let group = self.group_of_reverse(&entry.subject);
            entry.group = Some(group.unwrap_or_else(|| smallest(&self.sizes)));
            taken.entries.push(entry.clone());
            self.put(entry);
        }
        taken
    }

    /// Returns the group of the reversed pair, if the pool holds it.
    fn group_of_reverse(&self, subject: &Subject) -> Option<u32> {
        let b = subject.b.clone()?;
        let reverse = Subject { a: b, b: Some(subject.a.clone()) };
        self.entries[*self.at.get(&reverse)?].group
    }

    /// Returns what is to be judged, in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the number of an entry.
    pub fn find(&self, subject: &Subject) -> Option<usize> {
        self.at.get(subject).copied()
    }

    /// Returns how many entries each group has.
    pub fn group_sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Returns the pool asked another question: where order does not matter, a pair and its reverse
    /// become one.
    ///
    /// # Errors
    /// If the pool holds documents alone, or is asked for order that it does not have.
    pub fn asked(&self, question: Question) -> Result<Self, NotAsked> {
        let own = self.header.question;
        if question == own {
            return Ok(self.clone());
        }
        let is_loss =
            own.direction() == Direction::Unordered && question.direction() == Direction::Ordered;
        if is_loss || own == Question::Duplicate || question == Question::Duplicate {
            return Err(NotAsked { pool: own, asked: question });
        }
        let mut pool = Self::with(Header { question, ..self.header.clone() });
        pool.runs.clone_from(&self.runs);
        for entry in &self.entries {
            let b = entry.subject.b.as_deref().unwrap_or_default();
            if let Some(subject) = Subject::pair(question.direction(), &entry.subject.a, b) {
                pool.put(Entry { subject, ..entry.clone() });
            }
        }
        Ok(pool)
    }
}

/// Returns the smallest group, from 1; the first of them where several are.
fn smallest(sizes: &[u64]) -> u32 {
    let at = (0..sizes.len()).min_by_key(|&group| sizes[group]);
    at.expect("there is at least one group") as u32 + 1
}

/// Begins a pool with its header.
fn begin(value: Value) -> Result<Pool, String> {
    if lines::version(&value, KEY, POOL_FORMAT)?.is_none() {
        return Err("not a pool: there is no header".to_owned());
    }
    let header: Header = serde_json::from_value(value)
        .map_err(|error| format!("not the header of a pool: {error}"))?;
    if header.n_groups == 0 || header.n_groups > MOST_GROUPS {
        return Err(format!("n_groups must be from 1 to {MOST_GROUPS}, got {}", header.n_groups));
    }
    if header.between.is_some() != (header.question == Question::Duplicate) {
        return Err(
            "a difference of two methods and the question `duplicate` go together".to_owned()
        );
    }
    Ok(Pool::with(header))
}
