//! The stages of a session: what each has so far, and what it takes.

use std::sync::Arc;

use shuffle::tw::Generators;
use trace::{
    Agreement,
    parts::Subject,
    routed::{self, KeyTranscript, PermutationMessage},
};
use trace_db::{
    DEALER, DealtKey, G1, InputBox, Inputs, KeyMaking, Mixed, Outputs, PaillierTurn, SealingKey,
    SessionRules,
    paillier::{PartialDecryption, bcp::Contribution},
};

use super::{DbMessage, DbTask};

/// How far a session is.
pub enum DbStage {
    /// Servers and dealer make the keys.
    Key(Box<Keys>),
    /// Senders submit.
    Open(InputBox),
    /// The servers commit, then mix, in order.
    Mixing(Mixing),
    /// The servers sign, in order, then decrypt.
    Decrypting(Decrypting),
    /// Queries are answered.
    Ready(Arc<Outputs>),
    /// The session cannot be completed; why, and by whose doing.
    Failed(String),
}

/// Keys in the making.
pub struct Keys {
    pub(super) elgamal: KeyTranscript<G1>,
    pub(super) base: Option<Arc<routed::Session<G1>>>,
    pub(super) sealing: Vec<SealingKey>,
    pub(super) contributions: Vec<Contribution>,
    pub(super) dealt: Option<DealtKey>,
    pub(super) confirmed: usize,
}

/// A mix in the making.
pub struct Mixing {
    pub(super) inputs: Arc<Inputs>,
    pub(super) generators: Arc<Generators<G1>>,
    pub(super) permutations: Vec<PermutationMessage<G1>>,
    pub(super) turns: Vec<PaillierTurn>,
}

/// A mix that is verified, before it is opened.
pub struct Decrypting {
    pub(super) mixed: Arc<Mixed>,
    /// The servers that signed so far.
    pub(super) agreement: Agreement,
    pub(super) partials: Vec<PartialDecryption>,
}

/// What is wrong with a message about the keys: it alone, or the session with it.
pub(super) enum Refused {
    Entry(String),
    Session(String),
}

impl Keys {
    pub(super) fn awaited(&self, rules: &SessionRules, party: u16) -> Option<DbTask> {
        let servers = rules.servers().len();
        let next = |done: usize| done < servers && done + 1 == usize::from(party);
        let key = &self.elgamal;
        let rounds = [key.round1.len(), key.round2.len(), key.round3.len()];
        if let Some((round, done)) = (1..).zip(rounds).find(|(_, done)| *done < servers) {
            return next(done).then_some(DbTask::Key(round));
        }
        if self.sealing.len() < servers {
            return next(self.sealing.len()).then_some(DbTask::SealingKey);
        }
        match (rules.keys(), &self.dealt) {
            (KeyMaking::Servers(_), _) => {
                next(self.contributions.len()).then_some(DbTask::Contribution)
            }
            (KeyMaking::Dealer(_), None) => (party == DEALER).then_some(DbTask::DealKey),
            (KeyMaking::Dealer(_), Some(_)) => next(self.confirmed).then_some(DbTask::Confirm),
        }
    }

    /// Takes what is waited for; `true` if it was the last.
    pub(super) fn take(
        &mut self,
        rules: &SessionRules,
        party: u16,
        message: DbMessage,
    ) -> Result<bool, Refused> {
        let (servers, entry) =
            (rules.servers().len(), |reason: &str| Refused::Entry(reason.into()));
        let session = |error: trace::TraceError| Refused::Session(error.to_string());
        let foreign = entry("a message of another server's part");
        match message {
            DbMessage::KeyRound1(message) if message.trustee() == party => {
                self.elgamal.round1.push(message);
            }
            DbMessage::KeyRound2(message) if message.dealer() == party => {
                self.elgamal.round2.push(message);
            }
            DbMessage::KeyRound3(message) if message.trustee() == party => {
                self.elgamal.round3.push(message);
                if self.elgamal.round3.len() == servers {
                    let (rules, key) = (rules.base().clone(), self.elgamal.clone());
                    let base = routed::Session::establish(rules, key).map_err(session)?;
                    self.base = Some(Arc::new(base));
                }
            }
            DbMessage::SealingKey(message) => self.sealing.push(message),
            DbMessage::Contribution(message) if message.server() == party => {
                self.contributions.push(message);
                return Ok(self.contributions.len() == servers);
            }
            DbMessage::DealtKey(dealt) => {
                let (Some(base), Some(dealer)) = (&self.base, rules.dealer()) else {
                    return Err(entry("out of place"));
                };
                dealt.verify(base, dealer).map_err(session)?;
                self.dealt = Some(*dealt);
            }
            DbMessage::Confirmation(true) => {
                self.confirmed += 1;
                return Ok(self.confirmed == servers);
            }
            DbMessage::Confirmation(false) => {
                let reason = format!("server {party} says that the dealer gave it no share");
                return Err(Refused::Session(reason));
            }
            _ => return Err(foreign),
        }
        Ok(false)
    }
}

