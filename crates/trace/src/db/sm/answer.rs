//! The querier's check of p_BB, with its key x and without.

use std::ops::Range;

use algebra::{Bls12381, Group, Pairing, Scalar};
use rand_core::CryptoRng;
use rayon::prelude::*;
use shuffle::{PointList, SecretKey};

use super::{SmOpened, SmStatement};
use crate::{
    TraceError,
    db::{
        Announced, Announcement, BbKey, SealedResponse,
        bases::{F, G1, G2, bases},
        distributed::{Relation, weights},
        exponents::{add_multiples, scaled},
    },
};

/// What the querier finds out in a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmReading {
    /// For every opened row, whether the proof of a signature holds: a "yes". A proof that does
    /// not hold shows nothing.
    pub proven: Vec<bool>,
    /// Opened rows whose commitment the responses do not open: a server spoilt its shares, or the
    /// sender's were never those of the commitment. None with honest servers and senders.
    pub inconsistent: Vec<u32>,
}

impl SmOpened {
    /// Requires that every server announced what it had committed to, and gives the challenge.
    ///
    /// # Errors
    /// [`TraceError::Missing`], [`TraceError::Step`] naming the server.
    pub fn challenge(
        &self,
        commitments: &[wire::Digest],
        announcements: &[Announcement],
    ) -> Result<Announced, TraceError> {
        Announced::verify(self.statement(), commitments, announcements)
    }
}

/// p_BB as the querier has it: statement, sums of the announcements, sums of the responses.
pub struct SmProof {
    statement: SmStatement,
    announced: Announced,
    responses: Vec<Vec<F>>,
}

impl SmProof {
    /// Opens the responses of all servers. `sums` are the sums of their announcements, from
    /// whomever.
    ///
    /// # Errors
    /// [`TraceError::Missing`]; [`TraceError::UnreadableShare`] or [`TraceError::DisputedShare`]
    /// naming the server.
    pub fn open(
        statement: SmStatement,
        sums: PointList<G1>,
        key: &SecretKey<G1>,
        responses: &[SealedResponse],
    ) -> Result<Self, TraceError> {
        let announced = Announced::from_sums(&statement, sums)?;
        let responses = announced.open(&statement, key, responses)?;
        Ok(Self { statement, announced, responses })
    }

    /// Checks both equations with x: no pairing. The first is expected to fail for rows outside
    /// the answer and is checked row by row; the second holds for all rows if everybody is honest
    /// and is checked as one sum.
    ///
    /// `(c·x − z_v)·σ~ + z_b·G = R1`, `z_v·G + z_r·H + c·γ = R2`.
    #[must_use]
    pub fn read(&self, key: &BbKey, rng: &mut impl CryptoRng) -> SmReading {
        let c = self.announced.challenge();
        let [z_v, _, z_b] = self.responses.as_slice() else { return self.nothing() };
        let x = *key.scalar();
        let factors: Vec<F> = z_v.iter().map(|&z| c * x - z).collect();
        let signatures = self.statement.blinded().points();
        let left = add_multiples(scaled(signatures, &factors), &bases().g, z_b);
        let announced = self.announced.equation(0, left.len());
        let own_key = key.public() == *self.statement.query().offer().key();
        let held: Vec<bool> =
            left.iter().zip(announced).map(|(left, right)| own_key && left == right).collect();
        self.reading(&held, rng)
    }

    /// Checks both equations with y only, in batches of two pairings, bisected: for those to whom
    /// the querier shows the responses. It convinces who trusts that the querier gave x to no
    /// server before they were fixed.
    ///
    /// `e(c·σ~, y) · e(z_b·G − z_v·σ~ − R1, G2) = 1`.
    #[must_use]
    pub fn read_with_public_key(&self, rng: &mut impl CryptoRng) -> SmReading {
        let items = self.statement.blinded().len();
        let weights = weights(items, rng);
        let mut held = vec![false; items];
        self.hold(0..items, &weights, &mut held);
        self.reading(&held, rng)
    }

    fn hold(&self, range: Range<usize>, weights: &[u128], held: &mut [bool]) {
        if range.is_empty() {
            return;
        }
        if self.holds_for_all(range.clone(), weights) {
            held.get_mut(range).into_iter().for_each(|held| held.fill(true));
        } else if range.len() > 1 {
            let middle = range.start + range.len() / 2;
            self.hold(range.start..middle, weights, held);
            self.hold(middle..range.end, weights, held);
        }
    }

    fn holds_for_all(&self, range: Range<usize>, weights: &[u128]) -> bool {
        let [z_v, _, z_b] = self.responses.as_slice() else { return false };
        let items = weights.len();
        let part = |list: &[F]| list.get(range.clone()).unwrap_or_default().to_vec();
        let points = |list: &[G1]| list.get(range.clone()).unwrap_or_default().to_vec();
        let weights = weights.get(range.clone()).unwrap_or_default();
        let full: Vec<F> = weights.iter().map(|&weight| F::from_u128(weight)).collect();
        let signatures = points(self.statement.blinded().points());
        let announced = points(self.announced.equation(0, items));
        let weighted = |list: &[F]| -> Vec<F> {
            full.iter().zip(part(list)).map(|(&weight, z)| weight * z).collect()
        };
        let left = G1::msm_short(weights, &signatures).mul(&self.announced.challenge());
        let right = bases().g.mul(&weighted(z_b).into_iter().sum())
            - G1::msm(&weighted(z_v), &signatures)
            - G1::msm_short(weights, &announced);
        let key = *self.statement.query().offer().key();
        Bls12381::is_neutral(&[(left, key), (right, G2::generator())])
    }

    fn reading(&self, held: &[bool], rng: &mut impl CryptoRng) -> SmReading {
        let bad = self.unopened(rng);
        let rows = self.statement.pass().opened();
        let proven = held.iter().zip(&bad).map(|(&held, &bad)| held && !bad).collect();
        let inconsistent =
            rows.iter().zip(&bad).filter(|(_, bad)| **bad).map(|(&row, _)| row).collect();
        SmReading { proven, inconsistent }
    }

    fn nothing(&self) -> SmReading {
        let rows = self.statement.pass().opened();
        SmReading { proven: vec![false; rows.len()], inconsistent: rows.to_vec() }
    }

    /// For every opened row, whether `z_v·G + z_r·H + c·γ ≠ R2`.
    fn unopened(&self, rng: &mut impl CryptoRng) -> Vec<bool> {
        let [z_v, z_r, _] = self.responses.as_slice() else { return Vec::new() };
        let (c, commitments) = (self.announced.challenge(), self.statement.commitments());
        let items = commitments.len();
        let announced = self.announced.equation(1, items);
        let weights = weights(items, rng);
        let full: Vec<F> = weights.iter().map(|&weight| F::from_u128(weight)).collect();
        let sum = bases().g.mul(&algebra::inner_product(&full, z_v))
            + bases().h.mul(&algebra::inner_product(&full, z_r))
            + G1::msm_short(&weights, &commitments).mul(&c)
            - G1::msm_short(&weights, announced);
        if sum.is_identity() {
            return vec![false; items];
        }
        let rows = commitments.par_iter().zip(announced).zip(z_v.par_iter().zip(z_r));
        rows.map(|((commitment, announced), (z_v, z_r))| {
            let opened = bases().h.add_mul(bases().g.add_mul(commitment.mul(&c), z_v), z_r);
            opened != *announced
        })
        .collect()
    }
}
