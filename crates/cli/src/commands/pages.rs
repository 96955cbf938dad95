//! The methods as pages in Markdown, for the documentation of the project.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use retold::{Error, METHODS, Profile, Spec};
use retold_report::OutputFile;

use super::methods::{finds, same_as, text_of_paper};
use crate::failure::Failure;

/// Said at the top of each page.
const MADE: &str =
    "<!-- Made by `retold methods --pages docs/methods`; change the method's file instead. -->\n\n";

/// Writes a page for each method and a list of them.
///
/// None is written before all are known to have a place.
pub(super) fn write(folder: &Path, overwrite: bool) -> Result<(), Failure> {
    let failed = |source| Error::Io { what: "create", path: folder.to_owned(), source };
    fs::create_dir_all(folder).map_err(failed)?;
    let mut pages = vec![("README.md".to_owned(), list())];
    for spec in METHODS {
        pages.push((format!("{}.md", spec.name), page(spec)));
    }
    write_all(folder, &pages, overwrite)
}

/// Writes files into a folder, after a look whether each has a place.
pub(super) fn write_all<T: AsRef<[u8]>>(
    folder: &Path,
    files: &[(String, T)],
    overwrite: bool,
) -> Result<(), Failure> {
    for (name, _) in files {
        OutputFile::create(&folder.join(name), overwrite).map_err(Error::from)?;
    }
    for (name, bytes) in files {
        OutputFile::write(&folder.join(name), overwrite, bytes.as_ref()).map_err(Error::from)?;
    }
    Ok(())
}

/// Returns the list of all methods.
fn list() -> String {
    let mut out = format!("{MADE}# Methods\n\n");
    out.push_str(
        "Each runs in profile `retold` (it proposes, the documents decide) and in profile `paper` \
         (to the letter; it decides itself), over a collection (`retold find`), two collections \
         (`--against`), for one text (`retold query`) and on a stream (`retold stream`). \
         [COMPARISON.md](COMPARISON.md) sets them side by side.\n\n\
         | method | what it is | finds | may miss pairs |\n|---|---|---|---|\n",
    );
    for spec in METHODS {
        let missing = if spec.approximate.is_some() { "yes" } else { "no" };
        let (name, title, finds) = (spec.name, spec.title, finds(spec));
        let _ = writeln!(out, "| [{name}]({name}.md) | {title} | {finds} | {missing} |");
    }
    out.push_str("\n## Forms\n\nPublished variants that have a name of their own.\n\n");
    out.push_str("| form | of | what it is |\n|---|---|---|\n");
    for spec in METHODS {
        for form in spec.forms {
            let (name, about) = (form.name, form.about);
            let _ = writeln!(out, "| `{name}` | [{0}]({0}.md) | {about} |", spec.name);
        }
    }
    out
}

/// Returns the page of a method.
fn page(spec: &Spec) -> String {
    let story = spec.story();
    let (first, rest) = story.split_once('\n').unwrap_or((&story, ""));
    let rest = rest.lines().map(|line| match line.strip_prefix("# ") {
        Some(heading) => format!("\n## {heading}\n\n"),
        None => format!("{line}\n"),
    });
    let mut out = format!("{MADE}# {}\n\n{first}\n", spec.name);
    out.extend(rest);
    let _ = write!(out, "\n## Relations\n\n{}.\n", finds(spec));
    let misses = spec.approximate.unwrap_or("Nothing that its definition covers.");
    let _ = write!(out, "\n## May miss\n\n{misses}\n");
    if !spec.forms.is_empty() {
        out.push_str("\n## Forms\n\n| form | what it is | the same as |\n|---|---|---|\n");
        for form in spec.forms {
            let set: Vec<String> =
                same_as(spec, form).iter().map(|option| format!("`{option}`")).collect();
            let _ = writeln!(out, "| `{}` | {} | {} |", form.name, form.about, set.join(" "));
        }
    }
    out.push_str(
        "\n## Options\n\n| parameter | retold | paper | accepts | what it does |\n\
         |---|---|---|---|---|\n",
    );
    for parameter in (spec.parameters)() {
        let [ours, papers] = Profile::ALL.map(|profile| parameter.default(profile));
        let (name, about, accepts) = (parameter.name, parameter.about, parameter.accepts());
        let _ = writeln!(out, "| `{name}` | {ours} | {papers} | {accepts} | {about} |");
    }
    let text = text_of_paper(spec);
    if !text.is_empty() {
        let _ = write!(out, "\nText in profile `paper`: `{text}`.\n");
    }
    linked(&out)
}

/// Turns links of the code's documentation into links to its files.
fn linked(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("](crate::") {
        let Some((path, behind)) = after.split_once(')') else { break };
        out.push_str(before);
        // A path may end in an item; the file is that of its module, stage and file at most.
        let is_module = |part: &&str| part.starts_with(|c: char| c.is_ascii_lowercase());
        let modules: Vec<&str> = path.split("::").take_while(is_module).take(2).collect();
        let file = if modules.len() == 1 { "/mod" } else { "" };
        let _ = write!(out, "](../../crates/core/src/{}{file}.rs)", modules.join("/"));
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_the_code_lead_to_its_files() {
        let page =
            "see [`winnow`](crate::image::winnow) and [whole](crate::features::shingles::whole)";
        let made = "see [`winnow`](../../crates/core/src/image/winnow.rs) and \
                    [whole](../../crates/core/src/features/shingles.rs)";
        assert_eq!(linked(page), made);
    }
}
