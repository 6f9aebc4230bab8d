//! The first key: what circuit and phase 1 make of `γ = δ = 1`.

use std::io::{Read, Seek};

use algebra::{Affine, AffineGroup, CurveGroup, Engine, Group, Scalar, ScalarOf};
use circuit::{
    Error as FileError, PointList,
    ptau::{G1Section, G2Section, Ptau},
    zkey::{Coefficient, G1Query, KeyPoints, ZkeyHeader},
};
use wire::Progress;

use super::{
    CHUNK,
    circuit_hash::CircuitHash,
    constraints::{Circuit, coefficients},
    wires::{RowPoints, WireSums},
};
use crate::{Error, powers::Powers};

/// Points that snarkjs hashes at a time.
const SNARKJS_CHUNK: u64 = 1 << 14;

/// Points, with the position of the first of them.
pub(super) type Chunk<G> = (u64, Vec<Affine<G>>);

/// Takes the sections of the first key, in the order in which snarkjs writes them: 4, 3, 9, 8, 5, 6,
/// 7.
pub(super) trait Sink<E: Engine> {
    /// Section 4.
    fn coefficients(
        &mut self,
        count: u32,
        entries: impl Iterator<Item = Result<Coefficient<ScalarOf<E>>, Error>>,
    ) -> Result<(), Error>;

    /// A section of G1.
    fn g1(
        &mut self,
        query: G1Query,
        chunks: impl Iterator<Item = Result<Chunk<E::G1>, Error>>,
    ) -> Result<(), Error>;

    /// Section 7.
    fn b_g2(
        &mut self,
        chunks: impl Iterator<Item = Result<Chunk<E::G2>, Error>>,
    ) -> Result<(), Error>;
}

/// The first key of a circuit, computed part by part.
pub(super) struct Initial<'a, E: Engine, C, P> {
    pub header: ZkeyHeader<E>,
    circuit: Circuit<E>,
    ptau: Ptau<E>,
    log_size: u32,
    circuit_file: &'a mut C,
    ptau_file: &'a mut P,
}

impl<'a, E: Engine, C: Read + Seek, P: Read + Seek> Initial<'a, E, C, P> {
    /// Checks that there is such a key, and makes its header.
    pub fn open(circuit_file: &'a mut C, ptau_file: &'a mut P) -> Result<Self, Error> {
        let circuit = Circuit::<E>::open(circuit_file)?;
        let ptau = Ptau::<E>::open(ptau_file)?;
        let (log_size, power) = (circuit.log_size(), ptau.header().power);
        // The sections of points need the domain of twice the size too.
        if log_size > power || log_size >= E::TWO_ADICITY {
            return Err(Error::CircuitTooLarge { log_size, power });
        }
        if !ptau.is_prepared() {
            return Err(Error::NotPrepared);
        }
        let counts = circuit.header();
        let header = ZkeyHeader {
            variables: counts.wires,
            public: counts.public(),
            domain_size: 1 << log_size,
            points: KeyPoints {
                alpha_g1: ptau.g1(G1Section::AlphaTau)?.read_one(ptau_file, 0)?,
                beta_g1: ptau.g1(G1Section::BetaTau)?.read_one(ptau_file, 0)?,
                beta_g2: ptau.g2(G2Section::Beta)?.read_one(ptau_file, 0)?,
                gamma_g2: E::G2::affine_generator(),
                delta_g1: E::G1::affine_generator(),
                delta_g2: E::G2::affine_generator(),
            },
        };
        Ok(Self { header, circuit, ptau, log_size, circuit_file, ptau_file })
    }

    /// Hands all sections to a sink and returns the circuit hash.
    pub fn produce(
        &mut self,
        sink: &mut impl Sink<E>,
        progress: &impl Progress,
    ) -> Result<[u8; 64], Error> {
        let mut hash = CircuitHash::new(&self.header.points);

        let count = self.circuit.coefficient_count(self.circuit_file)?;
        let rows = self.circuit.rows(self.circuit_file)?;
        sink.coefficients(count, rows.flat_map(entries))?;

        let mut ic = self.linear_combinations(progress)?;
        let k = ic.split_off(G1Query::Ic.len(&self.header) as usize);
        let put_g1 = |sink: &mut _, hash: &mut CircuitHash, query, points: &[Affine<E::G1>]| {
            hash.list::<E::G1>(points);
            Sink::<E>::g1(sink, query, slices::<E::G1>(points))
        };
        put_g1(sink, &mut hash, G1Query::Ic, &ic)?;
        drop(ic);

        let h = self.h()?;
        progress.begin(G1Query::H.place(), h.len());
        sink.g1(G1Query::H, self.h_chunks(h, progress))?;
        self.hash_h(&mut hash)?;

        put_g1(sink, &mut hash, G1Query::K, &k)?;
        drop(k);
        let a = self.a(progress)?;
        put_g1(sink, &mut hash, G1Query::A, &a)?;
        drop(a);
        let b = self.b::<E::G1>(G1Query::B.place(), Self::tau_rows, progress)?;
        put_g1(sink, &mut hash, G1Query::B, &b)?;
        drop(b);
        let rows =
            |initial: &Self| Ok(RowPoints::checked(initial.ptau.lagrange_g2(initial.log_size)?));
        let b = self.b::<E::G2>("zkey section 7 (B2)", rows, progress)?;
        hash.list::<E::G2>(&b);
        sink.b_g2(slices::<E::G2>(&b))?;
        Ok(hash.finish())
    }

