//! Words and lines, told from where glyphs stand.
//!
//! A page says where each glyph goes and seldom which glyphs are a word. Glyphs that follow each
//! other closely are one; a gap of a tenth of the font's size begins the next. Lines are taken in
//! the order in which the page shows them, which for columns is the order of reading.

use std::collections::VecDeque;

use hayro_font::kurbo::{Point, Vec2};

use super::content::Exceeded;

/// Gap that ends a word, in sizes of the font.
const WORD_GAP: f64 = 0.1;
/// Gap between pieces of a line that stands for a space: a piece also ends where size or height
/// changes, as at a footnote's mark.
const PIECE_GAP: f64 = 0.03;
/// How far glyphs may stand above or below a line and belong to it, in sizes of the font.
const LINE_HEIGHT: f64 = 0.5;
/// Step to the next line that begins a paragraph.
const PARAGRAPH: f64 = 1.9;
/// Letters in a row from which it is told whether they are spaced out, and how far at most.
const LEAST_ROW: usize = 3;
const MOST_SPREAD: f64 = 0.4;
/// Pieces of a line that wait for its end.
const MOST_PIECES: usize = 4096;
/// Last pieces that are compared with a new one: bold is at times shown as the same word twice.
const REMEMBERED: usize = 24;

/// A glyph where it stands on the page.
#[derive(Debug)]
pub(super) struct Glyph<'t> {
    pub(super) text: &'t str,
    /// Where it begins.
    pub(super) from: Point,
    /// Where it ends.
    pub(super) to: Point,
    /// Where the line goes; of any length.
    pub(super) direction: Vec2,
    /// Size of the font.
    pub(super) size: f64,
}

/// Glyphs that follow each other closely.
#[derive(Clone, Debug)]
struct Piece {
    text: String,
    n_glyphs: usize,
    from: Point,
    to: Point,
    direction: Vec2,
    size: f64,
    /// Whether a space was shown before it.
    after_space: bool,
}

/// Collects the text of a document.
#[derive(Debug)]
pub(super) struct Lines {
    text: String,
    most_bytes: u64,
    n_glyphs: u64,
    piece: Option<Piece>,
    /// The line so far.
    line: Vec<Piece>,
    /// The piece before the line's first.
    last: Option<Piece>,
    is_after_space: bool,
    recent: VecDeque<(Point, f64, String)>,
}

impl Lines {
    pub(super) fn new(most_bytes: u64) -> Self {
        Self {
            text: String::new(),
            most_bytes,
            n_glyphs: 0,
            piece: None,
            line: Vec::new(),
            last: None,
            is_after_space: false,
            recent: VecDeque::new(),
        }
    }

    /// Returns how many glyphs were shown.
    pub(super) fn n_glyphs(&self) -> u64 {
        self.n_glyphs
    }

    /// Takes the next glyph.
    pub(super) fn glyph(&mut self, glyph: &Glyph<'_>) -> Result<(), Exceeded> {
        self.n_glyphs += 1;
        let length = glyph.direction.hypot();
        let is_placed = glyph.from.is_finite() && glyph.to.is_finite();
        if !(is_placed && length > 0.0 && length.is_finite() && glyph.size > 0.0) {
            return Ok(());
        }
        let direction = glyph.direction / length;
        if let Some(piece) = &mut self.piece
            && piece.goes_on_with(glyph, direction)
            && !glyph.text.contains(char::is_whitespace)
        {
            // If several glyphs share a text, one of them carries it and the others are empty.
            piece.text.push_str(glyph.text);
            piece.n_glyphs += 1;
            piece.to = glyph.to;
            return if piece.text.len() as u64 > self.most_bytes {
                Err(Exceeded::Text)
            } else {
                Ok(())
            };
        }
        let words = glyph.text.trim();
        if words.is_empty() && glyph.text.is_empty() {
            return Ok(());
        }
        self.end_piece()?;
        self.is_after_space |= glyph.text.starts_with(char::is_whitespace);
        if !words.is_empty() {
            self.piece = Some(Piece {
                text: words.to_owned(),
                n_glyphs: 1,
                from: glyph.from,
                to: glyph.to,
                direction,
                size: glyph.size,
                after_space: std::mem::take(&mut self.is_after_space),
            });
        }
        if glyph.text.len() > 1 && glyph.text.ends_with(char::is_whitespace) {
            self.end_piece()?;
            self.is_after_space = true;
        }
        Ok(())
    }

