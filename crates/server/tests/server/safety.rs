//! Who may do what: keys, scopes, hosts, origins, headers, logs.

use retold_server::{Config, Server, StartError};
use serde_json::{Value, json};

use crate::common::{Running, TOKEN, eventually, server, text};

/// Returns every method and address of the API, with names in the places of parameters.
fn all_routes() -> Vec<(String, String)> {
    let document: Value = serde_json::from_str(Server::openapi()).expect("JSON");
    let mut routes = Vec::new();
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for method in operations.as_object().expect("operations").keys() {
            let path = path
                .replace("{collection}", "news")
                .replace("{id}", "a")
                .replace("{pool}", "p")
                .replace("{method}", "anchor")
                .replace("{watch}", "w")
                .replace("{key}", "k");
            let parts = path.split('/').map(|part| if part.starts_with('{') { "1" } else { part });
            routes.push((method.to_uppercase(), parts.collect::<Vec<_>>().join("/")));
        }
    }
    assert!(routes.len() > 45, "{}", routes.len());
    routes
}

fn guarded() -> Running {
    let server = server(|config| {
        config.token = Some(TOKEN.to_owned());
        config.limits.requests_per_second = 100_000;
    });
    server.post("/collections", &json!({ "name": "news" })).is(201);
    server.put("/collections/news/documents/a", &json!({ "text": text(1) })).is(201);
    server
}

/// Makes a key; returns it as the value of an Authorization header.
fn key(server: &Running, body: &Value) -> String {
    let made = server.post("/keys", body).is(201);
    format!("Bearer {}", made["token"].as_str().expect("a token"))
}

fn body_for(method: &str) -> Option<(&'static str, &'static [u8])> {
    (method != "GET").then_some(("application/json", b"{}".as_slice()))
}

#[test]
fn no_route_serves_a_request_without_a_key() {
    let server = guarded();
    for (method, path) in all_routes() {
        let refused = server.send_with(&method, &path, &[], body_for(&method));
        // Strangers are slowed down after a while, which is a refusal as well.
        if refused.status == 429 {
            std::thread::sleep(std::time::Duration::from_millis(100));
            continue;
        }
        assert_eq!(refused.header("www-authenticate"), Some("Bearer"), "{method} {path}");
        refused.problem(401, "unauthorized");
    }
    for path in ["/openapi.json", "/metrics"] {
        assert!(matches!(server.send_with("GET", path, &[], None).status, 401 | 429), "{path}");
    }
    // The pages hold nothing; what they show they ask of the API.
    for path in ["/", "/assets/app.js", "/problems", "/docs"] {
        assert_eq!(server.send_with("GET", path, &[], None).status, 200, "{path}");
    }
    assert_eq!(server.send_with("GET", "/health/live", &[], None).status, 200);
}

#[test]
fn a_wrong_or_expired_key_is_no_key() {
    let server = guarded();
    let good = key(&server, &json!({ "name": "r", "scopes": ["read"] }));
    let get =
        |value: &str| server.send_with("GET", "/api/v1/limits", &[("authorization", value)], None);
    assert_eq!(get(&good).status, 200);
    let mut wrong = good.clone();
    wrong.pop();
    for value in [wrong.as_str(), "Bearer x", "Basic eDp5", "Bearer rtk_000000000000_x", "x"] {
        get(value).problem(401, "unauthorized");
    }
    let old = json!({ "name": "old", "scopes": ["read"], "expires": "2020-01-01" });
    server.post("/keys", &old).problem(422, "not-accepted");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock");
    let soon = (now.as_secs() + 2).to_string();
    let brief = key(&server, &json!({ "name": "brief", "scopes": ["read"], "expires": soon }));
    eventually("the key expires", || get(&brief).status == 401);
    let id = good.split('_').nth(1).expect("an id").to_owned();
    assert_eq!(server.delete(&format!("/keys/{id}")).status, 204);
    get(&good).problem(401, "unauthorized");
}

