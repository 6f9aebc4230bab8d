//! Decoders meet arbitrary bytes.

use super::support::*;
use algebra::Group;
use proptest::prelude::*;
use shuffle::{
    decrypt::{Decryption, PartialDecryption},
    dkg::{Round1Message, Round2Message, Round3Message},
    sigma::{EqualityProof, KnowledgeProof},
};
use wire::{Decode, DecodeError, Encode};

fn decode_everything(bytes: &[u8]) {
    fn canonical<M: Decode + Encode>(bytes: &[u8]) {
        if let Ok(message) = M::from_bytes(bytes) {
            assert_eq!(message.to_bytes(), bytes);
        }
    }
    canonical::<KnowledgeProof<G>>(bytes);
    canonical::<EqualityProof<G>>(bytes);
    canonical::<Round1Message<G>>(bytes);
    canonical::<Round2Message<G>>(bytes);
    canonical::<Round3Message<G>>(bytes);
    canonical::<PartialDecryption<G>>(bytes);
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        decode_everything(&bytes);
    }

    /// Small counts and the neutral element's zeros reach further into the decoders.
    #[test]
    fn nearly_zero_bytes_do_not_panic(
        len in 0_usize..600,
        ones in prop::collection::vec((0_usize..600, 0_u8..4), 0..6),
    ) {
        let mut bytes = vec![0; len];
        for (position, value) in ones {
            if let Some(byte) = bytes.get_mut(position) {
                *byte = value;
            }
        }
        decode_everything(&bytes);
    }
}

/// Honest encodings of every message.
fn honest() -> Vec<Vec<u8>> {
    let committee = Committee::new(2, 3, CONTEXT);
    let board = committee.board2();
    let (outcome, shares) = committee.run();
    let (_, ciphertexts) = encrypt_list(&outcome, 2);
    let decryption = Decryption::new(&outcome.keys, &ciphertexts, CONTEXT);
    let partial = decryption.decrypt_partially(&shares[0], &mut rng(5)).unwrap();
    vec![
        committee.round1[0].to_bytes(),
        committee.deal(board.round1())[0].to_bytes(),
        committee.respond(&board)[0].to_bytes(),
        partial.message().to_bytes(),
    ]
}

fn refusals(bytes: &[u8]) -> Vec<Option<DecodeError>> {
    vec![
        Round1Message::<G>::from_bytes(bytes).err(),
        Round2Message::<G>::from_bytes(bytes).err(),
        Round3Message::<G>::from_bytes(bytes).err(),
        PartialDecryption::<G>::from_bytes(bytes).err(),
    ]
}

#[test]
fn truncated_and_extended_messages_are_refused() {
    for (kind, bytes) in honest().into_iter().enumerate() {
        assert!(refusals(&bytes)[kind].is_none());
        for len in 0..bytes.len() {
            let refusal = refusals(&bytes[..len]).swap_remove(kind);
            assert!(matches!(refusal, Some(DecodeError::Truncated { .. })), "{kind}: {len}");
        }
        let extended = [&bytes[..], &[0]].concat();
        let refusal = refusals(&extended).swap_remove(kind);
        assert!(matches!(refusal, Some(DecodeError::Trailing(1))));
    }
}

#[test]
fn oversized_counts_are_refused_before_allocation() {
    for (kind, mut bytes) in honest().into_iter().enumerate() {
        let count = if kind == 2 { 34 } else { 2 };
        bytes[count..count + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        let refusal = refusals(&bytes).swap_remove(kind);
        assert!(matches!(refusal, Some(DecodeError::TooLong { .. })), "{kind}");
    }
    // Within the limit, but more than there is.
    let mut bytes = honest().swap_remove(3);
    bytes[2..6].copy_from_slice(&(1_u32 << 26).to_le_bytes());
    let refusal = refusals(&bytes).swap_remove(3);
    assert!(matches!(refusal, Some(DecodeError::Truncated { .. })));
}

#[test]
fn complaints_out_of_order_are_refused() {
    let committee = Committee::new(1, 3, CONTEXT);
    let board = committee.board2();
    let secret = *committee.transport(3).scalar();
    let complaint = |dealer| {
        let message = craft_complaint(&board, 3, dealer, G::generator(), secret, secret);
        message.to_bytes()[38..].to_vec()
    };
    let decode = |dealers: &[u16]| {
        let mut bytes = 3_u16.to_bytes();
        board.digest().encode(&mut bytes);
        (dealers.len() as u32).encode(&mut bytes);
        dealers.iter().for_each(|&dealer| bytes.extend(complaint(dealer)));
        Round3Message::<G>::from_bytes(&bytes)
    };
    assert!(decode(&[1, 2]).is_ok());
    for wrong in [[2, 1], [1, 1]] {
        assert!(matches!(decode(&wrong), Err(DecodeError::Invalid { .. })));
    }
}
