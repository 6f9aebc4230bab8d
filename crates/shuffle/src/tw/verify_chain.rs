//! The verifier of a whole chain of mixers in one multi-scalar multiplication
//! (`docs/spec/shuffle.md#the-lists`).

use algebra::{Group, Scalar};
use transcript::{Transcript, TranscriptExt};

use super::{
    Direction, Generators, ListClaim, gathered::Gathered, verify_lists,
    verify_lists::ListChallenges,
};
use crate::{Column, ShuffleError};

const WEIGHTS_LABEL: &[u8] = b"subrosa/shuffle/tw/chain/v1";

/// Checks the list proofs of a chain, in which every mixer takes what the one before published.
///
/// The generators merge over all proofs, and the output of one mixer with the input of the next:
/// `m + 1 + 2·L·(m + 1)` points a row for m mixers. Every equation has its own weight, drawn after
/// *all* the proofs: with weights of each proof alone, errors of two mixers could cancel. A chain
/// without mixers states nothing, and holds.
///
/// # Errors
/// [`ShuffleError::Broken`] if a mixer's inputs are not its predecessor's outputs; otherwise as
/// [`verify_lists`](super::verify_lists()), for the first mixer whose proof fails.
pub fn verify_chain<G: Group>(
    claims: &[ListClaim<'_, G>],
    generators: &Generators<G>,
) -> Result<(), ShuffleError> {
    let links = claims.iter().zip(claims.iter().skip(1));
    if let Some((_, next)) = links.clone().find(|(claim, next)| !continues(claim, next)) {
        return Err(ShuffleError::Broken { mixer: next.statement.context.mixer });
    }
    let challenges: Vec<_> =
        claims.iter().map(|claim| claim.challenges(generators)).collect::<Result<_, _>>()?;
    let mut sum = MergedSum::new(generators, &challenges);
    for (claim, challenges) in claims.iter().zip(&challenges) {
        sum.add(claim, challenges);
    }
    if sum.finish().is_identity() {
        return Ok(());
    }
    claims.iter().try_for_each(|claim| verify_lists(claim, generators))
}

/// Whether `next` takes exactly the lists that `claim` published, under the same keys.
fn continues<G: Group>(claim: &ListClaim<'_, G>, next: &ListClaim<'_, G>) -> bool {
    let (passages, next) = (claim.statement.passages, next.statement.passages);
    let mut pairs = passages.iter().zip(next);
    passages.len() == next.len() && pairs.all(|(p, n)| p.key == n.key && p.after == n.before)
}

/// The weighted sum of all equations of all proofs, gathered list by list.
struct MergedSum<'a, G: Group> {
    generators: &'a Generators<G>,
    weights: Transcript,
    sum: G,
    lists: Gathered<G>,
    /// Coefficients of `H`, `H_1..H_n` and `G`.
    blinding: G::Scalar,
    list: Vec<G::Scalar>,
    basepoint: G::Scalar,
    /// The lists between the last mixer and the next, with the coefficients gathered so far.
    open: Vec<OpenColumn<'a, G>>,
}

struct OpenColumn<'a, G: Group> {
    column: &'a Column<G>,
    coefficients: [Vec<G::Scalar>; 2],
}

impl<'a, G: Group> MergedSum<'a, G> {
    fn new(generators: &'a Generators<G>, challenges: &[ListChallenges<G>]) -> Self {
        let mut weights = Transcript::new(WEIGHTS_LABEL);
        for proof in challenges {
            weights.absorb(b"proof", &proof.transcript.clone().challenge_wide(b"proof"));
        }
        let zero = G::Scalar::zero();
        let (list, open) = (Vec::new(), Vec::new());
        Self {
            generators,
            weights,
            sum: G::identity(),
            lists: Gathered::new(),
            blinding: zero,
            list,
            basepoint: zero,
            open,
        }
    }

    fn weight(&mut self) -> G::Scalar {
        G::Scalar::from_u128(self.weights.challenge_short(b"y"))
    }

