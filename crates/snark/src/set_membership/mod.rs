//! Set membership with RSA accumulators: cpSNARK-Set (Benarroch, Campanelli, Fiore, Gurkan, Kolonelos,
//! *Zero-Knowledge Proofs for Set Membership: Efficient, Succinct, Modular*, ePrint 2019/1255).
//!
//! A set of values becomes one element of a group of unknown order, `Acc = G_0^(Π e_i)`, where `e_i` is
//! the prime that stands for the i-th value. "The value in this commitment is in the set" takes
//!
//! 1. a Groth16 proof that the prime is the value's hash, both in a commitment D
//!    ([`CommittedProof`](crate::groth16::CommittedProof));
//! 2. an integer commitment to the prime;
//! 3. *root*: a hidden `W` has `W^e = Acc`; or *coprime*: the prime divides no element, hence is none;
//! 4. *modEq*: the integer is what D holds; and a link from D to the commitment to the value.
//!
//! The last three are one sigma protocol ([`Prover`]) with one challenge. What it costs does not depend
//! on the size of the set; the witness W does ([`ElementSet::witnesses`] makes all of them).
//!
//! ```no_run
//! use algebra::{Bls12381, Scalar};
//! use snark::groth16::insecure_dealer;
//! use snark::set_membership::*;
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//!
//! let parameters = Parameters::rsa_2048();
//! let values = [20, 30, 40].map(Value::from_u64);
//! let set = ElementSet::new(ElementKind::Hashed, &values)?;
//! let accumulator = set.accumulate(&parameters);
//! let witnesses = set.witnesses(&parameters);
//!
//! // For a test. Keys for others to rely on come from a ceremony for this circuit.
//! let system = ElementKind::Hashed.constraint_system();
//! let key = insecure_dealer::<Bls12381>(&system, &mut rng)?;
//! let prover = Prover::new(parameters.clone(), ElementKind::Hashed, key)?;
//!
//! let opening = Opening::random(values[1], &mut rng);
//! let proof = prover.prove_membership(&accumulator, &opening, &witnesses[1], &mut rng)?;
//!
//! let verifier = SetVerifier::new(parameters.clone(), prover.key().clone())?;
//! let commitment = opening.commitment(&parameters);
//! verifier.verify(Relation::Member, &accumulator, &commitment, &proof)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What differs from the published code
//! * The integer behind D is exact, in limbs: see [`params`]. The published parameters bound it by
//!   2^503, which is not enough for either relation.
//! * G and H are hashes. In the published code `H = G^a`, and whoever set it up knows a and can open commitments to
//!   anything.
//! * D's key has no secret of its own and comes from any ceremony of Groth16: LegoGroth16 with `η = δ`.
//! * The sigma protocol links D to the commitment. The published code has a subspace argument for this, with a
//!   reference string of its own and more pairings.
//! * Absence is proven of primes only. The prover chooses the index in a hash. For absence, an index other than the
//!   first would give another integer, which is in no set ([`Error::HashedAbsence`]).
//!
//! # Assumptions
//! Soundness: that of Groth16 over BLS12-381, strong RSA and low order modulo RSA-2048 (112 bits),
//! collision resistance of BLAKE2s cut to 251 bits, the Fiat-Shamir heuristic. Hiding: G, H and `G_0`
//! are random squares; that they generate the same subgroup is certain but for negligible probability if
//! N is a product of safe primes, and for RSA-2048 an assumption.
//!
//! # Constant time
//! Exponents modulo N are used in constant time. The circuit's witness is not, as in all of this crate.

mod accumulator;
mod circuit;
pub mod claims;
mod element;
mod encode;
mod error;
mod exponents;
mod group;
mod kind;
mod opening;
pub mod params;
mod proof;
#[cfg(feature = "prove")]
mod prove;
mod statement;
#[cfg(test)]
mod tests;
mod verify;

pub use accumulator::{AbsenceWitness, Accumulator, ElementSet, MembershipWitness};
pub use encode::SetFile;
pub use error::Error;
pub use exponents::Exponents;
pub use group::{Element, HiddenOrderGroup};
pub use kind::ElementKind;
pub use opening::Opening;
pub use params::{Curve, Parameters, Value};
pub use proof::SetProof;
#[cfg(feature = "prove")]
pub use prove::Prover;
pub use statement::{Relation, SetKey};
pub use verify::SetVerifier;
