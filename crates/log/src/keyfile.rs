//! The key file of a party: the one kind for keepers, witnesses, voters' offices, trustees and servers.

use std::{io, path::Path};

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::{
    ChaCha20Poly1305, Key, KeyInit as _, Nonce,
    aead::{Aead as _, Payload},
};
use hkdf::Hkdf;
use rand_core::CryptoRng;
use sha2::Sha256;
use thiserror::Error;
use wire::{DecodeError, Encode as _, FileHeader, Reader};
use zeroize::Zeroizing;

use crate::Identity;

const PLAIN: FileHeader = FileHeader::new("partykey", 1);
const SEALED: FileHeader = FileHeader::new("partykey", 2);
const FILE_LIMIT: u64 = 1 << 10;

/// RFC 9106, section 4, the second recommendation: 64 MiB, three passes, four lanes.
const MEMORY: u32 = 64 << 10;
const PASSES: u32 = 3;
const LANES: u32 = 4;
/// What a file may ask for: opening somebody's file must not take all memory, or for ever.
const MOST_MEMORY: u32 = 1 << 20;
const MOST_PASSES: u32 = 16;
const MOST_LANES: u32 = 16;

/// Why a key file cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file system does not do what it was asked to.
    #[error(transparent)]
    File(#[from] io::Error),
    /// Not a key file.
    #[error("not a key file: {0}")]
    Malformed(#[from] DecodeError),
    /// The file is sealed, and no passphrase was given.
    #[error("the key file has a passphrase")]
    Sealed,
    /// The passphrase does not open the file, or somebody changed the file.
    #[error("the passphrase does not open the key file")]
    Passphrase,
}

/// A party's key: 32 bytes from the system's generator, from which its signing key is derived. Nothing
/// else is: what a party draws for a run comes from the system, and is erased when that ends. Erased when dropped.
pub struct PartyKey {
    seed: Zeroizing<[u8; 32]>,
}

impl PartyKey {
    /// Draws a key.
    pub fn generate(rng: &mut impl CryptoRng) -> Self {
        let mut seed = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *seed);
        Self { seed }
    }

    /// The signing key: the same of every file of these 32 bytes, whatever it is used for.
    #[expect(clippy::expect_used, reason = "32 bytes are less than HKDF can give")]
    pub fn identity(&self) -> Identity {
        let mut info = Vec::new();
        wire::put_bytes(&mut info, b"identity");
        let mut seed = Zeroizing::new([0; 32]);
        let hkdf = Hkdf::<Sha256>::new(Some(b"subrosa/party/v1"), &*self.seed);
        hkdf.expand(&info, &mut *seed).expect("32 bytes are not too many");
        Identity::from_seed(&seed)
    }

    /// Reads a key file that is not sealed.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        Self::load_with(path, || Err(KeyError::Sealed))
    }

    /// Reads a key file, and asks for the passphrase if it is sealed.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn load_with(
        path: &Path,
        passphrase: impl FnOnce() -> Result<Zeroizing<String>, KeyError>,
    ) -> Result<Self, KeyError> {
        let bytes = Zeroizing::new(wire::read_bounded(path, FILE_LIMIT)?);
        let mut reader = Reader::new(&bytes);
        match PLAIN.expect(&mut reader) {
            Ok(()) => {
                let seed = Zeroizing::new(reader.array()?);
                reader.finish()?;
                Ok(Self { seed })
            }
            Err(DecodeError::Version { got: 2, .. }) => {
                let mut reader = Reader::new(&bytes);
                let sealed = Sealed::read(&mut reader)?;
                sealed.open(&passphrase()?)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a new key file that only its owner may read.
    ///
    /// # Errors
    /// [`KeyError::File`], of the kind [`io::ErrorKind::AlreadyExists`] rather than overwrite a key.
    pub fn save(&self, path: &Path) -> Result<(), KeyError> {
        let mut bytes = Zeroizing::new(Vec::new());
        PLAIN.encode(&mut bytes);
        bytes.extend_from_slice(&*self.seed);
        Ok(wire::write_secret(path, &bytes)?)
    }

    /// Writes a new key file that a passphrase opens.
    ///
    /// # Errors
    /// As [`PartyKey::save`].
    pub fn save_sealed(
        &self,
        path: &Path,
        passphrase: &str,
        rng: &mut impl CryptoRng,
    ) -> Result<(), KeyError> {
        let mut salt = [0; 16];
        rng.fill_bytes(&mut salt);
        let sealed = Sealed { salt, cost: [MEMORY, PASSES, LANES], seed: Vec::new() };
        let cipher = sealed.cipher(passphrase)?;
        let payload = Payload { msg: &*self.seed, aad: &sealed.start() };
        // The key is new with every salt, and seals this one message.
        let seed = cipher.encrypt(&Nonce::default(), payload).map_err(|_| KeyError::Passphrase)?;
        let bytes = [sealed.start(), seed].concat();
        Ok(wire::write_secret(path, &bytes)?)
    }
}

/// A sealed key file.
struct Sealed {
    salt: [u8; 16],
    /// Argon2id: KiB of memory, passes, lanes.
    cost: [u32; 3],
    seed: Vec<u8>,
}

impl Sealed {
    fn read(reader: &mut Reader<'_>) -> Result<Self, KeyError> {
        SEALED.expect(reader)?;
        let salt = reader.array()?;
        let cost = [reader.u32()?, reader.u32()?, reader.u32()?];
        let seed = reader.array::<48>()?.to_vec();
        reader.finish()?;
        let [memory, passes, lanes] = cost;
        match memory <= MOST_MEMORY && passes <= MOST_PASSES && lanes <= MOST_LANES {
            true => Ok(Self { salt, cost, seed }),
            false => Err(DecodeError::invalid("key file", "opening it would cost too much").into()),
        }
    }

    /// What stands before the sealed seed, and is sealed with it.
    fn start(&self) -> Vec<u8> {
        let mut start = SEALED.to_bytes();
        start.extend_from_slice(&self.salt);
        self.cost.iter().for_each(|cost| cost.encode(&mut start));
        start
    }

    fn cipher(&self, passphrase: &str) -> Result<ChaCha20Poly1305, KeyError> {
        let invalid = |error: argon2::Error| DecodeError::invalid("key file", error);
        let [memory, passes, lanes] = self.cost;
        let params = Params::new(memory, passes, lanes, Some(32)).map_err(invalid)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let mut key = Zeroizing::new([0; 32]);
        let derived = argon2.hash_password_into(passphrase.as_bytes(), &self.salt, &mut *key);
        derived.map_err(invalid)?;
        Ok(ChaCha20Poly1305::new(&Key::from(*key)))
    }

    fn open(&self, passphrase: &str) -> Result<PartyKey, KeyError> {
        let payload = Payload { msg: &self.seed, aad: &self.start() };
        let seed = self.cipher(passphrase)?.decrypt(&Nonce::default(), payload);
        let seed = Zeroizing::new(seed.map_err(|_| KeyError::Passphrase)?);
        let seed = <[u8; 32]>::try_from(seed.as_slice()).map_err(|_| KeyError::Passphrase)?;
        Ok(PartyKey { seed: Zeroizing::new(seed) })
    }
}
