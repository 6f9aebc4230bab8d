//! Claims of every number around that of a chunk, two of which are false by opposite amounts: they would
//! cancel if two claims had the same coefficient.

use super::{CHUNK, Exchange, MacField, SHOWN};
use crate::{
    Fp, Gf64, VoleError,
    convert::testing::{Outcome, Script, both},
};

const COUNTS: [usize; 6] = [1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 1];

#[derive(Clone, Copy)]
enum Kind {
    Zeros,
    Products,
}

/// Claims about numbers all of which should be zero.
struct Claims {
    kind: Kind,
    count: usize,
    /// The places of a number and of its opposite.
    wrong: Option<[usize; 2]>,
}

impl Claims {
    fn of_field<S: Exchange, F: MacField>(&self, session: &mut S) -> Result<(), VoleError> {
        let committed = session.commit::<F>(self.count + 1, || {
            let mut values = vec![F::Value::default(); self.count];
            if let Some([one, other]) = self.wrong {
                values[one] = F::unit();
                values[other] = F::opposite(F::unit());
            }
            values.push(F::unit());
            values
        })?;
        let (unit, values) = committed.split_last().unwrap();
        values.iter().try_for_each(|value| match self.kind {
            Kind::Zeros => session.assert_linear_zero::<F>(*value),
            Kind::Products => {
                session.assert_product::<F>([*unit, *value], S::Linear::<F>::default())
            }
        })
    }
}

/// Claims over one of the fields.
struct Over<const BITS: bool>(Claims);

impl<const BITS: bool> Script for Over<BITS> {
    fn run<S: Exchange>(&self, session: &mut S) -> Result<(), VoleError> {
        match BITS {
            true => self.0.of_field::<S, Gf64>(session)?,
            false => self.0.of_field::<S, Fp>(session)?,
        }
        session.check().map(|_| ())
    }
}

fn every_claim_has_a_coefficient_of_its_own<const BITS: bool>(kind: Kind) {
    let outcome = |count, wrong| -> Outcome { both(&Over::<BITS>(Claims { kind, count, wrong })) };
    for count in COUNTS {
        let (prover, verifier) = outcome(count, None);
        assert!(prover.is_ok() && verifier.is_ok(), "{count}");
        let pairs = [[0, count - 1], [count.saturating_sub(2), count - 1], [CHUNK - 1, CHUNK]];
        for wrong in pairs.into_iter().filter(|[one, other]| one < other && *other < count) {
            let (_, verifier) = outcome(count, Some(wrong));
            let is_refused = matches!(verifier, Err(VoleError::Cheating { check: "claims" }));
            assert!(is_refused, "{count}, {wrong:?}: {verifier:?}");
        }
    }
}

#[test]
fn zeros_over_bits() {
    every_claim_has_a_coefficient_of_its_own::<true>(Kind::Zeros);
}

#[test]
fn zeros_over_the_prime_field() {
    every_claim_has_a_coefficient_of_its_own::<false>(Kind::Zeros);
}

#[test]
fn products_over_bits() {
    every_claim_has_a_coefficient_of_its_own::<true>(Kind::Products);
}

#[test]
fn products_over_the_prime_field() {
    every_claim_has_a_coefficient_of_its_own::<false>(Kind::Products);
}

/// Random values that are shown at once, over both fields.
struct Shown {
    count: usize,
}

impl Shown {
    fn of_field<S: Exchange, F: MacField>(&self, session: &mut S) -> Result<(), VoleError> {
        let values = session.random::<F>(self.count)?;
        let shown = session.open::<F>(&values)?;
        assert_eq!(shown.len(), self.count);
        if S::PROVES {
            assert!(shown.into_iter().eq(values.iter().map(S::peek::<F>)));
        }
        Ok(())
    }
}

impl Script for Shown {
    fn run<S: Exchange>(&self, session: &mut S) -> Result<(), VoleError> {
        self.of_field::<S, Gf64>(session)?;
        self.of_field::<S, Fp>(session)?;
        session.check().map(|_| ())
    }
}

#[test]
fn values_that_are_shown_at_once() {
    for count in [0, 1, SHOWN - 1, SHOWN, SHOWN + 1, 2 * SHOWN - 1, 2 * SHOWN, 2 * SHOWN + 1] {
        let (prover, verifier) = both(&Shown { count });
        assert!(prover.is_ok() && verifier.is_ok(), "{count}: {prover:?}, {verifier:?}");
    }
}
