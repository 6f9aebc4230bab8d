//! The polynomials `P_i` and `Q_i` over the roots of unity, as points and as combinations of the
//! powers of `χ`.
//!
//! There are `m = n + 1` roots `ω^1, …, ω^m = 1`, and `l_i` is the Lagrange polynomial of `ω^i`.
//! `P_i = 2l_i + l_m`, `P_0 = l_m − 1` and `Q_i = (P_i + P_0)² − 1`, for `i` from 1 to `n`.
//!
//! `l_i = m⁻¹ Σ_{j<m} ω^{−ij} X^j`, an inverse Fourier transform of the powers. So is
//! `l_i² = m⁻² Σ_j ω^{−ij} ((j+1)X^j + (n−j)X^{j+m})`, and
//! `l_i·l_m = m⁻² Σ_j ω^{−ij} Z_j` with `Z_j = X^j + … + X^{j+n}`. With
//! `D_j = (n−j)(X^{j+m} − X^j)` the sum `Q_i = 4l_i² + 4l_m² + 8l_i·l_m − 4l_i − 4l_m` is
//!
//! `Q_i = m⁻² Σ_j ω^{−ij} (4D_j + 8Z_j) + 4m⁻² Σ_j D_j`: one transform for all of them.

use algebra::{Affine, AffineGroup, CurveGroup, Engine, Group, Scalar, ScalarOf};

use crate::{Error, kernels};

/// `P_i` for `i` from 1 to `n`, and `l_m`, times what the powers `c·χ^0, …, c·χ^n` are times.
pub(super) fn p_points<E: Engine, G: CurveGroup<Scalar = ScalarOf<E>>>(
    powers: &[Affine<G>],
) -> Result<(Vec<Affine<G>>, G), Error> {
    let basis = kernels::lagrange::<E, G>(powers)?;
    let mut basis = basis.into_iter().map(Into::<G>::into);
    // There are n + 1 powers, and as many Lagrange polynomials.
    let last = basis.next().unwrap_or_else(G::identity);
    let points: Vec<_> = basis.map(|l| l.double() + last).collect();
    Ok((G::precompute(&points), last))
}

/// `Q_i` for `i` from 1 to `n`, from the powers `χ^0, …, χ^{2n}`.
pub(super) fn q_points<E: Engine>(powers: &[Affine<E::G1>]) -> Result<Vec<Affine<E::G1>>, Error> {
    let n = powers.len() / 2;
    let power = |k: usize| powers.get(k).map_or_else(E::G1::identity, |&point| point.into());
    let differences: Vec<E::G1> = (0..=n).map(|j| power(j + n + 1) - power(j)).collect();
    let mut d = E::G1::precompute(&differences);
    let factors: Vec<ScalarOf<E>> =
        (0..=n).rev().map(|left| Scalar::from_u64(left as u64)).collect();
    E::G1::scale_each(&mut d, &factors);

    let mut z: E::G1 = (0..=n).map(power).sum();
    let mut summands = Vec::with_capacity(n + 1);
    let mut sum_d = E::G1::identity();
    for (j, d) in d.into_iter().enumerate() {
        let d: E::G1 = d.into();
        summands.push((d + z.double()).double().double());
        sum_d += d;
        z += power(j + n + 1) - power(j);
    }
    let inverse = size_inverse::<E>(n)?;
    let mut transformed = kernels::lagrange::<E, E::G1>(&E::G1::precompute(&summands))?;
    E::G1::scale_all(&mut transformed, &inverse);
    let constant = sum_d.double().double().mul(&(inverse * inverse));
    let points = transformed.into_iter().skip(1).map(|q| constant.add_precomputed(&q));
    Ok(E::G1::precompute(&points.collect::<Vec<_>>()))
}

/// The coefficients of `Σ weights_k · P_{1+first+k}` in `χ^0, …, χ^n`.
pub(super) fn p_coefficients<E: Engine>(
    n: usize,
    first: usize,
    weights: &[u128],
) -> Result<Vec<ScalarOf<E>>, Error> {
    let mut values = at_roots::<E>(n, first, weights);
    let sum: ScalarOf<E> = values.iter().copied().sum();
    values.iter_mut().for_each(|value| *value += *value);
    if let Some(last) = values.first_mut() {
        *last += sum;
    }
    kernels::scalar_ifft::<E>(&mut values)?;
    Ok(values)
}

/// The coefficients of `Σ weights_k · Q_{1+first+k}` in `χ^0, …, χ^{2n}`.
pub(super) fn q_coefficients<E: Engine>(
    n: usize,
    first: usize,
    weights: &[u128],
) -> Result<Vec<ScalarOf<E>>, Error> {
    let small = |value: usize| ScalarOf::<E>::from_u64(value as u64);
    let inverse = size_inverse::<E>(n)?;
    let mut values = at_roots::<E>(n, first, weights);
    let sum: ScalarOf<E> = values.iter().copied().sum();
    // The transform divides by m once.
    kernels::scalar_ifft::<E>(&mut values)?;
    let constant = sum * inverse * inverse;
    let mut coefficients = vec![ScalarOf::<E>::zero(); 2 * n + 1];
    // Differences of the coefficients that come from the Z_j: each begins at j and ends at j + n.
    let mut steps = vec![ScalarOf::<E>::zero(); 2 * n + 2];
    for (j, value) in values.into_iter().enumerate() {
        let value = value * inverse;
        let d = small(4 * (n - j)) * (value + constant);
        add(&mut coefficients, j, -d);
        add(&mut coefficients, j + n + 1, d);
        add(&mut steps, j, small(8) * value);
        add(&mut steps, j + n + 1, -(small(8) * value));
    }
    let mut running = ScalarOf::<E>::zero();
    for (coefficient, step) in coefficients.iter_mut().zip(steps) {
        running += step;
        *coefficient += running;
    }
    Ok(coefficients)
}

/// Beyond the end only zeros are added.
fn add<S: Scalar>(values: &mut [S], index: usize, summand: S) {
    if let Some(value) = values.get_mut(index) {
        *value += summand;
    }
}

/// Weights at the indices of their roots; that of `ω^m = 1` is 0.
fn at_roots<E: Engine>(n: usize, first: usize, weights: &[u128]) -> Vec<ScalarOf<E>> {
    let mut values = vec![ScalarOf::<E>::zero(); n + 1];
    let places = values.iter_mut().skip(1 + first);
    places.zip(weights).for_each(|(value, &weight)| *value = Scalar::from_u128(weight));
    values
}

fn size_inverse<E: Engine>(n: usize) -> Result<ScalarOf<E>, Error> {
    let log_size = (n + 1).trailing_zeros();
    let inverse = ScalarOf::<E>::from_u64(n as u64 + 1).invert();
    inverse.ok_or(Error::Domain { log_size })
}
