//! One pass as it goes on: what was said, verified, and who is waited for.

use std::collections::BTreeMap;

use board::{AuthorId, Identity};
use rand_core::CryptoRng;
use shuffle::decrypt::PartialDecryption;
use wire::Digest;

use super::{
    Announced, Announcement, Pass, SealedResponse,
    bases::G1,
    offer::Offer,
    part::{Part, Step},
    relation::Relation,
    rsm::{
        RsmAgreed, RsmBlinded, RsmFakes, RsmOpened, RsmPartial, RsmQuery, RsmRouted, RsmStart,
        RsmTurn, deal,
    },
    sm::{SmAgreed, SmBlinded, SmBlinding, SmOpened, SmQuery, SmRouted},
};
use trace::{Agreement, Direction, TraceError, routed::Turn};

/// What stands for the dealer where servers are counted from 1.
pub const DEALER: u16 = 0;

/// One message of each server.
pub(super) type Each<T> = BTreeMap<u16, T>;

/// A pass, from the querier's signatures to the responses. Every message is verified when it is
/// taken, or, where proofs are verified as one batch, with the last of its step.
pub(super) struct Progress {
    pass: Pass,
    dealer: Option<AuthorId>,
    pub(super) stage: Stage,
}

/// What a pass waits for, with everything verified that came before.
pub(super) enum Stage {
    SmTurns(SmQuery, Vec<Turn<G1>>),
    SmCommitments(SmRouted, Each<Digest>),
    SmBlindings(SmRouted, Vec<Digest>, Each<SmBlinding>),
    SmSignatures(SmBlinded, Each<[u8; 64]>),
    SmShares(SmAgreed, Each<PartialDecryption<G1>>),
    SmProof(Box<Proving<SmOpened>>),
    RsmFakes(RsmQuery, Each<RsmFakes>),
    RsmTurns(RsmStart, Vec<RsmTurn>),
    RsmDealing(RsmRouted),
    RsmSignatures(RsmBlinded, Each<[u8; 64]>),
    RsmShares(RsmAgreed, Each<RsmPartial>),
    RsmProof(Box<Proving<RsmOpened>>),
}

/// Opened lists, about which p_BB or p_BBS+ is made.
pub(super) trait Opened {
    type Statement: Relation + Clone;

    fn statement(&self) -> &Self::Statement;

    fn challenge(
        &self,
        commitments: &[Digest],
        announcements: &[Announcement],
    ) -> Result<Announced, TraceError>;
}

impl Opened for SmOpened {
    type Statement = super::sm::SmStatement;

    fn statement(&self) -> &Self::Statement {
        Self::statement(self)
    }

    fn challenge(&self, c: &[Digest], a: &[Announcement]) -> Result<Announced, TraceError> {
        Self::challenge(self, c, a)
    }
}

impl Opened for RsmOpened {
    type Statement = super::rsm::RsmStatement;

    fn statement(&self) -> &Self::Statement {
        Self::statement(self)
    }

    fn challenge(&self, c: &[Digest], a: &[Announcement]) -> Result<Announced, TraceError> {
        Self::challenge(self, c, a)
    }
}

/// A distributed proof in the making.
pub(super) struct Proving<O> {
    pub(super) opened: O,
    pub(super) said: Proven,
}

/// How far a distributed proof is.
pub(super) enum Proven {
    Commitments(Each<Digest>),
    Announcements(Vec<Digest>, Each<Announcement>),
    Responses(Announced, Each<SealedResponse>),
}

impl Progress {
    /// Verifies the querier's signatures. `dealer` is whose blindings a pass that goes out takes.
    pub(super) fn new(
        pass: Pass,
        offer: Offer,
        dealer: Option<AuthorId>,
    ) -> Result<Self, TraceError> {
        let stage = match offer {
            Offer::In(offer) => Stage::SmTurns(SmQuery::verify(pass.clone(), offer)?, Vec::new()),
            Offer::Out(_) if dealer.is_none() => {
                return Err(TraceError::Query("this session has no dealer: queries go in only"));
            }
            Offer::Out(offer) => {
                Stage::RsmFakes(RsmQuery::verify(pass.clone(), offer)?, Each::new())
            }
        };
        Ok(Self { pass, dealer, stage })
    }

    pub(super) fn pass(&self) -> &Pass {
        &self.pass
    }

    fn servers(&self) -> usize {
        self.pass.outputs().session().servers()
    }

