//! Randomness that does not repeat.

use hkdf::Hkdf;
use rand_chacha::ChaCha20Rng;
use rand_core::{CryptoRng, SeedableRng};
use sha2::Sha256;
use wire::Digest;
use zeroize::Zeroizing;

/// A generator for one purpose and one statement: HKDF-SHA-256 of the server's secret, both, and
/// 32 bytes of the system's randomness.
///
/// Re-encryption randomness, a proof mask or a blinding that serves two statements gives the
/// server's permutation, or a count, away. With this, a restored snapshot or a stuck system
/// generator repeats a generator only together with the whole statement.
pub fn hedged(
    secret: &[u8; 32],
    purpose: &str,
    statement: &Digest,
    rng: &mut impl CryptoRng,
) -> ChaCha20Rng {
    let mut drawn = Zeroizing::new([0; 32]);
    rng.fill_bytes(&mut *drawn);
    derive(secret, purpose, statement, Some(&drawn))
}

/// A generator that the server can derive again after a restart: for its keys, its part of the key
/// generation and its permutation, which are bound to one statement for ever.
pub fn repeatable(secret: &[u8; 32], purpose: &str, statement: &Digest) -> ChaCha20Rng {
    derive(secret, purpose, statement, None)
}

/// A generator for one step of a pass: as [`hedged`], with randomness that the server's journal keeps, so
/// that a restarted server says the same again, and one whose journal is lost never does.
pub fn kept(secret: &[u8; 32], purpose: &str, statement: &Digest, drawn: &[u8; 32]) -> ChaCha20Rng {
    derive(secret, purpose, statement, Some(drawn))
}

#[expect(clippy::expect_used, reason = "32 bytes are less than HKDF can give")]
fn derive(
    secret: &[u8; 32],
    purpose: &str,
    statement: &Digest,
    salt: Option<&[u8; 32]>,
) -> ChaCha20Rng {
    let mut seed = Zeroizing::new([0; 32]);
    let info: [&[u8]; 3] = [b"subrosa/trace/", purpose.as_bytes(), statement.as_bytes()];
    let kdf = Hkdf::<Sha256>::new(salt.map(<[u8; 32]>::as_slice), secret);
    kdf.expand_multi_info(&info, &mut *seed).expect("32 bytes are not too many");
    ChaCha20Rng::from_seed(*seed)
}
