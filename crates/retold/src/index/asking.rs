//! Questions: what a text was copied from.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use retold_core::candidates::stored::Matches;
use retold_core::candidates::{Cuts, Found, Partner};
use retold_core::document::Document;
use retold_core::features::Words;
use retold_core::relation::{Evidence, Kind, Score, Scores};
use retold_core::verify::align::{Bench, Comparison};
use retold_core::verify::{Askers, Profile, Profiler};
use retold_read::ReadOptions;
use retold_report::PairView;
use serde::{Deserialize, Serialize};

use super::comparing::Compared;
use super::filter::Filter;
use super::methods::IndexMethod;
use super::own_runs::OwnRuns;
use super::reading::Index;
use crate::error::Error;
use crate::job::Decide;
use crate::pipeline::parallel::Pool;
use crate::pipeline::side::side;
use crate::pipeline::sources::Sources;
use crate::progress::Stage;
use crate::query::{Answer, Hit, attribution_of, shares};
use crate::quotations::{Credit, Quotations, Quotes};
use crate::resources::Resources;
use crate::source::{Content, Opening, Source};

/// How a question is asked.
///
/// ```
/// use retold::{Asking, Rank};
/// let asking = Asking { rank: Rank::MatchRatio, ..Asking::default() };
/// assert!(asking.relations.is_empty() && asking.top.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asking {
    /// Name of the method, if the index has several. The default is the first.
    pub method: Option<String>,
    /// Most hits in the answer. The default is all.
    pub top: Option<usize>,
    /// Hits that are set side by side with the question. The default is 0.
    pub shown: usize,
    /// Relations that count, seen from the question; none given means all.
    pub relations: Vec<Kind>,
    /// Which documents may answer. The default is all.
    pub filter: Filter,
    /// The order of hits.
    pub rank: Rank,
    /// Passages listed per hit, the longest first; `None` is what the index was made with.
    pub passages_per_pair: Option<usize>,
    /// Whether a long question is asked as a whole only, and not in parts, too. The default is false.
    pub is_whole: bool,
    /// What becomes of text that is quoted, and of passages whose source is named. The default is that
    /// they count like any other.
    pub quotes: Quotes,
    /// Fewest distinctive word runs of a partial copy: runs that at most five documents have, counted among
    /// those that are compared with the question. The default is not to count them.
    pub distinctive: Option<u32>,
    /// Whether the answer says how it came about. The default is false.
    pub explains: bool,
    /// How long documents are compared with the question; those that are left then are counted in
    /// [`Searched`]. The default is as long as it takes.
    pub within: Option<Duration>,
    /// Whether the first record that is no document ends [`Index::ask_all`]. The default is false.
    pub is_strict: bool,
}

/// The order of hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rank {
    /// By the share of the question found in a document, then by the share of the document found in
    /// the question ([`Hit::of_text`], [`Hit::of_document`]).
    #[default]
    Share,
    /// By the match ratio: shared keys of the method, rare ones counting more.
    MatchRatio,
}

/// What was searched for an answer, and what was left out.
///
/// ```
/// # use retold::*;
/// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
/// let answers = Query::new(documents(), documents()).run()?;
/// assert_eq!(answers.answers[0].searched.n_documents, 2);
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Searched {
    /// Documents that could have answered, whether a filter lets them or not.
    pub n_documents: u64,
    /// Documents that were compared with the question.
    pub n_compared: u64,
    /// Posting lists that were too long to be followed, candidates left out and searches thinned at a
    /// limit. 0 means that nothing was left out beyond what the method says it may miss.
    pub n_cut: u64,
    /// Candidates that were not compared, because the time for the question was over.
    #[serde(skip_serializing_if = "is_none")]
    pub n_out_of_time: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_none(n: &u64) -> bool {
    *n == 0
}

impl Searched {
    pub(crate) fn new(n_documents: u64, n_compared: u64, cuts: &Cuts) -> Self {
        let Cuts { n_searches_cut, n_stop_features, n_candidates_cut } = cuts;
        let n_cut = n_searches_cut + n_stop_features + n_candidates_cut;
        Self { n_documents, n_compared, n_cut, n_out_of_time: 0 }
    }
}

/// How an answer came about.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The method that searched.
    pub method: String,
    /// Who decided whether documents are related.
    pub decided_by: Decide,
    /// Keys that the question asked with.
    pub n_keys: u32,
    /// Keys of these that some document holds.
    pub n_keys_held: u32,
    /// Keys of these that too many documents hold to be followed.
    pub n_keys_common: u32,
    /// Documents that the search proposed, copies counted once.
    pub n_candidates: u64,
    /// Documents that were compared with the question.
    pub n_compared: u64,
    /// Documents that a filter or the wanted relations left out.
    pub n_filtered: u64,
}

