//! Each stage on its own, over one corpus of made-up news (seed 1; about 250 words a text, one in
//! five an edited copy). Run with `cargo bench -p retold-bench`; rates are of text bytes.
//!
//! Compare rates with `floor` in the same run, not seconds with seconds of another day.

use divan::Bencher;
use divan::counter::BytesCount;
use retold::core::document::Ordinal;
use retold::core::executor::Inline;
use retold::core::features::shingles::Shingles;
use retold::core::features::{Featurizer, TextSettings};
use retold::core::verify::Profile;
use retold::core::verify::align;
use retold::{Document, METHODS, Settings, find_in_memory};
use retold_bench::{Floor, news};

const N: usize = 2_000;

fn main() {
    divan::main();
}

fn bytes(documents: &[Document]) -> BytesCount {
    BytesCount::new(documents.iter().map(|document| document.text.len()).sum::<usize>())
}

fn featurizer() -> Featurizer {
    Featurizer::new(TextSettings::default(), 1)
}

#[divan::bench]
fn words(bencher: Bencher<'_, '_>) {
    let documents = news(N, 1);
    let featurizer = featurizer();
    let mut words = Vec::new();
    bencher.counter(bytes(&documents)).bench_local(|| {
        documents.iter().map(|document| featurizer.hashes(document, &mut words).0.end).max()
    });
}

#[divan::bench]
fn floor(bencher: Bencher<'_, '_>) {
    let documents = news(N, 1);
    let featurizer = featurizer();
    let mut words = Vec::new();
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
    let featurizer = featurizer();
    let settings = Settings { method: method.to_owned(), ..Settings::default() };
    let detector = settings.detector().expect("defaults are valid");
    let mut words = Vec::new();
    bencher.counter(bytes(&documents)).bench_local(|| {
        for document in &documents {
            featurizer.hashes(document, &mut words);
            divan::black_box(detector.image(&words));
        }
    });
}

/// Inserting all images and proposing candidates, per linear method.
#[divan::bench(args = METHODS.iter().filter(|spec| !spec.is_quadratic).map(|spec| spec.name))]
fn candidates(bencher: Bencher<'_, '_>, method: &str) {
    let documents = news(N, 1);
    let featurizer = featurizer();
    let settings = Settings { method: method.to_owned(), ..Settings::default() };
    let detector = settings.detector().expect("defaults are valid");
    let images = || -> Vec<_> {
        let mut words = Vec::new();
        documents
            .iter()
            .map(|document| {
                featurizer.hashes(document, &mut words);
                detector.image(&words)
            })
            .collect()
    };
    bencher.counter(bytes(&documents)).with_inputs(images).bench_local_values(|images| {
        let mut structure = detector.candidates();
        for (i, image) in images.into_iter().enumerate() {
            structure.insert(Ordinal(i as u32), image);
        }
        structure.propose(&Inline)
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
        let [a, b] = pair.map(|document| Profile::of(document, &featurizer, Shingles::new(5)));
        align::compare(&a, &b, 5)
    });
}

/// The whole job in memory on one thread, per linear method.
#[divan::bench(args = METHODS.iter().filter(|spec| !spec.is_quadratic).map(|spec| spec.name), sample_count = 10)]
fn find(bencher: Bencher<'_, '_>, method: &str) {
    let documents = news(N, 1);
    let settings = Settings { method: method.to_owned(), threads: 1, ..Settings::default() };
    bencher
        .counter(bytes(&documents))
        .with_inputs(|| documents.clone())
        .bench_local_values(|documents| find_in_memory(documents, &settings));
}
