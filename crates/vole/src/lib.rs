//! Zero knowledge between a prover and one verifier, from vector oblivious linear evaluation (VOLE).
//!
//! The verifier holds two global keys, Δ in F_{2^64} and Δ in F_p, p = 2^61 - 1. A *correlation* is
//! a random value x and a MAC m in the prover's hands and a key k in the verifier's, with
//! `m = k + x Δ`: the prover is bound to x, about which the verifier learns nothing.
//!
//! 1. The parties greet each other: the session's name depends on both parties' nonces, on the
//!    parameter set and on what the run is about, and everything derived depends on that name.
//! 2. 189 base OTs (Masny-Rindal, on ristretto255) whose choices are the bits of the global keys.
//! 3. 24 punctured trees (Goldreich-Goldwasser-Micali, AES), one for each digit of the keys.
//! 4. Correlations over F_2 and F_p from the trees' streams (SoftSpokenOT), checked: a prover who
//!    deviates is caught, up to guesses at the keys that cost what they gain.
//!
//! Security is against malicious parties, in sessions that are interactive: each challenge is drawn
//! by the verifier when everything that it checks is fixed. [`ParameterSet`] says what it rests on.
//! Whatever goes wrong, the keys go with it: [`ProverVole::extend`] and [`VerifierVole::extend`]
//! give them back on success only.
//!
//! Both parties' secrets are kept in constant time: field arithmetic, trees, the choices in base
//! OTs. The `unsafe` code is one call of the carry-less multiplication instruction.
//!
//! ```
//! use vole::{Gf64, ParameterSet, ProverVole, VerifierVole};
//! # use rand_core::SeedableRng;
//! # let mut rngs = [1, 2].map(rand_chacha::ChaCha20Rng::seed_from_u64);
//! # let [prover_rng, verifier_rng] = &mut rngs;
//!
//! let (mut left, mut right) = wire::Channel::pair();
//! let set = ParameterSet::NoLpn;
//! std::thread::scope(|scope| {
//!     let prover = scope.spawn(move || {
//!         let vole = ProverVole::connect(&mut left, set, b"example", prover_rng)?;
//!         vole.extend(1_000, 10, &mut left)
//!     });
//!     let vole = VerifierVole::connect(&mut right, set, b"example", verifier_rng).unwrap();
//!     let (vole, keys) = vole.extend(1_000, 10, &mut right, verifier_rng).unwrap();
//!     let (_, made) = prover.join().unwrap().unwrap();
//!
//!     let x = Gf64::from(u64::from(made.bits[7]));
//!     assert!(made.bit_macs[7] == keys.bit_keys[7] + x * vole.bit_delta());
//!     assert!(made.value_macs[7] == keys.value_keys[7] + made.values[7] * vole.field_delta());
//! });
//! ```
#![deny(unsafe_code)]

mod base_ot;
mod digits;
mod error;
mod field;
mod ggm;
mod hash;
mod hello;
mod kernel;
mod message;
mod params;
mod prg;
mod softspoken;
mod transpose;
mod trees;
mod vole;

pub use error::VoleError;
pub use field::{Fp, Gf64};
pub use params::ParameterSet;
pub use vole::{
    MAX_BITS, MAX_FIELD, ProverCorrelations, ProverVole, VerifierCorrelations, VerifierVole,
};
