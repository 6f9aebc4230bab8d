//! The structured reference string (section 4.2), and commitments under it (section 6.2).
//!
//! `[x^i]₁` and, except for `i = 0`, `[αx^i]₁` for `i` from `−d` to `d`. Without `[α]₁` nobody
//! commits to a polynomial that has a constant term, and beyond `d` there is nothing to commit
//! with: these are the two things that a verifier learns from a commitment, whole or in pieces.

use std::io::{Read, Seek};

use algebra::{
    Affine, AffineGroup, CurveGroup, Engine, FixedBaseTable, Group, Pairing, Scalar, ScalarOf,
};
use circuit::native::{SonicG1, SonicG2, SonicSrs};
use rand_core::CryptoRng;
use wire::{Digest, DigestWriter};
use zeroize::Zeroizing;

use super::{
    accumulator::Base,
    error::Error,
    field::Point,
    laurent::Laurent,
    pieces::{Pieces, R_PIECES, T_PIECES},
    system::{BLINDERS, Shape},
};

/// The part of a reference string that circuits of one shape use.
#[derive(Clone)]
pub struct Srs<E: Engine> {
    shape: Shape,
    /// `[x^i]₁`: for openings.
    powers: Powers<E::G1>,
    /// `[αx^i]₁`, with the neutral element for `i = 0`: for commitments.
    alpha: Powers<E::G1>,
    /// `[αx^i]₁` for the highest `i`: for commitments to polynomials of degree at most `n`.
    top: Powers<E::G1>,
    verifier: PieceSrs<E>,
}

/// The points of a reference string that verifying any proof takes. A reference string that was
/// verified is determined by its degree, `[x]₂` and `[α]₂`; its digest is theirs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VerifierSrs<E: Engine> {
    pub degree: u64,
    pub x: E::G2,
    pub alpha: E::G2,
    pub alpha_x: E::G2,
}

impl<E: Engine> VerifierSrs<E> {
    /// Takes the points from where `point` has them.
    fn collect(
        degree: u64,
        mut point: impl FnMut(SonicG2, i64) -> Result<E::G2, Error>,
    ) -> Result<Self, Error> {
        Ok(Self {
            degree,
            x: point(SonicG2::Powers, 1)?,
            alpha: point(SonicG2::AlphaPowers, 0)?,
            alpha_x: point(SonicG2::AlphaPowers, 1)?,
        })
    }

    /// The points that openings are paired with, in the order of [`Base`].
    pub fn bases(&self) -> [E::G2; 3] {
        [self.alpha_x, self.alpha, E::G2::generator()]
    }

    /// What proofs name the reference string by.
    pub fn digest(&self) -> Digest {
        let mut digest = DigestWriter::new("snark/sonic/srs/v1");
        digest.update(<E as Pairing>::NAME.as_bytes());
        digest.update(&self.degree.to_le_bytes());
        for point in [self.x, self.alpha, self.alpha_x] {
            digest.update(&point.encode());
        }
        digest.finish()
    }
}

/// The points that verifying proofs in pieces takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PieceSrs<E: Engine> {
    pub base: VerifierSrs<E>,
    /// `[αx²]₂`.
    pub alpha_square: E::G2,
    /// `[x^{−e_k}]₂` and `[x^{1−e_k}]₂` for the pieces of `t`.
    pub t: [[E::G2; 2]; T_PIECES],
    /// `[x^{n−d−e_k}]₂` and `[x^{n−d−e_k+1}]₂` for the pieces of `r`.
    pub r: [[E::G2; 2]; R_PIECES],
}

impl<E: Engine> PieceSrs<E> {
    /// `[αx²]₂`.
    pub const ALPHA_SQUARE: Base = Base(3);

    /// The two points of a piece of `t`.
    pub const fn t_bases(piece: usize) -> [Base; 2] {
        let first = Self::ALPHA_SQUARE.0 + 1 + 2 * piece;
        [Base(first), Base(first + 1)]
    }

