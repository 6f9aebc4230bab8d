//! The prover: everything that does not need the ballots, then what does.

use algebra::{AffineGroup, FixedBaseTable, Group, Pairing, Scalar, ScalarOf};
use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{
    Crs, PairingMix, Scheme, ShuffleProof,
    affine::{points, scale_each},
    mix,
};
use crate::{
    Ciphertext, Column, MixContext, PointList, PublicKey, ShuffleError, ballot::MAX_COLUMNS,
    tw::Permutation,
};

/// A mixer's tables for one reference string and one key.
pub struct Prover<'a, E: Pairing> {
    pub(crate) crs: &'a Crs<E>,
    pub(crate) key: PublicKey<E::G2>,
    rho: FixedBaseTable<E::G1>,
    rho_hat: FixedBaseTable<E::G1>,
    mixed_rho: FixedBaseTable<E::G1>,
    mixed_rho_hat: FixedBaseTable<E::G1>,
    rho2: FixedBaseTable<E::G2>,
    generator2: FixedBaseTable<E::G2>,
    key_table: FixedBaseTable<E::G2>,
}

/// A proof but for what depends on the ballots, and the masks that the rest needs.
///
/// Its masks serve one shuffle: two proofs with the same ones give the permutation away, hence it
/// cannot be cloned, and [`Prepared::mix`] consumes and erases it.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Prepared<E: Pairing> {
    permutation: Permutation,
    /// `r̂_i`
    r_hat: Vec<ScalarOf<E>>,
    /// Per column `E(0; t_j)` for every output j.
    re_encryptions: Vec<Vec<[E::G2; 2]>>,
    /// Per column `E(0; r_t)`, which hides `N`.
    blinds: Vec<[E::G2; 2]>,
    #[zeroize(skip)]
    rows: Rows<E>,
    #[zeroize(skip)]
    t: PointList<E::G1>,
}

/// The permutation matrix, proven: all of a proof but `t` and `N`.
struct Rows<E: Pairing> {
    a: PointList<E::G1>,
    b: PointList<E::G2>,
    a_hat: PointList<E::G1>,
    unit: PointList<E::G1>,
    same: PointList<E::G1>,
}

/// What hides the rows.
#[derive(Zeroize, ZeroizeOnDrop)]
struct RowMasks<S: Scalar> {
    /// `r_i`
    r: Vec<S>,
    /// `r̂_i`, which sum to zero.
    r_hat: Vec<S>,
}

impl<S: Scalar> RowMasks<S> {
    fn random(scheme: Scheme, n: usize, rng: &mut impl CryptoRng) -> Self {
        let mut masks = Self { r: S::random_many(n, rng), r_hat: S::random_many(n, rng) };
        if scheme == Scheme::Flsz17 {
            sum_to_zero(&mut masks.r);
        }
        sum_to_zero(&mut masks.r_hat);
        masks
    }
}

/// Replaces the last scalar by minus the sum of the others.
pub(crate) fn sum_to_zero<S: Scalar>(scalars: &mut [S]) {
    if let Some((last, rest)) = scalars.split_last_mut() {
        *last = -rest.iter().copied().sum::<S>();
    }
}

impl<'a, E: Pairing> Prover<'a, E> {
    /// Computes the tables: about 25,000 additions.
    pub fn new(crs: &'a Crs<E>, key: &PublicKey<E::G2>) -> Self {
        let g1 = |point| FixedBaseTable::new(point);
        Self {
            crs,
            key: *key,
            rho: g1(&crs.g1.rho),
            rho_hat: g1(&crs.g1.rho_hat),
            mixed_rho: g1(&crs.g1.mixed_rho),
            mixed_rho_hat: g1(&crs.g1.mixed_rho_hat),
            rho2: FixedBaseTable::new(&crs.g2.rho),
            generator2: FixedBaseTable::new(&E::G2::generator()),
            key_table: FixedBaseTable::new(&key.point()),
        }
    }

