//! Correlations fulfil their equation, or the run ends with an error.

use crate::common::{Change, Sender, Tamper, rng, run};
use vole::{
    Fp, Gf64, MAX_BITS, MAX_FIELD, ParameterSet, ProverCorrelations, ProverVole,
    VerifierCorrelations, VerifierVole, VoleError,
};
use wire::Channel;

const SET: ParameterSet = ParameterSet::NoLpn;

type Prover = Result<Vec<ProverCorrelations>, VoleError>;
type Verifier = Result<(Gf64, Fp, Vec<VerifierCorrelations>), VoleError>;

/// Both parties make each of these numbers of correlations in turn.
fn correlate(seed: u64, tamper: Option<Tamper>, sizes: &[(usize, usize)]) -> (Prover, Verifier) {
    correlate_with(SET, seed, tamper, sizes)
}

fn correlate_with(
    set: ParameterSet,
    seed: u64,
    tamper: Option<Tamper>,
    sizes: &[(usize, usize)],
) -> (Prover, Verifier) {
    let prover = |channel: &mut Channel| {
        let mut rng = rng(seed);
        let mut vole = ProverVole::connect(channel, set, b"test", &mut rng)?;
        let mut made = Vec::new();
        for &(bits, values) in sizes {
            let (next, correlations) = vole.extend(bits, values, channel, &mut rng)?;
            vole = next;
            made.push(correlations);
        }
        Ok(made)
    };
    let verifier = |channel: &mut Channel| {
        let mut rng = rng(seed + 1_000_000);
        let mut vole = VerifierVole::connect(channel, set, b"test", &mut rng)?;
        let mut made = Vec::new();
        for &(bits, values) in sizes {
            let (next, correlations) = vole.extend(bits, values, channel, &mut rng)?;
            vole = next;
            made.push(correlations);
        }
        Ok((vole.bit_delta(), vole.field_delta(), made))
    };
    run(tamper, prover, verifier)
}

/// The lowest bit of a MAC is the value.
fn bit(mac: Gf64) -> u64 {
    mac.to_u64() & 1
}

/// m = k + x Δ, everywhere.
fn assert_correlated(prover: &[ProverCorrelations], verifier: &Verifier) {
    let (bit_delta, field_delta, made) = verifier.as_ref().ok().unwrap();
    assert_eq!(prover.len(), made.len());
    for (p, v) in prover.iter().zip(made) {
        assert_eq!((p.bits.len(), p.values.len()), (v.bits.len(), v.values.len()));
        for (&m, &k) in p.bits.iter().zip(&*v.bits) {
            assert!(m == k + Gf64::from(bit(m)) * *bit_delta);
        }
        for (x, &k) in p.values.iter().zip(&*v.values) {
            assert!(x.mac == k + x.value * *field_delta);
        }
    }
}

#[test]
fn correlations_of_all_sizes() {
    let sizes = [(0, 0), (1, 1), (127, 30), (128, 32), (129, 33), (5000, 100), (0, 3), (3, 0)];
    let (prover, verifier) = correlate(1, None, &sizes);
    let prover = prover.ok().unwrap();
    assert_correlated(&prover, &verifier);
    for (made, size) in prover.iter().zip(sizes) {
        assert_eq!((made.bits.len(), made.values.len()), size);
    }
    // Each extension has streams of its own.
    let ones = prover[5].bits.iter().filter(|mac| bit(**mac) == 1).count();
    assert!((2300..2700).contains(&ones));
    let values = |i: usize| prover[i].values.iter().take(30).map(|x| x.value).collect::<Vec<_>>();
    assert_ne!(values(3), values(2));
    assert!(prover[3].bits[..127] != prover[2].bits[..127]);
}

