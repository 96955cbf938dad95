//! Tweezer: news that speak of the same names in the same words.
//!
//! # What it finds
//! Near-duplicates among news: stories in which the surroundings of the names of persons, places
//! and organisations agree. A sentence that is added, taken out or rewritten without a name in it
//! does not matter; a number that is corrected beside a name does.
//! # How it works
//! A recogniser finds names ([`entities`](crate::entities)): runs of capitals with a rule word
//! (`Bankası`, `President`) or with a name of the gazetteer in them. Each becomes a shingle 5NE5,
//! five words before the run, the whole run, five words after it
//! ([`entity_shingles`](crate::features::entity_shingles)). In profile `paper` the distinct
//! shingles, in lower case, sorted and joined by line ends, give one SHA-1 value, and documents
//! with equal values are near-duplicates ([`equal`](crate::candidates::equal)). In profile `retold`
//! the shingles themselves are kept, pairs that share enough of them are candidates
//! ([`overlap`](crate::candidates::overlap)), and the documents decide. For a document without
//! names stand its first and last twenty words, or all if it has fewer than forty.
//!
//! Titles of documents are not used. Lists for Turkish and English come with the program; which
//! one is read depends on the language that a document names, else on the one detected. Documents
//! in other languages have no names and so meet only by their ends.
//! # Parameters
//! `p` words before the run and `s` after it: 5 and 5 in profile `paper` (the thesis tried 1 to 7
//! on 10,000 news, Table 4.1: the forms `1ne1` to `7ne7`), 2 and 2 in profile `retold`. `clip` =
//! `none`, or `sentence` for windows that end with the sentence. `partial`: whether a run without
//! names of its own takes the category of an earlier name that it is part of. `bare_suffixes`:
//! whether a rule word alone is a name; true in profile `paper`. `extended`: whether the recogniser
//! uses rules beyond those of the thesis, where a language has them (Turkish has); false in profile
//! `paper`. `lists` = `full`, `middle` or `small`: how many of the bundled Turkish names are used, to
//! see what the size of a gazetteer does. `small` has 5,300 names of persons, 26,800 places and 580
//! organisations; `middle` adds names of persons of many countries and more places and organisations;
//! `full` adds names harvested from news. `image` = `signature` (paper) or
//! `shingles` (retold); with shingles, `share` = 0.05 of those of the smaller document is enough.
//! `most_bucket` = 1000 documents that a shingle or signature brings in (paper: all).
//! `containment` = 0.6, `passage_words` = 40.
//! # Cost
//! One pass over the text and one look-up a document for signatures; a look-up a name for
//! shingles. Memory 20 bytes a document, or 8 bytes a name.
//! # Where we differ from the papers
//! The gazetteers of the thesis (34,734 persons, 19,504 places, 46 organisations) were not
//! published; ours are our own. Its list of location suffixes announces 66 words and prints 65,
//! one twice: 64 are used, with `Çiftliği` beside the misprint `Çifliği`. Its Figure 4.1 shows
//! eight words after one entity where 5NE5 has five. The thesis leaves open, and we settle: the
//! shingle holds the whole run, even if the recogniser names only a part of it; windows cross
//! sentences; the order of steps is distinct, then sorted; extractors go by category (location,
//! organisation, person), and only names found by rules of the first two are hidden from the
//! third; the suffix belongs to a place or organisation, the title not to a person; words before a
//! title are dropped unless the gazetteer has them. Profile `retold` compares shingles one by one
//! and makes them shorter, because a single changed word beside a single name changes the signature
//! of the whole document; and documents without names by runs of five words in their ends.
//! # Reference
//! Uyar: Near-duplicate news detection using named entities, M.S. thesis, Bilkent University,
//! 2009 (TuNER in chapter 3, Tweezer in chapter 4).

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::{Form, Method, Recall, Skip, Spec};
use crate::candidates::Judgement;
use crate::candidates::equal::{Equal, Signatures};
use crate::candidates::meeting::{self, Meeting, Met, Tag, Weighed};
use crate::candidates::overlap::{Decision, Limits, Overlap, Sizes};
use crate::clean::language::Language;
use crate::encode::{Encoded, Input};
use crate::entities::{
    Gazetteer, Knowledge, ListError, Options, Rules, Size, recognise, recognise_among,
};
use crate::error::ConfigError;
use crate::features::entity_shingles::{Clip, EntityShingles};
use crate::features::reading::Reading;
use crate::image::digest::{Sha1Digest, digest};
use crate::image::feature_set::FeatureSet;
use crate::parameters::{Limit, SHARE, parameters};
use crate::relation::Kind;
use crate::verify::rule::Rule;

