//! The keys of many voters at once, on their side: no registrar sees them.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use csv::Trim;
use serde_json::json;
use study::election::MAX_VOTERS;

use crate::{
    election::roll::{Credential, Line, write_lines},
    failure::Failure,
    output::{self, Output},
};

/// Options of `keygen` for many.
#[derive(clap::Args)]
pub struct Args {
    /// Make the keys of all voters in this CSV file at once, for a device that votes for many. Only the
    /// columns `voter` and `class` are read. The result is one file without a passphrase, for `subrosa
    /// election cast`. If the command is interrupted, run it again: it keeps the keys that are already
    /// made.
    #[arg(long, value_name = "CSV", requires = "lines", conflicts_with_all = ["name", "class", "passphrase"])]
    batch: Option<PathBuf>,
    /// The registrar's file to create, with the voters' public keys.
    #[arg(long, value_name = "CSV", requires = "batch")]
    lines: Option<PathBuf>,
    /// Make keys only for this many voters, the first ones.
    #[arg(long, value_name = "N", requires = "batch")]
    limit: Option<usize>,
}

impl Args {
    /// Makes the keys, if many are asked for.
    pub fn make(&self, out: &Path, output: &Output) -> Result<bool, Failure> {
        let Some((batch, lines)) = self.batch.as_deref().zip(self.lines.as_deref()) else {
            return Ok(false);
        };
        let voters = read(batch, self.limit.unwrap_or(usize::MAX))?;
        let credentials = match out.exists() {
            true => kept(out, &voters)?,
            false => {
                let names = voters.iter().map(|(name, _)| name.clone());
                let credentials = Credential::generate(names);
                Credential::save_all(&credentials, out)?;
                credentials
            }
        };
        let line = |((voter, class), own): ((String, Option<String>), &Credential)| Line {
            voter,
            public_key: own.identity.id().to_string(),
            class,
        };
        write_lines(lines, voters.into_iter().zip(&credentials).map(line))?;
        let count = credentials.len();
        let voters = output::counted(count as u64, "voter", "voters");
        output.result(&json!({ "voters": count }), || vec![voters]);
        Ok(true)
    }
}

/// A voter's name and class.
type Named = (String, Option<String>);

/// The keys that were made before, which must be those of these voters.
fn kept(path: &Path, voters: &[Named]) -> Result<Vec<Credential>, Failure> {
    let credentials = Credential::load_all(path)?;
    let names = voters.iter().map(|(name, _)| name);
    match credentials.iter().map(|own| &own.name).eq(names) {
        true => Ok(credentials),
        false => Err(Failure::file(path, "the file holds the keys of other voters")
            .hint("a key file is never overwritten: give another name")),
    }
}

/// The voters of a file, whatever else it says of them.
fn read(path: &Path, limit: usize) -> Result<Vec<Named>, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::file(path, error.to_string());
    let mut reader = csv::ReaderBuilder::new().trim(Trim::All).from_path(path);
    let reader = reader.as_mut().map_err(|error| failed(error))?;
    let headers = reader.headers().map_err(|error| failed(&error))?;
    let place = |name: &str| headers.iter().position(|column| column == name);
    let voter = place("voter").ok_or_else(|| failed(&"there is no column `voter`"))?;
    let class = place("class");
    let (mut voters, mut names) = (Vec::new(), HashSet::new());
    for row in reader.records().take(limit) {
        let row = row.map_err(|error| failed(&error))?;
        // A record has as many fields as the header: `csv` refuses others.
        let name = row.get(voter).unwrap_or_default();
        if !names.insert(name.to_owned()) {
            return Err(failed(&format!("`{}` is there twice", name.escape_debug())));
        }
        let class = class.and_then(|class| row.get(class));
        voters.push((name.to_owned(), class.map(str::to_owned)));
        if voters.len() > MAX_VOTERS {
            return Err(failed(&format!("more than {MAX_VOTERS} voters")));
        }
    }
    Ok(voters)
}
