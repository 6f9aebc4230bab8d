//! What p_BB and p_BBS+ prove: statements that are linear in their witness.

use rand_core::CryptoRng;
use shuffle::PointList;
use wire::Digest;
use zeroize::Zeroize;

use super::{
    Pass,
    bases::{F, G1, G2},
};

/// Lists of scalars, one for each kind of witness of a [`Relation`], none missing and none too many. Whoever
/// makes them gives each an entry for every item.
pub trait Lists: AsRef<[Vec<F>]> + Clone + Zeroize {
    /// How many there are.
    const COUNT: usize;

    /// Makes them one after the other, each from its number.
    ///
    /// # Errors
    /// The first one of `list`.
    fn make<E>(list: impl FnMut(usize) -> Result<Vec<F>, E>) -> Result<Self, E>;
}

impl<const N: usize> Lists for [Vec<F>; N] {
    const COUNT: usize = N;

    fn make<E>(mut list: impl FnMut(usize) -> Result<Vec<F>, E>) -> Result<Self, E> {
        let mut lists = [(); N].map(|()| Vec::new());
        for (number, place) in lists.iter_mut().enumerate() {
            *place = list(number)?;
        }
        Ok(lists)
    }
}

/// A statement that is linear in its witness, for every item of a pass. Its first equation holds
/// for the items of the answer only, and has x in it; the others hold always.
pub trait Relation {
    /// The querier's secret key.
    type Key;
    /// Scalars of every kind of witness, each a list over the items.
    type Scalars: Lists;
    /// Equations for each item.
    const EQUATIONS: usize;
    /// Secret scalars for each item.
    const WITNESSES: usize = <Self::Scalars as Lists>::COUNT;

    /// The pass.
    fn pass(&self) -> &Pass;

    /// The digest of everything that was said in the pass before.
    fn digest(&self) -> &Digest;

    /// The right sides `Σ_w s_w·B_w` of every equation (first index) and item (second), for
    /// scalars of every kind of witness (first index) and item. Variable time, for masks that
    /// serve once, and public responses.
    fn apply(&self, scalars: &Self::Scalars) -> Vec<Vec<G1>>;

    /// y.
    fn key(&self) -> &G2;

    /// x, if it is that of y.
    fn secret<'k>(&self, key: &'k Self::Key) -> Option<&'k F>;

    /// The points that are multiplied by x in the first equation.
    fn signatures(&self) -> &[G1];

    /// What the first equation must announce for the responses z and the challenge c, with x; for
    /// x = 0 it is what has to be added to `c·x·S`.
    fn expected(&self, z: &Self::Scalars, c: &F, x: &F) -> Vec<G1>;

    /// What the other equations must announce, equation by equation.
    fn expected_others(&self, z: &Self::Scalars, c: &F) -> Vec<Vec<G1>>;

    /// For every item, whether one of the other equations fails for the responses, the challenge c and
    /// what was announced, equation by equation; checked as one sum first, with weights from `rng`.
    fn inconsistent(
        &self,
        z: &Self::Scalars,
        c: &F,
        announced: &PointList<G1>,
        rng: &mut dyn CryptoRng,
    ) -> Vec<bool>;
}

/// Of points that are listed equation by equation, those of one equation; none if there are not so many, by
/// which no row is proven.
pub(super) fn equation(points: &PointList<G1>, equation: usize, items: usize) -> &[G1] {
    let start = equation * items;
    points.points().get(start..start + items).unwrap_or_default()
}
