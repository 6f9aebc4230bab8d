//! Proofs.

use algebra::Bls12381;

use super::{
    Relation, exponents::Exponents, group::Element, params::Curve, statement::Commitments,
};
use crate::groth16::CommittedProof;

/// A proof that a committed value is in an accumulator, or that it is not.
///
/// All fields are public to be looked at; [`SetVerifier`](super::SetVerifier) trusts none of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetProof {
    /// What it says.
    pub relation: Relation,
    /// D and the proof that it holds the limbs of a prime (and what hashes to it).
    pub circuit: CommittedProof<Bls12381>,
    /// `C_e = G^e H^r`, `C_W = W H^(r_2)`, `C_r = G^(r_2) H^(r_3)`.
    pub commitments: Commitments,
    /// The announcements of the four integer equations.
    pub announcements: [Element; 4],
    /// Those for D and for the commitment to the value.
    pub links: [Curve; 2],
    /// The responses.
    pub responses: Exponents,
}
