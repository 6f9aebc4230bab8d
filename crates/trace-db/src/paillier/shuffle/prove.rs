//! The server that shuffles.

use algebra::{Group, Scalar};
use integer::{Integer, SecretInteger, random_bits};
use rand_core::CryptoRng;
use shuffle::tw::{CommittedPermutation, Generators};
use transcript::Transcript;
use zeroize::Zeroizing;

use super::{
    HIDDEN_BITS, RESPONSE_BITS, ROUNDS, Round, ShuffleProof, require_rows, rerandomizer_bits,
    round_challenges, statement,
};
use crate::paillier::{
    Ciphertexts, Context, PaillierError, PublicKey, error::require, exponent_proof::mask_rng,
    pack::scalar_of,
};

/// A list as it leaves a server, with the randomness that its proof needs.
pub struct ShuffledCiphertexts {
    /// The published list.
    pub list: Ciphertexts,
    /// `r_j` of every published ciphertext.
    randomness: Vec<SecretInteger>,
}

/// What a round hides its secrets behind. Erased when dropped, and used for one proof only.
pub(super) struct Masks<G: Group> {
    pub(super) challenges: Vec<SecretInteger>,
    opening: Zeroizing<G::Scalar>,
    rerandomizer: SecretInteger,
}

/// The secrets of the relation.
pub(super) struct Witness<G: Group> {
    /// `e'_j`.
    permuted: Zeroizing<Vec<u128>>,
    /// k.
    opening: Zeroizing<G::Scalar>,
    /// u.
    rerandomizer: SecretInteger,
}

/// Permutes and re-encrypts a list: `after_j = before_{π(j)}·E(0; r_j)`. Fast for a key with tables.
///
/// # Errors
/// [`PaillierError::Length`] unless the list has the permutation's length.
pub fn shuffle_ciphertexts<G: Group>(
    key: &PublicKey,
    committed: &CommittedPermutation<G>,
    before: &Ciphertexts,
    rng: &mut impl CryptoRng,
) -> Result<ShuffledCiphertexts, PaillierError> {
    let permutation = committed.permutation();
    require("list", permutation.len(), before.len())?;
    let moved = before.select(key, permutation.images());
    let (list, randomness) = key.rerandomize(&moved, rng);
    Ok(ShuffledCiphertexts { list, randomness })
}

/// Proves that a list was shuffled by the committed permutation.
///
/// # Errors
/// [`PaillierError::Length`], [`PaillierError::Rows`], [`PaillierError::Generators`].
pub fn prove_shuffle<G: Group>(
    key: &PublicKey,
    context: &Context<'_>,
    generators: &Generators<G>,
    committed: &CommittedPermutation<G>,
    before: &Ciphertexts,
    shuffled: &ShuffledCiphertexts,
    rng: &mut impl CryptoRng,
) -> Result<ShuffleProof<G>, PaillierError> {
    let n = committed.permutation().len();
    require_rows(n, generators)?;
    require("list before", n, before.len())?;
    require("list after", n, shuffled.list.len())?;
    let (transcript, e) = statement(key, context, committed.commitment(), before, &shuffled.list);
    let witness = Witness::new(committed, shuffled, &e);
    let mut masks = mask_rng(&transcript, &[&witness.rerandomizer], rng);
    loop {
        let proof = attempt(key, generators, &transcript, &shuffled.list, &witness, &mut masks);
        if let Some(proof) = proof {
            return Ok(proof);
        }
    }
}

impl<G: Group> Witness<G> {
    pub(super) fn new(
        committed: &CommittedPermutation<G>,
        shuffled: &ShuffledCiphertexts,
        e: &[u128],
    ) -> Self {
        let permuted = Zeroizing::new(committed.permutation().apply(e));
        let scalars: Vec<G::Scalar> = e.iter().copied().map(G::Scalar::from_u128).collect();
        let products = shuffled.randomness.iter().zip(permuted.iter());
        let products = products.map(|(r, &e)| SecretInteger::new(Integer::from(r.expose() * e)));
        let zero = SecretInteger::new(Integer::new());
        let rerandomizer = products.fold(zero, |sum, product| {
            SecretInteger::new(Integer::from(sum.expose() + product.expose()))
        });
        Self { permuted, opening: Zeroizing::new(committed.opening_at(&scalars)), rerandomizer }
    }
}

