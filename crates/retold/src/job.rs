//! What to do, as plain data.

use std::path::{Path, PathBuf};

use retold_core::cluster::{Grouping, Joining};
use retold_core::error::ConfigError;
use retold_core::features::counts::Counts;
use retold_core::features::{Featurizer, TextSettings};
use retold_core::methods::{self, Detector, METHODS, Profile};
use retold_core::relations::Relations;
use retold_core::verify::rule::{Edits, Rule};
use retold_read::ReadOptions;
use retold_report::TableFormat;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::keep::Keep;
use crate::pipeline::closed_sets::{AUTO_MINER, MinCommon, Sets, miner_for};

/// Who decides whether two documents are related.
///
/// ```
/// use retold::{Decide, Document, Documents, Find, Found, Job, Profile};
///
/// // A paper's method is taken at its word; in the other profile the documents are compared.
/// let job = Job::of("simhash", Profile::Paper)?;
/// let checked = job.clone().with_decide(Decide::Documents);
/// assert_ne!(job, checked);
/// # Ok::<(), retold::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Decide {
    /// The method: its own rule, its own scores.
    Method,
    /// The documents: what the method proposes is read again and compared word by word.
    Documents,
}

/// Which documents are exact copies without asking the method.
///
/// ```
/// use retold::{Copies, Document, Documents, Find, Found, Job, Kind, Profile};
///
/// // The same words, once without capitals: there Tweezer sees no names.
/// let plain = "Yesterday the mayor of Hamburg opened a bridge that was made in London.";
/// let small = plain.to_lowercase();
/// let kinds = |copies: Copies| {
///     let both = [("a", plain), ("b", &small)].map(|(id, text)| Document {
///         language: Some("en".into()),
///         ..Document::plain(id, text)
///     });
///     let job = Job::of("tweezer", Profile::Paper)?.with_copies(copies);
///     let mut found = Found::new();
///     Find::new(Documents::new(both.to_vec())).job(job).run(&mut found)?;
///     Ok::<_, retold::Error>(found.pairs().iter().map(|pair| pair.kind).collect::<Vec<_>>())
/// };
/// assert_eq!((kinds(Copies::Words)?, kinds(Copies::Text)?), (vec![Kind::Exact], vec![]));
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Copies {
    /// Those with the same words in the same order.
    #[default]
    Words,
    /// Those with the same text to the letter; the method says what it makes of the others. This is
    /// how methods are compared.
    Text,
}

impl Copies {
    /// Returns what copies share, from the hash of a document's words and its text.
    pub(crate) fn key(self, words_hash: Option<u128>, text: &str) -> Option<u128> {
        let hash = |seed: u64| u128::from(retold_core::hash::bytes(text.as_bytes(), seed));
        words_hash.map(|words_hash| match self {
            Self::Words => words_hash,
            Self::Text => words_hash ^ (hash(1) << 64 | hash(2)),
        })
    }
}

/// Which pairs are written.
///
/// ```
/// use retold::{Document, Documents, Find, Found, Job, PairsWritten};
///
/// let text = "The harbour board will close the east quay for repairs from Monday until Friday";
/// let copies = || Documents::new((0..40).map(|n| Document::plain(n.to_string(), text)).collect::<Vec<_>>());
/// let pairs = |pairs| {
///     let mut found = Found::new();
///     Find::new(copies()).job(Job::default().with_pairs(pairs)).run(&mut found)?;
///     Ok::<usize, retold::Error>(found.pairs().len())
/// };
/// assert_eq!((pairs(PairsWritten::Star)?, pairs(PairsWritten::All)?), (39, 40 * 39 / 2));
/// # Ok::<(), retold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PairsWritten {
    /// Every verified pair, up to a limit per document, and those among up to 32 exact copies; of
    /// more copies those with the kept one.
    #[default]
    Star,
    /// Every verified pair and every pair of exact copies.
    All,
    /// None. [`Dedup`](crate::Dedup) then compares only what decides what goes, and makes no clusters.
    #[serde(rename = "none")]
    Nothing,
}

