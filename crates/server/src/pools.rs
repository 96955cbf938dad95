//! Pools: pairs of results that people judge.
//!
//! A pool gathers the pairs of one or more results over the same documents, each nominated by the
//! methods that found it. Judgements are in the database; the laboratory counts them.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use retold::Kind;
use retold_lab::judging::{
    Answer, Assessors, Judgement, Judgements, Nominations, Place, Pool, Question, State, Subject,
    Tally,
};
use retold_lab::statistics::Level;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::problem::{Code, Problem};
use crate::store::{JUDGEMENTS, POOLS, Store, key_of};
use crate::time::now;

/// How long a pair is held for a person to whom it was shown.
const LEASE: Duration = Duration::from_mins(10);

/// A pool as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) question: Question,
    pub(crate) results: Vec<u64>,
    pub(crate) n_entries: u64,
    pub(crate) n_groups: u32,
    pub(crate) created: i64,
}

/// A judgement as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stored {
    pub(crate) number: u64,
    pub(crate) time: i64,
    #[serde(flatten)]
    pub(crate) judgement: Judgement,
}

/// All pools.
pub(crate) struct Pools {
    folder: PathBuf,
    store: Arc<Store>,
    open: Mutex<HashMap<String, Arc<Pool>>>,
    /// Pairs that people are looking at, by pool.
    leases: Mutex<HashMap<String, Vec<Lease>>>,
}

/// A pair that a person is looking at: as long as enough people are, no more are asked.
struct Lease {
    entry: usize,
    person: String,
    until: Instant,
}

/// What a person judges next.
pub(crate) struct Next {
    pub(crate) subject: Option<(Subject, u32)>,
    /// Pairs that the person may still judge.
    pub(crate) n_left: usize,
    /// Those of them that enough other people are looking at.
    pub(crate) n_leased: usize,
}

impl Pools {
    pub(crate) fn open(folder: PathBuf, store: &Arc<Store>) -> Result<Self, Problem> {
        fs::create_dir_all(&folder)?;
        Ok(Self {
            folder,
            store: Arc::clone(store),
            open: Mutex::default(),
            leases: Mutex::default(),
        })
    }

    /// Makes a pool of the pairs of results; each comes with its method and its folder.
    pub(crate) fn create(
        &self,
        name: &str,
        question: Question,
        n_groups: u32,
        seed: u64,
        results: &[(u64, String, PathBuf)],
    ) -> Result<Record, Problem> {
        if self.store.get::<Record>(POOLS, name)?.is_some() {
            let detail = format!("there is a pool `{name}` already");
            return Err(Problem::new(Code::Conflict, detail));
        }
        let mut nominations = Nominations::default();
        for (_, method, folder) in results {
            nominate(&mut nominations, question, method, folder)?;
        }
        let mut pool = Pool::new(question, seed, n_groups);
        pool.take(nominations);
        self.write(name, &pool)?;
        let record = Record {
            name: name.to_owned(),
            question,
            results: results.iter().map(|(number, ..)| *number).collect(),
            n_entries: pool.entries().len() as u64,
            n_groups,
            created: now(),
        };
        self.store.put(POOLS, name, &record)?;
        Ok(record)
    }

    /// Writes the entries of a pool; the file has its name only when it is whole.
    fn write(&self, name: &str, pool: &Pool) -> Result<(), Problem> {
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        {
            let mut out = std::io::BufWriter::new(file.as_file_mut());
            let header = serde_json::to_string(&pool.header).map_err(Problem::internal)?;
            writeln!(out, "{header}")?;
            for entry in pool.entries() {
                let line = serde_json::to_string(entry).map_err(Problem::internal)?;
                writeln!(out, "{line}")?;
            }
            out.flush()?;
        }
        file.as_file().sync_all()?;
        file.persist(self.file(name)).map_err(|error| Problem::from(error.error))?;
        Ok(())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.jsonl"))
    }

    pub(crate) fn list(&self) -> Result<Vec<Record>, Problem> {
        let records = self.store.list::<Record>(POOLS, "", None, usize::MAX)?;
        Ok(records.into_iter().map(|(_, record)| record).collect())
    }

    pub(crate) fn get(&self, name: &str) -> Result<Option<Record>, Problem> {
        self.store.get(POOLS, name)
    }

