//! The ballot decoder and the tracking code's parser meet arbitrary input.

use algebra::{Group, Ristretto255 as G};
use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use shuffle::{
    SecretKey,
    ballot::{EncryptedBallot, TrackingCode},
};
use wire::{Decode, DecodeError, Encode};

fn honest(columns: usize) -> Vec<u8> {
    let mut rng = ChaCha20Rng::from_seed([7; 32]);
    let key = SecretKey::<G>::generate(&mut rng).public_key();
    let messages = vec![G::generator(); columns];
    EncryptedBallot::encrypt(&messages, &key, b"e", b"v", &mut rng).unwrap().to_bytes()
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(ballot) = EncryptedBallot::<G>::from_bytes(&bytes) {
            prop_assert_eq!(ballot.to_bytes(), bytes);
        }
    }

    #[test]
    fn altered_ballots_stay_canonical(
        changes in prop::collection::vec((0_usize..196, any::<u8>()), 0..4),
    ) {
        let mut bytes = honest(2);
        for (position, value) in changes {
            bytes[position] = value;
        }
        if let Ok(ballot) = EncryptedBallot::<G>::from_bytes(&bytes) {
            prop_assert_eq!(ballot.to_bytes(), bytes);
        }
    }

    #[test]
    fn arbitrary_codes_do_not_panic(text in ".{0,40}") {
        if let Ok(code) = text.parse::<TrackingCode>() {
            prop_assert_eq!(code.to_string().parse::<TrackingCode>().unwrap(), code);
        }
    }
}

#[test]
fn truncated_and_extended_ballots_are_refused() {
    let bytes = honest(2);
    for len in 0..bytes.len() {
        let refused = EncryptedBallot::<G>::from_bytes(&bytes[..len]);
        assert!(matches!(refused, Err(DecodeError::Truncated { .. })));
    }
    let refused = EncryptedBallot::<G>::from_bytes(&[&bytes[..], &[0]].concat());
    assert!(matches!(refused, Err(DecodeError::Trailing(1))));
}

#[test]
fn column_counts_are_bounded() {
    let mut bytes = honest(1);
    for count in [17, u32::MAX] {
        bytes[..4].copy_from_slice(&count.to_le_bytes());
        let refused = EncryptedBallot::<G>::from_bytes(&bytes);
        assert!(matches!(refused, Err(DecodeError::TooLong { .. })));
    }
    bytes[..4].fill(0);
    let refused = EncryptedBallot::<G>::from_bytes(&bytes);
    assert!(matches!(refused, Err(DecodeError::Invalid { .. })));
}

#[test]
fn points_and_scalars_are_checked() {
    let bytes = honest(1);
    for field in [4, 36, 68, 100] {
        let mut bytes = bytes.clone();
        bytes[field..field + 32].fill(0xff);
        let refused = EncryptedBallot::<G>::from_bytes(&bytes);
        assert!(matches!(refused, Err(DecodeError::Invalid { .. })));
    }
}
