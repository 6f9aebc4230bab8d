//! `subrosa election status` and `subrosa election track`.

use serde_json::json;
use shuffle::ballot::TrackingCode;
use study::{
    description::{Class, Schedule},
    election::{Election, Phase, Scheme, Session},
};

use crate::{
    connect::{BoardArgs, with_session},
    failure::Failure,
    output::{self, Output},
};

/// Options of `track`.
#[derive(clap::Args)]
pub struct TrackArgs {
    #[command(flatten)]
    board: BoardArgs,
    /// The tracking code that the voter's device showed, such as `7ZK2-QD0V-M4XA-9HTB-C3W6`.
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
    let mut object = json!({
        "board": election.id().to_string(),
        "words": election.in_words(),
        "title": election.setup().description.title,
        "version": election.rules().version(),
        "phase": phase.name(),
        "waits_for": awaited,
        "entries": session.entries().len(),
        "registered": election.roll().len(),
        "accepted": election.accepted(),
        "refused": election.refused().len(),
        "faults": faults,
    });
    let classes = classes(election);
    if let (false, Some(fields)) = (classes.is_empty(), object.as_object_mut()) {
        let class = |(class, cast, registered): &(&Class, usize, usize)| {
            json!({
                "name": class.name,
                "weight": class.weight,
                "min_ballots": class.min_ballots,
                "registered": registered,
                "accepted": cast,
            })
        };
        fields.insert("classes".to_owned(), classes.iter().map(class).collect());
    }
    output.result(&object, || {
        let voters = |number: usize| output::counted(number as u64, "voter", "voters");
        let mut lines = vec![
            election.setup().description.title.clone(),
            format!("board      {}", election.id()),
            format!("in words   {}", election.in_words()),
            format!("polls      {}", polls(election)),
            format!("phase      {}", phase.name()),
            format!("waits for  {}", awaited.join(", ")),
            format!("ballots    {} of {}", election.accepted(), voters(election.roll().len())),
        ];
        lines.extend(classes.iter().map(|(class, cast, registered)| {
            let Class { name, min_ballots, .. } = class;
            let least = output::counted((*min_ballots).into(), "ballot", "ballots");
            let registered = voters(*registered);
            format!("class      {name}: {cast} of {registered}, opened only from {least} on")
        }));
        lines.extend(faults.iter().map(|fault| format!("fault      {fault}")));
        if let Phase::Failed(reason) = &phase {
            lines.push(format!("failed     {reason}"));
        }
        lines
    });
}

/// When the polls are open.
pub fn polls<S: Scheme>(election: &Election<S>) -> String {
    election.rules().schedule().map_or_else(
        || "opened and closed by the operator alone (version 1)".to_owned(),
        |Schedule { opens, closes, .. }| {
            let (opens, closes) = (Schedule::in_words(opens), Schedule::in_words(closes));
            format!("open from {opens} to {closes}")
        },
    )
}

/// Every class, with its accepted ballots and its voters.
fn classes<S: Scheme>(election: &Election<S>) -> Vec<(&Class, usize, usize)> {
    let described = election.setup().description.classes.iter();
    let numbers = election.cast_by_class().into_iter().zip(election.registered_by_class());
    described.zip(numbers).map(|(class, (cast, registered))| (class, cast, registered)).collect()
}

/// Finds a ballot.
pub fn track(args: &TrackArgs, output: &Output) -> Result<(), Failure> {
    let found = with_session!(args.board, session => {
        let found = session.election().find(args.code);
        let class = |number: u8| session.election().class(number).map(|class| class.name.clone());
        found.map(|(sequence, voter)| (sequence, voter.name.clone(), voter.class.and_then(class)))
    });
    let (sequence, voter, class) = found.ok_or_else(|| {
        Failure::refused(format!("no accepted ballot has the code {}", args.code))
            .hint("compare the code with the one that your device showed, or ask the station")
    })?;
    let mut object = json!({ "code": args.code.to_string(), "entry": sequence, "voter": voter });
    if let (Some(class), Some(fields)) = (&class, object.as_object_mut()) {
        fields.insert("class".to_owned(), json!(class));
    }
    output.result(&object, || {
        let class = class.map_or(String::new(), |class| format!(" (class {class})"));
        vec![format!("accepted: the ballot of {voter}{class}, in entry {sequence}")]
    });
    Ok(())
}
