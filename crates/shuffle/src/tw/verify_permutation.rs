//! The verifier of the permutation proof (TW-7 to TW-10 of `docs/spec/shuffle.md`).

use algebra::{Group, Scalar, inner_product};
use transcript::TranscriptExt;

use super::{Generators, PermutationContext, PermutationProof, gathered::Gathered, statement};
use crate::{Equation, PointList, ShuffleError};

/// A commitment that is known to commit to a permutation. Only [`verify_permutation`] makes one,
/// and list proofs are only checked against one: about a commitment to anything else they prove
/// nothing (`docs/spec/shuffle.md#the-lists`).
///
/// Everybody may read it:
/// ```
/// # use algebra::Group;
/// # use shuffle::{PointList, tw::VerifiedPermutation};
/// fn read<G: Group>(verified: &VerifiedPermutation<G>) -> &PointList<G> {
///     verified.commitment()
/// }
/// ```
/// and nobody else makes one:
/// ```compile_fail,E0451
/// # use algebra::Group;
/// # use shuffle::{PointList, tw::VerifiedPermutation};
/// fn make<G: Group>(commitment: PointList<G>) -> VerifiedPermutation<G> {
///     VerifiedPermutation { commitment, digest: [0; 64] }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedPermutation<G: Group> {
    commitment: PointList<G>,
    digest: [u8; 64],
}

impl<G: Group> VerifiedPermutation<G> {
    /// `a_1..a_n`.
    pub fn commitment(&self) -> &PointList<G> {
        &self.commitment
    }

    /// The digest of the statement that was verified.
    pub(super) fn digest(&self) -> &[u8; 64] {
        &self.digest
    }
}

/// The public values that the equations of one proof share.
struct Equations<'a, G: Group> {
    commitment: &'a [G],
    generators: &'a Generators<G>,
    proof: &'a PermutationProof<G>,
    /// `e_1..e_n`
    challenges: Vec<G::Scalar>,
    /// `prod e_i`
    product: G::Scalar,
    c: G::Scalar,
}

/// Checks that `commitment` commits to a permutation, as one multi-scalar multiplication.
///
/// # Errors
/// [`ShuffleError::Equation`] names the equation that fails, and the index for those that are per
/// index; [`ShuffleError::Length`], [`ShuffleError::Empty`] and [`ShuffleError::Generators`] refuse
/// malformed input.
pub fn verify_permutation<G: Group>(
    commitment: PointList<G>,
    proof: &PermutationProof<G>,
    generators: &Generators<G>,
    context: &PermutationContext<'_>,
) -> Result<VerifiedPermutation<G>, ShuffleError> {
    let n = commitment.len();
    generators.require(n)?;
    proof.require_length(n)?;

    let mut transcript = statement::permutation_transcript(context, &commitment);
    let digest = statement::permutation_digest(&transcript);
    let challenges = statement::challenge_vector::<G>(&mut transcript, n);
    transcript.absorb(b"B", proof.bridging.encoding());
    proof.announcements.absorb(&mut transcript);
    let c = statement::challenge_scalar::<G>(&mut transcript);
    proof.responses.absorb(&mut transcript);
    let weights = transcript.challenge_shorts(b"y", n + 2);

    let product = challenges.iter().fold(G::Scalar::one(), |product, &e| product * e);
    let points = commitment.points();
    let equations = Equations { commitment: points, generators, proof, challenges, product, c };
    if equations.merged(&weights).is_identity() {
        return Ok(VerifiedPermutation { commitment, digest });
    }
    Err(ShuffleError::Equation { mixer: context.mixer, equation: equations.first_failing() })
}