    /// Adds a text as a line of its own.
    pub(super) fn separate(&mut self, text: &str) -> Result<(), Exceeded> {
        self.end_piece()?;
        self.end_line()?;
        self.last = None;
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(text.trim());
        self.text.push('\n');
        if self.text.len() as u64 > self.most_bytes { Err(Exceeded::Text) } else { Ok(()) }
    }

    /// Ends a page.
    pub(super) fn end_page(&mut self) -> Result<(), Exceeded> {
        self.end_piece()?;
        self.end_line()?;
        self.last = None;
        self.recent.clear();
        self.is_after_space = false;
        while !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
        Ok(())
    }

    /// Returns the text.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    fn end_piece(&mut self) -> Result<(), Exceeded> {
        let Some(piece) = self.piece.take() else { return Ok(()) };
        let near = |(from, size, text): &(Point, f64, String)| {
            let by = *from - piece.from;
            by.x.abs() < 0.15 * size && by.y.abs() < 0.15 * size && *text == piece.text
        };
        if self.recent.iter().any(near) {
            return Ok(());
        }
        if self.recent.len() == REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back((piece.from, piece.size, piece.text.clone()));
        let is_on_line = self.line.last().is_none_or(|last| last.is_beside(&piece));
        if !is_on_line || self.line.len() >= MOST_PIECES {
            self.end_line()?;
        }
        self.line.push(piece);
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), Exceeded> {
        let line = std::mem::take(&mut self.line);
        let Some(first) = line.first() else { return Ok(()) };
        if let Some(last) = &self.last {
            let is_hyphenated = self.text.ends_with(['-', '\u{ad}', '\u{2010}'])
                && self.text.chars().rev().nth(1).is_some_and(char::is_alphabetic)
                && first.text.starts_with(char::is_lowercase);
            if is_hyphenated {
                self.text.pop();
            } else if last.begins_paragraph(first) {
                self.text.push_str("\n\n");
            } else {
                self.text.push('\n');
            }
        }
        let last = line[line.len() - 1].clone();
        if line.iter().any(|piece| piece.text.chars().any(is_right_to_left)) {
            let mut line = line;
            let direction = line[0].direction;
            let along = |piece: &Piece| piece.from.to_vec2().dot(direction);
            line.sort_by(|a, b| along(a).total_cmp(&along(b)));
            let mut shown = String::new();
            push_line(&line, &mut shown);
            self.text.push_str(&in_order_of_reading(&shown));
        } else {
            push_line(&line, &mut self.text);
        }
        self.last = Some(last);
        if self.text.len() as u64 > self.most_bytes { Err(Exceeded::Text) } else { Ok(()) }
    }
}

/// Writes the pieces of a line with spaces between words.
fn push_line(line: &[Piece], text: &mut String) {
    let mut at = 0;
    while at < line.len() {
        let n = 1 + line[at + 1..].iter().take_while(|piece| piece.is_letter()).count();
        let n = if line[at].n_glyphs == 1 { n } else { 1 };
        let run = &line[at..at + n];
        let gap = letter_gap(run).unwrap_or(PIECE_GAP);
        for (i, piece) in run.iter().enumerate() {
            let before = (at + i).checked_sub(1).map(|before| &line[before]);
            let gap = if i == 0 { PIECE_GAP } else { gap };
            if before.is_some_and(|before| before.is_apart_from(piece, gap)) {
                text.push(' ');
            }
            text.push_str(&piece.text);
        }
        at += n;
    }
}

