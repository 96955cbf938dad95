//! What a page shows: content streams, read for their text alone.
//!
//! Of the operators only those count that show text, or move what is shown after them. Forms are
//! drawn where they are called; images, paths and colours are passed over, so none is ever decoded.
//!
//! A file of a few kilobytes can ask for endless work: a form may draw itself, or twice another one
//! that draws twice another one. Forms are not drawn inside themselves nor deeper than
//! [`MOST_DEPTH`], and all content of a document counts against one [`ContentBudget`], which grows
//! with the file.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use hayro_font::kurbo::{Affine, Point, Vec2};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::dict::keys;
use hayro_syntax::object::dict_or_stream;
use hayro_syntax::object::{Array, Dict, Name, Object, ObjectIdentifier, Rect, Stream};
use hayro_syntax::page::{Page, Resources};

use super::fonts::{Face, Fonts, utf16_or_latin};
use super::lines::{Glyph, Lines};

/// Forms inside forms that are drawn.
const MOST_DEPTH: usize = 24;
/// Saved graphics states that are kept. Further ones are only counted, so that each restore is
/// matched with its save.
const MOST_STATES: usize = 512;
/// Annotations of a page whose appearance is read.
const MOST_ANNOTATIONS: usize = 10_000;

/// How many bytes of content a document may still interpret.
#[derive(Debug)]
pub(super) struct ContentBudget {
    left: u64,
}

impl ContentBudget {
    /// A document may interpret so many bytes of content, and so many times the size of its file.
    const BASE: u64 = 16 << 20;
    const TIMES: u64 = 16;
    /// What a form counts for beside its bytes.
    const FORM: u64 = 1 << 10;

    pub(super) fn new(file_bytes: usize) -> Self {
        Self { left: Self::BASE + Self::TIMES * file_bytes as u64 }
    }

    fn take(&mut self, bytes: u64) -> Result<(), Exceeded> {
        self.left = self.left.checked_sub(bytes).ok_or(Exceeded::Content)?;
        Ok(())
    }
}

/// The limit that a document has exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exceeded {
    /// The content that it may interpret, see [`ContentBudget`].
    Content,
    /// The text that it may have.
    Text,
}

/// Interprets the pages of a document.
pub(super) struct Content<'a> {
    faces: Fonts<'a>,
    budget: ContentBudget,
    /// Forms that were drawn and showed no text; drawing them again would show none.
    silent: BTreeSet<ObjectIdentifier>,
    /// Forms that are being drawn.
    open: Vec<ObjectIdentifier>,
    /// How many times a form was not drawn, because it was too deep or was being drawn already.
    n_cut: u64,
}

#[derive(Clone)]
struct State<'a> {
    ctm: Affine,
    face: Option<Rc<Face<'a>>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    scale: f64,
    leading: f64,
    rise: f64,
}

impl State<'_> {
    fn new(ctm: Affine) -> Self {
        Self {
            ctm,
            face: None,
            size: 1.0,
            char_space: 0.0,
            word_space: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
        }
    }
}

/// Where the next glyph goes, and the marked content around it.
struct Text {
    matrix: Affine,
    line: Affine,
    /// Marked content that has begun and not ended, with the text that replaces its glyphs, if any.
    marked: Vec<Option<ActualText>>,
    /// Marked content beyond [`MOST_STATES`].
    n_marked_beyond: u64,
}

/// Text that a document gives for marked content, to be read instead of its glyphs. It is taken
/// with the first glyph.
struct ActualText {
    text: RefCell<Option<String>>,
}

impl<'a> Content<'a> {
    pub(super) fn new(budget: ContentBudget) -> Self {
        Self {
            faces: Fonts::default(),
            budget,
            silent: BTreeSet::new(),
            open: Vec::new(),
            n_cut: 0,
        }
    }

