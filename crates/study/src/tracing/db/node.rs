//! A server, as a process on a board.

use board::Identity;
use rand_core::CryptoRng;
use trace::{
    Journal, Policy, TraceError,
    routed::{KeyTranscript, ServerSecret},
};
use trace_db::{KeyMaking, PaillierMessages, SealingKey, Server, Step, Worker, contribute};
use wire::Digest;

use super::{DbMessage, DbQuery, DbStage, DbTask, DbTracing, stages::Keys};
use crate::{
    replay::{Party, SessionError},
    tracing::{docket::out_of_place, is_about_a_query, is_about_query, messages::MAX_REASON},
};

/// A server at work: it does what the board waits for. Restarted with its secret and its journal,
/// it goes on.
pub struct DbNode<J> {
    secret: ServerSecret,
    identity: Identity,
    number: u16,
    policy: Policy,
    journal: J,
    worker: Option<Worker>,
    unopened: Vec<u32>,
    is_committed: bool,
    queries: Option<usize>,
}

impl<J: Journal> DbNode<J> {
    /// Takes up the work of the server whose secret this is.
    ///
    /// # Errors
    /// [`TraceError::NotAServer`].
    pub fn new(
        secret: &ServerSecret,
        state: &DbTracing,
        policy: Policy,
        journal: J,
    ) -> Result<Self, TraceError> {
        let (number, identity) = (secret.number(state.rules().base())?, secret.identity());
        let (secret, worker, unopened) = (secret.clone(), None, Vec::new());
        let (is_committed, queries) = (false, None);
        Ok(Self {
            secret,
            identity,
            number,
            policy,
            journal,
            worker,
            unopened,
            is_committed,
            queries,
        })
    }

    /// Stops after so many queries, and not never.
    #[must_use]
    pub fn until(self, queries: Option<usize>) -> Self {
        Self { queries, ..self }
    }

    /// What it remembers.
    pub fn journal(&self) -> &J {
        &self.journal
    }

    /// Rows whose shares their senders did not seal to this server: proofs about them fail.
    pub fn unopened(&self) -> &[u32] {
        &self.unopened
    }

    fn generate_key(&self, task: DbTask, state: &DbTracing) -> Result<DbMessage, TraceError> {
        let DbStage::Key(keys) = state.stage() else { return Err(out_of_place()) };
        let (secret, rules) = (&self.secret, state.rules().base());
        let Keys { elgamal, base, dealt, .. } = keys.as_ref();
        if let DbTask::Key(round) = task {
            if round == 1 {
                return secret.key_round1(rules).map(DbMessage::KeyRound1);
            }
            let board = KeyTranscript::board1(rules, elgamal.round1.clone())?;
            if round == 2 {
                return secret.key_round2(rules, &board).map(DbMessage::KeyRound2);
            }
            let board = KeyTranscript::board2(board, elgamal.round2.clone())?;
            return secret.key_round3(rules, &board).map(DbMessage::KeyRound3);
        }
        let base = base.as_ref().ok_or_else(out_of_place)?;
        match (task, state.rules().keys(), dealt) {
            (DbTask::SealingKey, ..) => SealingKey::new(secret, base).map(DbMessage::SealingKey),
            (DbTask::Contribution, KeyMaking::Servers(parameters), _) => {
                let (_, contribution) = contribute(secret, base, parameters)?;
                Ok(DbMessage::Contribution(contribution))
            }
            (DbTask::Confirm, _, Some(dealt)) => {
                Ok(DbMessage::Confirmation(dealt.open(secret, base).is_ok()))
            }
            _ => Err(out_of_place()),
        }
    }

    fn mix(
        &mut self,
        task: DbTask,
        state: &DbTracing,
        rng: &mut impl CryptoRng,
    ) -> Result<DbMessage, TraceError> {
        self.take_up(state)?;
        let Self { worker: Some(worker), journal, .. } = self else { return Err(out_of_place()) };
        let server = worker.server();
        match (task, state.stage()) {
            (DbTask::Commit, DbStage::Mixing(mixing)) => {
                server.prove_permutation(&mixing.generators, rng).map(DbMessage::Permutation)
            }
            (DbTask::Mix, DbStage::Mixing(mixing)) => server
                .mix(&mixing.inputs, &mixing.permutations, &mixing.turns, &mixing.generators, rng)
                .map(DbMessage::MixTurn),
            (DbTask::SignMix, DbStage::Decrypting(decrypting)) => {
                server.sign_mix(&decrypting.mixed, journal).map(DbMessage::MixSignature)
            }
            (DbTask::Decrypt, DbStage::Decrypting(decrypting)) => server
                .decrypt(&decrypting.mixed, &decrypting.agreement, rng)
                .map(DbMessage::Decryption),
            _ => Err(out_of_place()),
        }
    }

