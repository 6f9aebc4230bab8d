//! Bytes that no honest party writes: typed errors, no panic, no effect.

use std::sync::LazyLock;

use board::{Entry, Position};
use proptest::{collection::vec, prelude::*};
use study::election::{Election, Message, Party, Phase, Role};
use wire::Digest;

use crate::common::{Honest, OPERATOR, STATION, Said, World, draft, party, rankings};

const KINDS: [&str; 12] = [
    "election/setup",
    "election/roll",
    "key/commitments",
    "key/shares",
    "key/verdicts",
    "election/absent",
    "election/open",
    "ballots",
    "election/close",
    "mix",
    "decryption",
    "election/outcome",
];

/// A payload of every kind.
fn payloads() -> Vec<(&'static str, Vec<u8>)> {
    let honest = Honest::get();
    let of = |kind| match honest.places(kind).first() {
        Some(place) => honest.script[*place].payload.clone(),
        None => Said::new(OPERATOR, &Message::Absent(party(Role::Mixer, 1))).payload,
    };
    KINDS.map(|kind| (kind, of(kind))).to_vec()
}

fn writers() -> Vec<Party> {
    let trustees = (1..=3).map(|number| party(Role::Trustee, number));
    let mixers = (1..=3).map(|number| party(Role::Mixer, number));
    [OPERATOR, STATION].into_iter().chain(trustees).chain(mixers).collect()
}

/// The honest election after this many entries.
fn after(len: usize) -> Election {
    let (genesis, rest) = Honest::get().entries[..len].split_first().unwrap();
    let mut election = Election::new(genesis).unwrap();
    rest.iter().for_each(|entry| election.apply(entry));
    election
}

fn entry(said: &Said) -> Entry {
    let zeros = Digest::from([0; 32]);
    let position = Position { board: zeros, sequence: 77, previous: zeros };
    let identity = Honest::get().world.identity(said.by);
    Entry::sign(&identity, &position, &said.kind, &said.payload).unwrap()
}

/// After how many entries a phase begins, phase by phase.
fn stages() -> &'static [usize] {
    static STAGES: LazyLock<Vec<usize>> = LazyLock::new(|| {
        let mut known: Vec<Phase> = Vec::new();
        let mut stages = Vec::new();
        for len in 1..=Honest::get().entries.len() {
            let phase = after(len).phase();
            if !known.contains(&phase) {
                known.push(phase);
                stages.push(len);
            }
        }
        stages
    });
    // Registration, three rounds, opening, casting, three mixes, decryption, end.
    assert_eq!(STAGES.len(), 11);
    &STAGES
}

#[test]
fn payloads_cut_short_anywhere_or_with_a_byte_more() {
    for (kind, payload) in payloads() {
        assert!(<Message>::from_entry(kind, &payload).is_ok(), "{kind}");
        for len in 0..payload.len() {
            assert!(<Message>::from_entry(kind, &payload[..len]).is_err(), "{kind}, {len} bytes");
        }
        let longer = [&payload[..], &[0]].concat();
        assert!(<Message>::from_entry(kind, &longer).is_err(), "{kind}");
    }
}

#[test]
fn counts_larger_than_the_limits() {
    // Where each kind has a count, and the most that is allowed.
    let counts = [
        ("election/roll", 0, 1_000_000),
        ("key/commitments", 2, 255),
        ("key/shares", 2, 255),
        ("key/verdicts", 34, 255),
        ("ballots", 0, 10_000),
        ("ballots", 8, 16),
        ("mix", 0, 1 << 24),
        ("mix", 4, 16),
        ("decryption", 2, 1 << 26),
        ("election/outcome", 0, 1 << 20),
    ];
    let payloads = payloads();
    for (kind, at, most) in counts {
        let (_, payload) = payloads.iter().find(|(known, _)| *known == kind).unwrap();
        for count in [most + 1, u32::MAX] {
            let mut payload = payload.clone();
            payload[at..at + 4].copy_from_slice(&count.to_le_bytes());
            let error = <Message>::from_entry(kind, &payload).unwrap_err().to_string();
            assert!(error.contains(&count.to_string()), "{kind}: {error}");
        }
        // The count itself reserves no memory: the bytes are not there.
        let mut payload = payload.clone();
        payload[at..at + 4].copy_from_slice(&most.to_le_bytes());
        assert!(<Message>::from_entry(kind, &payload).is_err(), "{kind}");
    }
}

/// Where a kind has a point.
const POINTS: [(&str, usize); 8] = [
    ("key/commitments", 6),
    ("key/commitments", 6 + 2 * 32),
    ("key/shares", 8),
    ("election/open", 0),
    ("ballots", 12),
    ("mix", 8),
    ("mix", 8 + 32),
    ("decryption", 6),
];

#[test]
fn points_that_are_not_canonical() {
    let payloads = payloads();
    for (kind, at) in POINTS {
        let (_, payload) = payloads.iter().find(|(known, _)| *known == kind).unwrap();
        let mut minus_one = [0xff; 32];
        (minus_one[0], minus_one[31]) = (0xec, 0x7f);
        for bytes in [[0xff; 32], [1; 32], minus_one] {
            let mut payload = payload.clone();
            payload[at..at + 32].copy_from_slice(&bytes);
            assert!(<Message>::from_entry(kind, &payload).is_err(), "{kind} at {at}");
        }
    }
}

