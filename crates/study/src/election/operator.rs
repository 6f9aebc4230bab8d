//! The operator: opens, closes, publishes, and goes on without those who do not answer.

use std::time::{Duration, Instant};

use board::Identity;

use super::{
    Election, Message, Participant, Party, PartySecret, Phase, Role, Scheme, SessionError,
    trustee::number_of,
};

/// The operator at work.
pub struct Operator {
    identity: Identity,
    patience: Duration,
    until: Until,
    progress: (Phase, Vec<Party>, Instant),
}

/// How far the operator takes the election.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Until the polls are open.
    Open,
    /// Closes the polls and stays until the result is published.
    Finished,
}

impl Operator {
    /// Takes up the work of the operator whose key this is. `patience` is how long a party may
    /// stay silent when it is its turn.
    ///
    /// # Errors
    /// [`SessionError::NotAParty`].
    pub fn new<S: Scheme>(
        secret: &PartySecret,
        election: &Election<S>,
        until: Until,
        patience: Duration,
    ) -> Result<Self, SessionError> {
        let identity = secret.identity();
        number_of(&identity, Role::Operator, "operator", election)?;
        let progress = (election.phase(), election.awaited(), Instant::now());
        Ok(Self { identity, patience, until, progress })
    }

    /// Whether nothing has happened for longer than parties may take.
    fn is_out_of_patience<S: Scheme>(&mut self, election: &Election<S>) -> bool {
        let (phase, awaited) = (election.phase(), election.awaited());
        if (&self.progress.0, &self.progress.1) != (&phase, &awaited) {
            self.progress = (phase, awaited, Instant::now());
        }
        self.progress.2.elapsed() > self.patience
    }
}

impl<S: Scheme> Participant<S> for Operator {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn act(&mut self, election: &Election<S>) -> Result<Option<Message<S>>, SessionError> {
        let impatient = self.is_out_of_patience(election);
        let awaited = election.awaited();
        Ok(match election.phase() {
            Phase::Opening => election.keys().map(|keys| Message::Open(*keys.public_key())),
            Phase::Casting if self.until == Until::Finished => {
                election.closing().map(Message::Close)
            }
            Phase::KeyGeneration(_) | Phase::Mixing(_) if impatient => {
                awaited.first().copied().map(Message::Absent)
            }
            Phase::Decryption if awaited.is_empty() || impatient => {
                Some(Message::Outcome(election.outcome().map_err(SessionError::Failed)?))
            }
            _ => None,
        })
    }

    fn is_done(&self, election: &Election<S>) -> bool {
        match (self.until, election.phase()) {
            (_, Phase::Finished) => true,
            (Until::Open, phase) => {
                matches!(phase, Phase::Casting | Phase::Mixing(_) | Phase::Decryption)
            }
            (Until::Finished, _) => false,
        }
    }
}
