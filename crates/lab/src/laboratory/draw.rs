//! Charts of experiments, from the laboratory's numbers.

use crate::experiment::{ChartData, ChartKind, LineLook};
use retold_plot::{Axis, Bar, Chart, Group, Look, Point, Scale, Series};

/// Makes the chart of some numbers.
pub(super) fn chart(data: &ChartData) -> Chart {
    let scale = |is_log: bool| if is_log { Scale::Log } else { Scale::Linear };
    let y = Axis {
        label: data.y_label.clone(),
        scale: scale(data.log.1),
        range: data.range,
        ticks: Vec::new(),
    };
    let mut x = Axis {
        label: data.x_label.clone(),
        scale: scale(data.log.0),
        range: None,
        ticks: data.ticks.clone(),
    };
    if data.kind == ChartKind::Bars {
        x.range = data.range;
        x.ticks.clear();
        let mut chart = Chart::bars(&data.title, data.rows.clone()).note(&data.note).x_axis(x);
        for (name, values) in &data.groups {
            let bar = |(value, interval): &(Option<f64>, Option<(f64, f64)>)| Bar {
                value: value.unwrap_or(f64::NAN),
                interval: *interval,
            };
            let bars = values.iter().map(bar).collect();
            chart = chart.group(Group { name: name.clone(), bars, tint: None });
        }
        return chart;
    }
    if data.kind == ChartKind::Tradeoff && !data.log.0 {
        x.range = Some((0.0, 1.0));
    }
    let mut chart = Chart::lines(&data.title).note(&data.note).x_axis(x).y_axis(y);
    for line in &data.lines {
        let points = line.points.iter().map(|&(x, y, interval)| Point {
            x,
            y,
            interval,
            name: String::new(),
        });
        let look = match line.look {
            LineLook::Line => Look::Line,
            LineLook::Curve => Look::Curve,
            LineLook::Points => Look::Points,
            LineLook::Reference => Look::Reference,
            LineLook::Fitted => Look::Fitted,
        };
        chart = chart.with(Series::new(&line.name, points).look(look).tint(line.tint));
    }
    chart
}
