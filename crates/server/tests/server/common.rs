//! A server of its own for each test, and requests to it.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use retold_server::{Config, End, Server};
use serde_json::Value;

/// A key that may do everything.
pub(crate) const TOKEN: &str = "a-key-that-is-long-enough-for-tests";

/// A server that ends with the test.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    end: End,
    thread: Option<JoinHandle<()>>,
    folder: Option<tempfile::TempDir>,
    data: PathBuf,
    token: Option<String>,
    agent: ureq::Agent,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("no JSON: {}", String::from_utf8_lossy(&self.body)))
    }

    /// Returns the body if the status is as expected.
    pub(crate) fn is(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        if self.body.is_empty() { Value::Null } else { self.json() }
    }

    /// Checks that it is a problem with a code.
    pub(crate) fn problem(self, status: u16, code: &str) -> Value {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let json = self.is(status);
        assert_eq!(json["code"], code, "{json}");
        json
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// Starts a server on a free port, with changes to what it is started with.
pub(crate) fn server(change: impl FnOnce(&mut Config)) -> Running {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let data = folder.path().join("data");
    let mut running = start(&data, change);
    running.folder = Some(folder);
    running
}

/// Starts a server on a folder that is there already.
pub(crate) fn start(data: &Path, change: impl FnOnce(&mut Config)) -> Running {
    let listen = "127.0.0.1:0".parse().expect("an address");
    let mut config = Config::new(listen, data);
    config.limits.free_bytes = 0;
    change(&mut config);
    let token = config.token.clone();
    let server = Server::start(config).expect("a server");
    let (address, end) = (server.address(), server.end());
    let thread = std::thread::spawn(move || server.run());
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_mins(1)))
        .build()
        .into();
    let data = data.to_owned();
    Running { address, end, thread: Some(thread), folder: None, data, token, agent }
}

impl Running {
    /// Ends the server as a signal would, and returns its data folder.
    pub(crate) fn stop(mut self) -> (PathBuf, Option<tempfile::TempDir>) {
        self.end.ask();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server ended in peace");
        }
        (self.data.clone(), self.folder.take())
    }

    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    /// Sends a request to the API, with the key that the server was started with.
    pub(crate) fn send(&self, method: &str, path: &str, body: Option<(&str, &[u8])>) -> Answer {
        let key = self.token.as_ref().map(|token| ("authorization", format!("Bearer {token}")));
        let key: Vec<(&str, &str)> =
            key.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.send_with(method, &format!("/api/v1{path}"), &key, body)
    }

    /// Sends a request to any address, with any headers.
    pub(crate) fn send_with(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<(&str, &[u8])>,
    ) -> Answer {
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("http://{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some((content_type, _)) = body {
            request = request.header("content-type", content_type);
        }
        let body = body.map(|(_, body)| body.to_vec()).unwrap_or_default();
        let request = request.body(body).expect("a request");
        let mut answer = self.agent.run(request).expect("an answer");
        let headers = answer.headers().iter();
        let headers = headers
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or("").to_owned()))
            .collect();
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(1 << 30).read_to_vec().expect("a body");
        Answer { status, headers, body }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None)
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, None)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, Some(("application/json", body.to_string().as_bytes())))
    }

    pub(crate) fn put(&self, path: &str, body: &Value) -> Answer {
        self.send("PUT", path, Some(("application/json", body.to_string().as_bytes())))
    }

    pub(crate) fn bulk(&self, path: &str, lines: &str) -> Answer {
        self.send("POST", path, Some(("application/x-ndjson", lines.as_bytes())))
    }

    /// Opens a connection of its own.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream
    }

    /// Sends bytes as they are and returns everything that comes back until the end.
    pub(crate) fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes).expect("sent");
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end.ask();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Waits until something holds.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..600 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("it did not happen in 30 seconds: {what}");
}

/// A text of a few sentences about a number; texts of different numbers share nothing.
pub(crate) fn text(number: u32) -> String {
    let word = |at: u32| {
        let mut letters = String::new();
        let mut rest = (number * 1_000 + at).wrapping_mul(2_654_435_761);
        for _ in 0..6 {
            letters.push(char::from(b'a' + (rest % 26) as u8));
            rest /= 26;
        }
        letters
    };
    let words: Vec<String> = (0..60).map(word).collect();
    words.chunks(12).map(|words| format!("{}.", words.join(" "))).collect::<Vec<_>>().join(" ")
}

/// Returns documents as the lines of a bulk request.
pub(crate) fn lines(documents: impl Iterator<Item = Value>) -> String {
    documents.fold(String::new(), |mut lines, document| {
        lines.push_str(&document.to_string());
        lines.push('\n');
        lines
    })
}
