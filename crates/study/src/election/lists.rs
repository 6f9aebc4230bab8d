//! The lists of ballots that are mixed and opened apart: one, or one for each class of voters.

use algebra::Group;
use shuffle::{Column, PublicKey};
use wire::{Digest, Encode as _};

/// The mix of an election without classes, as proofs name it.
pub(crate) const MIX: &[u8] = b"ballots";

/// Ballots that are mixed and opened together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BallotList<G: Group> {
    class: Option<u8>,
    mix: Vec<u8>,
    columns: Vec<Column<G>>,
}

impl<G: Group> BallotList<G> {
    /// All ballots, or those of a class, column by column.
    pub(super) fn new(class: Option<u8>, columns: Vec<Column<G>>) -> Self {
        let mix = class.map_or(MIX.to_vec(), |class| {
            format!("ballots/class/{}", u16::from(class) + 1).into_bytes()
        });
        Self { class, mix, columns }
    }

    /// The class, numbered from 0; `None` in an election without classes.
    pub fn class(&self) -> Option<u8> {
        self.class
    }

    /// The ballots, column by column.
    pub fn columns(&self) -> &[Column<G>] {
        &self.columns
    }

    /// The number of ballots.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Column::len)
    }

    /// The mix, as proofs name it: those about one class are none about another.
    pub fn mix(&self) -> &[u8] {
        &self.mix
    }

    /// The same list as a mix left it.
    pub(super) fn mixed(&self, columns: Vec<Column<G>>) -> Self {
        Self { columns, ..self.clone() }
    }

    /// What a mixer derives its permutation and masks from, beside its secret: another key, other inputs,
    /// another class or another place never meet the same.
    pub(super) fn mix_state(&self, position: u32, key: &PublicKey<G>) -> Digest {
        let mut state = position.to_le_bytes().to_vec();
        state.extend(key.point().encode());
        self.columns.iter().for_each(|column| column.encode(&mut state));
        match self.class {
            None => Digest::of("subrosa/election/mix/v1", &state),
            Some(class) => {
                state.push(class);
                Digest::of("subrosa/election/mix/class/v1", &state)
            }
        }
    }
}

/// What partial decryptions are about beside the ciphertexts: the election, and how many of them are whose.
pub(super) fn decryption_context<G: Group>(id: &Digest, lists: &[BallotList<G>]) -> Vec<u8> {
    let mut context = id.as_bytes().to_vec();
    for list in lists {
        if let Some(class) = list.class {
            context.push(class);
            (list.rows() as u64).encode(&mut context);
        }
    }
    context
}
