//! How servers make p_BB and p_BBS+: announcements, one challenge, responses.

use ::trace::{MemoryJournal, TraceError};
use rand_chacha::ChaCha20Rng;
use trace_db::{
    Announced, Announcement, Committed, Print, SealedResponse, Server, rsm::RsmOpened, sm::SmOpened,
};
use wire::{Decode as _, Digest};

use super::{Bench, Crew, others, reveal};
use crate::bench::trace::{parties::encode_all, report::Who};

/// A server's announcements.
type Announce<O> = fn(
    &Server,
    &O,
    &mut MemoryJournal,
    &mut ChaCha20Rng,
) -> Result<Committed<Announcement>, TraceError>;
/// The challenge that all announcements give.
type Challenge<O> = fn(&O, &[Digest], &[Announcement]) -> Result<Announced, TraceError>;
/// A server's responses.
type Respond<O> = fn(
    &Server,
    &O,
    &Announced,
    &mut MemoryJournal,
    &mut ChaCha20Rng,
) -> Result<SealedResponse, TraceError>;

/// A proof that servers make about opened lists.
pub struct Steps<O> {
    /// The report's name for the proof.
    block: &'static str,
    announce: Announce<O>,
    challenge: Challenge<O>,
    respond: Respond<O>,
}

/// p_BB.
pub const SIGNATURES: Steps<SmOpened> = Steps {
    block: "dpk_bbsig_nizkproofs",
    announce: Server::announce_signatures,
    challenge: SmOpened::challenge,
    respond: Server::respond_signatures,
};

/// p_BBS+.
pub const QUASI_SIGNATURES: Steps<RsmOpened> = Steps {
    block: "dpk_bbsplussig_nizkproofs",
    announce: Server::announce_quasi_signatures,
    challenge: RsmOpened::challenge,
    respond: Server::respond_quasi_signatures,
};

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
    pub(super) fn prove<O>(
        &mut self,
        parties: &mut Crew,
        steps: &Steps<O>,
        opened: &O,
    ) -> Result<Sent, TraceError> {
        let rng = &mut self.rng;
        let Crew { servers, journals, .. } = parties;
        self.report.begin(steps.block);
        let announce =
            |server: &mut _, journal: &mut _| (steps.announce)(server, opened, journal, rng);
        let committed = self.report.step_of_all("commit message", servers, journals, announce)?;
        let (commitments, messages, bytes) = reveal(committed)?;
        let announced = self.report.step(Who::Mixer, "challenge", || {
            let announcements = others(&bytes, &messages, 0, Announcement::decode)?;
            (steps.challenge)(opened, &commitments, &announcements)
        })?;
        let respond = |server: &mut _, journal: &mut _| {
            (steps.respond)(server, opened, &announced, journal, rng)
        };
        let responses = self.report.step_of_all("response message", servers, journals, respond)?;
        self.report.end();
        let prints = announced.challenge().prints().to_vec();
        Ok(Sent { prints, responses: encode_all(&responses) })
    }
}
