//! A party that writes: it computes something else every time it is asked, and signs it once.

use log::{Header, Identity, Leaf, Outbox, OutboxError, outbox::RUN};

use super::{
    Mutant,
    disk::{Fuse, Killed, PartyDisk, Shared},
    world::origin,
};

pub struct Author {
    pub identity: Identity,
    pub disk: Shared<PartyDisk>,
    /// Copies of the disk, with how many leaves the party had seen.
    pub copies: Vec<PartyDisk>,
    outbox: Outbox<Shared<PartyDisk>>,
    /// What the party knows of the log in this run.
    seen: u64,
    /// It found out that its state was restored.
    pub out: bool,
    pretended: bool,
    mutant: Mutant,
}

impl Author {
    pub fn new(seed: u8, mutant: Mutant) -> Self {
        let identity = Identity::from_seed(&[seed; 32]);
        let disk = Shared::new(PartyDisk::default(), mutant);
        let outbox = Outbox::open(disk.clone(), identity.id(), origin()).unwrap();
        Self {
            identity,
            disk,
            copies: Vec::new(),
            outbox,
            seen: 0,
            out: false,
            pretended: false,
            mutant,
        }
    }

    /// Begins the process anew, on what is on the disk.
    pub fn start(&mut self) {
        *self.disk.fuse.borrow_mut() = Fuse::default();
        if self.mutant == Mutant::SignAgain {
            // Nothing but the runs is kept.
            self.disk.disk.borrow_mut().0.retain(|(header, _)| header.kind() == RUN);
        }
        self.outbox = Outbox::open(self.disk.clone(), self.identity.id(), origin()).unwrap();
        (self.seen, self.pretended) = (0, false);
    }

    /// Puts an old copy on the disk.
    pub fn restore(&mut self, copy: PartyDisk) {
        *self.disk.disk.borrow_mut() = copy;
        self.start();
    }

    /// Reads the log.
    pub fn read(&mut self, leaves: &[Leaf]) {
        let new = leaves.get(self.seen as usize..).unwrap_or_default();
        if matches!(self.mutant, Mutant::NoCompare | Mutant::SignAgain) {
            // Its own entries that it does not know are none of its business.
            for (index, leaf) in (self.seen..).zip(new) {
                let skipped = Leaf { time: 0, header: tick_of_nobody() };
                let leaf = if self.knows(&leaf.header) { leaf } else { &skipped };
                self.outbox.compare(index, std::slice::from_ref(leaf)).unwrap();
            }
        } else if let Err(error) = self.outbox.compare(self.seen, new) {
            assert!(matches!(error, OutboxError::Restored { .. }));
            self.out = true;
        }
        self.seen += new.len() as u64;
    }

    /// Whether an entry is somebody else's, or in the outbox.
    fn knows(&self, header: &Header) -> bool {
        header.author() != self.identity.id()
            || self.outbox.filled(header.kind(), header.subject()) == Some(header)
    }

    /// The entry that begins the run.
    pub fn begin(&mut self, run: [u8; 16], now: u64) -> Result<Option<(Header, Vec<u8>)>, Killed> {
        match self.outbox.begin(&self.identity, run, now) {
            Ok(header) => Ok(Some((header, Vec::new()))),
            Err(OutboxError::Store(killed)) => Err(killed),
            Err(_) => Ok(None),
        }
    }

    /// Fills a slot with what is computed now; a mutant hands out what it has not stored.
    pub fn fill(
        &mut self,
        subject: u8,
        payload: &[u8],
        now: u64,
    ) -> (Option<(Header, Vec<u8>)>, Result<(), Killed>) {
        let name = ("test/entry", [subject]);
        let name = (name.0, name.1.as_slice());
        if self.mutant == Mutant::NoBegin && !self.out {
            // As if this run's first entry were in the log.
            self.pretend(payload, now);
        }
        let before = self.outbox.filled(name.0, name.1).is_some();
        match self.outbox.fill(&self.identity, name, now, payload) {
            Ok(header) => {
                let payload = self.outbox.payload(&header).unwrap();
                (Some((header, payload)), Ok(()))
            }
            Err(OutboxError::Store(killed)) => {
                let sent = (self.mutant == Mutant::SendBeforeStore && !before).then(|| {
                    let header =
                        Header::sign(&self.identity, &origin(), name, now, payload).unwrap();
                    (header, payload.to_vec())
                });
                (sent, Err(killed))
            }
            Err(_) => (None, Ok(())),
        }
    }

    fn pretend(&mut self, payload: &[u8], now: u64) {
        if self.pretended {
            return;
        }
        let mut run = [0; 16];
        run[..payload.len()].copy_from_slice(payload);
        let Ok(Some((header, _))) = self.begin(run, now) else { return };
        self.pretended = true;
        self.outbox.compare(self.outbox.seen(), &[Leaf { time: now, header }]).unwrap();
    }
}

/// A leaf of somebody else.
fn tick_of_nobody() -> Header {
    Header::tick(&Identity::from_seed(&[99; 32]), &origin(), 0).unwrap()
}