    /// Whether the circuit hash is that of snarkjs. It cannot be for circuits that fill a phase 1 of
    /// more than 2^14 powers: snarkjs hashes bytes there that are no point.
    pub fn is_hash_of_snarkjs(&self) -> bool {
        u64::from(self.header.domain_size) <= SNARKJS_CHUNK
            || self.log_size < self.ptau.header().power
    }

    /// `[(βu_i + αv_i + w_i)(τ)]₁` for every wire.
    pub fn linear_combinations(
        &mut self,
        progress: &impl Progress,
    ) -> Result<Vec<Affine<E::G1>>, Error> {
        let points = |section| {
            Ok::<_, Error>(RowPoints::checked(self.ptau.lagrange_g1(section, self.log_size)?))
        };
        let mut tau = points(G1Section::LagrangeTau)?;
        let mut alpha = points(G1Section::LagrangeAlphaTau)?;
        let mut beta = points(G1Section::LagrangeBetaTau)?;
        self.begin("zkey sections 3, 8", progress);
        let mut sums = WireSums::<E::G1>::new(self.header.variables);
        for row in self.circuit.rows(self.circuit_file)? {
            let (row, constraint) = row?;
            sums.add(&constraint.a, beta.at(row, self.ptau_file)?);
            sums.add(&constraint.b, alpha.at(row, self.ptau_file)?);
            sums.add(&constraint.c, tau.at(row, self.ptau_file)?);
            progress.advance(1);
        }
        Ok(sums.finish())
    }

    /// The odd Lagrange points of the domain of twice the size. They come from the file as they are:
    /// if the circuit fills the domain of phase 1, one monomial does not exist, and the file has them
    /// without it.
    pub fn h(&self) -> Result<OddPoints<E::G1>, Error> {
        let list = self.ptau.lagrange_g1(G1Section::LagrangeTau, self.log_size + 1)?;
        Ok(OddPoints { list })
    }

    /// The highest power of `H`, which keys that came through bellman's parameters are without.
    pub fn h_top(&mut self) -> Result<E::G1, Error> {
        let h = self.h()?;
        top_power::<E>(self.header.domain_size, |start, count| self.h_part(&h, start, count))
    }

    /// Points of `H` from `start` on.
    pub fn h_part(
        &mut self,
        h: &OddPoints<E::G1>,
        start: u64,
        count: usize,
    ) -> Result<Vec<Affine<E::G1>>, Error> {
        h.read(self.ptau_file, start, count)
    }

    fn h_chunks(
        &mut self,
        h: OddPoints<E::G1>,
        progress: &impl Progress,
    ) -> impl Iterator<Item = Result<Chunk<E::G1>, Error>> {
        (0..h.len()).step_by(CHUNK).map(move |start| {
            let count = (h.len() - start).min(CHUNK as u64) as usize;
            let points = h.read(self.ptau_file, start, count)?;
            progress.advance(count as u64);
            Ok((start, points))
        })
    }

    fn a(&mut self, progress: &impl Progress) -> Result<Vec<Affine<E::G1>>, Error> {
        let mut tau = self.tau_rows()?;
        self.begin(G1Query::A.place(), progress);
        let mut sums = WireSums::<E::G1>::new(self.header.variables);
        for row in self.circuit.rows(self.circuit_file)? {
            let (row, constraint) = row?;
            sums.add(&constraint.a, tau.at(row, self.ptau_file)?);
            progress.advance(1);
        }
        Ok(sums.finish())
    }

    fn b<G: CurveGroup<Scalar = ScalarOf<E>>>(
        &mut self,
        place: &str,
        points: impl FnOnce(&Self) -> Result<RowPoints<G>, Error>,
        progress: &impl Progress,
    ) -> Result<Vec<Affine<G>>, Error> {
        let mut tau = points(self)?;
        self.begin(place, progress);
        let mut sums = WireSums::<G>::new(self.header.variables);
        for row in self.circuit.rows(self.circuit_file)? {
            let (row, constraint) = row?;
            sums.add(&constraint.b, tau.at(row, self.ptau_file)?);
            progress.advance(1);
        }
        Ok(sums.finish())
    }

