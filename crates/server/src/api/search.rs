//! Full-text search, with the copies folded away.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::Response;
use retold::{Document, Documents, Find, Found, Index, Job};
use retold_core::clean::{Clean, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{At, Params, Route, json};
use crate::app::Shared;
use crate::collections::{Ranked, Searched};
use crate::cursor::Cursor;
use crate::keys::{Caller, Scope};
use crate::problem::{Code, Problem};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/collections/{collection}/search", Scope::Read, "Search for words")
            .details(
                "Words in titles and texts, all of which have to be there; `\"…\"` for phrases, `-` \
                 for words that may not be there, `OR`. With `fold=cluster` documents that tell the \
                 same stand as one hit with the others below it: the best `folded_hits` hits (see \
                 /limits) are compared with each other.",
            )
            .query::<SearchParams>()
            .answer::<SearchAnswer>(200, "Hits, best first")
            .to(search),
    ]
}

/// What is searched for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchParams {
    /// The words.
    q: String,
    /// Whether copies are folded away.
    #[serde(default)]
    fold: Fold,
    /// Hits of a page. The default is 20.
    limit: Option<u64>,
    /// Where the page begins: `next` of the page before.
    after: Option<String>,
}

/// Whether copies are folded away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Fold {
    /// Every document stands for itself.
    #[default]
    None,
    /// Documents that tell the same stand as one.
    Cluster,
}

/// A page of hits.
#[derive(Serialize, JsonSchema)]
struct SearchAnswer {
    /// Hits, best first.
    hits: Vec<SearchHit>,
    /// Documents that have the words.
    found: u64,
    /// How many of them, the best, were compared with each other to fold copies; none without folding.
    folded_among: Option<u64>,
    /// Where the next page begins, if there is one.
    next: Option<String>,
    /// What was searched. The full-text search follows changes a moment later.
    searched: Searched,
    /// What could not be understood in the query and was passed over.
    remarks: Vec<String>,
}

/// A document that has the words.
#[derive(Serialize, JsonSchema)]
struct SearchHit {
    /// Its id.
    id: String,
    /// Headline.
    title: Option<String>,
    /// When it was published.
    time: Option<String>,
    /// Who published it.
    source: Option<String>,
    /// Where it was found.
    url: Option<String>,
    /// How well it fits.
    score: f32,
    /// A part of the text with the words.
    excerpt: String,
    /// Where in the excerpt the words stand, in bytes.
    marks: Vec<(usize, usize)>,
    /// Characters of its clean text: of documents that tell the same, the longest is the most complete.
    characters: usize,
    /// Documents that tell the same and were folded away, best first.
    folded: Vec<FoldedHit>,
}

/// A document that was folded away.
#[derive(Serialize, JsonSchema)]
struct FoldedHit {
    /// Its id.
    id: String,
    /// Headline.
    title: Option<String>,
    /// When it was published.
    time: Option<String>,
    /// Who published it.
    source: Option<String>,
    /// Characters of its clean text.
    characters: usize,
}

async fn search(
    State(app): State<Shared>,
    caller: Caller,
    At(name): At<String>,
    Params(params): Params<SearchParams>,
) -> Result<Response, Problem> {
    let collection = app.collection(&caller, &name)?;
    let limit = params.limit.unwrap_or(20);
    if limit == 0 || limit > app.limits().page_rows {
        let most = app.limits().page_rows;
        let detail = format!("`limit` is from 1 to {most}");
        return Err(Problem::new(Code::NotAccepted, detail).limit("page_rows", most));
    }
    let answer = app
        .work(&caller, move |app| {
            let list = format!("search/{name}/{}/{:?}", params.q, params.fold);
            let start = Cursor::position(params.after.as_deref(), &list)? as usize;
            let index = collection.index();
            let job = index.jobs().next().cloned().unwrap_or_default();
            let most = app.limits().folded_hits as usize;
            let is_folded = params.fold == Fold::Cluster;
            // One more than wanted tells whether there is a next page.
            let wanted = start.saturating_add(limit as usize).saturating_add(1);
            let ranked = collection.search(&params.q, if is_folded { most } else { wanted })?;
            let (groups, folded_among) = if is_folded {
                (folded(&index, &ranked, job)?, Some(ranked.hits.len() as u64))
            } else {
                ((0..ranked.hits.len()).map(|hit| vec![hit]).collect(), None)
            };
            let mut hits = Vec::new();
            for group in groups.iter().skip(start).take(limit as usize) {
                hits.extend(shown(&index, &ranked, group)?);
            }
            let end = start + limit as usize;
            let next = (end < groups.len()).then(|| Cursor::at(end as u64, &list));
            let mut searched = Searched::of(&index);
            searched.documents = ranked.n_searched;
            Ok(SearchAnswer {
                hits,
                found: ranked.n_found as u64,
                folded_among,
                next,
                searched,
                remarks: ranked.remarks,
            })
        })
        .await?;
    json(&answer)
}

/// Groups hits that tell the same; each group begins with its best hit, and groups are in the order of
/// these.
fn folded(index: &Index, ranked: &Ranked, job: Job) -> Result<Vec<Vec<usize>>, Problem> {
    let mut documents = Vec::new();
    for (id, _) in &ranked.hits {
        let document = index.get(id)?.map(|stored| stored.document);
        documents.push(document.unwrap_or_else(|| Document::plain(id.clone(), "")));
    }
    if documents.len() < 2 {
        return Ok((0..documents.len()).map(|hit| vec![hit]).collect());
    }
    // One document after the other has a number, whatever the ids are.
    let mut found = Found::new();
    Find::new(Documents::new(documents)).job(job).threads(1).run(&mut found)?;
    let mut group_of: BTreeMap<usize, usize> = BTreeMap::new();
    for (number, cluster) in found.clusters().iter().enumerate() {
        for document in cluster.documents() {
            group_of.entry(*document).or_insert(number);
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for hit in 0..ranked.hits.len() {
        let group = group_of.get(&hit);
        if let Some(place) = group.and_then(|group| places.get(group)) {
            groups[*place].push(hit);
            continue;
        }
        if let Some(group) = group {
            places.insert(*group, groups.len());
        }
        groups.push(vec![hit]);
    }
    Ok(groups)
}

fn shown(index: &Index, ranked: &Ranked, group: &[usize]) -> Result<Option<SearchHit>, Problem> {
    let mut hits = group.iter().map(|hit| &ranked.hits[*hit]);
    let Some((id, score)) = hits.next() else { return Ok(None) };
    // It may have been removed since the full-text index followed.
    let Some(stored) = index.get(id)? else { return Ok(None) };
    let document = stored.document;
    let text = Text::of(&document, Clean::default());
    let (excerpt, characters) = (ranked.excerpt(text.as_str()), text.as_str().chars().count());
    let mut folded = Vec::new();
    for (id, _) in hits {
        if let Some(stored) = index.get(id)? {
            let characters = Text::of(&stored.document, Clean::default()).as_str().chars().count();
            let Document { id, title, time, source, .. } = stored.document;
            folded.push(FoldedHit { id, title, time, source, characters });
        }
    }
    let Document { id, title, time, source, url, .. } = document;
    let (score, excerpt, marks) = (*score, excerpt.text, excerpt.marks);
    let hit = SearchHit { id, title, time, source, url, score, excerpt, marks, characters, folded };
    Ok(Some(hit))
}
