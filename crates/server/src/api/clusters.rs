//! What stands around one cluster or one pair of a result.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use retold::{Lineage, Resources};
use retold_browse::{Neighbour, Outside};
use retold_lab::{LineageFormat, lineage_file};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::boilerplate::Boilerplate;
use super::documents::DocumentAnswer;
use super::offsets::{Offsets, Utf16};
use super::results::{RowAnswer, result_of, rows_of};
use super::{At, Params, Route, json, typed};
use crate::app::{App, Shared};
use crate::keys::{Caller, Scope};
use crate::problem::{Code, Problem};
use crate::results::Results;

/// Members of a cluster that are listed with it.
const MOST_MEMBERS: usize = 1_000;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/results/{result}/clusters/{cluster}", Scope::Read, "One cluster")
            .answer::<ClusterAnswer>(200, "The cluster and its first members")
            .to(cluster),
        Route::get(
            "/results/{result}/clusters/{cluster}/lineage",
            Scope::Read,
            "Who most likely copied from whom",
        )
        .query::<LineageParams>()
        .answer::<Value>(200, "The most likely tree of versions")
        .answer_of(200, "", &["image/svg+xml", "image/png", "text/vnd.graphviz"])
        .to(lineage),
        Route::get(
            "/results/{result}/clusters/{cluster}/neighbours",
            Scope::Read,
            "Documents near a cluster, and why they are outside",
        )
        .query::<NeighbourParams>()
        .answer::<NeighbourList>(200, "Pairs with one document inside, strongest first")
        .to(neighbours),
        Route::get("/results/{result}/pairs/{pair}", Scope::Read, "One pair with both texts")
            .query::<PairParams>()
            .answer::<PairAnswer>(200, "The pair, its documents and their passages")
            .to(pair),
    ]
}

/// A cluster.
#[derive(Serialize, JsonSchema)]
struct ClusterAnswer {
    /// Its row.
    cluster: RowAnswer,
    /// Rows of its first members.
    members: Vec<RowAnswer>,
    /// All its members; /documents?filter=cluster:K has them all.
    members_total: u64,
}

/// How a lineage is told.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LineageParams {
    /// The format. The default is json.
    format: Option<LineageName>,
}

/// Formats of a lineage.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum LineageName {
    Json,
    Dot,
    Svg,
    Png,
}

/// How many neighbours.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NeighbourParams {
    /// Most pairs. The default is 50.
    limit: Option<u64>,
}

/// Documents near a cluster.
#[derive(Serialize, JsonSchema)]
struct NeighbourList {
    /// Pairs with one document inside, strongest first.
    neighbours: Vec<NeighbourAnswer>,
}

/// A document near a cluster.
#[derive(Serialize, JsonSchema)]
struct NeighbourAnswer {
    /// The row of the pair.
    pair: RowAnswer,
    /// Id of the document in the cluster.
    inside: String,
    /// Id of the document outside.
    outside: String,
    /// Why it is outside: `partial`, `containment`, `other-clusters`, `too-few-members` or `unknown`.
    reason: String,
    /// The reason in words.
    detail: String,
    /// Clusters that the document outside is in, for `other-clusters`.
    clusters: Vec<u64>,
    /// Members that the document outside is related to, for `too-few-members`.
    related: Option<u64>,
}

/// How a pair is told.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PairParams {
    /// Unit of offsets.
    #[serde(default)]
    offsets: Offsets,
}

/// A pair with both texts.
#[derive(Serialize, JsonSchema)]
struct PairAnswer {
    /// The row.
    pair: Value,
    /// The first document.
    a: DocumentAnswer,
    /// The second document.
    b: DocumentAnswer,
    /// What stands in other documents, too, that are no copies of either.
    boilerplate: Boilerplate,
}

async fn cluster(
    State(app): State<Shared>,
    caller: Caller,
    At((number, cluster)): At<(u64, u64)>,
) -> Result<Response, Problem> {
    result_of(&app, &caller, number)?;
    let found = app
        .work(&caller, move |app| Ok(app.results.open(number)?.cluster(cluster, MOST_MEMBERS)?))
        .await?;
    let found = found.ok_or_else(|| Problem::not_found("cluster"))?;
    json(&ClusterAnswer {
        cluster: RowAnswer::of(found.cluster)?,
        members: rows_of(found.members)?,
        members_total: found.n_members,
    })
}

