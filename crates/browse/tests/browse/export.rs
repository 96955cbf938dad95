use std::ops::ControlFlow;

use bytes::Bytes;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;
use retold_browse::{BrowseError, Browser, ExportError, ExportRequest, ResultTable, TableFormat};
use serde_json::Value;

use crate::made::{asking, newsroom};

fn exported(browser: &Browser, table: ResultTable, filter: &str, format: TableFormat) -> Vec<u8> {
    let request = ExportRequest { filter: filter.to_owned(), sort: String::new(), format };
    let mut out = Vec::new();
    let go_on = &mut |_| ControlFlow::Continue(());
    let n_rows = browser.export(table, &request, &mut out, go_on).expect("rows can be written");
    let page = browser.page(table, &asking(filter, "")).expect("a page");
    assert_eq!(n_rows, page.n_matching);
    let mut of_page = Vec::new();
    browser.write_rows(table, &page.rows, format, &mut of_page).expect("rows can be written");
    assert!(of_page == out, "a page with all rows is written as all rows are");
    out
}

#[test]
fn json_lines_are_the_lines_as_they_were_written() {
    let (made, opened) = (newsroom(), newsroom().open());
    for table in ResultTable::ALL {
        let lines = exported(&opened.browser, table, "", TableFormat::Jsonl);
        assert_eq!(String::from_utf8(lines).expect("JSON is UTF-8"), made.lines(table));
    }
}

#[test]
fn csv_has_all_columns_and_no_formulas() {
    let opened = newsroom().open();
    let csv = exported(&opened.browser, ResultTable::Documents, "cluster:none", TableFormat::Csv);
    let csv = String::from_utf8(csv).expect("CSV is UTF-8");
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("id,file,record,n_words,verdict,cluster,clusters,"));
    assert!(lines[1].starts_with("'=loose,wire.jsonl,0,7,unique,,,"));
    assert_eq!(lines.len(), 3);
}

/// Returns a value of Parquet as JSON, if it is no list.
fn json(field: &Field) -> Option<Value> {
    match field {
        Field::Str(text) => Some(Value::from(text.as_str())),
        Field::ULong(count) => Some(Value::from(*count)),
        Field::Double(share) => Some(Value::from(*share)),
        Field::Bool(flag) => Some(Value::from(*flag)),
        Field::Null => Some(Value::Null),
        _ => None,
    }
}

#[test]
fn parquet_gives_the_same_values_back() {
    let (made, opened) = (newsroom(), newsroom().open());
    for table in ResultTable::ALL {
        let bytes = exported(&opened.browser, table, "", TableFormat::Parquet);
        let reader = SerializedFileReader::new(Bytes::from(bytes)).expect("it is Parquet");
        let rows: Vec<_> = reader.get_row_iter(None).expect("it has rows").collect();
        assert_eq!(rows.len(), made.rows(table).len());
        for (found, written) in rows.iter().zip(made.rows(table)) {
            let found = found.as_ref().expect("a row can be read");
            for (name, field) in found.get_column_iter() {
                let left_out = matches!(name.as_str(), "pairs_cut" | "too_short" | "evidence_cut");
                if let Some(value) = json(field).filter(|_| !left_out) {
                    assert_eq!(value, written[name], "{table}: {name}");
                }
            }
        }
    }
}

#[test]
fn an_export_that_is_asked_to_stop_says_so() {
    let opened = newsroom().open();
    let request = ExportRequest::default();
    let stop = &mut |_| ControlFlow::Break(());
    let stopped = opened.browser.export(ResultTable::Pairs, &request, Vec::new(), stop);
    assert!(matches!(stopped, Err(ExportError::Browse(BrowseError::Stopped))));
}
