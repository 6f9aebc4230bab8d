//! A table without witnesses whose epochs record everything that they can: questions, a change of the operator's
//! key, erased rows, a table that follows; and a row that its operator promised and left out.

use std::path::Path;

use board::Identity;
use claim::BundleWriter;
use table::{
    Continued, Genesis, Question, Table, audit,
    claims::{write_audit, write_audit_part, write_evidence},
    log::Evidence,
};

use super::{DAY, Operator, TIME, input, require_valid, rows, without};

/// Of the question with a number.
fn asked(number: u64, asker: Option<&str>, answers: u32) -> Question {
    Question {
        time: TIME + number * DAY / 2,
        text: "SELECT SUM(wage) FROM house WHERE epoch = 1".to_owned(),
        asker: asker.map(str::to_owned),
        answers,
        refused: (answers == 0).then(|| "min-count".to_owned()),
    }
}

/// Five epochs, the last without rows.
pub fn make(root: &Path) {
    let mut house = Operator::new(&input("house.toml"), 2, 0);
    let rows = rows(house.table().schema(), &input("rows.csv"));
    house.ingest(1, &rows);
    house.seal(1);
    write_part(&root.join("part"), &house);

    // The second epoch is to have a row of lea, and has none; it records two questions and the operator's new key.
    let keys = house.custodian.issue_keys(2, b"lea", &mut house.rng).unwrap();
    let lea = rows.iter().find(|row| row.user == b"lea").unwrap();
    let receipts = house.custodian.receipts(&house.key, 2, (lea, &keys), TIME + DAY).unwrap();
    house.ingest(2, &without(&rows, b"lea"));
    house.custodian.note_question(&asked(0, Some("press"), 2)).unwrap();
    house.custodian.note_question(&asked(1, None, 0)).unwrap();
    let next = Identity::generate(&mut house.rng);
    house.custodian.rotate(&house.key, &next).unwrap();
    let signed = house.seal(2);
    house.key = next;
    let epoch = house.custodian.logged(2, 2).unwrap();
    let pseudonym = keys.pseudonym(house.table().id(), 2, 0, b"lea");
    let absence = house.custodian.show_absence(epoch.clone(), 0, pseudonym).unwrap().unwrap();
    let evidence = Evidence::Omission {
        receipt: receipts[0].clone(),
        epoch,
        checkpoint: signed.clone(),
        absence: absence.absence,
    };
    let mut writer = BundleWriter::create(&root.join("evidence")).unwrap();
    write_evidence(&mut writer, house.table(), &evidence).unwrap();
    require_valid(&writer.finish().unwrap());

    // The third records the rows of ada and bob that are gone, and another question.
    for user in [b"ada", b"bob"] {
        house.custodian.erase(1, user, true, &mut house.rng).unwrap();
    }
    house.custodian.note_question(&asked(2, Some("union"), 1)).unwrap();
    house.ingest(3, &without(&rows, b"ada"));
    let third = house.seal(3);

    // The fourth names a table that goes on from the third.
    let continues = Some(Continued {
        table: *house.table().id(),
        epochs: third.checkpoint.size,
        root: third.checkpoint.root,
    });
    let nonce = Genesis::draw_nonce(&mut house.rng);
    let genesis = Genesis { continues, nonce, ..house.table().genesis().clone() };
    let heir = Table::new(genesis).unwrap();
    house.custodian.succeed(&heir).unwrap();
    house.seal(4);
    let signed = house.seal(5);

    let custodian = &house.custodian;
    let proof = custodian.show_successor(&signed, &heir).unwrap().unwrap();
    house
        .write(&root.join("successor"), &signed, |tables| tables.successor(&proof, &heir).unwrap());
    let proofs = custodian.show_erasure(&signed, 1, b"bob").unwrap().unwrap();
    house.write(&root.join("erased"), &signed, |tables| {
        for proof in &proofs {
            tables.erased(&format!("erased-{}", proof.tombstone.column), proof).unwrap();
        }
    });
    let question = custodian.show_question(&signed, 0).unwrap().unwrap();
    house.write(&root.join("question"), &signed, |tables| {
        tables.question("question-0", &question).unwrap();
    });
    let questions = custodian.show_questions(&signed).unwrap();
    house.write(&root.join("questions"), &signed, |tables| {
        tables.questions("questions", &questions).unwrap();
    });
    write_records(&root.join("records"), &house);
    let question = "SELECT SUM(wage) FROM house WHERE epoch = 3 AND role = 'nurse'";
    let answer = house.ask(&signed, question);
    house.write(&root.join("rounded"), &signed, |tables| {
        tables.answer("answer-0", &answer).unwrap();
    });
}

/// The part of the first epoch's audit that says which users have rows.
fn write_part(root: &Path, house: &Operator) {
    let header = house.custodian.header(1).unwrap();
    let bundle = house.custodian.bundle(1).unwrap();
    let parts = audit::split(house.table(), &header, &bundle, 2).unwrap();
    let mut writer = BundleWriter::create(root).unwrap();
    write_audit_part(&mut writer, house.table(), &header, parts.last().unwrap()).unwrap();
    require_valid(&writer.finish().unwrap());
}

/// The third epoch's audit, and what it records.
fn write_records(root: &Path, house: &Operator) {
    let header = house.custodian.header(3).unwrap();
    let records = house.custodian.records(3).unwrap();
    let bundle = house.custodian.bundle(3).unwrap();
    let mut writer = BundleWriter::create(root).unwrap();
    write_audit(&mut writer, house.table(), (&header, &records), &bundle, &()).unwrap();
    require_valid(&writer.finish().unwrap());
}