    /// Draws a permutation of n rows and computes all that does not depend on the ballots, for
    /// `columns` columns: 4 fixed-base multiplications in G1, 1 + 2·`columns` in G2 and one
    /// multiplication of a point in G1 for every row.
    ///
    /// # Errors
    /// [`ShuffleError::Empty`] without rows or columns, [`ShuffleError::Length`] beyond
    /// [`MAX_COLUMNS`], [`ShuffleError::ReferenceString`] if the reference string is too short.
    pub fn prepare(
        &self,
        n: usize,
        columns: usize,
        rng: &mut impl CryptoRng,
    ) -> Result<Prepared<E>, ShuffleError> {
        self.prepare_with(Permutation::random(n, rng), columns, rng)
    }

    /// [`Prover::prepare`] for a given permutation, which must be secret and random for the proof
    /// to hide anything.
    ///
    /// # Errors
    /// As [`Prover::prepare`].
    pub fn prepare_with(
        &self,
        permutation: Permutation,
        columns: usize,
        rng: &mut impl CryptoRng,
    ) -> Result<Prepared<E>, ShuffleError> {
        let n = permutation.len();
        self.crs.require(n)?;
        if n == 0 || columns == 0 {
            return Err(ShuffleError::Empty);
        }
        if columns > MAX_COLUMNS {
            let (expected, got) = (MAX_COLUMNS, columns);
            return Err(ShuffleError::Length { what: "columns", expected, got });
        }
        let mut masks = RowMasks::random(self.crs.scheme, n, rng);
        let rows = self.rows(&permutation, &masks);

        let hide = |t: &[ScalarOf<E>]| {
            let pairs = self.generator2.mul_all(t).into_iter().zip(self.key_table.mul_all(t));
            pairs.map(|(c1, c2)| [c1, c2]).collect::<Vec<_>>()
        };
        let (mut re_encryptions, mut blinds, mut t) = (vec![], vec![], vec![]);
        for _ in 0..columns {
            let randomness = Zeroizing::new(ScalarOf::<E>::random_many(n, rng));
            let blind = Zeroizing::new(ScalarOf::<E>::random(rng));
            re_encryptions.push(hide(&randomness));
            blinds.push([E::G2::mul_generator(&blind), self.key_table.mul(&blind)]);
            let sum = E::G1::msm_affine(&randomness, &self.crs.g1.p_hat);
            t.push(self.rho_hat.add_mul(sum, &blind));
        }
        let r_hat = std::mem::take(&mut masks.r_hat);
        Ok(Prepared { permutation, r_hat, re_encryptions, blinds, rows, t: PointList::new(t) })
    }

    /// Steps 1 to 3 of the prover: commitments to unit vectors and why they are such.
    fn rows(&self, permutation: &Permutation, masks: &RowMasks<ScalarOf<E>>) -> Rows<E> {
        let (scheme, g1, g2) = (self.crs.scheme, &self.crs.g1, &self.crs.g2);
        let n = permutation.len();
        // σ⁻¹(i), the unit vector that row i commits to.
        let images = permutation.inverse();
        let p = points::<E::G1>(&images.apply(&g1.p));
        let hiding = self.rho.mul_all(&masks.r);
        let hide = |mut list: Vec<E::G1>, table: &FixedBaseTable<E::G1>, masks: &[_]| {
            table.add_mul_all(&mut list, masks);
            list
        };

        // C_i = r_i·(2(A_i + P_0) − r_i ρ) + Q/ρ, in which A_i − r_i ρ = P.
        let a: Vec<E::G1> = p.iter().zip(&hiding).map(|(&p, &r)| p + r).collect();
        let double_p0 = g1.p0.double();
        let bases: Vec<E::G1> = a.iter().zip(&p).map(|(&a, &p)| a + p + double_p0).collect();
        let q_over_rho = points::<E::G1>(&images.apply(&g1.q_over_rho));
        let unit = scale_each(&bases, &masks.r);
        let unit: Vec<E::G1> = unit.into_iter().zip(q_over_rho).map(|(c, q)| c + q).collect();

        let mut b = points::<E::G2>(&images.apply(&g2.p));
        self.rho2.add_mul_all(&mut b, &masks.r);
        let a_hat = hide(points::<E::G1>(&images.apply(&g1.p_hat)), &self.rho_hat, &masks.r_hat);
        let same = hide(points::<E::G1>(&images.apply(&g1.mixed)), &self.mixed_rho, &masks.r);
        let same = hide(same, &self.mixed_rho_hat, &masks.r_hat);
        let sent = scheme.rows_sent(n);
        Rows {
            a: first(a, sent),
            b: first(b, sent),
            a_hat: first(a_hat, n.saturating_sub(1)),
            unit: PointList::new(unit),
            same: PointList::new(same),
        }
    }
}

