//! A keeper's promise that an admitted entry will be in the log.

use wire::{Decode, DecodeError, Digest, Encode, Reader, put_bytes};

use crate::{AuthorId, EvidenceError, Header, Identity, Origin};

const DOMAIN: &str = "subrosa/log/promise/v1";

/// "This entry will stand in the log, at a place from `size` on, before any heartbeat of a time after
/// `deadline`." So a keeper that was down keeps its word if it first appends what it promised.
///
/// The keeper stores entry and promise before the promise leaves, and gives one promise for an entry:
/// of an entry that it has promised before it shows that promise, of one that is in the log its place.
/// The deadline is counted from the time that the next leaf would have, which is not before that of the
/// last one, whatever the keeper's clock says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promise {
    /// The entry, [`Header::digest`].
    pub entry: Digest,
    /// Leaves of the log at the time.
    pub size: u64,
    /// The time after which no heartbeat comes before it, in seconds since 1970 by the keeper's clock.
    pub deadline: u64,
    /// The keeper's, over all of it and the log's origin.
    pub signature: [u8; 64],
}

impl Promise {
    /// Signs for an entry that is stored for good.
    pub fn sign(
        keeper: &Identity,
        log: &Origin,
        entry: &Header,
        (size, deadline): (u64, u64),
    ) -> Self {
        let mut promise = Self { entry: entry.digest(), size, deadline, signature: [0; 64] };
        promise.signature = keeper.sign(DOMAIN, promise.message(log));
        promise
    }

    /// Checks that the keeper of a log signed.
    ///
    /// # Errors
    /// [`EvidenceError::Promise`].
    pub fn verify(&self, log: &Origin, keeper: &AuthorId) -> Result<(), EvidenceError> {
        let genuine = keeper.verify(DOMAIN, self.message(log), &self.signature);
        genuine.then_some(()).ok_or(EvidenceError::Promise)
    }

    /// What an author checks before it calls its entry submitted: the promise is of this entry, begins in
    /// the log that was seen, and is due soon. A promise for a far day or a far place convicts nobody.
    /// `size` is that of a log that the author saw, `latest` the latest deadline that it takes.
    ///
    /// # Errors
    /// [`EvidenceError::Promise`], [`EvidenceError::NoOffence`].
    pub fn accept(
        &self,
        log: &Origin,
        keeper: &AuthorId,
        entry: &Header,
        (size, latest): (u64, u64),
    ) -> Result<(), EvidenceError> {
        self.verify(log, keeper)?;
        let refused = |reason| Err(EvidenceError::NoOffence(reason));
        match () {
            () if self.entry != entry.digest() => refused("the promise is of another entry"),
            () if self.size > size => refused("the promise begins beyond the log"),
            () if self.deadline > latest => refused("the promise is due too late"),
            () => Ok(()),
        }
    }

    fn message(&self, log: &Origin) -> Digest {
        let mut bytes = Vec::new();
        put_bytes(&mut bytes, log.as_str().as_bytes());
        self.entry.encode(&mut bytes);
        self.size.encode(&mut bytes);
        self.deadline.encode(&mut bytes);
        Digest::of(DOMAIN, &bytes)
    }
}

impl Encode for Promise {
    fn encode(&self, out: &mut Vec<u8>) {
        self.entry.encode(out);
        self.size.encode(out);
        self.deadline.encode(out);
        out.extend_from_slice(&self.signature);
    }
}

impl Decode for Promise {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (entry, size, deadline) = (Digest::decode(reader)?, reader.u64()?, reader.u64()?);
        Ok(Self { entry, size, deadline, signature: reader.array()? })
    }
}