async fn lineage(
    State(app): State<Shared>,
    caller: Caller,
    At((number, cluster)): At<(u64, u64)>,
    Params(params): Params<LineageParams>,
) -> Result<Response, Problem> {
    let job = result_of(&app, &caller, number)?;
    app.work(&caller, move |app: &App| {
        let found = app.results.open(number)?.cluster(cluster, 1)?;
        found.ok_or_else(|| Problem::not_found("cluster"))?;
        let (texts, folder) = (Results::texts(app, &job)?, app.results.folder(number));
        let resources = Resources::new().threads(1);
        let lineage = Lineage::of_cluster(&folder, cluster, &texts, &resources)?;
        let (format, content_type) = match params.format.unwrap_or(LineageName::Json) {
            LineageName::Json => return json(&lineage),
            LineageName::Dot => (LineageFormat::Dot, "text/vnd.graphviz"),
            LineageName::Svg => (LineageFormat::Svg, "image/svg+xml"),
            LineageName::Png => (LineageFormat::Png, "image/png"),
        };
        let title = format!("Cluster {cluster}: who most likely copied from whom");
        Ok(typed(StatusCode::OK, content_type, lineage_file(&lineage, &title, format)))
    })
    .await
}

async fn neighbours(
    State(app): State<Shared>,
    caller: Caller,
    At((number, cluster)): At<(u64, u64)>,
    Params(params): Params<NeighbourParams>,
) -> Result<Response, Problem> {
    result_of(&app, &caller, number)?;
    let limit = params.limit.unwrap_or(50).clamp(1, app.limits().page_rows) as usize;
    let found = app
        .work(&caller, move |app| Ok(app.results.open(number)?.neighbours(cluster, limit)?))
        .await?;
    let found = found.ok_or_else(|| Problem::not_found("cluster"))?;
    let told = |neighbour: Neighbour| {
        let (mut clusters, mut related) = (Vec::new(), None);
        let (reason, detail) = match neighbour.reason {
            Outside::Partial => ("partial", "they share only passages".to_owned()),
            Outside::Containment => {
                ("containment", "one contains the other, which does not join documents".to_owned())
            }
            Outside::OtherClusters(numbers) => {
                let names: Vec<String> = numbers.iter().map(u64::to_string).collect();
                clusters = numbers;
                ("other-clusters", format!("it is in cluster {}", names.join(", ")))
            }
            Outside::TooFewMembers { n_related, .. } => {
                related = Some(n_related);
                ("too-few-members", format!("it is related to {n_related} of the members only"))
            }
            _ => ("unknown", "the tables do not tell".to_owned()),
        };
        Ok(NeighbourAnswer {
            pair: RowAnswer::of(neighbour.pair)?,
            inside: neighbour.inside,
            outside: neighbour.outside,
            reason: reason.to_owned(),
            detail,
            clusters,
            related,
        })
    };
    let neighbours = found.into_iter().map(told).collect::<Result<_, Problem>>()?;
    json(&NeighbourList { neighbours })
}

async fn pair(
    State(app): State<Shared>,
    caller: Caller,
    At((number, pair)): At<(u64, u64)>,
    Params(params): Params<PairParams>,
) -> Result<Response, Problem> {
    result_of(&app, &caller, number)?;
    let answer = app
        .work(&caller, move |app| {
            let browser = app.results.open(number)?;
            let row = browser.pair(pair)?;
            let row = row.ok_or_else(|| Problem::not_found("pair"))?;
            let mut row: Value = serde_json::from_str(&row.line).map_err(Problem::internal)?;
            let id = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            let (a, b) = (id("a"), id("b"));
            let documents = app.results.documents(app, number, &[a.clone(), b.clone()])?;
            let find = |id: &str| {
                let found = documents.iter().find(|document| document.id == id).cloned();
                found.ok_or_else(|| Problem::new(Code::Gone, "a document is gone"))
            };
            let mut boilerplate = Boilerplate::of(&browser, &a, &b)?;
            let (a, b) = (find(&a)?, find(&b)?);
            if params.offsets == Offsets::Utf16 {
                let counted = (Utf16::of(&a.text), Utf16::of(&b.text));
                boilerplate.count_in(&counted.0, &counted.1);
                counted.0.count_passages(&counted.1, &mut row["evidence"]);
            }
            let (a, b) = (DocumentAnswer::of(a), DocumentAnswer::of(b));
            Ok(PairAnswer { pair: row, a, b, boilerplate })
        })
        .await?;
    json(&answer)
}
