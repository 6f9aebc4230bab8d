//! What epochs record, shown to those who ask: questions, budgets, successors; and rows beside an epoch.

use super::*;
use crate::{
    Continued, Fault, Genesis, Question, QuestionLog, QuestionProof, Row, Succession, Table, audit,
    log::{Checkpoint, SignedCheckpoint},
    support::{Setup, entries, rng, schema, setup},
};
use wire::{Decode as _, Encode as _};

const DAY: u64 = 86_400;

fn alone(setup: &Setup) -> Genesis {
    let mut genesis = setup.table.genesis().clone();
    (genesis.witnesses, genesis.quorum, genesis.dishonest) = (Vec::new(), 0, 0);
    genesis
}

fn create(setup: &Setup) -> Custodian<MemoryStore> {
    let master = MasterKey::from_bytes(&[3; 32]);
    Custodian::create(MemoryStore::default(), master, alone(setup), &mut rng(1)).unwrap()
}

fn seal(custodian: &Custodian<MemoryStore>, setup: &Setup, epoch: u32) -> SignedCheckpoint {
    custodian.seal_epoch(epoch, &setup.operator, &()).unwrap()
}

fn asked(time: u64, asker: Option<&str>, answers: u32) -> Question {
    let refused = (answers == 0).then(|| "min-count".to_owned());
    Question {
        time,
        text: format!("SELECT {time}"),
        asker: asker.map(str::to_owned),
        answers,
        refused,
    }
}

/// Requires that no byte of a proof can change.
fn no_byte_can_change(bytes: &[u8], holds: impl Fn(&[u8]) -> bool) {
    assert!(holds(bytes));
    for at in 0..bytes.len() {
        let mut changed = bytes.to_vec();
        changed[at] ^= 1;
        assert!(!holds(&changed), "byte {at}");
    }
    assert!(!holds(&bytes[..bytes.len() - 1]) && !holds(&[bytes, &[0]].concat()));
}

#[test]
fn whoever_asked_is_shown_that_the_question_is_bound() {
    let setup = setup(schema());
    let custodian = create(&setup);
    let questions = [asked(1, None, 1), asked(2, Some("press"), 3), asked(3, Some("press"), 0)];
    custodian.note_question(&questions[0]).unwrap();
    seal(&custodian, &setup, 10);
    custodian.note_question(&questions[1]).unwrap();
    custodian.note_question(&questions[2]).unwrap();
    let early = custodian.checkpoint(1).unwrap();
    assert!(custodian.show_question(&early, 1).unwrap().is_none(), "no epoch binds it yet");
    let signed = seal(&custodian, &setup, 11);
    let table = custodian.table();
    for (number, question) in (0..).zip(&questions) {
        let proof = custodian.show_question(&signed, number).unwrap().unwrap();
        assert_eq!(&proof.question, question);
        assert_eq!(proof.verify(table, &signed.checkpoint), Ok(()));
    }
    assert!(custodian.show_question(&signed, 3).unwrap().is_none());
    let bytes = custodian.show_question(&signed, 1).unwrap().unwrap().to_bytes();
    // Which question it is by number is not bound: another number either leads elsewhere or says the same.
    no_byte_can_change(&bytes, |bytes| {
        QuestionProof::from_bytes(bytes).is_ok_and(|proof| {
            proof.question == questions[1] && proof.verify(table, &signed.checkpoint).is_ok()
        })
    });
}

#[test]
fn questions_are_counted_again_after_a_panic() {
    let mut schema = schema();
    schema.policy.max_queries_per_day = Some(2);
    let custodian = create(&setup(schema));
    custodian.note_question(&asked(1, None, 1)).unwrap();
    // A writer that stored a question and did not come to counting it.
    let panicked = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let _writer = custodian.write();
            let place = 1u64.to_be_bytes().to_vec();
            let question = asked(2, None, 1).to_bytes();
            custodian.store.commit(vec![(Space::Questions, place, Some(question))]).unwrap();
            panic!("a writer fails");
        });
        writer.join()
    });
    assert!(panicked.is_err());
    let refused = custodian.note_question(&asked(3, None, 1));
    assert!(matches!(refused, Err(CustodyError::Budget { left: 0, .. })));
    custodian.note_question(&asked(4, None, 0)).unwrap();
    assert_eq!(custodian.questions().unwrap().len(), 3, "none took another's place");
}

