//! Keys from one hand.

use algebra::{Engine, FixedBaseTable, Group, Scalar, ScalarOf, scale_by_powers};
use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{Error, ProvingKey, SquareProgram, VerifyingKey, key::multiples, sap::Columns};

/// The secrets of a key.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Trapdoor<S: Scalar> {
    pub t: S,
    pub alpha: S,
    pub beta: S,
    pub gamma: S,
}

/// Makes the key of a circuit as one who knows its secrets, and forgets them: for tests and
/// measurements. Whoever runs this could have kept them, and forge.
///
/// # Errors
/// [`Error::TooManyRows`]; [`Error::Unlucky`].
pub fn insecure_dealer<E: Engine>(
    program: &SquareProgram<ScalarOf<E>>,
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<ProvingKey<E>, Error> {
    let mut random = || ScalarOf::<E>::random(rng);
    let trapdoor = Trapdoor { t: random(), alpha: random(), beta: random(), gamma: random() };
    let key = deal(program, &trapdoor)?;
    if key.verifying_key.defect().is_some() { Err(Error::Unlucky) } else { Ok(key) }
}

/// The key with these secrets.
pub(super) fn deal<E: Engine>(
    program: &SquareProgram<ScalarOf<E>>,
    trapdoor: &Trapdoor<ScalarOf<E>>,
) -> Result<ProvingKey<E>, Error> {
    let Trapdoor { t, alpha, beta, gamma } = trapdoor;
    let one = ScalarOf::<E>::one();
    let domain = program.domain()?;
    let vanishing = (0..domain.len().ilog2()).fold(*t, |power, _| power * power) - one;
    if [vanishing, *alpha, *beta, *gamma].contains(&ScalarOf::<E>::zero()) {
        return Err(Error::Unlucky);
    }
    // L_j(t) = Z(t) ω^j / (N (t − ω^j)).
    let mut roots = vec![one; domain.len()];
    scale_by_powers(&mut roots, one, domain.root());
    let mut lagrange: Zeroizing<Vec<_>> =
        Zeroizing::new(roots.iter().map(|&root| *t - root).collect());
    Scalar::batch_invert(&mut lagrange);
    let factor = vanishing * domain.size_inverse();
    lagrange.iter_mut().zip(&roots).for_each(|(value, &root)| *value *= factor * root);

    let Columns { left, right } = program.columns(&lagrange);
    let mix = |(index, &right): (usize, &ScalarOf<E>)| {
        // The further wires have no left column (`Columns`).
        let left = left.get(index).copied().unwrap_or_default();
        *gamma * right + (*alpha + *beta) * left
    };
    let mut query: Zeroizing<Vec<_>> = Zeroizing::new(right.iter().enumerate().map(mix).collect());
    let mut private = Zeroizing::new(query.split_off(program.public() + 1));
    // Here arkworks' gm17 0.3 lacks the factor: its keys are right only because its γ is one.
    private.iter_mut().for_each(|value| *value *= *gamma);
    let a: Zeroizing<Vec<_>> = Zeroizing::new(left.iter().map(|&value| *gamma * value).collect());
    let mut h = Zeroizing::new(vec![*gamma * *gamma * vanishing; domain.len() + 1]);
    scale_by_powers(&mut h, one, *t);

    let g1 = FixedBaseTable::new(&E::G1::generator());
    let g2 = FixedBaseTable::new(&E::G2::generator());
    let verifying_key = VerifyingKey {
        alpha: g1.mul(alpha),
        beta: g2.mul(beta),
        gamma_g1: g1.mul(gamma),
        gamma_g2: g2.mul(gamma),
        query: g1.mul_all(&query),
    };
    let gamma_z = *gamma * vanishing;
    Ok(ProvingKey {
        verifying_key,
        circuit: program.digest(),
        a: multiples(&g1, &a),
        b: multiples(&g2, &a),
        c: multiples(&g1, &private),
        h: multiples(&g1, &h),
        z_g1: g1.mul(&gamma_z),
        z_g2: g2.mul(&gamma_z),
        alpha_beta_z: g1.mul(&((*alpha + *beta) * gamma_z)),
    })
}
