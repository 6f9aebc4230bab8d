//! The polynomials of unit vectors, at a point χ.
//!
//! For distinct points `w_1..w_{n+1}` and their Lagrange basis `l_i` of degree n:
//! `P_i = 2 l_i + l_{n+1}` for 1 ≤ i ≤ n, `P_0 = l_{n+1} − 1`, `Q_i = (P_i + P_0)² − 1`. A vector a is
//! a unit vector iff `(Σ a_i P_i + P_0)² − 1` vanishes at every `w_j`: there it is `(2a_j − 1)² − 1`,
//! and `(Σ a_i)² − 1` at `w_{n+1}` (FLZ 2016, section 5.1).

use algebra::{Domain, FftScalar, Scalar};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// `P_0`, `P_1..P_n` and `Q_1..Q_n` at χ. Secret, like χ.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(crate) struct Polynomials<S: Scalar> {
    pub(crate) p0: S,
    pub(crate) p: Vec<S>,
    pub(crate) q: Vec<S>,
}

impl<S: Scalar> Polynomials<S> {
    /// From the Lagrange basis of n + 1 points at χ.
    pub(crate) fn new(lagrange: &[S]) -> Self {
        let (last, basis) = lagrange.split_last().map_or((S::zero(), lagrange), |(l, b)| (*l, b));
        Self::with(last - S::one(), last, basis)
    }

    /// From n + 2 points, with the additional value 1 of `P_0` at `w_{n+2}`, where all `P_i` vanish:
    /// now 1, `P_0`, `P_1..P_n` are independent, and nobody can build `P_0` from the `P_i` (the
    /// repair of AC16; ours, without a published proof).
    pub(crate) fn repaired(lagrange: &[S]) -> Self {
        match lagrange {
            [basis @ .., last, extra] => {
                Self::with(*last + *extra + *extra - S::one(), *last, basis)
            }
            _ => Self::with(S::zero(), S::zero(), &[]),
        }
    }

    fn with(p0: S, last: S, basis: &[S]) -> Self {
        let p: Vec<S> = basis.iter().map(|&l| l + l + last).collect();
        let q = p.iter().map(|&p| (p + p0) * (p + p0) - S::one()).collect();
        Self { p0, p, q }
    }
}

/// The Lagrange basis of the points 1, 2, …, m at χ: `l_i = Z(χ)/((χ − i)·F_i)` with
/// `F_i = (i−1)!·(−1)^{m−i}·(m−i)!`. `None` if χ is one of the points.
pub(crate) fn lagrange_at_integers<S: Scalar>(m: usize, chi: S) -> Option<Vec<S>> {
    let integer = |i: usize| S::from_u64(i as u64);
    let factorials: Vec<S> = (0..m)
        .scan(S::one(), |product, i| {
            *product *= if i == 0 { S::one() } else { integer(i) };
            Some(*product)
        })
        .collect();
    let vanishing: S = (1..=m).fold(S::one(), |z, i| z * (chi - integer(i)));
    if vanishing == S::zero() {
        return None;
    }
    let rows = factorials.iter().zip(factorials.iter().rev()).enumerate();
    let mut denominators: Vec<S> = rows
        .map(|(index, (&below, &above))| {
            let product = (chi - integer(index + 1)) * below * above;
            if (m - index - 1).is_multiple_of(2) { product } else { -product }
        })
        .collect();
    S::batch_invert(&mut denominators);
    denominators.iter_mut().for_each(|inverse| *inverse *= vanishing);
    Some(denominators)
}

/// The Lagrange basis of the points `ω, ω², …, ω^m = 1` at χ: `l_i = ω^i (χ^m − 1)/(m (χ − ω^i))`.
/// `None` if χ is one of the points.
pub(crate) fn lagrange_at_roots<S: FftScalar>(domain: &Domain<S>, chi: S) -> Option<Vec<S>> {
    let squarings = domain.len().trailing_zeros();
    let vanishing = (0..squarings).fold(chi, |power, _| power * power) - S::one();
    if vanishing == S::zero() {
        return None;
    }
    let roots: Vec<S> = powers(domain.root(), domain.len());
    let mut lagrange: Vec<S> = roots.iter().map(|&root| chi - root).collect();
    S::batch_invert(&mut lagrange);
    let factor = vanishing * domain.size_inverse();
    lagrange.iter_mut().zip(roots).for_each(|(l, root)| *l *= factor * root);
    Some(lagrange)
}

/// `base, base², …, base^count`.
pub(crate) fn powers<S: Scalar>(base: S, count: usize) -> Vec<S> {
    std::iter::successors(Some(base), |&power| Some(power * base)).take(count).collect()
}

#[cfg(test)]
mod tests {
    use algebra::{Bls12381, ScalarOf};

    use super::*;

    type S = ScalarOf<Bls12381>;

    /// The values at integer points are integers, hence small enough to be reduced further.
    fn modulo(value: S, q: i64) -> i64 {
        let low = |value: S| {
            let bytes = value.encode();
            let (low, high) = bytes.split_at(8);
            let small = high.iter().all(|&byte| byte == 0);
            small.then(|| i64::from_le_bytes(low.try_into().unwrap()))
        };
        low(value).unwrap_or_else(|| -low(-value).unwrap()).rem_euclid(q)
    }

    #[test]
    fn agrees_with_the_test_values_of_the_papers_code() {
        for (chi, n, q, expected) in [
            (6, 2, 7, vec![2, 1, 1]),
            (8, 3, 17, vec![0, 12, 5, 3]),
            (9, 4, 17, vec![1, 4, 5, 1, 13]),
        ] {
            let lagrange = lagrange_at_integers(n + 1, S::from_u64(chi)).unwrap();
            let polynomials = Polynomials::new(&lagrange);
            let values = std::iter::once(&polynomials.p0).chain(&polynomials.p);
            assert_eq!(values.map(|&value| modulo(value, q)).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn bases_interpolate() {
        let chi = S::from_u64(123_456_789);
        let cube = |x: S| x * x * x - S::from_u64(5);
        let domain = Domain::new(8).unwrap();
        let roots = powers(domain.root(), 8);
        let at_roots = lagrange_at_roots(&domain, chi).unwrap();
        assert_eq!(at_roots.iter().zip(&roots).map(|(&l, &w)| l * cube(w)).sum::<S>(), cube(chi));
        let at_integers = lagrange_at_integers(7, chi).unwrap();
        let values = (1..=7).map(|i| cube(S::from_u64(i)));
        assert_eq!(at_integers.iter().zip(values).map(|(&l, v)| l * v).sum::<S>(), cube(chi));
        assert!(lagrange_at_roots(&domain, roots[2]).is_none());
        assert!(lagrange_at_integers(7, S::from_u64(7)).is_none());
    }
}
