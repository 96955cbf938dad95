//! Two texts side by side.

use axum::extract::State;
use axum::response::Response;
use retold::{Document, Job, compare};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::documents::DocumentBody;
use super::offsets::{Offsets, Utf16};
use super::{Given, Route, json};
use crate::app::Shared;
use crate::keys::{Caller, Scope};
use crate::problem::Problem;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/compare", Scope::Read, "Compare two texts")
            .body::<CompareBody>()
            .answer::<Compared>(200, "What they have in common")
            .to(compare_texts),
    ]
}

/// Two texts.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CompareBody {
    /// The first.
    a: DocumentBody,
    /// The second.
    b: DocumentBody,
    /// Settings by the names of the command line's options, such as `{"method": "minhash"}`.
    #[serde(default)]
    settings: Map<String, Value>,
    /// Unit of offsets.
    #[serde(default)]
    offsets: Offsets,
}

/// What two texts have in common.
#[derive(Serialize, JsonSchema)]
struct Compared {
    /// How the first relates to the second; none if they are not related.
    #[schemars(with = "Option<String>")]
    relation: Option<retold::Kind>,
    /// Runs of words that both have, as a share of all runs of both.
    resemblance: f64,
    /// Share of the runs of the first found in the second.
    a_in_b: f64,
    /// Share of the runs of the second found in the first.
    b_in_a: f64,
    /// Share of the different words of the first found in the second.
    a_vocabulary_in_b: f64,
    /// Share of the different words of the second found in the first.
    b_vocabulary_in_a: f64,
    /// Words of the first and of the second.
    words: [usize; 2],
    /// Passages that both have: `a` and `b` are where they stand, `words` how long they are,
    /// `differ` how many words differ, `moved` how many agree in another order, and `agrees` says how both
    /// sides agree: `equal`, `edited`, `reordered` or `summarised`.
    #[schemars(with = "Vec<Value>")]
    passages: Value,
    /// Passages that were left out.
    passages_cut: u32,
}

async fn compare_texts(
    State(app): State<Shared>,
    caller: Caller,
    Given(body): Given<CompareBody>,
) -> Result<Response, Problem> {
    let CompareBody { a, b, settings, offsets } = body;
    let job = settings_of(&app.config.job, settings)?;
    let compared = app
        .work(&caller, move |_| {
            let (a, b): (Document, Document) = (a.into_document("a"), b.into_document("b"));
            let found = compare(&a, &b, &job)?;
            let mut passages =
                serde_json::to_value(&found.evidence().passages).map_err(Problem::internal)?;
            if offsets == Offsets::Utf16 {
                Utf16::of(&a.text).count_passages(&Utf16::of(&b.text), &mut passages);
            }
            let (scores, [of_a, of_b]) = (found.scores(), found.vocabulary());
            Ok(Compared {
                relation: found.relation(),
                resemblance: scores.resemblance.get(),
                a_in_b: scores.a_in_b.get(),
                b_in_a: scores.b_in_a.get(),
                a_vocabulary_in_b: of_a.get(),
                b_vocabulary_in_a: of_b.get(),
                words: found.n_words(),
                passages,
                passages_cut: found.evidence().n_cut,
            })
        })
        .await?;
    json(&compared)
}

/// Returns a job with settings by the names of options, over another.
pub(super) fn settings_of(job: &Job, settings: Map<String, Value>) -> Result<Job, Problem> {
    let mut all = match serde_json::to_value(job) {
        Ok(Value::Object(all)) => all,
        _ => Map::new(),
    };
    if settings.contains_key("method") || settings.contains_key("profile") {
        // Parameters and text settings belong to the method that they were given for.
        all = Map::new();
    }
    all.extend(settings);
    let job: Job = serde_json::from_value(Value::Object(all)).map_err(|error| {
        Problem::new(crate::problem::Code::NotAccepted, format!("settings: {error}"))
    })?;
    job.check()?;
    Ok(job)
}