#[test]
fn an_auditor_sees_all_questions_and_that_budgets_were_kept() {
    let mut schema = schema();
    schema.policy.max_queries_per_day = Some(4);
    schema.policy.max_queries_per_asker = Some(3);
    let setup = setup(schema);
    let custodian = create(&setup);
    seal(&custodian, &setup, 10);
    let questions = [
        asked(5, Some("press"), 3),
        asked(6, Some("press"), 0),
        asked(7, Some("union"), 1),
        asked(5 + DAY, Some("press"), 3),
    ];
    for (question, epoch) in questions.iter().zip([None, Some(11), None, None]) {
        custodian.note_question(question).unwrap();
        epoch.into_iter().for_each(|epoch| drop(seal(&custodian, &setup, epoch)));
    }
    assert!(custodian.note_question(&asked(6 + DAY, Some("union"), 1)).is_err());
    let signed = seal(&custodian, &setup, 12);
    custodian.note_question(&asked(9 + DAY, None, 0)).unwrap();
    let table = custodian.table();
    let list = custodian.show_questions(&signed).unwrap();
    assert_eq!((list.questions.as_slice(), list.answers(), list.refused()), (&questions[..], 7, 1));
    let counts: Vec<u64> = list.epochs.iter().map(|noted| noted.questions).collect();
    assert_eq!(counts, [0, 2, 4]);
    let holds = |list: &QuestionLog| list.verify(table, &signed.checkpoint);
    assert_eq!(holds(&list), Ok(()));
    no_byte_can_change(&list.to_bytes(), |bytes| {
        QuestionLog::from_bytes(bytes).is_ok_and(|list| holds(&list).is_ok())
    });

    // Epochs left out, questions left out, added, exchanged, taken back.
    let changed = |change: &dyn Fn(&mut QuestionLog)| {
        let mut list = list.clone();
        change(&mut list);
        assert!(holds(&list).is_err());
    };
    changed(&|list| drop(list.epochs.remove(0)));
    changed(&|list| drop(list.epochs.pop()));
    changed(&|list| list.questions.swap(0, 1));
    changed(&|list| drop(list.questions.pop()));
    changed(&|list| list.questions.push(asked(9 + DAY, None, 0)));
    changed(&|list| list.epochs[2].questions = 1);
    changed(&|list| list.epochs[1].questions = u64::MAX);
    changed(&|list| list.epochs.clear());
    assert!(list.verify(table, &custodian.checkpoint(2).unwrap().checkpoint).is_err());
}

/// An operator that answers more than its policy allows binds that, too, and nobody takes it for kept.
#[test]
fn a_budget_that_was_not_kept_is_seen() {
    let exceeded = Err(Fault::Bounds { what: "the answers of a day" });
    let verify = |day: Option<u32>, asker: Option<u32>, questions: &[Question]| {
        let mut schema = schema();
        let mut generous = setup(schema.clone());
        (schema.policy.max_queries_per_day, schema.policy.max_queries_per_asker) = (day, asker);
        // The name binds the policy: who notes does not keep to it.
        generous.table = Table::new(alone(&generous)).unwrap();
        let custodian = create(&generous);
        for question in questions {
            custodian.note_question(question).unwrap();
        }
        let signed = seal(&custodian, &generous, 10);
        let list = custodian.show_questions(&signed).unwrap();
        let strict = custodian.table().pretending(schema);
        list.verify(&strict, &signed.checkpoint)
    };
    let day = [asked(10, Some("a"), 2), asked(9 + DAY, Some("b"), 2)];
    assert_eq!(verify(Some(4), Some(2), &day), Ok(()));
    assert_eq!(verify(Some(3), None, &day), exceeded);
    let later = [asked(10, Some("a"), 2), asked(10 + DAY, Some("b"), 2)];
    assert_eq!(verify(Some(2), None, &later), Ok(()));
    let one = [asked(10, Some("a"), 1), asked(11, Some("a"), 1), asked(12, None, 1)];
    assert_eq!(verify(Some(3), Some(1), &one), exceeded);
    assert_eq!(verify(Some(3), Some(2), &one), Ok(()));
    // A clock that is set back hides nothing.
    let back = [asked(9 + DAY, Some("a"), 2), asked(10, Some("b"), 2)];
    assert_eq!(verify(Some(3), None, &back), exceeded);
}

