//! Sequences of sentence lengths: copies are found by the rhythm of their sentences alone.
//!
//! # What it finds
//! Passages of several sentences that stand in another document, whatever language they are in:
//! words are counted and forgotten. Where the shares of matched windows are large on one or both
//! sides, the documents count as contained or near-duplicate.
//! # How it works
//! A document becomes the string of its sentence lengths, and windows of `window` lengths are its
//! features ([`length_windows`](crate::features::length_windows)). A document stands in the index
//! with a window every `step` places and one that ends at its end, and asks with the window at
//! every place ([`diagonal`](crate::candidates::diagonal)). A document is found
//! if `least_run` of its windows in a row match with the same distance of positions, that is on at
//! least WS + SW · (t − 1) sentences. Dynamic jumping leaves windows out where a monotonous stretch
//! repeats what stands before and after. Found documents are ranked by the weight of the asker's
//! windows they have, over the weight of all.
//! # Parameters
//! `window` (WS) = 8 lengths; `step` (SW) = 1; `jumping` = `static`, or `dynamic` (DJ);
//! `least_run` (t) = 1; `weights` = `idf`, ln(N / n) of a window, or `uniform`; `splitter` = `wide`,
//! sentences end at `, ; " . ? !` and their typographic and CJK forms, so they are pieces of about
//! six words; `stop` documents of a window and `most_repeats` places of a repeated window in one
//! document are looked at: 1000 and 8, or in profile `paper` all and 1024; `containment` = 0.6 is
//! the share of windows from which a document counts as contained. The fifteen published
//! configurations have names, such as `ws16sw2` and `ws8sw1-dj`.
//! # Cost
//! ⌈(L − WS) / SW⌉ + 1 windows for L sentences, some 30 bytes each; linear in the collection. So that
//! it does not matter which of two documents asks, windows at all places are held beside the
//! indexed ones where these are fewer; the saving of `step` and of jumping is one of the index
//! proper.
//! # Where we differ from the papers
//! The last window ends at the end of the document even if `step` does not lead there: the numbers
//! of windows the paper reports agree with this and with nothing else. For t the windows must follow
//! each other on one diagonal; a window left out by dynamic jumping counts as matched inside such a
//! run; jumping keeps windows that have too few lengths before or behind them. A document with fewer
//! sentences than a window is too short to be judged. A window that no document has keeps its full
//! weight, ln N, in the denominator, and repeats of a window count again. The share of the found
//! document is that of its windows by number, and which share makes a containment is ours: the
//! papers rank only. In a collection a pair is found if either document finds the other. The two
//! papers speak of about six sentences and about six paragraphs of
//! the same test queries.
//!
//! Its weakness is known: poems, lyrics and lists have equal lengths everywhere and match each
//! other, short documents have no window, and words hyphenated at line ends change the lengths. The
//! limits keep such texts from costing the square of their length and count what they cut.
//! # Reference
//! Chang, Wang: Organizing news archives by near-duplicate copy detection in digital libraries,
//! ICADL 2007; Wang, Chang: Exploiting sentence-level features for near-duplicate document
//! detection, AIRS 2009, equations 1 to 3.

use serde::{Deserialize, Serialize};

use super::{Form, Method, Parameter, Profile, RULE_PARAMETERS, Spec, build, within};
use crate::candidates::diagonal::{Diagonals, Matching, Weights};
use crate::error::ConfigError;
use crate::features::length_windows::{self, Jumping, Windows};
use crate::features::reading::Reading;
use crate::relation::Kind;
use crate::segment::sentence::Delimiters;
use crate::verify::rule::Rule;

/// What is known of the method.
pub(super) static SPEC: Spec = Spec {
    name: "sentence-lengths",
    title: "windows of sentence lengths (WSxSWy)",
    finds: &Kind::ALL,
    approximate: Some(
        "candidates: a common passage of fewer than `window` sentences is missed, and so is one \
         whose sentences were split, joined or changed in length. Scores and passages are exact.",
    ),
    is_quadratic: false,
    parameters: &[
        Parameter { name: "window", about: "sentence lengths in a window, 1 to 256" },
        Parameter { name: "step", about: "places from one window to the next, 1 to 256" },
        Parameter { name: "jumping", about: "`static`, or `dynamic` to leave out monotony" },
        Parameter { name: "least_run", about: "windows in a row that must match, at least 1" },
        Parameter {
            name: "weights",
            about: "what a window counts in the score: `idf` or `uniform`",
        },
        Parameter { name: "splitter", about: "what ends a sentence: `wide`, `sd` or `codet`" },
        Parameter { name: "stop", about: "documents of a window that are looked at, at least 1" },
        Parameter {
            name: "most_repeats",
            about: "places of a repeated window in a document that are looked at, at least 1",
        },
        RULE_PARAMETERS[0],
        RULE_PARAMETERS[1],
    ],
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
    source: include_str!("sentence_lengths.rs"),
    build: build::<SentenceLengths>,
    text: SentenceLengths::text,
};

