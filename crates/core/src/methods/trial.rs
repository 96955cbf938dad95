//! A method on a few texts, for the tests of methods: from text to pairs, as users run it.

use serde_json::Value;

use super::{Detector, Profile, make, text_settings};
use crate::candidates::both::agreed;
use crate::document::Document;
use crate::encode::{Encoded, from_bytes};
use crate::features::counts::Counts;
use crate::features::reading::Reading;
use crate::features::{Featurizer, TextSettings, Words};
use crate::hash::Random;
use crate::relation::{Kind, Scores};

/// A method, the texts it searches, and the statistics of these.
pub(super) struct Trial {
    detector: Box<dyn Detector>,
    featurizer: Featurizer,
    counts: Counts,
    documents: Vec<Document>,
}

/// A pair that the method itself relates, seen from the earlier text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// Number of the earlier text.
    pub(super) a: u32,
    /// Number of the later text.
    pub(super) b: u32,
    pub(super) kind: Kind,
    pub(super) scores: Scores,
}

impl Trial {
    /// Makes the method or form of a name for some English texts, with the defaults of a profile
    /// but for the given parameters.
    pub(super) fn new(
        name: &str,
        profile: Profile,
        given: &[(&str, Value)],
        texts: &[impl AsRef<str>],
    ) -> Self {
        Self::in_language("en", name, profile, given, texts)
    }

    /// Makes the same for texts in another language; an empty one is detected.
    pub(super) fn in_language(
        language: &str,
        name: &str,
        profile: Profile,
        given: &[(&str, Value)],
        texts: &[impl AsRef<str>],
    ) -> Self {
        let given = given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let detector = make(name, profile, &given, 1).expect("the parameters are usable");
        let text = text_settings(name, profile).expect("the name is known");
        let text = TextSettings { language: language.to_owned(), ..text };
        let (featurizer, counts) = (Featurizer::new(text, 1), Counts::default());
        Self { detector, featurizer, counts, documents: Vec::new() }.on(texts)
    }

    /// Returns the same method on other texts.
    pub(super) fn on(mut self, texts: &[impl AsRef<str>]) -> Self {
        self.documents = texts.iter().map(|text| Document::plain("d", text.as_ref())).collect();
        self.counts = Counts::default();
        for document in &self.documents {
            let mut features = Vec::new();
            self.read(document, |reading| {
                self.detector.count(reading, &mut |feature| features.push(feature));
            });
            self.counts.add(features);
        }
        self
    }

    fn read<T>(&self, document: &Document, look: impl FnOnce(&Reading<'_>) -> T) -> T {
        let (places, mut words) = (self.detector.places(), Words::default());
        let counts = Some(&self.counts);
        self.featurizer.read(document, places, counts, &mut words, |reading, _| look(reading))
    }

    fn encoded(&self, document: &Document) -> Option<Box<[u8]>> {
        self.read(document, |reading| self.detector.image(reading))
    }

    /// Returns the image of any text.
    pub(super) fn image<I: Encoded>(&self, text: &str) -> Option<I> {
        let image = self.encoded(&Document::plain("d", text))?;
        Some(from_bytes(&image).expect("it is an image of this type"))
    }

    /// Returns the images of the texts.
    pub(super) fn images<I: Encoded>(&self) -> Vec<Option<I>> {
        self.documents.iter().map(|document| self.image(&document.text)).collect()
    }

    /// Returns the pairs that the method relates, by their numbers; all engines agree on them.
    pub(super) fn pairs(&self) -> Vec<Pair> {
        let numbered = (0..).zip(&self.documents);
        let images = numbered.filter_map(|(i, document)| Some((i, self.encoded(document)?)));
        let (numbers, images): (Vec<u32>, Vec<Box<[u8]>>) = images.unzip();
        let mut window = self.detector.window();
        let (found, _) = agreed(&images, None, &mut *window, |images, job, each| {
            self.detector.search(images, job, each)
        });
        let mut pairs = Vec::new();
        for (partners, &b) in found.iter().zip(&numbers) {
            pairs.extend(partners.iter().map(|partner| Pair {
                a: numbers[partner.ordinal.index()],
                b,
                kind: partner.kind.flipped(),
                scores: partner.scores.flipped(),
            }));
        }
        pairs.sort_by_key(|pair| (pair.a, pair.b));
        pairs
    }

    /// Returns the pairs without their scores.
    pub(super) fn kinds(&self) -> Vec<(u32, u32, Kind)> {
        self.pairs().into_iter().map(|pair| (pair.a, pair.b, pair.kind)).collect()
    }

    /// Returns the numbers of the texts of each pair.
    pub(super) fn numbers(&self) -> Vec<(u32, u32)> {
        self.pairs().into_iter().map(|pair| (pair.a, pair.b)).collect()
    }

    /// Returns the numbers of the texts of each pair whose images are related, found by comparing
    /// every image with every other one.
    pub(super) fn compared<I: Encoded>(
        &self,
        mut is_related: impl FnMut(&I, &I) -> bool,
    ) -> Vec<(u32, u32)> {
        let images = self.images::<I>();
        let mut out = Vec::new();
        for (i, a) in (0..).zip(&images) {
            for (j, b) in (0..).zip(&images).skip(i as usize + 1) {
                if let (Some(a), Some(b)) = (a, b)
                    && is_related(a, b)
                {
                    out.push((i, j));
                }
            }
        }
        out
    }
}

/// Returns texts of made-up words, every second a copy of the one before with words replaced.
pub(super) fn copies(n: usize, n_words: usize, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut texts: Vec<Vec<String>> = Vec::new();
    for i in 0..n {
        // Squares make some words common and most rare.
        let mut word = || {
            let x = random.below(60);
            format!("w{}", x * x)
        };
        let mut text: Vec<String> = (0..n_words).map(|_| word()).collect();
        if i % 2 == 1 {
            text = texts[i - 1].clone();
            for _ in 0..random.below(n_words / 3) {
                let at = random.below(n_words);
                text[at] = format!("w{}", random.below(3600));
            }
        }
        texts.push(text);
    }
    texts.into_iter().map(|text| text.join(" ")).collect()
}

/// Returns a text of its own for each number: `n` words in sentences of seven.
pub(super) fn sentences(number: u64, n: usize) -> String {
    const SYLLABLES: [&str; 16] = [
        "ba", "ker", "lo", "min", "tu", "sar", "pe", "nol", "gi", "dar", "fu", "rem", "hi", "vos",
        "ca", "zel",
    ];
    let mut random = Random::new(number);
    let mut out = String::new();
    for i in 0..n {
        for _ in 0..3 {
            out.push_str(SYLLABLES[random.below(SYLLABLES.len())]);
        }
        out.push_str(if i % 7 == 6 { ". " } else { " " });
    }
    out
}

/// Returns a text of numbered words, with a space after each.
pub(super) fn numbered(numbers: impl IntoIterator<Item = u32>) -> String {
    let words: Vec<String> = numbers.into_iter().map(|i| format!("w{i} ")).collect();
    words.concat()
}
