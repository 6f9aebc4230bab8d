//! What a party admits, and remembers that it did.

use algebra::Group;
use wire::{Decode as _, Digest, Encode as _};

use crate::{Journal, Policy, Query, QueryLog, TraceError, parts::encode::digest_of};

/// A party's policy with the queries that count against it: those that it signed. Each is in the
/// party's journal before its signature is. What a board leaves out, or says that others agreed
/// on, changes nothing: a signed query may still be agreed on after any restart.
pub struct Admission<G: Group> {
    session: Digest,
    server: u16,
    policy: Policy,
    log: QueryLog<G>,
}

impl<G: Group> Admission<G> {
    /// A party's admissions in a session; server 0 is the dealer.
    pub fn new(session: Digest, server: u16, policy: Policy) -> Self {
        Self { session, server, policy, log: QueryLog::default() }
    }

    /// The queries that count, as of the last look into the journal.
    pub fn log(&self) -> &QueryLog<G> {
        &self.log
    }

    /// Requires that the policy admits a query beside all those that count, or that it counts
    /// already.
    ///
    /// # Errors
    /// [`TraceError::Policy`]; [`TraceError::Journal`].
    pub fn check(
        &mut self,
        query: &Query<G>,
        class_of: &[u32],
        journal: &impl Journal,
    ) -> Result<(), TraceError> {
        while let Some(bytes) =
            journal.load(&self.next_key()).map_err(|error| self.journal_error(error))?
        {
            self.take_up(&bytes, class_of)?;
        }
        self.log.check(&self.policy, query, class_of)
    }

    /// Checks a query and lets it count, from now on and after every restart.
    ///
    /// # Errors
    /// As [`Admission::check`].
    pub fn enter(
        &mut self,
        query: &Query<G>,
        class_of: &[u32],
        journal: &mut impl Journal,
    ) -> Result<(), TraceError> {
        loop {
            self.check(query, class_of, journal)?;
            if self.log.contains(query.id()) {
                return Ok(());
            }
            // Another process of this party may be first: then its query counts, and this one is
            // judged again.
            let stored = journal.record(&self.next_key(), &query.to_bytes());
            self.take_up(&stored.map_err(|error| self.journal_error(error))?, class_of)?;
        }
    }

    fn take_up(&mut self, bytes: &[u8], class_of: &[u32]) -> Result<(), TraceError> {
        let query = Query::from_bytes(bytes).map_err(|error| self.journal_error(error))?;
        self.log.enter(query, class_of);
        Ok(())
    }

    fn next_key(&self) -> Digest {
        let place = self.log.queries().len() as u64;
        digest_of("trace/journal/admitted", &[self.session.as_bytes(), &place.to_le_bytes()])
    }

    fn journal_error(&self, error: impl ToString) -> TraceError {
        TraceError::Journal { server: self.server, reason: error.to_string() }
    }
}
