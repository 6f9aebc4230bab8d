//! All servers saw the same.

use board::{AuthorId, Identity};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use crate::{TraceError, parts::encode::require_all};

/// What all servers sign before any of them releases a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The input list and the mix chain, once per session.
    Mix,
    /// The request, its lists, proofs and blinded sums, once per query.
    Query,
}

impl Subject {
    fn domain(self) -> &'static str {
        match self {
            Self::Mix => "subrosa/trace/agreement/mix/v1",
            Self::Query => "subrosa/trace/agreement/query/v1",
        }
    }

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mix => "mix",
            Self::Query => "query",
        }
    }

    /// A server's signature on the subject with this digest.
    pub fn sign(self, identity: &Identity, digest: Digest) -> [u8; 64] {
        identity.sign(self.domain(), digest)
    }
}

/// The signatures of servers 1..=m, in order, on one digest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    signatures: Vec<[u8; 64]>,
}

impl Agreement {
    /// Gathers the signatures of all servers, in order.
    pub fn new(signatures: Vec<[u8; 64]>) -> Self {
        Self { signatures }
    }

    /// Checks that every one of `servers`, in order, signed.
    ///
    /// # Errors
    /// [`TraceError::Missing`]; [`TraceError::Disagreement`] naming the first server that did not.
    pub fn verify(
        &self,
        subject: Subject,
        servers: &[AuthorId],
        digest: Digest,
    ) -> Result<(), TraceError> {
        let what = subject.name();
        require_all("signatures", servers.len(), self.signatures.len())?;
        for (server, (author, signature)) in (1..).zip(servers.iter().zip(&self.signatures)) {
            if !author.verify(subject.domain(), digest, signature) {
                return Err(TraceError::Disagreement { what, server });
            }
        }
        Ok(())
    }

    /// Checks that the next one of `servers` signed with this signature, and adds it.
    ///
    /// # Errors
    /// [`TraceError::Disagreement`] if it did not, or if all have signed.
    pub fn add(
        &mut self,
        signature: [u8; 64],
        subject: Subject,
        servers: &[AuthorId],
        digest: Digest,
    ) -> Result<(), TraceError> {
        let (what, place) = (subject.name(), self.signatures.len());
        let signed = |author: &AuthorId| author.verify(subject.domain(), digest, &signature);
        if !servers.get(place).is_some_and(signed) {
            return Err(TraceError::Disagreement { what, server: place as u16 + 1 });
        }
        self.signatures.push(signature);
        Ok(())
    }

    /// How many have signed.
    pub fn len(&self) -> usize {
        self.signatures.len()
    }

    /// Whether nobody has.
    pub fn is_empty(&self) -> bool {
        self.signatures.is_empty()
    }
}

/// A 16-bit count and the signatures.
impl Encode for Agreement {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.signatures.len() as u16).encode(out);
        self.signatures.iter().for_each(|signature| out.extend_from_slice(signature));
    }
}

impl Decode for Agreement {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = reader.u16()?;
        let signatures = (0..count).map(|_| reader.array()).collect::<Result<_, _>>()?;
        Ok(Self { signatures })
    }
}
