//! Fonts: which text the codes in strings stand for, and how wide each is.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use hayro_font::hayro_cmap::{BfString, load_embedded};
use hayro_font::kurbo::Vec2;
use hayro_font::{
    CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, StandardFont,
};
use hayro_syntax::object::dict::keys;
use hayro_syntax::object::{Dict, Name};

/// The fonts of a document, each looked at once.
pub(super) struct Fonts<'a> {
    cache: FontCache<'a>,
    font_data: FontResolverFn,
    cmaps: CMapResolverFn,
    /// By the address of the font's dictionary, which stays the same while the document is open.
    known: BTreeMap<usize, Option<Rc<Face<'a>>>>,
}

impl Default for Fonts<'_> {
    fn default() -> Self {
        Self {
            cache: FontCache::new(),
            font_data: Arc::new(|query| {
                Some(match query {
                    FontQuery::Standard(font) => font.get_font_data(),
                    FontQuery::Fallback(font) => font.pick_standard_font().get_font_data(),
                })
            }),
            cmaps: Arc::new(load_embedded),
            known: BTreeMap::new(),
        }
    }
}

impl<'a> Fonts<'a> {
    /// Returns the font of a dictionary; one that is not named is taken to be Helvetica, as other
    /// readers do.
    pub(super) fn face(&mut self, dict: Option<&Dict<'a>>) -> Option<Rc<Face<'a>>> {
        let key = dict.map_or(0, |dict| dict.data().as_ptr() as usize);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let font = match dict {
            Some(dict) => self.cache.font(dict, &self.font_data, &self.cmaps),
            None => self.cache.standard_font(StandardFont::Helvetica, &self.font_data),
        };
        let is_drawn = dict.and_then(|dict| dict.get::<Name<'_>>(keys::SUBTYPE));
        let is_drawn = is_drawn.is_some_and(|kind| &*kind == b"Type3");
        let face = font.map(|font| {
            let em = if is_drawn { em_of(&font) } else { 1.0 };
            Rc::new(Face { font, em, is_drawn, codes: RefCell::default() })
        });
        self.known.insert(key, face.clone());
        face
    }
}

/// A font.
pub(super) struct Face<'a> {
    font: Font<'a>,
    em: f64,
    is_drawn: bool,
    codes: RefCell<BTreeMap<u32, Rc<Coded>>>,
}

/// What a code stands for.
pub(super) struct Coded {
    /// Empty if it is not known.
    pub(super) text: Box<str>,
    /// In thousandths of the font's size.
    pub(super) advance: Vec2,
}

impl Face<'_> {
    /// Returns how large the letters are if the font is set to size 1.
    pub(super) fn em(&self) -> f64 {
        self.em
    }

    pub(super) fn is_horizontal(&self) -> bool {
        self.font.is_horizontal()
    }

    /// Returns the code that stands at a byte, and its bytes.
    pub(super) fn read_code(&self, bytes: &[u8], at: usize) -> (u32, usize) {
        self.font.read_code(bytes, at)
    }

    /// Returns a text for a code that the font does not explain: mostly the character of that
    /// number. It is often right, and it is the same in all copies of a document.
    fn guess(&self, code: u32) -> Box<str> {
        match (code, char::from_u32(code)) {
            (11..=15, _) if self.is_drawn => TEX_LIGATURES[code as usize - 11].into(),
            // Such low codes are hardly ever letters; a space stands for them.
            (0..=31, _) => " ".into(),
            (_, Some(c)) => plain(c.encode_utf8(&mut [0; 4])),
            (_, None) => Box::default(),
        }
    }

    pub(super) fn coded(&self, code: u32) -> Rc<Coded> {
        if let Some(known) = self.codes.borrow().get(&code) {
            return Rc::clone(known);
        }
        let unicode = match self.font.glyph(self.font.map_code(code), code) {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        let text = match unicode {
            Some(BfString::Char(c)) => plain(c.encode_utf8(&mut [0; 4])),
            Some(BfString::String(text)) => plain(&text),
            None => self.guess(code),
        };
        let coded = Rc::new(Coded { text, advance: self.font.code_advance(code) });
        self.codes.borrow_mut().insert(code, Rc::clone(&coded));
        coded
    }
}

/// Ligatures of the fonts of TeX, from code 11 on.
const TEX_LIGATURES: [&str; 5] = ["ff", "fi", "fl", "ffi", "ffl"];

/// Guesses the size of a font whose letters are drawn in units of its own: letters are half as wide
/// as they are high.
fn em_of(font: &Font<'_>) -> f64 {
    let widths = (0..=255).map(|code| font.code_advance(code).x.abs() / 1000.0);
    let (sum, n) = widths
        .filter(|width| *width > 0.0 && width.is_finite())
        .fold((0.0, 0_u32), |(sum, n), width| (sum + width, n + 1));
    if n == 0 { 1.0 } else { 2.0 * sum / f64::from(n) }
}

/// Returns text with ligatures of the Latin script written as letters, and nothing that is not
/// printed.
fn plain(text: &str) -> Box<str> {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{fb00}' => out.push_str("ff"),
            '\u{fb01}' => out.push_str("fi"),
            '\u{fb02}' => out.push_str("fl"),
            '\u{fb03}' => out.push_str("ffi"),
            '\u{fb04}' => out.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => out.push_str("st"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffd}' | '\u{feff}' => {}
            c => out.push(c),
        }
    }
    out.into()
}

/// Decodes a text string: UTF-16 or UTF-8 if its mark says so, otherwise taken for Latin-1, which
/// agrees with the encoding of the standard in all letters of English.
pub(super) fn utf16_or_latin(bytes: &[u8]) -> String {
    let wide = |bytes: &[u8], turn: fn([u8; 2]) -> u16| {
        let units = bytes.as_chunks::<2>().0.iter().map(|&pair| turn(pair));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    let text: String = match bytes {
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes.iter().map(|&byte| char::from(byte)).collect(),
    };
    plain(&text).into()
}
