//! What the pairs of Uyar's thesis show of I-Match and Tweezer in profile `paper`.

use retold::{Document, Documents, IdfBuilder, Job, Profile};
use retold_testkit::runs::pairs;
use retold_testkit::thesis::{collection, pair};
use serde_json::{Value, json};

fn job(method: &str, given: &[(&str, Value)]) -> Job {
    let job = Job::of(method, Profile::Paper).expect("the name is registered");
    given.iter().fold(job, |job, (name, value)| job.with_parameter(*name, value.clone()))
}

fn is_found(documents: &[Document], job: &Job) -> bool {
    let found = pairs(documents, job);
    found.iter().any(|pair| (pair.a.index(), pair.b.index()) == (0, 1))
}

/// Returns whether a method relates the two texts of a pair in the collection.
fn finds(method: &str, given: &[(&str, Value)], name: &str) -> bool {
    let documents: Vec<Document> = pair(name).into_iter().chain(collection()).collect();
    is_found(&documents, &job(method, given))
}

#[test]
fn a_sentence_more_without_a_name_is_passed_over_by_tweezer_and_not_by_imatch() {
    assert!(finds("tweezer", &[], "A.9"));
    assert!(!finds("imatch-interval", &[], "A.9"));
}

#[test]
fn other_numerals_beside_a_name_are_passed_over_by_imatch_and_not_by_tweezer() {
    assert!(finds("imatch-interval", &[], "A.10"));
    assert!(!finds("tweezer", &[], "A.10"));
}

#[test]
fn imatch_passes_over_numerals_because_words_with_digits_are_dropped() {
    assert!(!finds("imatch-interval", &[("digits", json!("kept"))], "A.10"));
}

#[test]
fn imatch_sees_the_rarer_words_of_a_sentence_unless_the_rare_tail_is_cut_higher() {
    // They stand in six documents each, with the pair's.
    assert!(!finds("imatch-interval", &[("min_df", json!(6))], "A.9"));
    assert!(finds("imatch-interval", &[("min_df", json!(7))], "A.9"));
}

#[test]
fn imatch_passes_over_a_misspelt_word_and_quantiles_do_not() {
    assert!(finds("imatch-interval", &[], "misspelt"));
    assert!(!finds("imatch-interval", &[("min_df", json!(1))], "misspelt"));
    assert!(!finds("imatch-interval", &[("bounds", json!("quantile"))], "misspelt"));
}

#[test]
fn a_table_of_the_collection_serves_as_the_collection_does() {
    let folder = tempfile::tempdir().expect("a folder for a test");
    let job = job("imatch-interval", &[]);
    for (name, expected) in [("A.9", false), ("A.10", true), ("misspelt", true)] {
        let table = folder.path().join(format!("{name}.idf"));
        let documents: Vec<Document> = pair(name).into_iter().chain(collection()).collect();
        IdfBuilder::new(Documents::new(documents)).job(job.clone()).write(&table).expect("a table");
        assert_eq!(is_found(&pair(name), &job.clone().with_idf(table)), expected, "{name}");
    }
}

#[test]
fn no_word_of_two_texts_alone_is_between_the_tails() {
    assert!(!is_found(&pair("A.10"), &job("imatch-interval", &[])));
}
