//! A trustee or a mixer: honest, with an outbox, unless the schedule corrupts it.

use std::sync::{Arc, Mutex};

use board::Identity;
use log::{Header, Outbox, OutboxStore};
use rand_chacha::ChaCha20Rng;

use super::{
    keeper::{Keeper, origin},
    setting::Broken,
};
use crate::{
    election::{Clock, Election, Message, Mixer, Party, PartyPolicy, Role, Trustee},
    replay::{Party as _, Protocol as _, SessionError},
    secrets::{MemorySecret, RunSecrets},
};

/// An entry's header and payload.
type Entry = (Header, Vec<u8>);

/// What a member signed: a disk that a backup can be made of.
#[derive(Clone, Default)]
pub(super) struct Disk(Arc<Mutex<Vec<Entry>>>);

impl OutboxStore for Disk {
    type Error = String;

    fn headers(&self) -> Result<Vec<Header>, String> {
        Ok(self.0.lock().unwrap().iter().map(|(header, _)| header.clone()).collect())
    }

    fn payload(&self, header: &Header) -> Result<Option<Vec<u8>>, String> {
        let kept = self.0.lock().unwrap();
        let own = kept.iter().find(|(one, _)| one == header);
        Ok(own.map(|(_, payload)| payload.clone()))
    }

    fn put(&mut self, header: &Header, payload: &[u8]) -> Result<(), String> {
        self.0.lock().unwrap().push((header.clone(), payload.to_vec()));
        Ok(())
    }
}

pub(super) struct Member {
    pub(super) party: Party,
    pub(super) is_corrupt: bool,
    /// The board that it is shown.
    pub(super) side: usize,
    /// It does not sign any more: its copy is older than the log.
    pub(super) is_out: bool,
    /// What is done otherwise than it is written.
    broken: Broken,
    secrets: RunSecrets,
    disk: Disk,
    sitting: Option<(usize, Outbox<Disk>)>,
    mixer: Option<(usize, Mixer)>,
}

/// What a member says.
pub(super) struct Said {
    pub(super) header: Header,
    pub(super) payload: Vec<u8>,
}

impl Member {
    pub(super) fn new(party: Party, seed: [u8; 32], board: wire::Digest, broken: Broken) -> Self {
        let secrets = RunSecrets::new(Identity::from_seed(&seed), board, MemorySecret::default());
        Self {
            party,
            is_corrupt: false,
            side: 0,
            is_out: false,
            broken,
            secrets,
            disk: Disk::default(),
            sitting: None,
            mixer: None,
        }
    }

    pub(super) fn identity(&self) -> &Identity {
        self.secrets.identity()
    }

    /// Is killed, and comes back with what it stored.
    pub(super) fn restart(&mut self) {
        (self.sitting, self.mixer) = (None, None);
        if self.broken == Broken::Forgetful {
            self.disk = Disk::default();
        }
    }

    /// Is killed, and comes back with what it had stored by an earlier time.
    pub(super) fn restore(&mut self, lost: usize) {
        self.restart();
        let mut kept = self.disk.0.lock().unwrap();
        let left = kept.len().saturating_sub(lost);
        kept.truncate(left);
    }

    /// What the board waits for it to say; `None` if that is nothing, or it does not agree.
    pub(super) fn message(
        &mut self,
        board: usize,
        election: &Election,
        clock: &Clock,
        rng: &mut ChaCha20Rng,
    ) -> Option<Message> {
        let policy = PartyPolicy { clock: clock.clone(), ..PartyPolicy::default() };
        let message = match self.party.role {
            Role::Trustee => {
                let trustee = Trustee::new(self.secrets.clone(), election).unwrap();
                let mut trustee = trustee.with_policy(policy);
                let task = trustee.awaited(election)?;
                trustee.perform(task, election, rng)
            }
            _ => {
                if self.mixer.as_ref().is_none_or(|(at, _)| *at != board) {
                    let mixer = Mixer::new(self.secrets.clone(), election).unwrap();
                    self.mixer = Some((board, mixer.with_policy(policy).with_parts(1500)));
                }
                let (_, mixer) = self.mixer.as_mut()?;
                let task = mixer.awaited(election)?;
                mixer.perform(task, election, rng)
            }
        };
        match message {
            Ok(message) => Some(message),
            Err(SessionError::Party(_)) => None,
            Err(error) => panic!("{}: {error}", self.party),
        }
    }

    /// Signs a message by its outbox; what it said in this slot before, if it said anything.
    pub(super) fn sign(
        &mut self,
        (board, keeper): (usize, &Keeper),
        message: &Message,
        election: &Election,
        time: u64,
    ) -> Option<Said> {
        let (kind, payload) = Election::entry_of(message);
        let subject = election.subject(message);
        if self.is_corrupt {
            let slot = (kind.as_str(), subject.as_slice());
            let header = Header::sign(self.identity(), &origin(), slot, time, &payload).unwrap();
            return Some(Said { header, payload });
        }
        self.sit_down(board, keeper, time);
        let (_, outbox) = self.sitting.as_mut()?;
        let from = outbox.seen();
        let leaves = keeper.leaves_from(from);
        if outbox.compare(from, &leaves).is_err() {
            self.is_out = true;
            return None;
        }
        let slot = (kind.as_str(), subject.as_slice());
        let header = outbox.fill(self.secrets.identity(), slot, time, &payload).unwrap();
        let payload = outbox.payload(&header).unwrap();
        Some(Said { header, payload })
    }

    fn sit_down(&mut self, board: usize, keeper: &Keeper, time: u64) {
        if self.sitting.as_ref().is_some_and(|(at, _)| *at == board) {
            return;
        }
        if self.broken == Broken::Forgetful {
            self.disk = Disk::default();
        }
        let identity = self.secrets.identity();
        let mut outbox = Outbox::open(self.disk.clone(), identity.id(), origin()).unwrap();
        // Its place in the log is drawn as well as any.
        let mut run = [0; 16];
        run[..8].copy_from_slice(&(keeper.leaves_from(0).len() as u64).to_le_bytes());
        run[8..].copy_from_slice(&(self.disk.0.lock().unwrap().len() as u64).to_le_bytes());
        let opening = outbox.begin(identity, run, time).unwrap();
        keeper.append(time, &opening, &[]);
        self.sitting = Some((board, outbox));
    }
}