impl Index {
    /// Asks what a document was copied from.
    ///
    /// A question of 400 words or more is asked in parts of 200 words, too, if the documents decide: a
    /// document that is related to a part is a partial copy, however little of both texts that is.
    ///
    /// A document of the index with the id of the question is compared like any other.
    ///
    /// ```
    /// # use retold::*;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("archive.idx");
    /// let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// let mut writer = IndexWriter::create(&path, &[Job::default()], &IndexOptions::default())?;
    /// writer.add(Documents::new(vec![Document::plain("a", text)]), &Resources::new())?;
    /// let index = Index::open(&path)?;
    /// let draft = Document::plain("draft", format!("{text}, as was said last week."));
    /// let answer = index.ask(&draft, &Asking::default())?;
    /// assert_eq!((answer.hits[0].id.as_str(), answer.hits[0].relation), ("a", Kind::NearDuplicate));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ask(&self, question: &Document, asking: &Asking) -> Result<Answer, Error> {
        let number = self.method_number(asking.method.as_deref())?;
        let method = &self.methods[number];
        let (text, quotations) = (question, asking.quotes != Quotes::Count);
        let quotations = quotations.then(|| Quotations::of(text));
        let without = match (&quotations, asking.quotes) {
            (Some(quotations), Quotes::Skip) => Some(quotations.left_out(text)),
            _ => None,
        };
        let question = without.as_ref().unwrap_or(text);
        let mut words = Words::default();
        let image = method.image(question, &mut words);
        let identity = method.identity(question, &words);
        let holdings = self.holdings(number);
        // Read once more: an image is made of clean text, passages stand in the original.
        let profile = Profile::of(question, &method.featurizer, method.detector.shingles());
        let mut found = Found::default();
        if let Some(image) = &image {
            found = self.ask_images(number, &[image])?.pop().unwrap_or_default();
        }
        let n_partners = found.partners.len() as u64;
        let mut candidates = self.candidates(number, identity, &found.partners)?;
        let mut parts = Parts::default();
        if !asking.is_whole {
            parts = self.parts(number, question, &profile, &mut candidates, &mut found)?;
        }
        let most_passages = asking.passages_per_pair.unwrap_or(method.job.passages_per_pair);
        let (mut hits, mut n_compared, mut n_filtered, mut n_named) = (Vec::new(), 0, 0, 0);
        // Room that one document after the other takes.
        let (mut profiler, mut table) = (Profiler::default(), Bench::default());
        let mut other = Profile::default();
        let mut own_runs =
            asking.distinctive.map(|_| OwnRuns::of(&profile, method.detector.shingles()));
        let askers = Askers::new(std::iter::once(&profile).chain(&parts.profiles));
        let mut runs_of_hits = Vec::new();
        let begun = Instant::now();
        let (mut is_over, mut n_out_of_time) = (false, 0);
        for candidate in candidates {
            is_over = is_over || asking.within.is_some_and(|within| begun.elapsed() >= within);
            if is_over {
                n_out_of_time += 1;
                continue;
            }
            if !self.lets_pass(&asking.filter, candidate.doc)? {
                n_filtered += 1;
                continue;
            }
            n_compared += 1;
            let document = self.document_at(candidate.doc)?;
            self.profile(number, &askers, &mut profiler, (candidate.doc, &document), &mut other);
            let runs = own_runs.as_mut().map(|own_runs| {
                let holder = (!candidate.is_exact).then_some(candidate.holder);
                own_runs.shared(holder, &other)
            });
            let mut compared = Compared::new(&other, method.detector.rule(), &mut table);
            let whole = candidate.judged(method, &profile, &mut compared);
            let Some((kind, comparison)) =
                whole.or_else(|| parts.judged(candidate.doc, &profile, &mut compared))
            else {
                continue;
            };
            if !asking.relations.is_empty() && !asking.relations.contains(&kind) {
                n_filtered += 1;
                continue;
            }
            let evidence = comparison.evidence(&profile, &other, most_passages);
            let n_words = other.n_words();
            let scores = comparison.scores;
            let edits = method.detector.rule().edits;
            let shares = shares(scores, &evidence, (profile.n_words(), n_words), edits);
            let credit =
                quotations.as_ref().map(|quoted| Credit::of(text, quoted, &document, &evidence));
            if asking.quotes == Quotes::Skip && credit.as_ref().is_some_and(|it| it.is_named) {
                n_named += 1;
                continue;
            }
            let ratio = 0.0;
            let found = Related {
                candidate,
                document,
                n_words,
                kind,
                scores,
                shares,
                evidence,
                credit,
                ratio,
            };
            hits.push(found);
            runs_of_hits.extend(runs);
        }
        let mut undistinctive = BTreeSet::new();
        if let (Some(own_runs), Some(least)) = (&own_runs, asking.distinctive) {
            let mut runs = runs_of_hits.iter();
            hits.retain_mut(|hit| {
                let n = runs.next().map_or(0, |runs| own_runs.n_distinctive(runs));
                if let Some(counted) = &mut hit.evidence.counted {
                    counted.distinctive_runs = Some(n);
                }
                let stays = hit.kind != Kind::Partial || n >= least;
                if !stays {
                    // Copies are not counted again.
                    undistinctive.insert(hit.candidate.holder);
                }
                stays
            });
        }
        let mut matches = Matches::default();
        if let Some(image) = &image
            && (asking.explains || !hits.is_empty())
        {
            let docs: Vec<u32> = hits.iter().map(|hit| hit.candidate.holder).collect();
            let told = self.searches[number].matches(&holdings, image, &docs, self.n_documents());
            matches = self.read(told)?;
            for (hit, matched) in hits.iter_mut().zip(&matches.documents) {
                hit.ratio = matched.ratio;
            }
        }
        rank(&mut hits, asking.rank);
        let n_hits = hits.len() as u64;
        let mut hits: Vec<Hit> = hits
            .into_iter()
            .enumerate()
            .map(|(place, hit)| hit.into_hit(text, &profile, place < asking.shown))
            .collect();
        // What was found and is not listed still explains the question.
        let attribution = attribution_of(&profile.words, &hits);
        hits.truncate(asking.top.unwrap_or(usize::MAX));
        let explanation = asking.explains.then(|| Explanation {
            method: method.job.method.clone(),
            decided_by: method.decide(),
            n_keys: matches.n_asked,
            n_keys_held: matches.n_held,
            n_keys_common: matches.n_common,
            n_candidates: n_partners + parts.n_candidates,
            n_compared,
            n_filtered,
        });
        Ok(Answer {
            id: question.id.clone(),
            n_words: profile.n_words() as u32,
            is_too_short: image.is_none(),
            n_hits,
            hits,
            attribution,
            quotations,
            n_named,
            n_undistinctive: undistinctive.len() as u64,
            searched: Searched {
                n_out_of_time,
                ..Searched::new(self.n_documents(), n_compared, &found.cuts)
            },
            explanation,
        })
    }

    /// Reads a document as far as those who ask can be compared with it.
    fn profile(
        &self,
        number: usize,
        askers: &Askers,
        profiler: &mut Profiler,
        (doc, document): (u32, &Document),
        out: &mut Profile,
    ) {
        let method = &self.methods[number];
        let (featurizer, shingles) = (&method.featurizer, method.detector.shingles());
        let known = self.n_shingles[number].get(doc);
        let n = profiler.profile_for(askers, document, featurizer, shingles, known, out);
        self.n_shingles[number].put(doc, n);
    }

    /// Asks about the parts of a long question: a passage that is little of both texts is much of a
    /// part. Documents that only parts find are added to the candidates.
    fn parts(
        &self,
        number: usize,
        question: &Document,
        profile: &Profile,
        candidates: &mut Vec<Candidate>,
        found: &mut Found,
    ) -> Result<Parts, Error> {
        let method = &self.methods[number];
        let words = &profile.words.spans;
        let mut parts = Parts::default();
        if words.len() < LEAST_WORDS_IN_PARTS || method.decide() == Decide::Method {
            return Ok(parts);
        }
        let mut images = Vec::new();
        for part in ranges_of_parts(words.len()) {
            let span = profile.span(part.start as u32, part.end as u32);
            let text = span.of(&question.text).unwrap_or_default().to_owned();
            let part = Document { text, ..question.clone() };
            if let Some(image) = method.image(&part, &mut Words::default()) {
                images.push(image);
                let shingles = method.detector.shingles();
                parts.profiles.push(Profile::of(&part, &method.featurizer, shingles));
            }
        }
        let images: Vec<&[u8]> = images.iter().map(|image| &**image).collect();
        let known: BTreeSet<u32> = candidates.iter().map(|candidate| candidate.doc).collect();
        let mut only_parts = BTreeMap::new();
        for (at, answer) in self.ask_images(number, &images)?.into_iter().enumerate() {
            found.cuts.add(&answer.cuts);
            for candidate in self.candidates(number, None, &answer.partners)? {
                parts.found_by.entry(candidate.doc).or_default().push(at);
                if !known.contains(&candidate.doc) {
                    only_parts.entry(candidate.doc).or_insert(candidate);
                }
            }
        }
        parts.n_candidates = only_parts.len() as u64;
        candidates.extend(only_parts.into_values());
        Ok(parts)
    }

    /// Asks about every document of a source and hands over the answers in order; `read` says how the
    /// source is read.
    ///
    /// ```
    /// # use retold::*;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("archive.idx");
    /// let documents = || Documents::new(vec![Document::plain("a", "some text")]);
    /// let mut writer = IndexWriter::create(&path, &[Job::default()], &IndexOptions::default())?;
    /// writer.add(documents(), &Resources::new())?;
    /// let (mut ids, resources) = (Vec::new(), Resources::new());
    /// Index::open(&path)?.ask_all(
    ///     documents(),
    ///     &ReadOptions::default(),
    ///     &Asking::default(),
    ///     &resources,
    ///     &mut |answer| {
    ///         ids.push(answer.id);
    ///         Ok(())
    ///     },
    /// )?;
    /// assert_eq!(ids, ["a"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ask_all(
        &self,
        questions: impl Source + 'static,
        read: &ReadOptions,
        asking: &Asking,
        resources: &Resources,
        each: &mut dyn FnMut(Answer) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (progress, stop) = (&*resources.progress, &resources.stop);
        let opened = Box::new(questions).open(&Opening { options: read, stop })?;
        let name = opened.name.clone();
        if let Content::Files { skipped, .. } = &opened.content {
            for bad in skipped {
                progress.bad(bad);
            }
        }
        let pool = Pool::new(resources)?;
        let mut sources = Sources::new(opened, None, read, stop);
        progress.begin(Stage::Search, sources.total());
        let (mut n_documents, mut first_bad) = (0, None);
        while let Some(portion) = sources.next() {
            let mut questions = Vec::new();
            let mut failed = None;
            portion.parse(&mut |record| match record {
                Ok((document, _)) => questions.push(document.into_owned()),
                Err(bad) if asking.is_strict => failed = Some(Error::Input(bad)),
                Err(bad) => {
                    progress.bad(&bad);
                    first_bad.get_or_insert(bad);
                }
            });
            if let Some(error) = failed {
                return Err(error);
            }
            for round in questions.chunks(8 * pool.n_threads()) {
                if stop.is_set() {
                    return Err(Error::Stopped { stage: Stage::Search.name(), n_documents });
                }
                for answer in pool.map(round, |question| self.ask(question, asking)) {
                    n_documents += 1;
                    each(answer?)?;
                }
            }
            progress.at(sources.done(), n_documents);
        }
        progress.end();
        if n_documents == 0 {
            let bad = first_bad.map(|bad| format!("; the first record refused was {bad}"));
            return Err(Error::Empty(format!("{name}{}", bad.unwrap_or_default())));
        }
        Ok(())
    }

    /// Returns what documents with these images find by a method.
    pub(crate) fn ask_images(&self, number: usize, images: &[&[u8]]) -> Result<Vec<Found>, Error> {
        self.read(self.searches[number].ask(&self.holdings(number), images))
    }

    /// Returns the documents that have to be looked at: those with the same words, and those that the
    /// search found with all their copies. The order depends on the documents alone.
    pub(crate) fn candidates(
        &self,
        number: usize,
        identity: Option<u128>,
        partners: &[Partner],
    ) -> Result<Vec<Candidate>, Error> {
        let mut all: BTreeMap<u32, Candidate> = BTreeMap::new();
        let mut docs = Vec::new();
        if let Some(identity) = identity {
            self.stored(self.snapshot.same_words(number, identity, &mut docs))?;
            let exact = |doc| Candidate { doc, holder: doc, said: None, is_exact: true };
            all.extend(docs.iter().map(|&doc| (doc, exact(doc))));
        }
        for partner in partners {
            docs.clear();
            let holder = partner.ordinal.0;
            self.stored(self.snapshot.copies(number, holder, &mut docs))?;
            for &doc in &docs {
                let said = Some((partner.kind, partner.scores));
                let found = Candidate { doc, holder, said, is_exact: false };
                all.entry(doc).and_modify(|same| same.holder = holder).or_insert(found);
            }
        }
        Ok(all.into_values().collect())
    }
}