    /// A query that the policy refuses, or that this server cannot work on, is refused on the board
    /// as long as not all servers have signed it.
    fn answer(
        &mut self,
        id: Digest,
        state: &DbTracing,
        rng: &mut impl CryptoRng,
    ) -> Result<DbMessage, TraceError> {
        self.take_up(state)?;
        let Self { worker: Some(worker), journal, .. } = self else { return Err(out_of_place()) };
        // A query that failed asks for nothing.
        let asked = state.query(&id).and_then(|query| query.asked.as_ref().ok());
        let asked = asked.ok_or_else(out_of_place)?;
        match worker.answer(asked, journal, rng) {
            Ok(parts) => Ok(DbMessage::Said(id, asked.query().direction(), Box::new(parts))),
            Err(error) if is_about_query(&error) && !asked.is_agreed() => {
                let reason = match error {
                    TraceError::Policy { reason, .. } => reason,
                    error => error.to_string(),
                };
                Ok(DbMessage::Refusal(id, reason.chars().take(MAX_REASON / 4).collect()))
            }
            Err(error) => Err(error),
        }
    }

    /// Takes up the work in the session, on first use, with the permutation once there are inputs.
    fn take_up(&mut self, state: &DbTracing) -> Result<(), TraceError> {
        if self.worker.is_none() {
            let session = state.session().ok_or_else(out_of_place)?.clone();
            let record = state.keys().ok_or_else(out_of_place)?;
            let (secret, base) = (self.secret.clone(), session.base());
            let share = match (&record.paillier, record.rules.keys()) {
                (PaillierMessages::Servers(_), KeyMaking::Servers(parameters)) => {
                    contribute(&secret, base, parameters)?.0
                }
                (PaillierMessages::Dealer(dealt), _) => dealt.open(&secret, base)?,
                _ => return Err(out_of_place()),
            };
            let server = Server::new(secret, session, share, self.policy.clone())?;
            self.worker = Some(Worker::new(server));
        }
        let (inputs, generators) = match state.stage() {
            _ if self.is_committed => return Ok(()),
            DbStage::Mixing(mixing) => (&mixing.inputs, mixing.generators.as_ref()),
            DbStage::Decrypting(decrypting) => {
                (decrypting.mixed.inputs(), decrypting.mixed.generators())
            }
            DbStage::Ready(outputs) => (outputs.mixed().inputs(), outputs.mixed().generators()),
            _ => return Ok(()),
        };
        let Self { worker: Some(worker), journal, .. } = self else { return Err(out_of_place()) };
        self.unopened = worker.server_mut().commit_permutation(inputs, generators, journal)?;
        self.is_committed = true;
        Ok(())
    }
}

impl<J: Journal> Party<DbTracing> for DbNode<J> {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn awaited(&self, state: &DbTracing) -> Option<DbTask> {
        state.awaited(self.number)
    }

    fn perform(
        &mut self,
        task: DbTask,
        state: &DbTracing,
        rng: &mut impl CryptoRng,
    ) -> Result<DbMessage, SessionError> {
        Ok(match task {
            DbTask::Key(_) | DbTask::SealingKey | DbTask::Contribution | DbTask::Confirm => {
                self.generate_key(task, state)?
            }
            DbTask::DealKey => return Err(out_of_place().into()),
            DbTask::Commit | DbTask::Mix | DbTask::SignMix | DbTask::Decrypt => {
                self.mix(task, state, rng)?
            }
            DbTask::Query(id, _) => self.answer(id, state, rng)?,
        })
    }

    fn pass_over(&self, task: &DbTask, error: &SessionError, state: &mut DbTracing) -> bool {
        is_about_a_query(error) && state.skip(*task, self.number)
    }

    fn is_done(&self, state: &DbTracing) -> bool {
        let is_over = |query: &&DbQuery| match &query.asked {
            Ok(asked) => asked.step() == Step::Response && !asked.awaits(self.number),
            Err(_) => true,
        };
        let over = state.queries().iter().filter(is_over).count();
        self.queries.is_some_and(|queries| over >= queries)
    }
}
