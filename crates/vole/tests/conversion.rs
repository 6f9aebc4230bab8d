//! Values equal the numbers that their bits spell, or are refused.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Change, Sender, Tamper, rng, run};
use vole::{
    Conversion, Fp, Gf64, ParameterSet, Party, Prover, Verifier, VoleError, assert_converted,
    dabit_demand,
};

const SET: ParameterSet = ParameterSet::NoLpn;

/// Commits to numbers of a width and to their bits, and claims that they agree, with so many daBits.
/// Each number is committed bit by bit as the sum of two shares.
fn convert(
    tamper: Option<Tamper>,
    width: usize,
    numbers: &[u64],
    values: &[u64],
    dabits: usize,
) -> (Result<(), VoleError>, Result<(), VoleError>) {
    fn statement<S: Party>(
        party: &mut S,
        width: usize,
        bits: &[S::Commitment<Gf64>],
        values: Vec<S::Commitment<Fp>>,
        dabits: Vec<vole::DaBit<S>>,
    ) -> Result<(), VoleError> {
        let xor: Vec<_> =
            bits.chunks_exact(2).map(|pair| party.add::<Gf64>(&pair[0], &pair[1])).collect();
        let numbers = xor.chunks_exact(width.max(1));
        let conversions: Vec<_> = (values.into_iter().zip(numbers))
            .map(|(value, bits)| Conversion { value, bits: bits.to_vec() })
            .collect();
        assert_converted(party, &conversions, dabits)?;
        party.check()
    }

    let count = numbers.len() * width;
    let (bits, fields) = dabit_demand(dabits);
    let (bits, fields) = (bits + 2 * count, fields + numbers.len() + 1);
    run(
        tamper,
        |channel| {
            let mut rng = rng(1);
            let mut prover = Prover::connect(channel, SET, b"", &mut rng)?;
            prover.reserve(bits, fields)?;
            let dabits = prover.dabits(dabits, &mut rng)?;
            let share = |number: &u64, place: usize| {
                let share = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> place & 1 == 1;
                [share, share ^ (number >> place & 1 == 1)]
            };
            let shares =
                numbers.iter().flat_map(|number| (0..width).map(move |i| share(number, i)));
            let shares: Vec<_> = shares.flatten().collect();
            let bits = prover.commit::<Gf64>(&shares)?;
            let values: Vec<_> = values.iter().map(|&value| Fp::from(value)).collect();
            let values = prover.commit::<Fp>(&values)?;
            statement(&mut prover, width, &bits, values, dabits)
        },
        |channel| {
            let mut rng = rng(2);
            let mut verifier = Verifier::connect(channel, SET, b"", &mut rng)?;
            verifier.reserve(bits, fields)?;
            let dabits = verifier.dabits(dabits)?;
            let bits = verifier.commit::<Gf64>(2 * count)?;
            let values = verifier.commit::<Fp>(numbers.len())?;
            statement(&mut verifier, width, &bits, values, dabits)
        },
    )
}

fn accepted(width: usize, numbers: &[u64], values: &[u64]) -> bool {
    let (prover, verifier) = convert(None, width, numbers, values, numbers.len() * width);
    assert_eq!(prover.is_ok(), verifier.is_ok());
    verifier.is_ok()
}

#[test]
fn numbers_of_all_widths() {
    assert!(accepted(8, &[], &[]));
    assert!(accepted(1, &[0, 1], &[0, 1]));
    assert!(accepted(8, &[0, 255, 129], &[0, 255, 129]));
    let most = (1 << 60) - 1;
    assert!(accepted(60, &[0, most, most / 3], &[0, most, most / 3]));
    // More than one batch of daBits.
    let many: Vec<_> = (0..300).collect();
    assert!(accepted(9, &many, &many));
}

#[test]
fn other_numbers_are_refused() {
    for values in [[6, 7], [5, 8], [7, 5], [5 + 16, 7], [Fp::MODULUS - 1, 7]] {
        assert!(!accepted(4, &[5, 7], &values), "{values:?}");
    }
}

#[test]
fn changed_messages_are_refused() {
    // daBits over F_p, offsets, rows over F_2 and F_p, bits, values, masked bits, proof.
    let frames = [(5, 64), (6, 512), (7, 8), (8, 512), (9, 2), (10, 16), (11, 1), (12, 24)];
    for (frame, len) in frames {
        for place in [0, len / 2, len - 1] {
            let change = Change::Flip(vec![place]);
            let tamper = Tamper { sender: Sender::Prover, frame, change };
            let (prover, verifier) = convert(Some(tamper), 4, &[5, 7], &[5, 7], 8);
            assert!(prover.is_err() && verifier.is_err(), "message {frame}, byte {place}");
        }
        for change in [Change::Shorten, Change::Lengthen, Change::Cut] {
            let tamper = Tamper { sender: Sender::Prover, frame, change };
            let (prover, verifier) = convert(Some(tamper), 4, &[5, 7], &[5, 7], 8);
            assert!(prover.is_err() && verifier.is_err(), "message {frame}");
        }
    }
    // The seed of the rows.
    let tamper = Tamper { sender: Sender::Verifier, frame: 4, change: Change::Flip(vec![0]) };
    let (prover, verifier) = convert(Some(tamper), 4, &[5, 7], &[5, 7], 8);
    assert!(prover.is_err() && verifier.is_err());
}

#[test]
fn limits_are_errors() {
    for (width, dabits) in [(61, 61), (8, 7)] {
        let (prover, verifier) = convert(None, width, &[1], &[1], dabits);
        assert!(matches!(prover, Err(VoleError::TooMany { .. })));
        assert!(matches!(verifier, Err(VoleError::TooMany { .. })));
    }
}
