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
//! 5. Commitments are correlations shifted to the witness; sums and products of them are local
//!    computations, on polynomials in the prover's hands (QuickSilver). One message proves all
//!    claims since the last check, whatever their number and their degree.
//!
//! 6. daBits, random bits that are committed over both fields, convert: a value over F_p and bits
//!    over F_2 are claimed to be the same number. The bits may themselves be computed.
//!
//! Security is against malicious parties, in sessions that are interactive: each challenge is drawn
//! by the verifier when everything that it checks is fixed. [`ParameterSet`] says what it rests on.
//! Whatever goes wrong, the global keys go with it, and the session has ended.
//!
//! Both parties' secrets are kept in constant time: field arithmetic, trees, the choices in base
//! OTs. The `unsafe` code is one call of the carry-less multiplication instruction.
//!
//! A prover shows that it knows the factors of 91, and not which they are:
//!
//! ```
//! use vole::{Fp, ParameterSet, Party, Prover, Verifier, VoleError};
//! # use rand_core::SeedableRng;
//! # let mut rngs = [1, 2].map(rand_chacha::ChaCha20Rng::seed_from_u64);
//! # let [prover_rng, verifier_rng] = &mut rngs;
//!
//! /// What both parties compute: x y = 91.
//! fn statement<S: Party>(party: &mut S, secret: [u64; 2]) -> Result<(), VoleError> {
//!     let x = party.commit::<Fp>(2, || secret.map(Fp::from).to_vec())?;
//!     let x: Vec<_> = x.iter().map(|x| party.term::<Fp>(x)).collect();
//!     let product = party.mul::<Fp>(&x[0], &x[1]);
//!     let claim = party.sub::<Fp>(&product, &party.constant::<Fp>(Fp::from(91)));
//!     party.assert_zero::<Fp>(claim)?;
//!     party.check()
//! }
//!
//! let (mut left, mut right) = wire::Channel::pair();
//! let set = ParameterSet::default();
//! std::thread::scope(|scope| {
//!     let prover = scope.spawn(move || {
//!         let mut prover = Prover::connect(&mut left, set, b"91 = x y", prover_rng)?;
//!         statement(&mut prover, [7, 13])
//!     });
//!     let mut verifier = Verifier::connect(&mut right, set, b"91 = x y", verifier_rng)?;
//!     statement(&mut verifier, [0, 0])?;
//!     prover.join().unwrap()
//! })?;
//! # Ok::<(), VoleError>(())
//! ```
//!
//! [`ProverVole`] and [`VerifierVole`] give the correlations themselves, for other protocols.
#![deny(unsafe_code)]

mod base_ot;
pub mod circuit;
mod convert;
mod digits;
mod error;
mod field;
mod fixed;
mod ggm;
mod hash;
mod hello;
mod kernel;
mod local;
mod lpn;
mod message;
mod params;
mod polynomial;
mod prg;
mod session;
mod softspoken;
mod transpose;
mod trees;
mod vole;

pub use convert::{
    Bits, Converter, Decomposition, Functional, MAX_WIDTH, SeedProof, Targets, buckets,
    conversion_demand,
};
pub use error::VoleError;
pub use field::{Field, Fp, Gf64};
pub use fixed::Fixed;
pub use params::{Generator, ParameterSet};
pub use polynomial::{Evaluation, Polynomial};
pub use session::{MAX_CLAIMS, MAX_DEGREE, Party, Prover, Setup, Verifier};
pub use vole::{
    Authenticated, MAX_BITS, MAX_FIELD, ProverCorrelations, ProverVole, VerifierCorrelations,
    VerifierVole,
};
