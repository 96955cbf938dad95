//! A method on a few texts, for the tests of methods.

use super::{Method, Profile};
use crate::candidates::Partner;
use crate::candidates::both::found_by_all;
use crate::document::{Document, Ordinal};
use crate::features::counts::Counts;
use crate::features::reading::Reading;
use crate::features::{Featurizer, Places, TextSettings, Words};
use crate::parameters::Parameters;

/// A method, how it reads, and what it knows of the collection.
pub(super) struct Trial<M> {
    pub(super) method: M,
    featurizer: Featurizer,
    counts: Counts,
}

impl<M: Method> Trial<M> {
    /// Makes a method for a collection of texts in English; `change` sets its parameters.
    pub(super) fn new(
        profile: Profile,
        change: impl FnOnce(&mut M::Config),
        collection: &[impl AsRef<str>],
    ) -> Self {
        let mut config = M::Config::defaults(profile);
        change(&mut config);
        let method = M::new(config, 7).expect("the parameters are valid");
        let text = TextSettings { language: "en".to_owned(), ..M::text(profile) };
        let mut trial =
            Self { method, featurizer: Featurizer::new(text, 7), counts: Counts::default() };
        for text in collection {
            let mut features = Vec::new();
            let mut count = |reading: &Reading<'_>| {
                trial.method.count(reading, &mut |feature| features.push(feature));
            };
            trial.read(text.as_ref(), |reading| count(reading));
            trial.counts.add(features);
        }
        trial
    }

    fn read<T>(&self, text: &str, look: impl FnOnce(&Reading<'_>) -> T) -> T {
        let document = Document::plain("d", text);
        let (mut words, counts) = (Words::default(), Some(&self.counts));
        self.featurizer
            .read(&document, Places::Kept, counts, &mut words, |reading, _| look(reading))
    }

    /// Returns the image of a text.
    pub(super) fn image(&self, text: &str) -> Option<M::Image> {
        self.read(text, |reading| self.method.image(reading))
    }

    /// Returns the pairs that the method takes for related, the one that asked first.
    pub(super) fn related(&self, texts: &[impl AsRef<str>]) -> Vec<(usize, Partner)> {
        let images = texts.iter().map(|text| self.image(text.as_ref())).collect();
        related(&self.method, images)
    }

    /// Returns the numbers of the pairs that the method takes for related.
    pub(super) fn pairs(&self, texts: &[impl AsRef<str>]) -> Vec<(usize, usize)> {
        let pair = |(i, partner): (usize, Partner)| (partner.ordinal.index(), i);
        self.related(texts).into_iter().map(pair).collect()
    }
}

/// Returns the pairs that a method takes for related, the one that asked first; all engines agree.
pub(super) fn related<M: Method>(
    method: &M,
    images: Vec<Option<M::Image>>,
) -> Vec<(usize, Partner)> {
    let (places, images): (Vec<usize>, Vec<M::Image>) =
        images.into_iter().enumerate().filter_map(|(i, image)| Some((i, image?))).unzip();
    let (found, _) = found_by_all(|| method.meeting(), &images, None);
    let mut out = Vec::new();
    for (partners, &i) in found.into_iter().zip(&places) {
        out.extend(partners.into_iter().map(|partner| {
            let ordinal = Ordinal(places[partner.ordinal.index()] as u32);
            (i, Partner { ordinal, ..partner })
        }));
    }
    out
}

/// Texts of made-up words, some of them copies of an earlier one with words replaced.
pub(super) fn texts(n: usize, n_words: usize, seed: u64) -> Vec<String> {
    let mut random = crate::hash::Random::new(seed);
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
