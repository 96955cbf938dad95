//! Results: their tables page by page, and how rows spread over values.

use super::jobs::job_of;
use super::{At, Params, Route, json, typed};
use crate::app::Shared;
use crate::http::stream_body;
use crate::jobs::{Kind, Record, Status};
use crate::keys::{Caller, Scope};
use crate::problem::{Code, Problem};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use retold_browse::{ExportRequest, Facet, Page, PageRequest, ResultTable, Row, TableFormat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::io::{self, Write};
use std::ops::ControlFlow;

/// Content types of a page.
const TYPES: [&str; 4] =
    ["application/json", "application/x-ndjson", "text/csv", "application/vnd.apache.parquet"];

pub(super) fn routes() -> Vec<Route> {
    let page = |path: &'static str, table: ResultTable, about: &'static str| {
        Route::get(path, Scope::Read, about)
            .details(
                "Rows are as the file of the table has them, each with its number. `filter` is a \
                 list of terms such as `in:>0.8 source:reuters`; `sort` a name, with `-` in front \
                 for descending order. By `Accept` or `format`: JSON, NDJSON, CSV, Parquet. With \
                 `all=true` NDJSON, CSV and Parquet have all rows, not a page of them.",
            )
            .query::<PageParams>()
            .header("Accept", "The content type of the answer")
            .answer::<PageAnswer>(200, "A page of rows")
            .answer_of(200, "", &TYPES[1..])
            .to(move |app, caller, at, params, headers| {
                page(table, app, caller, at, params, headers)
            })
    };
    vec![
        page("/results/{result}/pairs", ResultTable::Pairs, "Pairs of a result"),
        page("/results/{result}/clusters", ResultTable::Clusters, "Clusters of a result"),
        page("/results/{result}/documents", ResultTable::Documents, "Documents of a result"),
        page("/results/{result}/removed", ResultTable::Removed, "Documents that `dedup` removes"),
        page(
            "/results/{result}/review",
            ResultTable::Review,
            "Documents that `dedup` leaves to a person",
        ),
        Route::get("/results/{result}/facets", Scope::Read, "How rows spread over values")
            .query::<FacetParams>()
            .answer::<FacetsAnswer>(200, "Histograms; each bin has the term of a filter")
            .to(facets),
    ]
}

/// Which rows.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PageParams {
    /// Terms that rows have to fit, such as `in:>0.8 source:reuters`.
    #[serde(default)]
    filter: String,
    /// The order, such as `-in` or `size`. The default is that of the file.
    #[serde(default)]
    sort: String,
    /// Where the page begins: `next` of the page before.
    after: Option<String>,
    /// Rows of a page. The default is 100.
    limit: Option<u64>,
    /// The content type, instead of `Accept`.
    format: Option<FormatName>,
    /// Whether all rows are sent, not a page of them.
    #[serde(default)]
    all: bool,
}

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FormatName {
    Json,
    Ndjson,
    Csv,
    Parquet,
}

impl FormatName {
    fn of(headers: &HeaderMap) -> Self {
        let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
        let accept = accept.unwrap_or_default();
        let wanted = accept.split(',').map(|name| name.split(';').next().unwrap_or("").trim());
        for name in wanted {
            match name {
                "application/x-ndjson" | "application/ndjson" => return Self::Ndjson,
                "text/csv" => return Self::Csv,
                "application/vnd.apache.parquet" => return Self::Parquet,
                "application/json" => return Self::Json,
                _ => {}
            }
        }
        Self::Json
    }

    fn table_format(self) -> TableFormat {
        match self {
            Self::Json | Self::Ndjson => TableFormat::Jsonl,
            Self::Csv => TableFormat::Csv,
            Self::Parquet => TableFormat::Parquet,
        }
    }

    fn content_type(self) -> &'static str {
        match self {
            Self::Json => TYPES[0],
            Self::Ndjson => TYPES[1],
            Self::Csv => TYPES[2],
            Self::Parquet => TYPES[3],
        }
    }
}

