//! `subrosa election publish`: the bundle and the report.

use std::{
    any::Any,
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use board::Entry;
use claim::{Claim, Verdict};
use serde_json::json;
use study::{
    description::Schedule,
    election::{
        Election, Party, Phase, Role, Scheme, Session, TereliusWikstrom, write_bundle,
        write_bundle_with,
    },
    inquiry::{self, Counted, PublishError, write_claim},
    report::{self, ReportData},
};
use verifier::Report;

use super::{
    ask,
    page::{self, PageArgs},
};
use crate::{
    connect::{BoardArgs, with_session},
    failure::Failure,
    output::{self, Output},
    verify,
};

/// How long parties worked, where this process could see it.
pub type Durations = BTreeMap<Party, Duration>;

/// What a report says that neither board nor bundle does.
pub struct Told<'a> {
    /// How long parties worked.
    pub durations: &'a Durations,
    /// Seconds by which the keeper's clock was set forward in a rehearsal.
    pub ahead: u64,
}

const CLAIM_LIMIT: u64 = 1 << 24;

/// Where the bundle and the report of an election go.
#[derive(clap::Args, Clone, Debug)]
pub struct OutArgs {
    /// The folder to write to.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// Options of `publish`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    out: OutArgs,
    /// The folder of answers that `subrosa election ask` wrote, to be published too.
    #[arg(long, value_name = "DIR")]
    answers: Option<PathBuf>,
    #[command(flatten)]
    page: PageArgs,
}

/// What was published.
pub struct Published {
    /// The bundle's directory.
    pub bundle: PathBuf,
    /// The report.
    pub report: PathBuf,
    /// The bundle's digest.
    pub digest: String,
    /// What was checked.
    pub verdicts: Vec<Verdict>,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    args.page.place(&args.out.out)?;
    let published = with_session!(args.board, session => {
        let told = Told { durations: &Durations::new(), ahead: 0 };
        publish(&session, &args.out.out, &told, args.answers.as_deref())
    })?;
    let Published { bundle, report, digest, .. } = &published;
    let object = json!({ "bundle": bundle, "report": report, "digest": digest });
    output.result(&object, || {
        vec![
            format!("report  {}", report.display()),
            format!("bundle  {}", bundle.display()),
            format!("digest  {digest}"),
        ]
    });
    Ok(())
}

/// Writes the bundle of a finished election, verifies it as a stranger would, and writes the
/// report. A bundle that is there already is verified and kept. `answers` are those of a querier
/// about an election by the shuffle of Terelius and Wikström.
pub fn publish<S: Scheme>(
    session: &Session<S>,
    out: &Path,
    told: &Told<'_>,
    answers: Option<&Path>,
) -> Result<Published, Failure> {
    let election = session.election();
    if election.phase() != Phase::Finished {
        let phase = election.phase().name();
        return Err(Failure::input(format!("the election is not finished: it is in its {phase}"))
            .hint("`subrosa election status` shows what it waits for"));
    }
    let bundle = out.join("bundle");
    if !bundle.join("bundle.json").exists() {
        remove_leftover(&bundle)?;
        // Beside it, so that nobody finds half a bundle.
        let partial = out.join(".bundle-partial");
        remove_leftover(&partial)?;
        write(session, &partial, answers)?;
        std::fs::rename(&partial, &bundle).map_err(|error| Failure::file(&bundle, error))?;
    }
    let traced = bundle.join(format!("claims/{}.json", inquiry::CLAIM_KIND));
    if answers.is_some() && !traced.exists() {
        return Err(Failure::file(&bundle, "the folder was published before there were answers")
            .hint("remove the folder, and publish again"));
    }
    let Report { digest, verdicts, .. } = verify::check(&bundle, &[])?;
    let digest = digest.to_string();

    let report = out.join("report.html");
    let mut data = report_on(session, &bundle, &digest, &verdicts, told)?;
    data.bundle.page = page::beside(out);
    wire::write_atomic(&report, data.to_html().as_bytes())
        .map_err(|error| Failure::file(&report, error))?;
    Ok(Published { bundle, report, digest, verdicts })
}

