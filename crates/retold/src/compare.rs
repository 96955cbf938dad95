//! `compare`: two documents side by side.

use std::path::Path;

use retold_core::document::Document;
use retold_core::features::Featurizer;
use retold_core::relation::{Evidence, Kind, Scores};
use retold_core::verify::{Profile, align};
use retold_read::{Reader, discover};
use retold_report::PairView;

use crate::error::Error;
use crate::job::Job;
use crate::pipeline::side::side;

/// What two documents have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    relation: Option<Kind>,
    scores: Scores,
    evidence: Evidence,
    n_words: [usize; 2],
}

impl Comparison {
    /// Returns how the first document relates to the second; `None` if they are not related.
    pub fn relation(&self) -> Option<Kind> {
        self.relation
    }

    /// Returns how much they share.
    pub fn scores(&self) -> Scores {
        self.scores
    }

    /// Returns the passages they share.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Returns the number of words of each.
    pub fn n_words(&self) -> [usize; 2] {
        self.n_words
    }

    /// Sets the documents that were compared side by side, to be shown.
    ///
    /// ```
    /// use retold::{Document, Job, compare};
    /// let a = Document::plain("a", "The harbour board will close the east quay on Monday.");
    /// let b = Document::plain("b", "The harbour board will close the east quay on Monday!");
    /// let view = compare(&a, &b, &Job::default())?.side_by_side(&a, &b);
    /// assert_eq!(view.a.n_words, 10);
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn side_by_side(&self, a: &Document, b: &Document) -> PairView {
        let passages = &self.evidence.passages;
        PairView {
            a: side(a, self.n_words[0], passages.iter().map(|passage| passage.a)),
            b: side(b, self.n_words[1], passages.iter().map(|passage| passage.b)),
            relation: self.relation,
            scores: self.scores,
            passages: passages.clone(),
            n_cut: self.evidence.n_cut,
        }
    }
}

/// Compares two documents, whatever a search would have made of them.
///
/// ```
/// use retold::{Document, Job, Kind, compare};
///
/// let note = "The harbour board will close the east quay for repairs from Monday until Friday.";
/// let article = format!("Ships will have to wait. {note} Ferries are not affected.");
/// let (a, b) = (Document::plain("note", note), Document::plain("article", article));
/// let comparison = compare(&a, &b, &Job::default())?;
/// assert_eq!(comparison.relation(), Some(Kind::Contained));
/// assert_eq!(comparison.scores().a_in_b.get(), 1.0);
/// let passage = &comparison.evidence().passages[0];
/// assert_eq!(&b.text[passage.b.range()], note.trim_end_matches('.'));
/// # Ok::<(), retold::Error>(())
/// ```
pub fn compare(a: &Document, b: &Document, job: &Job) -> Result<Comparison, Error> {
    let detector = job.detector()?;
    let featurizer = Featurizer::new(job.text.clone(), job.seed);
    let profile = |document| Profile::of(document, &featurizer, detector.shingles());
    let (pa, pb) = (profile(a), profile(b));
    let is_exact = pa.words.is_equal(&pb.words);
    let k = detector.shingles().k();
    // With fewer words than a run has there is nothing to compare by.
    let can_judge = pa.n_words() >= k && pb.n_words() >= k;
    let judged = if can_judge { detector.verify(&pa, &pb) } else { None };
    let mut found = align::compare(&pa, &pb, k);
    if is_exact || !can_judge {
        found.counted = None;
    }
    let (relation, scores) = match (is_exact, can_judge) {
        (true, _) => (Some(Kind::Exact), Scores::EQUAL),
        (false, true) => (judged.map(|(kind, _)| kind), found.scores),
        (false, false) => (None, Scores::default()),
    };
    Ok(Comparison {
        relation,
        scores,
        evidence: found.evidence(&pa, &pb, job.passages_per_pair),
        n_words: [pa.n_words(), pb.n_words()],
    })
}

/// Reads the first document of a file; `-` is standard input.
///
/// ```
/// use retold::{Job, read_document};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("page.html");
/// # std::fs::write(&path, "<title>News</title><p>some text").unwrap();
/// let document = read_document(&path, &Job::default())?;
/// assert!(document.text.contains("some text"));
/// # Ok::<(), retold::Error>(())
/// ```
pub fn read_document(path: &Path, job: &Job) -> Result<Document, Error> {
    let found = discover(&[path.to_owned()])?;
    let mut reader = Reader::new(found.files, job.read_options());
    let mut first = None;
    let mut bad = found.skipped.into_iter().next();
    while first.is_none()
        && let Some(batch) = reader.next_batch()
    {
        batch.parse(&mut |record| match record {
            Ok(record) if first.is_none() => first = Some(record.document),
            Ok(_) => {}
            Err(reason) => bad = bad.take().or(Some(reason)),
        });
    }
    match (first, bad) {
        (Some(document), _) => Ok(document),
        (None, Some(bad)) => Err(Error::Input(bad)),
        (None, None) => Err(Error::Empty(format!("`{}`", path.display()))),
    }
}
