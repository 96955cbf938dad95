//! The collection without some records, in the formats it came in.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use retold_read::{Copied, CopyError, InputFile, ReadOptions, copy_kept, discover};

use crate::archives::gzip;
use crate::common::{Files, read};

fn copy(paths: &[PathBuf], out: &Path, keep: &dyn Fn(u32, u64) -> bool) -> Vec<Copied> {
    let found = discover(paths).expect("the paths exist");
    copy_kept(&found.files, &ReadOptions::default(), out, keep, &|_| {})
        .expect("the output can be written")
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
    let texts: StringArray = (0..600).map(|n| (n != 5).then(|| format!("text {n}"))).collect();
    let more = Int64Array::from_iter_values(0..600);
    let columns = [("text", Arc::new(texts) as ArrayRef), ("more", Arc::new(more) as ArrayRef)];
    let batch = RecordBatch::try_from_iter(columns).expect("columns are equally long");
    let mut bytes = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut bytes, batch.schema(), None).expect("the schema is sound");
    writer.write(&batch).expect("memory can be written");
    writer.close().expect("memory can be written");
    let parquet = files.write("in/x.parquet", bytes);
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
    let copied = copy_kept(&inputs, &ReadOptions::default(), &out, &|_, _| true, &|_| {})
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
        copy_kept(inputs, &ReadOptions::default(), &out, &|_, _| true, &|_| {})
    };
    std::fs::write(&path, "{}").expect("files can be written");
    assert!(matches!(copied(&found.files), Err(CopyError::Unreadable { .. })));
    std::fs::remove_file(&path).expect("files can be removed");
    assert!(matches!(copied(&found.files), Err(CopyError::Unreadable { .. })));
    let stdin = InputFile { path: None, name: "-".into(), bytes: 0 };
    assert!(matches!(copied(&[stdin]), Err(CopyError::Stdin)));
}
