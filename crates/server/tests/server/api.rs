//! What the API does, address by address.

use serde_json::{Value, json};

use crate::common::{TOKEN, eventually, server, start, text};

fn line(id: &str, text: &str) -> String {
    format!("{}\n", json!({ "id": id, "text": text }))
}

#[test]
fn a_collection_is_made_filled_asked_and_removed() {
    let server = server(|_| {});
    let made = server.post("/collections", &json!({ "name": "news", "title": "News" })).is(201);
    assert_eq!((&made["name"], &made["searched"]["documents"]), (&json!("news"), &json!(0)));
    server.post("/collections", &json!({ "name": "news" })).problem(409, "conflict");
    let lines: String = (0..20).map(|n| line(&format!("d{n}"), &text(n))).collect();
    let added = server.bulk("/collections/news/documents:bulk", &lines).is(200);
    assert_eq!((&added["added"], &added["failed"]), (&json!(20), &json!(0)));
    assert_eq!(added["acknowledged"], "disk");
    let again = server.bulk("/collections/news/documents:bulk", &lines).is(200);
    assert_eq!(again["unchanged"], 20);

    let question = format!("Something of my own comes first here. {}", text(7));
    let answer = server.post("/collections/news/query", &json!({ "text": question })).is(200);
    assert_eq!(answer["hits"][0]["id"], "d7");
    assert_eq!(answer["searched"]["documents"], 20);
    assert_eq!(answer["attribution"]["sources"][0]["id"], "d7");
    assert!(answer["searched"]["snapshot"].as_u64() > Some(0));
    let nothing = server.post("/collections/news/query", &json!({ "text": text(999) })).is(200);
    assert_eq!((&nothing["hits"], &nothing["searched"]["documents"]), (&json!([]), &json!(20)));

    // In UTF-16 the mark before the quotation is one unit.
    let quoting =
        json!({ "text": format!("– “{}” –", text(7)), "quotes": "mark", "offsets": "utf16" });
    let marked = server.post("/collections/news/query", &quoting).is(200);
    let end = 4 + text(7).encode_utf16().count();
    assert_eq!(marked["quotations"], json!([[2, end]]));
    assert_eq!(marked["hits"][0]["credit"], json!({ "is_named": false, "quoted": [0] }));
    let without = json!({ "text": format!("“{}”", text(7)), "quotes": "skip" });
    let skipped = server.post("/collections/news/query", &without).is(200);
    assert_eq!((&skipped["hits"], &skipped["quotations"][0][0]), (&json!([]), &json!(0)));

    let document = server.get("/collections/news/documents/d3").is(200);
    assert_eq!(document["text"], text(3));
    server.get("/collections/news/documents/d99").problem(404, "not-found");
    server.delete("/collections/news/documents/d3?purge=true").is(200);
    server.get("/collections/news/documents/d3").problem(404, "not-found");
    let stats = server.get("/collections/news/stats").is(200);
    assert_eq!(stats["n_documents"], 19);
    assert_eq!(server.delete("/collections/news").status, 204);
    server.get("/collections/news").problem(404, "not-found");
}

#[test]
fn one_bad_line_does_not_fail_its_neighbours() {
    let server = server(|_| {});
    server.post("/collections", &json!({ "name": "news" })).is(201);
    let good = line("a", &text(1));
    let lines = format!(
        "{good}\n{{\"id\": \"b\"}}\nnot json\n{}{{\"text\": \"x\"}}\n",
        line("c", &text(2))
    );
    let answer = server.bulk("/collections/news/documents:bulk", &lines).is(207);
    assert_eq!((&answer["added"], &answer["failed"]), (&json!(2), &json!(3)));
    let failures = answer["failures"].as_array().expect("a list");
    let numbers: Vec<u64> =
        failures.iter().filter_map(|failure| failure["line"].as_u64()).collect();
    assert_eq!(numbers, [3, 4, 6]);
    // The byte is where the record begins, or where it went wrong.
    assert_eq!(failures[0]["byte"], good.len() as u64 + 1);
    assert!(failures.iter().all(|failure| failure["code"] == "not-accepted"));

    let refused = server.bulk("/collections/news/documents:bulk?atomic=true", &lines);
    let refused = refused.problem(422, "not-accepted");
    assert_eq!(refused["more"]["failed"], 3);
    let atomic = format!("{}{}", line("x", &text(3)), line("y", &text(4)));
    server.bulk("/collections/news/documents:bulk?atomic=true", &atomic).is(200);
    assert_eq!(server.get("/collections/news").is(200)["searched"]["documents"], 4);
}

