//! Public randomness that nobody could foresee.

use sha2::{Digest, Sha256};
use wire::Progress;
use zeroize::Zeroizing;

use crate::Error;

/// Public randomness, hashed so often that nobody knew the outcome when it could still be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beacon {
    hash: Vec<u8>,
    iterations_exp: u8,
}

/// Hashes between two reports of progress.
const REPORT: u64 = 1 << 16;

impl Beacon {
    /// A beacon of 1 to 255 bytes that is hashed `2^iterations_exp` times, 10 to 63.
    ///
    /// # Errors
    /// [`Error::Beacon`].
    pub fn new(hash: Vec<u8>, iterations_exp: u8) -> Result<Self, Error> {
        if !(1..=255).contains(&hash.len()) || !(10..=63).contains(&iterations_exp) {
            return Err(Error::Beacon);
        }
        Ok(Self { hash, iterations_exp })
    }

    /// The public randomness.
    pub fn hash(&self) -> &[u8] {
        &self.hash
    }

    /// The binary logarithm of the number of hashes.
    pub fn iterations_exp(&self) -> u8 {
        self.iterations_exp
    }

    pub(crate) fn delay(&self, progress: &impl Progress) -> Zeroizing<[u8; 32]> {
        let hashes = 1_u64 << self.iterations_exp;
        progress.begin("hashing", hashes);
        let mut digest: [u8; 32] = Sha256::digest(&self.hash).into();
        for done in 1..hashes {
            digest = Sha256::digest(digest).into();
            if done % REPORT == 0 {
                progress.advance(REPORT);
            }
        }
        Zeroizing::new(digest)
    }
}
