//! Figures for Prometheus.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// Names and values that tell the series of a metric apart.
type Labels = Vec<(&'static str, String)>;

/// Everything that is counted.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Labels, Counter>,
    seconds: Family<Labels, Histogram, fn() -> Histogram>,
    pub(crate) refused_connections: Counter,
    pub(crate) documents_written: Counter,
    pub(crate) questions: Counter,
    pub(crate) notices: Counter,
    pub(crate) webhooks_failed: Counter,
    jobs_finished: Family<Labels, Counter>,
    documents: Family<Labels, Gauge>,
    connections: Gauge,
    running: Gauge,
    waiting: Gauge,
    jobs_waiting: Gauge,
    free_bytes: Gauge<f64, AtomicU64>,
}

/// What is measured at the moment somebody asks.
pub(crate) struct Now {
    /// Names of collections and their documents.
    pub(crate) documents: Vec<(String, u64)>,
    pub(crate) n_connections: usize,
    pub(crate) n_running: usize,
    pub(crate) n_waiting: usize,
    pub(crate) n_jobs_waiting: usize,
    pub(crate) free_bytes: u64,
}

fn histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.000_5, 2.0, 16))
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("retold");
        let requests = Family::default();
        registry.register("http_requests", "Requests by route and status", requests.clone());
        let seconds: Family<Labels, Histogram, fn() -> Histogram> =
            Family::new_with_constructor(histogram);
        registry.register_with_unit(
            "http_request",
            "Time until the answer began, by route",
            Unit::Seconds,
            seconds.clone(),
        );
        let mut counter = |name: &str, help: &str| {
            let counter = Counter::default();
            registry.register(name, help, counter.clone());
            counter
        };
        let refused_connections =
            counter("refused_connections", "Connections beyond the limit that were closed");
        let documents_written = counter("documents_written", "Documents that were made durable");
        let questions = counter("questions", "Questions that were answered");
        let notices = counter("notices", "Notices that were made");
        let webhooks_failed = counter("webhooks_failed", "Tries of webhooks that failed");
        let jobs_finished = Family::default();
        registry.register("jobs_finished", "Jobs by how they ended", jobs_finished.clone());
        let documents = Family::default();
        registry.register("documents", "Documents by collection", documents.clone());
        let mut gauge = |name: &str, help: &str| {
            let gauge = Gauge::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        let connections = gauge("connections", "Open connections");
        let running = gauge("work_running", "Pieces of work that are being done");
        let waiting = gauge("work_waiting", "Requests that wait for their turn");
        let jobs_waiting = gauge("jobs_waiting", "Jobs that wait");
        let free_bytes = Gauge::default();
        registry.register_with_unit(
            "disk_free",
            "Room on the disk of the data folder",
            Unit::Bytes,
            free_bytes.clone(),
        );
        Self {
            registry,
            requests,
            seconds,
            refused_connections,
            documents_written,
            questions,
            notices,
            webhooks_failed,
            jobs_finished,
            documents,
            connections,
            running,
            waiting,
            jobs_waiting,
            free_bytes,
        }
    }

    /// Counts a job that is over.
    pub(crate) fn job_finished(&self, status: &str) {
        self.jobs_finished.get_or_create(&vec![("status", status.to_owned())]).inc();
    }

    /// Counts a request. `route` is the pattern, not the address: names in it are not counted apart.
    pub(crate) fn request(&self, method: &str, route: &str, status: u16, seconds: f64) {
        // Whoever makes up methods makes no new series.
        let is_known = matches!(method, "GET" | "HEAD" | "POST" | "PUT" | "DELETE" | "OPTIONS");
        let route = format!("{} {route}", if is_known { method } else { "other" });
        let labels = vec![("route", route.clone()), ("status", status.to_string())];
        self.requests.get_or_create(&labels).inc();
        self.seconds.get_or_create(&vec![("route", route)]).observe(seconds);
    }

    /// Returns all figures as text.
    pub(crate) fn text(&self, now: &Now) -> String {
        self.documents.clear();
        for (name, n_documents) in &now.documents {
            let labels = vec![("collection", name.clone())];
            self.documents.get_or_create(&labels).set(signed(*n_documents));
        }
        self.connections.set(signed(now.n_connections as u64));
        self.running.set(signed(now.n_running as u64));
        self.waiting.set(signed(now.n_waiting as u64));
        self.jobs_waiting.set(signed(now.n_jobs_waiting as u64));
        self.free_bytes.set(now.free_bytes as f64);
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("a string takes any text");
        text
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
