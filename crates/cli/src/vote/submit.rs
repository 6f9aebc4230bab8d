//! `subrosa vote submit`.

use std::path::{Path, PathBuf};

use client::stations::Station;
use serde_json::json;
use study::{
    description::Schedule,
    election::{
        Scheme, Session,
        voter::{Receipt, Submission},
    },
};
use wire::{Decode as _, Encode as _};

use super::{files::BallotFiles, said::VoterArgs};
use crate::{
    connect::{BoardArgs, with_session},
    failure::Failure,
    output::Output,
};

/// Bytes of a file with certificate authorities.
const ROOTS_LIMIT: u64 = 1 << 24;

/// Options of `submit`.
#[derive(clap::Args)]
pub struct Args {
    /// The sealed ballot.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    voter: VoterArgs,
    /// The station's address: `https://HOST:PORT`, or `http://` on this machine.
    #[arg(long, value_name = "URL")]
    station: String,
    /// The station's TLS certificate, or that of the authority that signed it, as a PEM file.
    #[arg(long, value_name = "PEM")]
    station_trust: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    with_session!(args.board, session => submit(args, &session, output))
}

fn submit<S: Scheme>(args: &Args, session: &Session<S>, output: &Output) -> Result<(), Failure> {
    let election = session.election();
    let booth = election.booth().ok_or_else(|| Failure::input("the polls are not open yet"))?;
    let files = BallotFiles::of(&args.file);
    let submission: Submission<S> = files.cast_with(|sealed| {
        let credential = args.voter.load()?;
        sealed.cast(booth, election.roll(), &credential).map_err(Failure::input)
    })?;

    let station = Station::at(&args.station, &roots(args.station_trust.as_deref())?)?;
    let answer = station.hand_in(&submission.to_bytes()).map_err(|error| {
        Failure::from(error).hint("send the same file to another station: it is already signed")
    })?;
    let broken = |error: &dyn std::fmt::Display| {
        Failure::refused(format!("the station's receipt: {error}"))
            .hint("send the same file to another station, and tell the operator")
    };
    let receipt = Receipt::from_bytes(&answer).map_err(|error| broken(&error))?;
    let tracker = submission.tracker(booth);
    let number = receipt.verify(election.id(), &election.setup().parties, tracker);
    let number = number.map_err(|error| broken(&error))?;
    let closes = election.setup().description.schedule.map(|schedule| schedule.closes);
    if let Some(closes) = closes.filter(|closes| receipt.post_by > *closes) {
        let closes = Schedule::in_words(closes);
        return Err(broken(&format!(
            "it promises to post the ballot after {closes}, when the polls are closed"
        )));
    }
    let path = files.write_receipt(&receipt)?;
    let code = submission.code(booth).to_string();
    let wait = receipt.post_by.saturating_sub(args.board.clock().seconds());
    let object = json!({
        "code": code, "station": number, "post_by": receipt.post_by, "receipt": path,
    });
    output.result(&object, || {
        vec![
            format!("{code}  station {number} promises to post it within {wait} s"),
            format!("receipt {}", path.display()),
            "check your ballot then, and again when the polls are closed: `subrosa vote check`"
                .to_owned(),
        ]
    });
    Ok(())
}

fn roots(path: Option<&Path>) -> Result<Vec<u8>, Failure> {
    path.map_or(Ok(Vec::new()), |path| {
        wire::read_bounded(path, ROOTS_LIMIT).map_err(|error| Failure::file(path, error))
    })
}
