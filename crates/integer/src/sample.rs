//! Uniform integers from the caller's randomness.

use rand_core::CryptoRng;
use zeroize::Zeroizing;

use super::{Integer, Order, SecretInteger};

/// A uniformly random integer in `[0, 2^bits)`.
pub fn random_bits(bits: u32, rng: &mut (impl CryptoRng + ?Sized)) -> SecretInteger {
    let mut bytes = Zeroizing::new(vec![0; bits.div_ceil(8) as usize]);
    rng.fill_bytes(&mut bytes);
    if let Some(top) = bytes.last_mut() {
        *top &= u8::MAX >> (8 * bits.div_ceil(8) - bits);
    }
    SecretInteger::new(Integer::from_digits(&bytes, Order::Lsf))
}

/// A uniformly random integer in `[0, bound)`, by rejection; 0 if there is none.
pub fn random_below(bound: &Integer, rng: &mut (impl CryptoRng + ?Sized)) -> SecretInteger {
    if *bound <= 0 {
        return SecretInteger::new(Integer::new());
    }
    loop {
        let candidate = random_bits(bound.significant_bits(), rng);
        if candidate.expose() < bound {
            return candidate;
        }
    }
}
