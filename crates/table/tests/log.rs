//! The log: what is signed, what a user can prove, and what proves nothing.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a fault here is a failed test"
)]

mod support;

use support::*;
use table::{
    log::{
        Attestation, CLOCK_SKEW, Checkpoint, Evidence, Growth, LoggedEpoch, Receipt,
        SignedCheckpoint, merkle,
    },
    *,
};
use wire::{Decode, Encode};

/// Three epochs of a few rows.
fn world() -> World {
    let schema = schema();
    let rows: Vec<_> = (10..13).map(|epoch| entries(&schema, 9, 6, epoch)).collect();
    World::new(schema, &rows)
}

fn promise(world: &World, epoch: u32, entry: &Entry) -> Receipt {
    let pair = (&entry.row, &entry.keys);
    let Setup { operator, table, .. } = &world.setup;
    Receipt::sign(operator, table, (epoch, 0), pair, (1, TIME)).unwrap()
}

#[test]
fn checkpoints_are_notes_and_need_operator_and_quorum() {
    let world = world();
    let table = &world.setup.table;
    let signed = world.checkpoint(3);
    assert_eq!(signed.verify(table), Ok(Some(TIME)));
    let note = signed.to_note();
    assert_eq!(SignedCheckpoint::from_note(table, &note).unwrap(), signed);
    for at in 0..note.len() {
        let mut bytes = note.clone().into_bytes();
        bytes[at] ^= 1;
        let Ok(changed) = String::from_utf8(bytes) else { continue };
        let read = SignedCheckpoint::from_note(table, &changed);
        assert!(read.and_then(|read| read.verify(table)).is_err(), "byte {at}");
    }
    let refused = |change: &dyn Fn(&mut SignedCheckpoint)| {
        let mut changed = signed.clone();
        change(&mut changed);
        changed.verify(table).unwrap_err()
    };
    let few = refused(&|signed| signed.cosignatures.truncate(2));
    assert_eq!(few, Fault::Number { what: "cosignatures", got: 2, expected: 3 });
    let twice = refused(&|signed| signed.cosignatures[1] = signed.cosignatures[0].clone());
    assert_eq!(twice, Fault::Duplicate { what: "the cosignature of a witness" });
    refused(&|signed| signed.cosignatures[0].time += 1);
    refused(&|signed| {
        let checkpoint = signed.checkpoint.clone();
        signed.cosignatures[0] = checkpoint.cosign(&world.setup.auditor, TIME);
    });
    refused(&|signed| *signed = signed.checkpoint.clone().sign(&world.setup.auditor));
    // Another table with the same schema.
    let genesis = Genesis { nonce: [9; 32].into(), ..table.genesis().clone() };
    let other = Table::new(genesis).unwrap();
    assert_eq!(signed.verify(&other), Err(Fault::Mismatch { what: "the checkpoint's origin" }));
}

#[test]
fn epochs_stand_at_their_place_in_the_log() {
    let world = world();
    let table = &world.setup.table;
    let checkpoint = world.checkpoint(3).checkpoint;
    for index in 0..3 {
        let logged = world.logged(index, 3);
        assert_eq!(logged.verify(table, &checkpoint), Ok(world.digests[index]));
        let bytes = logged.to_bytes();
        assert_eq!(LoggedEpoch::from_bytes(&bytes).unwrap(), logged);
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            if let Ok(changed) = LoggedEpoch::from_bytes(&bytes) {
                assert!(changed.verify(table, &checkpoint).is_err(), "byte {at}");
            }
        }
        assert!(index == 2 || logged.verify(table, &world.checkpoint(2).checkpoint).is_err());
    }
    // A skipped epoch: the third in the second place.
    let mut logged = world.logged(1, 3);
    logged.header = world.headers[2].clone();
    assert!(logged.verify(table, &checkpoint).is_err());
    // An epoch before the first, and one past the log.
    let mut early = world.logged(0, 3);
    early.header.core.epoch = 9;
    assert_eq!(early.verify(table, &checkpoint), Err(Fault::Bounds { what: "the epoch" }));
}

