//! Sealing on a voter's device: what a seed makes, what an audit catches, and the vectors.

use std::{fs, path::Path, sync::Arc};

use algebra::{Group, Ristretto255 as G, Scalar as _};
use board::{AuthorId, Identity};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use serde_json::{Value, json};
use shuffle::PublicKey;
use study::{
    description::ElectionDescription,
    election::{
        Booth, Parties, Seat, Seed, TereliusWikstrom, Voter,
        voter::{Audit, Opening, Receipt, SealedBallot, Submission, VoterError},
    },
    preferences::{Ballot, Opened},
};
use wire::{Decode, Digest, Encode};

use crate::common::draft;

type Sealed = SealedBallot<TereliusWikstrom>;

/// An election with the polls open, and its voters.
struct Polls {
    booth: Booth,
    voters: Vec<Identity>,
    roll: Vec<Voter>,
}

impl Polls {
    fn open() -> Self {
        let voters: Vec<_> = (1..=3).map(|seed| Identity::from_seed(&[seed; 32])).collect();
        let voter = |(place, credential): (usize, &Identity)| Voter {
            name: format!("V{place}"),
            credential: credential.id(),
            class: None,
        };
        let roll = voters.iter().enumerate().map(voter).collect();
        let secret = <G as Group>::Scalar::from_u64(77);
        let booth = Booth {
            election: Digest::of("test", b"board"),
            opening: Some(Digest::of("test", b"opening")),
            key: PublicKey::new(G::mul_generator(&secret)).unwrap(),
            layout: ElectionDescription::new(draft()).unwrap().layout(),
            classes: Arc::from([]),
        };
        Self { booth, voters, roll }
    }

    fn vote(&self, choices: &[u8]) -> Ballot {
        let shape = self.booth.layout.ranking(0).unwrap();
        shape.ranking(choices.iter().copied()).unwrap().into()
    }

    fn seat(&self, voter: u32, revision: u32) -> Seat {
        Seat { voter, credential: self.voters[voter as usize].id(), revision }
    }

    fn seal(&self, voter: u32, revision: u32, choices: &[u8]) -> (Sealed, Opening) {
        let mut rng = ChaCha20Rng::seed_from_u64(u64::from(voter) << 32 | u64::from(revision));
        let (seat, vote) = (self.seat(voter, revision), self.vote(choices));
        let credential = &self.voters[voter as usize];
        SealedBallot::seal(&self.booth, seat, credential, &vote, &mut rng).unwrap()
    }

    fn cast(&self, sealed: &Sealed) -> Result<Submission, VoterError> {
        sealed.cast(&self.booth, &self.roll, &self.voters[sealed.seat.voter as usize])
    }
}

fn stations() -> Parties {
    let key = |seed: u8| Identity::from_seed(&[seed; 32]).id();
    Parties::new(key(50), &[key(51), key(52)], &[key(53)], &[key(54)]).unwrap()
}

#[test]
fn what_was_sealed_is_shown_cast_and_promised() {
    let polls = Polls::open();
    let (sealed, opening) = polls.seal(1, 2, &[2, 0]);
    let booth = &polls.booth;
    sealed.verify(booth, &polls.roll).unwrap();
    let opened = sealed.audit(booth, &polls.roll, &opening).unwrap();
    assert_eq!(opened, Opened::from(polls.vote(&[2, 0])));
    let questions = ElectionDescription::new(draft()).unwrap().questions.clone();
    assert_eq!(opened.in_words(&questions), ["What for lunch? 1. stew, 2. soup"]);

    let cast = polls.cast(&sealed).unwrap();
    cast.verify(booth, &polls.roll).unwrap();
    assert_eq!(cast.tracker(booth), sealed.tracker(booth));
    let station = Identity::from_seed(&[52; 32]);
    let receipt = Receipt::sign(&station, booth.election, cast.tracker(booth), 9);
    assert_eq!(receipt.verify(booth.election, &stations(), cast.tracker(booth)).unwrap(), 2);

    assert_eq!(Sealed::from_bytes(&sealed.to_bytes()).unwrap(), sealed);
    let audit = Audit { sealed, opening };
    assert!(Audit::from_bytes(&audit.to_bytes()).unwrap() == audit);
    assert_eq!(Submission::from_bytes(&cast.to_bytes()).unwrap(), cast);
    assert_eq!(Receipt::from_bytes(&receipt.to_bytes()).unwrap(), receipt);
}

