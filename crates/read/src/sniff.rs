//! Telling what a stream holds from its first bytes, and from its name where they do not say.

use crate::encoding::{self, Encoding};
use crate::fields::Names;
use crate::format::{Context, Format};

/// The beginning of a stream, decoded where it is text.
pub(crate) struct Look<'a> {
    /// The first bytes as they are.
    pub(crate) bytes: &'a [u8],
    /// Whether there are no more.
    pub(crate) is_all: bool,
    /// The same as text, without a byte order mark; `None` if it is binary.
    pub(crate) text: Option<&'a str>,
    /// Last part of the name after a dot, lower case.
    pub(crate) ending: &'a str,
    /// Names of fields that the run asks for.
    pub(crate) names: &'a Names,
}

impl<'a> Look<'a> {
    /// Returns the text without white space in front, or nothing if it is binary.
    pub(crate) fn start(&self) -> &'a str {
        self.text.unwrap_or_default().trim_start()
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
    // What is looked at for words is a prefix; its tail may be cut inside a character.
    let decoded = encoding.as_ref().ok().map(|&(encoding, mark)| encoding.look(&head[mark..]));
    let base = name.rsplit(['/', '!']).next().unwrap_or(name);
    let ending = base.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let ending = ending.unwrap_or_default();
    let look = Look {
        bytes: head,
        is_all,
        text: decoded.as_deref(),
        ending: &ending,
        names: &context.names,
    };
    let by_content = || Format::ALL.iter().copied().find(|format| (format.spec().shows)(&look));
    let by_name = || {
        Format::ALL.iter().copied().find(|format| format.spec().endings.contains(&ending.as_str()))
    };
    let format =
        context.options.format.or_else(by_content).or_else(by_name).unwrap_or(Format::Text);
    if !format.spec().is_text {
        return Ok(Told { format, encoding: None });
    }
    // One stray NUL must not cost a file of records; each record answers for itself.
    let encoding = match encoding {
        Err(_) if format.spec().holds_records && shows_records(head, format) => {
            (Encoding::UTF_8, 0)
        }
        Ok((encoding, mark))
            if format.spec().holds_records
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

/// Returns whether a head with NUL bytes is still mostly records of the format its name says.
fn shows_records(head: &[u8], format: Format) -> bool {
    let n_nul = memchr::memchr_iter(0, head).count();
    format == Format::Jsonl
        && n_nul * 1000 < head.len().max(1)
        && head.trim_ascii_start().starts_with(b"{")
}
