//! The collection without some records, in the formats it came in.

use std::io::Read;
use std::path::{Path, PathBuf};

use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::FileReader as _;
use retold_core::document::Span;
use retold_read::{
    Copied, CopyError, Copying, InputFile, ReadOptions, Reader, WasRead, copy_kept, discover,
};

use crate::archives::{Zipped, brotli, bzip2, gzip, tar, xz, zip, zstd};
use crate::common::{Files, read};
use crate::parquet_files::{Column, opened, parquet, parquet_groups, parquet_with, rows};

fn copy(paths: &[PathBuf], out: &Path, keep: &dyn Copying) -> Vec<Copied> {
    let found = discover(paths).expect("the paths exist");
    let before = was_read(&found.files);
    copy_kept(&found.files, &before, &ReadOptions::default(), out, keep, &|_| {})
        .expect("the output can be written")
}

/// Reads files as a run does before it copies them.
fn was_read(files: &[InputFile]) -> Vec<WasRead> {
    let mut reader = Reader::new(files.to_vec(), ReadOptions::default());
    let mut n_documents = vec![0; files.len()];
    let mut n_bad = 0;
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |record| match record {
            Ok(record) => n_documents[record.place.file as usize] += 1,
            Err(_) => n_bad += 1,
        });
    }
    let digests = reader.digests().into_iter();
    digests
        .map(|digest| WasRead {
            n_documents: n_documents[digest.file as usize],
            is_sound: n_bad == 0,
            digest,
        })
        .collect()
}

#[test]
fn lines_are_copied_as_they_stand() {
    let files = Files::new();
    let lines = "{\"id\":1,  \"text\":\"a\",\"extra\":[1]}\n\nbroken\n{\"id\":2,\"text\":\"b\"}\r\n{\"id\":3,\"text\":\"c\"}";
    let plain = files.write("in/x.jsonl", lines);
    let packed = files.write("in/y.jsonl.gz", gzip(lines.as_bytes()));
    let out = files.path().join("out");
    let copied = copy(&[plain, packed], &out, &|_, record| record != 3);
    let expected = "{\"id\":1,  \"text\":\"a\",\"extra\":[1]}\n{\"id\":3,\"text\":\"c\"}\n";
    assert_eq!(std::fs::read_to_string(out.join("x.jsonl")).expect("was written"), expected);
    let mut text = String::new();
    let file = std::fs::File::open(out.join("y.jsonl.gz")).expect("was written");
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("is gzip");
    assert_eq!(text, expected);
    for copied in copied {
        assert_eq!((copied.kept, copied.dropped, copied.unreadable), (2, 1, 1));
    }
}

#[test]
fn tables_keep_their_columns() {
    let files = Files::new();
    let csv = files.write("in/x.csv", "id,text,more\n1,\"a, b\",x\n2,c,y\n3,d\n");
    let texts = Column::some_texts((0..600).map(|n| (n != 5).then(|| format!("text {n}"))));
    let lists = (0..600).map(|n| (0..n % 4).collect());
    let value = KeyValue::new("made by".to_owned(), "a test".to_owned());
    let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![value.clone()]));
    let columns = [
        ("text", texts),
        ("more", Column::Numbers((0..600).collect())),
        ("lists", Column::Lists(lists.collect())),
    ];
    let bytes = parquet_with(properties, &columns);
    let parquet = files.write("in/x.parquet", &bytes);
    let out = files.path().join("out");
    let copied = copy(&[csv, parquet], &out, &|file, record| {
        file == 0 && record != 1 || file == 1 && record % 2 == 1
    });
    let table = std::fs::read_to_string(out.join("x.csv")).expect("was written");
    assert_eq!(table, "id,text,more\n1,\"a, b\",x\n3,d\n");
    assert_eq!((copied[1].kept, copied[1].dropped, copied[1].unreadable), (299, 300, 1));
    let outcome = read(&[copied[1].path.clone()]);
    assert_eq!(outcome.documents.len(), 299);
    assert_eq!(outcome.texts()[..3], ["text 1", "text 3", "text 7"]);
    let copy = std::fs::read(&copied[1].path).expect("was written");
    let kept = rows(bytes.clone()).into_iter().enumerate();
    let kept = kept.filter(|(row, _)| row % 2 == 1 && *row != 5).map(|(_, row)| row);
    assert_eq!(rows(copy.clone()), kept.collect::<Vec<_>>());
    let (before, after) = (opened(bytes), opened(copy));
    let [before, after] = [&before, &after].map(|file| file.metadata().file_metadata());
    assert_eq!(after.schema(), before.schema());
    assert_eq!(after.key_value_metadata(), Some(&vec![value]));
}

