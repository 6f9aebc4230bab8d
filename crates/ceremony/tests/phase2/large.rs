//! A circuit as large as those that people make keys for, timed.
//!
//! snarkjs hashes the list `H` of a first key in pieces of 2^14 points, and for domains of 2^15 and
//! more reads one point too many: if the circuit is as large as phase 1, bytes that are no point.
//! Only then the circuit hashes differ, and only these.

use std::{io::Cursor, time::Instant};

use algebra::{Bls12381, Bn254, CurveGroup, Engine, Scalar, ScalarOf};
use circuit::{
    Curve,
    ptau::{G1Section, G2Section, Ptau, PtauHeader, PtauWriter},
    r1cs::{Constraint, R1csHeader, R1csWriter},
};

use super::{
    oracle::{with_circuit, with_first},
    snarkjs::Folder,
    support::{Files, contribute},
};

/// A circuit whose domain has `2^log_size` points: `x_i = x_{i−1}² · (i mod 4 + 1)`.
fn circuit<E: Engine>(log_size: u32) -> Vec<u8> {
    let constraints = (1 << log_size) - 2;
    let header = R1csHeader {
        wires: constraints + 2,
        public_outputs: 1,
        constraints,
        labels: u64::from(constraints) + 2,
        ..Default::default()
    };
    let term = |wire, factor| vec![(wire, ScalarOf::<E>::from_u64(factor))];
    let row = |row: u32| {
        let (a, b) = (term(row + 1, u64::from(row % 4 + 1)), term(row + 1, 1));
        Ok(Constraint { a, b, c: term(if row + 1 == constraints { 1 } else { row + 2 }, 1) })
    };
    let mut out = R1csWriter::<_, E>::new(Cursor::new(Vec::new()), header).unwrap();
    out.header().unwrap();
    out.constraints((0..constraints).map(row)).unwrap();
    out.labels((0..u64::from(header.wires)).map(Ok)).unwrap();
    out.finish().unwrap().into_inner()
}

/// `L_i(τ)` over the domain of `size` points; without the last monomial if that does not exist.
fn lagrange<S: Scalar>(tau: S, root: S, size: usize, lacks_last: bool) -> Vec<S> {
    let powers = |base: S| std::iter::successors(Some(S::one()), move |power| Some(*power * base));
    let power = powers(tau).nth(size).unwrap();
    let size_inverse = S::from_u64(size as u64).invert().unwrap();
    let mut divisors: Vec<S> = powers(root).take(size).map(|element| tau - element).collect();
    S::batch_invert(&mut divisors);
    let last = powers(tau).nth(size - 1).unwrap();
    // ω^{−i(size−1)} is ω^i.
    let values = divisors.into_iter().zip(powers(root)).map(|(inverse, element)| {
        let whole = (power - S::one()) * element * inverse * size_inverse;
        if lacks_last { whole - last * element * size_inverse } else { whole }
    });
    values.collect()
}

fn points<G: CurveGroup>(scalars: &[G::Scalar]) -> Vec<algebra::Affine<G>> {
    let points: Vec<G> = scalars.iter().map(G::mul_generator).collect();
    G::to_affine_all(&points)
}

/// A phase 1 with known secrets, somebody else's contributions, and of the Lagrange sections only the
/// domain of `2^log_size`.
fn phase1<E: Engine>(curve: Curve, power: u32, log_size: u32) -> Vec<u8> {
    let scalar = ScalarOf::<E>::from_u64;
    let (tau, alpha, beta) = (scalar(0x1234_5678_9abc), scalar(77), scalar(99));
    let tau = tau * tau * tau * tau * tau;
    let root = |log| E::root_of_unity(log).unwrap();
    let powers = |first, count: u64| {
        let powers = std::iter::successors(Some(first), |power| Some(*power * tau));
        powers.take(count as usize).collect::<Vec<_>>()
    };
    let one = ScalarOf::<E>::one();
    let rows = lagrange(tau, root(log_size), 1 << log_size, false);
    let double = lagrange(tau, root(log_size + 1), 2 << log_size, log_size == power);
    let (g, h) = (E::G1::affine_generator(), E::G2::affine_generator());
    let start = (1 << log_size) - 1;
    let times = |values: &[ScalarOf<E>], factor| {
        values.iter().map(|value| *value * factor).collect::<Vec<_>>()
    };

    let mut out = PtauWriter::<_, E>::new(Vec::new(), PtauHeader::new(power), true).unwrap();
    for section in [G1Section::Tau, G1Section::AlphaTau, G1Section::BetaTau] {
        let first = match section {
            G1Section::Tau => one,
            G1Section::AlphaTau => alpha,
            _ => beta,
        };
        let mut list = out.g1(section).unwrap();
        list.write(&points::<E::G1>(&powers(first, section.len(power)))).unwrap();
        list.finish().unwrap().finish().unwrap();
        if section == G1Section::Tau {
            // Only the first powers of the others matter; here a real section follows.
            let mut list = out.g2(G2Section::Tau).unwrap();
            list.repeat(&h, G2Section::Tau.len(power)).unwrap();
            list.finish().unwrap().finish().unwrap();
        }
    }
    let mut list = out.g2(G2Section::Beta).unwrap();
    list.write(&points::<E::G2>(&[beta])).unwrap();
    list.finish().unwrap().finish().unwrap();
    let mut recorded = Cursor::new(Files::of(curve).ptau);
    let recorded = Ptau::<E>::open(&mut recorded).unwrap().contributions(&mut recorded).unwrap();
    out.contributions(&recorded.collect::<Result<Vec<_>, _>>().unwrap()).unwrap();
    for (section, factor) in [
        (G1Section::LagrangeTau, one),
        (G1Section::LagrangeAlphaTau, alpha),
        (G1Section::LagrangeBetaTau, beta),
    ] {
        let mut list = out.g1(section).unwrap();
        list.repeat(&g, start).unwrap();
        list.write(&points::<E::G1>(&times(&rows, factor))).unwrap();
        if section == G1Section::LagrangeTau {
            list.write(&points::<E::G1>(&double)).unwrap();
        }
        let left = list.remaining();
        list.repeat(&g, left).unwrap();
        list.finish().unwrap().finish().unwrap();
        if section == G1Section::LagrangeTau {
            let mut list = out.g2(G2Section::LagrangeTau).unwrap();
            list.repeat(&h, start).unwrap();
            list.write(&points::<E::G2>(&rows)).unwrap();
            let left = list.remaining();
            list.repeat(&h, left).unwrap();
            list.finish().unwrap().finish().unwrap();
        }
    }
    out.finish().unwrap()
}

