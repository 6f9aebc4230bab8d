//! Subgroup checks of many points of a curve at once.
//!
//! *One sum.* Let H be the prime-order subgroup of a curve's group E. Its index is odd on every
//! curve of this crate. Draw `c_i` from {−1, 0, 1}: if some P_j is outside H, then `Σ c_i P_i` lies
//! in H with probability at most 1/3, whatever the other points and their coefficients are. For if
//! two values of c_j gave a point of H, their difference d = ±1 or ±2 would give `d·P_j` in H; but
//! the order of P_j in E/H is odd, so that P_j would be in H. The order does not matter, nor
//! whether components outside H cancel. [`SUMS`] independent sums miss with 3^-81 < 2^-128.
//!
//! Longer coefficients in one sum do not replace several sums: a component of order 3, which G1 of
//! BLS12-381 has, survives one sum of three. This is the test by random subsets of Bellare, Garay
//! and Rabin (EUROCRYPT 1998), with signs; the repetitions are what Boyd and Pavlovski
//! (ASIACRYPT 2000) found missing where batch verification met small subgroups.
//!
//! *k sums at once.* k coefficients are the balanced ternary digits of one number s, uniform in
//! −h..=h with h = (3^k − 1)/2: the point goes to bucket |s| with the sign of s, which is one
//! addition for k sums. Emptying the buckets takes about 2h more. So a point takes `⌈81/k⌉`
//! additions in affine coordinates, where a check of its own takes 64 or 128 doublings. Buckets that
//! are checked themselves (one sum of random subsets that do not meet) miss with `1/h`: the same
//! additions, but h checks in place of k.

use ark_ec::{
    AffineRepr, CurveGroup,
    short_weierstrass::{Affine, Projective},
};
use rand_core::CryptoRng;

use super::{
    batch_affine::{self, Slopes, add_all},
    buckets::sum_segments,
    first_outside,
};
use crate::{parallel, weierstrass::Curve};

/// Sums that are checked at the least: 3^81 > 2^128, by more than words of 32 bits, taken to a
/// range below 3^9, are uneven.
const SUMS: usize = 81;
/// Most sums of one pass: 9,841 buckets.
const DIGITS_MAX: usize = 9;
/// Below this, checks one by one take less than those of the sums.
const POINTS_MIN: usize = 128;
/// Points that are checked together; more only take more memory.
const CHUNK: usize = 1 << 15;
/// Points, passes counted, that one thread sums at a time.
const WORK: usize = 1 << 13;
/// What emptying a bucket costs, in additions to a bucket.
const BUCKET_COST: usize = 2;

/// Whether all points, which must lie on the curve, lie in the prime-order subgroup. `true` is wrong
/// with probability below 2^-128 if `rng` was not known to whoever chose the points; `false` is never
/// wrong.
pub(crate) fn all_in_subgroup<P: Curve>(
    points: &[Affine<P>],
    rng: &mut (impl CryptoRng + ?Sized),
) -> bool {
    if P::cofactor_is_one() {
        return true;
    }
    if points.len() < POINTS_MIN {
        return first_outside(points).is_none();
    }
    chunks_in_subgroup(points, CHUNK, rng)
}

/// Whoever puts a point outside must get it past the check of its own chunk.
fn chunks_in_subgroup<P: Curve>(
    points: &[Affine<P>],
    chunk: usize,
    rng: &mut (impl CryptoRng + ?Sized),
) -> bool {
    points.chunks(chunk).all(|points| chunk_in_subgroup(points, rng))
}

fn chunk_in_subgroup<P: Curve>(points: &[Affine<P>], rng: &mut (impl CryptoRng + ?Sized)) -> bool {
    let cost = |digits: &usize| passes(*digits) * (points.len() + BUCKET_COST * buckets(*digits));
    let digits = (1..=DIGITS_MAX).min_by_key(cost).unwrap_or(1);
    let mut random = vec![0; passes(digits) * points.len() * 4];
    rng.fill_bytes(&mut random);
    let (words, _) = random.as_chunks::<4>();
    let passes_at_once = (WORK / points.len()).max(1);
    let sums = parallel::chunks(words, passes_at_once * points.len(), |_, words| {
        random_sums(points, words, digits)
    });
    let sums = Projective::normalize_batch(&sums.concat());
    let verdicts = parallel::map(sums.len(), |index| P::is_in_subgroup(&sums[index]));
    verdicts.into_iter().all(|is_inside| is_inside)
}

