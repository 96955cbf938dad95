//! The three formats say the same.

use std::fs;
use std::path::Path;

use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::{Field, Row};
use retold_core::document::Span;
use retold_core::relation::{Counted, Evidence, Kind, Passage, Score, Scores};

use super::*;

fn evidence() -> Evidence {
    let passage = |a: [u32; 2], b: [u32; 2], words, differ| Passage {
        a: Span::new(a[0], a[1]),
        b: Span::new(b[0], b[1]),
        words,
        differ,
        moved: 0,
    };
    Evidence {
        passages: vec![passage([0, 40], [3, 43], 8, 0), passage([60, 99], [43, 80], 7, 2)],
        a_words: 120,
        b_words: 118,
        n_cut: 0,
        counted: Some(Counted {
            a_runs: 150,
            b_runs: 100,
            common_runs: 100,
            longest_words: 8,
            shared_words: 8,
            distinctive_runs: None,
        }),
    }
}

fn scores() -> Scores {
    let score = |value| Score::new(value).unwrap();
    Scores { resemblance: score(0.83), a_in_b: score(2.0 / 3.0), b_in_a: Score::ONE }
}

fn pair<'a>(a: &'a str, evidence: &'a Evidence) -> PairRow<'a> {
    PairRow { a, b: "two", relation: Kind::NearDuplicate, scores: scores(), evidence }
}

fn document<'a>(id: &'a str, notes: &'a [&'a str]) -> DocumentRow<'a> {
    DocumentRow {
        id,
        file: "news.jsonl",
        record: 7,
        n_words: 120,
        verdict: Verdict::Copy,
        cluster: Some(3),
        clusters: &[],
        representative: Some("one"),
        exact_copy_of: Some("one"),
        n_pairs: 1000,
        pairs_cut: true,
        n_partial: 2,
        notes,
        language: Some("tr"),
        is_too_short: true,
        time: Some("2026-11-15"),
        source: Some("wire"),
        keep_value: Some("7"),
    }
}

fn cluster() -> ClusterRow<'static> {
    ClusterRow {
        id: 3,
        members: &["one", "two"],
        representative: "one",
        cohesion: 0.5,
        n_pairs: 3,
        kind_counts: [1, 2, 0, 0, 0],
        n_derived: 0,
        n_common: None,
        shared_words: None,
        shared_text: None,
    }
}

fn removal() -> RemovalRow<'static> {
    RemovalRow {
        id: "two",
        file: "b.txt",
        record: 0,
        covered_by: "one",
        covered_in: Some("old.idx"),
        relation: Kind::Contained,
        covered: 0.98,
        words: 40,
        decision: "removed",
    }
}

fn line<T: Table>(row: &T::Row<'_>) -> String {
    let mut out = Vec::new();
    T::encode(row, &mut out);
    String::from_utf8(out).unwrap()
}

/// Writes rows and returns the file.
fn written<T: Table>(format: TableFormat, rows: &[T::Row<'_>]) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = TableWriter::<T>::create(dir.path(), format).unwrap();
    for row in rows {
        writer.push(row).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), rows.len() as u64);
    fs::read(dir.path().join(format.file_name(T::NAME))).unwrap()
}

/// Writes rows as Parquet and returns what reads back.
fn read_back<T: Table>(rows: &[T::Row<'_>]) -> Vec<Row> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("table.parquet");
    fs::write(&path, written::<T>(TableFormat::Parquet, rows)).unwrap();
    let reader = SerializedFileReader::new(fs::File::open(&path).unwrap()).unwrap();
    reader.get_row_iter(None).unwrap().map(Result::unwrap).collect()
}

/// Returns the value of a row under a name.
fn field<'a>(row: &'a Row, name: &str) -> &'a Field {
    row.get_column_iter().find(|(column, _)| *column == name).expect("the table has the column").1
}

fn elements(field: &Field) -> &[Field] {
    let Field::ListInternal(list) = field else { panic!("{field} is no list") };
    list.elements()
}

#[test]
fn a_pair_is_one_line() {
    let mut evidence = evidence();
    assert_eq!(
        line::<Pairs>(&pair("on\"e", &evidence)),
        "{\"a\":\"on\\\"e\",\"b\":\"two\",\"relation\":\"near-duplicate\",\"resemblance\":0.83,\
         \"a_in_b\":0.666667,\"b_in_a\":1.0,\"a_words\":120,\"b_words\":118,\"a_runs\":150,\
         \"b_runs\":100,\"common_runs\":100,\"longest_words\":8,\"shared_words\":8,\"evidence\":\
         [{\"a\":[0,40],\"b\":[3,43],\"words\":8,\"differ\":0,\"agrees\":\"equal\"},\
         {\"a\":[60,99],\"b\":[43,80],\"words\":7,\"differ\":2,\"agrees\":\"edited\"}]}\n"
    );
    evidence = Evidence { n_cut: 3, ..Evidence::default() };
    assert!(
        line::<Pairs>(&pair("one", &evidence)).ends_with("\"evidence\":[],\"evidence_cut\":3}\n")
    );
}

