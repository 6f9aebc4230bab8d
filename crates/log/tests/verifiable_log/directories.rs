//! Logs in directories: one after the other by many processes, killed at every byte, damaged, restored.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use log::{
    AccessError, DirectoryLog, FollowError, Follower, LogAccess as _, Standing,
    store::{StoreError, system_clock},
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;

use super::{AUTHOR, identity, origin};

fn create(directory: &Path) {
    DirectoryLog::create(directory, &origin(), &mut ChaCha20Rng::seed_from_u64(1)).unwrap();
}

fn entry(subject: u32, payload: &[u8]) -> log::Header {
    let subject = subject.to_be_bytes();
    let slot = ("test/entry", subject.as_slice());
    log::Header::sign(&identity(AUTHOR), &origin(), slot, 1_000, payload).unwrap()
}

fn follower(log: &DirectoryLog) -> Follower {
    Follower::new(log.key().clone(), None).unwrap()
}

#[test]
fn what_one_process_writes_another_reads() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path().join("log");
    create(&directory);
    let [one, other] = [(); 2].map(|()| DirectoryLog::open(&directory).unwrap());
    let mut reader = follower(&other);
    assert_eq!(reader.follow(&other), Ok(0));
    for (place, log) in [&one, &other, &one, &one, &other].into_iter().enumerate() {
        let payload = vec![place as u8; 10_000 * place];
        let header = entry(place as u32, &payload);
        assert_eq!(log.submit(&header, &payload), Ok(Standing::Logged(place as u64)));
        // Again, by anybody: it stays where it is.
        assert_eq!(other.submit(&header, &payload), Ok(Standing::Logged(place as u64)));
        assert_eq!(reader.follow(&one), Ok(1));
        assert_eq!(one.payload(&header), Ok(Some(payload)));
        assert!(one.wait_beyond(place as u64, Duration::ZERO).unwrap());
        assert!(!one.wait_beyond(place as u64 + 1, Duration::ZERO).unwrap());
    }
    let (from, to) = (merkle_root(&reader, 2), merkle_root(&reader, 5));
    let proof = other.consistency(2, 5).unwrap();
    log::merkle::verify_consistency((2, &from), (5, &to), &proof).unwrap();
    assert!(matches!(other.consistency(2, 6), Err(AccessError::Malformed(_))));
    // What a web server serves is the same log.
    let shown = fs::read(directory.join("checkpoint")).unwrap();
    assert_eq!(log::SignedCheckpoint::parse(&shown).unwrap(), one.latest().unwrap().unwrap());
    let tile = "entries/000.p/5".parse().unwrap();
    let bundle = fs::read(directory.join("tile/entries/000.p/5")).unwrap();
    assert_eq!(log::tile::unbundle(&tile, &bundle).unwrap().len(), 5);
    assert!(matches!(DirectoryLog::serve(&directory), Err(StoreError::Serving { .. })));
    drop((one, other));
    let (keeper, held) = DirectoryLog::serve(&directory).unwrap();
    assert_eq!(keeper.tree().size(), 5);
    assert!(matches!(DirectoryLog::open(&directory), Err(StoreError::Serving { .. })));
    drop((keeper, held));
    let again = DirectoryLog::create(&directory, &origin(), &mut ChaCha20Rng::seed_from_u64(2));
    assert!(matches!(again, Err(StoreError::File { .. })));
}

fn merkle_root(reader: &Follower, size: usize) -> log::merkle::Hash {
    use wire::Encode as _;
    let leaves: Vec<_> = reader.leaves()[..size].iter().map(|leaf| leaf.to_bytes()).collect();
    log::merkle::root(&leaves)
}

