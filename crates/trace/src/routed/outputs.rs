//! The outputs: what the ballots hold, in the order that the mix gave them.

use std::sync::Arc;

use algebra::Group;
use shuffle::{
    decrypt::{Decryption, PartialDecryption},
    threshold_error::ThresholdError,
};
use wire::Digest;

use super::{Foundation, Ground, Mixed, Session, Signer};
use crate::{Agreement, TraceError, agreement::Subject};

/// The decrypted outputs of a session, verified from the key generation on: everything that
/// answers rest on and that is checked once per session.
pub struct Outputs<G: Group> {
    mixed: Arc<Mixed<G>>,
    agreement: Agreement,
    partials: Vec<PartialDecryption<G>>,
    faults: Vec<ThresholdError>,
    ground: Arc<Ground<G>>,
}

impl<G: Group> Outputs<G> {
    /// Verifies that all servers agree on the mix, and decrypts it with the partial decryptions of
    /// any t servers. Those that fail are left out; [`Outputs::faults`] names their authors.
    ///
    /// # Errors
    /// [`TraceError::Disagreement`], [`TraceError::Decryption`] if fewer than t are left.
    pub fn open(
        mixed: Arc<Mixed<G>>,
        agreement: Agreement,
        partials: Vec<PartialDecryption<G>>,
    ) -> Result<Self, TraceError> {
        let session = mixed.inputs().session().clone();
        agreement.verify(Subject::Mix, session.rules().servers(), *mixed.digest())?;
        let ciphertexts = mixed.ciphertexts();
        let context = mixed.decryption_context();
        let decryption = Decryption::new(session.keys(), &ciphertexts, &context);
        let (mut verified, mut faults) = (Vec::new(), Vec::new());
        for partial in &partials {
            match decryption.verify_partial(partial.clone()) {
                Ok(partial) => verified.push(partial),
                Err(fault) => faults.push(fault),
            }
        }
        let opened = decryption
            .combine(&verified)
            // A fault says more than that too few are left.
            .map_err(|error| TraceError::Decryption(faults.first().cloned().unwrap_or(error)))?;
        let rows = mixed.inputs().rows();
        let blocks = session.rules().blocks();
        let value = |row: usize| -> Vec<G> {
            (0..blocks).filter_map(|block| opened.get(block * rows + row).copied()).collect()
        };
        let values: Vec<Vec<G>> = (0..rows).map(value).collect();
        let signer = |(number, id): (u16, &_)| Signer { id: *id, trustee: Some(number) };
        let ground = Ground::new(Foundation {
            id: *session.id(),
            digest: *mixed.digest(),
            name: session.mix_name().clone(),
            permutations: mixed.permutations().to_vec(),
            keys: session.keys().clone(),
            signers: (1..).zip(session.rules().servers()).map(signer).collect(),
            generators: mixed.shared_generators(),
            values,
        })?;
        Ok(Self { mixed, agreement, partials, faults, ground: Arc::new(ground) })
    }

    /// What queries stand on.
    pub fn ground(&self) -> &Arc<Ground<G>> {
        &self.ground
    }

    /// The mix.
    pub fn mixed(&self) -> &Arc<Mixed<G>> {
        &self.mixed
    }

    /// The session.
    pub fn session(&self) -> &Session<G> {
        self.mixed.inputs().session()
    }

    /// The signatures of all servers on the mix.
    pub fn agreement(&self) -> &Agreement {
        &self.agreement
    }

    /// The partial decryptions, false ones included.
    pub fn partials(&self) -> &[PartialDecryption<G>] {
        &self.partials
    }

    /// Whose partial decryption was left out, and why.
    pub fn faults(&self) -> &[ThresholdError] {
        &self.faults
    }

    /// The number n of rows, of inputs and outputs alike.
    pub fn rows(&self) -> usize {
        self.ground.rows()
    }

    /// The plaintexts, all blocks of each, in output order.
    pub fn values(&self) -> &[Vec<G>] {
        self.ground.values()
    }

    /// For every output, a number that it shares with the outputs of the same plaintext.
    pub fn class_of(&self) -> &[u32] {
        self.ground.class_of()
    }

    /// The outputs of a class, in increasing order.
    pub fn class(&self, class: u32) -> &[u32] {
        self.ground.class(class)
    }

    /// What names session, inputs and mix.
    pub fn digest(&self) -> &Digest {
        self.mixed.digest()
    }
}
