//! Laws that every group obeys, and the kernels against plain sums.

use algebra::{FixedBaseTable, Group, Scalar, inner_product};

use crate::common::{Hostile, random_points, rng};

for_all_groups!(
    group_laws,
    generator_has_the_group_order,
    field_laws,
    wide_reduction,
    scalar_encoding,
    batch_inversion,
    multi_scalar_multiplication,
    short_multi_scalar_multiplication,
    fixed_base_table,
    precomputed_points,
    hashing,
    sampling,
);

/// Scalars at which digit recodings tend to break, and a random one.
fn special_scalars<S: Scalar>() -> Vec<S> {
    let mut scalars = vec![S::zero(), S::one(), -S::one(), S::from_u64(2), -S::from_u64(2)];
    for exponent in [7, 8, 15, 16, 63, 64, 127] {
        let power = S::from_u128(1 << exponent);
        scalars.extend([power, power - S::one(), -power]);
    }
    let two_to_128 = S::from_u128(u128::MAX) + S::one();
    scalars.extend([S::from_u128(u128::MAX), two_to_128, two_to_128 * S::from_u128(1 << 123)]);
    scalars.push(S::random(&mut rng(1)));
    scalars
}

fn group_laws<G: Group>() {
    let points = random_points::<G>(3, 2);
    let (a, b, c) = (points[0], points[1], points[2]);
    let zero = G::identity();
    assert_eq!(a + b, b + a);
    assert_eq!((a + b) + c, a + (b + c));
    assert_eq!(a + zero, a);
    let same = a;
    assert_eq!(a - same, zero);
    assert_eq!(a + (-a), zero);
    assert_eq!(a - b, a + (-b));
    assert_eq!(a.double(), a + a);
    assert_eq!(zero.double(), zero);
    assert!(zero.is_identity() && !a.is_identity());
    assert_eq!([a, b, c].into_iter().sum::<G>(), a + b + c);
    let mut sum = a;
    sum += b;
    sum -= c;
    assert_eq!(sum, a + b - c);

    for s in special_scalars::<G::Scalar>() {
        let t = G::Scalar::from_u64(77);
        assert_eq!(a.mul(&s) + a.mul(&t), a.mul(&(s + t)));
        assert_eq!(a.mul(&s).mul(&t), a.mul(&(s * t)));
        assert_eq!((a + b).mul(&s), a.mul(&s) + b.mul(&s));
        assert_eq!(G::generator().mul(&s), G::mul_generator(&s));
        assert_eq!(zero.mul(&s), zero);
    }
    assert_eq!(a.mul(&G::Scalar::from_u64(5)), a + a + a + a + a);
}

fn generator_has_the_group_order<G: Hostile>() {
    let double_and_add = |bytes: [u8; 32]| {
        let bits = bytes.into_iter().rev().flat_map(|byte| (0..8).rev().map(move |i| byte >> i));
        bits.fold(G::identity(), |sum, bit| {
            let sum = sum.double();
            if bit & 1 == 1 { sum + G::generator() } else { sum }
        })
    };
    assert!(!G::generator().is_identity());
    assert!(double_and_add(G::order()).is_identity());
}

fn field_laws<G: Group>() {
    for a in special_scalars::<G::Scalar>() {
        let b = G::Scalar::random(&mut rng(3));
        assert_eq!(a + b - b, a);
        assert_eq!(a * b, b * a);
        assert_eq!(a * (b + G::Scalar::one()), a * b + a);
        assert_eq!(a + (-a), G::Scalar::zero());
        match a.invert() {
            Some(inverse) => assert_eq!(a * inverse, G::Scalar::one()),
            None => assert_eq!(a, G::Scalar::zero()),
        }
    }
    let (left, right) = ([2, 3, 5].map(G::Scalar::from_u64), [7, 11].map(G::Scalar::from_u64));
    assert_eq!(inner_product(&left, &right), G::Scalar::from_u64(47));
}

