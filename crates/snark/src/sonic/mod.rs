//! Sonic (Maller, Bowe, Kohlweiss, Meiklejohn, ePrint 2019/099): proofs under one reference string
//! for all circuits up to a size, which everybody may update.
//!
//! | module | paper | what it does |
//! |---|---|---|
//! | `system` | section 5 | the circuit as gates and linear constraints, `s(X, Y)` and `k(Y)` |
//! | `srs` | sections 4.2, 6.2 | the reference string, and commitments under it |
//! | `pieces` | | commitments to `r(X, 1)` and `t(X, y)` in pieces, and why they are sound |
//! | `prove`, `verify` | figure 2 | a proof; its verifier evaluates `s(z, y)` |
//! | `advice`, `verify_helped` | section 7 | a helper vouches for `s(z_j, y_j)` of many proofs |
//! | [`unhelped`] | "fully succinct" | proofs that are verified without the circuit |
//!
//! Differences from the paper: gates have no output variables of their own (see `system`), and
//! polynomials are committed to in pieces which are opened together (see `pieces`). This leaves a
//! prover multi-scalar multiplications of `7n` terms in all, `2n` of them with the witness's own
//! numbers, instead of `20n`. The
//! transcript begins with reference string, circuit and public inputs; and the helper opens `C` at
//! all points with two group elements ([`Mode::Batched`], after ePrint 2020/081), where the paper
//! has one for each proof ([`Mode::PerProof`]). That batched openings are sound for Laurent
//! polynomials under this reference string is the argument of ePrint 2020/081 carried over, without
//! a published proof.
//!
//! ```
//! use algebra::{Bls12381 as E, Scalar, ScalarOf};
//! use circuit::r1cs::{Constraint, R1csHeader};
//! use snark::sonic::*;
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//! # type S = ScalarOf<E>;
//!
//! // I know the factors of 21. Wires: the constant one, the product, two factors.
//! let header = R1csHeader { wires: 4, public_inputs: 1, private_inputs: 2, constraints: 1, ..Default::default() };
//! let one = S::one();
//! let constraint = Constraint { a: vec![(2, one)], b: vec![(3, one)], c: vec![(1, one)] };
//! let system = GateSystem::from_r1cs(&header, [constraint])?;
//!
//! // A reference string; a real one is the last file of a ceremony, and serves any circuit.
//! let shape = system.shape();
//! let srs = Srs::<E>::insecure_dealer(shape, shape.degree() as u64, &mut rng)?;
//! let key = VerifyingKey::new(&srs, &system)?;
//!
//! let witness = [1, 21, 3, 7].map(S::from_u64);
//! let inputs = [S::from_u64(21)];
//! let proofs = [prove(&srs, &system, &witness, &mut rng)?, prove(&srs, &system, &witness, &mut rng)?];
//! let statements = proofs.each_ref().map(|proof| Statement { inputs: &inputs, proof });
//!
//! // Everybody can check, on their own or with a helper who saves them the work on the circuit.
//! verify_batch(&key, &system, &statements, &mut rng)?;
//! let advice: Vec<_> = statements.iter().map(|s| advise(&srs, &system, *s)).collect::<Result<_, _>>()?;
//! let aggregate = aggregate(&srs, &system, &statements, &advice, Mode::Batched)?;
//! verify_helped(&key, &system, &statements, &advice, &aggregate, &mut rng)?;
//! # Ok::<(), Error>(())
//! ```
//!
//! # Constant time
//! The prover is variable time, its masks are used once.

mod accumulator;
mod advice;
mod encode;
mod error;
mod field;
mod gates;
mod key;
mod laurent;
mod pieces;
mod proof;
#[cfg(feature = "prove")]
mod prove;
mod srs;
mod system;
#[cfg(test)]
mod tests;
pub mod unhelped;
mod verify;
mod verify_helped;

pub use advice::{Advice, Aggregate, Mode, advise, aggregate};
pub use encode::MAX_PROOFS;
pub use error::{Claim, Error};
pub use key::VerifyingKey;
pub use proof::Proof;
#[cfg(feature = "prove")]
pub use prove::prove;
pub use srs::Srs;
pub use system::{BLINDERS, GateSystem, Shape};
pub use verify::{Statement, verify, verify_batch};
pub use verify_helped::verify_helped;
