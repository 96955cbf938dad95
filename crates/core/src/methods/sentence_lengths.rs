//! Sequences of sentence lengths: copies are found by the rhythm of their sentences alone.
//!
//! # What it finds
//! Passages of several sentences that also stand in another document, whatever their language: only
//! the number of words of each sentence is kept. If the matched windows make up a large share of
//! one or both documents, these count as contained or near-duplicate.
//! # How it works
//! A document becomes the sequence of its sentence lengths, in words. Its features are windows of
//! `window` lengths in a row ([`length_windows`](crate::features::length_windows)). A document is
//! found through the windows that start every `step` places and one that ends at its end; the
//! document that asks looks up its windows at every place
//! ([`diagonal`](crate::candidates::diagonal)). A document is found if at least `least_run` of its
//! windows in a row match windows of the asker, with the same distance between the two positions.
//! Such a match covers at least WS + SW · (t − 1) sentences. Dynamic jumping leaves out windows
//! inside monotonous stretches, where lengths repeat. The documents found are ranked by the weight
//! of the asker's windows that they have, divided by the weight of all windows of the asker. How
//! many documents have a window is counted in the collection beforehand.
//! # Parameters
//! `window` (WS) = 8 lengths; `step` (SW) = 1; `jumping` = `static`, or `dynamic` (DJ); `least_run`
//! (t) = 1; `weights` = `idf`, which gives a window that n of N documents have the weight
//! ln(N / n), or `uniform`; `repeats` = `once`: a window that the asker repeats counts once in its
//! share, or `kept`: every time; `splitter` = `wide`: sentences end at `, ; " . ? !` and their
//! typographic and CJK forms, so they are pieces of about six words. Profile `retold` keeps these
//! pieces: eight natural sentences in a row would be most of a news story. At most `stop` = 1000
//! documents are looked at for one window, and at most `most_repeats` = 8 places of a repeated
//! window in one document; in profile `paper` the first is unlimited and the second is 1024.
//! `containment` = 0.6 is the share of windows from which a document counts as contained. The
//! fifteen published configurations have names, such as `ws16sw2` and `ws8sw1-dj`.
//! # Cost
//! A document of L sentences has L − WS + 1 windows with one posting each, and its image takes two
//! or three bytes a sentence; the cost is linear in the collection. The papers hold only
//! ⌈(L − WS) / SW⌉ + 1 of these windows; the others are held so that the result does not depend on
//! which of two documents asks. Two documents that meet are compared in time linear in their
//! windows, unless windows repeat.
//! # Where we differ from the papers
//! The last window ends at the end of the document even if `step` does not lead there; only this
//! agrees with the numbers of windows that the paper reports. The `least_run` matched windows must
//! follow each other with the same distance between the two positions. A window left out by dynamic
//! jumping counts as matched inside such a run. Jumping keeps windows that have too few lengths
//! before or after them. A document with fewer sentences than a window is too short to be judged. A
//! window that no document has keeps its full weight, ln N, in the denominator. N is the number of all documents of the collection, including
//! those too short for a window. The share of the found document is computed as if it had asked.
//! The share that makes a containment is our choice: the papers only rank. In a collection, a pair
//! is found if either document finds the other. For the same test queries, one paper speaks of
//! about six sentences and the other of about six paragraphs.
//!
//! Known weaknesses: poems, lyrics and lists have equal sentence lengths throughout and match each
//! other, short documents have no window, and words hyphenated at line ends change the lengths. The
//! limits keep such texts from costing the square of their length.
//! # Reference
//! Chang, Wang: Organizing news archives by near-duplicate copy detection in digital libraries,
//! ICADL 2007; Wang, Chang: Exploiting sentence-level features for near-duplicate document
//! detection, AIRS 2009, equations 1 to 3.

use serde_json::{Map, Value};

