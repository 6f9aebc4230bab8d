//! Small files of every kind.

use std::io::Cursor;

use algebra::{Affine, CurveGroup, Dialect, Engine, Group, Pairing, Scalar, ScalarOf};
use circuit::{
    Attribution, Error,
    bellman::{Ceremony, G1Part, ParametersWriter, PowersKind, PowersWriter},
    ptau::{self, G1Section, G2Section, PowersPublicKey, PtauHeader, PtauWriter, SecretPoints},
    r1cs::{Constraint, R1csHeader, R1csWriter},
    wtns,
    zkey::{self, Coefficient, G1Query, KeyPoints, Matrix, ZkeyHeader, ZkeyWriter},
};
use wire::Blake2b;

use crate::rewrite;

pub const POWER: u32 = 2;

/// Different points for different seeds, none of them the neutral element.
pub fn points<G: CurveGroup>(seed: u64, len: u64) -> Vec<Affine<G>> {
    let points = (0..len).map(|i| G::mul_generator(&Scalar::from_u64(1 + 100 * seed + i)));
    G::precompute(&points.collect::<Vec<_>>())
}

fn g1<E: Engine>(seed: u64) -> Affine<E::G1> {
    points::<E::G1>(seed, 1)[0]
}

fn g2<E: Engine>(seed: u64) -> Affine<E::G2> {
    points::<E::G2>(seed, 1)[0]
}

fn public_key<E: Engine>() -> PowersPublicKey<E> {
    PowersPublicKey {
        s: [31, 32, 33].map(g1::<E>),
        sx: [34, 35, 36].map(g1::<E>),
        rx: [37, 38, 39].map(g2::<E>),
    }
}

pub fn ptau<E: Engine>(prepared: bool) -> Vec<u8> {
    let mut out = PtauWriter::<_, E>::new(Vec::new(), PtauHeader::new(POWER), prepared).unwrap();
    let mut hash = Blake2b::new();
    hash.update(&[7; 300]);
    let contribution = |attribution| ptau::Contribution::<E> {
        after: SecretPoints {
            tau_g1: g1::<E>(21),
            tau_g2: g2::<E>(22),
            alpha_g1: g1::<E>(23),
            beta_g1: g1::<E>(24),
            beta_g2: g2::<E>(25),
        },
        public_key: public_key(),
        partial_hash: hash.state(),
        next_challenge: [8; 64],
        attribution,
    };
    let contributions = [
        contribution(Attribution::participant(Some("Ana".to_owned()))),
        contribution(Attribution::beacon(None, 10, vec![1, 2, 3])),
    ];
    for (section, seed) in G1Section::ALL.into_iter().zip(1..) {
        if section.id() < 7 {
            let mut writer = out.g1(section).unwrap();
            writer.write(&points::<E::G1>(seed, section.len(POWER))).unwrap();
        }
    }
    for (section, seed) in G2Section::ALL.into_iter().zip(10..) {
        if section.id() < 7 {
            let mut writer = out.g2(section).unwrap();
            writer.write(&points::<E::G2>(seed, section.len(POWER))).unwrap();
        }
    }
    out.contributions(&contributions).unwrap();
    if prepared {
        for section in
            [G1Section::LagrangeTau, G1Section::LagrangeAlphaTau, G1Section::LagrangeBetaTau]
        {
            let mut writer = out.g1(section).unwrap();
            // One point is the neutral element, as with a trivial secret.
            writer.repeat(&E::G1::affine_identity(), 1).unwrap();
            let left = writer.remaining();
            writer.write(&points::<E::G1>(section.id().into(), left)).unwrap();
            writer.finish().unwrap().finish().unwrap();
        }
        let mut writer = out.g2(G2Section::LagrangeTau).unwrap();
        writer.write(&points::<E::G2>(13, G2Section::LagrangeTau.len(POWER))).unwrap();
    }
    out.finish().unwrap()
}

fn key_points<E: Engine>() -> KeyPoints<E> {
    KeyPoints {
        alpha_g1: g1::<E>(1),
        beta_g1: g1::<E>(2),
        beta_g2: g2::<E>(3),
        gamma_g2: g2::<E>(4),
        delta_g1: g1::<E>(5),
        delta_g2: g2::<E>(6),
    }
}

fn key_contribution<E: Engine>(attribution: Attribution) -> zkey::Contribution<E> {
    zkey::Contribution {
        delta_after: g1::<E>(7),
        s: g1::<E>(8),
        sx: g1::<E>(9),
        rx: g2::<E>(10),
        transcript: [11; 64],
        attribution,
    }
}

