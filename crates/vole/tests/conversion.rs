//! Values equal the numbers that their bits spell, or are refused.

use crate::common::{Change, Sender, Tamper, rng, run};
use vole::{
    Bits, Converter, Decomposition, Fp, Functional, Generator, Gf64, Prover, SeedProof, Session,
    Sizes, Targets, Verifier, VoleError,
};

/// What the prover commits to: numbers, and values that it says are the same.
#[derive(Clone)]
struct Witness {
    width: usize,
    numbers: Vec<u64>,
    values: Vec<u64>,
}

impl Witness {
    fn honest(width: usize, numbers: &[u64]) -> Self {
        Self { width, numbers: numbers.to_vec(), values: numbers.to_vec() }
    }
}

/// Commits to each number bit by bit as the sum of two shares, and claims that the values agree.
fn statement<S: Session>(session: &mut S, witness: &Witness) -> Result<(), VoleError> {
    let Witness { width, numbers, values } = witness;
    let share = |number: &u64, place: usize| {
        let share = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> place & 1 == 1;
        [share, share ^ (number >> place & 1 == 1)]
    };
    let shares = session.commit::<Gf64>(2 * width * numbers.len(), || {
        let shares = numbers.iter().flat_map(|number| (0..*width).map(move |i| share(number, i)));
        shares.flatten().collect()
    })?;
    let bits = shares.chunks_exact(2).map(|pair| S::plus::<Gf64>(&pair[0], &pair[1])).collect();
    let values = session
        .commit::<Fp>(values.len(), || values.iter().map(|&value| Fp::from(value)).collect())?;
    session.decompose(Decomposition::conversion(*width, values, bits))
}

type Outcome = (Result<(), VoleError>, Result<(), VoleError>);

/// Several checks in one session, each of some claims.
fn convert(converter: Converter, tamper: Option<Tamper>, checks: &[Vec<Witness>]) -> Outcome {
    fn all<S: Session>(session: &mut S, checks: &[Vec<Witness>]) -> Result<(), VoleError> {
        for claims in checks {
            claims.iter().try_for_each(|witness| statement(session, witness))?;
            session.check()?;
        }
        Ok(())
    }
    run(
        tamper,
        |channel| {
            Prover::run(channel, converter, b"", &mut rng(1), |session| {
                session.even_if_false();
                all(session, checks)
            })
        },
        |channel| {
            Verifier::run(channel, converter, b"", &mut rng(2), |session| all(session, checks))
        },
    )
}

fn accepted(converter: Converter, witness: Witness) -> bool {
    let (prover, verifier) = convert(converter, None, &[vec![witness]]);
    assert_eq!(prover.is_ok(), verifier.is_ok(), "{prover:?} {verifier:?}");
    match (&prover, &verifier) {
        // Of a false claim, the prover's own program shows no carries.
        (Err(VoleError::False { .. }), Err(VoleError::Channel(_))) => {}
        (_, Err(error)) => {
            assert!(matches!(error, VoleError::Cheating { check: "claims" }), "{error}");
        }
        (_, Ok(())) => {}
    }
    verifier.is_ok()
}

#[test]
fn numbers_of_all_widths_with_every_converter() {
    for (name, converter) in Converter::NAMED {
        let most = (1 << 60) - 1;
        let many: Vec<_> = (0..300).collect();
        for (width, numbers) in [
            (8, &[][..]),
            (1, &[0, 1]),
            (8, &[0, 255, 129]),
            (60, &[0, most, most / 3]),
            (9, &many),
        ] {
            assert!(accepted(converter, Witness::honest(width, numbers)), "{name}, {width} bits");
        }
    }
}

#[test]
fn other_numbers_are_refused_by_every_converter() {
    for (name, converter) in Converter::NAMED {
        for values in [[6, 7], [5, 8], [7, 5], [5 + 16, 7], [Fp::MODULUS - 1, 7]] {
            let witness = Witness { width: 4, numbers: vec![5, 7], values: values.to_vec() };
            assert!(!accepted(converter, witness), "{name}, {values:?}");
        }
    }
    // No bits spell zero and nothing else.
    let witness = |value| Witness { width: 0, numbers: vec![0], values: vec![value] };
    assert!(accepted(Converter::GENERATOR, witness(0)));
    assert!(!accepted(Converter::GENERATOR, witness(1)));
}

