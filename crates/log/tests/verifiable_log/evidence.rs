//! Evidence: every offence, judged from bytes; and no honest keeper framed by what it signs.

use log::{Evidence, EvidenceError, Header, Offence, Promise, Stretch, note::VerifierKey};
use wire::{Decode, Encode};

use super::{AUTHOR, KEEPER, Kept, entry, identity, log_key, origin};

fn judged(offence: Offence) -> Result<(), EvidenceError> {
    let evidence = Evidence { log: log_key(), offence };
    let bytes = evidence.to_bytes();
    let read = Evidence::from_bytes(&bytes).unwrap();
    assert_eq!(read, evidence);
    read.verify()
}

fn no_offence(offence: Offence) {
    let refused = judged(offence);
    assert!(matches!(refused, Err(EvidenceError::NoOffence(_))), "{refused:?}");
}

/// Whatever byte of evidence is changed, it convicts nobody.
fn no_byte_can_be_changed(evidence: &Evidence) {
    let bytes = evidence.to_bytes();
    for at in 0..bytes.len() {
        for bit in [0, 5] {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            let accepted = Evidence::from_bytes(&changed).is_ok_and(|read| read.verify().is_ok());
            assert!(!accepted, "bit {bit} of byte {at} of {}", evidence.name());
        }
    }
    for cut in 0..bytes.len() {
        assert!(Evidence::from_bytes(&bytes[..cut]).is_err());
    }
}

/// A keeper that promised an entry and goes on without it.
fn withheld() -> (Kept, Promise, Header) {
    let mut kept = Kept::of_ticks([100, 110, 120]);
    let header = entry("mine", b"payload");
    let promise = Promise::sign(&identity(KEEPER), &origin(), &header, (kept.size(), 150));
    kept.append(130, entry("another", b""));
    [140, 150, 160, 170].into_iter().for_each(|time| kept.tick(time));
    (kept, promise, header)
}

fn withholding(kept: &Kept, promise: &Promise, range: std::ops::Range<u64>) -> Offence {
    let (log, leaves) = (kept.signed(), kept.stretch(range));
    Offence::Withholding { promise: promise.clone(), log, leaves }
}

#[test]
fn withholding_is_judged_by_the_times_of_leaves() {
    let (kept, promise, header) = withheld();
    // Leaf 6 is the first after the deadline.
    assert_eq!(judged(withholding(&kept, &promise, 3..7)), Ok(()));
    assert_eq!(judged(withholding(&kept, &promise, 0..7)), Ok(()));
    no_byte_can_be_changed(&Evidence {
        log: log_key(),
        offence: withholding(&kept, &promise, 3..7),
    });
    // A leaf at the deadline is in time; what was appended before must be shown.
    no_offence(withholding(&kept, &promise, 3..6));
    no_offence(withholding(&kept, &promise, 4..7));
    // What was late before the promise says nothing about it.
    let early = Promise::sign(&identity(KEEPER), &origin(), &header, (3, 115));
    no_offence(withholding(&kept, &early, 0..3));
    let mut kept_word = Kept::of_ticks([100, 110, 120]);
    kept_word.append(150, header.clone());
    kept_word.tick(160);
    no_offence(withholding(&kept_word, &promise, 3..5));
    // A keeper that was down appends first what it promised, and only then its heartbeat.
    let mut down = Kept::of_ticks([100, 110, 120, 140]);
    down.append(900, entry("first", b""));
    down.append(900, header.clone());
    down.tick(900);
    no_offence(withholding(&down, &promise, 3..5));
    no_offence(withholding(&down, &promise, 3..7));
    // One that goes on first has broken it, also if the entry comes later.
    let mut late = Kept::of_ticks([100, 110, 120, 140, 151]);
    late.append(151, header.clone());
    assert_eq!(judged(withholding(&late, &promise, 3..5)), Ok(()));
    // A heartbeat of somebody else is none.
    let mut other = Kept::of_ticks([100, 110, 120]);
    other.append(151, Header::tick(&identity(AUTHOR), &origin(), 151).unwrap());
    no_offence(withholding(&other, &promise, 3..4));
    // Somebody else's promise, or for another log, binds nobody.
    let forged = Promise::sign(&identity(AUTHOR), &origin(), &header, (3, 150));
    assert_eq!(judged(withholding(&kept, &forged, 3..7)), Err(EvidenceError::Promise));
    let elsewhere = "example.com/elsewhere".parse().unwrap();
    let elsewhere = Promise::sign(&identity(KEEPER), &elsewhere, &header, (3, 150));
    assert_eq!(judged(withholding(&kept, &elsewhere, 3..7)), Err(EvidenceError::Promise));
}