/// Some of each size from codes, some without.
#[test]
fn correlations_from_codes() {
    for set in [ParameterSet::Dual21x24T512, ParameterSet::Dual7x24T512] {
        let sizes = [(1 << 18, 9_000), (1_000, 20_000), (300_000, 0)];
        let (prover, verifier) = correlate_with(set, 12, None, &sizes);
        let prover = prover.ok().unwrap();
        assert_correlated(&prover, &verifier);
        for (made, (bits, values)) in prover.iter().zip(sizes) {
            assert!(made.bits.len() >= bits && made.values.len() >= values);
            let ones = made.bits.iter().filter(|mac| bit(**mac) == 1).count();
            let middle = made.bits.len() / 2;
            // Eight standard deviations.
            let spread = (16.0 * made.bits.len() as f64).sqrt() as usize;
            assert!((middle - spread..=middle + spread).contains(&ones));
        }
    }
}

/// Choices, level sums, the combination: all frames of an extension with codes.
#[test]
fn changed_messages_about_noise_are_refused() {
    let sizes = [(0, 1 << 13)];
    let set = ParameterSet::default();
    let error = |sender, frame, change| {
        let tamper = Some(Tamper { sender, frame, change });
        let (prover, verifier) = correlate_with(set, 13, tamper, &sizes);
        (prover.err(), verifier.err())
    };
    for (frame, places) in [(4, &[240, 600, usize::MAX][..]), (5, &[0, 16, 32]), (6, &[0, 16])] {
        for &place in places {
            let (prover, verifier) = error(Sender::Prover, frame, Change::Flip(vec![place]));
            assert!(prover.is_some() && verifier.is_some(), "message {frame}, byte {place}");
        }
    }
    // Level sums and totals, commitment, verdict, opening. A change of a level sum that the prover
    // does not read is none.
    for (frame, places) in [
        (4, vec![0, 16]),
        (4, vec![usize::MAX]),
        (5, vec![0]),
        (6, vec![0]),
        (7, vec![0]),
        (7, vec![40]),
    ] {
        let (prover, _) = error(Sender::Verifier, frame, Change::Flip(places.clone()));
        assert!(prover.is_some(), "message {frame}, bytes {places:?}");
    }
    for frame in 4..8 {
        for change in [Change::Shorten, Change::Lengthen, Change::Cut] {
            assert!(error(Sender::Verifier, frame, change).0.is_some(), "message {frame}");
        }
    }
}

fn flip(sender: Sender, frame: usize, place: usize) -> Option<Tamper> {
    Some(Tamper { sender, frame, change: Change::Flip(vec![place]) })
}

const SIZE: [(usize, usize); 1] = [(200, 5)];

/// One bit of any message of the prover but the level sums, of which the verifier reads half.
#[test]
fn changed_messages_of_the_prover_are_refused() {
    // Greeting, base OT answers, corrections, answer to the check.
    let corrections = 32 + 16 * 3 * 15;
    let places: [(usize, &[usize]); 4] = [
        (0, &[0, 1, 40, 90, 97, 128, 129, 130, 161]),
        (1, &[0, 31, 32, 188 * 32, 100 * 32 + 7]),
        (3, &[0, 16, 40, corrections - 1, corrections, corrections + 8 * 7 * 7 - 1]),
        (4, &[0, 47, 48, 63, 64, 95, 96, 104, 168, 239]),
    ];
    for (frame, places) in places {
        for &place in places {
            let (prover, verifier) = correlate(2, flip(Sender::Prover, frame, place), &SIZE);
            assert!(verifier.is_err(), "message {frame}, byte {place}");
            assert!(prover.is_err(), "message {frame}, byte {place}");
        }
    }
}

/// Whoever changes both sums of a level is always caught; whoever changes one of them, at one time
/// in two, and learns a bit of the key by not being caught. What is accepted is right.
#[test]
fn changed_level_sums_are_refused_or_unused() {
    let mut accepted = 0;
    for level in 0..12 {
        let both = vec![32 * level, 32 * level + 16];
        let tamper = Tamper { sender: Sender::Prover, frame: 2, change: Change::Flip(both) };
        assert!(correlate(3, Some(tamper), &SIZE).1.is_err());

        let (prover, verifier) =
            correlate(3, flip(Sender::Prover, 2, 16 * (13 * level + level % 2)), &SIZE);
        if verifier.is_ok() {
            accepted += 1;
            assert_correlated(&prover.ok().unwrap(), &verifier);
        }
    }
    assert!((1..12).contains(&accepted), "{accepted} of 12");
}

