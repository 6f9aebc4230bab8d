//! Encodings of ristretto255 against the library's.

use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::super::{
    Kernel,
    portable::Portable,
    ristretto::{Decode, Encode},
};
use crate::{Group, PointError, kernels::dalek};

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
