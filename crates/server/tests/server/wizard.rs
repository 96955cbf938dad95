//! What a person needs from the first look at documents to the clean set: previews, plans, regrouping,
//! known pairs, decisions, folders, reports.

use serde_json::{Value, json};

use crate::common::{Running, server, text};
use crate::jobs::{begun, done, filled};

#[test]
fn a_preview_shows_what_settings_do() {
    let server = server(|_| {});
    let one = format!("<p>The Harbours were closed. {}</p>", text(1));
    let documents = json!([
        { "text": one, "markup": "html", "title": "One" },
        { "text": format!("{} And more.", text(1)) },
        { "text": text(2), "language": "en" },
    ]);
    let ask = |settings: Value| {
        let body = json!({ "documents": documents, "settings": settings });
        server.post("/preview", &body).is(200)
    };
    let plain = ask(json!({}));
    let first = &plain["documents"][0];
    assert!(first["text"].as_str().is_some_and(|text| text.starts_with("The Harbours were")));
    assert_eq!((&first["id"], &first["title"]), (&json!("1"), &json!("One")));
    assert_eq!((&first["words"], &first["kept_words"]), (&json!(64), &json!(64)));
    assert_eq!(first["sentences"], 6);
    assert_eq!(first["first_words"][1], "harbours");
    assert!(first["image_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{first}");
    assert_eq!(plain["pairs"].as_array().map(Vec::len), Some(3));
    assert_eq!(plain["pairs"][0]["relation"], "near-duplicate");
    assert!(plain["pairs"][0]["a_in_b"].as_f64().is_some_and(|share| share > 0.8));
    assert_eq!(plain["pairs"][2]["relation"], Value::Null);
    assert_eq!(plain["pairs"][2]["resemblance"], 0.0);

    let settings = json!({
        "method": "minhash", "set": { "k": 3 }, "stem": "first-five", "stop-words": "words:the,were",
    });
    let changed = ask(settings);
    let first = &changed["documents"][0];
    assert_eq!((&first["words"], &first["kept_words"]), (&json!(64), &json!(62)));
    assert_eq!(first["first_words"][0], "harbo");
    assert_eq!((&first["run_words"], &changed["parameters"]["k"]), (&json!(3), &json!(3)));
    let run = first["first_runs"][0].as_str().expect("a run of words");
    assert_eq!(run.split(' ').count(), 3);

    filled(&server);
    let of_collection = server.post("/preview", &json!({ "collection": "news" })).is(200);
    let third = &of_collection["documents"][2];
    assert_eq!((&third["id"], &third["words"]), (&json!("d02"), &json!(62)));
    assert_eq!(of_collection["pairs"][0]["relation"], "near-duplicate");
    let four = json!({ "documents": vec![json!({ "text": "x" }); 4] });
    server.post("/preview", &four).problem(422, "not-accepted");
    server.post("/preview", &json!({})).problem(422, "not-accepted");
    let long = json!({ "documents": [{ "text": "x ".repeat(200_000) }] });
    server.post("/preview", &long).problem(422, "not-accepted");
    let wrong = json!({ "collection": "news", "settings": { "method": "maxhash" } });
    server.post("/preview", &wrong).problem(422, "not-accepted");
    server.post("/preview", &json!({ "collection": "none" })).problem(404, "not-found");
}

#[test]
fn files_and_folders_are_previewed_by_their_first_documents() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let lines: String = (0..5)
        .map(|n| json!({ "id": format!("d{n}"), "text": text(n) }).to_string() + "\n")
        .collect();
    std::fs::write(folder.path().join("five.jsonl"), &lines).expect("a file");
    let server = server(|config| config.roots = vec![folder.path().to_owned()]);
    let send = |path: &str, bytes: &[u8]| {
        server.send("POST", path, Some(("application/octet-stream", bytes)))
    };
    let first = send("/preview/files?name=five.jsonl", lines.as_bytes()).is(200);
    let ids: Vec<&str> = first["documents"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|document| document["id"].as_str())
        .collect();
    assert_eq!(ids, ["d0", "d1", "d2"]);
    assert_eq!(first["documents"][1]["text"], text(1));
    assert_eq!(send("/preview/files?name=none.jsonl", b"").is(200)["documents"], json!([]));
    let preview = server.post("/preview", &json!({ "path": "five.jsonl" })).is(200);
    assert_eq!(preview["documents"][2]["id"], "d2");
    server.post("/preview", &json!({ "path": "../.." })).problem(422, "not-accepted");
}

