//! Whether many points lie in the prime-order subgroup, by random sums of them.
//!
//! A point outside has a component whose order divides the cofactor; let `q` be the smallest prime
//! there. In a sum of all points, with coefficients from `r ≤ q` consecutive integers, at most one
//! value of this point's coefficient makes the component vanish, hence the sum lies in the subgroup
//! with probability `1/r` at the most. Of as many sums as make that 2^−128 each is checked by
//! endomorphism. One sum with long coefficients will not do: a component of order 3 survives it one
//! time in three.
//!
//! The sums share their additions: a point goes into one bucket of a table, by as many coefficients
//! as the table has digits, and the sums are taken of the buckets.

use ark_ec::{
    CurveGroup,
    short_weierstrass::{Affine, Bucket, Projective},
};
use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::{point_format, weierstrass::Curve};

/// From this many points on, sums are faster than a check of every point.
pub(crate) const MIN: usize = 1 << 10;

/// Points that are hashed at a time.
const HASHED: usize = 1 << 10;

/// Which random sums show that points lie in a curve's subgroup.
pub struct SubgroupSums {
    /// Coefficients are below this; at most the smallest prime that divides the cofactor.
    pub(crate) radix: usize,
    /// Sums to a table. A table has `radix^digits` buckets, at most 256.
    pub(crate) digits: u32,
    /// Tables: `radix^(digits · tables)` is at least 2^128.
    pub(crate) tables: u32,
}

impl SubgroupSums {
    /// Whether the sums of points of the curve lie in the subgroup.
    ///
    /// The coefficients follow from the points: who wants others to pass has to try 2^128 lists.
    pub(crate) fn hold<P: Curve>(&self, points: &[Affine<P>]) -> bool {
        let seed = digest(points);
        (0..self.tables).into_par_iter().all(|table| {
            let seed = Sha256::new().chain_update(seed).chain_update(table.to_le_bytes());
            let mut buckets = vec![Bucket::<P>::ZERO; self.radix.pow(self.digits)];
            let indices = below(buckets.len(), ChaCha20Rng::from_seed(seed.finalize().into()));
            points.iter().zip(indices).for_each(|(point, index)| buckets[index] += point);
            let sums = Projective::normalize_batch(&digit_sums(buckets, self.radix));
            sums.iter().all(P::is_in_subgroup)
        })
    }
}

fn digest<P: Curve>(points: &[Affine<P>]) -> [u8; 32] {
    let digest = |points: &[Affine<P>]| {
        let mut bytes = Vec::with_capacity(points.len() * P::ENCODED_LEN);
        points.iter().for_each(|point| point_format::encode(point, &mut bytes));
        Sha256::digest(&bytes)
    };
    let digests: Vec<_> = points.par_chunks(HASHED).map(digest).collect();
    digests.iter().fold(Sha256::new(), |hash, digest| hash.chain_update(digest)).finalize().into()
}

/// Uniform numbers below `bound`, which is at most 256.
fn below(bound: usize, mut rng: ChaCha20Rng) -> impl Iterator<Item = usize> {
    let blocks = std::iter::repeat_with(move || {
        let mut block = [0_u8; 64];
        rng.fill_bytes(&mut block);
        block
    });
    blocks.flatten().map(usize::from).filter(move |&byte| byte < bound)
}

/// For every digit of a bucket's index the sum of the buckets, each as often as the digit says.
fn digit_sums<P: Curve>(mut buckets: Vec<Bucket<P>>, radix: usize) -> Vec<Projective<P>> {
    let mut sums = Vec::new();
    while buckets.len() > 1 {
        // By the highest digit, from the largest on: what is in the running sum counts once more.
        let rest = buckets.len() / radix;
        let (mut running, mut sum) = (Bucket::<P>::ZERO, Bucket::<P>::ZERO);
        for digit in buckets[rest..].chunks_exact(rest).rev() {
            digit.iter().for_each(|bucket| running += bucket);
            sum += &running;
        }
        sums.push(sum.into());
        let (zero, others) = buckets.split_at_mut(rest);
        for digit in others.chunks_exact(rest) {
            zero.iter_mut().zip(digit).for_each(|(sum, bucket)| *sum += bucket);
        }
        buckets.truncate(rest);
    }
    sums
}

#[cfg(test)]
mod tests {
    use ark_bls12_381 as bls;
    use ark_bn254 as bn;
    use ark_ec::AffineRepr;
    use ark_ff::PrimeField;

    use super::*;
    use crate::{AffineGroup, FixedBaseTable, Group, PointError, Scalar};

