//! `subrosa election answer`: a mixer or a trustee takes part in queries about a finished election.

use std::path::PathBuf;

use ::study::{
    election::{PartySecret, Session, TereliusWikstrom},
    inquiry::{Follower, InquiryError, Responder, member, policy_from_toml},
    tracing::DirectoryJournal,
};
use board::AuthorId;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use trace::Policy;

use super::{folder::read_text, party::PartyArgs};
use crate::{connect::BoardArgs, failure::Failure, output::Output, trace::tell};

/// Options of `answer`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    party: PartyArgs,
    #[command(flatten)]
    answering: AnsweringArgs,
}

/// What a party answers, and for how long.
#[derive(clap::Args, Clone, Debug)]
pub struct AnsweringArgs {
    /// Whom the party answers, and how often: `queriers` and `max_questions`.
    #[arg(long, value_name = "TOML")]
    policy: PathBuf,
    /// Where the party remembers what it signed: of this party alone. Never delete or restore it while
    /// queries are answered.
    #[arg(long, value_name = "DIR")]
    journal: PathBuf,
    /// Stop after so many answered queries instead of serving for ever.
    #[arg(long, value_name = "N")]
    queries: Option<usize>,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let secret = args.party.join()?;
    let answering = args.answering.read(&secret.identity().id())?;
    let inquiry = Follower::take_up(Session::over(args.board.open_as(&args.party.key)?)?)?;
    answering.serve(inquiry, secret, output)
}

/// [`AnsweringArgs`] of a party that may answer after its work in the election, or not at all.
#[derive(clap::Args, Clone, Debug)]
pub struct LaterArgs {
    /// Answer questions afterwards, as `election answer` does, without verifying anything again: what
    /// the party answers.
    #[arg(long, value_name = "TOML", requires = "journal")]
    policy: Option<PathBuf>,
    /// Where the party remembers what it signed: of this party alone. Never delete or restore it while
    /// queries are answered.
    #[arg(long, value_name = "DIR", requires = "policy")]
    journal: Option<PathBuf>,
    /// Stop after so many answered queries instead of serving for ever.
    #[arg(long, value_name = "N", requires = "policy")]
    queries: Option<usize>,
}

impl LaterArgs {
    /// What the party answers, if it does.
    pub fn given(self) -> Option<AnsweringArgs> {
        let Self { policy, journal, queries } = self;
        Some(AnsweringArgs { policy: policy?, journal: journal?, queries })
    }
}

impl AnsweringArgs {
    /// Reads what the party answers, and opens its journal.
    pub fn read(&self, party: &AuthorId) -> Result<Answering, Failure> {
        let text = read_text(&self.policy, "docs/election.md says what a policy is")?;
        let policy = policy_from_toml(&text);
        let policy = policy.map_err(|error| Failure::file(&self.policy, error))?;
        let journal = DirectoryJournal::open(&self.journal, party)
            .map_err(|error| Failure::file(&self.journal, error))?;
        Ok(Answering { policy, journal, queries: self.queries })
    }
}

/// A party's readiness to answer.
pub struct Answering {
    policy: Policy,
    journal: DirectoryJournal,
    queries: Option<usize>,
}

impl Answering {
    /// Goes on after a party's work in the election, with what it verified there. Who neither mixed
    /// nor decrypted has nothing to answer.
    pub fn go_on(
        self,
        session: Session<TereliusWikstrom>,
        secret: PartySecret,
        role: &str,
        output: &Output,
    ) -> Result<(), Failure> {
        let inquiry = Follower::take_up_after(session)?;
        if inquiry.state().counted().ground().number_of(&secret.identity().id()).is_none() {
            output.done(role, "done; its work does not count, and no question is for it");
            return Ok(());
        }
        self.serve(inquiry, secret, output)
    }

    fn serve(
        self,
        mut inquiry: Follower,
        secret: PartySecret,
        output: &Output,
    ) -> Result<(), Failure> {
        let identity = secret.identity();
        let Self { policy, journal, queries } = self;
        let election = inquiry.state().election();
        let member = member(secret, election, inquiry.state().counted(), policy)?;
        let name = election.setup().parties.party(&identity.id());
        let name = name.map_or_else(|| "party".to_owned(), |party| party.to_string());
        output.done(&name, &format!("answers on board {}", inquiry.id()));
        let mut responder = Responder::new(member, journal, queries);
        inquiry.participate(&mut responder, &mut UnwrapErr(SysRng), tell(&name, output))?;
        output.done(&name, "done");
        Ok(())
    }
}

impl From<InquiryError> for Failure {
    fn from(error: InquiryError) -> Self {
        match error {
            InquiryError::Failed(why) => Self::query(&why),
            InquiryError::Session(error) => error.into(),
            other => Self::input(other),
        }
    }
}
