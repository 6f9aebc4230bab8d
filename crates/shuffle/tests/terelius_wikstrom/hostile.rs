//! Bytes from strangers: every decoder refuses all that is not canonical, and nothing panics.

use algebra::{Group, Ristretto255 as G, Scalar};
use proptest::prelude::*;
use shuffle::{
    Column, MAX_COLUMNS, MAX_ROWS, Mix, MixClaim, PublicKey, SecretKey, ShuffleError,
    decode_columns,
    tw::{Generators, ListProof, PermutationProof},
    verify_mixes,
};
use wire::{Decode, DecodeError, Encode, Reader};

use super::common::{encrypted_columns, rng, turn};

const N: usize = 2;
const COLUMNS: usize = 2;
/// Rows and columns, 32 bits each, come first.
const HEADER: usize = 8;
/// Bytes of a point and of a scalar alike.
const WIDTH: usize = 32;

struct Published {
    key: PublicKey<G>,
    generators: Generators<G>,
    inputs: Vec<Column<G>>,
    bytes: Vec<u8>,
}

impl Published {
    fn new() -> Self {
        let mut rng = rng(1);
        let generators = Generators::derive(N);
        let key = SecretKey::generate(&mut rng).public_key();
        let inputs = encrypted_columns(&key, N as u64, COLUMNS as u64, &mut rng);
        let mix = Mix::new(&key, &inputs, &generators, &turn(1), &mut rng).unwrap();
        Self { key, generators, inputs, bytes: mix.to_bytes() }
    }

    fn verify(&self, mix: &Mix<G>) -> Result<(), ShuffleError> {
        let claim = MixClaim { context: turn(1), mix };
        verify_mixes(&self.key, &self.inputs, &[claim], &self.generators)
    }

