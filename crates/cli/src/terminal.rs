//! What the terminal can show, and printing to it.

use std::env;
use std::io::{self, IsTerminal, Write};

use retold_report::{Style, escape_terminal};

use crate::args::Color;
use crate::failure::Failure;

/// Returns how results are printed; `width` is taken where there is no terminal to ask.
pub(crate) fn style(color: Color, width: u16) -> Style {
    let is_terminal = io::stdout().is_terminal();
    let columns = if is_terminal {
        terminal_size::terminal_size_of(io::stdout()).map(|(columns, _)| columns.0)
    } else {
        None
    };
    Style {
        colour: is_coloured(color, is_terminal),
        width: columns.unwrap_or(width),
        // A file is read later and elsewhere; only a terminal is known not to have the characters.
        unicode: !is_terminal || has_unicode(),
    }
}

/// Returns whether messages are coloured.
pub(crate) fn colours_messages(color: Color) -> bool {
    is_coloured(color, io::stderr().is_terminal())
}

fn is_coloured(color: Color, is_terminal: bool) -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            is_terminal && !is_set("NO_COLOR") && env::var_os("TERM").is_none_or(|t| t != "dumb")
        }
    }
}

/// Returns whether the locale says UTF-8; where there are no locales, it is.
fn has_unicode() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()));
    match locale {
        Some(locale) => {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        }
        None => cfg!(not(unix)),
    }
}

/// Prints results.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::Print)
}

/// Prints one message on stderr: a word such as `error` and what there is to say.
///
/// Names in `text` come from strangers and are made safe. A message that cannot be printed is
/// lost: there is nobody to tell.
pub(crate) fn say(word: &str, text: &str, color: Color) {
    let line = message(word, text, colours_messages(color));
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Returns a message as one line.
pub(crate) fn message(word: &str, text: &str, is_coloured: bool) -> String {
    let text = escape_terminal(text);
    if !is_coloured {
        return format!("{word}: {text}");
    }
    let code = match word {
        "error" => "1;31",
        "warning" => "1;33",
        _ => "1;36",
    };
    format!("\u{1b}[{code}m{word}:\u{1b}[0m {text}")
}
