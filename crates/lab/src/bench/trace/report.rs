//! The nested report of the published artifact.

use std::time::Duration;

use ::trace::{Engine, MemoryJournal, TraceError};
use cli::progress::Bars;
use wire::Progress as _;

use super::params::Params;
use crate::bench::recorder::{Recorder, Sample};

/// Whose time a step takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Server 1, which stands for all: they all do the same.
    Mixer,
    /// The querier.
    Verifier,
    /// All senders together.
    Senders,
}

/// The nested report: four spaces a level, CPU seconds.
pub struct Report<'a> {
    /// Rows and sizes for machines.
    recorder: Recorder,
    /// Lines for people.
    lines: Vec<String>,
    path: Vec<&'static str>,
    mixer: Duration,
    verifier: Duration,
    entries: u64,
    progress: &'a Bars,
}

impl<'a> Report<'a> {
    /// A report about an engine, without any step.
    pub fn new<E: Engine>(params: &Params, progress: &'a Bars) -> Self {
        let lines = vec![
            format!("engine: {} ({})", E::NAME, E::NOTICE),
            format!("number of entries: {}", params.entries),
            format!("number of mix-servers: {}", params.servers),
        ];
        Self {
            recorder: Recorder::new(),
            lines,
            path: Vec::new(),
            mixer: Duration::ZERO,
            verifier: Duration::ZERO,
            entries: params.entries.into(),
            progress,
        }
    }

    /// What goes to machines, and the lines for people.
    pub fn finish(mut self) -> (Recorder, Vec<String>) {
        self.lines.push("times are CPU seconds of all threads; wall time is in --json".into());
        (self.recorder, self.lines)
    }

    /// Adds a line at the present level.
    fn line(&mut self, text: &str) {
        self.lines.push(format!("{:width$}{text}", "", width = 4 * self.path.len()));
    }

    /// Enters a block.
    pub fn begin(&mut self, name: &'static str) {
        self.line(name);
        self.path.push(name);
    }

    /// Leaves a block.
    pub fn end(&mut self) {
        self.path.pop();
    }

    /// Ends a block with the totals of the parties that worked in it.
    pub fn end_block(&mut self, name: &str) {
        let (mixer, verifier) =
            (std::mem::take(&mut self.mixer), std::mem::take(&mut self.verifier));
        self.line(&format!("mixer 0 total time: {}", seconds(mixer)));
        if !verifier.is_zero() {
            self.line(&format!("verifier total time: {}", seconds(verifier)));
        }
        self.end();
        self.line(&format!("{name} time: {}", seconds(mixer + verifier)));
    }

    /// A check that held.
    pub fn status(&mut self, name: &str) {
        // A step that does not hold has ended the bench.
        self.line(&format!("{name}: True"));
    }

    /// A step that all servers take; the first is timed.
    pub fn step_of<T>(&mut self, server: usize, name: &'static str, work: impl FnOnce() -> T) -> T {
        match server {
            0 => self.step(Who::Mixer, name, work),
            _ => work(),
        }
    }

    /// A step that all servers take one after the other, each with its journal; the first is timed.
    pub fn step_of_all<S, T>(
        &mut self,
        name: &'static str,
        servers: &mut [S],
        journals: &mut [MemoryJournal],
        mut step: impl FnMut(&mut S, &mut MemoryJournal) -> Result<T, TraceError>,
    ) -> Result<Vec<T>, TraceError> {
        let parties = servers.iter_mut().zip(journals).enumerate();
        parties
            .map(|(number, (server, journal))| self.step_of(number, name, || step(server, journal)))
            .collect()
    }

    /// A step of one party, timed.
    pub fn step<T>(&mut self, who: Who, name: &'static str, work: impl FnOnce() -> T) -> T {
        self.progress.begin(name, 1);
        let (result, sample) = Sample::of(work);
        let party = match who {
            Who::Mixer => "mixer 0: ",
            Who::Verifier => "verifier: ",
            Who::Senders => "",
        };
        match who {
            Who::Mixer => self.mixer += sample.cpu(),
            Who::Verifier => self.verifier += sample.cpu(),
            Who::Senders => {}
        }
        self.line(&format!("{party}{name}: {}", seconds(sample.cpu())));
        let block = self.path.first().copied().unwrap_or("main");
        self.recorder.row(format!("{block}/{party}{name}"), self.entries, &[sample]);
        result
    }

    /// The size of something: the artifact's MB are of 2^20 bytes.
    pub fn size(&mut self, label: &str, name: &'static str, bytes: usize) {
        self.line(&format!("{label}: {:.3} MB", bytes as f64 / f64::from(1 << 20)));
        self.recorder.size(name, bytes);
    }
}

/// Two significant digits, as the artifact prints them.
fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let digits = if seconds > 0.0 { 1 - seconds.log10().floor() as i32 } else { 1 };
    // From 100 seconds on there are no digits behind the point.
    format!("{seconds:.*} s", usize::try_from(digits).unwrap_or(0))
}
