//! The one challenge of a distributed proof, from a print of every item's announcements.
//!
//! The querier gets 16 bytes for each item instead of two or three points of 48, and computes the
//! points from responses and challenge, as in a Schnorr signature. It cannot hash all items at once:
//! the first equation is expected to fail outside the answer, and one sender or server could make the
//! hash fail for everybody. So every item has a hash of its own, and c is hashed from them all.
//!
//! # Prints of 128 bits
//! A print binds its item, and with the pass all earlier messages. An attacker who finds k announcements of one item
//! with one print, in about `2^(128·(k−1)/k)` hashes, can answer k challenges of 2^255. If this attacker is rewound k +
//! 1 times, it answers twice with the same announcement, so the witness is extracted as before. An attacker who knows
//! no witness and starts from c needs an announcement with the print from which c was hashed. The probability is 2^-128
//! for each hash, for any number of items, because each hash is for one item.

use algebra::{Group, Scalar};
use rayon::prelude::*;
use shuffle::PointList;
use transcript::{Transcript, TranscriptExt};
use wire::Digest;

use super::{
    bases::{F, G1},
    relation::Relation,
};
use trace::{
    TraceError,
    parts::encode::{digest_of, require_all},
};

/// The hash, cut to 128 bits, of what is announced about one item.
pub type Print = [u8; 16];

/// c, with the prints that it is hashed from.
#[derive(Clone, Debug)]
pub struct Challenge {
    prints: Vec<Print>,
    scalar: F,
    digest: Digest,
}

impl Challenge {
    /// Hashes pass and prints.
    ///
    /// # Errors
    /// [`TraceError::Missing`] unless there is one print for each opened row.
    pub(super) fn new<R: Relation>(relation: &R, prints: Vec<Print>) -> Result<Self, TraceError> {
        let items = relation.pass().opened().len();
        require_all("prints", items, prints.len())?;
        let mut transcript = Transcript::new(b"subrosa/trace/db/proof/v2");
        transcript.absorb(b"group", G1::NAME.as_bytes());
        transcript.absorb_u64(b"equations", R::EQUATIONS as u64);
        transcript.absorb_u64(b"witnesses", R::WITNESSES as u64);
        transcript.absorb_u64(b"items", items as u64);
        transcript.absorb(b"pass", relation.digest().as_bytes());
        transcript.absorb(b"prints", prints.as_flattened());
        let scalar = F::from_wide(&transcript.challenge_wide(b"c"));
        let parts = [relation.digest().as_bytes(), prints.as_flattened()];
        Ok(Self { scalar, digest: digest_of("trace/db/announced", &parts), prints })
    }

    /// The prints, one for each opened row.
    pub fn prints(&self) -> &[Print] {
        &self.prints
    }

    /// c.
    pub fn scalar(&self) -> F {
        self.scalar
    }

    /// What names the challenge: a server answers one for each pass.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }
}

/// The prints of points that are listed equation by equation, one for each item.
pub(super) fn prints<R: Relation>(relation: &R, points: &PointList<G1>) -> Vec<Print> {
    let items = points.len() / R::EQUATIONS;
    let encodings: Vec<&[u8]> = points.encoding().chunks(G1::ENCODED_LEN).collect();
    let pass = relation.digest().as_bytes();
    let print = |item: usize| {
        let number = (item as u64).to_le_bytes();
        let mut parts: Vec<&[u8]> = vec![pass, &number];
        parts.extend(encodings.iter().skip(item).step_by(items).copied());
        let digest = digest_of("trace/db/print", &parts);
        // A digest has 32 bytes, of which these are the first 16.
        digest.as_bytes().first_chunk().copied().unwrap_or_default()
    };
    (0..items).into_par_iter().map(print).collect()
}
