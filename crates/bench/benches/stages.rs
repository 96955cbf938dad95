//! Each stage on its own, over one corpus of made-up news (seed 1; about 250 words a text, one in
//! five an edited copy). Run with `cargo bench -p retold-bench`; rates are of text bytes.
//!
//! Compare rates with `floor` in the same run, not seconds with seconds of another day.

use divan::Bencher;
use divan::counter::BytesCount;
use retold::{Document, Documents, Find, Found, Job, METHODS, Profile};
use retold_bench::{Floor, news};
use retold_core::candidates::sealed::SearchSetup;
use retold_core::document::{Ordinal, Span};
use retold_core::executor::Inline;
use retold_core::features::counts::Counts;
use retold_core::features::reading::Reading;
use retold_core::features::shingles::Shingles;
use retold_core::features::{Featurizer, Places, TextSettings, Words};
use retold_core::image::images::Images;
use retold_core::methods::Detector;
use retold_core::scratch::InMemory;
use retold_core::verify;
use retold_core::verify::align;
use retold_core::verify::rule::Edits;
use retold_testkit::runs::detector;

const N: usize = 2_000;
/// Memory for the candidate search: more than any of these searches needs.
const MEMORY_BYTES: usize = 1 << 30;

fn main() {
    divan::main();
}

fn bytes(documents: &[Document]) -> BytesCount {
    BytesCount::new(documents.iter().map(|document| document.text.len()).sum::<usize>())
}

fn featurizer() -> Featurizer {
    Featurizer::new(TextSettings::default(), 1)
}

/// Returns a method with the words it works on.
fn method_of(name: &str) -> (Box<dyn Detector>, Featurizer) {
    let job = Job::of(name, Profile::Retold).expect("the name is registered");
    (detector(&job), Featurizer::new(job.text().clone(), 1))
}

/// Returns the statistics a method needs, or empty ones.
fn counts(documents: &[Document], detector: &dyn Detector, featurizer: &Featurizer) -> Counts {
    let mut counts = Counts::default();
    let mut words = Words::default();
    for document in documents.iter().filter(|_| detector.needs_counts()) {
        featurizer.read(document, detector.places(), None, &mut words, |reading, _| {
            let mut features = Vec::new();
            detector.count(reading, &mut |feature| features.push(feature));
            counts.add(features);
        });
    }
    counts
}

fn images(
    documents: &[Document],
    detector: &dyn Detector,
    featurizer: &Featurizer,
    counts: &Counts,
) -> Images {
    let mut words = Words::default();
    let mut images = Images::new(MEMORY_BYTES);
    for (ordinal, document) in (0..).map(Ordinal).zip(documents) {
        let image =
            featurizer.read(document, detector.places(), Some(counts), &mut words, |reading, _| {
                detector.image(reading)
            });
        if let Some(image) = image {
            images.push(ordinal, &image, &InMemory).expect("memory takes it");
        }
    }
    images
}

#[divan::bench]
fn words(bencher: Bencher<'_, '_>) {
    let documents = news(N, 1);
    let featurizer = featurizer();
    let mut words = Words::default();
    bencher.counter(bytes(&documents)).bench_local(|| {
        let mut last = 0;
        for document in &documents {
            let end = |_: &Reading<'_>, extent: Span| last = last.max(extent.end);
            featurizer.read(document, Places::Dropped, None, &mut words, end);
        }
        last
    });
}

#[divan::bench]
fn floor(bencher: Bencher<'_, '_>) {
    let documents = news(N, 1);
    let featurizer = featurizer();
    let mut words = Words::default();
    bencher.counter(bytes(&documents)).bench_local(|| {
        let mut floor = Floor::default();
        for document in &documents {
            floor.add(document, &featurizer, &mut words);
        }
        floor
    });
}

/// Words and image, per method.
#[divan::bench(args = METHODS.iter().map(|spec| spec.name))]
fn image(bencher: Bencher<'_, '_>, method: &str) {
    let documents = news(N, 1);
    let (detector, featurizer) = method_of(method);
    let counts = counts(&documents, &*detector, &featurizer);
    bencher.counter(bytes(&documents)).bench_local(|| {
        divan::black_box(images(&documents, &*detector, &featurizer, &counts));
    });
}

/// Searching all images for candidates, per linear method.
#[divan::bench(args = METHODS.iter().filter(|spec| !spec.is_quadratic).map(|spec| spec.name))]
fn candidates(bencher: Bencher<'_, '_>, method: &str) {
    let documents = news(N, 1);
    let (detector, featurizer) = method_of(method);
    let counts = counts(&documents, &*detector, &featurizer);
    let images = images(&documents, &*detector, &featurizer, &counts);
    let job = SearchSetup {
        border: None,
        without_passages: false,
        runs: None,
        memory_bytes: MEMORY_BYTES,
        scratch: &InMemory,
        executor: &Inline,
    };
    bencher.counter(bytes(&documents)).bench_local(|| {
        let mut n_found = 0;
        let mut count = |_, partners: &[_]| {
            n_found += partners.len();
            Ok(())
        };
        detector.search(&images, &job, &mut count).expect("nothing fails in memory");
        n_found
    });
}

/// Making both profiles and aligning an original with its edited copy.
#[divan::bench]
fn verify(bencher: Bencher<'_, '_>) {
    let documents = news(10, 1);
    let featurizer = featurizer();
    let pair = [&documents[0], &documents[4]];
    let n_bytes = pair.iter().map(|document| document.text.len()).sum::<usize>();
    bencher.counter(BytesCount::new(n_bytes)).bench_local(|| {
        let [a, b] =
            pair.map(|document| verify::Profile::of(document, &featurizer, Shingles::new(5)));
        align::compare(&a, &b, 5, Edits::Light)
    });
}

/// The whole job in memory on one thread, per linear method.
#[divan::bench(args = METHODS.iter().filter(|spec| !spec.is_quadratic).map(|spec| spec.name), sample_count = 10)]
fn find(bencher: Bencher<'_, '_>, method: &str) {
    let documents = news(N, 1);
    bencher.counter(bytes(&documents)).with_inputs(|| documents.clone()).bench_local_values(
        |documents| {
            let find = Find::new(Documents::new(documents)).method(method).threads(1);
            find.run(&mut Found::only_pairs())
        },
    );
}
