//! Everybody, the network between them, and who does what next.

use std::collections::{BTreeMap, BTreeSet};

use log::{
    AuthorId, Evidence, FollowError, Follower, Header, Identity, Leaf, Origin, Quorum,
    SignedCheckpoint, merkle,
    note::{NoteSignature, VerifierKey},
};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _};
use wire::{Digest, Encode as _};

use super::{
    Mutant,
    author::Author,
    keeping::{Bystander, KEEPER, Keeping, Shown, tree_of},
};

pub fn origin() -> Origin {
    "example.com/simulated".parse().unwrap()
}

pub fn log_key() -> VerifierKey {
    log::log_key(&origin(), Identity::from_seed(&[KEEPER; 32]).id()).unwrap()
}

/// What must not be.
#[derive(Clone, Debug)]
#[allow(dead_code, reason = "printed")]
pub enum Violation {
    /// A party signed two entries in one slot.
    TwoInASlot { kind: String, subject: Vec<u8> },
    /// Two honest readers accepted checkpoints of two histories.
    TwoHistories { sizes: (usize, usize) },
    /// A reader accepted an older log than before.
    WentBack,
    /// An honest keeper is convicted.
    HonestConvicted(&'static str),
    /// A party that did nothing wrong cannot go on.
    HonestOut,
}

/// What is under way.
#[derive(Clone)]
enum Message {
    Entry {
        author: usize,
        header: Header,
        payload: Vec<u8>,
    },
    /// A checkpoint of one of the keeper's histories, to a witness.
    Ask {
        witness: usize,
        side: usize,
        signed: SignedCheckpoint,
    },
    /// A witness's line under a checkpoint.
    Line {
        side: usize,
        text: String,
        line: NoteSignature,
    },
}

/// What happened in schedules, so that nothing is missed because it never happens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reached {
    /// Slots that were filled, and sent again.
    pub filled: u64,
    /// Logs that readers accepted.
    pub accepted: u64,
    /// Restored parties that found it out.
    pub found_out: u64,
    /// Old copies of keepers that witnesses refused.
    pub refused: u64,
    /// Evidence against keepers that forked.
    pub convicted: u64,
}

struct Reader {
    follower: Follower,
    /// Every history that was accepted.
    accepted: Vec<Vec<Leaf>>,
}

pub struct World {
    rng: ChaCha20Rng,
    mutant: Mutant,
    now: u64,
    /// The keeper, and, if it forks, its other history.
    sides: Vec<Keeping>,
    forks: bool,
    witnesses: Vec<Bystander>,
    /// Lines under the texts of checkpoints, of each side.
    lines: Vec<BTreeMap<String, Vec<NoteSignature>>>,
    authors: Vec<Author>,
    readers: Vec<Reader>,
    quorum: Quorum,
    network: Vec<Message>,
    /// Every entry that left its author, by slot.
    sent: BTreeMap<(AuthorId, String, Vec<u8>), Digest>,
    /// Entries that a keeper has.
    received: BTreeSet<Digest>,
    restored: Vec<bool>,
    trace: Vec<u8>,
    computed: u64,
    pub reached: Reached,
}

const WITNESSES: [u8; 3] = [2, 3, 4];
const AUTHORS: [u8; 2] = [10, 11];

impl World {
    pub fn new(seed: u64, mutant: Mutant) -> Self {
        let rng = ChaCha20Rng::seed_from_u64(seed);
        let witnesses = WITNESSES.map(|seed| Bystander::new(seed, mutant));
        let keys = witnesses.iter().map(Bystander::key).collect();
        let threshold = if mutant == Mutant::OneWitness { 1 } else { 2 };
        let quorum = Quorum::new(keys, threshold).unwrap();
        let mut keeper = Keeping::new(mutant);
        keeper.start(&witnesses);
        Self {
            rng,
            mutant,
            now: 1_000,
            sides: vec![keeper],
            forks: seed % 2 == 1,
            witnesses: witnesses.into(),
            lines: vec![BTreeMap::new()],
            authors: AUTHORS.map(|seed| Author::new(seed, mutant)).into(),
            readers: (0..2).map(|_| reader(&quorum)).collect(),
            quorum,
            network: Vec::new(),
            sent: BTreeMap::new(),
            received: BTreeSet::new(),
            restored: vec![false; AUTHORS.len()],
            trace: Vec::new(),
            computed: 0,
            reached: Reached::default(),
        }
    }

    fn pick(&mut self, below: usize) -> usize {
        (self.rng.next_u32() as usize) % below.max(1)
    }

    fn chance(&mut self, of_hundred: u32) -> bool {
        self.rng.next_u32() % 100 < of_hundred
    }

