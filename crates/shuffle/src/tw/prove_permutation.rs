//! The prover of the permutation proof (`docs/spec/shuffle.md#the-permutation`).

use algebra::{Group, Scalar, inner_product};
use rand_core::CryptoRng;
use transcript::TranscriptExt;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{
    Announcements, CommittedPermutation, Generators, PermutationContext, PermutationProof,
    Responses, statement,
};
use crate::{PointList, ShuffleError};

/// The secrets `t, k, e', s', w`, and as such also their masks.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Secrets<S: Scalar> {
    row_sums: S,
    opening: S,
    challenges: Vec<S>,
    bridging: Vec<S>,
    product: S,
}

/// The bridging list as multiples: `B_i = d_i·H + p_i·G`, so that no point depends on the one
/// before it.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Bridging<S: Scalar> {
    /// `d_0 = 0, d_i = s'_i + e'_i·d_{i−1}`
    blindings: Vec<S>,
    /// `p_0 = 1, p_i = e'_i·p_{i−1}`
    products: Vec<S>,
}

impl<S: Scalar> Bridging<S> {
    fn new(randomness: &[S], challenges: &[S]) -> Self {
        // Filled in place: growing would leave copies behind.
        let n = randomness.len();
        let mut bridging =
            Self { blindings: vec![S::zero(); n + 1], products: vec![S::one(); n + 1] };
        let (mut blinding, mut product) = (S::zero(), S::one());
        let rows = bridging.blindings.iter_mut().zip(&mut bridging.products).skip(1);
        for ((d, p), (&s, &e)) in rows.zip(randomness.iter().zip(challenges)) {
            blinding = s + e * blinding;
            product *= e;
            (*d, *p) = (blinding, product);
        }
        bridging
    }

    /// `d_1..d_n` and `p_1..p_n`.
    fn rows(&self) -> (&[S], &[S]) {
        // There is one entry more than rows.
        let rows = |list| <[S]>::get(list, 1..).unwrap_or_default();
        (rows(&self.blindings), rows(&self.products))
    }
}

/// Proves that `committed` commits to a permutation.
///
/// Costs 4 fixed-base multiplications and one point of a multi-scalar multiplication per index,
/// and does not depend on any list: it can be done before there is something to shuffle.
///
/// # Errors
/// [`ShuffleError::Generators`] if there are fewer generators than the commitment was made with.
pub fn prove_permutation<G: Group>(
    committed: &CommittedPermutation<G>,
    generators: &Generators<G>,
    context: &PermutationContext<'_>,
    rng: &mut impl CryptoRng,
) -> Result<PermutationProof<G>, ShuffleError> {
    let n = committed.commitment().len();
    generators.require(n)?;
    let mut transcript = statement::permutation_transcript(context, committed.commitment());
    let challenges = statement::challenge_vector::<G>(&mut transcript, n);

    let permuted = committed.permutation().apply(&challenges);
    let randomness = G::Scalar::random_many(n, rng);
    let bridging = Bridging::new(&randomness, &permuted);
    let secrets = Secrets {
        row_sums: committed.blindings().iter().copied().sum(),
        opening: inner_product(committed.blindings(), &challenges),
        challenges: permuted,
        bridging: randomness,
        // There is one blinding more than rows.
        product: bridging.blindings.last().copied().unwrap_or_default(),
    };
    let (blindings, products) = bridging.rows();
    let bridging_list = combine(generators, blindings, products);
    transcript.absorb(b"B", bridging_list.encoding());

    let masks = Secrets {
        row_sums: G::Scalar::random(rng),
        opening: G::Scalar::random(rng),
        challenges: G::Scalar::random_many(n, rng),
        bridging: G::Scalar::random_many(n, rng),
        product: G::Scalar::random(rng),
    };
    let announcements = announce(generators, &bridging, &masks);
    announcements.absorb(&mut transcript);

    let c = statement::challenge_scalar::<G>(&mut transcript);
    let responses = respond(&masks, &secrets, c);
    Ok(PermutationProof { bridging: bridging_list, announcements, responses })
}

/// `T_t, T_k, T_B_i = (om_s_i + om_e_i·d_{i−1})·H + om_e_i·p_{i−1}·G, T_w`.
fn announce<G: Group>(
    generators: &Generators<G>,
    bridging: &Bridging<G::Scalar>,
    masks: &Secrets<G::Scalar>,
) -> Announcements<G> {
    let h = generators.blinding();
    let rows = || masks.challenges.iter().zip(&masks.bridging);
    let blindings = rows().zip(&bridging.blindings).map(|((&e, &s), &d)| s + e * d);
    let blindings = Zeroizing::new(blindings.collect::<Vec<G::Scalar>>());
    let products = masks.challenges.iter().zip(&bridging.products).map(|(&e, &p)| e * p);
    let products = Zeroizing::new(products.collect::<Vec<G::Scalar>>());
    let opened = G::msm(&masks.challenges, generators.list(masks.challenges.len()));
    Announcements {
        row_sums: h.mul(&masks.row_sums),
        opening: h.add_mul(opened, &masks.opening),
        bridging: combine(generators, &blindings, &products),
        product: h.mul(&masks.product),
    }
}

/// The points `blindings_i·H + products_i·G`.
fn combine<G: Group>(
    generators: &Generators<G>,
    blindings: &[G::Scalar],
    products: &[G::Scalar],
) -> PointList<G> {
    let mut points = vec![G::identity(); blindings.len()];
    generators.basepoint().add_mul_all(&mut points, products);
    generators.blinding().add_mul_all(&mut points, blindings);
    PointList::new(points)
}

/// `z = mask − c·secret`.
fn respond<G: Group>(
    masks: &Secrets<G::Scalar>,
    secrets: &Secrets<G::Scalar>,
    c: G::Scalar,
) -> Responses<G> {
    let each = |masks: &[G::Scalar], secrets: &[G::Scalar]| {
        masks.iter().zip(secrets).map(|(&mask, &secret)| mask - c * secret).collect()
    };
    Responses {
        row_sums: masks.row_sums - c * secrets.row_sums,
        opening: masks.opening - c * secrets.opening,
        challenges: each(&masks.challenges, &secrets.challenges),
        bridging: each(&masks.bridging, &secrets.bridging),
        product: masks.product - c * secrets.product,
    }
}
