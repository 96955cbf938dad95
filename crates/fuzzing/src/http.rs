//! A server that gets bodies and addresses of any kind.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::LazyLock;
use std::time::Duration;

use retold_server::{Config, Server};

const API: &str = "/api/v1";
/// What is asked, by the first byte of an input; the rest is the body.
const ROUTES: [(&str, &str, &str); 10] = [
    ("POST", "/collections/news/query", "application/json"),
    ("POST", "/collections/news/query", "text/html"),
    ("POST", "/collections/news/documents:bulk?atomic=true", "application/x-ndjson"),
    ("PUT", "/collections/news/documents/a", "application/json"),
    ("POST", "/collections", "application/json"),
    ("POST", "/jobs", "application/json"),
    ("POST", "/compare", "application/json"),
    ("POST", "/keys", "application/json"),
    ("POST", "/pools", "application/json"),
    ("POST", "/extract?name=a.html", "application/octet-stream"),
];

static SERVER: LazyLock<(SocketAddr, tempfile::TempDir)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder for the server");
    let listen = "127.0.0.1:0".parse().expect("an address");
    let mut config = Config::new(listen, folder.path().join("data"));
    config.limits.free_bytes = 0;
    config.job_threads = 1;
    let server = Server::start(config).expect("a server");
    let address = server.address();
    std::thread::spawn(move || server.run());
    let made = send(address, "POST", "/collections", "application/json", br#"{"name": "news"}"#);
    assert_eq!(made, 201, "the collection is there");
    let text = br#"{"text": "The harbour board will close the east quay for repairs from Monday until Friday."}"#;
    let put = send(address, "PUT", "/collections/news/documents/a", "application/json", text);
    assert_eq!(put, 201, "the document is there");
    (address, folder)
});

/// Sends the bytes as the body of a request. Every answer is one of HTTP, and none says that the server made a
/// mistake.
pub(crate) fn ask(bytes: &[u8]) {
    let Some((&which, body)) = bytes.split_first() else { return };
    let (method, path, kind) = ROUTES[usize::from(which) % ROUTES.len()];
    let status = send(SERVER.0, method, path, kind, body);
    assert!((200..500).contains(&status), "{method} {path}: {status}");
}

fn send(address: SocketAddr, method: &str, path: &str, kind: &str, body: &[u8]) -> u16 {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_mins(1))).expect("a socket");
    let head = format!(
        "{method} {API}{path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    // A body may be refused before it was sent.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let status = answer.strip_prefix(b"HTTP/1.1 ").and_then(|rest| rest.get(..3));
    let status = status.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    status.unwrap_or_else(|| panic!("no answer to {method} {path}"))
}