/// Four threads with a handle each, as processes have: no entry is lost, none stands twice.
#[test]
fn many_write_at_once() {
    let directory = tempfile::tempdir().unwrap();
    create(directory.path());
    std::thread::scope(|scope| {
        for writer in 0..4_u32 {
            let directory = directory.path();
            scope.spawn(move || {
                let log = DirectoryLog::open(directory).unwrap();
                for at in 0..8 {
                    log.submit(&entry(writer * 100 + at, b"x"), b"x").unwrap();
                }
            });
        }
    });
    let log = DirectoryLog::open(directory.path()).unwrap();
    let mut reader = follower(&log);
    assert_eq!(reader.follow(&log), Ok(32));
    let mut subjects: Vec<_> =
        reader.leaves().iter().map(|leaf| leaf.header.subject().to_vec()).collect();
    subjects.sort();
    subjects.dedup();
    assert_eq!(subjects.len(), 32);
}

/// More than a full tile, so that every kind of file is there; and all of them made again.
#[test]
fn files_that_are_made_from_the_journal_may_be_lost() {
    let directory = tempfile::tempdir().unwrap();
    create(directory.path());
    let headers: Vec<_> = (0..600).map(|at| (entry(at, b""), b"".as_slice())).collect();
    let log = DirectoryLog::open(directory.path()).unwrap();
    log.submit_all(&headers[..300]).unwrap();
    log.submit_all(&headers[300..599]).unwrap();
    let mut reader = follower(&log);
    assert_eq!(reader.follow(&log), Ok(599));
    drop(log);
    fs::remove_dir_all(directory.path().join("tile")).unwrap();
    let shown = directory.path().join("checkpoint");
    let whole = fs::read(&shown).unwrap();
    // One that is there and says nothing was not left by a keeper.
    fs::write(&shown, "").unwrap();
    let opened = DirectoryLog::open(directory.path());
    assert!(matches!(opened.err(), Some(StoreError::Damaged { path, .. }) if path == shown));
    fs::write(&shown, &whole[..whole.len() / 2]).unwrap();
    assert!(DirectoryLog::open(directory.path()).is_err());
    fs::remove_file(&shown).unwrap();
    let log = DirectoryLog::open(directory.path()).unwrap();
    log.submit(&headers[599].0, b"").unwrap();
    assert_eq!(reader.follow(&log), Ok(1));
    assert!(directory.path().join("tile/0/000").is_file());
    assert!(directory.path().join("tile/entries/001").is_file());
    assert!(directory.path().join("tile/entries/002.p/88").is_file());
}

/// The journal ends within its last step, in any part of it: a process that was killed while it wrote. The log goes
/// on from the step before, and whatever had been shown stays.
#[test]
fn a_keeper_that_was_killed_at_any_byte_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    create(directory.path());
    let log = DirectoryLog::open(directory.path()).unwrap();
    log.submit(&entry(0, b"first"), b"first").unwrap();
    let mut reader = follower(&log);
    reader.follow(&log).unwrap();
    let path = directory.path().join("journal");
    let before = fs::read(&path).unwrap();
    let shown = fs::read(directory.path().join("checkpoint")).unwrap();
    log.submit(&entry(1, b"second"), b"second").unwrap();
    drop(log);
    let after = fs::read(&path).unwrap();
    for end in (before.len()..after.len()).step_by(13) {
        // Killed before the rest was written, or a system that crashed and kept only the length.
        for tail in [0, after.len() - end] {
            let bytes = [&after[..end], &vec![0; tail]].concat();
            fs::write(&path, &bytes).unwrap();
            fs::write(directory.path().join("checkpoint"), &shown).unwrap();
            let log = DirectoryLog::open(directory.path()).unwrap();
            assert_eq!(reader.follow(&log), Ok(0), "{end}");
            log.submit(&entry(2, b"third"), b"third").unwrap();
            let mut again = follower(&log);
            // What was promised before stands before it.
            let size = again.follow(&log).unwrap();
            assert!(size == 2 || size == 3, "{end}: {size}");
            for leaf in again.leaves() {
                assert!(log.payload(&leaf.header).unwrap().is_some(), "{end}");
            }
        }
    }
}

