//! The verifier with a helper: group operations proportional to the number of proofs, and a single
//! evaluation of `s`.

use std::collections::HashMap;

use algebra::{Engine, Scalar, ScalarOf};
use rand_core::CryptoRng;

use super::{
    accumulator::{Base, Equation, Opening, check},
    advice::{Advice, Aggregate, Openings, Round},
    error::{Claim, Error},
    field::Point,
    key::VerifyingKey,
    system::GateSystem,
    verify::{Statement, equation},
};

/// Checks many proofs with a helper's advice on each and its aggregate.
///
/// # Errors
/// [`Error::False`] with the first claim that does not hold; [`Error::Inputs`], [`Error::Length`],
/// [`Error::Circuit`].
pub fn verify_helped<E: Engine>(
    key: &VerifyingKey<E>,
    system: &GateSystem<ScalarOf<E>>,
    statements: &[Statement<'_, E>],
    advice: &[Advice<E>],
    aggregate: &Aggregate<E>,
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<(), Error> {
    key.check_circuit(system)?;
    let mut round = Round::new(key, statements, advice)?;
    let (expected, got) = (statements.len(), aggregate.values.len());
    if expected != got {
        return Err(Error::Length { what: "values of the aggregate", expected, got });
    }
    let mut equations = proof_equations(system, &round);
    let u = round.u()?;
    let weights = round.weights(&aggregate.circuit, &aggregate.values)?;
    equations.push(signatures(&round, aggregate, &u, &weights).equation());
    let w = round.w()?;
    let at_w = (w, system.evaluate(&u, &w));
    let openings = circuit_openings(&mut round, aggregate, at_w)?;
    equations.extend(openings.iter().map(Opening::equation));
    check(&key.srs.bases(), &equations, rng)
}

/// Every proof with the helper's `s(z_j, y_j)`, and `S_j` opened to it.
fn proof_equations<E: Engine>(
    system: &GateSystem<ScalarOf<E>>,
    round: &Round<'_, E>,
) -> Vec<Equation<E>> {
    let shape = system.shape();
    let proofs = round.statements.iter().zip(round.advice).zip(&round.challenges);
    let equations = proofs.enumerate().flat_map(|(index, ((statement, advice), challenges))| {
        let k = system.constants(&challenges.y, statement.inputs);
        let proof = equation(shape, index, statement.proof, challenges, advice.value, k);
        let claim = Claim::Advice { index };
        let point = challenges.z.value;
        let s = opening(claim, advice.opening, point, advice.value, advice.commitment);
        [proof, s.equation()]
    });
    equations.collect()
}

/// All `S_j` opened at `u`.
fn signatures<E: Engine>(
    round: &Round<'_, E>,
    aggregate: &Aggregate<E>,
    u: &Point<ScalarOf<E>>,
    weights: &[ScalarOf<E>],
) -> Opening<E> {
    let commitments = weights.iter().zip(round.advice);
    let commitments = commitments.map(|(&weight, advice)| (weight, advice.commitment, Base::ONE));
    Opening {
        claim: Claim::Signatures,
        witness: aggregate.signatures,
        point: u.value,
        value: algebra::inner_product(weights, &aggregate.values),
        other: None,
        commitments: commitments.collect(),
    }
}

/// `C` opened at the `y_j` to the values, and at `w` to what it is.
fn circuit_openings<E: Engine>(
    round: &mut Round<'_, E>,
    aggregate: &Aggregate<E>,
    at_w: (Point<ScalarOf<E>>, ScalarOf<E>),
) -> Result<Vec<Opening<E>>, Error> {
    let ys = round.challenges.iter().map(|challenges| challenges.y);
    let values = ys.zip(aggregate.values.iter().copied());
    let circuit = aggregate.circuit;
    match &aggregate.openings {
        Openings::PerProof { at_y, at_w: opening_at_w } => {
            let (expected, got) = (aggregate.values.len(), at_y.len());
            if expected != got {
                return Err(Error::Length { what: "openings of the aggregate", expected, got });
            }
            let at_y = values.zip(at_y).enumerate().map(|(index, ((y, value), &witness))| {
                opening(Claim::Opening { index }, witness, y.value, value, circuit)
            });
            let (w, s) = at_w;
            let at_w = opening(Claim::Circuit, *opening_at_w, w.value, s, circuit);
            Ok(at_y.chain([at_w]).collect())
        }
        Openings::Batched { quotient, at_zeta } => {
            let values = distinct(values.chain([at_w]))?;
            let zeta = round.zeta(quotient)?;
            let (value, vanishing) = interpolate(&values, zeta.value)?;
            let mut opening = opening(Claim::Openings, *at_zeta, zeta.value, value, circuit);
            opening.other = Some((vanishing, *quotient));
            Ok(vec![opening])
        }
    }
}

fn opening<E: Engine>(
    claim: Claim,
    witness: E::G1,
    point: ScalarOf<E>,
    value: ScalarOf<E>,
    commitment: E::G1,
) -> Opening<E> {
    let commitments = vec![(ScalarOf::<E>::one(), commitment, Base::ONE)];
    Opening { claim, witness, point, value, other: None, commitments }
}

/// Points with their values, each once.
///
/// # Errors
/// [`Error::False`] if a point has two values.
fn distinct<S: Scalar>(values: impl Iterator<Item = (Point<S>, S)>) -> Result<Vec<(S, S)>, Error> {
    let mut seen = HashMap::new();
    let mut distinct = Vec::new();
    for (point, value) in values {
        match seen.insert(point.value.encode(), value) {
            None => distinct.push((point.value, value)),
            Some(other) if other == value => {}
            Some(_) => return Err(Error::False(Claim::Openings)),
        }
    }
    Ok(distinct)
}

/// `I(ζ)` and `Z(ζ)` for the polynomial `I` of these values and `Z = Π (Y − y_j)` over distinct
/// `y_j`: Lagrange's formula, quadratic in their number.
fn interpolate<S: Scalar>(values: &[(S, S)], zeta: S) -> Result<(S, S), Error> {
    let product = |factors: &mut dyn Iterator<Item = S>| {
        factors.fold(S::one(), |product, factor| product * factor)
    };
    let vanishing = product(&mut values.iter().map(|(y, _)| zeta - *y));
    // (ζ − y_i) · Π_{j ≠ i} (y_i − y_j).
    let denominator = |&(y, _): &(S, S)| {
        let differences = values.iter().map(|&(other, _)| y - other);
        (zeta - y) * product(&mut differences.filter(|difference| *difference != S::zero()))
    };
    let mut denominators: Vec<S> = values.iter().map(denominator).collect();
    S::batch_invert(&mut denominators);
    if vanishing == S::zero() {
        return Err(Error::Challenge);
    }
    let terms = values.iter().zip(&denominators);
    let sum: S = terms.map(|(&(_, value), &inverse)| value * inverse).sum();
    Ok((vanishing * sum, vanishing))
}