pub fn zkey<E: Engine>() -> Vec<u8> {
    let header = ZkeyHeader { variables: 6, public: 2, domain_size: 8, points: key_points::<E>() };
    let mut out = ZkeyWriter::new(Vec::new(), header.clone()).unwrap();
    for (query, seed) in G1Query::ALL.into_iter().zip(20..) {
        let mut writer = out.g1(query).unwrap();
        let mut all = points::<E::G1>(seed, query.len(&header));
        if query != G1Query::H {
            all[1] = E::G1::affine_identity();
        }
        writer.write(&all).unwrap();
    }
    out.b_g2().unwrap().write(&points::<E::G2>(30, 6)).unwrap();
    let entry = |matrix, constraint, wire| Coefficient {
        matrix,
        constraint,
        wire,
        value: ScalarOf::<E>::from_u64(5) + -ScalarOf::<E>::from_u64(u64::from(wire)),
    };
    let mut writer = out.coefficients(3).unwrap();
    let entries = [entry(Matrix::A, 0, 1), entry(Matrix::B, 0, 5), entry(Matrix::A, 7, 2)];
    writer.write(&entries).unwrap();
    assert!(matches!(writer.write(&entries), Err(Error::Written { .. })));
    writer.finish().unwrap();
    let contributions = [
        key_contribution(Attribution::participant(None)),
        key_contribution(Attribution::beacon(Some("noise".to_owned()), 63, vec![])),
    ];
    out.contributions(&[12; 64], &contributions).unwrap();
    out.finish().unwrap()
}

pub fn r1cs<E: Engine>() -> Vec<u8> {
    let header = R1csHeader {
        wires: 5,
        public_outputs: 1,
        public_inputs: 1,
        private_inputs: 1,
        labels: 9,
        constraints: 2,
    };
    let scalar = ScalarOf::<E>::from_u64;
    let constraints = [
        Constraint { a: vec![(1, scalar(1))], b: vec![(2, -scalar(1))], c: vec![] },
        Constraint {
            a: vec![(0, scalar(7)), (4, scalar(1))],
            b: vec![(3, scalar(2))],
            c: vec![(1, scalar(3))],
        },
    ];
    let mut out = R1csWriter::<_, E>::new(Cursor::new(Vec::new()), header).unwrap();
    out.header().unwrap();
    out.constraints(constraints.map(Ok)).unwrap();
    out.labels((0..5).map(Ok)).unwrap();
    out.finish().unwrap().into_inner()
}

pub fn wtns<E: Engine>() -> Vec<u8> {
    let values: Vec<_> = (1..6).map(ScalarOf::<E>::from_u64).collect();
    wtns::write::<E, _>(Vec::new(), &values).unwrap()
}

pub fn powers<E: Engine>(kind: PowersKind, dialect: Dialect) -> Vec<u8> {
    let mut out = PowersWriter::<_, E>::new(Vec::new(), kind, POWER, dialect, &[9; 64]).unwrap();
    out.g1(G1Section::Tau).unwrap().write(&points::<E::G1>(1, 7)).unwrap();
    out.g2(G2Section::Tau).unwrap().write(&points::<E::G2>(2, 4)).unwrap();
    out.g1(G1Section::AlphaTau).unwrap().write(&points::<E::G1>(3, 4)).unwrap();
    out.g1(G1Section::BetaTau).unwrap().write(&points::<E::G1>(4, 4)).unwrap();
    out.g2(G2Section::Beta).unwrap().write(&points::<E::G2>(5, 1)).unwrap();
    match kind {
        PowersKind::Challenge => out.finish_challenge().unwrap(),
        PowersKind::Response => out.finish_response(&public_key()).unwrap(),
    }
}

pub fn parameters<E: Engine>(dialect: Dialect) -> Vec<u8> {
    let mut out = ParametersWriter::new(Vec::new(), &key_points::<E>(), dialect).unwrap();
    assert!(matches!(out.b_g2(1), Err(Error::Unwritable { .. })));
    for (part, seed) in G1Part::ALL.into_iter().zip(20..) {
        let mut writer = out.g1(part, 3).unwrap();
        let mut all = points::<E::G1>(seed, 3);
        if part != G1Part::H {
            all[2] = E::G1::affine_identity();
        }
        writer.write(&all).unwrap();
    }
    out.b_g2(2).unwrap().write(&points::<E::G2>(30, 2)).unwrap();
    let contributions = vec![key_contribution::<E>(Attribution::default())];
    let ceremony = Ceremony { circuit_hash: [12; 64], contributions };
    out.finish(Some(&ceremony)).unwrap()
}

/// A file with its name and the function that reads and writes it.
pub type Sample = (&'static str, Vec<u8>, fn(&[u8]) -> Result<Vec<u8>, Error>);

/// One of each kind and dialect.
pub fn all<E: Engine>() -> Vec<Sample> {
    use Dialect::{Bellman, Snarkjs};
    use PowersKind::{Challenge, Response};
    assert_eq!(<E as Pairing>::G1::generator(), E::G1::affine_generator().into());
    vec![
        ("ptau", ptau::<E>(false), rewrite::ptau::<E>),
        ("prepared ptau", ptau::<E>(true), rewrite::ptau::<E>),
        ("zkey", zkey::<E>(), rewrite::zkey::<E>),
        ("r1cs", r1cs::<E>(), rewrite::r1cs::<E>),
        ("wtns", wtns::<E>(), rewrite::wtns::<E>),
        ("challenge", powers::<E>(Challenge, Snarkjs), |bytes| {
            rewrite::powers::<E>(bytes, Challenge, POWER, Snarkjs)
        }),
        ("Zcash response", powers::<E>(Response, Bellman), |bytes| {
            rewrite::powers::<E>(bytes, Response, POWER, Bellman)
        }),
        ("parameters", parameters::<E>(Snarkjs), |bytes| rewrite::parameters::<E>(bytes, Snarkjs)),
        ("bellman parameters", parameters::<E>(Bellman), |bytes| {
            rewrite::parameters::<E>(bytes, Bellman)
        }),
    ]
}