#[test]
fn receipts_open_to_the_users_values() {
    let world = world();
    let table = &world.setup.table;
    let entry = &world.epochs[0].entries[4];
    let receipt = promise(&world, 10, entry);
    assert_eq!(receipt.accept(table, &entry.row, &entry.keys), Ok(()));
    let bytes = receipt.to_bytes();
    assert_eq!(Receipt::from_bytes(&bytes).unwrap(), receipt);
    for at in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        if let Ok(changed) = Receipt::from_bytes(&bytes) {
            assert!(changed.accept(table, &entry.row, &entry.keys).is_err(), "byte {at}");
        }
    }
    // A receipt whose commitments do not open: the operator signs for other values.
    let mut other = entry.clone();
    other.row.values[1] ^= 1;
    let wrong = promise(&world, 10, &other).accept(table, &entry.row, &entry.keys);
    assert_eq!(wrong, Err(Fault::Mismatch { what: "the receipt's leaf" }));
    let genesis = Genesis { nonce: [9; 32].into(), ..table.genesis().clone() };
    assert!(receipt.verify(&Table::new(genesis).unwrap()).is_err());
}

#[test]
fn receipts_promise_no_later_day_than_the_schema() {
    let world = world();
    let table = &world.setup.table;
    let receipt = promise(&world, 10, &world.epochs[0].entries[4]);
    let earliest = receipt.deadline - table.schema().seal_deadline - CLOCK_SKEW;
    assert_eq!(receipt.in_time(table, earliest), Ok(()));
    assert_eq!(receipt.in_time(table, u64::MAX), Ok(()));
    let late = Err(Fault::Bounds { what: "the deadline of the receipt" });
    assert_eq!(receipt.in_time(table, earliest - 1), late);
}

#[test]
fn omission_alteration_and_withholding_are_proven() {
    let world = world();
    let table = &world.setup.table;
    let (epoch, checkpoint) = (world.logged(0, 3), world.checkpoint(3));
    let ids = &world.epochs[0].columns[0].ids;
    // A row that never came in.
    let stranger = &entries(table.schema(), 20, 6, 99)[15];
    let receipt = promise(&world, 10, stranger);
    let absence = ids.absence(receipt.pseudonym.as_bytes()).unwrap();
    let omission = |receipt: Receipt, epoch: LoggedEpoch| Evidence::Omission {
        receipt,
        epoch,
        checkpoint: checkpoint.clone(),
        absence: absence.clone(),
    };
    assert_eq!(omission(receipt.clone(), epoch.clone()).verify(table), Ok(()));
    // A present row's receipt, and another epoch, prove nothing.
    let present = &world.epochs[0].entries[4];
    assert!(omission(promise(&world, 10, present), epoch.clone()).verify(table).is_err());
    let elsewhere = omission(receipt.clone(), world.logged(1, 3)).verify(table);
    assert_eq!(elsewhere, Err(Fault::NoOffence { reason: "the receipt is for another epoch" }));

    let leaf_of = |entry: &Entry| {
        let place = table.place(10, &entry.row.key, 0);
        Leaf::recompute(table.schema(), &place, &entry.keys, &entry.row).unwrap().hash()
    };
    let mut promised = present.clone();
    promised.row.values[0] ^= 1;
    let alteration = |promised: &Entry| {
        let receipt = promise(&world, 10, promised);
        let member = ids.member(receipt.pseudonym.as_bytes()).unwrap();
        let (epoch, checkpoint) = (epoch.clone(), checkpoint.clone());
        Evidence::Alteration { receipt, epoch, checkpoint, leaf: leaf_of(present), member }
    };
    assert_eq!(alteration(&promised).verify(table), Ok(()));
    let kept = alteration(present).verify(table);
    assert_eq!(kept, Err(Fault::NoOffence { reason: "the row is as promised" }));

    let withholding = |epoch: u32, deadline: u64, size: usize| {
        let pair = (&stranger.row, &stranger.keys);
        let operator = &world.setup.operator;
        let receipt = Receipt::sign(operator, table, (epoch, 0), pair, (1, deadline)).unwrap();
        Evidence::Withholding { receipt, checkpoint: world.checkpoint(size) }.verify(table)
    };
    assert_eq!(withholding(13, TIME - 1, 3), Ok(()));
    assert!(withholding(12, TIME - 1, 3).is_err(), "the epoch is there");
    assert!(withholding(13, TIME, 3).is_err(), "the quorum saw it in time");
}