fn wide_reduction<G: Hostile>() {
    let two_to_128 = G::Scalar::from_u128(u128::MAX) + G::Scalar::one();
    let two_to_256 = two_to_128 * two_to_128;
    assert_eq!(G::Scalar::from_wide(&[0xff; 64]), two_to_256 * two_to_256 - G::Scalar::one());

    let mut order = [0; 64];
    order[..32].copy_from_slice(&G::order());
    assert_eq!(G::Scalar::from_wide(&order), G::Scalar::zero());
    order.rotate_right(32);
    assert_eq!(G::Scalar::from_wide(&order), G::Scalar::zero());

    let (low, high) =
        (G::Scalar::from_u64(3).encode(), G::Scalar::from_u128(u128::MAX / 3).encode());
    let wide: [u8; 64] = [low, high].concat().try_into().unwrap();
    let expected = G::Scalar::from_u64(3) + G::Scalar::from_u128(u128::MAX / 3) * two_to_256;
    assert_eq!(G::Scalar::from_wide(&wide), expected);
}

fn scalar_encoding<G: Hostile>() {
    let scalars = special_scalars::<G::Scalar>();
    for scalar in &scalars {
        assert_eq!(G::Scalar::decode(&scalar.encode()), Ok(*scalar));
    }
    let bytes = G::Scalar::encode_all(&scalars);
    assert_eq!(bytes.len(), 32 * scalars.len());
    assert!(G::Scalar::decode_all(&bytes).unwrap() == scalars);
    assert_eq!(G::Scalar::from_u64(0x0102).encode()[..3], [2, 1, 0]);
    assert_eq!(crate::common::add_one((-G::Scalar::one()).encode()), G::order());

    let order = G::order();
    for bad in [order, crate::common::add_one(order), [0xff; 32]] {
        assert!(G::Scalar::decode(&bad).is_err());
        for index in 0..4 {
            let mut bytes = [G::Scalar::one().encode(); 4];
            bytes[index] = bad;
            bytes[3] = bad;
            let error = G::Scalar::decode_all(bytes.as_flattened()).err().unwrap();
            assert_eq!(error.index, index);
        }
    }
    assert_eq!(G::Scalar::decode_all(&bytes[..33]).err().unwrap().index, 1);
    assert!(G::Scalar::decode_all(&[]).unwrap().is_empty());
}

fn batch_inversion<G: Group>() {
    let random = G::Scalar::random_many(5, &mut rng(4));
    let zero = G::Scalar::zero();
    let (r, one) = (&random, G::Scalar::one());
    for list in [
        vec![],
        vec![zero],
        vec![zero, zero],
        vec![one],
        vec![zero, r[0], r[1], zero, r[2], -one, zero],
        random.clone(),
    ] {
        let mut inverses = list.clone();
        G::Scalar::batch_invert(&mut inverses);
        let expected: Vec<_> = list.iter().map(|s| s.invert().unwrap_or(zero)).collect();
        assert!(inverses == expected);
    }
}

const SIZES: [usize; 14] = [0, 1, 2, 3, 16, 17, 130, 255, 256, 257, 511, 512, 513, 1000];

fn multi_scalar_multiplication<G: Group>() {
    let mut points = random_points::<G>(1000, 5);
    points[1] = G::identity();
    points[3] = points[2];
    points[5] = -points[4];
    let mut scalars = G::Scalar::random_many(1000, &mut rng(6));
    let special = special_scalars();
    scalars[4..4 + special.len()].copy_from_slice(&special);
    scalars[5] = scalars[4];

    let mut sum = G::identity();
    let mut naive = vec![sum];
    for (point, scalar) in points.iter().zip(&scalars) {
        sum += point.mul(scalar);
        naive.push(sum);
    }
    for size in SIZES {
        assert_eq!(G::msm(&scalars[..size], &points[..size]), naive[size], "{size}");
    }
    for threads in [1, 40] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for size in [16, 255] {
            assert_eq!(pool.install(|| G::msm(&scalars[..size], &points[..size])), naive[size]);
        }
    }
    // Over the shorter of the two.
    assert_eq!(G::msm(&scalars, &points[..70]), naive[70]);
    assert_eq!(G::msm(&scalars[..3], &points), naive[3]);
    // All in one bucket of every window.
    let (minus_one, point) = ([-G::Scalar::one(); 200], [points[0]; 200]);
    assert_eq!(G::msm(&minus_one, &point), -points[0].mul(&G::Scalar::from_u64(200)));
}

