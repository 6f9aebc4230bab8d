//! A server of a traceable mix, as a process on a board.

use board::Identity;
use rand_core::CryptoRng;
use trace::{
    Journal, Policy, TraceError,
    routed::{KeyTranscript, Server, ServerSecret},
};

use super::{G, Message, Stage, Task, Tracing, docket::out_of_place};

/// A server at work: it does what the board waits for. Restarted with its secret and its journal,
/// it goes on.
pub struct Node<J> {
    secret: ServerSecret,
    identity: Identity,
    number: u16,
    policy: Policy,
    journal: J,
    server: Option<Server<G>>,
    is_committed: bool,
    queries: Option<usize>,
}

impl<J: Journal> Node<J> {
    /// Takes up the work of the server whose secret this is.
    ///
    /// # Errors
    /// [`TraceError::NotAServer`].
    pub fn new(
        secret: &ServerSecret,
        state: &Tracing,
        policy: Policy,
        journal: J,
    ) -> Result<Self, TraceError> {
        let (number, identity) = (secret.number(state.rules())?, secret.identity());
        let (secret, server, queries) = (secret.clone(), None, None);
        let is_committed = false;
        Ok(Self { secret, identity, number, policy, journal, server, is_committed, queries })
    }

    /// Stops after so many queries, and not never.
    #[must_use]
    pub fn until(self, queries: Option<usize>) -> Self {
        Self { queries, ..self }
    }

    /// Whether it stops after this many queries.
    pub(super) fn answers(&self, over: usize) -> bool {
        self.queries.is_some_and(|queries| over >= queries)
    }

    /// The key that it signs with.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Its number, counted from 1.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// What it says when the board waits for this task. A query that its policy refuses is refused
    /// on the board.
    ///
    /// # Errors
    /// [`TraceError`] if it cannot go on.
    pub fn perform(
        &mut self,
        task: Task,
        state: &Tracing,
        rng: &mut impl CryptoRng,
    ) -> Result<Message, TraceError> {
        match task {
            Task::Key(round) => self.generate_key(round, state),
            Task::Commit | Task::Mix => self.mix(task, state, rng),
            Task::SignMix | Task::Decrypt => self.open(task, state, rng),
            Task::Pass(_) | Task::Blind(_) | Task::SignQuery(_) | Task::Share(..) => {
                self.answer(task, state, rng)
            }
        }
    }

    fn generate_key(&self, round: u8, state: &Tracing) -> Result<Message, TraceError> {
        let Stage::Key(key) = state.stage() else { return Err(out_of_place()) };
        let (secret, rules) = (&self.secret, state.rules());
        if round == 1 {
            return secret.key_round1(rules).map(Message::KeyRound1);
        }
        let board = KeyTranscript::board1(rules, key.round1.clone())?;
        if round == 2 {
            return secret.key_round2(rules, &board).map(Message::KeyRound2);
        }
        let board = KeyTranscript::board2(board, key.round2.clone())?;
        secret.key_round3(rules, &board).map(Message::KeyRound3)
    }

    fn mix(
        &mut self,
        task: Task,
        state: &Tracing,
        rng: &mut impl CryptoRng,
    ) -> Result<Message, TraceError> {
        let Stage::Mixing(mixing) = state.stage() else { return Err(out_of_place()) };
        let server = self.server(state)?;
        match task {
            Task::Commit => server.permutation(&mixing.generators, rng).map(Message::Permutation),
            _ => server
                .mix(&mixing.inputs, &mixing.permutations, &mixing.turns, &mixing.generators, rng)
                .map(Message::MixTurn),
        }
    }

    fn open(
        &mut self,
        task: Task,
        state: &Tracing,
        rng: &mut impl CryptoRng,
    ) -> Result<Message, TraceError> {
        let Stage::Decrypting(decrypting) = state.stage() else { return Err(out_of_place()) };
        self.server(state)?;
        let Self { server: Some(server), journal, .. } = self else { return Err(out_of_place()) };
        match task {
            Task::SignMix => server.sign_mix(&decrypting.mixed, journal).map(Message::MixSignature),
            _ => server
                .decrypt(&decrypting.mixed, &decrypting.agreement, rng)
                .map(Message::Decryption),
        }
    }

    fn answer(
        &mut self,
        task: Task,
        state: &Tracing,
        rng: &mut impl CryptoRng,
    ) -> Result<Message, TraceError> {
        self.server(state)?;
        let Self { server: Some(server), journal, .. } = self else { return Err(out_of_place()) };
        let outputs = state.outputs().ok_or_else(out_of_place)?;
        state.docket().answer(outputs.ground(), task, server, journal, rng)
    }

    /// The server in its session, taken up on first use, with its permutation.
    fn server(&mut self, state: &Tracing) -> Result<&mut Server<G>, TraceError> {
        if self.server.is_none() {
            let session = state.session().ok_or_else(out_of_place)?.clone();
            let secret = self.secret.clone();
            self.server = Some(Server::new(secret, session, self.policy.clone())?);
        }
        let Self { server: Some(server), journal, is_committed, .. } = self else {
            return Err(out_of_place());
        };
        if let Some(inputs) = state.inputs().filter(|_| !*is_committed) {
            let generators = state.generators().ok_or_else(out_of_place)?;
            server.commit(inputs, generators, journal)?;
            *is_committed = true;
        }
        Ok(server)
    }
}