    /// Shows the text of a page, then that of its annotations.
    pub(super) fn page(&mut self, page: &Page<'a>, lines: &mut Lines) -> Result<(), Exceeded> {
        let raw = page.raw();
        let mut content: Vec<u8> = Vec::new();
        if let Some(stream) = raw.get::<Stream<'_>>(keys::CONTENTS) {
            content = stream.decoded_data().map(Cow::into_owned).unwrap_or_default();
            self.budget.take(content.len() as u64)?;
        } else if let Some(streams) = raw.get::<Array<'_>>(keys::CONTENTS) {
            for stream in streams.iter::<Object<'_>>().filter_map(Object::into_stream) {
                if let Ok(part) = stream.decoded_data() {
                    self.budget.take(part.len() as u64)?;
                    content.extend_from_slice(&part);
                    content.push(b' ');
                }
            }
        }
        self.interpret(&content, page.resources(), State::new(Affine::IDENTITY), lines, 0)?;
        drop(content);
        if let Some(annotations) = raw.get::<Array<'_>>(keys::ANNOTS) {
            for annotation in annotations.iter::<Dict<'_>>().take(MOST_ANNOTATIONS) {
                self.annotation(&annotation, page.resources(), lines)?;
            }
        }
        Ok(())
    }

    /// Shows the appearance of an annotation, such as the value of a field of a form.
    fn annotation(
        &mut self,
        annotation: &Dict<'a>,
        resources: &Resources<'a>,
        lines: &mut Lines,
    ) -> Result<(), Exceeded> {
        const HIDDEN: u32 = 1 << 1;
        const NO_VIEW: u32 = 1 << 5;
        let is_hidden = annotation.get::<u32>(keys::F).unwrap_or(0) & (HIDDEN | NO_VIEW) != 0;
        let is_popup =
            annotation.get::<Name<'_>>(keys::SUBTYPE).is_some_and(|kind| &*kind == b"Popup");
        if is_hidden || is_popup {
            return Ok(());
        }
        let normal = annotation
            .get::<Dict<'_>>(keys::AP)
            .and_then(|appearance| appearance.get::<Object<'_>>(keys::N));
        let form = match normal {
            Some(Object::Stream(form)) => form,
            Some(Object::Dict(states)) => {
                let state = annotation.get::<Name<'_>>(keys::AS);
                let Some(form) = state.and_then(|state| states.get::<Stream<'_>>(state)) else {
                    return Ok(());
                };
                form
            }
            _ => return field(annotation, lines),
        };
        // The box of the form is moved to where the annotation stands; its size hardly differs.
        let to =
            annotation.get::<Rect>(keys::RECT).map_or(Vec2::ZERO, |to| Vec2::new(to.x0, to.y0));
        let from = form.dict().get::<Rect>(keys::BBOX);
        let matrix = matrix_of(form.dict());
        let from = from.map_or(Point::ZERO, |from| matrix * Point::new(from.x0, from.y0));
        let place = Affine::translate(to - from.to_vec2());
        let n_before = lines.n_glyphs();
        self.form(&form, resources, &State::new(place), lines, 0)?;
        if lines.n_glyphs() == n_before { field(annotation, lines) } else { Ok(()) }
    }

    fn form(
        &mut self,
        form: &Stream<'a>,
        parent: &Resources<'a>,
        state: &State<'a>,
        lines: &mut Lines,
        depth: usize,
    ) -> Result<(), Exceeded> {
        let id = form.obj_id();
        if self.silent.contains(&id) {
            return Ok(());
        }
        if depth >= MOST_DEPTH || self.open.contains(&id) {
            self.n_cut += 1;
            return Ok(());
        }
        let kind = form.dict().get::<Name<'_>>(keys::SUBTYPE);
        if kind.is_some_and(|kind| &*kind != b"Form") {
            return Ok(());
        }
        let Ok(content) = form.decoded_data() else { return Ok(()) };
        self.budget.take(ContentBudget::FORM + content.len() as u64)?;
        let own = form.dict().get::<Dict<'_>>(keys::RESOURCES).map(Resources::new);
        let resources = own.as_ref().unwrap_or(parent);
        let mut inner = state.clone();
        inner.ctm *= matrix_of(form.dict());
        let (n_glyphs, n_cut) = (lines.n_glyphs(), self.n_cut);
        self.open.push(id);
        let done = self.interpret(&content, resources, inner, lines, depth + 1);
        self.open.pop();
        // A form without resources of its own may show text elsewhere, and so may one in which
        // something was left out.
        if own.is_some() && lines.n_glyphs() == n_glyphs && self.n_cut == n_cut {
            self.silent.insert(id);
        }
        done
    }

    fn interpret(
        &mut self,
        content: &[u8],
        resources: &Resources<'a>,
        first: State<'a>,
        lines: &mut Lines,
        depth: usize,
    ) -> Result<(), Exceeded> {
        let mut state = first;
        let mut states: Vec<State<'a>> = Vec::new();
        let mut n_beyond = 0_u64;
        let mut text = Text {
            matrix: Affine::IDENTITY,
            line: Affine::IDENTITY,
            marked: Vec::new(),
            n_marked_beyond: 0,
        };
        let mut operators = TypedIter::new(content);
        while let Some(operator) = operators.next() {
            match operator {
                TypedInstruction::SaveState(_) => {
                    if states.len() < MOST_STATES {
                        states.push(state.clone());
                    } else {
                        n_beyond += 1;
                    }
                }
                TypedInstruction::RestoreState(_) => {
                    if n_beyond > 0 {
                        n_beyond -= 1;
                    } else if let Some(saved) = states.pop() {
                        state = saved;
                    }
                }
                TypedInstruction::Transform(m) => {
                    state.ctm *= affine([m.0, m.1, m.2, m.3, m.4, m.5].map(|n| n.as_f64()));
                }
                TypedInstruction::BeginText(_) => {
                    text.matrix = Affine::IDENTITY;
                    text.line = Affine::IDENTITY;
                }
                TypedInstruction::SetTextMatrix(m) => {
                    text.matrix = affine([m.0, m.1, m.2, m.3, m.4, m.5].map(|n| n.as_f64()));
                    text.line = text.matrix;
                }
                TypedInstruction::TextFont(font) => {
                    state.size = font.1.as_f64();
                    state.face = self.faces.face(resources.get_font(font.0).as_ref());
                }
                TypedInstruction::SetGraphicsState(name) => {
                    let named = resources.get_ext_g_state(name.0);
                    if let Some(font) = named.and_then(|named| named.get::<Array<'_>>(keys::FONT)) {
                        let mut parts = font.iter::<Object<'_>>();
                        if let Some(dict) = parts.next().and_then(Object::into_dict) {
                            state.face = self.faces.face(Some(&dict));
                            let size = parts.next().and_then(Object::into_f32);
                            state.size = size.map_or(state.size, f64::from);
                        }
                    }
                }
                TypedInstruction::CharacterSpacing(n) => state.char_space = n.0.as_f64(),
                TypedInstruction::WordSpacing(n) => state.word_space = n.0.as_f64(),
                TypedInstruction::HorizontalScaling(n) => state.scale = n.0.as_f64() / 100.0,
                TypedInstruction::TextLeading(n) => state.leading = n.0.as_f64(),
                TypedInstruction::TextRise(n) => state.rise = n.0.as_f64(),
                TypedInstruction::NextLine(by) => text.next(by.0.as_f64(), by.1.as_f64()),
                TypedInstruction::NextLineAndSetLeading(by) => {
                    state.leading = -by.1.as_f64();
                    text.next(by.0.as_f64(), by.1.as_f64());
                }
                TypedInstruction::NextLineUsingLeading(_) => text.next(0.0, -state.leading),
                TypedInstruction::ShowText(shown) => {
                    self.show(shown.0, &mut state, &mut text, lines)?;
                }
                TypedInstruction::NextLineAndShowText(shown) => {
                    text.next(0.0, -state.leading);
                    self.show(shown.0, &mut state, &mut text, lines)?;
                }
                TypedInstruction::ShowTextWithParameters(shown) => {
                    state.word_space = shown.0.as_f64();
                    state.char_space = shown.1.as_f64();
                    text.next(0.0, -state.leading);
                    self.show(shown.2, &mut state, &mut text, lines)?;
                }
                TypedInstruction::ShowTexts(shown) => {
                    for part in shown.0.iter::<Object<'_>>() {
                        match part {
                            Object::Number(n) => {
                                let by = -n.as_f64() / 1000.0 * state.size;
                                text.forward(by, by, &state);
                            }
                            Object::String(part) => {
                                self.show(&part, &mut state, &mut text, lines)?;
                            }
                            _ => {}
                        }
                    }
                }
                TypedInstruction::BeginMarkedContent(_) => text.open(None),
                TypedInstruction::BeginMarkedContentWithProperties(marked) => {
                    let named = match marked.1 {
                        Object::Name(name) => resources.properties.get::<Dict<'_>>(name),
                        _ => None,
                    };
                    let given = dict_or_stream(marked.1).map(|(dict, _)| dict.clone());
                    let said = match (named, given) {
                        (Some(named), _) => actual_text(&named),
                        (None, Some(given)) => actual_text(&given),
                        (None, None) => None,
                    };
                    text.open(said);
                }
                TypedInstruction::EndMarkedContent(_) => text.close(),
                TypedInstruction::XObject(name) => {
                    if let Some(form) = resources.get_x_object(name.0) {
                        self.form(&form, resources, &state, lines, depth)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn show(
        &mut self,
        shown: &[u8],
        state: &mut State<'a>,
        text: &mut Text,
        lines: &mut Lines,
    ) -> Result<(), Exceeded> {
        let face = match &state.face {
            Some(face) => Rc::clone(face),
            None => match self.faces.face(None) {
                Some(face) => Rc::clone(state.face.insert(face)),
                None => return Ok(()),
            },
        };
        let mut at = 0;
        while at < shown.len() {
            let (code, n_bytes) = face.read_code(shown, at);
            let is_space = n_bytes == 1 && code == 32;
            at += n_bytes.max(1);
            let matrix = state.ctm * text.matrix;
            let coded = face.coded(code);
            let (width, down) = (coded.advance.x / 1000.0, coded.advance.y / 1000.0);
            let spaced = state.char_space + if is_space { state.word_space } else { 0.0 };
            let advance = if face.is_horizontal() {
                Vec2::new(width * state.size * state.scale, 0.0)
            } else {
                Vec2::new(0.0, down * state.size)
            };
            let from = matrix * Point::new(0.0, state.rise);
            let to = matrix * (Point::new(0.0, state.rise) + advance);
            let said = text.marked.iter().rev().flatten().next();
            let unit = if face.is_horizontal() {
                Vec2::new(1.0_f64.copysign(state.size * state.scale), 0.0)
            } else {
                Vec2::new(0.0, -1.0)
            };
            let [a, b, c, d, _, _] = matrix.as_coeffs();
            let direction = Vec2::new(a * unit.x + c * unit.y, b * unit.x + d * unit.y);
            let size = (c * c + d * d).sqrt() * state.size.abs() * face.em();
            let replaced = said.map(|said| said.text.borrow_mut().take().unwrap_or_default());
            lines.glyph(&Glyph {
                text: replaced.as_deref().unwrap_or(&coded.text),
                from,
                to,
                direction,
                size,
            })?;
            text.forward(width * state.size + spaced, down * state.size + spaced, state);
        }
        Ok(())
    }
}

impl Text {
    fn next(&mut self, x: f64, y: f64) {
        self.line *= Affine::translate((x, y));
        self.matrix = self.line;
    }

    /// Moves on by what a glyph takes, along the line or down the column.
    fn forward(&mut self, along: f64, down: f64, state: &State<'_>) {
        let is_horizontal = state.face.as_ref().is_none_or(|face| face.is_horizontal());
        let by = if is_horizontal { (along * state.scale, 0.0) } else { (0.0, down) };
        self.matrix *= Affine::translate(by);
    }

    fn open(&mut self, said: Option<ActualText>) {
        if self.marked.len() < MOST_STATES {
            self.marked.push(said);
        } else {
            self.n_marked_beyond += 1;
        }
    }

    fn close(&mut self) {
        if self.n_marked_beyond > 0 {
            self.n_marked_beyond -= 1;
        } else {
            self.marked.pop();
        }
    }
}

/// Returns the text that is given for marked content.
fn actual_text(properties: &Dict<'_>) -> Option<ActualText> {
    let said = properties.get::<hayro_syntax::object::String<'_>>(b"ActualText".as_slice())?;
    Some(ActualText { text: RefCell::new(Some(utf16_or_latin(&said))) })
}

/// Shows the value of a field whose appearance is left to the reader.
fn field(widget: &Dict<'_>, lines: &mut Lines) -> Result<(), Exceeded> {
    const MOST_PARENTS: usize = 8;
    let (mut kind, mut value) = (None, None);
    let mut at = Some(widget.clone());
    for _ in 0..MOST_PARENTS {
        let Some(dict) = at else { break };
        kind = kind.or_else(|| dict.get::<Name<'_>>(b"FT".as_slice()));
        value = value.or_else(|| dict.get::<hayro_syntax::object::String<'_>>(keys::V));
        at = dict.get::<Dict<'_>>(keys::PARENT);
    }
    let is_text = kind.is_some_and(|kind| matches!(&*kind, b"Tx" | b"Ch"));
    match value {
        Some(value) if is_text => lines.separate(&utf16_or_latin(&value)),
        _ => Ok(()),
    }
}

fn matrix_of(form: &Dict<'_>) -> Affine {
    form.get::<[f64; 6]>(keys::MATRIX).map_or(Affine::IDENTITY, affine)
}

fn affine(coefficients: [f64; 6]) -> Affine {
    Affine::new(coefficients)
}