#[test]
fn a_request_with_a_known_key_is_answered_and_not_done_again() {
    let server = server(|_| {});
    server.post("/collections", &json!({ "name": "news" })).is(201);
    let send = |body: &str| {
        let headers = [("idempotency-key", "one"), ("content-type", "application/x-ndjson")];
        let path = "/api/v1/collections/news/documents:bulk";
        server.send_with("POST", path, &headers, Some(("application/x-ndjson", body.as_bytes())))
    };
    let first = send(&line("a", &text(1))).is(200);
    server.delete("/collections/news/documents/a").is(200);
    assert_eq!(send(&line("a", &text(1))).is(200), first);
    server.get("/collections/news/documents/a").problem(404, "not-found");
    send(&line("b", &text(2))).problem(422, "key-reused");
}

#[test]
fn documents_are_put_one_by_one_under_any_id() {
    let server = server(|_| {});
    server.post("/collections", &json!({ "name": "news" })).is(201);
    for id in ["a%2Fb", "%C3%BC%20x", "..%2F..%2Fetc", "%0Anewline"] {
        let path = format!("/collections/news/documents/{id}");
        let put = server.put(&path, &json!({ "text": text(5), "source": "wire" })).is(201);
        assert_eq!(put["done"], "added");
        assert_eq!(
            server.put(&path, &json!({ "text": text(5), "source": "wire" })).is(200)["done"],
            "unchanged"
        );
        assert_eq!(server.get(&path).is(200)["source"], "wire");
    }
    let reuse = server.get("/collections/news/documents/a%2Fb/reuse").is(200);
    assert_eq!(reuse["hits_found"], 3);
    assert!(reuse["hits"].as_array().into_iter().flatten().all(|hit| hit["id"] != "a/b"));
    let long = "x".repeat(5_000);
    let refused =
        server.put(&format!("/collections/news/documents/{long}"), &json!({ "text": "x" }));
    assert_eq!(refused.problem(413, "too-large")["limit"]["name"], "id_bytes");
}

#[test]
fn a_question_can_be_a_file_and_offsets_those_of_browsers() {
    let server = server(|_| {});
    server.post("/collections", &json!({ "name": "news" })).is(201);
    let held = format!("Über die Straße 😀 {}", text(1));
    server.put("/collections/news/documents/a", &json!({ "text": held })).is(201);
    let question = format!("Größe 😀😀 {}", text(1));
    let file = format!("<html><body><p>{question}</p></body></html>");
    let send = |path: &str, kind: &str, body: &str| {
        server.send("POST", path, Some((kind, body.as_bytes()))).is(200)
    };
    assert_eq!(send("/collections/news/query", "text/html", &file)["hits"][0]["id"], "a");
    let plain = send("/collections/news/query", "text/plain", &question);
    let bytes = &plain["hits"][0]["evidence"][0]["a"];
    let path = "/collections/news/query?offsets=utf16";
    let units = send(path, "text/plain", &question)["hits"][0]["evidence"][0]["a"].clone();
    let start = bytes[0].as_u64().expect("a byte") as usize;
    let expected: usize = question[..start].encode_utf16().count();
    assert_eq!(units[0].as_u64(), Some(expected as u64));
    assert!(expected < start);
    let refused = server.send("POST", "/collections/news/query", Some(("image/png", b"x")));
    refused.problem(415, "unsupported-type");
}

#[test]
fn files_of_any_format_are_added() {
    let server = server(|_| {});
    server.post("/collections", &json!({ "name": "news" })).is(201);
    let csv = format!("id,text\na,{}\nb,{}\n", text(1), text(2));
    let path = "/collections/news/files?name=../../news.csv";
    let added =
        server.send("POST", path, Some(("application/octet-stream", csv.as_bytes()))).is(200);
    assert_eq!((&added["added"], &added["bad_records"]), (&json!(2), &json!(0)));
    assert_eq!(server.get("/collections/news/documents/b").is(200)["text"], text(2));
    // A text has the name it was sent under, and is the same when it is sent again.
    let path = "/collections/news/files?name=story.txt";
    for expected in ["added", "unchanged"] {
        let sent = Some(("application/octet-stream", text(3).into_bytes()));
        let sent = sent.as_ref().map(|(kind, body)| (*kind, body.as_slice()));
        assert_eq!(server.send("POST", path, sent).is(200)[expected], 1);
    }
    assert_eq!(server.get("/collections/news/documents/story.txt").is(200)["text"], text(3));
}

