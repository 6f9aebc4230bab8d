//! Witnesses and the operator's key: what a log that grows shows, and every way of lying about it.

use crate::support::*;
use board::Identity;
use claim::{Bundle, BundleWriter, Registry};
use table::{
    claims::{verifiers, write_evidence},
    log::{Checkpoint, Evidence, Growth, LoggedRotation, Receipt, Rotation, SignedCheckpoint},
    query, sql,
    store::{AskError, Asking, Custodian, CustodyError, MasterKey, MemoryStore, Question},
    *,
};
use wire::{Decode, Encode};

/// A custodian with witnesses, whose epochs have a few rows.
struct House {
    setup: Setup,
    custodian: Custodian<MemoryStore>,
    /// The second key of the operator.
    next: Identity,
}

impl House {
    fn new(policy: impl Fn(&mut Policy)) -> Self {
        let mut schema = schema();
        policy(&mut schema.policy);
        let setup = setup(schema);
        let genesis = setup.table.genesis().clone();
        let master = MasterKey::from_bytes(&[3; 32]);
        let store = MemoryStore::default();
        let custodian = Custodian::create(store, master, genesis, &mut rng(1)).unwrap();
        Self { setup, custodian, next: Identity::generate(&mut rng(2)) }
    }

    fn fill(&self, epoch: u32) {
        let rows = entries(self.custodian.table().schema(), 4, 5, epoch.into());
        let rows: Vec<Row> = rows.into_iter().map(|entry| entry.row).collect();
        self.custodian.ingest(epoch, &rows, &mut rng(epoch.into())).unwrap();
    }

    fn seal(&self, epoch: u32, operator: &Identity) -> SignedCheckpoint {
        self.fill(epoch);
        self.custodian.seal_epoch(epoch, operator, &()).unwrap()
    }

    /// Four epochs, the key changed in the second.
    fn rotated() -> Self {
        let mut house = Self::new(|_| ());
        house.seal(10, &house.setup.operator);
        house.custodian.rotate(&house.setup.operator, &house.next).unwrap();
        house.seal(11, &house.setup.operator);
        house.seal(12, &house.next);
        house.seal(13, &house.next);
        house
    }
}

#[test]
fn checkpoints_and_receipts_verify_under_the_key_of_their_time() {
    let house = House::rotated();
    let (known, operator) = (house.custodian.table(), &house.setup.operator);
    let keys = [(1, operator), (2, operator), (3, &house.next), (4, &house.next)];
    let digests = house.custodian.digests().unwrap();
    for (size, key) in keys {
        assert_eq!(known.operator(size), PublicKey::of(key));
        let signed = house.custodian.checkpoint(size).unwrap();
        assert_eq!(signed.verify_operator(known), Ok(()));
        // The other key, for the same log: under the old key after the rotation, above all.
        let other = if key.id() == operator.id() { &house.next } else { operator };
        let forged = Checkpoint::of(known, &digests[..size as usize]).sign(other);
        let refused = Err(Fault::Signature { what: "checkpoint" });
        assert_eq!(forged.verify_operator(known), refused, "{size}");
        // Receipts given while the log had one epoch less.
        let entry = &entries(known.schema(), 4, 5, 3)[0];
        let sign = |key| {
            let pair = (&entry.row, &entry.keys);
            Receipt::sign(key, known, (10, 0), pair, (size - 1, TIME)).unwrap()
        };
        assert_eq!(sign(key).accept(known, &entry.row, &entry.keys), Ok(()));
        assert!(sign(other).accept(known, &entry.row, &entry.keys).is_err(), "{size}");
    }
    // Who knows the genesis alone takes the last checkpoint for a stranger's.
    let stranger = &house.setup.table;
    let signed = house.custodian.checkpoint(4).unwrap();
    assert!(signed.verify_operator(stranger).is_err());
}

