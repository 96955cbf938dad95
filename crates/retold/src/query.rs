//! `query`: is this text copied from anything we hold?

use std::cmp::Reverse;

use retold_core::candidates::Cuts;
use retold_core::document::{Document, Ordinal};
use retold_core::features::Words;
use retold_core::relation::{Counted, Evidence, Kind, Passage, Relation, Score, Scores};
use retold_core::verify::rule::Edits;
use retold_report::table::rounded;
use retold_report::{PairFields, PairView, Summary};
use serde::{Serialize, Serializer};

use crate::attribution::{Attribution, attribute};
use crate::error::Error;
use crate::index::{Explanation, Searched};
use crate::job::{Job, PairsWritten};
use crate::pipeline::common_runs;
use crate::pipeline::run::{Run, Started, Wanted};
use crate::pipeline::side::side;
use crate::pipeline::sources::Sources;
use crate::quotations::{Credit, Quotations, Quotes};
use crate::resources::{Resources, common_settings};
use crate::sink::{Pair, Sink, Wants};
use crate::source::{Content, Documents, Opening, Source};

/// What was found for one document that was asked about.
///
/// ```
/// # use retold::*;
/// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
/// let answers = Query::new(documents(), documents()).run()?;
/// let answer = &answers.answers[0];
/// assert_eq!((answer.id.as_str(), answer.hits.len(), answer.is_too_short), ("a", 2, false));
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// Its id.
    pub id: String,
    /// Its length.
    pub n_words: u32,
    /// Whether it has too little text to be judged.
    pub is_too_short: bool,
    /// Documents of the collection related to it, those included that are not listed.
    pub n_hits: u64,
    /// The listed ones, best first.
    pub hits: Vec<Hit>,
    /// Which passages of it come from which of them.
    pub attribution: Attribution,
    /// What it quotes, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotations: Option<Quotations>,
    /// Documents that were left out because the text names them as its sources.
    #[serde(skip_serializing_if = "is_zero")]
    pub n_named: u64,
    /// Partial copies that were left out for sharing too few distinctive word runs with the text, if that
    /// was asked for; where files are asked about several texts, those of all of them.
    #[serde(skip_serializing_if = "is_zero")]
    pub n_undistinctive: u64,
    /// What was searched.
    pub searched: Searched,
    /// How the answer came about, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// A document that is related to the one asked about, or to the one that came.
///
/// As JSON it has the fields of a line of `pairs.jsonl` behind its `id`.
///
/// ```
/// # use retold::*;
/// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
/// let answers = Query::new(documents(), documents()).run()?;
/// let hit = &answers.answers[0].hits[0];
/// assert_eq!((hit.relation, hit.scores.a_in_b.get()), (Kind::Exact, 1.0));
/// let passage = &hit.evidence.passages[0];
/// assert_eq!(passage.a.of(text), Some(text));
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// Its headline, if it is at hand.
    pub title: Option<String>,
    /// When it was published, as it was written, if it is at hand.
    pub time: Option<String>,
    /// Who published it, if it is at hand.
    pub source: Option<String>,
    /// Share of the question's keys that it has, rare ones counting more: the match ratio. Only an
    /// index tells it.
    pub match_ratio: Option<f64>,
    /// How the document asked about relates to it: `contained` if it stands in this one.
    pub relation: Kind,
    /// How strongly; `a` is the document asked about.
    pub scores: Scores,
    /// Share of the document asked about that stands in this one: of its word runs, or with heavy edits of
    /// its words in passages if that is more. Hits are ranked by it.
    pub of_text: Score,
    /// Share of this one that stands in the document asked about, likewise.
    pub of_document: Score,
    /// The passages; `a` is the document asked about.
    pub evidence: Evidence,
    /// How the document asked about admits to them, if that was asked for.
    pub credit: Option<Credit>,
    /// Both side by side, for the first hits of a query.
    pub view: Option<PairView>,
}

impl Serialize for Hit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Line<'a> {
            id: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            title: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            time: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            source: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            match_ratio: Option<f64>,
            of_text: f64,
            of_document: f64,
            #[serde(flatten)]
            pair: PairFields,
            #[serde(skip_serializing_if = "Option::is_none")]
            credit: Option<&'a Credit>,
        }
        let Self { id, title, time, source, relation, scores, evidence, credit, .. } = self;
        let pair = PairFields { relation: *relation, scores: *scores, evidence: evidence.clone() };
        let match_ratio = self.match_ratio.map(rounded);
        let (of_text, of_document) = (rounded(self.of_text.get()), rounded(self.of_document.get()));
        let (title, time, source) = (title.as_deref(), time.as_deref(), source.as_deref());
        let credit = credit.as_ref();
        Line { id, title, time, source, match_ratio, of_text, of_document, pair, credit }
            .serialize(serializer)
    }
}

