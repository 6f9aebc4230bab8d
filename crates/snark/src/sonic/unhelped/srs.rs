//! The part of the reference string that proofs without a helper use: beside what every Sonic proof
//! does, the powers that show a polynomial to have terms from `X` to `X^N` only.

use std::io::{Read, Seek};

use algebra::{Engine, ScalarOf};
use circuit::native::{SonicG1, SonicG2, SonicSrs};
use rand_core::CryptoRng;

use super::{
    super::{
        accumulator::Base,
        error::Error,
        laurent::Laurent,
        srs::{self, Dealer, Powers, VerifierSrs, g2_of_file},
        system::Shape,
    },
    system::{PermutedSystem, shape},
};

/// The part of a reference string that circuits with one number of gates use.
#[derive(Clone)]
pub struct Srs<E: Engine> {
    gates: usize,
    base: srs::Srs<E>,
    /// `[x^i]₁` from `−d` on.
    lowest: Powers<E::G1>,
    /// `[x^i]₁` up to `d`.
    highest: Powers<E::G1>,
    verifier: BoundedSrs<E>,
}

/// The points of a reference string that verifying takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BoundedSrs<E: Engine> {
    pub base: VerifierSrs<E>,
    /// `[x^{n−d}]₂`.
    pub shift: E::G2,
    /// `[αx^d]₂`.
    pub highest: E::G2,
    /// `[αx^{N−d}]₂`.
    pub lowest: E::G2,
}

impl<E: Engine> BoundedSrs<E> {
    /// `[x^{n−d}]₂`.
    pub const SHIFT: Base = Base(3);
    /// `[αx^d]₂`.
    pub const HIGHEST: Base = Base(4);
    /// `[αx^{N−d}]₂`.
    pub const LOWEST: Base = Base(5);

    /// The points that equations are paired with, in the order of [`Base`].
    pub fn bases(&self) -> Vec<E::G2> {
        [&self.base.bases()[..], &[self.shift, self.highest, self.lowest]].concat()
    }
}

impl<E: Engine> Srs<E> {
    /// Reads what a circuit needs of an SRS file. All points are checked for the curve and the
    /// subgroup, for which `rng` draws from the system; that the file is a ceremony's, `ceremony` has
    /// verified.
    ///
    /// # Errors
    /// [`Error::Degree`], [`Error::Srs`].
    pub fn read(
        system: &PermutedSystem<ScalarOf<E>>,
        file: &mut (impl Read + Seek),
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Self, Error> {
        let gates = system.gates();
        let base = srs::Srs::read(shape(gates), file, rng)?;
        let srs = SonicSrs::<E>::open(file)?;
        let anchor = base.verifier().base.clone();
        let shift = gates as i64 - anchor.degree as i64;
        let [lowest, highest] = bounds(gates, &anchor);
        let verifier = BoundedSrs {
            base: anchor,
            shift: g2_of_file(&srs, file, SonicG2::Powers, shift)?,
            highest: g2_of_file(&srs, file, SonicG2::AlphaPowers, highest.1)?,
            lowest: g2_of_file(&srs, file, SonicG2::AlphaPowers, lowest.1)?,
        };
        let lowest = Powers::read(&srs, file, SonicG1::Powers, lowest, rng)?;
        let highest = Powers::read(&srs, file, SonicG1::Powers, highest, rng)?;
        Ok(Self { gates, base, lowest, highest, verifier })
    }

    /// Makes a reference string of degree `d` as one who knows `x` and `α` can: for measurements
    /// and tests. Whoever made it can prove anything.
    ///
    /// # Errors
    /// [`Error::Degree`]; [`Error::Challenge`] if the generator hands out zeros.
    pub fn insecure_dealer(
        system: &PermutedSystem<ScalarOf<E>>,
        degree: u64,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Self, Error> {
        Self::deal(&Dealer::new(rng)?, system.gates(), shape(system.gates()), degree)
    }

    /// The part for circuits with a number of gates, as long as a shape needs.
    pub(super) fn deal(
        dealer: &Dealer<E>,
        gates: usize,
        shape: Shape,
        degree: u64,
    ) -> Result<Self, Error> {
        let base = srs::Srs::deal(dealer, shape, degree)?;
        let anchor = base.verifier().base.clone();
        let shift = gates as i64 - anchor.degree as i64;
        let [lowest, highest] = bounds(gates, &anchor);
        let verifier = BoundedSrs {
            base: anchor,
            shift: dealer.g2(SonicG2::Powers, shift),
            highest: dealer.g2(SonicG2::AlphaPowers, highest.1),
            lowest: dealer.g2(SonicG2::AlphaPowers, lowest.1),
        };
        let lowest = dealer.g1(SonicG1::Powers, lowest);
        let highest = dealer.g1(SonicG1::Powers, highest);
        Ok(Self { gates, base, lowest, highest, verifier })
    }

    /// Moves the point that the coefficient of `X^power` in `r` is committed with.
    #[cfg(test)]
    pub(super) fn move_top(&mut self, power: i64) {
        self.base.move_top(power, algebra::Group::generator());
    }

    /// Gates of the circuits that this part of the reference string serves.
    pub fn gates(&self) -> usize {
        self.gates
    }

    pub(super) fn base(&self) -> &srs::Srs<E> {
        &self.base
    }

    pub(super) fn verifier(&self) -> &BoundedSrs<E> {
        &self.verifier
    }

    /// `[x^{−d} f(x)]₁` and `[x^{d−N} f(x)]₁`, which exist if `f` has no powers below 0 or above `N`.
    pub(super) fn bound(&self, f: &Laurent<ScalarOf<E>>) -> Result<[E::G1; 2], Error> {
        let [(lowest, _), (highest, _)] = bounds(self.gates, &self.verifier.base);
        Ok([self.lowest.sum(f, lowest)?, self.highest.sum(f, highest)?])
    }
}

/// The lowest `N + 1` powers, and the highest.
fn bounds<E: Engine>(gates: usize, srs: &VerifierSrs<E>) -> [(i64, i64); 2] {
    // A reference string was made of that degree.
    let (size, degree) = (3 * gates as i64 + 1, srs.degree as i64);
    [(-degree, size - degree), (degree - size, degree)]
}
