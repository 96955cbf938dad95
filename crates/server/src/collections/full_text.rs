//! The full-text index of a collection, kept by tantivy.
//!
//! It holds nothing that the collection does not: it follows the collection's documents by their
//! numbers, remembers in every commit how far it is, and is made anew if it does not fit any more.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use retold::Index;
use serde::{Deserialize, Serialize};
use tantivy::collector::{Count, TopDocs};
use tantivy::index::SegmentId;
use tantivy::indexer::{LogMergePolicy, NoMergePolicy};
use tantivy::query::QueryParser;
use tantivy::schema::{Field, STORED, STRING, Schema, TEXT, Value as _};
use tantivy::snippet::SnippetGenerator;
use tantivy::{IndexReader, IndexWriter, TantivyDocument, Term, doc};
use tokio::sync::watch;

use super::collection::{Published, Removed};
use crate::problem::{Code, Problem};

/// Bytes of memory for documents that are not written yet.
const WRITER_BYTES: usize = 24 << 20;

/// Documents that are looked at before what came of it is shown.
const TOGETHER: usize = 5_000;

/// How long a request that erases a document waits for it, and after how many seconds it may ask again.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
const ASK_AGAIN: u64 = 10;

/// How often segments are written anew at most before the rest is done again: each time fails only if a merge
/// that ran before has ended meanwhile.
const MOST_TRIES: usize = 32;

/// Characters of an excerpt.
const EXCERPT_CHARS: usize = 240;

/// Fields of a document.
#[derive(Clone, Copy)]
struct Fields {
    id: Field,
    title: Field,
    text: Field,
    source: Field,
}

impl Fields {
    fn schema() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let fields = Self {
            id: schema.add_text_field("id", STRING | STORED),
            title: schema.add_text_field("title", TEXT),
            text: schema.add_text_field("text", TEXT),
            source: schema.add_text_field("source", STRING),
        };
        (schema.build(), fields)
    }
}

/// The full-text index of a collection.
pub(super) struct FullText {
    fields: Fields,
    index: tantivy::Index,
    reader: IndexReader,
    /// Number of the state that was followed last.
    followed: watch::Receiver<u64>,
    thread: Mutex<Option<(watch::Sender<bool>, JoinHandle<()>)>>,
}

/// Hits of a search, best first.
pub(crate) struct Ranked {
    /// Ids, how well they fit, and an excerpt maker.
    pub(crate) hits: Vec<(String, f32)>,
    /// Documents that have the words.
    pub(crate) n_found: usize,
    /// Documents that were searched.
    pub(crate) n_searched: u64,
    excerpts: Option<SnippetGenerator>,
    /// What could not be understood in the query and was passed over.
    pub(crate) remarks: Vec<String>,
}

/// An excerpt of a text, and where the words stand in it.
pub(crate) struct Excerpt {
    pub(crate) text: String,
    /// Bytes of the excerpt.
    pub(crate) marks: Vec<(usize, usize)>,
}

impl Ranked {
    /// Returns the part of a text that fits the query best.
    pub(crate) fn excerpt(&self, text: &str) -> Excerpt {
        let Some(excerpts) = &self.excerpts else {
            return Excerpt { text: String::new(), marks: Vec::new() };
        };
        let snippet = excerpts.snippet(text);
        let marks = snippet.highlighted().iter().map(|range| (range.start, range.end)).collect();
        Excerpt { text: snippet.fragment().to_owned(), marks }
    }
}

fn failed(error: impl std::fmt::Display) -> Problem {
    Problem::internal(format!("the full-text index: {error}"))
}