#[test]
fn a_broken_column_that_is_not_read_cannot_be_copied() {
    let columns = [
        ("text", Column::texts(["one", "two"].map(str::to_owned))),
        ("more", Column::texts(["x", "y"].map(str::to_owned))),
    ];
    let mut bytes = parquet(&columns);
    let metadata = opened(bytes.clone());
    let (start, _) = metadata.metadata().row_group(0).column(1).byte_range();
    bytes[start as usize] ^= 0x7f;
    let files = Files::new();
    let path = files.write("in/x.parquet", bytes);
    assert_eq!(read(std::slice::from_ref(&path)).texts(), ["one", "two"]);
    let found = discover(&[path]).expect("the path exists");
    let out = files.path().join("out");
    let copied = copy_kept(&found.files, &[], &ReadOptions::default(), &out, &|_, _| true, &|_| {});
    let error = copied.expect_err("a column is broken").to_string();
    assert!(
        error.contains("x.parquet") && error.contains("column `more` cannot be read"),
        "{error}"
    );
}

#[test]
fn other_formats_become_lines_that_read_back_the_same() {
    let files = Files::new();
    let page = files.write("in/p.html", "<html><p>page</html>");
    let text = files.write("in/sub/t.txt", "plain");
    let gone = files.write("in/gone.txt", "gone");
    let out = files.path().join("out");
    let before = read(&[page.clone(), text.clone()]);
    let copied = copy(&[page, text, gone], &out, &|file, _| file != 2);
    assert_eq!(copied[0].path, out.join("p.html.jsonl"));
    assert_eq!(copied[1].path, out.join("sub/t.txt.jsonl"));
    assert!(!copied[2].path.exists());
    let after = read(&[copied[0].path.clone(), copied[1].path.clone()]);
    assert_eq!(after.documents, before.documents);
}

#[test]
fn outputs_stay_inside_their_directory_and_do_not_meet() {
    let files = Files::new();
    let a = files.write("a.jsonl", "{\"text\":\"a\"}");
    let b = files.write("b.jsonl", "{\"text\":\"b\"}");
    let inputs: Vec<InputFile> = [(a, "../../x.jsonl"), (b, "..\\X.jsonl")]
        .map(|(path, name)| InputFile { bytes: 12, path: Some(path), name: name.to_owned() })
        .into();
    let out = files.path().join("deep/er/out");
    let copied = copy_kept(&inputs, &[], &ReadOptions::default(), &out, &|_, _| true, &|_| {})
        .expect("is written");
    assert!(copied.iter().all(|copied| copied.path.starts_with(&out) && copied.path.exists()));
    assert_ne!(copied[0].path, copied[1].path);
}

#[test]
fn what_is_gone_or_changed_is_an_error() {
    let files = Files::new();
    let path = files.write("a.jsonl", "{\"text\":\"a\"}");
    let found = discover(std::slice::from_ref(&path)).expect("the path exists");
    let out = files.path().join("out");
    let copied = |inputs: &[InputFile]| {
        copy_kept(inputs, &[], &ReadOptions::default(), &out, &|_, _| true, &|_| {})
    };
    std::fs::write(&path, "{}").expect("files can be written");
    assert!(matches!(copied(&found.files), Err(CopyError::Unreadable { .. })));
    std::fs::remove_file(&path).expect("files can be removed");
    assert!(matches!(copied(&found.files), Err(CopyError::Unreadable { .. })));
    let stdin = InputFile { path: None, name: "-".into(), bytes: 0 };
    assert!(matches!(copied(&[stdin]), Err(CopyError::Stdin)));
}