#[test]
fn tables_that_follow_each_other_name_each_other() {
    let setup = setup(schema());
    let custodian = create(&setup);
    let old = custodian.table().clone();
    let first = seal(&custodian, &setup, 10).checkpoint;
    seal(&custodian, &setup, 11);
    let next = |table, epochs, root| {
        let continues = Some(Continued { table, epochs, root });
        let genesis = Genesis { continues, nonce: [5; 32].into(), ..alone(&setup) };
        Table::new(Genesis::from_bytes(&genesis.to_bytes()).unwrap()).unwrap()
    };
    let heir = next(*old.id(), first.size, first.root);
    assert_ne!(heir.id(), old.id());
    // Tables that name another log, or none, or a root that this log never had, are not recorded.
    let strangers = [
        next([1; 32].into(), first.size, first.root),
        next(*old.id(), first.size, [1; 32].into()),
        next(*old.id(), 9, first.root),
        next(*old.id(), 0, first.root),
        old.clone(),
    ];
    for stranger in &strangers {
        assert!(custodian.succeed(stranger).is_err());
    }
    assert_eq!(custodian.succeed(&heir).unwrap(), 12);
    assert!(custodian.succeed(&heir).is_err(), "one table follows");
    assert!(custodian.show_successor(&custodian.checkpoint(2).unwrap(), &heir).unwrap().is_none());
    seal(&custodian, &setup, 12);
    let signed = seal(&custodian, &setup, 13);
    let proof = custodian.show_successor(&signed, &heir).unwrap().unwrap();
    let holds = |proof: &Succession, checkpoint: &Checkpoint, next: &Table| {
        proof.verify(&old, checkpoint, next).is_ok()
    };
    assert!(holds(&proof, &signed.checkpoint, &heir));
    for stranger in &strangers {
        assert!(!holds(&proof, &signed.checkpoint, stranger));
        assert!(custodian.show_successor(&signed, stranger).unwrap().is_none());
    }
    assert!(!holds(&proof, &custodian.checkpoint(3).unwrap().checkpoint, &heir));
    no_byte_can_change(&proof.to_bytes(), |bytes| {
        Succession::from_bytes(bytes).is_ok_and(|proof| holds(&proof, &signed.checkpoint, &heir))
    });
    // An epoch that names it, and a log that is not the one which it names.
    let other = next(*old.id(), 2, first.root);
    assert!(!holds(&proof, &signed.checkpoint, &other));
}

#[test]
fn rows_in_the_clear_are_a_subset_of_an_epoch() {
    let mut schema = schema();
    schema.values[1].ordered = true;
    let setup = setup(schema);
    let custodian = create(&setup);
    let rows: Vec<Row> =
        entries(setup.table.schema(), 12, 5, 3).into_iter().map(|entry| entry.row).collect();
    custodian.ingest(10, &rows, &mut rng(2)).unwrap();
    seal(&custodian, &setup, 10);
    let (header, bundle) = (custodian.header(10).unwrap(), custodian.bundle(10).unwrap());
    let all = custodian.entries(10).unwrap();
    let table = custodian.table();
    let check =
        |known: &[crate::Entry]| audit::verify_subset(table, (&header, &bundle), known, &());
    for known in [&all[..], &all[3..8], &[]] {
        let subset = audit::Subset { known: known.len() as u64, rows: 12 };
        assert_eq!(check(known), Ok(subset));
    }
    // One row for two; another value in either column, key, user or keys.
    let twice = [all[0].clone(), all[0].clone()];
    assert_eq!(check(&twice), Err(Fault::Duplicate { what: "the row of a user" }));
    let refused = |change: &dyn Fn(&mut crate::Entry)| {
        let mut known = all[2..6].to_vec();
        change(&mut known[1]);
        let fault = check(&known).unwrap_err();
        assert!(matches!(&fault, Fault::Row { reason } if reason.starts_with("2: ")), "{fault}");
    };
    refused(&|entry| entry.row.values[0] ^= 1);
    refused(&|entry| entry.row.values[1] ^= 1);
    refused(&|entry| entry.row.user = b"nobody".to_vec());
    refused(&|entry| entry.keys = all[0].keys.clone());
    refused(&|entry| entry.row.key = table.schema().encode_key(&[77, 1]).unwrap());
    let mut forged = bundle.clone();
    forged[40] ^= 1;
    assert!(audit::verify_subset(table, (&header, &forged), &all, &()).is_err());
}
