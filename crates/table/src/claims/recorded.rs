//! Claims about what epochs record besides their rows: how many were erased, which questions were asked, which
//! table follows.

use claim::{BundleWriter, Check, Claim, Explanation, Findings, Objects, Refusal, Role};
use serde_json::{Value, json};
use wire::{Decode, DecodeError, Digest, Encode, Progress, Reader};

use super::{
    explained::logged,
    objects::{
        CHECKPOINT, CheckFn, ClaimError, GENESIS, HEADER, LOGGED, PROOF, ROTATIONS, VERSION,
        read_logged, read_table, refused,
    },
    statement::{base, log, named, with},
    writer::TableWriter,
};
use crate::{
    AuxRecord, EpochHeader, Genesis, QuestionLog, QuestionProof, Succession, Table,
    checks::{TB_1, TB_20, TB_21, TB_22, TB_23, TB_24, Under as _},
    log::{ErasureProof, SignedCheckpoint, check_records, decode_records, encode_records},
};

const RECORDS: &str = "records";
const SUCCESSOR: &str = "successor";

const RECORDS_KIND: &str = "table-records";
const ERASED_KIND: &str = "table-erased";
const QUESTION_KIND: &str = "table-question";
const QUESTIONS_KIND: &str = "table-questions";
const SUCCESSOR_KIND: &str = "table-successor";

const RECORDED: &[Role] = &[Role::one(GENESIS), Role::one(HEADER), Role::one(RECORDS)];
const SUCCEEDED: &[Role] = &[
    Role::one(CHECKPOINT),
    Role::one(GENESIS),
    Role::one(PROOF),
    Role::any(ROTATIONS),
    Role::one(SUCCESSOR),
];

/// The kinds of claims of this module, with their roles and checks.
pub(super) const KINDS: [(&str, &[Role], CheckFn); 5] = [
    (RECORDS_KIND, RECORDED, check_record_list),
    (ERASED_KIND, LOGGED, check_erased),
    (QUESTION_KIND, LOGGED, check_question),
    (QUESTIONS_KIND, LOGGED, check_questions),
    (SUCCESSOR_KIND, SUCCEEDED, check_successor),
];

/// All records of an epoch, by themselves.
struct Records(Vec<AuxRecord>);

impl Encode for Records {
    fn encode(&self, out: &mut Vec<u8>) {
        encode_records(&self.0, out);
    }
}

impl Decode for Records {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        decode_records(reader).map(Self)
    }
}

/// The file of an epoch's records in a bundle that [`super::write_audit`] made: below `objects/`.
pub fn records_file(epoch: u32) -> String {
    format!("table/epoch-{epoch}.records")
}

/// Reads what [`records_file`] holds. Whether these are the epoch's, its header says.
///
/// # Errors
/// [`DecodeError`].
pub fn read_records(bytes: &[u8]) -> Result<Vec<AuxRecord>, DecodeError> {
    Records::from_bytes(bytes).map(|records| records.0)
}

/// Adds what an epoch records to a bundle with its audit.
pub(super) fn add_records(
    writer: &mut BundleWriter,
    table: &Table,
    (genesis, digest): (Digest, Digest),
    (header, records): (&EpochHeader, &[AuxRecord]),
) -> Result<(), ClaimError> {
    check_records(header, records)?;
    let epoch = header.core.epoch;
    let object = Records(records.to_vec()).to_bytes();
    let object = writer.add_object(&records_file(epoch), &object)?;
    let objects = [(GENESIS, vec![genesis]), (HEADER, vec![digest]), (RECORDS, vec![object])];
    let claim = Claim::new(RECORDS_KIND, VERSION, objects, record_list(table, header, records));
    Ok(writer.add_claim(&format!("records-{epoch}"), &claim)?)
}

