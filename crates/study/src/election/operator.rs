//! The operator: opens, closes, publishes, and goes on without those who do not answer.

use std::time::{Duration, Instant};

use board::Identity;
use rand_core::CryptoRng;

use super::{
    Absence, Clock, Closing, Election, Message, Party, PartySecret, Phase, Role, Scheme, Task,
    trustee::number_of,
};
use crate::description::Schedule;
use crate::replay::{self, Protocol as _, SessionError};

/// The operator at work.
pub struct Operator {
    identity: Identity,
    patience: Duration,
    until: Until,
    progress: (Phase, Vec<Party>, Instant),
    clock: Clock,
}

/// Seconds by which the operator's clock may be ahead of the keeper's before something is said too early; then it is
/// said again so much later.
const GRACE: u64 = 5;

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
    /// stay silent when it is its turn, in an election of version 1; later ones say it themselves.
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
        Ok(Self { identity, patience, until, progress, clock: Clock::default() })
    }

    /// The same operator, who goes by another clock.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// Whether nothing has happened for longer than parties may take.
    fn is_out_of_patience<S: Scheme>(&self, election: &Election<S>) -> bool {
        if let Some(Schedule { patience, .. }) = election.rules().schedule() {
            return self.is_after(election, election.waiting_since() + u64::from(patience));
        }
        let (phase, awaited, since) = &self.progress;
        let is_the_same = (phase, awaited) == (&election.phase(), &election.awaited());
        is_the_same && since.elapsed() > self.patience
    }
}

impl Operator {
    /// Whether a time of the log is over, with some more time for each attempt that came too early.
    fn is_after<S: Scheme>(&self, election: &Election<S>, time: u64) -> bool {
        let (phase, me) = (election.phase().name(), Party { role: Role::Operator, number: 1 });
        let own = election.faults().iter();
        let early = own.filter(|fault| (fault.phase, fault.party) == (phase, Some(me))).count();
        self.clock.seconds() > time.saturating_add(GRACE * early as u64)
    }

    /// What an election of version 2 waits for the operator to say.
    fn awaited_in_time<S: Scheme>(
        &self,
        election: &Election<S>,
        Schedule { closes, .. }: Schedule,
    ) -> Option<Task> {
        let (phase, awaited) = (election.phase(), election.awaited());
        let impatient = self.is_out_of_patience(election);
        match phase {
            Phase::Opening => Some(Task::Open),
            Phase::KeyGeneration(3) if impatient && election.opening().is_ok() => Some(Task::Open),
            Phase::Readiness | Phase::KeyGeneration(1 | 2) | Phase::Mixing(_) if impatient => {
                let party = awaited.into_iter().find(|party| election.can_do_without(*party))?;
                Some(Task::Absent(party, phase))
            }
            Phase::Casting if self.until == Until::Finished && self.is_after(election, closes) => {
                election.closing().map(Task::Close)
            }
            Phase::Decryption if awaited.is_empty() || impatient => outcome_task(election),
            _ => None,
        }
    }
}

/// The outcome, if there are enough decryptions for one.
fn outcome_task<S: Scheme>(election: &Election<S>) -> Option<Task> {
    let (partials, faults) = (election.decrypted_by().len(), election.faults().len());
    let is_possible = partials >= usize::from(election.setup().description.threshold);
    is_possible.then_some(Task::Outcome { partials, faults })
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
        if let Some(schedule) = election.rules().schedule() {
            return self.awaited_in_time(election, schedule);
        }
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
        let failed = |reason| SessionError::Failed { what: Election::<S>::NAME, reason };
        if let (Some(_), Some(head)) = (election.rules().schedule(), election.head()) {
            match task {
                Task::Open => return election.opening().map(Message::Opening).map_err(failed),
                Task::Absent(party, _) => return Ok(Message::Absence(Absence { party, head })),
                Task::Close(close) => return Ok(Message::Closing(Closing { close, head })),
                _ => {}
            }
        }
        match task {
            Task::Close(close) => Ok(Message::Close(close)),
            Task::Absent(party, _) => Ok(Message::Absent(party)),
            Task::Outcome { .. } => election.outcome().map(Message::Outcome).map_err(failed),
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
                matches!(
                    phase,
                    Phase::Casting | Phase::Certification | Phase::Mixing(_) | Phase::Decryption
                )
            }
            (Until::Finished, _) => false,
        }
    }
}