fn write<S: Scheme>(
    session: &Session<S>,
    bundle: &Path,
    answers: Option<&Path>,
) -> Result<(), Failure> {
    let (board, election) = (session.board(), session.election());
    let Some(answers) = answers else {
        return write_bundle(bundle, board, election).map(drop).map_err(Failure::input);
    };
    let found = ask::load(answers)?;
    let traced = (election as &dyn Any).downcast_ref::<Election<TereliusWikstrom>>();
    let traced = traced
        .ok_or_else(|| Failure::input("mixes of this election's shuffle cannot be followed"))?;
    let counted = Counted::of(board.entries(), traced).map_err(Failure::input)?;
    let written = write_bundle_with(bundle, board, election, |writer, board| {
        write_claim(writer, board, (traced, &counted), &found)
    });
    written.map(drop).map_err(|error| match error {
        PublishError::Answer(_) => Failure::refused(error),
        other => Failure::input(other),
    })
}

/// The answers of a bundle that was verified, for the report.
fn answers_of(bundle: &Path) -> Result<Vec<report::Answer>, Failure> {
    let claim = format!("claims/{}.json", inquiry::CLAIM_KIND);
    let path = bundle.join(&claim);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let bytes = wire::read_bounded(&path, CLAIM_LIMIT);
    let bytes = bytes.map_err(|error| Failure::file(&path, error))?;
    let stated: Claim = serde_json::from_slice(&bytes).map_err(Failure::input)?;
    Ok(inquiry::answers_of(&stated.statement, &format!("bundle/{claim}")))
}

/// Removes what an interrupted run left behind: parts of a bundle without its manifest, nothing
/// else.
pub fn remove_leftover(bundle: &Path) -> Result<(), Failure> {
    let failed = |error| Failure::file(bundle, error);
    if !bundle.exists() {
        return Ok(());
    }
    for entry in std::fs::read_dir(bundle).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let is_ours = name == "claims"
            || name == "objects"
            || name == "bundle.json"
            || name.to_str().is_some_and(|name| name.starts_with(".subrosa-"));
        if !is_ours {
            return Err(Failure::file(
                bundle,
                "the folder holds files that do not belong to a bundle",
            )
            .hint("choose another folder with --out"));
        }
    }
    std::fs::remove_dir_all(bundle).map_err(failed)
}

fn report_on<S: Scheme>(
    session: &Session<S>,
    bundle: &Path,
    digest: &str,
    verdicts: &[Verdict],
    told: &Told<'_>,
) -> Result<ReportData, Failure> {
    let election = session.election();
    let tally = election
        .tally()
        .cloned()
        .ok_or_else(|| Failure::input("the election has no result yet"))?;
    let named = |name: &str, digest: String| report::NamedDigest { name: name.to_owned(), digest };
    // Queries may stand behind the outcome; the bundle has none of their entries.
    let entries = session.entries();
    let last = entries.iter().rfind(|entry| Some(entry.sequence()) == election.end());
    let last = last.map(|entry| named("Board's last entry", entry.digest().to_string()));
    let names = [named("Bundle", digest.to_owned()), named("Board", election.id().to_string())];
    let digests = names.into_iter().chain(last).collect();
    let answers = answers_of(bundle)?;
    let bundle = report::Bundle { path: bundle.display().to_string(), digests, page: None };
    let description = &election.setup().description;
    let mut page = ReportData::new(description, tally, participation(election), bundle);
    page.answers = answers;
    page.classes = classes(election);
    page.timeline = timeline(session.entries(), election, told.durations);
    if let Some(casting) = page.timeline.iter_mut().find(|phase| phase.name == "Casting") {
        casting.summary += &course(election, told.ahead);
    }
    let checks = verdicts.iter().flat_map(|verdict| &verdict.checks);
    page.checks = checks
        .map(|check| report::Check {
            claim: check.what.clone(),
            detail: check.count.to_string(),
            passed: true,
        })
        .collect();
    Ok(page)
}

/// The classes with their voters, and what became of their ballots.
fn classes<S: Scheme>(election: &Election<S>) -> Vec<report::Class> {
    let described = election.setup().description.classes.iter();
    let counted = election.tally().map_or(&[][..], |tally| &tally.classes);
    let own = described.zip(election.registered_by_class()).zip(counted);
    own.map(|((class, registered), counted)| report::Class {
        name: class.name.clone(),
        min_ballots: class.min_ballots.into(),
        registered: registered as u64,
        counted: *counted,
    })
    .collect()
}

