//! True statements are accepted, false ones and changed messages are not.

use crate::common::{Change, Sender, Tamper, rng, run};
use vole::{
    Field, Fp, Gf64, MAX_CLAIMS, MAX_DEGREE, ParameterSet, Prover, Session, Verifier, VoleError,
};
use wire::Channel;

const SET: ParameterSet = ParameterSet::NoLpn;

#[derive(Clone)]
struct Witness {
    /// Seven inputs, their majority, the conjunction of the first two.
    bits: Vec<bool>,
    /// a, b, ab, a^2 b.
    values: Vec<Fp>,
}

impl Witness {
    fn new(inputs: u8) -> Self {
        let mut bits: Vec<_> = (0..7).map(|i| inputs >> i & 1 == 1).collect();
        bits.push((inputs & 127).count_ones() >= 4);
        bits.push(inputs & 3 == 3);
        let (a, b) = (Fp::from(u64::MAX / 3), Fp::from(u64::from(inputs) + 5));
        Self { bits, values: vec![a, b, a * b, a * a * b] }
    }
}

type Shown = (Vec<bool>, Vec<Fp>);

/// The fourth elementary symmetric polynomial: over F_2, the majority of seven.
fn majority<S: Session>(session: &S, inputs: &[S::Commitment<Gf64>]) -> S::Commitment<Gf64> {
    let mut e = vec![session.constant::<Gf64>(true)];
    e.resize(5, session.constant::<Gf64>(false));
    for x in inputs {
        for k in (1..5).rev() {
            e[k] = session.add::<Gf64>(&e[k], &session.mul::<Gf64>(&e[k - 1], x));
        }
    }
    e.swap_remove(4)
}

fn statement<S: Session>(session: &mut S, witness: &Witness) -> Result<Shown, VoleError> {
    let bits = session.commit::<Gf64>(9, || witness.bits.clone())?;
    let values = session.commit::<Fp>(4, || witness.values.clone())?;
    session.assert_product::<Gf64>([bits[0], bits[1]], bits[8])?;
    session.assert_product::<Fp>([values[0], values[1]], values[2])?;
    let bits: Vec<_> = bits.iter().map(|bit| session.term::<Gf64>(bit)).collect();
    let values: Vec<_> = values.iter().map(|value| session.term::<Fp>(value)).collect();
    let and = session.mul::<Gf64>(&bits[0], &bits[1]);
    let of_seven = majority(session, &bits[..7]);
    for (computed, committed) in [(&and, &bits[8]), (&of_seven, &bits[7])] {
        let difference = session.sub::<Gf64>(computed, committed);
        session.assert_zero::<Gf64>(difference)?;
    }
    let product = session.mul::<Fp>(&values[0], &values[1]);
    let cubic = session.mul::<Fp>(&product, &values[0]);
    for (computed, committed) in [(&product, &values[2]), (&cubic, &values[3])] {
        let difference = session.sub::<Fp>(committed, computed);
        session.assert_zero::<Fp>(difference)?;
    }
    let shown =
        (session.reveal::<Gf64>(&[bits[7].clone(), and])?, session.reveal::<Fp>(&[product])?);
    let checked = session.check()?;
    Ok((shown.0.values(&checked)?, shown.1.values(&checked)?))
}

fn prove(channel: &mut Channel, seed: u64, witness: &Witness) -> Result<Shown, VoleError> {
    Prover::run(channel, SET, b"statement", &mut rng(seed), |prover| {
        prover.even_if_false();
        prover.reserve(9 + 3 * 64, 4 + 2)?;
        let shown = statement(prover, witness);
        if shown.is_err() {
            assert!(prover.reserve(100_000, 0).is_err());
        }
        shown
    })
}

fn verify(channel: &mut Channel, seed: u64) -> Result<Shown, VoleError> {
    Verifier::run(channel, SET, b"statement", &mut rng(seed + 1_000_000), |verifier| {
        verifier.reserve(9 + 3 * 64, 4 + 2)?;
        statement(verifier, &Witness::new(0))
    })
}

fn both(
    seed: u64,
    tamper: Option<Tamper>,
    witness: &Witness,
) -> (Result<Shown, VoleError>, Result<Shown, VoleError>) {
    run(tamper, |channel| prove(channel, seed, witness), |channel| verify(channel, seed))
}

#[test]
fn true_statements_are_accepted() {
    for inputs in [0, 127, 0b11, 0b1111, 0b101_0100, 0b111_0011] {
        let witness = Witness::new(inputs);
        let (prover, verifier) = both(1, None, &witness);
        let (bits, values) = verifier.unwrap();
        assert_eq!(bits, witness.bits[7..]);
        assert_eq!(values, witness.values[2..3]);
        assert!(prover.is_ok());
    }
}

