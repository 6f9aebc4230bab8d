//! Where a contribution's secrets come from.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use chacha20::ChaCha20Rng;
use clap::builder::{StringValueParser, TypedValueParser as _};
use getrandom::SysRng;
use rand_core::{Rng as _, SeedableRng as _, UnwrapErr};
use wire::Blake2b;
use zeroize::{Zeroize as _, Zeroizing};

use super::secrecy;
use crate::failure::Failure;

/// What a contributor adds to the randomness of the operating system.
#[derive(clap::Args)]
pub struct EntropyArgs {
    /// Text to mix into the secrets, of any length.
    #[arg(long, value_name = "TEXT", value_parser = StringValueParser::new().map(Zeroizing::new))]
    entropy: Option<Zeroizing<String>>,
    /// A file to mix into the secrets: dice rolls, noise, anything.
    #[arg(long, value_name = "FILE")]
    entropy_file: Option<PathBuf>,
}

/// 32 bytes from which everything of a contribution follows.
pub type Seed = Zeroizing<[u8; 32]>;

const SEED_DOMAIN: &[u8] = b"subrosa ceremony seed v1";
const RNG_DOMAIN: &[u8] = b"subrosa ceremony rng v1";

impl EntropyArgs {
    /// A seed from the operating system's randomness, the text and the file: as good as the best of
    /// them.
    pub fn seed(&self) -> Result<Seed, Failure> {
        secrecy::protect();
        let mut system = Zeroizing::new([0; 64]);
        UnwrapErr(SysRng).fill_bytes(system.as_mut());
        let mut hash = Blake2b::new();
        put(&mut hash, SEED_DOMAIN);
        put(&mut hash, system.as_ref());
        put(&mut hash, self.entropy.as_ref().map_or(&[], |text| text.as_bytes()));
        if let Some(path) = &self.entropy_file {
            let digest = digest(path).map_err(|error| Failure::file(path, error))?;
            put(&mut hash, digest.as_ref());
        }
        Ok(first_half(hash))
    }
}

/// The generator of a contribution's secrets: another for every challenge. It erases its state.
pub fn generator(seed: &Seed, challenge: &[u8; 64]) -> ChaCha20Rng {
    secrecy::protect();
    let mut hash = Blake2b::new();
    put(&mut hash, RNG_DOMAIN);
    put(&mut hash, seed.as_ref());
    put(&mut hash, challenge);
    let mut key = *first_half(hash);
    let rng = ChaCha20Rng::from_seed(key);
    key.zeroize();
    rng
}

/// A part of a hashed list: none can be taken for another.
fn put(hash: &mut Blake2b, bytes: &[u8]) {
    hash.update(&(bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

fn first_half(hash: Blake2b) -> Seed {
    let digest = Zeroizing::new(hash.finish());
    let mut seed = Zeroizing::new([0; 32]);
    seed.iter_mut().zip(digest.iter()).for_each(|(to, from)| *to = *from);
    seed
}

fn digest(path: &Path) -> io::Result<Zeroizing<[u8; 64]>> {
    let (mut file, mut hash) = (File::open(path)?, Blake2b::new());
    let mut buffer = Zeroizing::new(vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(Zeroizing::new(hash.finish())),
            // Reading fills the beginning of the buffer.
            read => hash.update(buffer.get(..read).unwrap_or_default()),
        }
    }
}
