//! Notices: a text that is posted is checked against protected collections; whoever watches a document
//! that it copies from hears of it.
//!
//! Which documents of a collection were checked is remembered by their numbers, together with the
//! notices that came of it, in one change of the database. A document is therefore noticed once,
//! whenever the server ends and begins.

mod webhooks;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use retold::{Asking, Document, Filter, Index};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use self::webhooks::Webhooks;
use crate::collections::{Collection, Collections};
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::store::{CHECKED, NOTICED, NOTICES, Store, WATCHES, key_of};
use crate::time::now;

/// Hits of one check that are told.
const MOST_HITS: usize = 20;

/// Passages of a hit that are told.
const MOST_PASSAGES: usize = 10;

/// Documents that are checked together.
const TOGETHER: usize = 100;

/// Somebody who wants to hear of copies.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Watch {
    pub(crate) id: String,
    /// The protected collection.
    pub(crate) collection: String,
    pub(crate) name: String,
    /// Documents that are watched; none means all.
    pub(crate) documents: Option<BTreeSet<String>>,
    /// Least share of the posted text, or of the watched document, that has to match.
    pub(crate) least_share: f64,
    pub(crate) webhook: Option<String>,
    /// By what webhooks are signed.
    pub(crate) secret: String,
    pub(crate) created: i64,
}

/// A notice: a posted text copies from a watched document.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Notice {
    /// Its number; later notices have greater ones.
    pub(crate) number: u64,
    /// The watch it belongs to.
    pub(crate) watch: String,
    /// When it was made, in seconds since 1970.
    pub(crate) time: i64,
    /// The collection that the text was posted to.
    pub(crate) posted_to: String,
    /// Id of the posted text.
    pub(crate) posted: String,
    /// Title of the posted text.
    pub(crate) posted_title: Option<String>,
    /// Source of the posted text.
    pub(crate) posted_source: Option<String>,
    /// The watched collection.
    pub(crate) collection: String,
    /// The watched document that it copies from, with the passages: as in the answer to a query, where
    /// `a` is the posted text.
    pub(crate) matched: Value,
    /// Whether somebody has read it.
    pub(crate) is_read: bool,
}

/// What a posted text was found to copy from.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Check {
    /// Id of the posted text.
    pub(crate) id: String,
    /// What to do: `cite or change` if something was found.
    pub(crate) advice: Option<String>,
    /// Documents that it copies from, best first, as in the answer to a query.
    pub(crate) sources: Vec<Value>,
    /// Words of it that stand in one of them, and all its words.
    pub(crate) words_found: u64,
    /// All its words.
    pub(crate) words: u64,
}

/// Makes notices.
pub(crate) struct Notices {
    store: Arc<Store>,
    collections: Arc<Collections>,
    metrics: Arc<Metrics>,
    pub(crate) webhooks: Webhooks,
    /// Held while documents are checked, so that nobody checks them twice.
    checking: Mutex<()>,
}

impl Notices {
    pub(crate) fn new(
        store: &Arc<Store>,
        collections: &Arc<Collections>,
        metrics: &Arc<Metrics>,
        allowed: &[String],
    ) -> Result<Self, Problem> {
        let webhooks = Webhooks::start(Arc::clone(store), Arc::clone(metrics), allowed)?;
        Ok(Self {
            store: Arc::clone(store),
            collections: Arc::clone(collections),
            metrics: Arc::clone(metrics),
            webhooks,
            checking: Mutex::default(),
        })
    }

    /// Asks what a text copies from, in the collections that another is checked against.
    pub(crate) fn check(
        &self,
        against: &[String],
        document: &Document,
    ) -> Result<(Check, Vec<(String, retold::Hit)>), Problem> {
        let mut check = Check { id: document.id.clone(), ..Check::default() };
        let mut hits = Vec::new();
        for name in against {
            let Some(protected) = self.collections.get(name) else { continue };
            let index = protected.index();
            let asking = Asking {
                top: Some(MOST_HITS),
                passages_per_pair: Some(MOST_PASSAGES),
                filter: Filter::default(),
                within: Some(std::time::Duration::from_secs(10)),
                ..Asking::default()
            };
            let answer = index.ask(document, &asking)?;
            check.words = u64::from(answer.n_words);
            check.words_found = check.words_found.max(u64::from(answer.attribution.n_found));
            for hit in answer.hits {
                let mut value = serde_json::to_value(&hit).map_err(Problem::internal)?;
                value["collection"] = Value::from(name.clone());
                check.sources.push(value);
                hits.push((name.clone(), hit));
            }
        }
        if !hits.is_empty() {
            check.advice = Some("cite or change".to_owned());
        }
        Ok((check, hits))
    }

