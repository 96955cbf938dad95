//! PDF: the text of pages, files that mean harm, and the processes that read them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use retold_read::{Limits, PdfHelper, ReadOptions, Reader, discover};

use crate::common::{Files, Outcome, read_one, read_one_with, read_with};
use crate::pdf_files::{Case, Comes, Draw, Pdf, bad_files, begin, flate, is_refusal, page, show};

const PROGRAM: &str = env!("CARGO_BIN_EXE_retold-read-pdf");

fn options() -> ReadOptions {
    helped_by(PROGRAM, &[])
}

fn helped_by(program: &str, arguments: &[&str]) -> ReadOptions {
    let arguments = arguments.iter().map(OsString::from).collect();
    let pdf_helper = Some(PdfHelper { program: PathBuf::from(program), arguments });
    ReadOptions { pdf_helper, ..ReadOptions::default() }
}

fn read_pdf(bytes: impl AsRef<[u8]>) -> Outcome {
    read_one_with("paper.pdf", bytes, options())
}

/// Returns the text of a page with this content.
fn shown(content: &str) -> String {
    let mut pdf = begin("");
    pdf.stream("", content);
    let outcome = read_pdf(pdf.end(""));
    assert_eq!(outcome.texts().len(), 1, "{}", outcome.reasons());
    outcome.texts()[0].trim().to_owned()
}

#[test]
fn the_text_layer_of_a_pdf_file_is_read() {
    let outcome = read_one_with("paper", page("Told again in print"), options());
    assert_eq!(outcome.texts(), ["Told again in print\n\n"], "{}", outcome.reasons());
    assert_eq!(outcome.kinds, ["pdf"]);
}

#[test]
fn without_a_helper_pdf_is_refused_and_the_option_named() {
    let outcome = read_one("paper.pdf", page("Told again in print"));
    assert!(outcome.documents.is_empty());
    assert!(outcome.reasons().contains("`ReadOptions::pdf_helper`"), "{}", outcome.reasons());
}

#[test]
fn words_are_told_from_where_glyphs_stand() {
    // A shift of a quarter of the size is a space, a small one is only closer setting.
    let gaps = "BT /F1 10 Tf 72 720 Td [(to) -250 (be) 20 (gin) -300 (again)] TJ ET";
    assert_eq!(shown(gaps), "to begin again");
    let spaced_out = "BT /F1 10 Tf 72 720 Td 2 Tc (spaced out) Tj ET";
    assert_eq!(shown(spaced_out), "spaced out");
    let each_by_itself = "BT /F1 10 Tf 1 0 0 1 72 720 Tm (ear) Tj 1 0 0 1 110 720 Tm (lier) Tj ET";
    assert_eq!(shown(each_by_itself), "ear lier");
    let bold = "BT /F1 10 Tf 72 720 Td (bold) Tj ET BT /F1 10 Tf 72.3 720 Td (bold) Tj ET";
    assert_eq!(shown(bold), "bold");
    let raised =
        "BT /F1 10 Tf 72 720 Td (H) Tj 6 Tf /F1 6 Tf -2 Ts (2) Tj 0 Ts /F1 10 Tf (O) Tj ET";
    assert_eq!(shown(raised), "H2O");
}

#[test]
fn lines_paragraphs_and_columns_are_kept_apart() {
    let lines = "BT /F1 10 Tf 12 TL 72 720 Td (a line) Tj T* (and the next) Tj ET";
    assert_eq!(shown(lines), "a line\nand the next");
    let paragraphs = "BT /F1 10 Tf 30 TL 72 720 Td (one) Tj T* (two) Tj ET";
    assert_eq!(shown(paragraphs), "one\n\ntwo");
    let columns = "BT /F1 10 Tf 12 TL 72 720 Td (left) Tj T* (below) Tj ET \
                   BT /F1 10 Tf 12 TL 300 720 Td (right) Tj T* (below it) Tj ET";
    assert_eq!(shown(columns), "left\nbelow\n\nright\nbelow it");
}

#[test]
fn a_word_broken_at_the_end_of_a_line_is_whole_again() {
    let broken =
        "BT /F1 10 Tf 12 TL 72 720 Td (docu-) Tj T* (ments) Tj T* (Jean-) Tj T* (Paul) Tj ET";
    assert_eq!(shown(broken), "documents\nJean-\nPaul");
}

