//! A stream: documents come one by one and are compared with those of a time window.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use retold_core::candidates::{Cuts, Found, Window};
use retold_core::document::{Document, Ordinal, Span};
use retold_core::features::counts::Counts;
use retold_core::features::{Featurizer, Places, Words};
use retold_core::methods::Detector;
use retold_core::relation::{Evidence, Kind, Scores};
use retold_core::segment::sentence::Delimiters;
use retold_core::verify::Profile;
use retold_core::verify::align;
use retold_read::{LineReader, ReadOptions, Reader, discover};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::job::{Copies, Decide, Job};
use crate::query::{Hit, shares};
use crate::resources::Resources;
use crate::time::seconds;

/// Which documents of a stream are compared with each other, by their times.
///
/// ```
/// use retold::TimeWindow;
/// assert_eq!(TimeWindow::from(Some(3600)).seconds, Some(3600));
/// assert_eq!(TimeWindow::default().ahead_seconds, 86_400);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeWindow {
    /// How far back from the newest time; `None` keeps everything. The default is `None`.
    pub seconds: Option<i64>,
    /// How far a time may lie ahead of the clock. A document from later than that counts as one
    /// without a time: it would move the window to where no other document is. The default is a
    /// day, enough for clocks and time zones that are wrong.
    pub ahead_seconds: i64,
}

impl Default for TimeWindow {
    fn default() -> Self {
        Self { seconds: None, ahead_seconds: 86_400 }
    }
}

impl From<Option<i64>> for TimeWindow {
    fn from(seconds: Option<i64>) -> Self {
        Self { seconds, ..Self::default() }
    }
}

/// Documents of a time window, and what finds relatives among them.
///
/// ```
/// use retold::{Document, Job, Stream};
/// let mut stream = Stream::new(&Job::default(), Some(86_400)).unwrap();
/// let note = "The harbour board will close the east quay for repairs from Monday until Friday";
/// let arrival = |id: &str, time: &str| Document {
///     time: Some(time.to_owned()),
///     ..Document::plain(id, note)
/// };
/// assert!(stream.push(&arrival("a", "2026-01-05")).hits.is_empty());
/// assert_eq!(stream.push(&arrival("b", "2026-01-05T12:00:00Z")).hits[0].id, "a");
/// // Three days on, both have left the window.
/// assert!(stream.push(&arrival("c", "2026-01-08")).hits.is_empty());
/// ```
pub struct Stream {
    detector: Box<dyn Detector>,
    featurizer: Featurizer,
    counts: Option<Counts>,
    decide: Decide,
    copies: Copies,
    passages_per_pair: usize,
    span: TimeWindow,
    read: ReadOptions,
    is_strict: bool,
    window: Box<dyn Window>,
    live: HashMap<Ordinal, Live>,
    by_time: BTreeSet<(i64, Ordinal)>,
    /// Documents with the same words, by the hash of the words, in order.
    by_words: BTreeMap<u128, Vec<Ordinal>>,
    /// Documents of the same id, in order.
    by_id: HashMap<Arc<str>, Vec<Ordinal>>,
    newest: Option<i64>,
    next: u32,
    words: Words,
    /// What happened since it was last [settled](Self::settle), if that may have to be undone.
    journal: Option<Journal>,
}

/// What has to be known to undo what happened to a window.
#[derive(Default)]
struct Journal {
    newest: Option<i64>,
    next: u32,
    changes: Vec<Change>,
}

/// A document that came to a window, or left it.
enum Change {
    Came(Ordinal),
    Left(Ordinal, Live),
}

/// Why an image can be read back.
const OWN_IMAGE: &str = "images are those of the same method, and lie in memory";

/// A document in the window.
struct Live {
    id: Arc<str>,
    /// `None` if it has no words: it is a copy of nothing.
    words_hash: Option<u128>,
    time: Option<i64>,
    profile: Arc<Profile>,
    /// `None` if it is too short or a copy of one that has it.
    image: Option<Box<[u8]>>,
    told: Told,
}

/// What a story belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Told {
    /// Id of the story that its cluster began with.
    pub(crate) cluster: Arc<str>,
    /// Who told it first.
    pub(crate) first: Arc<Telling>,
}

