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
//! 4. Correlations over F_2 and F_p from the trees' streams (SoftSpokenOT), checked: a prover who deviates is caught,
//!    except for guesses at the keys, which gain no more than they cost.
//!
//! 5. Commitments are correlations shifted to the witness; sums and products of them are local
//!    computations, on polynomials in the prover's hands (QuickSilver). One message proves all
//!    claims since the last check, whatever their number and their degree.
//!
//! 6. Conversions claim that a value over F_p and bits over F_2 are the same number. They use edaBits, random numbers
//!    that are committed over both fields, or daBits, random bits, which a local generator stretches. The bits may
//!    themselves be computed.
//!
//! Security is against malicious parties, in interactive sessions: the verifier draws each challenge when everything
//! that it checks is fixed. [`ParameterSet`] says what the security rests on. If anything goes wrong, the global keys
//! are erased and the session has ended.
//!
//! Two parties that meet often may make correlations in advance: a [`Stock`]. No correlation of it is used twice.
//!
//! Both parties' secrets are kept in constant time: field arithmetic, trees, the choices in base
//! OTs. The `unsafe` code is one call of the carry-less multiplication instruction.
//!
//! A statement is written once, for either party's [`Session`], with committed values of three types:
//! [`Bit`], [`Field`] (an integer modulo p) and [`Fixed<S, I, F>`](Fixed) (I integer and F fraction
//! bits). The prover knows a rectangle of area 91 whose sides are odd and below 16, and shows what
//! a fence along two of them costs, at a price that it keeps to itself:
//!
//! ```
//! use vole::{
//!     Bit, Field, Fixed, Fp, ParameterSet, Prover, Session, Verifier, VoleError,
//! };
//! # use rand_core::SeedableRng;
//! # let mut rngs = [1, 2].map(rand_chacha::ChaCha20Rng::seed_from_u64);
//! # let [prover_rng, verifier_rng] = &mut rngs;
//!
//! /// What both parties compute. The verifier's secrets are not read.
//! fn statement<S: Session>(
//!     session: &mut S,
//!     sides: [u64; 2],
//!     price: f64,
//! ) -> Result<f64, VoleError> {
//!     // Integers: x y = 91.
//!     let sides: Vec<Field<S>> =
//!         Field::commit(session, 2, || sides.map(Fp::from).to_vec())?;
//!     let area = Field::mul(session, &[[sides[0], sides[1]]])?[0];
//!     area.shift(session, -Fp::from(91)).assert_zero(session)?;
//!
//!     // Bits: four for each side, and the lowest one is set.
//!     let bits: Vec<Bit<S>> = Field::to_bits(session, 4, &sides)?;
//!     for lowest in [bits[0], bits[4]] {
//!         lowest.shift(session, true).assert_zero(session)?;
//!     }
//!
//!     // Fixed point, in units of 1/256: the price times the sides.
//!     let price: Vec<Fixed<S, 16, 8>> =
//!         Fixed::commit(session, 1, || vec![(price * 256.0) as i64])?;
//!     let length = (sides[0] + sides[1]).scale(Fp::from(256));
//!     let length = Fixed::from_field(session, &[length])?;
//!     let cost = Fixed::mul(session, &[[price[0], length[0]]])?;
//!     let cost = Fixed::reveal(session, &cost)?;
//!
//!     // One verdict for all of it, with which the verifier gets what is shown.
//!     let checked = session.check()?;
//!     Ok(cost.values(&checked)?[0] as f64 / 256.0)
//! }
//!
//! let (mut left, mut right) = wire::Channel::pair();
//! let set = ParameterSet::default();
//! let cost = std::thread::scope(|scope| {
//!     let prover = scope.spawn(move || {
//!         Prover::run(&mut left, set, b"fence", prover_rng, |prover| {
//!             statement(prover, [7, 13], 2.75)
//!         })
//!     });
//!     let cost = Verifier::run(&mut right, set, b"fence", verifier_rng, |verifier| {
//!         statement(verifier, [0, 0], 0.0)
//!     })?;
//!     prover.join().unwrap()?;
//!     Ok::<_, VoleError>(cost)
//! })?;
//! assert_eq!(cost, 55.0);
//! # Ok::<(), VoleError>(())
//! ```
//!
//! [`Session`] itself has polynomials of any degree ([`Session::mul`]) and linear functions of bits
//! ([`Session::decompose`]). [`ProverVole`] and [`VerifierVole`] give the correlations themselves,
//! for other protocols.
#![deny(unsafe_code)]

mod base_ot;
pub mod circuit;
mod committed;
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
mod stock;
mod transpose;
mod trees;
mod vole;

pub use committed::{Bit, Committed, Field};
pub use convert::{
    Bits, Converter, Decomposition, Functional, MAX_WIDTH, SeedProof, Sizes, Targets, buckets,
    conversion_demand,
};
pub use error::VoleError;
pub use field::{Authenticated, Fp, Gf64, MacField};
pub use fixed::{Fixed, RevealedFixed};
pub use hello::Meeting;
pub use params::{Generator, ParameterSet};
pub use polynomial::{Evaluation, Polynomial};
pub use session::{
    Checked, KEPT_BITS, KEPT_VALUES, MAX_CLAIMS, MAX_DEGREE, Prover, Revealed, Session, Setup,
    Soundness, Verifier,
};
pub use stock::{Keeper, MAX_STOCK_BITS, MAX_STOCK_VALUES, Position, Stock, StockRecord};
pub use vole::{
    MAX_BITS, MAX_FIELD, ProverCorrelations, ProverVole, VerifierCorrelations, VerifierVole,
};
