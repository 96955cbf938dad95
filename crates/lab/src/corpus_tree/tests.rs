use retold::{Profile, TextSettings};
use retold_core::features::StopList;
use retold_core::features::stem::Stem;
use serde_json::{Value, json};

use super::*;

/// The documents of T-COD.
const SHARES: [&str; 3] = [
    "NASDAQ starts day with an increase. Shares gain 2%.",
    "NASDAQ starts day with a decrease. Shares lose 2%.",
    "Shares lose 2%.",
];

fn job(parameters: &[(&str, Value)]) -> Job {
    let job = Job::of("codet", Profile::Paper).expect("a method");
    let text = TextSettings { stop_words: StopList::None, stem: Stem::None, ..job.text().clone() };
    let named = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    job.with_text(text).with_parameters(named.collect::<serde_json::Map<_, _>>())
}

fn tree(parameters: &[(&str, Value)]) -> CorpusTree {
    let documents: Vec<Document> =
        ["a", "b", "c"].iter().zip(SHARES).map(|(id, text)| Document::plain(*id, text)).collect();
    CorpusTree::of(&documents, &job(parameters)).expect("a small tree")
}

fn unsorted(depth: u32) -> CorpusTree {
    tree(&[("order", json!("text")), ("depth", json!(depth))])
}

fn near(value: f64, wanted: f64) {
    assert!((value - wanted).abs() < 1e-6, "{value} is not {wanted}");
}

fn pair(tree: &CorpusTree, later: usize, earlier: usize) -> TreePair {
    let found = tree.steps[later].pairs.iter().find(|pair| pair.other == earlier);
    *found.expect("they met")
}

#[test]
fn the_tree_of_the_paper_grows_as_in_its_figure() {
    // T-COD without word sorting.
    let tree = unsorted(u32::MAX);
    assert_eq!(tree.steps.iter().map(|step| step.n_nodes).collect::<Vec<_>>(), [9, 13, 13]);
    assert_eq!(tree.steps.iter().map(|step| step.n_new).collect::<Vec<_>>(), [9, 4, 0]);
    assert_eq!(tree.revisited_words(1), ["nasdaq", "starts", "day", "with", "shares"]);
    assert_eq!(tree.revisited_words(2), ["shares", "lose", "2%"]);
    let words: Vec<&str> = tree.nodes.iter().map(|node| node.word.as_str()).collect();
    assert_eq!(
        words,
        [
            "nasdaq", "starts", "day", "with", "an", "increase", "a", "decrease", "shares", "gain",
            "2%", "lose", "2%"
        ]
    );
    near(tree.nodes[1].impact(), 0.810_930);
    assert_eq!(tree.nodes[8].visitors, [(0, 1), (1, 1), (2, 1)]);
    for (step, scs) in tree.steps.iter().zip([18.336_611, 16.950_316, 0.810_930]) {
        near(step.self_similarity, scs);
    }
    let b_and_a = pair(&tree, 1, 0);
    near(b_and_a.common.0, 4.054_651);
    near(b_and_a.in_other, 0.239_208);
    near(b_and_a.other_in, 0.221_123);
    assert_eq!(b_and_a.relation, None);
    let c_and_b = pair(&tree, 2, 1);
    near(c_and_b.common.0, 0.810_930);
    near(c_and_b.in_other, 1.0);
    near(c_and_b.other_in, 0.047_842);
    assert_eq!(c_and_b.relation, Some(Kind::Contained));
    near(pair(&tree, 2, 0).common.0, 0.0);
}

#[test]
fn sorting_words_keeps_stories_apart() {
    // T-COD with word sorting, whole sentences and the first five words.
    let tree_of = |depth: u32| tree(&[("order", json!("idf")), ("depth", json!(depth))]);
    let whole = tree_of(u32::MAX);
    assert_eq!(whole.nodes.len(), 18);
    assert_eq!(whole.steps.iter().map(|step| step.pairs.len()).sum::<usize>(), 1);
    near(pair(&whole, 2, 1).common.0, 0.405_465);
    near(whole.steps[0].self_similarity, 11.692_821);
    let words: Vec<&str> = whole.nodes.iter().take(6).map(|node| node.word.as_str()).collect();
    assert_eq!(words, ["an", "increase", "day", "nasdaq", "starts", "with"]);
    assert_eq!(tree_of(5).nodes.len(), 16);
}