#[test]
fn marked_content_reads_as_it_says() {
    let said = "BT /F1 10 Tf 72 720 Td /Span << /ActualText (first) >> BDC (1) Tj (st) Tj EMC \
                ( of many) Tj ET";
    assert_eq!(shown(said), "first of many");
}

/// Returns the text of codes in a font with a map to Unicode.
fn mapped(codes: &str, n_mapped: usize, map: &str) -> String {
    let map = format!(
        "begincmap 1 begincodespacerange <00> <FF> endcodespacerange {n_mapped} beginbfchar {map} \
         endbfchar endcmap"
    );
    let mut pdf = begin("/Unused 0");
    pdf.stream("", format!("BT /F2 12 Tf 72 720 Td ({codes}) Tj ET"));
    pdf.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>");
    pdf.stream("", map);
    let bytes = String::from_utf8_lossy(&pdf.end("")).replace("/F1 4 0 R >> /U", "/F2 6 0 R >> /U");
    read_pdf(bytes).texts().concat()
}

#[test]
fn ligatures_are_letters_and_maps_to_unicode_count() {
    assert_eq!(mapped("ABC", 3, "<41> <FB01> <42> <006E> <43> <0064>"), "find\n\n");
}

#[test]
fn a_line_from_right_to_left_is_read_so() {
    // Hebrew letters, shown as they stand from left to right: the last of the word first.
    let map = "<61> <05E9> <62> <05DC> <63> <05D5> <64> <05DD>";
    assert_eq!(mapped("dcba", 4, map), "שלום\n\n");
}

#[test]
fn forms_and_fields_are_read_where_they_are_drawn() {
    let mut pdf = Pdf::new();
    pdf.object("<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [7 0 R] >> >>");
    pdf.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    pdf.object(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Annots [7 0 R] \
         /Resources << /Font << /F1 4 0 R >> /XObject << /X 6 0 R >> >> >>",
    );
    pdf.object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
    pdf.stream("", [show("before"), "/X Do".to_owned()].concat());
    pdf.stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Matrix [1 0 0 1 0 -40]",
        show("in a form"),
    );
    pdf.object(
        "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (written by hand) \
         /Rect [72 600 200 620] >>",
    );
    let outcome = read_pdf(pdf.end(""));
    assert_eq!(outcome.texts(), ["before\n\nin a form\nwritten by hand\n\n"]);
}

#[test]
fn every_bad_file_comes_to_what_it_must() {
    for Case { name, bytes, comes } in bad_files() {
        let outcome = read_pdf(bytes);
        let (texts, reasons) = (outcome.texts(), outcome.reasons());
        assert_eq!(texts.len() + outcome.bad.len(), 1, "{name}: {texts:?} {reasons}");
        match comes {
            Comes::To(text) => {
                assert!(texts.concat().contains(text), "{name}: {texts:?} {reasons}");
            }
            Comes::Refused(why) => {
                assert!(texts.is_empty() && is_refusal(&reasons, why), "{name}: {reasons}");
            }
            Comes::ToAnEnd => {}
        }
    }
}

#[test]
fn no_more_text_is_taken_than_a_document_may_have() {
    let limits = Limits { document_bytes: 2000, ..Limits::default() };
    let lines = "(many words) Tj T* ".repeat(300);
    let content = format!("BT /F1 10 Tf 12 TL 72 720 Td {lines} ET");
    let mut pdf = begin("");
    pdf.stream("/Filter /FlateDecode", flate(content.as_bytes()));
    let outcome = read_one_with("x.pdf", pdf.end(""), ReadOptions { limits, ..options() });
    assert!(outcome.reasons().contains("limit of 2000 bytes"), "{}", outcome.reasons());
}

/// A helper that notes each start in `log` and then is the real one.
#[cfg(unix)]
fn noted_in(log: &Path) -> ReadOptions {
    let log = log.to_str().expect("temporary names are text");
    helped_by("sh", &["-c", "echo $$ >> \"$1\"; exec \"$0\"", PROGRAM, log])
}