    /// Adds the equations of one proof.
    fn add(&mut self, claim: &ListClaim<'a, G>, challenges: &ListChallenges<G>) {
        let (z, c) = (&claim.proof.responses, challenges.c);
        let e: Vec<G::Scalar> = challenges.e.iter().map(|&e| G::Scalar::from_u128(e)).collect();

        let y = self.weight();
        let commitment = scale(&e, y * c);
        self.lists.add(&commitment, claim.permutation.commitment().points());
        self.sum -= claim.proof.opening.mul(&y);
        self.blinding += y * z.opening;
        add_to(&mut self.list, &scale(&z.challenges, y));

        let mut open = std::mem::take(&mut self.open).into_iter();
        for ((passage, announced), &z_u) in
            claim.statement.passages.iter().zip(&claim.proof.columns).zip(&z.columns)
        {
            let y = [self.weight(), self.weight()];
            let [c1, c2] = y;
            self.basepoint -= c1 * z_u;
            self.sum -= passage.key.point().mul(&(c2 * z_u));
            announced.iter().zip(&y).for_each(|(point, y)| self.sum -= point.mul(y));

            let (input, output) = (y.map(|y| scale(&e, y * c)), y.map(|y| scale(&z.challenges, y)));
            let (before, after) = match claim.statement.direction {
                Direction::Forward => (input, output),
                Direction::Backward => (output, input),
            };
            let gathered = open.next();
            self.close(passage.before, before, gathered);
            self.open.push(OpenColumn { column: passage.after, coefficients: after });
        }
    }

    /// Multiplies out a list that no later mixer takes, with what its publisher gathered.
    fn close(
        &mut self,
        column: &Column<G>,
        mut coefficients: [Vec<G::Scalar>; 2],
        gathered: Option<OpenColumn<'a, G>>,
    ) {
        for (sum, more) in
            coefficients.iter_mut().zip(gathered.iter().flat_map(|g| &g.coefficients))
        {
            add_to(sum, more);
        }
        for (coefficients, component) in coefficients.iter().zip(column.components()) {
            self.lists.add(coefficients, component.points());
        }
    }

    fn finish(mut self) -> G {
        for OpenColumn { column, coefficients } in std::mem::take(&mut self.open) {
            self.close(column, coefficients, None);
        }
        self.lists.add(&self.list, self.generators.list(self.list.len()));
        let fixed = self.generators.blinding().mul(&self.blinding)
            + self.generators.basepoint().mul(&self.basepoint);
        self.sum + self.lists.finish() + fixed
    }
}

fn scale<S: Scalar>(scalars: &[S], factor: S) -> Vec<S> {
    scalars.iter().map(|&scalar| scalar * factor).collect()
}

/// Adds `more` entry by entry, growing `sum` where it is shorter.
fn add_to<S: Scalar>(sum: &mut Vec<S>, more: &[S]) {
    sum.resize(sum.len().max(more.len()), S::zero());
    sum.iter_mut().zip(more).for_each(|(sum, &more)| *sum += more);
}

#[cfg(test)]
mod tests {
    use algebra::{Group, Ristretto255 as G, Scalar};
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::{super::*, *};
    use crate::SecretKey;

    /// The fallback would hide a wrong coefficient behind a slow verification.
    #[test]
    fn the_merged_sum_of_an_honest_proof_is_neutral() {
        let mut rng = ChaCha20Rng::from_seed([5; 32]);
        let key = SecretKey::<G>::generate(&mut rng).public_key();
        let generators = Generators::<G>::derive(4);
        let context = PermutationContext { study: b"s", mix: b"m", mixer: 1 };
        let permutation = Permutation::random(4, &mut rng);
        let committed = CommittedPermutation::commit(permutation, &generators, &mut rng).unwrap();
        let proof = prove_permutation(&committed, &generators, &context, &mut rng).unwrap();
        let commitment = committed.commitment().clone();
        let permutation = verify_permutation(commitment, &proof, &generators, &context).unwrap();

        let randomness = <G as Group>::Scalar::random_many(4, &mut rng);
        let ciphertexts: Vec<_> =
            randomness.iter().map(|r| key.encrypt(&G::generator(), r)).collect();
        let before = Column::new(&ciphertexts);
        for direction in [Direction::Forward, Direction::Backward] {
            let shuffled = shuffle_column(&committed, direction, &key, &before, &mut rng).unwrap();
            let passages = [Passage { key, before: &before, after: &shuffled.column }];
            let list = ListContext { study: b"s", mix: b"m", purpose: b"p", mixer: 1, position: 1 };
            let statement = ListStatement { context: list, direction, passages: &passages };
            let masks = ListMasks::prepare(4, &generators, &mut rng).unwrap();
            let proof =
                prove_lists(&committed, &context, &statement, &[&shuffled], masks, &mut rng)
                    .unwrap();
            let claim = ListClaim { permutation: &permutation, statement, proof: &proof };
            let challenges = vec![claim.challenges(&generators).unwrap()];
            let mut sum = MergedSum::new(&generators, &challenges);
            sum.add(&claim, &challenges[0]);
            assert!(sum.finish().is_identity());
        }
    }
}
