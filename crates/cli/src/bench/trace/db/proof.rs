//! How servers make p_BB and p_BBS+: announcements, one challenge, responses.

use ::trace::{
    MemoryJournal, TraceError,
    db::{
        Announced, Announcement, Committed, Print, SealedResponse, Server, rsm::RsmOpened,
        sm::SmOpened,
    },
};
use rand_chacha::ChaCha20Rng;
use wire::{Decode as _, Digest};

use super::{Bench, Crew, others, reveal};
use crate::bench::trace::{encode_all, report::Who};

/// Opened lists, about which the servers prove something.
pub trait Opened {
    /// The report's name for the proof.
    const BLOCK: &'static str;

    /// A server's announcements.
    fn announce(
        &self,
        server: &Server,
        journal: &MemoryJournal,
    ) -> Result<Committed<Announcement>, TraceError>;

    /// The challenge that all announcements give.
    fn challenge(
        &self,
        commitments: &[Digest],
        announcements: &[Announcement],
    ) -> Result<Announced, TraceError>;

    /// A server's responses.
    fn respond(
        &self,
        server: &Server,
        announced: &Announced,
        journal: &mut MemoryJournal,
        rng: &mut ChaCha20Rng,
    ) -> Result<SealedResponse, TraceError>;
}

/// What the querier gets of a proof.
pub struct Sent {
    /// Of every item's announcements.
    pub prints: Vec<Print>,
    /// Of every server.
    pub responses: Vec<Vec<u8>>,
}

impl Sent {
    /// Bytes of prints and responses.
    pub fn size(&self) -> usize {
        self.prints.as_flattened().len() + self.responses.iter().map(Vec::len).sum::<usize>()
    }
}

impl Bench<'_> {
    /// The block of servers' steps.
    pub(super) fn prove<O: Opened>(
        &mut self,
        parties: &mut Crew,
        opened: &O,
    ) -> Result<Sent, TraceError> {
        let rng = &mut self.rng;
        let Crew { servers, journals, .. } = parties;
        self.report.begin(O::BLOCK);
        let mut committed = Vec::new();
        for (number, (server, journal)) in servers.iter().zip(&*journals).enumerate() {
            let work = || opened.announce(server, journal);
            committed.push(self.report.step_of(number, "commit message", work)?);
        }
        let (commitments, messages, bytes) = reveal(committed)?;
        let announced = self.report.step(Who::Mixer, "challenge", || {
            let announcements = others(&bytes, &messages, 0, Announcement::decode)?;
            opened.challenge(&commitments, &announcements)
        })?;
        let mut responses = Vec::new();
        for (number, (server, journal)) in servers.iter().zip(journals).enumerate() {
            let work = || opened.respond(server, &announced, journal, rng);
            responses.push(self.report.step_of(number, "response message", work)?);
        }
        self.report.end();
        let prints = announced.challenge().prints().to_vec();
        Ok(Sent { prints, responses: encode_all(&responses) })
    }
}

impl Opened for SmOpened {
    const BLOCK: &'static str = "dpk_bbsig_nizkproofs";

    fn announce(
        &self,
        server: &Server,
        journal: &MemoryJournal,
    ) -> Result<Committed<Announcement>, TraceError> {
        server.announce_signatures(self, journal)
    }

    fn challenge(&self, c: &[Digest], a: &[Announcement]) -> Result<Announced, TraceError> {
        Self::challenge(self, c, a)
    }

    fn respond(
        &self,
        server: &Server,
        announced: &Announced,
        journal: &mut MemoryJournal,
        rng: &mut ChaCha20Rng,
    ) -> Result<SealedResponse, TraceError> {
        server.respond_signatures(self, announced, journal, rng)
    }
}

impl Opened for RsmOpened {
    const BLOCK: &'static str = "dpk_bbsplussig_nizkproofs";

    fn announce(
        &self,
        server: &Server,
        journal: &MemoryJournal,
    ) -> Result<Committed<Announcement>, TraceError> {
        server.announce_quasi_signatures(self, journal)
    }

    fn challenge(&self, c: &[Digest], a: &[Announcement]) -> Result<Announced, TraceError> {
        Self::challenge(self, c, a)
    }

    fn respond(
        &self,
        server: &Server,
        announced: &Announced,
        journal: &mut MemoryJournal,
        rng: &mut ChaCha20Rng,
    ) -> Result<SealedResponse, TraceError> {
        server.respond_quasi_signatures(self, announced, journal, rng)
    }
}
