//! `compare`: two documents side by side.

use std::path::Path;

use retold_core::document::Document;
use retold_core::features::Featurizer;
use retold_core::relation::{Kind, Scores};
use retold_core::verify::Profile;
use retold_read::{Reader, discover};
use retold_report::{PairView, SideView, WINDOW_BYTES, Window};

use crate::error::Error;
use crate::settings::Settings;

/// Compares two documents by the settings' method.
pub fn compare(a: &Document, b: &Document, settings: &Settings) -> Result<PairView, Error> {
    let detector = settings.detector()?;
    let featurizer = Featurizer::new(settings.text.clone(), settings.seed);
    let profile = |document| Profile::of(document, &featurizer, detector.shingles());
    let (pa, pb) = (profile(a), profile(b));
    let is_exact = pa.words.is_equal(&pb.words);
    let k = detector.shingles().k();
    let can_judge = pa.n_words() >= k && pb.n_words() >= k;
    let verified = if can_judge { detector.verify(&pa, &pb) } else { None };
    let compared = retold_core::verify::align::compare(&pa, &pb, k);
    let evidence = compared.evidence(&pa, &pb, settings.passages_per_pair);
    let (relation, scores) = match (is_exact, can_judge) {
        (true, _) => (Some(Kind::Exact), Scores::EQUAL),
        (false, true) => (verified.map(|(kind, _)| kind), compared.scores),
        // Too few words for a run: nothing to compare by.
        (false, false) => (None, Scores::default()),
    };
    let passages = evidence.passages;
    Ok(PairView {
        a: side(a, pa.n_words(), passages.iter().map(|passage| passage.a)),
        b: side(b, pb.n_words(), passages.iter().map(|passage| passage.b)),
        relation,
        scores,
        passages,
        n_cut: evidence.n_cut,
    })
}

/// Returns one side of a view: the stretches around some spans.
pub(crate) fn side(
    document: &Document,
    n_words: usize,
    spans: impl IntoIterator<Item = retold_core::document::Span>,
) -> SideView {
    SideView {
        id: document.id.clone(),
        title: document.title.clone(),
        source: document.source.clone(),
        time: document.time.clone(),
        n_words: n_words as u32,
        markup: document.markup,
        n_bytes: document.text.len(),
        windows: Window::around(&document.text, spans, WINDOW_BYTES),
    }
}

/// Reads the first document of a file; `-` is standard input.
pub fn read_one(path: &Path, settings: &Settings) -> Result<Document, Error> {
    let found = discover(&[path.to_owned()])?;
    let mut reader = Reader::new(found.files, settings.read_options());
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
