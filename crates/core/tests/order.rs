//! A module of the crate imports only from modules that stand before it in `lib.rs`, which lists
//! them in the order of the data. Tests and documentation may look ahead.

use std::fs;
use std::path::{Path, PathBuf};

/// An import that should not be there.
#[derive(Debug, PartialEq)]
struct Late {
    /// Line of the file, from 1.
    line: usize,
    /// The module that is imported from.
    module: String,
}

/// Returns the modules of the crate in the order of `lib.rs`.
fn modules(lib: &str) -> Vec<String> {
    let name = |line: &str| Some(line.strip_prefix("pub mod ")?.strip_suffix(';')?.to_owned());
    lib.lines().filter_map(name).collect()
}

/// Returns the source with comments and items for tests turned into spaces, line by line.
fn code(source: &str) -> String {
    let mut out = String::new();
    // Braces opened and closed so far in an item for tests; `None` outside of one.
    let mut in_test: Option<[usize; 2]> = None;
    for line in source.lines() {
        let line = line.split("//").next().unwrap_or_default();
        if line.trim() == "#[cfg(test)]" {
            in_test = Some([0, 0]);
        } else if let Some([opened, closed]) = in_test {
            let opened = opened + line.matches('{').count();
            let closed = closed + line.matches('}').count();
            let is_end = opened == closed && (opened > 0 || line.trim_end().ends_with(';'));
            in_test = (!is_end).then_some([opened, closed]);
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    out
}

/// Returns the modules that a source names behind `crate::`, with their lines.
fn imports(source: &str) -> Vec<Late> {
    let code = code(source);
    let mut out = Vec::new();
    for (at, found) in code.match_indices("crate::") {
        let line = code[..at].matches('\n').count() + 1;
        let rest = &code[at + found.len()..];
        let mut add = |text: &str| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let module: String = text.trim().chars().take_while(|&c| is_part(c)).collect();
            out.push(Late { line, module });
        };
        match rest.strip_prefix('{') {
            None => add(rest),
            Some(group) => {
                let (mut depth, mut start) = (0, 0);
                for (i, c) in group.char_indices() {
                    match c {
                        '{' => depth += 1,
                        ',' | '}' if depth == 0 => {
                            add(&group[start..i]);
                            start = i + 1;
                        }
                        '}' => depth -= 1,
                        _ => {}
                    }
                    if c == '}' && depth == 0 && start == i + 1 {
                        break;
                    }
                }
            }
        }
    }
    out
}

/// Returns the imports of a module's source that come from later modules.
fn late(order: &[String], module: &str, source: &str) -> Vec<Late> {
    let place = |name: &str| order.iter().position(|other| other == name);
    let own = place(module).expect("the module is listed");
    let is_late = |import: &Late| place(&import.module).is_some_and(|other| other > own);
    imports(source).into_iter().filter(is_late).collect()
}

/// Returns the sources below a folder, without the files of modules that are for tests only.
fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder can be listed")
        .map(|entry| entry.expect("the entry can be read").path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|end| end == "rs") && !is_for_tests(&path) {
            out.push(path);
        }
    }
}

/// Returns whether the module of a file is declared under `#[cfg(test)]`.
fn is_for_tests(path: &Path) -> bool {
    let name = path.file_stem().and_then(|stem| stem.to_str()).expect("names are plain");
    let folder = path.parent().expect("a file lies in a folder");
    let parents = [folder.join("mod.rs"), folder.join("lib.rs"), folder.with_extension("rs")];
    let declared = parents.iter().filter_map(|parent| fs::read_to_string(parent).ok());
    declared.into_iter().any(|parent| {
        let lines: Vec<&str> = parent.lines().map(str::trim).collect();
        let is_declaration = |line: &str| line.ends_with(&format!("mod {name};"));
        lines.windows(2).any(|pair| pair[0] == "#[cfg(test)]" && is_declaration(pair[1]))
    })
}

#[test]
fn no_module_imports_from_a_later_one() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let order = modules(&fs::read_to_string(src.join("lib.rs")).expect("the crate has a root"));
    assert!(order.len() > 10, "{order:?}");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| !file.ends_with("lib.rs")) {
        let inside = file.strip_prefix(&src).expect("it lies below");
        let module = inside.iter().next().and_then(|part| part.to_str()).expect("names are plain");
        let source = fs::read_to_string(file).expect("sources are text");
        for Late { line, module: other } in late(&order, module.trim_end_matches(".rs"), &source) {
            complaints.push(format!("{}:{line} imports from {other}", inside.display()));
        }
    }
    assert!(complaints.is_empty(), "later modules are imported:\n{}", complaints.join("\n"));
}

#[test]
fn an_import_from_a_later_module_is_noticed_wherever_it_stands() {
    let order = ["first", "second", "third"].map(str::to_owned);
    let source = "\
        //! Like [`third`](crate::third).\n\
        use crate::first::{One, crate_like};\n\
        use crate::{\n    first::{A, B},\n    third::C,\n    second,\n};\n\
        fn f(_: crate::third::D) {}\n\
        #[cfg(test)]\n\
        use crate::third::E;\n\
        #[cfg(test)]\n\
        mod tests {\n    use crate::third::F;\n}\n\
        const G: u8 = crate::third::G;\n";
    let at = |line: usize| Late { line, module: "third".to_owned() };
    assert_eq!(late(&order, "second", source), [at(3), at(8), at(15)]);
    assert_eq!(late(&order, "third", source), []);
}