/// Answers and the figures of the run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answers {
    /// One for each document asked about, in order.
    pub answers: Vec<Answer>,
    /// The figures.
    pub summary: Summary,
}

/// Asks what documents were copied from.
///
/// Hits come by the share of the question found in them, then by the share of them found in the
/// question, then in the order of the collection. With heavy edits words in passages count as found.
///
/// ```
/// use retold::{Document, Documents, Query};
///
/// let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// let archive = Documents::new(vec![
///     Document::plain("apples", "Apple growers expect the largest harvest in eleven years"),
///     Document::plain("harbour", format!("{text}, as it said last week in a short note.")),
/// ]);
/// let draft = Documents::new(vec![Document::plain("draft", text)]);
/// let answers = Query::new(draft, archive).run()?;
/// assert_eq!(answers.answers[0].hits[0].id, "harbour");
/// # Ok::<(), retold::Error>(())
/// ```
#[must_use = "nothing is done before it is run"]
pub struct Query {
    question: Box<dyn Source>,
    collection: Box<dyn Source>,
    n_shown: usize,
    quotes: Quotes,
    job: Job,
    resources: Resources,
}

common_settings!(Query);

impl Query {
    /// Looks in `collection` for relatives of each document of `question`.
    pub fn new(question: impl Source + 'static, collection: impl Source + 'static) -> Self {
        Self {
            question: Box::new(question),
            collection: Box::new(collection),
            n_shown: 0,
            quotes: Quotes::default(),
            job: Job::default(),
            resources: Resources::new(),
        }
    }

    /// Sets how many hits of each answer are set side by side with the question. The default is 0.
    ///
    /// ```
    /// # use retold::*;
    /// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
    /// let answers = Query::new(documents(), documents()).shown(1).run()?;
    /// let hits = &answers.answers[0].hits;
    /// assert!(hits[0].view.is_some() && hits[1].view.is_none());
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn shown(self, n_shown: usize) -> Self {
        Self { n_shown, ..self }
    }

    /// Sets what becomes of text that is quoted, and of passages whose source is named. The default is
    /// that they count like any other.
    ///
    /// ```
    /// # use retold::*;
    /// let text = "The harbour board will close the east quay for repairs from Monday until Friday";
    /// let archive = || Documents::new(vec![Document::plain("a", text)]);
    /// let draft = || Documents::new(vec![Document::plain("b", format!("He told us: \"{text}\"."))]);
    /// let marked = Query::new(draft(), archive()).quotes(Quotes::Mark).run()?;
    /// assert_eq!(marked.answers[0].hits[0].credit.as_ref().map(|credit| credit.quoted.len()), Some(1));
    /// let skipped = Query::new(draft(), archive()).quotes(Quotes::Skip).run()?;
    /// assert!(skipped.answers[0].hits.is_empty());
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn quotes(self, quotes: Quotes) -> Self {
        Self { quotes, ..self }
    }

