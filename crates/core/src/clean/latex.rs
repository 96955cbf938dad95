//! The text of LaTeX: commands, formulas, comments and the preamble left out.
//!
//! # How it works
//! One pass over the source. Braces around an argument are left out and the argument stays, unless
//! it belongs to a command whose argument is no text (`\cite`, `\label`, `\usepackage` …). Formulas,
//! and environments for formulas and pictures, are left out. Nothing is expanded: what own commands
//! would show is not there.

use std::borrow::Cow;

use super::ahead::{Ahead, Pairs};
use super::alignment::Alignment;
use super::taken::Taken;

/// Commands whose arguments are no text.
const NO_TEXT: [&str; 47] = [
    "addbibresource",
    "addcontentsline",
    "addtocounter",
    "addtolength",
    "author",
    "autoref",
    "bibliography",
    "bibliographystyle",
    "bibitem",
    "cite",
    "citealp",
    "citep",
    "citet",
    "color",
    "date",
    "definecolor",
    "documentclass",
    "eqref",
    "footnotemark",
    "geometry",
    "graphicspath",
    "hspace",
    "hypersetup",
    "include",
    "includegraphics",
    "input",
    "label",
    "newcommand",
    "newenvironment",
    "newtheorem",
    "nocite",
    "pagenumbering",
    "pageref",
    "pagestyle",
    "ref",
    "renewcommand",
    "setcounter",
    "setlength",
    "textcite",
    "thispagestyle",
    "url",
    "usepackage",
    "usetikzlibrary",
    "vspace",
    "thanks",
    "cref",
    "Cref",
];

/// Commands of whose arguments only the last is text, and how many stand before it.
const LAST_IS_TEXT: [(&str, usize); 10] = [
    ("colorbox", 1),
    ("fcolorbox", 2),
    ("foreignlanguage", 1),
    ("href", 1),
    ("multicolumn", 2),
    ("multirow", 2),
    ("parbox", 1),
    ("raisebox", 1),
    ("scalebox", 1),
    ("textcolor", 1),
];

/// Environments whose arguments are no text.
const SIZED: [&str; 5] = ["minipage", "multicols", "tabular", "tabularx", "wrapfigure"];

/// Environments whose content is no text.
const HIDDEN: [&str; 18] = [
    "align",
    "align*",
    "array",
    "comment",
    "displaymath",
    "eqnarray",
    "eqnarray*",
    "equation",
    "equation*",
    "filecontents",
    "gather",
    "gather*",
    "math",
    "multline",
    "multline*",
    "picture",
    "tikzpicture",
    "thebibliography",
];

/// Environments whose content is shown as it stands.
const VERBATIM: [&str; 3] = ["verbatim", "verbatim*", "lstlisting"];

/// Commands that begin and end a paragraph.
const BLOCKS: [&str; 13] = [
    "caption",
    "chapter",
    "item",
    "maketitle",
    "newpage",
    "par",
    "paragraph",
    "part",
    "section",
    "subparagraph",
    "subsection",
    "subsubsection",
    "title",
];

/// Longest formula; a lone sign is none.
const FORMULA_BYTES: usize = 1 << 14;

/// Returns the text without its commands.
pub(super) fn shown(source: &str) -> (Cow<'_, str>, Alignment) {
    let mut reader = Reader {
        source,
        at: 0,
        taken: Taken::new(source),
        ahead: Ahead::new(source),
        braces: Pairs::of(source, "{", "}"),
        options: Pairs::of(source, "[", "]"),
        block_end: None,
        label_end: None,
    };
    if let Some(begin) = source.find("\\begin{document}") {
        reader.at = begin;
    }
    reader.read();
    reader.taken.finish()
}

struct Reader<'s> {
    source: &'s str,
    at: usize,
    taken: Taken<'s>,
    ahead: Ahead<'s>,
    braces: Pairs,
    options: Pairs,
    /// End of the argument, such as that of a heading, behind which a paragraph begins.
    block_end: Option<usize>,
    /// End of the label of an item, `\item[label]`.
    label_end: Option<usize>,
}

