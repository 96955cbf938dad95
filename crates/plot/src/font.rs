//! The one font: how wide a text is, and its pixels.
//!
//! `data/DejaVuSans-subset.ttf` is cut to Latin, Greek, punctuation, arrows and mathematical signs;
//! its licence stands beside it. Other characters are painted as boxes in PNG files; SVG files
//! leave the choice of font to whoever shows them.

use std::sync::Once;

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};

const NAME: &str = "retold-plot";
static BYTES: &[u8] = include_bytes!("../data/DejaVuSans-subset.ttf");
static REGISTERED: Once = Once::new();

/// Height of a line as a multiple of the font size; plotters takes line heights.
const LINE_OVER_EM: f64 = 1.164;

fn font(size: f64) -> FontDesc<'static> {
    REGISTERED.call_once(|| {
        let registered = register_font(NAME, FontStyle::Normal, BYTES);
        assert!(registered.is_ok(), "the font that is part of the crate can be read");
    });
    FontDesc::new(FontFamily::Name(NAME), size * LINE_OVER_EM, FontStyle::Normal)
}

/// Returns how many units `text` is wide at `size` units.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    // Widths come as whole numbers; measured at a large size, the rounding error is small.
    const SCALE: f64 = 16.0;
    let (width, _) = font(size * SCALE).box_size(text).unwrap_or_default();
    f64::from(width) / SCALE
}

/// Paints `text` so that its lower-case letters stand around the height `y`; `dot` gets a pixel
/// and how much of it is covered.
pub(crate) fn paint(text: &str, (x, y): (f64, f64), size: f64, mut dot: impl FnMut(i32, i32, f32)) {
    // The painter puts the base line half a line below what it is given; half the height of a
    // lower-case x above the base line is the middle.
    let top = y + 0.35 * size - size * LINE_OVER_EM / 2.0;
    let at = (x.round() as i32, top.round() as i32);
    let painted: Result<Result<(), std::convert::Infallible>, _> =
        font(size).draw(text, at, |x, y, share| {
            dot(x, y, share);
            Ok(())
        });
    debug_assert!(painted.is_ok(), "the font is registered");
}

/// Cuts `text` to `most` units, with dots at the end if something is missing.
pub(crate) fn fit(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let mut kept: String = text.to_owned();
    while kept.pop().is_some() {
        let cut = format!("{}…", kept.trim_end());
        if width(&cut, size) <= most {
            return cut;
        }
    }
    "…".to_owned()
}

/// Breaks `text` between words into lines of at most `most` units.
pub(crate) fn wrap(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(fit(word, size, most)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_texts_are_wider_and_sizes_scale() {
        assert!(width("wide", 12.0) > width("wid", 12.0));
        assert!((width("wide", 24.0) / width("wide", 12.0) - 2.0).abs() < 0.02);
    }

    #[test]
    fn letters_of_every_script_promised_have_a_width() {
        for text in ["ığşİ", "αθ", "≥≤±−", "→", "¹²₁", "…–“”"] {
            assert!(width(text, 12.0) > 0.0, "{text}");
        }
    }

    #[test]
    fn a_text_is_cut_to_its_room() {
        assert!(width(&fit("a rather long label", 12.0, 60.0), 12.0) <= 60.0);
        assert_eq!(fit("short", 12.0, 200.0), "short");
        assert!(wrap("one two three four", 12.0, 60.0).len() > 1);
    }
}
