//! Another proof of the same.

use algebra::{Engine, Group, Scalar, ScalarOf};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

use super::{Error, Proof, VerifyingKey, to_affine};

/// A proof of the same public inputs, distributed as if the prover had drawn other `r` and `s`, so
/// that nobody can tell from which proof it comes:
/// `(A/ρ, ρB + ρσδ, C + σA)` for random `ρ` and `σ`.
///
/// # Errors
/// [`Error::Invalid`] if the generator draws zero, which has probability 2^−250.
pub fn rerandomise<E: Engine>(
    key: &VerifyingKey<E>,
    proof: &Proof<E>,
    rng: &mut impl CryptoRng,
) -> Result<Proof<E>, Error> {
    let rho = Zeroizing::new(ScalarOf::<E>::random(rng));
    let sigma = Zeroizing::new(ScalarOf::<E>::random(rng));
    let inverse = Zeroizing::new(rho.invert().ok_or(Error::Invalid)?);
    let (a, b, c): (E::G1, E::G2, E::G1) = (proof.a.into(), proof.b.into(), proof.c.into());
    let delta: E::G2 = key.delta_g2.into();
    Ok(Proof {
        a: to_affine(&a.mul(&inverse)),
        b: to_affine(&(b + delta.mul(&sigma)).mul(&rho)),
        c: to_affine(&(c + a.mul(&sigma))),
    })
}