#[test]
fn a_key_without_the_scope_is_refused_on_every_route() {
    let server = guarded();
    let document: Value = serde_json::from_str(Server::openapi()).expect("JSON");
    let keys: Vec<(&str, String)> = ["read", "write", "judge"]
        .map(|scope| (scope, key(&server, &json!({ "name": scope, "scopes": [scope] }))))
        .into();
    let mut n_refused = 0;
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            let about = operation["description"].as_str().expect("a description");
            let concrete: Vec<&str> = path
                .split('/')
                .map(|part| if part.starts_with('{') { "1" } else { part })
                .collect();
            let method = method.to_uppercase();
            for (scope, key) in &keys {
                let headers = [("authorization", key.as_str())];
                let answer =
                    server.send_with(&method, &concrete.join("/"), &headers, body_for(&method));
                let is_allowed = about.contains(&format!("Scope: `{scope}`."));
                assert_eq!(
                    answer.status == 403,
                    !is_allowed,
                    "{scope} {method} {path}: {answer:?}"
                );
                n_refused += u32::from(answer.status == 403);
            }
        }
    }
    assert!(n_refused > 100, "{n_refused}");
}

#[test]
fn an_address_that_others_reach_needs_a_key() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let config = Config::new(listen.parse().expect("an address"), folder.path().join("data"));
        let refused = Server::start(config).err().expect("no key was given");
        assert!(matches!(refused, StartError::NoToken(_)), "{refused}");
    }
    let mut config = Config::new("0.0.0.0:0".parse().expect("an address"), folder.path());
    config.token = Some("short".to_owned());
    assert!(matches!(Server::start(config).err(), Some(StartError::ShortToken(5))));
}

#[test]
fn keys_stand_in_no_log_answer_or_file() {
    let server = guarded();
    let token = key(&server, &json!({ "name": "writer", "scopes": ["write", "read"] }));
    let token = token.trim_start_matches("Bearer ").to_owned();
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    let body = Some(("application/json", b"{\"text\": \"x\"}".as_slice()));
    let path = "/api/v1/collections/news/documents/%0A%7B%22forged%22%3A1%7D";
    assert_eq!(server.send_with("PUT", path, &headers, body).status, 201);
    for answer in [
        server.send_with("POST", "/api/v1/keys", &headers, Some(("application/json", b"{}"))),
        server.send_with("GET", "/api/v1/nothing", &headers, None),
        server.get("/keys"),
        server.send_with("GET", "/metrics", &headers, None),
    ] {
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(!body.contains(&token) && !body.contains(TOKEN), "{body}");
    }
    let secret = token.rsplit('_').next().expect("a secret").as_bytes().to_vec();
    let (data, _folder) = server.stop();
    let mut files = vec![data.clone()];
    let mut n_files = 0;
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(&path).expect("a folder").flatten().map(|e| e.path()));
            continue;
        }
        n_files += 1;
        let bytes = std::fs::read(&path).expect("a file");
        for needle in [secret.as_slice(), TOKEN.as_bytes()] {
            let is_there = bytes.windows(needle.len()).any(|window| window == needle);
            assert!(!is_there, "{}", path.display());
        }
    }
    assert!(n_files > 3);
    // A line break in an id forges no line of the log.
    let log = std::fs::read_to_string(data.join("audit.jsonl")).expect("a log");
    for line in log.lines() {
        let line: Value = serde_json::from_str(line).expect("every line is a record of its own");
        assert!(line["time"].is_string() && line.get("forged").is_none());
    }
    assert!(log.contains("key ") && log.contains("\"name\":\"writer\""));
}

