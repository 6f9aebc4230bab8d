//! That the dealer knows what it deals: `PK{(ρ, b_S, δ_0, b_c, b_r)}` for every row of a part, in one proof
//! of constant size.
//!
//! Without this proof, a dealer could add the quotient of two routed ciphertexts, whose opening nobody knows, to the
//! blindings of a colluding server. A row outside I would then open to the tuple of another row, blinded with numbers
//! that the dealer knows, and a proof of a signature would hold where the querier signed nothing.

use algebra::Group as _;
use board::AuthorId;
use rand_core::CryptoRng;
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use super::{
    RsmRouted,
    image::{Image, ImageOpenings},
};
use crate::{
    Session,
    bases::{G1, bases},
    knowledge::{RepresentationProof, Representations},
    paillier::{Context, OpeningsProof, PACKED_BITS},
};
use trace::{TraceError, parts::encode::digest_of};

/// Where a part belongs: the lists of a pass, who deals, and to whom.
pub(super) struct Occasion<'a> {
    pub(super) routed: &'a RsmRouted,
    pub(super) dealer: &'a AuthorId,
    pub(super) server: u16,
}

/// One part's proof: for all rows `(ρ, b_S, δ_0)` of the points and of `Z_1` with one b_S, and the openings
/// of the numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DealtProof {
    points: RepresentationProof<3, 3>,
    integers: OpeningsProof,
}

impl DealtProof {
    pub(super) fn prove(
        occasion: &Occasion<'_>,
        image: &Image,
        openings: &ImageOpenings,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, TraceError> {
        let (session, statement) = (occasion.routed.session(), occasion.statement(image));
        let [randomness, point, delta] = openings.scalars.each_ref().map(Vec::as_slice);
        let points = RepresentationProof::prove(
            &mut transcript(&statement),
            &representations(session, image),
            [randomness, point, delta],
            rng,
        );
        let integers = OpeningsProof::prove(
            session.paillier(),
            &occasion.context(&statement),
            &image.integers,
            &openings.integers,
            PACKED_BITS,
            rng,
        );
        let integers = integers
            .map_err(|error| TraceError::engine("dealing of blindings", error.culprit(), error))?;
        Ok(Self { points, integers })
    }

    /// # Errors
    /// [`TraceError::Dealing`].
    pub(super) fn verify(&self, occasion: &Occasion<'_>, image: &Image) -> Result<(), TraceError> {
        let (session, statement) = (occasion.routed.session(), occasion.statement(image));
        let points = representations(session, image);
        if !self.points.verify(&mut transcript(&statement), &points) {
            return Err(TraceError::Dealing("the dealer does not prove that it knows the points"));
        }
        let (key, context) = (session.paillier(), occasion.context(&statement));
        match self.integers.verify(key, &context, &image.integers, PACKED_BITS) {
            true => Ok(()),
            false => {
                Err(TraceError::Dealing("the dealer does not prove that it knows the numbers"))
            }
        }
    }

    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub(super) fn decode(reader: &mut Reader<'_>, session: &Session) -> Result<Self, DecodeError> {
        let points = RepresentationProof::decode(reader)?;
        let integers = OpeningsProof::decode(reader, session.paillier(), PACKED_BITS)?;
        Ok(Self { points, integers })
    }
}

/// Of the points, of the numbers.
impl Encode for DealtProof {
    fn encode(&self, out: &mut Vec<u8>) {
        self.points.encode(out);
        self.integers.encode(out);
    }
}

impl Occasion<'_> {
    /// What both halves of the proof are about: session, pass, lists, dealer, server, and the image.
    fn statement(&self, image: &Image) -> Digest {
        let parts: [&[u8]; 6] = [
            self.routed.session().id().as_bytes(),
            self.routed.query().pass().id().as_bytes(),
            self.routed.digest().as_bytes(),
            self.dealer.as_bytes(),
            &self.server.to_le_bytes(),
            &image.to_bytes(),
        ];
        digest_of("trace/db/rsm/dealt", &parts)
    }

    fn context<'a>(&'a self, statement: &'a Digest) -> Context<'a> {
        let session = self.routed.session().id().as_bytes();
        Context { session, purpose: statement.as_bytes(), server: self.server }
    }
}

fn transcript(statement: &Digest) -> Transcript {
    let mut transcript = Transcript::new(b"subrosa/trace/db/rsm/dealt/v1");
    transcript.absorb(b"part", statement.as_bytes());
    transcript
}

/// `C_1 = ρ·G`, `C_2 = ρ·pk + b_S·G`, `Z_1 = b_S·G + δ_0·E`.
fn representations<'a>(session: &Session, image: &'a Image) -> Representations<'a, 3, 3> {
    let (g, zero) = (G1::generator(), G1::identity());
    let (pk, e) = (session.keys().public_key().point(), bases().e.mul(&algebra::Scalar::one()));
    let [c_1, c_2] = image.points.components().map(|list| list.points());
    Representations {
        bases: [[g, zero, zero], [pk, g, zero], [zero, g, e]],
        points: [c_1, c_2, image.commitments.points()],
    }
}
