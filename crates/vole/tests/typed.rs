//! Bits, integers and fixed-point numbers: operations are what they say, or are refused.

use crate::common::{rng, run};
use vole::{
    Bit, Converter, Field, Fixed, Fp, MAX_WIDTH, ParameterSet, Prover, Session, Setup, Verifier,
    VoleError,
};

fn setup(converter: Converter) -> Setup {
    Setup { correlations: ParameterSet::NoLpn, converter, ..Setup::default() }
}

/// Runs a statement for both parties: what each returns.
macro_rules! both {
    ($converter:expr, $statement:expr) => {
        run(
            None,
            |channel| {
                Prover::run(channel, setup($converter), b"", &mut rng(1), |session| {
                    session.even_if_false();
                    $statement(session)
                })
            },
            |channel| {
                Verifier::run(channel, setup($converter), b"", &mut rng(2), |session| {
                    $statement(session)
                })
            },
        )
    };
}

type Shown = (Vec<bool>, Vec<u64>, Vec<i64>);

/// From integers to bits and back, and on to fixed point.
fn everything<S: Session>(session: &mut S) -> Result<Shown, VoleError> {
    let x = Field::commit(session, 3, || [5, 12, 255].map(Fp::from).to_vec())?;
    let bits = Field::to_bits(session, 8, &x)?;
    let ands = Bit::mul(session, &[[bits[0], bits[2]], [bits[0], bits[1]]])?;
    let one = Bit::constant(session, true);
    let xors = [bits[0] + bits[1], bits[0] - bits[2], bits[0] + one, ands[0].scale(false)];
    let bits_shown = Bit::reveal(session, &[&bits[..8], &ands, &xors].concat())?;

    // Halves of the bits of 5 and of 12.
    let halves = Field::from_bits(session, 4, &bits[..16])?;
    let product = Field::mul(session, &[[x[1], x[2]]])?[0];
    let difference = x[0] - x[1].scale(Fp::from(2)) + Field::constant(session, Fp::from(100));
    let random = Field::random(session, 1)?[0];
    let values =
        [&halves[..], &[product, difference, random.scale(Fp::from(2)) - random - random]].concat();
    let integers = Field::reveal(session, &values)?;

    let quarters = Fixed::<S, 10, 2>::from_field(session, &[x[0], difference, x[0] - x[1]])?;
    let products = Fixed::mul(session, &[[quarters[0], quarters[1]], [quarters[0], quarters[2]]])?;
    let fixed = Fixed::reveal(session, &[quarters, products].concat())?;
    let checked = session.check()?;
    let integers = integers.values(&checked)?.into_iter().map(Fp::to_u64).collect();
    Ok((bits_shown.values(&checked)?, integers, fixed.values(&checked)?))
}

#[test]
fn operations_are_what_they_say() {
    let bits = [1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0].map(|bit| bit == 1).to_vec();
    let integers = vec![5, 0, 12, 0, 3_060, 81, 0];
    // 5/4 times 81/4 is 405/16, and 5/4 times -7/4 is -35/16, rounded down to quarters.
    let fixed = vec![5, 81, -7, 101, -9];
    for converter in [Converter::GENERATOR, Converter::EdaBits] {
        let (prover, verifier) = both!(converter, everything);
        assert_eq!(prover.unwrap(), (bits.clone(), integers.clone(), fixed.clone()));
        assert_eq!(verifier.unwrap(), (bits.clone(), integers.clone(), fixed.clone()));
    }
}

/// The verifier refuses, and the prover learns that it did. Without a generator a prover may find nothing
/// that it could send, and hang up.
macro_rules! assert_refused {
    ($statement:expr) => {
        let (prover, verifier) = both!(Converter::GENERATOR, $statement);
        assert!(matches!(verifier, Err(VoleError::Cheating { .. })), "{verifier:?}");
        assert!(matches!(prover, Err(VoleError::Refused)), "{prover:?}");
        match both!(Converter::EdaBits, $statement) {
            (Err(VoleError::Refused | VoleError::Channel(_)), Err(VoleError::Cheating { .. }))
            | (
                Err(VoleError::Unlucky | VoleError::False { what: "conversion" }),
                Err(VoleError::Channel(_)),
            ) => {}
            other => panic!("{other:?}"),
        }
    };
}

#[test]
fn false_claims_are_refused() {
    /// 16 has five bits.
    fn too_wide<S: Session>(session: &mut S) -> Result<(), VoleError> {
        let x = Field::commit(session, 2, || [15, 16].map(Fp::from).to_vec())?;
        Field::to_bits(session, 4, &x)?;
        session.check().map(|_| ())
    }
    assert_refused!(too_wide);

    /// 2 is not spelled 11.
    fn misspelled<S: Session>(session: &mut S) -> Result<(), VoleError> {
        let x = Field::commit(session, 1, || vec![Fp::from(2)])?;
        let bits = Bit::commit(session, 2, || vec![true, true])?;
        Field::assert_bits(session, 2, &x, &bits)?;
        session.check().map(|_| ())
    }
    assert_refused!(misspelled);

    /// 1 and 0 is not 1.
    fn false_product<S: Session>(session: &mut S) -> Result<(), VoleError> {
        let x = Bit::commit(session, 3, || vec![true, false, true])?;
        Bit::assert_product(session, [x[0], x[1]], x[2])?;
        session.check().map(|_| ())
    }
    assert_refused!(false_product);

    /// 1 is not 0.
    fn not_zero<S: Session>(session: &mut S) -> Result<(), VoleError> {
        Field::commit(session, 1, || vec![Fp::from(1)])?[0].assert_zero(session)?;
        session.check().map(|_| ())
    }
    assert_refused!(not_zero);

    /// 8 is not below 2^3, with its sign.
    fn out_of_range<S: Session>(session: &mut S) -> Result<(), VoleError> {
        let x = Field::commit(session, 1, || vec![Fp::from(8)])?;
        Fixed::<S, 3, 1>::from_field(session, &x)?;
        session.check().map(|_| ())
    }
    assert_refused!(out_of_range);
}

#[test]
fn what_does_not_fit_is_an_error() {
    fn parts<S: Session>(session: &mut S) -> Result<(), VoleError> {
        let bits = Bit::random(session, 61)?;
        for width in [0, 2] {
            let error = Field::from_bits(session, width, &bits).err();
            assert!(matches!(error, Some(VoleError::Shape { .. })), "{error:?}");
        }
        let value = Field::random(session, 1)?;
        let error = Field::assert_bits(session, 2, &value, &bits).err();
        assert!(matches!(error, Some(VoleError::Shape { .. })), "{error:?}");
        let error = Field::to_bits(session, MAX_WIDTH + 1, &value).err();
        assert!(matches!(error, Some(VoleError::TooMany { .. })), "{error:?}");
        Field::from_bits(session, MAX_WIDTH + 1, &bits).map(|_| ())
    }
    let (prover, verifier) = both!(Converter::default(), parts);
    for error in [prover, verifier] {
        assert!(matches!(error, Err(VoleError::TooMany { .. })), "{error:?}");
    }
}
