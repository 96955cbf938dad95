use retold_browse::{Outside, PageRequest};

use crate::made::{asking, newsroom};

#[test]
fn a_cluster_comes_with_its_documents() {
    let opened = newsroom().open();
    let found = opened.browser.cluster(1, 1).expect("it can be read").expect("cluster 1 is there");
    assert_eq!((found.cluster.number, found.n_members), (1, 2));
    assert_eq!(found.members.iter().map(|row| row.number).collect::<Vec<_>>(), [2]);
    assert_eq!(opened.browser.cluster(2, 1).expect("it can be read"), None);
    assert_eq!(opened.browser.neighbours(2, 1).expect("it can be read"), None);
}

#[test]
fn neighbours_come_with_the_reason_why_they_are_outside() {
    let opened = newsroom().open();
    let found = opened.browser.neighbours(0, 9).expect("it can be read").expect("cluster 0");
    let told: Vec<_> =
        found.iter().map(|n| (n.pair.number, n.inside.as_str(), n.outside.as_str())).collect();
    assert_eq!(told, [(5, "a", "d"), (3, "a", "=loose"), (2, "b", "c"), (4, "a", "Ökonom")]);
    let reasons: Vec<Outside> = found.into_iter().map(|neighbour| neighbour.reason).collect();
    let too_few = Outside::TooFewMembers { n_related: 1, n_members: 2 };
    let other = Outside::OtherClusters(vec![1]);
    assert_eq!(reasons, [Outside::Containment, too_few, other, Outside::Partial]);
    let nearest = opened.browser.neighbours(0, 1).expect("it can be read").expect("cluster 0");
    assert_eq!(nearest.len(), 1);
}

#[test]
fn a_document_is_found_by_its_id_and_comes_with_its_pairs() {
    let opened = newsroom().open();
    let browser = &opened.browser;
    let number = |id: &str| browser.document(id).expect("it can be read").map(|row| row.number);
    assert_eq!([number("a"), number("Ökonom"), number("nobody")], [Some(0), Some(5), None]);
    assert_eq!(browser.pair(5).expect("it can be read").map(|row| row.number), Some(5));
    assert_eq!(browser.pair(6).expect("it can be read"), None);
    let request = PageRequest { limit: 2, ..asking("relation:near-duplicate,partial", "in") };
    let first = browser.pairs_of("a", &request).expect("a page");
    let request = PageRequest { after: first.next, ..request };
    let second = browser.pairs_of("a", &request).expect("a page");
    let numbers =
        [first.rows, second.rows].concat().iter().map(|row| row.number).collect::<Vec<_>>();
    assert_eq!(numbers, [4, 3, 0]);
    assert!(browser.pairs_of("b", &request).is_err(), "the cursor is of another document");
}
