//! What is said of a bundle that holds.

use claim::Verdict;
use serde_json::{Value, json};
use wire::Digest;

/// A bundle of which every file and every claim was checked, and holds.
#[derive(Clone, Debug)]
pub struct Report {
    /// What stands for the whole bundle.
    pub digest: Digest,
    /// The files that have the digests in the manifest.
    pub files: usize,
    /// What every claim states, and what was checked.
    pub verdicts: Vec<Verdict>,
}

impl Report {
    /// For machines.
    pub fn to_json(&self) -> Value {
        json!({ "verified": true, "bundle": self.digest.to_string(), "claims": self.verdicts })
    }

    /// For people, line by line.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![counted(self.files as u64, "files with the digests in the manifest")];
        for verdict in &self.verdicts {
            lines.extend(verdict.checks.iter().map(|check| counted(check.count, &check.what)));
            lines.push(format!("The claim of {} holds:", verdict.claim));
            lines.extend(verdict.summary.iter().map(|line| format!("  {line}")));
        }
        lines.push(format!("bundle {}", self.digest));
        lines
    }
}

/// How often something was checked, with thousands separated.
fn counted(count: u64, what: &str) -> String {
    let digits = count.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    format!("{:>9}  {what}", groups.collect::<Vec<_>>().join(","))
}