/// A journal that lost what the keeper had shown signs nothing.
#[test]
fn a_journal_that_lost_its_end_is_found_out() {
    let directory = tempfile::tempdir().unwrap();
    create(directory.path());
    let log = DirectoryLog::open(directory.path()).unwrap();
    log.submit(&entry(0, b""), b"").unwrap();
    let [path, shown] = ["journal", "checkpoint"].map(|name| directory.path().join(name));
    let [old, shown_before] = [&path, &shown].map(|path| fs::read(path).unwrap());
    log.submit(&entry(1, b""), b"").unwrap();
    let mut reader = follower(&log);
    reader.follow(&log).unwrap();
    drop(log);
    fs::write(&path, &old).unwrap();
    let refused = DirectoryLog::open(directory.path()).err().unwrap().to_string();
    assert!(refused.contains("it has the size 1, and `checkpoint` shows 2"), "{refused}");
    // A directory that lost its end as a whole is found out by whoever saw more.
    fs::write(&shown, &shown_before).unwrap();
    let log = DirectoryLog::open(directory.path()).unwrap();
    assert_eq!(reader.follow(&log), Err(FollowError::Stale { shown: 1, seen: 2 }));
    drop(log);
    // A flipped bit in the middle is no end.
    let mut bytes = old.clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let opened = DirectoryLog::open(directory.path());
    assert!(opened.is_err() || opened.unwrap().submit(&entry(3, b""), b"").is_err());
    // Another log's journal, or another keeper's key.
    let other = tempfile::tempdir().unwrap();
    let rng = &mut ChaCha20Rng::seed_from_u64(7);
    DirectoryLog::create(other.path(), &origin(), rng).unwrap();
    fs::copy(other.path().join("journal"), &path).unwrap();
    assert!(matches!(DirectoryLog::open(directory.path()), Err(StoreError::Damaged { .. })));
}

/// A reader that saw one history is shown another, of every size: it has what convicts the keeper.
#[test]
fn a_reader_convicts_a_keeper_that_forks() {
    for (mine, others) in [(1, 1), (2, 2), (2, 3), (3, 5), (4, 9), (5, 3), (4, 2), (9, 8)] {
        let one = tempfile::tempdir().unwrap();
        create(one.path());
        let other = tempfile::tempdir().unwrap();
        create(other.path());
        let [first, second] = [&one, &other].map(|path| DirectoryLog::open(path.path()).unwrap());
        for at in 0..mine {
            first.submit(&entry(at, b"one"), b"one").unwrap();
        }
        for at in 0..others {
            second.submit(&entry(at, b"other"), b"other").unwrap();
        }
        let mut reader = follower(&first);
        reader.follow(&first).unwrap();
        match reader.follow(&second) {
            Err(FollowError::Convicted(evidence)) => evidence.verify().unwrap(),
            other => panic!("{mine} {others}: {other:?}"),
        }
        assert_eq!(reader.leaves().len(), mine as usize);
    }
    assert!(system_clock() > 1_700_000_000_000);
}

/// A keeper promises, gives a heartbeat after the deadline, and has not appended the entry.
#[test]
fn a_reader_convicts_a_keeper_that_withholds() {
    let (time, keeper) = (std::sync::Arc::new(AtomicU64::new(0)), identity(super::KEEPER));
    let clock = {
        let time = std::sync::Arc::clone(&time);
        Box::new(move || time.load(Relaxed) * 1000)
    };
    let log = log::LocalLog::in_memory(identity(super::KEEPER), origin(), None, clock).unwrap();
    for tick in [1_000, 1_010, 1_020, 1_031] {
        time.store(tick, Relaxed);
        log.tick().unwrap();
    }
    let mut reader = Follower::new(log.key().clone(), None).unwrap();
    reader.follow(&log).unwrap();
    let header = entry(1, b"");
    let promise =
        |size, deadline| log::Promise::sign(&keeper, &origin(), &header, (size, deadline));
    for (size, deadline, broken) in
        [(1, 1_030, true), (3, 1_030, true), (1, 1_031, false), (4, 1_000, false), (9, 0, false)]
    {
        let evidence = reader.withheld(&promise(size, deadline));
        assert_eq!(evidence.is_some(), broken, "{size} {deadline}");
        assert!(evidence.is_none_or(|evidence| evidence.verify().is_ok()));
    }
    let forged = log::Promise::sign(&identity(7), &origin(), &header, (1, 1_030));
    assert!(reader.withheld(&forged).is_none());
}
