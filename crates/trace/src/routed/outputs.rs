//! The outputs: what the ballots hold, in the order that the mix gave them.

use std::{collections::HashMap, sync::Arc};

use algebra::Group;
use shuffle::{
    decrypt::{Decryption, PartialDecryption},
    threshold_error::ThresholdError,
};
use wire::Digest;

use super::{Mixed, Session};
use crate::{Agreement, TraceError, agreement::Subject};

/// The decrypted outputs of a session, verified from the key generation on: everything that
/// answers rest on and that is checked once per session.
pub struct Outputs<G: Group> {
    mixed: Arc<Mixed<G>>,
    agreement: Agreement,
    partials: Vec<PartialDecryption<G>>,
    faults: Vec<ThresholdError>,
    values: Vec<Vec<G>>,
    class_of: Vec<u32>,
    classes: Vec<Vec<u32>>,
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
            .map_err(|error| TraceError::Decryption(faults.first().cloned().unwrap_or(error)))?;
        let rows = mixed.inputs().rows();
        let blocks = session.rules().blocks();
        let value = |row: usize| -> Vec<G> {
            (0..blocks).filter_map(|block| opened.get(block * rows + row).copied()).collect()
        };
        let values: Vec<Vec<G>> = (0..rows).map(value).collect();
        let (class_of, classes) = classify(&values);
        Ok(Self { mixed, agreement, partials, faults, values, class_of, classes })
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
        self.values.len()
    }

    /// The plaintexts, all blocks of each, in output order.
    pub fn values(&self) -> &[Vec<G>] {
        &self.values
    }

    /// For every output, a number that it shares with the outputs of the same plaintext.
    pub fn class_of(&self) -> &[u32] {
        &self.class_of
    }

    /// The outputs of a class, in increasing order.
    pub fn class(&self, class: u32) -> &[u32] {
        self.classes.get(class as usize).map_or(&[], Vec::as_slice)
    }

    /// What names session, inputs and mix.
    pub fn digest(&self) -> &Digest {
        self.mixed.digest()
    }
}

/// Numbers the distinct values in order of their first occurrence: by group elements of all
/// blocks, not by decoded text.
fn classify<G: Group>(values: &[Vec<G>]) -> (Vec<u32>, Vec<Vec<u32>>) {
    let blocks = values.first().map_or(0, Vec::len);
    let encoded = G::encode_all(&values.concat());
    let width = (blocks * G::ENCODED_LEN).max(1);
    let mut numbers: HashMap<&[u8], u32> = HashMap::new();
    let mut classes: Vec<Vec<u32>> = Vec::new();
    let mut class_of = Vec::with_capacity(values.len());
    for (row, value) in (0..).zip(encoded.chunks(width)) {
        let class = *numbers.entry(value).or_insert_with(|| {
            classes.push(Vec::new());
            classes.len() as u32 - 1
        });
        class_of.push(class);
        if let Some(members) = classes.get_mut(class as usize) {
            members.push(row);
        }
    }
    (class_of, classes)
}