fn passes(digits: usize) -> usize {
    SUMS.div_ceil(digits)
}

/// The greatest number of so many balanced ternary digits.
fn buckets(digits: usize) -> usize {
    3_usize.pow(digits as u32) / 2
}

/// A number in −h..=h, h the number of buckets, from a random word.
fn signed(word: [u8; 4], digits: usize) -> i32 {
    let range = 3_u64.pow(digits as u32);
    ((u64::from(u32::from_le_bytes(word)) * range) >> 32) as i32 - buckets(digits) as i32
}

/// `digits` sums for every pass, from one random word for each pass and point.
fn random_sums<P: Curve>(
    points: &[Affine<P>],
    words: &[[u8; 4]],
    digits: usize,
) -> Vec<Projective<P>> {
    let signed: Vec<i32> = words.iter().map(|&word| signed(word, digits)).collect();
    let count = buckets(digits);
    let mut passes = fill(points, &signed, count);
    let mut sums = Vec::with_capacity(passes.len() * digits);
    let mut slopes = Slopes::with_capacity(passes.len() * count);
    let mut remaining = count;
    while remaining > 0 {
        remaining = (remaining - 1) / 3;
        take_top_digit(&mut passes, remaining, &mut slopes, &mut sums);
    }
    sums
}

/// Every pass' buckets: bucket s, at s − 1, is the sum of the points with s less those with −s.
fn fill<P: Curve>(points: &[Affine<P>], signed: &[i32], count: usize) -> Vec<Vec<Affine<P>>> {
    let numbered = || {
        let passes = signed.chunks_exact(points.len()).enumerate();
        let numbered = passes.flat_map(|(pass, signed)| signed.iter().map(move |&s| (pass, s)));
        let bucket = move |(pass, s): (usize, i32)| pass * count + s.unsigned_abs() as usize - 1;
        let points = points.iter().cycle();
        numbered.zip(points).filter(|((_, s), _)| *s != 0).map(move |((pass, s), point)| {
            (bucket((pass, s)), if s < 0 { -*point } else { *point })
        })
    };
    // Counting sort.
    let mut starts = vec![0_u32; signed.len() / points.len() * count + 1];
    numbered().for_each(|(bucket, _)| starts[bucket + 1] += 1);
    for index in 1..starts.len() {
        starts[index] += starts[index - 1];
    }
    let mut next = starts.clone();
    let mut work = vec![Affine::identity(); signed.len()];
    for (bucket, point) in numbered() {
        work[next[bucket] as usize] = point;
        next[bucket] += 1;
    }
    sum_segments(&mut work, &starts);
    let sum = |ends: &[u32]| match ends[0] < ends[1] {
        true => work[ends[0] as usize],
        false => Affine::identity(),
    };
    let sums: Vec<_> = starts.windows(2).map(sum).collect();
    sums.chunks(count).map(<[_]>::to_vec).collect()
}

/// The sum for the highest digit of every pass. It is 1 for the buckets above h', the greatest number
/// without it, which are `2h' + 1 + t` for t in −h'..=h' and go to bucket |t| with the sign of t.
fn take_top_digit<P: Curve>(
    passes: &mut [Vec<Affine<P>>],
    below: usize,
    slopes: &mut Slopes<P::BaseField>,
    sums: &mut Vec<Projective<P>>,
) {
    slopes.clear();
    let middle = 2 * below;
    for buckets in &*passes {
        (1..=below).for_each(|t| slopes.push_sum(&buckets[middle + t], &buckets[middle - t]));
    }
    slopes.invert();
    let mut differences = Vec::with_capacity(passes.len() * below);
    {
        let mut slope = slopes.iter();
        for buckets in &*passes {
            let mut sum = buckets[middle].into_group();
            for (t, slope) in (1..=below).zip(&mut slope) {
                let (above, under) = (&buckets[middle + t], &buckets[middle - t]);
                sum += batch_affine::sum(slope, above, under);
                differences.push(batch_affine::difference(slope, above, under));
            }
            sums.push(sum);
        }
    }
    let mut lower: Vec<_> = passes.iter().flat_map(|buckets| &buckets[..below]).copied().collect();
    add_all(slopes, &mut lower, &differences);
    let mut lower = lower.into_iter();
    for buckets in passes {
        *buckets = lower.by_ref().take(below).collect();
    }
}

