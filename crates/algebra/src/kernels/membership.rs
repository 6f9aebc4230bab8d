//! Which points of a list are in the prime-order subgroup, for each point separately.
//!
//! The endomorphism ψ multiplies points of the subgroup by a constant μ. A curve's [`Membership`] is a relation of
//! small multiples of `ψ^k(P)` and `ψ^k([m]P)` that holds only for points of the subgroup. [`Curve`]'s documentation
//! says who proved this. The vector kernels compute `[m]P` eight at a time; m is the same for all points.

use ark_ec::short_weierstrass::Affine;

use super::{
    endomorphism::recode,
    lanes::{Ladders, NEGATIVE, PointOf, SECOND, Sums},
};
use crate::{parallel, weierstrass::Curve};

/// Points are in the subgroup if and only if the sum of the terms is neutral.
pub struct Membership {
    /// m.
    pub(crate) factor: u128,
    /// The sum.
    pub(crate) terms: &'static [Term],
}

impl Membership {
    /// A curve's parameter, which is a word.
    pub(crate) const fn word(x: &[u64]) -> u128 {
        x[0] as u128
    }
}

/// A term of the sum.
pub enum Term {
    /// `ψ^k(P)`.
    Point(usize),
    /// `ψ^k([m]P)`.
    Multiple(usize),
    /// `−ψ^k([m]P)`.
    MinusMultiple(usize),
}

/// From so many points on, the vector kernels' check is faster than that of one point.
const LANES_MIN: usize = 2;
/// Points that one thread takes at a time: as many as share an inversion well.
const CHUNK: usize = 512;
/// Digits of a factor's non-adjacent form.
const DIGITS_MAX: usize = 129;

/// The lowest index of a point outside the subgroup; all points must lie on the curve.
pub(crate) fn first_outside<P: Curve>(points: &[Affine<P>]) -> Option<usize> {
    if P::cofactor_is_one() {
        return None;
    }
    let chunk = points.len().div_ceil(rayon::current_num_threads()).clamp(8, CHUNK);
    let firsts = parallel::chunks(points, chunk, |index, points| {
        let first = match in_lanes(points) {
            Some(first) => first,
            None => points.iter().position(|point| !P::is_in_subgroup(point)),
        };
        first.map(|first| index * chunk + first)
    });
    firsts.into_iter().flatten().next()
}

/// The first of a chunk's points outside, by the vector kernels; `None` where these do not run.
fn in_lanes<P: Curve>(points: &[Affine<P>]) -> Option<Option<usize>> {
    let Membership { factor, terms } = P::MEMBERSHIP?;
    if points.len() < LANES_MIN {
        return None;
    }
    let packed = P::pack(points)?;
    let (digits, windows) = digits(factor);
    let ladders = Ladders {
        tables: &packed,
        points: points.len(),
        parts: 1,
        width: 1,
        digits: &digits,
        windows,
    };
    let (multiples, missing) = P::scale(ladders)?;
    let sums = sums::<P>(terms, &packed, multiples)?;
    Some((0..points.len()).find(|&index| {
        match missing[index / 8] >> (index % 8) & 1 {
            0 => !sums[index].is_neutral(),
            // The neutral element, and points of a small order.
            _ => !P::is_in_subgroup(&points[index]),
        }
    }))
}

/// The sum of the terms, of every point.
fn sums<P: Curve>(
    terms: &[Term],
    points: &[PointOf<P>],
    multiples: Vec<PointOf<P>>,
) -> Option<Vec<PointOf<P>>> {
    let count = points.len();
    // The images of the points and of the multiples, one power after the other.
    let (mut of_points, mut of_multiples) = (points.to_vec(), multiples);
    for term in terms {
        let (images, power) = match term {
            Term::Point(power) => (&mut of_points, *power),
            Term::Multiple(power) | Term::MinusMultiple(power) => (&mut of_multiples, *power),
        };
        while images.len() <= power * count {
            let next = P::images(&images[images.len() - count..])?;
            images.extend(next);
        }
    }
    let list = |index: usize| {
        terms.iter().map(move |term| match term {
            Term::Point(power) => (power * count + index) as u32,
            Term::Multiple(power) => (power * count + index) as u32 | SECOND,
            Term::MinusMultiple(power) => (power * count + index) as u32 | SECOND | NEGATIVE,
        })
    };
    let lists: Vec<u32> = (0..count).flat_map(list).collect();
    let starts: Vec<u32> = (0..=count).map(|index| (index * terms.len()) as u32).collect();
    P::sum_lists(Sums {
        first: &of_points,
        second: &of_multiples,
        terms: &lists,
        starts: &starts,
        secret: false,
    })
}