/// Words of a part of a long question. Parts overlap by half, so every passage of half as many words
/// lies whole in one of them.
const PART_WORDS: usize = 200;
/// Words from which a question is asked in parts, too.
const LEAST_WORDS_IN_PARTS: usize = 2 * PART_WORDS;

/// Cuts a question of so many words into parts, as numbers of words.
fn ranges_of_parts(n_words: usize) -> Vec<Range<usize>> {
    let starts = (0..n_words).step_by(PART_WORDS / 2);
    let ranges = starts.map(|start| start..(start + PART_WORDS).min(n_words));
    // The last one that begins may lie in the one before it.
    ranges.filter(|part| part.start == 0 || part.len() > PART_WORDS / 2).collect()
}

/// Parts of a long question, and which of them found a document.
#[derive(Default)]
struct Parts {
    profiles: Vec<Profile>,
    found_by: BTreeMap<u32, Vec<usize>>,
    /// Documents that the whole question did not find.
    n_candidates: u64,
}

impl Parts {
    /// Says that a document is a partial copy if a part of the question is related to it.
    fn judged(
        &self,
        doc: u32,
        question: &Profile,
        document: &mut Compared<'_>,
    ) -> Option<(Kind, Comparison)> {
        let mut found_by = self.found_by.get(&doc)?.iter();
        let is_related = found_by.any(|part| document.verify(&self.profiles[*part]).is_some());
        is_related.then(|| (Kind::Partial, document.compare(question)))
    }
}