    /// The two points of a piece of `r`.
    pub const fn r_bases(piece: usize) -> [Base; 2] {
        Self::t_bases(T_PIECES + piece)
    }

    /// Reads the points of an SRS file.
    pub fn read(shape: Shape, file: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let srs = SonicSrs::<E>::open(file)?;
        Ranges::new(shape, srs.degree())?;
        Self::collect(shape, srs.degree(), |list, power| g2_of_file(&srs, file, list, power))
    }

    /// Takes the points from where `point` has them.
    fn collect(
        shape: Shape,
        degree: u64,
        mut point: impl FnMut(SonicG2, i64) -> Result<E::G2, Error>,
    ) -> Result<Self, Error> {
        let base = VerifierSrs::collect(degree, &mut point)?;
        let alpha_square = point(SonicG2::AlphaPowers, 2)?;
        let mut pair = |power: i64| -> Result<_, Error> {
            Ok([point(SonicG2::Powers, power)?, point(SonicG2::Powers, power + 1)?])
        };
        let bound = shape.gates as i64 - degree as i64;
        let [t0, t1, t2, t3] = shape.cut_t().shifts();
        let [r0, r1] = shape.cut_r().shifts();
        let t = [pair(-t0)?, pair(-t1)?, pair(-t2)?, pair(-t3)?];
        let r = [pair(bound - r0)?, pair(bound - r1)?];
        Ok(Self { base, alpha_square, t, r })
    }

    /// The points that equations are paired with, in the order of [`Base`].
    pub fn bases(&self) -> Vec<E::G2> {
        let Self { base, alpha_square, t, r } = self;
        [&base.bases()[..], &[*alpha_square], t.as_flattened(), r.as_flattened()].concat()
    }
}

/// A point of G2 from a file, checked for the subgroup.
pub(crate) fn g2_of_file<E: Engine>(
    srs: &SonicSrs<E>,
    file: &mut (impl Read + Seek),
    list: SonicG2,
    power: i64,
) -> Result<E::G2, Error> {
    // Beyond the list if the power is beyond the degree, which callers have ruled out.
    let position = srs.g2_position(power).unwrap_or(u64::MAX);
    Ok(E::G2::from_affine(&srs.g2(list).read_one(file, position)?))
}

/// Points for consecutive powers.
#[derive(Clone)]
pub(crate) struct Powers<G: CurveGroup> {
    low: i64,
    points: Vec<Affine<G>>,
}

impl<G: CurveGroup> Powers<G> {
    /// Reads the points of a range of powers, first and last included, with the neutral element for
    /// the one that a list leaves out. All are checked for the subgroup.
    pub fn read<E: Engine<G1 = G>>(
        srs: &SonicSrs<E>,
        file: &mut (impl Read + Seek),
        list: SonicG1,
        (low, high): (i64, i64),
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Self, Error> {
        let mut points = Vec::new();
        for (low, high) in [(low, high.min(-1)), (low.max(0), high.min(0)), (low.max(1), high)] {
            if low > high {
                continue;
            }
            match srs.g1_position(list, low) {
                None => points.push(G::affine_identity()),
                Some(start) => {
                    let count = (high - low + 1) as usize;
                    let mut part = srs.g1(list).read(file, start, count)?;
                    srs.g1(list).check_subgroup_batch(start, &part, rng)?;
                    points.append(&mut part);
                }
            }
        }
        Ok(Self { low, points })
    }

    /// `Σ f_i · point_{i + shift}`.
    pub fn sum(&self, f: &Laurent<G::Scalar>, shift: i64) -> Result<G, Error> {
        let start = usize::try_from(f.low() + shift - self.low);
        let points = start.ok().and_then(|start| self.points.get(start..));
        match points {
            Some(points) if points.len() >= f.coefficients().len() => {
                Ok(G::msm_affine(f.coefficients(), points))
            }
            _ => Err(Error::Polynomial),
        }
    }
}

/// The ranges of powers that circuits of a shape use, first and last included.
struct Ranges {
    all: (i64, i64),
    top: (i64, i64),
}

impl Ranges {
    fn new(shape: Shape, degree: u64) -> Result<Self, Error> {
        let needed = shape.degree() as u64;
        let too_short = Error::Degree { needed, got: degree };
        let Some(degree) = i64::try_from(degree).ok().filter(|_| needed <= degree) else {
            return Err(too_short);
        };
        let [gates, loose, constraints, blinders] =
            [shape.gates, shape.loose, shape.constraints, BLINDERS].map(|count| count as i64);
        let [.., last] = shape.cut_t().shifts();
        let highest = (2 * gates + loose).max(gates + constraints).max(last);
        let all = (2 * shape.lowest(), highest);
        Ok(Self { all, top: (degree - 2 * gates - loose - blinders, degree) })
    }
}

/// One who knows `x` and `α`.
pub(crate) struct Dealer<E: Engine> {
    x: Point<ScalarOf<E>>,
    alpha: ScalarOf<E>,
    table: FixedBaseTable<E::G1>,
}

impl<E: Engine> Dealer<E> {
    /// # Errors
    /// [`Error::Challenge`] if the generator hands out zeros.
    pub fn new(rng: &mut (impl CryptoRng + ?Sized)) -> Result<Self, Error> {
        let x = Point::new(ScalarOf::<E>::random(rng)).ok_or(Error::Challenge)?;
        let alpha = Point::new(ScalarOf::<E>::random(rng)).ok_or(Error::Challenge)?.value;
        Ok(Self { x, alpha, table: FixedBaseTable::new(&E::G1::generator()) })
    }

