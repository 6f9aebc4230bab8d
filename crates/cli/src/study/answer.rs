//! `subrosa study answer`: a mixer or a trustee takes part in queries about a finished election.

use std::path::PathBuf;

use ::study::{
    inquiry::{Inquiry, InquiryError, member, policy_from_toml},
    tracing::{DirectoryJournal, Step, Task},
};
use getrandom::SysRng;
use rand_core::UnwrapErr;

use super::{folder::read_text, party::PartyArgs};
use crate::{connect::BoardArgs, failure::Failure, output::Output};

/// Options of `answer`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    party: PartyArgs,
    /// What the party answers: `queriers`, `max_questions`, `min_inputs`, `min_outputs` and
    /// `min_anonymity`, all of them.
    #[arg(long, value_name = "TOML")]
    policy: PathBuf,
    /// Where the party remembers what it signed. Never delete it while queries are answered.
    #[arg(long, value_name = "DIR")]
    journal: PathBuf,
    /// Stop after so many answered queries instead of serving for ever.
    #[arg(long, value_name = "N")]
    queries: Option<usize>,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let secret = args.party.join()?;
    let identity = secret.identity();
    let text = read_text(&args.policy, "docs/election.md says what a policy is")?;
    let policy = policy_from_toml(&text).map_err(|error| Failure::file(&args.policy, error))?;
    let mut journal = DirectoryJournal::open(&args.journal)
        .map_err(|error| Failure::file(&args.journal, error))?;
    let mut inquiry = Inquiry::open(args.board.session(args.board.store()?)?)?;
    let election = inquiry.session().election();
    let mut member = member(secret, election, inquiry.counted(), policy)?;
    let name = election.setup().parties.party(&identity.id());
    let name = name.map_or_else(|| "party".to_owned(), |party| party.to_string());
    output.done(&name, &format!("on board {}", inquiry.session().board().id()));

    let number = member.number();
    let is_done = |inquiry: &Inquiry| {
        let ground = inquiry.counted().ground();
        let answered = inquiry.docket().queries().iter().filter(|asked| {
            matches!(asked.step, Step::Agreed(..)) && asked.is_over_for(ground, number)
        });
        args.queries.is_some_and(|queries| answered.count() >= queries)
    };
    let say = |task: Task, posted: bool| {
        if posted {
            output.done(&name, &format!("posted: {task}"));
        }
    };
    inquiry.serve(&mut member, &mut journal, &mut UnwrapErr(SysRng), say, is_done)?;
    output.done(&name, "done");
    Ok(())
}

impl From<InquiryError> for Failure {
    fn from(error: InquiryError) -> Self {
        match error {
            InquiryError::Failed(_) => Self::refused(error),
            InquiryError::Session(error) => error.into(),
            other => Self::input(other),
        }
    }
}
