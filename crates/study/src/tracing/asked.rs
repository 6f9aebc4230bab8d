//! A query on its way: markers, blinded sums, signatures, shares.

use std::{collections::BTreeMap, fmt, sync::Arc};

use trace::{
    Agreement, Direction, Query, TraceError,
    routed::{Agreed, Blinded, Blinding, Complaint, Ground, Pass, Routed, SealedShare, Turn},
};

use super::{G, Message, Task};

/// How far a query is.
pub enum Step {
    /// Markers pass the servers.
    Routing(Vec<Turn<G>>),
    /// The servers blind, in order.
    Blinding(Box<Routed<G>>, Vec<Blinding<G>>),
    /// The servers sign, in order.
    Signing(Box<Blinded<G>>, Vec<[u8; 64]>),
    /// The servers send shares, by request and server.
    Agreed(Box<Agreed<G>>, BTreeMap<(u32, u16), SealedShare<G>>),
    /// Refused or spoiled; why, and by whose doing.
    Failed(Failed),
}

/// Why a query came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    /// A server would not answer it: its policy says no, or it cannot.
    Refused {
        /// The server.
        server: u16,
        /// What it says.
        reason: String,
    },
    /// Somebody said what is not true; who, and what.
    Spoiled(String),
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { server, reason } => write!(f, "refused by server {server}: {reason}"),
            Self::Spoiled(reason) => f.write_str(reason),
        }
    }
}

/// A query on the board.
pub struct Asked {
    /// What is asked.
    pub query: Query<G>,
    /// How far it is.
    pub step: Step,
    /// Complaints that hold, by request and accused server: what each did.
    pub complaints: BTreeMap<(u32, u16), TraceError>,
}

impl Asked {
    /// Judges a complaint about a share that is on the board, as everybody does who reads it.
    pub(super) fn complain(&mut self, complaint: &Complaint<G>) -> Result<(), String> {
        let Step::Agreed(agreed, shares) = &self.step else {
            return Err("there are no shares of this query".into());
        };
        let place = (complaint.request(), complaint.share().server);
        if shares.get(&place) != Some(complaint.share()) {
            return Err("the message complained about is not on the board".into());
        }
        let fault = complaint.judge(agreed).map_err(|error| error.to_string())?;
        match self.complaints.insert(place, fault) {
            None => Ok(()),
            Some(_) => Err("somebody complained about this before".into()),
        }
    }

    pub(super) fn awaited(&self, ground: &Ground<G>, server: u16) -> Option<Task> {
        let id = *self.query.id();
        let next = |done: usize| done + 1 == usize::from(server);
        match &self.step {
            Step::Routing(turns) => {
                let is_next = match self.query.direction() {
                    Direction::Out => next(turns.len()),
                    Direction::In => ground.mixers() == turns.len() + usize::from(server),
                };
                is_next.then_some(Task::Pass(id))
            }
            Step::Blinding(_, blindings) => next(blindings.len()).then_some(Task::Blind(id)),
            Step::Signing(_, signatures) => next(signatures.len()).then_some(Task::SignQuery(id)),
            Step::Agreed(..) => {
                let requests = 0..self.query.requests().len() as u32;
                let lacking = requests.into_iter().find(|r| self.lacks_share(ground, *r, server));
                lacking.map(|request| Task::Share(id, request))
            }
            Step::Failed(_) => None,
        }
    }

    /// Whether a party has nothing more to say about the query.
    pub fn is_over_for(&self, ground: &Ground<G>, server: u16) -> bool {
        match &self.step {
            Step::Failed(_) => true,
            Step::Agreed(..) => self.awaited(ground, server).is_none(),
            _ => false,
        }
    }

    /// Whether a party that has a part of the key has not sent its share of a request.
    pub(super) fn lacks_share(&self, ground: &Ground<G>, request: u32, server: u16) -> bool {
        let Step::Agreed(_, shares) = &self.step else { return false };
        let decrypts = ground.signer(server).is_some_and(|signer| signer.trustee.is_some());
        let is_asked = (request as usize) < self.query.requests().len();
        decrypts && is_asked && !shares.contains_key(&(request, server))
    }
}

/// The next step of a query, after a message that it waited for.
pub(super) fn advance(
    step: Step,
    query: &Query<G>,
    ground: &Arc<Ground<G>>,
    server: u16,
    message: Message,
) -> Result<Step, TraceError> {
    Ok(match (step, message) {
        (Step::Routing(mut turns), Message::QueryTurn(_, turn)) => {
            // At once: the next mixer takes what is in it. The proofs are verified together.
            turn.check_shape(ground, query, turns.len())?;
            turns.push(turn);
            if turns.len() < ground.mixers() {
                return Ok(Step::Routing(turns));
            }
            let pass = Pass::new(ground.clone(), query.clone())?;
            Step::Blinding(Box::new(Routed::verify(pass, turns)?), vec![])
        }
        (Step::Blinding(routed, mut blindings), Message::Blinding(_, blinding)) => {
            blindings.push(blinding);
            if blindings.len() < ground.mixers() {
                return Ok(Step::Blinding(routed, blindings));
            }
            Step::Signing(Box::new(Blinded::verify(*routed, blindings)?), vec![])
        }
        (Step::Signing(blinded, mut signatures), Message::QuerySignature(_, signature)) => {
            signatures.push(signature);
            if signatures.len() < ground.signers().len() {
                return Ok(Step::Signing(blinded, signatures));
            }
            let agreed = Agreed::verify(*blinded, Agreement::new(signatures))?;
            Step::Agreed(Box::new(agreed), BTreeMap::new())
        }
        (Step::Agreed(agreed, mut shares), Message::Share(_, request, share)) => {
            shares.entry((request, server)).or_insert(share);
            Step::Agreed(agreed, shares)
        }
        (step, _) => step,
    })
}