#[test]
fn the_fields_of_a_pair_are_its_line_without_the_ids() {
    let start = "{\"a\":\"one\",\"b\":\"two\",";
    for n_cut in [0, 3] {
        let evidence = Evidence { n_cut, ..evidence() };
        let line = line::<Pairs>(&pair("one", &evidence));
        let fields = PairFields { relation: Kind::NearDuplicate, scores: scores(), evidence };
        let expected = format!("{{{}", line.strip_prefix(start).unwrap().trim_end());
        assert_eq!(serde_json::to_string(&fields).unwrap(), expected);
    }
    let small = Score::new(0.000_002).unwrap();
    let scores = Scores { a_in_b: small, b_in_a: small, ..scores() };
    let evidence = Evidence::default();
    let line = line::<Pairs>(&PairRow { scores, ..pair("one", &evidence) });
    let fields = PairFields { relation: Kind::NearDuplicate, scores, evidence: evidence.clone() };
    let mut of_line: serde_json::Value = serde_json::from_str(&line).unwrap();
    of_line.as_object_mut().unwrap().retain(|name, _| name != "a" && name != "b");
    assert_eq!(serde_json::to_value(&fields).unwrap(), of_line);
}

#[test]
fn a_document_is_one_line_without_what_is_absent() {
    assert_eq!(
        line::<Documents>(&document("doc\n1", &["encoding guessed: koi8-r"])),
        "{\"id\":\"doc\\n1\",\"file\":\"news.jsonl\",\"record\":7,\"n_words\":120,\
         \"verdict\":\"copy\",\"cluster\":3,\"representative\":\"one\",\"exact_copy_of\":\"one\",\
         \"n_pairs\":1000,\"pairs_cut\":true,\"n_partial\":2,\
         \"notes\":[\"encoding guessed: koi8-r\"],\"language\":\"tr\",\"too_short\":true,\
         \"time\":\"2026-11-15\",\"source\":\"wire\",\"keep_value\":\"7\"}\n"
    );
    let bare = DocumentRow {
        verdict: Verdict::TooShort,
        cluster: None,
        representative: None,
        exact_copy_of: None,
        n_pairs: 0,
        pairs_cut: false,
        n_partial: 0,
        language: None,
        is_too_short: false,
        time: None,
        source: None,
        keep_value: None,
        ..document("d", &[])
    };
    assert_eq!(
        line::<Documents>(&bare),
        "{\"id\":\"d\",\"file\":\"news.jsonl\",\"record\":7,\"n_words\":120,\
         \"verdict\":\"too-short\",\"n_pairs\":0,\"n_partial\":0}\n"
    );
}

#[test]
fn a_cluster_and_a_removal_are_one_line_each() {
    let cluster = cluster();
    let described = ClusterRow {
        n_common: Some(85),
        shared_words: Some(7),
        shared_text: Some("the \"old\" quay"),
        ..cluster
    };
    assert!(line::<Clusters>(&described).contains(
        ",\"n_derived\":0,\"n_common\":85,\"shared_words\":7,\"shared_text\":\"the \\\"old\\\" quay\",\"members\""
    ));
    let in_two = DocumentRow { clusters: &[3, 5], ..document("d", &[]) };
    assert!(line::<Documents>(&in_two).contains(",\"cluster\":3,\"clusters\":[3,5],"));
    assert_eq!(
        line::<Clusters>(&cluster),
        "{\"id\":3,\"size\":2,\"representative\":\"one\",\"cohesion\":0.5,\"n_pairs\":3,\
         \"n_exact\":1,\"n_near_duplicate\":2,\"n_contains\":0,\"n_contained\":0,\"n_partial\":0,\
         \"n_derived\":0,\"members\":[\"one\",\"two\"]}\n"
    );
    assert_eq!(
        line::<Removals>(&removal()),
        "{\"id\":\"two\",\"file\":\"b.txt\",\"record\":0,\"decision\":\"removed\",\
         \"covered_by\":\"one\",\"covered_in\":\"old.idx\",\"relation\":\"contained\",\"covered\":0.98,\"words\":40}\n"
    );
}