#[test]
fn two_histories_are_proven_and_growth_is_none() {
    let world = world();
    let table = &world.setup.table;
    let fork = {
        let mut digests = world.digests.clone();
        digests[1] = [7; 32].into();
        digests
    };
    let sign = |digests: &[Hash]| Checkpoint::of(table, digests).sign(&world.setup.operator);
    let two = |one: SignedCheckpoint, other| Evidence::TwoRoots { one, other }.verify(table);
    assert_eq!(two(world.checkpoint(3), sign(&fork)), Ok(()));
    assert!(two(world.checkpoint(3), world.checkpoint(3)).is_err());
    assert!(two(world.checkpoint(2), sign(&fork)).is_err());
    let forged = Checkpoint::of(table, &fork).sign(&world.setup.auditor);
    assert!(two(world.checkpoint(3), forged).is_err());

    let bytes: Vec<_> = fork.iter().map(Hash::as_bytes).collect();
    // For a complete old size the proof shows the root that the new log has there.
    let mut consistency = vec![merkle::root(&bytes[..2])];
    consistency.extend(merkle::consistency(2, &bytes));
    let forked = Evidence::Fork { old: world.checkpoint(2), new: sign(&fork), consistency };
    assert_eq!(forked.verify(table), Ok(()));
    let honest: Vec<_> = world.digests.iter().map(Hash::as_bytes).collect();
    let mut consistency = vec![merkle::root(&honest[..2])];
    consistency.extend(merkle::consistency(2, &honest));
    let (old, new) = (world.checkpoint(2), world.checkpoint(3));
    let grown = Evidence::Fork { old, new, consistency }.verify(table);
    let reason = "the newer log continues the older one";
    assert_eq!(grown, Err(Fault::NoOffence { reason }));
}

/// Logs of any two sizes: what an operator shows to one is the start of what it shows to another, or
/// convicts it.
#[test]
fn forks_are_proven_from_logs_of_any_sizes() {
    let world = world();
    let table = &world.setup.table;
    let honest: Vec<Hash> = (0..9_u8).map(|number| [number; 32].into()).collect();
    let sign = |digests: &[Hash]| Checkpoint::of(table, digests).sign(&world.setup.operator);
    let grown = |digests: &[Hash], since: usize| {
        let leaves: Vec<_> = digests.iter().map(Hash::as_bytes).collect();
        Growth {
            table: table.clone(),
            rotations: vec![],
            since: since as u64,
            since_root: merkle::root(&leaves[..since]),
            signed: sign(digests),
            consistency: merkle::consistency(since, &leaves),
        }
    };
    for changed in 0..9 {
        let mut fork = honest.clone();
        fork[changed] = [99; 32].into();
        for old in 1..=9 {
            let seen = sign(&honest[..old]);
            for new in old..=9 {
                let shown = grown(&fork[..new], old);
                let evidence = shown.fork(&seen);
                assert_eq!(evidence.is_some(), changed < old, "{changed} {old} {new}");
                assert_eq!(shown.verify(Some(&seen)).is_err(), changed < old);
                // Who knows the digests of the larger log needs nothing else from the operator.
                let known = Evidence::between(table, &seen, &shown.signed, &fork[..new]);
                assert_eq!(known, evidence);
                if let Some(evidence) = evidence {
                    let bytes = evidence.to_bytes(table);
                    let read = Evidence::from_bytes(&mut table.clone(), &bytes).unwrap();
                    assert_eq!((read.verify(table), read), (Ok(()), evidence));
                }
                let honestly = grown(&honest[..new], old);
                assert_eq!((honestly.fork(&seen), honestly.verify(Some(&seen))), (None, Ok(())));
                let known = Evidence::between(table, &seen, &honestly.signed, &honest[..new]);
                assert_eq!(known, None);
                // A witness that is shown a wrong root of the size it knows.
                let mut lie = grown(&fork[..new], old);
                lie.since_root = seen.checkpoint.root;
                assert!(changed >= old || lie.verify(Some(&seen)).is_err());
            }
        }
    }
    let mut root = grown(&honest, 0);
    root.since_root = [1; 32].into();
    assert!(root.verify(None).is_err());
}

#[test]
fn attestations_are_of_one_auditor_epoch_and_digest() {
    let world = world();
    let table = &world.setup.table;
    let attestation = Attestation::sign(&world.setup.auditor, table, 10, world.digests[0]);
    assert_eq!(attestation.verify(table), Ok(()));
    let bytes = attestation.to_bytes();
    for at in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        if let Ok(changed) = Attestation::from_bytes(&bytes) {
            assert!(changed.verify(table).is_err(), "byte {at}");
        }
    }
}
