//! GM17 (Groth, Maller, *Snarky Signatures*, ePrint 2017/540): proofs of three points that nobody can turn into other
//! proofs. Somebody who has seen proofs, also of false statements, still cannot prove anything without a witness, and
//! cannot even make a second proof of the same statement (simulation extractability).
//!
//! A circuit is a square arithmetic program ([`SquareProgram`]): rows `a(z)² = c(z)` of its wires
//! `z`. With Lagrange's polynomials over the rows' domain, the rows hold if `a(X)² − c(X)` is
//! divisible by the domain's `Z(X)`. A [`ProvingKey`] has these polynomials at a secret `t`, blinded
//! by secrets `α`, `β`, `γ`.
//!
//! * [`prove()`]: `A = [γ(a(t) + ρZ(t))]₁`, `B` the same in G2, and a `C` that makes the equation true.
//! * [`verify()`]: `e(A + [α]₁, B + [β]₂) = e([α]₁, [β]₂) · e(ψ, [γ]₂) · e(C, [1]₂)` and
//!   `e(A, [γ]₂) = e([γ]₁, B)`, in one product of four pairings.
//!
//! Keys with `γ = ±1` are refused, and so are neutral points: under these, everything has a proof. A
//! prover verifies its proof before it hands it out.
//!
//! A constraint is two rows, so a proof takes about twice the time of one of Groth16. There is no
//! ceremony for these keys yet: [`insecure_dealer`] makes them.
//!
//! ```
//! use algebra::{Bls12381 as E, Scalar, ScalarOf};
//! use circuit::r1cs::{Constraint, R1csHeader};
//! use snark::gm17::*;
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//! # type S = ScalarOf<E>;
//!
//! // I know the factors of 21. Wires: the constant one, the product, two factors.
//! let header = R1csHeader { wires: 4, public_inputs: 1, private_inputs: 2, constraints: 1, ..Default::default() };
//! let one = S::one();
//! let constraint = Constraint { a: vec![(2, one)], b: vec![(3, one)], c: vec![(1, one)] };
//! let program = SquareProgram::from_r1cs(&header, [constraint])?;
//! let key = insecure_dealer::<E>(&program, &mut rng)?;
//!
//! let proof = prove(&key, &program, &[1, 21, 3, 7].map(S::from_u64), &mut rng)?;
//! let check = |product| {
//!     let statement = Statement { inputs: &[S::from_u64(product)], proof: &proof };
//!     verify(key.verifying_key(), statement, &mut rand_chacha::ChaCha20Rng::from_seed([8; 32]))
//! };
//! assert!(check(21).is_ok());
//! assert!(check(22).is_err());
//! # Ok::<(), Error>(())
//! ```

#[cfg(feature = "prove")]
mod dealer;
mod encode;
mod error;
mod key;
#[cfg(feature = "prove")]
mod prove;
mod sap;
#[cfg(test)]
mod tests;
mod verify;

#[cfg(feature = "prove")]
pub use dealer::insecure_dealer;
pub use error::Error;
pub use key::{Proof, ProvingKey, VerifyingKey};
#[cfg(feature = "prove")]
pub use prove::prove;
pub use sap::SquareProgram;
pub use verify::{Statement, verify, verify_batch};