/// One small collection in every kind of file that is copied its own way.
fn kinds(files: &Files) -> Vec<PathBuf> {
    let joined = |line: &dyn Fn(u32) -> String| (0..40).map(line).collect::<Vec<_>>().join("\n");
    let lines = joined(&|n| format!("{{\"text\":\"text {n}\"}}"));
    let rows = joined(&|n| format!("{n},text {n}"));
    let table = parquet(&[("text", Column::texts((0..40).map(|n| format!("text {n}"))))]);
    vec![
        files.write("in/a.jsonl", &lines),
        files.write("in/b.jsonl.gz", gzip(lines.as_bytes())),
        files.write("in/c.jsonl.zst", zstd(lines.as_bytes())),
        files.write("in/d.csv", format!("id,text\n{rows}")),
        files.write("in/e.parquet", table),
        files.write("in/f.txt", "a plain text"),
        files.write("in/g.html", "<html><p>a page</html>"),
        files.write("in/h.zip", zip(&[Zipped::new("x.jsonl", lines.as_bytes())])),
        files.write("in/i.tar.xz", xz(&tar(&[("x.jsonl", b'0', lines.as_bytes())]))),
    ]
}

#[test]
fn a_file_overwritten_at_the_same_size_was_copied_short_without_a_word() {
    let files = Files::new();
    let paths = kinds(&files);
    let found = discover(&paths).expect("the paths exist");
    let before = was_read(&found.files);
    assert!(before.iter().all(|before| before.digest.is_complete && before.n_documents > 0));
    for (i, path) in paths.iter().enumerate() {
        let was = std::fs::read(path).expect("it is there");
        // Other bytes in one place only, and other bytes altogether.
        let mut one = was.clone();
        one[was.len() * 3 / 4] ^= 1;
        for (how, now) in [("one", one), ("all", vec![b' '; was.len()])] {
            std::fs::write(path, now).expect("files can be written");
            let out = files.path().join(format!("out-{i}-{how}"));
            let copied = copy_kept(
                &found.files,
                &before,
                &ReadOptions::default(),
                &out,
                &|_, _| true,
                &|_| {},
            );
            let error = copied.expect_err("it has changed").to_string();
            let name = path.file_name().expect("a file").to_string_lossy();
            assert!(error.contains(&*name) && error.contains("changed"), "{error}");
        }
        std::fs::write(path, was).expect("files can be written");
    }
    let out = files.path().join("out");
    let all = |_, _| true;
    copy_kept(&found.files, &before, &ReadOptions::default(), &out, &all, &|_| {})
        .expect("all are as they were");
}

#[test]
fn a_file_cut_while_it_was_copied_lost_its_rest_without_a_word() {
    let line = |n| format!("{{\"text\":\"this is the text of number {n}\"}}");
    let lines = (0..60_000).map(line).collect::<Vec<_>>().join("\n");
    assert!(lines.len() > 2 << 20, "longer than what is read ahead");
    for cut in ["empty", "short"] {
        let files = Files::new();
        let path = files.write("long.jsonl", &lines);
        let found = discover(std::slice::from_ref(&path)).expect("the path exists");
        let before = was_read(&found.files);
        let keep = |_, record| {
            if record == 10 {
                let file = std::fs::File::options().write(true).open(&path).expect("it is there");
                let len = if cut == "empty" { 0 } else { lines.len() as u64 - 100 };
                file.set_len(len).expect("it can be cut");
            }
            true
        };
        let out = files.path().join("out");
        let copied =
            copy_kept(&found.files, &before, &ReadOptions::default(), &out, &keep, &|_| {});
        let error = copied.expect_err("it was cut").to_string();
        assert!(error.contains("long.jsonl") && error.contains("changed"), "{error}");
    }
}

/// Copies all records but the second, and cuts two letters of each text but the first.
struct Cutting;

impl Copying for Cutting {
    fn keeps(&self, _: u32, record: u64) -> bool {
        record != 1
    }

    fn cuts(&self, _: u32, record: u64) -> Vec<Span> {
        if record == 0 { Vec::new() } else { vec![Span::new(0, 1), Span::new(2, 4)] }
    }
}