#[test]
fn collections_of_others_look_like_none() {
    let server = guarded();
    server.post("/collections", &json!({ "name": "secret" })).is(201);
    server.put("/collections/secret/documents/a", &json!({ "text": text(1) })).is(201);
    let body = json!({ "name": "n", "scopes": ["read", "write"], "collections": ["news"],
                       "requests_per_second": 1_000_000 });
    let key = key(&server, &body);
    let headers = [("authorization", key.as_str())];
    let question = json!({ "text": text(1) }).to_string();
    let ask = |name: &str, rest: &str, method: &str| {
        let path = format!("/api/v1/collections/{name}{rest}");
        let body = (method == "POST").then_some(("application/json", question.as_bytes()));
        server.send_with(method, &path, &headers, body)
    };
    assert_eq!(ask("news", "", "GET").status, 200);
    for (rest, method) in [
        ("", "GET"),
        ("/stats", "GET"),
        ("/documents/a", "GET"),
        ("/documents/a/reuse", "GET"),
        ("/search?q=x", "GET"),
        ("/stream", "GET"),
        ("/query", "POST"),
        ("/documents/a", "DELETE"),
    ] {
        let (foreign, unknown) = (ask("secret", rest, method), ask("nosuch", rest, method));
        assert_eq!((foreign.status, &foreign.body), (unknown.status, &unknown.body), "{rest}");
        foreign.problem(404, "not-found");
    }
    let listed = server.send_with("GET", "/api/v1/collections", &headers, None).json();
    assert_eq!(listed["collections"].as_array().map(Vec::len), Some(1));
    let job = json!({ "kind": "find", "input": { "collection": "secret" } }).to_string();
    let body = Some(("application/json", job.as_bytes()));
    server.send_with("POST", "/api/v1/jobs", &headers, body).problem(404, "not-found");
    // The time tells nothing either: of many requests of both kinds, in turn, the sums of the faster
    // halves differ by less than what one of them varies.
    let mut times: [Vec<u128>; 2] = Default::default();
    for turn in 0..2_000 {
        let name = if turn % 2 == 0 { "secret" } else { "nosuch" };
        let begun = std::time::Instant::now();
        ask(name, "/documents/a", "GET");
        times[turn % 2].push(begun.elapsed().as_nanos());
    }
    let typical = times.each_mut().map(|times| {
        times.sort_unstable();
        times[times.len() / 4] as f64
    });
    let ratio = typical[0] / typical[1];
    assert!((0.7..1.4).contains(&ratio), "{typical:?}");
}

#[test]
fn pages_of_other_sites_are_refused() {
    let server = server(|_| {});
    server.post("/collections", &json!({ "name": "news" })).is(201);
    let host = server.address.to_string();
    let own = format!("http://{host}");
    let path = "/api/v1/collections";
    let body = json!({ "name": "x" }).to_string();
    // What a form, `fetch` without cors and a script can send.
    for (content_type, headers) in [
        ("application/x-www-form-urlencoded", vec![("origin", "http://evil.example")]),
        ("text/plain", vec![("origin", "http://evil.example")]),
        ("application/json", vec![("origin", "null")]),
        ("application/json", vec![("sec-fetch-site", "cross-site")]),
        ("application/json", vec![("sec-fetch-site", "same-site")]),
        ("application/json", vec![("origin", "http://127.0.0.1:1")]),
    ] {
        let sent = Some((content_type, body.as_bytes()));
        server.send_with("POST", path, &headers, sent).problem(403, "foreign-origin");
    }
    // A form without an Origin is still no JSON.
    let sent = Some(("text/plain", body.as_bytes()));
    server.send_with("POST", path, &[], sent).problem(415, "unsupported-type");
    for path in ["/api/v1/collections", "/api/v1/collections/news/stream"] {
        let headers = [("sec-fetch-site", "cross-site"), ("accept", "text/event-stream")];
        server.send_with("GET", path, &headers, None).problem(403, "foreign-origin");
    }
    let headers = [("origin", own.as_str()), ("sec-fetch-site", "same-origin")];
    let sent = Some(("application/json", body.as_bytes()));
    server.send_with("POST", path, &headers, sent).is(201);
    let link = server.send_with("GET", "/", &[("sec-fetch-site", "cross-site")], None);
    assert_eq!(link.status, 200);
    assert!(link.header("access-control-allow-origin").is_none());
}