/// A false value anywhere. (A single input that changes neither gate is another true statement.)
#[test]
fn false_statements_are_refused() {
    let honest = Witness::new(0b000_1111);
    for bit in [0, 1, 2, 3, 7, 8] {
        let mut witness = honest.clone();
        witness.bits[bit] ^= true;
        let (prover, verifier) = both(2, None, &witness);
        assert!(matches!(verifier, Err(VoleError::Cheating { .. })), "bit {bit}");
        assert!(matches!(prover, Err(VoleError::Refused)));
    }
    for value in 0..4 {
        let mut witness = honest.clone();
        witness.values[value] += Fp::from(1);
        assert!(matches!(both(2, None, &witness).1, Err(VoleError::Cheating { .. })));
    }
}

#[test]
fn changed_messages_are_refused() {
    let witness = Witness::new(0b000_1111);
    // Committed bits, committed values, what binds to the shown values, the proof with them.
    let proof = 8 * (4 + 3) + 32 + 1 + 8;
    for (frame, len) in [(5, 2), (6, 32), (7, 32), (8, proof)] {
        for place in (0..len).filter(|place| place % 8 == 0 || frame == 5) {
            let change = Change::Flip(vec![place]);
            let tamper = Tamper { sender: Sender::Prover, frame, change };
            let (prover, verifier) = both(3, Some(tamper), &witness);
            assert!(verifier.is_err() && prover.is_err(), "message {frame}, byte {place}");
        }
    }
    // Challenge, verdict.
    for frame in [4, 5] {
        let tamper = Tamper { sender: Sender::Verifier, frame, change: Change::Flip(vec![0]) };
        let (prover, verifier) = both(3, Some(tamper), &witness);
        assert!(prover.is_err());
        assert_eq!(verifier.is_ok(), frame == 5);
    }
}

#[test]
fn messages_of_wrong_length_and_lost_connections() {
    let witness = Witness::new(77);
    for frame in 5..9 {
        for change in [Change::Shorten, Change::Lengthen, Change::Cut] {
            let tamper = Tamper { sender: Sender::Prover, frame, change };
            let (prover, verifier) = both(4, Some(tamper.clone()), &witness);
            assert!(verifier.is_err() && prover.is_err(), "{tamper:?}");
        }
    }
}

/// Claims that all bits and values are zero, as inputs and as computed values.
fn zeros<S: Session>(
    session: &mut S,
    bits: &[bool],
    values: &[Fp],
    rounds: usize,
) -> Result<(), VoleError> {
    for _ in 0..rounds {
        for input in session.commit::<Gf64>(bits.len(), || bits.to_vec())? {
            session.assert_zero::<Gf64>(session.term::<Gf64>(&input))?;
        }
        for input in session.commit::<Fp>(values.len(), || values.to_vec())? {
            session.assert_zero::<Fp>(session.term::<Fp>(&input))?;
        }
        session.check()?;
    }
    Ok(())
}

fn all_zero(bits: &[bool], values: &[Fp], rounds: usize) -> (bool, bool) {
    let (prover, verifier) = run(
        None,
        |channel| {
            Prover::run(channel, SET, b"", &mut rng(5), |session| {
                session.even_if_false();
                zeros(session, bits, values, rounds)
            })
        },
        |channel| {
            Verifier::run(channel, SET, b"", &mut rng(6), |session| {
                zeros(session, bits, values, rounds)
            })
        },
    );
    (prover.is_ok(), verifier.is_ok())
}

#[test]
fn no_claims_and_many_checks() {
    assert_eq!(all_zero(&[], &[], 2), (true, true));
    assert_eq!(all_zero(&[false; 1], &[], 3), (true, true));
    assert_eq!(all_zero(&[false; 2_000], &[Fp::default(); 70], 2), (true, true));
}

/// With powers of one challenge for coefficients, two false claims at a distance m cancel for m of
/// the challenges; m = 1023 divides 2^40 - 1 and helps in that field. Ours are independent.
#[test]
fn false_claims_do_not_cancel() {
    for distance in [1, 3, 1023] {
        let mut bits = vec![false; 1_100];
        bits[7] = true;
        bits[7 + distance] = true;
        assert_eq!(all_zero(&bits, &[], 1), (false, false));
    }
    let mut values = vec![Fp::default(); 10];
    values[2] = Fp::from(1);
    values[8] = -Fp::from(1);
    assert_eq!(all_zero(&[], &values, 1), (false, false));
}

