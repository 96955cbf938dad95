use super::*;
use crate::resources::Resources;

fn units(images: &[&[u64]]) -> Units {
    let mut units = Units::default();
    for (at, image) in images.iter().enumerate() {
        units.push(Ordinal(at as u32), image);
    }
    units
}

fn sets(images: &[&[u64]], common: &str, wanted: Sets) -> Vec<(Vec<u32>, u32)> {
    sets_by(AUTO_MINER, images, common, wanted)
}

fn sets_by(miner: &str, images: &[&[u64]], common: &str, wanted: Sets) -> Vec<(Vec<u32>, u32)> {
    let pool = Pool::new(&Resources::new().threads(1)).unwrap();
    let units = units(images);
    let inverted = units.inverted(&pool);
    let search = Search::new(miner, wanted, &pool).unwrap();
    let found = units.closed_sets(&inverted, common.parse().unwrap(), search);
    assert!(found.cuts.is_empty());
    let numbers = |set: Vec<Ordinal>| set.into_iter().map(|doc| doc.0).collect();
    let mut sets: Vec<(Vec<u32>, u32)> =
        found.sets.into_iter().map(|(set, common)| (numbers(set), common)).collect();
    sets.sort();
    sets
}

#[test]
fn nothing_is_found_once_nobody_wants_it() {
    let stop = crate::progress::Stop::new();
    let pool = Pool::new(&Resources::new().threads(1).stop(&stop)).unwrap();
    let units = units(&FOUR);
    let inverted = units.inverted(&pool);
    stop.set();
    for common in ["2", "60%"] {
        let common = common.parse().unwrap();
        let search = Search::new(AUTO_MINER, Sets::All, &pool).unwrap();
        assert!(units.closed_sets(&inverted, common, search).sets.is_empty());
    }
    assert_eq!(units.inverted(&pool).rows().count(), 0);
}

const FOUR: [&[u64]; 4] = [&[1, 2, 3, 4, 5], &[1, 2, 3, 4, 6], &[1, 2, 3, 7, 8], &[4, 5, 7, 8, 9]];

#[test]
fn documents_without_enough_in_common_are_not_joined_by_a_chain() {
    // T-FCA: d2 and d4 share one unit, though components at two would hold all four.
    let wanted = [(vec![0, 1, 2], 3), (vec![0, 3], 2), (vec![2, 3], 2)];
    assert_eq!(sets(&FOUR, "2", Sets::All), wanted);
    assert_eq!(sets(&FOUR, "2", Sets::Cover), wanted);
    assert_eq!(sets(&FOUR, "60%", Sets::All), [(vec![0, 1, 2], 3)]);
}

#[test]
fn a_share_is_of_the_smallest_image() {
    // A short document of four units stands in a long one; so do the long one and its twin.
    let images: [&[u64]; 3] =
        [&[1, 2, 3, 4], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], &[2, 3, 4, 5, 6, 7, 8, 9, 10, 11]];
    let wanted = [(vec![0, 1], 4), (vec![1, 2], 9)];
    assert_eq!(sets(&images, "90%", Sets::All), wanted);
    assert_eq!(sets(&images, "90%", Sets::Cover), wanted);
    // Three of four units are in common to all: the pair of long ones is part of that.
    assert_eq!(sets(&images, "75%", Sets::All), [(vec![0, 1, 2], 3)]);
}

#[test]
fn every_miner_finds_the_same_groups() {
    for miner in MINERS {
        for common in ["2", "3", "60%"] {
            let name = miner.spec().name;
            let wanted = sets(&FOUR, common, Sets::All);
            assert_eq!(sets_by(name, &FOUR, common, Sets::All), wanted, "{name} {common}");
        }
    }
}

#[test]
fn a_search_that_reaches_its_limit_is_a_cut_of_the_miner() {
    let pool = Pool::new(&Resources::new().threads(1)).unwrap();
    let search = Search::new("eclat", Sets::All, &pool).unwrap();
    let outcome = Outcome { n_sets: 7, cut: Some(MinerCut::Steps), ..Outcome::default() };
    let cuts = cuts(search.miner, &search.task(3), &outcome);
    assert_eq!((cuts[0].limit, cuts[0].count, cuts.len()), (Some(MOST_STEPS_IN_ALL), 7, 1));
    assert!(cuts[0].what.contains("miner eclat") && cuts[0].what.contains("limit of steps"));
}

#[test]
fn a_threshold_is_read_as_it_is_written() {
    for text in ["85", "85%", "1", "100%", "12.5%"] {
        let common: MinCommon = text.parse().unwrap();
        assert_eq!(String::from(common), text);
    }
    for text in ["0", "0%", "101%", "-3", "many", "NaN%", ""] {
        assert!(text.parse::<MinCommon>().is_err(), "{text}");
    }
}
