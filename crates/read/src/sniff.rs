//! Telling what a stream holds from its first bytes, and from its name where they do not say.

use memchr::memchr;

use crate::encoding::{self, Encoding};
use crate::fields::Names;
use crate::format::{Context, Format, Input};
use crate::html;

/// The beginning of a stream, decoded where it is text.
pub(crate) struct Look<'a> {
    /// The first bytes as they are.
    pub(crate) bytes: &'a [u8],
    /// Whether there are no more.
    pub(crate) is_all: bool,
    /// The same as text, without a byte order mark; binary data up to its first NUL.
    pub(crate) text: &'a str,
    /// Last part of the name after a dot, lower case.
    pub(crate) ending: &'a str,
    /// Names of fields that the run asks for.
    pub(crate) names: &'a Names,
}

impl<'a> Look<'a> {
    /// Returns the text without white space in front.
    pub(crate) fn start(&self) -> &'a str {
        self.text.trim_start()
    }

    /// Returns the first line that is not blank, and whether its end was seen.
    pub(crate) fn first_line(&self) -> (&'a str, bool) {
        let start = self.start();
        match start.split_once('\n') {
            Some((line, _)) => (line, true),
            None => (start, self.is_all),
        }
    }
}

/// What was found out about a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) format: Format,
    /// Encoding and length of the byte order mark; `None` for binary formats.
    pub(crate) encoding: Option<(Encoding, usize)>,
}

/// Tells the format and encoding of a stream, or says why it cannot be read.
pub(crate) fn tell(
    head: &[u8],
    is_all: bool,
    name: &str,
    context: &Context,
) -> Result<Told, String> {
    let forced = context.options.encoding.as_deref();
    let encoding = encoding::detect(head, is_all, forced, None);
    let decoded = match &encoding {
        Ok((encoding, mark)) => encoding.look(&head[*mark..]),
        Err(_) => Encoding::UTF_8.look(&head[..memchr(0, head).unwrap_or(head.len())]),
    };
    let base = name.rsplit(['/', '!']).next().unwrap_or(name);
    let ending = base.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let ending = ending.unwrap_or_default();
    let look = Look { bytes: head, is_all, text: &decoded, ending: &ending, names: &context.names };
    let mut formats = Format::ALL.iter().copied();
    let shown = context.options.format.or_else(|| formats.find(|it| (it.spec().shows)(&look)));
    let mut formats = Format::ALL.iter().copied();
    let named = || formats.find(|it| it.spec().endings.contains(&ending.as_str()));
    let format = shown.or_else(named).unwrap_or(Format::Text);
    let spec = format.spec();
    if matches!(spec.input, Input::Bytes | Input::Positions) {
        return Ok(Told { format, encoding: None });
    }
    let is_xml = matches!(format, Format::Xml | Format::Feed | Format::Alto);
    let declared = is_xml.then(|| html::charset(head)).flatten();
    let encoding = match encoding {
        // XML may declare its encoding; a byte order mark and valid UTF-8 count more.
        Ok(_) if declared.is_some() && forced.is_none() => {
            encoding::detect(head, is_all, None, declared.as_deref())?
        }
        // A NUL in one line does not make the file binary: such lines are refused one by one.
        Err(_) if shown == Some(Format::Jsonl) => (Encoding::UTF_8, 0),
        Ok((encoding, mark))
            if spec.input == Input::Utf8
                && forced.is_none()
                && !encoding.is_wide()
                && encoding::is_nearly_utf8(head) =>
        {
            (Encoding::UTF_8, mark)
        }
        other => other?,
    };
    Ok(Told { format, encoding: Some(encoding) })
}