/// Returns the gap that ends a word in a row of letters that are spaced out, in sizes of the font;
/// `None` if they are not, or too far apart to be words.
fn letter_gap(row: &[Piece]) -> Option<f64> {
    let gaps = row.windows(2).map(|pair| pair[0].gap_to(&pair[1]) / pair[0].size);
    let least = gaps.fold(f64::MAX, f64::min);
    (row.len() >= LEAST_ROW && least > 0.0 && least < MOST_SPREAD).then_some(1.3 * least + 0.05)
}

/// Whether a letter belongs to a script that is written from right to left: Hebrew, Arabic and
/// their neighbours, and the forms in which they are shown.
fn is_right_to_left(c: char) -> bool {
    !c.is_numeric()
        && matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
}

/// Returns a line that stands as it is seen, from left to right, as it is read.
///
/// In a line of mostly such letters everything is turned round but numbers and words of other
/// scripts; elsewhere only runs of such letters are.
fn in_order_of_reading(shown: &str) -> String {
    let n_right = shown.chars().filter(|&c| is_right_to_left(c)).count();
    let n_left = shown.chars().filter(|&c| c.is_alphabetic() && !is_right_to_left(c)).count();
    let is_turned = |c: char| is_right_to_left(c) || (n_right >= n_left && !c.is_alphanumeric());
    let chars: Vec<char> = shown.chars().collect();
    let mut runs: Vec<String> = chars
        .chunk_by(|&a, &b| is_turned(a) == is_turned(b))
        .map(
            |run| {
                if is_turned(run[0]) { run.iter().rev().collect() } else { run.iter().collect() }
            },
        )
        .collect();
    if n_right >= n_left {
        runs.reverse();
    }
    runs.concat()
}

impl Piece {
    /// Returns how far behind the end of this piece a point lies, along the line and across it.
    fn offset(&self, point: Point) -> (f64, f64) {
        let by = point - self.to;
        (by.dot(self.direction), by.cross(self.direction))
    }

    fn goes_on_with(&self, glyph: &Glyph<'_>, direction: Vec2) -> bool {
        let (along, across) = self.offset(glyph.from);
        self.direction.dot(direction) > 0.99
            && (self.size - glyph.size).abs() < 0.05 * self.size
            && along.abs() < WORD_GAP * self.size
            && across.abs() < 0.1 * self.size
    }

    /// Whether it is one glyph that follows another without a space.
    fn is_letter(&self) -> bool {
        self.n_glyphs == 1 && !self.after_space
    }

    /// Whether a space stands before `next`; `gap` is in sizes of the font.
    fn is_apart_from(&self, next: &Self, gap: f64) -> bool {
        next.after_space || self.gap_to(next) >= gap * self.size
    }

    fn gap_to(&self, next: &Self) -> f64 {
        self.offset(next.from).0
    }

    /// Whether `next` stands on the same line, further on.
    fn is_beside(&self, next: &Self) -> bool {
        let (along, across) = self.offset(next.from);
        self.direction.dot(next.direction) > 0.99
            && across.abs() < LINE_HEIGHT * self.size.max(next.size)
            && (along > -0.5 * self.size.max(next.size) || self.is_before_leftwards(next))
    }

    /// Whether `next` stands close to the left and both are written from right to left.
    fn is_before_leftwards(&self, next: &Self) -> bool {
        let is_right =
            |piece: &Self| piece.text.chars().all(|c| is_right_to_left(c) || !c.is_alphabetic());
        let gap = (self.from - next.to).dot(self.direction);
        is_right(self) && is_right(next) && gap > -0.5 * self.size && gap < 2.0 * self.size
    }

    fn begins_paragraph(&self, next: &Self) -> bool {
        let (_, across) = self.offset(next.from);
        let size = self.size.max(next.size);
        // Lines go down; a step up leads to the next column.
        self.direction.dot(next.direction) < 0.99
            || across > PARAGRAPH * size
            || across < -LINE_HEIGHT * size
    }
}
