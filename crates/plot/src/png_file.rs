//! Shapes as PNG: painted three times as large, then averaged, which smooths every edge.

use plotters::backend::BitMapBackend;
use plotters::style::{RGBAColor, ShapeStyle};
use plotters_backend::DrawingBackend as _;

use crate::drawing::{Anchor, Drawing, MARGIN, Place, Shape};
use crate::font;
use crate::palette::{Ink, Rgb};

/// Pixels painted for one pixel of the file, in each direction.
const FINER: usize = 3;

/// The largest width of a picture in pixels, so that a wrong number does not fill the memory.
const MOST_WIDE: u32 = 4_096;

/// Paints the drawing on white, `width` dots wide.
pub(crate) fn write(drawing: &Drawing, width: u32) -> Vec<u8> {
    let width = width.clamp(64, MOST_WIDE) as usize;
    let scale = width as f64 / (drawing.width + 2.0 * MARGIN.0);
    #[expect(clippy::cast_sign_loss, reason = "heights are above 0")]
    let height = (((drawing.height + 2.0 * MARGIN.1) * scale).ceil() as usize)
        .clamp(1, 4 * MOST_WIDE as usize);
    let (wide, high) = (width * FINER, height * FINER);
    let mut dots = vec![255_u8; wide * high * 3];
    let canvas = Canvas { wide, high, scale: scale * FINER as f64 };
    for shape in &drawing.shapes {
        canvas.paint(shape, &mut dots);
    }
    encode(&smaller(&dots, width, height), width as u32, height as u32)
}

#[derive(Clone, Copy)]
struct Canvas {
    wide: usize,
    high: usize,
    scale: f64,
}

impl Canvas {
    fn paint(self, shape: &Shape, dots: &mut [u8]) {
        match shape {
            Shape::Text { at, text, size, ink, anchor } => {
                let size = size * self.scale;
                let (mut x, y) = self.place(*at);
                match anchor {
                    Anchor::Start => {}
                    Anchor::Middle => x -= font::width(text, size) / 2.0,
                    Anchor::End => x -= font::width(text, size),
                }
                font::paint(text, (x, y), size, |x, y, share| {
                    self.blend(dots, (x, y), ink.rgb(), share);
                });
            }
            Shape::Path { points, ink, width, dash } => {
                let scaled: Vec<Place> = points.iter().map(|&point| self.place(point)).collect();
                let style = style(*ink, 1.0, width * self.scale);
                for piece in dashed(&scaled, dash, self.scale) {
                    let piece: Vec<(i32, i32)> = piece.into_iter().map(rounded).collect();
                    self.backend(dots, |backend| {
                        // Painting fails only if the buffer is smaller than the size says, and this
                        // buffer is not.
                        let _ = backend.draw_path(piece, &style);
                    });
                }
            }
            Shape::Area { points, ink, opacity } => {
                let corners: Vec<(i32, i32)> =
                    points.iter().map(|&point| rounded(self.place(point))).collect();
                let style = style(*ink, *opacity, 1.0);
                self.backend(dots, |backend| {
                    let _ = backend.fill_polygon(corners, &style);
                });
            }
            Shape::Circle { at, radius, ink } => {
                let at = rounded(self.place(*at));
                #[expect(clippy::cast_sign_loss, reason = "a radius is above 0")]
                let radius = (radius * self.scale).round() as u32;
                let style = style(*ink, 1.0, 1.0);
                self.backend(dots, |backend| {
                    let _ = backend.draw_circle(at, radius, &style, true);
                });
            }
        }
    }

    /// Returns where on the canvas a place of the drawing is.
    fn place(self, (x, y): Place) -> Place {
        ((x + MARGIN.0) * self.scale, (y + MARGIN.1) * self.scale)
    }

    fn backend(self, dots: &mut [u8], draw: impl FnOnce(&mut BitMapBackend<'_>)) {
        let size = (self.wide as u32, self.high as u32);
        let mut backend = BitMapBackend::with_buffer(dots, size);
        draw(&mut backend);
    }

    /// Mixes a colour into a dot.
    fn blend(self, dots: &mut [u8], (x, y): (i32, i32), colour: Rgb, share: f32) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x >= self.wide || y >= self.high {
            return;
        }
        let dot = &mut dots[(y * self.wide + x) * 3..][..3];
        let share = share.clamp(0.0, 1.0);
        for (old, new) in dot.iter_mut().zip([colour.0, colour.1, colour.2]) {
            let mixed = f32::from(*old) * (1.0 - share) + f32::from(new) * share;
            #[expect(clippy::cast_sign_loss, reason = "a mixture of two bytes is a byte")]
            let mixed = mixed.round() as u8;
            *old = mixed;
        }
    }
}

fn style(ink: Ink, opacity: f64, width: f64) -> ShapeStyle {
    let (r, g, b) = ink.rgb();
    #[expect(clippy::cast_sign_loss, reason = "a width is above 0")]
    let stroke_width = (width.round() as u32).max(1);
    ShapeStyle { color: RGBAColor(r, g, b, opacity), filled: true, stroke_width }
}

fn rounded((x, y): Place) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
}

/// Cuts a path into its strokes.
fn dashed(points: &[Place], dash: &[f64], scale: f64) -> Vec<Vec<Place>> {
    if dash.is_empty() {
        return vec![points.to_vec()];
    }
    let mut pieces = Vec::new();
    let (mut at, mut left, mut is_on) = (0, dash[0] * scale, true);
    let mut piece: Vec<Place> = points.first().copied().into_iter().collect();
    for ends in points.windows(2) {
        let (mut from, to) = (ends[0], ends[1]);
        loop {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length <= left {
                left -= length;
                if is_on {
                    piece.push(to);
                }
                break;
            }
            let share = left / length;
            from = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
            if is_on {
                piece.push(from);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![from];
            }
            is_on = !is_on;
            at = (at + 1) % dash.len();
            left = dash[at] * scale;
        }
    }
    if piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

/// Averages squares of dots.
fn smaller(dots: &[u8], width: usize, height: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(width * height * 3);
    for y in 0..height {
        for x in 0..width {
            for channel in 0..3 {
                let mut sum = 0_usize;
                for dy in 0..FINER {
                    for dx in 0..FINER {
                        let at = ((y * FINER + dy) * width + x) * FINER + dx;
                        sum += usize::from(dots[at * 3 + channel]);
                    }
                }
                out.push((sum / (FINER * FINER)) as u8);
            }
        }
    }
    out
}

fn encode(dots: &[u8], width: u32, height: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().expect("a header fits into memory");
    writer.write_image_data(dots).expect("there are as many dots as the header says");
    writer.finish().expect("the end fits into memory");
    out
}