fn first<G: Group>(mut points: Vec<G>, count: usize) -> PointList<G> {
    points.truncate(count);
    PointList::new(points)
}

impl<E: Pairing> Prepared<E> {
    /// Moves and re-encrypts the columns and completes the proof: two additions and two points of a
    /// multi-scalar multiplication in G2 for every ciphertext.
    ///
    /// # Errors
    /// [`ShuffleError::Length`] unless there are as many columns and rows as prepared for.
    pub fn mix(
        self,
        prover: &Prover<'_, E>,
        inputs: &[Column<E::G2>],
        context: &MixContext<'_>,
    ) -> Result<PairingMix<E>, ShuffleError> {
        let (n, columns) = (self.permutation.len(), self.blinds.len());
        if inputs.len() != columns {
            let (expected, got) = (columns, inputs.len());
            return Err(ShuffleError::Length { what: "columns", expected, got });
        }
        if let Some(got) = inputs.iter().map(Column::len).find(|&got| got != n) {
            return Err(ShuffleError::Length { what: "list", expected: n, got });
        }
        let masks = self.re_encryptions.iter().zip(&self.blinds);
        let (outputs, accounts): (Vec<_>, Vec<_>) = inputs
            .iter()
            .zip(masks)
            .map(|(input, (masks, blind))| (self.moved(input, masks), self.account(input, blind)))
            .unzip();
        let Rows { a, b, a_hat, unit, same } = &self.rows;
        let proof = ShuffleProof {
            a: a.clone(),
            b: b.clone(),
            a_hat: a_hat.clone(),
            unit: unit.clone(),
            same: same.clone(),
            t: self.t.clone(),
            n: Column::new(&accounts),
        };
        let statement = mix::statement(prover.crs, &prover.key, inputs, context);
        Ok(PairingMix { scheme: prover.crs.scheme, statement, outputs, proof: Some(proof) })
    }

    /// Step 4, `M'_j = M_{σ(j)} + E(0; t_j)`.
    fn moved(&self, input: &Column<E::G2>, masks: &[[E::G2; 2]]) -> Column<E::G2> {
        let moved = self.permutation.apply(&input.ciphertexts());
        let rows = moved.iter().zip(masks);
        let rows: Vec<_> =
            rows.map(|(m, &[c1, c2])| Ciphertext { c1: m.c1 + c1, c2: m.c2 + c2 }).collect();
        Column::new(&rows)
    }

    /// Step 5, `N = E(0; r_t) + Σ r̂_i M_i`.
    fn account(&self, input: &Column<E::G2>, &[c1, c2]: &[E::G2; 2]) -> Ciphertext<E::G2> {
        let [first, second] = input.components();
        Ciphertext {
            c1: c1 + E::G2::msm(&self.r_hat, first.points()),
            c2: c2 + E::G2::msm(&self.r_hat, second.points()),
        }
    }
}

impl<E: Pairing> PairingMix<E> {
    /// Mixes columns that all have the same number of rows, possibly none.
    ///
    /// # Errors
    /// Those of [`Prover::prepare`] and [`super::Prepared::mix`], except for no rows.
    pub fn new(
        prover: &Prover<'_, E>,
        inputs: &[Column<E::G2>],
        context: &MixContext<'_>,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, ShuffleError> {
        match inputs.first().map(Column::len) {
            None => Err(ShuffleError::Empty),
            Some(0) if inputs.iter().all(Column::is_empty) => Ok(Self {
                scheme: prover.crs.scheme,
                statement: mix::statement(prover.crs, &prover.key, inputs, context),
                outputs: inputs.to_vec(),
                proof: None,
            }),
            Some(n) => prover.prepare(n, inputs.len(), rng)?.mix(prover, inputs, context),
        }
    }
}
