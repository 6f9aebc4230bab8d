//! The outputs: the values that were submitted, in the order that the mix gave them.

use std::{collections::HashMap, sync::Arc};

use algebra::Scalar;
use shuffle::tw::{Generators, VerifiedPermutation};
use wire::Digest;

use super::{
    Inputs, Mixed, Session,
    bases::{F, G1},
    paillier::{PartialDecryption, scalar_of},
};
use trace::{Agreement, TraceError, parts::Subject};

/// The decrypted outputs of a session.
pub struct Outputs {
    mixed: Arc<Mixed>,
    agreement: Agreement,
    partials: Vec<PartialDecryption>,
    values: Vec<F>,
    class_of: Vec<u32>,
    classes: Vec<Vec<u32>>,
}

impl Outputs {
    /// Verifies that all servers agree on the mix, and the decryption shares of all of them, and
    /// decrypts. Values count modulo q.
    ///
    /// # Errors
    /// [`TraceError::Disagreement`], [`TraceError::Engine`] naming the server whose shares are
    /// false.
    pub fn open(
        mixed: Arc<Mixed>,
        agreement: &Agreement,
        partials: &[PartialDecryption],
    ) -> Result<Self, TraceError> {
        let session = mixed.inputs().session();
        agreement.verify(Subject::Mix, session.rules().servers(), *mixed.digest())?;
        let opened = session
            .paillier()
            .open(session.id().as_bytes(), mixed.digest().as_bytes(), mixed.last(), partials)
            .map_err(|error| TraceError::engine("decryption of outputs", error.culprit(), error))?;
        let values: Vec<F> = opened.iter().map(scalar_of).collect();
        let (class_of, classes) = classify(&values);
        let (agreement, partials) = (agreement.clone(), partials.to_vec());
        Ok(Self { mixed, agreement, partials, values, class_of, classes })
    }

    /// The mix.
    pub fn mixed(&self) -> &Arc<Mixed> {
        &self.mixed
    }

    /// The signatures of all servers on inputs and mix.
    pub fn agreement(&self) -> &Agreement {
        &self.agreement
    }

    /// The shares that decrypted the outputs.
    pub fn partials(&self) -> &[PartialDecryption] {
        &self.partials
    }

    /// The inputs.
    pub fn inputs(&self) -> &Inputs {
        self.mixed.inputs()
    }

    /// The session.
    pub fn session(&self) -> &Session {
        self.mixed.inputs().session()
    }

    /// The number n of rows, of inputs and outputs alike.
    pub fn rows(&self) -> usize {
        self.values.len()
    }

    /// `v'_j`, in output order.
    pub fn values(&self) -> &[F] {
        &self.values
    }

    /// γ_i, in input order.
    pub fn commitments(&self) -> &[G1] {
        self.inputs().commitments()
    }

    /// For every output, a number that it shares with the outputs of the same value.
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

    pub(super) fn generators(&self) -> &Generators<G1> {
        self.mixed.generators()
    }

    pub(super) fn permutations(&self) -> &[VerifiedPermutation<G1>] {
        self.mixed.permutations()
    }
}

/// Numbers the distinct values in order of their first occurrence.
fn classify(values: &[F]) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut numbers: HashMap<[u8; 32], usize> = HashMap::new();
    let mut classes: Vec<Vec<u32>> = Vec::new();
    let mut class_of = Vec::with_capacity(values.len());
    for (row, value) in (0..).zip(values) {
        let class = *numbers.entry(value.encode()).or_insert(classes.len());
        match classes.get_mut(class) {
            Some(members) => members.push(row),
            None => classes.push(vec![row]),
        }
        class_of.push(class as u32);
    }
    (class_of, classes)
}
