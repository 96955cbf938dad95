//! Rich text: the file is one document, and its text is plain.
//!
//! The text of tables of fonts, styles and colours, of pictures, headers, footers and field codes is
//! left out; footnotes come after the text. Bytes are characters of the code page of the font that is
//! in use, so the table of fonts is read for these.
//!
//! # Reference
//! Rich Text Format (RTF) Specification, version 1.9.1, Microsoft 2008.

use std::collections::BTreeMap;

use encoding_rs::{Encoding, WINDOWS_1252};
use retold_core::document::Document;

use crate::bad::Fault;
use crate::format::{Chunk, Context, Draft, Input, Opened, Source, Spec, Work};
use crate::office::Paragraphs;
use crate::text::read_whole;

pub(crate) static SPEC: Spec = Spec {
    endings: &["rtf"],
    input: Input::Bytes,
    is_collection: false,
    shows: |look| look.bytes.trim_ascii_start().starts_with(b"{\\rtf"),
    open: |opened| Box::new(Rtf(Some(opened))),
};

/// Deepest nesting of groups.
const DEEPEST: usize = 1_000;
/// Most fonts whose code pages are kept.
const MOST_FONTS: usize = 4_096;

struct Rtf(Option<Opened>);

impl Source for Rtf {
    fn next(&mut self) -> Option<Chunk> {
        let mut opened = self.0.take()?;
        let bytes = match read_whole(&mut opened) {
            Ok(bytes) => bytes,
            Err(fault) => return Some(Chunk::fault(fault)),
        };
        let (context, n_bytes) = (opened.context, bytes.len());
        let parse = move |each: &mut dyn FnMut(Result<Draft, Fault>)| {
            each(match Parser::new(&bytes).document(&context) {
                Ok(document) => {
                    Ok(Draft { document, record: 0, is_whole: true, part: None, again: None })
                }
                Err((at, reason)) => {
                    Err(Fault { record: Some(0), offset: Some(at as u64), reason })
                }
            });
        };
        Some(Chunk { records: 1, bytes: n_bytes, work: Work::Later(Box::new(parse)) })
    }
}

/// Where text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Body,
    Note,
    Title,
    Fonts,
    /// What is said about the document; only some groups in it are read.
    Info,
    Nowhere,
}

/// What a group inherits from the one around it, and may change for itself.
#[derive(Clone, Copy, Debug)]
struct Group {
    target: Target,
    font: i32,
    /// Characters that stand for the one before them, for programs that know no Unicode.
    n_fallback: i32,
    is_hidden: bool,
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    group: Group,
    groups: Vec<Group>,
    /// Bytes of characters that are not decoded yet.
    pending: Vec<u8>,
    /// First half of a character beyond 16 bits.
    half: Option<u16>,
    /// Fallback characters still to be left out.
    n_left_out: i32,
    code_page: &'static Encoding,
    fonts: BTreeMap<i32, &'static Encoding>,
    body: Paragraphs,
    notes: Paragraphs,
    title: Paragraphs,
}