    /// A range of powers, first and last included.
    pub fn g1(&self, list: SonicG1, (low, high): (i64, i64)) -> Powers<E::G1> {
        let mut scalars = Zeroizing::new(self.x.powers(low, (high - low + 1) as usize));
        if list == SonicG1::AlphaPowers {
            scalars.iter_mut().for_each(|scalar| *scalar *= self.alpha);
        }
        Powers { low, points: E::G1::to_affine_all(&self.table.mul_all(&scalars)) }
    }

    /// `α x^shift f(x)`: the logarithm of a commitment that the reference string may have no points for.
    #[cfg(test)]
    pub fn alpha_times(&self, f: &Laurent<ScalarOf<E>>, shift: i64) -> ScalarOf<E> {
        self.alpha * self.x.pow(shift) * f.evaluate(&self.x)
    }

    /// A power.
    pub fn g2(&self, list: SonicG2, power: i64) -> E::G2 {
        let power = self.x.pow(power);
        match list {
            SonicG2::Powers => E::G2::mul_generator(&power),
            SonicG2::AlphaPowers => E::G2::mul_generator(&(self.alpha * power)),
        }
    }
}

impl<E: Engine> Srs<E> {
    /// Reads what circuits of a shape need of an SRS file. All points are checked for the curve and the
    /// subgroup, for which `rng` draws from the system; that the file is a ceremony's, `ceremony` has
    /// verified.
    ///
    /// # Errors
    /// [`Error::Degree`], [`Error::Srs`].
    pub fn read(
        shape: Shape,
        file: &mut (impl Read + Seek),
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Self, Error> {
        let srs = SonicSrs::<E>::open(file)?;
        let Ranges { all, top } = Ranges::new(shape, srs.degree())?;
        let powers = Powers::read(&srs, file, SonicG1::Powers, all, rng)?;
        let alpha = Powers::read(&srs, file, SonicG1::AlphaPowers, all, rng)?;
        let top = Powers::read(&srs, file, SonicG1::AlphaPowers, top, rng)?;
        let verifier = PieceSrs::collect(shape, srs.degree(), |list, power| {
            g2_of_file(&srs, file, list, power)
        })?;
        Ok(Self { shape, powers, alpha, top, verifier })
    }

    /// Makes a reference string of degree `d` as one who knows `x` and `α` can: for measurements
    /// and tests. Whoever made it can prove anything.
    ///
    /// # Errors
    /// [`Error::Degree`]; [`Error::Challenge`] if the generator hands out zeros.
    pub fn insecure_dealer(
        shape: Shape,
        degree: u64,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Self, Error> {
        Self::deal(&Dealer::new(rng)?, shape, degree)
    }

    /// The part for circuits of a shape of a dealer's reference string.
    pub(crate) fn deal(dealer: &Dealer<E>, shape: Shape, degree: u64) -> Result<Self, Error> {
        let Ranges { all, top } = Ranges::new(shape, degree)?;
        let mut alpha = dealer.g1(SonicG1::AlphaPowers, all);
        if let Some(point) = alpha.points.get_mut(all.0.unsigned_abs() as usize) {
            *point = E::G1::affine_identity();
        }
        let verifier = PieceSrs::collect(shape, degree, |list, power| Ok(dealer.g2(list, power)))?;
        let top = dealer.g1(SonicG1::AlphaPowers, top);
        let powers = dealer.g1(SonicG1::Powers, all);
        Ok(Self { shape, powers, alpha, top, verifier })
    }

    /// The shape of the circuits that this part of the reference string serves.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    pub(crate) fn verifier(&self) -> &PieceSrs<E> {
        &self.verifier
    }

    /// `[α f(x)]₁`: of a polynomial without a constant term.
    pub(crate) fn commit(&self, f: &Laurent<ScalarOf<E>>) -> Result<E::G1, Error> {
        match f.constant() == Scalar::zero() {
            true => self.alpha.sum(f, 0),
            false => Err(Error::Unsatisfied),
        }
    }

    /// `[α x^{d−n} f(x)]₁`: of a polynomial of degree at most `n`.
    pub(crate) fn commit_bounded(&self, f: &Laurent<ScalarOf<E>>) -> Result<E::G1, Error> {
        self.top.sum(f, self.bound())
    }

    /// [`commit`](Self::commit), of a polynomial in pieces: `[α x^{e_k} f_k(x)]₁`.
    pub(crate) fn commit_pieces(
        &self,
        pieces: &Pieces<ScalarOf<E>, T_PIECES>,
    ) -> Result<[E::G1; T_PIECES], Error> {
        match pieces.constant() == Scalar::zero() {
            true => pieces.try_map(|shift, piece| self.alpha.sum(piece, shift)),
            false => Err(Error::Unsatisfied),
        }
    }

    /// [`commit_bounded`](Self::commit_bounded), of a polynomial in pieces:
    /// `[α x^{d−n+e_k} f_k(x)]₁`.
    pub(crate) fn commit_bounded_pieces(
        &self,
        pieces: &Pieces<ScalarOf<E>, R_PIECES>,
    ) -> Result<[E::G1; R_PIECES], Error> {
        pieces.try_map(|shift, piece| self.top.sum(piece, shift + self.bound()))
    }

    /// Moves the point that the coefficient of `X^power` in `r` is committed with.
    #[cfg(test)]
    pub(crate) fn move_top(&mut self, power: i64, by: E::G1) {
        let index = (power + self.bound() - self.top.low) as usize;
        if let Some(point) = self.top.points.get_mut(index) {
            let moved = E::G1::from_affine(point) + by;
            *point = crate::groth16::to_affine(&moved);
        }
    }

    /// `d − n`.
    fn bound(&self) -> i64 {
        self.verifier.base.degree as i64 - self.shape.gates as i64
    }

    /// `f(z)` and `[(f(x) − f(z)) / (x − z)]₁`.
    pub(crate) fn open(
        &self,
        f: &Laurent<ScalarOf<E>>,
        z: &Point<ScalarOf<E>>,
    ) -> Result<(ScalarOf<E>, E::G1), Error> {
        let (value, quotient) = f.divide(z);
        Ok((value, self.sum_powers(&quotient)?))
    }

    /// `[f(x)]₁`.
    pub(crate) fn sum_powers(&self, f: &Laurent<ScalarOf<E>>) -> Result<E::G1, Error> {
        self.powers.sum(f, 0)
    }
}
