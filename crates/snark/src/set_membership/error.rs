//! Why something was refused.

use thiserror::Error;

use wire::CheckName;

use super::kind::ElementKind;
use crate::groth16;

wire::check_names! {
    SM_1 = "SM-1",
    SM_2 = "SM-2",
    SM_3 = "SM-3",
    SM_4 = "SM-4",
    SM_5 = "SM-5",
    SM_6 = "SM-6",
    SM_7 = "SM-7",
    SM_8 = "SM-8",
}

/// Why a set, a key, a witness or a proof was refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// An element of a set is refused; none before it is.
    #[error("element {index}: {reason}")]
    Element {
        /// Its position, from 0.
        index: usize,
        /// Why.
        reason: Box<Error>,
    },
    /// The value is another element, too.
    #[error("it is in the set already")]
    Repeated,
    /// No candidate of a hashed value is prime, which has probability 2^−540.
    #[error("the value hashes to no prime")]
    NoPrime,
    /// The value is not a prime of the length that elements have.
    #[error("the value is not a prime of 252 bits")]
    NotPrime,
    /// That a hashed value is absent cannot be proven: a prover would take another index.
    #[error("absence is proven of sets of primes only")]
    HashedAbsence,
    /// The value is in the set, or has a factor that is.
    #[error("an element of the set divides the value")]
    Present,
    /// The witness is not of this value and accumulator.
    #[error("the witness is not of this value and accumulator")]
    Witness,
    /// The key is for elements of another kind.
    #[error("the key is for {key} elements, the accumulator of {accumulator} ones",
        key = .key.name(), accumulator = .accumulator.name())]
    Kind {
        /// The key's.
        key: ElementKind,
        /// The accumulator's.
        accumulator: ElementKind,
    },
    /// The proof is about elements of another kind.
    #[error("the proof is not about {key} elements, and the key is for them", key = .key.name())]
    ProofKind {
        /// The key's.
        key: ElementKind,
    },
    /// The key is not one of the circuit of these elements.
    #[error("public inputs of the key: {got}, of the circuit: {expected}")]
    KeyPublic {
        /// Public wires of the circuit.
        expected: usize,
        /// Public inputs of the key.
        got: usize,
    },
    /// Something is wrong with the key, or with the part of the proof about the circuit.
    #[error("the circuit's proof: {0}")]
    Groth16(#[from] groth16::Error),
    /// A response is outside its interval.
    #[error("response {response} is out of range")]
    ResponseRange {
        /// Which.
        response: &'static str,
    },
    /// The proof is of the other relation.
    #[error("the proof is one of {got}, and not of {expected}")]
    Relation {
        /// What is to be verified.
        expected: &'static str,
        /// What the proof is of.
        got: &'static str,
    },
    /// The equations modulo N do not hold.
    #[error("the integer equations do not hold for this accumulator")]
    IntegerEquations,
    /// The equations between commitments to values do not hold.
    #[error("the proof is not about this commitment")]
    ValueEquations,
}

impl Error {
    /// The check of `docs/spec/sets.md` that fails.
    pub(super) fn check(&self) -> CheckName {
        match self {
            Self::Element { .. } | Self::Repeated | Self::NoPrime | Self::NotPrime => SM_7,
            Self::HashedAbsence | Self::Kind { .. } | Self::Relation { .. } => SM_1,
            Self::KeyPublic { .. } => SM_2,
            Self::Groth16(groth16::Error::ProofPoint { .. } | groth16::Error::Invalid) => SM_3,
            Self::Groth16(_) => SM_2,
            Self::ResponseRange { .. } => SM_4,
            Self::ProofKind { .. } | Self::ValueEquations => SM_5,
            // Of a witness, a verifier sees nothing but that the equations do not hold.
            Self::IntegerEquations | Self::Present | Self::Witness => SM_6,
        }
    }
}
