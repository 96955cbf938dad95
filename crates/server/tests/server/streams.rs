//! Documents as they come: events, and the same by asking.

use std::io::{BufRead as _, BufReader, Write as _};

use serde_json::{Value, json};

use crate::common::{Running, lines, server, text};

/// Reads events until there are as many as wanted: their ids and what they say.
fn events(server: &Running, path: &str, last: Option<u64>, wanted: usize) -> Vec<(u64, Value)> {
    let mut stream = server.connect();
    let last = last.map(|id| format!("last-event-id: {id}\r\n")).unwrap_or_default();
    let request = format!(
        "GET /api/v1{path} HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\n{last}\r\n",
        server.address
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let (mut found, mut id) = (Vec::new(), 0);
    for line in BufReader::new(stream).lines() {
        let line = line.expect("a line");
        if let Some(number) = line.strip_prefix("id: ") {
            id = number.parse().expect("a number");
        }
        if let Some(json) = line.strip_prefix("data: ") {
            found.push((id, serde_json::from_str(json).expect("JSON")));
            if found.len() == wanted {
                break;
            }
        }
    }
    found
}

#[test]
fn events_come_in_order_go_on_behind_the_last_and_equal_what_asking_gives() {
    let server = server(|_| {});
    server.post("/collections", &json!({ "name": "wire", "window": "7d" })).is(201);
    let put = |n: u32, text: String| {
        let time = format!("2026-11-{:02}", n % 5 + 1);
        let path = format!("/collections/wire/documents/d{n}");
        server.put(&path, &json!({ "text": text, "time": time, "source": "wire" })).is(201)
    };
    for n in 0..5 {
        put(n, text(n));
    }
    let copy = put(5, format!("{} Again.", text(0)));
    assert_eq!(
        (&copy["verdict"]["copy_of"], &copy["verdict"]["cluster"]),
        (&json!("d0"), &json!("d0"))
    );
    let first = events(&server, "/collections/wire/stream", None, 6);
    let ids: Vec<&str> = first.iter().filter_map(|(_, event)| event["id"].as_str()).collect();
    assert_eq!(ids, ["d0", "d1", "d2", "d3", "d4", "d5"]);
    assert_eq!(first[5].1["cluster"], "d0");
    assert_eq!(first[5].1["first"]["id"], "d0");
    let polled = server.get("/collections/wire/stream").is(200);
    let polled_events: Vec<Value> = polled["events"].as_array().expect("events").clone();
    assert_eq!(polled_events, first.iter().map(|(_, event)| event.clone()).collect::<Vec<_>>());
    let rest = events(&server, "/collections/wire/stream", Some(first[3].0), 2);
    assert_eq!(rest, first[4..]);
    let path = format!("/collections/wire/stream?after={}&limit=1", first[3].0);
    assert_eq!(server.get(&path).is(200)["events"][0], first[4].1);

    // Whoever waits hears of what comes.
    let server = &server;
    std::thread::scope(|scope| {
        let path = format!("/collections/wire/stream?after={}&wait=20", first[5].0);
        let waiting = scope.spawn(move || server.get(&path).is(200));
        let last = first[5].0;
        let listening =
            scope.spawn(move || events(server, "/collections/wire/stream", Some(last), 1));
        std::thread::sleep(std::time::Duration::from_millis(300));
        put(6, text(60));
        assert_eq!(waiting.join().expect("an answer")["events"][0]["id"], "d6");
        assert_eq!(listening.join().expect("events")[0].1["id"], "d6");
    });
}

#[test]
fn the_events_of_a_job_end_with_it() {
    let server = server(|_| {});
    server.post("/collections", &json!({ "name": "news" })).is(201);
    let lines = lines((0..200).map(|n| json!({ "id": n.to_string(), "text": text(n / 2) })));
    server.bulk("/collections/news/documents:bulk", &lines).is(200);
    let job = json!({ "kind": "find", "input": { "collection": "news" } });
    let number = server.post("/jobs", &job).is(202)["id"].as_u64().expect("a number");
    let told = events(&server, &format!("/jobs/{number}/events"), None, usize::MAX);
    let statuses: Vec<&str> =
        told.iter().filter_map(|(_, event)| event["status"].as_str()).collect();
    assert_eq!(statuses.last(), Some(&"done"));
    assert_eq!(server.get(&format!("/jobs/{number}/events")).is(200)["status"], "done");
}