    /// Checks documents of a collection that were not checked yet, and makes the notices.
    pub(crate) fn follow(&self, collection: &Collection) -> Result<(), Problem> {
        let record = collection.record();
        if record.check_against.is_empty() {
            return Ok(());
        }
        let _checking = self.checking.lock().unwrap_or_else(PoisonError::into_inner);
        let index = collection.index();
        let mut last = self.store.get::<u64>(CHECKED, &record.name)?.unwrap_or(0);
        // An index that was restored from a copy goes on behind the last document of the copy.
        last = last.min(index.last_seq()?.map_or(0, |seq| seq + 1));
        let watches = self.watches_of(&record.check_against)?;
        loop {
            let came = index.after(last.checked_sub(1), TOGETHER)?;
            let Some(newest) = came.last().map(|stored| stored.seq + 1) else { return Ok(()) };
            let mut notices = Vec::new();
            if !watches.is_empty() {
                for stored in &came {
                    self.notices_of(&index, &record, stored, &watches, &mut notices)?;
                }
            }
            let n_new = self.store.change(|changes| {
                let mut n_new = 0;
                for (key, mut notice) in notices {
                    if changes.get::<u64>(NOTICED, &key)?.is_some() {
                        continue;
                    }
                    notice.number = changes.next("notice")?;
                    changes.put(NOTICED, &key, &notice.number)?;
                    changes.put(NOTICES, &key_of(notice.number), &notice)?;
                    let watch = watches.iter().find(|watch| watch.id == notice.watch);
                    if let Some(url) = watch.and_then(|watch| watch.webhook.as_ref()) {
                        Webhooks::plan(changes, &notice, url)?;
                    }
                    n_new += 1;
                }
                changes.put(CHECKED, &record.name, &newest)?;
                Ok(n_new)
            })?;
            self.metrics.notices.inc_by(n_new);
            if n_new > 0 {
                self.webhooks.wake();
            }
            last = newest;
        }
    }

    fn notices_of(
        &self,
        index: &Index,
        record: &crate::collections::Record,
        stored: &retold::StoredDocument,
        watches: &[Watch],
        out: &mut Vec<(String, Notice)>,
    ) -> Result<(), Problem> {
        let Some(posted) = index.get(&stored.document.id)? else { return Ok(()) };
        let (_, hits) = self.check(&record.check_against, &posted.document)?;
        for (collection, hit) in hits {
            let share = hit.of_text.get().max(hit.of_document.get());
            for watch in watches {
                let is_watched = watch.collection == collection
                    && watch.documents.as_ref().is_none_or(|ids| ids.contains(&hit.id))
                    && share >= watch.least_share;
                if !is_watched {
                    continue;
                }
                let parts = (&watch.id, &record.name, &posted.document.id, posted.seq, &hit.id);
                let key = serde_json::to_string(&parts).map_err(Problem::internal)?;
                let notice = Notice {
                    number: 0,
                    watch: watch.id.clone(),
                    time: now(),
                    posted_to: record.name.clone(),
                    posted: posted.document.id.clone(),
                    posted_title: posted.document.title.clone(),
                    posted_source: posted.document.source.clone(),
                    collection: collection.clone(),
                    matched: serde_json::to_value(&hit).map_err(Problem::internal)?,
                    is_read: false,
                };
                out.push((key, notice));
            }
        }
        Ok(())
    }

    /// Checks everything that was not checked when the server ended.
    pub(crate) fn follow_all(&self) -> Result<(), Problem> {
        self.collections.all().iter().try_for_each(|collection| self.follow(collection))
    }

    fn watches_of(&self, collections: &[String]) -> Result<Vec<Watch>, Problem> {
        let watches = self.store.list::<Watch>(WATCHES, "", None, usize::MAX)?;
        let watches = watches.into_iter().map(|(_, watch)| watch);
        Ok(watches.filter(|watch| collections.contains(&watch.collection)).collect())
    }

    /// Returns the watches of a collection.
    pub(crate) fn watches(&self, collection: &str) -> Result<Vec<Watch>, Problem> {
        self.watches_of(&[collection.to_owned()])
    }

    pub(crate) fn add_watch(&self, watch: &Watch) -> Result<(), Problem> {
        self.store.put(WATCHES, &watch.id, watch)
    }

    pub(crate) fn watch(&self, id: &str) -> Result<Option<Watch>, Problem> {
        self.store.get(WATCHES, id)
    }

    pub(crate) fn remove_watch(&self, id: &str) -> Result<bool, Problem> {
        self.store.remove(WATCHES, id)
    }

    /// Returns notices behind a number that somebody may see.
    pub(crate) fn list(
        &self,
        after: u64,
        limit: usize,
        is_wanted: impl Fn(&Notice) -> bool,
    ) -> Result<Vec<Notice>, Problem> {
        let (mut found, mut after) = (Vec::new(), Some(key_of(after)));
        loop {
            let some = self.store.list::<Notice>(NOTICES, "", after.as_deref(), 500)?;
            let Some((last, _)) = some.last() else { return Ok(found) };
            after = Some(last.clone());
            for (_, notice) in some {
                if is_wanted(&notice) {
                    found.push(notice);
                    if found.len() == limit {
                        return Ok(found);
                    }
                }
            }
        }
    }

    /// Marks a notice as read or not; returns it.
    pub(crate) fn mark(
        &self,
        number: u64,
        is_read: bool,
        may_see: impl Fn(&Notice) -> bool,
    ) -> Result<Option<Notice>, Problem> {
        self.store.change(|changes| {
            let key = key_of(number);
            let Some(mut notice) = changes.get::<Notice>(NOTICES, &key)?.filter(&may_see) else {
                return Ok(None);
            };
            notice.is_read = is_read;
            changes.put(NOTICES, &key, &notice)?;
            Ok(Some(notice))
        })
    }
}
