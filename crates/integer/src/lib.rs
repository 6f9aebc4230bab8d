//! Integers modulo a composite that nobody can factor: in Rust, or with the feature `gmp` by GMP.
//!
//! [`Modulus`] computes modulo N or N². Its elements are [`Integer`]s from 0 to the modulus. Only decoding ensures that
//! an element is a unit. For public exponents use [`Modulus::pow`], [`FixedBase`] and [`Modulus::multi_exp`], which
//! take variable time. For long-term secrets, and for what a user computes alone, use [`Modulus::secure_pow`].
//! Randomness comes from the caller, never from a library.
//!
//! ```
//! use integer::{Integer, Modulus, random_bits};
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//!
//! let n = Modulus::new(Integer::from(1009 * 1013))?;
//! let square = n.squared();
//! // 1 + N has order N modulo N².
//! let base = Integer::from(n.value() + 1);
//! assert_eq!(square.pow(&base, &Integer::from(5)), Integer::from(n.value() * 5) + 1);
//!
//! let unit = square.hash_to_unit(b"docs", b"nobody knows its root");
//! let exponent = random_bits(128, &mut rng);
//! let power = square.secure_pow(&unit, &exponent);
//! assert_eq!(square.mul(&power, &square.pow(&unit, &(-exponent.expose().clone()))), 1);
//! # Ok::<(), integer::IntegerError>(())
//! ```
//!
//! | operation | multiplications modulo the modulus |
//! |---|---|
//! | [`Modulus::pow`], b bits | about 1.2·b, in Montgomery's form |
//! | [`FixedBase::pow`], b bits | b/8; 32·b once for the table |
//! | [`Modulus::multi_exp`], n bases, b bits | (b/w)·(n + 2^(w+1)) for the best window w |
//! | [`Modulus::batch_invert`], n elements | 3·n and one inversion |
#![forbid(unsafe_code)]

mod challenge;
mod fixed_base;
#[cfg(feature = "gmp")]
mod gmp;
mod modulus;
mod multi_exp;
mod prime;
#[cfg(not(feature = "gmp"))]
mod pure;
mod sample;
mod secret;

pub use fixed_base::FixedBase;
#[cfg(feature = "gmp")]
use gmp as backend;
pub use modulus::{IntegerError, Modulus};
pub use prime::safe_prime;
#[cfg(not(feature = "gmp"))]
use pure as backend;

use backend::{Complete, Ring, erase};
/// An integer of any size, how its digits lie in bytes, and what a test for primes says. Not erased
/// when dropped: secrets are [`SecretInteger`]s.
pub use backend::{Integer, IsPrime, Order};
pub use sample::{random_below, random_bits};
pub use secret::SecretInteger;