    /// Runs it.
    pub fn run(self) -> Result<Answers, Error> {
        let Self { mut question, collection, n_shown, quotes, job, resources } = self;
        let mut asked = None;
        if quotes != Quotes::Count {
            let questions = Questions::read(question, &job, &resources)?;
            question = Box::new(questions.source(quotes));
            asked = Some(questions);
        }
        // The limit is for tables: a question wants its best hits, and they are ranked below.
        let job = job.with_pairs(PairsWritten::All);
        let mut related = Related::default();
        let sources = (collection, Some(question));
        let started = Run::start("query", sources, &mut related, false, &job, &resources, None)?;
        let Started::Run(mut run) = started else {
            return Err(Error::Internal("a question was answered before it was asked".to_owned()));
        };
        let detected = run.detect(Wanted::Clusters, &mut related)?;
        let outcome = run.report(&detected, &mut related)?;
        resources.progress.end();
        let collection = &run.intake.collection;
        let border = collection.border.expect("two collections were given");
        let mut by_question: Vec<Vec<Relation>> =
            vec![Vec::new(); collection.len() - border.index()];
        for relation in related.0 {
            by_question[relation.b.index() - border.index()].push(relation);
        }
        // Cuts are counted for all questions together.
        let count = |is_template: bool| {
            let cuts = outcome.summary.cuts.iter();
            let cuts = cuts.filter(|cut| common_runs::is_cut(cut) == is_template);
            cuts.map(|cut| cut.count).sum::<u64>()
        };
        let (n_cut, n_undistinctive) = (count(false), count(true));
        let searched = Searched {
            n_cut,
            ..Searched::new(border.0.into(), detected.n_candidates, &Cuts::default())
        };
        let edits = job.edits();
        let answers = by_question.into_iter().zip(border.0..).map(|(mut found, doc)| {
            let doc = Ordinal(doc);
            let n_words = |doc| collection.n_words(doc) as usize;
            rank_by(&mut found, |pair| {
                let n_words = (n_words(pair.b), n_words(pair.a));
                shares(pair.scores.flipped(), &pair.evidence.flipped(), n_words, edits)
            });
            let mut quotations = None;
            let mut n_named = 0;
            let mut hits = Vec::new();
            if let Some(questions) = &asked {
                let (text, quoted) = &questions.0[doc.index() - border.index()];
                for relation in found {
                    let held = run.intake.texts.document(collection, relation.a);
                    let mut hit = hit(&run, relation, edits, hits.len() < n_shown, Some(text))?;
                    let held = held.unwrap_or_default();
                    let credit = Credit::of(text, quoted, &held, &hit.evidence);
                    if quotes == Quotes::Skip && credit.is_named {
                        n_named += 1;
                        continue;
                    }
                    hit.admit(credit);
                    hits.push(hit);
                }
                quotations = Some(quoted.clone());
            } else {
                for (rank, relation) in found.into_iter().enumerate() {
                    hits.push(hit(&run, relation, edits, rank < n_shown, None)?);
                }
            }
            let mut words = Words::default();
            if let Ok(question) = run.intake.texts.document(collection, doc) {
                run.featurizer.words(&question, &mut words);
            }
            Ok(Answer {
                id: collection.id(doc)?,
                n_words: collection.n_words(doc),
                is_too_short: collection.is_too_short(doc),
                n_hits: hits.len() as u64,
                attribution: attribution_of(&words, &hits),
                hits,
                quotations,
                n_named,
                n_undistinctive,
                searched,
                explanation: None,
            })
        });
        let answers = answers.collect::<Result<_, Error>>()?;
        Ok(Answers { answers, summary: outcome.summary })
    }
}

/// Puts the relations of one question into the order of an answer by their scores: by the share of the
/// question (`b`) found in the document (`a`), then by the share of the document found in the question,
/// then by the document.
///
/// ```
/// # use retold::*;
/// # let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// # let documents = || Documents::new(vec![Document::plain("a", text), Document::plain("b", text)]);
/// let mut found = Found::only_pairs();
/// Find::new(documents()).against(documents()).run(&mut found)?;
/// let mut of_first: Vec<Relation> = found.into_pairs();
/// of_first.retain(|pair| pair.b.index() == 2);
/// rank_sources(&mut of_first);
/// assert_eq!(of_first[0].a.index(), 0);
/// # Ok::<(), retold::Error>(())
/// ```
pub fn rank_sources(relations: &mut [Relation]) {
    rank_by(relations, |pair| (pair.scores.b_in_a, pair.scores.a_in_b));
}

/// Puts relations into order by two shares of each, then by the document.
fn rank_by(relations: &mut [Relation], shares: impl Fn(&Relation) -> (Score, Score)) {
    relations.sort_by_cached_key(|pair| {
        let (of_text, of_document) = shares(pair);
        // The bits of numbers that are not below 0 are in their order.
        let key = |share: Score| Reverse(share.get().to_bits());
        (key(of_text), key(of_document), pair.a)
    });
}

/// Returns the shares by which a source is ranked, of the question (`a`) and of the document: those of equal
/// word runs. Passages that were rewritten have few of them, so with heavy edits it is the share of
/// words in passages if that is larger.
pub(crate) fn shares(
    scores: Scores,
    evidence: &Evidence,
    (n_text, n_document): (usize, usize),
    edits: Edits,
) -> (Score, Score) {
    let of = |score: Score, n: u32, n_words: usize| {
        if edits != Edits::Heavy || n_words == 0 {
            return score;
        }
        let in_passages = Score::share((n as usize).min(n_words), n_words);
        if in_passages > score { in_passages } else { score }
    };
    let Evidence { a_words, b_words, .. } = *evidence;
    (of(scores.a_in_b, a_words, n_text), of(scores.b_in_a, b_words, n_document))
}