impl TableWriter<'_> {
    /// Adds under a name that a row was erased.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub fn erased(&mut self, name: &str, proof: &ErasureProof) -> Result<(), ClaimError> {
        let count = proof.verify(self.table, &self.signed.checkpoint)?;
        let statement = erased(self.table, self.signed, (proof, count));
        self.logged(ERASED_KIND, name, &proof.to_bytes(), statement)
    }

    /// Adds under a name that a question is in the list which the log binds.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub fn question(&mut self, name: &str, proof: &QuestionProof) -> Result<(), ClaimError> {
        proof.verify(self.table, &self.signed.checkpoint)?;
        let statement = question(self.table, self.signed, proof);
        self.logged(QUESTION_KIND, name, &proof.to_bytes(), statement)
    }

    /// Adds all questions that the log binds, under a name.
    ///
    /// # Errors
    /// [`ClaimError`]; a list that goes beyond the policy's budgets is no claim.
    pub fn questions(&mut self, name: &str, list: &QuestionLog) -> Result<(), ClaimError> {
        list.verify(self.table, &self.signed.checkpoint)?;
        let statement = questions(self.table, self.signed, list);
        self.logged(QUESTIONS_KIND, name, &list.to_bytes(), statement)
    }

    /// Adds that another table continues this one.
    ///
    /// # Errors
    /// [`ClaimError`].
    pub fn successor(&mut self, proof: &Succession, next: &Table) -> Result<(), ClaimError> {
        proof.verify(self.table, &self.signed.checkpoint, next)?;
        let genesis = next.genesis().to_bytes();
        let next_genesis = self.writer.add_object("table/successor.json", &genesis)?;
        let proof = self.writer.add_object("table/successor.proof", &proof.to_bytes())?;
        let mut objects = self.places(proof);
        objects.push((SUCCESSOR, vec![next_genesis]));
        let statement = successor(self.table, self.signed, next);
        let claim = Claim::new(SUCCESSOR_KIND, VERSION, objects, statement);
        Ok(self.writer.add_claim("successor", &claim)?)
    }
}

fn record_list(table: &Table, header: &EpochHeader, records: &[AuxRecord]) -> Value {
    let first = |of: &dyn Fn(&AuxRecord) -> Option<Value>| records.iter().find_map(of);
    let erasures = |record: &AuxRecord| {
        let (count, root) = record.erasures()?;
        Some(json!({ "count": count, "root": root.to_string() }))
    };
    with(
        base(table),
        json!({
            "epoch": header.core.epoch,
            "digest": header.digest(table.id()).to_string(),
            "recorded": {
                "questions": first(&|record| Some(json!(record.questions()?.to_string()))),
                "successor": first(&|record| Some(json!(record.successor()?.to_string()))),
                "operator": first(&|record| Some(named(&record.rotation()?.new.0))),
                "erasures": first(&erasures),
            },
        }),
    )
}

fn erased(table: &Table, signed: &SignedCheckpoint, (proof, count): (&ErasureProof, u64)) -> Value {
    let column = table.schema().value(proof.tombstone.column);
    with(
        base(table),
        json!({
            "log": log(table, signed),
            "epoch": proof.tombstone.epoch,
            "column": column.map(|column| &column.name),
            "pseudonym": proof.tombstone.pseudonym.to_string(),
            "erased": true,
            "recorded_by": proof.recorded.epoch.header.core.epoch,
            "erasures": count,
        }),
    )
}

fn question(table: &Table, signed: &SignedCheckpoint, proof: &QuestionProof) -> Value {
    let question = &proof.question;
    with(
        base(table),
        json!({
            "log": log(table, signed),
            "recorded_by": proof.recorded.epoch.header.core.epoch,
            "time": question.time,
            "question": question.text,
            "asker": question.asker,
            "answers": question.answers,
            "refused": question.refused,
        }),
    )
}

fn questions(table: &Table, signed: &SignedCheckpoint, list: &QuestionLog) -> Value {
    let policy = &table.schema().policy;
    with(
        base(table),
        json!({
            "log": log(table, signed),
            "questions": list.questions.len(),
            "answers": list.answers(),
            "refused": list.refused(),
            "max_queries_per_day": policy.max_queries_per_day,
            "max_queries_per_asker": policy.max_queries_per_asker,
            "budgets_kept": true,
        }),
    )
}

