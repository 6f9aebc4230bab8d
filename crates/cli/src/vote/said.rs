//! What a voter says, and who the voter is.

use std::path::PathBuf;

use ::log::AuthorId;
use board::Identity;
use study::{
    description::ElectionDescription,
    election::Voter,
    preferences::{Ballot, Marks, Ranking},
};

use crate::{election::folder::read_ballots, failure::Failure, keygen::PassphraseArgs};

/// The vote.
#[derive(clap::Args, Clone, Debug)]
pub struct VoteArgs {
    /// Your vote: the candidates' names in the order of your preference; none for a blank ballot.
    #[arg(value_name = "CANDIDATE")]
    ranking: Vec<String>,
    /// Your vote as a file like `ballots.csv` with one ballot, if it is more than one ranking.
    #[arg(long, value_name = "CSV", conflicts_with = "ranking")]
    ballot: Option<PathBuf>,
}

impl VoteArgs {
    /// Whether nothing is said: no name and no file.
    pub fn is_silent(&self) -> bool {
        self.ranking.is_empty() && self.ballot.is_none()
    }

    /// The ballot that says it.
    pub fn read(&self, description: &ElectionDescription) -> Result<Ballot, Failure> {
        if let Some(path) = &self.ballot {
            let mut lines = read_ballots(path, description, None)?;
            return match (lines.pop(), lines.is_empty()) {
                (Some(only), true) => Ok(only.ballot),
                _ => Err(Failure::file(path, "the file must have exactly one ballot")),
            };
        }
        let layout = description.layout();
        let (only, shape) = match (description.questions.as_slice(), layout.ranking(0)) {
            ([only], Some(shape)) => (only, shape),
            _ => {
                return Err(Failure::input(
                    "a ballot of this election is more than one ranking, so names are not enough",
                )
                .hint(
                    "write your vote as one line of a file like `ballots.csv`, and give that file \
                     with --ballot",
                ));
            }
        };
        let place = |name: &String| {
            let found = (0..).zip(&only.candidates).find(|(_, candidate)| *candidate == name);
            found.map(|(place, _)| place).ok_or_else(|| {
                let names = only.candidates.join("`, `");
                Failure::input(format!("no candidate is named `{name}`"))
                    .hint(format!("the candidates are `{names}`"))
            })
        };
        let choices = self.ranking.iter().map(place).collect::<Result<Vec<u8>, _>>()?;
        let ranking: Ranking = shape.ranking(choices).map_err(Failure::input)?;
        Ok(Ballot(vec![Marks::Ranking(ranking)]))
    }
}

/// The voter's key file.
#[derive(clap::Args, Clone, Debug)]
pub struct VoterArgs {
    /// Your key file, as `subrosa vote keygen` made it.
    #[arg(long, value_name = "FILE", env = "SUBROSA_KEY", hide_env_values = true)]
    pub key: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseArgs,
}

impl VoterArgs {
    /// Reads the key.
    pub fn load(&self) -> Result<Identity, Failure> {
        Ok(self.passphrase.load(&self.key)?.identity())
    }
}

/// The place of a key on the roll, with the voter.
pub fn find<'a>(roll: &'a [Voter], key: &AuthorId) -> Result<(u32, &'a Voter), Failure> {
    let found = (0..).zip(roll).find(|(_, voter)| voter.credential == *key);
    found.ok_or_else(|| {
        Failure::refused(format!("the roll has no voter with the key {key}"))
            .hint("ask the registrar under which key you are registered")
    })
}