#[test]
fn clusters_are_told_as_people_have_decided() {
    let server = server(|_| {});
    filled(&server);
    let number = begun(&server, "dedup");
    done(&server, number);
    let path = format!("/results/{number}/decisions");
    let members = |cluster: u64| -> Vec<String> {
        let row = server.get(&format!("/results/{number}/clusters/{cluster}")).is(200);
        let members = row["cluster"]["row"]["members"].as_array().expect("members").iter();
        members.filter_map(|id| id.as_str().map(str::to_owned)).collect()
    };
    let (third, kept) = (members(3), ids(&server, number));
    server.post(&path, &json!({ "kind": "merge", "clusters": [0, 1] })).is(201);
    let gone: Vec<&String> = third.iter().filter(|id| !kept.contains(id)).collect();
    let split = json!({ "kind": "split", "clusters": [3], "documents": gone });
    server.post(&path, &split).is(201);
    let answer = server.get(&format!("/results/{number}/grouped"));
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    let text = String::from_utf8(answer.body).expect("text");
    let groups: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(groups.len(), 10);
    let merged = groups.iter().find(|group| group["clusters"] == json!([0, 1])).expect("merged");
    assert_eq!(merged["documents"], json!([members(0), members(1)].concat()));
    assert_eq!(groups.last().expect("a group")["documents"], json!(gone));
    // One of those that were split off stays.
    let now = ids(&server, number);
    assert_eq!(now.len(), kept.len() + 1);
    assert!(now.contains(gone[0]));
    let about = server.get(&format!("{path}?standing=true&cluster=3")).is(200);
    assert_eq!(about["decisions"].as_array().map(Vec::len), Some(1));
    let formula =
        json!({ "id": "=1+1", "text": "@SUM(A1) and nothing else of this is told again" });
    server.bulk("/collections/news/documents:bulk", &formula.to_string()).is(200);
    let number = begun(&server, "dedup");
    done(&server, number);
    let csv = server.get(&format!("/results/{number}/clean?format=csv"));
    let csv = String::from_utf8(csv.body).expect("text");
    assert!(csv.contains("\n\"'=1+1\",\"'@SUM(A1)"), "{csv}");
}

#[test]
fn every_method_can_be_previewed() {
    let server = server(|_| {});
    let documents = json!([{ "text": text(1) }, { "text": format!("{} More.", text(1)) }]);
    for method in retold::METHODS {
        let body = json!({ "documents": documents, "settings": { "method": method.name } });
        let preview = server.post("/preview", &body).is(200);
        assert_eq!(preview["documents"][1]["words"], 61, "{}", method.name);
    }
}

#[test]
fn a_plan_says_what_a_search_costs() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    std::fs::write(folder.path().join("a.txt"), text(1)).expect("a file");
    std::fs::write(folder.path().join("b.txt"), text(1)).expect("a file");
    let server = server(|config| config.roots = vec![folder.path().to_owned()]);
    filled(&server);
    let plan = server.post("/plan", &json!({ "input": { "collection": "news" } })).is(200);
    assert_eq!((&plan["documents"], &plan["sampled"]), (&json!(30), &json!(30)));
    assert_eq!(plan["documents_counted"], true);
    assert!(plan["memory_bytes"]["expected"].as_f64().is_some_and(|bytes| bytes > 0.0));
    assert!(plan["uncertain"].as_array().is_some_and(|names| names.contains(&json!("copies"))));
    assert!(plan["stages"].as_array().is_some_and(|stages| !stages.is_empty()));
    let body = json!({ "input": { "path": "" }, "settings": { "method": "minhash" } });
    let plan = server.post("/plan", &body).is(200);
    assert_eq!((&plan["documents"], &plan["method"]), (&json!(2), &json!("minhash")));
    assert_eq!(plan["exact_copies"]["expected"], 1.0);
    server.post("/plan", &json!({ "input": {} })).problem(422, "not-accepted");
    server.post("/plan", &json!({ "input": { "path": "/" } })).problem(422, "not-accepted");
    server.post("/plan", &json!({ "input": { "result": 1 } })).problem(422, "not-accepted");
}

