//! A key beside the first one of its circuit.

use std::io::{Read, Seek};

use algebra::{Affine, CurveGroup, Engine, Group, PointForm, Scalar, ScalarOf, inner_product};
use circuit::{
    PointList,
    zkey::{Coefficient, G1Query, Zkey, ZkeyHeader},
};
use rand_core::CryptoRng;
use wire::Progress;

use super::initial::{Chunk, Initial, Sink};
use crate::{
    Error,
    equations::{Equations, is_same_ratio, random_weights},
    powers::Powers,
};

/// The section of coefficients in errors.
pub(super) const COEFFICIENTS: &str = "zkey section 4 (coefficients)";

/// Compares the sections of the first key with those of another: `K` and `H` must be the first ones
/// divided by one secret, all others must be the same byte by byte.
pub(super) struct Comparison<'a, E: Engine, R, Z> {
    zkey: &'a Zkey<E>,
    file: &'a mut Z,
    rng: &'a mut R,
    division: Division<E>,
}

/// Whether a key has the highest power of `H`, which no proof needs and bellman's parameters lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TopPower {
    Present,
    Absent,
}

/// Whether `K` and `H` were divided by the secret of `δ`.
pub(super) enum Divided {
    Right(TopPower),
    /// The section that was not.
    Wrong(G1Query),
}

/// What is known of `K` and `H`, piece by piece: the same combinations of a key's points and of the
/// first key's.
pub(super) struct Division<E: Engine> {
    sums: Vec<(G1Query, Combination<E::G1>)>,
    /// The same combination of what the highest power of `H` contributes to each point.
    top: ScalarOf<E>,
}

/// The same random linear combination of a section's points and of the first key's.
///
/// The weights have 128 bits, are drawn when the points are fixed, and leave this file to nobody.
pub(super) struct Combination<G> {
    pub divided: G,
    pub first: G,
}

impl<G: CurveGroup> Combination<G> {
    pub fn new() -> Self {
        Self { divided: G::identity(), first: G::identity() }
    }

    pub fn push<R: CryptoRng + ?Sized>(
        &mut self,
        divided: &[Affine<G>],
        first: &[Affine<G>],
        rng: &mut R,
    ) -> Vec<u128> {
        let weights = random_weights(first.len(), rng);
        self.divided += G::msm_short_affine(&weights, divided);
        self.first += G::msm_short_affine(&weights, first);
        weights
    }
}

impl<E: Engine> Division<E> {
    pub fn new() -> Self {
        Self { sums: Vec::new(), top: ScalarOf::<E>::zero() }
    }

