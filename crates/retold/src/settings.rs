//! Everything a run can be told, in one plain struct.

use std::path::PathBuf;
use std::str::FromStr;

use retold_core::cluster::{Grouping, Joining};
use retold_core::error::ConfigError;
use retold_core::features::TextSettings;
use retold_core::features::counts::Counts;
use retold_core::methods::{self, Detector, METHODS, Profile};
use retold_read::ReadOptions;
use retold_report::TableFormat;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::pipeline::closed_sets::{MinCommon, Sets};

/// Which document of a cluster is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Keep {
    /// The one with most words.
    #[default]
    Longest,
    /// The one with the earliest time; documents without one come last.
    Oldest,
    /// The one with the latest time; documents without one come last.
    Newest,
    /// The one read first.
    First,
    /// The one whose source comes first in this list; others come last.
    Source(Vec<String>),
    /// The one with the smallest value of a field; numbers are compared as numbers.
    Field(String),
    /// The one with the largest value of a field.
    FieldDescending(String),
}

impl FromStr for Keep {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let named = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        let found = match text.split_once(':') {
            None => match text {
                "longest" => Some(Self::Longest),
                "oldest" => Some(Self::Oldest),
                "newest" => Some(Self::Newest),
                "first" => Some(Self::First),
                _ => None,
            },
            Some(("source", list)) => {
                let list: Vec<String> =
                    list.split(',').filter(|s| !s.is_empty()).map(ToOwned::to_owned).collect();
                (!list.is_empty()).then_some(Self::Source(list))
            }
            Some(("field", name)) => match name.strip_prefix('-') {
                Some(name) => named(name).map(Self::FieldDescending),
                None => named(name).map(Self::Field),
            },
            Some(_) => None,
        };
        let accepted = "longest, oldest, newest, first, source:A,B,C, field:NAME or field:-NAME";
        found.ok_or_else(|| ConfigError::value("keep", accepted, &text))
    }
}

impl TryFrom<String> for Keep {
    type Error = ConfigError;

    fn try_from(text: String) -> Result<Self, ConfigError> {
        text.parse()
    }
}

impl From<Keep> for String {
    fn from(keep: Keep) -> Self {
        match keep {
            Keep::Longest => "longest".into(),
            Keep::Oldest => "oldest".into(),
            Keep::Newest => "newest".into(),
            Keep::First => "first".into(),
            Keep::Source(list) => format!("source:{}", list.join(",")),
            Keep::Field(name) => format!("field:{name}"),
            Keep::FieldDescending(name) => format!("field:-{name}"),
        }
    }
}

/// Who decides whether two documents are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decide {
    /// The method: its own rule, its own scores.
    Method,
    /// The documents: what the method proposes is read again and compared word by word.
    Documents,
}

/// Which pairs are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairsWritten {
    /// Every verified pair, up to a limit per document, and those among up to 32 exact copies; of
    /// more copies those with the kept one.
    #[default]
    Star,
    /// Every verified pair and every pair of exact copies.
    All,
}

