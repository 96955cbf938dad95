//! Links: the graph of documents that share passages.
//!
//! The sentence papers use copy detection to organise an archive (Chang and Wang 2007): documents that
//! share sentences belong together though nobody linked them. Here every pair that a search finds is a
//! link, with how many words are shared and how much of each document that is.

mod write;

use std::collections::HashMap;
use std::path::Path;

use retold_core::relation::Kind;
use serde::{Deserialize, Serialize};

pub use self::write::LinksFormat;
use crate::error::Error;
use crate::find::Find;
use crate::index::{Filter, Index, IndexDocuments};
use crate::job::Job;
use crate::resources::Resources;
use crate::result_folder::ResultFolder;
use crate::sink::{Pair, Sink};

/// Documents and what they share.
///
/// ```
/// use retold::*;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("archive.idx");
/// let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// let documents = vec![Document::plain("a", text), Document::plain("b", format!("{text}, again"))];
/// let mut writer = IndexWriter::create(&path, &[Job::default()], &IndexOptions::default())?;
/// writer.add(Documents::new(documents), &Resources::new())?;
/// let links = Links::of_index(&path, &LinksWanted::default(), &Resources::new())?;
/// let link = &links.links[0];
/// assert_eq!((&*links.documents[link.a].id, &*links.documents[link.b].id), ("a", "b"));
/// assert_eq!(link.words, 14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Links {
    /// The documents that have links.
    pub documents: Vec<LinkedDocument>,
    /// The links, in the order in which they were found.
    pub links: Vec<Link>,
    /// Documents that were looked at, if that is known.
    pub n_documents: Option<u64>,
    /// Pairs that were left out because they were not wanted.
    pub n_left_out: u64,
    /// What limits of the search left out, by name.
    pub cuts: Vec<(String, u64)>,
}

/// A document with links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkedDocument {
    /// Its id.
    pub id: String,
    /// Its title, if the index knows it.
    pub title: Option<String>,
    /// When it was published, if the index knows it.
    pub time: Option<String>,
    /// Who published it, if the index knows it.
    pub source: Option<String>,
}

/// Two documents that share passages.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Link {
    /// Place of the one in [`Links::documents`].
    pub a: usize,
    /// Place of the other.
    pub b: usize,
    /// How they relate, seen from `a`.
    pub relation: Kind,
    /// Words that they share: those of `a` or of `b` in passages, whichever are fewer.
    pub words: u32,
    /// Share of the runs of words of `a` that stand in `b`.
    pub a_in_b: f64,
    /// Share of the runs of words of `b` that stand in `a`.
    pub b_in_a: f64,
    /// Runs that both have, as a share of all runs of both.
    pub resemblance: f64,
}

/// Which links are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinksWanted {
    /// A method of the index; none is its first.
    pub method: Option<String>,
    /// Relations that count; none means all.
    pub relations: Vec<Kind>,
    /// Fewest words that two documents share. The default is 0.
    pub min_words: u32,
}

/// A pair as it is taken, from a search or from a table.
#[derive(Deserialize, Serialize)]
struct Row<'a> {
    a: std::borrow::Cow<'a, str>,
    b: std::borrow::Cow<'a, str>,
    relation: Kind,
    resemblance: f64,
    a_in_b: f64,
    b_in_a: f64,
    a_words: u32,
    b_words: u32,
}

/// Takes pairs and gives every document a number.
struct Gathering<'a> {
    wanted: &'a LinksWanted,
    numbers: HashMap<String, usize>,
    links: Links,
}

impl<'a> Gathering<'a> {
    fn new(wanted: &'a LinksWanted) -> Self {
        Self { wanted, numbers: HashMap::new(), links: Links::default() }
    }

    fn take(&mut self, row: &Row<'_>) {
        let words = row.a_words.min(row.b_words);
        let LinksWanted { relations, min_words, .. } = self.wanted;
        let is_wanted = relations.is_empty() || relations.contains(&row.relation);
        if !is_wanted || words < *min_words {
            self.links.n_left_out += 1;
            return;
        }
        let (a, b) = (self.number(&row.a), self.number(&row.b));
        self.links.links.push(Link {
            a,
            b,
            relation: row.relation,
            words,
            a_in_b: row.a_in_b,
            b_in_a: row.b_in_a,
            resemblance: row.resemblance,
        });
    }

    fn number(&mut self, id: &str) -> usize {
        if let Some(number) = self.numbers.get(id) {
            return *number;
        }
        let number = self.links.documents.len();
        self.links
            .documents
            .push(LinkedDocument { id: id.to_owned(), ..LinkedDocument::default() });
        self.numbers.insert(id.to_owned(), number);
        number
    }
}

impl Sink for Gathering<'_> {
    fn pair(&mut self, pair: &Pair<'_>) -> Result<(), Error> {
        let row = pair.row();
        self.take(&Row {
            a: row.a.into(),
            b: row.b.into(),
            relation: row.relation,
            resemblance: row.scores.resemblance.get(),
            a_in_b: row.scores.a_in_b.get(),
            b_in_a: row.scores.b_in_a.get(),
            a_words: row.evidence.a_words,
            b_words: row.evidence.b_words,
        });
        Ok(())
    }
}

impl Links {
    /// Compares all documents of an index with each other, by the settings of one of its methods.
    /// Crowds of copies are linked as a star, as `find` writes them.
    pub fn of_index(
        path: impl AsRef<Path>,
        wanted: &LinksWanted,
        resources: &Resources,
    ) -> Result<Self, Error> {
        let index = Index::open(path)?;
        let number = index.method_number(wanted.method.as_deref())?;
        // Passages are counted and not listed.
        let job = index.job(number, &Job::default().with_passages_per_pair(0_usize));
        let source = IndexDocuments::of(&index)?;
        let mut gathering = Gathering::new(wanted);
        let find = Find::new(source).job(job).resources(resources.clone()).command("links");
        let outcome = find.run(&mut gathering)?;
        let Gathering { numbers, mut links, .. } = gathering;
        index.list(&Filter::default(), &mut |stored| {
            if let Some(&number) = numbers.get(&stored.document.id) {
                let document = &mut links.documents[number];
                document.title = stored.document.title;
                document.time = stored.document.time;
                document.source = stored.document.source;
            }
            Ok(())
        })?;
        links.n_documents = Some(outcome.summary().n_documents);
        let cuts = outcome.summary().cuts.iter();
        links.cuts = cuts.map(|cut| (cut.what.clone(), cut.count)).collect();
        Ok(links)
    }

    /// Takes the pairs of a folder that `find` or `dedup` wrote with tables as JSON Lines.
    pub fn of_results(folder: &Path, wanted: &LinksWanted) -> Result<Self, Error> {
        let folder = ResultFolder::open(folder)?;
        let mut gathering = Gathering::new(wanted);
        folder.each_row("pairs", |row: Row<'static>| {
            gathering.take(&row);
            Ok(true)
        })?;
        Ok(gathering.links)
    }
}