#[test]
fn rotations_are_recorded_in_the_log() {
    let house = House::rotated();
    let signed = house.custodian.checkpoint(4).unwrap();
    let rotations = house.custodian.rotations(4).unwrap();
    let [rotation] = rotations.as_slice() else { panic!("one rotation") };
    let read = |rotation: &LoggedRotation| {
        let mut table = house.setup.table.clone();
        let note = signed.to_note();
        SignedCheckpoint::from_note_with(&mut table, &note, std::slice::from_ref(rotation))
            .and_then(|signed| signed.verify_operator(&table))
    };
    assert_eq!(read(rotation), Ok(()));
    assert!(house.custodian.rotations(1).unwrap().is_empty(), "not yet");
    let bytes = rotation.to_bytes();
    assert_eq!(&LoggedRotation::from_bytes(&bytes).unwrap(), rotation);
    for at in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        if let Ok(changed) = LoggedRotation::from_bytes(&bytes) {
            assert!(read(&changed).is_err(), "byte {at}");
        }
    }
    let refused = |change: &dyn Fn(&mut LoggedRotation)| {
        let mut changed = rotation.clone();
        change(&mut changed);
        assert!(read(&changed).is_err());
    };
    refused(&|rotation| rotation.records.clear());
    refused(&|rotation| rotation.records.push(rotation.records[0].clone()));
    refused(&|rotation| rotation.epoch = house.custodian.logged(10, 4).unwrap());
    // A genuine rotation that the epoch does not record.
    let table = house.custodian.table();
    let thief = Identity::generate(&mut rng(9));
    let stolen = Rotation::sign(table, 11, &house.setup.operator, &thief);
    refused(&|rotation| rotation.records[0] = AuxRecord::Rotation(stolen.clone()));
}

#[test]
fn a_key_is_handed_over_by_its_holder_once() {
    let house = House::rotated();
    let mut table = house.custodian.table().clone();
    let (old, new) = (&house.setup.operator, &house.next);
    let third = Identity::generate(&mut rng(9));
    let rotate = |table: &mut Table, rotation: Rotation| table.rotate(&rotation);
    let replaced = Err(Fault::Mismatch { what: "the key that a rotation replaces" });
    let epoch = Err(Fault::Bounds { what: "the epoch of a rotation" });
    assert_eq!(rotate(&mut table, Rotation::sign(&house.setup.table, 14, old, &third)), replaced);
    for early in [9, 10, 11] {
        let rotation = Rotation::sign(&house.setup.table, early, new, &third);
        assert_eq!(rotate(&mut table, rotation), epoch);
    }
    let honest = Rotation::sign(&house.setup.table, 12, new, &third);
    let unsigned = Err(Fault::Signature { what: "rotation" });
    for change in [
        &(|rotation: &mut Rotation| rotation.consent = rotation.acceptance)
            as &dyn Fn(&mut Rotation),
        &|rotation: &mut Rotation| rotation.acceptance = rotation.consent,
        &|rotation: &mut Rotation| rotation.epoch += 1,
        &|rotation: &mut Rotation| rotation.new = PublicKey::of(old),
    ] {
        let mut changed = honest.clone();
        change(&mut changed);
        assert_eq!(rotate(&mut table, changed), unsigned);
    }
    // A key that was the operator's before, also the one that signs now.
    let returned = Err(Fault::Duplicate { what: "a key of the operator" });
    for known in [old, new] {
        let rotation = Rotation::sign(&house.setup.table, 12, new, known);
        assert_eq!(rotate(&mut table, rotation), returned);
    }
    // Of another table.
    let genesis = Genesis { nonce: [9; 32].into(), ..table.genesis().clone() };
    let other = Table::new(genesis).unwrap();
    assert_eq!(rotate(&mut table, Rotation::sign(&other, 12, new, &third)), unsigned);
    assert_eq!(rotate(&mut table, honest), Ok(()));
    // The custodian: a closed epoch, a wrong key, and twice.
    let mut fresh = House::new(|_| ());
    assert!(fresh.custodian.rotate(&house.next, &third).is_err());
    fresh.custodian.rotate(&fresh.setup.operator, &fresh.next).unwrap();
    assert!(fresh.custodian.rotate(&fresh.setup.operator, &third).is_err());
    assert!(fresh.custodian.seal_epoch(10, &fresh.next, &()).is_err(), "the old key seals it");
    fresh.seal(10, &fresh.setup.operator);
    assert!(fresh.custodian.seal_epoch(11, &fresh.setup.operator, &()).is_err());
}

