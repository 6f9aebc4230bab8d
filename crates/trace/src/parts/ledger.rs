//! What one server must not contradict, under the names of one session.

use rand_core::CryptoRng;
use wire::Digest;
use zeroize::Zeroizing;

use crate::{Journal, TraceError, parts::encode::digest_of};

/// Where a server's statements stand in its journal. It holds no memory itself: the [`Journal`]
/// comes with every call.
pub struct Ledger {
    /// Engines whose sessions could have one name do not mix their records up.
    domain: &'static str,
    session: Digest,
    server: u16,
}

impl Ledger {
    /// The ledger of one server in one session.
    pub fn new(domain: &'static str, session: Digest, server: u16) -> Self {
        Self { domain, session, server }
    }

    /// What was stored about a subject.
    pub fn load(
        &self,
        journal: &impl Journal,
        what: &str,
        subject: &Digest,
    ) -> Result<Option<Vec<u8>>, TraceError> {
        journal.load(&self.key(what, subject)).map_err(|error| self.broken(error))
    }

    /// Stores what is said about a subject unless something was said before, which is returned.
    pub fn record(
        &self,
        journal: &mut impl Journal,
        what: &str,
        subject: &Digest,
        value: &[u8],
    ) -> Result<Vec<u8>, TraceError> {
        journal.record(&self.key(what, subject), value).map_err(|error| self.broken(error))
    }

    /// Stores a digest under a subject; refuses if there is another.
    pub fn record_once(
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

    /// 32 random bytes for a subject: those that were drawn first, stored before they are used.
    pub fn seed(
        &self,
        journal: &mut impl Journal,
        what: &'static str,
        subject: &Digest,
        rng: &mut impl CryptoRng,
    ) -> Result<Zeroizing<[u8; 32]>, TraceError> {
        let mut drawn = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *drawn);
        let stored = Zeroizing::new(self.record(journal, what, subject, &*drawn)?);
        self.read_seed(&stored)
    }

    /// The random bytes that [`Ledger::seed`] drew for a subject.
    pub fn drawn_seed(
        &self,
        journal: &impl Journal,
        what: &'static str,
        subject: &Digest,
    ) -> Result<Zeroizing<[u8; 32]>, TraceError> {
        let stored = self.load(journal, what, subject)?.map(Zeroizing::new);
        let lost = || self.broken("what it drew is gone; a journal must never be restored");
        self.read_seed(&stored.ok_or_else(lost)?)
    }

    fn read_seed(&self, stored: &[u8]) -> Result<Zeroizing<[u8; 32]>, TraceError> {
        let seed = stored.try_into().map(Zeroizing::new);
        seed.map_err(|_| self.broken("a seed that is not of 32 bytes"))
    }

    /// Requires that nothing was said about a subject.
    pub fn require_none(
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
    pub fn require(
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
    pub fn broken(&self, error: impl ToString) -> TraceError {
        TraceError::Journal { server: self.server, reason: error.to_string() }
    }

    fn contradiction(&self, what: &'static str) -> TraceError {
        TraceError::Committed { server: self.server, what }
    }

    fn key(&self, what: &str, subject: &Digest) -> Digest {
        let server = self.server.to_le_bytes();
        let parts: [&[u8]; 4] =
            [self.session.as_bytes(), &server, what.as_bytes(), subject.as_bytes()];
        digest_of(self.domain, &parts)
    }
}