#[test]
fn depth_and_suffixes_are_those_of_the_method() {
    // T-COD, last rows.
    let cut = unsorted(3);
    assert_eq!(cut.nodes.len(), 8);
    near(pair(&cut, 1, 0).other_in, 0.525_439);
    near(pair(&cut, 1, 0).in_other, 0.75);
    let suffixes = [("order", json!("text")), ("depth", json!(u32::MAX)), ("suffixes", json!(3))];
    let tree = tree(&suffixes);
    assert_eq!(tree.nodes.len(), 31);
    near(pair(&tree, 1, 0).common.0, 7.703_837);
}

#[test]
fn text_tells_every_step() {
    let text = unsorted(u32::MAX).written(TreeFormat::Text, 0..3);
    assert!(text.contains("  A = a\n  B = b\n  C = c\n"), "{text}");
    assert!(text.contains("After A (a): 9 nodes, 9 new, 0 visited again; SCS(A) = 18.336611"));
    assert!(text.contains("  visited again: nasdaq, starts, day, with, shares\n"), "{text}");
    assert!(
        text.contains(
            "  CS(C, B) = 0.810930; C in B 1.000000, B in C 0.047842: C is contained in B\n"
        ),
        "{text}"
    );
    let starts = text.lines().find(|line| line.contains("starts")).expect("it is a node");
    let cells: Vec<&str> = starts.split_whitespace().collect();
    assert_eq!(cells, ["+", "starts", "2", "0.4055", "0.8109", "A"]);
}

#[test]
fn pictures_have_a_panel_for_every_step() {
    let tree = unsorted(u32::MAX);
    let diagram = tree.diagram(0..3);
    let sizes: Vec<usize> = diagram.panels.iter().map(|panel| panel.nodes.len()).collect();
    assert_eq!(sizes, [9, 13, 13]);
    let revisited = diagram.panels[1].nodes.iter();
    assert_eq!(revisited.filter(|node| node.mark == NodeMark::Revisited).count(), 5);
    let svg = tree.written(TreeFormat::Svg, [2]);
    assert!(svg.starts_with("<svg ") && svg.contains("A B C") && svg.contains("nasdaq"));
    assert!(tree.written(TreeFormat::Dot, 0..3).starts_with("digraph "));
}

#[test]
fn what_is_no_picture_is_refused() {
    let many: Vec<Document> = (0..21).map(|n| Document::plain(n.to_string(), "a b c.")).collect();
    let told = |documents: &[Document], job: &Job| {
        CorpusTree::of(documents, job).expect_err("it is refused").to_string()
    };
    assert_eq!(told(&many, &job(&[])), "a corpus tree is shown of at most 20 documents, got more");
    let words: Vec<String> = (0..2_001).map(|n| format!("w{n}")).collect();
    let long = [Document::plain("long", words.join(" "))];
    let whole = job(&[("depth", json!(u32::MAX))]);
    assert!(
        told(&long, &whole).starts_with(
            "a corpus tree is shown with at most 2000 nodes, got 2001; fewer documents"
        )
    );
    assert_eq!(
        told(&many[..1], &Job::default()),
        "a corpus tree is made by the method codet, got `anchor`"
    );
}

#[test]
fn endings_name_formats() {
    let format = |name: &str| TreeFormat::of_ending(Path::new(name));
    assert_eq!(format("t.SVG"), Some(TreeFormat::Svg));
    assert_eq!((format("t.gv"), format("t.txt")), (Some(TreeFormat::Dot), Some(TreeFormat::Text)));
    assert_eq!((format("t.png"), format("t")), (None, None));
}
