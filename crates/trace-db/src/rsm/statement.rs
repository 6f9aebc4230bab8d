//! S6, where the servers open the blinded tuples, and the statement of p_BBS+. Steps, equations and symbols
//! (`S~`, `Z_1`, `v'`, the point F, …) are those of the [module](super); the type `F` is the field of scalars.

use algebra::{FixedBaseTable, Group, Scalar, inner_product};
use rand_core::CryptoRng;
use shuffle::{
    PointList,
    decrypt::{Decryption, PartialDecryption},
    encode,
};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use super::{RsmAgreed, RsmQuery};
use crate::{
    Announced, Announcement, BbsKey, Pass, Session,
    bases::{F, G1, G2, bases},
    distributed::weights,
    exponents::{add_multiples, scaled},
    paillier::{self, unpack},
    relation::{Relation, equation},
};
use trace::{
    TraceError,
    parts::encode::{digest_of, require_all},
};

/// A server's decryption shares: of the points `S~` under ElGamal, and of the numbers, `c~` and `r~` packed
/// into one plaintext, under Paillier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RsmPartial {
    /// Of the points.
    pub points: PartialDecryption<G1>,
    /// Of the numbers.
    pub integers: paillier::PartialDecryption,
}

/// `S~`, `c~`, `r~` of every opened row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RsmTuples {
    points: PointList<G1>,
    c: Vec<F>,
    r: Vec<F>,
}

impl RsmTuples {
    /// `S~`.
    pub fn points(&self) -> &[G1] {
        self.points.points()
    }

    /// `c~` and `r~`.
    pub fn numbers(&self) -> [&[F]; 2] {
        [&self.c, &self.r]
    }
}

/// Blinded tuples that all servers opened together, and what is to be proven about them.
#[derive(Clone)]
pub struct RsmOpened {
    agreed: RsmAgreed,
    statement: RsmStatement,
}

impl RsmOpened {
    /// Verifies the partial decryptions of servers 1..=m and opens the blinded tuples.
    ///
    /// # Errors
    /// [`TraceError::Decryption`] or [`TraceError::Engine`] naming the server whose shares are
    /// false.
    pub fn open(agreed: RsmAgreed, partials: Vec<RsmPartial>) -> Result<Self, TraceError> {
        let (points, integers): (Vec<_>, Vec<_>) =
            partials.into_iter().map(|partial| (partial.points, partial.integers)).unzip();
        let decryption = agreed.decryption();
        let verified = points.into_iter().map(|partial| decryption.verify_partial(partial));
        let points = verified
            .collect::<Result<Vec<_>, _>>()
            .and_then(|partials| decryption.combine(&partials))
            .map_err(TraceError::Decryption)?;
        let blinded = agreed.blinded();
        let session = blinded.routed().query().pass().outputs().session();
        let purpose = blinded.digest().as_bytes();
        let opened = session
            .paillier()
            .open(session.id().as_bytes(), purpose, blinded.integers(), &integers)
            .map_err(|error| TraceError::engine("decryption of numbers", error.culprit(), error))?;
        let (c, r) = opened.iter().map(unpack::<F>).unzip();
        let tuples = RsmTuples { points: PointList::new(points), c, r };
        let parts = [blinded.digest().as_bytes().as_slice(), &tuples.to_bytes()];
        let digest = digest_of("trace/db/rsm/opened", &parts);
        let query = blinded.routed().query().clone();
        let statement = RsmStatement::new(query, digest, tuples, blinded.commitments().clone())?;
        Ok(Self { agreed, statement })
    }

    /// What was agreed on.
    pub fn agreed(&self) -> &RsmAgreed {
        &self.agreed
    }

    /// The pass with its signatures.
    pub fn query(&self) -> &RsmQuery {
        self.agreed.blinded().routed().query()
    }

    /// The statement to be proven.
    pub fn statement(&self) -> &RsmStatement {
        &self.statement
    }

    /// Requires that every server announced what it had committed to, and gives the challenge.
    ///
    /// # Errors
    /// [`TraceError::Missing`], [`TraceError::Step`] naming the server.
    pub fn challenge(
        &self,
        commitments: &[Digest],
        announcements: &[Announcement],
    ) -> Result<Announced, TraceError> {
        Announced::verify(&self.statement, commitments, announcements)
    }
}

impl RsmAgreed {
    pub(super) fn decryption(&self) -> Decryption<'_, G1> {
        let keys = self.blinded().routed().query().pass().outputs().session().keys();
        let context = [b"trace/db/rsm".as_slice(), self.blinded().digest().as_bytes()].concat();
        Decryption::new(keys, self.blinded().points(), &context)
    }
}