/// Without a tick after the deadline there is no evidence, whatever witnesses' clocks say.
#[test]
fn the_time_of_a_witness_convicts_nobody() {
    let mut kept = Kept::of_ticks([100]);
    let header = entry("mine", b"payload");
    let promise = Promise::sign(&identity(KEEPER), &origin(), &header, (1, 150));
    kept.tick(149);
    let mut signed = kept.signed();
    let name = "w.example/2".parse().unwrap();
    signed.add(log::cosign(signed.note().text(), name, &identity(2), 1_000_000));
    no_offence(Offence::Withholding { promise, log: signed, leaves: kept.stretch(1..2) });
}

#[test]
fn a_clock_turned_back_is_evidence() {
    let kept = Kept::of_ticks([100, 120, 119, 119, 130]);
    let shown = |range| Offence::Backwards { log: kept.signed(), leaves: kept.stretch(range) };
    assert_eq!(judged(shown(1..3)), Ok(()));
    assert_eq!(judged(shown(0..5)), Ok(()));
    no_byte_can_be_changed(&Evidence { log: log_key(), offence: shown(1..3) });
    no_offence(shown(0..2));
    no_offence(shown(2..5));
    // Leaves that are not in a row.
    let mut leaves = kept.stretch(1..3);
    leaves.leaves.swap(0, 1);
    let swapped = Offence::Backwards { log: kept.signed(), leaves };
    assert!(matches!(judged(swapped), Err(EvidenceError::Proof(_))));
    let empty =
        Stretch { first: 0, leaves: Vec::new(), proof: vec![kept.signed().checkpoint().root] };
    let empty = Offence::Backwards { log: kept.signed(), leaves: empty };
    assert!(matches!(judged(empty), Err(EvidenceError::Proof(_))));
}

fn fork_of(size: u64, parted: u64) -> (Kept, Kept) {
    let common = Kept::of_ticks(0..parted);
    let [mut one, mut two] = [common.clone(), common];
    one.append(parted, entry("one", b""));
    two.append(parted, entry("two", b""));
    (parted + 1..size).for_each(|time| one.tick(time));
    (parted + 1..size).for_each(|time| two.tick(time));
    (one, two)
}

#[test]
fn two_histories_convict_and_one_does_not() {
    for (old, size) in [(3, 5), (4, 7), (6, 7), (8, 9)] {
        let (one, two) = fork_of(size, old - 1);
        let start = old.is_power_of_two().then(|| log::merkle::root_of(&two.tree, old).unwrap());
        let proof = |kept: &Kept| start.into_iter().chain(kept.consistency(old)).collect();
        let fork = |kept: &Kept| {
            let (old, new) = (one.signed_at(old), kept.signed());
            Offence::Fork { old, new, proof: proof(kept) }
        };
        assert_eq!(judged(fork(&two)), Ok(()), "{old} to {size}");
        no_byte_can_be_changed(&Evidence { log: log_key(), offence: fork(&two) });
        let honest = |start: Option<_>| Offence::Fork {
            old: one.signed_at(old),
            new: one.signed(),
            proof: start.into_iter().chain(one.consistency(old)).collect(),
        };
        let own = old.is_power_of_two().then(|| log::merkle::root_of(&one.tree, old).unwrap());
        no_offence(honest(own));
        if start.is_some() {
            // The root of another history does not lead to this one.
            assert!(matches!(judged(honest(start)), Err(EvidenceError::Proof(_))));
        }
        let roots = |one: &Kept, other: &Kept| Offence::TwoRoots {
            one: one.signed(),
            other: other.signed(),
        };
        assert_eq!(judged(roots(&one, &two)), Ok(()));
        no_byte_can_be_changed(&Evidence { log: log_key(), offence: roots(&one, &two) });
        no_offence(roots(&one, &one));
        no_offence(Offence::TwoRoots { one: one.signed(), other: two.signed_at(old) });
        assert!(Evidence::two_roots(&log_key(), &one.signed(), &one.signed()).is_none());
    }
}

/// Evidence names a key: under another key, or one that cosigns, it convicts nobody.
#[test]
fn evidence_convicts_the_key_that_signed() {
    let (one, two) = fork_of(5, 3);
    let evidence = Evidence::two_roots(&log_key(), &one.signed(), &two.signed()).unwrap();
    let other = VerifierKey { key: identity(AUTHOR).id(), ..log_key() };
    assert!(Evidence { log: other, ..evidence.clone() }.verify().is_err());
    let other = VerifierKey { name: "example.com/elsewhere".parse().unwrap(), ..log_key() };
    assert!(Evidence { log: other, ..evidence.clone() }.verify().is_err());
    let algorithm = log::note::Algorithm::Cosignature;
    let other = VerifierKey { algorithm, ..log_key() };
    assert!(Evidence { log: other, ..evidence }.verify().is_err());
}
