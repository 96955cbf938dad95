//! The chart: what is to be shown, in plain numbers.

use crate::axis::{Axis, Scale};
use crate::drawing::{Anchor, Drawing};
use crate::palette::Ink;
use crate::{bars, lines, png_file, svg, venn};

/// A value over the horizontal axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Along the horizontal axis.
    pub x: f64,
    /// Along the vertical axis.
    pub y: f64,
    /// An interval around `y`.
    pub interval: Option<(f64, f64)>,
    /// A name written beside the point; empty for none.
    pub name: String,
}

impl From<(f64, f64)> for Point {
    fn from((x, y): (f64, f64)) -> Self {
        Self { x, y, ..Self::default() }
    }
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// Points joined by a line, with markers.
    #[default]
    Line,
    /// A line without markers, for curves of many points.
    Curve,
    /// Points alone.
    Points,
    /// A fitted line: thin and dashed, in the colour of its series, without a name of its own.
    Fitted,
    /// A line to compare with, such as a ceiling or chance: dashed, without colour.
    Reference,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is called.
    pub name: String,
    /// Its points in the order they are joined.
    pub points: Vec<Point>,
    /// How it is drawn.
    pub look: Look,
    /// Which colour, marker and dash; `None` takes the next. The same method should have the same
    /// everywhere in a report.
    pub tint: Option<usize>,
}

impl Series {
    /// Makes a line from points.
    pub fn new<P: Into<Point>>(name: &str, points: impl IntoIterator<Item = P>) -> Self {
        let points = points.into_iter().map(Into::into).collect();
        Self { name: name.to_owned(), points, look: Look::Line, tint: None }
    }

    /// Sets how it is drawn.
    #[must_use]
    pub fn look(self, look: Look) -> Self {
        Self { look, ..self }
    }

    /// Sets colour, marker and dash.
    #[must_use]
    pub fn tint(self, tint: usize) -> Self {
        Self { tint: Some(tint), ..self }
    }
}

/// A bar.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bar {
    /// Its length; what is not finite is shown as missing.
    pub value: f64,
    /// An interval around the value.
    pub interval: Option<(f64, f64)>,
}

/// Bars of one kind, one in each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What they are called; may be empty if there is one group only.
    pub name: String,
    /// A bar for each row, in order.
    pub bars: Vec<Bar>,
    /// Which colour; `None` takes the next.
    pub tint: Option<usize>,
}

impl Group {
    /// Makes bars without intervals.
    pub fn new(name: &str, values: impl IntoIterator<Item = f64>) -> Self {
        let bars = values.into_iter().map(|value| Bar { value, interval: None }).collect();
        Self { name: name.to_owned(), bars, tint: None }
    }
}

/// Two sets that overlap.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Venn {
    pub(crate) names: [String; 2],
    /// In the first only, in both, in the second only.
    pub(crate) counts: [u64; 3],
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    Venn(Venn),
    Points(Vec<Series>),
    Bars { rows: Vec<String>, groups: Vec<Group> },
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    pub(crate) title: String,
    pub(crate) note: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) content: Content,
}

/// Width of a chart in its own units; a PNG may have any number of dots.
pub(crate) const WIDTH: f64 = 720.0;

impl Chart {
    fn new(title: &str, content: Content) -> Self {
        Self {
            title: title.to_owned(),
            note: String::new(),
            x: Axis::default(),
            y: Axis::default(),
            content,
        }
    }

    /// Makes a chart of lines, curves or points; add them by [`with`](Self::with).
    pub fn lines(title: &str) -> Self {
        Self::new(title, Content::Points(Vec::new()))
    }

    /// Makes a chart of horizontal bars, a row for each name; add them by
    /// [`group`](Self::group).
    pub fn bars<S: Into<String>>(title: &str, rows: impl IntoIterator<Item = S>) -> Self {
        let rows = rows.into_iter().map(Into::into).collect();
        Self::new(title, Content::Bars { rows, groups: Vec::new() })
    }

    /// Makes two overlapping circles: how many things are in the first only, in both, in the second
    /// only.
    ///
    /// ```
    /// use retold_plot::Chart;
    /// let chart = Chart::venn("Documents found", ["I-Match", "Tweezer"], [12, 90, 31]);
    /// assert!(chart.to_svg().contains("I-Match only 12, both 90, Tweezer only 31"));
    /// ```
    pub fn venn(title: &str, names: [&str; 2], counts: [u64; 3]) -> Self {
        Self::new(title, Content::Venn(Venn { names: names.map(ToOwned::to_owned), counts }))
    }