#[cfg(test)]
mod tests {
    use ark_ec::PrimeGroup;
    use ark_ff::AdditiveGroup;
    use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};

    use super::*;
    use crate::Scalar;

    fn points<P: Curve>(count: usize) -> Vec<Affine<P>> {
        let scalars = P::ScalarField::random_many(count, &mut ChaCha20Rng::from_seed([1; 32]));
        let points: Vec<_> =
            scalars.iter().map(|scalar| Projective::<P>::generator() * scalar).collect();
        let mut points = Projective::normalize_batch(&points);
        if let [a, b, c, d, ..] = points.as_mut_slice() {
            (*b, *c, *d) = (*a, -*a, Affine::identity());
        }
        points
    }

    /// All sums of all passes, lowest digit first, by their definition.
    fn expected<P: Curve>(
        points: &[Affine<P>],
        words: &[[u8; 4]],
        digits: usize,
    ) -> Vec<Projective<P>> {
        let mut sums = Vec::new();
        for words in words.chunks(points.len()) {
            let mut pass = vec![Projective::ZERO; digits];
            for (&word, point) in words.iter().zip(points) {
                let mut shifted = (signed(word, digits) + buckets(digits) as i32) as usize;
                for sum in &mut pass {
                    match shifted % 3 {
                        0 => *sum -= point,
                        1 => {}
                        _ => *sum += point,
                    }
                    shifted /= 3;
                }
            }
            sums.extend(pass);
        }
        sums
    }

    fn sums_have_balanced_ternary_coefficients<P: Curve>() {
        let mut rng = ChaCha20Rng::from_seed([2; 32]);
        for (count, digits, passes) in [(1, 1, 1), (5, 2, 3), (60, 3, 2), (300, 5, 4)] {
            let points = points::<P>(count);
            let mut random = vec![0; count * passes * 4];
            rand_core::Rng::fill_bytes(&mut rng, &mut random);
            let (words, _) = random.as_chunks::<4>();
            let mut sums = random_sums(&points, words, digits);
            // The highest digit of all passes comes first.
            let expected = expected(&points, words, digits);
            let by_digit = (0..digits).rev().flat_map(|d| expected.iter().skip(d).step_by(digits));
            assert!(by_digit.eq(sums.iter()));
            assert_eq!(sums.len(), digits * passes);
            sums[0] += Projective::<P>::generator();
            assert!(sums[0] != expected[digits - 1]);
        }
    }

    #[test]
    fn sums_are_those_of_the_digits() {
        sums_have_balanced_ternary_coefficients::<ark_bls12_381::g1::Config>();
        sums_have_balanced_ternary_coefficients::<ark_bn254::g2::Config>();
    }

    /// Lists that end before, at and behind the end of a chunk, with a point outside in every place.
    #[test]
    fn every_chunk_is_checked() {
        type P = ark_bls12_381::g1::Config;
        const CHUNK: usize = 3;
        let mut rng = ChaCha20Rng::from_seed([3; 32]);
        let mut candidates =
            (1_u64..).filter_map(|x| Affine::<P>::get_point_from_x_unchecked(x.into(), true));
        let outside = candidates.find(|point| !P::is_in_subgroup(point)).unwrap();
        for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 2 * CHUNK + 1] {
            let mut points = points::<P>(len);
            assert!(chunks_in_subgroup(&points, CHUNK, &mut rng), "{len}");
            for index in 0..len {
                let point = std::mem::replace(&mut points[index], outside);
                assert!(!chunks_in_subgroup(&points, CHUNK, &mut rng), "{len}, {index}");
                points[index] = point;
            }
        }
    }

    #[test]
    fn coefficients_are_uniform_and_enough() {
        assert!((0..SUMS).fold(1.0, |error, _| error / 3.0) < 2_f64.powi(-128));
        for digits in 1..=DIGITS_MAX {
            assert!(passes(digits) * digits >= SUMS);
            let (lowest, highest) = (signed([0; 4], digits), signed([0xff; 4], digits));
            assert_eq!((-lowest, highest), (highest, buckets(digits) as i32));
            // Each number has 2^32/3^k words, rounded down or up.
            let range = 3_f64.powi(digits as i32);
            let excess = (1.0 + range / 2_f64.powi(32)).powi(passes(digits) as i32);
            assert!(excess * 3_f64.powi(-81) < 2_f64.powi(-128));
        }
    }
}
