//! S5 and Z_1, dealt: blindings, their products, and what everybody sees of them.
//!
//! **The dealer is trusted for secrecy**: it must be honest, collude with nobody, and forget what it dealt (see the
//! [module](super)). For soundness it need not be trusted. It proves that it knows the openings of everything that it
//! deals ([`DealtProof`]), so its dealing cannot contain a tuple of another row, whose openings nobody knows.
//!
//! A server needs a seed, from which its blindings and all randomness of their encryptions follow, and its shares of
//! the products. Both are sealed to it. So one signed message is the whole dealing, and a server can compute its public
//! part again and compare.

use algebra::Scalar;
use board::{AuthorId, Identity};
use rand_core::CryptoRng;
use shuffle::{Column, MAX_ROWS, PointList, PublicKey, SecretKey, encode};
use wire::{Decode, DecodeError, Digest, Encode, Reader};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{
    RsmRouted,
    dealt_proof::{DealtProof, Occasion},
    encrypt_multiples,
    image::{Image, ImageOpenings},
    route::column,
};
use crate::{
    Session,
    bases::{F, G1, bases},
    exponents::add_multiples,
    paillier::{Ciphertexts, mask_of, pack},
};
use trace::{
    Sealed, TraceError,
    parts::{encode::digest_of, fresh},
};

const SIGNATURE_DOMAIN: &str = "subrosa/trace/db/dealing/v2";

/// What the dealer gives to one server. Erased when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Share {
    seed: [u8; 32],
    /// Shares of `δ_1 = b_S·b_c` and `δ_2 = δ_0·b_c`.
    products: [Vec<F>; 2],
}

/// One server's part.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    image: Image,
    proof: DealtProof,
    sealed: Sealed<G1>,
}

/// The blindings of all servers for one pass over its routed lists, signed by the dealer; each
/// server's share is sealed to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RsmDealing {
    parts: Vec<Part>,
    signature: [u8; 64],
}

/// Deals for servers 1..=m, with fresh randomness whenever it is called.
///
/// # Errors
/// [`TraceError::Engine`], [`TraceError::Sealing`].
pub fn deal(
    routed: &RsmRouted,
    dealer: &Identity,
    rng: &mut impl CryptoRng,
) -> Result<RsmDealing, TraceError> {
    let session = routed.session();
    let items = routed.points().len();
    let mut shares: Vec<Share> = (0..session.servers()).map(|_| Share::draw(items, rng)).collect();
    multiply(&mut shares, routed);
    let parts = (1..).zip(&shares).zip(session.sealing()).map(|((server, share), key)| {
        let (image, openings) = share.image(routed)?;
        let occasion = Occasion { routed, dealer: &dealer.id(), server };
        let proof = DealtProof::prove(&occasion, &image, &openings, rng)?;
        let sealed = share.seal(routed, server, key, rng)?;
        Ok(Part { image, proof, sealed })
    });
    let parts = parts.collect::<Result<_, TraceError>>()?;
    let mut dealing = RsmDealing { parts, signature: [0; 64] };
    dealing.signature = dealer.sign(SIGNATURE_DOMAIN, dealing.digest(routed));
    Ok(dealing)
}

/// Corrects the first server's shares, so that those of all servers add up to the products.
fn multiply(shares: &mut [Share], routed: &RsmRouted) {
    let items = routed.points().len();
    let mut sums: [Zeroizing<Vec<F>>; 4] =
        std::array::from_fn(|_| Zeroizing::new(vec![F::zero(); items]));
    // Minus the sum of all shares, the first server's own included.
    let mut rest: [Zeroizing<Vec<F>>; 2] =
        std::array::from_fn(|_| Zeroizing::new(vec![F::zero(); items]));
    for share in shares.iter() {
        for (sum, list) in sums.iter_mut().zip(&share.blindings(routed)) {
            sum.iter_mut().zip(list.iter()).for_each(|(sum, &own)| *sum += own);
        }
        for (rest, list) in rest.iter_mut().zip(&share.products) {
            rest.iter_mut().zip(list).for_each(|(rest, &own)| *rest -= own);
        }
    }
    let [b_s, b_c, _, delta_0] = &sums;
    let Some(first) = shares.first_mut() else { return };
    for ((own, rest), left) in first.products.iter_mut().zip(&rest).zip([b_s, delta_0]) {
        let rows = own.iter_mut().zip(rest.iter()).zip(left.iter().zip(b_c.iter()));
        rows.for_each(|((own, &rest), (&left, &c))| *own += rest + left * c);
    }
}