/// A page of rows.
#[derive(Serialize, JsonSchema)]
struct PageAnswer {
    /// The rows.
    rows: Vec<RowAnswer>,
    /// Where the next page begins, if there is one. It stays valid as long as the result is there.
    next: Option<String>,
    /// Rows that fit the filter.
    matching: u64,
    /// All rows of the table.
    total: u64,
}

/// A row.
#[derive(Serialize, JsonSchema)]
pub(super) struct RowAnswer {
    /// Its number in the table, from 0.
    number: u64,
    /// What the table says.
    #[schemars(with = "Value")]
    row: Box<RawValue>,
}

impl RowAnswer {
    pub(super) fn of(row: Row) -> Result<Self, Problem> {
        let line = RawValue::from_string(row.line).map_err(Problem::internal)?;
        Ok(Self { number: row.number, row: line })
    }
}

pub(super) fn rows_of(rows: Vec<Row>) -> Result<Vec<RowAnswer>, Problem> {
    rows.into_iter().map(RowAnswer::of).collect()
}

/// Which facets.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FacetParams {
    /// The table: pairs, clusters, documents, removed or review. The default is pairs.
    table: Option<TableName>,
    /// Terms that rows have to fit.
    #[serde(default)]
    filter: String,
}

/// A table of a result.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum TableName {
    Pairs,
    Clusters,
    Documents,
    Removed,
    Review,
}

impl TableName {
    fn table(self) -> ResultTable {
        match self {
            Self::Pairs => ResultTable::Pairs,
            Self::Clusters => ResultTable::Clusters,
            Self::Documents => ResultTable::Documents,
            Self::Removed => ResultTable::Removed,
            Self::Review => ResultTable::Review,
        }
    }
}

/// Histograms of the rows that fit a filter.
#[derive(Serialize, JsonSchema)]
struct FacetsAnswer {
    /// Rows that fit the filter.
    matching: u64,
    /// How they spread, one for each name.
    facets: Vec<FacetAnswer>,
}

/// How rows spread over the values of one name.
#[derive(Serialize, JsonSchema)]
struct FacetAnswer {
    /// The name, as a filter takes it.
    name: String,
    /// Values, or stretches of values.
    bins: Vec<BinAnswer>,
    /// Texts that are not listed.
    more: u64,
    /// Rows with these.
    rest: u64,
    /// Rows without a value.
    none: u64,
}

/// One bar of a histogram.
#[derive(Serialize, JsonSchema)]
struct BinAnswer {
    /// The value.
    value: String,
    /// The term of a filter that lets these rows pass.
    term: String,
    /// Rows.
    count: u64,
}

/// Returns the job of a result that a caller may see.
pub(super) fn result_of(app: &Shared, caller: &Caller, number: u64) -> Result<Record, Problem> {
    let job = job_of(app, caller, number).map_err(|_| Problem::not_found("result"))?;
    if job.wanted.kind == Kind::Import {
        return Err(Problem::not_found("result"));
    }
    match job.status {
        Status::Done => Ok(job),
        status => {
            let detail = format!("the job is {}, and has no result yet", status.name());
            Err(Problem::new(Code::Conflict, detail))
        }
    }
}

async fn page(
    table: ResultTable,
    State(app): State<Shared>,
    caller: Caller,
    At(number): At<u64>,
    Params(params): Params<PageParams>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    result_of(&app, &caller, number)?;
    let format = params.format.unwrap_or_else(|| FormatName::of(&headers));
    if params.all && format != FormatName::Json {
        return export(app, caller, number, table, params, format).await;
    }
    let limit = params.limit.unwrap_or(100);
    let most = app.limits().page_rows;
    if limit == 0 || limit > most {
        let detail = format!("`limit` is from 1 to {most}; with `all=true` there is no limit");
        return Err(Problem::new(Code::NotAccepted, detail).limit("page_rows", most));
    }
    app.work(&caller, move |app| {
        let browser = app.results.with_table(number, table)?;
        let PageParams { filter, sort, after, .. } = params;
        let request = PageRequest {
            filter,
            sort,
            after,
            limit: limit as usize,
            most_bytes: app.limits().body_bytes,
        };
        let Page { rows, next, n_matching, n_rows } = browser.page(table, &request)?;
        if format == FormatName::Json {
            let rows = rows_of(rows)?;
            return json(&PageAnswer { rows, next, matching: n_matching, total: n_rows });
        }
        let mut bytes = Vec::new();
        browser
            .write_rows(table, &rows, format.table_format(), &mut bytes)
            .map_err(Problem::internal)?;
        let mut response = typed(StatusCode::OK, format.content_type(), bytes);
        if let Some(next) = next {
            let link = format!("<?after={next}>; rel=\"next\"");
            if let Ok(link) = HeaderValue::from_str(&link) {
                response.headers_mut().insert(header::LINK, link);
            }
        }
        Ok(response)
    })
    .await
}