/// TSPA's seeds last for 15,797 outputs: this takes several, and the second check goes on where the
/// first stopped.
#[test]
fn seeds_follow_one_another() {
    let converter = Converter::Local { generator: Generator::PaperTspa, proof: SeedProof::V1 };
    let numbers: Vec<_> = (0..2_000).map(|i| i * 7_919).collect();
    let honest = Witness::honest(24, &numbers);
    let (prover, verifier) =
        convert(converter, None, &[vec![honest.clone(), honest.clone()], vec![honest.clone()]]);
    assert!(prover.is_ok() && verifier.is_ok(), "{prover:?} {verifier:?}");
    for wrong in [0, 700, 1_999] {
        let mut witness = honest.clone();
        witness.values[wrong] += 1;
        let (_, verifier) = convert(converter, None, &[vec![honest.clone()], vec![witness]]);
        assert!(matches!(verifier, Err(VoleError::Cheating { .. })));
    }
}

/// Times that the prover waits, for bits committed over F_2 or in the numbers alone.
fn rounds(converter: Converter, count: usize, committed: bool) -> u64 {
    fn claim<S: Session>(session: &mut S, count: usize, committed: bool) -> Result<(), VoleError> {
        let width = 8;
        let mut sizes = Sizes::default();
        sizes.add(count, width, committed, &[(0..width, true), (3..width, true)]);
        let (bits, values) = sizes.demand(session.setup().converter);
        let bits = if committed { bits + count * width } else { bits };
        session.reserve(bits, values + 2 * count)?;
        let numbers: Vec<_> = (0..count as u64).map(|i| i * 37 % 256).collect();
        let mut values = |dropped: usize| {
            let values = numbers.iter().map(|&x| Fp::from(x >> dropped)).collect();
            session.commit::<Fp>(count, || values)
        };
        let functionals = vec![
            Functional::whole(width, Targets::Linear(values(0)?)),
            Functional::truncated(width, 3, Targets::Linear(values(3)?)),
        ];
        let bits = match committed {
            true => Bits::Committed(session.commit::<Gf64>(count * width, || {
                numbers.iter().flat_map(|x| (0..8).map(move |i| x >> i & 1 == 1)).collect()
            })?),
            false => Bits::Numbers(S::numbers(&numbers)),
        };
        session.decompose(Decomposition { count, width, bits, functionals })?;
        session.check().map(|_| ())
    }
    let (rounds, verifier) = run(
        None,
        |channel| {
            Prover::run(channel, converter, b"", &mut rng(1), |session| {
                session.even_if_false();
                claim(session, count, committed)
            })?;
            Ok::<_, VoleError>(channel.turns())
        },
        |channel| {
            Verifier::run(channel, converter, b"", &mut rng(2), |session| {
                claim(session, count, committed)
            })
        },
    );
    verifier.unwrap();
    rounds.unwrap()
}

/// Five times as many numbers, several seeds: the same rounds, for every converter.
#[test]
fn rounds_do_not_grow_with_the_batch() {
    for (name, converter) in Converter::NAMED {
        for committed in [true, false] {
            let [few, many] = [2_000, 10_000].map(|count| rounds(converter, count, committed));
            assert_eq!(few, many, "{name}");
            assert!(few <= 9, "{name}: {few}");
        }
    }
}

