//! Writes a chart of each kind into a folder, to be looked at: `cargo run --example charts DIR`.

use std::path::PathBuf;
use std::{env, fs, io};

use retold_plot::{Axis, Bar, Chart, Group, Look, Point, Scale, Series};

fn main() -> io::Result<()> {
    let dir = PathBuf::from(env::args().nth(1).unwrap_or_else(|| "charts".to_owned()));
    fs::create_dir_all(&dir)?;
    for (name, chart) in charts() {
        fs::write(dir.join(format!("{name}.svg")), chart.to_svg())?;
        fs::write(dir.join(format!("{name}.png")), chart.to_png(1080))?;
    }
    Ok(())
}

fn charts() -> Vec<(&'static str, Chart)> {
    let methods = ["FFP", "CoDet", "I-Match", "SimHash", "DSC (every third position)"];
    let ours = [0.91, 0.83, 0.47, 0.41, 0.22];
    let bars = ours.map(|value| Bar { value, interval: Some((value - 0.04, value + 0.05)) });
    let rates: Vec<f64> = (0..11).map(|i| f64::from(i) * 5.0).collect();
    let fall = |steep: f64| {
        rates.iter().map(move |&rate| Point {
            x: rate,
            y: 1.0 / (1.0 + (rate / 10.0 - steep).exp()),
            interval: Some((
                (1.0 / (1.0 + (rate / 9.0 - steep).exp())).min(1.0),
                1.0 / (1.0 + (rate / 11.0 - steep).exp()),
            )),
            name: String::new(),
        })
    };
    let mut sensitivity =
        Chart::lines("Detection rate by share of words replaced, with the exact ceiling")
            .note("each point 20 documents; the band is a 95 % interval")
            .x("words replaced, percent")
            .y_axis(Axis {
                label: "share of planted copies found".into(),
                range: Some((0.0, 1.0)),
                ..Axis::default()
            });
    for (index, name) in ["anchor", "minhash", "simhash", "imatch", "codet", "winnowing", "tweezer"]
        .iter()
        .enumerate()
    {
        sensitivity = sensitivity.with(Series::new(name, fall(0.5 + 0.55 * index as f64)));
    }
    let sensitivity = sensitivity.with(
        Series::new("exact Jaccard ≥ 0.8", fall(4.6).map(|p| (p.x, p.y))).look(Look::Reference),
    );
    let sizes: Vec<f64> = (0..6).map(|i| 250.0 * f64::from(1 << i)).collect();
    let log = |label: &str| Axis { label: label.into(), scale: Scale::Log, ..Axis::default() };
    let mut scaling = Chart::lines("Seconds by number of documents")
        .x_axis(Axis {
            ticks: sizes.iter().map(|&s| (s, format!("{s}"))).collect(),
            ..log("documents")
        })
        .y_axis(log("seconds"));
    for (name, power) in
        [("anchor, exponent 1.03", 1.03), ("full-fingerprint, exponent 1.38", 1.38)]
    {
        let time = move |s: f64| 1e-4 * s.powf(power);
        let wobble = sizes
            .iter()
            .enumerate()
            .map(|(i, &s)| (s, time(s) * (1.0 + 0.1 * (i as f64 * 2.0).sin())));
        scaling = scaling.with(Series::new(name, wobble).look(Look::Line));
        scaling =
            scaling.with(Series::new("", sizes.iter().map(|&s| (s, time(s)))).look(Look::Fitted));
    }
    let mut scatter = Chart::lines("Quality against cost: up and left is better")
        .x_axis(log("milliseconds per thousand documents"))
        .y_axis(Axis { label: "F1".into(), range: Some((0.0, 1.0)), ..Axis::default() });
    for (index, (name, at)) in [
        ("anchor", (12.0, 0.95)),
        ("minhash", (30.0, 0.93)),
        ("exhaustive", (3000.0, 0.97)),
        ("simhash", (9.0, 0.52)),
        ("imatch", (8.5, 0.50)),
        ("codet", (40.0, 0.8)),
        ("dsc", (10.0, 0.49)),
    ]
    .into_iter()
    .enumerate()
    {
        scatter = scatter.with(Series::new(name, [at]).look(Look::Points).tint(index));
    }
    let sets = |shift: f64| {
        (1..=30)
            .map(move |i| (f64::from(i), 0.85 + shift * 0.1 + 0.05 * (f64::from(i) * shift).sin()))
    };
    vec![
        (
            "bars",
            Chart::bars("F1 of five methods on the pooled pairs", methods)
                .note("bars with 95 % intervals")
                .x("F1")
                .group(Group { name: String::new(), bars: bars.to_vec(), tint: None }),
        ),
        (
            "grouped",
            Chart::bars("F1: ours beside the paper's", methods)
                .x("F1")
                .group(Group::new("ours, open substitute", ours))
                .group(Group::new("paper, its own corpus", [0.85, 0.76, 0.45, 0.39, 0.30])),
        ),
        ("sensitivity", sensitivity),
        ("scaling", scaling),
        ("scatter", scatter),
        (
            "paired",
            Chart::lines("F1 per set")
                .x("set")
                .y("F1")
                .with(Series::new("I-Match", sets(0.4)))
                .with(Series::new("Tweezer", sets(1.0))),
        ),
    ]
}