impl<'a> Parser<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let group = Group { target: Target::Body, font: -1, n_fallback: 1, is_hidden: false };
        Self {
            bytes,
            at: 0,
            group,
            groups: Vec::new(),
            pending: Vec::new(),
            half: None,
            n_left_out: 0,
            code_page: WINDOWS_1252,
            fonts: BTreeMap::new(),
            body: Paragraphs::new(),
            notes: Paragraphs::new(),
            title: Paragraphs::new(),
        }
    }

    fn document(mut self, context: &Context) -> Result<Document, (usize, String)> {
        self.read()?;
        let finish = |text: Paragraphs| text.finish(context).map_err(|reason| (0, reason));
        let (mut text, notes, title) =
            (finish(self.body)?, finish(self.notes)?, finish(self.title)?);
        if !notes.is_empty() {
            text.extend(["\n\n", &notes]);
        }
        if text.trim().is_empty() {
            return Err((0, "holds no text".to_owned()));
        }
        let title = (!title.is_empty()).then_some(title);
        Ok(Document { text, title, ..Document::default() })
    }

    fn read(&mut self) -> Result<(), (usize, String)> {
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'{' => {
                    self.flush();
                    if self.groups.len() == DEEPEST {
                        return Err((self.at, format!("nested deeper than {DEEPEST} groups")));
                    }
                    self.groups.push(self.group);
                    self.n_left_out = 0;
                }
                b'}' => {
                    self.flush();
                    self.n_left_out = 0;
                    if self.group.target == Target::Note {
                        self.notes.end();
                    }
                    match self.groups.pop() {
                        Some(group) => self.group = group,
                        None => {
                            return Err((self.at, "a group ends that has not begun".to_owned()));
                        }
                    }
                    if self.groups.is_empty() {
                        return Ok(());
                    }
                }
                b'\\' => self.control(),
                b'\r' | b'\n' | 0 => {}
                byte => self.byte(byte),
            }
        }
        Err((self.at, "the end is missing".to_owned()))
    }

    /// Reads a control word or symbol.
    fn control(&mut self) {
        let Some(&first) = self.bytes.get(self.at) else { return };
        if !first.is_ascii_alphabetic() {
            self.at += 1;
            self.symbol(first);
            return;
        }
        let rest = &self.bytes[self.at..];
        // The longest word has 32 letters.
        let n = rest.iter().take(32).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let word = &rest[..n];
        let mut at = self.at + n;
        let is_negative = self.bytes.get(at) == Some(&b'-');
        at += usize::from(is_negative);
        let mut number: Option<i32> = None;
        while let Some(digit) = self.bytes.get(at).filter(|byte| byte.is_ascii_digit()) {
            let value = number.unwrap_or(0).saturating_mul(10);
            number = Some(value.saturating_add(i32::from(digit - b'0')));
            at += 1;
        }
        at += usize::from(self.bytes.get(at) == Some(&b' '));
        self.at = at;
        let number = number.map(|number| if is_negative { -number } else { number });
        self.word(word, number);
    }

    fn symbol(&mut self, symbol: u8) {
        match symbol {
            b'\'' => {
                let digits = self.bytes.get(self.at..self.at + 2);
                let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
                if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                    self.at += 2;
                    self.byte(byte);
                }
            }
            b'~' => self.push("\u{a0}"),
            b'_' => self.push("-"),
            b'\n' | b'\r' => self.end_paragraph(),
            b'{' | b'}' | b'\\' => self.byte(symbol),
            // What follows is left out by programs that do not know it.
            b'*' if self.group.target != Target::Fonts => self.group.target = Target::Nowhere,
            _ => {}
        }
    }

    fn word(&mut self, word: &[u8], number: Option<i32>) {
        let value = number.unwrap_or(0);
        match word {
            b"u" => {
                self.flush();
                // Written as a signed number of 16 bits.
                self.unit((value & 0xffff).cast_unsigned() as u16);
                self.n_left_out = self.group.n_fallback;
            }
            b"uc" => self.group.n_fallback = value.clamp(0, 64),
            b"bin" => {
                let n = usize::try_from(value).unwrap_or(0);
                self.at = self.at.saturating_add(n).min(self.bytes.len());
            }
            b"ansicpg" => self.code_page = code_page(value),
            b"mac" => self.code_page = encoding_rs::MACINTOSH,
            b"f" => {
                self.flush();
                self.group.font = value;
            }
            b"fcharset" if self.group.target == Target::Fonts => {
                if self.fonts.len() < MOST_FONTS
                    && let Some(encoding) = charset(value)
                {
                    self.fonts.insert(self.group.font, encoding);
                }
            }
            b"v" => {
                self.flush();
                self.group.is_hidden = number != Some(0);
            }
            b"plain" => self.group.is_hidden = false,
            b"par" | b"sect" | b"page" | b"row" | b"cell" | b"nestcell" | b"nestrow" => {
                self.end_paragraph();
            }
            b"line" => self.push("\n"),
            b"tab" => self.push("\t"),
            b"emdash" => self.push("—"),
            b"endash" => self.push("–"),
            b"lquote" => self.push("‘"),
            b"rquote" => self.push("’"),
            b"ldblquote" => self.push("“"),
            b"rdblquote" => self.push("”"),
            b"bullet" => self.push("•"),
            b"emspace" | b"enspace" | b"qmspace" => self.push(" "),
            _ => self.destination(word),
        }
    }

    /// Takes a word that says where the text of its group goes.
    fn destination(&mut self, word: &[u8]) {
        let around = self.group.target;
        self.group.target = match word {
            b"fonttbl" => Target::Fonts,
            b"info" => Target::Info,
            b"title" if around == Target::Info => Target::Title,
            b"footnote" if around == Target::Body => Target::Note,
            b"colortbl"
            | b"stylesheet"
            | b"pict"
            | b"object"
            | b"header"
            | b"headerl"
            | b"headerr"
            | b"headerf"
            | b"footer"
            | b"footerl"
            | b"footerr"
            | b"footerf"
            | b"fldinst"
            | b"listtext"
            | b"pntext"
            | b"listtable"
            | b"listoverridetable"
            | b"rsidtbl"
            | b"generator"
            | b"themedata"
            | b"colorschememapping"
            | b"datastore"
            | b"latentstyles"
            | b"xe"
            | b"tc"
            | b"bkmkstart"
            | b"bkmkend"
            | b"annotation"
            | b"atnid"
            | b"atnauthor"
            | b"ftnsep"
            | b"ftnsepc"
            | b"aftnsep"
            | b"nonshppict" => Target::Nowhere,
            _ => return,
        };
        self.pending.clear();
    }

    /// Takes a byte of text.
    fn byte(&mut self, byte: u8) {
        if self.n_left_out > 0 {
            self.n_left_out -= 1;
        } else if self.target().is_some() {
            self.pending.push(byte);
        }
    }

    /// Takes a unit of UTF-16.
    fn unit(&mut self, unit: u16) {
        let units = match self.half.take() {
            Some(half) => [half, unit],
            None if (0xd800..0xdc00).contains(&unit) => {
                self.half = Some(unit);
                return;
            }
            None => [unit, 0],
        };
        let n = if units[1] == 0 { 1 } else { 2 };
        for c in char::decode_utf16(units[..n].iter().copied()).flatten() {
            self.push(c.encode_utf8(&mut [0; 4]));
        }
    }

    fn target(&mut self) -> Option<&mut Paragraphs> {
        match self.group.target {
            _ if self.group.is_hidden => None,
            Target::Body => Some(&mut self.body),
            Target::Note => Some(&mut self.notes),
            Target::Title => Some(&mut self.title),
            Target::Fonts | Target::Info | Target::Nowhere => None,
        }
    }

    /// Appends text.
    fn push(&mut self, text: &str) {
        self.flush();
        if let Some(target) = self.target() {
            target.push(text);
        }
    }

    fn end_paragraph(&mut self) {
        self.flush();
        if let Some(target) = self.target() {
            target.end();
        }
    }

    /// Decodes the bytes so far: characters of some code pages take two.
    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let encoding = self.fonts.get(&self.group.font).copied().unwrap_or(self.code_page);
        let bytes = std::mem::take(&mut self.pending);
        let text = encoding.decode_without_bom_handling(&bytes).0;
        if let Some(target) = self.target() {
            target.push(&text);
        }
    }
}

/// Returns the encoding of a code page of Windows.
fn code_page(number: i32) -> &'static Encoding {
    let label = match number {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        10_000 => "macintosh".to_owned(),
        10_007 => "x-mac-cyrillic".to_owned(),
        65_001 => "utf-8".to_owned(),
        866 => "ibm866".to_owned(),
        other => format!("windows-{other}"),
    };
    Encoding::for_label(label.as_bytes()).unwrap_or(WINDOWS_1252)
}

/// Returns the encoding of a character set of fonts; `None` is that of the document.
fn charset(number: i32) -> Option<&'static Encoding> {
    let page = match number {
        77 => 10_000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    };
    Some(code_page(page))
}