    /// The Lagrange points of the circuit's rows, which the linear combinations checked.
    fn tau_rows(&self) -> Result<RowPoints<E::G1>, Error> {
        let list = self.ptau.lagrange_g1(G1Section::LagrangeTau, self.log_size)?;
        Ok(RowPoints::trusted(list))
    }

    /// Hashes `[τ^(i+n) − τ^i]₁` for `i < n − 1`, which bellman's parameters have in place of the odd
    /// points.
    ///
    /// snarkjs takes 2^14 of them at a time, the last time as well: beyond `n = 2^14` its hash has one
    /// more than its count says, with `τ^(2n−1)` where that exists. Where it does not, it takes for a
    /// point the bytes that follow in the file, which is nothing to be imitated: ours ends before it.
    fn hash_h(&mut self, hash: &mut CircuitHash) -> Result<(), Error> {
        let (list, size) = (self.ptau.g1(G1Section::Tau)?, u64::from(self.header.domain_size));
        hash.count(size - 1);
        let has_more = size > SNARKJS_CHUNK && self.is_hash_of_snarkjs();
        let hashed = if has_more { size } else { size - 1 };
        for start in (0..hashed).step_by(CHUNK) {
            let count = (hashed - start).min(CHUNK as u64) as usize;
            let low = list.read(self.ptau_file, start, count)?;
            let high = list.read(self.ptau_file, start + size, count)?;
            let differences: Vec<E::G1> = high
                .iter()
                .zip(&low)
                .map(|(high, low)| E::G1::from_affine(high).sub_precomputed(low))
                .collect();
            hash.points::<E::G1>(&E::G1::to_affine_all(&differences));
        }
        Ok(())
    }

    fn begin(&self, stage: &str, progress: &impl Progress) {
        let counts = self.circuit.header();
        progress.begin(stage, u64::from(counts.constraints) + u64::from(counts.public()) + 1);
    }
}

/// Every second point of a list.
pub(super) struct OddPoints<G> {
    list: PointList<G>,
}

impl<G: CurveGroup> OddPoints<G> {
    pub fn len(&self) -> u64 {
        self.list.len() / 2
    }

    /// `count` points from `start` on, of the subgroup and none of them neutral.
    fn read(
        &self,
        reader: &mut (impl Read + Seek),
        start: u64,
        count: usize,
    ) -> Result<Vec<Affine<G>>, Error> {
        let points = self.list.read(reader, 2 * start, 2 * count)?;
        let odd: Vec<_> = points.into_iter().skip(1).step_by(2).collect();
        let (place, index) = (self.list.place(), |at| 2 * (start + at as u64) + 1);
        G::check_subgroup(&odd).map_err(|reason| {
            let index = index(reason.index());
            FileError::Point { place, index, reason }
        })?;
        match odd.iter().position(G::is_affine_identity) {
            None => Ok(odd),
            Some(at) => Err(FileError::Infinity { place, index: index(at) }.into()),
        }
    }
}

fn entries<S: algebra::Scalar>(
    row: Result<super::constraints::Row<S>, Error>,
) -> Vec<Result<Coefficient<S>, Error>> {
    match row {
        Ok(row) => coefficients(&row).map(Ok).collect(),
        Err(error) => vec![Err(error)],
    }
}

/// The chunks of a list in memory.
fn slices<G: CurveGroup>(points: &[Affine<G>]) -> impl Iterator<Item = Result<Chunk<G>, Error>> {
    let chunks = points.chunks(CHUNK).zip((0_u64..).step_by(CHUNK));
    chunks.map(|(points, start)| Ok((start, points.to_vec())))
}

/// The highest power of `H` from its points: `h_(n−1) = 2 Σ_i ω^(−2i−1) H_i` for the root `ω` of order
/// `2n`.
pub(super) fn top_power<E: Engine>(
    domain_size: u32,
    mut read: impl FnMut(u64, usize) -> Result<Vec<Affine<E::G1>>, Error>,
) -> Result<E::G1, Error> {
    let log_size = domain_size.ilog2() + 1;
    let root = E::root_of_unity(log_size).and_then(|root| root.invert());
    let inverse = root.ok_or(Error::Domain { log_size })?;
    let mut factors = Powers::new(inverse + inverse, inverse * inverse);
    let (mut sum, len) = (E::G1::identity(), u64::from(domain_size));
    for start in (0..len).step_by(CHUNK) {
        let count = (len - start).min(CHUNK as u64) as usize;
        sum += E::G1::msm_affine(&factors.take(count), &read(start, count)?);
    }
    Ok(sum)
}