#[test]
fn witnesses_cosign_logs_that_only_grow() {
    let house = House::rotated();
    let witness = &house.setup.witnesses[0];
    let growth = |since| {
        let growth = house.custodian.growth(since).unwrap();
        assert_eq!(Growth::from_bytes(&growth.to_bytes()).unwrap(), growth);
        growth
    };
    let newest = growth(0).signed;
    assert!(growth(0).cosign(None, witness, TIME).is_ok());
    for size in 1..=4 {
        let seen = house.custodian.checkpoint(size).unwrap();
        assert_eq!(growth(size).verify(Some(&seen)), Ok(()), "{size}");
        // A rollback, an unrelated log, and a proof from another size.
        if size < 4 {
            let mut old = growth(size);
            old.signed = seen.clone();
            assert!(old.verify(Some(&newest)).is_err(), "a rollback to {size}");
            let mut fork = house.custodian.digests().unwrap();
            fork[0] = [7; 32].into();
            let fork = Checkpoint::of(&house.setup.table, &fork[..size as usize]);
            let fork = fork.sign(&house.setup.operator);
            assert!(growth(size).verify(Some(&fork)).is_err(), "a fork at {size}");
            assert!(growth(size + 1).verify(Some(&seen)).is_err());
            let mut short = growth(size);
            short.consistency.pop();
            assert!(short.verify(Some(&seen)).is_err());
        }
    }
    assert!(house.custodian.growth(5).is_err());
    // Not the operator's.
    let mut forged = growth(0);
    forged.signed = forged.signed.checkpoint.clone().sign(witness);
    assert!(forged.verify(None).is_err());
    let bytes = growth(1).to_bytes();
    let seen = house.custodian.checkpoint(1).unwrap();
    for at in (0..bytes.len()).step_by(7) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        if let Ok(changed) = Growth::from_bytes(&bytes) {
            assert!(changed.verify(Some(&seen)).is_err(), "byte {at}");
        }
    }
    // A quorum for the newest log makes every epoch in it fit to be shown.
    for witness in &house.setup.witnesses {
        assert_eq!(house.custodian.served_size().unwrap(), 0);
        let cosignature = growth(0).cosign(None, witness, TIME).unwrap();
        let bytes = cosignature.to_bytes();
        house.custodian.cosign(4, table::log::Cosignature::from_bytes(&bytes).unwrap()).unwrap();
    }
    assert_eq!(house.custodian.served_size().unwrap(), 4);
    assert!(house.custodian.load(11).is_ok());
}

#[test]
fn evidence_travels_and_convicts_nobody_else() {
    let house = House::rotated();
    let table = house.custodian.table();
    let mut digests = house.custodian.digests().unwrap();
    digests[3] = [7; 32].into();
    let one = house.custodian.checkpoint(4).unwrap();
    let other = Checkpoint::of(table, &digests).sign(&house.next);
    let evidence = Evidence::TwoRoots { one: one.clone(), other };
    let bytes = evidence.to_bytes(table);
    let read = |bytes: &[u8]| {
        let mut table = house.setup.table.clone();
        Evidence::from_bytes(&mut table, bytes).and_then(|evidence| {
            evidence.verify(&table)?;
            Ok(evidence)
        })
    };
    assert_eq!(read(&bytes), Ok(evidence.clone()));
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(read(&changed).is_err(), "byte {at}");
        assert!(read(&bytes[..at]).is_err());
    }
    let honest = Evidence::TwoRoots { one: one.clone(), other: one.clone() };
    assert!(read(&honest.to_bytes(table)).is_err());

    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("evidence");
    let mut writer = BundleWriter::create(&root).unwrap();
    assert!(write_evidence(&mut writer, table, &honest).is_err());
    write_evidence(&mut writer, table, &evidence).unwrap();
    writer.finish().unwrap();
    let registry = verifiers().fold(Registry::new(), Registry::with);
    let verdicts = claim::verify(&Bundle::open(&root).unwrap(), &registry, &()).unwrap();
    assert_eq!(verdicts[0].statement["offence"], "two roots");
}

/// Reads evidence as who knows the genesis alone does, and verifies it.
fn read_evidence(house: &House, bytes: &[u8]) -> Result<Evidence, Fault> {
    let mut table = house.setup.table.clone();
    let evidence = Evidence::from_bytes(&mut table, bytes)?;
    evidence.verify(&table)?;
    Ok(evidence)
}