    /// Adds a whole section, of which `chunks` are the first key's points.
    pub fn push(
        &mut self,
        zkey: &Zkey<E>,
        query: G1Query,
        file: &mut (impl Read + Seek),
        chunks: impl Iterator<Item = Result<Chunk<E::G1>, Error>>,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<(), Error> {
        let (list, mut sum) = (zkey.g1(query)?, Combination::new());
        let mut shares = top_shares(zkey.header())?;
        for chunk in chunks {
            let (start, first) = chunk?;
            let divided = list.read(file, start, first.len())?;
            list.check_subgroup_batch(start, &divided, rng)?;
            let weights = sum.push(&divided, &first, rng);
            if query == G1Query::H {
                let weights: Vec<_> = weights.into_iter().map(Scalar::from_u128).collect();
                self.top += inner_product(&weights, &shares.take(weights.len()));
            }
        }
        self.sums.push((query, sum));
        Ok(())
    }

    /// Whether the sections were divided by the secret of `δ`, the highest power of `H` included, or, if
    /// that is allowed, absent. `h_top` makes that power of the first key.
    pub fn check(
        &self,
        zkey: &Zkey<E>,
        may_lack_top: bool,
        h_top: impl FnOnce() -> Result<E::G1, Error>,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Divided, Error> {
        let ratio = ratio(zkey);
        let mut check = |left_out: E::G1| {
            let mut equations = Equations::<E, G1Query>::new();
            for (query, sum) in &self.sums {
                let left_out = if *query == G1Query::H { left_out } else { E::G1::identity() };
                equations.same_ratio(*query, [sum.divided, sum.first - left_out], ratio);
            }
            equations.check(rng)
        };
        match check(E::G1::identity()) {
            Ok(()) => Ok(Divided::Right(TopPower::Present)),
            // Either all points lack their share of the highest power, or some are wrong.
            Err(G1Query::H) => match check(h_top()?.mul(&self.top)) {
                Ok(()) if may_lack_top => Ok(Divided::Right(TopPower::Absent)),
                Ok(()) => Err(Error::NoTopPower),
                Err(still_wrong) => Ok(Divided::Wrong(still_wrong)),
            },
            Err(query) => Ok(Divided::Wrong(query)),
        }
    }
}

/// What `δ` is to the generator of G2, and thus each of the first key's points to that of the key.
pub(super) fn ratio<E: Engine>(zkey: &Zkey<E>) -> [Affine<E::G2>; 2] {
    [E::G2::affine_generator(), zkey.header().points.delta_g2]
}

/// What the highest power of `H` contributes to one point after the other: `ω^(2i+1)/2n` times
/// itself to the i-th, for the root `ω` of order `2n`.
fn top_shares<E: Engine>(header: &ZkeyHeader<E>) -> Result<Powers<ScalarOf<E>>, Error> {
    let (size, log_size) = (header.domain_size, header.domain_size.ilog2() + 1);
    let domain = || Error::Domain { log_size };
    let root = E::root_of_unity(log_size).ok_or_else(domain)?;
    let scale = ScalarOf::<E>::from_u64(2 * u64::from(size)).invert().ok_or_else(domain)?;
    Ok(Powers::new(root * scale, root * root))
}

impl<'a, E: Engine, R: CryptoRng, Z: Read + Seek> Comparison<'a, E, R, Z> {
    pub fn new(zkey: &'a Zkey<E>, file: &'a mut Z, rng: &'a mut R) -> Self {
        Self { zkey, file, rng, division: Division::new() }
    }

    /// Requires that `K` and `H` were divided by the secret of `δ`; all points have been seen.
    ///
    /// # Errors
    /// [`Error::NotDivided`] with the first point that was not, which `initial` makes again; if the
    /// highest power is missing and `H` wrong besides, with the first of `H`; [`Error::NoTopPower`].
    pub fn check_divided<C: Read + Seek, P: Read + Seek>(
        self,
        initial: &mut Initial<'_, E, C, P>,
        may_lack_top: bool,
        progress: &impl Progress,
    ) -> Result<TopPower, Error> {
        let Self { zkey, file, rng, division } = self;
        let query = match division.check(zkey, may_lack_top, || initial.h_top(), rng)? {
            Divided::Right(top) => return Ok(top),
            Divided::Wrong(query) => query,
        };
        let (list, ratio) = (zkey.g1(query)?, ratio(zkey));
        let index = match query {
            G1Query::H => {
                let h = initial.h()?;
                let first = |start, count| initial.h_part(&h, start, count);
                first_undivided::<E>(&list, file, first, ratio, rng)?
            }
            _ => {
                let points = initial.linear_combinations(progress)?;
                let skipped = G1Query::Ic.len(&initial.header) as usize;
                let first = |start: u64, count| {
                    let points = points.iter().skip(skipped + start as usize).take(count);
                    Ok(points.copied().collect())
                };
                first_undivided::<E>(&list, file, first, ratio, rng)?
            }
        };
        Err(Error::NotDivided { place: query.place(), index })
    }
}

/// The first point that is not the first key's divided by the secret, in a list where there is one.
pub(super) fn first_undivided<E: Engine>(
    list: &PointList<E::G1>,
    file: &mut (impl Read + Seek),
    mut first: impl FnMut(u64, usize) -> Result<Vec<Affine<E::G1>>, Error>,
    ratio: [Affine<E::G2>; 2],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<u64, Error> {
    let (mut start, mut end) = (0, list.len());
    while end - start > 1 {
        let middle = start + (end - start) / 2;
        let mut sum = Combination::<E::G1>::new();
        for at in (start..middle).step_by(super::CHUNK) {
            let count = (middle - at).min(super::CHUNK as u64) as usize;
            sum.push(&list.read(file, at, count)?, &first(at, count)?, rng);
        }
        match is_same_ratio::<E>([sum.divided, sum.first], ratio.map(Into::into)) {
            true => start = middle,
            false => end = middle,
        }
    }
    Ok(start)
}

impl<E: Engine, R: CryptoRng, Z: Read + Seek> Sink<E> for Comparison<'_, E, R, Z> {
    fn coefficients(
        &mut self,
        count: u32,
        entries: impl Iterator<Item = Result<Coefficient<ScalarOf<E>>, Error>>,
    ) -> Result<(), Error> {
        let mut found = self.zkey.coefficients(self.file)?;
        let place = COEFFICIENTS;
        if found.left() != count {
            return Err(Error::CoefficientCount { expected: count, got: found.left() });
        }
        for (index, entry) in (0..).zip(entries) {
            if found.next().transpose()? != Some(entry?) {
                return Err(Error::NotInitial { place, index });
            }
        }
        Ok(())
    }

    fn g1(
        &mut self,
        query: G1Query,
        chunks: impl Iterator<Item = Result<Chunk<E::G1>, Error>>,
    ) -> Result<(), Error> {
        match query {
            G1Query::K | G1Query::H => {
                self.division.push(self.zkey, query, self.file, chunks, self.rng)
            }
            _ => same_bytes(&self.zkey.g1(query)?, self.file, chunks),
        }
    }

    fn b_g2(
        &mut self,
        chunks: impl Iterator<Item = Result<Chunk<E::G2>, Error>>,
    ) -> Result<(), Error> {
        same_bytes(&self.zkey.b_g2()?, self.file, chunks)
    }
}

/// Requires a list's bytes to be those of other points, whose encodings are the only ones they have.
fn same_bytes<G: CurveGroup>(
    list: &PointList<G>,
    file: &mut (impl Read + Seek),
    chunks: impl Iterator<Item = Result<Chunk<G>, Error>>,
) -> Result<(), Error> {
    let (form, place) = (PointForm::Montgomery, list.place());
    for chunk in chunks {
        let (start, points) = chunk?;
        let (mut expected, len) = (Vec::new(), G::form_len(form));
        G::write_form(&points, form, &mut expected);
        let found = list.read_bytes(file, start, points.len())?;
        let mut pairs = expected.chunks(len).zip(found.chunks(len));
        if let Some(at) = pairs.position(|(expected, found)| expected != found) {
            return Err(Error::NotInitial { place, index: start + at as u64 });
        }
    }
    Ok(())
}