impl FullText {
    /// Opens the index in a folder, or makes one, and begins to follow the collection.
    pub(super) fn start(folder: &Path, published: &Arc<Published>) -> Result<Self, Problem> {
        let (schema, fields) = Fields::schema();
        fs::create_dir_all(folder)?;
        let open = || {
            let directory = tantivy::directory::MmapDirectory::open(folder)?;
            tantivy::Index::open_or_create(directory, schema.clone())
        };
        let index = if let Ok(index) = open() {
            index
        } else {
            // It holds nothing of its own: what cannot be read is made anew.
            fs::remove_dir_all(folder)?;
            fs::create_dir_all(folder)?;
            open().map_err(failed)?
        };
        let writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES).map_err(failed)?;
        let reader = index
            .reader_builder()
            .reload_policy(tantivy::ReloadPolicy::Manual)
            .try_into()
            .map_err(failed)?;
        let (stop, stopped) = watch::channel(false);
        let (follows, followed) = watch::channel(0);
        let follower = Follower {
            fields,
            follows,
            writer,
            reader: reader.clone(),
            published: Arc::clone(published),
            folder: folder.to_owned(),
            stopped,
            removed: Vec::new(),
        };
        let thread = Builder::new().name("full text".to_owned()).spawn(move || follower.run())?;
        let thread = Mutex::new(Some((stop, thread)));
        Ok(Self { fields, index, reader, followed, thread })
    }

    /// Returns how many documents it has.
    pub(super) fn n_documents(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Waits until it has followed to a state.
    ///
    /// *Errors* if it has not for too long, on a machine that is busy, or does not any more.
    pub(super) async fn wait_for(&self, commit: u64) -> Result<(), Problem> {
        let mut followed = self.followed.clone();
        let followed = followed.wait_for(|followed| *followed >= commit);
        match tokio::time::timeout(LONGEST_WAIT, followed).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) => Err(Problem::new(Code::ShuttingDown, "the collection is being closed")),
            Err(_) => {
                let detail = "the document is removed, but its words are still in files of the full-text index";
                Err(Problem::new(Code::StillErasing, detail).retry_after(ASK_AGAIN))
            }
        }
    }

    /// Searches for words in titles and texts.
    pub(super) fn search(&self, query: &str, limit: usize) -> Result<Ranked, Problem> {
        let searcher = self.reader.searcher();
        let mut parser =
            QueryParser::for_index(&self.index, vec![self.fields.title, self.fields.text]);
        parser.set_conjunction_by_default();
        parser.set_field_boost(self.fields.title, 2.0);
        let (query, remarks) = parser.parse_query_lenient(query);
        let collector = (TopDocs::with_limit(limit.max(1)).order_by_score(), Count);
        let (top, n_found) = searcher.search(&query, &collector).map_err(failed)?;
        let mut hits = Vec::with_capacity(top.len());
        for (score, address) in top {
            let document: TantivyDocument = searcher.doc(address).map_err(failed)?;
            let id = document.get_first(self.fields.id).and_then(|id| id.as_str());
            hits.push((id.unwrap_or_default().to_owned(), score));
        }
        let excerpts = SnippetGenerator::create(&searcher, &query, self.fields.text);
        let excerpts = excerpts.ok().map(|mut excerpts| {
            excerpts.set_max_num_chars(EXCERPT_CHARS);
            excerpts
        });
        let remarks = remarks.iter().map(ToString::to_string).collect();
        Ok(Ranked { hits, n_found, n_searched: searcher.num_docs(), excerpts, remarks })
    }

    /// Ends the thread and waits for it.
    pub(super) fn close(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((stop, thread)) = thread {
            stop.send_replace(true);
            let _ = thread.join();
        }
    }
}

impl Drop for FullText {
    fn drop(&mut self) {
        self.close();
    }
}

/// How far the full-text index is: kept with every commit.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Followed {
    /// Number of the last document that was added, from 1.
    last: u64,
    /// The state of the collection that it was added from.
    commit: u64,
    /// Whether documents were removed that stand in files until all segments are written anew.
    #[serde(default)]
    owes_erasure: bool,
}

/// Brings the full-text index to the state of the collection, again and again.
struct Follower {
    fields: Fields,
    follows: watch::Sender<u64>,
    writer: IndexWriter,
    reader: IndexReader,
    published: Arc<Published>,
    folder: PathBuf,
    stopped: watch::Receiver<bool>,
    /// Documents that were removed, until the index is without them.
    removed: Vec<Removed>,
}

/// Shortest and longest time until what failed is tried again.
const AGAIN: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));

impl Follower {
    fn run(mut self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let Ok(runtime) = runtime else { return };
        let mut changed = self.published.subscribe();
        let mut pause = AGAIN.0;
        loop {
            changed.mark_unchanged();
            // Nobody may write any more, and whoever erases a document waits.
            let has_failed = self.follow().is_err();
            pause = if has_failed { (2 * pause).min(AGAIN.1) } else { AGAIN.0 };
            let mut stopped = self.stopped.clone();
            let goes_on = runtime.block_on(async {
                tokio::select! {
                    changed = changed.changed() => changed.is_ok(),
                    () = tokio::time::sleep(pause), if has_failed => true,
                    _ = stopped.wait_for(|is_stopped| *is_stopped) => false,
                }
            });
            if !goes_on || *self.stopped.borrow() {
                return;
            }
        }
    }

    fn is_stopped(&self) -> bool {
        *self.stopped.borrow()
    }