const DYNAMIC: (&str, &str) = ("jumping", "\"dynamic\"");

const fn form(name: &'static str, parameters: &'static [(&'static str, &'static str)]) -> Form {
    Form { name, about: "a published size and step of windows; `dj`: dynamic jumping", parameters }
}

/// Parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Config {
    window: usize,
    step: usize,
    jumping: Jumping,
    least_run: usize,
    weights: Weights,
    splitter: Delimiters,
    stop: usize,
    most_repeats: usize,
    #[serde(flatten)]
    rule: Rule,
}

/// The method.
pub(super) struct SentenceLengths {
    config: Config,
}

impl Method for SentenceLengths {
    type Config = Config;
    type Image = Vec<u32>;
    type Index = Diagonals;
    const SPEC: &'static Spec = &SPEC;

    fn defaults(profile: Profile) -> Config {
        let (stop, most_repeats) = match profile {
            Profile::Retold => (1000, 8),
            Profile::Paper => (u32::MAX as usize, 1024),
        };
        Config {
            window: 8,
            step: 1,
            jumping: Jumping::Static,
            least_run: 1,
            weights: Weights::Idf,
            splitter: Delimiters::Wide,
            stop,
            most_repeats,
            rule: Rule::default(),
        }
    }

    fn new(config: Config, _: u64) -> Result<Self, ConfigError> {
        within("window", config.window, 1..=256)?;
        within("step", config.step, 1..=256)?;
        within("least_run", config.least_run, 1..=u32::MAX as usize)?;
        within("stop", config.stop, 1..=usize::MAX)?;
        within("most_repeats", config.most_repeats, 1..=usize::MAX)?;
        Ok(Self { config })
    }

    fn config(&self) -> &Config {
        &self.config
    }

    fn rule(&self) -> Rule {
        self.config.rule
    }

    fn image(&self, reading: &Reading<'_>) -> Option<Vec<u32>> {
        let lengths = length_windows::lengths(&reading.sentences(self.config.splitter));
        (lengths.len() >= self.config.window).then_some(lengths)
    }

    fn index(&self) -> Diagonals {
        let Config { window: size, step, jumping, .. } = self.config;
        let Config { least_run, weights, stop, most_repeats, rule, .. } = self.config;
        let windows = Windows { size, step, jumping };
        let containment = rule.containment;
        Diagonals::new(Matching { windows, least_run, weights, containment, stop, most_repeats })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::candidates::index::{Found, Index};
    use crate::document::{Document, Ordinal};
    use crate::features::{Featurizer, Places, TextSettings, Words};
    use crate::methods::make;

    fn image(method: &SentenceLengths, text: &str) -> Option<Vec<u32>> {
        let featurizer = Featurizer::new(TextSettings::default(), 1);
        let document = Document::plain("d", text);
        let look = |reading: &Reading<'_>, _| method.image(reading);
        featurizer.read(&document, Places::Kept, None, &mut Words::default(), look)
    }

    /// Pieces of one to six words, by the digits of a number.
    fn text(pieces: &str, word: &str) -> String {
        let piece = |c: char| vec![word; c.to_digit(10).expect("a digit") as usize].join(" ");
        pieces.chars().map(piece).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn the_image_is_the_string_of_lengths() {
        // T-FS, padded to a window.
        let method = SentenceLengths::new(SentenceLengths::defaults(Profile::Paper), 1);
        let method = method.expect("defaults are valid");
        let words = r#"Hello, world! This is a test; "quoted words here" end. A. B. C."#;
        assert_eq!(image(&method, words), Some(vec![1, 1, 4, 3, 1, 1, 1, 1]));
        assert_eq!(image(&method, "Hello, world! This is a test"), None);
    }

    #[test]
    fn a_passage_is_found_in_other_words() {
        // The rhythm is all that counts, for better or worse.
        let method = SentenceLengths::new(SentenceLengths::defaults(Profile::Paper), 1);
        let method = method.expect("defaults are valid");
        let mut index = method.index();
        let held = image(&method, &text("123456123415263541", "harbour")).expect("long enough");
        index.insert(Ordinal(0), &held);
        let asker = image(&method, &text("6666611234152635", "quay")).expect("long enough");
        let mut found = Found::default();
        index.ask(&asker, Ordinal(1), &mut found);
        assert_eq!(found.partners.len(), 1);
        assert_eq!(found.partners[0].kind, Kind::Partial);
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
