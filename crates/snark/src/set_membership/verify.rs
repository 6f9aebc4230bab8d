//! Verifying.

use algebra::{Bls12381, Group as _, Scalar as _};
use integer::Integer;
use transcript::{Transcript, TranscriptExt};

use super::{
    Accumulator, ElementKind, Error, Parameters, Relation, SetKey, SetProof,
    encode::put_responses,
    exponents::Exponents,
    params::{Curve, Value},
    statement::Statement,
};
use crate::groth16::PreparedVerifyingKey;

impl SetKey {
    /// Checks the key. Whether it is the circuit's is for the verifier of its ceremony to know.
    ///
    /// # Errors
    /// [`Error::KeyPublic`]; those of [`CommittingKey::prepare`](crate::groth16::CommittingKey::prepare).
    pub fn prepare(&self) -> Result<PreparedVerifyingKey<Bls12381>, Error> {
        let (expected, got) = (self.kind.public(), self.key.bases().len().saturating_sub(1));
        match expected == got {
            true => Ok(self.key.prepare()?),
            false => Err(Error::KeyPublic { expected, got }),
        }
    }
}

/// Verifies proofs about elements of one kind.
pub struct SetVerifier {
    parameters: Parameters,
    key: SetKey,
    circuit: PreparedVerifyingKey<Bls12381>,
}

impl SetVerifier {
    /// With the key of a ceremony.
    ///
    /// # Errors
    /// Those of [`SetKey::prepare`].
    pub fn new(parameters: Parameters, key: SetKey) -> Result<Self, Error> {
        let circuit = key.prepare()?;
        Ok(Self { parameters, key, circuit })
    }

    /// Whether the value in the commitment is in the accumulator, or, with [`Relation::Absent`], is
    /// prime to everything in it. An accumulator is as good as who computed it: recompute that of a
    /// public set.
    ///
    /// # Errors
    /// [`Error`], naming what does not hold.
    pub fn verify(
        &self,
        relation: Relation,
        accumulator: &Accumulator,
        commitment: &Curve,
        proof: &SetProof,
    ) -> Result<(), Error> {
        let (parameters, key) = (&self.parameters, &self.key);
        self.check_shape(relation, accumulator, proof)?;
        proof.responses.check_ranges()?;
        self.circuit.verify_committed(&proof.circuit)?;

        equations_hold(&Statement { parameters, key, relation, accumulator, commitment }, proof)
    }

    /// Whether the proof has the parts of the relation and of the kind.
    fn check_shape(
        &self,
        relation: Relation,
        accumulator: &Accumulator,
        proof: &SetProof,
    ) -> Result<(), Error> {
        if self.key.kind != accumulator.kind {
            return Err(Error::Kind { key: self.key.kind, accumulator: accumulator.kind });
        }
        let responses = &proof.responses;
        if relation == Relation::Absent && self.key.kind == ElementKind::Hashed {
            return Err(Error::HashedAbsence);
        }
        if proof.relation != relation
            || responses.cofactor.is_some() != (relation == Relation::Absent)
        {
            let (expected, got) = (relation.name(), proof.relation.name());
            return Err(Error::Relation { expected, got });
        }
        match responses.value.is_some() == (self.key.kind == ElementKind::Hashed) {
            true => Ok(()),
            false => Err(Error::ProofKind { key: self.key.kind }),
        }
    }
}

/// The equations of the sigma protocol.
pub(super) fn equations_hold(statement: &Statement<'_>, proof: &SetProof) -> Result<(), Error> {
    let mut transcript = statement.transcript(&proof.circuit, &proof.commitments);
    let challenge = statement.challenge(&mut transcript, &proof.announcements, &proof.links);
    let c = Value::from_u128(challenge);
    let points = [proof.circuit.commitment, *statement.commitment].into_iter().zip(proof.links);
    let mut points = points.zip(statement.value_points(&proof.responses));
    if !points.all(|((point, link), response)| link + point.mul(&c) == response) {
        return Err(Error::ValueEquations);
    }
    let weights = weights(&mut transcript, &proof.responses);
    match integer_equations_hold(statement, proof, challenge, weights) {
        true => Ok(()),
        false => Err(Error::IntegerEquations),
    }
}

/// Weights of the second to the fourth equation, when everything in them is fixed.
fn weights(transcript: &mut Transcript, responses: &Exponents) -> [Integer; 3] {
    let mut encoded = Vec::new();
    put_responses(responses, &mut encoded);
    transcript.absorb(b"responses", &encoded);
    [(); 3].map(|()| Integer::from(transcript.challenge_short(b"weight")))
}

/// The four equations of [`prove`](super::prove) in one, the first as it is and the others to the power
/// of their weights: if one of them is false, its two sides differ by an element that, but for
/// probability 2^−128, has a small order.
fn integer_equations_hold(
    statement: &Statement<'_>,
    proof: &SetProof,
    challenge: u128,
    [w2, w3, w4]: [Integer; 3],
) -> bool {
    let c = Integer::from(challenge);
    let [c_e, c_w, c_r] = &proof.commitments;
    let [t1, t2, t3, t4] = &proof.announcements;
    let [g, h] = &statement.parameters.integer_bases;
    let responses = &proof.responses;
    let (s_e, [s_r, s_2, s_3]) = (responses.prime(), &responses.randomness);
    let [s_beta, s_delta] = &responses.products;
    let mut terms = vec![
        (t1, Integer::from(1)),
        (c_e, c.clone()),
        (c_r, Integer::from(&w2 * &c) - Integer::from(&w4 * &s_e)),
        (statement.target(), Integer::from(&w3 * &c)),
        (c_w, -Integer::from(&w3 * &s_e)),
        (g, Integer::from(&w4 * s_beta) - &s_e - Integer::from(&w2 * s_2)),
        (
            h,
            Integer::from(&w3 * s_beta) + Integer::from(&w4 * s_delta)
                - s_r
                - Integer::from(&w2 * s_3),
        ),
    ];
    if let Some(s_b) = &responses.cofactor {
        terms.push((&statement.accumulator.value, -Integer::from(&w3 * s_b)));
    }
    terms.extend([(t2, w2), (t3, w3), (t4, w4)]);
    statement.parameters.group.is_neutral(&terms)
}
