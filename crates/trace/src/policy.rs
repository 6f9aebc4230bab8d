//! Which queries a server answers, and the log of those it did.

use std::collections::{BTreeMap, BTreeSet};

use algebra::Group;
use board::AuthorId;
use wire::{Digest, Encode as _};

use crate::{By, Direction, Exposure, Query, Question, Request, TraceError, encode::digest_of};

/// How often one question is answered that counts once against a policy. A server that stops a query
/// after others signed it burns nothing but its own name: the same querier asks again.
pub const MAX_REPEATS: usize = 16;

/// What a server allows. Every server has its own; a query needs all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Who may ask; nobody if empty.
    pub queriers: Vec<AuthorId>,
    /// How many questions are answered in the session, of all queriers together. The same question of
    /// the same querier counts once, up to [`MAX_REPEATS`] times: its answer is the same.
    pub max_questions: usize,
    /// The least |I| of a question.
    pub min_inputs: usize,
    /// The least |J| of a question.
    pub min_outputs: usize,
    /// The least anonymity set that the query may leave to any item, all queries of the session
    /// together (see [`Exposure`](crate::Exposure)): J without one row is as telling as that row.
    pub min_anonymity: usize,
    /// Whether questions by position are answered.
    pub by_position: bool,
}

/// The queries that were admitted in a session, in order.
#[derive(Clone, Debug)]
pub struct QueryLog<G: Group> {
    queries: Vec<Query<G>>,
    nonces: BTreeSet<[u8; 32]>,
    /// How often each question was asked.
    asked: BTreeMap<Digest, usize>,
}

impl<G: Group> Default for QueryLog<G> {
    fn default() -> Self {
        Self { queries: Vec::new(), nonces: BTreeSet::new(), asked: BTreeMap::new() }
    }
}

impl<G: Group> QueryLog<G> {
    /// Enters a query if the policy allows all its requests. A query that is in already is
    /// admitted again without an entry: a server goes on with it after a restart. `class_of` gives
    /// every output a number that it shares with the outputs of the same plaintext.
    ///
    /// # Errors
    /// [`TraceError::Policy`].
    pub fn admit(
        &mut self,
        policy: &Policy,
        query: &Query<G>,
        class_of: &[u32],
    ) -> Result<(), TraceError> {
        self.check(policy, query, class_of)?;
        if !self.contains(query.id()) {
            self.enter(query.clone());
        }
        Ok(())
    }

    /// Enters a query that was judged before.
    pub(crate) fn enter(&mut self, query: Query<G>) {
        self.nonces.extend(query.requests().map(|request| request.nonce));
        for name in query.requests().flat_map(question_names) {
            *self.asked.entry(name).or_default() += 1;
        }
        self.queries.push(query);
    }

    /// Judges a query as [`QueryLog::admit`] does, without entering it.
    pub(crate) fn check(
        &self,
        policy: &Policy,
        query: &Query<G>,
        class_of: &[u32],
    ) -> Result<(), TraceError> {
        if self.contains(query.id()) {
            return Ok(());
        }
        let mut asked: BTreeMap<Digest, usize> = BTreeMap::new();
        for (number, request) in query.requests().enumerate() {
            let refused = |reason: String| TraceError::Policy { request: number, reason };
            policy.allows(request).map_err(refused)?;
            if self.nonces.contains(&request.nonce) {
                return Err(refused("it was asked before, in another query".into()));
            }
            for name in question_names(request) {
                let times = asked.entry(name).or_insert(0);
                *times += 1;
                if self.asked.get(&name).copied().unwrap_or_default() + *times > MAX_REPEATS {
                    return Err(refused(format!("it was asked {MAX_REPEATS} times before")));
                }
            }
            let new = asked.keys().filter(|name| !self.asked.contains_key(*name)).count();
            if self.asked.len() + new > policy.max_questions {
                return Err(refused(format!("over {} questions", policy.max_questions)));
            }
        }
        // Every row is its own candidate: 1 is no demand, and the report is not for nothing.
        if policy.min_anonymity > 1 {
            let queries = self.queries.iter().chain([query]);
            let left = Exposure::of(queries, class_of).smallest(class_of.len());
            if left < policy.min_anonymity {
                let least = policy.min_anonymity;
                let reason =
                    format!("it can leave an item {left} candidates, {least} are the least");
                return Err(TraceError::Policy { request: 0, reason });
            }
        }
        Ok(())
    }

    /// Whether a query was admitted.
    pub fn contains(&self, id: &Digest) -> bool {
        self.queries.iter().any(|query| query.id() == id)
    }

    /// The admitted queries, in order.
    pub fn queries(&self) -> &[Query<G>] {
        &self.queries
    }

    /// The number of admitted questions, each counted once for each querier.
    pub fn questions(&self) -> usize {
        self.asked.len()
    }
}

/// What makes questions the same: who asks, which way, by what, and both sets.
fn question_names<G: Group>(request: &Request<G>) -> impl Iterator<Item = Digest> {
    let direction = request.direction == Direction::Out;
    let head = [u8::from(direction), u8::from(request.by == By::Position)];
    let parts = |question: &Question| {
        let (inputs, outputs) = (question.inputs.to_bytes(), question.outputs.to_bytes());
        digest_of("trace/question", &[request.querier.as_bytes(), &head, &inputs, &outputs])
    };
    request.questions.iter().map(parts).collect::<Vec<_>>().into_iter()
}

impl Policy {
    fn allows<G: Group>(&self, request: &Request<G>) -> Result<(), String> {
        if !self.queriers.contains(&request.querier) {
            return Err(format!("{} may not ask", request.querier));
        }
        if request.by == By::Position && !self.by_position {
            return Err("questions by position are not answered".into());
        }
        for question in &request.questions {
            let sizes = [
                ("inputs", question.inputs.len(), self.min_inputs),
                ("outputs", question.outputs.len(), self.min_outputs),
            ];
            if let Some((what, got, least)) = sizes.into_iter().find(|(_, got, least)| got < least)
            {
                return Err(format!("{got} {what}, {least} are the least"));
            }
        }
        Ok(())
    }
}