fn regrouped(server: &Running, result: u64, settings: &Value) -> u64 {
    let job = json!({ "kind": "regroup", "input": { "result": result }, "settings": settings });
    let number = server.post("/jobs", &job).is(202)["id"].as_u64().expect("a number");
    let job = done(server, number);
    assert_eq!(job["status"], "done", "{job}");
    number
}

#[test]
fn a_result_is_regrouped_without_a_new_search() {
    let server = server(|_| {});
    filled(&server);
    let found = begun(&server, "find");
    done(&server, found);
    let of = server.get(&format!("/results/{found}")).is(200);
    assert_eq!((&of["holds_all_pairs"], &of["has_decisions"]), (&json!(true), &json!(false)));
    assert_eq!((&of["counts"]["pairs"], &of["counts"]["removed"]), (&json!(30), &Value::Null));
    assert_eq!(
        (&of["settings"]["pairs"], &of["input"]["collection"]),
        (&json!("all"), &json!("news"))
    );

    let strict = json!({ "passage-words": 500, "containment": 1.0, "clusters": "components" });
    let strict = regrouped(&server, found, &strict);
    let strict = server.get(&format!("/results/{strict}")).is(200);
    assert_eq!((&strict["kind"], &strict["input"]["result"]), (&json!("regroup"), &json!(found)));
    assert_eq!(strict["settings"]["set"]["containment"], 1.0);
    assert!(strict["counts"]["pairs"].as_u64() < Some(30), "{strict}");

    let decided = regrouped(&server, found, &json!({ "dedup": true, "keep": "first" }));
    let answer = server.get(&format!("/results/{decided}")).is(200);
    assert_eq!(
        (&answer["has_decisions"], &answer["counts"]["removed"]),
        (&json!(true), &json!(20))
    );
    let removed = server.get(&format!("/results/{decided}/removed?limit=1")).is(200);
    assert_eq!(removed["rows"][0]["row"]["covered_by"], "d00");
    let listed = server.get("/results").is(200);
    assert_eq!(listed["results"].as_array().map(Vec::len), Some(3));

    let refused = |body: &Value, code: u16, name: &str| {
        server.post("/jobs", body).problem(code, name)["detail"].as_str().unwrap_or("").to_owned()
    };
    let star = json!({ "kind": "find", "input": { "collection": "news" }, "settings": { "pairs": "star" } });
    let star = server.post("/jobs", &star).is(202)["id"].as_u64().expect("a number");
    done(&server, star);
    assert_eq!(server.get(&format!("/results/{star}")).is(200)["holds_all_pairs"], false);
    let why =
        refused(&json!({ "kind": "regroup", "input": { "result": star } }), 422, "not-accepted");
    assert!(why.contains("does not hold all pairs") && !why.contains("found"), "{why}");
    let body = |settings: Value| json!({ "kind": "regroup", "input": { "result": found }, "settings": settings });
    refused(&body(json!({ "containment": 0.001 })), 422, "not-accepted");
    refused(&body(json!({ "method": "minhash" })), 422, "not-accepted");
    refused(&json!({ "kind": "regroup", "input": { "collection": "news" } }), 422, "not-accepted");
    refused(&json!({ "kind": "find", "input": { "result": found } }), 422, "not-accepted");
    refused(&json!({ "kind": "regroup", "input": { "result": 99 } }), 404, "not-found");
}