/// What a party does with a message outside queries; `None` if it is not a party's.
pub(super) fn task_of(message: &DbMessage) -> Option<DbTask> {
    Some(match message {
        DbMessage::KeyRound1(_) => DbTask::Key(1),
        DbMessage::KeyRound2(_) => DbTask::Key(2),
        DbMessage::KeyRound3(_) => DbTask::Key(3),
        DbMessage::SealingKey(_) => DbTask::SealingKey,
        DbMessage::Contribution(_) => DbTask::Contribution,
        DbMessage::DealtKey(_) => DbTask::DealKey,
        DbMessage::Confirmation(_) => DbTask::Confirm,
        DbMessage::Permutation(_) => DbTask::Commit,
        DbMessage::MixTurn(_) => DbTask::Mix,
        DbMessage::MixSignature(_) => DbTask::SignMix,
        DbMessage::Decryption(_) => DbTask::Decrypt,
        _ => return None,
    })
}

impl Mixing {
    /// A permutation or turn that does not hold has no effect, and names its server: it is still waited
    /// for.
    pub(super) fn take(&mut self, message: DbMessage) -> Result<(), String> {
        let (permutations, turns) = (self.permutations.len(), self.turns.len());
        match message {
            DbMessage::Permutation(permutation) => self.permutations.push(permutation),
            DbMessage::MixTurn(turn) => self.turns.push(turn),
            _ => {}
        }
        let Self { inputs, generators, permutations: messages, turns: passed } = self;
        let checked = Mixed::check(inputs, messages, passed, generators);
        if checked.is_err() {
            self.permutations.truncate(permutations);
            self.turns.truncate(turns);
        }
        checked.map_err(|error| error.to_string())
    }

    pub(super) fn next(self, servers: usize) -> DbStage {
        if self.turns.len() < servers {
            return DbStage::Mixing(self);
        }
        let Self { inputs, generators, permutations, turns } = self;
        match Mixed::verify(inputs, permutations, &turns, generators) {
            Ok(mixed) => DbStage::Decrypting(Decrypting {
                mixed: Arc::new(mixed),
                agreement: Agreement::default(),
                partials: vec![],
            }),
            Err(error) => DbStage::Failed(error.to_string()),
        }
    }
}

impl Decrypting {
    /// A signature on the mix. One that is false has no effect and names its server: with it nobody would decrypt.
    pub(super) fn sign(&mut self, signature: [u8; 64]) -> Result<(), String> {
        let (rules, digest) = (self.mixed.inputs().session().rules(), *self.mixed.digest());
        let signed = self.agreement.add(signature, Subject::Mix, rules.servers(), digest);
        signed.map_err(|error| error.to_string())
    }

    /// A share of the decryption.
    pub(super) fn take(mut self, servers: usize, partial: PartialDecryption) -> DbStage {
        self.partials.push(partial);
        if self.partials.len() < servers {
            return DbStage::Decrypting(self);
        }
        match Outputs::open(self.mixed, &self.agreement, &self.partials) {
            Ok(outputs) => DbStage::Ready(Arc::new(outputs)),
            Err(error) => DbStage::Failed(error.to_string()),
        }
    }
}
