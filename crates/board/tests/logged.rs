//! Boards on logs: what readers verify, what convicts whom, and parties that are killed, restored or forked.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use board::{
    AppendError, BoardError, Entry, Identity,
    logged::{Clock, Contradiction, DirectoryOutbox, LogBoard, MemoryOutbox, Outbox, Signed},
};
use log::{
    AccessError, Checkpoint, Header, Leaf, LocalLog, LogAccess, Origin, SignedCheckpoint, Standing,
    log_key,
    merkle::{self, Hash},
    note::VerifierKey,
};
use wire::{Decode as _, Digest, Encode as _};

const ORIGIN: &str = "example.org/board";

fn identity(number: u8) -> Identity {
    Identity::from_seed(&[number; 32])
}

fn origin() -> Origin {
    ORIGIN.parse().unwrap()
}

fn local() -> Arc<LocalLog> {
    let clock = AtomicU64::new(1_000_000);
    let clock = Box::new(move || clock.fetch_add(1000, Ordering::SeqCst));
    Arc::new(LocalLog::in_memory(identity(200), origin(), None, clock).unwrap())
}

fn clock() -> Clock {
    Box::new(|| 1000)
}

fn begin<L: LogAccess>(log: L, outbox: MemoryOutbox) -> LogBoard<L> {
    LogBoard::create(log, (outbox, clock()), &identity(0), "test/open", b"hello").unwrap()
}

fn join<L: LogAccess>(log: L) -> Result<LogBoard<L>, BoardError> {
    LogBoard::open(log, (MemoryOutbox::default(), clock()), None)
}

#[test]
fn everybody_reads_what_everybody_wrote_with_places_and_times() {
    let log = local();
    let mut hers = begin(log.clone(), MemoryOutbox::default());
    let mut his = join(log.clone()).unwrap();
    assert_eq!(hers.id(), his.id());
    his.append(&identity(1), ("test/line", b"1"), b"soup").unwrap();
    log.tick().unwrap();
    // Nobody is too late to append: there is no position in what is signed.
    hers.append(&identity(0), ("test/line", b"1"), b"salad").unwrap();
    assert!(his.wait(Duration::ZERO).unwrap());
    let lines: Vec<_> =
        his.entries().iter().map(|e| (e.sequence(), e.payload().to_vec())).collect();
    assert_eq!(lines, [(0, b"hello".to_vec()), (1, b"soup".to_vec()), (3, b"salad".to_vec())]);
    let times: Vec<_> = his.entries().iter().map(Entry::time).collect();
    assert!(times.is_sorted() && times[0].is_some());
    assert_eq!(his.view().size(), 4);
    for entry in his.entries() {
        assert_eq!(Entry::from_bytes(&entry.to_bytes()).as_ref(), Ok(entry));
        let bytes = entry.to_bytes();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_ne!(Entry::from_bytes(&changed).as_ref(), Ok(entry), "byte {at}");
        }
    }
    let expected = Digest::from([1; 32]);
    let other = LogBoard::open(log.clone(), (MemoryOutbox::default(), clock()), Some(expected));
    assert!(matches!(other, Err(BoardError::WrongBoard { .. })));
    let again =
        LogBoard::create(log, (MemoryOutbox::default(), clock()), &identity(7), "test/open", b"");
    assert!(matches!(again, Err(AppendError::Taken)));
}

#[test]
fn a_board_of_nothing_is_empty() {
    assert!(matches!(join(local()), Err(BoardError::Empty)));
}

/// A keeper's answers, spoiled.
struct Spoiled {
    honest: Arc<LocalLog>,
    how: Mutex<How>,
}

#[derive(Clone, Debug)]
enum How {
    Not,
    Checkpoint(SignedCheckpoint),
    Leaf(usize, Leaf),
    Fewer,
    NoPayload,
    OtherPayload,
}

impl Spoiled {
    fn new(honest: &Arc<LocalLog>, how: How) -> Self {
        Self { honest: honest.clone(), how: Mutex::new(how) }
    }

    fn how(&self) -> How {
        self.how.lock().unwrap().clone()
    }
}

impl LogAccess for Spoiled {
    fn key(&self) -> &VerifierKey {
        self.honest.key()
    }

