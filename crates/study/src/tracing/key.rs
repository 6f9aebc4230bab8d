//! What a party of a traceable mix keeps to itself.

use std::{io, path::Path};

use board::Identity;
use rand_core::{CryptoRng, Rng};
use shuffle::SecretKey;
use trace::routed::{Querier, ServerSecret};
use wire::Digest;
use zeroize::Zeroizing;

use super::G;
use crate::election::PartySecret;

/// The key file of a party of any role: server, sender, querier or operator.
pub struct TraceKey(PartySecret);

impl TraceKey {
    /// Draws a key.
    pub fn generate(rng: &mut impl CryptoRng) -> Self {
        Self(PartySecret::generate(rng))
    }

    /// Reads a key file.
    ///
    /// # Errors
    /// Those of the file system; [`io::ErrorKind::InvalidData`] if it is no key file.
    pub fn load(path: &Path) -> io::Result<Self> {
        PartySecret::load(path).map(Self)
    }

    /// Writes a new key file that only its owner may read.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] rather than overwrite a key; others of the file system.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        self.0.save(path)
    }

    /// What a server derives everything from.
    pub fn server(&self) -> ServerSecret {
        let mut seed = Zeroizing::new([0; 32]);
        self.rng("trace/server").fill_bytes(&mut *seed);
        ServerSecret::from_seed(&seed).signing_as(&self.identity())
    }

    /// The signing key: the same of a key file, whatever role its party has.
    pub fn identity(&self) -> Identity {
        self.0.identity()
    }

    /// The keys of a querier.
    pub fn querier(&self) -> Querier<G> {
        Querier::new(self.identity(), SecretKey::generate(&mut self.rng("trace/querier")))
    }

    /// The keys of a querier of the engine `db`.
    pub fn db_querier(&self) -> trace::db::Querier {
        let key = SecretKey::generate(&mut self.rng("trace/db/querier"));
        trace::db::Querier::new(self.identity(), key)
    }

    fn rng(&self, purpose: &str) -> impl CryptoRng {
        self.0.rng(&Digest::from([0; 32]), purpose, &[])
    }
}
