//! The prover.

use algebra::{AffineGroup, Domain, Engine, FftScalar, Group, Scalar, ScalarOf, scale_by_powers};
use rand_core::CryptoRng;
use rayon::prelude::*;
use wire::{Decode as _, Encode as _, Reader};
use zeroize::Zeroizing;

use super::{Error, Proof, ProvingKey, SquareProgram, Statement, sap::Assignment, verify};

/// Proves that a witness (the values of all wires of the rank-1 constraint system, one first, then
/// the public ones) satisfies the circuit. In variable time; what is computed from the witness is
/// erased afterwards.
///
/// The proof is verified as its bytes will be read before it is handed out: with a malformed key it
/// would tell small wires.
///
/// # Errors
/// [`Error::Unsatisfied`] if it does not; [`Error::WitnessLength`]; [`Error::Circuit`] if the key
/// is of another circuit; [`Error::Key`] if it is malformed.
pub fn prove<E: Engine>(
    key: &ProvingKey<E>,
    program: &SquareProgram<ScalarOf<E>>,
    witness: &[ScalarOf<E>],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<Proof<E>, Error> {
    key.check_circuit(program)?;
    let bytes = prove_unverified(key, program, witness, rng)?.to_bytes();
    let proof = Proof::decode(&mut Reader::new(&bytes)).map_err(|_| Error::Key)?;
    // The witness has the wires of the circuit, or there were no proof; with fewer inputs `verify` would refuse.
    let inputs = witness.get(1..=program.public()).unwrap_or_default();
    let statement = Statement { inputs, proof: &proof };
    verify(key.verifying_key(), statement, rng).map_err(|_| Error::Key)?;
    Ok(proof)
}

/// The proof that a key makes, whatever it tells.
pub(super) fn prove_unverified<E: Engine>(
    key: &ProvingKey<E>,
    program: &SquareProgram<ScalarOf<E>>,
    witness: &[ScalarOf<E>],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<Proof<E>, Error> {
    let Assignment { wires, left } = program.assign(witness)?;
    let rho = Zeroizing::new(ScalarOf::<E>::random(rng));
    let a = E::G1::msm_affine(witness, &key.a) + key.z_g1.mul(&rho);
    let b = E::G2::msm_affine(witness, &key.b) + key.z_g2.mul(&rho);
    let h = quotient(&program.domain()?, left, *rho);
    // There are more wires than public ones: `assign` adds one for each of these.
    let private = wires.get(program.public() + 1..).unwrap_or_default();
    let c = E::G1::msm_affine(private, &key.c)
        + E::G1::msm_affine(&h, &key.h)
        + key.alpha_beta_z.mul(&rho);
    Ok(Proof { a, b, c })
}

/// The coefficients of `((a(X) + ρZ(X))² − c(X)) / Z(X) = (a² − c)/Z + 2ρ·a + ρ²·Z`, from the values
/// of `a` on the domain, where `c` has their squares.
fn quotient<S: FftScalar>(
    domain: &Domain<S>,
    mut left: Zeroizing<Vec<S>>,
    rho: S,
) -> Zeroizing<Vec<S>> {
    left.resize(domain.len(), S::zero());
    let mut right = Zeroizing::new(left.iter().map(|&value| value * value).collect::<Vec<_>>());
    domain.ifft(&mut left);
    domain.ifft(&mut right);
    let coefficients = Zeroizing::new(left.to_vec());
    // On the odd powers of the root of order 2N, Z is −2.
    let shift = odd_root::<S>(domain.len());
    for values in [&mut left, &mut right] {
        scale_by_powers(values, S::one(), shift);
        domain.fft_to_reversed(values);
    }
    // Neither 2 nor a root of unity is zero in a scalar field.
    let minus_half = -S::from_u64(2).invert().unwrap_or_default();
    left.par_iter_mut().zip(right.par_iter()).for_each(|(left, &right)| {
        *left = (*left * *left - right) * minus_half;
    });
    domain.ifft_from_reversed(&mut left);
    scale_by_powers(&mut left, S::one(), shift.invert().unwrap_or_default());

    let twice = rho + rho;
    left.par_iter_mut().zip(coefficients.par_iter()).for_each(|(h, &a)| *h += twice * a);
    // Z(X) = X^N − 1.
    if let Some(first) = left.first_mut() {
        *first += -(rho * rho);
    }
    left.push(rho * rho);
    left
}

/// A primitive root of unity of order `2·size`.
fn odd_root<S: FftScalar>(size: usize) -> S {
    let squarings = S::TWO_ADICITY.saturating_sub(size.trailing_zeros() + 1);
    (0..squarings).fold(S::two_adic_root(), |root, _| root * root)
}