/// What p_BBS+ is about: the pass, the blinded tuples, and `Z_1` of the opened rows.
#[derive(Clone)]
pub struct RsmStatement {
    query: RsmQuery,
    opened: Digest,
    tuples: RsmTuples,
    commitments: PointList<G1>,
    digest: Digest,
}

impl RsmStatement {
    /// Takes tuples and commitments on the servers' word, as the querier does: whatever they are, the proof
    /// is about them. `opened` is the digest of what dealer and servers said before.
    ///
    /// # Errors
    /// [`TraceError::Missing`] unless there is one of each for each opened row.
    pub fn new(
        query: RsmQuery,
        opened: Digest,
        tuples: RsmTuples,
        commitments: PointList<G1>,
    ) -> Result<Self, TraceError> {
        let items = query.pass().opened().len();
        require_all("blinded points", items, tuples.points.len())?;
        require_all("blinded numbers", items, tuples.c.len())?;
        require_all("blinded numbers", items, tuples.r.len())?;
        require_all("commitments Z_1", items, commitments.len())?;
        let parts: [&[u8]; 4] = [
            query.digest().as_bytes(),
            opened.as_bytes(),
            &tuples.to_bytes(),
            commitments.encoding(),
        ];
        let digest = digest_of("trace/db/rsm/statement", &parts);
        Ok(Self { query, opened, tuples, commitments, digest })
    }

    /// The digest of what dealer and servers said before.
    pub fn opened(&self) -> &Digest {
        &self.opened
    }

    /// The blinded tuples.
    pub fn tuples(&self) -> &RsmTuples {
        &self.tuples
    }

    /// `Z_1` of the opened rows.
    pub fn commitments(&self) -> &PointList<G1> {
        &self.commitments
    }
}

/// Witnesses b_S, b_c, b_r, δ_0, δ_1, δ_2; equations as in the [module](super)'s documentation. Since
/// `z = ω − c·w`, an announcement must be `R = right side(z) + c·left side`.
impl Relation for RsmStatement {
    type Key = BbsKey;
    type Scalars = [Vec<F>; 6];

    const EQUATIONS: usize = 3;

    fn pass(&self) -> &Pass {
        self.query.pass()
    }

    fn digest(&self) -> &Digest {
        &self.digest
    }

    fn apply(&self, scalars: &[Vec<F>; 6]) -> Vec<Vec<G1>> {
        let [_, b_c, ..] = scalars;
        let [second, third] = self.others(scalars);
        vec![self.first(scalars, b_c), second, third]
    }

    fn key(&self) -> &G2 {
        self.query.offer().key()
    }

    fn secret<'k>(&self, key: &'k BbsKey) -> Option<&'k F> {
        (key.public().0 == *Relation::key(self)).then(|| key.scalar())
    }

    fn signatures(&self) -> &[G1] {
        self.tuples.points.points()
    }

    /// The first equation: its right side for z, plus `c·((x + c~)·S~ − F − v'·G − r~·H)`.
    fn expected(&self, z: &[Vec<F>; 6], c: &F, x: &F) -> Vec<G1> {
        let [_, z_c, z_r, _, z_d1, _] = z;
        let RsmTuples { c: blinded_c, r: blinded_r, .. } = &self.tuples;
        let pass = self.query.pass();
        let values = pass.pick(pass.outputs().values());
        let combine = |left: &[F], factor: F, right: &[F]| -> Vec<F> {
            left.iter().zip(right).map(|(&left, &right)| left + factor * right).collect()
        };
        // Both sides are one combination of bases: `S~` has the factor `z_c + c·(x + c~)`, G has
        // `−(z_δ1 + c·v')` besides its part of z_S, H has `−(z_r + c·r~)`, and `−c·F` is the same in every row.
        let factors: Vec<F> =
            z_c.iter().zip(blinded_c).map(|(&z, &blinded)| z + *c * (*x + blinded)).collect();
        let (z_d1, z_r) = (combine(z_d1, *c, &values), combine(z_r, *c, blinded_r));
        let mut merged = z.clone();
        let [_, _, r, _, d_1, _] = &mut merged;
        (*r, *d_1) = (z_r, z_d1);
        let fixed = bases().f.mul(c);
        self.first(&merged, &factors).into_iter().map(|point| point - fixed).collect()
    }

    /// `z_S·G + z_δ0·E + c·Z_1` and `−z_c·Z_1 + z_δ1·G + z_δ2·E`; the third equation's left side is 0.
    fn expected_others(&self, z: &[Vec<F>; 6], c: &F) -> Vec<Vec<G1>> {
        let points = self.commitments.points();
        let left = scaled(points, &vec![*c; points.len()]);
        let [second, third] = self.others(z);
        let second = second.iter().zip(left).map(|(&right, left)| right + left).collect();
        vec![second, third]
    }

    fn inconsistent(
        &self,
        z: &[Vec<F>; 6],
        c: &F,
        announced: &PointList<G1>,
        rng: &mut dyn CryptoRng,
    ) -> Vec<bool> {
        let [z_s, z_c, _, z_d0, z_d1, z_d2] = z;
        let items = self.commitments.len();
        let (second, third) = (equation(announced, 1, items), equation(announced, 2, items));
        // With random weights, α for each row of the second equation and β for each of the third, all of them hold if
        // `Σ (α·c − β·z_c)·Z_1 + Σ (α·z_S + β·z_δ1)·G + Σ (α·z_δ0 + β·z_δ2)·E = Σ α·R_2 + Σ β·R_3`.
        let (alpha, beta) = (weights(items, rng), weights(items, rng));
        let scalars = |weights: &[u128]| -> Vec<F> {
            weights.iter().map(|&weight| F::from_u128(weight)).collect()
        };
        let (alphas, betas) = (scalars(&alpha), scalars(&beta));
        let factors: Vec<F> = alphas
            .iter()
            .zip(&betas)
            .zip(z_c)
            .map(|((&alpha, &beta), &z)| alpha * *c - beta * z)
            .collect();
        let g = inner_product(&alphas, z_s) + inner_product(&betas, z_d1);
        let e = inner_product(&alphas, z_d0) + inner_product(&betas, z_d2);
        let sum =
            G1::msm(&factors, self.commitments.points()) + bases().g.mul(&g) + bases().e.mul(&e)
                - G1::msm_short(&alpha, second)
                - G1::msm_short(&beta, third);
        if sum.is_identity() {
            return vec![false; items];
        }
        let expected = self.expected_others(z, c);
        let [left_2, left_3] = expected.as_slice() else { return vec![true; items] };
        let holds = left_2.iter().zip(second).zip(left_3.iter().zip(third));
        holds.map(|((l_2, r_2), (l_3, r_3))| l_2 != r_2 || l_3 != r_3).collect()
    }
}