    /// Everything that was done, for comparing two runs.
    pub fn trace(&self) -> Vec<u8> {
        self.trace.clone()
    }

    /// One thing happens.
    pub fn step(&mut self) -> Result<(), Violation> {
        let passed = self.pick(12) as i64 - 2;
        self.now = self.now.saturating_add_signed(passed);
        let action = self.pick(100);
        self.trace.push(action as u8);
        match action {
            0..24 => self.write()?,
            24..44 => self.deliver()?,
            44..52 => self.keep(),
            52..56 => self.ask_witnesses(),
            56..60 => {
                let side = self.pick(self.sides.len());
                self.read(side)?;
            }
            60..76 => self.round()?,
            76..81 => self.restart_author(),
            81..84 => self.restore_author(),
            84..89 => self.set_fuse(),
            89..92 => self.restart_keeper(),
            92..94 => self.restore_keeper(),
            94..96 => self.fork(),
            _ => {
                let witness = self.pick(WITNESSES.len());
                self.witnesses[witness].kill();
            }
        }
        for side in 0..self.sides.len() {
            if self.chance(10) {
                let copy = self.sides[side].disk.copy();
                self.sides[side].copies.push(copy);
            }
        }
        Ok(())
    }

    /// A party begins its run, or fills a slot with something that it computes now.
    fn write(&mut self) -> Result<(), Violation> {
        let index = self.pick(self.authors.len());
        let (subject, begins) = (self.pick(4) as u8, self.chance(30));
        self.computed += 1;
        let (now, payload) = (self.now, self.computed.to_le_bytes());
        let mut run = [0; 16];
        self.rng.fill_bytes(&mut run);
        let author = &mut self.authors[index];
        if author.out {
            return Ok(());
        }
        if self.rng.next_u32().is_multiple_of(4) {
            let copy = author.disk.copy();
            author.copies.push(copy);
        }
        let (sent, alive) = match begins {
            true => match author.begin(run, now) {
                Ok(sent) => (sent, Ok(())),
                Err(killed) => (None, Err(killed)),
            },
            false => author.fill(subject, &payload, now),
        };
        if alive.is_err() {
            author.start();
        }
        match sent {
            Some((header, payload)) => {
                self.reached.filled += u64::from(!begins);
                self.send(index, header, payload)
            }
            None => Ok(()),
        }
    }

    /// An entry leaves its author: nobody can take it back.
    fn send(&mut self, author: usize, header: Header, payload: Vec<u8>) -> Result<(), Violation> {
        let slot = (header.author(), header.kind().to_owned(), header.subject().to_vec());
        let first = *self.sent.entry(slot).or_insert(header.digest());
        self.trace.extend_from_slice(&header.to_bytes());
        if first != header.digest() {
            let (kind, subject) = (header.kind().to_owned(), header.subject().to_vec());
            return Err(Violation::TwoInASlot { kind, subject });
        }
        self.network.push(Message::Entry { author, header, payload });
        Ok(())
    }

    /// The network delivers something, and may deliver it again, or lose it.
    fn deliver(&mut self) -> Result<(), Violation> {
        if self.network.is_empty() {
            return Ok(());
        }
        let index = self.pick(self.network.len());
        let message = match self.chance(20) {
            true => self.network[index].clone(),
            false => self.network.swap_remove(index),
        };
        if self.chance(10) {
            return Ok(());
        }
        match message {
            Message::Entry { header, payload, .. } => {
                let side = self.pick(self.sides.len());
                self.sides[side].promise(&header, &payload, self.now);
                if self.sides[side].knows(&header) {
                    self.received.insert(header.digest());
                }
                Ok(())
            }
            Message::Ask { witness, side, signed } => self.witness(witness, side, &signed),
            Message::Line { side, text, line } => {
                self.lines[side].entry(text).or_default().push(line);
                Ok(())
            }
        }
    }

    fn witness(
        &mut self,
        witness: usize,
        side: usize,
        signed: &SignedCheckpoint,
    ) -> Result<(), Violation> {
        let (sides, now, size) = (&self.sides, self.now, signed.checkpoint().size);
        let proof = |old: u64| {
            let leaves = sides[side].leaves();
            (old <= size && size <= leaves.len() as u64)
                .then(|| merkle::consistency_proof(&tree_of(&leaves), old, size).unwrap())
        };
        match self.witnesses[witness].ask(signed, proof, now) {
            Ok(line) => {
                let text = signed.note().text().to_owned();
                self.network.push(Message::Line { side, text, line });
                Ok(())
            }
            Err(Some(evidence)) => self.convicted(&evidence),
            Err(None) => Ok(()),
        }
    }