#[test]
fn the_neutral_element_in_place_of_a_point() {
    // Ballots are the station's; see stations.rs.
    for (kind, at) in POINTS.into_iter().filter(|(kind, _)| *kind != "ballots") {
        let world = World::new(draft(), 3);
        let mut spoiled = None;
        let session = world.play(&rankings(&world, 3), |_, mut said| {
            if said.kind == kind && spoiled.is_none() {
                spoiled = Some(said.by);
                said.payload[at..at + 32].fill(0);
            }
            vec![said]
        });
        let spoiled = spoiled.unwrap();
        let faults = session.election().faults();
        assert!(faults.iter().any(|fault| fault.party == Some(spoiled)), "{kind}: {faults:?}");
        assert!(faults.iter().all(|fault| fault.party == Some(spoiled)), "{kind}: {faults:?}");
        assert_eq!(session.election().phase(), Phase::Finished, "{kind}");
    }
}

#[test]
fn the_right_words_from_the_wrong_party_or_at_the_wrong_time() {
    let honest = Honest::get();
    for &len in stages() {
        let mut election = after(len);
        let mut expected = 0;
        for by in writers() {
            let (phase, awaited) = (election.phase(), election.awaited());
            for said in &honest.script {
                let is_due = match said.by.role {
                    Role::Station => phase == Phase::Casting,
                    _ => {
                        let next = honest.script.get(len);
                        next.is_some_and(|next| next.kind == said.kind) && phase != Phase::Finished
                    }
                };
                let may = by.role == said.by.role;
                if is_due && may {
                    continue;
                }
                election.apply(&entry(&Said { by, ..said.clone() }));
                expected += 1;
                assert_eq!(election.faults().len(), expected, "{by}: {} in {phase:?}", said.kind);
                assert_eq!(election.faults().last().unwrap().party, Some(by));
            }
            assert_eq!((election.phase(), election.awaited()), (phase, awaited), "{by}");
        }
    }
}

#[test]
fn an_absence_of_somebody_who_is_not_waited_for() {
    for &len in stages() {
        let mut election = after(len);
        let (phase, awaited) = (election.phase(), election.awaited());
        for number in [0, 1, 2, 3, 4, u16::MAX] {
            for role in [Role::Operator, Role::Station, Role::Trustee, Role::Mixer] {
                let absent = party(role, number);
                let is_possible = matches!(phase, Phase::KeyGeneration(_) | Phase::Mixing(_));
                if is_possible && awaited.contains(&absent) {
                    continue;
                }
                election.apply(&entry(&Said::new(OPERATOR, &Message::Absent(absent))));
                assert_eq!(election.faults().last().unwrap().party, Some(OPERATOR));
            }
        }
        assert_eq!((election.phase(), election.awaited()), (phase, awaited));
    }
}

fn any_kind() -> impl Strategy<Value = String> {
    prop_oneof![4 => prop::sample::select(&KINDS[..]).prop_map(String::from), 1 => "[a-z/.-]{1,20}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn random_payloads_are_no_messages(kind in any_kind(), payload in vec(any::<u8>(), 0..600)) {
        // A few bytes may happen to be a message of a short kind; long ones have proofs.
        if let Ok(message) = <Message>::from_entry(&kind, &payload) {
            prop_assert_eq!(message.kind(), kind.as_str());
            prop_assert_eq!(wire::Encode::to_bytes(&message), payload);
        }
    }

    #[test]
    fn altered_payloads_are_refused_or_other_messages(
        which in 0..KINDS.len(),
        at in any::<prop::sample::Index>(),
        bytes in vec(any::<u8>(), 1..40),
    ) {
        let (kind, mut payload) = payloads().swap_remove(which);
        let at = at.index(payload.len());
        for (byte, new) in payload[at..].iter_mut().zip(bytes) {
            *byte = new;
        }
        // What decodes has one encoding.
        if let Ok(message) = <Message>::from_entry(kind, &payload) {
            prop_assert_eq!(wire::Encode::to_bytes(&message), payload);
        }
    }

    #[test]
    fn random_entries_have_no_effect(
        stage in 0..11_usize,
        by in prop::sample::select(writers()),
        kind in any_kind(),
        payload in vec(any::<u8>(), 4..300),
    ) {
        let mut election = after(stages()[stage]);
        let (phase, awaited) = (election.phase(), election.awaited());
        election.apply(&entry(&Said { by, kind, payload }));
        prop_assert_eq!((election.phase(), election.awaited()), (phase, awaited));
        prop_assert_eq!(election.faults().last().map(|fault| fault.party), Some(Some(by)));
    }

    #[test]
    fn random_bytes_begin_no_election(payload in vec(any::<u8>(), 0..400), which in 0..KINDS.len()) {
        let said = Said { by: OPERATOR, kind: KINDS[which].into(), payload };
        prop_assert!(<Election>::new(&entry(&said)).is_err());
    }
}
