//! The log: what is signed, what a user can prove, and what proves nothing.

use crate::support::*;
use table::{
    log::{
        Attestation, CLOCK_SKEW, Checkpoint, Evidence, Growth, LoggedEpoch, Receipt,
        SignedCheckpoint, merkle,
    },
    store::{Custodian, CustodyError, EpochState, LostEpoch, MasterKey, MemoryStore, Space, Store},
    *,
};
use wire::{Decode, DecodeError, Encode};

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
    // More slots than any schema has: 257, where the receipt says how many commitments its leaf has.
    let mut large = receipt.clone();
    large.leaf.commitments.resize(257, receipt.leaf.commitments[0]);
    assert!(matches!(
        Receipt::from_bytes(&large.to_bytes()),
        Err(DecodeError::Invalid { what: "leaf", .. })
    ));
    large.leaf.commitments.truncate(256);
    assert_eq!(Receipt::from_bytes(&large.to_bytes()), Ok(large));
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

/// An operator with a store that can be copied.
struct House {
    setup: Setup,
    custodian: Custodian<MemoryStore>,
}

const SPACES: [Space; 21] = [
    Space::Meta,
    Space::Users,
    Space::Rows,
    Space::States,
    Space::Headers,
    Space::Bundles,
    Space::Log,
    Space::Checkpoints,
    Space::Attestations,
    Space::Records,
    Space::Questions,
    Space::Promises,
    Space::Batches,
    Space::Rollups,
    Space::Watermarks,
    Space::Nodes,
    Space::Tiles,
    Space::Tries,
    Space::Secrets,
    Space::Tombstones,
    Space::Erased,
];

fn copy_of(store: &MemoryStore) -> MemoryStore {
    let copy = MemoryStore::default();
    for space in SPACES {
        let pairs = store.scan(space, &[]).unwrap().into_iter();
        copy.commit(pairs.map(|(key, value)| (space, key, Some(value))).collect()).unwrap();
    }
    copy
}

fn open(store: &MemoryStore) -> Custodian<MemoryStore> {
    Custodian::open(copy_of(store), MasterKey::from_bytes(&[3; 32])).unwrap()
}

impl House {
    fn new(store: MemoryStore) -> Self {
        let setup = setup(schema());
        let master = MasterKey::from_bytes(&[3; 32]);
        let genesis = setup.table.genesis().clone();
        let custodian = Custodian::create(store, master, genesis, &mut rng(1)).unwrap();
        Self { setup, custodian }
    }

    fn rows(&self, epoch: u32, count: usize) -> Vec<Row> {
        let rows = entries(self.setup.table.schema(), count, 5, epoch.into());
        rows.into_iter().map(|entry| entry.row).collect()
    }

    /// Seals, and has the witnesses cosign.
    fn seal(&self, custodian: &Custodian<MemoryStore>, epoch: u32) -> SignedCheckpoint {
        let signed = custodian.seal_epoch(epoch, &self.setup.operator, &()).unwrap();
        let size = signed.checkpoint.size;
        for witness in &self.setup.witnesses {
            custodian.cosign(size, signed.checkpoint.cosign(witness, TIME)).unwrap();
        }
        custodian.checkpoint(size).unwrap()
    }
}

