//! What one server must not contradict, under the names of one session.

use wire::Digest;

use crate::{Journal, TraceError, encode::digest_of};

/// Where a server's statements stand in its journal. It holds no memory itself: the [`Journal`]
/// comes with every call.
pub(crate) struct Ledger {
    /// Engines whose sessions could have one name do not mix their records up.
    domain: &'static str,
    session: Digest,
    server: u16,
}

impl Ledger {
    pub(crate) fn new(domain: &'static str, session: Digest, server: u16) -> Self {
        Self { domain, session, server }
    }

    /// What was stored about a subject.
    pub(crate) fn load(
        &self,
        journal: &impl Journal,
        what: &str,
        subject: &Digest,
    ) -> Result<Option<Vec<u8>>, TraceError> {
        journal.load(&self.key(what, subject)).map_err(|error| self.broken(error))
    }

    /// Stores what is said about a subject unless something was said before, which is returned.
    pub(crate) fn record(
        &self,
        journal: &mut impl Journal,
        what: &str,
        subject: &Digest,
        value: &[u8],
    ) -> Result<Vec<u8>, TraceError> {
        journal.record(&self.key(what, subject), value).map_err(|error| self.broken(error))
    }

    /// Stores a digest under a subject; refuses if there is another.
    pub(crate) fn record_once(
        &self,
        journal: &mut impl Journal,
        what: &'static str,
        subject: &Digest,
        digest: &Digest,
    ) -> Result<(), TraceError> {
        match self.record(journal, what, subject, digest.as_bytes())? == digest.as_bytes() {
            true => Ok(()),
            false => Err(self.contradiction(what)),
        }
    }

    /// Requires that nothing was said about a subject.
    pub(crate) fn require_none(
        &self,
        journal: &impl Journal,
        what: &'static str,
        subject: &Digest,
    ) -> Result<(), TraceError> {
        match self.load(journal, what, subject)? {
            None => Ok(()),
            Some(_) => Err(self.contradiction(what)),
        }
    }

    /// Requires that exactly this was said about a subject.
    pub(crate) fn require(
        &self,
        journal: &impl Journal,
        what: &'static str,
        subject: &Digest,
        digest: &Digest,
    ) -> Result<(), TraceError> {
        match self.load(journal, what, subject)?.as_deref() == Some(digest.as_bytes()) {
            true => Ok(()),
            false => Err(self.contradiction(what)),
        }
    }

    /// The journal, or what is in it, is damaged.
    pub(crate) fn broken(&self, error: impl ToString) -> TraceError {
        TraceError::Journal { server: self.server, reason: error.to_string() }
    }

    fn contradiction(&self, what: &'static str) -> TraceError {
        TraceError::Committed { server: self.server, what }
    }

    fn key(&self, what: &str, subject: &Digest) -> Digest {
        digest_of(self.domain, &[self.session.as_bytes(), what.as_bytes(), subject.as_bytes()])
    }
}