/// A document that has to be looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) doc: u32,
    /// The document in whose name it stands in the lists.
    pub(super) holder: u32,
    /// What the method says of it.
    pub(crate) said: Option<(Kind, Scores)>,
    /// Whether it has the same words.
    pub(super) is_exact: bool,
}

impl Candidate {
    /// Says how the question relates to it; `None` if it does not.
    fn judged(
        &self,
        method: &IndexMethod,
        question: &Profile,
        document: &mut Compared<'_>,
    ) -> Option<(Kind, Comparison)> {
        match self.said {
            _ if self.is_exact => {
                let compared = document.compare(question);
                Some((Kind::Exact, Comparison { scores: Scores::EQUAL, counted: None, ..compared }))
            }
            Some((kind, scores)) if method.decide() == Decide::Method => {
                Some((kind, Comparison { scores, counted: None, ..document.compare(question) }))
            }
            _ => document.verify(question),
        }
    }
}

/// A document that is related to the question.
struct Related {
    candidate: Candidate,
    document: Document,
    n_words: usize,
    kind: Kind,
    scores: Scores,
    /// Of the question and of the document, by which hits are ranked.
    shares: (Score, Score),
    evidence: Evidence,
    credit: Option<Credit>,
    ratio: f64,
}

impl Related {
    fn into_hit(self, question: &Document, profile: &Profile, is_shown: bool) -> Hit {
        let Self { document, n_words, kind, scores, shares, evidence, credit, ratio, .. } = self;
        let (of_text, of_document) = shares;
        let view = is_shown.then(|| PairView {
            a: side(question, profile.n_words(), evidence.passages.iter().map(|x| x.a)),
            b: side(&document, n_words, evidence.passages.iter().map(|x| x.b)),
            relation: Some(kind),
            scores,
            passages: evidence.passages.clone(),
            quoted: credit.as_ref().map_or_else(Vec::new, |credit| credit.quoted.clone()),
            vocabulary: None,
            n_cut: evidence.n_cut,
        });
        let Document { id, title, time, source, .. } = document;
        let match_ratio = Some(ratio);
        Hit {
            id,
            title,
            time,
            source,
            match_ratio,
            relation: kind,
            scores,
            of_text,
            of_document,
            evidence,
            credit,
            view,
        }
    }
}

