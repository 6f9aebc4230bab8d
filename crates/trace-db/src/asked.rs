//! A query as it goes on: both of its passes, step by step together.

use std::{collections::HashMap, sync::Arc};

use board::{AuthorId, Identity};
use rand_core::CryptoRng;
use wire::Digest;

use super::{
    Announcement, Committed, Outputs, Pass, Server, Side,
    bases::G1,
    offer::Offer,
    part::{Part, Step},
    progress::{Progress, Proven, Stage, out_of_place},
    sm::SmBlinding,
};
use trace::{Journal, Query, TraceError};

/// What one party said in one step: in the pass over the asked set, and in that over its
/// complement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The server, counted from 1; [`DEALER`](super::DEALER) for the dealer.
    pub party: u16,
    /// For both sides.
    pub parts: [Part; 2],
}

/// A query with everything that was said about it, all verified.
pub struct Asked {
    query: Query<G1>,
    offers: [Offer; 2],
    sides: [Progress; 2],
    said: Vec<Said>,
}

impl Asked {
    /// Verifies the request and the querier's signatures for both passes. `dealer` is the
    /// session's, if it has one.
    ///
    /// # Errors
    /// [`TraceError::Offer`], [`TraceError::Query`], [`TraceError::ForeignRequest`],
    /// [`TraceError::IndexRange`], [`TraceError::RequestSignature`].
    pub fn new(
        outputs: &Arc<Outputs>,
        query: Query<G1>,
        offers: [Offer; 2],
        dealer: Option<&AuthorId>,
    ) -> Result<Self, TraceError> {
        let [first, second] = &offers;
        // Servers would hold valid signatures on everything.
        if first.key() == second.key() {
            return Err(TraceError::Query("both passes have the same key"));
        }
        let side = |side, offer: &Offer| {
            let pass = Pass::new(outputs.clone(), query.clone(), side)?;
            Progress::new(pass, offer.clone(), dealer.copied())
        };
        let [asked, complement] = Side::BOTH;
        let sides = [side(asked, first)?, side(complement, second)?];
        Ok(Self { query, offers, sides, said: Vec::new() })
    }

    /// What is asked.
    pub fn query(&self) -> &Query<G1> {
        &self.query
    }

    /// The querier's signatures.
    pub fn offers(&self) -> &[Offer; 2] {
        &self.offers
    }

    pub(super) fn sides(&self) -> &[Progress; 2] {
        &self.sides
    }

    /// What was said up to the opening of the blinded lists, in order.
    pub(super) fn said(&self) -> &[Said] {
        &self.said
    }

    /// Which step the query is at.
    pub fn step(&self) -> Step {
        let [first, _] = &self.sides;
        first.step()
    }

    /// Whether all servers have signed it: what follows can reach the querier.
    pub fn is_agreed(&self) -> bool {
        self.step() > Step::Signature
    }

    /// Whether all servers have responded.
    pub fn is_answered(&self) -> bool {
        let servers = 1..=self.outputs().session().servers() as u16;
        self.step() == Step::Response && servers.into_iter().all(|server| !self.awaits(server))
    }

    /// The mix that it is about.
    pub fn outputs(&self) -> &Arc<Outputs> {
        let [first, _] = &self.sides;
        first.pass().outputs()
    }

    /// Whether a server, counted from 1, or the [`DEALER`](super::DEALER) is waited for in this
    /// step. Turns have an order; in all other steps servers work side by side.
    pub fn awaits(&self, party: u16) -> bool {
        let [first, _] = &self.sides;
        first.awaits(party)
    }

    /// Takes what a party says.
    ///
    /// # Errors
    /// [`TraceError::Query`] if it is not waited for; else what is wrong with the step, naming the
    /// party where it is one's doing: the query fails.
    pub fn take(self, said: Said) -> Result<Self, TraceError> {
        let Said { party, parts } = &said;
        if !self.awaits(*party) || parts.iter().any(|part| part.step() != self.step()) {
            return Err(out_of_place());
        }
        let Self { query, offers, sides: [first, second], said: mut all } = self;
        if is_recorded(&said) {
            all.push(said.clone());
        }
        let Said { party, parts: [asked, complement] } = said;
        let sides = [first.take(party, asked)?, second.take(party, complement)?];
        Ok(Self { query, offers, sides, said: all })
    }

    /// What the dealer says, if it is waited for. Fresh whenever it is called.
    ///
    /// # Errors
    /// [`TraceError::Query`] if it is not waited for; [`TraceError::Engine`],
    /// [`TraceError::Sealing`].
    pub fn deal(
        &self,
        dealer: &Identity,
        rng: &mut impl CryptoRng,
    ) -> Result<[Part; 2], TraceError> {
        let [first, second] = &self.sides;
        Ok([first.deal(dealer, rng)?, second.deal(dealer, rng)?])
    }
}

