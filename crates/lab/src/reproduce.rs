//! `subrosa-lab reproduce`: every figure of the documents that this program builds on, again.

use std::{
    env, fs,
    path::{self, Path, PathBuf},
};

use ::reproduce::{
    Catalog, Figure, Outcome, Peers, Progress, Report, Results, Scale, Session, Status,
};
use clap::{Subcommand, ValueEnum};
use cli::{
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};
use serde_json::json;
use wire::Progress as _;

use crate::bench::machine::Machine;

/// What to do about figures.
#[derive(Subcommand)]
pub enum Command {
    /// List the figures.
    List,
    /// Measure figures, compare them with the published ones, and draw them on one page.
    ///
    /// Writes `index.html`, `performance.md` and `figures.json` into the directory, and adds the
    /// measurements to its `results.json`. What is already in `results.json` is not measured again.
    Run(RunArgs),
}

/// Options of `run`.
#[derive(clap::Args)]
pub struct RunArgs {
    /// The figures [default: all].
    #[arg(value_name = "FIGURE")]
    figures: Vec<String>,
    /// The scale of the measurements.
    #[arg(long, value_enum, default_value = "default")]
    scale: ScaleName,
    /// The directory of the results.
    #[arg(long, value_name = "DIR", default_value = "reproduced")]
    out: PathBuf,
    /// Measure again what is already in the results.
    #[arg(long)]
    again: bool,
    /// How often each command runs [default: 1 at smoke, up to 3 otherwise].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    repeat: Option<u32>,
    /// The directory of other programs' adapters [default: DIR/peers].
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
    /// First install the other programs from their registries, with npm, cargo and go.
    #[arg(long)]
    fetch_peers: bool,
}

/// How large everything is.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ScaleName {
    /// Takes minutes: only checks that everything runs.
    Smoke,
    /// Takes less than an hour on two cores.
    Default,
    /// The sizes that the documents report.
    Full,
}

impl From<ScaleName> for Scale {
    fn from(name: ScaleName) -> Self {
        match name {
            ScaleName::Smoke => Self::Smoke,
            ScaleName::Default => Self::Default,
            ScaleName::Full => Self::Full,
        }
    }
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    let catalog = Catalog::load().map_err(Failure::input)?;
    match command {
        Command::List => {
            list(&catalog, output);
            Ok(())
        }
        Command::Run(args) => reproduce(&catalog, &args, output),
    }
}

fn list(catalog: &Catalog, output: &Output) {
    let figures = catalog.figures.iter();
    let objects: Vec<_> = figures
        .clone()
        .map(|figure| json!({ "id": figure.id, "title": figure.title, "source": figure.source }))
        .collect();
    output.result(&objects, || {
        let line = |figure: &Figure| format!("{:<18} {}", figure.id, figure.title);
        figures.map(line).collect()
    });
}

fn reproduce(catalog: &Catalog, args: &RunArgs, output: &Output) -> Result<(), Failure> {
    let selected = catalog.select(&args.figures).map_err(|error| {
        Failure::input(error).hint("`subrosa-lab reproduce list` names the figures")
    })?;
    let out = path::absolute(&args.out)?;
    fs::create_dir_all(&out).map_err(|error| Failure::file(&out, error))?;
    let session = session(args, &out, output)?;
    let mut results = Results::open(&out.join("results.json")).map_err(Failure::input)?;
    let mut tally = Tally::default();
    let bars = Bars::new();
    let tell = |command: &str, progress: Progress<'_>| match progress {
        Progress::Known => output.done("known", command),
        Progress::Started(index, all) => bars.begin(&format!("{index} of {all}: {command}"), 1),
        Progress::Ended(status, reason) => {
            bars.finish();
            tally.add(status, command, reason.unwrap_or_default(), output);
        }
    };
    session.run(&selected, &mut results, tell).map_err(Failure::input)?;

    // The page also has what earlier runs measured.
    let scale = session.scale;
    let is_shown = |figure: &&Figure| {
        let is_selected = selected.iter().any(|other| other.id == figure.id);
        is_selected || figure.invocations(scale).iter().any(|i| results.latest(i, scale).is_some())
    };
    let shown: Vec<&Figure> = catalog.figures.iter().filter(is_shown).collect();
    let report = Report::new(&shown, &results, scale, &session.version);
    report.write(&out).map_err(Failure::input)?;
    summarize(&report, &tally, &out, output);
    if tally.failed > 0 {
        let commands = output::counted(tally.failed as u64, "command", "commands");
        return Err(Failure::input(format!("{commands} failed")).hint(
            "results.json has the end of their output; run the command again to repeat them",
        ));
    }
    Ok(())
}

/// What runs, with other programs installed if that is asked for.
fn session(args: &RunArgs, out: &Path, output: &Output) -> Result<Session, Failure> {
    let directory = match &args.peers {
        Some(directory) => path::absolute(directory)?,
        None => out.join("peers"),
    };
    let peers = Peers::new(&directory);
    if args.fetch_peers {
        peers.install(|name, ended| match ended {
            Ok(()) => output.done("installed", name),
            Err(reason) => output.warn(&format!("{name} is left out: {reason}")),
        });
    }
    Ok(Session {
        program: env::current_exe()?,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        machine: json!(Machine::this()),
        scale: args.scale.into(),
        again: args.again,
        repeat: args.repeat,
        peers,
    })
}

/// How commands ended.
#[derive(Default)]
struct Tally {
    measured: usize,
    missing: usize,
    failed: usize,
}

impl Tally {
    fn add(&mut self, status: Status, command: &str, reason: &str, output: &Output) {
        match status {
            Status::Measured => {
                self.measured += 1;
                output.done("measured", command);
            }
            Status::Missing => {
                self.missing += 1;
                output.warn(&format!("missing: {command}: {reason}"));
            }
            Status::Failed => {
                self.failed += 1;
                output.warn(&format!("failed: {command}: {reason}"));
            }
        }
    }
}

fn summarize(report: &Report, tally: &Tally, out: &Path, output: &Output) {
    let Tally { measured, missing, failed } = tally;
    let claims = report.figures.iter().flat_map(|figure| &figure.claims);
    let with = |outcome: Outcome| claims.clone().filter(|c| c.outcome == outcome).count();
    let [holds, fails, open] =
        [Outcome::Holds, Outcome::DoesNotHold, Outcome::NotComparable].map(with);
    let (page, figures) = (out.join("index.html"), report.figures.len());
    let object = json!({
        "page": page, "figures": figures,
        "measured": measured, "missing": missing, "failed": failed,
        "claims": { "hold": holds, "do_not_hold": fails, "not_comparable": open },
    });
    output.result(&object, || {
        let figures = output::counted(figures as u64, "figure", "figures");
        let measured = output::counted(*measured as u64, "command", "commands");
        let holds = output::counted(holds as u64, "claim holds", "claims hold");
        let fails = output::counted(fails as u64, "does", "do");
        vec![format!(
            "{}: {figures}; {measured} measured, {missing} missing, {failed} failed; {holds}, \
             {fails} not, {open} cannot be compared",
            page.display(),
        )]
    });
}
