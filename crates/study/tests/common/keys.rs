//! A party of a traceable mix: its key, and what it drew for the session.

use board::Identity;
use rand_core::CryptoRng;
use study::{
    secrets::{MemorySecret, RunSecret, RunSecrets},
    tracing::G,
};
use trace::routed::{Querier, ServerSecret};

pub struct TraceKey(RunSecrets);

impl TraceKey {
    pub fn generate(rng: &mut impl CryptoRng) -> Self {
        let (identity, drawn) = (Identity::generate(rng), RunSecret::draw(rng));
        Self(RunSecrets::new(identity, [0; 32].into(), MemorySecret::of(drawn)))
    }

    pub fn identity(&self) -> Identity {
        Identity::from_seed(&self.0.identity().to_seed())
    }

    pub fn server(&self) -> ServerSecret {
        self.0.server().unwrap()
    }

    pub fn querier(&self) -> Querier<G> {
        self.0.querier().unwrap()
    }

    pub fn db_querier(&self) -> trace_db::Querier {
        self.0.db_querier().unwrap()
    }
}
