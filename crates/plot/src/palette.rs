//! Colours, dashes and markers: each series differs from the others in all three.
//!
//! The colours are those of Okabe and Ito (Color Universal Design, 2008), which readers with any
//! of the common colour blindnesses tell apart; yellow is left out and the light ones are darker
//! here, so that all are seen on white and on a dark page.

/// A colour as red, green, blue.
pub(crate) type Rgb = (u8, u8, u8);

/// What something is painted with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ink {
    /// Text and axes.
    Text,
    /// Notes, and lines of reference.
    Soft,
    /// Lines behind the data.
    Grid,
    /// The colour of a series.
    Series(usize),
}

const SERIES: [Rgb; 8] = [
    (0x00, 0x72, 0xb2),
    (0xd5, 0x5e, 0x00),
    (0x00, 0x8f, 0x68),
    (0xb8, 0x5c, 0x93),
    (0x8a, 0x7a, 0x10),
    (0x3f, 0x9f, 0xd8),
    (0x7a, 0x5a, 0x3c),
    (0x6f, 0x6f, 0x78),
];

impl Ink {
    /// Returns the colour on white paper.
    pub(crate) fn rgb(self) -> Rgb {
        match self {
            Self::Text => (0x1d, 0x1b, 0x18),
            Self::Soft => (0x62, 0x5c, 0x53),
            Self::Grid => (0xdd, 0xd9, 0xd0),
            Self::Series(index) => SERIES[index % SERIES.len()],
        }
    }
}

/// Lengths of strokes and gaps; empty is a solid line.
pub(crate) fn dash(index: usize) -> &'static [f64] {
    // Beyond eight series the dash changes where the colours begin again.
    const DASHES: [&[f64]; 4] = [&[], &[7.0, 3.0], &[2.0, 2.5], &[9.0, 3.0, 2.0, 3.0]];
    DASHES[(index + index / SERIES.len()) % DASHES.len()]
}

/// A marker: its corners on a circle of radius 1; empty is the circle itself.
pub(crate) fn marker(index: usize) -> &'static [(f64, f64)] {
    const MARKERS: [&[(f64, f64)]; 6] = [
        &[],
        &[(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)],
        &[(0.0, -1.15), (1.05, 0.8), (-1.05, 0.8)],
        &[(0.0, -1.25), (1.0, 0.0), (0.0, 1.25), (-1.0, 0.0)],
        &[(0.0, 1.15), (1.05, -0.8), (-1.05, -0.8)],
        &[
            (-0.4, -1.1),
            (0.4, -1.1),
            (0.4, -0.4),
            (1.1, -0.4),
            (1.1, 0.4),
            (0.4, 0.4),
            (0.4, 1.1),
            (-0.4, 1.1),
            (-0.4, 0.4),
            (-1.1, 0.4),
            (-1.1, -0.4),
            (-0.4, -0.4),
        ],
    ];
    MARKERS[index % MARKERS.len()]
}