    fn curve_points<P: Curve>() -> impl Iterator<Item = Affine<P>> {
        (1_u64..).filter_map(|x| Affine::<P>::get_point_from_x_unchecked(x.into(), x % 2 == 0))
    }

    /// The cofactor without its factors `prime`.
    fn without<P: Curve>(prime: u64) -> Vec<u64> {
        let mut left = P::COFACTOR.to_vec();
        loop {
            let (mut quotient, mut carry) = (left.clone(), 0_u128);
            for limb in quotient.iter_mut().rev() {
                carry = carry << 64 | u128::from(*limb);
                *limb = (carry / u128::from(prime)) as u64;
                carry %= u128::from(prime);
            }
            if carry != 0 {
                return left;
            }
            left = quotient;
        }
    }

    /// A point of prime order.
    fn of_order<P: Curve>(prime: u64) -> Affine<P> {
        let times = |point: &Affine<P>, limbs: &[u64]| P::mul_affine(point, limbs).into_affine();
        let (order, rest) = (P::ScalarField::MODULUS, without::<P>(prime));
        let torsion = |point| times(&times(&point, order.as_ref()), &rest);
        let mut point = curve_points::<P>().map(torsion).find(|point| !point.is_zero()).unwrap();
        loop {
            let next = times(&point, &[prime]);
            if next.is_zero() {
                return point;
            }
            point = next;
        }
    }

    fn random<P: Curve>(count: usize) -> Vec<Affine<P>> {
        let mut rng = ChaCha20Rng::from_seed([5; 32]);
        let scalars = P::ScalarField::random_many(count, &mut rng);
        let table = FixedBaseTable::new(&Projective::<P>::generator());
        Projective::<P>::to_affine_all(&table.mul_all(&scalars))
    }

    fn small_orders<P: Curve>(smallest: u64, others: &[u64]) {
        let sums = P::SUBGROUP_SUMS.unwrap();
        assert!(sums.radix as u64 <= smallest && sums.radix.pow(sums.digits) <= 256);
        let bits = (sums.radix as f64).log2() * f64::from(sums.digits * sums.tables);
        assert!(bits >= 128.0, "{bits}");

        let honest = random::<P>(MIN + 3);
        assert!(sums.hold(&honest) && sums.hold::<P>(&[]));
        assert_eq!(Projective::<P>::check_subgroup_all(&honest), Ok(()));
        for &prime in [smallest].iter().chain(others) {
            let bad = of_order::<P>(prime);
            assert!(!P::is_in_subgroup(&bad));
            for index in [0, 700, MIN + 2] {
                for wrong in [bad, (honest[index] + bad).into_affine()] {
                    let mut points = honest.clone();
                    points[index] = wrong;
                    let refused = Err(PointError::Subgroup { index });
                    assert!(!sums.hold(&points), "{prime}");
                    assert_eq!(Projective::<P>::check_subgroup_all(&points), refused);
                }
            }
            // Components that cancel in the sum of all points.
            let mut points = honest.clone();
            points[3] = (points[3] + bad).into_affine();
            points[9] = (points[9] - bad).into_affine();
            assert!(!sums.hold(&points), "{prime}");
            points.truncate(MIN - 1);
            let refused = Err(PointError::Subgroup { index: 3 });
            assert_eq!(Projective::<P>::check_subgroup_all(&points), refused);
        }
    }

    #[test]
    fn points_of_small_order_are_found() {
        small_orders::<bls::g1::Config>(3, &[11, 10_177, 859_267, 52_437_899]);
        small_orders::<bls::g2::Config>(13, &[23, 2713, 11_953, 262_069]);
        small_orders::<bn::g2::Config>(10_069, &[5_864_401]);
        assert!(<bn::g1::Config as Curve>::SUBGROUP_SUMS.is_none());
    }

    /// One sum alone misses a component of order 3 about one time in three.
    #[test]
    fn one_sum_is_not_enough() {
        let one = SubgroupSums { radix: 3, digits: 1, tables: 1 };
        let bad = of_order::<bls::g1::Config>(3);
        let missed = random(90).iter().filter(|point| one.hold(&[**point, bad])).count();
        assert!((10..=55).contains(&missed), "{missed}");
    }

    /// The sums are those of the digits.
    #[test]
    fn sums_by_digits() {
        let points = random::<bn::g1::Config>(27);
        let sums = digit_sums(points.iter().map(|&point| point.into()).collect(), 3);
        for (sum, place) in sums.into_iter().zip([9, 3, 1]) {
            let digits: Vec<_> = (0..27).map(|index| index / place % 3).collect();
            assert_eq!(sum, Projective::msm_short_affine(&digits, &points));
        }
    }
}
