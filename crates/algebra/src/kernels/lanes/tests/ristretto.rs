//! Encodings and sums of ristretto255 against the library's.

use curve25519_dalek::{
    ristretto::{CompressedRistretto, RistrettoPoint},
    scalar::Scalar,
    traits::VartimeMultiscalarMul,
};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::super::{
    Kernel, NEGATIVE,
    edwards::{Addends, ListSums, WindowSums},
    multiples::{self, Multiples},
    portable::Portable,
    ristretto::{Decode, Encode},
};
use crate::{
    Group, PointError,
    kernels::{buckets::signed_digit, dalek},
};

fn points(count: usize, rng: &mut ChaCha20Rng) -> Vec<RistrettoPoint> {
    let random = (0..count).map(|_| RistrettoPoint::random(rng));
    let mut points: Vec<_> =
        random.flat_map(|point| [point, -point, point, point + point]).collect();
    points.insert(1, Group::identity());
    points
}

/// Bytes that mostly are no encodings: random, beyond p, odd, with the highest bit, and edges.
fn adversarial(count: usize, rng: &mut ChaCha20Rng) -> Vec<[u8; 32]> {
    let mut all = vec![[0; 32], [0xff; 32]];
    for low in 0..=u8::MAX {
        for (middle, high) in [(0xff, 0x7f), (0, 0), (0xff, 0xff), (0, 0x80)] {
            let mut bytes = [middle; 32];
            (bytes[0], bytes[31]) = (low, high);
            all.push(bytes);
        }
    }
    for index in 0..count {
        let mut bytes = [0; 32];
        rng.fill_bytes(&mut bytes);
        if index % 4 != 0 {
            bytes[0] &= 0xfe;
            bytes[31] &= 0x7f;
        }
        all.push(bytes);
    }
    all
}

fn differential(count: usize) {
    let rng = &mut ChaCha20Rng::seed_from_u64(255);
    let points = points(count, rng);
    let encodings: Vec<_> = points.iter().map(|point| point.compress().0).collect();
    assert_eq!(RistrettoPoint::encode_all(&points), encodings.concat());
    assert_eq!(RistrettoPoint::decode_all(&encodings.concat()).as_ref(), Ok(&points));
    let expected: Vec<_> = points.iter().map(|point| (point + points[0]).compress()).collect();
    let decoded = RistrettoPoint::decode_all(&encodings.concat()).unwrap();
    let sums: Vec<_> = decoded.iter().map(|point| (point + decoded[0]).compress()).collect();
    assert_eq!(sums, expected);
    for bytes in adversarial(8 * count, rng) {
        // In the middle of good ones, so that the index counts too.
        let mut list = encodings[..9].to_vec();
        list[5] = bytes;
        let expected = CompressedRistretto(bytes).decompress();
        match RistrettoPoint::decode_all(&list.concat()) {
            Ok(decoded) => assert_eq!(Some(decoded[5]), expected),
            Err(error) => assert_eq!((error, expected), (PointError::Encoding { index: 5 }, None)),
        }
    }
}

#[test]
fn encodings_are_the_librarys() {
    differential(300);
}

#[test]
#[ignore = "minutes"]
fn long_encodings_are_the_librarys() {
    differential(500_000);
}

#[test]
fn lists_of_all_lengths() {
    let rng = &mut ChaCha20Rng::seed_from_u64(3);
    let points = points(280, rng);
    for count in (0..40).chain([511, 512, 513, 1030]) {
        let mut bytes = RistrettoPoint::encode_all(&points[..count]);
        assert_eq!(bytes, points[..count].iter().flat_map(Group::encode).collect::<Vec<_>>());
        assert_eq!(RistrettoPoint::decode_all(&bytes).unwrap(), points[..count]);
        bytes.push(0);
        let cut = RistrettoPoint::decode_all(&bytes);
        assert_eq!(cut, Err(PointError::Length { index: count }));
    }
}

#[test]
fn portable_lanes_do_the_same() {
    let rng = &mut ChaCha20Rng::seed_from_u64(4);
    let points = points(5, rng);
    let encodings: Vec<_> = points.iter().map(|point| point.compress().0).collect();
    let decoded = Decode(&encodings).run::<Portable>().unwrap();
    assert_eq!(Encode(&decoded).run::<Portable>(), encodings);
    for bytes in adversarial(20, rng) {
        let expected = CompressedRistretto(bytes).decompress().is_some();
        assert_eq!(Decode(&[bytes]).run::<Portable>().is_ok(), expected);
    }
}

#[test]
#[ignore = "prints times"]
fn long_times_of_encodings() {
    let rng = &mut ChaCha20Rng::seed_from_u64(5);
    let points = points(2_500, rng);
    let encodings: Vec<_> = points.iter().map(|point| point.compress().0).collect();
    let time = |name: &str, work: &mut dyn FnMut()| {
        let best = (0..20).map(|_| {
            let start = std::time::Instant::now();
            work();
            start.elapsed()
        });
        println!("{name}: {:?} a point", best.min().unwrap() / points.len() as u32);
    };
    time("decode by eight", &mut || assert!(dalek::decode(&encodings).is_none_or(|r| r.is_ok())));
    time("encode by eight", &mut || assert!(dalek::encode(&points).is_none_or(|e| e == encodings)));
    time("decode", &mut || {
        assert!(encodings.iter().all(|e| CompressedRistretto(*e).decompress().is_some()));
    });
    time("encode", &mut || {
        assert!(points.iter().zip(&encodings).all(|(p, e)| p.compress().0 == *e))
    });
}

