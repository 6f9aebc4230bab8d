//! The kernels on affine slices against plain arkworks.

use algebra::{
    AffineGroup, Bls12381G1, Bls12381G2, Bn254G1, Bn254G2, Dialect, FixedBaseTable, Group as _,
    MsmStream, PointError, PointForm, Ristretto255, Scalar, encode_doubles,
};
use ark_ec::{
    AffineRepr, CurveGroup, PrimeGroup,
    scalar_mul::double_and_add_affine,
    short_weierstrass::{Affine, Projective, SWCurveConfig},
};
use ark_ff::PrimeField;
use proptest::prelude::*;

use crate::common::{random_points, rng};

/// Instantiates generic test functions for every pairing group.
macro_rules! for_all_curves {
    ($($test:ident),+ $(,)?) => {
        for_all_groups!(@ bls12_381_g1, algebra::Bls12381G1, $($test),+);
        for_all_groups!(@ bls12_381_g2, algebra::Bls12381G2, $($test),+);
        for_all_groups!(@ bn254_g1, algebra::Bn254G1, $($test),+);
        for_all_groups!(@ bn254_g2, algebra::Bn254G2, $($test),+);
    };
}

for_all_curves!(
    scaling,
    scaling_by_one_scalar,
    scaling_short_slices,
    scaling_stays_clear_of_other_curve_points,
    msm_of_many,
    msm_of_equal_terms,
    msm_streams,
    subgroup_checks,
    subgroup_checks_of_many,
    decoding_of_many,
    bad_points_of_long_lists,
    compressed_points_of_long_lists,
    tables_of_many_multiples,
);

/// arkworks' multiplication by the scalar's integer.
trait Plain: AffineGroup {
    fn plain_mul(point: &Self::Affine, scalar: &Self::Scalar) -> Self::Affine;
    fn negate(point: &Self::Affine) -> Self::Affine;
    /// A point of the curve outside the subgroup, if there is one.
    fn outside() -> Option<Self::Affine>;
    /// The group order times a point of the curve.
    fn times_order(point: &Self::Affine) -> Self::Affine;
    /// A point of a small order, if it divides the cofactor: what is left of a point of the curve
    /// after multiplication by everything else in the order of its group.
    fn of_small_order(order: u64) -> Option<Self::Affine>;
}

impl<P: SWCurveConfig> Plain for Projective<P>
where
    Self: AffineGroup<Affine = Affine<P>, Scalar = P::ScalarField>
        + PrimeGroup<ScalarField = P::ScalarField>,
{
    fn plain_mul(point: &Affine<P>, scalar: &P::ScalarField) -> Affine<P> {
        (*point * scalar).into_affine()
    }

    fn negate(point: &Affine<P>) -> Affine<P> {
        -*point
    }

    fn outside() -> Option<Affine<P>> {
        (!P::cofactor_is_one()).then(|| {
            let points =
                (1_u64..).filter_map(|x| Affine::<P>::get_point_from_x_unchecked(x.into(), true));
            let mut outside = points.filter(|p| !p.is_in_correct_subgroup_assuming_on_curve());
            outside.next().unwrap()
        })
    }

    fn times_order(point: &Affine<P>) -> Affine<P> {
        double_and_add_affine(point, P::ScalarField::MODULUS).into_affine()
    }

    fn of_small_order(order: u64) -> Option<Affine<P>> {
        let mut rest: Vec<u64> = P::COFACTOR.to_vec();
        let mut remainder = 0_u128;
        for limb in rest.iter_mut().rev() {
            let dividend = remainder << 64 | u128::from(*limb);
            (*limb, remainder) =
                ((dividend / u128::from(order)) as u64, dividend % u128::from(order));
        }
        let points =
            (1_u64..50).filter_map(|x| Affine::<P>::get_point_from_x_unchecked(x.into(), true));
        let small = points.map(|p| double_and_add_affine(&Self::times_order(&p), &rest));
        let small = small.map(CurveGroup::into_affine).find(|p| !p.is_zero());
        small.filter(|_| remainder == 0)
    }
}