#[test]
fn texts_lose_what_is_cut_and_records_nothing_else() {
    let files = Files::new();
    let texts = (0..700).map(|n| (n % 5 != 3).then(|| format!("aböc{n}")));
    let bodies = (0..700).map(|n| (n % 5 == 3).then(|| format!("xböy{n}")));
    let columns = [
        ("id", Column::Numbers((0..700).collect())),
        ("content", Column::some_texts(bodies)),
        ("lists", Column::Lists((0..700).map(|n| (0..n % 3).collect()).collect())),
        ("text", Column::some_texts(texts)),
    ];
    let table = files.write("in/x.parquet", parquet(&columns));
    let lines = "id,content,text\n1,c1,ab\n2,c2,cd\n3,\"c,3\",\"ab\u{f6}\"\"f\"\n";
    let csv = files.write("in/x.csv", lines);
    let pages =
        files.write("in/pages.json", r#"[{"text":"ab"},{"text":"cd"},{"text":"ab\u00f6f"}]"#);
    let out = files.path().join("out");
    copy(&[table, csv, pages], &out, &Cutting);
    let text = |name: &str| std::fs::read_to_string(out.join(name)).expect("was written");
    assert_eq!(text("x.csv"), "id,content,text\n1,c1,ab\n3,\"c,3\",\"b\"\"f\"\n");
    let left: Vec<String> = text("pages.json.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .map(|record| record["text"].as_str().expect("a text").to_owned())
        .collect();
    assert_eq!(left, ["ab", "bf"]);
    let copied = rows(std::fs::read(out.join("x.parquet")).expect("was written"));
    let before = rows(parquet(&columns));
    assert_eq!(copied.len(), 699);
    for (now, was) in copied.iter().zip([&before[..1], &before[2..]].concat()) {
        let expected = was.to_string().replace("aböc", "bc").replace("xböy", "by");
        let is_first = was.to_string() == before[0].to_string();
        assert_eq!(now.to_string(), if is_first { was.to_string() } else { expected });
    }
}

/// Keeps all records but some, in shards.
struct InShards {
    shard_bytes: u64,
    dropped: u64,
}

impl Copying for InShards {
    fn keeps(&self, _file: u32, record: u64) -> bool {
        record != self.dropped
    }

    fn shard_bytes(&self) -> Option<u64> {
        Some(self.shard_bytes)
    }
}

/// Returns the names of the files in a directory, in order.
fn names(out: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(out).expect("was written");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("can be listed").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

#[test]
fn shards_hold_whole_records_in_order_and_are_compressed_as_the_input() {
    let lines: String = (0..40)
        .map(|n| format!("{{\"id\":{n},\"text\":\"text {n:04}\"}}\n"))
        .collect::<Vec<_>>()
        .concat();
    let table: String = (0..40).map(|n| format!("{n},text {n:04}\n")).collect::<Vec<_>>().concat();
    let files = Files::new();
    let inputs = [
        files.write("in/a.jsonl", &lines),
        files.write("in/b.jsonl.gz", gzip(lines.as_bytes())),
        files.write("in/c.jsonl.zst", zstd(lines.as_bytes())),
        files.write("in/d.jsonl.xz", xz(lines.as_bytes())),
        files.write("in/e.csv", format!("id,text\n{table}")),
        files.write("in/f.jsonl.bz2", bzip2(lines.as_bytes())),
        files.write("in/g.jsonl.br", brotli(lines.as_bytes())),
    ];
    let before = read(&inputs);
    let before: Vec<&str> =
        before.texts().into_iter().filter(|text| !text.ends_with("0007")).collect();
    let out = files.path().join("out");
    let copied = copy(&inputs, &out, &InShards { shard_bytes: 300, dropped: 7 });
    let names = names(&out);
    let endings =
        [".jsonl", ".jsonl.gz", ".jsonl.zst", ".jsonl.xz", ".csv", ".jsonl.bz2", ".jsonl.br"];
    for (copied, ending) in copied.iter().zip(endings) {
        assert_eq!((copied.kept, copied.dropped), (39, 1));
        assert!(copied.n_shards > 1, "{}", copied.path.display());
        let stem = copied.path.to_string_lossy().into_owned();
        let stem = stem.strip_suffix(ending).expect("the ending of the input");
        for number in 1..=copied.n_shards {
            assert!(Path::new(&format!("{stem}-{number:05}{ending}")).exists(), "{names:?}");
        }
    }
    assert_eq!(names.len(), copied.iter().map(|copied| copied.n_shards as usize).sum::<usize>());
    let shards: Vec<PathBuf> = names.iter().map(|name| out.join(name)).collect();
    assert_eq!(read(&shards).texts(), before);
    let plain = std::fs::read_to_string(out.join("a-00001.jsonl")).expect("was written");
    assert!(plain.len() <= 300 && plain.len() > 250, "{}", plain.len());
    let head = |name: &str| std::fs::read(out.join(name)).expect("was written")[..4].to_vec();
    assert_eq!(head("b-00001.jsonl.gz")[..2], [0x1f, 0x8b]);
    assert_eq!(head("c-00001.jsonl.zst"), [0x28, 0xb5, 0x2f, 0xfd]);
    assert_eq!(head("d-00001.jsonl.xz"), [0xfd, b'7', b'z', b'X']);
    assert_eq!(head("f-00001.jsonl.bz2")[..3], *b"BZh");
    assert_ne!(head("g-00001.jsonl.br")[0], b'{');
    let second = std::fs::read_to_string(out.join("e-00002.csv")).expect("was written");
    assert!(second.starts_with("id,text\n"), "{second}");
}

#[test]
fn a_record_larger_than_a_shard_has_one_of_its_own() {
    let files = Files::new();
    let long = "x".repeat(500);
    let lines = ["a", &long, "b", "c"].map(|text| format!("{{\"text\":\"{text}\"}}\n"));
    let input = files.write("in/x.jsonl", lines.concat());
    let out = files.path().join("out");
    copy(&[input], &out, &InShards { shard_bytes: 100, dropped: 9 });
    let shard =
        |n: u32| std::fs::read_to_string(out.join(format!("x-{n:05}.jsonl"))).expect("was written");
    assert_eq!(names(&out).len(), 3);
    assert_eq!(
        [shard(1), shard(2), shard(3)],
        [&lines[..1], &lines[1..2], &lines[2..]].map(<[_]>::concat)
    );
}

/// Three row groups of 200 rows, with lists and absent texts.
fn grouped() -> Vec<u8> {
    let columns = |first: i64| {
        let text = |n: i64| (n % 50 != 5).then(|| format!("text {n} {}", "word ".repeat(20)));
        [
            ("text", Column::some_texts((first..first + 200).map(text))),
            ("more", Column::Numbers((first..first + 200).collect())),
            ("lists", Column::Lists((first..first + 200).map(|n| (0..n % 4).collect()).collect())),
        ]
    };
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_column_compression("more".into(), Compression::ZSTD(ZstdLevel::default()))
        .set_column_compression("lists.list.item".into(), Compression::UNCOMPRESSED);
    parquet_groups(properties, &[&columns(0), &columns(200), &columns(400)])
}

#[test]
fn parquet_keeps_row_groups_and_the_compression_of_columns() {
    let bytes = grouped();
    let files = Files::new();
    let input = files.write("in/x.parquet", &bytes);
    let out = files.path().join("out");
    // All of the second group goes.
    let copied = copy(&[input], &out, &|_, record| !(200..400).contains(&record));
    let copy = std::fs::read(&copied[0].path).expect("was written");
    let (before, after) = (opened(bytes.clone()), opened(copy.clone()));
    assert_eq!(after.metadata().num_row_groups(), 2);
    for (group, from) in [(0, 0), (1, 2)] {
        let (after, before) =
            (after.metadata().row_group(group), before.metadata().row_group(from));
        assert_eq!(after.num_rows(), 196, "rows without a text are no documents");
        for (after, before) in after.columns().iter().zip(before.columns()) {
            assert_eq!(after.compression(), before.compression(), "{}", after.column_path());
        }
    }
    let is_kept = |row: &usize| row % 50 != 5 && !(200..400).contains(row);
    let kept = rows(bytes).into_iter().enumerate().filter(|(row, _)| is_kept(row));
    assert_eq!(rows(copy), kept.map(|(_, row)| row).collect::<Vec<_>>());
}

#[test]
fn shards_of_parquet_have_all_rows_and_columns() {
    let bytes = grouped();
    let files = Files::new();
    let input = files.write("in/x.parquet", &bytes);
    let out = files.path().join("out");
    let copied = copy(&[input], &out, &InShards { shard_bytes: 9_000, dropped: 300 });
    assert!(copied[0].n_shards > 4, "{}", copied[0].n_shards);
    let mut shards = Vec::new();
    for name in names(&out) {
        let shard = std::fs::read(out.join(name)).expect("was written");
        let (file, original) = (opened(shard.clone()), opened(bytes.clone()));
        let [file, original] =
            [&file, &original].map(|file| file.metadata().file_metadata().schema().clone());
        assert_eq!(file, original);
        shards.extend(rows(shard));
    }
    let is_kept = |row: &usize| row % 50 != 5 && *row != 300;
    let kept = rows(bytes).into_iter().enumerate().filter(|(row, _)| is_kept(row));
    assert_eq!(shards, kept.map(|(_, row)| row).collect::<Vec<_>>());
}
