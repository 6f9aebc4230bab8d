//! Boards on logs: what readers verify, what convicts whom, and parties that are killed, restored or forked.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use board::{
    AppendError, BoardError, Bulletin as _, Entry, Identity,
    logged::{Contradiction, Desk, Drawer, LogBoard, MemoryOutbox},
};
use log::{
    AccessError, Checkpoint, FollowError, Header, Leaf, LocalLog, LogAccess, Origin,
    SignedCheckpoint, Standing,
    merkle::{self, Hash},
    note::VerifierKey,
    store::FileOutbox,
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

fn desk(outbox: &MemoryOutbox) -> Desk {
    outbox.desk(|| 1000, draw())
}

/// Names of runs, of which no two are the same.
fn draw() -> impl FnMut() -> [u8; 16] + Send {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    || u128::from(RUNS.fetch_add(1, Ordering::SeqCst)).to_le_bytes()
}

fn begin<L: LogAccess>(log: L, outbox: MemoryOutbox) -> LogBoard<L> {
    LogBoard::create(log, desk(&outbox), &identity(0), "test/open", b"hello").unwrap()
}

fn join<L: LogAccess>(log: L) -> Result<LogBoard<L>, BoardError> {
    LogBoard::open(log, Desk::of_a_reader(), None)
}

#[test]
fn everybody_reads_what_everybody_wrote_with_places_and_times() {
    let (log, outbox) = (local(), MemoryOutbox::default());
    let mut hers = begin(log.clone(), outbox.clone());
    let mut his = LogBoard::open(log.clone(), desk(&outbox), None).unwrap();
    assert_eq!(hers.id(), his.id());
    his.append(&identity(1), ("test/line", b"1"), b"soup").unwrap();
    log.tick().unwrap();
    // Nobody is too late to append: there is no position in what is signed.
    hers.append(&identity(0), ("test/line", b"1"), b"salad").unwrap();
    assert!(his.wait(Duration::ZERO).unwrap());
    let lines: Vec<_> =
        his.entries().iter().map(|e| (e.sequence(), e.payload().to_vec())).collect();
    // Between them stand the beginnings of two runs, and a heartbeat.
    assert_eq!(lines, [(1, b"hello".to_vec()), (3, b"soup".to_vec()), (5, b"salad".to_vec())]);
    let times: Vec<_> = his.entries().iter().map(Entry::time).collect();
    assert!(times.is_sorted() && times[0].is_some());
    assert_eq!(his.leaves().len(), 6);
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
    let other = LogBoard::open(log.clone(), Desk::of_a_reader(), Some(expected));
    assert!(matches!(other, Err(BoardError::WrongBoard { .. })));
    let again = |author, payload| {
        LogBoard::create(log.clone(), desk(&outbox), &identity(author), "test/open", payload)
    };
    assert!(matches!(again(7, b"hello"), Err(AppendError::Taken)));
    assert!(matches!(again(0, b"other"), Err(AppendError::Taken)));
    // Who began it and was killed before it knew goes on.
    assert_eq!(again(0, b"hello").unwrap().id(), his.id());
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
    for spoiled in [
        leaf(honest.time + 1, honest.header.clone()),
        leaf(honest.time, leaves[1].header.clone()),
        leaf(0, honest.header.clone()),
        How::Fewer,
    ] {
        let error = refused(spoiled);
        assert!(matches!(error, BoardError::Follow(FollowError::Leaves)), "{error}");
    }
    assert!(matches!(refused(How::NoPayload), BoardError::Missing { sequence: 1 }));
    assert!(matches!(refused(How::OtherPayload), BoardError::OtherPayload { sequence: 1 }));
    let signed = log.latest().unwrap().unwrap();
    let Checkpoint { size, root, .. } = signed.checkpoint().clone();
    let sign =
        |key: u8, size, root| Checkpoint::new(origin(), size, root).sign(&identity(key)).unwrap();
    let foreign = refused(How::Checkpoint(sign(201, size, root)));
    assert!(matches!(foreign, BoardError::Follow(FollowError::Note(_))), "{foreign}");
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
            (|e: &BoardError| matches!(e, BoardError::Follow(FollowError::Entry { .. })))
                as fn(&BoardError) -> bool,
        ),
        (tick, |e| matches!(e, BoardError::Reserved { .. })),
    ] {
        let log = board_of(&[]);
        let mut leaves = log.leaves(0, 10).unwrap();
        leaves.push(Leaf { time: leaves[1].time, header });
        let hashes: Vec<_> = leaves.iter().map(|leaf| leaf.to_bytes()).collect();
        let signed =
            Checkpoint::new(origin(), 3, merkle::root(&hashes)).sign(&identity(200)).unwrap();
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
    let mut board = join(switch.clone()).unwrap();
    assert_eq!(board.entries().len(), 5);
    switch.at.store(1, Ordering::SeqCst);
    let refused = board.refresh().unwrap_err();
    assert_eq!(board.entries().last().unwrap().payload(), b"d");
    let BoardError::Follow(FollowError::Convicted(evidence)) = refused else { panic!("{refused}") };
    assert!(evidence.verify().is_ok());
    // Nor is it content with a log that is shorter than what it saw.
    let whole = board_of(&["a", "b", "c", "d"]);
    let switch = Switch { logs: [whole, board_of(&["a"])], at: AtomicU64::new(0) };
    let switch = Arc::new(switch);
    let mut board = join(switch.clone()).unwrap();
    switch.at.store(1, Ordering::SeqCst);
    assert!(board.refresh().is_err());
    assert_eq!(board.entries().len(), 5);
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
    assert_eq!(of_author, [(&b"yes"[..], None), (b"no", Some(2))]);
    let [found] = board.contradictions() else { panic!("one contradiction") };
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
    let (log, outbox) = (local(), MemoryOutbox::default());
    drop(begin(log.clone(), MemoryOutbox::default()));
    let open = |outbox: &MemoryOutbox| LogBoard::open(log.clone(), desk(outbox), None).unwrap();
    let slot = ("test/vote", &b"1"[..]);
    let mut board = open(&outbox);
    board.append(&identity(1), slot, b"yes").unwrap();
    // Started again with its memory it cannot be brought to say anything else there.
    let mut board = open(&outbox);
    let spent = board.append(&identity(1), slot, b"no").unwrap_err();
    assert!(matches!(spent, AppendError::Spent { sequence: 3, .. }), "{spent}");
    assert_eq!(board.entries().len(), 2);
    // Without it, it says nothing at all.
    let mut board = open(&MemoryOutbox::default());
    let refused = board.append(&identity(1), ("test/vote", b"2"), b"no").unwrap_err();
    assert!(matches!(refused, AppendError::Restored { sequence: 2 }), "{refused}");
    let mut reader = join(log).unwrap();
    assert!(matches!(reader.append(&identity(2), slot, b"x"), Err(AppendError::Outbox(_))));
    assert_eq!(reader.contradictions(), []);
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

/// The desk of a party whose outbox is this file.
fn desk_at(path: &Path) -> Desk {
    let path = path.to_owned();
    let open = move |log: &VerifierKey, author: &log::AuthorId| {
        let opened = FileOutbox::open(&path, log, author);
        opened.map(Drawer::new).map_err(|error| error.to_string())
    };
    Desk::new(Box::new(open), || 1000, draw())
}

/// A party that dies at every step in turn, and thinks of something else each time that it comes back.
#[test]
fn however_a_party_dies_it_signs_nothing_twice() {
    let directory = tempfile::tempdir().unwrap();
    let outbox = directory.path().join("outbox");
    let log = local();
    drop(begin(log.clone(), MemoryOutbox::default()));
    let mut deaths = 0;
    for life in 0..200 {
        let dying = Dying { log: log.clone(), left: Mutex::new(life) };
        let Ok(mut board) = LogBoard::open(dying, desk_at(&outbox), None) else {
            deaths += 1;
            continue;
        };
        let thought = format!("thought {life}");
        let mut said = 0;
        for slot in 0..3_u8 {
            let slot = ("test/vote", &[slot][..]);
            let done = board.append(&identity(1), slot, thought.as_bytes());
            said += u32::from(matches!(done, Ok(()) | Err(AppendError::Spent { .. })));
        }
        if said == 3 {
            break;
        }
        deaths += 1;
    }
    assert!((10..200).contains(&deaths), "{deaths}");
    let board = join(log).unwrap();
    assert_eq!(board.contradictions(), []);
    assert_eq!(board.entries().len(), 4);
}
