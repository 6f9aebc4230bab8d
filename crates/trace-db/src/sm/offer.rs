//! S1 and S2: the querier's signatures, and what the servers make of them.

use algebra::Group;
use board::Identity;
use rayon::prelude::*;
use shuffle::{Ciphertext, Column, MAX_ROWS, PointList, encode};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use crate::{
    BbKey, Pass,
    bases::{F, G1, G2},
    signature::BbStatement,
    verified::VerifiedTurns,
};
use trace::{Direction, TraceError, parts::encode::digest_of};

const SIGNATURE_DOMAIN: &str = "subrosa/trace/db/offer/v1";

/// The querier's signatures for one pass, in the order of [`Pass::signed`], signed as the request
/// is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BbOffer {
    key: G2,
    signatures: PointList<G1>,
    signature: [u8; 64],
}

impl BbOffer {
    /// Signs what a pass asks about with a key that serves no other pass.
    pub fn new(pass: &Pass, key: &BbKey, identity: &Identity) -> Self {
        let signatures = PointList::new(key.sign_all(&signed_values(pass)));
        let mut offer = Self { key: key.public(), signatures, signature: [0; 64] };
        offer.signature = identity.sign(SIGNATURE_DOMAIN, offer.signed(pass));
        offer
    }

    /// y.
    pub fn key(&self) -> &G2 {
        &self.key
    }

    fn signed(&self, pass: &Pass) -> Digest {
        let body = [self.key.encode().as_slice(), self.signatures.encoding()].concat();
        digest_of(SIGNATURE_DOMAIN, &[pass.id().as_bytes(), &body])
    }
}

fn signed_values(pass: &Pass) -> Vec<F> {
    let values = pass.outputs().values();
    pass.signed().iter().filter_map(|&row| values.get(row as usize).copied()).collect()
}

/// A pass with signatures that were verified, and the list that they make: `(0, σ_j)` with
/// randomness 0, formed by everybody alike. No ciphertext comes from the querier; it could be a
/// sender's.
#[derive(Clone)]
pub struct SmQuery {
    pass: Pass,
    offer: BbOffer,
    list: [Column<G1>; 1],
    digest: Digest,
    verified: VerifiedTurns,
}

impl SmQuery {
    /// Verifies the querier's signatures as one batch.
    ///
    /// # Errors
    /// [`TraceError::Query`] for a query that goes out; [`TraceError::Offer`] naming the row whose
    /// signature is not valid.
    pub fn verify(pass: Pass, offer: BbOffer) -> Result<Self, TraceError> {
        let digest = offer.signed(&pass);
        let signed = (SIGNATURE_DOMAIN, digest, &offer.signature);
        let rows = pass.require_offer(Direction::In, signed, (&offer.key, &offer.signatures))?;
        let values = signed_values(&pass);
        let statement = BbStatement {
            context: pass.id().as_bytes(),
            key: &offer.key,
            values: &values,
            signatures: offer.signatures.points(),
        };
        if let Some(position) = statement.first_invalid() {
            let row = rows.get(position).copied();
            return Err(TraceError::Offer { row, reason: "it is not valid" });
        }
        let list = [list(&pass, &offer)];
        Ok(Self { pass, offer, list, digest, verified: VerifiedTurns::default() })
    }

    /// The pass.
    pub fn pass(&self) -> &Pass {
        &self.pass
    }

    /// The querier's signatures.
    pub fn offer(&self) -> &BbOffer {
        &self.offer
    }

    /// One list of encryptions of σ_j, in output order.
    pub fn list(&self) -> &[Column<G1>] {
        &self.list
    }

    /// The turns that were verified.
    pub(super) fn verified(&self) -> &VerifiedTurns {
        &self.verified
    }

    /// What names pass, key and signatures.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }
}

/// σ_j of the querier where it signed, and elsewhere the hash of pass, key and row. Its logarithm
/// must be known to nobody: from the equation that fails for a row outside the answer, the querier
/// computes `b·G − v·σ~ = b·(G − v·σ_j)`, and would find j by trying all v' if it knew log σ_j.
fn list(pass: &Pass, offer: &BbOffer) -> Column<G1> {
    let key = offer.key.encode();
    let mut signatures = offer.signatures.points().iter();
    let signed: Vec<Option<G1>> = pass
        .marked()
        .iter()
        .map(|marked| marked.then(|| signatures.next().copied()).flatten())
        .collect();
    let row = |(row, signed): (usize, &Option<G1>)| {
        let fake = || {
            let parts = [pass.id().as_bytes().as_slice(), &key, &(row as u64).to_le_bytes()];
            G1::hash_to_group(digest_of("trace/db/fake", &parts).as_bytes())
        };
        Ciphertext::trivial(signed.unwrap_or_else(fake))
    };
    Column::new(&signed.par_iter().enumerate().map(row).collect::<Vec<_>>())
}

/// y, counted signatures, the querier's signature.
impl Encode for BbOffer {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.key.encode());
        (self.signatures.len() as u32).encode(out);
        out.extend_from_slice(self.signatures.encoding());
        out.extend_from_slice(&self.signature);
    }
}

impl Decode for BbOffer {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let key = encode::point(reader, "querier's key of a pass")?;
        let count = reader.count("signatures", MAX_ROWS)?;
        let signatures = encode::point_list(reader, "signature", count)?;
        Ok(Self { key, signatures, signature: reader.array()? })
    }
}
