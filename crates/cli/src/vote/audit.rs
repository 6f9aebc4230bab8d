//! `subrosa vote audit`: on the device that sealed the ballot, and on another one.

use std::path::PathBuf;

use serde_json::json;
use study::{
    election::{
        Scheme,
        voter::{Audit, Noted, VoterError},
    },
    preferences::Opened,
};

use super::{
    files::{BallotFiles, decode},
    ground::{Ground, GroundArgs, with_ground},
    said::VoteArgs,
};
use crate::{failure::Failure, output::Output};

/// Options of `audit`.
#[derive(clap::Args)]
pub struct Args {
    /// The sealed ballot; on the second device, the `.audit` file from the first device.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    ground: GroundArgs,
    /// On a second device: seal the same vote again, and compare the results.
    #[arg(long, requires = "code")]
    second_device: bool,
    /// The code or the tracker that the first device showed when it sealed the ballot.
    #[arg(long, value_name = "CODE", requires = "second_device")]
    code: Option<Noted>,
    #[command(flatten)]
    vote: VoteArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    with_ground!(args.ground, ground => match args.code {
        Some(code) => compare(args, code, &ground, output),
        None => open(args, &ground, output),
    })
}

/// Gives the opening away, after which the ballot is never cast.
fn open<S: Scheme>(args: &Args, ground: &Ground<S>, output: &Output) -> Result<(), Failure> {
    if !args.vote.is_silent() {
        return Err(Failure::input(
            "the device that sealed the ballot must not judge itself, and this device has no code \
             to compare with",
        )
        .hint("repeat your vote on another device, with `--second-device --code CODE`"));
    }
    let files = BallotFiles::of(&args.file);
    let booth = ground.booth()?;
    let Audit { sealed, opening } = files.spoil::<S>()?;
    let opened = sealed.audit(booth, ground.election().roll(), &opening);
    let opened = opened.map_err(Failure::refused)?;
    let (code, path) = (sealed.code(booth).to_string(), files.audit());
    let questions = &ground.election().setup().description.questions;
    let object = json!({ "code": code, "audit": path, "ballot": opened.in_words(questions) });
    output.result(&object, || {
        let mut lines = vec![format!("{code}  this ballot is spoiled: it will never be cast")];
        lines.extend(opened.in_words(questions));
        let path = path.display();
        lines.push(format!(
            "on another device: subrosa vote audit {path} --second-device --code {code} CANDIDATE…"
        ));
        lines
    });
    Ok(())
}

/// Seals the vote again, from what the other device gave away.
fn compare<S: Scheme>(
    args: &Args,
    code: Noted,
    ground: &Ground<S>,
    output: &Output,
) -> Result<(), Failure> {
    let cheats = "do not vote with the device that sealed it; keep the file and the code, and \
                  tell the registrar";
    let booth = ground.booth()?;
    let Audit { sealed, opening } = decode::<Audit<S>>(&args.file)?;
    let own = sealed.code(booth);
    if !code.is(&sealed.tracker(booth)) {
        return Err(Failure::refused(format!(
            "the device shows the ballot {own}, but it had committed to {code}"
        ))
        .hint(cheats));
    }
    let opened = sealed.audit(booth, ground.election().roll(), &opening);
    let opened: Opened = opened.map_err(|error| match error {
        VoterError::Unlike | VoterError::Vote(_) | VoterError::Ballot(_) => {
            Failure::refused(error).hint(cheats)
        }
        error => Failure::refused(error),
    })?;
    let description = &ground.election().setup().description;
    let said = (!args.vote.is_silent()).then(|| args.vote.read(description)).transpose()?;
    let words = opened.in_words(&description.questions);
    if let Some(said) = said.filter(|said| Opened::from(said.clone()) != opened) {
        let said = said.in_words(&description.questions).join("; ");
        let sealed = words.join("; ");
        return Err(Failure::refused(format!(
            "the device sealed “{sealed}”, but you voted “{said}”"
        ))
        .hint(cheats));
    }
    let is_compared = !args.vote.is_silent();
    let object = json!({ "code": own.to_string(), "ballot": words, "compared": is_compared });
    output.result(&object, || {
        let mut lines = vec![format!("{own}  the device sealed this vote:")];
        lines.extend(words);
        lines.push(match is_compared {
            true => "it is the vote that you entered".to_owned(),
            false => "is this your vote? if not, do not vote with that device".to_owned(),
        });
        lines
    });
    Ok(())
}
