//! Signed fixed point: what is computed is what integers give, or it is refused.

use crate::common::{rng, run};
use vole::{Converter, Field, Fixed, Prover, Session, Verifier, VoleError};

/// 16 integer bits and 8 fraction bits.
type Number<S> = Fixed<S, 16, 8>;

const INPUTS: [i64; 6] = [300, -77, 0, -(1 << 23), (1 << 23) - 1, -1];

/// What both parties do, and what is to be revealed in the end.
fn everything<S: Session>(session: &mut S) -> Result<Vec<i64>, VoleError> {
    let x = Number::<S>::commit(session, INPUTS.len(), || INPUTS.to_vec())?;
    let pairs: Vec<_> = (0..x.len()).map(|i| [x[i], x[(i + 1) % x.len()]]).collect();
    let products = Number::mul(session, &pairs)?;
    let dots = Number::dot(session, &[&pairs, &pairs[..2]])?;
    let positive = Number::relu(session, &x)?;
    let less = Number::less_than(session, &pairs)?;
    let (largest, choice) = Number::argmax(session, &x)?;
    Number::assert_range(session, &x[..3], -77, 300)?;
    let sum = x[0].add(&x[1])?;
    let numbers = [products, dots, positive, vec![largest, sum]].concat();
    let numbers = Fixed::reveal(session, &numbers)?;
    let flags = Field::reveal(session, &[less, choice].concat())?;
    let checked = session.check()?;
    let mut shown = numbers.values(&checked)?;
    shown.extend(flags.values(&checked)?.into_iter().map(|flag| flag.to_u64() as i64));
    Ok(shown)
}

fn expected() -> Vec<i64> {
    let next = |i: usize| INPUTS[(i + 1) % INPUTS.len()];
    let products: Vec<_> = (0..6).map(|i| INPUTS[i] * next(i)).collect();
    let mut numbers: Vec<i64> = products.iter().map(|x| x >> 8).collect();
    numbers.push(products.iter().sum::<i64>() >> 8);
    numbers.push((products[0] + products[1]) >> 8);
    numbers.extend(INPUTS.map(|x| x.max(0)));
    numbers.extend([(1 << 23) - 1, 223]);
    numbers.extend((0..6).map(|i| i64::from(INPUTS[i] < next(i))));
    numbers.extend([0, 0, 0, 0, 1, 0]);
    numbers
}

#[test]
fn agrees_with_integers() {
    for converter in [Converter::GENERATOR, Converter::EdaBits] {
        let (prover, verifier) = run(
            None,
            |channel| {
                Prover::run(channel, converter, b"", &mut rng(1), |session| {
                    session.even_if_false();
                    everything(session)
                })
            },
            |channel| {
                Verifier::run(channel, converter, b"", &mut rng(2), |session| everything(session))
            },
        );
        assert!(prover.unwrap() == expected(), "{converter:?}");
        assert!(verifier.unwrap() == expected(), "{converter:?}");
    }
}

type Claim = (fn() -> Vec<i64>, i64, i64);

fn ranged<S: Session>(session: &mut S, (inputs, low, high): Claim) -> Result<(), VoleError> {
    let x = Number::<S>::commit(session, inputs().len(), inputs)?;
    Number::assert_range(session, &x, low, high)?;
    session.check().map(|_| ())
}

/// Both ends belong to a range, and their neighbours do not; an input has no more bits than it may.
#[test]
fn ranges_are_exact() {
    let claims: [(Claim, bool); 8] = [
        ((|| vec![5, 8, 6], 5, 8), true),
        ((|| vec![4], 5, 8), false),
        ((|| vec![9], 5, 8), false),
        ((|| vec![-8, -5], -8, -5), true),
        ((|| vec![-9], -8, -5), false),
        ((|| vec![7], 7, 7), true),
        ((|| vec![1 << 23], -(1 << 24), 1 << 24), false),
        ((|| vec![-(1 << 23)], -(1 << 24), 1 << 24), true),
    ];
    for (number, (claim, holds)) in claims.into_iter().enumerate() {
        let converter = Converter::default();
        let (prover, verifier) = run(
            None,
            |channel| {
                Prover::run(channel, converter, b"", &mut rng(3), |session| {
                    session.even_if_false();
                    ranged(session, claim)
                })
            },
            |channel| {
                Verifier::run(channel, converter, b"", &mut rng(4), |session| {
                    ranged(session, claim)
                })
            },
        );
        assert_eq!(verifier.is_ok(), holds, "claim {number}: {verifier:?}");
        assert_eq!(prover.is_ok(), holds, "claim {number}");
    }
}

/// The reference accepts x = 1/2 modulo p, y = 2 and the product 1: here x is no input.
#[test]
fn wrapping_products_are_no_products() {
    fn attack<S: Session>(session: &mut S) -> Result<(), VoleError> {
        // 1/2 modulo p is 2^60: it wraps around.
        let x = Number::<S>::commit(session, 2, || vec![1 << 60, 2])?;
        Number::mul(session, &[[x[0], x[1]]])?;
        session.check().map(|_| ())
    }
    let converter = Converter::default();
    let (prover, verifier) = run(
        None,
        |channel| {
            Prover::run(channel, converter, b"", &mut rng(5), |session| {
                session.even_if_false();
                attack(session)
            })
        },
        |channel| Verifier::run(channel, converter, b"", &mut rng(6), |session| attack(session)),
    );
    assert!(matches!(verifier, Err(VoleError::Cheating { .. })), "{verifier:?}");
    assert!(matches!(prover, Err(VoleError::Refused)));
}

/// A product that might not fit is an error, for both parties, before anything is sent.
#[test]
fn bounds_are_kept() {
    fn grow<S: Session>(session: &mut S) -> Result<(), VoleError> {
        let x = Fixed::<S, 30, 8>::commit(session, 1, || vec![1])?;
        Fixed::mul(session, &[[x[0], x[0]]]).map(|_| ())
    }
    let converter = Converter::default();
    let (prover, verifier) = run(
        None,
        |channel| {
            Prover::run(channel, converter, b"", &mut rng(7), |session| {
                session.even_if_false();
                grow(session)
            })
        },
        |channel| Verifier::run(channel, converter, b"", &mut rng(8), |session| grow(session)),
    );
    for error in [prover, verifier] {
        assert!(matches!(error, Err(VoleError::TooMany { .. })), "{error:?}");
    }
}
