//! Equations between the points of parameters, list by list and row by row, in one product of
//! pairings.

use std::ops::Range;

use algebra::{Affine, CurveGroup, Engine, Group, batch};
use rand_core::CryptoRng;
use wire::Progress;

use crate::{Error, Place, equations::random_weights};

/// `Σ_b e(sums_b, bases_b) + e(G, in_g2)`: neutral if all the equations gathered in it hold.
pub(crate) struct Product<E: Engine> {
    sums: Vec<E::G1>,
    in_g2: E::G2,
}

impl<E: Engine> Product<E> {
    /// Adds `e(point, bases_base)`.
    pub fn add(&mut self, base: usize, point: E::G1) {
        if let Some(sum) = self.sums.get_mut(base) {
            *sum += point;
        }
    }

    /// Adds `e(G, point)`.
    pub fn add_g2(&mut self, point: E::G2) {
        self.in_g2 += point;
    }
}

/// Adds the rows of a range, each with its weight, to a product.
type Fold<'a, E> = Box<dyn Fn(Range<usize>, &[u128], &mut Product<E>) + 'a>;

/// The equations of a list's points, one for each row.
pub(crate) struct Family<'a, E: Engine> {
    place: Place,
    /// The position in the list of the point that row 0 is about.
    first: u64,
    rows: usize,
    /// Whether row 1 is about the point before that of row 0.
    is_downwards: bool,
    fold: Fold<'a, E>,
}

impl<'a, E: Engine> Family<'a, E> {
    pub fn new(
        place: Place,
        first: u64,
        rows: usize,
        fold: impl Fn(Range<usize>, &[u128], &mut Product<E>) + 'a,
    ) -> Self {
        Self { place, first, rows, is_downwards: false, fold: Box::new(fold) }
    }

    /// The same equations about the points from `first` downwards.
    pub fn downwards(self) -> Self {
        Self { is_downwards: true, ..self }
    }

    /// `e(points_i, H) = e(of_i, bases_base)`, where `H` is base 0.
    pub fn times(
        place: Place,
        first: u64,
        points: &'a [Affine<E::G1>],
        of: &'a [Affine<E::G1>],
        base: usize,
    ) -> Self {
        Self::new(place, first, points.len(), move |rows, weights, product| {
            product.add(0, combine::<E::G1>(points, &rows, weights));
            product.add(base, -combine::<E::G1>(of, &rows, weights));
        })
    }

    /// `e(G, points_i) = e(of_i, bases_base)`.
    pub fn times_g2(
        place: Place,
        first: u64,
        points: &'a [Affine<E::G2>],
        of: &'a [Affine<E::G1>],
        base: usize,
    ) -> Self {
        Self::new(place, first, points.len(), move |rows, weights, product| {
            product.add_g2(combine::<E::G2>(points, &rows, weights));
            product.add(base, -combine::<E::G1>(of, &rows, weights));
        })
    }
}

/// `Σ weights_i · points_i` over a range of rows.
pub(crate) fn combine<G: CurveGroup>(
    points: &[Affine<G>],
    rows: &Range<usize>,
    weights: &[u128],
) -> G {
    // A family has as many rows as its list has points (`times`). A list that is shorter counts as zero here, which
    // no row makes true: points of files are not neutral.
    G::msm_short_affine(weights, points.get(rows.clone()).unwrap_or_default())
}

/// Requires that all rows of all families hold. A wrong row passes with probability 2^−128: weights
/// are drawn here.
///
/// # Errors
/// [`Error::Unrelated`], naming the first wrong row of the first family that has one.
pub(crate) fn check<E: Engine>(
    bases: &[Affine<E::G2>],
    families: &[Family<'_, E>],
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<(), Error> {
    let total = families.iter().map(|family| family.rows).sum();
    progress.begin("checking", total as u64);
    let checked = batch::check(total, |range| match range.len() == total {
        true => hold(bases, families, range, rng, progress),
        false => hold(bases, families, range, rng, &()),
    });
    let Err(mut row) = checked else { return Ok(()) };
    for family in families {
        if row < family.rows {
            let (first, row) = (family.first, row as u64);
            let index = if family.is_downwards { first.saturating_sub(row) } else { first + row };
            return Err(Error::Unrelated { place: family.place, index });
        }
        row -= family.rows;
    }
    // A wrong row is of a family. Without families nothing is wrong.
    families
        .last()
        .map_or(Ok(()), |last| Err(Error::Unrelated { place: last.place, index: last.first }))
}

/// Whether the rows of a range hold, where rows are counted through all families.
fn hold<E: Engine>(
    bases: &[Affine<E::G2>],
    families: &[Family<'_, E>],
    range: Range<usize>,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> bool {
    let sums = vec![E::G1::identity(); bases.len()];
    let mut product = Product { sums, in_g2: E::G2::identity() };
    let mut before = 0;
    for family in families {
        let local = |row: usize| row.saturating_sub(before).min(family.rows);
        let rows = local(range.start)..local(range.end);
        if !rows.is_empty() {
            let weights = random_weights(rows.len(), rng);
            progress.advance(rows.len() as u64);
            (family.fold)(rows, &weights, &mut product);
        }
        before += family.rows;
    }
    let bases = bases.iter().map(|&base| base.into());
    let mut pairs: Vec<(E::G1, E::G2)> = product.sums.into_iter().zip(bases).collect();
    pairs.push((E::G1::generator(), product.in_g2));
    E::is_neutral(&pairs)
}