    fn with(&self, position: usize, bytes: &[u8; WIDTH]) -> Vec<u8> {
        let mut changed = self.bytes.clone();
        changed[HEADER + position * WIDTH..][..WIDTH].copy_from_slice(bytes);
        changed
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Point,
    Scalar,
}
use Kind::{Point, Scalar as Number};

/// What stands at every position of an encoded mix, by the names that errors give it.
fn layout() -> Vec<(&'static str, Kind)> {
    [
        ("ciphertexts", Point, 2 * N * COLUMNS),
        ("a", Point, N),
        ("B", Point, N),
        ("T_B", Point, N),
        ("T_t", Point, 1),
        ("T_k", Point, 1),
        ("T_w", Point, 1),
        ("z_e", Number, N),
        ("z_s", Number, N),
        ("z_t", Number, 1),
        ("z_k", Number, 1),
        ("z_w", Number, 1),
        ("T_k", Point, 1),
        ("T_l", Point, 2 * COLUMNS),
        ("z_i", Number, N),
        ("z_k", Number, 1),
        ("z_u", Number, COLUMNS),
    ]
    .iter()
    .flat_map(|&(what, kind, count)| std::iter::repeat_n((what, kind), count))
    .collect()
}

fn positions(kind: Kind) -> Vec<(usize, &'static str)> {
    let all = layout().into_iter().enumerate();
    all.filter(|(_, (_, k))| *k == kind).map(|(position, (what, _))| (position, what)).collect()
}

/// The sum of two little-endian integers that still has 256 bits.
fn sum(left: &[u8], right: [u8; WIDTH]) -> [u8; WIDTH] {
    let mut carry = 0;
    let sum = std::array::from_fn(|i| {
        carry = (carry >> 8) + u16::from(left[i]) + u16::from(right[i]);
        carry as u8
    });
    assert!(carry < 0x100);
    sum
}

fn one() -> [u8; WIDTH] {
    Scalar::encode(&<G as Group>::Scalar::one())
}

fn order() -> [u8; WIDTH] {
    sum(&Scalar::encode(&-<G as Group>::Scalar::one()), one())
}

fn from_hex(text: &str) -> [u8; WIDTH] {
    std::array::from_fn(|i| u8::from_str_radix(&text[2 * i..][..2], 16).unwrap())
}

fn assert_invalid<T>(decoded: Result<T, DecodeError>, expected: &str) {
    assert!(matches!(decoded, Err(DecodeError::Invalid { what, .. }) if what == expected));
}

fn mix_header(rows: u32, columns: u32) -> Vec<u8> {
    [rows.to_le_bytes(), columns.to_le_bytes()].concat()
}

#[test]
fn the_layout_covers_a_mix() {
    let published = Published::new();
    assert_eq!(published.bytes.len(), HEADER + layout().len() * WIDTH);
    let mix = Mix::from_bytes(&published.bytes).unwrap();
    assert_eq!(published.verify(&mix), Ok(()));
    assert_eq!(mix.to_bytes(), published.bytes);
}

#[test]
fn truncated_at_every_length() {
    let bytes = Published::new().bytes;
    let mix = Mix::<G>::from_bytes(&bytes).unwrap().proof.unwrap();
    let (permutation, lists) = (mix.permutation.to_bytes(), mix.lists.to_bytes());
    let is_truncated = |error| matches!(error, Some(DecodeError::Truncated { .. }));
    for length in 0..bytes.len() {
        assert!(is_truncated(Mix::<G>::from_bytes(&bytes[..length]).err()), "{length}");
    }
    for length in 0..permutation.len() {
        let mut reader = Reader::new(&permutation[..length]);
        assert!(is_truncated(PermutationProof::<G>::decode(&mut reader, N).err()), "{length}");
    }
    for length in 0..lists.len() {
        let mut reader = Reader::new(&lists[..length]);
        assert!(is_truncated(ListProof::<G>::decode(&mut reader, N, COLUMNS).err()), "{length}");
    }
    for length in 0..HEADER + 2 * N * COLUMNS * WIDTH {
        let mut reader = Reader::new(&bytes[..length]);
        assert!(is_truncated(decode_columns::<G>(&mut reader).err()), "{length}");
    }
}

#[test]
fn trailing_bytes() {
    let mut bytes = Published::new().bytes;
    bytes.push(0);
    assert!(matches!(Mix::<G>::from_bytes(&bytes), Err(DecodeError::Trailing(1))));
    let empty = [mix_header(0, 2), vec![0; 3]].concat();
    assert!(matches!(Mix::<G>::from_bytes(&empty), Err(DecodeError::Trailing(3))));
}

#[test]
fn oversized_and_wrong_counts() {
    let decode = |rows, columns| Mix::<G>::from_bytes(&mix_header(rows, columns)).unwrap_err();
    for (rows, columns, field, over) in [
        (MAX_ROWS as u32 + 1, 1, "rows", MAX_ROWS as u64 + 1),
        (u32::MAX, u32::MAX, "rows", u32::MAX.into()),
        (1, MAX_COLUMNS as u32 + 1, "columns", MAX_COLUMNS as u64 + 1),
        (0, u32::MAX, "columns", u32::MAX.into()),
    ] {
        let error = decode(rows, columns);
        assert!(
            matches!(error, DecodeError::TooLong { what, got, .. } if what == field && got == over)
        );
    }
    assert_invalid(Mix::<G>::from_bytes(&mix_header(1, 0)), "columns");
    assert_invalid(Mix::<G>::from_bytes(&mix_header(0, 0)), "columns");
    let needed = MAX_ROWS * 2 * WIDTH;
    let most = decode(MAX_ROWS as u32, MAX_COLUMNS as u32);
    assert!(matches!(most, DecodeError::Truncated { needed: n, left: 0 } if n == needed));

    let bytes = Published::new().bytes;
    for count in [0, N - 1, N + 1, usize::MAX] {
        let mix = Mix::<G>::from_bytes(&bytes).unwrap().proof.unwrap();
        let permutation = mix.permutation.to_bytes();
        let mut reader = Reader::new(&permutation);
        let decoded = PermutationProof::<G>::decode(&mut reader, count);
        assert!(decoded.is_err() || reader.finish().is_err());
        let lists = mix.lists.to_bytes();
        for (n, columns) in [(count, COLUMNS), (N, count)] {
            let mut reader = Reader::new(&lists);
            let decoded = ListProof::<G>::decode(&mut reader, n, columns);
            assert!(decoded.is_err() || reader.finish().is_err());
        }
    }
}

#[test]
fn scalars_that_are_not_reduced_in_every_position() {
    let published = Published::new();
    let mut highest = [0xff; WIDTH];
    highest[WIDTH - 1] = 0x7f;
    for unreduced in [order(), sum(&order(), one()), highest, [0xff; WIDTH]] {
        for (position, what) in positions(Number) {
            assert_invalid(Mix::<G>::from_bytes(&published.with(position, &unreduced)), what);
        }
    }
}

/// One bad encoding of every sort in RFC 9496, A.3.
#[test]
fn points_that_are_not_canonical_in_every_position() {
    let published = Published::new();
    let invalid = [
        // Not below the field's prime: the prime itself, and 2^255 − 1.
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        // Negative.
        "0100000000000000000000000000000000000000000000000000000000000000",
        // No square, a negative product of coordinates, a zero coordinate.
        "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
        "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ];
    for bytes in invalid.map(from_hex) {
        for (position, what) in positions(Point) {
            assert_invalid(Mix::<G>::from_bytes(&published.with(position, &bytes)), what);
        }
    }
}

#[test]
fn the_neutral_element_and_zero_in_every_position() {
    let published = Published::new();
    assert_eq!(G::identity().encode(), [0; WIDTH]);
    for position in 0..layout().len() {
        let mix = Mix::<G>::from_bytes(&published.with(position, &[0; WIDTH])).unwrap();
        let refused = published.verify(&mix);
        assert!(matches!(refused, Err(ShuffleError::Equation { mixer: 1, .. })), "{position}");
    }
    let nothing = [mix_header(N as u32, COLUMNS as u32), vec![0; layout().len() * WIDTH]].concat();
    let refused = published.verify(&Mix::from_bytes(&nothing).unwrap());
    assert!(matches!(refused, Err(ShuffleError::Equation { mixer: 1, .. })));
}

/// A scalar plus the order is the same scalar, and refused: no proof has a second encoding.
#[test]
fn scalars_spelled_otherwise() {
    let published = Published::new();
    for (position, what) in positions(Number) {
        let scalar = &published.bytes[HEADER + position * WIDTH..];
        let respelled = sum(scalar, order());
        assert_invalid(Mix::<G>::from_bytes(&published.with(position, &respelled)), what);
    }
}

proptest! {
    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..1024), n in 0_usize..5) {
        prop_assert!(Mix::<G>::from_bytes(&bytes).is_err() || bytes[..4] == [0; 4]);
        for columns in 0..3 {
            let mut reader = Reader::new(&bytes);
            if let Ok(proof) = ListProof::<G>::decode(&mut reader, n, columns) {
                prop_assert_eq!(proof.to_bytes(), &bytes[..bytes.len() - reader.remaining()]);
            }
        }
        let mut reader = Reader::new(&bytes);
        if let Ok(proof) = PermutationProof::<G>::decode(&mut reader, n) {
            prop_assert_eq!(proof.to_bytes(), &bytes[..bytes.len() - reader.remaining()]);
        }
    }

    #[test]
    fn random_bytes_within_a_mix(start: prop::sample::Index, patch in prop::collection::vec(any::<u8>(), 1..80)) {
        let published = Published::new();
        let mut bytes = published.bytes.clone();
        let start = start.index(bytes.len());
        bytes.iter_mut().skip(start).zip(&patch).for_each(|(byte, patch)| *byte ^= patch);
        if bytes != published.bytes && let Ok(mix) = Mix::<G>::from_bytes(&bytes) {
            prop_assert_eq!(mix.to_bytes(), bytes);
            prop_assert!(published.verify(&mix).is_err());
        }
    }
}