/// A device that seals for soup when told stew, and is audited: each way to hide it.
#[test]
fn a_device_that_seals_another_ranking_is_caught() {
    let polls = Polls::open();
    let (booth, roll) = (&polls.booth, &polls.roll);
    let (told, sealed_for) = ([2_u8], [0_u8]);
    let (sealed, opening) = polls.seal(0, 1, &sealed_for);
    // It shows what it sealed.
    let opened = sealed.audit(booth, roll, &opening).unwrap();
    assert_ne!(opened, Opened::from(polls.vote(&told)));
    // It shows what it was told, with the seed that it used, or with any other.
    let cells = booth.cells(&polls.vote(&told)).unwrap();
    for seed in [opening.seed.clone(), Seed::from_bytes([9; 32])] {
        let lie = Opening { seed, cells: cells.clone() };
        assert!(matches!(sealed.audit(booth, roll, &lie), Err(VoterError::Unlike)));
    }
    // It shows an honest ballot that it makes now: not the one that it committed to.
    let (other, honest) = polls.seal(0, 2, &told);
    other.audit(booth, roll, &honest).unwrap();
    assert_ne!(other.code(booth), sealed.code(booth));
    // With the old revision, and so the old seat, it is no ballot of the device's.
    let moved = Sealed { seat: sealed.seat, ..other };
    assert!(matches!(moved.audit(booth, roll, &honest), Err(VoterError::Commitment)));
}

/// A ballot that was shown has a signature of its voter's, which casts nothing.
#[test]
fn a_commitment_does_not_cast() {
    let polls = Polls::open();
    let (sealed, _) = polls.seal(0, 1, &[1]);
    let mut stolen = polls.cast(&sealed).unwrap();
    stolen.ballot.signature = sealed.commitment;
    let refused = stolen.verify(&polls.booth, &polls.roll);
    assert!(matches!(refused, Err(VoterError::Signature)));
    // Nor does another voter's key cast it.
    let other = sealed.cast(&polls.booth, &polls.roll, &polls.voters[1]);
    assert!(matches!(other, Err(VoterError::OtherKey)));
}

/// One seed for two votes, or two voters: nothing of one ballot is in the other.
#[test]
fn a_seed_that_serves_twice_gives_other_randomness() {
    let polls = Polls::open();
    let seed = Seed::from_bytes([7; 32]);
    let seal = |booth: &Booth, voter, revision, choices: &[u8]| {
        let cells = booth.cells(&polls.vote(choices)).unwrap();
        let ballot = booth.seal_from(&polls.seat(voter, revision), &cells, &seed).unwrap();
        ballot.to_bytes()
    };
    let reopened = Booth { opening: Some(Digest::of("test", b"again")), ..polls.booth.clone() };
    let other_key = PublicKey::new(G::mul_generator(&<G as Group>::Scalar::from_u64(78))).unwrap();
    let rekeyed = Booth { key: other_key, ..polls.booth.clone() };
    let all = [
        seal(&polls.booth, 0, 1, &[1]),
        seal(&polls.booth, 0, 1, &[2]),
        seal(&polls.booth, 0, 2, &[1]),
        seal(&polls.booth, 1, 1, &[1]),
        seal(&reopened, 0, 1, &[1]),
        seal(&rekeyed, 0, 1, &[1]),
    ];
    // First component, second component, announcement.
    for field in [4..36, 36..68, 68..100] {
        let mut values: Vec<_> = all.iter().map(|ballot| &ballot[field.clone()]).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), all.len(), "{field:?}");
    }
    assert_eq!(all[0], seal(&polls.booth, 0, 1, &[1]));
}

/// Whether the bytes of a file hold.
type Holds<'a> = &'a dyn Fn(&[u8]) -> bool;

