//! Jobs, their results, decisions about them, and pools made of them.

use serde_json::{Value, json};

use crate::common::{Running, eventually, lines, server, start, text};

/// Fills a collection with texts, some of which stand in it twice.
pub(crate) fn filled(server: &Running) {
    server.post("/collections", &json!({ "name": "news" })).is(201);
    let lines = lines((0..30).map(|n| {
        let source = if n % 2 == 0 { "wire" } else { "gazette" };
        let time = format!("2026-01-{:02}", n % 28 + 1);
        let text = format!("{} Number {n}.", text(n / 3));
        json!({ "id": format!("d{n:02}"), "text": text, "source": source, "time": time })
    }));
    server.bulk("/collections/news/documents:bulk", &lines).is(200);
}

pub(crate) fn done(server: &Running, number: u64) -> Value {
    eventually("the job is over", || {
        let status = server.get(&format!("/jobs/{number}")).is(200)["status"].clone();
        status == "done" || status == "failed" || status == "cancelled"
    });
    server.get(&format!("/jobs/{number}")).is(200)
}

pub(crate) fn begun(server: &Running, kind: &str) -> u64 {
    let job = json!({ "kind": kind, "input": { "collection": "news" }, "title": "test" });
    let answer = server.post("/jobs", &job);
    assert!(answer.header("location").is_some_and(|at| at.starts_with("/api/v1/jobs/")));
    answer.is(202)["id"].as_u64().expect("a number")
}