impl<G: Group> Equations<'_, G> {
    /// The sum of (P1) times y_t, (P2), row i of (P3) times y_i, and (P4) times y_w: neutral if all of them hold.
    fn merged(&self, weights: &[u128]) -> G {
        let (bridging_weights, last) = weights.split_at(self.commitment.len());
        let y: Vec<G::Scalar> = bridging_weights.iter().map(|&y| G::Scalar::from_u128(y)).collect();
        // There are n + 2 weights. Anything but the neutral element is a refusal.
        let &[y_t, y_w] = last else { return G::generator() };
        let (y_t, y_w) = (G::Scalar::from_u128(y_t), G::Scalar::from_u128(y_w));
        let (c, z) = (self.c, &self.proof.responses);
        let zero = G::Scalar::zero();

        // The coefficients of a_i, H_i, B_i, G and H in this sum.
        let a = self.challenges.iter().map(|&e| c * (y_t + e)).collect::<Vec<_>>();
        let h_i = z.challenges.iter().map(|&z_e| z_e - c * y_t).collect::<Vec<_>>();
        // B_i stands in its own row and, as the base of z_e, in the next.
        let next = y.iter().zip(&z.challenges).skip(1).map(|(&y, &z_e)| y * z_e).chain([c * y_w]);
        let b = y.iter().zip(next).map(|(&y, next)| c * y + next).collect::<Vec<_>>();
        let first = y.first().zip(z.challenges.first()).map_or(zero, |(&y, &z_e)| y * z_e);
        let g = first - c * y_w * self.product;
        let h = y_t * z.row_sums + z.opening + inner_product(&y, &z.bridging) + y_w * z.product;

        let t = &self.proof.announcements;
        let mut sum = Gathered::new();
        sum.add(&a, self.commitment);
        sum.add(&h_i, self.generators.list(self.commitment.len()));
        sum.add(&b, self.proof.bridging.points());
        sum.finish() + self.generators.basepoint().mul(&g) + self.generators.blinding().mul(&h)
            - G::msm_short(bridging_weights, t.bridging.points())
            - t.row_sums.mul(&y_t)
            - t.opening
            - t.product.mul(&y_w)
    }

    /// Evaluates the equations one by one, to say which is wrong.
    fn first_failing(&self) -> Equation {
        let (z, t) = (&self.proof.responses, &self.proof.announcements);
        let (h, list) = (self.generators.blinding(), self.generators.list(self.commitment.len()));
        let sum = |points: &[G]| points.iter().copied().sum::<G>();

        let row_sums = (sum(self.commitment) - sum(list)).mul(&self.c);
        if t.row_sums != h.add_mul(row_sums, &z.row_sums) {
            return Equation::RowSums;
        }
        let opening = G::msm(&self.challenges, self.commitment).mul(&self.c);
        if t.opening != h.add_mul(opening, &z.opening) + G::msm(&z.challenges, list) {
            return Equation::Opening;
        }
        if let Some(index) = self.failing_row() {
            return Equation::Bridging { index };
        }
        // The sum was not neutral, so one equation is false, and this is the only one left.
        Equation::Product
    }

    /// The first i with `T_B_i ≠ c·B_i + z_s_i·H + z_e_i·B_{i−1}`, counted from 0.
    fn failing_row(&self) -> Option<usize> {
        let (z, t) = (&self.proof.responses, &self.proof.announcements);
        let (basepoint, list) = ([G::generator()], self.proof.bridging.points());
        let previous = basepoint.iter().chain(list);
        let rows = t.bridging.points().iter().zip(list).zip(previous);
        let mut rows = rows.zip(z.bridging.iter().zip(&z.challenges));
        rows.position(|(((announced, b), previous), (z_s, z_e))| {
            let expected = b.mul(&self.c) + previous.mul(z_e);
            *announced != self.generators.blinding().add_mul(expected, z_s)
        })
    }
}

impl<G: Group> PermutationProof<G> {
    fn require_length(&self, n: usize) -> Result<(), ShuffleError> {
        let lengths = [
            self.bridging.len(),
            self.announcements.bridging.len(),
            self.responses.challenges.len(),
            self.responses.bridging.len(),
        ];
        match lengths.into_iter().find(|&length| length != n) {
            Some(got) => Err(ShuffleError::Length { what: "permutation proof", expected: n, got }),
            None => Ok(()),
        }
    }
}
