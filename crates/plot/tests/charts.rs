//! Charts of all kinds: well formed, repeatable, and calm about bad numbers.

use quick_xml::Reader;
use quick_xml::events::Event;
use retold_plot::{Axis, Bar, Chart, Group, Look, Point, Scale, Series};

fn charts() -> Vec<Chart> {
    let bad = [(f64::NAN, 1.0), (2.0, f64::INFINITY), (1.0, 0.0), (3.0, 7.0)];
    let point = Point { x: 2.0, y: 0.5, interval: Some((0.4, 0.6)), name: "R&D <x>".into() };
    let log = Axis { scale: Scale::Log, label: "documents".into(), ..Axis::default() };
    let bar = Bar { value: 0.4, interval: Some((0.3, f64::NAN)) };
    vec![
        Chart::lines("nothing"),
        Chart::bars("nothing", Vec::<String>::new()),
        Chart::bars("names only", ["a", "b"]),
        Chart::lines("bad numbers").with(Series::new("x", bad)),
        Chart::lines("bad numbers by ratio")
            .x_axis(log.clone())
            .y_axis(log)
            .with(Series::new("x", bad)),
        Chart::lines("one point").with(Series::new("<&>", [point.clone()])),
        Chart::lines("points").with(Series::new("", [point]).look(Look::Points)),
        Chart::precision_recall("curve")
            .with(Series::new("m", (0..50).map(|i| (f64::from(i) / 49.0, 0.9))).look(Look::Curve))
            .with(Series::new("ceiling", [(0.0, 1.0), (1.0, 1.0)]).look(Look::Reference)),
        Chart::error_tradeoff("tradeoff").with(Series::new("m", [(0.01, 0.2), (0.1, 0.05)])),
        Chart::venn(
            "circles",
            ["<first>", "a name much too long to stand over half of a chart of two circles"],
            [0, 12_345, 7],
        ),
        Chart::bars(
            "bars",
            ["one", "a name that is much too long to stand beside its bar in full"],
        )
        .group(Group { name: "g".into(), bars: vec![bar, Bar::default()], tint: None })
        .group(Group::new("h", [f64::NAN, -1.0])),
    ]
}

#[test]
fn an_svg_is_well_formed_and_says_what_it_shows() {
    for chart in charts() {
        let svg = chart.to_svg();
        let mut reader = Reader::from_str(&svg);
        let mut names = Vec::new();
        loop {
            match reader.read_event().expect("well-formed") {
                Event::Eof => break,
                Event::Start(tag) => {
                    names.push(tag.name().as_ref().to_owned());
                }
                _ => {}
            }
        }
        assert_eq!(names[..3], ["svg", "title", "desc"]);
        assert!(svg.contains("role=\"img\""));
        for bad in ["NaN", "inf", "\"-\""] {
            assert!(!svg.contains(bad), "{bad} in {svg}");
        }
    }
}

#[test]
fn the_same_numbers_give_the_same_bytes() {
    for (one, other) in charts().iter().zip(charts()) {
        assert_eq!(one.to_svg(), other.to_svg());
        assert_eq!(one.to_png(360), other.to_png(360));
    }
}

#[test]
fn a_png_opens_and_has_the_width_asked_for() {
    for chart in charts() {
        let file = chart.to_png(360);
        let decoder = png::Decoder::new(std::io::Cursor::new(file));
        let mut reader = decoder.read_info().expect("a PNG file");
        assert_eq!(reader.info().width, 360);
        let mut dots = vec![0; reader.output_buffer_size().expect("a small picture")];
        reader.next_frame(&mut dots).expect("all its dots");
        assert!(dots.iter().any(|&dot| dot < 128), "something is painted");
    }
}

#[test]
fn a_chart_without_numbers_says_so() {
    for chart in charts().into_iter().take(3) {
        assert!(chart.to_svg().contains(">no data<"));
    }
    assert!(!charts()[9].to_svg().contains(">no data<"));
}

#[test]
fn text_is_escaped() {
    let svg = Chart::lines("a <b> & \u{1} c").to_svg();
    assert!(svg.contains("<title>a &lt;b&gt; &amp; \u{fffd} c</title>"));
}

#[test]
fn a_wrong_width_is_brought_into_bounds() {
    assert!(Chart::lines("t").to_png(0).len() > 64);
}

#[test]
fn names_of_lines_that_end_together_do_not_cover_each_other() {
    let mut chart = Chart::lines("close");
    for index in 0..12 {
        let name = format!("series {index}");
        chart = chart.with(Series::new(&name, [(0.0, 0.5), (1.0, 0.5 + f64::from(index) * 1e-4)]));
    }
    let svg = chart.to_svg();
    let mut heights: Vec<f64> = svg
        .lines()
        .filter(|line| line.contains(">series "))
        .map(|line| {
            let from = line.find(" y=\"").expect("a text has a place") + 4;
            let to = line[from..].find('"').expect("which ends") + from;
            line[from..to].parse().expect("a number")
        })
        .collect();
    heights.sort_by(f64::total_cmp);
    assert_eq!(heights.len(), 12);
    assert!(heights.windows(2).all(|two| two[1] - two[0] > 14.0), "{heights:?}");
}