/// `count` points with neutral, repeated and opposite ones among them.
fn points<G: Plain>(count: usize, seed: u8) -> Vec<G::Affine> {
    let mut points = G::to_affine_all(&random_points::<G>(count, seed));
    for (index, special) in [(1, None), (3, Some(false)), (5, Some(true))] {
        if index < count {
            points[index] = match special {
                None => G::to_affine_all(&[G::identity()])[0],
                Some(false) => points[index - 1],
                Some(true) => G::negate(&points[index - 1]),
            };
        }
    }
    points
}

/// `count` scalars with those at which recodings and formulas break in front, in turn with random
/// ones so that special points meet both.
fn scalars<S: Scalar>(count: usize, seed: u8) -> Vec<S> {
    let mut scalars = S::random_many(count, &mut rng(seed));
    let two_to_64 = S::from_u128(1 << 64);
    let special = [
        S::zero(),
        S::one(),
        -S::one(),
        S::from_u64(2),
        -S::from_u64(2),
        S::from_u64(3),
        S::from_u64(8),
        S::from_u64(15),
        S::from_u64(16),
        S::from_u64(17),
        two_to_64,
        two_to_64 - S::one(),
        S::from_u128(u128::MAX),
        -S::from_u128(u128::MAX),
        two_to_64 * two_to_64,
    ];
    for (slot, special) in scalars.iter_mut().skip(6).zip(special) {
        *slot = special;
    }
    if let [_, _, a, b, c, d, ..] = scalars.as_mut_slice() {
        (*b, *d) = (*a, *c);
    }
    scalars
}

fn scale_plain<G: Plain>(points: &[G::Affine], scalars: &[G::Scalar]) -> Vec<G::Affine> {
    points.iter().zip(scalars).map(|(point, scalar)| G::plain_mul(point, scalar)).collect()
}

fn scaling<G: Plain>() {
    for count in [0, 1, 2, 15, 16, 17, 40, 600] {
        let (points, scalars) = (points::<G>(count, 11), scalars::<G::Scalar>(count, 12));
        let expected = scale_plain::<G>(&points, &scalars);
        let mut scaled = points.clone();
        G::scale_each(&mut scaled, &scalars);
        assert!(scaled == expected, "{count}");
    }
    // Special points meet special scalars.
    let (points, mut scalars) = (points::<G>(24, 11), scalars::<G::Scalar>(24, 12));
    for _ in 0..8 {
        scalars.rotate_left(3);
        let mut scaled = points.clone();
        G::scale_each(&mut scaled, &scalars);
        assert!(scaled == scale_plain::<G>(&points, &scalars));
    }
}

fn scaling_by_one_scalar<G: Plain>() {
    let points = points::<G>(40, 13);
    for scalar in scalars::<G::Scalar>(25, 14) {
        for count in [0, 1, 15, 16, 40] {
            let mut scaled = points[..count].to_vec();
            G::scale_all(&mut scaled, &scalar);
            assert!(scaled == scale_plain::<G>(&points[..count], &vec![scalar; count]));
        }
    }
}

fn scaling_short_slices<G: Plain>() {
    let (points, scalars) = (points::<G>(50, 15), scalars::<G::Scalar>(50, 16));
    for (point_count, scalar_count) in [(50, 20), (20, 50), (50, 0), (50, 3)] {
        let both = point_count.min(scalar_count);
        let mut expected = points[..point_count].to_vec();
        expected[..both].copy_from_slice(&scale_plain::<G>(&points[..both], &scalars[..both]));
        let mut scaled = points[..point_count].to_vec();
        G::scale_each(&mut scaled, &scalars[..scalar_count]);
        assert!(scaled == expected);
    }
}