    pub(super) fn step(&self) -> Step {
        match &self.stage {
            Stage::RsmFakes(..) => Step::Fakes,
            Stage::SmTurns(..) | Stage::RsmTurns(..) => Step::Turn,
            Stage::SmCommitments(..) => Step::BlindingCommitment,
            Stage::SmBlindings(..) => Step::Blinding,
            Stage::RsmDealing(_) => Step::Dealing,
            Stage::SmSignatures(..) | Stage::RsmSignatures(..) => Step::Signature,
            Stage::SmShares(..) | Stage::RsmShares(..) => Step::Share,
            Stage::SmProof(proving) => proving.said.step(),
            Stage::RsmProof(proving) => proving.said.step(),
        }
    }

    /// Whether a server, or the dealer, is waited for in this step.
    pub(super) fn awaits(&self, server: u16) -> bool {
        let servers = self.servers();
        if server == DEALER || usize::from(server) > servers {
            return server == DEALER && matches!(self.stage, Stage::RsmDealing(_));
        }
        match &self.stage {
            Stage::SmTurns(_, turns) => turns.len() + usize::from(server) == servers,
            Stage::RsmTurns(_, turns) => turns.len() + 1 == usize::from(server),
            Stage::RsmDealing(_) => false,
            Stage::SmCommitments(_, each) => !each.contains_key(&server),
            Stage::SmBlindings(_, _, each) => !each.contains_key(&server),
            Stage::SmSignatures(_, each) | Stage::RsmSignatures(_, each) => {
                !each.contains_key(&server)
            }
            Stage::SmShares(_, each) => !each.contains_key(&server),
            Stage::RsmFakes(_, each) => !each.contains_key(&server),
            Stage::RsmShares(_, each) => !each.contains_key(&server),
            Stage::SmProof(proving) => proving.said.awaits(server),
            Stage::RsmProof(proving) => proving.said.awaits(server),
        }
    }

    /// Takes what a party that is waited for says.
    ///
    /// # Errors
    /// What is wrong with the step, naming the party where it is one's doing.
    pub(super) fn take(self, server: u16, part: Part) -> Result<Self, TraceError> {
        let (said, servers) = ((server, part), self.servers());
        let Self { pass, dealer, stage } = self;
        let stage = match pass.request().direction {
            Direction::In => take_inward(stage, said, servers)?,
            Direction::Out => take_outward(stage, said, servers, dealer.as_ref())?,
        };
        Ok(Self { pass, dealer, stage })
    }

    /// The dealer's message, if it is waited for.
    pub(super) fn deal(
        &self,
        dealer: &Identity,
        rng: &mut impl CryptoRng,
    ) -> Result<Part, TraceError> {
        match &self.stage {
            Stage::RsmDealing(routed) => deal(routed, dealer, rng).map(Part::Dealing),
            _ => Err(out_of_place()),
        }
    }
}

/// The steps of DB-SM.
fn take_inward(
    stage: Stage,
    (server, part): (u16, Part),
    servers: usize,
) -> Result<Stage, TraceError> {
    Ok(match (stage, part) {
        (Stage::SmTurns(query, mut turns), Part::SmTurn(turn)) => {
            turns.push(turn);
            query.verify_turns(&turns)?;
            match turns.len() < servers {
                true => Stage::SmTurns(query, turns),
                false => Stage::SmCommitments(SmRouted::verify(query, &turns)?, Each::new()),
            }
        }
        (Stage::SmCommitments(routed, each), Part::BlindingCommitment(digest)) => {
            match gather(each, (server, digest), servers) {
                Err(each) => Stage::SmCommitments(routed, each),
                Ok(all) => Stage::SmBlindings(routed, all, Each::new()),
            }
        }
        (Stage::SmBlindings(routed, commitments, each), Part::Blinding(blinding)) => {
            match gather(each, (server, blinding), servers) {
                Err(each) => Stage::SmBlindings(routed, commitments, each),
                Ok(all) => {
                    let blinded = SmBlinded::verify(routed, &commitments, &all)?;
                    Stage::SmSignatures(blinded, Each::new())
                }
            }
        }
        (Stage::SmSignatures(blinded, each), Part::Signature(signature)) => {
            match gather(each, (server, signature), servers) {
                Err(each) => Stage::SmSignatures(blinded, each),
                Ok(all) => {
                    let agreed = SmAgreed::verify(blinded, &Agreement::new(all))?;
                    Stage::SmShares(agreed, Each::new())
                }
            }
        }
        (Stage::SmShares(agreed, each), Part::SmShare(share)) => {
            require_own(server, share.trustee())?;
            match gather(each, (server, share), servers) {
                Err(each) => Stage::SmShares(agreed, each),
                Ok(all) => Stage::SmProof(Proving::new(SmOpened::open(agreed, all)?)),
            }
        }
        (Stage::SmProof(proving), part) => {
            Stage::SmProof(Box::new(proving.take(server, part, servers)?))
        }
        _ => return Err(out_of_place()),
    })
}