/// A number's bits with functionals, and the bits nowhere but in the number.
fn functionals<S: Session>(
    session: &mut S,
    numbers: &[u64],
    wrong: Option<usize>,
) -> Result<(), VoleError> {
    let width = 12;
    let commit = |session: &mut S, number: usize, of: fn(u64) -> u64| {
        session.commit::<Fp>(numbers.len(), || {
            let value = |x: &u64| of(*x) + u64::from(wrong == Some(number));
            numbers.iter().map(|x| Fp::from(value(x))).collect()
        })
    };
    let whole = commit(session, 0, |x| x)?;
    let truncated = commit(session, 1, |x| x >> 5)?;
    let top = commit(session, 2, |x| x >> 11)?;
    let whole = whole.iter().map(|x| session.term::<Fp>(x)).collect();
    let claim = Decomposition {
        count: numbers.len(),
        width,
        bits: Bits::Numbers(S::numbers(numbers)),
        functionals: vec![
            Functional::whole(width, Targets::Computed(whole)),
            Functional::truncated(width, 5, Targets::Linear(truncated)),
            Functional::bit(width, 11, Targets::Linear(top)),
        ],
    };
    session.decompose(claim)?;
    session.check().map(|_| ())
}

#[test]
fn functionals_of_bits() {
    let numbers: Vec<_> = (0..100).map(|i| i * 41 % 4_096).collect();
    for (name, converter) in Converter::NAMED {
        for wrong in [None, Some(0), Some(1), Some(2)] {
            let (prover, verifier) = run(
                None,
                |channel| {
                    Prover::run(channel, converter, b"", &mut rng(1), |prover| {
                        prover.even_if_false();
                        functionals(prover, &numbers, wrong)
                    })
                },
                |channel| {
                    Verifier::run(channel, converter, b"", &mut rng(2), |verifier| {
                        functionals(verifier, &numbers, wrong)
                    })
                },
            );
            assert_eq!(verifier.is_ok(), wrong.is_none(), "{name}, {wrong:?}: {verifier:?}");
            assert_eq!(prover.is_ok(), wrong.is_none(), "{name}, {wrong:?}: {prover:?}");
        }
    }
}

/// Any message of either party after the meeting, at some places.
#[test]
fn changed_messages_are_refused() {
    let checks = [vec![Witness::honest(4, &[5, 7])]];
    for converter in [Converter::GENERATOR, Converter::EdaBits] {
        // Every message from the corrections to the proof; those after the last are none.
        let mut refused = 0;
        for frame in 3..16 {
            let mut all = true;
            for change in [Change::Flip(vec![0]), Change::Flip(vec![usize::MAX]), Change::Cut] {
                let tamper = Tamper { sender: Sender::Prover, frame, change };
                let (prover, verifier) = convert(converter, Some(tamper.clone()), &checks);
                assert_eq!(prover.is_err(), verifier.is_err(), "{converter:?} {tamper:?}");
                all &= verifier.is_err();
            }
            assert!(all || frame > 11, "{converter:?}, message {frame}");
            refused += usize::from(all);
        }
        assert!(refused > 8);
    }
}

#[test]
fn limits_are_errors() {
    let (prover, verifier) =
        convert(Converter::GENERATOR, None, &[vec![Witness::honest(61, &[1])]]);
    assert!(matches!(prover, Err(VoleError::TooMany { .. })));
    assert!(matches!(verifier, Err(VoleError::TooMany { .. })));
}

/// Coefficients beyond the degree of a generator's claims would go unchecked.
#[test]
fn targets_of_high_degree_are_errors() {
    fn cube<S: Session>(session: &mut S) -> Result<(), VoleError> {
        let x = session.commit::<Fp>(1, || vec![Fp::from(2)])?;
        let x = session.term::<Fp>(&x[0]);
        let cube = session.mul::<Fp>(&session.mul::<Fp>(&x, &x), &x);
        session.decompose(Decomposition {
            count: 1,
            width: 4,
            bits: Bits::Numbers(S::numbers(&[8])),
            functionals: vec![Functional::whole(4, Targets::Computed(vec![cube]))],
        })
    }
    let (prover, verifier) = run(
        None,
        |channel| {
            Prover::run(channel, Converter::GENERATOR, b"", &mut rng(1), |session| {
                session.even_if_false();
                cube(session)
            })
        },
        |channel| {
            Verifier::run(channel, Converter::GENERATOR, b"", &mut rng(2), |session| cube(session))
        },
    );
    assert!(matches!(prover, Err(VoleError::TooMany { .. })), "{prover:?}");
    assert!(matches!(verifier, Err(VoleError::TooMany { .. })), "{verifier:?}");
}