/// Scalars at the edges of windows and of the order, and random ones.
fn scalars(count: usize, rng: &mut ChaCha20Rng) -> Vec<Scalar> {
    let edges = (0..253).map(|bit| {
        let mut bytes = [0; 32];
        bytes[bit / 8] = 1 << (bit % 8);
        Scalar::from_bytes_mod_order(bytes)
    });
    let edges = edges.flat_map(|power| [power, -power, power - Scalar::ONE]);
    let random = (0..count).map(|_| <Scalar as crate::Scalar>::random(rng));
    edges.chain([Scalar::ZERO]).chain(random).collect()
}

fn naive(scalars: &[Scalar], points: &[RistrettoPoint]) -> RistrettoPoint {
    scalars.iter().zip(points).map(|(scalar, point)| scalar * point).sum()
}

#[test]
fn sums_are_the_librarys() {
    let rng = &mut ChaCha20Rng::seed_from_u64(6);
    let points = points(300, rng);
    let scalars = scalars(points.len(), rng);
    for len in [63, 65, 511, 512, 513, 800, 1_001] {
        let (s, p) = (&scalars[..len], &points[..len]);
        assert_eq!(RistrettoPoint::msm(s, p), naive(s, p), "{len}");
        let short: Vec<u128> =
            (0..len as u128).map(|i| i.wrapping_sub(40).wrapping_mul(1 << 57 | 1)).collect();
        let full: Vec<Scalar> = short.iter().map(|&s| s.into()).collect();
        assert_eq!(RistrettoPoint::msm_short(&short, p), naive(&full, p), "{len}");
    }
    // The same point everywhere, with its opposite or the neutral one between.
    for other in [points[0], -points[0], Group::identity()] {
        let points: Vec<_> = [points[0], other].into_iter().cycle().take(1_001).collect();
        let same = vec![scalars[900]; points.len()];
        assert_eq!(RistrettoPoint::msm(&same, &points), naive(&same, &points));
        assert_eq!(RistrettoPoint::msm(&scalars, &points), naive(&scalars, &points));
    }
}

#[test]
fn portable_lanes_sum_the_same() {
    let rng = &mut ChaCha20Rng::seed_from_u64(7);
    let points = points(5, rng);
    let coordinates = Decode(&points.iter().map(|p| p.compress().0).collect::<Vec<_>>())
        .run::<Portable>()
        .unwrap();
    let scalars: Vec<[u64; 4]> = (0..points.len() as u64)
        .map(|i| [((i * i) << 17) | 5, u64::MAX - i, i, u64::MAX >> i])
        .collect();
    let addends = Addends(&coordinates).run::<Portable>();
    assert_eq!(Some(&addends), super::super::addends(&coordinates).as_ref().or(Some(&addends)));
    for (first, width) in [(0, 4), (8, 4), (56, 4), (16, 11)] {
        let sums =
            WindowSums { points: &addends, scalars: &scalars, first, width }.run::<Portable>();
        let sums = Encode(&sums).run::<Portable>();
        for (window, sum) in sums.iter().enumerate() {
            let digit = |limbs: &[u64; 4]| signed_digit(limbs, first + window, width);
            let expected: RistrettoPoint = scalars
                .iter()
                .zip(&points)
                .map(|(limbs, point)| {
                    let multiple = Scalar::from(digit(limbs).unsigned_abs() as u64) * point;
                    if digit(limbs) < 0 { -multiple } else { multiple }
                })
                .sum();
            assert_eq!(*sum, expected.compress().0);
        }
    }
}

/// Lists of terms of many lengths: none, one, as many as lanes and more, the same term again and again, and terms
/// that cancel.
fn lists(points: usize, count: usize, rng: &mut ChaCha20Rng) -> (Vec<u32>, Vec<u32>) {
    let (mut terms, mut starts) = (Vec::new(), vec![0]);
    for list in 0..count {
        let length = if list % 5 == 0 { list % 3 } else { rng.next_u32() as usize % 40 };
        for index in 0..length {
            let random = rng.next_u32() % points as u32;
            let term = match (list % 7, terms.last()) {
                (0, Some(&last)) => last,
                (1, Some(&last)) if index > 0 => last ^ NEGATIVE,
                _ => random | if rng.next_u32().is_multiple_of(2) { NEGATIVE } else { 0 },
            };
            terms.push(term);
        }
        starts.push(terms.len() as u32);
    }
    (terms, starts)
}

fn naive_lists(points: &[RistrettoPoint], terms: &[u32], starts: &[u32]) -> Vec<RistrettoPoint> {
    let bounds = starts.iter().zip(&starts[1..]);
    let sum = |(&start, &end): (&u32, &u32)| {
        let terms = terms[start as usize..end as usize].iter();
        let points = terms.map(|term| {
            let point = points[(term & !NEGATIVE) as usize];
            if term & NEGATIVE == 0 { point } else { -point }
        });
        points.sum()
    };
    bounds.map(sum).collect()
}