    /// Adds what came, removes what went, and makes everything anew if it does not fit then.
    fn follow(&mut self) -> Result<(), Problem> {
        self.removed
            .append(&mut self.published.removed.lock().unwrap_or_else(PoisonError::into_inner));
        let index = self.published.index();
        // Others go in a state that is not shown yet.
        let is_due = |removed: &Removed| removed.after < index.commit();
        let mut done = self.done();
        // A collection that was restored from an earlier copy may hold other texts under its ids.
        if index.commit() < done.commit {
            self.writer.delete_all_documents().map_err(failed)?;
            done = Followed::default();
        }
        for Removed { id, .. } in self.removed.iter().filter(|removed| is_due(removed)) {
            if index.get(id)?.is_none() {
                self.writer.delete_term(Term::from_field_text(self.fields.id, id));
            }
        }
        done.owes_erasure |=
            self.removed.iter().any(|removed| removed.is_purged && is_due(removed));
        if done.owes_erasure {
            // A merge takes segments away from under the one that erases, so that none begins until that is done.
            self.writer.set_merge_policy(Box::new(NoMergePolicy));
        }
        if self.removed.iter().any(is_due) {
            self.commit(done)?;
        }
        done = self.add_after(&index, done)?;
        if !self.is_stopped() && self.reader.searcher().num_docs() != index.n_documents() {
            self.writer.delete_all_documents().map_err(failed)?;
            done = self.add_after(&index, Followed { last: 0, ..done })?;
        }
        if done.owes_erasure {
            self.erase()?;
            self.commit(Followed { owes_erasure: false, ..done })?;
            self.writer.set_merge_policy(Box::new(LogMergePolicy::default()));
        }
        self.removed.retain(|removed| !is_due(removed));
        self.follows.send_replace(index.commit());
        Ok(())
    }

    /// Writes all segments anew, so that nothing is left of documents that were removed.
    fn erase(&mut self) -> Result<(), Problem> {
        for tries_left in (0..MOST_TRIES).rev() {
            let segments = self.writer.index().searchable_segment_ids().map_err(failed)?;
            if segments.is_empty() {
                break;
            }
            match self.writer.merge(&segments).wait() {
                Ok(_) => break,
                Err(error) if tries_left == 0 || self.is_stopped() => return Err(failed(error)),
                Err(_) => {}
            }
        }
        self.reader.reload().map_err(failed)?;
        self.writer.garbage_collect_files().wait().map_err(failed)?;
        // A merge that began before may still be writing what was removed.
        if self.has_earlier_files()? {
            return Err(failed("files of earlier segments are still there"));
        }
        Ok(())
    }

    /// Returns whether there are files of segments that are not part of the index any more. They are named
    /// after their segments.
    fn has_earlier_files(&self) -> Result<bool, Problem> {
        let segments = self.writer.index().searchable_segment_ids().map_err(failed)?;
        let segments: HashSet<String> = segments.iter().map(SegmentId::uuid_string).collect();
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name();
            let name = name.to_string_lossy();
            let stem = name.split('.').next().unwrap_or_default();
            let is_segment = stem.len() == 32 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
            if is_segment && !segments.contains(stem) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns how far it is.
    fn done(&self) -> Followed {
        let metas = self.writer.index().load_metas();
        let payload = metas.ok().and_then(|metas| metas.payload);
        payload.and_then(|payload| serde_json::from_str(&payload).ok()).unwrap_or_default()
    }

    fn commit(&mut self, done: Followed) -> Result<(), Problem> {
        let payload = serde_json::to_string(&done).map_err(failed)?;
        let mut commit = self.writer.prepare_commit().map_err(failed)?;
        commit.set_payload(&payload);
        commit.commit().map_err(failed)?;
        self.reader.reload().map_err(failed)
    }

    /// Adds the documents behind the last one; returns how far it is then.
    fn add_after(&mut self, index: &Index, mut done: Followed) -> Result<Followed, Problem> {
        let Fields { id: id_field, title: title_field, text: text_field, source: source_field } =
            self.fields;
        loop {
            let came = index.after(done.last.checked_sub(1), TOGETHER)?;
            if came.is_empty() {
                return Ok(done);
            }
            for stored in &came {
                done.last = stored.seq + 1;
                let id = &stored.document.id;
                // A text that cannot be read is left out; the collection says why when asked for it.
                let text = match index.get(id) {
                    Ok(Some(stored)) => shown_text(&stored.document),
                    _ => String::new(),
                };
                self.writer.delete_term(Term::from_field_text(id_field, id));
                let title = stored.document.title.clone().unwrap_or_default();
                let source = stored.document.source.clone().unwrap_or_default();
                let document = doc!(
                    id_field => id.clone(), title_field => title, text_field => text,
                    source_field => source,
                );
                self.writer.add_document(document).map_err(failed)?;
            }
            done.commit = index.commit();
            self.commit(done)?;
            if self.is_stopped() {
                return Ok(done);
            }
        }
    }
}

/// Returns the text of a document without its markup.
pub(super) fn shown_text(document: &retold::Document) -> String {
    retold_core::clean::Text::of(document, retold_core::clean::Clean::default()).as_str().to_owned()
}
