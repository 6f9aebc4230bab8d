//! Entries that everybody ignores, and why.

use std::fmt;

use claim::Refusal;
use wire::CheckName;

use super::Party;

/// An entry that breaks the protocol. It has no effect; the election goes on if it can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The entry.
    pub sequence: u64,
    /// The phase that the election was in.
    pub phase: &'static str,
    /// Who wrote it; `None` for a stranger, and for what several did together.
    pub party: Option<Party>,
    /// The rule or equation that it breaks.
    pub reason: String,
    /// The check that it fails, by its name in `docs/spec`.
    pub check: CheckName,
}

impl Fault {
    /// Records a fault; `reason` need not repeat the party's name.
    pub(super) fn new(
        sequence: u64,
        phase: &'static str,
        party: Option<Party>,
        (check, reason): (CheckName, &str),
    ) -> Self {
        // The fault of nobody has no name in front, and a reason may have none.
        let named = party.map(|party| format!("{party}: ")).unwrap_or_default();
        let reason = reason.strip_prefix(&named).unwrap_or(reason).to_owned();
        Self { sequence, phase, party, reason, check }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.phase)?;
        if let Some(party) = self.party {
            write!(f, "{party}: ")?;
        }
        write!(f, "{} (entry {})", self.reason, self.sequence)
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        let Fault { sequence, phase, party, reason, check } = fault;
        let refusal = Refusal::new(phase, format!("{reason} (entry {sequence})")).under(check);
        match party {
            Some(party) => refusal.by(party.to_string()),
            None => refusal,
        }
    }
}
