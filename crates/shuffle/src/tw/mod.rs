//! The Terelius-Wikström proof of shuffle, commitment-consistent (Wikström 2009; Terelius and
//! Wikström 2010), over any [`Group`](algebra::Group) without trusted setup.
//!
//! A mixer commits to its permutation once and proves that it is one ([`prove_permutation()`]); this
//! does not depend on any list. Then any number of lists pass through the committed permutation,
//! forwards or backwards, any number of columns at a time, each passage with one short proof
//! ([`prove_lists()`]). A verifier checks the commitment ([`verify_permutation()`]) and, holding the
//! [`VerifiedPermutation`] that only this check returns, the passages ([`verify_lists()`],
//! [`verify_chain()`]).
//!
//! Equations are named as in `docs/spec/shuffle.md`: (P1) to (P4) of the permutation proof, (L0) and
//! (L1) of the list proof; see [`Equation`](crate::Equation).

mod commitment;
mod gathered;
mod generators;
mod list_proof;
mod permutation;
mod permutation_proof;
#[cfg(feature = "prove")]
mod prove_lists;
#[cfg(feature = "prove")]
mod prove_permutation;
mod statement;
mod verify_chain;
mod verify_lists;
mod verify_permutation;

pub use commitment::CommittedPermutation;
pub use generators::Generators;
pub use list_proof::{ListProof, ListResponses};
pub use permutation::Permutation;
pub use permutation_proof::{Announcements, PermutationProof, Responses};
#[cfg(feature = "prove")]
pub use prove_lists::{ListMasks, ShuffledColumn, prove_lists, shuffle_column};
#[cfg(feature = "prove")]
pub use prove_permutation::prove_permutation;
pub use statement::{Direction, ListContext, ListStatement, Passage, PermutationContext};
pub use verify_chain::verify_chain;
pub use verify_lists::{ListClaim, verify_lists};
pub use verify_permutation::{VerifiedPermutation, verify_permutation};