    fn pool(&self, name: &str) -> Result<Arc<Pool>, Problem> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = open.get(name) {
            return Ok(Arc::clone(pool));
        }
        let pool = Arc::new(retold_lab::read_pool(&self.file(name))?);
        open.insert(name.to_owned(), Arc::clone(&pool));
        Ok(pool)
    }

    /// Returns judgements of a pool behind a number.
    pub(crate) fn judgements(
        &self,
        name: &str,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Stored>, Problem> {
        let prefix = format!("{name}/");
        let after = format!("{prefix}{}", key_of(after));
        let stored = self.store.list::<Stored>(JUDGEMENTS, &prefix, Some(&after), limit)?;
        Ok(stored.into_iter().map(|(_, stored)| stored).collect())
    }

    fn all_judgements(&self, name: &str) -> Result<Judgements, Problem> {
        let mut judgements = Judgements::default();
        for stored in self.judgements(name, 0, usize::MAX)? {
            let place = Place { file: name.to_owned(), line: stored.number };
            judgements.push(stored.judgement, place);
        }
        Ok(judgements)
    }

    /// Returns what a person judges next, and holds it for the person.
    pub(crate) fn next(
        &self,
        name: &str,
        person: &str,
        group: Option<u32>,
    ) -> Result<Next, Problem> {
        let pool = self.pool(name)?;
        let judgements = self.all_judgements(name)?;
        let tally = Tally::of(&pool, &judgements);
        let queue = tally.open_to(person, group);
        let mut all = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        let leases = all.entry(name.to_owned()).or_default();
        let begun = Instant::now();
        leases.retain(|lease| lease.until > begun && lease.person != person);
        let is_wanted = |entry: &usize| {
            let votes = tally.votes(*entry);
            // Where they differ, one more is asked.
            let wanted = pool.header.question.n_judges().max(votes.len() + 1);
            let n_looking = leases.iter().filter(|lease| lease.entry == *entry).count();
            votes.len() + n_looking < wanted
        };
        let wanted: Vec<usize> = queue.iter().copied().filter(is_wanted).collect();
        let subject = wanted.first().map(|&entry| {
            leases.push(Lease { entry, person: person.to_owned(), until: begun + LEASE });
            let entry = &pool.entries()[entry];
            (entry.subject.clone(), entry.group.unwrap_or(1))
        });
        Ok(Next { subject, n_left: queue.len(), n_leased: queue.len() - wanted.len() })
    }

    /// Takes a judgement; it is on the disk when this returns.
    pub(crate) fn judge(
        &self,
        name: &str,
        person: &str,
        subject: &Subject,
        answer: Answer,
    ) -> Result<Stored, Problem> {
        let pool = self.pool(name)?;
        let question = pool.header.question;
        let known = match &subject.b {
            Some(b) => Subject::pair(question.direction(), &subject.a, b),
            None => Some(subject.clone()),
        };
        let entry = known.as_ref().and_then(|subject| pool.find(subject));
        let entry = entry.ok_or_else(|| Problem::not_found("pair in the pool"))?;
        let mut leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        leases
            .entry(name.to_owned())
            .or_default()
            .retain(|lease| lease.entry != entry || lease.person != person);
        drop(leases);
        let judgements = self.all_judgements(name)?;
        let tally = Tally::of(&pool, &judgements);
        let others: Vec<_> = tally
            .votes(entry)
            .iter()
            .copied()
            .filter(|vote| tally.people()[vote.person] != person)
            .collect();
        let breaks_tie = State::of(&others, question.n_judges()) == State::Split;
        let judgement = Judgement {
            subject: pool.entries()[entry].subject.clone(),
            question,
            answer,
            by: person.to_owned(),
            breaks_tie,
        };
        self.store.change(|changes| {
            let number = changes.next(&format!("judgement/{name}"))?;
            let stored = Stored { number, time: now(), judgement };
            changes.put(JUDGEMENTS, &format!("{name}/{}", key_of(number)), &stored)?;
            Ok(stored)
        })
    }

    /// Returns how far the pool is judged and how far people agree.
    pub(crate) fn agreement(&self, name: &str) -> Result<Value, Problem> {
        let pool = self.pool(name)?;
        let judgements = self.all_judgements(name)?;
        let tally = Tally::of(&pool, &judgements);
        let standing = tally.standing();
        let assessors = Assessors::of(&tally, Level::default());
        let assessors = serde_json::to_value(&assessors).map_err(Problem::internal)?;
        Ok(json!({
            "entries": standing.n(),
            "decided": standing.n_decided(),
            "yes": standing.n_yes,
            "no": standing.n_no,
            "split": standing.n_split,
            "begun": standing.n_begun,
            "untouched": standing.n_untouched,
            "assessors": assessors,
        }))
    }
}

/// Nominates the pairs of a result.
fn nominate(
    nominations: &mut Nominations,
    question: Question,
    method: &str,
    folder: &Path,
) -> Result<(), Problem> {
    #[derive(Deserialize)]
    struct Row {
        a: String,
        b: String,
        relation: Kind,
    }
    let file = BufReader::new(fs::File::open(folder.join("pairs.jsonl"))?);
    for line in file.lines() {
        let row: Row = serde_json::from_str(&line?).map_err(Problem::internal)?;
        let (there, back) = question.claimed(row.relation);
        for (is_claimed, a, b) in [(there, &row.a, &row.b), (back, &row.b, &row.a)] {
            if is_claimed && let Some(subject) = Subject::pair(question.direction(), a, b) {
                nominations.add(method, subject);
            }
        }
    }
    Ok(())
}
