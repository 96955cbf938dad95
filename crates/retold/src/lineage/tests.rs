//! Trees of made-up versions.

use retold_core::document::Document;

use super::*;

fn dated(id: &str, time: Option<&str>, text: &str) -> Document {
    Document { time: time.map(ToOwned::to_owned), ..Document::plain(id, text) }
}

fn steps(lineage: &Lineage) -> Vec<(&str, &str)> {
    lineage.steps.iter().map(|step| (&*step.parent, &*step.child)).collect()
}

fn tree(documents: &[Document]) -> Lineage {
    Lineage::of(documents, &Job::default(), &Resources::new().threads(2)).expect("a tree")
}

const BASE: &str = "The board decided on Tuesday that the old quay will be closed for repairs until the \
                    end of May and that ferries will leave from the new pier instead.";

/// Four versions, each with more than the one before.
fn chain(times: [Option<&str>; 4]) -> Vec<Document> {
    let second = format!("{BASE} Fishing boats may still land at the old steps before noon.");
    let third = format!("{second} A crane was ordered from Hamburg for the work below the water.");
    let fourth = format!("{third} The mayor said that the money had been found after all.");
    let texts = [BASE.to_owned(), second, third, fourth];
    let named = ["d", "b", "a", "c"].iter().zip(times).zip(texts);
    named.map(|((id, time), text)| dated(id, time, &text)).collect()
}

#[test]
fn a_chain_with_times_is_followed() {
    let times = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"].map(Some);
    assert_eq!(steps(&tree(&chain(times))), [("d", "b"), ("b", "a"), ("a", "c")]);
}

#[test]
fn a_chain_without_times_grows() {
    let lineage = tree(&chain([None; 4]));
    assert_eq!(steps(&lineage), [("d", "b"), ("b", "a"), ("a", "c")]);
    assert_eq!(lineage.documents[0].id, "d");
    assert!(lineage.steps.iter().all(|step| step.changes.n_dropped == 0));
    assert!(lineage.steps[0].parent_in_child > lineage.steps[0].child_in_parent);
}

#[test]
fn times_go_before_growth() {
    let times = ["2026-01-04", "2026-01-03", "2026-01-02", "2026-01-01"].map(Some);
    assert_eq!(steps(&tree(&chain(times))), [("c", "a"), ("a", "b"), ("b", "d")]);
}

#[test]
fn later_years_come_later() {
    let old = dated("x", None, &format!("{BASE} Last changed in 2019 by the harbour office."));
    let new = dated("a", None, &format!("{BASE} Last changed in 2023 by the harbour office."));
    assert_eq!(steps(&tree(&[new, old])), [("x", "a")]);
}

#[test]
fn two_branches_keep_their_own_changes() {
    let left = format!("{BASE} Left one two three four five.");
    let right = format!("{BASE} Right six seven eight nine ten.");
    let documents = [
        dated("base", Some("2026-01-01"), BASE),
        dated("left", Some("2026-01-02"), &left),
        dated("right", Some("2026-01-03"), &right),
        dated(
            "left2",
            Some("2026-01-04"),
            &format!("{left} More was said on the left side of it."),
        ),
        dated(
            "right2",
            Some("2026-01-05"),
            &format!("{right} More was said on the right side of it."),
        ),
    ];
    let lineage = tree(&documents);
    let mut found = steps(&lineage);
    found.sort_unstable();
    assert!(
        found.contains(&("left", "left2")) && found.contains(&("right", "right2")),
        "{found:?}"
    );
    assert!(found.contains(&("base", "left")), "{found:?}");
}

#[test]
fn a_tie_is_called_one() {
    let lineage = tree(&[dated("a", None, BASE), dated("b", None, BASE)]);
    let [step] = lineage.steps.as_slice() else { panic!("one step") };
    assert!(step.is_tie);
    assert_eq!((step.margin, step.confidence), (Some(0.0), 0.5));
    assert!((lineage.root_confidence - 0.5).abs() < f64::EPSILON);
    let sure = tree(&chain(["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"].map(Some)));
    assert!(sure.steps.iter().all(|step| !step.is_tie && step.confidence > 0.5));
    let three = tree(&[dated("a", None, BASE), dated("b", None, BASE), dated("c", None, BASE)]);
    assert!(three.root_confidence < 0.34, "any of the three may be the first");
    assert!((sure.root_confidence - 1.0).abs() < f64::EPSILON, "no other is so early");
}

#[test]
fn the_order_of_documents_and_threads_change_nothing() {
    let mut documents = chain([None, Some("2026-01-02"), None, Some("2026-01-01")]);
    documents.push(dated("e", None, BASE));
    let first = tree(&documents);
    documents.reverse();
    assert_eq!(tree(&documents), first);
    let alone = Lineage::of(&documents, &Job::default(), &Resources::new().threads(1));
    assert_eq!(alone.expect("a tree"), first);
}

#[test]
fn changes_are_told_with_their_places() {
    let documents = [
        dated("a", Some("2026-01-01"), "The ferry leaves at nine from the old pier every day."),
        dated(
            "b",
            Some("2026-01-02"),
            "The ferry leaves at ten from the old pier every single day.",
        ),
    ];
    let lineage = tree(&documents);
    let changes = &lineage.steps[0].changes;
    let texts = |list: &[Change]| list.iter().map(|change| change.text.clone()).collect::<Vec<_>>();
    assert_eq!((changes.n_added, changes.n_dropped, changes.n_cut), (2, 1, 0));
    assert_eq!(texts(&changes.added), ["ten", "single"]);
    assert_eq!(texts(&changes.dropped), ["nine"]);
    for change in &changes.added {
        assert_eq!(change.span.of(&documents[1].text), Some(&*change.text));
    }
}

#[test]
fn a_large_cluster_is_still_one_tree() {
    let text = |number: usize| {
        let words: Vec<String> = (number..number + 40).map(|word| format!("word{word}")).collect();
        words.join(" ")
    };
    let n = MOST_COMPARED + 50;
    let time = |number: usize| (1_000_000 + 1_000 * number).to_string();
    let documents: Vec<Document> = (0..n)
        .map(|number| dated(&format!("{number:05}"), Some(&time(number)), &text(number)))
        .collect();
    let lineage = tree(&documents);
    assert!(!lineage.is_complete);
    assert_eq!((lineage.documents.len(), lineage.steps.len()), (n, n - 1));
    let is_next = |step: &&LineageStep| {
        step.parent.parse::<usize>().ok().map(|parent| parent + 1) == step.child.parse().ok()
    };
    assert_eq!(lineage.steps.iter().filter(is_next).count(), n - 1);
}

#[test]
fn no_documents_are_refused_and_one_is_a_root() {
    assert!(Lineage::of(&[], &Job::default(), &Resources::new()).is_err());
    let alone = tree(&[Document::plain("a", "")]);
    assert_eq!((alone.documents.len(), alone.steps.len()), (1, 0));
}
