use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::layout::{Layout, Size, layout};
use super::*;

/// Units with the documents d1 to d4 that have them: the first three stand in d1, d2 and d3.
const FCA: [&[usize]; 9] =
    [&[0, 1, 2], &[0, 1, 2], &[0, 1, 2], &[0, 1, 3], &[0, 3], &[1], &[2, 3], &[2, 3], &[3]];

/// Returns the lattice of units, each with the documents that have it, by the definition.
fn lattice(units: &[&[usize]], names: &[String]) -> LatticeDiagram {
    let has = |outer: &[usize], inner: &[usize]| inner.iter().all(|item| outer.contains(item));
    let mut sets = BTreeSet::from([(0..names.len()).collect::<Vec<_>>()]);
    for unit in units {
        let mut met: Vec<Vec<usize>> = sets.iter().cloned().collect();
        for set in &mut met {
            set.retain(|item| unit.contains(item));
        }
        sets.extend(met);
    }
    let mut sets: Vec<Vec<usize>> = sets.into_iter().collect();
    sets.sort_by_key(Vec::len);
    let is_above = |a: &Vec<usize>, b: &Vec<usize>| a.len() < b.len() && has(b, a);
    let mut covers = Vec::new();
    for (upper, a) in sets.iter().enumerate() {
        for (lower, b) in sets.iter().enumerate() {
            if is_above(a, b) && !sets.iter().any(|c| is_above(a, c) && is_above(c, b)) {
                covers.push((upper, lower));
            }
        }
    }
    let concept = |items: &Vec<usize>| DiagramConcept {
        items: items.clone(),
        first_items: items
            .iter()
            .copied()
            .filter(|item| !sets.iter().any(|set| is_above(set, items) && set.contains(item)))
            .collect(),
        n_units: units.iter().filter(|unit| has(unit, items)).count() as u64,
    };
    LatticeDiagram { names: names.to_vec(), concepts: sets.iter().map(concept).collect(), covers }
}

fn fca(names: [&str; 4]) -> LatticeDiagram {
    lattice(&FCA, &names.map(str::to_owned))
}

#[test]
fn the_diagram_is_written_as_reviewed() {
    let diagram = fca(["d1", "d2", "d3", "d4"]);
    for (name, text) in [("fca.dot", diagram.to_dot()), ("fca.svg", diagram.to_svg())] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/diagram").join(name);
        if std::env::var_os("RETOLD_TEST_UPDATE").is_some() {
            fs::write(&path, &text).expect("the expected picture can be written");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(text, expected, "{name} differs; RETOLD_TEST_UPDATE=1 writes it anew");
    }
}

#[test]
fn names_from_outside_stay_text() {
    let diagram = fca(["</title><script>", "a\"];x[label=\"", "b\\", "c\u{1b}\u{202e}\nd&"]);
    let svg = diagram.to_svg();
    assert!(!svg.contains("<script") && svg.contains("&lt;script&gt;"), "{svg}");
    assert!(!svg.contains(['\u{1b}', '\u{202e}']) && svg.contains("d&amp;"), "{svg}");
    let dot = diagram.to_dot();
    assert!(dot.contains(r#"label="a\"];x[label=\"\n5 units""#), "{dot}");
    assert!(dot.contains(r#"label="b\\\n5 units""#), "{dot}");
}

#[test]
fn long_names_and_long_lists_are_shortened_but_told_in_full() {
    let of_names = |names: &[String]| lattice(&[&[0, 1, 2, 3, 4, 5, 6, 7, 8]], names).to_svg();
    let names: Vec<String> = (0..9).map(|i| format!("{}/{i}.txt", "folder/".repeat(9))).collect();
    let svg = of_names(&names);
    assert!(svg.contains(">0.txt<"), "what all begin with is not shown: {svg}");
    assert!(svg.contains(">and 4 more<") && svg.contains(&names[8]), "{svg}");
    let names: Vec<String> =
        (0..9).map(|i| format!("{i}/{}/{i}.txt", "folder/".repeat(9))).collect();
    let svg = of_names(&names);
    assert!(svg.contains(">…r/folder/folder/folder//0.txt<"), "{svg}");
}

/// Returns whether a line between two places meets a box.
fn meets(a: (f64, f64), b: (f64, f64), centre: (f64, f64), size: Size) -> bool {
    (0..=1_000).any(|step| {
        let share = f64::from(step) / 1_000.0;
        let (x, y) = (a.0 + (b.0 - a.0) * share, a.1 + (b.1 - a.1) * share);
        (x - centre.0).abs() < size.width / 2.0 - 0.5
            && (y - centre.1).abs() < size.height / 2.0 - 0.5
    })
}

fn check(laid: &Layout, sizes: &[Size], lines: &[(usize, usize)]) {
    for (i, (a, size)) in laid.centres.iter().zip(sizes).enumerate() {
        assert!(a.0 >= size.width / 2.0 - 1.0 && a.0 + size.width / 2.0 <= laid.width + 1.0);
        for (b, other) in laid.centres[..i].iter().zip(sizes) {
            let is_beside = (a.0 - b.0).abs() >= f64::midpoint(size.width, other.width);
            let is_below = (a.1 - b.1).abs() >= f64::midpoint(size.height, other.height);
            assert!(is_beside || is_below, "boxes overlap");
        }
    }
    for (corners, &(upper, lower)) in laid.lines.iter().zip(lines) {
        assert_eq!(corners.first().map(|at| at.0), Some(laid.centres[upper].0));
        assert_eq!(corners.last().map(|at| at.0), Some(laid.centres[lower].0));
        for pair in corners.windows(2) {
            for (at, size) in laid.centres.iter().zip(sizes) {
                assert!(!meets(pair[0], pair[1], *at, *size), "a line runs through a box");
            }
        }
    }
}

#[test]
fn boxes_do_not_overlap_and_no_line_runs_through_one() {
    let mut state = 1_u64;
    let mut below = |n: u64| {
        // Knuth's linear congruential generator; its upper bits are random enough for a test.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    for _ in 0..60 {
        let n_items = 1 + below(7) as usize;
        let units: Vec<Vec<usize>> =
            (0..below(13)).map(|_| (0..n_items).filter(|_| below(10) < 6).collect()).collect();
        let units: Vec<&[usize]> = units.iter().map(|unit| &unit[..]).collect();
        let diagram = lattice(&units, &vec![String::new(); n_items]);
        let sizes: Vec<Size> = diagram
            .concepts
            .iter()
            .map(|_| Size {
                width: 40.0 + below(200) as f64,
                height: 28.0 + 16.0 * below(6) as f64,
            })
            .collect();
        let layers: Vec<usize> = diagram.concepts.iter().map(|c| c.items.len()).collect();
        check(&layout(&layers, &sizes, &diagram.covers), &sizes, &diagram.covers);
    }
}