/// Puts hits into order, equal ones by their ids.
fn rank(hits: &mut [Related], rank: Rank) {
    hits.sort_by(|x, y| {
        let ((x_text, x_document), (y_text, y_document)) = (x.shares, y.shares);
        let by_share = y_text.get().total_cmp(&x_text.get());
        let by_share = by_share.then(y_document.get().total_cmp(&x_document.get()));
        let by_ratio = y.ratio.total_cmp(&x.ratio);
        let order = match rank {
            Rank::Share => by_share.then(by_ratio),
            Rank::MatchRatio => by_ratio,
        };
        order.then_with(|| x.document.id.cmp(&y.document.id))
    });
}

#[cfg(test)]
mod tests {
    use retold_core::verify::rule::Edits;

    use super::*;
    use crate::{Documents, IndexOptions, IndexWriter, Job, Query};

    /// 62 % of the draft is rewritten from it.
    const REWRITTEN_SOURCE: &str = "The harbour board closed the east quay on Monday because divers had found \
        cracks in three concrete pillars below the waterline, and engineers from the technical university will \
        measure the remaining strength of the wall before any ferry, trawler or container vessel may land again.";
    /// The rest of the draft is a copy of it.
    const COPIED_SOURCE: &str = "Apple growers in the valley expect the largest harvest in eleven years, since \
        the spring was mild and bees were plentiful; prices in the markets of the town should fall by a fifth \
        before winter comes.";
    const DRAFT: &str = "Before a container vessel, trawler or ferry can land there again, engineers from the \
        university must measure what strength remains in the wall; divers discovered cracks below the waterline \
        in three pillars of concrete, so on Monday the board of the harbour shut the quay in the east. ";