/// Who told a story, and when.
///
/// ```
/// use retold::{Document, Job, Stream};
/// let mut stream = Stream::new(&Job::default(), None)?;
/// let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// stream.push(&Document { source: Some("wire".into()), ..Document::plain("a", text) });
/// let arrival = stream.push(&Document::plain("b", text));
/// assert_eq!((arrival.first.id.as_str(), arrival.first.source.as_deref()), ("a", Some("wire")));
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Telling {
    /// Id of the document.
    pub id: String,
    /// Its time, as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Who published it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its time in seconds since 1970, by which tellings are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<i64>,
}

/// What a document meets when it comes.
///
/// ```
/// use retold::{Document, Job, Stream};
/// let mut stream = Stream::new(&Job::default(), Some(60))?;
/// let arrival = stream.push(&Document::plain("a", "two words"));
/// assert!(arrival.is_too_short && arrival.hits.is_empty());
/// assert!(serde_json::to_string(&arrival).unwrap().starts_with(r#"{"id":"a""#));
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Arrival {
    /// Its number in the stream, from 1, if the stream is kept in an index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// Its name.
    pub id: String,
    /// Its time, as it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The earliest document of the window that tells the same, if there is one: where a result
    /// list would fold this one away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_of: Option<String>,
    /// Id of the story that its cluster began with; its own if it tells something new.
    pub cluster: String,
    /// The earliest known telling of it, which may have left the window; itself if it is the first.
    pub first: Telling,
    /// Sentences of it of which less than half of the words stand in a document of the window; not
    /// told if it meets no document, as all of them are new then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_sentences: Option<Vec<Span>>,
    /// Whether it came too late: it is older than the window and was not kept.
    pub is_late: bool,
    /// Whether its time lies too far ahead to be believed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_ahead: bool,
    /// Whether it has too little text to be judged.
    pub is_too_short: bool,
    /// Relatives in the window, in the order of their coming.
    pub hits: Vec<Hit>,
    /// Documents in the window now.
    pub n_live: u64,
    /// Documents that left it now.
    pub n_expired: u64,
    /// Features too common to vote, and candidates left out, if any.
    #[serde(skip_serializing_if = "is_nothing")]
    pub n_cut: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_nothing(n: &u64) -> bool {
    *n == 0
}

impl Stream {
    /// Makes an empty window; a number of seconds is one, and `None` keeps everything.
    ///
    /// *Errors* if the method needs statistics and the job names no table of them.
    pub fn new(job: &Job, window: impl Into<TimeWindow>) -> Result<Self, Error> {
        let counts = job.counts(&*job.detector()?)?;
        Self::with_counts(job, window, counts)
    }

    /// The same with statistics that are at hand.
    pub(crate) fn with_counts(
        job: &Job,
        window: impl Into<TimeWindow>,
        counts: Option<Counts>,
    ) -> Result<Self, Error> {
        let detector = job.detector()?;
        if detector.needs_counts() && counts.is_none() {
            return Err(Error::NeedsTable(job.method.clone()));
        }
        Ok(Self {
            decide: job.decider(&*detector),
            copies: job.copies,
            featurizer: job.featurizer(&*detector),
            counts,
            passages_per_pair: job.passages_per_pair,
            span: window.into(),
            read: job.read_options(),
            is_strict: job.strict,
            window: detector.window(),
            detector,
            live: HashMap::new(),
            by_time: BTreeSet::new(),
            by_words: BTreeMap::new(),
            by_id: HashMap::new(),
            newest: None,
            next: 0,
            words: Words::default(),
            journal: None,
        })
    }

    /// Returns the number of documents in the window.
    ///
    /// ```
    /// use retold::{Document, Job, Stream};
    /// let mut stream = Stream::new(&Job::default(), None)?;
    /// assert!(stream.is_empty());
    /// stream.push(&Document::plain("a", "some text"));
    /// assert_eq!(stream.len(), 1);
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// Returns whether the window is empty.
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Takes a document: tells what it meets, and keeps it while it is in the window.
    ///
    /// The window ends at the newest time seen. A document without a time, or from too far ahead,
    /// comes at that moment; one older than the window is answered but not kept.
    ///
    /// ```
    /// use retold::{Document, Job, Stream};
    /// let mut stream = Stream::new(&Job::default(), None)?;
    /// let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// stream.push(&Document::plain("a", text));
    /// let arrival = stream.push(&Document::plain("b", format!("{text}.")));
    /// assert_eq!(arrival.copy_of.as_deref(), Some("a"));
    /// assert_eq!((arrival.n_live, arrival.is_late), (2, false));
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn push(&mut self, document: &Document) -> Arrival {
        self.take(document).0
    }

    /// Takes a document; returns what it meets, and what else is known of it.
    pub(crate) fn take(&mut self, document: &Document) -> (Arrival, Taken) {
        let told = document.time.as_deref().and_then(seconds);
        let is_ahead =
            told.is_some_and(|time| time > now().saturating_add(self.span.ahead_seconds));
        let time = told.filter(|_| !is_ahead).or(self.newest);
        self.newest = self.newest.max(time);
        let n_expired = self.expire();
        let ordinal = Ordinal(self.next);
        let (image, words_hash, profile) = self.examine(document);
        let mut found = Found::default();
        if let Some(image) = &image {
            self.window.ask(image, ordinal, &mut found).expect(OWN_IMAGE);
        }
        let found_hits = self.hits(&profile, words_hash, &found);
        let own = Telling {
            id: document.id.clone(),
            time: document.time.clone(),
            source: document.source.clone(),
            seconds: time,
        };
        let told = self.told(own, &found_hits);
        let hits: Vec<Hit> = found_hits.into_iter().map(|(_, hit)| hit).collect();
        let tells_the_same = |hit: &&Hit| tells_the_same(hit.relation);
        let new_sentences = self.new_sentences(document, &profile, &hits);
        let Cuts { n_stop_features, n_candidates_cut, n_searches_cut } = found.cuts;
        let is_late = self.is_old(time);
        let mut arrival = Arrival {
            seq: None,
            id: document.id.clone(),
            time: document.time.clone(),
            cluster: told.cluster.to_string(),
            first: Telling::clone(&told.first),
            new_sentences,
            copy_of: hits.iter().find(tells_the_same).map(|hit| hit.id.clone()),
            is_late,
            is_ahead,
            is_too_short: image.is_none(),
            hits,
            n_live: 0,
            n_expired,
            n_cut: n_stop_features + n_candidates_cut + n_searches_cut,
        };
        let taken = Taken { time, words_hash, image: image.clone(), told: told.clone(), is_late };
        if !is_late {
            self.next += 1;
            let (id, profile) = (document.id.as_str().into(), Arc::new(profile));
            self.keep(ordinal, Live { id, words_hash, time, profile, image, told });
        }
        arrival.n_live = self.live.len() as u64;
        (arrival, taken)
    }

    /// Returns the image of a document, what its copies share, and what it is compared by.
    fn examine(&mut self, document: &Document) -> (Option<Box<[u8]>>, Option<u128>, Profile) {
        let mut words = std::mem::take(&mut self.words);
        let (places, counts) = (self.detector.places(), self.counts.as_ref());
        let image = self
            .featurizer
            .read(document, places, counts, &mut words, |reading, _| self.detector.image(reading));
        let words_hash = self.copies.key(words.identity(), &document.text);
        self.words = words;
        let profile = Profile::of(document, &self.featurizer, self.detector.shingles());
        (image, words_hash, profile)
    }

    /// Returns the cluster of a document and who told it first, from what it meets: it belongs to the
    /// earliest document that tells the same.
    fn told(&self, own: Telling, hits: &[(Ordinal, Hit)]) -> Told {
        let known = hits
            .iter()
            .filter(|(_, hit)| tells_the_same(hit.relation) || hit.relation == Kind::Contains)
            .map(|(ordinal, _)| (*ordinal, &self.live[ordinal]))
            .min_by_key(|(ordinal, live)| (live.time.unwrap_or(i64::MAX), *ordinal));
        match known {
            None => Told { cluster: own.id.as_str().into(), first: Arc::new(own) },
            Some((_, live)) => {
                // Who comes later may have told it earlier.
                let is_earlier = match (own.seconds, live.told.first.seconds) {
                    (Some(own), Some(known)) => own < known,
                    _ => false,
                };
                let first = if is_earlier { Arc::new(own) } else { Arc::clone(&live.told.first) };
                Told { cluster: Arc::clone(&live.told.cluster), first }
            }
        }
    }

    /// Returns the sentences of which less than half of the words stand in a document of the window;
    /// `None` if nothing of the document does.
    fn new_sentences(
        &self,
        document: &Document,
        profile: &Profile,
        hits: &[Hit],
    ) -> Option<Vec<Span>> {
        if hits.is_empty() {
            return None;
        }
        let words = &profile.words.spans;
        let mut is_known = vec![false; words.len()];
        for passage in hits.iter().flat_map(|hit| &hit.evidence.passages) {
            let start = words.partition_point(|word| word.start < passage.a.start);
            let end = words.partition_point(|word| word.end <= passage.a.end);
            is_known[start..end.max(start)].fill(true);
        }
        let (mut again, mut sentences) = (Words::default(), Vec::new());
        self.featurizer.read(document, Places::Kept, None, &mut again, |reading, _| {
            sentences = reading.sentences(Delimiters::Natural);
        });
        let is_new = |sentence: &Range<usize>| {
            let known = is_known.get(sentence.clone()).unwrap_or_default();
            2 * known.iter().filter(|known| **known).count() < known.len()
        };
        let span =
            |sentence: Range<usize>| profile.span(sentence.start as u32, sentence.end as u32);
        Some(sentences.into_iter().filter(is_new).map(span).collect())
    }

    /// Takes a document up that was judged before, as if it had just come; documents come in the order
    /// in which they came the first time.
    pub(crate) fn restore(&mut self, document: &Document, time: Option<i64>, told: Told) {
        self.newest = self.newest.max(time);
        let (image, words_hash, profile) = self.examine(document);
        let ordinal = Ordinal(self.next);
        self.next += 1;
        let (id, profile) = (document.id.as_str().into(), Arc::new(profile));
        self.keep(ordinal, Live { id, words_hash, time, profile, image, told });
    }

    /// Returns the newest time seen.
    pub(crate) fn newest(&self) -> Option<i64> {
        self.newest
    }

    /// Moves the window on to a time, if that is later.
    pub(crate) fn move_to(&mut self, newest: Option<i64>) {
        self.newest = self.newest.max(newest);
        self.expire();
    }

    /// Forgets all documents of an id but the last.
    pub(crate) fn forget_earlier(&mut self, id: &str) {
        let mut same = self.by_id.get(id).cloned().unwrap_or_default();
        same.sort_unstable();
        same.pop();
        for ordinal in same {
            self.remove(ordinal);
        }
    }

    /// Forgets all documents of an id.
    pub(crate) fn forget(&mut self, id: &str) {
        for ordinal in self.by_id.get(id).cloned().unwrap_or_default() {
            self.remove(ordinal);
        }
    }

    /// Forgets how to undo what happened, and remembers from now on what happens.
    pub(crate) fn settle(&mut self) {
        let (newest, next) = (self.newest, self.next);
        self.journal = Some(Journal { newest, next, changes: Vec::new() });
    }

    /// Undoes all that happened since it was last [settled](Self::settle).
    pub(crate) fn undo(&mut self) {
        let Some(Journal { newest, next, changes }) = self.journal.take() else { return };
        for change in changes.into_iter().rev() {
            match change {
                Change::Came(ordinal) => self.remove(ordinal),
                Change::Left(ordinal, live) => self.keep(ordinal, live),
            }
        }
        (self.newest, self.next) = (newest, next);
        self.settle();
    }

    /// Forgets one document.
    fn remove(&mut self, ordinal: Ordinal) {
        if let Some(time) = self.live.get(&ordinal).and_then(|live| live.time) {
            self.by_time.remove(&(time, ordinal));
        }
        self.leave(ordinal);
    }

    /// Follows documents in the order of the files and calls `each` with what every one meets.
    ///
    /// Standard input (`-`) is read as JSON Lines and answered line by line; files are read whole.
    /// Of the resources those who hear of it and who may stop it count.
    ///
    /// ```
    /// use retold::{Job, Resources, Stream};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("news.jsonl");
    /// # std::fs::write(&path, "{\"id\": 1, \"text\": \"some text\"}\n")?;
    /// let mut stream = Stream::new(&Job::default(), Some(86_400))?;
    /// let mut ids = Vec::new();
    /// stream.follow(&[path], &Resources::new(), &mut |arrival| {
    ///     ids.push(arrival.id);
    ///     Ok(())
    /// })?;
    /// assert_eq!(ids, ["1"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn follow(
        &mut self,
        paths: &[PathBuf],
        resources: &Resources,
        each: &mut dyn FnMut(Arrival) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut n_documents = 0;
        let (options, is_strict) = (self.read.clone(), self.is_strict);
        each_document(paths, &options, is_strict, resources, &mut |document| {
            n_documents += 1;
            each(self.push(&document))
        })?;
        if resources.stop.is_set() { Err(Error::StoppedFollowing { n_documents }) } else { Ok(()) }
    }

    fn is_old(&self, time: Option<i64>) -> bool {
        match (self.span.seconds, self.newest, time) {
            (Some(window), Some(newest), Some(time)) => time < newest.saturating_sub(window),
            _ => false,
        }
    }

    fn keep(&mut self, ordinal: Ordinal, mut live: Live) {
        if let Some(time) = live.time {
            self.by_time.insert((time, ordinal));
        }
        self.by_id.entry(Arc::clone(&live.id)).or_default().push(ordinal);
        if let Some(journal) = &mut self.journal {
            journal.changes.push(Change::Came(ordinal));
        }
        let Some(words_hash) = live.words_hash else {
            self.live.insert(ordinal, live);
            return;
        };
        let same = self.by_words.entry(words_hash).or_default();
        // Last, unless it comes back.
        let at = same.partition_point(|&other| other < ordinal);
        same.insert(at, ordinal);
        // Of documents with the same words only the first is in the index.
        if at == 0
            && let Some(image) = &live.image
        {
            if let Some(&first) = same.get(1) {
                self.window.remove(first).expect(OWN_IMAGE);
            }
            self.window.insert(ordinal, image).expect(OWN_IMAGE);
        }
        if let Some(first) = same.iter().find_map(|other| self.live.get(other)) {
            live.profile = if first.profile.words == live.profile.words {
                Arc::clone(&first.profile)
            } else {
                live.profile
            };
        }
        self.live.insert(ordinal, live);
    }

    /// Forgets what has left the window; returns how many documents did.
    fn expire(&mut self) -> u64 {
        let mut n_expired = 0;
        while let Some(&(time, ordinal)) = self.by_time.first()
            && self.is_old(Some(time))
        {
            self.by_time.pop_first();
            n_expired += 1;
            self.leave(ordinal);
        }
        n_expired
    }

    /// Forgets one document, but for its time.
    fn leave(&mut self, ordinal: Ordinal) {
        let Some(gone) = self.live.remove(&ordinal) else { return };
        self.leave_lists(ordinal, &gone);
        if let Some(journal) = &mut self.journal {
            journal.changes.push(Change::Left(ordinal, gone));
        }
    }

    fn leave_lists(&mut self, ordinal: Ordinal, gone: &Live) {
        if let Some(docs) = self.by_id.get_mut(&gone.id) {
            docs.retain(|&other| other != ordinal);
            if docs.is_empty() {
                self.by_id.remove(&gone.id);
            }
        }
        let Some(words_hash) = gone.words_hash else { return };
        let Some(same) = self.by_words.get_mut(&words_hash) else { return };
        let was_first = same.first() == Some(&ordinal);
        same.retain(|&other| other != ordinal);
        if was_first && gone.image.is_some() {
            self.window.remove(ordinal).expect(OWN_IMAGE);
        }
        match same.first().copied() {
            None => {
                self.by_words.remove(&words_hash);
            }
            // The next copy takes the place in the index.
            Some(heir) if was_first => {
                if let Some(image) = self.live.get(&heir).and_then(|live| live.image.as_ref()) {
                    self.window.insert(heir, image).expect(OWN_IMAGE);
                }
            }
            Some(_) => {}
        }
    }

    /// Looks at the documents that may be related.
    fn hits(
        &self,
        profile: &Profile,
        words_hash: Option<u128>,
        found: &Found,
    ) -> Vec<(Ordinal, Hit)> {
        let mut hits: Vec<(Ordinal, Hit)> = Vec::new();
        let (k, edits) = (self.detector.shingles().k(), self.detector.rule().edits);
        let mut add = |ordinal: Ordinal, kind: Kind, scores: Scores, evidence: Evidence| {
            let live = &self.live[&ordinal];
            let id = live.id.to_string();
            let (title, time, source, match_ratio) = (None, None, None, None);
            let relation = kind;
            let n_words = (profile.n_words(), live.profile.n_words());
            let (of_text, of_document) = shares(scores, &evidence, n_words, edits);
            let hit = Hit {
                id,
                title,
                time,
                source,
                match_ratio,
                relation,
                scores,
                of_text,
                of_document,
                evidence,
                credit: None,
                view: None,
            };
            hits.push((ordinal, hit));
        };
        let same_words = |hash: Option<u128>| {
            hash.and_then(|hash| self.by_words.get(&hash)).into_iter().flatten()
        };
        for &same in same_words(words_hash) {
            let other = &self.live[&same].profile;
            let compared = align::compare(profile, other, k, edits);
            let evidence = compared.evidence(profile, other, self.passages_per_pair);
            add(same, Kind::Exact, Scores::EQUAL, Evidence { counted: None, ..evidence });
        }
        for partner in &found.partners {
            let Some(first) = self.live.get(&partner.ordinal) else { continue };
            if first.words_hash == words_hash {
                continue;
            }
            for &doc in same_words(first.words_hash) {
                let other = &self.live[&doc].profile;
                let related = match self.decide {
                    Decide::Documents => self.detector.verify(profile, other),
                    Decide::Method => {
                        let comparison = align::compare(profile, other, k, edits);
                        let scores = partner.scores;
                        Some((
                            partner.kind,
                            align::Comparison { scores, counted: None, ..comparison },
                        ))
                    }
                };
                if let Some((kind, comparison)) = related {
                    let evidence = comparison.evidence(profile, other, self.passages_per_pair);
                    add(doc, kind, comparison.scores, evidence);
                }
            }
        }
        hits.sort_by_key(|(ordinal, _)| *ordinal);
        hits
    }
}

