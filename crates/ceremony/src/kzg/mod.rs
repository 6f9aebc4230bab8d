//! The Ethereum KZG ceremony: powers of one secret `τ` for polynomial commitments, over BLS12-381.
//!
//! For each of its sizes a transcript holds the current `[τ^i]₁` and `[τ^i]₂`. For every participant it holds `[τ]₁`
//! after their step (`π_j`, the running product) and `[x_j]₂` (the public key), where `x_j` is the factor by which they
//! multiplied `τ`. The histories begin with the generators. [`verify_transcript`] requires
//!
//! ```text
//! e(π_j, H) = e(π_(j−1), [x_j]₂)       every participant multiplied by what they know
//! [τ]₁ = π_last, [1]₁ = G, [1]₂ = H     the powers are those of the last participant
//! e([τ^(i+1)]₁, H) = e([τ^i]₁, [τ]₂)    each power is τ times the one before,
//! e([τ]₁, [τ^i]₂) = e(G, [τ^(i+1)]₂)    in both groups
//! ```
//!
//! as random linear combinations with 128-bit weights: one multi-pairing over the participants of all
//! sizes, and one over all powers. [`verify_contribution`] checks one participant's step in the same
//! way, and [`contribute`] makes one.
//!
//! Reading checks that points are in their groups and not neutral. Nothing checks who took part: neither the BLS
//! signatures of identities nor the Ethereum signatures are verified.

mod error;
mod history;
mod powers;

use algebra::{Affine, AffineGroup, Bls12381, CurveGroup, Group, Scalar, ScalarOf};
use circuit::kzg::{BatchContribution, BatchTranscript, Contribution, Powers, Transcript};
use rand_core::CryptoRng;
use wire::{Encode, Progress, put_bytes};
use zeroize::Zeroizing;

pub use circuit::kzg::SIZES;
pub use error::KzgError;

use crate::{Records, Trust, powers::Powers as SecretPowers, series};
use powers::{G1, G2};

/// The participants of a transcript, byte by byte: identity, signatures, products and keys.
pub fn records(transcript: &BatchTranscript) -> Records {
    let BatchTranscript { transcripts, participant_ids, participant_ecdsa_signatures } = transcript;
    let mut sizes = Vec::new();
    for Transcript { powers, .. } in transcripts {
        [powers.g1.len(), powers.g2.len()].iter().for_each(|len| (*len as u64).encode(&mut sizes));
    }
    let participant = |(index, (id, ecdsa)): (usize, (&String, &String))| {
        let mut bytes = Vec::new();
        put_bytes(&mut bytes, id.as_bytes());
        put_bytes(&mut bytes, ecdsa.as_bytes());
        for one in transcripts {
            let g1 = |point: Option<&Affine<G1>>| {
                // What a transcript does not have is written as no bytes, which are the bytes of no point.
                point.map(|point| G1::from_affine(point).encode()).unwrap_or_default()
            };
            put_bytes(&mut bytes, &g1(one.running_products.get(index)));
            let signature = one.signatures.get(index).and_then(Option::as_ref);
            put_bytes(&mut bytes, &g1(signature));
            let key = one.public_keys.get(index).map(|key| G2::from_affine(key).encode());
            put_bytes(&mut bytes, &key.unwrap_or_default());
        }
        bytes
    };
    let ids = participant_ids.iter().zip(participant_ecdsa_signatures);
    // The first is the beginning, and nobody.
    let contributions = ids.enumerate().map(participant).skip(1).collect();
    Records::new(series::start("subrosa/ceremony/kzg/records", &[&sizes]), contributions)
}

/// What was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The powers in G1 and G2 of each transcript.
    pub sizes: Vec<(usize, usize)>,
    /// How many took part.
    pub participants: usize,
    /// Who of them multiplied by 1, which everybody can, in one of the transcripts: counted from 0,
    /// which is the first participant.
    pub idle: Vec<usize>,
}