    #[test]
    fn a_source_that_was_rewritten_ranks_by_its_words_in_passages() {
        let of = |id: &str, text: &str| Document {
            language: Some("en".to_owned()),
            ..Document::plain(id, text)
        };
        let archive = || {
            let sources = [of("copied", COPIED_SOURCE), of("rewritten", REWRITTEN_SOURCE)];
            Documents::new(sources)
        };
        let draft = of("draft", &format!("{DRAFT}{COPIED_SOURCE}"));
        let job = Job::default().with_edits(Edits::Heavy);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("archive.idx");
        let mut writer =
            IndexWriter::create(&path, std::slice::from_ref(&job), &IndexOptions::default())
                .expect("a new index");
        writer.add(archive(), &Resources::new()).expect("documents");
        let of_index = Index::open(&path).and_then(|index| index.ask(&draft, &Asking::default()));
        let of_files = Query::new(Documents::new(vec![draft]), archive()).job(job).run();
        for answer in [of_index.expect("an answer"), of_files.expect("answers").answers.remove(0)] {
            let ids: Vec<&str> = answer.hits.iter().map(|hit| hit.id.as_str()).collect();
            assert_eq!(ids, ["rewritten", "copied"]);
            let [rewritten, copied] = &answer.hits[..] else { panic!("two hits") };
            assert!(rewritten.scores.a_in_b.get() < 0.1, "{:?}", rewritten.scores);
            let words = f64::from(rewritten.evidence.a_words) / f64::from(answer.n_words);
            assert!((rewritten.of_text.get() - words).abs() < 1e-9 && words > 0.5, "{words}");
            assert!(copied.of_text.get() < words && copied.of_document.get() > 0.9);
        }
    }

    #[test]
    fn a_long_question_is_cut_into_parts_that_overlap() {
        assert_eq!(ranges_of_parts(450), [0..200, 100..300, 200..400, 300..450]);
        assert_eq!(ranges_of_parts(400), [0..200, 100..300, 200..400]);
        assert_eq!(ranges_of_parts(3).first(), Some(&(0..3)));
        assert!(ranges_of_parts(0).is_empty());
    }
}
