//! Runs what figures ask for, as child processes of the program that this is part of.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use serde_json::Value;

use crate::{
    bench::{Invocation, Scale},
    catalog::Figure,
    error::ReproduceError,
    measure,
    peers::{self, Peers},
    results::{PROGRAM, Results, Run, Status, command_line},
};

/// How clap begins when a bench or one of its options does not exist.
const UNKNOWN: [&str; 3] = ["unrecognized subcommand", "invalid value", "unexpected argument"];

/// What runs, and how.
#[derive(Debug)]
pub struct Session {
    /// The program with the benches.
    pub program: PathBuf,
    /// Its version.
    pub version: String,
    /// What it runs on.
    pub machine: Value,
    /// The sizes.
    pub scale: Scale,
    /// Whether what was measured before is measured again.
    pub again: bool,
    /// Repetitions of every command, instead of the scale's.
    pub repeat: Option<u32>,
    /// Programs of others.
    pub peers: Peers,
}

/// What happened to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// It starts, as this one of so many.
    Started(usize, usize),
    /// It was measured before.
    Known,
    /// It ended.
    Ended(Status, Option<&'a str>),
}

impl Session {
    /// Runs the commands of figures that have no result yet, and adds every result to the file as
    /// soon as it is there.
    ///
    /// # Errors
    /// If the file of results cannot be written. A command that fails is a result.
    pub fn run(
        &self,
        figures: &[&Figure],
        results: &mut Results,
        mut tell: impl FnMut(&str, Progress<'_>),
    ) -> Result<(), ReproduceError> {
        let mut wanted: Vec<Invocation> = Vec::new();
        for mut invocation in figures.iter().flat_map(|figure| figure.invocations(self.scale)) {
            invocation.repetitions = self.repeat.unwrap_or(invocation.repetitions).max(1);
            let same = |other: &&mut Invocation| {
                other.arguments == invocation.arguments && other.peer == invocation.peer
            };
            match wanted.iter_mut().find(same) {
                Some(other) => other.repetitions = other.repetitions.min(invocation.repetitions),
                None => wanted.push(invocation),
            }
        }
        let (count, began) = (wanted.len(), seconds_since_1970());
        for (index, invocation) in wanted.iter().enumerate() {
            let name = invocation.peer.as_deref().unwrap_or(PROGRAM);
            let line = command_line(name, &invocation.arguments);
            let known = results.has(invocation, self.scale, &self.version, &self.machine);
            if known && !self.again {
                tell(&line, Progress::Known);
                continue;
            }
            tell(&line, Progress::Started(index + 1, count));
            let run = self.measure(name, invocation, began);
            let (status, reason) = (run.status, run.reason.clone());
            results.append(run)?;
            tell(&line, Progress::Ended(status, reason.as_deref()));
        }
        Ok(())
    }

    /// All repetitions of one command.
    fn measure(&self, name: &str, invocation: &Invocation, session: u64) -> Run {
        let (started, clock) = (seconds_since_1970(), Instant::now());
        let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        let (mut status, mut reason, mut repetitions) = (Status::Measured, None, 0);
        for _ in 0..invocation.repetitions {
            match self.once(invocation) {
                Ok(numbers) => {
                    repetitions += 1;
                    for (name, value) in numbers {
                        values.entry(name).or_default().push(value);
                    }
                }
                Err(ended) => {
                    (status, reason) = (ended.0, Some(ended.1));
                    break;
                }
            }
        }
        Run {
            program: name.to_owned(),
            arguments: invocation.arguments.clone(),
            scale: self.scale,
            version: self.version.clone(),
            machine: self.machine.clone(),
            started,
            session: Some(session),
            seconds: clock.elapsed().as_secs_f64(),
            status,
            reason,
            repetitions,
            values,
        }
    }

    fn once(&self, invocation: &Invocation) -> Result<measure::Numbers, (Status, String)> {
        let mut command = match &invocation.peer {
            Some(peer) => self.peers.command(peer).map_err(|reason| (Status::Missing, reason))?,
            None => own(&self.program),
        };
        let ran = command.args(&invocation.arguments).stdin(Stdio::null()).output();
        let ran = ran.map_err(|error| (Status::Failed, error.to_string()))?;
        if !ran.status.success() {
            let said = String::from_utf8_lossy(&ran.stderr);
            let unknown = UNKNOWN.iter().any(|begin| said.contains(begin));
            let status = if unknown { Status::Missing } else { Status::Failed };
            return Err((status, peers::first_line(&said)));
        }
        let printed = String::from_utf8_lossy(&ran.stdout);
        measure::read(&printed).map_err(|reason| (Status::Failed, reason))
    }
}

fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

fn own(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg("--json").env("NO_COLOR", "1");
    command
}