#[test]
fn a_foreign_host_is_refused_on_every_route() {
    let server = server(|config| config.hosts = vec!["news.example".to_owned()]);
    let port = server.address.port();
    let mut routes = all_routes();
    routes.extend(
        [
            "/",
            "/openapi.json",
            "/metrics",
            "/health/live",
            "/health/ready",
            "/problems",
            "/nothing",
        ]
        .map(|path| ("GET".to_owned(), path.to_owned())),
    );
    for (method, path) in routes {
        for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1.evil.example"] {
            let request = format!(
                "{method} {path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
            let answer = server.raw(request.as_bytes());
            assert!(answer.starts_with("HTTP/1.1 403 "), "{method} {path} {host}: {answer}");
        }
    }
    let ask = |host: &str| {
        let request = format!("GET /health/live HTTP/1.1\r\n{host}connection: close\r\n\r\n");
        server.raw(request.as_bytes())[..12].to_owned()
    };
    assert_eq!(ask(&format!("host: localhost:{port}\r\n")), "HTTP/1.1 200");
    assert_eq!(ask(&format!("host: LOCALHOST.:{port}\r\n")), "HTTP/1.1 200");
    assert_eq!(ask("host: news.example\r\n"), "HTTP/1.1 200");
    assert_eq!(ask(&format!("host: localhost:{}\r\n", port ^ 1)), "HTTP/1.1 403");
    let twice = format!("host: localhost:{port}\r\nhost: evil.example\r\n");
    assert!(matches!(ask(&twice).as_str(), "HTTP/1.1 403" | "HTTP/1.1 400"));
    assert!(matches!(ask("").as_str(), "HTTP/1.1 403" | "HTTP/1.1 400"));
}

#[test]
fn every_answer_has_the_headers_that_keep_browsers_safe() {
    let server = server(|_| {});
    for path in ["/", "/problems", "/style.css", "/openapi.json", "/api/v1/limits", "/nothing"] {
        let answer = server.send_with("GET", path, &[], None);
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert!(answer.header("set-cookie").is_none());
    }
}

#[test]
fn paths_lead_only_below_the_folders_that_were_named() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
    for path in [&root, &outside] {
        std::fs::create_dir(path).expect("a folder");
        std::fs::write(path.join("a.txt"), text(1)).expect("a file");
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(&outside, root.join("link")).expect("a link");
    let server = server(|config| config.roots = vec![root.clone()]);
    let job =
        |path: &str| server.post("/jobs", &json!({ "kind": "find", "input": { "path": path } }));
    job("a.txt").is(202);
    job(&root.join("a.txt").display().to_string()).is(202);
    let absolute = outside.join("a.txt").display().to_string();
    for path in ["../outside/a.txt", &absolute, "link/a.txt", "/etc/passwd", "nosuch", "\0"] {
        job(path).problem(422, "not-accepted");
    }
}

#[test]
fn a_key_that_asks_too_often_is_told_to_wait() {
    let server = server(|config| config.token = Some(TOKEN.to_owned()));
    let body = json!({ "name": "r", "scopes": ["read"], "requests_per_second": 5 });
    let key = key(&server, &body);
    let headers = [("authorization", key.as_str())];
    let answers: Vec<_> =
        (0..40).map(|_| server.send_with("GET", "/api/v1/limits", &headers, None)).collect();
    let refused = answers.iter().find(|answer| answer.status == 429).expect("one too many");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.json()["limit"]["name"], "requests_per_second");
    assert!(answers.iter().filter(|answer| answer.status == 200).count() >= 10);
    assert_eq!(server.get("/limits").status, 200, "others are not slowed down");
}