/// Settings of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Settings {
    /// Name of the method. The default is `anchor`.
    pub method: String,
    /// Whose setting of the method is used. The default is `retold`.
    pub profile: Profile,
    /// Who decides; `None` leaves it to the profile: the method in `paper`, the documents in
    /// `retold`.
    pub decide: Option<Decide>,
    /// Frozen statistics of a reference collection; `None` takes them from the documents of the
    /// run, where the method needs any.
    pub idf: Option<PathBuf>,
    /// Parameters of the method that differ from their defaults.
    pub parameters: Map<String, Value>,
    /// How documents become words.
    pub text: TextSettings,
    /// How files become documents.
    pub read: ReadOptions,
    /// Seed of everything drawn at random. The default is 1.
    pub seed: u64,
    /// How clusters are made. The default is `star`.
    pub grouping: Grouping,
    /// Units that the images of a closed set must have in common. The default is `85%` of the
    /// smallest.
    pub min_common: MinCommon,
    /// Which closed sets are listed. The default is `cover`.
    pub closed_sets: Sets,
    /// Which relations join documents to clusters. The default is `near-duplicate`.
    pub joining: Joining,
    /// Which document of a cluster is kept. The default is `longest`.
    pub keep: Keep,
    /// Which pairs are written. The default is `star`.
    pub pairs: PairsWritten,
    /// Pairs written per document, unless all are; beyond it only those of the cluster's
    /// representative are. The default is 1,000.
    pub pairs_per_document: u32,
    /// Passages listed per pair, the longest first. The default is 100.
    pub passages_per_pair: usize,
    /// Share of a document that a kept one must hold before `dedup` removes it. The default is
    /// 0.8.
    pub cover: f64,
    /// Whether `dedup` also removes documents that stand in a much longer one; otherwise they are
    /// listed for review. The default is false.
    pub remove_contained: bool,
    /// Whether the language of each document is detected and reported. The default is false.
    pub detect_language: bool,
    /// Format of the tables. The default is JSON Lines.
    pub format: TableFormat,
    /// Whether `report.html` is written. The default is true.
    pub page: bool,
    /// Whether the first bad record ends the run. The default is false.
    pub strict: bool,
    /// Threads; 0 means as many as the machine has. No more than
    /// [`most_threads`](crate::most_threads) are started.
    #[serde(skip)]
    pub threads: usize,
    /// Memory that the whole process may take, in bytes; what does not fit goes to scratch files.
    /// 0 means half of what the machine, or the control group of the process, has.
    #[serde(skip)]
    pub memory_bytes: u64,
    /// Memory of every list that can go to a scratch file, in bytes, instead of its share: for
    /// tests.
    #[doc(hidden)]
    #[serde(skip)]
    pub spill_bytes: Option<usize>,
    /// Folder for scratch files; the default is the system's.
    #[serde(skip)]
    pub scratch: Option<PathBuf>,
    /// Whether an output folder of an earlier run is replaced.
    #[serde(skip)]
    pub overwrite: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: METHODS[0].name.to_owned(),
            profile: Profile::default(),
            decide: None,
            idf: None,
            parameters: Map::new(),
            text: TextSettings::default(),
            read: ReadOptions::default(),
            seed: 1,
            grouping: Grouping::default(),
            min_common: MinCommon::default(),
            closed_sets: Sets::default(),
            joining: Joining::default(),
            keep: Keep::default(),
            pairs: PairsWritten::default(),
            pairs_per_document: 1_000,
            passages_per_pair: 100,
            cover: 0.8,
            remove_contained: false,
            detect_language: false,
            format: TableFormat::default(),
            page: true,
            strict: false,
            threads: 0,
            memory_bytes: 0,
            spill_bytes: None,
            scratch: None,
            overwrite: false,
        }
    }
}

impl Settings {
    /// Returns the settings of a method in a profile: its text settings, everything else as by
    /// default.
    ///
    /// ```
    /// use retold::Settings;
    /// use retold::core::methods::Profile;
    /// let settings = Settings::of("minhash", Profile::Paper).unwrap();
    /// assert_eq!(settings.method, "minhash");
    /// ```
    pub fn of(method: &str, profile: Profile) -> Result<Self, ConfigError> {
        let (spec, _) = methods::find(method)?;
        let (method, text) = (method.to_owned(), (spec.text)(profile));
        Ok(Self { method, profile, text, ..Self::default() })
    }

    /// Builds the method.
    pub fn detector(&self) -> Result<Box<dyn Detector>, ConfigError> {
        if !(self.cover > 0.0 && self.cover <= 1.0) {
            return Err(ConfigError::value("cover", "above 0 and at most 1", &self.cover));
        }
        methods::make(&self.method, self.profile, &self.parameters, self.seed)
    }

    /// Returns who decides whether two documents are related.
    pub(crate) fn decide(&self, detector: &dyn Detector) -> Decide {
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

    /// Returns the reading options with the field that [`Keep`] asks for.
    pub(crate) fn read_options(&self) -> ReadOptions {
        let mut read = self.read.clone();
        if let Keep::Field(name) | Keep::FieldDescending(name) = &self.keep {
            read.rank_field = Some(name.clone());
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_read_as_it_is_written() {
        for text in ["longest", "oldest", "source:reuters,ap", "field:rank", "field:-score"] {
            let keep: Keep = text.parse().expect("a policy");
            assert_eq!(String::from(keep), text);
        }
        assert!("field:".parse::<Keep>().is_err() && "tallest".parse::<Keep>().is_err());
    }
}