fn no_byte_can_change(house: &House, evidence: &Evidence) {
    let bytes = evidence.to_bytes(house.custodian.table());
    assert_eq!(read_evidence(house, &bytes).as_ref(), Ok(evidence));
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(read_evidence(house, &changed).is_err(), "byte {at}");
        assert!(read_evidence(house, &bytes[..at]).is_err());
    }
}

/// Of the first key, which is handed over in epoch 11, and of the second, which is not.
#[test]
fn a_key_with_two_successors_convicts() {
    let house = House::rotated();
    let table = house.custodian.table();
    let (first, second) = (&house.setup.operator, &house.next);
    let third = Identity::generate(&mut rng(9));
    let honest = Rotation::sign(table, 11, first, second);
    let verdict = |one: &Rotation, other: &Rotation| {
        let evidence = Evidence::TwoSuccessors { one: one.clone(), other: other.clone() };
        evidence.verify(table)
    };
    // Another key, another epoch, or both; in any order.
    for (epoch, new) in [(11, &third), (12, second), (10, &third)] {
        let other = Rotation::sign(table, epoch, first, new);
        assert_eq!((verdict(&honest, &other), verdict(&other, &honest)), (Ok(()), Ok(())));
        no_byte_can_change(&house, &Evidence::TwoSuccessors { one: honest.clone(), other });
    }
    let none = |reason| Err(Fault::NoOffence { reason });
    assert_eq!(verdict(&honest, &honest), none("the rotations are the same"));
    // The next change, as an honest operator makes it, and changes of a key that was never its own.
    let next = Rotation::sign(table, 14, second, &third);
    assert_eq!(verdict(&honest, &next), none("the rotations are of two keys"));
    let strangers = [12, 13].map(|epoch| Rotation::sign(table, epoch, &third, second));
    let unknown = Err(Fault::Mismatch { what: "the key that a rotation replaces" });
    assert_eq!(verdict(&strangers[0], &strangers[1]), unknown);
    // Without the old key's consent, and of another table.
    let mut forged = Rotation::sign(table, 12, first, &third);
    forged.consent = forged.acceptance;
    let unsigned = Err(Fault::Signature { what: "rotation" });
    assert_eq!(verdict(&honest, &forged), unsigned);
    let genesis = Genesis { nonce: [9; 32].into(), ..table.genesis().clone() };
    let elsewhere = Rotation::sign(&Table::new(genesis).unwrap(), 12, first, &third);
    assert_eq!(verdict(&honest, &elsewhere), unsigned);
}

#[test]
fn a_log_under_a_retired_key_convicts() {
    let house = House::rotated();
    let table = house.custodian.table();
    let (old, new) = (&house.setup.operator, &house.next);
    let rotation = table.rotations()[0].clone();
    let digests = house.custodian.digests().unwrap();
    let verdict = |size: usize, signer: &Identity| {
        let checkpoint = Checkpoint::of(table, &digests[..size]).sign(signer);
        let rotation = rotation.clone();
        let evidence = Evidence::RetiredKey { rotation, checkpoint };
        (evidence.verify(table), evidence)
    };
    // The same log as under the new key, or any other: the old key signs two epochs and no more.
    for size in [3, 4] {
        let (verdict, evidence) = verdict(size, old);
        assert_eq!(verdict, Ok(()));
        no_byte_can_change(&house, &evidence);
        let Evidence::RetiredKey { checkpoint, .. } = &evidence else { panic!("another kind") };
        assert_eq!(Evidence::retired(table, &checkpoint.to_note()), Some(evidence.clone()));
    }
    let reason = "the old key signs the log up to that epoch";
    assert_eq!(verdict(2, old).0, Err(Fault::NoOffence { reason }));
    assert_eq!(verdict(4, new).0, Err(Fault::Signature { what: "checkpoint" }));
    for size in 1..=4 {
        let note = house.custodian.checkpoint(size).unwrap().to_note();
        assert_eq!(Evidence::retired(table, &note), None, "an honest log of {size}");
    }
}