/// What a point outside the subgroup becomes is unspecified; its neighbours must not suffer.
fn scaling_stays_clear_of_other_curve_points<G: Plain>() {
    let Some(outside) = G::outside() else { return };
    let (mut points, scalars) = (points::<G>(40, 17), scalars::<G::Scalar>(40, 18));
    let expected = scale_plain::<G>(&points, &scalars);
    points[20] = outside;
    G::scale_each(&mut points, &scalars);
    assert!(points[..20] == expected[..20] && points[21..] == expected[21..]);
}

fn msm_plain<G: Plain>(scalars: &[G::Scalar], points: &[G::Affine]) -> G {
    scale_plain::<G>(points, scalars).iter().map(G::from_affine).sum()
}

fn low_half<S: Scalar>(scalar: &S) -> u128 {
    u128::from_le_bytes(*scalar.encode().first_chunk().unwrap())
}

fn msm_of_many<G: Plain>() {
    let (points, scalars) = (points::<G>(3000, 19), scalars::<G::Scalar>(3000, 20));
    let short: Vec<u128> = scalars.iter().map(low_half).collect();
    let short_scalars: Vec<_> = short.iter().map(|&s| G::Scalar::from_u128(s)).collect();
    for count in [511, 512, 513, 3000] {
        let expected = msm_plain::<G>(&scalars[..count], &points[..count]);
        assert_eq!(G::msm_affine(&scalars[..count], &points), expected);
        assert_eq!(G::msm_affine(&scalars, &points[..count]), expected);
        let expected = msm_plain::<G>(&short_scalars[..count], &points[..count]);
        assert_eq!(G::msm_short_affine(&short[..count], &points), expected);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(20).build().unwrap();
    let parallel = pool.install(|| G::msm_affine(&scalars, &points));
    assert_eq!(parallel, msm_plain::<G>(&scalars, &points));
}

/// All terms in one bucket of every window, and sums that cancel.
fn msm_of_equal_terms<G: Plain>() {
    let (count, point) = (700, points::<G>(1, 21)[0]);
    for scalar in scalars::<G::Scalar>(25, 22) {
        let expected = G::from_affine(&point).mul(&(scalar * G::Scalar::from_u64(count)));
        let scalars = vec![scalar; count as usize];
        let mut points = vec![point; count as usize];
        assert_eq!(G::msm_affine(&scalars, &points), expected);
        points.iter_mut().step_by(2).for_each(|point| *point = G::negate(point));
        assert_eq!(G::msm_affine(&scalars, &points), G::identity());
    }
}

fn msm_streams<G: Plain>() {
    let (points, scalars) = (points::<G>(900, 23), scalars::<G::Scalar>(900, 24));
    let short: Vec<u128> = scalars.iter().map(low_half).collect();
    let expected = G::msm_affine(&scalars, &points);
    for expected_count in [0, 10, 1 << 14] {
        let mut sum = G::Msm::new(expected_count);
        for (scalars, points) in scalars.chunks(101).zip(points.chunks(101)) {
            sum.push(scalars, points);
        }
        sum.push(&[], &points);
        assert_eq!(sum.finish(), expected);
    }
    let mut sum = G::Msm::new(900);
    sum.push(&scalars[..450], &points);
    sum.push_short(&short[450..], &points[450..]);
    let mixed = G::msm_affine(&scalars[..450], &points)
        + G::msm_short_affine(&short[450..], &points[450..]);
    assert_eq!(sum.finish(), mixed);
    assert_eq!(G::Msm::new(3).finish(), G::identity());
}

fn subgroup_checks<G: Plain>() {
    let mut points = points::<G>(40, 25);
    assert_eq!(G::check_subgroup_all(&points), Ok(()));
    assert_eq!(G::check_subgroup_all(&[]), Ok(()));
    let Some(outside) = G::outside() else { return };
    for index in [39, 12, 0] {
        points[index] = outside;
        assert_eq!(G::check_subgroup_all(&points), Err(PointError::Subgroup { index }));
    }
}

/// Points whose components outside the subgroup cancel, in order 3 too, in every place and number.
fn subgroup_checks_of_many<G: Plain>() {
    let mut rng = rng(26);
    for count in [0, 1, 127, 128, 5000] {
        assert_eq!(G::check_subgroup_batch(&points::<G>(count, 26), &mut rng), Ok(()));
    }
    let Some(outside) = G::outside() else { return };
    // The whole component outside, and those of the smallest orders: 3 in G1 of BLS12-381, 13 or 2713 in
    // its G2, 10069 in G2 of BN254.
    let small = [3, 13, 2_713, 10_069].into_iter().find_map(G::of_small_order).unwrap();
    for component in [G::times_order(&outside), small] {
        let component = G::from_affine(&component);
        let mut all = random_points::<G>(1000, 27);
        (all[7], all[411]) = (all[7] + component, all[411] - component);
        (all[412], all[999]) = (all[412] + component, all[999] + component);
        let affine = G::to_affine_all(&all);
        let refused = Err(PointError::Subgroup { index: 7 });
        for _ in 0..5 {
            assert_eq!(G::check_subgroup_batch(&affine, &mut rng), refused);
        }
        let everywhere: Vec<_> = all.iter().map(|&point| point + component).collect();
        let refused = Err(PointError::Subgroup { index: 0 });
        let affine = G::to_affine_all(&everywhere);
        assert_eq!(G::check_subgroup_batch(&affine, &mut rng), refused);
    }
}

fn decoding_of_many<G: Plain>() {
    let mut rng = rng(28);
    let mut points = random_points::<G>(400, 28);
    points[5] = G::identity();
    let bytes = G::encode_all(&points);
    assert_eq!(G::decode_batch(&bytes, &mut rng), Ok(points.clone()));
    assert_eq!(G::decode_batch(&[], &mut rng), Ok(vec![]));
    let cut = &bytes[..bytes.len() - 1];
    assert_eq!(G::decode_batch(cut, &mut rng), Err(PointError::Length { index: 399 }));
    let mut off = bytes.clone();
    off[300 * G::ENCODED_LEN..301 * G::ENCODED_LEN].fill(0xff);
    assert_eq!(G::decode_batch(&off, &mut rng), Err(PointError::Encoding { index: 300 }));
    let Some(outside) = G::outside() else { return };
    points[200] = G::from_affine(&outside);
    let bytes = G::encode_all(&points);
    assert_eq!(G::decode_batch(&bytes, &mut rng), Err(PointError::Subgroup { index: 200 }));
}

/// Lists that end before, at and behind the end of what one thread takes, with a bad point at each end.
fn bad_points_of_long_lists<G: algebra::CurveGroup>() {
    const CHUNK: usize = 256;
    let form = PointForm::Uncompressed(Dialect::Snarkjs);
    let points = G::precompute(&random_points::<G>(2 * CHUNK + 1, 29));
    let mut bytes = Vec::new();
    G::write_form(&points, form, &mut bytes);
    let width = G::form_len(form);
    for len in [CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 2 * CHUNK + 1] {
        let bytes = &bytes[..len * width];
        assert!(G::read_form(bytes, form).unwrap() == points[..len], "{len}");
        for index in [0, CHUNK - 1, CHUNK, CHUNK + 1, len - 1].into_iter().filter(|&at| at < len) {
            let mut bad = bytes.to_vec();
            bad[index * width..(index + 1) * width].fill(0xff);
            bad[(len - 1) * width..].fill(0xff);
            assert_eq!(G::read_form(&bad, form), Err(PointError::Encoding { index }));
        }
    }
}

/// Lists of compressed points, decoded as one by one: with the neutral element, x without y and x too large.
fn compressed_points_of_long_lists<G: algebra::CurveGroup>() {
    const CHUNK: usize = 256;
    let form = PointForm::Compressed(Dialect::Bellman);
    let mut points = random_points::<G>(2 * CHUNK + 1, 31);
    (points[3], points[5]) = (G::identity(), -points[4]);
    let affine = G::precompute(&points);
    let (mut bytes, canonical) = (Vec::new(), G::encode_all(&points));
    G::write_form(&affine, form, &mut bytes);
    let width = G::form_len(form);
    // An x for which there is no y: the next one but a few.
    let without_y = |bytes: &[u8], last: usize, decodes: &dyn Fn(&[u8]) -> bool| {
        let mut bytes = bytes.to_vec();
        while decodes(&bytes) {
            bytes[last] ^= 1;
            bytes[last / 2] = bytes[last / 2].wrapping_add(1);
        }
        bytes
    };
    for len in [0, 1, 7, 8, 9, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 1] {
        let (forms, encodings) = (&bytes[..len * width], &canonical[..len * G::ENCODED_LEN]);
        assert!(G::read_form(forms, form).unwrap() == affine[..len], "{len}");
        assert!(G::decode_all(encodings).unwrap() == points[..len], "{len}");
        for index in [0, 6, CHUNK - 1, CHUNK, len.wrapping_sub(1)] {
            let refused = PointError::Encoding { index };
            if index >= len {
                continue;
            }
            let mut bad = forms.to_vec();
            let one = &mut bad[index * width..(index + 1) * width];
            let decodes = |bytes: &[u8]| G::read_form(bytes, form).is_ok();
            one.copy_from_slice(&without_y(one, width - 1, &decodes));
            assert_eq!(G::read_form(&bad, form), Err(refused));
            let mut bad = encodings.to_vec();
            let one = &mut bad[index * G::ENCODED_LEN..(index + 1) * G::ENCODED_LEN];
            let middle = G::ENCODED_LEN / 2;
            one.copy_from_slice(&without_y(one, middle, &|bytes| G::decode(bytes).is_ok()));
            let error = G::decode(one).unwrap_err().at(index);
            assert_eq!(G::decode_all(&bad), Err(error));
            assert_eq!(G::decode_batch(&bad, &mut rng(32)), Err(error));
        }
    }
}

/// Products by a table, many at a time and one by one.
fn tables_of_many_multiples<G: Plain>() {
    let table = FixedBaseTable::new(&random_points::<G>(1, 33)[0]);
    let scalars = scalars::<G::Scalar>(300, 34);
    for count in [0, 1, 63, 64, 65, 300] {
        let expected: Vec<G> = scalars[..count].iter().map(|scalar| table.mul(scalar)).collect();
        assert!(table.mul_all(&scalars[..count]) == expected, "{count}");
    }
    let neutral = FixedBaseTable::new(&G::identity()).mul_all(&scalars);
    assert!(neutral.iter().all(G::is_identity));
}

#[test]
fn doubles_of_every_number() {
    const CHUNK: usize = 512;
    let points = random_points::<Ristretto255>(2 * CHUNK + 1, 30);
    for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 2 * CHUNK + 1] {
        let encoded = encode_doubles(&points[..len]);
        let expected = points[..len].iter().map(|point| point.double().encode());
        assert!(encoded.into_iter().map(Vec::from).eq(expected), "{len}");
    }
}

fn random_sizes<G: Plain>(count: usize, seed: u8) -> Result<(), TestCaseError> {
    let (points, scalars) = (points::<G>(count, seed), scalars::<G::Scalar>(count, seed ^ 1));
    let expected = scale_plain::<G>(&points, &scalars);
    let mut scaled = points.clone();
    G::scale_each(&mut scaled, &scalars);
    prop_assert!(scaled == expected);
    let sum: G = expected.iter().map(G::from_affine).sum();
    prop_assert_eq!(G::msm_affine(&scalars, &points), sum);
    let mut stream = G::Msm::new(count);
    stream.push(&scalars, &points);
    prop_assert_eq!(stream.finish(), sum);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn kernels_agree_with_arkworks_for_random_sizes(count in 0_usize..900, seed: u8) {
        random_sizes::<Bn254G1>(count, seed)?;
        random_sizes::<Bn254G2>(count, seed)?;
        random_sizes::<Bls12381G1>(count, seed)?;
        random_sizes::<Bls12381G2>(count, seed)?;
    }
}