    fn latest(&self) -> Result<Option<SignedCheckpoint>, AccessError> {
        match self.how() {
            How::Checkpoint(signed) => Ok(Some(signed)),
            _ => self.honest.latest(),
        }
    }

    fn wait_beyond(&self, size: u64, timeout: Duration) -> Result<bool, AccessError> {
        self.honest.wait_beyond(size, timeout)
    }

    fn leaves(&self, from: u64, limit: usize) -> Result<Vec<Leaf>, AccessError> {
        let mut leaves = self.honest.leaves(from, limit)?;
        match self.how() {
            How::Leaf(at, leaf) => {
                if let Some(shown) = at.checked_sub(from as usize).and_then(|at| leaves.get_mut(at))
                {
                    *shown = leaf;
                }
            }
            How::Fewer => leaves.clear(),
            _ => {}
        }
        Ok(leaves)
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, AccessError> {
        match self.how() {
            How::NoPayload => Ok(None),
            How::OtherPayload => Ok(Some(b"other".to_vec())),
            _ => self.honest.payload(header),
        }
    }

    fn submit(&self, header: &Header, payload: &[u8]) -> Result<Standing, AccessError> {
        self.honest.submit(header, payload)
    }

    fn standing(&self, entry: &Digest) -> Result<Option<Standing>, AccessError> {
        self.honest.standing(entry)
    }

    fn consistency(&self, from: u64, to: u64) -> Result<Vec<Hash>, AccessError> {
        self.honest.consistency(from, to)
    }
}

/// A log that begins as the board does, and goes on with other lines.
fn board_of(lines: &[&str]) -> Arc<LocalLog> {
    let log = local();
    let mut board = begin(log.clone(), MemoryOutbox::default());
    for (number, line) in lines.iter().enumerate() {
        let subject = number.to_string();
        board.append(&identity(0), ("test/line", subject.as_bytes()), line.as_bytes()).unwrap();
    }
    log
}

#[test]
fn nothing_that_a_keeper_spoils_is_read() {
    let log = board_of(&["a", "b", "c"]);
    assert_eq!(join(Spoiled::new(&log, How::Not)).unwrap().entries().len(), 4);
    let refused =
        |how: How| join(Spoiled::new(&log, how.clone())).map(drop).expect_err(&format!("{how:?}"));
    let leaves = log.leaves(0, 10).unwrap();
    let leaf = |time, header| How::Leaf(2, Leaf { time, header });
    let honest = &leaves[2];
    assert!(matches!(
        refused(leaf(honest.time + 1, honest.header.clone())),
        BoardError::Root { .. }
    ));
    assert!(matches!(
        refused(leaf(honest.time, leaves[1].header.clone())),
        BoardError::Root { .. }
    ));
    assert!(matches!(
        refused(leaf(0, honest.header.clone())),
        BoardError::Backwards { sequence: 2 }
    ));
    assert!(matches!(refused(How::Fewer), BoardError::Missing { sequence: 0 }));
    assert!(matches!(refused(How::NoPayload), BoardError::Missing { sequence: 0 }));
    assert!(matches!(refused(How::OtherPayload), BoardError::OtherPayload { sequence: 0 }));
    let signed = log.latest().unwrap().unwrap();
    let Checkpoint { size, root, .. } = signed.checkpoint().clone();
    let sign =
        |key: u8, size, root| Checkpoint::new(origin(), size, root).sign(&identity(key)).unwrap();
    assert!(matches!(refused(How::Checkpoint(sign(201, size, root))), BoardError::Note(_)));
    let long = refused(How::Checkpoint(sign(200, 1 << 40, root)));
    assert!(matches!(long, BoardError::TooLong { .. }), "{long}");
}

/// A keeper with its key can make any log; entries that their authors did not sign are not taken.
#[test]
fn a_keeper_writes_nothing_in_anybodys_name() {
    let elsewhere: Origin = "example.org/elsewhere".parse().unwrap();
    let forged = Header::sign(&identity(0), &elsewhere, ("test/line", b"0"), 1000, b"a").unwrap();
    let tick = Header::sign(&identity(0), &origin(), ("log/tick", b"1000"), 1000, b"").unwrap();
    for (header, is_it) in [
        (
            forged,
            (|e: &BoardError| matches!(e, BoardError::Signature { .. })) as fn(&BoardError) -> bool,
        ),
        (tick, |e| matches!(e, BoardError::Reserved { .. })),
    ] {
        let log = board_of(&[]);
        let mut leaves = log.leaves(0, 10).unwrap();
        leaves.push(Leaf { time: leaves[0].time, header });
        let hashes: Vec<_> = leaves.iter().map(|leaf| leaf.to_bytes()).collect();
        let signed =
            Checkpoint::new(origin(), 2, merkle::root(&hashes)).sign(&identity(200)).unwrap();
        let refused = join(Forging { honest: log, leaves, signed }).map(drop).unwrap_err();
        assert!(is_it(&refused), "{refused}");
    }
}

/// A keeper that shows leaves of its own.
struct Forging {
    honest: Arc<LocalLog>,
    leaves: Vec<Leaf>,
    signed: SignedCheckpoint,
}

impl LogAccess for Forging {
    fn key(&self) -> &VerifierKey {
        self.honest.key()
    }

