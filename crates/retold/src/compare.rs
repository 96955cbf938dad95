//! `compare`: two documents side by side.

use std::collections::BTreeSet;
use std::path::Path;

use retold_core::document::Document;
use retold_core::relation::{Evidence, Kind, Score, Scores};
use retold_core::verify::{Profile, align};
use retold_read::{Reader, discover};
use retold_report::PairView;

use crate::error::Error;
use crate::job::Job;
use crate::pipeline::side::side;
use crate::quotations::{Credit, Quotations, Quotes};

/// What two documents have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    relation: Option<Kind>,
    scores: Scores,
    vocabulary: [Score; 2],
    evidence: Evidence,
    n_words: [usize; 2],
    credits: Option<[Credit; 2]>,
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

    /// Returns how many of the different words of the first stand in the second, and the other way round, as
    /// shares.
    ///
    /// Text that was revised keeps few runs of words and most of its words. Two texts on one subject have
    /// words in common, too: four of ten where neither knew the other are not unusual.
    ///
    /// ```
    /// use retold::{Document, Job, compare};
    /// let a = Document::plain("a", "On Monday the board closes the east quay.");
    /// let b = Document::plain("b", "The east quay, says the harbour board, closes on Monday.");
    /// let found = compare(&a, &b, &Job::default())?;
    /// assert_eq!(found.scores().a_in_b.get(), 0.0);
    /// assert_eq!(found.vocabulary().map(|share| share.get()), [1.0, 7.0 / 9.0]);
    /// # Ok::<(), retold::Error>(())
    /// ```
    pub fn vocabulary(&self) -> [Score; 2] {
        self.vocabulary
    }

    /// Returns the passages they share.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Returns the number of words of each.
    pub fn n_words(&self) -> [usize; 2] {
        self.n_words
    }

    /// Returns how the first admits to what it took from the second, and the second from the first, if
    /// that was asked for ([`compare_quoted`]).
    pub fn credits(&self) -> Option<&[Credit; 2]> {
        self.credits.as_ref()
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
            vocabulary: Some(self.vocabulary),
            passages: passages.clone(),
            quoted: self
                .credits
                .iter()
                .flatten()
                .flat_map(|credit| &credit.quoted)
                .copied()
                .collect(),
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
    let featurizer = job.featurizer(&*detector);
    let profile = |document| Profile::of(document, &featurizer, detector.shingles());
    let (pa, pb) = (profile(a), profile(b));
    let is_exact = pa.words.is_equal(&pb.words);
    let k = detector.shingles().k();
    // With fewer words than a run has there is nothing to compare by.
    let can_judge = pa.n_words() >= k && pb.n_words() >= k;
    let judged = if can_judge { detector.verify(&pa, &pb) } else { None };
    let (kind, mut found) = match judged {
        Some((kind, found)) => (Some(kind), found),
        None => (None, align::compare(&pa, &pb, k, detector.rule().edits)),
    };
    if is_exact || !can_judge {
        found.counted = None;
    }
    let (relation, scores) = match (is_exact, can_judge) {
        (true, _) => (Some(Kind::Exact), Scores::EQUAL),
        (false, true) => (kind, found.scores),
        (false, false) => (None, Scores::default()),
    };
    Ok(Comparison {
        relation,
        scores,
        vocabulary: vocabulary(&pa, &pb),
        evidence: found.evidence(&pa, &pb, job.passages_per_pair),
        n_words: [pa.n_words(), pb.n_words()],
        credits: None,
    })
}

/// Returns the shares of the different words of each of two documents that stand in the other.
fn vocabulary(a: &Profile, b: &Profile) -> [Score; 2] {
    let different =
        |profile: &Profile| -> BTreeSet<u64> { profile.words.hashes.iter().copied().collect() };
    let (a, b) = (different(a), different(b));
    let n_common = a.intersection(&b).count();
    [&a, &b].map(|words| Score::share(n_common, words.len().max(1)))
}