fn check<E: Engine>(curve: Curve, power: u32, log_size: u32) {
    let files = Files { r1cs: circuit::<E>(log_size), ptau: phase1::<E>(curve, power, log_size) };
    let start = Instant::now();
    let ours = files.new_key::<E>();
    println!("{curve:?} 2^{log_size}: new {:?}", start.elapsed());
    let start = Instant::now();
    let (key, _) = contribute::<E>(&ours, None, 1);
    println!("contribute {:?}", start.elapsed());
    let start = Instant::now();
    assert!(files.verify::<E>(&key).unwrap().is_hash_checked);
    println!("verify {:?}", start.elapsed());

    let folder = Folder::new(curve, &format!("large-{power}-{log_size}"));
    folder.write("circuit.r1cs", &files.r1cs);
    folder.write("phase1.ptau", &files.ptau);
    let start = Instant::now();
    folder.snarkjs(&["groth16", "setup", "circuit.r1cs", "phase1.ptau", "theirs.zkey"]).unwrap();
    println!("snarkjs new {:?}", start.elapsed());
    let theirs = folder.read("theirs.zkey");
    if log_size < power {
        assert!(ours == theirs);
        return;
    }
    // The hash and the count of contributions are the end of a first key.
    let end = ours.len() - 68;
    assert!(ours[..end] == theirs[..end] && ours[end..] != theirs[end..]);
    let (key, _) = contribute::<E>(&theirs, None, 1);
    assert!(!files.verify::<E>(&key).unwrap().is_hash_checked);
}

#[test]
#[ignore = "takes minutes"]
fn below_the_power() {
    check::<Bn254>(Curve::Bn254, 16, 15);
    check::<Bls12381>(Curve::Bls12381, 15, 14);
}

#[test]
#[ignore = "takes minutes"]
fn as_large_as_phase_1() {
    check::<Bn254>(Curve::Bn254, 15, 15);
}

/// A key of 2^16 rows, and one of 2^18: what a turn costs that verifies its input first, against the first
/// key and against circuit and phase 1, beside one that does not. `scripts/test --long` runs it.
#[test]
#[ignore = "takes minutes"]
fn long_turns() {
    type E = Bn254;
    for log_size in [16, 18] {
        let ptau = phase1::<E>(Curve::Bn254, log_size + 1, log_size);
        let files = Files { r1cs: circuit::<E>(log_size), ptau };
        let timed = |what: &str, run: &dyn Fn() -> Vec<u8>| {
            let start = Instant::now();
            let made = run();
            println!("2^{log_size} {what}: {:.1?}", start.elapsed());
            (made, start.elapsed())
        };
        let (first, _) = timed("new", &|| files.new_key::<E>());
        let (second, alone) = timed("contribute", &|| contribute::<E>(&first, None, 1).0);
        let (third, whole) = timed("verify against the first key, and contribute", &|| {
            with_first::<E>(&second, &first, false).unwrap()
        });
        println!("2^{log_size}: {:.2} times as long", whole.as_secs_f64() / alone.as_secs_f64());
        let (other, _) = timed("verify against circuit and phase 1, and contribute", &|| {
            with_circuit::<E>(&second, &files, false).unwrap()
        });
        assert!(third == other);
        timed("verify", &|| {
            files.verify::<E>(&third).unwrap();
            Vec::new()
        });
    }
}
