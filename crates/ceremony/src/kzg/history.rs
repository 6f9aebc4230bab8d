//! What every participant left in a transcript.

use std::ops::Range;

use algebra::{Affine, AffineGroup, Bls12381, CurveGroup, Group, Pairing, Scalar, batch};
use circuit::kzg::{Contribution, Transcript};
use rand_core::CryptoRng;
use wire::Progress;

use super::{
    error::KzgError,
    powers::{G1, G1_POWERS, G2},
};
use crate::equations::{Equations, random_weights};

/// Requires that a history begins with the generators and ends with the powers.
pub(super) fn check_ends(transcript: usize, one: &Transcript) -> Result<(), KzgError> {
    let Transcript { powers, running_products, public_keys, .. } = one;
    if running_products.len() < 2 {
        return Err(KzgError::NoContributions { transcript });
    }
    if running_products.first() != Some(&G1::affine_generator()) {
        return Err(KzgError::Generator { transcript, list: "runningProducts" });
    }
    if public_keys.first() != Some(&G2::affine_generator()) {
        return Err(KzgError::Generator { transcript, list: "potPubkeys" });
    }
    if running_products.last() == Some(&G1::affine_generator()) {
        return Err(KzgError::NoSecret { transcript });
    }
    match running_products.last() == powers.g1.get(1) {
        true => Ok(()),
        false => Err(KzgError::LastProduct { transcript }),
    }
}

/// The participants, without the beginning, whose key is of the secret 1 in one of the transcripts.
pub(super) fn idle(transcripts: &[Transcript]) -> Vec<usize> {
    let is_one = |index: &usize| {
        let key =
            |one: &Transcript| one.public_keys.get(index + 1) == Some(&G2::affine_generator());
        transcripts.iter().any(key)
    };
    let most = transcripts.iter().map(|one| one.public_keys.len().saturating_sub(1)).max();
    // Of no transcripts nobody took part.
    (0..most.unwrap_or(0)).filter(is_one).collect()
}

/// One equation `e(π_(j−1), [x_j]₂) = e(π_j, H)`, for a participant of a transcript.
struct Step {
    transcript: usize,
    index: usize,
    before: Affine<G1>,
    after: Affine<G1>,
    key: Affine<G2>,
}

/// Requires that every running product is the one before times the secret in the participant's key.
///
/// # Errors
/// [`KzgError::Participant`] with the first who fails.
pub(super) fn check(
    transcripts: &[Transcript],
    rng: &mut impl CryptoRng,
    progress: &impl Progress,
) -> Result<(), KzgError> {
    let steps: Vec<Step> = transcripts
        .iter()
        .enumerate()
        .flat_map(|(transcript, one)| {
            let pairs = one.running_products.iter().zip(one.running_products.iter().skip(1));
            let keys = one.public_keys.iter().skip(1);
            pairs.zip(keys).zip(1..).map(move |(((before, after), key), index)| Step {
                transcript,
                index,
                before: *before,
                after: *after,
                key: *key,
            })
        })
        .collect();
    progress.begin("participants", steps.len() as u64);
    // Without participants nothing is wrong.
    let Some(last) = steps.last() else { return Ok(()) };
    if let Err(index) = batch::check(steps.len(), |range| holds(&steps, range, rng)) {
        let Step { transcript, index, .. } = *steps.get(index).unwrap_or(last);
        return Err(KzgError::Participant { transcript, index });
    }
    progress.advance(steps.len() as u64);
    Ok(())
}

/// `Π e(ρ_j π_(j−1), [x_j]₂) = e(Σ ρ_j π_j, H)`: the products are as many as equations, and the
/// multiplications by weights are of the affine kernel.
fn holds(steps: &[Step], range: Range<usize>, rng: &mut impl CryptoRng) -> bool {
    // `check` asks for parts of all steps only, so that none is left out.
    let steps = steps.get(range).unwrap_or_default();
    let weights = random_weights(steps.len(), rng);
    let scalars: Vec<_> = weights.iter().map(|weight| Scalar::from_u128(*weight)).collect();
    let after: Vec<_> = steps.iter().map(|step| step.after).collect();
    let mut before: Vec<_> = steps.iter().map(|step| step.before).collect();
    G1::scale_each(&mut before, &scalars);
    let mut pairs: Vec<(G1, G2)> = before
        .iter()
        .zip(steps)
        .map(|(before, step)| (G1::from_affine(before), G2::from_affine(&step.key)))
        .collect();
    pairs.push((-G1::msm_short_affine(&weights, &after), G2::generator()));
    Bls12381::is_neutral(&pairs)
}

/// Requires that contributions multiply the secret in their key into the powers before.
pub(super) fn check_step(
    before: &[Transcript],
    contributions: &[Contribution],
    rng: &mut impl CryptoRng,
) -> Result<(), KzgError> {
    let h = G2::affine_generator();
    let mut equations = Equations::<Bls12381, _>::new();
    for (transcript, (before, one)) in before.iter().zip(contributions).enumerate() {
        let (Some(old), Some(new)) = (before.powers.g1.get(1), one.powers.g1.get(1)) else {
            return Err(KzgError::Progression { transcript, list: G1_POWERS, index: 1 });
        };
        let index = before.running_products.len();
        equations.same_ratio((transcript, index), [*old, *new], [h, one.public_key]);
    }
    let wrong = equations.check(rng);
    wrong.map_err(|(transcript, index)| KzgError::Participant { transcript, index })
}
