//! An axis: from numbers to places, with round numbers beside it.

use crate::font;

/// How distances on an axis grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By ratio; values of 0 and below are not drawn.
    Log,
}

/// What an axis says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is measured, with its unit.
    pub label: String,
    /// How distances grow. The default is linear.
    pub scale: Scale,
    /// Both ends; `None` takes them from the data.
    pub range: Option<(f64, f64)>,
    /// Values that are marked, with their names; empty marks round numbers.
    pub ticks: Vec<(f64, String)>,
}

/// An axis with both ends known.
#[derive(Clone, Debug)]
pub(crate) struct Ruler {
    scale: Scale,
    low: f64,
    high: f64,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Returns whether a value has a place on the axis.
    pub(crate) fn takes(&self, value: f64) -> bool {
        value.is_finite() && (self.scale == Scale::Linear || value > 0.0)
    }

    /// Fits the axis to the values; those it does not take are left aside.
    pub(crate) fn fit(&self, values: impl Iterator<Item = f64>, keeps_zero: bool) -> Ruler {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|&value| self.takes(value)) {
            (low, high) = (low.min(value), high.max(value));
        }
        if let Some((from, to)) = self.range
            && self.takes(from)
            && self.takes(to)
        {
            (low, high) = (from.min(to), from.max(to));
        }
        if low > high {
            (low, high) = if self.scale == Scale::Log { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        let is_open = self.range.is_none();
        let mut ruler = Ruler { scale: self.scale, low, high, ticks: Vec::new() };
        match self.scale {
            Scale::Linear => {
                if is_open && keeps_zero && low > 0.0 {
                    ruler.low = 0.0;
                }
                if ruler.low >= ruler.high {
                    let spread = if low == 0.0 { 1.0 } else { low.abs() / 2.0 };
                    (ruler.low, ruler.high) = (low - spread, high + spread);
                }
                let step = round_step((ruler.high - ruler.low) / 5.0);
                if is_open && self.ticks.is_empty() {
                    ruler.low = (ruler.low / step + 1e-9).floor() * step;
                    ruler.high = (ruler.high / step - 1e-9).ceil() * step;
                }
                ruler.ticks = even_ticks(ruler.low, ruler.high, step);
            }
            Scale::Log => {
                if is_open {
                    (ruler.low, ruler.high) = (low / 1.25, high * 1.25);
                }
                if ruler.low >= ruler.high {
                    (ruler.low, ruler.high) = (low / 2.0, high * 2.0);
                }
                ruler.ticks = ratio_ticks(ruler.low, ruler.high);
            }
        }
        if !self.ticks.is_empty() {
            let marked = self.ticks.iter().filter(|(value, _)| self.takes(*value));
            ruler.ticks = marked.cloned().collect();
            if is_open && self.scale == Scale::Linear && !keeps_zero {
                // Names need room at both ends.
                let room = 0.04 * (ruler.high - ruler.low);
                (ruler.low, ruler.high) = (ruler.low - room, ruler.high + room);
            }
        }
        ruler
    }
}

impl Ruler {
    /// Returns where a value stands between the ends: 0 to 1, beyond it what is outside.
    pub(crate) fn share(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// Returns the marked values, with their names.
    pub(crate) fn ticks(&self) -> impl Iterator<Item = (f64, &str)> {
        self.ticks
            .iter()
            .map(|(value, name)| (self.share(*value), name.as_str()))
            .filter(|(share, _)| (-1e-6..=1.0 + 1e-6).contains(share))
    }

    /// Returns the width of the widest name.
    pub(crate) fn widest(&self, size: f64) -> f64 {
        self.ticks.iter().map(|(_, name)| font::width(name, size)).fold(0.0, f64::max)
    }
}

/// Returns the smallest of 1, 2, 2.5, 5 times a power of ten that is no smaller than `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    steps.iter().map(|step| step * power).find(|step| *step >= least * 0.999).unwrap_or(power)
}

fn even_ticks(low: f64, high: f64, step: f64) -> Vec<(f64, String)> {
    let decimals = decimals_of(step);
    let mut ticks = Vec::new();
    let mut index = (low / step - 1e-9).ceil();
    while index * step <= high + step * 1e-9 && ticks.len() < 64 {
        let value = index * step;
        ticks.push((value, plain(value, decimals)));
        index += 1.0;
    }
    ticks
}

fn decimals_of(step: f64) -> usize {
    (0_u8..9)
        .find(|&n| {
            let scaled = step * 10_f64.powi(i32::from(n));
            (scaled - scaled.round()).abs() < 1e-6 * scaled.abs().max(1.0)
        })
        .unwrap_or(9)
        .into()
}

fn ratio_ticks(low: f64, high: f64) -> Vec<(f64, String)> {
    let decades = (high / low).log10();
    let steps: &[f64] = if decades < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let mut ticks = Vec::new();
    let first = low.log10().floor() as i32;
    let last = high.log10().ceil() as i32;
    let every = ((last - first) / 8).max(1);
    for power in (first..=last).step_by(every.unsigned_abs() as usize) {
        for step in steps {
            let value = step * 10_f64.powi(power);
            if value >= low * 0.999 && value <= high * 1.001 {
                ticks.push((value, plain(value, usize::try_from(-power).unwrap_or(0))));
            }
        }
    }
    ticks
}

/// Writes a number with groups of three and a true minus.
pub(crate) fn plain(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = text.split_once('.').map_or((&*text, ""), |(whole, rest)| (whole, rest));
    let mut out = String::new();
    if value < 0.0 && text.bytes().any(|b| (b'1'..=b'9').contains(&b)) {
        out.push('−');
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 && whole.len() > 4 {
            out.push(',');
        }
        out.push(digit);
    }
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(axis: &Axis, values: &[f64]) -> Vec<String> {
        let ruler = axis.fit(values.iter().copied(), true);
        ruler.ticks().map(|(_, name)| name.to_owned()).collect()
    }

    #[test]
    fn round_numbers_are_marked() {
        assert_eq!(
            names(&Axis::default(), &[0.3, 0.97]),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        let log = Axis { scale: Scale::Log, ..Axis::default() };
        assert_eq!(
            names(&log, &[6250.0, 400_000.0]),
            ["5000", "10,000", "20,000", "50,000", "100,000", "200,000", "500,000"]
        );
    }

    #[test]
    fn an_axis_without_values_still_has_ends() {
        for scale in [Scale::Linear, Scale::Log] {
            let axis = Axis { scale, ..Axis::default() };
            for values in [&[][..], &[f64::NAN, f64::INFINITY], &[0.0], &[5.0, 5.0]] {
                let ruler = axis.fit(values.iter().copied(), true);
                assert!(ruler.low < ruler.high && ruler.share(5.0).is_finite(), "{values:?}");
            }
        }
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(plain(1_234_567.0, 0), "1,234,567");
        assert_eq!(plain(-0.5, 1), "−0.5");
        assert_eq!(plain(-0.01, 1), "0.0");
    }
}
