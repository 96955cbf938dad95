//! What bad input may cost: 1 s and 1 s for each MiB, and 8 times its bytes and 64 MiB beside what
//! the program needs anyway. Bytes are counted decompressed.
//!
//! Time is that of the processor, which a busy machine does not lengthen.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::common::{manifest, retold};

/// A command that was watched.
#[derive(Debug)]
struct Cost {
    code: Option<i32>,
    stderr: String,
    seconds: f64,
    peak_bytes: u64,
}

/// Runs a command to its end and watches what it takes.
fn cost(command: &mut Command) -> Cost {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stderr = child.stderr.take().expect("stderr is a pipe");
    let said = std::thread::spawn(move || {
        let mut said = String::new();
        stderr.read_to_string(&mut said).expect("messages are UTF-8");
        said
    });
    let process = Path::new("/proc").join(child.id().to_string());
    let deadline = Instant::now() + Duration::from_mins(5);
    let (mut seconds, mut peak_bytes) = (0.0, 0);
    let status = loop {
        // Both only grow, so the last look counts; what a few milliseconds hide is in the margin.
        if let Some((now, peak)) = looked_at(&process) {
            (seconds, peak_bytes) = (now, peak);
        }
        if let Some(status) = child.try_wait().expect("the command is ours") {
            break status;
        }
        if Instant::now() > deadline {
            child.kill().expect("the command is ours");
            panic!("it does not come to an end: {command:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let stderr = said.join().expect("the reader does not panic");
    Cost { code: status.code(), stderr, seconds, peak_bytes }
}

/// Returns the processor time and the peak of a process that runs.
fn looked_at(process: &Path) -> Option<(f64, u64)> {
    let status = fs::read_to_string(process.join("status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = peak.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let stat = fs::read_to_string(process.join("stat")).ok()?;
    // After the name, which may hold anything: fields 14 and 15, in hundredths of a second.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some(((ticks(11)? + ticks(12)?) / 100.0, kib * 1024))
}

/// What the program needs for next to nothing.
fn baseline() -> u64 {
    static BASELINE: OnceLock<u64> = OnceLock::new();
    *BASELINE.get_or_init(|| {
        let dir = tempfile::tempdir().expect("a folder for a test");
        let path = dir.path().join("a.txt");
        fs::write(&path, "a few words of no importance").expect("a file for a test");
        let mut command = retold();
        command.arg("find").arg(&path).arg("-o").arg(dir.path().join("out"));
        cost(&mut command).peak_bytes
    })
}

/// Runs `find` over a file and checks what it costs; returns what was said and the manifest's
/// numbers of documents and bad records.
fn find(name: &str, bytes: &[u8], read_bytes: usize) -> (String, u64, u64) {
    let dir = tempfile::tempdir().expect("a folder for a test");
    let path = dir.path().join(name);
    fs::write(&path, bytes).expect("a file for a test");
    let out = dir.path().join("out");
    let mut command = retold();
    command.arg("find").arg(&path).arg("-o").arg(&out).args(["--no-page"]);
    let cost = cost(&mut command);
    let mib = read_bytes as f64 / f64::from(1 << 20);
    let most_bytes = baseline() + 8 * read_bytes as u64 + (64 << 20);
    let told = format!(
        "{name}: {} bytes, {read_bytes} read: {:.2} s, {} MiB of {}",
        bytes.len(),
        cost.seconds,
        cost.peak_bytes >> 20,
        most_bytes >> 20
    );
    let _ = writeln!(std::io::stderr(), "{told}");
    assert!(cost.seconds <= 1.0 + mib, "{told}");
    assert!(cost.peak_bytes <= most_bytes, "{told}");
    let count = |name: &str| manifest(&out)["counts"][name].as_u64().unwrap_or_default();
    match cost.code {
        Some(0) => {
            (cost.stderr, count("n_documents"), manifest(&out)["n_bad"].as_u64().unwrap_or(0))
        }
        // Nothing in it could be read.
        Some(3) => (cost.stderr, 0, 0),
        code => panic!("{code:?}: {}", cost.stderr),
    }
}

fn gzip(parts: &[(&str, usize)]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for (part, times) in parts {
        writer.write_all(part.repeat(*times).as_bytes()).expect("memory can be written");
    }
    writer.finish().expect("memory can be written")
}

/// Makes a Parquet file with a column of texts.
fn parquet(texts: &[ByteArray]) -> Vec<u8> {
    let schema = parse_message_type("message schema { required binary text (STRING); }")
        .expect("the schema is sound");
    let properties = WriterProperties::builder()
        .set_dictionary_page_size_limit(usize::MAX)
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::None)
        .build();
    let mut bytes = Vec::new();
    let write = || {
        let mut file =
            SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties))?;
        let mut group = file.next_row_group()?;
        let mut column = group.next_column()?.expect("the schema has a column");
        column.typed::<ByteArrayType>().write_batch(texts, None, None)?;
        column.close()?;
        group.close()?;
        file.close()
    };
    write().expect("memory can be written");
    bytes
}

#[test]
fn a_dictionary_of_parquet_is_no_bomb() {
    // 6 MB that compress well, and 6 KB that do not, to 6 GB each.
    let few = "word ".repeat((6 << 20) / 5);
    let many = (0..1000_u64).map(|n| format!("{:x}", n.wrapping_mul(0x9e37_79b9)));
    let many = many.collect::<Vec<_>>().join(" ");
    for (value, n_rows) in [(few, 1000), (many, 1_000_000)] {
        let bytes = parquet(&vec![ByteArray::from(value.into_bytes()); n_rows]);
        assert!(bytes.len() < 10 << 10, "{}", bytes.len());
        // What is read is what the ratio lets through.
        let (said, ..) = find("x.parquet", &bytes, 16 << 20);
        assert!(said.contains("`ratio`"), "{said}");
    }
}

#[test]
fn an_endless_list_in_a_page_header_of_parquet_ends() {
    let texts = (0..200).map(|n| ByteArray::from(format!("text number {n}").into_bytes()));
    let whole = parquet(&texts.collect::<Vec<_>>());
    for kind in [0xf7, 0xf1] {
        let mut bytes = whole.clone();
        bytes[4..11].copy_from_slice(&[0x99, kind, 0xff, 0xff, 0xff, 0xff, 7]);
        let (said, n_documents, _) = find("x.parquet", &bytes, bytes.len());
        assert!(said.contains("a structure"), "{said}");
        assert_eq!(n_documents, 0);
    }
}

#[test]
fn a_quote_of_csv_without_a_partner_costs_a_line() {
    let rows = (1..100_000).map(|n| format!("{n},some words of row {n}\n"));
    let csv = std::iter::once("id,text\n0,\"open\n".to_owned()).chain(rows).collect::<String>();
    let (said, _, n_bad) = find("x.csv", csv.as_bytes(), csv.len());
    assert!(said.contains("record 0 (byte 8): a quote in line 2 lacks its partner"), "{said}");
    assert_eq!(n_bad, 1);
    let all = "x\",\"z\n".repeat(200_000);
    let (_, _, n_bad) = find("y.csv", format!("id,text\n1,a\n{all}").as_bytes(), all.len());
    assert_eq!(n_bad, 200_000);
}

#[test]
fn millions_of_tiny_records_in_a_small_file_do_not_pile_up() {
    let bad = gzip(&[("{\"text\":\"a\"}\n", 1), ("x\n", 1_500_000)]);
    assert!(bad.len() < 4 << 10, "{}", bad.len());
    let (said, _, n_bad) = find("bad.jsonl.gz", &bad, 3 << 20);
    assert!(said.contains("more; `-v` names them all"), "{said}");
    // The last of them are beyond the ratio.
    assert!(n_bad > 1_000_000, "{n_bad}");
    let line = "{\"text\":\"a\"}\n";
    let documents = gzip(&[(line, 200_000)]);
    assert!(documents.len() < 10 << 10, "{}", documents.len());
    find("documents.jsonl.gz", &documents, 200_000 * line.len());
}

#[test]
fn zeros_after_gzip_and_document_types_are_read() {
    let padded = [gzip(&[("{\"text\":\"some words\"}\n", 2)]), vec![0; 1 << 20]].concat();
    let (said, _, n_bad) = find("x.jsonl.gz", &padded, padded.len());
    assert_eq!(n_bad, 0, "{said}");
    let xml = "<?xml version=\"1.0\"?><!DOCTYPE docs><docs><doc><text>words</text></doc></docs>";
    let (said, _, n_bad) = find("x.xml", xml.as_bytes(), xml.len());
    assert_eq!(n_bad, 0, "{said}");
    let (said, _, n_bad) = find("x.txt", b"[] milk\n[x] bread\n", 18);
    assert_eq!(n_bad, 0, "{said}");
}

#[test]
fn every_miner_ends_on_an_itemset_bomb_and_says_what_was_cut() {
    // 40 documents, each lacking one of 40 units: more than 10^11 maximal sets.
    let dir = tempfile::tempdir().expect("a folder for a test");
    let path = dir.path().join("bomb.dat");
    let rows = (0..40).map(|lacks| {
        let row = (0..40).filter(|&unit| unit != lacks).map(|unit: u32| unit.to_string());
        row.collect::<Vec<_>>().join(" ")
    });
    fs::write(&path, rows.collect::<Vec<_>>().join("\n")).expect("a file for a test");
    for (algorithm, target) in [
        ("auto", "maximal"),
        ("fpmax", "maximal"),
        ("fpmax", "closed"),
        ("afopt", "maximal"),
        ("mafia", "maximal"),
        ("genmax", "maximal"),
        ("add-intent", "maximal"),
        ("add-intent", "closed"),
        ("apriori", "maximal"),
        ("eclat", "maximal"),
        ("lcm", "maximal"),
        ("lcm", "closed"),
    ] {
        let mut command = retold();
        command.arg("mine").arg(&path).args(["-k", "20", "--count"]);
        command.args(["--algorithm", algorithm, "--target", target]);
        let cost = cost(&mut command);
        let told = format!(
            "{algorithm} {target}: {:.2} s, {} MiB, {}",
            cost.seconds,
            cost.peak_bytes >> 20,
            cost.stderr.lines().next().unwrap_or_default()
        );
        let _ = writeln!(std::io::stderr(), "{told}");
        assert_eq!(cost.code, Some(0), "{told}");
        assert!(cost.stderr.contains("the search was cut"), "{told}");
        assert!(cost.seconds <= 20.0 && cost.peak_bytes <= 512 << 20, "{told}");
    }
}
