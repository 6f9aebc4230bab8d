//! A distributed proof as the querier has it, checked with x; and as it is shown to others, checked
//! with y.

use std::ops::Range;

use algebra::{Bls12381, Group, Pairing, Scalar};
use rand_core::CryptoRng;
use shuffle::{PointList, SecretKey};

use super::{
    Announced, Challenge, Print, SealedResponse,
    bases::{F, G1, G2},
    challenge::prints,
    distributed::weights,
    exponents::scaled,
    relation::{Relation, equation},
};
use trace::TraceError;

/// What the querier finds out in a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// y, under which the pass has its signatures.
    pub key: G2,
    /// For every opened row, whether the proof of a signature holds: a "yes". A proof that does
    /// not hold shows nothing: the row is outside the set, or a server spoilt its part, or the
    /// sender's shares were never those of its commitment.
    pub proven: Vec<bool>,
}

/// Statement, prints of the announcements, sums of the responses: for each row of p_BB, with m
/// servers, 16 bytes and 3·m scalars.
pub struct Proof<R: Relation> {
    statement: R,
    challenge: Challenge,
    responses: R::Scalars,
}

impl<R: Relation> Proof<R> {
    /// Opens the responses of all servers. The prints are of the sums of their announcements, from
    /// whomever.
    ///
    /// # Errors
    /// [`TraceError::Missing`]; [`TraceError::UnreadableShare`], [`TraceError::DisputedShare`] or
    /// [`TraceError::Step`] naming the server.
    pub fn open(
        statement: R,
        prints: Vec<Print>,
        key: &SecretKey<G1>,
        responses: &[SealedResponse],
    ) -> Result<Self, TraceError> {
        let challenge = Challenge::new(&statement, prints)?;
        let responses = challenge.open(&statement, key, responses)?;
        Ok(Self { statement, challenge, responses })
    }

    /// Checks all equations with x: what they must announce has the print that was announced. No
    /// pairing. With the key of another pass nothing is proven.
    #[must_use]
    pub fn read(&self, key: &R::Key) -> Reading {
        let proven = match self.statement.secret(key) {
            None => vec![false; self.statement.pass().opened().len()],
            Some(x) => {
                let c = self.challenge.scalar();
                let mut expected = self.statement.expected(&self.responses, &c, x);
                let others = self.statement.expected_others(&self.responses, &c);
                expected.extend(others.into_iter().flatten());
                let expected = prints(&self.statement, &PointList::new(expected));
                let announced = self.challenge.prints().iter();
                announced.zip(&expected).map(|(left, right)| left == right).collect()
            }
        };
        Reading { key: *self.statement.key(), proven }
    }

    /// What the querier shows to others; the announcements are those of the prints.
    pub fn shown(&self, announced: &Announced) -> ShownProof<R>
    where
        R: Clone,
    {
        let (statement, responses) = (self.statement.clone(), self.responses.clone());
        ShownProof::new(statement, announced.clone(), responses)
    }

    /// What is proven.
    pub fn statement(&self) -> &R {
        &self.statement
    }

    /// The sums of the responses, for every witness and item.
    pub fn responses(&self) -> &R::Scalars {
        &self.responses
    }
}

/// A proof as its querier shows it to others, who have y only: with the sums of the announcements.
pub struct ShownProof<R: Relation> {
    statement: R,
    announced: Announced,
    responses: R::Scalars,
}

impl<R: Relation> ShownProof<R> {
    /// Takes the responses of all servers added up, for every witness one for each item.
    pub(super) fn new(statement: R, announced: Announced, responses: R::Scalars) -> Self {
        Self { statement, announced, responses }
    }

    /// Checks all equations with y: the first in batches of two pairings, bisected, since it is
    /// expected to fail for rows outside the answer; the others, which hold for all rows if everybody
    /// is honest, as one sum. Weights are from `rng`. It convinces who trusts that the querier gave x
    /// to no server before the responses were fixed.
    ///
    /// `e(c·S, y) · e(expected(x = 0) − R1, G2) = 1`.
    #[must_use]
    pub fn read(&self, rng: &mut dyn CryptoRng) -> Reading {
        let (items, c) =
            (self.statement.pass().opened().len(), self.announced.challenge().scalar());
        let expected = self.statement.expected(&self.responses, &c, &F::zero());
        let announced = equation(self.announced.sums(), 0, items);
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
        let bad = self.statement.inconsistent(&self.responses, &c, self.announced.sums(), rng);
        let proven = held.iter().zip(&bad).map(|(&held, &bad)| held && !bad).collect();
        Reading { key: *self.statement.key(), proven }
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
            let weights = self.weights.get(range.clone())?;
            Some(G1::msm_short(weights, points.get(range.clone())?))
        };
        // Of what is missing nothing holds: two empty sums would be neutral.
        let (Some(left), Some(right)) = (part(self.signatures), part(self.rest)) else {
            return false;
        };
        Bls12381::is_neutral(&[(left, *self.key), (right, G2::generator())])
    }
}