/// What two logs say about the operator's keys, and the bundle that `subrosa verify` reads.
#[test]
fn logs_that_part_in_the_key_are_evidence() {
    let house = House::rotated();
    let never = House::new(|_| ());
    (10..14).for_each(|epoch| drop(never.seal(epoch, &never.setup.operator)));
    let third = Identity::generate(&mut rng(9));
    let mut elsewhere = House::new(|_| ());
    elsewhere.seal(10, &elsewhere.setup.operator);
    elsewhere.custodian.rotate(&elsewhere.setup.operator, &third).unwrap();
    elsewhere.seal(11, &elsewhere.setup.operator);
    elsewhere.seal(12, &third);
    let grown = |house: &House| house.custodian.growth(0).unwrap();
    for (other, offence) in [(&never, "retired key"), (&elsewhere, "two successors")] {
        let evidence = grown(&house).succession(&grown(other)).unwrap();
        assert_eq!(evidence.offence(), offence);
        assert_eq!(grown(other).succession(&grown(&house)).unwrap().offence(), offence);
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("evidence");
        let mut writer = BundleWriter::create(&root).unwrap();
        write_evidence(&mut writer, &grown(other).table, &evidence).unwrap();
        writer.finish().unwrap();
        let registry = verifiers().fold(Registry::new(), Registry::with);
        let verdicts = claim::verify(&Bundle::open(&root).unwrap(), &registry, &()).unwrap();
        let statement = &verdicts[0].statement;
        assert_eq!(statement["offence"], offence);
        assert_eq!(statement["operator"], PublicKey::of(&house.setup.operator).to_string());
    }
    // An older log of the same history, before the change and after it.
    let mut before = House::new(|_| ());
    before.seal(10, &before.setup.operator);
    assert_eq!(grown(&before).succession(&grown(&house)), None);
    before.custodian.rotate(&before.setup.operator, &before.next).unwrap();
    before.seal(11, &before.setup.operator);
    assert_eq!(grown(&house).succession(&grown(&before)), None);
    assert_eq!(grown(&house).succession(&grown(&house)), None);
}

/// Every other kind of evidence, there and back.
#[test]
fn all_kinds_of_evidence_have_one_encoding() {
    let schema = schema();
    let rows: Vec<_> = (10..12).map(|epoch| entries(&schema, 9, 6, epoch)).collect();
    let world = World::new(schema, &rows);
    let table = &world.setup.table;
    let entry = &world.epochs[0].entries[4];
    let pair = (&entry.row, &entry.keys);
    let receipt = Receipt::sign(&world.setup.operator, table, (10, 0), pair, (0, TIME)).unwrap();
    let ids = &world.epochs[0].columns[0].ids;
    let (epoch, checkpoint) = (world.logged(0, 2), world.checkpoint(2));
    let member = ids.member(receipt.pseudonym.as_bytes()).unwrap();
    let absence = ids.absence(&[9; 32]).unwrap();
    for evidence in [
        Evidence::Omission {
            receipt: receipt.clone(),
            epoch: epoch.clone(),
            checkpoint: checkpoint.clone(),
            absence,
        },
        Evidence::Alteration {
            receipt: receipt.clone(),
            epoch,
            checkpoint: checkpoint.clone(),
            leaf: [1; 32].into(),
            member,
        },
        Evidence::Withholding { receipt, checkpoint: checkpoint.clone() },
        Evidence::Fork {
            old: world.checkpoint(1),
            new: checkpoint,
            consistency: vec![[1; 32].into()],
        },
    ] {
        let bytes = evidence.to_bytes(table);
        assert_eq!(Evidence::from_bytes(&mut table.clone(), &bytes), Ok(evidence));
        assert!(Evidence::from_bytes(&mut table.clone(), &[&bytes[..], &[0]].concat()).is_err());
    }
}

