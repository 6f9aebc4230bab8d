//! What every bench measures with, and the one form in which it is reported.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    ops::Add,
    time::{Duration, Instant},
};

use cli::{output, output::Output};
use cpu_time::ProcessTime;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::machine::{Machine, peak_rss_bytes};

/// How long something took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    wall: Duration,
    cpu: Duration,
}

impl Sample {
    /// Times `work`, on the clock and in CPU time of all threads.
    pub fn of<T>(work: impl FnOnce() -> T) -> (T, Self) {
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let result = work();
        (result, Self { wall: wall.elapsed(), cpu: cpu.elapsed() })
    }

    /// CPU time of all threads.
    pub fn cpu(&self) -> Duration {
        self.cpu
    }

    /// Time on the clock.
    pub fn seconds(&self) -> f64 {
        self.wall.as_secs_f64()
    }

    /// The median by wall time; zero of no samples.
    pub fn median(samples: &[Self]) -> Self {
        let mut samples = samples.to_vec();
        samples.sort_by_key(|sample| sample.wall);
        samples.get(samples.len() / 2).copied().unwrap_or_default()
    }
}

impl Add for Sample {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { wall: self.wall + other.wall, cpu: self.cpu + other.cpu }
    }
}

/// One operation of a bench.
#[derive(Debug, Serialize)]
struct Row {
    name: Cow<'static, str>,
    /// Items that the operation works on.
    count: u64,
    wall_ms: f64,
    cpu_ms: f64,
}

impl Row {
    fn per_item(&self) -> f64 {
        self.wall_ms * 1000.0 / self.count.max(1) as f64
    }
}

/// One line of a series, by the column names of the paper's own files.
#[derive(Debug)]
struct Point(Vec<(&'static str, Value)>);

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// The whole result of a bench.
#[derive(Debug, Serialize)]
struct Report<P> {
    bench: &'static str,
    params: P,
    rows: Vec<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    points: Vec<Point>,
    sizes: BTreeMap<&'static str, u64>,
    peak_rss_bytes: Option<u64>,
    machine: Machine,
    version: &'static str,
}

/// Gathers rows and sizes.
#[derive(Debug, Default)]
pub struct Recorder {
    rows: Vec<Row>,
    points: Vec<Point>,
    sizes: BTreeMap<&'static str, u64>,
}

impl Recorder {
    /// Nothing is measured yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the median, by wall time, of the samples of an operation on `count` items.
    pub fn row(&mut self, name: impl Into<Cow<'static, str>>, count: u64, samples: &[Sample]) {
        let median = Sample::median(samples);
        let ms = |duration: Duration| (duration.as_secs_f64() * 1e6).round() / 1e3;
        let (wall_ms, cpu_ms) = (ms(median.wall), ms(median.cpu));
        self.rows.push(Row { name: name.into(), count, wall_ms, cpu_ms });
    }

    /// Measures an operation `repeat` times and returns what it returned last.
    pub fn measure<T>(
        &mut self,
        name: &'static str,
        count: u64,
        repeat: u32,
        mut work: impl FnMut() -> T,
    ) -> T {
        let (mut result, first) = Sample::of(&mut work);
        let mut samples = vec![first];
        for _ in 1..repeat {
            let (again, sample) = Sample::of(&mut work);
            result = again;
            samples.push(sample);
        }
        self.row(name, count, &samples);
        result
    }

    /// Adds a line of a series, for benches whose paper reports one.
    pub fn point(&mut self, columns: Vec<(&'static str, Value)>) {
        self.points.push(Point(columns));
    }

    /// Adds the size of something, in bytes.
    pub fn size(&mut self, name: &'static str, bytes: usize) {
        self.sizes.insert(name, bytes as u64);
    }

    /// Prints everything: one object for machines, a table for people.
    pub fn report(self, bench: &'static str, params: impl Serialize, output: &Output) {
        let report = self.finish(bench, params);
        output.result(&report, || report.lines());
    }

    /// Prints everything: one object for machines, and for people the lines of a paper's report.
    pub fn report_as(
        self,
        bench: &'static str,
        params: impl Serialize,
        mut lines: Vec<String>,
        output: &Output,
    ) {
        let report = self.finish(bench, params);
        lines.push(report.machine.line());
        output.result(&report, || lines);
    }

    fn finish<P>(self, bench: &'static str, params: P) -> Report<P> {
        let Self { rows, points, sizes } = self;
        Report {
            bench,
            params,
            rows,
            points,
            sizes,
            peak_rss_bytes: peak_rss_bytes(),
            machine: Machine::this(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

impl<P> Report<P> {
    fn lines(&self) -> Vec<String> {
        let heads = ["", "count", "wall ms", "cpu ms", "µs/item"];
        let [name, count, wall, cpu, item] = heads;
        let names = self.rows.iter().map(|row| row.name.len() + 2);
        let width = names.fold(16, usize::max);
        let mut lines = vec![format!("{name:<width$}{count:>10}{wall:>14}{cpu:>14}{item:>10}")];
        lines.extend(self.rows.iter().map(|row| {
            let Row { name, count, wall_ms, cpu_ms } = row;
            let (count, item) = (output::count(*count), row.per_item());
            format!("{name:<width$}{count:>10}{wall_ms:>14.3}{cpu_ms:>14.3}{item:>10.1}")
        }));
        if let Some(Point(columns)) = self.points.first() {
            let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
            lines.push(names.join(","));
        }
        let cells = |Point(columns): &Point| {
            columns.iter().map(|(_, value)| value.to_string()).collect::<Vec<_>>().join(",")
        };
        lines.extend(self.points.iter().map(cells));
        let sizes = self.sizes.iter().map(|(&name, &bytes)| (name, bytes));
        let peak = self.peak_rss_bytes.map(|bytes| ("peak_rss_bytes", bytes));
        lines.extend(
            sizes
                .chain(peak)
                .map(|(name, bytes)| format!("{name:<width$}{:>10}", output::bytes(bytes))),
        );
        lines.push(self.machine.line());
        lines
    }
}
