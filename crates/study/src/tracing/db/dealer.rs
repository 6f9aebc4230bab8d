//! The dealer, as a process on a board. It keeps nothing: what it dealt, it forgets.

use board::Identity;
use rand_core::CryptoRng;
use trace::TraceError;
use trace_db::{
    DEALER, DealtKey, KeyMaking,
    paillier::{KeyShare, Parties, PublicKey, dealt},
};

use super::{DbMessage, DbStage, DbTask, DbTracing};
use crate::{
    replay::{Party, SessionError},
    tracing::{docket::out_of_place, is_about_a_query},
};

/// A dealer at work: it makes the Paillier key if the rules say so, and deals the blindings of
/// every query that goes out and has passed all servers. **Trusted for secrecy**: whoever runs it
/// can link inputs to outputs that are asked about, and decrypts everything if it makes the key.
pub struct DealerNode {
    identity: Identity,
    drawn: Option<(PublicKey, Vec<KeyShare>)>,
}

impl DealerNode {
    /// Takes up the dealer's work.
    ///
    /// # Errors
    /// [`TraceError::Rules`] if the rules name another dealer, or none.
    pub fn new(identity: Identity, state: &DbTracing) -> Result<Self, TraceError> {
        match state.rules().dealer() == Some(&identity.id()) {
            true => Ok(Self { identity, drawn: None }),
            false => Err(TraceError::Rules("this key is not that of the session's dealer")),
        }
    }

    /// Takes a key that was drawn before, with the shares of all servers, instead of drawing one.
    #[must_use]
    pub fn with_key(self, drawn: (PublicKey, Vec<KeyShare>)) -> Self {
        Self { drawn: Some(drawn), ..self }
    }

    fn deal_key(
        &mut self,
        state: &DbTracing,
        rng: &mut impl CryptoRng,
    ) -> Result<DbMessage, TraceError> {
        let (DbStage::Key(keys), KeyMaking::Dealer(size)) = (state.stage(), state.rules().keys())
        else {
            return Err(out_of_place());
        };
        let base = keys.base.as_ref().ok_or_else(out_of_place)?;
        let drawn = match self.drawn.take() {
            Some(drawn) => drawn,
            None => dealt::deal(*size, Parties::all(base.servers() as u16), rng)
                .map_err(|error| TraceError::engine("key generation", error.culprit(), error))?,
        };
        let dealt = DealtKey::seal(drawn, base, &keys.sealing, &self.identity, rng)?;
        Ok(DbMessage::DealtKey(Box::new(dealt)))
    }
}

impl Party<DbTracing> for DealerNode {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn awaited(&self, state: &DbTracing) -> Option<DbTask> {
        state.awaited(DEALER)
    }

    fn perform(
        &mut self,
        task: DbTask,
        state: &DbTracing,
        rng: &mut impl CryptoRng,
    ) -> Result<DbMessage, SessionError> {
        let DbTask::Query(id, _) = task else { return Ok(self.deal_key(state, rng)?) };
        // A query that failed asks for nothing.
        let asked = state.query(&id).and_then(|query| query.asked.as_ref().ok());
        let asked = asked.ok_or_else(out_of_place)?;
        let parts = asked.deal(&self.identity, rng)?;
        Ok(DbMessage::Said(id, asked.query().direction(), Box::new(parts)))
    }

    fn pass_over(&self, task: &DbTask, error: &SessionError, state: &mut DbTracing) -> bool {
        is_about_a_query(error) && state.skip(*task, DEALER)
    }

    /// Never: there may always be another query.
    fn is_done(&self, _state: &DbTracing) -> bool {
        false
    }
}
