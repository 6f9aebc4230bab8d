//! The operator: opens, closes, publishes, and goes on without those who do not answer.

use std::time::{Duration, Instant};

use board::Identity;
use rand_core::CryptoRng;

use super::{Election, Message, Party, Phase, Role, Scheme, Task, trustee::number_of};
use crate::replay::{self, Protocol as _, SessionError};

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
        identity: Identity,
        election: &Election<S>,
        until: Until,
        patience: Duration,
    ) -> Result<Self, SessionError> {
        number_of(&identity, Role::Operator, "operator", election)?;
        let progress = (election.phase(), election.awaited(), Instant::now());
        Ok(Self { identity, patience, until, progress })
    }

    /// Whether nothing has happened for longer than parties may take.
    fn is_out_of_patience<S: Scheme>(&self, election: &Election<S>) -> bool {
        let (phase, awaited, since) = &self.progress;
        let is_the_same = (phase, awaited) == (&election.phase(), &election.awaited());
        is_the_same && since.elapsed() > self.patience
    }
}

impl<S: Scheme> replay::Party<Election<S>> for Operator {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn observe(&mut self, election: &Election<S>) {
        let (phase, awaited) = (election.phase(), election.awaited());
        if (&self.progress.0, &self.progress.1) != (&phase, &awaited) {
            self.progress = (phase, awaited, Instant::now());
        }
    }

    fn awaited(&self, election: &Election<S>) -> Option<Task> {
        let impatient = self.is_out_of_patience(election);
        let (phase, awaited) = (election.phase(), election.awaited());
        match phase {
            Phase::Opening => Some(Task::Open),
            Phase::Casting if self.until == Until::Finished => election.closing().map(Task::Close),
            Phase::KeyGeneration(_) | Phase::Mixing(_) if impatient => {
                awaited.first().map(|party| Task::Absent(*party, phase))
            }
            Phase::Decryption if awaited.is_empty() || impatient => Some(Task::Outcome {
                partials: election.decrypted_by().len(),
                faults: election.faults().len(),
            }),
            _ => None,
        }
    }

    fn perform(
        &mut self,
        task: Task,
        election: &Election<S>,
        _rng: &mut impl CryptoRng,
    ) -> Result<Message<S>, SessionError> {
        match task {
            Task::Close(close) => Ok(Message::Close(close)),
            Task::Absent(party, _) => Ok(Message::Absent(party)),
            Task::Outcome { .. } => {
                let failed = |reason| SessionError::Failed { what: Election::<S>::NAME, reason };
                election.outcome().map(Message::Outcome).map_err(failed)
            }
            _ => {
                let keys = election.keys();
                let keys = keys.ok_or_else(|| SessionError::Party("there is no key yet".into()))?;
                Ok(Message::Open(*keys.public_key()))
            }
        }
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