    fn latest(&self) -> Result<Option<SignedCheckpoint>, AccessError> {
        Ok(Some(self.signed.clone()))
    }

    fn wait_beyond(&self, _size: u64, _timeout: Duration) -> Result<bool, AccessError> {
        Ok(true)
    }

    fn leaves(&self, from: u64, limit: usize) -> Result<Vec<Leaf>, AccessError> {
        Ok(self.leaves.iter().skip(from as usize).take(limit).cloned().collect())
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, AccessError> {
        self.honest.payload(header)
    }

    fn submit(&self, header: &Header, payload: &[u8]) -> Result<Standing, AccessError> {
        self.honest.submit(header, payload)
    }

    fn standing(&self, entry: &Digest) -> Result<Option<Standing>, AccessError> {
        self.honest.standing(entry)
    }

    fn consistency(&self, from: u64, to: u64) -> Result<Vec<Hash>, AccessError> {
        self.honest.consistency(from, to)
    }
}

/// What a keeper of boards could do with impunity: show a party one board, and then another.
#[test]
fn a_keeper_that_shows_another_log_is_convicted_before_anything_is_taken() {
    let one = board_of(&["a", "b", "c", "d"]);
    let other = board_of(&["a", "b", "x", "y", "z"]);
    let switch = Arc::new(Switch { logs: [one, other], at: AtomicU64::new(0) });
    let outbox = MemoryOutbox::default();
    let mut board = LogBoard::open(switch.clone(), (outbox.clone(), clock()), None).unwrap();
    assert_eq!(board.entries().len(), 5);
    switch.at.store(1, Ordering::SeqCst);
    let refused = board.refresh().unwrap_err();
    assert_eq!(board.entries().last().unwrap().payload(), b"d");
    let BoardError::Convicted { evidence } = refused else { panic!("{refused}") };
    assert!(evidence.verify().is_ok());
    // Started again it has not forgotten, whatever it is shown first.
    let again = LogBoard::open(switch.clone(), (outbox.clone(), clock()), None).map(drop);
    assert!(
        matches!(again, Err(BoardError::Convicted { .. } | BoardError::Root { .. })),
        "{again:?}"
    );
    // Nor is it content with a log that is shorter than what it saw.
    let short = board_of(&["a"]);
    let switch = Switch { logs: [short.clone(), short], at: AtomicU64::new(0) };
    let again = LogBoard::open(switch, (outbox, clock()), None).map(drop);
    assert!(matches!(again, Err(BoardError::RolledBack { known: 5, got: 2 })), "{again:?}");
}

/// Two logs of one keeper, and which of them it shows.
struct Switch {
    logs: [Arc<LocalLog>; 2],
    at: AtomicU64,
}

impl Switch {
    fn log(&self) -> &LocalLog {
        &self.logs[self.at.load(Ordering::SeqCst) as usize]
    }
}

impl LogAccess for Switch {
    fn key(&self) -> &VerifierKey {
        self.logs[0].key()
    }

    fn latest(&self) -> Result<Option<SignedCheckpoint>, AccessError> {
        self.log().latest()
    }