#[test]
fn a_job_finds_copies_and_its_result_is_read_page_by_page() {
    let server = server(|_| {});
    filled(&server);
    let number = begun(&server, "find");
    let job = done(&server, number);
    assert_eq!((&job["status"], &job["outcome"]["summary"]["pairs"]), (&json!("done"), &json!(30)));

    let pairs = |rest: &str| server.get(&format!("/results/{number}/pairs{rest}"));
    let mut seen = Vec::new();
    let mut after = String::new();
    loop {
        let page = pairs(&format!("?sort=-in&filter=source:wire&limit=7{after}")).is(200);
        for row in page["rows"].as_array().expect("rows") {
            seen.push(row["number"].as_u64().expect("a number"));
        }
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    let all = pairs("?filter=source:wire").is(200);
    assert_eq!(all["matching"].as_u64(), Some(seen.len() as u64));
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(all["matching"].as_u64(), Some(seen.len() as u64), "no row twice");
    pairs("?filter=colour:red").problem(400, "bad-request");
    pairs("?after=zz").problem(400, "bad-cursor");
    pairs("?limit=100000").problem(422, "not-accepted");
    server.get("/results/99/pairs").problem(404, "not-found");

    let csv = pairs("?format=csv&all=true");
    assert_eq!(csv.header("content-type"), Some("text/csv"));
    assert_eq!(String::from_utf8_lossy(&csv.body).lines().count(), 31);
    let lines = server.send_with(
        "GET",
        &format!("/api/v1/results/{number}/clusters?all=true"),
        &[("accept", "application/x-ndjson")],
        None,
    );
    assert_eq!(String::from_utf8_lossy(&lines.body).lines().count(), 10);
    let parquet = pairs("?format=parquet");
    assert!(parquet.body.starts_with(b"PAR1") && parquet.body.ends_with(b"PAR1"));

    let facets = server.get(&format!("/results/{number}/facets?table=documents")).is(200);
    let facets = facets["facets"].as_array().expect("facets").clone();
    let source = facets.iter().find(|facet| facet["name"] == "source").expect("sources");
    assert_eq!(source["bins"][0]["count"], 15);
    let cluster = server.get(&format!("/results/{number}/clusters/0")).is(200);
    assert_eq!(
        (&cluster["members_total"], &cluster["cluster"]["row"]["size"]),
        (&json!(3), &json!(3))
    );
    server.get(&format!("/results/{number}/clusters/99")).problem(404, "not-found");
    let lineage = server.get(&format!("/results/{number}/clusters/0/lineage")).is(200);
    assert_eq!(lineage["documents"].as_array().map(Vec::len), Some(3));
    let svg = server.get(&format!("/results/{number}/clusters/0/lineage?format=svg"));
    assert_eq!(svg.header("content-type"), Some("image/svg+xml"));
    server.get(&format!("/results/{number}/clusters/0/neighbours")).is(200);
    let pair = server.get(&format!("/results/{number}/pairs/0?offsets=utf16")).is(200);
    assert_eq!(pair["pair"]["a"], pair["a"]["id"]);
    assert!(pair["b"]["text"].as_str().is_some_and(|text| text.contains("Number")));

    // Cursors outlive the server.
    let page = pairs("?limit=10&sort=-in").is(200);
    let next = page["next"].as_str().expect("a next page").to_owned();
    let expected = pairs(&format!("?limit=10&sort=-in&after={next}")).is(200);
    let (data, _folder) = server.stop();
    let server = start(&data, |_| {});
    let path = format!("/results/{number}/pairs?limit=10&sort=-in&after={next}");
    assert_eq!(server.get(&path).is(200), expected);
    assert_eq!(server.delete(&format!("/jobs/{number}")).status, 204);
    server.get(&path).problem(404, "not-found");
}

#[test]
fn dedup_lists_what_goes_and_decisions_are_kept_and_undone() {
    let server = server(|_| {});
    filled(&server);
    let number = begun(&server, "dedup");
    assert_eq!(done(&server, number)["status"], "done");
    let removed = server.get(&format!("/results/{number}/removed?sort=share")).is(200);
    assert_eq!(removed["total"], 20);
    let path = format!("/results/{number}/decisions");
    let keep = json!({ "kind": "keep", "documents": ["d01"], "reason": "it was first" });
    assert_eq!(server.post(&path, &keep).is(201)["number"], 1);
    assert_eq!(
        server.post(&path, &json!({ "kind": "merge", "clusters": [0, 1] })).is(201)["number"],
        2
    );
    server.post(&path, &json!({ "kind": "merge", "clusters": [0] })).problem(422, "not-accepted");
    server.post(&path, &json!({ "kind": "keep", "documents": ["x"] })).problem(422, "not-accepted");
    server.post(&path, &json!({ "kind": "undo", "of": 1 })).is(201);
    server.post(&path, &json!({ "kind": "undo", "of": 1 })).problem(409, "conflict");
    let all = server.get(&path).is(200);
    assert_eq!(all["decisions"].as_array().map(Vec::len), Some(3));
    assert_eq!(all["decisions"][0]["undone_by"], 3);
    let standing = server.get(&format!("{path}?standing=true")).is(200);
    assert_eq!(standing["decisions"][0]["kind"], "merge");
    let first = server.get(&format!("{path}?limit=2")).is(200);
    let next = first["next"].as_str().expect("a next page");
    let rest = server.get(&format!("{path}?limit=2&after={next}")).is(200);
    assert_eq!(rest["decisions"][0]["kind"], "undo");
}

#[test]
fn a_pool_is_judged_by_several_and_agreement_is_told() {
    let server = server(|_| {});
    filled(&server);
    let number = begun(&server, "find");
    done(&server, number);
    let body = json!({ "name": "pool", "results": [number], "question": "near-duplicate" });
    assert_eq!(server.post("/pools", &body).is(201)["entries"], 30);
    server.post("/pools", &body).problem(409, "conflict");
    for (person, answer) in [("ann", "yes"), ("ben", "no")] {
        for left in (28..=30).rev() {
            let next = server.get(&format!("/pools/pool/next?by={person}")).is(200);
            assert_eq!(next["left"], left, "{person}");
            assert!(next["a"]["text"].is_string() && next["b"]["text"].is_string());
            let (a, b) = (&next["a"]["id"], &next["b"]["id"]);
            let body = json!({ "a": a, "b": b, "answer": answer, "by": person });
            server.post("/pools/pool/judgements", &body).is(201);
        }
    }
    // Three pairs are disagreed about. Whoever comes next is shown one, and it is held for them.
    let shown = |person: &str| {
        let next = server.get(&format!("/pools/pool/next?by={person}")).is(200);
        (next["a"]["id"].to_string(), next["left"].clone(), next["leased"].clone())
    };
    let of_three = [shown("cem"), shown("dan"), shown("eva")];
    assert_eq!(of_three.map(|(_, left, _)| left), [30, 30, 30].map(Value::from));
    let (again, _, leased) = shown("cem");
    assert_eq!((&again, leased), (&shown("cem").0, json!(2)));
    let body = json!({ "a": "d00", "b": "d29", "answer": "no" });
    server.post("/pools/pool/judgements", &body).problem(404, "not-found");
    let agreement = server.get("/pools/pool/agreement").is(200);
    assert_eq!(agreement["entries"], 30);
    assert!(agreement["assessors"]["pairs"].as_array().is_some_and(|pairs| pairs.len() == 1));
    let (data, _folder) = server.stop();
    let server = start(&data, |_| {});
    let judgements = server.get("/pools/pool/judgements?limit=4").is(200);
    assert_eq!(judgements["judgements"].as_array().map(Vec::len), Some(4));
    let next = judgements["next"].as_str().expect("a next page");
    let rest = server.get(&format!("/pools/pool/judgements?after={next}")).is(200);
    assert_eq!(rest["judgements"][0]["number"], 5);
}

#[test]
fn files_are_imported_and_a_job_that_cannot_be_done_says_why() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let lines = lines((0..2_500).map(|n| json!({ "id": n.to_string(), "text": text(n) })));
    std::fs::write(folder.path().join("news.jsonl"), lines).expect("a file");
    let server = server(|config| config.roots = vec![folder.path().to_owned()]);
    server.post("/collections", &json!({ "name": "news" })).is(201);
    let job = json!({ "kind": "import", "input": { "path": "news.jsonl" }, "into": "news" });
    let number = server.post("/jobs", &job).is(202)["id"].as_u64().expect("a number");
    assert_eq!(done(&server, number)["outcome"]["added"], 2_500);
    server.get(&format!("/results/{number}/pairs")).problem(404, "not-found");

    std::fs::write(folder.path().join("empty.jsonl"), "").expect("a file");
    let job = json!({ "kind": "find", "input": { "path": "empty.jsonl" } });
    let number = server.post("/jobs", &job).is(202)["id"].as_u64().expect("a number");
    let failed = done(&server, number);
    assert_eq!(failed["status"], "failed");
    assert!(failed["problem"].as_str().is_some_and(|why| why.contains("no documents")), "{failed}");
    for wrong in [
        json!({ "kind": "import", "input": { "collection": "news" }, "into": "news" }),
        json!({ "kind": "find", "input": {} }),
        json!({ "kind": "find", "input": { "collection": "news" }, "settings": { "k": "x" } }),
    ] {
        server.post("/jobs", &wrong).problem(422, "not-accepted");
    }
    let failed = server.get("/jobs?status=failed").is(200);
    assert_eq!(failed["jobs"].as_array().map(Vec::len), Some(1));
}

#[test]
fn jobs_that_wait_or_run_when_the_server_ends_go_on_later() {
    let server = server(|_| {});
    filled(&server);
    let numbers: Vec<u64> = (0..5).map(|_| begun(&server, "find")).collect();
    let (data, _folder) = server.stop();
    let server = start(&data, |_| {});
    for number in &numbers {
        let job = done(&server, *number);
        assert_eq!(job["status"], "done", "{job}");
        assert_eq!(server.get(&format!("/results/{number}/pairs")).is(200)["total"], 30);
    }
    let listed = server.get("/jobs?limit=3").is(200);
    let next = listed["next"].as_str().expect("a next page");
    let rest = server.get(&format!("/jobs?limit=3&after={next}")).is(200);
    assert_eq!(rest["jobs"].as_array().map(Vec::len), Some(2));
}