macro_rules! form {
    ($n:literal) => {
        Form {
            name: concat!($n, "ne", $n),
            about: concat!("signature of shingles ", $n, "NE", $n),
            parameters: &[("p", $n), ("s", $n), ("image", "\"signature\"")],
        }
    };
}

/// The method's description: its name, relations, forms and limits.
pub(super) static SPEC: Spec = Spec {
    name: "tweezer",
    title: "shingles around named entities (TuNER and Tweezer)",
    finds: &Kind::ALL,
    approximate: Some(
        "documents of a pair must speak of names in the same words; with image = signature all \
         names must agree.",
    ),
    forms: &[form!("1"), form!("2"), form!("3"), form!("4"), form!("5"), form!("6"), form!("7")],
    recall: Recall { percent: 50, why: "by resemblance" },
    skips: &[
        Skip::kinds(
            &[Kind::Contains, Kind::Contained],
            "the names of the longer text are not those of the shorter",
        ),
        Skip::cases(
            &["one paragraph moved to the end"],
            "moving a paragraph changes the words around the names at its borders",
        ),
        Skip::cases(
            &[
                "a passage just long enough",
                "one paragraph in two unlike turkish articles",
                "two paragraphs taken over in the opposite order",
            ],
            "too few names stand in the common passage",
        ),
    ],
    ..Spec::of::<Tweezer>(include_str!("tweezer.rs"))
};

/// What is kept of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Keep {
    Signature,
    Shingles,
}

parameters! {
    /// Parameters.
    pub(super) struct Config {
        /// words before a name
        p: usize = 2, paper 5, in 0..=64;
        /// words after a name
        s: usize = 2, paper 5, in 0..=64;
        /// where windows stop
        clip: Clip = Clip::None;
        /// whether parts of earlier names are names
        partial: bool = true;
        /// whether a suffix without a word is a name
        bare_suffixes: bool = false, paper true;
        /// whether rules beyond those of the thesis find names
        extended: bool = true, paper false;
        /// how many of the bundled names are used
        lists: Size = Size::Full;
        /// what is kept
        image: Keep = Keep::Shingles, paper Keep::Signature;
        /// share of the smaller document's shingles that must be common
        share: f64 = 0.05, in SHARE;
        /// further rule words, as a table `list<TAB>word`; on the command line rules=@FILE
        rules: String = String::new();
        /// further names, as a table `category<TAB>name`; on the command line gazetteer=@FILE
        gazetteer: String = String::new();
        /// documents that one shingle or signature brings in
        most_bucket: Limit = Limit::at(1000), paper Limit::NONE, in 2..;
    }
}

/// The method.
pub(super) struct Tweezer {
    config: Config,
    /// The lists of each language that was met, and the same with the user's lists added.
    widened: Mutex<Vec<[Arc<Knowledge>; 2]>>,
}

/// What is kept of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Image {
    Signature(Sha1Digest),
    Shingles(FeatureSet),
}

impl Method for Tweezer {
    type Config = Config;
    type Image = Image;
    type Meeting = SignatureOrShingles;
    const SPEC: &'static Spec = &SPEC;

    fn check(config: &Config) -> Result<(), ConfigError> {
        let unusable = |name, error: ListError| {
            ConfigError::value(name, "a table that can be read", &error.to_string())
        };
        Rules::parse(&config.rules, Language::ENGLISH).map_err(|e| unusable("rules", e))?;
        Gazetteer::parse(&config.gazetteer, Language::ENGLISH)
            .map_err(|e| unusable("gazetteer", e))?;
        Ok(())
    }

    fn new(config: Config, _: u64) -> Self {
        Self { config, widened: Mutex::default() }
    }