use super::tuning::{replaced, run_of, setting};
use super::{Form, Method, Recall, Skip, Spec};
use crate::candidates::diagonal::{Diagonals, Matching, Weights};
use crate::features::length_windows::{self, Jumping, Windows};
use crate::features::reading::Reading;
use crate::image::feature_set::Repeats;
use crate::image::rhythm::Rhythm;
use crate::parameters::{Limit, parameters};
use crate::relation::Kind;
use crate::segment::sentence::Delimiters;
use crate::verify::rule::Rule;

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "sentence-lengths",
    title: "windows of sentence lengths (WSxSWy)",
    finds: &Kind::ALL,
    approximate: Some(
        "candidates: a common passage of fewer than `window` sentences is missed, and so is one \
         whose sentences were split, joined or changed in length. Scores and passages are exact.",
    ),
    forms: &[
        form("ws8sw1", &[("window", "8"), ("step", "1")]),
        form("ws8sw1-dj", &[("window", "8"), ("step", "1"), DYNAMIC]),
        form("ws8sw2", &[("window", "8"), ("step", "2")]),
        form("ws16sw1", &[("window", "16"), ("step", "1")]),
        form("ws16sw1-dj", &[("window", "16"), ("step", "1"), DYNAMIC]),
        form("ws16sw2", &[("window", "16"), ("step", "2")]),
        form("ws16sw4", &[("window", "16"), ("step", "4")]),
        form("ws32sw1", &[("window", "32"), ("step", "1")]),
        form("ws32sw1-dj", &[("window", "32"), ("step", "1"), DYNAMIC]),
        form("ws32sw4", &[("window", "32"), ("step", "4")]),
        form("ws32sw8", &[("window", "32"), ("step", "8")]),
        form("ws64sw1", &[("window", "64"), ("step", "1")]),
        form("ws64sw1-dj", &[("window", "64"), ("step", "1"), DYNAMIC]),
        form("ws64sw8", &[("window", "64"), ("step", "8")]),
        form("ws64sw16", &[("window", "64"), ("step", "16")]),
    ],
    recall: Recall { percent: 95, why: "a passage needs eight whole sentences" },
    skips: &[
        Skip::cases(
            &[
                "a note with two changed words inside an article",
                "a short note inside a long article",
                "a long article that holds a short note",
                "one part in twenty",
                "the head half",
                "the tail half",
            ],
            "the shorter text has fewer sentences than a window",
        ),
        Skip::kinds(&[Kind::Partial], "the passage has fewer sentences than a window"),
        Skip::cases(
            &["all sentences in the opposite order", "every second sentence moved to the end"],
            "windows keep the order of sentences, by design",
        ),
        Skip::cases(
            &[
                "arabic with edits",
                "japanese with a sentence shortened",
                "one sentence deleted",
                "russian with edits",
                "thai with the last phrase changed",
                "the last word differs",
            ],
            "the change leaves no window of eight equal lengths, or there are fewer sentences",
        ),
        Skip::cases(
            &["one word five hundred times against two hundred times"],
            "one sentence is fewer than a window",
        ),
    ],
    ..Spec::of::<SentenceLengths>(include_str!("sentence_lengths.rs"))
};

const DYNAMIC: (&str, &str) = ("jumping", "\"dynamic\"");

const fn form(name: &'static str, parameters: &'static [(&'static str, &'static str)]) -> Form {
    Form { name, about: "a published size and step of windows; `dj`: dynamic jumping", parameters }
}

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// sentence lengths in a window
        window: usize = 8, in 1..=256;
        /// places from one window to the next
        step: usize = 1, in 1..=256;
        /// `static`, or `dynamic` to leave out monotony
        jumping: Jumping = Jumping::Static;
        /// windows in a row that must match
        least_run: usize = 1, in 1..=u32::MAX as usize;
        /// what a window counts in the score
        weights: Weights = Weights::Idf;
        /// how often a repeated window of the asker counts in the score
        repeats: Repeats = Repeats::Once;
        /// what ends a sentence
        splitter: Delimiters = Delimiters::Wide;
        /// documents of a window that are looked at
        stop: Limit = Limit::at(1000), paper Limit::NONE, in 1..;
        /// places of a repeated window in a document that are looked at
        most_repeats: usize = 8, paper 1024, in 1..;
    }
}

/// What theory takes a document to be: so many sentences of so many words (5.74 on the average in the
/// paper's collection).
const USUAL_SENTENCES: usize = 32;
const USUAL_WORDS: i32 = 6;

/// The method.
pub(super) struct SentenceLengths {
    config: Config,
}

impl Method for SentenceLengths {
    type Config = Config;
    type Image = Rhythm;
    type Meeting = Diagonals;
    const SPEC: &'static Spec = &SPEC;

    fn new(config: Config, _: u64) -> Self {
        Self { config }
    }

    fn needs_counts(&self) -> bool {
        self.config.weights == Weights::Idf
    }

    fn counts_words(&self) -> bool {
        false
    }