#[test]
fn questions_are_counted_and_bound_by_the_next_epoch() {
    let house = House::new(|policy| policy.max_queries_per_day = Some(2));
    let ask = |time, text: &str| {
        let asker = text.strip_prefix('t').map(str::to_owned);
        let question = Question { time, text: text.to_owned(), asker, answers: 1, refused: None };
        house.custodian.note_question(&question).is_ok()
    };
    assert!(ask(1000, "one") && ask(1001, "two") && !ask(1002, "three"));
    assert!(!ask(1000 + 86_399, "still"), "the first is a day old a second later");
    assert!(ask(1000 + 86_400, "four"));
    let asked = house.custodian.questions().unwrap();
    let texts: Vec<&str> = asked.iter().map(|asked| asked.text.as_str()).collect();
    assert_eq!(texts, ["one", "two", "four"]);
    let askers: Vec<Option<&str>> = asked.iter().map(|asked| asked.asker.as_deref()).collect();
    assert_eq!(askers, [None, Some("wo"), None]);
    // Without an asker an entry is what it was before askers were noted.
    let entry = [&1000_u64.to_le_bytes()[..], &3_u32.to_le_bytes(), b"one"].concat();
    assert_eq!(asked[0].to_bytes(), entry);
    house.seal(10, &house.setup.operator);
    let records = house.custodian.records(10).unwrap();
    let leaves = house.custodian.questions().unwrap();
    let leaves: Vec<Vec<u8>> = leaves.iter().map(Encode::to_bytes).collect();
    assert_eq!(records, [AuxRecord::QueryLog(table::log::merkle::root(&leaves))]);
    assert_eq!(house.custodian.header(10).unwrap().core.aux, hash_aux(&records));
    // A later question is another epoch's.
    ask(300_000, "five");
    assert_eq!(house.custodian.records(10).unwrap(), records);
}

/// A question about two groups of two proofs is four answers, and counts against who asks and against all.
#[test]
fn budgets_count_answers_by_asker_and_by_table() {
    let house = House::new(|policy| {
        (policy.min_count, policy.extremes) = (0, false);
        (policy.max_queries_per_day, policy.max_queries_per_asker) = (Some(10), Some(4));
    });
    let signed = house.seal(10, &house.setup.operator);
    for witness in &house.setup.witnesses {
        house.custodian.cosign(1, signed.checkpoint.cosign(witness, TIME)).unwrap();
    }
    let (signed, built) =
        (house.custodian.checkpoint(1).unwrap(), house.custodian.load(10).unwrap());
    let ask = |asker: &str, time: u64, text: &str| {
        let asking = Asking { text, asker: Some(asker), time };
        let answered = house.custodian.ask::<()>(&asking, |plan| {
            let answer = |planned: &sql::Planned| {
                let logged = house.custodian.logged(10, 1).unwrap();
                let sources = [query::Source { logged, built: &built }];
                let (table, query) = (house.custodian.table(), planned.query.clone());
                Ok(query::answer(table, &signed.checkpoint, query, &sources, vec![], &mut rng(1))?)
            };
            plan.iter().map(answer).collect()
        });
        answered.map(|(_, answers)| answers.len()).map_err(|error| match error {
            AskError::Custody(CustodyError::Budget { whose, left, .. }) => {
                format!("{whose} {left}")
            }
            AskError::Sql(error) => error.code.to_owned(),
            other => panic!("{other:?}"),
        })
    };
    let two = "SELECT AVG(power), AVG(bill) FROM energy WHERE epoch = 10";
    let four = "SELECT AVG(power), AVG(bill) FROM energy WHERE epoch = 10 GROUP BY industrial";
    assert_eq!([ask("press", 1000, two), ask("press", 1001, two)], [Ok(2), Ok(2)]);
    // As many as she likes in one question, and no more of them in many.
    assert_eq!(ask("press", 1002, two), Err("each who asks 0".to_owned()));
    assert_eq!(ask("radio", 1003, four), Ok(4));
    assert_eq!(ask("tv", 1004, four), Err("all together 2".to_owned()));
    assert_eq!(ask("tv", 1005, two), Ok(2));
    assert_eq!(
        ask("tv", 1006, "SELECT MIN(power) FROM energy WHERE epoch = 10"),
        Err("extremes".into())
    );
    // What is no question about the table is not noted.
    assert_eq!(
        ask("tv", 1007, "SELECT AVG(power) FROM other WHERE epoch = 10"),
        Err("table".into())
    );
    // A day after the first, her two are there again.
    assert_eq!(ask("press", 1000 + 86_400, two), Ok(2));

    let noted: Vec<(u32, Option<String>)> =
        house.custodian.questions().unwrap().into_iter().map(|q| (q.answers, q.refused)).collect();
    let refused = |code: &str| (0, Some(code.to_owned()));
    let expected = [
        (2, None),
        (2, None),
        refused("budget"),
        (4, None),
        refused("budget"),
        (2, None),
        refused("extremes"),
        (2, None),
    ];
    assert_eq!(noted, expected);
    for question in house.custodian.questions().unwrap() {
        assert_eq!(Question::from_bytes(&question.to_bytes()).unwrap(), question);
    }
}