    fn image(&self, reading: &Reading<'_>) -> Option<Image> {
        if reading.words.hashes.is_empty() {
            return None;
        }
        let Config { p, s, clip, partial, bare_suffixes, extended, lists, image, .. } = self.config;
        let knowledge = self.widened(Knowledge::for_text(&reading.language(), reading.text, lists));
        let options = Options { partial, bare_suffixes, extended, ..Options::default() };
        let found = match reading.all_words() {
            Some(words) => recognise_among(reading.text, words, &knowledge, options),
            None => recognise(reading.text, &knowledge, options),
        };
        let shingles = EntityShingles { p, s, clip };
        Some(match image {
            Keep::Signature => {
                Image::Signature(digest(shingles.texts(reading, &found).iter(), "\n"))
            }
            Keep::Shingles => Image::Shingles(FeatureSet::new(shingles.hashes(reading, &found))),
        })
    }

    fn meeting(&self, _: Rule) -> SignatureOrShingles {
        let Config { share, most_bucket, .. } = self.config;
        let limits = Limits { stop: most_bucket, most_partners: most_bucket };
        SignatureOrShingles {
            keep: self.config.image,
            equal: Equal::new(most_bucket.get()),
            overlap: Overlap::new(Decision::containment(share), limits),
        }
    }
}

impl Tweezer {
    /// Adds the user's lists to the bundled ones of a language.
    fn widened(&self, bundled: Arc<Knowledge>) -> Arc<Knowledge> {
        let Config { rules, gazetteer, .. } = &self.config;
        if rules.is_empty() && gazetteer.is_empty() {
            return bundled;
        }
        let mut known = self.widened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some([_, widened]) = known.iter().find(|[of, _]| Arc::ptr_eq(of, &bundled)) {
            return Arc::clone(widened);
        }
        let mut widened = Knowledge::clone(&bundled);
        widened.read_rules(rules).expect("the table was read before");
        widened.gazetteer_mut().read(gazetteer).expect("the table was read before");
        let widened = Arc::new(widened);
        known.push([bundled, Arc::clone(&widened)]);
        widened
    }
}

/// Documents meet in their signature or in their shingles, as their images are.
#[derive(Clone, Copy, Debug)]
pub(super) struct SignatureOrShingles {
    equal: Equal,
    overlap: Overlap,
    keep: Keep,
}

impl Encoded for Image {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Signature(digest) => out.extend([&[0][..], digest].concat()),
            Self::Shingles(set) => {
                out.push(1);
                set.encode(out);
            }
        }
    }

    fn decode(input: &mut Input<'_>) -> Option<Self> {
        match input.take(1)? {
            [0] => Some(Self::Signature(input.take(20)?.try_into().ok()?)),
            [1] => FeatureSet::decode(input).map(Self::Shingles),
            _ => None,
        }
    }
}

impl Meeting for SignatureOrShingles {
    type Image = Image;
    type Payload = Tag;
    type Facts = Sizes;

    fn facts(&self, image: &Image) -> Sizes {
        match image {
            Image::Signature(_) => Sizes::default(),
            Image::Shingles(set) => self.overlap.facts(set),
        }
    }

    fn keys(&self, image: &Image, mut each: impl FnMut(u64, Tag)) {
        match image {
            Image::Signature(digest) => {
                self.equal.keys(&Signatures::one(digest), |key, ()| each(key, Tag::both(1)));
            }
            Image::Shingles(set) => self.overlap.keys(set, each),
        }
    }

    fn n_asked(&self, facts: &Sizes) -> u32 {
        self.overlap.n_asked(facts)
    }

    fn limits(&self) -> meeting::Limits {
        match self.keep {
            Keep::Signature => self.equal.limits(),
            Keep::Shingles => self.overlap.limits(),
        }
    }

    fn vote(&self, asked: Tag, held: Tag) -> u64 {
        self.overlap.vote(asked, held)
    }

    fn weigh(&self, asker: &Sizes, other: &Sizes, met: Met) -> Weighed {
        match self.keep {
            Keep::Signature => Weighed::Look,
            Keep::Shingles => self.overlap.weigh(asker, other, met),
        }
    }