/// Says which passages of a question come from which hits.
pub(crate) fn attribution_of(question: &Words, hits: &[Hit]) -> Attribution {
    let spans = |hit: &Hit| hit.evidence.passages.iter().map(|passage| passage.a).collect();
    attribute(&question.spans, hits.iter().map(|hit| (hit.id.as_str(), spans(hit))))
}

/// Takes the pairs of questions and documents.
#[derive(Default)]
struct Related(Vec<Relation>);

impl Sink for Related {
    fn wants(&self) -> Wants {
        Wants::nothing().pairs().clusters()
    }

    fn pair(&mut self, pair: &Pair<'_>) -> Result<(), Error> {
        self.0.push(pair.relation());
        Ok(())
    }
}

/// Questions that are read before they are asked, with what they quote.
struct Questions(Vec<(Document, Quotations)>);

impl Questions {
    fn read(source: Box<dyn Source>, job: &Job, resources: &Resources) -> Result<Self, Error> {
        let read = job.read();
        let (progress, stop) = (&*resources.progress, &resources.stop);
        let opened = source.open(&Opening { options: read, stop })?;
        if let Content::Files { skipped, .. } = &opened.content {
            for bad in skipped {
                progress.bad(bad);
            }
        }
        let mut sources = Sources::new(opened, None, read, stop);
        let (mut questions, mut failed) = (Vec::new(), None);
        while failed.is_none()
            && let Some(portion) = sources.next()
        {
            portion.parse(&mut |record| match record {
                Ok((document, _)) => {
                    let quotations = Quotations::of(&document);
                    questions.push((document.into_owned(), quotations));
                }
                Err(bad) if job.strict => failed = Some(Error::Input(bad)),
                Err(bad) => progress.bad(&bad),
            });
        }
        match failed {
            Some(error) => Err(error),
            None => Ok(Self(questions)),
        }
    }

    /// Returns them as they are to be asked.
    fn source(&self, quotes: Quotes) -> Documents {
        let asked = self.0.iter().map(|(document, quotations)| match quotes {
            Quotes::Skip => quotations.left_out(document),
            Quotes::Count | Quotes::Mark => document.clone(),
        });
        Documents::new(asked.collect::<Vec<_>>())
    }
}

impl Hit {
    /// Notes how the document asked about admits to what it took.
    pub(crate) fn admit(&mut self, credit: Credit) {
        if let Some(view) = &mut self.view {
            view.quoted.clone_from(&credit.quoted);
        }
        self.credit = Some(credit);
    }
}

/// Turns a relation round, so that it is told from the document asked about; `text` is what is shown
/// of that, if it is not what was asked.
fn hit(
    run: &Run<'_>,
    relation: Relation,
    edits: Edits,
    is_shown: bool,
    text: Option<&Document>,
) -> Result<Hit, Error> {
    let collection = &run.intake.collection;
    let Evidence { passages, a_words, b_words, n_cut, counted } = relation.evidence;
    let mut passages: Vec<Passage> = passages.into_iter().map(Passage::flipped).collect();
    passages.sort_by_key(|passage| (passage.a, passage.b));
    let (kind, scores) = (relation.kind.flipped(), relation.scores.flipped());
    let read = |doc: Ordinal| run.intake.texts.document(collection, doc);
    let mut view = None;
    if is_shown && let (Ok(question), Ok(held)) = (read(relation.b), read(relation.a)) {
        let n_words = |doc| collection.n_words(doc) as usize;
        let question = text.unwrap_or(&question);
        view = Some(PairView {
            a: side(question, n_words(relation.b), passages.iter().map(|passage| passage.a)),
            b: side(&held, n_words(relation.a), passages.iter().map(|passage| passage.b)),
            relation: Some(kind),
            scores,
            passages: passages.clone(),
            quoted: Vec::new(),
            vocabulary: None,
            n_cut,
        });
    }
    let evidence = Evidence {
        passages,
        a_words: b_words,
        b_words: a_words,
        n_cut,
        counted: counted.map(Counted::flipped),
    };
    let n_words = |doc| collection.n_words(doc) as usize;
    let n_words = (n_words(relation.b), n_words(relation.a));
    let (of_text, of_document) = shares(scores, &evidence, n_words, edits);
    Ok(Hit {
        id: collection.id(relation.a)?,
        title: None,
        time: None,
        source: None,
        match_ratio: None,
        relation: kind,
        scores,
        of_text,
        of_document,
        evidence,
        credit: None,
        view,
    })
}