    fn wait_beyond(&self, size: u64, timeout: Duration) -> Result<bool, AccessError> {
        self.log().wait_beyond(size, timeout)
    }

    fn leaves(&self, from: u64, limit: usize) -> Result<Vec<Leaf>, AccessError> {
        self.log().leaves(from, limit)
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, AccessError> {
        self.log().payload(header)
    }

    fn submit(&self, header: &Header, payload: &[u8]) -> Result<Standing, AccessError> {
        self.log().submit(header, payload)
    }

    fn standing(&self, entry: &Digest) -> Result<Option<Standing>, AccessError> {
        self.log().standing(entry)
    }

    fn consistency(&self, from: u64, to: u64) -> Result<Vec<Hash>, AccessError> {
        self.log().consistency(from, to)
    }
}

#[test]
fn a_slot_is_filled_once_and_who_fills_it_twice_is_convicted() {
    let log = local();
    let mut board = begin(log.clone(), MemoryOutbox::default());
    // Two copies of one party, each with its own memory.
    let sign = |payload: &[u8]| {
        Header::sign(&identity(1), &origin(), ("test/vote", b"1"), 1000, payload).unwrap()
    };
    let (yes, no) = (sign(b"yes"), sign(b"no"));
    log.submit(&yes, b"yes").unwrap();
    log.submit(&no, b"no").unwrap();
    log.submit(&yes, b"yes").unwrap();
    board.refresh().unwrap();
    let of_author: Vec<_> =
        board.entries()[1..].iter().map(|entry| (entry.payload(), entry.contradicts())).collect();
    assert_eq!(of_author, [(&b"yes"[..], None), (b"no", Some(1))]);
    let [found] = board.view().contradictions() else { panic!("one contradiction") };
    assert!(found.holds());
    let read = Contradiction::from_bytes(&found.to_bytes()).unwrap();
    assert_eq!(read, *found);
    // Nobody else is convicted, and nobody by less.
    let others = [
        Contradiction { other: yes.clone(), ..read.clone() },
        Contradiction { log: "example.org/elsewhere".parse().unwrap(), ..read.clone() },
        Contradiction {
            other: Header::sign(&identity(1), &origin(), ("test/vote", b"2"), 1000, b"no").unwrap(),
            ..read.clone()
        },
        Contradiction {
            other: Header::sign(&identity(2), &origin(), ("test/vote", b"1"), 1000, b"no").unwrap(),
            ..read.clone()
        },
        Contradiction {
            other: Header::sign(&identity(1), &origin(), ("test/veto", b"1"), 1000, b"no").unwrap(),
            ..read
        },
    ];
    assert!(others.iter().all(|other| !other.holds()));
}

#[test]
fn a_party_says_again_what_it_said_and_nothing_else() {
    let log = local();
    let outbox = MemoryOutbox::default();
    drop(begin(log.clone(), MemoryOutbox::default()));
    let open = |outbox: &MemoryOutbox| LogBoard::open(log.clone(), (outbox.clone(), clock()), None);
    let mut board = open(&outbox).unwrap();
    let slot = ("test/vote", &b"1"[..]);
    let first = board.append(&identity(1), slot, b"yes").unwrap();
    // Started again with its memory it cannot be brought to say anything else there.
    let mut board = open(&outbox).unwrap();
    assert_eq!(board.append(&identity(1), slot, b"no").unwrap(), first);
    assert_eq!(board.entries().len(), 2);
    // Without it, it says nothing at all.
    let mut board = open(&MemoryOutbox::default()).unwrap();
    let refused = board.append(&identity(1), ("test/vote", b"2"), b"no").unwrap_err();
    assert!(matches!(refused, AppendError::Restored { sequence: 1 }), "{refused}");
    assert_eq!(join(log).unwrap().view().contradictions(), []);
}

/// A log that takes an entry and then breaks down, or breaks down before.
struct Dying {
    log: Arc<LocalLog>,
    left: Mutex<u32>,
}

impl Dying {
    fn live(&self) -> Result<(), AccessError> {
        let mut left = self.left.lock().unwrap();
        *left = left.checked_sub(1).ok_or(AccessError::Store("dead".into()))?;
        Ok(())
    }
}

impl LogAccess for Dying {
    fn key(&self) -> &VerifierKey {
        self.log.key()
    }