    /// Somebody has evidence.
    fn convicted(&mut self, evidence: &Evidence) -> Result<(), Violation> {
        evidence.verify().unwrap();
        match self.sides.len() {
            1 => Err(Violation::HonestConvicted(evidence.name())),
            _ => {
                self.reached.convicted += 1;
                Ok(())
            }
        }
    }

    fn keep(&mut self) {
        let side = self.pick(self.sides.len());
        let (limit, heartbeat) = (1 + self.pick(4), self.chance(50));
        if !self.sides[side].is_up() {
            self.start_keeper(side);
        }
        self.sides[side].append(self.now, limit, heartbeat);
    }

    /// The witnesses of a keeper that forks are not asked before it signs.
    fn start_keeper(&mut self, side: usize) -> bool {
        let asked = if self.sides.len() > 1 { &[] } else { &self.witnesses[..] };
        self.sides[side].start(asked)
    }

    fn ask_witnesses(&mut self) {
        let side = self.pick(self.sides.len());
        let Some(signed) = self.sides[side].shown.last().cloned() else { return };
        for witness in 0..WITNESSES.len() {
            if self.chance(70) {
                let signed = signed.clone();
                self.network.push(Message::Ask { witness, side, signed });
            }
        }
    }

    /// What mostly happens: entries arrive, the keeper appends, witnesses cosign, and others read.
    fn round(&mut self) -> Result<(), Violation> {
        let side = self.pick(self.sides.len());
        if !self.sides[side].is_up() {
            self.start_keeper(side);
        }
        for _ in 0..self.pick(3) {
            self.deliver()?;
        }
        let heartbeat = self.chance(50);
        self.sides[side].append(self.now, 8, heartbeat);
        let Some(signed) = self.sides[side].shown.last().cloned() else { return Ok(()) };
        for witness in 0..WITNESSES.len() {
            if self.chance(85) {
                self.witness(witness, side, &signed)?;
            }
        }
        let lines = self.network.extract_if(.., |message| matches!(message, Message::Line { .. }));
        for message in lines.collect::<Vec<_>>() {
            if let Message::Line { side, text, line } = message {
                self.lines[side].entry(text).or_default().push(line);
            }
        }
        self.read(side)
    }

    /// A reader is shown a checkpoint with the lines that came, and parties read it, too.
    fn read(&mut self, side: usize) -> Result<(), Violation> {
        let leaves = self.sides[side].leaves();
        let shown = self.sides[side].shown.clone();
        let cosigned = shown.into_iter().rev().find_map(|mut signed| {
            let lines = self.lines[side].get(signed.note().text())?;
            lines.iter().for_each(|line| signed.add(line.clone()));
            self.quorum.verify(&signed).is_ok().then_some(signed)
        });
        let Some(signed) = cosigned else { return Ok(()) };
        let size = signed.checkpoint().size as usize;
        let Some(leaves) = leaves.get(..size).map(<[Leaf]>::to_vec) else { return Ok(()) };
        for author in &mut self.authors {
            let before = author.out;
            author.read(&leaves);
            self.reached.found_out += u64::from(author.out && !before);
        }
        for (author, restored) in self.authors.iter().zip(&self.restored) {
            if author.out && !restored {
                return Err(Violation::HonestOut);
            }
        }
        let shown = Shown::new(signed, leaves);
        let index = self.pick(self.readers.len());
        if self.mutant == Mutant::ForgetfulReader {
            let accepted = std::mem::take(&mut self.readers[index].accepted);
            self.readers[index] = Reader { accepted, ..reader(&self.quorum) };
        }
        let reader = &mut self.readers[index];
        match reader.follower.follow(&shown) {
            Ok(_) => {
                let new = reader.follower.leaves().to_vec();
                reader.accepted.push(new);
                self.reached.accepted += 1;
                self.same_history()
            }
            Err(FollowError::Convicted(evidence)) => self.convicted(&evidence),
            Err(FollowError::Stale { .. }) => Ok(()),
            Err(error) => panic!("{error:?}"),
        }
    }

    /// Of everything that honest readers accepted, one begins the other, and no reader goes back.
    fn same_history(&self) -> Result<(), Violation> {
        let lengths = |reader: &Reader| reader.accepted.iter().map(Vec::len).collect::<Vec<_>>();
        if self.readers.iter().any(|reader| !lengths(reader).is_sorted()) {
            return Err(Violation::WentBack);
        }
        let all: Vec<_> = self.readers.iter().flat_map(|reader| &reader.accepted).collect();
        let Some(longest) = all.iter().max_by_key(|leaves| leaves.len()) else { return Ok(()) };
        match all.iter().find(|leaves| !longest.starts_with(leaves)) {
            None => Ok(()),
            Some(other) => Err(Violation::TwoHistories { sizes: (other.len(), longest.len()) }),
        }
    }

