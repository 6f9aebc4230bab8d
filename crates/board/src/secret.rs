//! What a party keeps to itself.

use std::{io, path::Path};

use hkdf::Hkdf;
use rand_chacha::ChaCha20Rng;
use rand_core::{CryptoRng, SeedableRng};
use sha2::Sha256;
use wire::{Digest, Encode, FileHeader, Reader};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::Identity;

const HEADER: FileHeader = FileHeader { kind: "partykey", version: 1 };
const FILE_LIMIT: u64 = 1024;

/// A party's one secret: 32 bytes from the system's generator, from which its signing key and, for
/// every election, all its randomness is derived. A party that was killed computes the same
/// messages again. Erased when dropped; delete the file when the election is over.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct PartySecret {
    seed: [u8; 32],
}

impl PartySecret {
    /// Draws a secret.
    pub fn generate(rng: &mut impl CryptoRng) -> Self {
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        Self { seed }
    }

    /// Reads a key file.
    ///
    /// # Errors
    /// Those of the file system; [`io::ErrorKind::InvalidData`] if it is no key file.
    pub fn load(path: &Path) -> io::Result<Self> {
        let bytes = Zeroizing::new(wire::read_bounded(path, FILE_LIMIT)?);
        let mut reader = Reader::new(&bytes);
        HEADER
            .expect(&mut reader)
            .and_then(|()| reader.array())
            .and_then(|seed| reader.finish().map(|()| Self { seed }))
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// Writes a new key file that only its owner may read.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] rather than overwrite a key; others of the file system.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut bytes = Zeroizing::new(Vec::new());
        HEADER.encode(&mut bytes);
        bytes.extend_from_slice(&self.seed);
        wire::write_secret(path, &bytes)
    }

    /// The signing key.
    pub fn identity(&self) -> Identity {
        Identity::from_seed(&self.derive(&[b"identity"]))
    }

    /// The generator for one message: a function of the election, of what the message is, and of
    /// everything that the message depends on, so that no randomness serves two messages.
    pub fn rng(&self, election: &Digest, message: &str, state: &[u8]) -> ChaCha20Rng {
        let parts = [b"rng".as_slice(), election.as_bytes(), message.as_bytes(), state];
        ChaCha20Rng::from_seed(*self.derive(&parts))
    }

    #[expect(clippy::expect_used, reason = "32 bytes are less than HKDF can give")]
    fn derive(&self, parts: &[&[u8]]) -> Zeroizing<[u8; 32]> {
        let mut info = Vec::new();
        parts.iter().for_each(|part| wire::put_bytes(&mut info, part));
        let mut output = Zeroizing::new([0; 32]);
        let hkdf = Hkdf::<Sha256>::new(Some(b"subrosa/party/v1"), &self.seed);
        hkdf.expand(&info, output.as_mut()).expect("32 bytes are not too many");
        output
    }
}