#[test]
fn lines_encoded_elsewhere_are_the_lines_pushed() {
    let evidence = evidence();
    let rows = [pair("one", &evidence), pair("three", &evidence)];
    let dir = tempfile::tempdir().unwrap();
    let mut writer = PairsWriter::create_named(dir.path(), "encoded", TableFormat::Jsonl).unwrap();
    let mut block = Vec::new();
    for row in &rows {
        PairsWriter::encode(row, &mut block);
    }
    writer.push_encoded(&block, 2).unwrap();
    assert_eq!(writer.finish().unwrap(), 2);
    let encoded = fs::read(dir.path().join("encoded.jsonl")).unwrap();
    assert_eq!(encoded, written::<Pairs>(TableFormat::Jsonl, &rows));
}

#[test]
fn encoded_lines_are_refused_by_other_formats() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = PairsWriter::create(dir.path(), TableFormat::Csv).unwrap();
    assert!(writer.push_encoded(b"{}\n", 1).is_err());
}

#[test]
fn every_line_is_an_object_with_columns_of_the_table_in_their_order() {
    let counted =
        evidence().counted.map(|counted| Counted { distinctive_runs: Some(3), ..counted });
    let evidence = Evidence { n_cut: 1, counted, ..evidence() };
    check_names::<Pairs>(&pair("one", &evidence));
    check_names::<Documents>(&DocumentRow { clusters: &[3, 5], ..document("one", &["note"]) });
    check_names::<Clusters>(&ClusterRow {
        n_common: Some(85),
        shared_words: Some(7),
        shared_text: Some("quay"),
        ..cluster()
    });
    check_names::<Removals>(&removal());
}

fn check_names<T: Table>(row: &T::Row<'_>) {
    let line = line::<T>(row);
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&line).unwrap();
    let places: Vec<Option<usize>> =
        T::COLUMNS.iter().map(|column| line.find(&format!("\"{}\":", column.name))).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted());
    let first = T::COLUMNS[0];
    assert!(
        !first.is_optional && !first.is_left_out_if_empty,
        "a line begins with its first column"
    );
}

#[test]
fn csv_has_a_header_and_guards_against_formulas() {
    let evidence = evidence();
    let csv = written::<Pairs>(TableFormat::Csv, &[pair("=HYPERLINK(\"evil\")", &evidence)]);
    assert_eq!(
        String::from_utf8(csv).unwrap(),
        "a,b,relation,resemblance,a_in_b,b_in_a,a_words,b_words,a_runs,b_runs,common_runs,\
         longest_words,shared_words,distinctive_runs,evidence,evidence_cut\n\
         \"'=HYPERLINK(\"\"evil\"\")\",two,near-duplicate,0.83,0.666667,1.0,120,118,150,100,\
         100,8,8,,\
         \"[{\"\"a\"\":[0,40],\"\"b\"\":[3,43],\"\"words\"\":8,\"\"differ\"\":0,\"\"agrees\"\":\"\"equal\"\"},\
         {\"\"a\"\":[60,99],\"\"b\"\":[43,80],\"\"words\"\":7,\"\"differ\"\":2,\"\"agrees\"\":\"\"edited\"\"}]\",0\n"
    );
    let row = document("-1+1", &["@note", "b|c"]);
    let csv = String::from_utf8(written::<Documents>(TableFormat::Csv, &[row])).unwrap();
    assert_eq!(
        csv.lines().nth(1).unwrap(),
        "'-1+1,news.jsonl,7,120,copy,3,,one,one,1000,true,2,'@note|b\\|c,tr,true,2026-11-15,wire,7"
    );
}

#[test]
fn csv_has_a_cell_for_every_column() {
    let rows =
        [cluster(), ClusterRow { n_common: Some(85), shared_text: Some("quay"), ..cluster() }];
    assert_eq!(
        String::from_utf8(written::<Clusters>(TableFormat::Csv, &rows)).unwrap(),
        "id,size,representative,cohesion,n_pairs,n_exact,n_near_duplicate,n_contains,n_contained,\
         n_partial,n_derived,n_common,shared_words,shared_text,members\n\
         3,2,one,0.5,3,1,2,0,0,0,0,,,,one|two\n3,2,one,0.5,3,1,2,0,0,0,0,85,,quay,one|two\n"
    );
    assert_eq!(
        String::from_utf8(written::<Removals>(TableFormat::Csv, &[removal()])).unwrap(),
        "id,file,record,decision,covered_by,covered_in,relation,covered,words\n\
         two,b.txt,0,removed,one,old.idx,contained,0.98,40\n"
    );
    let row = DocumentRow { clusters: &[3, 5], pairs_cut: false, ..document("d", &[]) };
    assert_eq!(
        String::from_utf8(written::<Documents>(TableFormat::Csv, &[row])).unwrap(),
        "id,file,record,n_words,verdict,cluster,clusters,representative,exact_copy_of,n_pairs,\
         pairs_cut,n_partial,notes,language,too_short,time,source,keep_value\n\
         d,news.jsonl,7,120,copy,3,3 5,one,one,1000,false,2,,tr,true,2026-11-15,wire,7\n"
    );
}

