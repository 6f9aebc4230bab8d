//! What is proven, and the equations that it comes down to.

use algebra::{Bls12381, Group as _};
use transcript::{Transcript, TranscriptExt};
use wire::Encode as _;

use super::{
    Accumulator, ElementKind, Parameters,
    exponents::Exponents,
    group::Element,
    params::{Curve, Value, value_of},
};
use crate::groth16::{CommittedProof, CommittingKey};

const LABEL: &[u8] = b"subrosa/snark/set-membership/v1";

/// A key for proofs about elements of one kind: that of the kind's circuit, from a ceremony.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetKey {
    /// The kind.
    pub kind: ElementKind,
    /// The circuit's verification key.
    pub key: CommittingKey<Bls12381>,
}

/// What a proof says of the value in a commitment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// It is in the accumulator.
    Member,
    /// It is prime to everything in the accumulator.
    Absent,
}

impl Relation {
    /// The name that files, transcripts and people use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Member => "membership",
            Self::Absent => "absence",
        }
    }
}

/// "The value in this commitment is in this accumulator", or is not.
pub(super) struct Statement<'a> {
    pub parameters: &'a Parameters,
    pub key: &'a SetKey,
    pub relation: Relation,
    pub accumulator: &'a Accumulator,
    pub commitment: &'a Curve,
}

/// C_e, the commitment to the prime; C_W, the hidden witness; C_r, the commitment to what hides it.
pub(super) type Commitments = [Element; 3];

impl<'a> Statement<'a> {
    /// What `C_W^e · H^(−β)` (and a power of the accumulator, for absence) must give.
    pub fn target(&self) -> &'a Element {
        match self.relation {
            Relation::Member => &self.accumulator.value,
            Relation::Absent => &self.parameters.start,
        }
    }

    /// A transcript with the statement and the prover's commitments.
    pub fn transcript(
        &self,
        circuit: &CommittedProof<Bls12381>,
        commitments: &Commitments,
    ) -> Transcript {
        let Self { parameters, key, relation, accumulator, commitment } = self;
        let mut transcript = Transcript::new(LABEL);
        parameters.absorb(&mut transcript);
        transcript.absorb(b"relation", relation.name().as_bytes());
        transcript.absorb(b"key", &key.to_bytes());
        transcript.absorb(b"elements", accumulator.kind.name().as_bytes());
        transcript.absorb(b"Acc", &parameters.group.encode(&accumulator.value));
        transcript.absorb(b"c", &commitment.encode());
        transcript.absorb(b"circuit", &circuit.to_bytes());
        for commitment in commitments {
            transcript.absorb(b"C", &parameters.group.encode(commitment));
        }
        transcript
    }

    /// The challenge, after the announcements.
    pub fn challenge(
        &self,
        transcript: &mut Transcript,
        announcements: &[Element; 4],
        links: &[Curve; 2],
    ) -> u128 {
        for announcement in announcements {
            transcript.absorb(b"T", &self.parameters.group.encode(announcement));
        }
        transcript.absorb(b"links", &Curve::encode_all(links));
        transcript.challenge_short(b"c")
    }

    /// What exponents make of the bases of D, and of g and h.
    pub fn value_points(&self, exponents: &Exponents) -> [Curve; 2] {
        let mut circuit: Vec<Value> = exponents.limbs.iter().map(value_of).collect();
        circuit.extend(exponents.value);
        circuit.push(exponents.blinding);
        // A value that is not hashed is the prime.
        let value = exponents.value.unwrap_or_else(|| value_of(&exponents.prime()));
        let value = [value, exponents.value_randomness];
        [
            Curve::msm(&circuit, &self.key.key.bases()),
            Curve::msm(&value, &self.parameters.value_bases),
        ]
    }
}
