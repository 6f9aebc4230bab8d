//! A distributed proof as the querier has it, and its check, with the key x and without.

use std::ops::Range;

use algebra::{Bls12381, Group, Pairing, Scalar};
use rand_core::CryptoRng;
use shuffle::{PointList, SecretKey};

use super::{
    Announced, SealedResponse,
    bases::{F, G1, G2},
    distributed::{Relation, weights},
    exponents::scaled,
};
use crate::TraceError;

/// What the querier finds out in a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// y, under which the pass has its signatures.
    pub key: G2,
    /// For every opened row, whether the proof of a signature holds: a "yes". A proof that does
    /// not hold shows nothing.
    pub proven: Vec<bool>,
    /// Opened rows for which the responses fail where they hold even outside the answer: a server
    /// spoilt its part, or the sender's shares were never those of its commitment. None with
    /// honest servers and senders.
    pub inconsistent: Vec<u32>,
}

/// Statement, sums of the announcements, sums of the responses.
pub struct Proof<R> {
    statement: R,
    announced: Announced,
    responses: Vec<Vec<F>>,
}

impl<R: Relation> Proof<R> {
    /// Opens the responses of all servers. `sums` are the sums of their announcements, from
    /// whomever.
    ///
    /// # Errors
    /// [`TraceError::Missing`]; [`TraceError::UnreadableShare`], [`TraceError::DisputedShare`] or
    /// [`TraceError::Step`] naming the server.
    pub fn open(
        statement: R,
        sums: PointList<G1>,
        key: &SecretKey<G1>,
        responses: &[SealedResponse],
    ) -> Result<Self, TraceError> {
        let announced = Announced::from_sums(&statement, sums)?;
        let responses = announced.open(&statement, key, responses)?;
        Ok(Self { statement, announced, responses })
    }

    /// A proof as its querier shows it to others: the responses of all servers added up, for every
    /// witness one for each item.
    pub(super) fn published(statement: R, announced: Announced, responses: Vec<Vec<F>>) -> Self {
        Self { statement, announced, responses }
    }

    /// Checks all equations with x: no pairing. The first is expected to fail for rows outside
    /// the answer and is checked row by row; the others hold for all rows if everybody is honest
    /// and are checked as one sum, with weights from `rng`. With the key of another pass nothing
    /// is proven.
    #[must_use]
    pub fn read(&self, key: &R::Key, rng: &mut dyn CryptoRng) -> Reading {
        let c = self.announced.challenge();
        let held = match self.statement.secret(key) {
            None => vec![false; self.items()],
            Some(x) => {
                let expected = self.statement.expected(&self.responses, &c, x);
                let announced = self.announced.equation(0, self.items());
                expected.iter().zip(announced).map(|(left, right)| left == right).collect()
            }
        };
        self.reading(held, rng)
    }

    /// Checks all equations with y only, the first in batches of two pairings, bisected: for
    /// those to whom the querier shows the responses. It convinces who trusts that the querier
    /// gave x to no server before they were fixed.
    ///
    /// `e(c·S, y) · e(expected(x = 0) − R1, G2) = 1`.
    #[must_use]
    pub fn read_with_public_key(&self, rng: &mut dyn CryptoRng) -> Reading {
        let (items, c) = (self.items(), self.announced.challenge());
        let expected = self.statement.expected(&self.responses, &c, &F::zero());
        let announced = self.announced.equation(0, items);
        let rest: Vec<G1> =
            expected.iter().zip(announced).map(|(&left, &right)| left - right).collect();
        let signatures = scaled(self.statement.signatures(), &vec![c; items]);
        let batch = Batch {
            key: self.statement.key(),
            signatures: &signatures,
            rest: &rest,
            weights: &weights(items, rng),
        };
        let mut held = vec![false; items];
        batch.hold(0..items, &mut held);
        self.reading(held, rng)
    }

    /// What is proven.
    pub fn statement(&self) -> &R {
        &self.statement
    }

    /// The sums of the announcements, and the challenge.
    pub fn announced(&self) -> &Announced {
        &self.announced
    }

    /// The sums of the responses, for every witness and item.
    pub fn responses(&self) -> &[Vec<F>] {
        &self.responses
    }

    fn reading(&self, held: Vec<bool>, rng: &mut dyn CryptoRng) -> Reading {
        let bad = self.statement.inconsistent(&self.responses, &self.announced, rng);
        let proven = held.iter().zip(&bad).map(|(&held, &bad)| held && !bad).collect();
        let rows = self.statement.pass().opened().iter().zip(&bad);
        let inconsistent = rows.filter(|(_, bad)| **bad).map(|(&row, _)| row).collect();
        Reading { key: *self.statement.key(), proven, inconsistent }
    }

    fn items(&self) -> usize {
        self.statement.pass().opened().len()
    }
}

/// `e(S_i, y) · e(rest_i, G2) = 1` for many i, with weights.
struct Batch<'a> {
    key: &'a G2,
    signatures: &'a [G1],
    rest: &'a [G1],
    weights: &'a [u128],
}

impl Batch<'_> {
    /// Marks every i of a range for which it holds, by halves.
    fn hold(&self, range: Range<usize>, held: &mut [bool]) {
        if range.is_empty() {
            return;
        }
        if self.holds(range.clone()) {
            held.get_mut(range).into_iter().for_each(|held| held.fill(true));
        } else if range.len() > 1 {
            let middle = range.start + range.len() / 2;
            self.hold(range.start..middle, held);
            self.hold(middle..range.end, held);
        }
    }

    fn holds(&self, range: Range<usize>) -> bool {
        let part = |points: &[G1]| {
            let weights = self.weights.get(range.clone()).unwrap_or_default();
            G1::msm_short(weights, points.get(range.clone()).unwrap_or_default())
        };
        let pairs = [(part(self.signatures), *self.key), (part(self.rest), G2::generator())];
        Bls12381::is_neutral(&pairs)
    }
}
