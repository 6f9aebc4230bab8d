//! What a party draws for its run on a board, and keeps to itself until the run ends.
//!
//! It is 32 bytes of the system's generator. They are stored before anything is sent that depends on them, so a party
//! that was killed and started again computes the same values. The party's part of a key, its permutation, and the key
//! to which answers are sealed follow from these bytes together with its signing key, and from neither alone. When the
//! bytes are erased, nobody can compute these values any more, even with the key file. A key file with a passphrase
//! also protects the stored bytes of a run.

mod file;

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use board::Identity;
use hkdf::Hkdf;
use rand_chacha::ChaCha20Rng;
use rand_core::{CryptoRng, SeedableRng};
use sha2::Sha256;
use thiserror::Error;
use wire::{Digest, put_bytes};
use zeroize::Zeroizing;

pub use file::{FileSecret, erase_expired, erase_file};

const SALT: &[u8] = b"subrosa/run/v1";

/// Why a party cannot draw or recall what it needs in a run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SecretError {
    /// They were erased, or lost.
    #[error(
        "the secrets of this run are not in the party's state: they were erased when the run ended, or lost"
    )]
    Gone,
    /// They cannot be kept or read.
    #[error("the secrets of this run: {0}")]
    Store(#[from] io::Error),
}

/// 32 bytes that were drawn for a run. Erased when dropped.
pub struct RunSecret(Zeroizing<[u8; 32]>);

impl RunSecret {
    /// Draws them.
    pub fn draw(rng: &mut impl CryptoRng) -> Self {
        let mut bytes = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *bytes);
        Self(bytes)
    }

    /// The bytes that were drawn before.
    pub fn from_bytes(bytes: &[u8; 32]) -> Self {
        Self(Zeroizing::new(*bytes))
    }

    fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// What is kept of a run, and how long.
pub struct Kept {
    /// What was drawn.
    pub secret: RunSecret,
    /// Seconds since 1970 until which it is kept after the run; 0 for not at all.
    pub until: u64,
}

/// Where the secret of one party's run on one board is kept. Every step is for good when it returns.
pub trait SecretStore {
    /// What is kept.
    ///
    /// # Errors
    /// Those of the store.
    fn load(&self) -> io::Result<Option<Kept>>;

    /// Keeps a secret, unless one is kept already.
    ///
    /// # Errors
    /// Those of the store; then nothing is sent that depends on it.
    fn keep(&self, secret: &RunSecret) -> io::Result<()>;

    /// Notes that the run does not need the secret any more: from its time on it may be erased.
    ///
    /// # Errors
    /// Those of the store.
    fn let_expire(&self) -> io::Result<()>;

    /// Overwrites and removes what is kept, if anything is.
    ///
    /// # Errors
    /// Those of the store.
    fn erase(&self) -> io::Result<()>;
}

/// A party's signing key with the secrets of its run on a board. Clones share them.
#[derive(Clone)]
pub struct RunSecrets {
    identity: Arc<Identity>,
    board: Digest,
    store: Arc<dyn SecretStore + Send + Sync>,
}

impl RunSecrets {
    /// The secrets of a party on the board of this name.
    pub fn new(
        identity: Identity,
        board: Digest,
        store: impl SecretStore + Send + Sync + 'static,
    ) -> Self {
        Self { identity: Arc::new(identity), board, store: Arc::new(store) }
    }

    /// The key that the party signs with.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Draws what the run begins with, unless that was done before.
    ///
    /// # Errors
    /// [`SecretError::Store`].
    pub fn begin(&self, rng: &mut impl CryptoRng) -> Result<(), SecretError> {
        match self.store.load()? {
            Some(_) => Ok(()),
            None => Ok(self.store.keep(&RunSecret::draw(rng))?),
        }
    }

    /// The generator for one message: a function of the run, of what the message is, and of everything that it
    /// depends on, so that no randomness serves two messages.
    ///
    /// # Errors
    /// [`SecretError::Gone`] before [`RunSecrets::begin`] and after the end; [`SecretError::Store`].
    #[expect(clippy::expect_used, reason = "32 bytes are less than HKDF can give")]
    pub fn rng(&self, message: &str, state: &[u8]) -> Result<ChaCha20Rng, SecretError> {
        let Kept { secret, .. } = self.store.load()?.ok_or(SecretError::Gone)?;
        let mut drawn = Zeroizing::new([0; 64]);
        let (run, party) = drawn.split_at_mut(32);
        run.copy_from_slice(secret.as_bytes());
        party.copy_from_slice(&*self.identity.to_seed());
        let mut info = Vec::new();
        let parts = [self.board.as_bytes().as_slice(), message.as_bytes(), state];
        parts.into_iter().for_each(|part| put_bytes(&mut info, part));
        let mut seed = Zeroizing::new([0; 32]);
        let hkdf = Hkdf::<Sha256>::new(Some(SALT), &*drawn);
        hkdf.expand(&info, &mut *seed).expect("32 bytes are not too many");
        Ok(ChaCha20Rng::from_seed(*seed))
    }

    /// Whether the secrets are kept: they were drawn, and not erased.
    ///
    /// # Errors
    /// [`SecretError::Store`].
    pub fn are_kept(&self) -> Result<bool, SecretError> {
        Ok(self.store.load()?.is_some())
    }

    /// Ends the run, `now` in seconds since 1970: erases the secrets, unless they are kept until a later time,
    /// which is returned.
    ///
    /// # Errors
    /// [`SecretError::Store`].
    pub fn end(&self, now: u64) -> Result<Option<u64>, SecretError> {
        let until = self.store.load()?.map_or(0, |kept| kept.until);
        if until > now {
            self.let_expire()?;
            return Ok(Some(until));
        }
        self.erase()?;
        Ok(None)
    }

    /// Has the secrets kept for questions only: from the time until which they are kept, if there is one, whoever
    /// looks after the party's state erases them.
    ///
    /// # Errors
    /// [`SecretError::Store`].
    pub fn let_expire(&self) -> Result<(), SecretError> {
        Ok(self.store.let_expire()?)
    }

    /// Erases the secrets.
    ///
    /// # Errors
    /// [`SecretError::Store`].
    pub fn erase(&self) -> Result<(), SecretError> {
        Ok(self.store.erase()?)
    }
}

/// The secret of a run that ends with the process.
#[derive(Default)]
pub struct MemorySecret(Mutex<Option<RunSecret>>);

impl MemorySecret {
    /// One that was drawn before.
    pub fn of(secret: RunSecret) -> Self {
        Self(Mutex::new(Some(secret)))
    }

    /// Nothing under the lock can panic half-way.
    fn lock(&self) -> MutexGuard<'_, Option<RunSecret>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SecretStore for MemorySecret {
    fn load(&self) -> io::Result<Option<Kept>> {
        let kept = |secret: &RunSecret| RunSecret::from_bytes(secret.as_bytes());
        Ok(self.lock().as_ref().map(|secret| Kept { secret: kept(secret), until: 0 }))
    }

    fn keep(&self, secret: &RunSecret) -> io::Result<()> {
        self.lock().get_or_insert_with(|| RunSecret::from_bytes(secret.as_bytes()));
        Ok(())
    }

    fn let_expire(&self) -> io::Result<()> {
        Ok(())
    }

    fn erase(&self) -> io::Result<()> {
        *self.lock() = None;
        Ok(())
    }
}