#[test]
fn changed_messages_of_the_verifier_end_the_run() {
    // Greeting, base OT offers, seed, verdict.
    let places: [(usize, &[usize]); 4] =
        [(0, &[0, 1, 97, 128, 129, 161]), (1, &[0, 32, 64 * 150 + 3]), (2, &[0, 15]), (3, &[0])];
    for (frame, places) in places {
        for &place in places {
            let (prover, verifier) = correlate(4, flip(Sender::Verifier, frame, place), &SIZE);
            assert!(prover.is_err(), "message {frame}, byte {place}");
            assert_eq!(verifier.is_ok(), frame == 3, "message {frame}, byte {place}");
        }
    }
}

#[test]
fn messages_of_wrong_length_and_lost_connections() {
    for (sender, frames) in [(Sender::Prover, 5), (Sender::Verifier, 4)] {
        for frame in 0..frames {
            for change in [Change::Shorten, Change::Lengthen, Change::Cut] {
                let tamper = Tamper { sender, frame, change };
                let (prover, verifier) = correlate(5, Some(tamper.clone()), &SIZE);
                assert!(prover.is_err(), "{tamper:?}");
                // The verifier has the last word, and nobody confirms it.
                let last = sender == Sender::Verifier && frame == 3;
                assert_eq!(verifier.is_ok(), last, "{tamper:?}");
            }
        }
    }
}

#[test]
fn both_parties_must_mean_the_same() {
    let connect = |context: &'static [u8]| {
        run(
            None,
            |channel| ProverVole::connect(channel, SET, b"one", &mut rng(6)).err(),
            move |channel| VerifierVole::connect(channel, SET, context, &mut rng(7)).err(),
        )
    };
    assert!(matches!(connect(b"one"), (None, None)));
    let (prover, verifier) = connect(b"other");
    assert!(matches!(prover, Some(VoleError::Mismatch { what: "context" })));
    assert!(matches!(verifier, Some(VoleError::Mismatch { what: "context" })));

    let prove = |channel: &mut Channel| ProverVole::connect(channel, SET, b"", &mut rng(8)).err();
    let (left, right) = run(None, prove, prove);
    assert!(matches!(left, Some(VoleError::Mismatch { .. })));
    assert!(matches!(right, Some(VoleError::Mismatch { .. })));
}

#[test]
fn too_many_at_once() {
    for size in [(MAX_BITS + 1, 0), (0, MAX_FIELD + 1), (usize::MAX, usize::MAX)] {
        let (prover, verifier) = correlate(9, None, &[size]);
        assert!(matches!(prover, Err(VoleError::TooMany { .. })));
        assert!(matches!(verifier, Err(VoleError::TooMany { .. })));
    }
}

/// As `docs/vole.md` says, and four bytes for the length of each frame.
#[test]
fn bytes_are_as_documented() {
    let bytes = |channel: &Channel| (channel.bytes_sent(), channel.bytes_received());
    let (n, m) = (1_000, 7);
    let (prover, verifier) = run(
        None,
        |channel| {
            let mut rng = rng(10);
            let vole = ProverVole::connect(channel, SET, b"", &mut rng).unwrap();
            let met = bytes(channel);
            vole.extend(n, m, channel, &mut rng).unwrap();
            (met, bytes(channel))
        },
        |channel| {
            let mut rng = rng(11);
            let vole = VerifierVole::connect(channel, SET, b"", &mut rng).unwrap();
            vole.extend(n, m, channel, &mut rng).unwrap();
            bytes(channel)
        },
    );
    let ((sent, received), total) = prover;
    assert_eq!((sent, received), (12_354 + 3 * 4, 12_354 + 2 * 4));
    let rows = n.next_multiple_of(128) as u64 + 128;
    assert_eq!(total.0 - sent, rows * 15 / 8 + 56 * (m as u64 + 2) + 192 + 80 + 2 * 4);
    assert_eq!(total.1 - received, 33 + 2 * 4);
    assert_eq!(verifier, (total.1, total.0));
}
