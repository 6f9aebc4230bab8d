//! What is said of a bundle that holds.

use claim::{Explained, Explanation, Premise, Verdict};
use serde::Serialize;
use serde_json::{Value, json};
use wire::Digest;

use crate::Accepted;

/// A bundle of which every file and every claim was checked, and holds.
#[derive(Clone, Debug)]
pub struct Report {
    /// What stands for the whole bundle.
    pub digest: Digest,
    /// How many files there are: all have the digests in the manifest.
    pub files: usize,
    /// What every claim states, and what was checked.
    pub verdicts: Vec<Verdict>,
    /// The premises that the reader did not accept and no claim of the bundle shows: with none, the claims are
    /// established.
    pub open: Vec<OpenPremise>,
}

/// A premise of a claim that the reader did not accept and no claim of the bundle shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OpenPremise {
    /// The claim's file.
    pub claim: String,
    /// The premise.
    #[serde(flatten)]
    pub premise: Premise,
}

impl Report {
    /// A report about claims that hold, for a reader who accepts these premises.
    pub(crate) fn new(
        digest: Digest,
        files: usize,
        verdicts: Vec<Verdict>,
        accepted: &[Accepted],
    ) -> Self {
        let is_open = |premise: &&Premise| {
            !accepted.iter().any(|accepted| accepted.is(premise))
                && shown_by(&verdicts, premise).is_none()
        };
        let open = verdicts.iter().flat_map(|verdict| {
            let open = verdict.premises.iter().filter(is_open).cloned();
            open.map(|premise| OpenPremise { claim: verdict.claim.clone(), premise })
        });
        let open = open.collect();
        Self { digest, files, verdicts, open }
    }

    /// For machines.
    pub fn to_json(&self) -> Value {
        self.json_with(json!(self.verdicts))
    }

    /// For machines, with every check by its name: of the bundle, and of each claim.
    pub fn explained_json(&self) -> Value {
        let claims = self.verdicts.iter().map(|verdict| {
            let mut claim = json!(verdict);
            if let Some(members) = claim.as_object_mut() {
                members.insert("explained".to_owned(), json!(verdict.explained));
            }
            claim
        });
        let mut report = self.json_with(claims.collect());
        if let Some(members) = report.as_object_mut() {
            members.insert("explained".to_owned(), json!(self.of_bundle().items()));
        }
        report
    }

    fn json_with(&self, claims: Value) -> Value {
        json!({
            "verified": true,
            "established": self.open.is_empty(),
            "bundle": self.digest.to_string(),
            "claims": claims,
            "open": self.open,
        })
    }

    /// The checks of the bundle itself, `CB-1` to `CB-8`; those of claims are in their verdicts.
    fn of_bundle(&self) -> Explanation {
        Explanation::of_bundle(self.files, self.verdicts.len())
    }

    /// Every check by its name, line by line.
    pub fn explained_lines(&self) -> Vec<String> {
        let mut lines: Vec<_> = self.of_bundle().items().iter().map(explained).collect();
        for verdict in &self.verdicts {
            lines.push(format!("{}, a claim of the kind `{}`:", verdict.claim, verdict.kind));
            lines.extend(verdict.explained.iter().map(explained));
        }
        lines.extend(self.lines());
        lines
    }

    /// Why the claims are not established although nothing is wrong with them, and what to do about it;
    /// nothing, if they are.
    pub fn reservation(&self) -> Option<(String, String)> {
        let first = self.open.first()?;
        let OpenPremise { claim, premise } = first;
        let more = match self.open.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let mut names: Vec<&str> =
            self.open.iter().map(|open| open.premise.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let flags: Vec<_> = names.iter().map(|name| format!("--accept {name}")).collect();
        Some((
            format!("{claim} rests on what the bundle does not show: {}{more}", premise.text),
            format!("if you know this from another source, accept it: {}", flags.join(" ")),
        ))
    }

    /// What becomes of a premise: another claim shows it, it is open, or the reader accepted it.
    fn about(&self, premise: &Premise) -> String {
        let Premise { name, text } = premise;
        let is_open = self.open.iter().any(|open| open.premise.name == *name);
        match shown_by(&self.verdicts, premise) {
            Some(claim) => format!("  Shown by {claim}: {text}."),
            None if is_open => format!("  NOT ESTABLISHED: {text}."),
            None => format!("  Accepted by you, not shown here: {text}."),
        }
    }

    /// For people, line by line.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![counted(self.files as u64, "files with the digests in the manifest")];
        for verdict in &self.verdicts {
            lines.extend(verdict.checks.iter().map(|check| counted(check.count, &check.what)));
            lines.push(format!("The claim of {} holds:", verdict.claim));
            lines.extend(verdict.summary.iter().map(|line| format!("  {line}")));
            lines.extend(verdict.premises.iter().map(|premise| self.about(premise)));
        }
        lines.push(format!("bundle {}", self.digest));
        lines
    }
}

/// The file of a claim that shows a premise to be true. That claim's own premises are open unless they are
/// accepted or shown themselves, so that nothing counts as established by what is not. There is no circle: only
/// ceremonies show premises (`key:…`), and theirs (`parameters:…`) no claim shows.
fn shown_by<'a>(verdicts: &'a [Verdict], premise: &Premise) -> Option<&'a str> {
    let shows = |verdict: &&Verdict| verdict.shows.contains(&premise.name);
    verdicts.iter().find(shows).map(|verdict| verdict.claim.as_str())
}

/// A check by its name, with what it was made of.
fn explained(Explained { check, what, count }: &Explained) -> String {
    format!("{:<5} {}", check.as_str(), counted(*count, what))
}

/// How often something was checked, with thousands separated.
fn counted(count: u64, what: &str) -> String {
    let digits = count.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    format!("{:>9}  {what}", groups.collect::<Vec<_>>().join(","))
}