fn participation<S: Scheme>(election: &Election<S>) -> report::Participation {
    let mut refused = BTreeMap::<&str, u64>::new();
    for ballot in election.refused() {
        *refused.entry(&ballot.reason).or_default() += 1;
    }
    let refused = refused
        .into_iter()
        .map(|(reason, ballots)| report::Refused { reason: reason.to_owned(), ballots });
    report::Participation {
        registered: election.roll().len() as u64,
        cast: (election.accepted() + election.refused().len()) as u64,
        refused: refused.collect(),
    }
}

/// When the polls were open, who vouches for it, and by whose clock.
fn course<S: Scheme>(election: &Election<S>, ahead: u64) -> String {
    let Some(Schedule { opens, closes, .. }) = election.rules().schedule() else {
        return " This is an election of version 1: the operator alone opened and closed the polls.".to_owned();
    };
    let (opens, closes) = (Schedule::in_words(opens), Schedule::in_words(closes));
    let signers = election.certified_by().len() as u64;
    let signers = output::counted(signers, "trustee or mixer", "trustees and mixers");
    let mut course = format!(
        " The polls were open from {opens} to {closes}; {signers} signed that they saw them close once."
    );
    if ahead > 0 {
        let ahead = humantime::format_duration(std::time::Duration::from_secs(ahead));
        course += &format!(
            " This was a rehearsal: all parties ran on one machine, and the clock of the board's keeper was simulated, \
             set forward by {ahead}."
        );
    }
    course
}

/// What every party wrote, phase by phase.
fn timeline<S: Scheme>(
    entries: &[Entry],
    election: &Election<S>,
    durations: &Durations,
) -> Vec<report::Phase> {
    /// The phase that not every election has.
    const QUERIES: usize = 5;
    let phases = [
        ("Set-up", "The operator publishes the question, the parties and the roll of voters."),
        ("Key generation", "The trustees make a key that none of them holds alone."),
        ("Casting", "Every ballot is sealed on the voter's side and posted."),
        ("Mixing", "Every mixer shuffles and re-encrypts all ballots, and proves it."),
        ("Decryption", "The trustees open the shuffled ballots together, and prove it."),
        ("Queries", "Mixers and trustees answer what a querier asks about the mix, and prove it."),
    ];
    let phase_of = |kind: &str| match kind.split_once('/') {
        Some(("key", _)) => 1,
        Some(("trace", _)) => QUERIES,
        Some((_, "setup" | "parameters" | "roll" | "roll/classes")) => 0,
        Some(("mix", _)) | Some((_, "back")) => 3,
        Some((_, "setup/2" | "ready")) => 0,
        Some((_, "outcome")) => 4,
        Some(_) => 2,
        None => match kind {
            "ballots" => 2,
            "mix" => 3,
            _ => 4,
        },
    };
    let mut written = BTreeMap::<(usize, Party), (u64, u64)>::new();
    for entry in entries {
        let Some(party) = election.setup().parties.party(&entry.author()) else { continue };
        let totals = written.entry((phase_of(entry.kind()), party)).or_default();
        totals.0 += 1;
        totals.1 += entry.payload().len() as u64;
    }
    let steps = |phase: usize| {
        let written = written.iter().filter(move |((of, _), _)| *of == phase);
        written.map(|(&(_, party), &(entries, bytes))| {
            let timed = matches!(party.role, Role::Mixer | Role::Station);
            let duration = durations.get(&party).filter(|_| timed);
            report::Step {
                party: capitalised(&party.to_string()),
                entries,
                bytes,
                // For people: a time that does not fit is not told.
                milliseconds: duration.and_then(|duration| duration.as_millis().try_into().ok()),
            }
        })
    };
    let was_held = |index: usize| index != QUERIES || written.keys().any(|(of, _)| *of == index);
    let phase = |(index, (name, summary)): (usize, (&str, &str))| report::Phase {
        name: name.to_owned(),
        summary: summary.to_owned(),
        steps: steps(index).collect(),
    };
    phases.into_iter().enumerate().filter(|(index, _)| was_held(*index)).map(phase).collect()
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}