/// One attempt; `None` if a response would lie outside the range that hides its secret.
fn attempt<G: Group>(
    key: &PublicKey,
    generators: &Generators<G>,
    transcript: &Transcript,
    after: &Ciphertexts,
    witness: &Witness<G>,
    rng: &mut impl CryptoRng,
) -> Option<ShuffleProof<G>> {
    let masks: [Masks<G>; ROUNDS] = [(); ROUNDS].map(|()| Masks::draw(key, after.len(), rng));
    let mut rounds = masks.each_ref().map(|masks| masks.announce(key, generators, after));
    let challenges = round_challenges(&mut transcript.clone(), &rounds);
    for ((round, masks), c) in rounds.iter_mut().zip(&masks).zip(challenges) {
        masks.respond(c, witness, round);
    }
    rounds.iter().all(|round| hides(round, key)).then_some(ShuffleProof { rounds })
}

impl<G: Group> Masks<G> {
    pub(super) fn draw(key: &PublicKey, n: usize, rng: &mut impl CryptoRng) -> Self {
        Self {
            challenges: (0..n).map(|_| random_bits(RESPONSE_BITS, rng)).collect(),
            opening: Zeroizing::new(G::Scalar::random(rng)),
            rerandomizer: random_bits(rerandomizer_bits(key), rng),
        }
    }

    /// The announcements, with no responses yet.
    pub(super) fn announce(
        &self,
        key: &PublicKey,
        generators: &Generators<G>,
        after: &Ciphertexts,
    ) -> Round<G> {
        let n = self.challenges.len();
        let scalars: Vec<G::Scalar> =
            self.challenges.iter().map(|mask| scalar_of(mask.expose())).collect();
        let scalars = Zeroizing::new(scalars);
        let opened = G::msm(&scalars, generators.list(n));
        let exponents: Vec<&Integer> = self.challenges.iter().map(SecretInteger::expose).collect();
        let rerandomizer = key.mask(&self.rerandomizer);
        Round {
            opening: generators.blinding().add_mul(opened, &self.opening),
            announcement: after.product_of_powers(key, &exponents, &rerandomizer),
            challenges: Vec::new(),
            opening_response: G::Scalar::zero(),
            rerandomizer: Integer::new(),
        }
    }

    /// `z_j = ω_j + c·e'_j`.
    pub(super) fn responses(&self, c: u64, witness: &Witness<G>) -> Vec<Integer> {
        let pairs = self.challenges.iter().zip(witness.permuted.iter());
        let responses = pairs.map(|(mask, &secret)| {
            let hidden = SecretInteger::new(Integer::from(secret) * c);
            Integer::from(mask.expose() + hidden.expose())
        });
        responses.collect()
    }

    /// All responses: `z_j`, `z_k = ω_k + c·k` and `z_u = ω_u − c·u`.
    pub(super) fn respond(&self, c: u64, witness: &Witness<G>, round: &mut Round<G>) {
        round.challenges = self.responses(c, witness);
        round.opening_response = *self.opening + G::Scalar::from_u64(c) * *witness.opening;
        let hidden = SecretInteger::new(Integer::from(witness.rerandomizer.expose() * c));
        round.rerandomizer = Integer::from(self.rerandomizer.expose() - hidden.expose());
    }
}

/// Whether the round's responses lie where they are distributed alike for all secrets:
/// `z_j` in `[2^192, 2^232)`, and `z_u` in its range.
fn hides<G: Group>(round: &Round<G>, key: &PublicKey) -> bool {
    round.in_range(key) && round.challenges.iter().all(|z| z.significant_bits() > HIDDEN_BITS)
}
