//! Permutations and turns that were found to hold.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use shuffle::tw::VerifiedPermutation;
use wire::{Digest, Encode};

use super::bases::G1;
use trace::{TraceError, parts::encode::digest_of, routed::PermutationMessage};

/// Permutations of one input list whose proofs were verified.
#[derive(Default)]
pub(super) struct VerifiedPermutations(Mutex<HashMap<Digest, VerifiedPermutation<G1>>>);

impl VerifiedPermutations {
    /// The permutation of a server's message, from `verify` if it was not verified before.
    pub(super) fn get(
        &self,
        server: u16,
        message: &PermutationMessage<G1>,
        verify: impl FnOnce() -> Result<VerifiedPermutation<G1>, TraceError>,
    ) -> Result<VerifiedPermutation<G1>, TraceError> {
        let name = digest_of("trace/db/verified", &[&server.to_le_bytes(), &message.to_bytes()]);
        // Only what was verified is entered, and in one step: a panic elsewhere leaves nothing false behind.
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&name).cloned();
        if let Some(permutation) = known {
            return Ok(permutation);
        }
        let permutation = verify()?;
        let mut verified = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        verified.insert(name, permutation.clone());
        Ok(permutation)
    }
}

/// What was verified of the chains of turns that start with one statement, so that a server which
/// verifies the turns before its own does not verify them again when all are there. Clones share
/// it.
#[derive(Clone, Default)]
pub(super) struct VerifiedTurns(Arc<Mutex<HashSet<Digest>>>);

impl VerifiedTurns {
    /// Calls `verify` with the number of leading turns that are known to hold, unless all are.
    /// `statement` names everything that the turns are verified against.
    pub(super) fn check<T: Encode>(
        &self,
        statement: &Digest,
        turns: &[T],
        verify: impl FnOnce(usize) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        // Every name stands for its turn and all before.
        let names = turns.iter().scan(*statement, |name, turn| {
            *name = digest_of("trace/db/turn", &[name.as_bytes(), &turn.to_bytes()]);
            Some(*name)
        });
        let names: Vec<Digest> = names.collect();
        let known = {
            // As for permutations.
            let verified = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            names.iter().take_while(|name| verified.contains(*name)).count()
        };
        if known < turns.len() {
            verify(known)?;
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(names);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_verified_once_and_only_after_the_same_turns() {
        let (verified, statement) = (VerifiedTurns::default(), Digest::of("test", b"1"));
        let calls = |statement: &Digest, turns: &[u32]| {
            let mut calls = Vec::new();
            let result = verified.check(statement, turns, |known| {
                calls.push(known);
                Ok(())
            });
            assert_eq!(result, Ok(()));
            calls
        };
        assert_eq!(calls(&statement, &[1, 2]), [0]);
        assert_eq!(calls(&statement, &[1, 2]), [0_usize; 0]);
        assert_eq!(calls(&statement, &[1]), [0_usize; 0]);
        assert_eq!(calls(&statement, &[1, 2, 3]), [2]);
        assert_eq!(calls(&statement, &[2, 2, 3]), [0]);
        assert_eq!(calls(&statement, &[1, 3, 3]), [1]);
        assert_eq!(calls(&Digest::of("test", b"2"), &[1, 2]), [0]);
        // What fails is not remembered.
        let refused = TraceError::Query("false");
        let fail = |_| Err(refused.clone());
        assert_eq!(verified.check(&statement, &[4_u32], fail), Err(refused.clone()));
        assert_eq!(calls(&statement, &[4]), [0]);
    }
}