/// A copy is made after the first epoch. The second is sealed, and a new user gets a receipt for the third;
/// then all of it is lost but what others have.
#[test]
fn who_restores_a_copy_makes_no_evidence_against_himself() {
    let mut house = House::new(MemoryStore::default());
    house.custodian.ingest(10, &house.rows(10, 4), &mut rng(10)).unwrap();
    house.seal(&house.custodian, 10);
    let copy = house.custodian.into_store();
    house.custodian = open(&copy);
    house.custodian.ingest(11, &house.rows(11, 7), &mut rng(11)).unwrap();
    let seen = house.seal(&house.custodian, 11);
    let late = Row { user: b"late".to_vec(), ..house.rows(12, 1)[0].clone() };
    let keys = house.custodian.ingest(12, std::slice::from_ref(&late), &mut rng(12)).unwrap();
    let promised = (&late, &keys[0]);
    let (operator, table) = (&house.setup.operator, &house.setup.table);
    let receipt = house.custodian.receipts(operator, 12, promised, TIME + 9).unwrap().remove(0);
    let header = house.custodian.header(11).unwrap();
    let audit = house.custodian.bundle(11).unwrap();

    // Who asks nobody signs two histories, and is convicted.
    let careless = open(&copy);
    careless.ingest(11, &house.rows(11, 3), &mut rng(21)).unwrap();
    let other = careless.seal_epoch(11, operator, &()).unwrap();
    let evidence = Evidence::TwoRoots { one: seen.clone(), other };
    assert_eq!(evidence.verify(table), Ok(()));

    // Who asks signs nothing, then or after a crash.
    let restored = open(&copy);
    restored.begin_restore().unwrap();
    let behind = |refused: Option<CustodyError>| {
        assert!(
            matches!(refused, Some(CustodyError::RolledBack { seen: 2, stored: 1 })),
            "{refused:?}"
        );
    };
    behind(restored.compare(&seen, &[]).err());
    let store = restored.into_store();
    let mut restored = open(&store);
    behind(restored.seal_epoch(11, operator, &()).err());
    behind(restored.ingest(11, &house.rows(11, 3), &mut rng(21)).err());
    behind(restored.receipts(operator, 11, promised, TIME).err());
    behind(restored.rotate(operator, &house.setup.auditor).err());
    behind(restored.resume().err());

    // The epoch is taken over as it is in the log, and no other.
    let epoch = LostEpoch { header: header.clone(), audit: audit.clone(), records: Vec::new() };
    let refused = |lost: &[LostEpoch], custodian: &mut Custodian<MemoryStore>| {
        assert!(custodian.adopt(&seen, &[], lost).is_err());
        assert_eq!(custodian.digests().unwrap().len(), 1);
    };
    let mut forged = epoch.clone();
    forged.header.core.rows += 1;
    refused(&[forged], &mut restored);
    forged = epoch.clone();
    forged.header.core.previous = *table.id();
    refused(&[forged], &mut restored);
    forged = epoch.clone();
    forged.audit[100] ^= 1;
    refused(&[forged], &mut restored);
    refused(&[], &mut restored);
    refused(&[epoch.clone(), epoch.clone()], &mut restored);
    let mut unsigned = seen.clone();
    unsigned.checkpoint.size += 1;
    assert!(restored.adopt(&unsigned, &[], std::slice::from_ref(&epoch)).is_err());
    assert_eq!(restored.adopt(&seen, &[], &[epoch]).unwrap(), [11]);
    assert!(restored.compare(&seen, &[]).is_ok() && restored.is_lost(11).unwrap());
    assert_eq!(restored.state(11).unwrap(), EpochState::Witnessed);
    assert_eq!((restored.served_size().unwrap(), restored.bundle(11).unwrap()), (2, audit));
    assert!(matches!(restored.load(11), Err(CustodyError::Lost { epoch: 11 })));

    // Nothing is sealed before rows were asked for again; the same row under its user's keys is as promised.
    let early = restored.seal_epoch(12, operator, &());
    assert!(matches!(early, Err(CustodyError::Restoring)), "{early:?}");
    restored.restore_keys(12, b"late", &keys[0], &mut rng(30)).unwrap();
    let strange = UserKeys::generate(&mut rng(31));
    assert!(restored.restore_keys(12, b"late", &strange, &mut rng(30)).is_err());
    restored.ingest(12, std::slice::from_ref(&late), &mut rng(32)).unwrap();
    restored.resume().unwrap();
    let signed = house.seal(&restored, 12);

    // The log continues the one seen, the receipt holds, and proves no offence.
    assert_eq!(restored.growth(2).unwrap().verify(Some(&seen)), Ok(()));
    let built = restored.load(12).unwrap();
    let ids = &built.columns[0].ids;
    let member = ids.member(receipt.pseudonym.as_bytes()).expect("the row is there");
    assert!(ids.absence(receipt.pseudonym.as_bytes()).is_none());
    let place = table.place(12, &late.key, 0);
    let leaf = Leaf::recompute(table.schema(), &place, &keys[0], &late).unwrap().hash();
    let epoch = restored.logged(12, 3).unwrap();
    let checkpoint = signed.clone();
    let altered =
        Evidence::Alteration { receipt: receipt.clone(), epoch, checkpoint, leaf, member };
    let kept = Fault::NoOffence { reason: "the row is as promised" };
    assert_eq!(altered.verify(table), Err(kept));
    assert!(Evidence::Withholding { receipt, checkpoint: signed }.verify(table).is_err());
}

/// Of a log of the same size that differs, nothing is remembered, and nothing can be taken over.
#[test]
fn another_history_is_no_longer_log() {
    let house = House::new(MemoryStore::default());
    house.custodian.ingest(10, &house.rows(10, 4), &mut rng(10)).unwrap();
    house.seal(&house.custodian, 10);
    let stranger = world();
    let other = stranger.checkpoint(1);
    let refused = house.custodian.compare(&other, &[]);
    assert!(matches!(refused, Err(CustodyError::Forked { size: 1 })), "{refused:?}");
    let mut unsigned = stranger.checkpoint(3);
    unsigned.signature[0] ^= 1;
    assert!(matches!(house.custodian.compare(&unsigned, &[]), Err(CustodyError::Fault(_))));
    house.seal(&house.custodian, 11);
}
