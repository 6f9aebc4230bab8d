//! Integers modulo a composite that nobody can factor, by GMP.
//!
//! [`Modulus`] computes modulo N or N²; its elements are [`Integer`]s from 0 to the modulus, and
//! only decoding vouches for units. Exponents of public values go through [`Modulus::pow`],
//! [`FixedBase`] and [`Modulus::multi_exp`], which take variable time; long-term secrets and what
//! a user does alone go through [`Modulus::secure_pow`]. Randomness comes from the caller, never
//! from GMP.
//!
//! ```
//! use algebra::integer::{Integer, Modulus, random_bits};
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
//! # Ok::<(), algebra::integer::IntegerError>(())
//! ```
//!
//! | operation | multiplications modulo the modulus |
//! |---|---|
//! | [`Modulus::pow`], b bits | about 1.2·b, in GMP's Montgomery form |
//! | [`FixedBase::pow`], b bits | b/8; 32·b once for the table |
//! | [`Modulus::multi_exp`], n bases, b bits | (b/w)·(n + 2^(w+1)) for the best window w |
//! | [`Modulus::batch_invert`], n elements | 3·n and one inversion |

mod challenge;
mod fixed_base;
mod modulus;
mod multi_exp;
mod prime;
mod sample;
mod secret;

pub use fixed_base::FixedBase;
pub use modulus::{IntegerError, Modulus};
pub use prime::safe_prime;
/// An integer of any size. Not erased when dropped: secrets are [`SecretInteger`]s.
pub use rug::Integer;
/// How digits lie in bytes, and what a test for primes says.
pub use rug::integer::{IsPrime, Order};
pub use sample::{random_below, random_bits};
pub use secret::SecretInteger;
