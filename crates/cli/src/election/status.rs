//! `subrosa election status` and `subrosa election track`.

use serde_json::json;
use shuffle::ballot::TrackingCode;
use study::election::{Phase, Scheme, Session};

use crate::{
    connect::{BoardArgs, with_session},
    failure::Failure,
    output::Output,
};

/// Options of `track`.
#[derive(clap::Args)]
pub struct TrackArgs {
    #[command(flatten)]
    board: BoardArgs,
    /// The code that the voter's device showed, such as `7ZK2-QD0V-M4XA-9HTB-C3W6`.
    code: TrackingCode,
}

/// Says what the election waits for.
pub fn status(args: &BoardArgs, output: &Output) -> Result<(), Failure> {
    with_session!(args, session => show(&session, output));
    Ok(())
}

fn show<S: Scheme>(session: &Session<S>, output: &Output) {
    let election = session.election();
    let phase = election.phase();
    let awaited: Vec<String> = election.awaited().iter().map(ToString::to_string).collect();
    let faults: Vec<String> = election.faults().iter().map(ToString::to_string).collect();
    let object = json!({
        "board": election.id().to_string(),
        "title": election.setup().description.title,
        "phase": phase.name(),
        "waits_for": awaited,
        "entries": session.entries().len(),
        "registered": election.roll().len(),
        "accepted": election.accepted(),
        "refused": election.refused().len(),
        "faults": faults,
    });
    output.result(&object, || {
        let mut lines = vec![
            election.setup().description.title.clone(),
            format!("board      {}", election.id()),
            format!("phase      {}", phase.name()),
            format!("waits for  {}", awaited.join(", ")),
            format!("ballots    {} of {} voters", election.accepted(), election.roll().len()),
        ];
        lines.extend(faults.iter().map(|fault| format!("fault      {fault}")));
        if let Phase::Failed(reason) = &phase {
            lines.push(format!("failed     {reason}"));
        }
        lines
    });
}

/// Finds a ballot.
pub fn track(args: &TrackArgs, output: &Output) -> Result<(), Failure> {
    let found = with_session!(args.board, session => {
        let found = session.election().find(args.code);
        found.map(|(sequence, voter)| (sequence, voter.clone()))
    });
    let (sequence, voter) = found.ok_or_else(|| {
        Failure::refused(format!("no accepted ballot has the code {}", args.code))
            .hint("compare the code with what your device showed, or ask the station")
    })?;
    let object = json!({ "code": args.code.to_string(), "entry": sequence, "voter": voter.name });
    output.result(&object, || {
        vec![format!("accepted: the ballot of {}, in entry {sequence}", voter.name)]
    });
    Ok(())
}
