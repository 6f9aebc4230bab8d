//! A contribution's secrets, and the proof that its maker knows them.

use algebra::{Affine, ChaChaSampler, CurveGroup, Engine, Group, Scalar, ScalarOf};
use circuit::ptau::PowersPublicKey;
use rand_core::CryptoRng;
use sha2::{Digest, Sha256};
use wire::{Blake2b, Progress};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::accumulator::CHALLENGE;
use crate::{Error, kernels};

/// `τ`, `α` and `β` of one contribution, erased when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Secrets<S: Scalar> {
    pub tau: S,
    pub alpha: S,
    pub beta: S,
}

/// Secrets, and the public key that proves knowledge of them.
pub(super) struct Key<E: Engine> {
    pub secrets: Secrets<ScalarOf<E>>,
    pub public: PowersPublicKey<E>,
}

impl<E: Engine> Key<E> {
    /// A participant's, for the challenge of this hash.
    pub fn random(challenge: &[u8; 64], rng: &mut (impl CryptoRng + ?Sized)) -> Self {
        let secrets = Secrets { tau: secret(rng), alpha: secret(rng), beta: secret(rng) };
        let s = [(); 3].map(|()| kernels::to_affine(E::G1::random(rng)));
        Self::new(secrets, s, challenge)
    }

    /// A beacon's. It takes `2^iterations_exp` hashes.
    pub fn of_beacon(beacon: &Beacon, challenge: &[u8; 64], progress: &impl Progress) -> Self {
        let mut sampler = ChaChaSampler::from_digest(&beacon.delay(progress));
        let [tau, alpha, beta] = [(); 3].map(|()| E::sample_scalar(&mut sampler));
        let s = [(); 3].map(|()| kernels::to_affine(E::G1::sample(&mut sampler)));
        Self::new(Secrets { tau, alpha, beta }, s, challenge)
    }

    fn new(secrets: Secrets<ScalarOf<E>>, s: [Affine<E::G1>; 3], challenge: &[u8; 64]) -> Self {
        let Secrets { tau, alpha, beta } = &secrets;
        let times = |(s, x): (Affine<E::G1>, &_)| kernels::to_affine(Into::<E::G1>::into(s).mul(x));
        let [tau_s, alpha_s, beta_s] = s;
        let sx = [(tau_s, tau), (alpha_s, alpha), (beta_s, beta)].map(times);
        // Filled in below: the points R depend on the others.
        let mut public = PowersPublicKey { s, sx, rx: [E::G2::affine_generator(); 3] };
        let [tau_r, alpha_r, beta_r] = bases(&public, challenge);
        let times = |(r, x): (E::G2, &_)| kernels::to_affine(r.mul(x));
        public.rx = [(tau_r, tau), (alpha_r, alpha), (beta_r, beta)].map(times);
        Self { secrets, public }
    }
}

/// The points `R` of a key, for `τ`, `α`, `β`: the challenge, `s` and `x·s` hashed to G2.
pub(super) fn bases<E: Engine>(key: &PowersPublicKey<E>, challenge: &[u8; 64]) -> [E::G2; 3] {
    let [tau, alpha, beta] = &key.s;
    let [tau_x, alpha_x, beta_x] = &key.sx;
    [(0, tau, tau_x), (1, alpha, alpha_x), (2, beta, beta_x)].map(|(personalization, s, sx)| {
        let mut bytes = vec![personalization];
        bytes.extend(challenge);
        E::G1::write_form(&[*s, *sx], CHALLENGE, &mut bytes);
        E::hash_to_g2(&Blake2b::digest(&bytes))
    })
}

/// Neither 0 nor 1, which would change nothing.
pub(crate) fn secret<S: Scalar>(rng: &mut (impl CryptoRng + ?Sized)) -> S {
    loop {
        let secret = S::random(rng);
        if secret != S::zero() && secret != S::one() {
            return secret;
        }
    }
}

/// Public randomness, hashed so often that nobody knew the outcome when it could still be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beacon {
    hash: Vec<u8>,
    iterations_exp: u8,
}

/// Hashes between two reports of progress.
const REPORT: u64 = 1 << 16;

impl Beacon {
    /// A beacon of 1 to 255 bytes that is hashed `2^iterations_exp` times, 10 to 63.
    ///
    /// # Errors
    /// [`Error::Beacon`].
    pub fn new(hash: Vec<u8>, iterations_exp: u8) -> Result<Self, Error> {
        if !(1..=255).contains(&hash.len()) || !(10..=63).contains(&iterations_exp) {
            return Err(Error::Beacon);
        }
        Ok(Self { hash, iterations_exp })
    }

    /// The public randomness.
    pub fn hash(&self) -> &[u8] {
        &self.hash
    }

    /// The binary logarithm of the number of hashes.
    pub fn iterations_exp(&self) -> u8 {
        self.iterations_exp
    }

    pub(crate) fn delay(&self, progress: &impl Progress) -> Zeroizing<[u8; 32]> {
        let hashes = 1_u64 << self.iterations_exp;
        progress.begin("hashing", hashes);
        let mut digest: [u8; 32] = Sha256::digest(&self.hash).into();
        for done in 1..hashes {
            digest = Sha256::digest(digest).into();
            if done % REPORT == 0 {
                progress.advance(REPORT);
            }
        }
        Zeroizing::new(digest)
    }
}