fn short_multi_scalar_multiplication<G: Group>() {
    let points = random_points::<G>(1000, 7);
    let random = |index: usize| (index as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060);
    let mut scalars: Vec<u128> = (0..1000).map(|i| random(i).rotate_left(i as u32)).collect();
    scalars[..3].copy_from_slice(&[u128::MAX, 0, 1]);
    scalars[80] = u128::MAX;
    let naive = |size| -> G {
        let pairs = scalars.iter().zip(&points).take(size);
        pairs.map(|(&scalar, point)| point.mul(&G::Scalar::from_u128(scalar))).sum()
    };
    for size in SIZES {
        assert_eq!(G::msm_short(&scalars[..size], &points[..size]), naive(size), "{size}");
    }
    assert_eq!(G::msm_short(&scalars, &points[..70]), naive(70));
}

fn fixed_base_table<G: Group>() {
    let base = random_points::<G>(1, 8)[0];
    let table = FixedBaseTable::new(&base);
    assert_eq!(table.base(), base);
    let scalars = special_scalars();
    for scalar in &scalars {
        assert_eq!(table.mul(scalar), base.mul(scalar));
        assert_eq!(table.add_mul(base, scalar), base + base.mul(scalar));
    }
    let expected: Vec<G> = scalars.iter().map(|scalar| base.mul(scalar)).collect();
    assert_eq!(table.mul_all(&scalars), expected);
    // More than the vector kernels ask for, with the edges between.
    for count in [63, 64, 65, 200] {
        let scalars: Vec<_> = scalars.iter().copied().cycle().take(count).collect();
        let products: Vec<G> = scalars.iter().map(|scalar| table.mul(scalar)).collect();
        assert_eq!(table.mul_all(&scalars), products, "{count}");
        let mut sums = random_points::<G>(count, 10);
        let expected: Vec<G> = sums.iter().zip(&products).map(|(&a, &b)| a + b).collect();
        table.add_mul_all(&mut sums, &scalars);
        assert_eq!(sums, expected, "{count}");
    }
    assert!(FixedBaseTable::new(&G::identity()).mul(&scalars[4]).is_identity());
}

fn precomputed_points<G: Group>() {
    let mut points = random_points::<G>(4, 9);
    points.push(G::identity());
    for (point, precomputed) in points.iter().zip(G::precompute(&points)) {
        for start in [G::identity(), *point, -*point, points[0]] {
            assert_eq!(start.add_precomputed(&precomputed), start + *point);
            assert_eq!(start.sub_precomputed(&precomputed), start - *point);
        }
    }
}

fn hashing<G: Group>() {
    let labels: [&[u8]; 5] = [b"", b"a", b"b", b"a\0", &[0x61; 300]];
    let points = labels.map(G::hash_to_group);
    for (i, (label, point)) in labels.iter().zip(&points).enumerate() {
        assert_eq!(G::hash_to_group(label), *point);
        assert!(!point.is_identity());
        assert_eq!(G::decode(&point.encode()), Ok(*point));
        assert!(!points[..i].contains(point));
    }
}

fn sampling<G: Group>() {
    let sample = |seed| (G::random(&mut rng(seed)), G::Scalar::random(&mut rng(seed)));
    assert!(sample(1) == sample(1));
    let ((point, scalar), (other_point, other_scalar)) = (sample(1), sample(2));
    assert!(point != other_point && scalar != other_scalar);
    let scalars = G::Scalar::random_many(3, &mut rng(1));
    assert!(scalars[0] == scalar && scalars[1] != scalar && scalars[2] != scalars[1]);
}
