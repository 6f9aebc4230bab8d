//! What a party of a traceable mix draws for a session.

use board::Identity;
use rand_core::Rng as _;
use shuffle::SecretKey;
use trace::routed::{Querier, ServerSecret};
use zeroize::Zeroizing;

use super::G;
use crate::secrets::{RunSecrets, SecretError};

impl RunSecrets {
    /// What a server derives everything from.
    ///
    /// # Errors
    /// Those of [`RunSecrets::rng`].
    pub fn server(&self) -> Result<ServerSecret, SecretError> {
        let mut seed = Zeroizing::new([0; 32]);
        self.rng("trace/server", &[])?.fill_bytes(&mut *seed);
        Ok(ServerSecret::from_seed(&seed).signing_as(self.identity()))
    }

    /// The keys of a querier.
    ///
    /// # Errors
    /// Those of [`RunSecrets::rng`].
    pub fn querier(&self) -> Result<Querier<G>, SecretError> {
        let key = SecretKey::generate(&mut self.rng("trace/querier", &[])?);
        Ok(Querier::new(self.signing(), key))
    }

    /// The keys of a querier of the engine `db`.
    ///
    /// # Errors
    /// Those of [`RunSecrets::rng`].
    pub fn db_querier(&self) -> Result<trace_db::Querier, SecretError> {
        let key = SecretKey::generate(&mut self.rng("trace/db/querier", &[])?);
        Ok(trace_db::Querier::new(self.signing(), key))
    }

    /// Another handle of the signing key.
    pub(crate) fn signing(&self) -> Identity {
        Identity::from_seed(&self.identity().to_seed())
    }
}
