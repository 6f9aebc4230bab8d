//! Real rounds of both chains.
//!
//! Round 1000 of quicknet is the example of drand's documentation and of many clients; rounds 1337
//! and 72785 of the chain `default` are the examples of the crate `drand-verify`. A round is its own
//! proof: one that was copied wrongly does not verify.

use super::{Chain, DrandError, Round};
use crate::hex::bytes;

fn quicknet() -> Round {
    let signature: [u8; 48] = bytes(
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
    );
    let randomness: [u8; 32] =
        bytes("fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd");
    Round {
        number: 1000,
        signature: signature.to_vec(),
        previous_signature: Vec::new(),
        randomness: randomness.to_vec(),
    }
}

fn default() -> Round {
    let signature: [u8; 96] = bytes(
        "945b08dcb30e24da281ccf14a646f0630ceec515af5c5895e18cc1b19edd65d156b71c776a369af3487f1bc6af1062500b059e01095cc0eedce91713977d7735cac675554edfa0d0481bb991ed93d333d08286192c05bf6b65d20f23a37fc7bb",
    );
    let previous_signature: [u8; 96] = bytes(
        "80d95247ddf1bb3acf5738497a5f10406be283144603f63d714bb1a44ff6b93285ae2697fffeb50c68862bd9fbecd4b204b1798d2686b4ac5d573615031d9d67e6168bde9a7adf1161430a498ca701a25c216aee3e38ffd5290369034fa050a2",
    );
    let randomness: [u8; 32] =
        bytes("2660664f8d4bc401194d80d81da20a1e79480f65b8e2d205aecbd143b5bfb0d3");
    Round {
        number: 1337,
        signature: signature.to_vec(),
        previous_signature: previous_signature.to_vec(),
        randomness: randomness.to_vec(),
    }
}

/// Whose randomness its source does not give.
fn later() -> ([u8; 96], [u8; 96]) {
    let previous = bytes(
        "a609e19a03c2fcc559e8dae14900aaefe517cb55c840f6e69bc8e4f66c8d18e8a609685d9917efbfb0c37f058c2de88f13d297c7e19e0ab24813079efe57a182554ff054c7638153f9b26a60e7111f71a0ff63d9571704905d3ca6df0b031747",
    );
    let signature = bytes(
        "82f5d3d2de4db19d40a6980e8aa37842a0e55d1df06bd68bddc8d60002e8e959eb9cfa368b3c1b77d18f02a54fe047b80f0989315f83b12a74fd8679c4f12aae86eaf6ab5690b34f1fddd50ee3cc6f6cdf59e95526d5a5d82aaa84fa6f181e42",
    );
    (previous, signature)
}

#[test]
fn real_rounds_are_accepted() {
    assert_eq!(quicknet().verify(Chain::Quicknet).map(Vec::from), Ok(quicknet().randomness));
    assert_eq!(default().verify(Chain::Default).map(Vec::from), Ok(default().randomness));
    let (previous, signature) = later();
    let round = Round {
        number: 72785,
        signature: signature.to_vec(),
        previous_signature: previous.to_vec(),
        randomness: Vec::new(),
    };
    assert_eq!(round.verify(Chain::Default), Err(DrandError::Randomness), "but it is signed");
}

#[test]
fn every_field_of_a_round_is_checked() {
    for (chain, round) in [(Chain::Quicknet, quicknet()), (Chain::Default, default())] {
        for number in [round.number + 1, 1, u64::MAX] {
            assert!(Round { number, ..round.clone() }.verify(chain).is_err());
        }
        assert_eq!(Round { number: 0, ..round.clone() }.verify(chain), Err(DrandError::Zero));
        for at in [0, 20, round.signature.len() - 1] {
            let mut wrong = round.clone();
            wrong.signature.get_mut(at).into_iter().for_each(|byte| *byte ^= 1);
            assert_eq!(wrong.verify(chain), Err(DrandError::Signature));
        }
        let mut negated = round.clone();
        negated.signature.first_mut().into_iter().for_each(|byte| *byte ^= 0x20);
        assert_eq!(negated.verify(chain), Err(DrandError::Signature));
        let mut wrong = round.clone();
        wrong.randomness.first_mut().into_iter().for_each(|byte| *byte ^= 1);
        assert_eq!(wrong.verify(chain), Err(DrandError::Randomness));
        let longer = [&round.previous_signature[..], &[0]].concat();
        let wrong = Round { previous_signature: longer, ..round.clone() };
        assert_eq!(wrong.verify(chain), Err(DrandError::PreviousSignature));
        let shorter = round.signature.iter().skip(1).copied().collect();
        let wrong = Round { signature: shorter, ..round.clone() };
        assert!(matches!(wrong.verify(chain), Err(DrandError::SignatureLen { .. })));
        let other = Chain::ALL.into_iter().find(|other| *other != chain);
        assert!(other.is_some_and(|other| round.verify(other).is_err()));
    }
    let mut wrong = default();
    wrong.previous_signature.first_mut().into_iter().for_each(|byte| *byte ^= 1);
    assert_eq!(wrong.verify(Chain::Default), Err(DrandError::Signature));
}

/// The neutral element is a signature of everything under a key that is neutral, and of nothing
/// under another.
#[test]
fn neutral_signatures_are_refused() {
    for (chain, round) in [(Chain::Quicknet, quicknet()), (Chain::Default, default())] {
        let mut signature = vec![0; chain.signature_len()];
        signature.first_mut().into_iter().for_each(|byte| *byte = 0xc0);
        let wrong = Round { signature, ..round };
        assert_eq!(wrong.verify(chain), Err(DrandError::Signature));
    }
}

#[test]
fn rounds_have_their_time() {
    assert_eq!(Chain::Quicknet.time(1000), Some(1_692_806_364));
    assert_eq!(Chain::Default.time(1), Some(1_595_431_050));
    assert_eq!((Chain::Default.time(0), Chain::Default.time(u64::MAX)), (None, None));
}
