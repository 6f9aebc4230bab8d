//! Commit, then reveal: nobody chooses its message knowing another's.

use wire::Digest;

use trace::{TraceError, parts::encode::require_all};

/// A server's message, of which only the hash is sent until the hashes of all servers are in.
pub struct Committed<M> {
    message: M,
    commitment: Digest,
    server: u16,
    servers: usize,
}

impl<M> Committed<M> {
    pub(super) fn new(message: M, commitment: Digest, server: u16, servers: usize) -> Self {
        Self { message, commitment, server, servers }
    }

    /// What is sent first.
    pub fn commitment(&self) -> &Digest {
        &self.commitment
    }

    /// The message, once the commitments of servers 1..=m are in, with this one's among them.
    ///
    /// # Errors
    /// [`TraceError::Missing`]; [`TraceError::Step`] if another commitment stands in this server's
    /// place.
    pub fn reveal(self, commitments: &[Digest]) -> Result<M, TraceError> {
        require_all("commitments", self.servers, commitments.len())?;
        let own = commitments.get(usize::from(self.server).saturating_sub(1));
        match own == Some(&self.commitment) {
            true => Ok(self.message),
            false => {
                let reason = "another commitment stands in its place";
                Err(TraceError::step("commitment", self.server, reason))
            }
        }
    }
}
