//! S1 and S2: the querier's quasi-signatures.

use algebra::Group;
use board::Identity;
use shuffle::{MAX_ROWS, PointList, encode};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use crate::{
    BbsKey, Pass,
    bases::{G1, G2},
    signature::{BbsNumbers, BbsStatement, numbers},
};
use trace::{Direction, TraceError, parts::encode::digest_of};

const SIGNATURE_DOMAIN: &str = "subrosa/trace/db/offer/bbs/v1";

/// The querier's quasi-signatures for one pass, in the order of [`Pass::signed`], signed as the
/// request is. Their numbers c and r̂ are hashed by everybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BbsOffer {
    key: G2,
    image: G1,
    signatures: PointList<G1>,
    signature: [u8; 64],
}

impl BbsOffer {
    /// Signs the commitments that a pass asks about with a key that serves no other pass; `None`
    /// in the negligible case that the key cannot sign one of them. The querier must have verified
    /// the proofs of their openings ([`Inputs::verify_openings`](crate::Inputs)).
    pub fn new(pass: &Pass, key: &BbsKey, identity: &Identity) -> Option<Self> {
        let (public, image) = key.public();
        let all = numbers(pass.id().as_bytes(), &public, pass.outputs().rows());
        let rows = pass.signed();
        let points = key.sign_all(&at(&all, &rows), &at(pass.outputs().commitments(), &rows))?;
        let signatures = PointList::new(points);
        let mut offer = Self { key: public, image, signatures, signature: [0; 64] };
        offer.signature = identity.sign(SIGNATURE_DOMAIN, offer.signed(pass));
        Some(offer)
    }

    /// y.
    pub fn key(&self) -> &G2 {
        &self.key
    }

    /// `Y`, by whose pairing y is known in G1.
    pub fn image(&self) -> &G1 {
        &self.image
    }

    fn signed(&self, pass: &Pass) -> Digest {
        let body =
            [self.key.encode(), self.image.encode(), self.signatures.encoding().to_vec()].concat();
        digest_of(SIGNATURE_DOMAIN, &[pass.id().as_bytes(), &body])
    }
}

fn at<T: Copy>(list: &[T], rows: &[u32]) -> Vec<T> {
    rows.iter().filter_map(|&row| list.get(row as usize).copied()).collect()
}

/// A pass with quasi-signatures that were verified.
#[derive(Clone)]
pub struct RsmQuery {
    pass: Pass,
    offer: BbsOffer,
    numbers: Vec<BbsNumbers>,
    digest: Digest,
}

impl RsmQuery {
    /// Verifies the querier's signatures as one batch.
    ///
    /// # Errors
    /// [`TraceError::Query`] for a query that goes in; [`TraceError::Offer`] naming the row whose
    /// signature is not valid.
    pub fn verify(pass: Pass, offer: BbsOffer) -> Result<Self, TraceError> {
        let digest = offer.signed(&pass);
        let signed = (SIGNATURE_DOMAIN, digest, &offer.signature);
        let rows = pass.require_offer(Direction::Out, signed, (&offer.key, &offer.signatures))?;
        let refused = |row, reason| Err(TraceError::Offer { row, reason });
        let numbers = numbers(pass.id().as_bytes(), &offer.key, pass.outputs().rows());
        let statement = BbsStatement {
            context: pass.id().as_bytes(),
            key: &offer.key,
            image: &offer.image,
            numbers: &at(&numbers, &rows),
            commitments: &at(pass.outputs().commitments(), &rows),
            signatures: offer.signatures.points(),
        };
        if !statement.image_holds() {
            return refused(None, "the key in G1 is not that in G2");
        }
        if let Some(position) = statement.first_invalid() {
            return refused(rows.get(position).copied(), "it is not valid");
        }
        Ok(Self { pass, offer, numbers, digest })
    }

    /// The pass.
    pub fn pass(&self) -> &Pass {
        &self.pass
    }

    /// The querier's signatures.
    pub fn offer(&self) -> &BbsOffer {
        &self.offer
    }

    /// What names pass, key and signatures.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// c and r̂ of every row, signed or not.
    pub(super) fn numbers(&self) -> &[BbsNumbers] {
        &self.numbers
    }

    /// For every row, its quasi-signature, or `None` outside I.
    pub(super) fn signatures(&self) -> Vec<Option<G1>> {
        let mut signatures = self.offer.signatures.points().iter();
        let marked = self.pass.marked().iter();
        marked.map(|marked| marked.then(|| signatures.next().copied()).flatten()).collect()
    }
}

/// y, Y, counted signatures, the querier's signature.
impl Encode for BbsOffer {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.key.encode());
        out.extend(self.image.encode());
        (self.signatures.len() as u32).encode(out);
        out.extend_from_slice(self.signatures.encoding());
        out.extend_from_slice(&self.signature);
    }
}

impl Decode for BbsOffer {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let key = encode::point(reader, "querier's key of a pass")?;
        let image = encode::point(reader, "querier's key of a pass in G1")?;
        let count = reader.count("signatures", MAX_ROWS)?;
        let signatures = encode::point_list(reader, "signature", count)?;
        Ok(Self { key, image, signatures, signature: reader.array()? })
    }
}