#[test]
fn what_is_erased_is_in_no_file() {
    let server = server(|_| {});
    server.post("/collections", &json!({ "name": "news" })).is(201);
    for (id, word) in [("kept", "quay"), ("gone", "zanzibar")] {
        let body = json!({ "text": format!("{word} {}", text(1)) });
        server.put(&format!("/collections/news/documents/{id}"), &body).is(201);
    }
    eventually("the full-text index follows", || {
        server.get("/collections/news/search?q=zanzibar").is(200)["found"] == 1
    });
    server.delete("/collections/news/documents/gone?purge=true").is(200);
    stands_in_no_file(server.data(), "zanzibar");
    assert_eq!(server.get("/collections/news/search?q=quay").is(200)["found"], 1);
}

#[test]
fn what_is_erased_while_the_full_text_index_merges_is_in_no_file() {
    let server = server(|_| {});
    server.post("/collections", &json!({ "name": "news" })).is(201);
    for round in 0..6 {
        let word = format!("zanzibar{round}");
        let body = json!({ "text": format!("{word} {}", text(1)) });
        server.put("/collections/news/documents/gone", &body).is(201);
        // Each makes a segment of its own, and segments are merged all the time.
        for other in 0..30 {
            let body = json!({ "text": format!("quay {}", text(2)) });
            server.put(&format!("/collections/news/documents/kept-{other}"), &body);
        }
        server.delete("/collections/news/documents/gone?purge=true").is(200);
        stands_in_no_file(server.data(), &word);
    }
}

/// Looks for bytes in all files of the collection.
fn stands_in_no_file(data: &std::path::Path, word: &str) {
    let mut folders = vec![data.join("collections/news")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = std::fs::read(entry.path()).unwrap_or_default();
            let is_there = bytes.windows(word.len()).any(|window| window == word.as_bytes());
            assert!(!is_there, "{}", entry.path().display());
        }
    }
}

#[test]
fn documents_that_the_server_does_not_know_are_not_removed() {
    let server = server(|_| {});
    server.post("/collections", &json!({ "name": "news" })).is(201);
    server.put("/collections/news/documents/a", &json!({ "text": text(1) })).is(201);
    let (data, _folder) = server.stop();
    std::fs::remove_file(data.join("state.redb")).expect("a file");
    let server = start(&data, |_| {});
    assert_eq!(server.get("/collections").is(200)["collections"], json!([]));
    server.post("/collections", &json!({ "name": "news" })).problem(409, "conflict");
    let index = retold::Index::open(data.join("collections/news/index")).expect("an index");
    assert_eq!(index.n_documents(), 1);
}

#[test]
fn a_damaged_collection_does_not_keep_others_from_being_served() {
    let server = server(|_| {});
    for name in ["good", "bad"] {
        server.post("/collections", &json!({ "name": name })).is(201);
        server
            .put(&format!("/collections/{name}/documents/a"), &json!({ "text": text(1) }))
            .is(201);
    }
    let (data, _folder) = server.stop();
    std::fs::write(data.join("collections/bad/index/manifest"), b"no manifest").expect("a file");
    let server = start(&data, |_| {});
    server.get("/collections/good/documents/a").is(200);
    server.get("/collections/bad").problem(404, "not-found");
}

#[test]
fn copies_are_folded_in_a_search() {
    let server = server(|_| {});
    server.post("/collections", &json!({ "name": "news" })).is(201);
    let story = format!("The quay closes today. {}", text(1));
    let copy = format!("The quay closes today. {} And more.", text(1));
    let other = format!("Another quay. {}", text(2));
    for (id, text) in [("a", &story), ("b", &copy), ("c", &other)] {
        server.put(&format!("/collections/news/documents/{id}"), &json!({ "text": text })).is(201);
    }
    eventually("the full-text index follows", || {
        server.get("/collections/news").is(200)["searchable"] == 3
    });
    let plain = server.get("/collections/news/search?q=quay").is(200);
    assert_eq!((&plain["found"], plain["hits"].as_array().map(Vec::len)), (&json!(3), Some(3)));
    let folded = server.get("/collections/news/search?q=quay&fold=cluster").is(200);
    let hits = folded["hits"].as_array().expect("hits");
    assert_eq!(hits.len(), 2);
    let n_folded: usize =
        hits.iter().filter_map(|hit| hit["folded"].as_array()).map(Vec::len).sum();
    assert_eq!((n_folded, &folded["folded_among"]), (1, &json!(3)));
    let first = server.get("/collections/news/search?q=quay&limit=2").is(200);
    let after = first["next"].as_str().expect("a next page");
    let rest =
        server.get(&format!("/collections/news/search?q=quay&limit=2&after={after}")).is(200);
    assert_eq!((rest["hits"].as_array().map(Vec::len), &rest["next"]), (Some(1), &Value::Null));
    server
        .get(&format!("/collections/news/search?q=other&after={after}"))
        .problem(400, "bad-cursor");
    server.delete("/collections/news/documents/a").is(200);
    eventually("what is removed is not found", || {
        server.get("/collections/news/search?q=quay").is(200)["found"] == 2
    });
}