/// Declares the settings of a [`Job`], each once: what it is, how it is told and taken, its default,
/// and the name it is stored under where that is another.
macro_rules! job {
    (@get ref $job:ident $name:ident) => { &$job.$name };
    (@get copy $job:ident $name:ident) => { $job.$name };
    (@get deref $job:ident $name:ident) => { $job.$name.as_deref() };
    ($(
        $(#[doc = $help:literal])+
        $name:ident, $with:ident: $kind:ty, $how:ident $given:ty = $default:expr
            $(, serde($($serde:tt)+))?, example($example:expr => $key:literal: $($stored:tt)+);
    )+) => {
        /// What to do: by which method, how texts are read, what is reported and what is kept.
        ///
        /// Plain data that can be stored: in JSON or TOML every setting has the name of its option
        /// on the command line. Settings that are missing there have the value that the profile of
        /// the method gives them; a name that is not known is refused. What the work is done with,
        /// such as threads and memory, is told by [`Resources`](crate::Resources).
        ///
        /// ```
        /// use retold::{Job, Keep, Profile};
        ///
        /// let job = Job::of("codet", Profile::Paper)?.with_keep(Keep::Oldest).with_seed(7_u64);
        /// let stored = serde_json::to_string(&job)?;
        /// assert_eq!(serde_json::from_str::<Job>(&stored)?, job);
        ///
        /// let job: Job = serde_json::from_str(r#"{"method": "codet", "keep": "oldest"}"#)?;
        /// assert_eq!((job.method(), job.keep()), ("codet", &Keep::Oldest));
        /// assert!(serde_json::from_str::<Job>(r#"{"methods": "codet"}"#).is_err());
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(remote = "Self", rename_all = "kebab-case")]
        pub struct Job {
            $($(#[serde($($serde)+)])? pub(crate) $name: $kind,)+
        }

        impl Default for Job {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl Job {
            $(
                $(#[doc = $help])+
                pub fn $name(&self) -> $given {
                    job!(@get $how self $name)
                }

                #[doc = concat!(
                    "Sets [`", stringify!($name), "`](Self::", stringify!($name), ").\n\n",
                    "```\n# use retold::*;\n",
                    "let job = Job::default().", stringify!($with), "(", stringify!($example), ");\n",
                    "assert_eq!(serde_json::to_value(&job)?[", stringify!($key),
                    "], serde_json::json!(", stringify!($($stored)+), "));\n",
                    "# Ok::<(), serde_json::Error>(())\n```"
                )]
                #[must_use]
                pub fn $with(mut self, $name: impl Into<$kind>) -> Self {
                    self.$name = $name.into();
                    self
                }
            )+
        }
    };
}

job! {
    /// Name of the method. The default is `anchor`.
    method, with_method: String, ref &str = METHODS[0].name.to_owned(),
        example("codet" => "method": "codet");
    /// Whose setting of the method is used. The default is `retold`.
    profile, with_profile: Profile, copy Profile = Profile::default(),
        example(Profile::Paper => "profile": "paper");
    /// Who decides; `None` leaves it to the profile: the method in `paper`, the documents in
    /// `retold`.
    decide, with_decide: Option<Decide>, copy Option<Decide> = None,
        example(Decide::Method => "decide": "method");
    /// Which documents are exact copies without asking the method. The default is `words`.
    copies, with_copies: Copies, copy Copies = Copies::default(),
        example(Copies::Text => "copies": "text");
    /// Frozen statistics of a reference collection; `None` takes them from the documents of the
    /// run, where the method needs any.
    idf, with_idf: Option<PathBuf>, deref Option<&Path> = None,
        example(std::path::PathBuf::from("news.idf") => "idf": "news.idf");
    /// Parameters of the method that differ from their defaults.
    parameters, with_parameters: Map<String, Value>, ref &Map<String, Value> = Map::new(),
        serde(rename = "set"),
        example(serde_json::Map::from_iter([("k".to_owned(), 7.into())]) => "set": { "k": 7 });
    /// How documents become words.
    text, with_text: TextSettings, ref &TextSettings = TextSettings::default(), serde(flatten),
        example(TextSettings { most_words: 1_000, ..TextSettings::default() } => "max-words": 1000);
    /// How files become documents.
    read, with_read: ReadOptions, ref &ReadOptions = ReadOptions::default(), serde(flatten),
        example(ReadOptions { encoding: Some("koi8-r".into()), ..ReadOptions::default() } => "encoding": "koi8-r");
    /// Seed of everything drawn at random. The default is 1.
    seed, with_seed: u64, copy u64 = 1,
        example(7_u64 => "seed": 7);
    /// How clusters are made. The default is `star`.
    clusters, with_clusters: Grouping, copy Grouping = Grouping::default(),
        example(Grouping::Components => "clusters": "components");
    /// Units that the images of a closed set must have in common. The default is `85%` of the
    /// smallest.
    min_common, with_min_common: MinCommon, copy MinCommon = MinCommon::default(),
        example(MinCommon::Units(40) => "min-common": "40");
    /// Which closed sets are listed. The default is `cover`.
    sets, with_sets: Sets, copy Sets = Sets::default(),
        example(Sets::All => "sets": "all");
    /// Which miner finds closed sets, by the name that `retold mine` has for it. All but `auto` list
    /// all sets, so they need [`Sets::All`]. The default is `auto`.
    miner, with_miner: String, ref &str = AUTO_MINER.to_owned(),
        example("fpmax" => "miner": "fpmax");
    /// Which relations join documents to clusters. The default is `near-duplicate`.
    join, with_join: Joining, copy Joining = Joining::default(),
        example(Joining::Containment => "join": "containment");
    /// Which document of a cluster is kept. The default is `longest`.
    keep, with_keep: Keep, ref &Keep = Keep::default(),
        example(Keep::Oldest => "keep": "oldest");
    /// Which relations `find` looks for; what is not asked for is neither searched nor compared. The
    /// default is all.
    relations, with_relations: Relations, copy Relations = Relations::ALL,
        example(Relations::of(&[Kind::Partial]) => "relations": "partial");
    /// Documents of one source beyond which runs of eight words that stand in all of them are
    /// boilerplate, which `find` leaves out of all comparisons; `None` compares everything.
    boilerplate, with_boilerplate: Option<u32>, copy Option<u32> = None,
        example(20_u32 => "boilerplate": 20);
    /// Distinctive word runs that a partial copy shares at least: those that at most five documents of
    /// the collection have, documents with the same words counted once. They are counted for each pair,
    /// which takes one more look at all documents; 0 counts and leaves nothing out, `None` does not
    /// count. `find` and `query` look at it, where documents are not those of an index.
    distinctive, with_distinctive: Option<u32>, copy Option<u32> = None,
        example(8_u32 => "distinctive": 8);
    /// Which pairs are reported; `None` leaves it to the command: none after `dedup`, else `star`.
    pairs, with_pairs: Option<PairsWritten>, copy Option<PairsWritten> = None,
        example(PairsWritten::All => "pairs": "all");
    /// Containment that candidates are searched for, if it is below the one from which documents
    /// count as contained. `None` takes that one; where all pairs are reported, at most the default of
    /// the method, so that results of stricter thresholds are parts of one another. A search at a
    /// method's own word is not touched.
    search_containment, with_search_containment: Option<f64>, copy Option<f64> = None,
        example(0.5 => "search-containment": 0.5);
    /// Words of passages that candidates are searched for, likewise.
    search_passage_words, with_search_passage_words: Option<u32>, copy Option<u32> = None,
        example(30_u32 => "search-passage-words": 30);
    /// Pairs reported per document, unless all are; beyond it only those with the document that
    /// stands for the cluster are. The default is 1,000.
    pairs_per_document, with_pairs_per_document: u32, copy u32 = 1_000,
        example(10_u32 => "pairs-per-document": 10);
    /// Passages listed per pair, the longest first. The default is 100.
    passages_per_pair, with_passages_per_pair: usize, copy usize = 100,
        example(5_usize => "passages-per-pair": 5);
    /// Share of a document that a kept one must hold before `dedup` removes it. The default is
    /// 0.8.
    cover, with_cover: f64, copy f64 = 0.8,
        example(0.95 => "cover": 0.95);
    /// Whether `dedup` also removes documents that stand in a much longer one; otherwise they are
    /// listed for review. The default is false.
    remove_contained, with_remove_contained: bool, copy bool = false,
        example(true => "remove-contained": true);
    /// Bytes beyond which the kept records of a file go on in another one, before they are compressed;
    /// `None` writes one file each.
    shard_size, with_shard_size: Option<u64>, copy Option<u64> = None,
        example(512_000_000_u64 => "shard-size": 512_000_000);
    /// Whether the language of each document is detected and reported. The default is false.
    detect_language, with_detect_language: bool, copy bool = false,
        example(true => "detect-language": true);
    /// Format of [tables](crate::Tables). The default is JSON Lines.
    format, with_format: TableFormat, copy TableFormat = TableFormat::default(),
        example(TableFormat::Parquet => "format": "parquet");
    /// Whether `report.html` is left out of [tables](crate::Tables). The default is false.
    no_page, with_no_page: bool, copy bool = false,
        example(true => "no-page": true);
    /// Whether the text that all members of a cluster share is left out of [tables](crate::Tables).
    /// The default is false.
    no_shared_text, with_no_shared_text: bool, copy bool = false,
        example(true => "no-shared-text": true);
    /// Whether the first bad record ends the run. The default is false.
    strict, with_strict: bool, copy bool = false,
        example(true => "strict": true);
}

impl Job {
    /// Returns the job of a method or form in a profile: its text settings, everything else as by default.
    ///
    /// *Errors* if there is no such method.
    ///
    /// ```
    /// use retold::{Job, Profile};
    /// assert_eq!(Job::of("minhash", Profile::Retold)?.method(), "minhash");
    /// assert!(Job::of("maxhash", Profile::Retold).is_err());
    /// # Ok::<(), retold::ConfigError>(())
    /// ```
    pub fn of(method: &str, profile: Profile) -> Result<Self, ConfigError> {
        let text = methods::text_settings(method, profile)?;
        Ok(Self { method: method.to_owned(), profile, text, ..Self::default() })
    }

    /// Changes to another method and its text settings.
    pub(crate) fn for_method(mut self, method: String) -> Self {
        if let Ok(usual) = Self::of(&method, self.profile) {
            self.text = usual.text;
        }
        self.method = method;
        self
    }

    /// Sets one parameter of the method.
    ///
    /// ```
    /// use retold::Job;
    /// let job = Job::default().with_parameter("k", 7);
    /// assert_eq!(job.parameters()["k"], 7);
    /// ```
    #[must_use]
    pub fn with_parameter(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.parameters.insert(name.into(), value.into());
        self
    }

    /// Sets which edits a passage may have: the parameter `edits`, which all methods share.
    ///
    /// ```
    /// use retold::{Edits, Job};
    /// let job = Job::default().with_edits(Edits::Heavy);
    /// assert_eq!(job.all_parameters()?["edits"], "heavy");
    /// # Ok::<(), retold::ConfigError>(())
    /// ```
    #[must_use]
    pub fn with_edits(self, edits: Edits) -> Self {
        let name = serde_json::to_value(edits).expect("a name");
        self.with_parameter("edits", name)
    }

    /// Returns which edits a passage may have; `light` where the parameters are refused.
    ///
    /// ```
    /// use retold::{Edits, Job};
    /// assert_eq!(Job::default().edits(), Edits::Light);
    /// ```
    pub fn edits(&self) -> Edits {
        self.detector().map_or(Edits::default(), |detector| detector.rule().edits)
    }

    /// Makes what turns documents into words, as far as comparisons of the method need it.
    pub(crate) fn featurizer(&self, detector: &dyn Detector) -> Featurizer {
        let is_heavy = detector.rule().edits == Edits::Heavy;
        Featurizer::new(self.text.clone(), self.seed).with_content(is_heavy)
    }

    /// Checks everything that can be checked before documents are read.
    ///
    /// ```
    /// use retold::Job;
    /// assert!(Job::default().check().is_ok());
    /// let error = Job::default().with_parameter("k", 0).check().unwrap_err();
    /// assert!(error.to_string().contains('k'), "{error}");
    /// ```
    pub fn check(&self) -> Result<(), ConfigError> {
        self.searcher().map(|_| ())
    }

    /// Builds the method.
    pub(crate) fn detector(&self) -> Result<Box<dyn Detector>, ConfigError> {
        if !(self.cover > 0.0 && self.cover <= 1.0) {
            return Err(ConfigError::value("cover", "above 0 and at most 1", &self.cover));
        }
        if self.boilerplate == Some(0) {
            return Err(ConfigError::value("boilerplate", "at least 1", &0));
        }
        if self.clusters == Grouping::ClosedSets {
            miner_for(&self.miner, self.sets)?;
        }
        methods::make(&self.method, self.profile, &self.parameters, self.seed)
    }

    /// Builds the method as it searches: with thresholds that may be below those of the job.
    pub(crate) fn searcher(&self) -> Result<Box<dyn Detector>, ConfigError> {
        let asked = self.detector()?;
        if self.decider(&*asked) == Decide::Method {
            return Ok(asked);
        }
        let (rule, searched) = (asked.rule(), self.searched_rule(asked.rule())?);
        if searched == rule {
            return Ok(asked);
        }
        let mut parameters = self.parameters.clone();
        parameters.insert("containment".to_owned(), searched.containment.into());
        parameters.insert("passage_words".to_owned(), searched.passage_words.into());
        parameters.insert("shared".to_owned(), searched.shared.into());
        methods::make(&self.method, self.profile, &parameters, self.seed)
    }

    /// Returns the thresholds that candidates are searched for, given those of the job.
    pub(crate) fn searched_rule(&self, rule: Rule) -> Result<Rule, ConfigError> {
        if rule.similarity > 0.0 {
            return Ok(rule);
        }
        let usual = match self.pairs {
            Some(PairsWritten::All) => {
                methods::make(&self.method, self.profile, &Map::new(), self.seed)?.rule()
            }
            _ => rule,
        };
        Ok(Rule {
            containment: self.search_containment.unwrap_or(usual.containment).min(rule.containment),
            passage_words: self
                .search_passage_words
                .unwrap_or(usual.passage_words)
                .min(rule.passage_words),
            shared: usual.shared.min(rule.shared),
            ..rule
        })
    }

    /// Returns whether a run only decides what goes, without pairs and clusters, if it decides at all.
    pub(crate) fn decides_only(&self, is_deciding: bool) -> bool {
        is_deciding && self.pairs.unwrap_or(PairsWritten::Nothing) == PairsWritten::Nothing
    }

    /// Returns how many pairs are reported per document.
    pub(crate) fn reported_per_document(&self) -> u32 {
        match self.pairs {
            Some(PairsWritten::All) => u32::MAX,
            _ => self.pairs_per_document,
        }
    }

    /// Returns who decides whether two documents are related.
    pub(crate) fn decider(&self, detector: &dyn Detector) -> Decide {
        match (self.decide, self.profile) {
            _ if !detector.decides() => Decide::Documents,
            (Some(decide), _) => decide,
            (None, Profile::Paper) => Decide::Method,
            (None, Profile::Retold) => Decide::Documents,
        }
    }

    /// Loads the frozen statistics, if there are any and the method needs them.
    pub(crate) fn counts(&self, detector: &dyn Detector) -> Result<Option<Counts>, Error> {
        match &self.idf {
            Some(path) if detector.needs_counts() => {
                crate::idf::load(path, self, detector).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Returns who decides whether two documents are related, once the profile and the method had
    /// their say.
    ///
    /// ```
    /// use retold::{Decide, Job, Profile};
    /// assert_eq!(Job::of("codet", Profile::Paper)?.decided_by()?, Decide::Method);
    /// assert_eq!(Job::of("codet", Profile::Retold)?.decided_by()?, Decide::Documents);
    /// # Ok::<(), retold::ConfigError>(())
    /// ```
    pub fn decided_by(&self) -> Result<Decide, ConfigError> {
        Ok(self.decider(&*self.detector()?))
    }

    /// Returns all parameters of the method as a JSON object, those given and the defaults of the
    /// others.
    ///
    /// ```
    /// use retold::Job;
    /// assert_eq!(Job::default().with_parameter("k", 7).all_parameters()?["k"], 7);
    /// # Ok::<(), retold::ConfigError>(())
    /// ```
    pub fn all_parameters(&self) -> Result<Value, ConfigError> {
        Ok(self.detector()?.parameters())
    }

    /// Returns the reading options with the fields that [`Keep`] asks for.
    pub fn read_options(&self) -> ReadOptions {
        let mut read = self.read.clone();
        for name in self.keep.fields() {
            if !read.further_fields.iter().any(|known| known == name) {
                read.further_fields.push(name.to_owned());
            }
        }
        read
    }
}

impl Serialize for Job {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Job {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Whose {
            method: Option<String>,
            profile: Profile,
        }
        let given = Map::<String, Value>::deserialize(deserializer)?;
        let whose = Whose::deserialize(Value::Object(given.clone())).map_err(D::Error::custom)?;
        let method = whose.method.as_deref().unwrap_or(METHODS[0].name);
        let usual = Self::of(method, whose.profile).map_err(D::Error::custom)?;
        let Ok(Value::Object(mut settings)) = serde_json::to_value(usual) else {
            return Err(D::Error::custom("settings are plain data"));
        };
        for (name, value) in given {
            if settings.insert(name.clone(), value).is_none() {
                return Err(D::Error::custom(format!("there is no setting `{name}`")));
            }
        }
        Self::deserialize(Value::Object(settings)).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use retold_core::features::StopList;

    use super::*;

    #[test]
    fn a_job_is_stored_by_the_names_of_options_and_read_back() {
        let stop_words = StopList::Words(vec!["the".to_owned(), "a".to_owned()]);
        let mut job = Job::of("imatch", Profile::Paper)
            .expect("a method")
            .with_decide(Decide::Documents)
            .with_parameter("take", 9);
        job.text.stop_words = stop_words;
        job.read.limits.document_bytes = 77;
        let stored = serde_json::to_value(&job).expect("plain data");
        for (name, value) in [
            ("clusters", Value::from("star")),
            ("max-document", 77.into()),
            ("stop-words", "words:the,a".into()),
            ("set", serde_json::json!({ "take": 9 })),
        ] {
            assert_eq!(stored[name], value, "{name}");
        }
        assert_eq!(serde_json::from_value::<Job>(stored).expect("a job"), job);
    }

    #[test]
    fn what_is_not_given_is_as_the_method_has_it() {
        let job: Job =
            serde_json::from_str(r#"{"method": "imatch", "profile": "paper"}"#).expect("a job");
        assert_eq!(job, Job::of("imatch", Profile::Paper).expect("a method"));
        let unknown = serde_json::from_str::<Job>(r#"{"grouping": "star"}"#);
        let unknown = unknown.expect_err("an old name").to_string();
        assert!(unknown.contains("there is no setting `grouping`"), "{unknown}");
    }

    #[test]
    fn a_miner_that_does_not_exist_or_cannot_do_it_is_refused_with_those_that_can() {
        let job = Job::of("minimal-b", Profile::Paper).expect("a method");
        let job = job.with_clusters(Grouping::ClosedSets);
        let told = |job: Job| job.check().expect_err("it is refused").to_string();
        assert_eq!(
            told(job.clone().with_miner("magic")),
            "miner must be one of auto, fpmax, afopt, mafia, add-intent, apriori, eclat, lcm, \
             genmax, got magic"
        );
        assert_eq!(
            told(job.clone().with_miner("fpmax")),
            "miner must be auto, or sets must be all, as the other miners list all closed sets, \
             got fpmax"
        );
        assert_eq!(job.clone().with_miner("fpmax").with_sets(Sets::All).check(), Ok(()));
        assert_eq!(job.with_clusters(Grouping::Star).with_miner("fpmax").check(), Ok(()));
    }
}