/// Every byte of what a voter has, changed: refused when read or when checked.
#[test]
fn nothing_can_be_changed() {
    let polls = Polls::open();
    let (booth, roll) = (&polls.booth, &polls.roll);
    let (sealed, opening) = polls.seal(1, 3, &[0, 1]);
    let cast = polls.cast(&sealed).unwrap();
    let tracker = cast.tracker(booth);
    let receipt =
        Receipt::sign(&Identity::from_seed(&[51; 32]), booth.election, tracker, 1_000_000);

    let audit = Audit { sealed: sealed.clone(), opening }.to_bytes();
    let audited = |bytes: &[u8]| {
        let Ok(Audit { sealed, opening }) = Audit::<TereliusWikstrom>::from_bytes(bytes) else {
            return false;
        };
        sealed.audit(booth, roll, &opening).is_ok()
    };
    let verified = |bytes: &[u8]| {
        Sealed::from_bytes(bytes).is_ok_and(|sealed| sealed.verify(booth, roll).is_ok())
    };
    let taken = |bytes: &[u8]| {
        Submission::<TereliusWikstrom>::from_bytes(bytes)
            .is_ok_and(|cast| cast.verify(booth, roll).is_ok())
    };
    let promised = |bytes: &[u8]| {
        Receipt::from_bytes(bytes)
            .is_ok_and(|receipt| receipt.verify(booth.election, &stations(), tracker).is_ok())
    };
    let files: [(&str, Vec<u8>, Holds<'_>); 4] = [
        ("audit", audit, &audited),
        ("sealed", sealed.to_bytes(), &verified),
        ("ballot", cast.to_bytes(), &taken),
        ("receipt", receipt.to_bytes(), &promised),
    ];
    for (name, bytes, holds) in files {
        assert!(holds(&bytes), "{name}");
        assert!(!holds(&bytes[..bytes.len() - 1]) && !holds(&[&bytes[..], &[0]].concat()));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(!holds(&changed), "{name}, byte {at}");
        }
    }
}

#[test]
fn receipts_are_stations_about_one_ballot() {
    let polls = Polls::open();
    let booth = &polls.booth;
    let tracker = polls.cast(&polls.seal(0, 1, &[0]).0).unwrap().tracker(booth);
    let by =
        |seed: u8| Receipt::sign(&Identity::from_seed(&[seed; 32]), booth.election, tracker, 5);
    let verify = |receipt: &Receipt| receipt.verify(booth.election, &stations(), tracker);
    // A mixer's, a stranger's.
    for seed in [54, 99] {
        assert!(matches!(verify(&by(seed)), Err(VoterError::NotAStation(_))));
    }
    let later = Receipt { post_by: 6, ..by(51) };
    assert!(matches!(verify(&later), Err(VoterError::ReceiptSignature)));
    let own = Receipt { station: Identity::from_seed(&[52; 32]).id(), ..by(51) };
    assert!(matches!(verify(&own), Err(VoterError::ReceiptSignature)));
    let other = by(51).verify(booth.election, &stations(), Digest::of("test", b"other"));
    assert!(matches!(other, Err(VoterError::OtherReceipt)));
    let elsewhere = by(51).verify(Digest::of("test", b"x"), &stations(), tracker);
    assert!(matches!(elsewhere, Err(VoterError::OtherElection(_))));
}

#[test]
fn ballots_belong_to_one_opening_and_one_place() {
    let polls = Polls::open();
    let (booth, roll) = (&polls.booth, &polls.roll);
    let (sealed, _) = polls.seal(0, 1, &[0]);
    let reopened = Booth { opening: Some(Digest::of("test", b"again")), ..booth.clone() };
    assert!(matches!(sealed.verify(&reopened, roll), Err(VoterError::OtherOpening)));
    let elsewhere = Booth { election: Digest::of("test", b"x"), ..booth.clone() };
    assert!(matches!(sealed.verify(&elsewhere, roll), Err(VoterError::OtherElection(_))));
    let old = Booth { opening: None, ..booth.clone() };
    assert!(matches!(sealed.verify(&old, roll), Err(VoterError::NoRevisions)));
    let moved = Sealed { seat: Seat { voter: 1, ..sealed.seat }, ..sealed.clone() };
    assert!(matches!(moved.verify(booth, roll), Err(VoterError::NotOnRoll { place: 1, .. })));
    let nowhere = Sealed { seat: Seat { voter: 9, ..sealed.seat }, ..sealed };
    assert!(matches!(nowhere.verify(booth, roll), Err(VoterError::NotOnRoll { place: 9, .. })));
}