impl RsmStatement {
    /// `b_S·G + δ_0·E` and `−b_c·Z_1 + δ_1·G + δ_2·E`.
    fn others(&self, scalars: &[Vec<F>; 6]) -> [Vec<G1>; 2] {
        let [b_s, b_c, _, d_0, d_1, d_2] = scalars;
        let second = add_multiples(bases().g.mul_all(b_s), &bases().e, d_0);
        let negated: Vec<F> = b_c.iter().map(|&b| -b).collect();
        let third = scaled(self.commitments.points(), &negated);
        [second, add_multiples(add_multiples(third, &bases().g, d_1), &bases().e, d_2)]
    }

    /// `b_S·(Y + c~·G) + factor·S~ − δ_1·G − b_r·H`: for the right side alone the factor is b_c.
    fn first(&self, scalars: &[Vec<F>; 6], factors: &[F]) -> Vec<G1> {
        let [b_s, _, b_r, _, d_1, _] = scalars;
        let image = FixedBaseTable::new(self.query.offer().image());
        let g: Vec<F> = b_s
            .iter()
            .zip(&self.tuples.c)
            .zip(d_1)
            .map(|((&b, &blinded), &d)| b * blinded - d)
            .collect();
        let h: Vec<F> = b_r.iter().map(|&b| -b).collect();
        let points = scaled(self.tuples.points.points(), factors);
        add_multiples(
            add_multiples(add_multiples(points, &image, b_s), &bases().g, &g),
            &bases().h,
            &h,
        )
    }
}

impl RsmPartial {
    /// Reads a server's shares in a session.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(reader: &mut Reader<'_>, session: &Session) -> Result<Self, DecodeError> {
        let points = PartialDecryption::decode(reader)?;
        let integers = paillier::PartialDecryption::decode(reader, session.paillier())?;
        Ok(Self { points, integers })
    }
}

/// Points, numbers.
impl Encode for RsmPartial {
    fn encode(&self, out: &mut Vec<u8>) {
        self.points.encode(out);
        self.integers.encode(out);
    }
}

/// Counted points, then c~, then r~.
impl Encode for RsmTuples {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.points.len() as u32).encode(out);
        out.extend_from_slice(self.points.encoding());
        out.extend(F::encode_all(&self.c));
        out.extend(F::encode_all(&self.r));
    }
}

impl Decode for RsmTuples {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let items = reader.count("tuples", shuffle::MAX_ROWS)?;
        let points = encode::point_list(reader, "blinded point", items)?;
        let c = encode::scalars::<G1>(reader, "blinded number", items)?;
        Ok(Self { points, c, r: encode::scalars::<G1>(reader, "blinded number", items)? })
    }
}
