//! What queries stand on: a verified mix with its opened outputs, whoever ran it.

use std::{collections::HashMap, sync::Arc};

use algebra::Group;
use board::AuthorId;
use shuffle::{
    dkg::KeySet,
    tw::{Generators, PermutationContext, VerifiedPermutation},
};
use wire::Digest;

use crate::{TraceError, parts::encode::require_all};

/// How the proofs of a mix name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixName {
    /// The study.
    pub study: Vec<u8>,
    /// The mix within the study.
    pub mix: Vec<u8>,
    /// The mixers' numbers, in the order in which they mixed.
    pub mixers: Vec<u32>,
}

impl MixName {
    /// Which permutation the mixer at a place of the chain, counted from 1, committed to.
    pub fn permutation(&self, place: u16) -> PermutationContext<'_> {
        let Self { study, mix, .. } = self;
        PermutationContext { study, mix, mixer: self.mixer(place) }
    }

    pub(super) fn mixer(&self, place: u16) -> u32 {
        let index = usize::from(place).checked_sub(1);
        // Mixers have the places from 1 to their number (`Ground::new`); number 0 is nobody's.
        index.and_then(|index| self.mixers.get(index)).copied().unwrap_or_default()
    }

    /// The place, counted from 1, of the mixer of this number.
    pub(super) fn place_of(&self, mixer: u32) -> u16 {
        let mut places = (1..).zip(&self.mixers);
        places.find(|(_, known)| **known == mixer).map_or(0, |(place, _)| place)
    }
}

/// A party of a query: all of them sign it before any share exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signer {
    /// The signing key.
    pub id: AuthorId,
    /// The part of the key that it decrypts with, if it has one.
    pub trustee: Option<u16>,
}

/// A mix that was verified from the ballots to the outputs, as queries see it. A traceable mix of
/// this crate makes one (see [`Outputs`](super::Outputs)); so does any other mix whose mixers kept
/// the openings of their permutation commitments, such as that of an election.
pub struct Ground<G: Group> {
    id: Digest,
    digest: Digest,
    name: MixName,
    permutations: Vec<VerifiedPermutation<G>>,
    keys: KeySet<G>,
    signers: Vec<Signer>,
    generators: Arc<Generators<G>>,
    values: Vec<Vec<G>>,
    class_of: Vec<u32>,
    classes: Vec<Vec<u32>>,
}

/// What a [`Ground`] is made of.
pub struct Foundation<G: Group> {
    /// The name of the session, which requests are bound to.
    pub id: Digest,
    /// What names key, inputs, mix and outputs: what is agreed on contains it.
    pub digest: Digest,
    /// How the proofs of the mix name it.
    pub name: MixName,
    /// The mixers' commitments, in the order in which they mixed. The caller has verified that the
    /// inputs became the outputs by these, every one of them.
    pub permutations: Vec<VerifiedPermutation<G>>,
    /// The key under which inputs and markers are encrypted.
    pub keys: KeySet<G>,
    /// The parties of every query: the mixers, in the order in which they mixed, then all others.
    pub signers: Vec<Signer>,
    /// The generators of the commitments.
    pub generators: Arc<Generators<G>>,
    /// The plaintexts, all blocks of each, in output order.
    pub values: Vec<Vec<G>>,
}

impl<G: Group> Ground<G> {
    /// Takes a verified mix up for queries.
    ///
    /// # Errors
    /// [`TraceError::Missing`] unless every mixer has a permutation of all rows and is a signer,
    /// [`TraceError::Rows`] without rows.
    pub fn new(foundation: Foundation<G>) -> Result<Self, TraceError> {
        let Foundation { id, digest, name, permutations, keys, signers, generators, values } =
            foundation;
        let mixers = name.mixers.len();
        require_all("permutations", mixers, permutations.len())?;
        require_all("signers", mixers, signers.len().min(mixers))?;
        if values.is_empty() {
            return Err(TraceError::Rows { rows: 0, limit: shuffle::MAX_ROWS });
        }
        for permutation in &permutations {
            require_all("rows", values.len(), permutation.commitment().len())?;
        }
        let (class_of, classes) = classify(&values);
        Ok(Self {
            id,
            digest,
            name,
            permutations,
            keys,
            signers,
            generators,
            values,
            class_of,
            classes,
        })
    }

    /// The session's name.
    pub fn id(&self) -> &Digest {
        &self.id
    }

    /// What names session, inputs and mix.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// How the proofs of the mix name it.
    pub fn name(&self) -> &MixName {
        &self.name
    }

    /// The number of mixers: the first signers.
    pub fn mixers(&self) -> usize {
        self.name.mixers.len()
    }

    /// The mixers' commitments, in the order in which they mixed.
    pub fn permutations(&self) -> &[VerifiedPermutation<G>] {
        &self.permutations
    }

    /// The key that markers are encrypted under.
    pub fn keys(&self) -> &KeySet<G> {
        &self.keys
    }

    /// Who signs queries.
    pub fn signers(&self) -> &[Signer] {
        &self.signers
    }

    /// A signer by its number, counted from 1.
    pub fn signer(&self, number: u16) -> Option<&Signer> {
        self.signers.get(usize::from(number).checked_sub(1)?)
    }

    /// The number, counted from 1, of the signer with this key.
    pub fn number_of(&self, id: &AuthorId) -> Option<u16> {
        let mut signers = (1..).zip(&self.signers);
        signers.find(|(_, signer)| signer.id == *id).map(|(number, _)| number)
    }

    /// The generators of all proofs.
    pub fn generators(&self) -> &Generators<G> {
        &self.generators
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

    pub(super) fn signer_ids(&self) -> Vec<AuthorId> {
        self.signers.iter().map(|signer| signer.id).collect()
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
