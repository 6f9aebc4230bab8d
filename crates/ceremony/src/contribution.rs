//! What the public knows of a contribution.

use algebra::Engine;
use circuit::{Attribution, zkey};
use wire::Digest;

/// A contribution as the public knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// The hash that its maker published.
    pub hash: [u8; 64],
    /// Who made it, by the file's word; of a beacon, that is checked.
    pub attribution: Attribution,
    /// The digest of the file that was contributed to, by its contributor's word, whose proof binds it:
    /// in native ceremonies only.
    pub input: Option<Digest>,
}

impl Contribution {
    pub(crate) fn of<E: Engine>(contribution: &zkey::Contribution<E>) -> Self {
        let attribution = contribution.attribution.clone();
        Self { hash: contribution.hash(), attribution, input: None }
    }
}
