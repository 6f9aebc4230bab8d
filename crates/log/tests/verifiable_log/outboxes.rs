//! Outboxes: slots that are filled once, files that are cut, copied and mixed up.

use std::fs;

use log::{
    Header, Leaf, Outbox, OutboxError,
    outbox::RUN,
    store::{FileOutbox, StoreError},
};

use super::{AUTHOR, identity, log_key, origin};

type Opened = Outbox<FileOutbox>;

fn open(path: &std::path::Path) -> Opened {
    let store = FileOutbox::open(path, &log_key(), &identity(AUTHOR).id()).unwrap();
    Outbox::open(store, identity(AUTHOR).id(), origin()).unwrap()
}

fn leaf(header: &Header) -> Leaf {
    Leaf { time: 1_000, header: header.clone() }
}

/// Begins a run, whose entry is the log's next.
fn begin(outbox: &mut Opened, log: &mut Vec<Leaf>, run: u8) -> Result<(), OutboxError<StoreError>> {
    log.push(leaf(&outbox.begin(&identity(AUTHOR), [run; 16], 1_000)?));
    outbox.compare(outbox.seen(), &log[outbox.seen() as usize..])
}

fn fill(
    outbox: &mut Opened,
    subject: &str,
    payload: &[u8],
) -> Result<Header, OutboxError<StoreError>> {
    outbox.fill(&identity(AUTHOR), ("test/entry", subject.as_bytes()), 1_000, payload)
}

#[test]
fn a_slot_is_filled_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("outbox");
    let mut log = Vec::new();
    let mut outbox = open(&path);
    assert_eq!(fill(&mut outbox, "a", b"1"), Err(OutboxError::NotBegun));
    begin(&mut outbox, &mut log, 1).unwrap();
    let first = fill(&mut outbox, "a", b"1").unwrap();
    assert_eq!(fill(&mut outbox, "a", b"2").unwrap(), first);
    assert_eq!(outbox.payload(&first).unwrap(), b"1");
    assert_ne!(fill(&mut outbox, "b", b"2").unwrap(), first);
    // One process at a time has it, and nobody else's party, or of another log.
    let again = FileOutbox::open(&path, &log_key(), &identity(AUTHOR).id());
    assert!(matches!(again.err(), Some(StoreError::Serving { .. })));
    drop(outbox);
    let other = FileOutbox::open(&path, &log_key(), &identity(7).id());
    assert!(matches!(other.err(), Some(StoreError::Damaged { .. })));
    let elsewhere = log::log_key(&"example.com/elsewhere".parse().unwrap(), identity(1).id());
    let other = FileOutbox::open(&path, &elsewhere.unwrap(), &identity(AUTHOR).id());
    assert!(matches!(other.err(), Some(StoreError::Damaged { .. })));
    let mut outbox = open(&path);
    assert_eq!(fill(&mut outbox, "a", b"3"), Err(OutboxError::NotBegun));
    outbox.compare(0, &log).unwrap();
    begin(&mut outbox, &mut log, 2).unwrap();
    assert_eq!(fill(&mut outbox, "a", b"3").unwrap(), first, "what is stored is sent again");
    drop(outbox);
    let mut outbox = open(&path);
    assert_eq!(outbox.entries().filter(|header| header.kind() != RUN).count(), 2);
    assert_eq!(fill(&mut outbox, "c", b""), Err(OutboxError::NotBegun));
}

/// The file ends within its last entry: a process that was killed before it sent it.
#[test]
fn an_entry_that_is_not_whole_was_never_sent() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("outbox");
    let mut log = Vec::new();
    let mut outbox = open(&path);
    begin(&mut outbox, &mut log, 1).unwrap();
    let before = fs::read(&path).unwrap();
    fill(&mut outbox, "a", b"payload").unwrap();
    drop(outbox);
    let after = fs::read(&path).unwrap();
    for end in (before.len()..after.len()).step_by(5) {
        fs::write(&path, [&after[..end], &vec![0; after.len() - end]].concat()).unwrap();
        let mut outbox = open(&path);
        assert_eq!(outbox.entries().count(), 1, "{end}");
        let mut log = log.clone();
        outbox.compare(0, &log).unwrap();
        begin(&mut outbox, &mut log, 2).unwrap();
        let another = fill(&mut outbox, "a", b"another").unwrap();
        drop(outbox);
        let mut again = open(&path);
        log.push(leaf(&another));
        again.compare(0, &log).unwrap();
        begin(&mut again, &mut log, 3).unwrap();
        assert_eq!(fill(&mut again, "a", b"").unwrap(), another);
    }
}

/// Two copies are restored, the older one first: what the newer one has, which never reached the keeper, is not sent any
/// more, since the older one filled the slot.
#[test]
fn a_copy_that_is_restored_after_an_older_one_is_out() {
    let directory = tempfile::tempdir().unwrap();
    let [path, older, newer] = ["outbox", "older", "newer"].map(|name| directory.path().join(name));
    let mut log = Vec::new();
    let mut outbox = open(&path);
    begin(&mut outbox, &mut log, 1).unwrap();
    fs::copy(&path, &older).unwrap();
    fill(&mut outbox, "a", b"never arrives").unwrap();
    fs::copy(&path, &newer).unwrap();
    drop(outbox);
    let mut outbox = open(&older);
    outbox.compare(0, &log).unwrap();
    begin(&mut outbox, &mut log, 2).unwrap();
    log.push(leaf(&fill(&mut outbox, "a", b"arrives").unwrap()));
    drop(outbox);
    let mut outbox = open(&newer);
    assert_eq!(fill(&mut outbox, "a", b""), Err(OutboxError::NotBegun));
    assert_eq!(begin(&mut outbox, &mut log, 3), Err(OutboxError::Restored { index: 1 }));
    assert_eq!(fill(&mut outbox, "a", b""), Err(OutboxError::Restored { index: 1 }));
}

/// A party that was restored from an older copy finds in the log what it does not know, before it signs.
#[test]
fn a_restored_party_is_out() {
    let directory = tempfile::tempdir().unwrap();
    let [path, copy] = ["outbox", "copy"].map(|name| directory.path().join(name));
    let mut log = Vec::new();
    let mut outbox = open(&path);
    begin(&mut outbox, &mut log, 1).unwrap();
    fs::copy(&path, &copy).unwrap();
    log.push(leaf(&fill(&mut outbox, "a", b"1").unwrap()));
    drop(outbox);
    let mut restored = open(&copy);
    assert_eq!(begin(&mut restored, &mut log, 2), Err(OutboxError::Restored { index: 1 }));
    assert_eq!(fill(&mut restored, "a", b"2"), Err(OutboxError::Restored { index: 1 }));
    // Leaves that are left out are not taken for read.
    let mut restored = Outbox::open(
        FileOutbox::open(&directory.path().join("lost"), &log_key(), &identity(AUTHOR).id())
            .unwrap(),
        identity(AUTHOR).id(),
        origin(),
    )
    .unwrap();
    let run = leaf(&restored.begin(&identity(AUTHOR), [3; 16], 1_000).unwrap());
    restored.compare(2, std::slice::from_ref(&run)).unwrap();
    assert_eq!(fill(&mut restored, "a", b"2"), Err(OutboxError::NotBegun));
    // The first entry of all of its runs is unknown to a party that lost everything.
    assert_eq!(restored.compare(0, &log), Err(OutboxError::Restored { index: 0 }));
}
