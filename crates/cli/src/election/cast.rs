//! `subrosa election cast`: the voters' devices and their polling station.

use std::{collections::HashMap, path::PathBuf};

use board::Identity;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use study::{
    election::{Election, Scheme, Session, cast},
    preferences::CastBallot,
};
use wire::Progress;

use super::{folder::read_ballots, party::PartyArgs, roll::Credential};
use crate::{
    connect::{BoardArgs, with_session},
    failure::Failure,
    output::{self, Output},
    progress::Bars,
};

/// Options of `cast`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    party: PartyArgs,
    /// The voters' key file, as `subrosa election register` or `subrosa vote keygen --batch` writes it.
    #[arg(long, value_name = "FILE")]
    credentials: PathBuf,
    /// The ballots in the clear, a CSV file.
    #[arg(value_name = "CSV")]
    ballots: PathBuf,
    /// Cast only this many ballots, the first ones.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// The file for every voter's tracking code.
    #[arg(long, value_name = "CSV")]
    tracking: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let station = args.party.join()?;
    let credentials = Credential::load_all(&args.credentials)?;
    with_session!(args.board, &args.party.key, session => {
        post(args, &station, &credentials, &mut session, output)
    })
}

fn post<S: Scheme>(
    args: &Args,
    station: &Identity,
    credentials: &[Credential],
    session: &mut Session<S>,
    output: &Output,
) -> Result<(), Failure> {
    let description = &session.election().setup().description;
    let ballots = read_ballots(&args.ballots, description, args.limit)?;
    let ballots = match_voters(session.election(), credentials, ballots)?;

    let bars = Bars::new();
    bars.begin("casting", ballots.len() as u64);
    cast(
        session,
        station,
        &ballots,
        |booth, voter, (credential, ballot)| {
            let mut rng = UnwrapErr(SysRng);
            booth.seal(voter, &credential.identity, &ballot.ballot, &mut rng)
        },
        |posted| bars.advance(posted.len() as u64),
    )?;
    bars.finish();

    write_tracking(&args.tracking, session.election())?;
    let (accepted, refused) = (session.election().accepted(), session.election().refused());
    for refused in refused {
        output.warn(&format!("the ballot of {} is refused: {}", refused.voter, refused.reason));
    }
    let object = json!({ "accepted": accepted, "refused": refused.len() });
    let ballots = output::counted(accepted as u64, "ballot", "ballots");
    output.result(&object, || vec![format!("{ballots} on the board")]);
    Ok(())
}

/// A voter's place on the roll, with what the voter's device holds.
type Seat<'a> = (u32, (&'a Credential, CastBallot));

/// Finds every ballot's voter on the roll and among the credentials.
fn match_voters<'a, S: Scheme>(
    election: &Election<S>,
    credentials: &'a [Credential],
    ballots: Vec<CastBallot>,
) -> Result<Vec<Seat<'a>>, Failure> {
    let roll: HashMap<&str, u32> =
        election.roll().iter().map(|voter| voter.name.as_str()).zip(0..).collect();
    let by_name: HashMap<&str, &Credential> =
        credentials.iter().map(|credential| (credential.name.as_str(), credential)).collect();
    let find = |ballot: CastBallot| {
        let name = ballot.voter.as_str();
        let missing = |what| Failure::input(format!("voter `{name}` has no {what}"));
        let place = *roll.get(name).ok_or_else(|| missing("place on the roll"))?;
        let credential = *by_name.get(name).ok_or_else(|| missing("credential"))?;
        Ok((place, (credential, ballot)))
    };
    ballots.into_iter().map(find).collect()
}

/// Writes the tracking code of every accepted ballot.
fn write_tracking<S: Scheme>(
    path: &std::path::Path,
    election: &Election<S>,
) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::file(path, error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["voter", "tracking_code"]).map_err(|error| failed(&error))?;
    for (voter, code) in election.tracking_codes() {
        let record = [voter.name.as_str(), &code.to_string()];
        writer.write_record(record).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    wire::write_atomic(path, &bytes).map_err(|error| failed(&error))
}