impl Share {
    fn draw(items: usize, rng: &mut impl CryptoRng) -> Self {
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        let mut list = || F::random_many(items, rng);
        Self { seed, products: [list(), list()] }
    }

    /// b_S, b_c, b_r, δ_0.
    fn blindings(&self, routed: &RsmRouted) -> [Zeroizing<Vec<F>>; 4] {
        let mut rng = fresh::repeatable(&self.seed, "blindings", routed.digest());
        let items = routed.points().len();
        std::array::from_fn(|_| Zeroizing::new(F::random_many(items, &mut rng)))
    }

    /// This server's shares of the witness of p_BBS+: b_S, b_c, b_r, δ_0, δ_1, δ_2.
    pub(super) fn witness(&self, routed: &RsmRouted) -> Zeroizing<[Vec<F>; 6]> {
        let [b_s, b_c, b_r, delta_0] =
            self.blindings(routed).map(|mut list| std::mem::take(&mut *list));
        let [delta_1, delta_2] = self.products.clone();
        Zeroizing::new([b_s, b_c, b_r, delta_0, delta_1, delta_2])
    }

    /// The public part of this share, and its openings. All follow from the seed: they are the same each time.
    fn image(&self, routed: &RsmRouted) -> Result<(Image, ImageOpenings), TraceError> {
        let [mut point, c, r, mut delta] = self.blindings(routed);
        let session = routed.session();
        let mut rng = fresh::repeatable(&self.seed, "encryptions", routed.digest());
        let mut randomness = Zeroizing::new(F::random_many(point.len(), &mut rng));
        let points = encrypt_multiples(session.keys().public_key(), &randomness, &point);
        let masks = c.iter().zip(r.iter());
        let packed = masks.map(|(c, r)| pack(&mask_of(c, &mut rng), &mask_of(r, &mut rng)));
        let packed = packed.collect();
        let (integers, opened) = session
            .paillier()
            .encrypt(packed, &mut rng)
            .map_err(|error| TraceError::engine("dealing of blindings", error.culprit(), error))?;
        let commitments = add_multiples(bases().g.mul_all(&point), &bases().e, &delta);
        let image = Image { points, integers, commitments: PointList::new(commitments) };
        let scalars =
            [&mut randomness, &mut point, &mut delta].map(|list| std::mem::take(&mut **list));
        Ok((image, ImageOpenings { scalars: Zeroizing::new(scalars), integers: opened }))
    }

    fn seal(
        &self,
        routed: &RsmRouted,
        server: u16,
        key: &PublicKey<G1>,
        rng: &mut impl CryptoRng,
    ) -> Result<Sealed<G1>, TraceError> {
        let mut bytes = Zeroizing::new(Vec::new());
        self.encode(&mut bytes);
        Sealed::seal(key, &seal_context(routed, server), &bytes, rng)
    }
}

fn seal_context(routed: &RsmRouted, server: u16) -> Vec<u8> {
    [b"trace/db/dealing".as_slice(), routed.digest().as_bytes(), &server.to_le_bytes()].concat()
}

impl RsmDealing {
    /// What the dealer signs: session, pass, lists, all parts.
    fn digest(&self, routed: &RsmRouted) -> Digest {
        let mut body = Vec::new();
        self.parts.iter().for_each(|part| part.encode(&mut body));
        let pass = routed.query().pass().id().as_bytes();
        let session = routed.session().id().as_bytes();
        digest_of(SIGNATURE_DOMAIN, &[session, pass, routed.digest().as_bytes(), &body])
    }