#[cfg(unix)]
#[test]
fn one_process_reads_many_files_and_a_new_one_follows_its_death() {
    let (files, logs) = (Files::new(), Files::new());
    let log = logs.path().join("log");
    for i in 0..40 {
        files.write(&format!("{i:02}.pdf"), page(&format!("number {i}")));
    }
    let bomb = bad_files().into_iter().find(|case| case.name.contains("2 GiB in")).expect("a bomb");
    files.write("20-bomb.pdf", bomb.bytes);
    let outcome = read_with(&[files.path().to_owned()], noted_in(&log));
    assert_eq!((outcome.documents.len(), outcome.bad.len()), (40, 1), "{}", outcome.reasons());
    assert_eq!(fs::read_to_string(log).expect("it was started").lines().count(), 2);
}

/// A helper that greets and then does nothing for a minute.
#[cfg(unix)]
fn sleeping(log: &Path) -> ReadOptions {
    let log = log.to_str().expect("temporary names are text");
    let script = "echo $$ > \"$0\"; printf 'retold-pdf 1'; exec sleep 60";
    helped_by("sh", &["-c", script, log])
}

/// Whether a process is there, be it dead and not taken leave of.
#[cfg(target_os = "linux")]
fn is_there(log: &Path) -> bool {
    let pid = fs::read_to_string(log).expect("it was started");
    Path::new("/proc").join(pid.trim()).exists()
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_takes_too_long_costs_its_process_and_no_more_than_its_time() {
    let logs = Files::new();
    let log = logs.path().join("log");
    let began = Instant::now();
    let outcome = read_one_with("slow.pdf", page("never read"), sleeping(&log));
    assert!(outcome.reasons().contains("takes longer to read than its size allows (0.8 s)"));
    assert!(began.elapsed() >= Duration::from_millis(800), "{:?}", began.elapsed());
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert!(!is_there(&log), "the process is gone");
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_stopped_does_not_wait_for_a_file() {
    let (files, logs) = (Files::new(), Files::new());
    let log = logs.path().join("log");
    // Large enough to be allowed a quarter of a minute.
    let mut bytes = page("never read");
    bytes.resize(16 << 20, b' ');
    let path = files.write("slow.pdf", bytes);
    let stop = Arc::new(AtomicBool::new(false));
    let found = discover(&[path]).expect("the path exists");
    let mut reader = Reader::stopped_by(found.files, sleeping(&log), Arc::clone(&stop));
    let started = log.clone();
    let stopper = thread::spawn(move || {
        while !started.exists() {
            thread::sleep(Duration::from_millis(1));
        }
        stop.store(true, Ordering::Relaxed);
        Instant::now()
    });
    let mut n_records = 0;
    while let Some(batch) = reader.next_batch() {
        batch.parse(&mut |_| n_records += 1);
    }
    let stopped = stopper.join().expect("the flag is set");
    assert!(stopped.elapsed() < Duration::from_secs(5), "{:?}", stopped.elapsed());
    assert_eq!(n_records, 0, "a file that was waited for is not called bad");
    assert!(!is_there(&log), "the process is gone");
}

#[cfg(unix)]
#[test]
fn a_program_that_is_no_helper_is_named() {
    for (program, arguments, why) in [
        ("no-such-program", &[][..], "`no-such-program` cannot read it"),
        ("echo", &["a program of another kind"], "does not speak as `retold read-pdf` does"),
        ("true", &[], "`true` cannot read it"),
    ] {
        let outcome = read_one_with("paper.pdf", page("text"), helped_by(program, arguments));
        assert!(outcome.reasons().contains(why), "{}", outcome.reasons());
    }
}

#[test]
fn threads_read_at_the_same_time() {
    let files = Files::new();
    for i in 0..60 {
        files.write(&format!("{i:02}.pdf"), page(&format!("number {i}")));
    }
    let found = discover(&[files.path().to_owned()]).expect("the folder exists");
    let files: Vec<_> = found.files.into_iter().map(|file| vec![file]).collect();
    let n_read: usize = thread::scope(|scope| {
        let threads = files.chunks(15).map(|part| {
            scope.spawn(move || {
                let mut reader = Reader::new(part.concat(), options());
                let mut n_read = 0;
                while let Some(batch) = reader.next_batch() {
                    batch.parse(&mut |record| n_read += usize::from(record.is_ok()));
                }
                n_read
            })
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().expect("reading does not panic")).sum()
    });
    assert_eq!(n_read, 60);
}

/// Changes a file at a few places: bytes, numbers, pieces doubled, cut out or moved.
fn mutated(bytes: &[u8], draw: &mut Draw) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=draw.next() % 6 {
        if bytes.is_empty() {
            break;
        }
        let at = draw.next() as usize % bytes.len();
        let n = (draw.next() as usize % 40).min(bytes.len() - at);
        let to = draw.next() as usize % bytes.len();
        match draw.next() % 8 {
            0 => bytes[at] ^= 1 << (draw.next() % 8),
            1 => bytes[at] = draw.next() as u8,
            2 => bytes[at] = b"()<>[]{}/%0123456789 "[draw.next() as usize % 21],
            3 => drop(bytes.drain(at..at + n)),
            4 => drop(bytes.splice(to..to, bytes[at..at + n].to_vec())),
            5 => bytes.truncate(at.max(64)),
            6 => {
                // The next number becomes another one.
                let digit = bytes[at..].iter().position(u8::is_ascii_digit);
                if let Some(start) = digit.map(|digit| at + digit) {
                    let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit());
                    let end = start + digits.count();
                    let odd = ["0", "-1", "1", "4294967295", "99999999999999999999", "3", "5", "7"];
                    let odd = odd[draw.next() as usize % odd.len()].bytes();
                    drop(bytes.splice(start..end, odd));
                }
            }
            _ => bytes.rotate_left(to % 7),
        }
    }
    bytes
}

/// The files that mutants are made of: those of these tests, or a folder's (`RETOLD_PDF_SEEDS`).
fn seeds() -> Vec<Vec<u8>> {
    if let Some(folder) = std::env::var_os("RETOLD_PDF_SEEDS") {
        let found = discover(&[PathBuf::from(folder)]).expect("the folder exists");
        let paths = found.files.into_iter().filter_map(|file| file.path);
        let small = paths.filter(|path| path.metadata().is_ok_and(|file| file.len() < 200_000));
        return small.filter_map(|path| fs::read(path).ok()).collect();
    }
    // Not those that always die of their size.
    let is_small = |case: &Case| {
        !matches!(case.comes, Comes::Refused("more memory" | "over and over" | ""))
            && case.bytes.len() < 20_000
    };
    let cases = bad_files().into_iter().filter(is_small);
    cases.map(|case| case.bytes).chain(["a page", "another page of words"].map(page)).collect()
}

/// Reads files changed at random: 800 of them, or as many as `RETOLD_PDF_MUTANTS` says, from the
/// seed `RETOLD_PDF_SEED` on. `bench/pdf/mutants` runs the long form.
#[expect(clippy::print_stdout, reason = "the long form is read by a person")]
#[test]
fn mutated_files_do_no_harm() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
    };
    let (n, seed) = (number("RETOLD_PDF_MUTANTS", 800), number("RETOLD_PDF_SEED", 1));
    let seeds = seeds();
    let mut draw = Draw(seed);
    let (mut n_read, mut slowest) = (0_u64, Duration::ZERO);
    let mut reasons: std::collections::BTreeMap<String, u64> = std::collections::BTreeMap::new();
    let files = Files::new();
    let mut made = 0;
    while made < n {
        let round = (n - made).min(200);
        let paths: Vec<PathBuf> = (0..round)
            .map(|i| {
                let seed = &seeds[draw.next() as usize % seeds.len()];
                files.write(&format!("{i}.pdf"), mutated(seed, &mut draw))
            })
            .collect();
        let found = discover(&paths).expect("the paths exist");
        let forced = Some(retold_read::Format::Pdf);
        let mut reader = Reader::new(found.files, ReadOptions { format: forced, ..options() });
        let mut began = Instant::now();
        while let Some(batch) = reader.next_batch() {
            batch.parse(&mut |record| {
                slowest = slowest.max(began.elapsed());
                began = Instant::now();
                match record {
                    Ok(_) => n_read += 1,
                    Err(bad) => *reasons.entry(bad.reason).or_default() += 1,
                }
            });
        }
        made += round;
    }
    println!(
        "{n} mutants of {} files, seed {seed}: {n_read} read, slowest {slowest:?}",
        seeds.len()
    );
    for (reason, count) in &reasons {
        println!("{count:8} {reason}");
    }
    assert_eq!(n_read + reasons.values().sum::<u64>(), n, "each comes to one end");
    // The largest of these files may take a second, and be waited for four times as long.
    assert!(slowest < Duration::from_secs(10), "{slowest:?}");
    assert!(n_read > 0, "some are still readable");
}
