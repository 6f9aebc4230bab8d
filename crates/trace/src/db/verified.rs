//! Turns that were found to hold.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use wire::{Digest, Encode};

use crate::{TraceError, encode::digest_of};

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
