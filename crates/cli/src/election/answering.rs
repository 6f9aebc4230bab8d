//! A party's readiness to answer questions about a finished election.

use std::path::PathBuf;

use ::study::{
    election::{Session, TereliusWikstrom},
    inquiry::{Follower, Inquiry, InquiryError, Responder, member, policy_from_toml},
    secrets::RunSecrets,
    tracing::DirectoryJournal,
};
use board::AuthorId;
use trace::Policy;

use super::folder::read_text;
use crate::{
    failure::Failure,
    output::Output,
    party::{KeepArgs, end_run, take_part},
};

/// What a party answers, and for how long.
#[derive(clap::Args, Clone, Debug)]
pub struct AnsweringArgs {
    /// The party's policy, a TOML file: whose questions it answers (`queriers`) and how many
    /// (`max_questions`).
    #[arg(long, value_name = "TOML")]
    policy: PathBuf,
    /// The folder in which the party remembers what it signed, for this party only. Never delete it, and
    /// never restore it from a copy, while queries are answered.
    #[arg(long, value_name = "DIR")]
    journal: PathBuf,
    /// Stop after this many answered queries [default: go on for ever].
    #[arg(long, value_name = "N")]
    queries: Option<usize>,
}

/// [`AnsweringArgs`] of a party that may answer after its work in the election, or not at all.
#[derive(clap::Args, Clone, Debug)]
pub struct LaterArgs {
    /// Answer questions after the election, as `election answer` does, but without verifying everything
    /// again. The file is the party's policy, as for `election answer`.
    #[arg(long, value_name = "TOML", requires = "journal")]
    policy: Option<PathBuf>,
    /// The folder in which the party remembers what it signed, for this party only. Never delete it, and
    /// never restore it from a copy, while queries are answered.
    #[arg(long, value_name = "DIR", requires = "policy")]
    journal: Option<PathBuf>,
    /// Stop after this many answered queries [default: go on for ever].
    #[arg(long, value_name = "N", requires = "policy")]
    queries: Option<usize>,
    #[command(flatten)]
    keep: KeepArgs,
}

impl LaterArgs {
    /// What the party answers, if it does, and how long it keeps what it drew.
    pub fn given(self) -> (Option<AnsweringArgs>, KeepArgs) {
        let Self { policy, journal, queries, keep } = self;
        let both = policy.zip(journal);
        (both.map(|(policy, journal)| AnsweringArgs { policy, journal, queries }), keep)
    }
}

impl AnsweringArgs {
    /// Reads what the party answers, and opens its journal.
    pub fn read(&self, party: &AuthorId) -> Result<Answering, Failure> {
        let text = read_text(&self.policy, "docs/election.md describes what a policy holds")?;
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
        (secrets, keep): (RunSecrets, &KeepArgs),
        role: &str,
        output: &Output,
    ) -> Result<(), Failure> {
        let inquiry = Follower::take_up_after(session)?;
        if inquiry.state().counted().ground().number_of(&secrets.identity().id()).is_none() {
            end_run(&secrets, role, output)?;
            output.done(
                role,
                "done; this party's work was not used in the election, so there is no question \
                 for it to answer",
            );
            return Ok(());
        }
        if !secrets.are_kept()? {
            output.done(
                role,
                "done; the secrets of the run are erased, so this party can answer no more \
                 questions",
            );
            return Ok(());
        }
        self.serve(inquiry, (secrets, keep), output)
    }

    /// Answers until the party's secrets are to be erased, or as often as asked for.
    pub fn serve(
        self,
        mut inquiry: Follower,
        (secrets, keep): (RunSecrets, &KeepArgs),
        output: &Output,
    ) -> Result<(), Failure> {
        secrets.let_expire()?;
        let Self { policy, journal, queries } = self;
        let (election, most) = (inquiry.state().election(), policy.max_questions);
        let member = member(&secrets, election, inquiry.state().counted(), policy)?;
        let (number, key) = (member.number(), secrets.identity().id());
        let name = election.setup().parties.party(&key);
        let name = name.map_or_else(|| "party".to_owned(), |party| party.to_string());
        output.done(&name, &format!("answers on board {}", inquiry.id()));
        let mut responder = Responder::new(member, journal, queries);
        let is_used_up = |inquiry: &Inquiry| inquiry.is_used_up(number, most);
        let kept = (&secrets, keep);
        take_part(&mut inquiry, &mut responder, kept, is_used_up, (&name, output))?;
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
