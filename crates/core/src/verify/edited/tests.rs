//! Properties and examples of the alignment of edited text.

use super::*;
use crate::hash::{self, Random};

fn draw(random: &mut Random, n: usize) -> u64 {
    random.below(n) as u64
}

/// Returns a text of words that are drawn at random, a fifth of them from a few common ones.
fn text(random: &mut Random, n_words: usize) -> Vec<u64> {
    (0..n_words)
        .map(|_| if draw(random, 5) == 0 { draw(random, 20) } else { 100 + draw(random, 40_000) })
        .collect()
}

/// Returns the content forms of words: those below 20 are common.
fn forms(words: &[u64]) -> Vec<u64> {
    words.iter().map(|&word| (hash::mix(word) & !1) | u64::from(word >= 20)).collect()
}

fn align(a: &[u64], b: &[u64]) -> Vec<EditedPassage> {
    align_with(&mut Aligner::default(), &forms(a), &forms(b), &[])
}

fn align_with(
    aligner: &mut Aligner,
    a: &[u64],
    b: &[u64],
    equal: &[EqualRun],
) -> Vec<EditedPassage> {
    let [mut of_a, mut of_b] = [Text::default(), Text::default()];
    of_a.fill(a, &mut Room::default());
    of_b.fill(b, &mut Room::default());
    aligner.align(&of_a, &of_b, equal)
}

/// Replaces a share of the words and puts the words of each stretch of eight into another order.
fn rewritten(random: &mut Random, words: &[u64], percent: usize) -> Vec<u64> {
    let mut words = words.to_vec();
    for word in &mut words {
        if random.below(100) < percent {
            *word = 50_000 + draw(random, 40_000);
        }
    }
    for stretch in words.chunks_mut(8) {
        stretch.reverse();
    }
    words
}

/// Returns how many words two ranges have in common, as a share of both together.
fn overlap(x: Range, y: Range) -> f64 {
    let common = x.1.min(y.1).saturating_sub(x.0.max(y.0));
    f64::from(common) / f64::from(len(hull(x, y)))
}

#[test]
fn a_rewritten_passage_is_found_where_it_stands() {
    let mut random = Random::new(3);
    for percent in [0, 10, 20, 30] {
        let passage = text(&mut random, 120);
        let (before, after) = (text(&mut random, 400), text(&mut random, 300));
        let source = [text(&mut random, 250), passage.clone(), text(&mut random, 500)].concat();
        let copy = [before, rewritten(&mut random, &passage, percent), after].concat();
        let found = align(&copy, &source);
        assert_eq!(found.len(), 1, "{percent} %: {found:?}");
        let EditedPassage { a, b, is_summary } = found[0];
        assert!(overlap(a, (400, 520)) > 0.85 && overlap(b, (250, 370)) > 0.85, "{found:?}");
        assert!(!is_summary);
    }
}

#[test]
fn texts_on_one_subject_share_words_but_no_passage() {
    let mut random = Random::new(5);
    let subject: Vec<u64> = text(&mut random, 60);
    let mut about = || -> Vec<u64> {
        (0..800)
            .map(|_| {
                if random.below(3) == 0 {
                    subject[random.below(60)]
                } else {
                    100 + draw(&mut random, 40_000)
                }
            })
            .collect()
    };
    let (a, b) = (about(), about());
    assert_eq!(align(&a, &b), []);
}

#[test]
fn texts_the_other_way_round_give_the_same_passages() {
    let mut random = Random::new(8);
    for _ in 0..20 {
        let passages: Vec<Vec<u64>> = (0..3).map(|_| text(&mut random, 80)).collect();
        let a = [text(&mut random, 100), passages.concat(), text(&mut random, 50)].concat();
        let mut b = text(&mut random, 90);
        for passage in passages.iter().rev() {
            b.extend(rewritten(&mut random, passage, 15));
            b.extend(text(&mut random, 120));
        }
        let mut there = align(&a, &b);
        let back = align(&b, &a);
        for passage in &mut there {
            std::mem::swap(&mut passage.a, &mut passage.b);
        }
        there.sort_by_key(|passage| (passage.a, passage.b));
        assert_eq!(there, back);
        assert_eq!(back.len(), 3);
    }
}

#[test]
fn a_summary_of_the_other_text_is_told_as_one() {
    let mut random = Random::new(11);
    let source = text(&mut random, 600);
    // Every fourth stretch of the source, in its order.
    let summary: Vec<u64> = source.chunks(20).step_by(4).flatten().copied().collect();
    let copy = [text(&mut random, 700), summary, text(&mut random, 700)].concat();
    let found = align(&copy, &source);
    assert!(!found.is_empty() && found.iter().all(|passage| passage.is_summary), "{found:?}");
    assert!(overlap(found[0].b, (0, 600)) > 0.8, "{found:?}");
}

#[test]
fn a_chain_of_equal_words_settles_where_a_passage_ends() {
    let mut random = Random::new(13);
    let passage = text(&mut random, 100);
    let a = [text(&mut random, 200), passage.clone(), text(&mut random, 200)].concat();
    let b = [text(&mut random, 300), passage, text(&mut random, 100)].concat();
    let equal = [EqualRun { a: 200, b: 300, n_words: 100 }];
    let found = align_with(&mut Aligner::default(), &forms(&a), &forms(&b), &equal);
    assert_eq!(found, [EditedPassage { a: (200, 300), b: (300, 400), is_summary: false }]);
}

#[test]
fn no_texts_make_it_panic() {
    let mut random = Random::new(17);
    let mut aligner = Aligner::default();
    for n_different in [1, 2, 5, 30, 1_000] {
        for n_words in [0, 1, 4, 60, 2_000] {
            let mut words = |n: usize| -> Vec<u64> {
                (0..n).map(|_| hash::mix(draw(&mut random, n_different))).collect()
            };
            let (a, b) = (words(n_words), words(n_words / 2 + 3));
            for passage in align_with(&mut aligner, &a, &b, &[]) {
                assert!(passage.a.0 < passage.a.1 && passage.a.1 as usize <= a.len());
                assert!(passage.b.0 < passage.b.1 && passage.b.1 as usize <= b.len());
            }
        }
    }
}