#[test]
fn everything_is_there_after_a_restart() {
    let server = server(|config| config.token = Some(TOKEN.to_owned()));
    server.post("/collections", &json!({ "name": "news", "window": "7d" })).is(201);
    let body = json!({ "text": text(1), "time": "2026-11-01" });
    server.put("/collections/news/documents/a", &body).is(201);
    let key = server.post("/keys", &json!({ "name": "reader", "scopes": ["read"] })).is(201);
    let (data, _folder) = server.stop();
    let server = start(&data, |config| config.token = Some(TOKEN.to_owned()));
    assert_eq!(server.get("/collections/news/documents/a").is(200)["text"], text(1));
    let body = json!({ "text": text(1), "time": "2026-11-02" });
    let put = server.put("/collections/news/documents/b", &body).is(201);
    assert_eq!(put["verdict"]["copy_of"], "a");
    let bearer = format!("Bearer {}", key["token"].as_str().expect("a token"));
    let headers = [("authorization", bearer.as_str())];
    assert_eq!(server.send_with("GET", "/api/v1/limits", &headers, None).status, 200);
}

#[test]
fn archives_are_read_and_never_written() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let path = folder.path().join("Old News.idx");
    let jobs = [retold::Job::default()];
    let mut writer = retold::IndexWriter::create(&path, &jobs, &retold::IndexOptions::default())
        .expect("an index");
    let put = |writer: &mut retold::IndexWriter, id: &str, number: u32| {
        let documents = [retold::Document::plain(id, text(number))];
        writer.put(&documents, &retold::Resources::new()).expect("put");
        writer.sync().expect("durable");
    };
    put(&mut writer, "a", 1);
    let server = server(|config| config.archives = vec![path.clone()]);
    let all = server.get("/collections").is(200);
    assert_eq!(all["collections"][0]["name"], "old-news");
    let refused = server.put("/collections/old-news/documents/b", &json!({ "text": "x" }));
    refused.problem(409, "read-only");
    server.delete("/collections/old-news").problem(409, "read-only");
    // Whoever writes to it meanwhile is seen.
    put(&mut writer, "b", 2);
    eventually("a new state of the archive is seen", || {
        server.get("/collections/old-news/documents/b").status == 200
    });
}

#[test]
fn every_problem_names_its_code_and_the_limit() {
    let server = server(|config| config.limits.body_bytes = 1_000);
    server.get("/nothing").problem(404, "not-found");
    let wrong = server.send("PATCH", "/collections", None);
    assert!(wrong.header("allow").is_some_and(|allow| allow.contains("POST")));
    wrong.problem(405, "method-not-allowed");
    server.post("/compare", &json!({ "a": 1 })).problem(400, "bad-request");
    server.get("/collections?unknown=1").is(200);
    server.get("/jobs?limit=x").problem(400, "bad-request");
    let large = json!({ "a": { "text": text(1).repeat(10) }, "b": { "text": "x" } });
    let problem = server.post("/compare", &large).problem(413, "too-large");
    assert_eq!(problem["limit"], json!({ "name": "body_bytes", "value": 1_000 }));
    let limits = server.get("/limits").is(200);
    assert_eq!(limits["body_bytes"], 1_000);
    let named = server.send_with("GET", "/problems", &[], None);
    assert!(String::from_utf8_lossy(&named.body).contains("id=\"too-large\""));
    let body = json!({ "name": "x", "settings": { "method": "no-such" } });
    server.post("/collections", &body).problem(422, "not-accepted");
}

#[test]
fn texts_are_compared_and_methods_described() {
    let server = server(|_| {});
    let body = json!({ "a": { "text": text(1) }, "b": { "text": format!("Before. {}", text(1)) } });
    let compared = server.post("/compare", &body).is(200);
    assert_eq!((&compared["a_in_b"], &compared["words"][0]), (&json!(1.0), &json!(60)));
    assert_eq!(compared["a_vocabulary_in_b"], json!(1.0));
    assert!(compared["b_vocabulary_in_a"].as_f64().is_some_and(|share| share < 1.0));
    let methods = server.get("/methods").is(200);
    let methods = methods["methods"].as_array().expect("a list");
    assert_eq!(methods.len(), retold::METHODS.len());
    assert!(methods.iter().all(|method| method["schema"].is_object()));
    server.get("/methods/no-such").problem(404, "not-found");
    let metrics = server.send_with("GET", "/metrics", &[], None);
    let metrics = String::from_utf8_lossy(&metrics.body).into_owned();
    assert!(
        metrics.contains("retold_http_requests_total{route=\"GET /api/v1/methods\""),
        "{metrics}"
    );
}