/// A factor's digits as [`Ladders`] has them, of the width 1: those of the non-adjacent form.
fn digits(factor: u128) -> (Vec<i8>, usize) {
    let mut digits = [0; DIGITS_MAX];
    let used = recode(factor, 2, &mut digits);
    (digits[..used].iter().rev().copied().chain([0]).collect(), used)
}

#[cfg(test)]
mod tests {
    use ark_ec::{AffineRepr, CurveConfig, CurveGroup, scalar_mul::double_and_add_affine};
    use ark_ff::PrimeField;
    use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};

    use super::*;
    use crate::Scalar;

    /// Points of the curve, hardly ever in the subgroup.
    fn curve_points<P: Curve>(count: usize) -> Vec<Affine<P>> {
        let xs = (1_u64..).map(P::BaseField::from);
        let points = xs.filter_map(|x| Affine::get_point_from_x_unchecked(x, false));
        points.take(count).collect()
    }

    fn subgroup_points<P: Curve>(count: usize) -> Vec<Affine<P>> {
        let scalars = P::ScalarField::random_many(count, &mut ChaCha20Rng::from_seed([1; 32]));
        scalars.iter().map(|scalar| (P::GENERATOR * scalar).into_affine()).collect()
    }

    fn agrees<P: Curve>(small_orders: &[u64]) {
        let mut outside = curve_points::<P>(20);
        // What the subgroup part leaves, and of that what has a small order.
        let torsion: Vec<Affine<P>> = outside
            .iter()
            .map(|point| double_and_add_affine(point, P::ScalarField::MODULUS).into_affine())
            .collect();
        for &order in small_orders {
            let (mut quotient, mut rest) = (<P as CurveConfig>::COFACTOR.to_vec(), 0_u128);
            for limb in quotient.iter_mut().rev() {
                rest = rest << 64 | u128::from(*limb);
                *limb = (rest / u128::from(order)) as u64;
                rest %= u128::from(order);
            }
            assert_eq!(rest, 0);
            let small = torsion.iter().map(|point| double_and_add_affine(point, &quotient));
            outside.extend(small.map(|point| point.into_affine()));
        }
        outside.extend(torsion);
        outside.retain(|point| !point.is_zero());
        assert!(outside.iter().all(|point| !P::is_in_subgroup(point)));
        let mut inside = subgroup_points::<P>(21);
        inside.extend([Affine::identity(), P::GENERATOR, -P::GENERATOR, inside[0]]);
        for len in 0..inside.len() {
            assert_eq!(first_outside(&inside[..len]), None, "{len}");
        }
        assert_eq!(first_outside(&inside), None);
        for (index, point) in outside.iter().enumerate() {
            // Alone, in every lane, and mixed with a point of the subgroup.
            assert_eq!(first_outside(&[*point]), Some(0));
            let place = index % inside.len();
            let mut points = inside.clone();
            points[place] = *point;
            assert_eq!(first_outside(&points), Some(place));
            points[place] = (*point + P::GENERATOR).into_affine();
            assert_eq!(first_outside(&points), Some(place));
        }
        let points: Vec<_> = inside.iter().chain(&outside).copied().collect();
        assert_eq!(first_outside(&points), Some(inside.len()));
        assert_eq!(first_outside(&outside), Some(0));
    }

    #[test]
    fn membership_is_told_as_one_by_one() {
        agrees::<ark_bn254::g2::Config>(&[10_069, 5_864_401]);
        agrees::<ark_bls12_381::g1::Config>(&[3, 11]);
        agrees::<ark_bls12_381::g2::Config>(&[13]);
    }

    #[test]
    fn curves_without_a_cofactor_have_nothing_outside() {
        assert!(ark_bn254::g1::Config::MEMBERSHIP.is_none());
        assert_eq!(first_outside(&curve_points::<ark_bn254::g1::Config>(3)), None);
    }
}