/// Compares two documents and tells apart, or leaves out, what either of them quotes.
///
/// Whether one names the other as its source is told, and leaves nothing out.
///
/// ```
/// use retold::{Document, Job, Quotes, compare_quoted};
///
/// let note = "The harbour board will close the east quay for repairs from Monday until Friday.";
/// let (a, b) = (Document::plain("a", note), Document::plain("b", format!("\"{note}\" said the board.")));
/// let marked = compare_quoted(&a, &b, &Job::default(), Quotes::Mark)?;
/// let [of_a, of_b] = marked.credits().expect("they were asked for");
/// assert_eq!((of_a.quoted.len(), of_b.quoted.len()), (0, 1));
/// let skipped = compare_quoted(&a, &b, &Job::default(), Quotes::Skip)?;
/// assert!(skipped.evidence().passages.is_empty());
/// # Ok::<(), retold::Error>(())
/// ```
pub fn compare_quoted(
    a: &Document,
    b: &Document,
    job: &Job,
    quotes: Quotes,
) -> Result<Comparison, Error> {
    if quotes == Quotes::Count {
        return compare(a, b, job);
    }
    let (of_a, of_b) = (Quotations::of(a), Quotations::of(b));
    let found = match quotes {
        Quotes::Skip => compare(&of_a.left_out(a), &of_b.left_out(b), job)?,
        Quotes::Count | Quotes::Mark => compare(a, b, job)?,
    };
    let mut turned = found.evidence.clone();
    turned.passages.iter_mut().for_each(|passage| *passage = passage.flipped());
    let credits = [Credit::of(a, &of_a, b, &found.evidence), Credit::of(b, &of_b, a, &turned)];
    Ok(Comparison { credits: Some(credits), ..found })
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

#[cfg(test)]
mod tests {
    use retold_core::relation::Agreement;
    use retold_core::verify::rule::Edits;

    use super::*;

    const SOURCE: &str = "The harbour board closed the east quay on Monday because divers had found cracks in \
        three concrete pillars below the waterline, and engineers from the technical university will measure \
        the remaining strength of the wall before any ferry, trawler or container vessel may land again.";
    /// The same with words replaced and sentences turned round.
    const REWRITTEN: &str = "Before a container vessel, trawler or ferry can land there again, engineers from the \
        university must measure what strength remains in the wall; divers discovered cracks below the waterline \
        in three pillars of concrete, so on Monday the board of the harbour shut the quay in the east.";

    fn compared(a: &str, b: &str, edits: Edits) -> Comparison {
        let document =
            |text: &str| Document { language: Some("en".to_owned()), ..Document::plain("d", text) };
        compare(&document(a), &document(b), &Job::default().with_edits(edits)).expect("a job")
    }

    #[test]
    fn a_rewritten_text_is_a_partial_copy_if_heavy_edits_are_allowed_for() {
        assert_eq!(compared(REWRITTEN, SOURCE, Edits::Light).relation(), None);
        let heavy = compared(REWRITTEN, SOURCE, Edits::Heavy);
        assert_eq!(heavy.relation(), Some(Kind::Partial));
        let passage = heavy.evidence().passages[0];
        assert_eq!(passage.agreement(), Agreement::Reordered);
        let there = passage.a.of(REWRITTEN).expect("borders of words");
        assert!(there.contains("engineers") && there.contains("pillars"), "{there}");
    }

    #[test]
    fn edits_that_are_not_allowed_for_end_a_passage() {
        let edited = SOURCE.replace("divers", "workers");
        let n_passages = |edits| compared(&edited, SOURCE, edits).evidence().passages.len();
        assert_eq!((n_passages(Edits::Light), n_passages(Edits::None)), (1, 2));
        for edits in [Edits::None, Edits::Light, Edits::Heavy] {
            assert_eq!(compared(SOURCE, SOURCE, edits).relation(), Some(Kind::Exact));
        }
    }
}