    fn judge(&self, asker: &Image, other: &Image, met: Met) -> Option<Judgement> {
        match (asker, other) {
            (Image::Signature(x), Image::Signature(y)) => {
                self.equal.judge(&Signatures::one(x), &Signatures::one(y), met)
            }
            (Image::Shingles(x), Image::Shingles(y)) => self.overlap.judge(x, y, met),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::super::trial::Trial;
    use super::*;
    use crate::methods::{Profile, make};

    fn image(given: &[(&str, Value)], language: &str, text: &str) -> Image {
        let trial = Trial::in_language(language, "tweezer", Profile::Paper, given, &[text]);
        trial.image(text).expect("the text has words")
    }

    fn paper(text: &str) -> Image {
        image(&[], "tr", text)
    }

    #[test]
    fn a_name_of_ones_own_makes_shingles_and_a_broken_table_is_refused() {
        let text = "yesterday the engineers of Quillfeather said that the bridge over the river \
                    would stay closed until the end of the month because of the flood";
        let known = image(&[("gazetteer", json!("organisation\tQuillfeather\n"))], "en", text);
        assert_ne!(known, image(&[], "en", text), "without the name all words count");
        let broken = json!("organisation Quillfeather\n");
        let given = Map::from_iter([("gazetteer".to_owned(), broken)]);
        assert!(make("tweezer", Profile::Paper, &given, 1).is_err());
    }

    #[test]
    fn a_sentence_without_names_leaves_the_signature_and_a_number_beside_a_name_changes_it() {
        // The pair of Appendix D, with texts of our own.
        let story = "Belediye ekipleri dün sabah Mersin'in Tarsus ilçesinde 14 ev için yıkım \
                     kararı aldı.";
        let longer = format!(
            "{story} Karar uyarınca yıkım işleri bu ayın sonuna kadar sürecek ve yıkılan evlerde \
             oturanlara kira yardımı yapılacak."
        );
        assert_eq!(paper(story), paper(&longer));
        let corrected = story.replace("14 ev", "15 ev");
        assert_ne!(paper(story), paper(&corrected));
    }

    #[test]
    fn equal_signatures_are_near_duplicates() {
        let texts = [
            "Ankara'da bir toplantı yapıldı.",
            "Mersin'de bir toplantı yapıldı.",
            "Ankara’da: bir toplantı yapıldı!",
        ];
        let trial = Trial::in_language("tr", "tweezer", Profile::Paper, &[], &texts);
        assert_eq!(trial.kinds(), [(0, 2, Kind::NearDuplicate)]);
    }

    #[test]
    fn one_common_name_is_enough_for_a_candidate() {
        let shared = "the ferry left the harbour of Hamburg late in the evening with empty decks";
        let first =
            format!("one day in Paris it rained, but nobody minded it very much then, {shared}");
        let second = format!("{shared}, which was hardly noticed by those who lived in Tokyo then");
        let other = "a quiet week in Oslo came to its end without any rain";
        let trial = Trial::new("tweezer", Profile::Retold, &[], &[&first, other, &second]);
        assert_eq!(trial.numbers(), [(0, 2)]);
    }

    #[test]
    fn the_language_is_detected_if_none_is_named() {
        let english = "The company said on Monday that it had opened an office in London and that \
                       it would hire forty people there.";
        let turkish = "Şirket, pazartesi günü Londra'da bir ofis açtığını ve orada kırk kişiyi işe \
                       alacağını açıkladı.";
        for (language, text) in [("en", english), ("tr", turkish)] {
            assert_eq!(image(&[], "", text), image(&[], language, text));
        }
        assert_ne!(image(&[], "en", english), image(&[], "fi", english));
    }

    /// Sentences with and without names.
    const SENTENCES: [&str; 7] = [
        "Vali Demir dün sabah Ankara'da bir toplantıya katıldı",
        "toplantıda yeni yollar konuşuldu",
        "Mersin Üniversitesi 14 yeni bölüm açacak",
        "Öğrenciler karardan memnun",
        "Sayın Elif Kaya bu hafta Bursa Valiliği önünde açıklama yaptı",
        "Merkez Bankası faizi 5 puan artırdı",
        "Demir bunu doğruladı",
    ];

    proptest! {
        #[test]
        fn clipped_and_without_parts_neither_order_nor_repetition_of_sentences_matters(
            order in Just((0..7usize).collect::<Vec<_>>()).prop_shuffle(),
            repeated in proptest::collection::vec(0..7usize, 0..5),
        ) {
            let given = [("clip", json!("sentence")), ("partial", json!(false))];
            let text = |order: &[usize]| {
                let mut text = order.iter().map(|&i| SENTENCES[i]).collect::<Vec<_>>().join(". ");
                text.push('.');
                text
            };
            let plain = text(&(0..7).collect::<Vec<_>>());
            let moved = text(&[order, repeated].concat());
            prop_assert_eq!(image(&given, "tr", &plain), image(&given, "tr", &moved));
        }
    }
}