/// Another class on another roll is another ballot.
#[test]
fn the_tracker_names_voter_class_and_revision() {
    let polls = Polls::open();
    let (sealed, _) = polls.seal(0, 1, &[0]);
    let classed = |class| Booth { classes: Arc::from([class; 3]), ..polls.booth.clone() };
    let ballot = &sealed.ballot;
    let trackers = [
        polls.booth.tracker(0, 1, ballot),
        polls.booth.tracker(1, 1, ballot),
        polls.booth.tracker(0, 2, ballot),
        classed(0).tracker(0, 1, ballot),
        classed(1).tracker(0, 1, ballot),
    ];
    for (place, tracker) in trackers.iter().enumerate() {
        assert!(!trackers[..place].contains(tracker), "{place}");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Sealing from seed to bytes, for clients in other languages.
fn vectors() -> Value {
    let polls = Polls::open();
    let case = |voter: u32, revision: u32, class: Option<u8>, cells: &[&[u8]]| {
        let classes: Vec<u8> = class.map_or(Vec::new(), |class| vec![class; 3]);
        let booth = Booth { classes: classes.into(), ..polls.booth.clone() };
        let (credential, seat) = (&polls.voters[voter as usize], polls.seat(voter, revision));
        let cells: Vec<Vec<u8>> = cells.iter().map(|cell| cell.to_vec()).collect();
        let seed = Seed::from_bytes(*Digest::of("seed", &[revision as u8]).as_bytes());
        let ballot = booth.seal_from(&seat, &cells, &seed).unwrap();
        let tracker = booth.tracker(voter, revision, &ballot);
        let commitment = credential.sign("subrosa/election/commitment/v1", tracker);
        let signed = booth.sign(voter, Some(revision), ballot.clone(), credential);
        json!({
            "board": booth.election.to_string(),
            "opening": booth.context().to_string(),
            "key": hex(&booth.key.point().encode()),
            "credential": hex(&*credential.to_seed()),
            "voter": voter,
            "class": class,
            "revision": revision,
            "seed": hex(seed.as_bytes()),
            "cells": cells.iter().map(|cell| hex(cell)).collect::<Vec<_>>(),
            "ballot": hex(&ballot.to_bytes()),
            "tracker": tracker.to_string(),
            "code": booth.code(&signed).to_string(),
            "commitment": hex(&commitment),
            "signature": hex(&signed.signature),
        })
    };
    let one: &[u8] = &[3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let full: &[u8] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    json!([
        case(0, 1, None, &[one]),
        case(1, 2, None, &[&[0; 16]]),
        case(2, 4_000_000_000, Some(0), &[one]),
        case(1, 3, Some(2), &[full, one, full]),
    ])
}

#[test]
fn sealing_is_as_the_vectors_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/election/seal.json");
    let written = fs::read(&path).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&written).unwrap(), vectors());
}

#[test]
#[ignore = "writes the vectors anew"]
fn write_the_vectors_of_sealing() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/election/seal.json");
    let text = serde_json::to_string_pretty(&vectors()).unwrap();
    fs::write(path, text + "\n").unwrap();
}

/// A key of nobody's is no voter's.
#[test]
fn places_without_a_voter_cast_nothing() {
    let polls = Polls::open();
    let mut cast = polls.cast(&polls.seal(0, 1, &[0]).0).unwrap();
    cast.ballot.voter = 7;
    assert!(matches!(cast.verify(&polls.booth, &polls.roll), Err(VoterError::Signature)));
    assert!(AuthorId::from_bytes(&[0; 32]).is_err());
}