/// Hands over the documents under some paths in order, until it is asked to stop.
pub(crate) fn each_document(
    paths: &[PathBuf],
    options: &ReadOptions,
    is_strict: bool,
    resources: &Resources,
    each: &mut dyn FnMut(Document) -> Result<(), Error>,
) -> Result<(), Error> {
    let (progress, stop) = (&*resources.progress, &resources.stop);
    for path in paths {
        if path.as_os_str() == "-" {
            let mut lines = LineReader::new(std::io::stdin().lock(), options);
            while !stop.is_set()
                && let Some(document) =
                    lines.next_document().map_err(Error::io("read", "-".as_ref()))?
            {
                match document {
                    Ok(document) => each(document)?,
                    Err(bad) if is_strict => return Err(Error::Input(bad)),
                    Err(bad) => progress.bad(&bad),
                }
            }
            continue;
        }
        let found = discover(std::slice::from_ref(path))?;
        found.skipped.iter().for_each(|bad| progress.bad(bad));
        let mut reader = Reader::stopped_by(found.files, options.clone(), stop.flag());
        while !stop.is_set()
            && let Some(batch) = reader.next_batch()
        {
            let mut ended = Ok(());
            batch.parse(&mut |record| {
                if ended.is_err() || stop.is_set() {
                    return;
                }
                match record {
                    Ok(record) => ended = each(record.document),
                    Err(bad) if is_strict => ended = Err(Error::Input(bad)),
                    Err(bad) => progress.bad(&bad),
                }
            });
            ended?;
        }
    }
    Ok(())
}

