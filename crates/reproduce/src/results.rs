//! The file of results: one record for each run of a command, the newest last.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use wire::{read_bounded, write_atomic};

use crate::{
    bench::{Invocation, Scale},
    error::ReproduceError,
};

/// More than any file of results holds.
const MAX_BYTES: u64 = 1 << 28;
const FORMAT: u32 = 2;
/// Its records do not say of which session they are.
const OLD_FORMAT: u32 = 1;
/// The program whose benches are run, as records name it.
pub const PROGRAM: &str = "subrosa-lab";

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It printed its report.
    Measured,
    /// This program has no such bench, or the peer is not installed.
    Missing,
    /// It did not end well.
    Failed,
}

/// A command that was run, and what it measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// `subrosa-lab`, or the adapter of a peer.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The scale of the session.
    pub scale: Scale,
    /// The version of it that ran it.
    pub version: String,
    /// Processor, cores, memory, operating system.
    pub machine: Value,
    /// When, in seconds since 1970.
    pub started: u64,
    /// When the session began that ran it, in seconds since 1970; not known of old records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<u64>,
    /// How long all repetitions took.
    pub seconds: f64,
    /// How it ended.
    pub status: Status,
    /// Why it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How often it was repeated.
    pub repetitions: usize,
    /// Every number of its report, one for each repetition.
    pub values: BTreeMap<String, Vec<f64>>,
}

impl Run {
    /// The command line.
    pub fn command(&self) -> String {
        command_line(&self.program, &self.arguments)
    }

    /// Whether both were measured on one machine and in one session: only then are they compared.
    pub fn is_comparable(&self, other: &Self) -> bool {
        let same_session = self.session.is_some() && self.session == other.session;
        self.machine == other.machine && (same_session || self.is_same(other))
    }

    fn is_same(&self, other: &Self) -> bool {
        (self.started, &self.program, &self.arguments)
            == (other.started, &other.program, &other.arguments)
    }

    fn is_of(&self, invocation: &Invocation, scale: Scale) -> bool {
        self.program == invocation.peer.as_deref().unwrap_or(PROGRAM)
            && self.arguments == invocation.arguments
            && self.scale == scale
    }
}

/// A command line as a person types it.
pub fn command_line(program: &str, arguments: &[String]) -> String {
    format!("{program} {}", arguments.join(" "))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: u32,
    runs: Vec<Run>,
}

/// All runs of a directory.
#[derive(Debug)]
pub struct Results {
    path: PathBuf,
    runs: Vec<Run>,
}

impl Results {
    /// Reads a file of results; one that is not there is empty.
    ///
    /// # Errors
    /// If the file cannot be read or is not one of ours.
    pub fn open(path: &Path) -> Result<Self, ReproduceError> {
        let path = path.to_owned();
        let bytes = match read_bounded(&path, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { path, runs: Vec::new() });
            }
            Err(error) => return Err(ReproduceError::File { path, error }),
        };
        let file: File = match serde_json::from_slice(&bytes) {
            Ok(file) => file,
            Err(error) => return Err(ReproduceError::Results { path, reason: error.to_string() }),
        };
        if ![OLD_FORMAT, FORMAT].contains(&file.format) {
            let reason =
                format!("its format is {}, this program reads 1 and {FORMAT}", file.format);
            return Err(ReproduceError::Results { path, reason });
        }
        Ok(Self { path, runs: file.runs })
    }

    /// All records, the newest last.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Adds a run and writes the file anew, whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append(&mut self, run: Run) -> Result<(), ReproduceError> {
        self.runs.push(run);
        let line = |run: &Run| serde_json::to_string(run).map_err(io::Error::other);
        let written = self.runs.iter().map(line).collect::<Result<Vec<_>, _>>().and_then(|lines| {
            let text = format!("{{\"format\":{FORMAT},\"runs\":[\n{}\n]}}\n", lines.join(",\n"));
            write_atomic(&self.path, text.as_bytes())
        });
        written.map_err(|error| ReproduceError::File { path: self.path.clone(), error })
    }

    /// The newest run of a command at a scale, a measured one if there is any.
    pub fn latest(&self, invocation: &Invocation, scale: Scale) -> Option<&Run> {
        let all = || self.runs.iter().rev().filter(|run| run.is_of(invocation, scale));
        all().find(|run| run.status == Status::Measured).or_else(|| all().next())
    }

    /// Whether a command has been measured by this version on this machine.
    pub fn has(
        &self,
        invocation: &Invocation,
        scale: Scale,
        version: &str,
        machine: &Value,
    ) -> bool {
        self.runs.iter().any(|run| {
            run.is_of(invocation, scale)
                && run.status == Status::Measured
                && run.repetitions >= invocation.repetitions as usize
                && run.version == version
                && run.machine == *machine
        })
    }
}