/// Whether a record of the query has it: of the proofs it has sums.
fn is_recorded(said: &Said) -> bool {
    let [first, _] = &said.parts;
    first.step() <= Step::Share
}

/// A server with what it has committed to and not yet shown. A restarted one computes it again.
pub struct Worker {
    server: Server,
    blindings: HashMap<Digest, Committed<SmBlinding>>,
    announcements: HashMap<Digest, Committed<Announcement>>,
}

impl Worker {
    /// Takes up a server's work.
    pub fn new(server: Server) -> Self {
        Self { server, blindings: HashMap::new(), announcements: HashMap::new() }
    }

    /// The server.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// The server, for what it does before there are queries.
    pub fn server_mut(&mut self) -> &mut Server {
        &mut self.server
    }

    /// What the server says when a query waits for it.
    ///
    /// # Errors
    /// Those of the step, such as [`TraceError::Policy`], [`TraceError::Committed`],
    /// [`TraceError::Dealing`] and [`TraceError::Journal`].
    pub fn answer(
        &mut self,
        asked: &Asked,
        journal: &mut impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<[Part; 2], TraceError> {
        let [first, second] = asked.sides();
        Ok([self.answer_side(first, journal, rng)?, self.answer_side(second, journal, rng)?])
    }

    fn answer_side(
        &mut self,
        side: &Progress,
        journal: &mut impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<Part, TraceError> {
        let server = &mut self.server;
        Ok(match &side.stage {
            Stage::SmTurns(query, turns) => {
                Part::SmTurn(server.pass_signatures_on(query, turns, journal, rng)?)
            }
            Stage::SmCommitments(routed, _) => {
                let committed = server.blind_signatures(routed, journal, rng)?;
                let digest = *committed.commitment();
                self.blindings.insert(digest, committed);
                Part::BlindingCommitment(digest)
            }
            Stage::SmBlindings(routed, commitments, _) => {
                let committed = match held(&mut self.blindings, server, commitments) {
                    Some(committed) => committed,
                    None => server.blind_signatures(routed, journal, rng)?,
                };
                Part::Blinding(committed.reveal(commitments)?)
            }
            Stage::SmSignatures(blinded, _) => {
                Part::Signature(server.sign_signatures(blinded, journal)?)
            }
            Stage::SmShares(agreed, _) => {
                Part::SmShare(server.decrypt_signatures(agreed, journal, rng)?)
            }
            Stage::RsmFakes(query, _) => Part::Fakes(server.hide_unsigned(query, journal, rng)?),
            Stage::RsmTurns(start, turns) => {
                Part::RsmTurn(server.pass_quasi_signatures_on(start, turns, journal, rng)?)
            }
            Stage::RsmDealing(_) => return Err(out_of_place()),
            Stage::RsmSignatures(blinded, _) => {
                Part::Signature(server.sign_quasi_signatures(blinded, journal)?)
            }
            Stage::RsmShares(agreed, _) => {
                Part::RsmShare(server.decrypt_quasi_signatures(agreed, journal, rng)?)
            }
            Stage::SmProof(proving) => match &proving.said {
                Proven::Responses(announced, _) => Part::Response(server.respond_signatures(
                    &proving.opened,
                    announced,
                    journal,
                    rng,
                )?),
                said => {
                    let announce =
                        |server: &Server| server.announce_signatures(&proving.opened, journal, rng);
                    self.announce(said, announce)?
                }
            },
            Stage::RsmProof(proving) => match &proving.said {
                Proven::Responses(announced, _) => Part::Response(
                    server.respond_quasi_signatures(&proving.opened, announced, journal, rng)?,
                ),
                said => {
                    let announce = |server: &Server| {
                        server.announce_quasi_signatures(&proving.opened, journal, rng)
                    };
                    self.announce(said, announce)?
                }
            },
        })
    }

    /// The commitment to an announcement, and when all are in, the announcement.
    fn announce(
        &mut self,
        said: &Proven,
        make: impl FnOnce(&Server) -> Result<Committed<Announcement>, TraceError>,
    ) -> Result<Part, TraceError> {
        match said {
            Proven::Commitments(_) => {
                let committed = make(&self.server)?;
                let digest = *committed.commitment();
                self.announcements.insert(digest, committed);
                Ok(Part::Commitment(digest))
            }
            Proven::Announcements(commitments, _) => {
                let committed = match held(&mut self.announcements, &self.server, commitments) {
                    Some(committed) => committed,
                    None => make(&self.server)?,
                };
                Ok(Part::Announcement(committed.reveal(commitments)?))
            }
            Proven::Responses(..) => Err(out_of_place()),
        }
    }
}

/// What the server committed to before it was restarted, if it was not.
fn held<M>(
    held: &mut HashMap<Digest, Committed<M>>,
    server: &Server,
    commitments: &[Digest],
) -> Option<Committed<M>> {
    let own = commitments.get(usize::from(server.number()).saturating_sub(1))?;
    held.remove(own)
}