/// Requires that a transcript is that of a ceremony of these sizes, [`SIZES`] for Ethereum's: that
/// every participant multiplied in a secret they know, and that all powers are those of the product.
///
/// `rng` must be unpredictable for whoever made the transcript.
///
/// # Errors
/// [`KzgError`], naming the transcript, and the participant or point.
pub fn verify_transcript(
    transcript: &BatchTranscript,
    sizes: &[(usize, usize)],
    rng: &mut impl CryptoRng,
    progress: &impl Progress,
) -> Result<Verified, KzgError> {
    let powers = transcript.transcripts.iter().map(|one| &one.powers);
    powers::check_sizes(powers.clone(), sizes)?;
    for (index, one) in transcript.transcripts.iter().enumerate() {
        history::check_ends(index, one)?;
    }
    history::check(&transcript.transcripts, rng, progress)?;
    powers::check(powers, rng, progress)?;
    progress.finish();
    let participants = transcript.participant_ids.len().saturating_sub(1);
    let idle = history::idle(&transcript.transcripts);
    Ok(Verified { sizes: sizes.to_vec(), participants, idle })
}

/// Requires that a contribution continues a transcript: that its participant multiplied a secret they
/// know into every size. The transcript itself should have been [verified](verify_transcript).
///
/// # Errors
/// [`KzgError`], naming the transcript, and the point.
pub fn verify_contribution(
    before: &BatchTranscript,
    contribution: &BatchContribution,
    sizes: &[(usize, usize)],
    rng: &mut impl CryptoRng,
    progress: &impl Progress,
) -> Result<(), KzgError> {
    powers::check_sizes(before.transcripts.iter().map(|one| &one.powers), sizes)?;
    let powers = contribution.contributions.iter().map(|one| &one.powers);
    powers::check_sizes(powers.clone(), sizes)?;
    history::check_step(&before.transcripts, &contribution.contributions, rng)?;
    powers::check(powers, rng, progress)?;
    progress.finish();
    Ok(())
}

/// Contributes secrets from `rng`, one for each size, to what the sequencer hands a participant: the
/// powers as they are, in the form of a contribution. Signatures are left out, which the format
/// allows. The same generator makes the same contribution.
///
/// What was handed out is verified first, against the sizes that there must be, [`SIZES`] for
/// Ethereum's: that the lists are powers of some secrets, and no longer ([`trust`](crate::trust) says
/// why).
///
/// # Errors
/// [`KzgError::Count`], [`KzgError::Size`], [`KzgError::Generator`], [`KzgError::Progression`].
pub fn contribute(
    before: &BatchContribution,
    trust: Trust<'_, &[(usize, usize)]>,
    rng: &mut impl CryptoRng,
    progress: &impl Progress,
) -> Result<BatchContribution, KzgError> {
    if let Trust::Verify { against: sizes, mut rng } = trust {
        let powers = before.contributions.iter().map(|one| &one.powers);
        powers::check_sizes(powers.clone(), sizes)?;
        powers::check(powers, &mut rng, progress)?;
    }
    let mut contributions = Vec::with_capacity(before.contributions.len());
    for (transcript, one) in before.contributions.iter().enumerate() {
        powers::check_generators(transcript, &one.powers)?;
        progress.begin("powers", (one.powers.g1.len() + one.powers.g2.len()) as u64);
        let secret = secret(rng);
        let powers = Powers {
            g1: multiply::<G1>(&one.powers.g1, &secret, progress),
            g2: multiply::<G2>(&one.powers.g2, &secret, progress),
        };
        let public_key = crate::kernels::to_affine(G2::generator().mul(&secret));
        contributions.push(Contribution { powers, public_key, signature: None });
    }
    progress.finish();
    Ok(BatchContribution { contributions, ecdsa_signature: String::new() })
}

/// Neither 0 nor 1, which would change nothing.
fn secret(rng: &mut impl CryptoRng) -> Zeroizing<ScalarOf<Bls12381>> {
    loop {
        let secret = Zeroizing::new(ScalarOf::<Bls12381>::random(rng));
        if *secret != Scalar::zero() && *secret != Scalar::one() {
            return secret;
        }
    }
}

fn multiply<G: CurveGroup<Scalar = ScalarOf<Bls12381>>>(
    points: &[Affine<G>],
    secret: &G::Scalar,
    progress: &impl Progress,
) -> Vec<Affine<G>> {
    let mut points = points.to_vec();
    let scalars = SecretPowers::new(Scalar::one(), *secret).take(points.len());
    G::scale_each(&mut points, &scalars);
    progress.advance(points.len() as u64);
    points
}
