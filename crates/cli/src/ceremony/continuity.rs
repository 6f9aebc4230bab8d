//! What a file must continue and whom it must have in it: what its own verification cannot show.

use std::path::{Path, PathBuf};

use ::ceremony::{Error, Records, phase2::Contribution};
use data_encoding::HEXLOWER;
use serde_json::{Map, Value, json};

use super::expect::{Expected, read_expected};
use crate::{failure::Failure, output};

/// Options of `verify` about an earlier file.
#[derive(clap::Args)]
pub struct AfterArgs {
    /// An earlier file of the ceremony: all its contributions must be in this file, at the same places.
    #[arg(long, value_name = "FILE")]
    pub after: Option<PathBuf>,
    /// How many contributions must follow those of the earlier file.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "after")]
    pub adds: usize,
}

/// Options of `verify` about earlier files and published hashes.
#[derive(clap::Args)]
pub struct ContinuityArgs {
    #[command(flatten)]
    pub after: AfterArgs,
    /// A file of hashes that contributors published, each on one line or on four lines: each must be the
    /// hash of a contribution, in the same order.
    #[arg(long = "expect-hashes", alias = "expect", value_name = "FILE")]
    expect: Option<PathBuf>,
}

/// What a verdict says besides what the file itself proves.
#[derive(Default)]
pub struct Findings {
    /// For machines.
    pub json: Map<String, Value>,
    /// For people.
    pub lines: Vec<String>,
}

impl Findings {
    /// Adds what both are to be told.
    pub fn add(&mut self, key: &str, value: Value, line: Option<String>) {
        self.json.insert(key.to_owned(), value);
        self.lines.extend(line);
    }
}

impl AfterArgs {
    /// Requires that `file`, whose records `new` are, continues the earlier file.
    pub fn check(
        &self,
        (after, old): (&Path, &Records),
        (file, new): (&Path, &Records),
        findings: &mut Findings,
    ) -> Result<(), Failure> {
        new.require_continues(old, self.adds).map_err(|error| {
            let hint = match error {
                Error::Added { .. } => "give the right number with `--adds`",
                _ => "whoever made this file left out a contribution, or began from another file",
            };
            let (file, after) = (file.display(), after.display());
            Failure::refused(format!("{file}: {error} ({after})")).hint(hint)
        })?;
        let (kept, added) = (old.count(), self.adds);
        let after = after.display().to_string();
        let there = output::counted(kept as u64, "contribution", "contributions");
        let line = format!("It continues {after}: the {there} there, and {added} more.");
        let value = json!({ "after": after, "kept": kept, "added": added });
        findings.add("continues", value, Some(line));
        Ok(())
    }
}

impl ContinuityArgs {
    /// Requires that all hashes of the file of published ones are contributions', in their order.
    pub fn check_expected(
        &self,
        file: &Path,
        contributions: &[Contribution],
        findings: &mut Findings,
    ) -> Result<(), Failure> {
        let Some(path) = &self.expect else { return Ok(()) };
        let expected = read_expected(path)?;
        let hashes: Vec<_> = contributions.iter().map(|one| one.hash).collect();
        let found = locate(&expected, &hashes).map_err(|wrong| {
            let wrong = wrong.join("; ");
            Failure::refused(format!("{}: {wrong} ({})", file.display(), path.display())).hint(
                "a contribution was left out or replaced, or the list belongs to another ceremony",
            )
        })?;
        let entry = |(one, index): (&Expected, usize)| {
            let Expected { hash, name, .. } = one;
            json!({ "hash": HEXLOWER.encode(hash), "name": name, "contribution": index })
        };
        let value: Vec<_> = expected.iter().zip(found).map(entry).collect();
        let line = match value.len() {
            1 => format!("The published hash of {} is in it.", path.display()),
            hashes => format!("All {hashes} published hashes of {} are in it.", path.display()),
        };
        findings.add("expected", value.into(), Some(line));
        Ok(())
    }
}

/// The contribution of each published hash; or what is wrong with all that have none.
fn locate(expected: &[Expected], hashes: &[[u8; 64]]) -> Result<Vec<usize>, Vec<String>> {
    let (mut found, mut wrong, mut next) = (Vec::new(), Vec::new(), 0);
    for one in expected {
        let later = hashes.iter().skip(next).position(|hash| *hash == one.hash);
        if let Some(offset) = later {
            found.push(next + offset);
            next += offset + 1;
        } else if hashes.contains(&one.hash) {
            wrong.push(format!("{one} is not in the right order"));
        } else {
            wrong.push(format!("{one} does not belong to any contribution"));
        }
    }
    if wrong.is_empty() { Ok(found) } else { Err(wrong) }
}