    fn restart_author(&mut self) {
        let index = self.pick(self.authors.len());
        if self.chance(60) {
            let (left, kept) = (self.pick(3), self.chance(50));
            let mut fuse = self.authors[index].disk.fuse.borrow_mut();
            (fuse.left, fuse.kept) = (Some(left), kept);
            return;
        }
        // What it has stored it hands in again when its run has begun.
        self.authors[index].start();
    }

    /// An old copy: what its process had sent has arrived, or never will, and is as if it had never been.
    /// A keeper that lies could hold it back: against that a party has nothing.
    fn restore_author(&mut self) {
        if self.forks {
            return;
        }
        let index = self.pick(self.authors.len());
        let copies = self.authors[index].copies.len();
        if copies == 0 || self.authors[index].out {
            return;
        }
        self.network.retain(
            |message| !matches!(message, Message::Entry { author, .. } if *author == index),
        );
        let (id, received) = (self.authors[index].identity.id(), &self.received);
        self.sent.retain(|(author, ..), entry| *author != id || received.contains(entry));
        let copy = self.pick(copies);
        let copy = self.authors[index].copies[copy].clone();
        self.restored[index] = true;
        self.authors[index].restore(copy);
    }

    fn set_fuse(&mut self) {
        let side = self.pick(self.sides.len());
        let (left, kept) = (self.pick(5), self.chance(50));
        let mut fuse = self.sides[side].disk.fuse.borrow_mut();
        (fuse.left, fuse.kept) = (Some(left), kept);
    }

    fn restart_keeper(&mut self) {
        let side = self.pick(self.sides.len());
        self.start_keeper(side);
    }

    /// An old copy of the keeper's disk, older than what every witness saw; whoever restores it puts
    /// the true one back when the keeper refuses it.
    fn restore_keeper(&mut self) {
        if self.sides.len() > 1 || self.sides[0].copies.is_empty() {
            return;
        }
        let copy = self.pick(self.sides[0].copies.len());
        let copy = self.sides[0].copies[copy].clone();
        let old = signed_size(&copy);
        let seen = self.witnesses.iter().filter_map(Bystander::seen);
        if !seen.into_iter().any(|seen| seen.checkpoint().size > old) {
            return;
        }
        let latest = self.sides[0].disk.copy();
        *self.sides[0].disk.disk.borrow_mut() = copy;
        if !self.start_keeper(0) {
            self.reached.refused += 1;
            *self.sides[0].disk.disk.borrow_mut() = latest;
            assert!(self.start_keeper(0), "the true disk is refused");
        }
    }

    /// A keeper that lies begins a second history.
    fn fork(&mut self) {
        if !self.forks || self.sides.len() > 1 {
            return;
        }
        let mut other = Keeping::on(self.sides[0].disk.copy(), self.mutant);
        other.shown = self.sides[0].shown.clone();
        other.start(&[]);
        self.sides.push(other);
        self.lines.push(self.lines[0].clone());
    }

    /// What an honest keeper signed convicts it of nothing.
    pub fn judge(&self) -> Result<(), Violation> {
        let [keeper] = &self.sides[..] else { return Ok(()) };
        let (leaves, tree) = (keeper.leaves(), tree_of(&keeper.leaves()));
        for shown in &keeper.shown {
            let log = shown.checkpoint();
            let same =
                log.size <= tree.size() && merkle::root_of(&tree, log.size).unwrap() == log.root;
            if !same {
                return Err(Violation::HonestConvicted("two histories"));
            }
        }
        if !leaves.is_sorted_by_key(|leaf| leaf.time) {
            return Err(Violation::HonestConvicted("backwards"));
        }
        let Some(signed) = keeper.signed() else { return Ok(()) };
        let mut reader = Follower::new(log_key(), None).unwrap();
        reader.follow(&Shown::new(signed, leaves)).unwrap();
        match keeper.promises.iter().any(|promise| reader.withheld(promise).is_some()) {
            true => Err(Violation::HonestConvicted("withholding")),
            false => Ok(()),
        }
    }
}

fn reader(quorum: &Quorum) -> Reader {
    let follower = Follower::new(log_key(), Some(quorum.clone())).unwrap();
    Reader { follower, accepted: Vec::new() }
}

fn signed_size(disk: &super::disk::KeeperDisk) -> u64 {
    let Ok(signed) = log::KeeperStore::signed(&disk.entries);
    signed.map_or(0, |signed| signed.checkpoint().size)
}
