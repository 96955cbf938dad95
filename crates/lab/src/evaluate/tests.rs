use std::fs;
use std::path::PathBuf;

use super::*;

struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder for a test"))
    }

    fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("it has a folder")).expect("a folder for a test");
        fs::write(&path, text).expect("a file for a test");
        path
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).expect("it was written")
    }
}

fn lines_of(numbers: std::ops::Range<u32>, line: impl Fn(u32) -> String) -> String {
    numbers.map(|i| line(i) + "\n").collect::<Vec<_>>().concat()
}

fn pairs_of(result: &EvaluatedResult) -> &Evaluation {
    match &result.figures {
        Figures::Pairs(evaluation) => evaluation,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_folder_is_compared_pair_by_pair_and_cluster_by_cluster() {
    let desk = Desk::new();
    desk.put("f/pairs.jsonl", concat!(
        r#"{"a":"d1","b":"d2","relation":"near-duplicate","resemblance":0.9,"a_in_b":0.95,"b_in_a":0.94,"evidence":[]}"#, "\n",
        r#"{"a":"d3","b":"d4","relation":"partial","resemblance":0.1,"a_in_b":0.2,"b_in_a":0.1,"evidence":[]}"#, "\n",
    ));
    desk.put("f/clusters.jsonl", r#"{"id":0,"representative":"d1","members":["d1","d2","d5"]}"#);
    let documents = lines_of(1..9, |i| format!("{{\"id\":\"d{i}\",\"verdict\":\"unique\"}}"));
    desk.put("f/documents.jsonl", &documents);
    let list = desk.put("list.tsv", "d2\td1\tlight\nd5\td1\theavy\nd6\td7\theavy\nd3\td4\tnon\n");
    let settings =
        EvaluateSettings { output: Some(desk.0.path().join("out")), ..EvaluateSettings::default() };
    let found = [desk.0.path().join("f")];
    let evaluated = evaluate(&found, &list, &settings).expect("good lists");
    assert_eq!((evaluated.facts.n_true, evaluated.facts.n_negative), (3, 1));
    assert_eq!(evaluated.recall_name, "recall of the list");
    let evaluation = pairs_of(&evaluated.results[0]);
    let pairs = evaluation.pairs.as_ref().expect("there are pairs");
    assert_eq!((pairs.counts.common, pairs.counts.only_ours, pairs.counts.only_ref), (1, 1, 2));
    let clusters = evaluation.clusters.as_ref().expect("a partition");
    // True: d1 d2 d5 and d6 d7; the first was found whole.
    assert_eq!(clusters.pair_counts.common, 3);
    assert_eq!((evaluation.n_documents, evaluation.knows_all), (8, true));
    let counts = evaluation.documents.counts;
    assert_eq!((counts.a, counts.b, counts.c, counts.d), (3, 0, 2, 3));
    let labels: Vec<(&str, u64, u64)> = evaluation
        .labels
        .iter()
        .map(|label| (label.label.as_str(), label.n_pairs, label.n_found))
        .collect();
    assert_eq!(labels, [("light", 1, 1), ("heavy", 2, 0)]);

    let listed = desk.read("out/reference.jsonl");
    assert!(
        listed.contains(
            r#"{"a":"d1","b":"d5","label":"heavy","is_true":true,"is_found":false,"cluster":0}"#
        ),
        "{listed}"
    );
    assert!(listed.contains(r#""is_true":false,"is_found":true"#), "{listed}");
    let ours = desk.read("out/found.jsonl");
    assert!(ours.contains(r#""score":0.95,"listed":"true""#), "{ours}");
    assert!(ours.contains(r#""relation":"partial","score":0.2,"listed":"false""#), "{ours}");
    assert!(desk.read("out/curve.jsonl").lines().count() == 2);
    assert!(desk.read("out/evaluation.json").contains("\"recall_name\": \"recall of the list\""));
    let again = evaluate(&found, &list, &settings).err().map(|error| error.to_string());
    assert!(again.unwrap_or_default().contains("exists"));
}

#[test]
fn containment_is_compared_in_order() {
    let desk = Desk::new();
    let found = desk.put(
        "pairs.jsonl",
        concat!(
            r#"{"a":"long","b":"short","relation":"contains","a_in_b":0.1,"b_in_a":1.0}"#,
            "\n",
            r#"{"a":"x","b":"y","relation":"near-duplicate","a_in_b":0.9,"b_in_a":0.8}"#,
            "\n",
        ),
    );
    let list = desk.put("list.tsv", "short\tlong\ny\tx\nlong\tshort\n");
    let settings =
        EvaluateSettings { direction: Direction::Ordered, ..EvaluateSettings::default() };
    let evaluated = evaluate(&[found], &list, &settings).expect("good lists");
    let counts = pairs_of(&evaluated.results[0]).pairs.as_ref().expect("pairs").counts;
    // Found: short in long, x in y, y in x.
    assert_eq!((counts.common, counts.only_ours, counts.only_ref), (2, 1, 1));
}

#[test]
fn long_lists_are_counted_in_parts_with_the_same_result() {
    let desk = Desk::new();
    let lines =
        |from: u32, to: u32| -> String { lines_of(from..to, |i| format!("d{i}\td{}", i + 1)) };
    let found = desk.put("found.tsv", &(lines(0, 300) + &lines(0, 10)));
    let list = desk.put("list.tsv", &lines(100, 450));
    let held = evaluate(std::slice::from_ref(&found), &list, &EvaluateSettings::default());
    let held = held.expect("short lists");
    let expected = pairs_of(&held.results[0]).pairs.as_ref().expect("pairs").counts;
    let settings = EvaluateSettings { most_pairs: 100, ..EvaluateSettings::default() };
    let parts = evaluate(&[found], &list, &settings).expect("long lists");
    let Figures::Counts(figures) = &parts.results[0].figures else { panic!("{parts:?}") };
    assert_eq!(figures.counts, expected);
    assert_eq!((expected.all_ours, expected.all_ref, expected.common), (300, 350, 200));
    assert_eq!(parts.facts.n_true, 350);
}

#[test]
fn two_results_are_set_side_by_side() {
    let desk = Desk::new();
    let lines = |n: u32| lines_of(0..n, |i| format!("a{i}\tb{i}\t0.{i}"));
    let (one, two) = (desk.put("1.tsv", &lines(9)), desk.put("2.tsv", &lines(3)));
    let list = desk.put("list.tsv", &lines(10).replace("\t0.", "\tx"));
    let settings =
        EvaluateSettings { output: Some(desk.0.path().join("out")), ..EvaluateSettings::default() };
    let evaluated = evaluate(&[one, two], &list, &settings).expect("good lists");
    let Some(Compared::Pairs(comparison)) = &evaluated.comparison else { panic!("{evaluated:?}") };
    assert!((comparison.differences[1].difference.value - 0.6).abs() < 1e-12);
    assert!(desk.read("out/2/found.jsonl").lines().count() == 3);
}

#[test]
fn clusters_of_miners_are_compared_with_pairs() {
    let desk = Desk::new();
    let found = desk.put("clusters.txt", "d1 d4 (2)\nd3 d4 (2)\nd1 d2 d3 (3)\n");
    let list = desk.put("list.tsv", "d1\td2\nd2\td4\n");
    let settings =
        EvaluateSettings { found_kind: Some(ListKind::Clusters), ..EvaluateSettings::default() };
    let evaluated = evaluate(&[found], &list, &settings).expect("good lists");
    let counts = pairs_of(&evaluated.results[0]).pairs.as_ref().expect("pairs").counts;
    let FiveNumbers { all_ref, all_ours, only_ref, only_ours, common } = counts;
    assert_eq!([all_ref, all_ours, only_ref, only_ours, common], [2, 5, 1, 4, 1]);
}

#[test]
fn questions_are_answered_by_rankings_or_pairs() {
    let desk = Desk::new();
    let list = desk.put("qrels", "q1 0 d1 1\nq1 0 d2 1\nq2 0 d3 2\nq2 0 d4 0\n");
    let ranked = desk.put("run", "q1 Q0 d9 1 3.0 x\nq1 Q0 d1 2 2.0 x\nq2 Q0 d3 1 1.0 x\n");
    let pairs = desk.put("pairs.tsv", "q1\td1\t0.9\nd2\tq1\t0.8\nq2\td4\t0.5\n");
    let settings = EvaluateSettings { top: vec![1, 2], ..EvaluateSettings::default() };
    let evaluated = evaluate(&[ranked, pairs], &list, &settings).expect("good lists");
    let [Figures::Ranking(ranked), Figures::Ranking(pairs)] =
        [&evaluated.results[0].figures, &evaluated.results[1].figures]
    else {
        panic!("{evaluated:?}")
    };
    assert_eq!((ranked.n_relevant, ranked.recognition, pairs.recognition), (3, 2, 2));
    assert!((ranked.reciprocal_rank.value - 0.75).abs() < 1e-12);
    assert!((pairs.at[1].recall.value - 0.5).abs() < 1e-12);
    assert!(matches!(evaluated.comparison, Some(Compared::Paired(_))));
}

#[test]
fn passages_are_compared_in_characters_by_the_texts() {
    let desk = Desk::new();
    let text = "şşşş copied words here";
    let texts = desk.put("texts.jsonl", &format!(
        "{{\"id\":\"s1\",\"text\":\"{text}\"}}\n{{\"id\":\"d1\",\"text\":\"copied words here\"}}\n"
    ));
    // In bytes `copied` begins at 9, in characters at 5.
    let found = desk.put(
        "pairs.jsonl",
        r#"{"a":"d1","b":"s1","relation":"partial","evidence":[{"a":[0,17],"b":[9,26],"words":3}]}"#,
    );
    let list = desk.put(
        "pan/s1-d1.xml",
        r#"<document reference="s1.txt"><feature name="plagiarism" obfuscation="none" this_offset="5" this_length="17" source_reference="d1.txt" source_offset="0" source_length="17"/></document>"#,
    );
    let list = list.parent().expect("it has a folder").to_owned();
    let mut settings = EvaluateSettings::default();
    let refused = evaluate(std::slice::from_ref(&found), &list, &settings).err();
    let refused = refused.map(|error| error.to_string()).unwrap_or_default();
    assert_eq!(refused, "places of the reference count characters, those of the result bytes");
    settings.texts = vec![texts];
    let evaluated = evaluate(&[found], &list, &settings).expect("good lists");
    let Figures::Passages(figures) = &evaluated.results[0].figures else { panic!("{evaluated:?}") };
    assert!((figures.plagdet.value - 1.0).abs() < 1e-12, "{figures:?}");
    assert_eq!(figures.labels[0].label, "none");
}

#[test]
fn only_listed_pairs_count_if_that_is_asked_for() {
    let desk = Desk::new();
    let found = desk.put("found.tsv", "a\tb\t0.9\nc\td\t0.8\ne\tf\t0.7\n");
    let list = desk.put("list.tsv", "a\tb\tcopy\ne\tf\tnone\ng\th\tcopy\n");
    let counts = |is_listed_only: bool| {
        let settings = EvaluateSettings { is_listed_only, ..EvaluateSettings::default() };
        let evaluated = evaluate(std::slice::from_ref(&found), &list, &settings);
        let evaluated = evaluated.expect("good lists");
        let counts = pairs_of(&evaluated.results[0]).pairs.as_ref().expect("pairs").counts;
        (counts.common, counts.only_ours, counts.only_ref)
    };
    assert_eq!((counts(false), counts(true)), ((1, 2, 1), (1, 1, 1)));
    let too_long =
        EvaluateSettings { is_listed_only: true, most_pairs: 2, ..EvaluateSettings::default() };
    assert!(evaluate(&[found], &list, &too_long).is_err());
}

#[test]
fn documents_of_pan_are_known_by_their_files_and_passages_are_written_in_its_form() {
    let desk = Desk::new();
    let line = |a: &str, b: &str| {
        format!(
            r#"{{"a":"{a}","b":"{b}","relation":"partial","evidence":[{{"a":[0,17],"b":[2,19],"words":3}}]}}"#
        ) + "\n"
    };
    let found = desk.put(
        "pairs.jsonl",
        &(line("susp/s1.txt", "src/d1.txt") + &line("susp/s1.txt", "src/d2.txt")),
    );
    desk.put("texts/susp/s1.txt", "copied words here and more");
    desk.put("texts/src/d1.txt", "x copied words here");
    desk.put("texts/src/d2.txt", "x copied words here");
    let list = desk.put(
        "pan/02-none/s1-d1.xml",
        r#"<document reference="s1.txt"><feature name="plagiarism" obfuscation="none" this_offset="0" this_length="17" source_reference="d1.txt" source_offset="2" source_length="17"/></document>"#,
    );
    let list = list.ancestors().nth(2).expect("it has folders").to_owned();
    let mut settings = EvaluateSettings {
        texts: vec![desk.0.path().join("texts")],
        output: Some(desk.0.path().join("out")),
        ..EvaluateSettings::default()
    };
    let plagdet = |found: PathBuf, settings: &EvaluateSettings| {
        let evaluated = evaluate(&[found], &list, settings).expect("good lists");
        let Figures::Passages(figures) = &evaluated.results[0].figures else { panic!() };
        let label = &figures.labels[0];
        assert_eq!((label.n_cases, label.n_detections), (1, 1));
        assert!((label.plagdet - 1.0).abs() < 1e-12);
        figures.plagdet.value
    };
    let all = plagdet(found.clone(), &settings);
    assert!((all - 2.0 / 3.0).abs() < 1e-12, "{all}");
    // What was written is read again and measured alike.
    settings.output = None;
    assert!((plagdet(desk.0.path().join("out/pan"), &settings) - all).abs() < 1e-12);
    settings.is_listed_only = true;
    assert!((plagdet(found, &settings) - 1.0).abs() < 1e-12);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let desk = Desk::new();
    let pairs = desk.put("pairs.tsv", "a1\tb1\n");
    let ranked = desk.put("run", "q1 Q0 d9 1 3.0 x\n");
    let odd = desk.put("odd", "a b c d e\n");
    let bad = desk.put("bad.tsv", "a1\tb1\nlone\n");
    let none = desk.put("none.tsv", "a1\tb1\tnone\n");
    let said = |found: &PathBuf, list: &PathBuf| {
        let error = evaluate(std::slice::from_ref(found), list, &EvaluateSettings::default()).err();
        error.map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(said(&ranked, &pairs).ends_with(
        "run` holds ranked answers, and pairs and clusters can only be compared with pairs and clusters"
    ));
    assert!(said(&pairs, &odd).starts_with("cannot tell what `"));
    assert!(said(&pairs, &bad).ends_with("bad.tsv`: line 2: a pair needs two names of documents"));
    assert!(said(&pairs, &none).ends_with("lists nothing that is true"));
    assert!(said(&desk.0.path().to_owned(), &pairs).contains("holds no pairs.jsonl"));
    assert!(said(&desk.0.path().join("not there"), &pairs).starts_with("cannot open `"));
}
