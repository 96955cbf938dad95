use proptest::prelude::*;
use retold_browse::{PageRequest, ResultTable};

use crate::made::{asking, newsroom, some_result};
use crate::reference::{some_terms, written};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_term_of_a_bin_lets_exactly_its_rows_pass(
        made in some_result(),
        terms in ResultTable::ALL.map(some_terms),
    ) {
        let opened = made.open();
        for (table, terms) in ResultTable::ALL.into_iter().zip(&terms) {
            let filter = written(terms);
            let n_matching = |filter: &str| {
                let request = PageRequest { limit: 1, ..asking(filter, "") };
                opened.browser.page(table, &request).expect("the filter is right").n_matching
            };
            let facets = opened.browser.facets(table, &filter).expect("the filter is right");
            prop_assert_eq!(facets.n_matching, n_matching(&filter));
            for facet in facets.facets {
                for bin in &facet.bins {
                    let both = format!("{filter} {}", bin.term);
                    prop_assert_eq!(bin.count, n_matching(&both), "{}: {}", table, both);
                }
                let is_choice = matches!(facet.name, "relation" | "verdict");
                let term = format!("{filter} {}:none", facet.name);
                prop_assert_eq!(facet.n_none, if is_choice { 0 } else { n_matching(&term) });
                let is_one = !matches!(facet.name, "source" | "language" | "time")
                    || !matches!(table, ResultTable::Pairs | ResultTable::Clusters);
                let sum = facet.bins.iter().map(|bin| bin.count).sum::<u64>() + facet.n_none;
                prop_assert!(!is_one || sum + facet.n_rest == facets.n_matching);
            }
        }
    }
}

#[test]
fn bins_are_days_shares_and_powers_of_two() {
    let opened = newsroom().open();
    let facets = opened.browser.facets(ResultTable::Pairs, "").expect("facets");
    let bins = |name: &str| -> Vec<(&str, u64)> {
        let facet = facets.facets.iter().find(|facet| facet.name == name).expect("a facet");
        facet.bins.iter().map(|bin| (bin.value.as_str(), bin.count)).collect()
    };
    assert_eq!(bins("time"), [("2026-10-15", 4), ("2026-11-01", 6)]);
    assert_eq!(bins("source"), [("Coast Wire", 6), ("Post", 4)]);
    assert_eq!(bins("words"), [("64..127", 6)]);
    let shares =
        [("0.3..0.349999", 1), ("0.8..0.849999", 1), ("0.85..0.899999", 1), ("0.95..1", 3)];
    assert_eq!(bins("in"), shares);
    assert_eq!(bins("relation")[1], ("near-duplicate", 3));
}
