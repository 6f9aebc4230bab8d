//! Encodings are canonical: exactly what encodes decodes, and errors name the first bad point.

use algebra::{Group, Scalar};
use proptest::prelude::*;

use crate::common::{ENCODING, Hostile, LENGTH, random_points};

for_all_groups!(
    round_trips,
    wrong_lengths,
    invalid_points,
    lists_name_the_first_bad_point,
    random_bytes,
    mutated_points,
    random_scalar_bytes,
);

fn round_trips<G: Group>() {
    let mut points = random_points::<G>(40, 1);
    points.extend([G::identity(), G::generator(), -G::generator()]);
    for point in &points {
        let bytes = point.encode();
        assert_eq!(bytes.len(), G::ENCODED_LEN);
        assert_eq!(G::decode(&bytes), Ok(*point));
    }
    // More than one chunk of `encode_all`, with the neutral element in it.
    let points: Vec<G> = points.iter().copied().cycle().take(2100).collect();
    let expected: Vec<u8> = points.iter().flat_map(G::encode).collect();
    for len in [1023, 1024, 1025, 2047, 2048, 2049, 2100] {
        assert!(G::encode_all(&points[..len]) == expected[..len * G::ENCODED_LEN], "{len}");
    }
    assert_eq!(G::decode_all(&expected), Ok(points));

    assert!(G::encode_all(&[]).is_empty());
    assert_eq!(G::decode_all(&[]), Ok(vec![]));
}

fn wrong_lengths<G: Group>() {
    let bytes = [G::generator().encode(), G::generator().encode()].concat();
    for len in (0..=bytes.len()).filter(|&len| len != G::ENCODED_LEN) {
        assert_eq!(G::decode(&bytes[..len]), Err(LENGTH), "{len}");
    }
}

fn invalid_points<G: Hostile>() {
    for (bytes, error) in G::invalid_points() {
        assert_eq!(bytes.len(), G::ENCODED_LEN);
        assert_eq!(G::decode(&bytes), Err(error), "{bytes:02x?}");
    }
}

fn lists_name_the_first_bad_point<G: Hostile>() {
    let points = random_points::<G>(5, 2);
    for (bad, error) in G::invalid_points() {
        for index in 0..points.len() {
            let mut encodings: Vec<_> = points.iter().map(G::encode).collect();
            encodings[index] = bad.clone();
            encodings[4] = bad.clone();
            assert_eq!(G::decode_all(&encodings.concat()), Err(error.at(index)));
        }
    }
    let bytes = G::encode_all(&points);
    for len in (0..bytes.len()).filter(|len| len % G::ENCODED_LEN != 0) {
        let error = LENGTH.at(len / G::ENCODED_LEN);
        assert_eq!(G::decode_all(&bytes[..len]), Err(error));
    }
    // A bad point before the cut is named first.
    let mut bytes = bytes;
    bytes.pop();
    bytes[..G::ENCODED_LEN].fill(0xff);
    assert_eq!(G::decode_all(&bytes), Err(ENCODING));
}

/// Whatever decodes encodes to the same bytes.
fn check_canonical<G: Group>(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(point) = G::decode(bytes) {
        prop_assert_eq!(point.encode(), bytes);
    }
    Ok(())
}

fn random_bytes<G: Group>() {
    let len = prop_oneof![9 => Just(G::ENCODED_LEN), 1 => 0..2 * G::ENCODED_LEN];
    let bytes = len.prop_flat_map(|len| prop::collection::vec(any::<u8>(), len));
    proptest!(|(bytes in bytes)| { check_canonical::<G>(&bytes)?; });
}

/// Nearer to valid: a point with one byte replaced.
fn mutated_points<G: Group>() {
    let strategy = (any::<u64>(), 0..G::ENCODED_LEN, any::<u8>());
    proptest!(|((scalar, position, byte) in strategy)| {
        let mut bytes = G::mul_generator(&G::Scalar::from_u64(scalar)).encode();
        bytes[position] = byte;
        check_canonical::<G>(&bytes)?;
    });
}

fn random_scalar_bytes<G: Group>() {
    proptest!(|(bytes: [u8; 32])| {
        if let Ok(scalar) = G::Scalar::decode(&bytes) {
            prop_assert_eq!(scalar.encode(), bytes);
        }
    });
}