#[test]
fn lists_are_summed_as_by_the_library() {
    let rng = &mut ChaCha20Rng::seed_from_u64(9);
    let points = points(50, rng);
    for count in [0, 1, 7, 8, 9, 500] {
        let (terms, starts) = lists(points.len(), count, rng);
        let expected = naive_lists(&points, &terms, &starts);
        assert!(dalek::list_sums(&points, &terms, &starts).is_none_or(|sums| sums == expected));
    }
    let (points, (terms, starts)) = (&points[..5], lists(5, 20, rng));
    let coordinates = Decode(&points.iter().map(|p| p.compress().0).collect::<Vec<_>>())
        .run::<Portable>()
        .unwrap();
    let addends = Addends(&coordinates).run::<Portable>();
    let sums = ListSums { points: &addends, terms: &terms, starts: &starts }.run::<Portable>();
    let expected = naive_lists(points, &terms, &starts);
    let expected: Vec<_> = expected.iter().map(|sum| sum.compress().0).collect();
    assert_eq!(Encode(&sums).run::<Portable>(), expected);
}

#[test]
#[ignore = "prints times"]
fn long_times_of_sums() {
    let rng = &mut ChaCha20Rng::seed_from_u64(8);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for len in [32, 64, 128, 256, 1_000, 10_000, 60_000] {
        let points: Vec<_> = (0..len).map(|_| RistrettoPoint::random(rng)).collect();
        let scalars = <Scalar as crate::Scalar>::random_many(len, rng);
        let short: Vec<u128> = scalars
            .iter()
            .map(|s| u128::from_le_bytes(s.as_bytes()[..16].try_into().unwrap()))
            .collect();
        let time = |work: &(dyn Fn() -> RistrettoPoint + Sync)| {
            let best = (0..(100_000 / len).clamp(3, 30)).map(|_| {
                let start = std::time::Instant::now();
                pool.install(work);
                start.elapsed()
            });
            best.min().unwrap().as_nanos() / len as u128
        };
        let ours = time(&|| RistrettoPoint::msm(&scalars, &points));
        let halves = time(&|| RistrettoPoint::msm_short(&short, &points));
        let library = time(&|| RistrettoPoint::vartime_multiscalar_mul(&scalars, &points));
        println!("{len} points: {ours} ns each, short {halves}, by the library {library}");
    }
}

/// Scalars with digits of all kinds: none, one, the least and the greatest, and carries through all of them.
fn edge_scalars(rng: &mut ChaCha20Rng) -> Vec<Scalar> {
    let of_bytes = |byte: u8| Scalar::from_bytes_mod_order([byte; 32]);
    let edges = [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, Scalar::from(8_u8), -Scalar::from(8_u8)];
    let repeated = [0x07, 0x08, 0x77, 0x78, 0x87, 0x88, 0xf7, 0xff].map(of_bytes);
    let random = (0..20).map(|_| Scalar::random(rng));
    edges.into_iter().chain(repeated).chain(random).collect()
}

#[test]
fn points_are_multiplied_as_by_the_library() {
    let rng = &mut ChaCha20Rng::seed_from_u64(16);
    let points = points(40, rng);
    let encodings: Vec<_> = points[..11].iter().map(|point| point.compress().0).collect();
    let coordinates = Decode(&encodings).run::<Portable>().unwrap();
    for scalar in edge_scalars(rng) {
        let expected: Vec<_> = points.iter().map(|point| point * scalar).collect();
        assert_eq!(Group::mul_all(&points, &scalar), expected);
        for count in [0, 1, 2, 3, 9, 64] {
            assert_eq!(Group::mul_all(&points[..count], &scalar), expected[..count]);
        }
        let digits = multiples::digits(scalar.as_bytes());
        let multiples = Multiples { points: &coordinates, digits: &digits }.run::<Portable>();
        let encoded = Encode(&multiples).run::<Portable>();
        assert!(encoded.iter().zip(&expected).all(|(bytes, point)| *bytes == point.compress().0));
    }
}

#[test]
fn digits_are_those_of_the_scalar() {
    let base = Scalar::from(16_u8);
    for scalar in edge_scalars(&mut ChaCha20Rng::seed_from_u64(61)) {
        let digits = multiples::digits(scalar.as_bytes());
        let value = digits.iter().rev().fold(Scalar::ZERO, |value, digit| {
            let magnitude = Scalar::from(digit.unsigned_abs());
            value * base + if *digit < 0 { -magnitude } else { magnitude }
        });
        assert_eq!(value, scalar);
        assert!(digits[..63].iter().all(|digit| (-8..8).contains(digit)));
        assert!((0..=8).contains(&digits[63]));
    }
    let greatest =
        multiples::digits(&[[0xff; 31].as_slice(), &[0x7f]].concat().try_into().unwrap());
    assert_eq!((greatest[0], greatest[63]), (-1, 8));
}
