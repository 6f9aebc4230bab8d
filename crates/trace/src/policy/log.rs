//! The log of the queries that a server answered: that of the mix, whoever asks.

use std::collections::{BTreeMap, BTreeSet};

use algebra::Group;
use wire::{Digest, Encode as _};

use super::Policy;
use crate::{
    By, Direction, Exposure, Query, Question, Request, TraceError, parts::encode::digest_of,
};

/// How often one question is answered that counts once against a policy. A server that stops a query
/// after others signed it burns nothing but its own name: the same querier asks again.
pub const MAX_REPEATS: usize = 16;

/// The queries that were admitted in a session, in order, and what they can tell together.
#[derive(Clone, Debug)]
pub struct QueryLog<G: Group> {
    queries: Vec<Query<G>>,
    exposure: Exposure,
    nonces: BTreeSet<[u8; 32]>,
    /// How often each question was asked.
    asked: BTreeMap<Digest, usize>,
}

impl<G: Group> Default for QueryLog<G> {
    fn default() -> Self {
        Self {
            queries: Vec::new(),
            exposure: Exposure::default(),
            nonces: BTreeSet::new(),
            asked: BTreeMap::new(),
        }
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
            self.enter(query.clone(), class_of);
        }
        Ok(())
    }

    /// Enters a query that was judged before.
    pub(crate) fn enter(&mut self, query: Query<G>, class_of: &[u32]) {
        self.nonces.extend(query.requests().map(|request| request.nonce));
        for name in query.requests().flat_map(question_names) {
            *self.asked.entry(name).or_default() += 1;
        }
        self.exposure.add(&query, class_of);
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
                return Err(refused(format!(
                    "over the limit of questions, {}",
                    policy.max_questions
                )));
            }
        }
        let mut after = self.exposure.clone();
        after.add(query, class_of);
        let judged = policy.cut.judge(&self.exposure, &after, class_of);
        judged.map_err(|reason| TraceError::Policy { request: 0, reason })
    }

    /// Whether a query was admitted.
    pub fn contains(&self, id: &Digest) -> bool {
        self.queries.iter().any(|query| query.id() == id)
    }

    /// The admitted queries, in order.
    pub fn queries(&self) -> &[Query<G>] {
        &self.queries
    }

    /// What the admitted queries can tell together.
    pub fn exposure(&self) -> &Exposure {
        &self.exposure
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