fn successor(table: &Table, signed: &SignedCheckpoint, next: &Table) -> Value {
    let continues = next.genesis().continues.as_ref();
    with(
        base(table),
        json!({
            "log": log(table, signed),
            "successor": next.id().to_string(),
            "successor_name": next.schema().table,
            "continues": continues.map(|from| json!({
                "epochs": from.epochs,
                "root": from.root.to_string(),
            })),
        }),
    )
}

fn check_record_list(objects: &Objects<'_>, _: &dyn Progress) -> Result<Findings, Refusal> {
    let table = read_table(objects)?;
    let unread =
        |what| move |error: DecodeError| Refusal::new(what, error.to_string()).under(error.check());
    let header = EpochHeader::from_bytes(&objects.only(HEADER)?).map_err(unread("header"))?;
    let records = Records::from_bytes(&objects.only(RECORDS)?).map_err(unread("records"))?.0;
    check_records(&header, &records).under(TB_20).map_err(refused("records"))?;
    let checks = vec![Check::new("records of the epoch, all of them", records.len() as u64)];
    let held = Explanation::new().with(TB_20, "records of the epoch, all of them", records.len());
    Ok(Findings::new(record_list(&table, &header, &records), checks).explained(held))
}

fn check_erased(objects: &Objects<'_>, _: &dyn Progress) -> Result<Findings, Refusal> {
    let (table, signed, proof) = read_logged::<ErasureProof>(objects)?;
    signed.check(&table).map_err(refused("checkpoint"))?;
    let count =
        proof.verify(&table, &signed.checkpoint).under(TB_21).map_err(refused("erasure"))?;
    let checks = vec![Check::new("tombstone in the list of erased rows", 1)];
    let held = logged(&table, &signed).with(TB_21, "tombstone in the list of erased rows", 1);
    Ok(Findings::new(erased(&table, &signed, (&proof, count)), checks).explained(held))
}

fn check_question(objects: &Objects<'_>, _: &dyn Progress) -> Result<Findings, Refusal> {
    let (table, signed, proof) = read_logged::<QuestionProof>(objects)?;
    signed.check(&table).map_err(refused("checkpoint"))?;
    proof.verify(&table, &signed.checkpoint).under(TB_22).map_err(refused("question"))?;
    let checks = vec![Check::new("question in the list", 1)];
    let held = logged(&table, &signed).with(TB_22, "question in the list", 1);
    Ok(Findings::new(question(&table, &signed, &proof), checks).explained(held))
}

fn check_questions(objects: &Objects<'_>, _: &dyn Progress) -> Result<Findings, Refusal> {
    let (table, signed, list) = read_logged::<QuestionLog>(objects)?;
    signed.check(&table).map_err(refused("checkpoint"))?;
    list.verify(&table, &signed.checkpoint).under(TB_23).map_err(refused("questions"))?;
    let checks = vec![
        Check::new("epochs, none left out", list.epochs.len() as u64),
        Check::new("questions, none left out", list.questions.len() as u64),
    ];
    let held =
        logged(&table, &signed).with(TB_23, "questions, none left out", list.questions.len());
    Ok(Findings::new(questions(&table, &signed, &list), checks).explained(held))
}

fn check_successor(objects: &Objects<'_>, _: &dyn Progress) -> Result<Findings, Refusal> {
    let (table, signed, proof) = read_logged::<Succession>(objects)?;
    signed.check(&table).map_err(refused("checkpoint"))?;
    let next = Genesis::from_bytes(&objects.only(SUCCESSOR)?).and_then(Table::new);
    let next = next.under(TB_1).map_err(refused("successor"))?;
    proof.verify(&table, &signed.checkpoint, &next).under(TB_24).map_err(refused("successor"))?;
    let checks = vec![Check::new("each table names the other", 2)];
    let held = logged(&table, &signed).with(TB_24, "tables that name each other", 2);
    Ok(Findings::new(successor(&table, &signed, &next), checks).explained(held))
}
