//! Measures: the figures by which cells are compared, each with the unit it is printed in.

use retold_report::grouped;
use serde::Deserialize;

/// What a measure counts; it decides how many digits are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A share or a score: three decimals.
    Share,
    /// Things that are counted: none, or one decimal for a mean.
    Count,
    /// Time: more decimals the shorter it is.
    Time,
}

/// Declares the measures: what each is, its name in designs and results, its unit.
macro_rules! measures {
    ($($(#[doc = $help:literal])+ $measure:ident = $name:literal, $unit:ident;)+) => {
        /// A figure by which cells are compared.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
        pub enum Measure {
            $($(#[doc = $help])+ #[serde(rename = $name)] $measure,)+
        }

        impl Measure {
            /// All measures.
            pub const ALL: &[Self] = &[$(Self::$measure),+];

            /// Returns the name in designs and results.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$measure => $name,)+
                }
            }

            /// Returns what it counts.
            pub fn unit(self) -> Unit {
                match self {
                    $(Self::$measure => Unit::$unit,)+
                }
            }
        }
    };
}

measures! {
    /// Share of what was found that is true.
    Precision = "precision", Share;
    /// Share of what is true that was found.
    Recall = "recall", Share;
    /// Harmonic mean of precision and recall.
    F1 = "f1", Share;
    /// Precision of pairs that are not word-for-word copies.
    PrecisionChanged = "precision_changed", Share;
    /// Recall of pairs that are not word-for-word copies.
    RecallChanged = "recall_changed", Share;
    /// F1 of pairs that are not word-for-word copies.
    F1Changed = "f1_changed", Share;
    /// True pairs that are word-for-word copies.
    Copies = "copies", Count;
    /// Pairs that any method nominated for a pool.
    Pooled = "pooled", Count;
    /// True pairs in the pool.
    PooledPositives = "pooled_positives", Count;
    /// True pairs, in the pool or not.
    AllPositives = "all_positives", Count;
    /// Recall of planted near-duplicates.
    RecallNear = "recall_near", Share;
    /// Recall of planted containments.
    RecallContained = "recall_contained", Share;
    /// Recall of planted passages.
    RecallPartial = "recall_partial", Share;
    /// Share of true pairs that were missed.
    PairMiss = "pair_miss", Share;
    /// Share of untrue pairs that were found.
    PairFalseAlarm = "pair_false_alarm", Share;
    /// Pairs found that are not true.
    FalseAlarms = "false_alarms", Count;
    /// True pairs.
    AllRef = "all_ref", Count;
    /// Pairs found.
    AllOurs = "all_ours", Count;
    /// True pairs that were not found.
    OnlyRef = "only_ref", Count;
    /// Pairs found that are not true, as one of the five numbers.
    OnlyOurs = "only_ours", Count;
    /// True pairs that were found.
    Common = "common", Count;
    /// Pairs that two methods both find, as a share of those that either finds.
    Agreement = "agreement", Share;
    /// Adjusted Rand index of the clusters.
    Ari = "ari", Share;
    /// Share of planted copies that were found.
    Detected = "detected", Share;
    /// Share of planted copies that were found as near-duplicates.
    Reported = "reported", Share;
    /// Share of planted passages, beside copies, that were found.
    PassagesFound = "passages_found", Share;
    /// Mean distance of a score from the true one.
    ScoreError = "score_error", Share;
    /// Mean of score minus true score.
    ScoreBias = "score_bias", Share;
    /// Relations found.
    Relations = "relations", Count;
    /// Clusters.
    Clusters = "clusters", Count;
    /// Documents in clusters.
    Clustered = "clustered", Count;
    /// Documents of the largest cluster.
    LargestCluster = "largest_cluster", Count;
    /// Different pairs of documents that stand in one cluster, exact copies left out.
    PairsInside = "pairs_inside", Count;
    /// Share of the pairs inside clusters whose exact resemblance is below 0.5.
    FalsePairs = "false_pairs", Share;
    /// Share of the pairs inside clusters whose exact resemblance is at least 0.5.
    TruePairs = "true_pairs", Share;
    /// Maximal sets of at least two documents.
    ClosedSets = "closed_sets", Count;
    /// 1 if a miner came to its end, 0 if a limit of time or memory ended it.
    Completed = "completed", Count;
    /// Different units of all images: rows of the inverted table.
    Units = "units", Count;
    /// Pairs that were compared.
    Candidates = "candidates", Count;
    /// Similarities computed by the search, per document.
    ValuesPerDocument = "values_per_document", Count;
    /// Features in the index, with their repetitions.
    Vectors = "vectors", Count;
    /// Numbers that make up the features of the index: window size times windows.
    Numbers = "numbers", Count;
    /// Bytes of a plain inverted index of the features.
    IndexBytes = "index_bytes", Count;
    /// Sentences of a document.
    SentencesPerDocument = "sentences_per_document", Share;
    /// Words of a sentence.
    WordsPerSentence = "words_per_sentence", Share;
    /// Share of sentences of 1 to 20 words.
    ShortSentences = "short_sentences", Share;
    /// How often features of different documents are equal.
    CollisionRate = "collision_rate", Share;
    /// Share of features that more than one document has.
    SharedFeatures = "shared_features", Share;
    /// Documents that answer a question.
    Relevant = "relevant", Count;
    /// Relevant documents among the answers.
    Recognition = "recognition", Count;
    /// Answers.
    Total = "total", Count;
    /// Inverse rank of the first relevant answer.
    ReciprocalRank = "reciprocal_rank", Share;
    /// Rank of the last relevant answer.
    Lcr = "lcr", Count;
    /// Relevant documents among as many answers as there are relevant documents.
    TopRecognition = "top_recognition", Count;
    /// Precision of as many answers as there are relevant documents.
    TopPrecision = "top_precision", Share;
    /// Recall of as many answers as there are relevant documents.
    TopRecall = "top_recall", Share;
    /// F1 of as many answers as there are relevant documents.
    TopF1 = "top_f1", Share;
    /// Duplicates that were found.
    A = "a", Count;
    /// Documents found that are no duplicates.
    B = "b", Count;
    /// Duplicates that were missed.
    C = "c", Count;
    /// Documents that are no duplicates and were not found.
    D = "d", Count;
    /// Documents that only some of the methods found.
    Judged = "judged", Count;
    /// Documents that both methods found and that resemble no mate: taken as duplicates unseen.
    LetThrough = "let_through", Count;
    /// Share of duplicates that were missed.
    Miss = "miss", Share;
    /// Share of other documents that were found.
    FalseAlarm = "false_alarm", Share;
    /// Cost of misses and false alarms.
    CDup = "c_dup", Share;
    /// The same, divided by the cost of the better constant answer.
    CNorm = "c_norm", Share;
    /// Sets.
    Sets = "sets", Count;
    /// Documents of a set.
    Documents = "documents", Count;
    /// Seconds by the clock.
    Seconds = "seconds", Time;
    /// Seconds of processors.
    CpuSeconds = "cpu_seconds", Time;
    /// Seconds until documents are clean and split into words and sentences.
    PrepareSeconds = "prepare_seconds", Time;
    /// Seconds until words and sentences are features.
    ConvertSeconds = "convert_seconds", Time;
    /// Seconds until features are in a plain inverted index.
    IndexSeconds = "index_seconds", Time;
    /// Seconds of one question to that index.
    SearchSeconds = "search_seconds", Time;
    /// Milliseconds by the clock.
    Milliseconds = "milliseconds", Time;
    /// Milliseconds per document.
    MsPerDocument = "ms_per_document", Time;
    /// Part of the other method's time that is saved, in percent.
    PercentGain = "percent_gain", Count;
    /// Milliseconds per 1,000 documents.
    MsPerThousand = "ms_per_thousand", Time;
}

impl Measure {
    /// Returns the measure of a name.
    ///
    /// ```
    /// use retold_lab::experiment::Measure;
    /// assert_eq!(Measure::named("top_f1"), Some(Measure::TopF1));
    /// assert_eq!(Measure::named("colour"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|measure| measure.name() == name)
    }

    /// Returns the name with spaces, as it stands over a column.
    pub fn title(self) -> String {
        self.name().replace('_', " ")
    }

    /// Writes a value with as many digits as its unit asks for; nothing for one that is not finite.
    ///
    /// ```
    /// use retold_lab::experiment::Measure;
    /// assert_eq!(Measure::F1.figure(0.5), "0.500");
    /// assert_eq!(Measure::Common.figure(12_345.0), "12,345");
    /// assert_eq!(Measure::Seconds.figure(12.345), "12.3");
    /// ```
    pub fn figure(self, value: f64) -> String {
        if !value.is_finite() {
            return String::new();
        }
        match self.unit() {
            Unit::Share => format!("{value:.3}"),
            Unit::Count => with_commas(value, usize::from((value - value.round()).abs() > 1e-9)),
            Unit::Time => {
                let decimals = match value.abs() {
                    size if size >= 100.0 => 0,
                    size if size >= 10.0 => 1,
                    size if size >= 1.0 => 2,
                    size if size >= 0.01 => 3,
                    _ => 5,
                };
                with_commas(value, decimals)
            }
        }
    }
}

/// Writes a number with commas between groups of three digits, from five digits on.
fn with_commas(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let whole = match whole.parse() {
        Ok(count) if whole.len() > 4 => grouped(count),
        _ => whole.to_owned(),
    };
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{whole}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_has_a_name_of_its_own() {
        for &measure in Measure::ALL {
            assert_eq!(Measure::named(measure.name()), Some(measure));
        }
    }

    #[test]
    fn short_times_have_more_digits() {
        let shown = [250.4, 25.04, 2.504, 0.025_04, 0.002_504].map(|s| Measure::Seconds.figure(s));
        assert_eq!(shown, ["250", "25.0", "2.50", "0.025", "0.00250"]);
        assert_eq!(Measure::Clusters.figure(2.5), "2.5");
        assert_eq!(Measure::Clusters.figure(-1234.0), "-1234");
        assert_eq!(Measure::Clusters.figure(1_234_567.25), "1,234,567.2");
        assert_eq!(Measure::F1.figure(f64::NAN), "");
    }
}