#[test]
fn a_result_is_compared_with_known_pairs() {
    let server = server(|_| {});
    filled(&server);
    let number = begun(&server, "find");
    done(&server, number);
    let path = format!("/results/{number}/evaluation");
    // Three documents of each text: 30 pairs are found.
    let list = "d00\td01\tsame\nd03\td04\tsame\nd00\td29\tsame\nd06\tzz\tsame\nd06\td07\tno\n";
    let tsv = Some(("text/tab-separated-values", list.as_bytes()));
    let told = server.send("POST", &path, tsv).is(200);
    let five = ["known", "found", "common", "only_known", "only_found"].map(|name| &told[name]);
    assert_eq!(five, [4, 30, 2, 2, 28]);
    assert_eq!((&told["recall"], &told["negative"]), (&json!(0.5), &json!(1)));
    assert_eq!(told["precision"].as_f64(), Some(2.0 / 30.0));
    let missed = &told["not_found"];
    assert_eq!((&missed["total"], &missed["rest"]), (&json!(2), &json!(0)));
    let pairs: Vec<_> = missed["pairs"].as_array().expect("pairs").iter().collect();
    assert!(pairs.iter().any(|pair| pair["a"] == "d00" && pair["b"] == "d29"), "{missed}");
    assert_eq!(told["not_known"]["pairs"].as_array().map(Vec::len), Some(28));
    let no = told["not_known"]["pairs"].as_array().into_iter().flatten();
    assert_eq!(no.filter(|pair| pair["says_no"] == true).count(), 1);
    assert_eq!(told["unknown_ids"], json!(["zz"]));
    let remarks = told["remarks"].to_string();
    assert!(remarks.contains("1 documents of the list are not in the collection"), "{remarks}");

    let pairs = json!({ "pairs": [{ "a": "d01", "b": "d00" }, { "a": "d03", "b": "d05", "label": "yes" }] });
    let told = server.post(&format!("{path}?complete=true"), &pairs).is(200);
    assert_eq!((&told["common"], &told["recall_name"]), (&json!(2), &json!("recall")));
    let empty = server.post(&path, &json!({ "pairs": [] })).problem(422, "not-accepted");
    assert!(!empty["detail"].as_str().unwrap_or("/").contains('/'), "{empty}");
    server.send("POST", &path, Some(("image/png", b"x"))).problem(415, "unsupported-type");
}

fn ids(server: &Running, number: u64) -> Vec<String> {
    let answer = server.get(&format!("/results/{number}/clean"));
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    let lines = String::from_utf8(answer.body).expect("text");
    let id = |line: &str| {
        let record: Value = serde_json::from_str(line).expect("a record");
        assert!(record["text"].as_str().is_some_and(|text| text.len() > 100));
        record["id"].as_str().expect("an id").to_owned()
    };
    lines.lines().map(id).collect()
}

#[test]
fn the_clean_set_follows_decisions() {
    let server = server(|_| {});
    filled(&server);
    let number = begun(&server, "dedup");
    done(&server, number);
    let figures = || server.get(&format!("/results/{number}/kept")).is(200);
    let before = figures();
    assert_eq!(
        (&before["documents"], &before["kept"], &before["removed"]),
        (&json!(30), &json!(10), &json!(20))
    );
    let kept = ids(&server, number);
    assert_eq!(kept.len(), 10);
    let removed = server.get(&format!("/results/{number}/removed?limit=1")).is(200);
    let gone = removed["rows"][0]["row"]["id"].as_str().expect("an id").to_owned();
    let path = format!("/results/{number}/decisions");
    server.post(&path, &json!({ "kind": "keep", "documents": [gone] })).is(201);
    let removes = json!({ "kind": "remove", "documents": [kept[0], kept[1]] });
    server.post(&path, &removes).is(201);
    server.post(&path, &json!({ "kind": "leave-out", "documents": [kept[1]] })).is(201);
    let after = figures();
    assert_eq!((&after["kept"], &after["changed_by_decisions"]), (&json!(10), &json!(2)));
    let now = ids(&server, number);
    assert!(now.contains(&gone) && !now.contains(&kept[0]) && now.contains(&kept[1]), "{now:?}");
    server.post(&path, &json!({ "kind": "undo", "of": 1 })).is(201);
    server.post(&path, &json!({ "kind": "undo", "of": 2 })).is(201);
    assert_eq!(ids(&server, number), kept);
    let csv = server.get(&format!("/results/{number}/clean?format=csv"));
    let csv = String::from_utf8(csv.body).expect("text");
    assert_eq!(csv.lines().next(), Some("id,text,title,time,source,url,language,fields"));
    assert_eq!(csv.lines().count(), 11);
    let found = begun(&server, "find");
    done(&server, found);
    server.get(&format!("/results/{found}/kept")).problem(404, "not-found");
    server.get(&format!("/results/{found}/clean")).problem(404, "not-found");
    server.delete(&format!("/collections/news/documents/{}", kept[3])).is(200);
    server.get(&format!("/results/{number}/clean")).problem(410, "gone");
}

