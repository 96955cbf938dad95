//! Notices from end to end: the poster is told at once, the watcher in the inbox, the feeds and by
//! webhook, once.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::common::{eventually, server, start, text};

/// What was answered to a webhook, its head and its body.
type Received = (u16, String, Vec<u8>);

/// A receiver of webhooks that fails as often as it is told first.
fn receiver(n_failures: usize) -> (String, Arc<Mutex<Vec<Received>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/hooks", listener.local_addr().expect("an address"));
    let received = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&received);
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let Ok(mut stream) = stream else { return };
            let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
                    break;
                }
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().expect("a length");
                }
                head.push_str(&line);
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).expect("a body");
            let status = if number < n_failures { 500 } else { 200 };
            let answer =
                format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).expect("sent");
            seen.lock().expect("nobody panics").push((status, head, body));
        }
    });
    (url, received)
}

#[test]
fn who_posts_a_copy_is_told_and_who_watches_gets_one_notice() {
    let (url, received) = receiver(2);
    let allowed = url.trim_end_matches("/hooks").to_owned();
    let server = server(|config| config.webhooks = vec![allowed.clone()]);
    server.post("/collections", &json!({ "name": "archive" })).is(201);
    let protected = json!({ "text": text(1), "title": "The original" });
    server.put("/collections/archive/documents/o1", &protected).is(201);
    server.put("/collections/archive/documents/o2", &json!({ "text": text(2) })).is(201);
    let blog = json!({ "name": "blog", "check_against": ["archive"] });
    server.post("/collections", &blog).is(201);
    let body = json!({ "name": "desk", "documents": ["o1"], "webhook": "http://other.example/" });
    server.post("/collections/archive/watches", &body).problem(422, "not-accepted");
    let body = json!({ "name": "desk", "documents": ["o1"], "webhook": url });
    let watch = server.post("/collections/archive/watches", &body).is(201);
    let secret = watch["secret"].as_str().expect("a secret").to_owned();
    assert!(server.get("/collections/archive/watches").is(200)["watches"][0]["secret"].is_null());

    let post = format!("My own words come first. {} And some at the end.", text(1));
    let told =
        server.put("/collections/blog/documents/p1", &json!({ "text": post, "title": "Post" }));
    let told = told.is(201);
    assert_eq!(told["check"]["advice"], "cite or change");
    assert_eq!(told["check"]["sources"][0]["id"], "o1");
    assert!(told["check"]["sources"][0]["evidence"].as_array().is_some_and(|e| !e.is_empty()));
    // Posting it again, or something unwatched, gives no second notice.
    server.put("/collections/blog/documents/p1", &json!({ "text": post, "title": "Post" })).is(200);
    let unwatched =
        server.put("/collections/blog/documents/p2", &json!({ "text": text(2) })).is(201);
    assert_eq!(unwatched["check"]["sources"][0]["id"], "o2");
    let own = server.put("/collections/blog/documents/p3", &json!({ "text": text(3) })).is(201);
    assert_eq!(own["check"]["advice"], Value::Null);
    let lines = format!("{}\n", json!({ "id": "p4", "text": text(4) }));
    let bulk = server.bulk("/collections/blog/documents:bulk", &lines).is(200);
    assert_eq!(bulk["checks"], json!([]));

    let inbox = server.get("/notices").is(200);
    let notices = inbox["notices"].as_array().expect("notices");
    assert_eq!(notices.len(), 1, "{inbox}");
    assert_eq!((&notices[0]["posted"], &notices[0]["matched"]["id"]), (&json!("p1"), &json!("o1")));
    eventually("the webhook is delivered at the third try", || {
        received.lock().expect("nobody panics").len() >= 3
    });
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    let received = received.lock().expect("nobody panics").clone();
    assert_eq!(received.iter().map(|(status, ..)| *status).collect::<Vec<_>>(), [500, 500, 200]);
    let (_, head, body) = &received[2];
    let notice: Value = serde_json::from_slice(body).expect("JSON");
    assert_eq!(notice["number"], notices[0]["number"]);
    assert!(head.to_lowercase().contains("retold-notice: 1\r\n"), "{head}");
    assert!(head.contains(&format!("sha256={}", hmac(&secret, body))), "{head}");

    let feed = server.get("/notices/feed.json");
    assert_eq!(feed.header("content-type"), Some("application/feed+json"));
    assert_eq!(feed.json()["items"].as_array().map(Vec::len), Some(1));
    let atom = server.get("/notices/feed.atom");
    let atom = String::from_utf8_lossy(&atom.body).into_owned();
    assert_eq!(atom.matches("<entry>").count(), 1);
    assert!(atom.contains("Post copies from o1"), "{atom}");
    assert_eq!(server.put("/notices/1", &json!({ "is_read": true })).is(200)["is_read"], true);
    assert_eq!(server.get("/notices?unread=true").is(200)["notices"], json!([]));

    // Nothing is noticed again after a restart, and what is posted then is.
    let (data, _folder) = server.stop();
    let server = start(&data, |config| config.webhooks = vec![allowed]);
    assert_eq!(server.get("/notices").is(200)["notices"].as_array().map(Vec::len), Some(1));
    server.put("/collections/blog/documents/p5", &json!({ "text": text(1) })).is(201);
    assert_eq!(server.get("/notices?after=1").is(200)["notices"][0]["posted"], "p5");
    // A collection that is made again is checked from its beginning.
    assert_eq!(server.delete("/collections/blog").status, 204);
    server.post("/collections", &blog).is(201);
    server.put("/collections/blog/documents/p7", &json!({ "text": text(1) })).is(201);
    assert_eq!(server.get("/notices?after=2").is(200)["notices"][0]["posted"], "p7");
    let id = watch["id"].as_str().expect("an id");
    assert_eq!(server.delete(&format!("/collections/archive/watches/{id}")).status, 204);
    server.put("/collections/blog/documents/p6", &json!({ "text": text(1) })).is(201);
    assert_eq!(server.get("/notices").is(200)["notices"].as_array().map(Vec::len), Some(3));
}

/// HMAC-SHA256 as RFC 2104 has it, of the hash alone.
fn hmac(secret: &str, body: &[u8]) -> String {
    use sha2::{Digest as _, Sha256};
    let mut key = [0_u8; 64];
    key[..secret.len()].copy_from_slice(secret.as_bytes());
    let padded = |with: u8| key.map(|byte| byte ^ with);
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(body).finalize();
    let outer = Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize();
    outer.iter().fold(String::new(), |digits, byte| format!("{digits}{byte:02x}"))
}

#[test]
fn webhooks_go_only_where_an_administrator_allows() {
    let allowed = "http://hooks.example/retold".to_owned();
    let server = server(|config| config.webhooks = vec![allowed]);
    server.post("/collections", &json!({ "name": "archive" })).is(201);
    let watch = |url: &str| {
        let body = json!({ "name": "x", "webhook": url });
        server.post("/collections/archive/watches", &body).status
    };
    assert_eq!(watch("http://hooks.example/retold"), 201);
    assert_eq!(watch("http://hooks.example/retold/a?b=c"), 201);
    for url in [
        "http://hooks.example/retold-evil",
        "http://hooks.example.evil/retold",
        "http://hooks.example@evil/retold",
        "https://hooks.example/retold",
        "http://127.0.0.1/",
        "file:///etc/passwd",
    ] {
        assert_eq!(watch(url), 422, "{url}");
    }
}