    /// Makes a precision-recall chart: both axes from 0 to 1.
    pub fn precision_recall(title: &str) -> Self {
        let mut chart = Self::lines(title).x("recall").y("precision");
        (chart.x.range, chart.y.range) = (Some((0.0, 1.0)), Some((0.0, 1.0)));
        chart
    }

    /// Makes a detection error tradeoff chart: miss against false alarm, both by ratio.
    pub fn error_tradeoff(title: &str) -> Self {
        let mut chart = Self::lines(title).x("false alarm").y("miss");
        (chart.x.scale, chart.y.scale) = (Scale::Log, Scale::Log);
        chart
    }

    /// Says in a line below the title how the numbers came about.
    #[must_use]
    pub fn note(self, note: &str) -> Self {
        Self { note: note.to_owned(), ..self }
    }

    /// Names the horizontal axis.
    #[must_use]
    pub fn x(mut self, label: &str) -> Self {
        label.clone_into(&mut self.x.label);
        self
    }

    /// Names the vertical axis.
    #[must_use]
    pub fn y(mut self, label: &str) -> Self {
        label.clone_into(&mut self.y.label);
        self
    }

    /// Sets everything about the horizontal axis; bars have their values on it.
    #[must_use]
    pub fn x_axis(self, x: Axis) -> Self {
        Self { x, ..self }
    }

    /// Sets everything about the vertical axis; bars have none.
    #[must_use]
    pub fn y_axis(self, y: Axis) -> Self {
        Self { y, ..self }
    }

    /// Adds a series. A chart of bars has none and stays as it is.
    #[must_use]
    pub fn with(mut self, series: Series) -> Self {
        if let Content::Points(all) = &mut self.content {
            all.push(series);
        }
        self
    }

    /// Adds a group of bars. A chart of lines has none and stays as it is.
    #[must_use]
    pub fn group(mut self, group: Group) -> Self {
        if let Content::Bars { groups, .. } = &mut self.content {
            groups.push(group);
        }
        self
    }

    /// Returns the chart as an SVG element that stands alone or inside a page.
    pub fn to_svg(&self) -> String {
        svg::write(&self.drawing(), &self.title, &self.described())
    }

    /// Returns the chart as a PNG file, `width` dots wide (64 to 4,096), on white.
    pub fn to_png(&self, width: u32) -> Vec<u8> {
        png_file::write(&self.drawing(), width)
    }

    fn drawing(&self) -> Drawing {
        match &self.content {
            Content::Venn(venn) => venn::draw(self, venn),
            Content::Points(series) => lines::draw(self, series),
            Content::Bars { rows, groups } => bars::draw(self, rows, groups),
        }
    }

    /// Says what is seen, for those who do not see it.
    fn described(&self) -> String {
        let mut out = self.note.clone();
        if !out.is_empty() {
            out.push_str(". ");
        }
        let what = match &self.content {
            Content::Venn(Venn { names: [first, second], counts: [a, both, b] }) => {
                format!("{first} only {a}, both {both}, {second} only {b}")
            }
            Content::Points(series) => {
                let names: Vec<&str> = series
                    .iter()
                    .filter(|series| series.look != Look::Fitted)
                    .map(|series| series.name.as_str())
                    .collect();
                format!("{} by {}: {}", self.y.label, self.x.label, names.join(", "))
            }
            Content::Bars { rows, groups } => {
                let mut parts = Vec::new();
                for (index, row) in rows.iter().enumerate() {
                    let values = groups.iter().filter_map(|group| {
                        let bar = group.bars.get(index)?;
                        bar.value.is_finite().then(|| bars::value_text(bar.value))
                    });
                    parts.push(format!("{row} {}", values.collect::<Vec<_>>().join(" / ")));
                }
                format!("{}: {}", self.x.label, parts.join(", "))
            }
        };
        out.push_str(&what);
        out
    }
}

/// Says in the middle of an empty frame that there is nothing.
pub(crate) fn say_empty(drawing: &mut Drawing, middle: (f64, f64)) {
    drawing.text(middle, "no data", 13.0, Ink::Soft, Anchor::Middle);
}