#[test]
fn the_clean_set_of_files_is_read_from_them() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for n in 0..6 {
        let text = format!("{} Number {n}.", text(n / 3));
        std::fs::write(folder.path().join(format!("{n}.txt")), text).expect("a file");
    }
    let server = server(|config| config.roots = vec![folder.path().to_owned()]);
    let job = json!({ "kind": "dedup", "input": { "path": "" }, "settings": { "keep": "first" } });
    let number = server.post("/jobs", &job).is(202)["id"].as_u64().expect("a number");
    done(&server, number);
    let kept = ids(&server, number);
    assert_eq!(kept.len(), 2, "{kept:?}");
    assert!(kept[0].ends_with("0.txt") && kept[1].ends_with("3.txt"), "{kept:?}");
    std::fs::remove_file(folder.path().join("3.txt")).expect("it was there");
    server.get(&format!("/results/{number}/clean")).problem(410, "gone");
}

#[test]
fn folders_and_reports_are_shown_and_nothing_outside() {
    let outside = tempfile::tempdir().expect("a folder for the test");
    std::fs::write(outside.path().join("secret.txt"), "secret").expect("a file");
    let folder = tempfile::tempdir().expect("a folder for the test");
    let report = folder.path().join("runs").join("first");
    std::fs::create_dir_all(report.join("plots")).expect("a folder");
    for (name, content) in [
        ("report.md", "# Experiments\n\n## Recall by length\n\ntext"),
        ("results.jsonl", "{}\n"),
        ("verdicts.jsonl", "{}\n"),
        ("private.key", "secret"),
        ("plots/curve.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>1</script></svg>"),
    ] {
        std::fs::write(report.join(name), content).expect("a file");
    }
    std::fs::write(folder.path().join("news.jsonl"), "{}").expect("a file");
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path(), folder.path().join("out")).expect("a link");
    let server = server(|config| config.roots = vec![folder.path().to_owned()]);
    let roots = server.get("/roots").is(200);
    let root = roots["roots"][0]["path"].as_str().expect("a path").to_owned();
    assert_eq!(roots["roots"][0]["there"], true);
    let list = server.get(&format!("/roots/files?path={root}")).is(200);
    let names: Vec<_> =
        list["entries"].as_array().expect("entries").iter().map(|entry| &entry["name"]).collect();
    assert_eq!(names, ["runs", "news.jsonl"]);
    assert_eq!((&list["parent"], &list["entries"][1]["bytes"]), (&Value::Null, &json!(2)));
    let inner = server.get(&format!("/roots/files?path={root}/runs")).is(200);
    assert_eq!(inner["parent"], root);
    let cut = server.get(&format!("/roots/files?path={root}&limit=1")).is(200);
    assert_eq!((&cut["total"], &cut["cut"]), (&json!(2), &json!(1)));
    for path in ["/", "../", &format!("{root}/out"), &outside.path().display().to_string()] {
        server.get(&format!("/roots/files?path={path}")).problem(422, "not-accepted");
    }

    let list = server.get("/experiments").is(200);
    let found = &list["experiments"][0];
    assert_eq!(
        (&found["title"], &found["folder"]),
        (&json!("Recall by length"), &json!("runs/first"))
    );
    let files: Vec<_> =
        found["files"].as_array().expect("files").iter().map(|file| &file["name"]).collect();
    assert_eq!(files, ["plots/curve.svg", "report.md", "results.jsonl", "verdicts.jsonl"]);
    let name = found["name"].as_str().expect("a name");
    let drawing = server.get(&format!("/experiments/{name}/plots/curve.svg"));
    assert_eq!((drawing.status, drawing.header("content-type")), (200, Some("image/svg+xml")));
    let policy = drawing.header("content-security-policy").unwrap_or_default();
    assert!(policy.contains("sandbox") && !policy.contains("script-src"), "{policy}");
    let text = server.get(&format!("/experiments/{name}/report.md"));
    assert_eq!(text.header("content-type"), Some("text/markdown; charset=utf-8"));
    for file in
        ["private.key", "none.md", "..%2F..%2Fnews.jsonl", "plots%2F..%2F..%2F..%2Fnews.jsonl"]
    {
        server.get(&format!("/experiments/{name}/{file}")).problem(404, "not-found");
    }
    server.get("/experiments/none/report.md").problem(404, "not-found");

    let key = json!({ "name": "narrow", "scopes": ["read"], "collections": ["news"] });
    let key = server.post("/keys", &key).is(201);
    let bearer = format!("Bearer {}", key["token"].as_str().expect("a key"));
    for path in ["/roots", "/experiments", "/roots/files?path=."] {
        let path = format!("/api/v1{path}");
        let answer = server.send_with("GET", &path, &[("authorization", &bearer)], None);
        answer.problem(403, "forbidden");
    }
}