impl Reader<'_> {
    fn read(&mut self) {
        while self.at < self.source.len() {
            let rest = &self.source[self.at..];
            let n = rest.find(['\\', '%', '{', '}', '$', '~', '&', '\n', '`', '\'', '-', ']']);
            let n = n.unwrap_or(rest.len());
            if n > 0 {
                self.taken.keep(self.at..self.at + n);
                self.at += n;
                continue;
            }
            match rest.as_bytes()[0] {
                b'%' => self.at += rest.find('\n').map_or(rest.len(), |end| end + 1),
                b'{' | b'}' => {
                    self.at += 1;
                    if self.block_end == Some(self.at) {
                        self.taken.end_line(2);
                    }
                }
                b']' if self.label_end == Some(self.at + 1) => self.replace(1, " "),
                b'$' => {
                    let mark = if rest.starts_with("$$") { "$$" } else { "$" };
                    self.pass_formula(mark.len(), mark);
                }
                b'\\' => self.command(rest),
                b'~' | b'&' => self.replace(1, " "),
                b'\n' => {
                    let blank = rest[1..].trim_start_matches([' ', '\t', '\r']);
                    if blank.starts_with('\n') {
                        self.taken.end_line(2);
                        self.at += 1;
                    } else {
                        self.keep(1);
                    }
                }
                b'`' if rest.starts_with("``") => self.replace(2, "“"),
                b'\'' if rest.starts_with("''") => self.replace(2, "”"),
                b'-' if rest.starts_with("---") => self.replace(3, "—"),
                b'-' if rest.starts_with("--") => self.replace(2, "–"),
                _ => self.keep(1),
            }
        }
    }

    fn keep(&mut self, n: usize) {
        self.taken.keep(self.at..self.at + n);
        self.at += n;
    }

    fn replace(&mut self, n: usize, shown: &str) {
        self.taken.replace(self.at..self.at + n, shown);
        self.at += n;
    }

    fn command(&mut self, rest: &str) {
        let after = &rest[1..];
        let n_name = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let name = &after[..n_name];
        if name.is_empty() {
            self.symbol(after);
            return;
        }
        let mut n = 1 + n_name;
        n += usize::from(rest[n..].starts_with('*'));
        match name {
            "begin" | "end" => {
                let end = self.braces.end_of(self.at + n);
                let inner = end.map_or(0, |end| end - self.at - n);
                let environment = rest.get(n + 1..n + inner.max(2) - 1).unwrap_or_default();
                self.taken.end_line(2);
                if name == "end" && environment == "document" {
                    // What follows is not read by LaTeX either.
                    self.at = self.source.len();
                    return;
                }
                self.at += n + inner;
                if name == "begin" && HIDDEN.contains(&environment) {
                    let end = format!("\\end{{{environment}}}");
                    let found = self.ahead.find(&end, self.at);
                    self.at = found.map_or(self.at, |at| at + end.len());
                } else if name == "begin" && VERBATIM.contains(&environment) {
                    let end = format!("\\end{{{environment}}}");
                    let found = self.ahead.find(&end, self.at).unwrap_or(self.at);
                    self.keep(found - self.at);
                } else if name == "begin" {
                    self.pass_arguments(SIZED.contains(&environment.trim_end_matches('*')));
                }
            }
            "verb" => {
                let mark = rest[n..].chars().next();
                let start = n + mark.map_or(0, char::len_utf8);
                let line = &rest[start..start + super::char_floor(&rest[start..], 4_096)];
                match mark.and_then(|mark| line.find(mark).map(|end| (end, mark))) {
                    Some((end, mark)) => {
                        self.at += start;
                        self.keep(end);
                        self.at += mark.len_utf8();
                    }
                    None => self.at += n,
                }
            }
            _ if NO_TEXT.contains(&name) => {
                self.at += n;
                self.pass_arguments(true);
            }
            _ => self.named(name, n),
        }
    }

    /// Takes a command whose argument is text, or that stands for a character.
    fn named(&mut self, name: &str, n: usize) {
        let character = match name {
            "ss" => "ß",
            "ae" => "æ",
            "AE" => "Æ",
            "oe" => "œ",
            "OE" => "Œ",
            "o" => "ø",
            "O" => "Ø",
            "l" => "ł",
            "L" => "Ł",
            "aa" => "å",
            "AA" => "Å",
            "i" => "ı",
            "ldots" | "dots" | "textellipsis" => "…",
            "textendash" => "–",
            "textemdash" => "—",
            "LaTeX" => "LaTeX",
            "TeX" => "TeX",
            "S" => "§",
            "c" | "v" | "u" | "H" | "r" | "k" => {
                self.accent(name.as_bytes()[0], n);
                return;
            }
            _ => "",
        };
        if !character.is_empty() {
            self.replace(n, character);
            return;
        }
        if BLOCKS.contains(&name) {
            self.taken.end_line(2);
        } else if matches!(name, "quad" | "qquad" | "linebreak" | "newline") {
            self.replace(n, " ");
            return;
        }
        self.at += n;
        if name == "item" {
            self.label_end = self.options.end_of(self.at);
            self.at += usize::from(self.label_end.is_some());
            return;
        }
        // Options are no text.
        self.pass_arguments(false);
        if let Some((_, before)) = LAST_IS_TEXT.iter().find(|(command, _)| *command == name) {
            for _ in 0..*before {
                self.at = self.braces.end_of(self.at).unwrap_or(self.at);
                self.pass_arguments(false);
            }
        }
        if BLOCKS.contains(&name) {
            self.block_end = self.braces.end_of(self.at).or(self.block_end);
        }
        // The space behind a command without arguments belongs to it.
        let rest = &self.source[self.at..];
        if rest.starts_with(' ') && !BLOCKS.contains(&name) {
            self.at += 1;
        }
    }

    /// Takes a command of one sign.
    fn symbol(&mut self, after: &str) {
        let Some(sign) = after.chars().next() else {
            self.at += 1;
            return;
        };
        match sign {
            '\\' => {
                self.taken.end_line(1);
                self.at += 2;
            }
            '%' | '&' | '$' | '#' | '_' | '{' | '}' => {
                self.at += 1;
                self.keep(1);
            }
            '(' => self.pass_formula(2, "\\)"),
            '[' => self.pass_formula(2, "\\]"),
            '\'' | '`' | '^' | '"' | '~' | '=' | '.' => self.accent(sign as u8, 2),
            ' ' | ',' | ';' | ':' | '!' => self.replace(2, if sign == '!' { "" } else { " " }),
            '-' | '/' | '@' => self.at += 2,
            _ => self.at += 1,
        }
    }

    /// Takes an accent and the letter below it; `n` bytes are the command.
    fn accent(&mut self, accent: u8, n: usize) {
        let rest = &self.source[self.at + n..];
        let inner = rest.trim_start_matches([' ', '{', '\\']);
        let letter = inner.chars().next().filter(|c| c.is_alphabetic());
        let Some(letter) = letter else {
            self.at += n;
            return;
        };
        let mark = match accent {
            b'\'' => '\u{301}',
            b'`' => '\u{300}',
            b'^' => '\u{302}',
            b'"' => '\u{308}',
            b'~' => '\u{303}',
            b'=' => '\u{304}',
            b'.' => '\u{307}',
            b'c' => '\u{327}',
            b'v' => '\u{30c}',
            b'u' => '\u{306}',
            b'H' => '\u{30b}',
            b'r' => '\u{30a}',
            _ => '\u{328}',
        };
        let taken = rest.len() - inner.len() + letter.len_utf8();
        // Composed by the normalisation that follows, unless none is asked for.
        self.replace(n + taken, &format!("{letter}{mark}"));
    }

    /// Passes over options and, if asked to, arguments.
    fn pass_arguments(&mut self, braces: bool) {
        loop {
            let found = self.options.end_of(self.at);
            let found = found.or_else(|| self.braces.end_of(self.at).filter(|_| braces));
            let Some(end) = found else { return };
            self.at = end;
        }
    }

    /// Passes over a formula that begins with `n` bytes and ends with `mark`, no longer than a
    /// paragraph may be.
    fn pass_formula(&mut self, n: usize, mark: &str) {
        let end = self.ahead.find(mark, self.at + n).map(|end| end + mark.len());
        let end = end.filter(|end| end - self.at < FORMULA_BYTES);
        self.at = end.unwrap_or(self.at + n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Span;

    #[test]
    fn commands_go_and_positions_lead_back() {
        let source = "\\documentclass{article}\\title{x}\n\\begin{document}\n\\section*{The ferry}\n% no\n\
                      It was \\emph{very} late~\\cite{a,b}, ``he'' said: 5\\,\\% of $x_1$ at caf\\'e.\n\n\
                      \\begin{equation}a=b\\end{equation}\n\\begin{itemize}\\item one\\item two\\end{itemize}\n\
                      \\end{document}";
        let (text, alignment) = shown(source);
        let expected =
            "The ferry\n\nIt was very late , “he” said: 5 % of  at cafe\u{301}.\n\none\n\ntwo";
        assert_eq!(text.trim_end(), expected);
        for word in ["ferry", "very", "late", "said", "one", "two"] {
            let at = text.find(word).expect("the word is shown") as u32;
            let found = alignment.original(Span::new(at, at + word.len() as u32));
            assert_eq!(found.of(source), Some(word));
        }
    }

    #[test]
    fn addresses_colours_and_sizes_are_no_text() {
        let source = "\\begin{document}A \\href{http://x.org/a}{site} is \\textcolor{red}{red}, \\colorbox[rgb]{1,0,0}{boxed}.\n                      \\begin{minipage}{0.5\\textwidth}inside\\end{minipage}\n                      \\begin{description}\\item[Quay] a wharf [sic] \\item[A \\emph{mill}] weaves\\end{description}\n                      \\begin{verbatim}\\end{document} stays\\end{verbatim} last\\end{document} and this is not read";
        let (text, _) = shown(source);
        let words: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(
            words.join(" "),
            "A site is red, boxed. inside Quay a wharf [sic] A mill weaves \\end{document} stays last"
        );
    }

    #[test]
    fn broken_input_is_read_to_its_end() {
        for source in [
            "\\",
            "$x",
            "\\begin{",
            "{a",
            "\\verb|x",
            "\\'",
            "}",
            "\\begin{verbatim}x",
            "\\item[",
            "\\href{",
        ] {
            shown(source);
        }
        shown(&"{[$\\(".repeat(10_000));
        shown(&"\\section[".repeat(10_000));
    }
}
