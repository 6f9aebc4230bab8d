//! Who is there before the keys are made.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Party, Role};

/// Who is there, before anything is done that needs them all.
pub(super) struct Readiness {
    pub(super) waiting: BTreeSet<Party>,
    pub(super) absent: BTreeSet<Party>,
    pub(super) nonces: BTreeMap<Party, [u8; 32]>,
}

impl Readiness {
    pub(super) fn new(trustees: u16, mixers: u16) -> Self {
        let of = |role, count| (1..=count).map(move |number| Party { role, number });
        let waiting = of(Role::Trustee, trustees).chain(of(Role::Mixer, mixers)).collect();
        Self { waiting, absent: BTreeSet::new(), nonces: BTreeMap::new() }
    }

    /// Those who are waited for.
    pub(super) fn waiting(&self) -> impl Iterator<Item = Party> {
        self.waiting.iter().copied()
    }

    /// Whether it counts that this party is there: also when it was absent.
    pub(super) fn expects(&self, party: Party) -> bool {
        self.waiting.contains(&party) || self.absent.contains(&party)
    }

    /// Parties of a role that are there or may come without those who are absent.
    pub(super) fn present(&self, role: Role) -> usize {
        let all = self.waiting.iter().chain(self.nonces.keys());
        all.filter(|party| party.role == role).count()
    }
}
