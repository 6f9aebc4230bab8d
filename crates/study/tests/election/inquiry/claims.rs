//! Claims that say something else, and what verifying them costs.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use board::Entry;
use claim::{Bundle, BundleWriter, Claim, Refusal, Registry};
use serde_json::{Value, json};
use shuffle::Column;
use study::{
    election::{ElectionVerifier, Replays},
    inquiry::InquiryVerifier,
    tracing::G,
};
use trace::routed::AnswerRecord;
use wire::{Decode, Encode, Progress};

use super::{Published, published, verify};

#[test]
fn tampered_claims_are_refused() {
    let published = published();
    let records: Vec<Vec<u8>> = published.found.iter().map(|found| found.record.clone()).collect();
    published.rewrite(|_| (), &records).unwrap();
    type Edit = fn(&mut Value);
    let edits: [(&str, Edit); 17] = [
        ("election", |s| s["election"] = json!("another")),
        ("outcome", |s| s["outcome"] = json!("another")),
        ("engine", |s| s["engine"] = json!("db")),
        ("notice", |s| s["notice"] = json!("proven")),
        ("ballots", |s| s["ballots"] = json!(61)),
        ("routed_by", |s| s["routed_by"] = json!([1, 2])),
        ("decrypted_by", |s| s["decrypted_by"] = json!([1])),
        ("query", |s| s["answers"][0]["query"] = s["answers"][1]["query"].clone()),
        ("querier", |s| s["answers"][0]["querier"] = json!("somebody")),
        ("asked", |s| s["answers"][0]["asked"] = json!(21)),
        ("yes", |s| s["answers"][2]["yes"] = json!(0)),
        ("no", |s| s["answers"][0]["no"] = json!(1)),
        ("first", |s| s["answers"][0]["topic"]["district"]["first"] = json!("V11")),
        ("last", |s| s["answers"][0]["topic"]["district"]["last"] = json!("V59")),
        ("candidate", |s| s["answers"][1]["topic"]["candidate"] = json!("soup")),
        ("direction", |s| s["answers"][2]["topic"]["direction"] = json!("in")),
        ("telling", |s| {
            s["answers"][2]["topic"]["district"] = s["answers"][0]["topic"]["district"].clone()
        }),
    ];
    for (what, edit) in edits {
        assert!(published.rewrite(edit, &records).is_err(), "{what}");
    }
    // An answer fewer, two in each other's place.
    assert!(published.rewrite(|_| (), &records[1..]).is_err());
    let mut swapped = records.clone();
    swapped.swap(0, 1);
    let refused = published.rewrite(|_| (), &swapped).unwrap_err();
    assert!(refused.reason.contains("another way"), "{refused}");
    // Any byte of a record.
    for at in (0..records[2].len()).step_by(2003) {
        let mut flipped = records.clone();
        flipped[2][at] ^= 1;
        assert!(published.rewrite(|_| (), &flipped).is_err(), "byte {at}");
    }
    // A record of the right form that its parties did not sign.
    let mut record = AnswerRecord::<G>::from_bytes(&records[0]).unwrap();
    let mut rows = record.query.turns[1].columns[0].ciphertexts();
    rows.swap(0, 1);
    record.query.turns[1].columns[0] = Column::new(&rows);
    let mut forged = records.clone();
    forged[0] = record.to_bytes();
    let refused = published.rewrite(|_| (), &forged).unwrap_err();
    assert_eq!(refused.party.as_deref(), Some("mixer 2"), "{refused}");
}

impl Published {
    /// The verdict on a bundle with an edited statement and these records, its digests right.
    fn rewrite(&self, edit: impl Fn(&mut Value), records: &[Vec<u8>]) -> Result<usize, Refusal> {
        let root = self.directory.path().join("copy");
        self.write(&root, edit, |_| (), records);
        let verdict = verify(&root);
        std::fs::remove_dir_all(&root).unwrap();
        verdict
    }

    /// A bundle with an edited statement, about edited entries, with these records.
    fn write(
        &self,
        root: &Path,
        edit: impl Fn(&mut Value),
        change: impl Fn(&mut Vec<&Entry>),
        records: &[Vec<u8>],
    ) {
        let mut writer = BundleWriter::create(root).unwrap();
        let inquiry = &self.hall.inquiry;
        let end = inquiry.state().election().end().unwrap();
        let entries = inquiry.entries().iter();
        let mut entries = entries.take_while(|entry| entry.sequence() <= end).collect();
        change(&mut entries);
        let board = entries.iter().map(|entry| {
            let path = format!("board/{:08}.entry", entry.sequence());
            writer.add_object(&path, &entry.to_bytes()).unwrap()
        });
        let board = board.collect();
        let answers = (0..).zip(records).map(|(number, record): (u32, _)| {
            writer.add_object(&format!("trace/{number:08}.answer"), record).unwrap()
        });
        let answers = answers.collect();
        let mut statement = self.statement.clone();
        edit(&mut statement);
        let roles = [("board", board), ("answer", answers)];
        let claim = Claim::new("election-trace", 2, roles, statement);
        writer.add_claim("election-trace", &claim).unwrap();
        writer.finish().unwrap();
    }
}

/// Counts replays of a board.
#[derive(Default)]
struct Replayed(AtomicUsize);

impl Progress for Replayed {
    fn begin(&self, stage: &str, _total: u64) {
        self.0.fetch_add(usize::from(stage == "entries"), Ordering::Relaxed);
    }

    fn advance(&self, _steps: u64) {}

    fn finish(&self) {}
}

/// The claims of an election's bundle rest on the same entries: one replay serves them all. Claims
/// about other entries, such as a board that was cut, get no use of it.
#[test]
fn claims_about_one_board_share_its_replay() {
    let published = published();
    let count = |registry: &Registry, root: &Path| {
        let replayed = Replayed::default();
        let verdict = claim::verify(&Bundle::open(root).unwrap(), registry, &replayed);
        (verdict.is_ok(), replayed.0.into_inner())
    };
    let root = published.directory.path().join("bundle");
    let apart = Registry::new().with(ElectionVerifier::default()).with(InquiryVerifier::default());
    assert_eq!(count(&apart, &root), (true, 2));
    let replays = Replays::default();
    let together = Registry::new()
        .with(ElectionVerifier::sharing(&replays))
        .with(InquiryVerifier::sharing(&replays));
    assert_eq!(count(&together, &root), (true, 1));
    // Again, and about other entries, with the same answers: without the last entry, which a replay
    // finds out, and with two exchanged, of which the chain does not hold.
    assert_eq!(count(&together, &root), (true, 0));
    let records: Vec<Vec<u8>> = published.found.iter().map(|found| found.record.clone()).collect();
    type Change = fn(&mut Vec<&Entry>);
    let cut: Change = |board| board.truncate(board.len() - 1);
    let exchanged: Change = |board| board.swap(5, 6);
    let root = published.directory.path().join("changed");
    for (change, replays) in [(cut, 1), (exchanged, 0)] {
        published.write(&root, |_| (), change, &records);
        assert_eq!(count(&together, &root), (false, replays));
        std::fs::remove_dir_all(&root).unwrap();
    }
}
