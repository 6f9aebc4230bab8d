//! Counters, in the text format of Prometheus.

use std::time::Duration;

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

use super::Counts;

/// Seconds between which answers are counted.
const BUCKETS: [f64; 12] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 15.0, 60.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Alarm {
    kind: &'static str,
}

/// What a server counts.
pub struct Metrics {
    registry: Registry,
    /// Connections.
    pub connections: Counts,
    answered: Family<Answered, Counter>,
    seconds: Family<Route, Histogram>,
    alarms: Family<Alarm, Counter>,
    rows: Counter,
    epochs: Counter,
    cached: Gauge,
    waiting: Gauge,
    lost: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("subrosa");
        let (answered, alarms) = (Family::default(), Family::default());
        let seconds: Family<Route, Histogram> =
            Family::new_with_constructor(|| Histogram::new(BUCKETS));
        let (rows, epochs) = (Counter::default(), Counter::default());
        let (cached, waiting, lost) = (Gauge::default(), Gauge::default(), Gauge::default());
        registry.register("requests", "Requests, by route and status", answered.clone());
        registry.register("request_seconds", "Time until an answer, by route", seconds.clone());
        registry.register("alarms", "What an operator must look at", alarms.clone());
        registry.register("rows", "Rows accepted", rows.clone());
        registry.register("epochs", "Epochs sealed", epochs.clone());
        registry.register("cached_rows", "Rows of sealed epochs in memory", cached.clone());
        registry.register("waiting", "Requests that wait for a thread", waiting.clone());
        registry.register("access_lines_lost", "Lines that the access log lost", lost.clone());
        let connections = Counts::default();
        let open = connections.open.clone();
        registry.register("connections", "Connections that are open", open);
        let ended = connections.ended();
        registry.register("connections_ended", "Connections refused or ended, by reason", ended);
        Self {
            registry,
            connections,
            answered,
            seconds,
            alarms,
            rows,
            epochs,
            cached,
            waiting,
            lost,
        }
    }
}

impl Metrics {
    /// A request was answered.
    pub fn answered(&self, route: &str, status: u16, time: Duration) {
        let answered = Answered { route: route.to_owned(), status };
        self.answered.get_or_create(&answered).inc();
        let route = Route { route: route.to_owned() };
        self.seconds.get_or_create(&route).observe(time.as_secs_f64());
    }

    /// Something that an operator must look at: `failure`, `table`, `seal`,
    /// `reload`, `equivocation`, `rollback`.
    pub fn alarm(&self, kind: &'static str) {
        self.alarms.get_or_create(&Alarm { kind }).inc();
    }

    /// Rows were accepted.
    pub fn accepted(&self, rows: u64) {
        self.rows.inc_by(rows);
    }

    /// An epoch was sealed.
    pub fn sealed(&self) {
        self.epochs.inc();
    }

    /// All of it as text, with what is read off now.
    pub fn render(&self, cached_rows: u64, waiting: usize, lost: u64) -> String {
        self.lost.set(lost as i64);
        self.cached.set(cached_rows as i64);
        self.waiting.set(waiting as i64);
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
