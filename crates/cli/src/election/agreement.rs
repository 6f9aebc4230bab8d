//! What a trustee or a mixer agrees to, as a file of its own.

use std::path::PathBuf;

use serde::Deserialize;
use study::{description::Schedule, election::PartyPolicy};

use super::folder::read_text;
use crate::{connect::BoardArgs, failure::Failure};

/// Where a party's agreement is.
#[derive(clap::Args, Clone, Debug)]
pub struct AgreementArgs {
    /// Take part only if the election is as this file describes it: `words` (as another party read them
    /// out), `description` (its digest), `not_before`, `not_after` (times), `minimum_ballots`.
    #[arg(long, value_name = "TOML")]
    agreement: Option<PathBuf>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    description: Option<String>,
    words: Option<String>,
    not_before: Option<String>,
    not_after: Option<String>,
    minimum_ballots: Option<usize>,
}

impl AgreementArgs {
    /// Reads what the party agrees to; without a file to everything. It goes by the clock of the board.
    pub fn read(&self, board: &BoardArgs) -> Result<PartyPolicy, Failure> {
        let clock = board.clock();
        let Some(path) = &self.agreement else {
            return Ok(PartyPolicy { clock, ..PartyPolicy::default() });
        };
        let text = read_text(path, "docs/election.md describes what an agreement file holds")?;
        let source: Source = toml::from_str(&text)
            .map_err(|error| Failure::file(path, error.message().to_owned()))?;
        let time = |field: &str, text: Option<String>| {
            let read = |text: String| {
                Schedule::time(&text).ok_or_else(|| {
                    Failure::file(path, format!("`{field}` is not a time"))
                        .hint("write it like \"2026-11-23T08:00:00Z\"")
                })
            };
            text.map(read).transpose()
        };
        let digest = source.description.map(|text| text.parse()).transpose();
        Ok(PartyPolicy {
            description: digest.map_err(|_| {
                Failure::file(path, "`description` is not a digest")
                    .hint("use the digest that `subrosa election init` printed")
            })?,
            words: source.words.map(|heard| spoken(&heard)),
            not_before: time("not_before", source.not_before)?,
            not_after: time("not_after", source.not_after)?,
            minimum_ballots: source.minimum_ballots,
            clock,
        })
    }
}

/// Words as they are compared: what stands between them, and how large their letters are, is of no account.
fn spoken(heard: &str) -> String {
    let words = heard.split(|letter: char| !letter.is_ascii_alphabetic());
    let words: Vec<String> =
        words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
    words.join(" ")
}