    /// Requires the dealer's signature on a part for every server, with an entry for every row, whose
    /// openings it proves to know; gives what is signed.
    pub(super) fn check(
        &self,
        routed: &RsmRouted,
        dealer: &AuthorId,
    ) -> Result<Digest, TraceError> {
        let digest = self.digest(routed);
        if !dealer.verify(SIGNATURE_DOMAIN, digest, &self.signature) {
            return Err(TraceError::Dealing("the dealer did not sign them for this pass"));
        }
        let items = routed.points().len();
        let fits = |Image { points, integers, commitments }: &Image| {
            [points.len(), integers.len(), commitments.len()] == [items; 3]
        };
        let servers = routed.session().servers();
        if self.parts.len() != servers || !self.parts.iter().all(|part| fits(&part.image)) {
            return Err(TraceError::Dealing("they are not one for each server and row"));
        }
        for (server, Part { image, proof, .. }) in (1..).zip(&self.parts) {
            proof.verify(&Occasion { routed, dealer, server }, image)?;
        }
        Ok(digest)
    }

    /// Encryptions of `b_S·G`, of the numbers, and `Z_1^(k)`, server by server.
    pub(super) fn images(
        &self,
    ) -> impl Iterator<Item = (&Column<G1>, &Ciphertexts, &PointList<G1>)> {
        self.parts
            .iter()
            .map(|Part { image, .. }| (&image.points, &image.integers, &image.commitments))
    }

    /// Opens a server's share.
    pub(super) fn open(
        &self,
        routed: &RsmRouted,
        server: u16,
        key: &SecretKey<G1>,
    ) -> Result<Share, TraceError> {
        let unreadable = TraceError::Dealing("what is sealed to this server does not open");
        let part = self.parts.get(usize::from(server).saturating_sub(1));
        let bytes = part.and_then(|part| part.sealed.open(key, &seal_context(routed, server)));
        // What does not decode does not open, for whatever reason.
        let share = bytes.and_then(|bytes| Share::from_bytes(&bytes).ok()).ok_or(unreadable)?;
        let items = routed.points().len();
        match share.products.iter().all(|list| list.len() == items) {
            true => Ok(share),
            false => Err(TraceError::Dealing("this server has not a share for each row")),
        }
    }

    /// Requires that what everybody sees of a server's part is that of its share.
    pub(super) fn check_own(
        &self,
        routed: &RsmRouted,
        server: u16,
        key: &SecretKey<G1>,
    ) -> Result<(), TraceError> {
        let (image, _) = self.open(routed, server, key)?.image(routed)?;
        let part = self.parts.get(usize::from(server).saturating_sub(1));
        match part.is_some_and(|part| part.image == image) {
            true => Ok(()),
            false => Err(TraceError::Dealing("this server's share does not match its public part")),
        }
    }

    /// Reads a dealing in a session.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(reader: &mut Reader<'_>, session: &Session) -> Result<Self, DecodeError> {
        let mut part = || {
            let (points, integers) =
                (column(reader)?, Ciphertexts::decode(reader, session.paillier())?);
            let commitments = encode::point_list(reader, "Z_1", points.len())?;
            let image = Image { points, integers, commitments };
            let proof = DealtProof::decode(reader, session)?;
            Ok(Part { image, proof, sealed: Sealed::decode(reader)? })
        };
        let parts = (0..session.servers()).map(|_| part()).collect::<Result<_, DecodeError>>()?;
        Ok(Self { parts, signature: reader.array()? })
    }
}

/// What everybody sees, that its openings are known, the sealed share.
impl Encode for Part {
    fn encode(&self, out: &mut Vec<u8>) {
        self.image.encode(out);
        self.proof.encode(out);
        self.sealed.encode(out);
    }
}

/// The parts of all servers of the session, the signature.
impl Encode for RsmDealing {
    fn encode(&self, out: &mut Vec<u8>) {
        self.parts.iter().for_each(|part| part.encode(out));
        out.extend_from_slice(&self.signature);
    }
}

/// Seed, 32-bit count of rows, shares of δ_1, shares of δ_2. A secret.
impl Encode for Share {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.seed);
        let items = self.products.first().map_or(0, Vec::len);
        (items as u32).encode(out);
        for list in &self.products {
            out.extend_from_slice(&Zeroizing::new(F::encode_all(list)));
        }
    }
}

impl Decode for Share {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let seed = reader.array()?;
        let items = reader.count("shares of products", MAX_ROWS)?;
        let mut list = || encode::scalars::<G1>(reader, "share of a product", items);
        Ok(Self { seed, products: [list()?, list()?] })
    }
}