    fn latest(&self) -> Result<Option<SignedCheckpoint>, AccessError> {
        self.live()?;
        self.log.latest()
    }

    fn wait_beyond(&self, size: u64, timeout: Duration) -> Result<bool, AccessError> {
        self.live()?;
        self.log.wait_beyond(size, timeout)
    }

    fn leaves(&self, from: u64, limit: usize) -> Result<Vec<Leaf>, AccessError> {
        self.live()?;
        self.log.leaves(from, limit)
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, AccessError> {
        self.live()?;
        self.log.payload(header)
    }

    fn submit(&self, header: &Header, payload: &[u8]) -> Result<Standing, AccessError> {
        self.live()?;
        let standing = self.log.submit(header, payload)?;
        self.live()?;
        Ok(standing)
    }

    fn standing(&self, entry: &Digest) -> Result<Option<Standing>, AccessError> {
        self.live()?;
        self.log.standing(entry)
    }

    fn consistency(&self, from: u64, to: u64) -> Result<Vec<Hash>, AccessError> {
        self.live()?;
        self.log.consistency(from, to)
    }
}

fn outbox(directory: &Path, party: u8) -> std::io::Result<DirectoryOutbox> {
    let key = log_key(&origin(), identity(200).id()).unwrap();
    DirectoryOutbox::open(directory, &key, &identity(party).id())
}

/// A party that dies at every step in turn, and thinks of something else each time that it comes back.
#[test]
fn however_a_party_dies_it_signs_nothing_twice() {
    let directory = tempfile::tempdir().unwrap();
    let log = local();
    drop(begin(log.clone(), MemoryOutbox::default()));
    let mut deaths = 0;
    for life in 0.. {
        let dying = Dying { log: log.clone(), left: Mutex::new(life % 12) };
        let memory = outbox(directory.path(), 1).unwrap();
        let Ok(mut board) = LogBoard::open(dying, (memory, clock()), None) else {
            deaths += 1;
            continue;
        };
        let thought = format!("thought {life}");
        let mut said = 0;
        for slot in 0..3_u8 {
            let slot = ("test/vote", &[slot][..]);
            said += u32::from(board.append(&identity(1), slot, thought.as_bytes()).is_ok());
        }
        deaths += u32::from(said < 3);
        if said == 3 || life > 1000 {
            break;
        }
    }
    assert!(deaths > 7, "{deaths}");
    let board = join(log).unwrap();
    assert_eq!(board.view().contradictions(), []);
    assert_eq!(board.entries().len(), 4);
}

#[test]
fn an_outbox_is_of_one_party_on_one_log_and_of_one_process() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("outbox");
    let mut first = outbox(&path, 1).unwrap();
    assert_eq!(outbox(&path, 1).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    let signed = |payload: &[u8]| {
        let slot = ("test/vote", &b"1"[..]);
        let header = Header::sign(&identity(1), &origin(), slot, 7, payload).unwrap();
        Signed { header, payload: payload.to_vec() }
    };
    assert_eq!(first.keep(&signed(b"yes")).unwrap(), signed(b"yes"));
    assert_eq!(first.keep(&signed(b"no")).unwrap(), signed(b"yes"));
    assert_eq!(first.signed("test/vote", b"1").unwrap(), Some(signed(b"yes")));
    assert_eq!(first.signed("test/vote", b"2").unwrap(), None);
    drop(first);
    let other = outbox(&path, 2).unwrap_err();
    assert!(other.to_string().contains("another party"), "{other}");
    let again = outbox(&path, 1).unwrap();
    assert_eq!(again.all().unwrap(), [signed(b"yes")]);
    drop(again);
    // Bytes that are no entry are told, and not signed over.
    let file = std::fs::read_dir(&path).unwrap().map(|file| file.unwrap().path());
    let file =
        file.into_iter().find(|path| path.extension().is_some_and(|e| e == "entry")).unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let mut again = outbox(&path, 1).unwrap();
    assert!(again.signed("test/vote", b"1").is_err());
    assert!(again.keep(&signed(b"no")).is_err());
}