/// The steps of DB-RSM.
fn take_outward(
    stage: Stage,
    (server, part): (u16, Part),
    servers: usize,
    dealer: Option<&AuthorId>,
) -> Result<Stage, TraceError> {
    Ok(match (stage, part) {
        (Stage::RsmFakes(query, each), Part::Fakes(fakes)) => {
            match gather(each, (server, fakes), servers) {
                Err(each) => Stage::RsmFakes(query, each),
                Ok(all) => Stage::RsmTurns(RsmStart::verify(query, &all)?, Vec::new()),
            }
        }
        (Stage::RsmTurns(start, mut turns), Part::RsmTurn(turn)) => {
            turns.push(turn);
            start.verify_turns(&turns)?;
            match turns.len() < servers {
                true => Stage::RsmTurns(start, turns),
                false => Stage::RsmDealing(RsmRouted::verify(start, turns)?),
            }
        }
        (Stage::RsmDealing(routed), Part::Dealing(dealing)) => {
            let dealer = dealer.ok_or_else(out_of_place)?;
            Stage::RsmSignatures(RsmBlinded::verify(routed, dealer, dealing)?, Each::new())
        }
        (Stage::RsmSignatures(blinded, each), Part::Signature(signature)) => {
            match gather(each, (server, signature), servers) {
                Err(each) => Stage::RsmSignatures(blinded, each),
                Ok(all) => {
                    let agreed = RsmAgreed::verify(blinded, &Agreement::new(all))?;
                    Stage::RsmShares(agreed, Each::new())
                }
            }
        }
        (Stage::RsmShares(agreed, each), Part::RsmShare(share)) => {
            require_own(server, share.points.trustee())?;
            require_own(server, share.integers.server())?;
            match gather(each, (server, share), servers) {
                Err(each) => Stage::RsmShares(agreed, each),
                Ok(all) => Stage::RsmProof(Proving::new(RsmOpened::open(agreed, all)?)),
            }
        }
        (Stage::RsmProof(proving), part) => {
            Stage::RsmProof(Box::new(proving.take(server, part, servers)?))
        }
        _ => return Err(out_of_place()),
    })
}

impl<O: Opened> Proving<O> {
    fn new(opened: O) -> Box<Self> {
        Box::new(Self { opened, said: Proven::Commitments(Each::new()) })
    }

    fn take(self, server: u16, part: Part, servers: usize) -> Result<Self, TraceError> {
        let Self { opened, said } = self;
        let said = match (said, part) {
            (Proven::Commitments(each), Part::Commitment(digest)) => {
                match gather(each, (server, digest), servers) {
                    Err(each) => Proven::Commitments(each),
                    Ok(all) => Proven::Announcements(all, Each::new()),
                }
            }
            (Proven::Announcements(commitments, each), Part::Announcement(announcement)) => {
                match gather(each, (server, announcement), servers) {
                    Err(each) => Proven::Announcements(commitments, each),
                    Ok(all) => {
                        Proven::Responses(opened.challenge(&commitments, &all)?, Each::new())
                    }
                }
            }
            (Proven::Responses(announced, mut each), Part::Response(response)) => {
                each.insert(server, response);
                Proven::Responses(announced, each)
            }
            _ => return Err(out_of_place()),
        };
        Ok(Self { opened, said })
    }
}

impl Proven {
    fn step(&self) -> Step {
        match self {
            Self::Commitments(_) => Step::Commitment,
            Self::Announcements(..) => Step::Announcement,
            Self::Responses(..) => Step::Response,
        }
    }

    fn awaits(&self, server: u16) -> bool {
        match self {
            Self::Commitments(each) => !each.contains_key(&server),
            Self::Announcements(_, each) => !each.contains_key(&server),
            Self::Responses(_, each) => !each.contains_key(&server),
        }
    }
}

/// Adds a server's message; all of them in order once they are all there.
fn gather<T>(
    mut each: Each<T>,
    (server, item): (u16, T),
    servers: usize,
) -> Result<Vec<T>, Each<T>> {
    each.insert(server, item);
    match each.len() < servers {
        true => Err(each),
        false => Ok(each.into_values().collect()),
    }
}

fn require_own(server: u16, named: u16) -> Result<(), TraceError> {
    match server == named {
        true => Ok(()),
        false => Err(TraceError::step("decryption", server, "it is the part of another server")),
    }
}

pub(super) fn out_of_place() -> TraceError {
    TraceError::Query("nobody waits for this")
}