#[test]
fn parquet_gives_back_what_was_written() {
    let evidence = evidence();
    let many: Vec<PairRow<'_>> = (0..5_000).map(|_| pair("bir\u{131}", &evidence)).collect();
    let rows = read_back::<Pairs>(&many);
    assert_eq!(rows.len(), 5_000);
    assert_eq!(*field(&rows[9], "a"), Field::Str("bir\u{131}".to_owned()));
    assert_eq!(*field(&rows[0], "a_in_b"), Field::Double(0.666_667));
    assert_eq!(*field(&rows[0], "a_words"), Field::ULong(120));
    let passages = elements(field(&rows[4_999], "evidence"));
    let starts = passages.iter().map(|passage| match passage {
        Field::Group(passage) => field(passage, "b_start").clone(),
        other => panic!("{other} is no passage"),
    });
    assert_eq!(starts.collect::<Vec<_>>(), [Field::UInt(3), Field::UInt(43)]);
    let agree = passages.iter().map(|passage| match passage {
        Field::Group(passage) => field(passage, "agrees").to_string(),
        other => panic!("{other} is no passage"),
    });
    assert_eq!(agree.collect::<Vec<_>>(), ["\"equal\"", "\"edited\""]);
}

#[test]
fn parquet_keeps_lists_and_absent_values() {
    let rows =
        [document("one", &["x", "y"]), DocumentRow { cluster: None, ..document("two", &[]) }];
    let rows = read_back::<Documents>(&rows);
    assert_eq!(elements(field(&rows[0], "notes"))[1], Field::Str("y".to_owned()));
    assert!(elements(field(&rows[1], "notes")).is_empty());
    assert_eq!(*field(&rows[0], "cluster"), Field::ULong(3));
    assert_eq!(*field(&rows[1], "cluster"), Field::Null);
    assert!(read_back::<Clusters>(&[]).is_empty());
}

#[test]
fn long_tables_of_parquet_are_written_in_groups() {
    let id = "x".repeat(1 << 20);
    let evidence = evidence();
    let many: Vec<PairRow<'_>> = (0..150).map(|_| pair(&id, &evidence)).collect();
    let bytes = written::<Pairs>(TableFormat::Parquet, &many);
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let groups = reader.metadata().row_groups();
    assert_eq!(groups.iter().map(RowGroupMetaData::num_rows).collect::<Vec<_>>(), [64, 64, 22]);
    assert_eq!(reader.get_row_iter(None).unwrap().map(Result::unwrap).count(), 150);
}

#[test]
fn the_same_rows_give_the_same_bytes() {
    let evidence = evidence();
    for format in TableFormat::ALL {
        let rows = [pair("one", &evidence), pair("two", &evidence)];
        assert_eq!(written::<Pairs>(format, &rows), written::<Pairs>(format, &rows));
    }
}

#[test]
fn an_existing_table_is_not_written_over() {
    let dir = tempfile::tempdir().unwrap();
    RemovalsWriter::create_named(dir.path(), "review", TableFormat::Jsonl).unwrap();
    assert!(RemovalsWriter::create_named(dir.path(), "review", TableFormat::Jsonl).is_err());
    assert!(dir.path().join("review.jsonl").exists());
    assert!(PairsWriter::create(Path::new("no/such/folder"), TableFormat::Jsonl).is_err());
}

#[test]
fn formats_are_named_as_they_are_written() {
    for format in TableFormat::ALL {
        assert_eq!(format.to_string().parse::<TableFormat>(), Ok(format));
        let name = serde_json::to_string(&format).unwrap();
        assert_eq!(name, format!("\"{format}\""));
    }
    let error = "xlsx".parse::<TableFormat>().unwrap_err();
    assert_eq!(error.to_string(), "format must be jsonl, csv or parquet, got `xlsx`");
}
