//! A contribution's secret, and the proof that its maker knows it.

use algebra::{Affine, ChaChaSampler, CurveGroup, Engine, Group, Scalar, ScalarOf};
use circuit::{Attribution, zkey::Contribution};
use rand_core::CryptoRng;
use wire::{Blake2b, Progress};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::circuit_hash::HASHED;
use crate::{
    kernels::{times, to_affine},
    phase1::Beacon,
    turns::Place,
};

/// `δ` of one contribution, and its inverse; erased when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Secret<S: Scalar> {
    pub delta: S,
    pub inverse: S,
}

impl<S: Scalar> Secret<S> {
    /// Neither 0, which destroys the key, nor 1, which changes nothing.
    fn new(delta: S) -> Option<Self> {
        let inverse = delta.invert()?;
        (delta != S::one()).then_some(Self { delta, inverse })
    }

    /// A participant's.
    pub fn random(rng: &mut (impl CryptoRng + ?Sized)) -> Self {
        loop {
            if let Some(secret) = Self::new(S::random(rng)) {
                return secret;
            }
        }
    }

    /// A beacon's at its place in a native ceremony, which everybody can recompute.
    pub fn of_beacon(place: &Place<'_>, beacon: &Beacon, progress: &impl Progress) -> Self {
        let mut next = place.secrets(beacon, progress);
        loop {
            if let Some(secret) = Self::new(next()) {
                return secret;
            }
        }
    }
}

/// A secret with the point `s`, of unknown logarithm, under which knowledge of it is proved.
pub(super) struct Key<E: Engine> {
    pub secret: Secret<ScalarOf<E>>,
    pub s: Affine<E::G1>,
}

impl<E: Engine> Key<E> {
    /// A participant's.
    pub fn random(rng: &mut (impl CryptoRng + ?Sized)) -> Self {
        let secret = Secret::random(rng);
        Self { secret, s: to_affine(E::G1::random(rng)) }
    }

    /// A beacon's, which everybody can recompute. It takes `2^iterations_exp` hashes.
    pub fn of_beacon(beacon: &Beacon, progress: &impl Progress) -> Self {
        let mut sampler = ChaChaSampler::from_digest(&beacon.delay(progress));
        loop {
            if let Some(secret) = Secret::new(E::sample_scalar(&mut sampler)) {
                return Self { secret, s: to_affine(E::G1::sample(&mut sampler)) };
            }
        }
    }

    /// `δ · s`.
    pub fn sx(&self) -> Affine<E::G1> {
        times::<E::G1>(self.s, &self.secret.delta)
    }

    /// The contribution that multiplies the secret into `[δ]₁`, with its proof of knowledge.
    pub fn contribution(
        &self,
        delta_g1: Affine<E::G1>,
        transcript: &Transcript,
        attribution: Attribution,
    ) -> Contribution<E> {
        let (s, sx) = (self.s, self.sx());
        let transcript = transcript.digest::<E>(&s, &sx);
        let rx = to_affine(E::hash_to_g2(&transcript).mul(&self.secret.delta));
        let delta_after = times::<E::G1>(delta_g1, &self.secret.delta);
        Contribution { delta_after, s, sx, rx, transcript, attribution }
    }
}

/// The hash of everything that comes before a contribution.
#[derive(Clone)]
pub(super) struct Transcript(Blake2b);

impl Transcript {
    /// Begins with the circuit.
    pub fn new(circuit_hash: &[u8; 64]) -> Self {
        let mut hash = Blake2b::new();
        hash.update(circuit_hash);
        Self(hash)
    }

    /// The transcript of a contribution with these points, which the point of G2 hangs on.
    pub fn digest<E: Engine>(&self, s: &Affine<E::G1>, sx: &Affine<E::G1>) -> [u8; 64] {
        let (mut hash, mut bytes) = (self.0.clone(), Vec::new());
        E::G1::write_form(&[*s, *sx], HASHED, &mut bytes);
        hash.update(&bytes);
        hash.finish()
    }

    /// The hash of what has been added.
    pub fn finish(self) -> [u8; 64] {
        self.0.finish()
    }

    /// Adds a contribution.
    pub fn push<E: Engine>(&mut self, contribution: &Contribution<E>) {
        let mut bytes = Vec::new();
        contribution.write_key(HASHED, &mut bytes);
        self.0.update(&bytes);
    }
}