    fn count(&self, reading: &Reading<'_>, each: &mut dyn FnMut(u64)) {
        let (windows, lengths) = (self.windows(), self.lengths(reading));
        let starts = windows.starts(&lengths);
        let mut keys: Vec<u64> = starts.map(|start| windows.key(&lengths, start)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.into_iter().for_each(each);
    }

    fn image(&self, reading: &Reading<'_>) -> Option<Rhythm> {
        let lengths = self.lengths(reading);
        if lengths.len() < self.config.window {
            return None;
        }
        let counts = (self.config.weights == Weights::Idf).then(|| reading.counts());
        Some(Rhythm::new(lengths, self.windows(), counts))
    }

    fn settings(_: f64, _: f64) -> Vec<Map<String, Value>> {
        // Fewer lengths than four are shared by most documents.
        let windows = [32_usize, 16, 12, 10, 8, 7, 6, 5, 4];
        windows.map(|window| setting([("window", window.into())])).into()
    }

    /// A sentence in which a word was replaced counts as changed, though its length may be the same.
    fn chance(&self, similarity: f64) -> Option<f64> {
        let Config { window, least_run, step, .. } = self.config;
        let is_kept = 1.0 - replaced(similarity, Self::shingles(self).k());
        let n_kept = window + (least_run - 1) * step;
        Some(run_of(USUAL_SENTENCES, is_kept.powi(USUAL_WORDS), n_kept))
    }

    fn meeting(&self, rule: Rule) -> Diagonals {
        let Config { least_run, stop, most_repeats, repeats, .. } = self.config;
        let (windows, containment) = (self.windows(), rule.containment);
        let stop = stop.get();
        Diagonals::new(Matching { windows, least_run, containment, stop, most_repeats, repeats })
    }
}

impl SentenceLengths {
    fn windows(&self) -> Windows {
        let Config { window: size, step, jumping, .. } = self.config;
        Windows { size, step, jumping }
    }

    fn lengths(&self, reading: &Reading<'_>) -> Vec<u32> {
        length_windows::lengths(&reading.sentences(self.config.splitter))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::super::trial::Trial;
    use super::*;
    use crate::methods::Profile;
    use crate::methods::make;

    /// Pieces of one to six words, by the digits of a number.
    fn text(pieces: &str, word: &str) -> String {
        let piece = |c: char| vec![word; c.to_digit(10).expect("a digit") as usize].join(" ");
        pieces.chars().map(piece).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn the_image_is_the_string_of_lengths() {
        // T-FS, padded to a window.
        let words = r#"Hello, world! This is a test; "quoted words here" end. A. B. C."#;
        let trial = Trial::new("sentence-lengths", Profile::Paper, &[], &[words]);
        let image: Rhythm = trial.image(words).expect("long enough");
        assert_eq!(image.lengths(), [1, 1, 4, 3, 1, 1, 1, 1]);
        assert_eq!(trial.image::<Rhythm>("Hello, world! This is a test"), None);
    }

    #[test]
    fn a_passage_is_found_in_other_words() {
        // The rhythm is all that counts, for better or worse.
        let texts = [text("123456123415263541", "harbour"), text("6666611234152635", "quay")];
        for weights in ["idf", "uniform"] {
            let given = [("weights", json!(weights))];
            let trial = Trial::new("sentence-lengths", Profile::Paper, &given, &texts);
            assert_eq!(trial.kinds(), [(0, 1, Kind::Partial)], "{weights}");
        }
    }

    #[test]
    fn a_window_that_the_asker_repeats_counts_once_unless_repeats_are_kept() {
        // The second text has the eight pieces of the first three times in a row.
        let eight = "12345643";
        let texts = [text(eight, "quay"), text(&eight.repeat(3), "quay")];
        let share = |repeats: &str| {
            let given = [("weights", json!("uniform")), ("repeats", json!(repeats))];
            let pairs = Trial::new("ws8sw1", Profile::Paper, &given, &texts).pairs();
            pairs[0].scores.b_in_a.get()
        };
        // It has 17 windows, of which 8 are different; one of them stands three times.
        assert!((share("once") - 1.0 / 8.0).abs() < 1e-12, "{}", share("once"));
        assert!((share("kept") - 3.0 / 17.0).abs() < 1e-12, "{}", share("kept"));
    }

    #[test]
    fn windows_that_the_whole_collection_has_weigh_nothing() {
        // Both begin alike and so do the others; only the first two end alike.
        let (common, own) = ("123456123", "415263541");
        let mut texts = vec![format!("{common}{own}"), format!("{common}{own}61")];
        texts.extend((1..6).map(|i| format!("{common}{i}{i}")));
        let texts: Vec<String> = texts.iter().map(|digits| text(digits, "quay")).collect();
        let pairs = Trial::new("sentence-lengths", Profile::Paper, &[], &texts).pairs();
        let share = |a: u32, b: u32| {
            let pair = pairs.iter().find(|pair| (pair.a, pair.b) == (a, b));
            pair.expect("they share windows").scores.b_in_a.get()
        };
        assert!(share(0, 1) > 0.6, "{}", share(0, 1));
        assert!(share(0, 3).abs() < 1e-12, "{}", share(0, 3));
    }

    #[test]
    fn the_published_configurations_have_names() {
        assert_eq!(SPEC.forms.len(), 15);
        let detector = make("ws16sw1-dj", Profile::Paper, &Map::new(), 1).expect("it is known");
        let parameters = detector.parameters();
        assert_eq!((&parameters["window"], &parameters["step"]), (&16.into(), &1.into()));
        assert_eq!(parameters["jumping"], "dynamic");
    }
}