/// Sends all rows, as they are read.
async fn export(
    app: Shared,
    caller: Caller,
    number: u64,
    table: ResultTable,
    params: PageParams,
    format: FormatName,
) -> Result<Response, Problem> {
    let PageParams { filter, sort, .. } = params;
    // Asked for one row first, so that a filter that cannot be understood is a problem and not a
    // broken answer.
    let request = PageRequest {
        filter: filter.clone(),
        sort: sort.clone(),
        limit: 1,
        ..PageRequest::default()
    };
    let browser = app
        .work(&caller, move |app| {
            let browser = app.results.with_table(number, table)?;
            browser.page(table, &request)?;
            Ok(browser)
        })
        .await?;
    let pass = app.gate.enter(&caller.client).await?;
    let (sender, body) = stream_body();
    tokio::task::spawn_blocking(move || {
        let _pass = pass;
        let mut out = io::BufWriter::with_capacity(64 << 10, Pieces(sender));
        let request = ExportRequest { filter, sort, format: format.table_format() };
        let mut go_on =
            |_| if app.is_ending() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        // Who does not read to the end is not told why.
        let _ = browser.export(table, &request, &mut out, &mut go_on);
        let _ = out.flush();
    });
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(format.content_type()));
    let ending = match format {
        FormatName::Json | FormatName::Ndjson => "jsonl",
        FormatName::Csv => "csv",
        FormatName::Parquet => "parquet",
    };
    let name = format!("attachment; filename=\"{}-{number}.{ending}\"", table.name());
    let name = HeaderValue::from_str(&name).map_err(Problem::internal)?;
    headers.insert(header::CONTENT_DISPOSITION, name);
    Ok(response)
}

/// Sends what is written in pieces.
pub(super) struct Pieces(pub(super) tokio::sync::mpsc::Sender<Bytes>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Bytes::copy_from_slice(bytes));
        sent.map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

async fn facets(
    State(app): State<Shared>,
    caller: Caller,
    At(number): At<u64>,
    Params(params): Params<FacetParams>,
) -> Result<Response, Problem> {
    result_of(&app, &caller, number)?;
    let table = params.table.map_or(ResultTable::Pairs, TableName::table);
    let found = app
        .work(&caller, move |app| {
            Ok(app.results.with_table(number, table)?.facets(table, &params.filter)?)
        })
        .await?;
    let told = |facet: Facet| FacetAnswer {
        name: facet.name.to_owned(),
        bins: facet
            .bins
            .into_iter()
            .map(|bin| BinAnswer { value: bin.value, term: bin.term, count: bin.count })
            .collect(),
        more: facet.n_more,
        rest: facet.n_rest,
        none: facet.n_none,
    };
    let facets = found.facets.into_iter().map(told).collect();
    json(&FacetsAnswer { matching: found.n_matching, facets })
}

#[cfg(test)]
mod tests {
    use std::str::FromStr as _;

    use super::*;

    #[test]
    fn every_table_of_a_result_has_a_name_here() {
        for name in ["pairs", "clusters", "documents", "removed", "review"] {
            assert!(ResultTable::from_str(name).is_ok(), "{name}");
        }
    }
}
