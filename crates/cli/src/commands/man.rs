//! `retold man`: manual pages, made from the same description as the help.

use std::fs;
use std::io;
use std::path::Path;

use clap::Command;
use clap_mangen::Man as Page;
use retold::Error;

use crate::args::{self, Man};
use crate::commands::pages;
use crate::failure::Failure;
use crate::terminal;

/// Prints the main page, or writes all pages into a folder.
pub(crate) fn man(args: &Man) -> Result<(), Failure> {
    let mut command = args::command();
    command.build();
    let Some(dir) = &args.dir else {
        let page = page(&command).map_err(Failure::Print)?;
        return terminal::print(&String::from_utf8_lossy(&page));
    };
    fs::create_dir_all(dir).map_err(|source| failed("create", dir, source))?;
    let mut pages = Vec::new();
    for command in std::iter::once(&command).chain(command.get_subcommands()) {
        // After `build` a subcommand is called `retold find` for display and `find` by name.
        let name = match command.get_bin_name() {
            Some(name) => format!("{}.1", name.replace(' ', "-")),
            None => "retold.1".to_owned(),
        };
        let page = page(command).map_err(|source| failed("write", &dir.join(&name), source))?;
        pages.push((name, page));
    }
    pages::write_all(dir, &pages, args.overwrite)
}

fn failed(what: &'static str, path: &Path, source: io::Error) -> Failure {
    Error::Io { what, path: path.to_owned(), source }.into()
}

/// Returns a manual page in roff.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let page = Page::new(command.clone());
    let mut out = Vec::new();
    page.render_title(&mut out)?;
    page.render_name_section(&mut out)?;
    page.render_synopsis_section(&mut out)?;
    page.render_description_section(&mut out)?;
    page.render_options_section(&mut out)?;
    if command.has_subcommands() {
        page.render_subcommands_section(&mut out)?;
    }
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    out.extend(after_sections(&after).into_bytes());
    if command.get_version().is_some() {
        page.render_version_section(&mut out)?;
    }
    Ok(out)
}

/// Returns the text below the options as sections: a line of capitals is a heading, indented
/// lines stay as they are.
fn after_sections(text: &str) -> String {
    let mut out = String::new();
    let mut is_literal = false;
    for line in text.lines() {
        let is_heading =
            !line.is_empty() && line.chars().all(|c| c.is_ascii_uppercase() || c == ' ');
        if is_literal != line.starts_with(' ') {
            is_literal = !is_literal;
            out.push_str(if is_literal { ".nf\n" } else { ".fi\n" });
        }
        if is_heading {
            out.push_str(".SH ");
        } else if line.is_empty() {
            out.push_str(".PP");
        }
        out.push_str(&roff(line));
        out.push('\n');
    }
    if is_literal {
        out.push_str(".fi\n");
    }
    out
}

/// Returns a line that roff prints as it is.
fn roff(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}
