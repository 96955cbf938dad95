//! Names of output files that follow the inputs and stay inside their directory.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::compress::Compression;
use crate::input::InputFile;

/// Longest part of a name, in bytes; file systems stop at 255.
const PART_BYTES: usize = 200;

/// Makes names of output files and gives none of them twice.
pub(crate) struct Namer {
    /// Directories that all inputs share; they are left out.
    n_shared: usize,
    /// Names given, in lower case: some file systems do not tell the cases apart.
    given: BTreeSet<String>,
}

impl Namer {
    pub(crate) fn new(files: &[InputFile]) -> Self {
        let mut directories = files.iter().map(|file| {
            let mut parts = parts(&file.name);
            parts.pop();
            parts
        });
        let mut shared = directories.next().unwrap_or_default();
        for other in directories {
            let n = shared.iter().zip(&other).take_while(|(a, b)| a == b).count();
            shared.truncate(n);
        }
        Self { n_shared: shared.len(), given: BTreeSet::new() }
    }

    /// Returns a name for the output of the file called `label`, with an ending if it lacks it.
    pub(crate) fn name(&mut self, label: &str, ending: &str) -> PathBuf {
        self.numbered(
            label,
            if ending.is_empty() { &[] } else { std::slice::from_ref(&ending) },
            "",
        )
    }

    /// Returns a name for an output that may be compressed; of several endings, any will do.
    pub(crate) fn compressed(
        &mut self,
        label: &str,
        compression: Option<Compression>,
        endings: &[&str],
    ) -> PathBuf {
        let label = compression.map_or(label, |compression| compression.inner_name(label));
        let outer = compression.map_or("", Compression::ending);
        self.numbered(label, endings, outer)
    }

    fn numbered(&mut self, label: &str, endings: &[&str], outer: &str) -> PathBuf {
        let mut parts = parts(label);
        let mut last = parts.pop().unwrap_or_else(|| "_".to_owned());
        let directories: PathBuf = parts.iter().skip(self.n_shared).collect();
        let has_ending = last
            .rsplit_once('.')
            .is_some_and(|(_, ending)| endings.iter().any(|it| it.eq_ignore_ascii_case(ending)));
        if let Some(ending) = endings.first()
            && !has_ending
        {
            last = format!("{last}.{ending}");
        }
        let (stem, ending) = match last.rsplit_once('.') {
            Some((stem, ending)) => (stem.to_owned(), format!(".{ending}{outer}")),
            None => (last.clone(), outer.to_owned()),
        };
        let mut number = 1;
        loop {
            let name = match number {
                1 => format!("{stem}{ending}"),
                number => format!("{stem}-{number}{ending}"),
            };
            let path = directories.join(name);
            if self.given.insert(path.to_string_lossy().to_lowercase()) {
                return path;
            }
            number += 1;
        }
    }
}

/// Cuts a label into parts that are plain names on every system.
fn parts(label: &str) -> Vec<String> {
    label.split(['/', '\\']).filter_map(part).collect()
}

fn part(part: &str) -> Option<String> {
    let odd = |c: char| c.is_control() || matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*');
    let mut name: String = part.chars().map(|c| if odd(c) { '_' } else { c }).collect();
    // `.` and `..` are directories, and some systems drop dots at the end of a name.
    name.truncate(name.trim_end_matches(['.', ' ']).len());
    let mut end = name.len().min(PART_BYTES);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.truncate(end);
    if name.is_empty() {
        return None;
    }
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_device = matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
        || stem.len() == 4 && (stem.starts_with("com") || stem.starts_with("lpt"));
    Some(if is_device { format!("_{name}") } else { name })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> InputFile {
        InputFile { path: None, name: name.to_owned(), bytes: 0 }
    }

    #[test]
    fn names_follow_the_inputs_below_their_common_directory() {
        let files = [file("/data/a/x.jsonl"), file("/data/b/x.jsonl"), file("/data/b/y.txt")];
        let mut namer = Namer::new(&files);
        let names: Vec<_> = files.iter().map(|file| namer.name(&file.name, "jsonl")).collect();
        assert_eq!(names, ["a/x.jsonl", "b/x.jsonl", "b/y.txt.jsonl"].map(PathBuf::from));
    }

    #[test]
    fn no_name_leads_out_and_equal_names_get_numbers() {
        let labels =
            ["../../etc/x", "/etc/x", "..\\x", "c:\\x", "....//x", "CON", "a\0b\u{1b}", "X"];
        let mut namer = Namer::new(&[]);
        let names: Vec<PathBuf> = labels.iter().map(|label| namer.name(label, "")).collect();
        for name in &names {
            assert!(
                name.components().all(|part| matches!(part, std::path::Component::Normal(_))),
                "{name:?}"
            );
        }
        let unique: BTreeSet<String> =
            names.iter().map(|name| name.to_string_lossy().to_lowercase()).collect();
        assert_eq!(unique.len(), labels.len());
        assert_eq!(names[5], PathBuf::from("_CON"));
    }

    #[test]
    fn compression_keeps_its_ending() {
        let mut namer = Namer::new(&[]);
        let zst = namer.compressed("a.jsonl.zst", Some(Compression::Zstd), &["jsonl"]);
        assert_eq!(zst, PathBuf::from("a.jsonl.zst"));
        let xz = namer.compressed("a.jsonl.xz", Some(Compression::Xz), &["jsonl"]);
        assert_eq!(xz, PathBuf::from("a.jsonl.xz"));
        let bz2 = namer.compressed("a.jsonl.bz2", Some(Compression::Bzip2), &["jsonl"]);
        assert_eq!(bz2, PathBuf::from("a.jsonl.bz2"));
        let br = namer.compressed("a.jsonl.br", Some(Compression::Brotli), &["jsonl"]);
        assert_eq!(br, PathBuf::from("a.jsonl.br"));
        let tar = namer.compressed("b.tar.gz", Some(Compression::Gzip), &["jsonl"]);
        assert_eq!(tar, PathBuf::from("b.tar.jsonl.gz"));
    }
}