/// Returns whether a document of this relation repeats the other.
fn tells_the_same(relation: Kind) -> bool {
    matches!(relation, Kind::Exact | Kind::NearDuplicate | Kind::Contained)
}

/// What is known of a document that was taken.
pub(crate) struct Taken {
    /// Its time, or the time it counts as having.
    pub(crate) time: Option<i64>,
    pub(crate) words_hash: Option<u128>,
    pub(crate) image: Option<Box<[u8]>>,
    pub(crate) told: Told,
    /// Whether it was not kept.
    pub(crate) is_late: bool,
}

/// Returns the seconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use crate::{Documents, Find, Found};

    use super::*;

    const NOTE: &str = "The harbour board will close the east quay for repairs from Monday";

    fn at(id: &str, text: &str, time: &str) -> Document {
        Document { time: Some(time.to_owned()), ..Document::plain(id, text) }
    }

    fn ids(arrival: &Arrival) -> Vec<&str> {
        arrival.hits.iter().map(|hit| hit.id.as_str()).collect()
    }

    #[test]
    fn when_the_first_of_some_copies_expires_the_next_is_found_in_its_place() {
        let mut stream = Stream::new(&Job::default(), Some(3600)).expect("a stream");
        stream.push(&at("a", NOTE, "2026-01-01T00:00:00Z"));
        stream.push(&at("b", NOTE, "2026-01-01T00:30:00Z"));
        let longer = format!("{NOTE} until Friday");
        let third = stream.push(&at("c", &longer, "2026-01-01T01:15:00Z"));
        assert_eq!((ids(&third), third.n_expired, third.n_live), (vec!["b"], 1, 2));
    }

    #[test]
    fn a_story_dated_9999_does_not_empty_the_window() {
        let mut stream = Stream::new(&Job::default(), Some(3600)).expect("a stream");
        stream.push(&at("a", NOTE, "2026-01-01T12:00:00Z"));
        let odd = stream.push(&at("odd", "Rain is expected all week", "9999-12-31T23:59:59Z"));
        assert!(odd.is_ahead && !odd.is_late);
        assert_eq!((odd.n_expired, odd.n_live), (0, 2));
        let next = stream.push(&at("b", NOTE, "2026-01-01T12:30:00Z"));
        assert_eq!((ids(&next), next.is_ahead), (vec!["a"], false));
        // It leaves the window with those it came with.
        let later = stream.push(&at("c", NOTE, "2026-01-01T13:10:00Z"));
        assert_eq!((ids(&later), later.n_expired, later.n_live), (vec!["b"], 2, 2));

        let believing = TimeWindow { seconds: Some(3600), ahead_seconds: i64::MAX };
        let mut stream = Stream::new(&Job::default(), believing).expect("a stream");
        stream.push(&at("a", NOTE, "2026-01-01T12:00:00Z"));
        assert_eq!(stream.push(&at("odd", NOTE, "9999-12-31T23:59:59Z")).n_expired, 1);
    }

    #[test]
    fn a_late_document_inside_the_window_is_kept_and_an_older_one_is_not() {
        let mut stream = Stream::new(&Job::default(), Some(3600)).expect("a stream");
        stream.push(&at("new", "Rain is expected on the coast all week", "2026-01-01T12:00:00Z"));
        assert!(!stream.push(&at("late", NOTE, "2026-01-01T11:30:00Z")).is_late);
        let old = stream.push(&at("old", NOTE, "2026-01-01T10:00:00Z"));
        assert!(old.is_late);
        assert_eq!(ids(&old), ["late"]);
        assert_eq!(stream.len(), 2);
    }

    #[test]
    fn a_stream_finds_what_a_collection_finds() {
        let texts = [
            NOTE.to_owned(),
            format!("Ships will wait. {NOTE} until Friday. Ferries sail."),
            "Apple growers expect the largest harvest in eleven years this month".to_owned(),
            NOTE.to_uppercase(),
        ];
        let documents: Vec<Document> =
            texts.iter().zip(0..).map(|(text, i)| Document::plain(format!("{i}"), text)).collect();
        let mut batch = Found::only_pairs();
        Find::new(Documents::new(documents.clone())).run(&mut batch).expect("a run");
        let mut stream = Stream::new(&Job::default(), None).expect("a stream");
        let mut pairs = Vec::new();
        for document in documents {
            let arrival = stream.push(&document);
            pairs.extend(arrival.hits.into_iter().map(|hit| {
                (hit.id, arrival.id.clone(), hit.relation.flipped(), hit.scores.flipped())
            }));
        }
        pairs.sort_by(|x, y| (&x.0, &x.1).cmp(&(&y.0, &y.1)));
        let expected: Vec<_> = batch
            .into_pairs()
            .into_iter()
            .map(|r| (r.a.to_string(), r.b.to_string(), r.kind, r.scores))
            .collect();
        assert_eq!(pairs, expected);
    }
}