/// A constant that is not zero is a false claim like any other.
#[test]
fn a_false_constant_is_refused() {
    fn claim<S: Session>(session: &mut S) -> Result<(), VoleError> {
        let one = session.constant::<Fp>(Fp::from(1));
        session.assert_zero::<Fp>(one)?;
        session.check().map(|_| ())
    }
    let (prover, verifier) = run(
        None,
        |channel| {
            Prover::run(channel, SET, b"", &mut rng(7), |session| {
                session.even_if_false();
                claim(session)
            })
        },
        |channel| Verifier::run(channel, SET, b"", &mut rng(8), |session| claim(session)),
    );
    assert!(matches!(prover, Err(VoleError::Refused)));
    assert!(matches!(verifier, Err(VoleError::Cheating { .. })));
}

#[test]
fn limits_are_errors() {
    let (prover, verifier) = run(
        None,
        |channel| {
            Prover::run(channel, SET, b"", &mut rng(9), |prover| {
                let x = prover.commit::<Fp>(1, || vec![Fp::default()])?.remove(0);
                let x = prover.term::<Fp>(&x);
                let power =
                    (0..MAX_DEGREE).fold(x.clone(), |power, _| prover.mul::<Fp>(&power, &x));
                prover.assert_zero::<Fp>(power)
            })
        },
        |channel| {
            Verifier::run(channel, SET, b"", &mut rng(10), |verifier| {
                verifier.commit::<Fp>(1, Vec::new)?;
                verifier.commit::<Fp>(MAX_CLAIMS + 1, Vec::new).map(|_| ())
            })
        },
    );
    for error in [prover, verifier] {
        assert!(matches!(error, Err(VoleError::TooMany { .. })));
    }
}

/// A prover that looks at its own claims says nothing more once one is false: the verifier hears
/// neither a proof nor what was to be shown.
#[test]
fn a_false_claim_is_not_proven() {
    fn claim<S: Session>(session: &mut S) -> Result<(), VoleError> {
        let x = Field::commit(session, 1, || vec![Fp::from(41_250)])?;
        let shown = Field::reveal(session, &x)?;
        x[0].shift(session, -Fp::from(30_000)).assert_zero(session)?;
        let checked = session.check()?;
        shown.values(&checked).map(|_| ())
    }
    let (prover, verifier) = run(
        None,
        |channel| {
            let outcome = Prover::run(channel, SET, b"", &mut rng(11), |prover| claim(prover));
            (outcome, channel.bytes_sent())
        },
        |channel| Verifier::run(channel, SET, b"", &mut rng(12), |verifier| claim(verifier)),
    );
    assert!(matches!(prover.0, Err(VoleError::False { what: "computation" })), "{prover:?}");
    assert!(matches!(verifier, Err(VoleError::Channel(_))), "{verifier:?}");
    // The value behind its mask was the last message: a proof would be another.
    let (sent, _) = run(
        None,
        |channel| {
            let commit = |prover: &mut Prover<'_, _>| {
                Field::commit(prover, 1, || vec![Fp::from(41_250)]).map(|_| ())
            };
            Prover::run(channel, SET, b"", &mut rng(11), commit).unwrap();
            channel.bytes_sent()
        },
        |channel| {
            Verifier::run(channel, SET, b"", &mut rng(12), |verifier| {
                Field::commit(verifier, 1, Vec::new).map(|_| ())
            })
        },
    );
    assert_eq!(prover.1, sent);
}

/// Values are read from the check that has shown them, and from no other.
#[test]
fn shown_values_belong_to_their_check() {
    fn twice<S: Session>(session: &mut S) -> Result<(), VoleError> {
        let x = Field::commit(session, 2, || [7, 8].map(Fp::from).to_vec())?;
        let first = Field::reveal(session, &x[..1])?;
        let checked = session.check()?;
        assert_eq!(first.values(&checked)?, [Fp::from(7)]);
        let second = Field::reveal(session, &x[1..])?;
        assert!(matches!(second.values(&checked), Err(VoleError::Shape { .. })));
        let checked = session.check()?;
        assert!(matches!(first.values(&checked), Err(VoleError::Shape { .. })));
        assert_eq!(second.values(&checked)?, [Fp::from(8)]);
        Ok(())
    }
    let (prover, verifier) = run(
        None,
        |channel| Prover::run(channel, SET, b"", &mut rng(13), |prover| twice(prover)),
        |channel| Verifier::run(channel, SET, b"", &mut rng(14), |verifier| twice(verifier)),
    );
    prover.unwrap();
    verifier.unwrap();
}
