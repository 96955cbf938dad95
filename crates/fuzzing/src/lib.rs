//! What is called with bytes that nobody expects.
//!
//! A [`Target`] is a plain function from bytes to nothing, which panics if something is wrong, and a folder of
//! files that it does well with. `cargo test -p retold-fuzzing` calls each with its files and with a fixed number
//! of changed ones, the same on every machine; `fuzz/run` gives them to libFuzzer for as long as wanted.
//!
//! PDF is not among them: it is read by a process of its own, which may end, and `bench/pdf/mutants` changes files
//! for it. Neither is the Python package, whose conversions need an interpreter: `python/tests/test_any_object.py` hands
//! it objects of all kinds.

mod http;
mod index;
mod mining;
mod reading;
mod text;

/// Something that takes bytes from outside.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, that of the file in `fuzz/fuzz_targets`.
    pub name: &'static str,
    /// Folders with files to begin with, below the root of the repository.
    pub seeds: &'static [&'static str],
    /// Takes the bytes.
    ///
    /// *Panics* if what they lead to is wrong.
    pub call: fn(&[u8]),
}

/// Folder of the changed files of the readers.
macro_rules! formats {
    ($($format:literal),+) => {
        &[$(concat!("crates/read/tests/mutating/seeds/", $format)),+]
    };
}

macro_rules! own {
    ($name:literal) => {
        &[concat!("fuzz/seeds/", $name)]
    };
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "alto", seeds: formats!["alto"], call: |bytes| reading::read(bytes, &["xml"]) },
    Target {
        name: "archives",
        seeds: formats!["tar", "zip"],
        call: |bytes| reading::read(bytes, &["tar", "zip"]),
    },
    Target {
        name: "arrow",
        seeds: formats!["arrow"],
        call: |bytes| reading::read(bytes, &["arrow"]),
    },
    Target {
        name: "compressed",
        seeds: formats!["compressed"],
        call: |bytes| reading::read(bytes, &["jsonl", "jsonl.br"]),
    },
    Target {
        name: "feeds",
        seeds: formats!["feed"],
        call: |bytes| reading::read(bytes, &["rss", "json"]),
    },
    Target { name: "html", seeds: formats!["html"], call: |bytes| reading::read(bytes, &["html"]) },
    Target { name: "http", seeds: own!["http"], call: http::ask },
    Target { name: "images", seeds: own!["images"], call: index::images },
    Target { name: "index_files", seeds: own!["index_files"], call: index::files },
    Target { name: "json", seeds: formats!["json"], call: |bytes| reading::read(bytes, &["json"]) },
    Target { name: "jsonl", seeds: formats!["jsonl"], call: reading::lines },
    Target { name: "log_record", seeds: own!["log_record"], call: index::log_record },
    Target {
        name: "mail",
        seeds: formats!["eml", "mbox"],
        call: |bytes| reading::read(bytes, &["eml", "mbox"]),
    },
    Target { name: "manifest", seeds: own!["manifest"], call: index::manifest },
    Target {
        name: "markup",
        seeds: formats!["markdown", "wiki", "latex"],
        call: |bytes| reading::read(bytes, &["md", "wiki", "tex"]),
    },
    Target { name: "maximal_sets", seeds: own!["maximal_sets"], call: mining::maximal_sets },
    Target {
        name: "office",
        seeds: formats!["docx", "odt", "epub"],
        call: |bytes| reading::read(bytes, &["docx", "odt", "epub"]),
    },
    Target {
        name: "parquet",
        seeds: formats!["parquet"],
        call: |bytes| reading::read(bytes, &["parquet"]),
    },
    Target { name: "part_footer", seeds: own!["part_footer"], call: index::part_footer },
    Target { name: "rtf", seeds: formats!["rtf"], call: |bytes| reading::read(bytes, &["rtf"]) },
    Target {
        name: "sgml",
        seeds: formats!["sgml"],
        call: |bytes| reading::read(bytes, &["sgm", "sgml"]),
    },
    Target {
        name: "sqlite",
        seeds: formats!["sqlite"],
        call: |bytes| reading::read(bytes, &["sqlite"]),
    },
    Target {
        name: "tables",
        seeds: formats!["csv", "tsv"],
        call: |bytes| reading::read(bytes, &["csv", "tsv"]),
    },
    Target { name: "text", seeds: formats!["text"], call: |bytes| reading::read(bytes, &["txt"]) },
    Target { name: "warc", seeds: formats!["warc"], call: |bytes| reading::read(bytes, &["warc"]) },
    Target { name: "words", seeds: formats!["text", "html", "markdown"], call: text::words },
    Target {
        name: "xml",
        seeds: formats!["xml", "dump", "annotations"],
        call: |bytes| reading::read(bytes, &["xml"]),
    },
];

/// Calls a target by its name.
///
/// *Panics* if there is none, and as [`Target::call`] does.
pub fn call(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.expect("a target of that name").call)(bytes);
}
