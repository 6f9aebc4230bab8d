//! Everybody else.

use algebra::Group;
use integer::Integer;
use shuffle::tw::{Generators, VerifiedPermutation};
use transcript::TranscriptExt;

use super::{Round, ShuffleProof, require_rows, round_challenges, statement};
use crate::paillier::{
    Ciphertexts, Context, PaillierError, PublicKey, error::require, pack::scalar_of,
};

/// A shuffle with its proof, as a verifier holds them.
#[derive(Clone, Copy, Debug)]
pub struct ShuffleClaim<'a, G: Group> {
    /// Which server shuffled, when, and what for.
    pub context: Context<'a>,
    /// The permutation, already verified.
    pub permutation: &'a VerifiedPermutation<G>,
    /// The list that the server took.
    pub before: &'a Ciphertexts,
    /// The list that it published.
    pub after: &'a Ciphertexts,
    /// The proof.
    pub proof: &'a ShuffleProof<G>,
}

/// Checks a shuffle, both rounds at once with a random weight.
///
/// # Errors
/// [`PaillierError::ShuffleRange`], [`PaillierError::ShuffleOpening`] for (S0),
/// [`PaillierError::ShuffleComponent`] for (S1); [`PaillierError::Length`],
/// [`PaillierError::Rows`] and [`PaillierError::Generators`] refuse malformed input.
pub fn verify_shuffle<G: Group>(
    key: &PublicKey,
    generators: &Generators<G>,
    claim: &ShuffleClaim<'_, G>,
) -> Result<(), PaillierError> {
    let ShuffleClaim { context, permutation, before, after, proof } = claim;
    let (server, commitment) = (context.server, permutation.commitment());
    let n = commitment.len();
    require_rows(n, generators)?;
    require("list before", n, before.len())?;
    require("list after", n, after.len())?;
    for round in &proof.rounds {
        require("responses", n, round.challenges.len())?;
        if !round.in_range(key) {
            return Err(PaillierError::ShuffleRange { server });
        }
    }

    let (mut transcript, e) = statement(key, context, commitment, before, after);
    let [c_1, c_2] = round_challenges(&mut transcript, &proof.rounds);
    let mut responses = Vec::new();
    proof.rounds.iter().for_each(|round| round.put_responses(&mut responses));
    transcript.absorb(b"z", &responses);
    let weight = transcript.challenge_short(b"w");
    let merged = Merged::new(proof, [c_1, c_2], weight);

    if !merged.opening_holds(generators, &G::msm_short(&e, commitment.points())) {
        return Err(PaillierError::ShuffleOpening { server });
    }
    let before = before.product_of_short_powers(key, &e);
    match merged.failing_component(key, &before, after) {
        Some(component) => Err(PaillierError::ShuffleComponent { server, component }),
        None => Ok(()),
    }
}

/// The first round plus w times the second.
struct Merged<'a, G: Group> {
    rounds: &'a [Round<G>; 2],
    weight: Integer,
    /// `c_1 + w·c_2`
    challenge: Integer,
    /// `z_j`
    responses: Vec<Integer>,
}

impl<'a, G: Group> Merged<'a, G> {
    fn new(proof: &'a ShuffleProof<G>, [c_1, c_2]: [u64; 2], weight: u128) -> Self {
        let [first, second] = &proof.rounds;
        let weight = Integer::from(weight);
        let pairs = first.challenges.iter().zip(&second.challenges);
        Self {
            responses: pairs.map(|(z_1, z_2)| Integer::from(&weight * z_2) + z_1).collect(),
            challenge: Integer::from(&weight * c_2) + c_1,
            rounds: &proof.rounds,
            weight,
        }
    }

    /// (S0): `sum z_j·H_j + z_k·H = T_k + c·sum e_i·a_i`.
    fn opening_holds(&self, generators: &Generators<G>, opened: &G) -> bool {
        let [first, second] = self.rounds;
        let weight: G::Scalar = scalar_of(&self.weight);
        let responses: Vec<G::Scalar> = self.responses.iter().map(scalar_of).collect();
        let z_k = first.opening_response + weight * second.opening_response;
        let left = G::msm(&responses, generators.list(responses.len()));
        let left = generators.blinding().add_mul(left, &z_k);
        left == first.opening
            + second.opening.mul(&weight)
            + opened.mul(&scalar_of(&self.challenge))
    }

    /// (S1): `prod out_j^{z_j}·E(0; z_u) = T·(prod in_i^{e_i})^c`, up to the sign; the first
    /// component for which it does not hold, counted from 1.
    fn failing_component(
        &self,
        key: &PublicKey,
        before: &[Integer],
        after: &Ciphertexts,
    ) -> Option<usize> {
        let [first, second] = self.rounds;
        let cipher = key.cipher();
        let z_u = Integer::from(&self.weight * &second.rerandomizer) + &first.rerandomizer;
        let masks = key.public_encryption(&Integer::new(), &z_u);
        let responses: Vec<&Integer> = self.responses.iter().collect();
        let left = after.product_of_powers(key, &responses, &masks);
        let left = left.components().iter().map(|component| component.values());
        let announced =
            first.announcement.components().iter().zip(second.announcement.components());
        let mut rows = left.zip(announced).zip(before).enumerate();
        let failing = rows.find(|(_, ((left, (t_1, t_2)), before))| {
            let ([left], [t_1], [t_2]) = (left, t_1.values(), t_2.values()) else { return true };
            let right = cipher.mul(t_1, &cipher.pow(t_2, &self.weight));
            let right = cipher.mul(&right, &cipher.pow(before, &self.challenge));
            !cipher.equal_up_to_sign(left, &right)
        });
        failing.map(|(index, _)| index + 1)
    }
}
