//! Every loop over chunks at its ends: here a chunk has three entries.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests fail by panicking")]

use std::io::Cursor;

use algebra::{Affine, Bn254, CurveGroup, Group, Pairing, PointForm, Scalar, ScalarOf};

use crate::{
    CHUNK, PointList, PointWriter,
    wtns::{self, Wtns},
    zkey::{Coefficient, G1Query, KeyPoints, Matrix, Zkey, ZkeyHeader, ZkeyWriter},
};

type E = Bn254;
type G = <E as Pairing>::G1;

/// One less than a chunk, as many, one more, and the same for two.
const LENGTHS: [usize; 8] =
    [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 2 * CHUNK + 1];

const FORM: PointForm = PointForm::Montgomery;

fn points(len: usize) -> Vec<Affine<G>> {
    let multiples = (1..=len as u64).map(|factor| G::mul_generator(&Scalar::from_u64(factor)));
    G::precompute(&multiples.collect::<Vec<_>>())
}

fn list(len: usize) -> PointList<G> {
    PointList::new("test", 0, len as u64, FORM)
}

#[test]
fn points_are_written_and_read() {
    for len in LENGTHS {
        let points = points(len);
        let mut expected = Vec::new();
        G::write_form(&points, FORM, &mut expected);
        // At once, and in two parts wherever they meet.
        for middle in 0..=len {
            let mut out = PointWriter::<_, G>::new(Vec::new(), "test", len as u64, FORM);
            out.write(&points[..middle]).unwrap();
            out.write(&points[middle..]).unwrap();
            assert_eq!(out.finish().unwrap(), expected, "{len}, {middle}");
        }
        let mut read = Vec::new();
        for chunk in list(len).chunks(&mut Cursor::new(&expected), CHUNK) {
            let (start, points) = chunk.unwrap();
            assert_eq!(start as usize, read.len());
            assert!((1..=CHUNK).contains(&points.len()));
            read.extend(points);
        }
        assert!(read == points, "{len}");
    }
}

#[test]
fn points_are_repeated() {
    let point = points(1)[0];
    for len in LENGTHS {
        let mut out = PointWriter::<_, G>::new(Vec::new(), "test", len as u64, FORM);
        out.repeat(&point, len as u64).unwrap();
        assert_eq!(out.remaining(), 0);
        let written = out.finish().unwrap();
        let read = list(len).read(&mut Cursor::new(written), 0, len).unwrap();
        assert!(read == vec![point; len], "{len}");
    }
}

#[test]
fn witnesses() {
    for len in LENGTHS.into_iter().skip(1) {
        let values: Vec<_> = (1..=len as u64).map(ScalarOf::<E>::from_u64).collect();
        let file = &mut Cursor::new(wtns::write::<E, _>(Vec::new(), &values).unwrap());
        let read = Wtns::<E>::open(file).unwrap().read_all(file).unwrap();
        assert!(read == values, "{len}");
    }
}

#[test]
fn coefficients() {
    let (g1, g2) = (G::affine_generator(), <E as Pairing>::G2::affine_generator());
    let points = KeyPoints {
        alpha_g1: g1,
        beta_g1: g1,
        beta_g2: g2,
        gamma_g2: g2,
        delta_g1: g1,
        delta_g2: g2,
    };
    let header = ZkeyHeader { variables: 3, public: 1, domain_size: 8, points };
    for len in LENGTHS {
        let entry = |index: u64| Coefficient {
            matrix: [Matrix::A, Matrix::B][index as usize % 2],
            constraint: index as u32,
            wire: index as u32 % 3,
            value: ScalarOf::<E>::from_u64(index + 1),
        };
        let entries: Vec<_> = (0..len as u64).map(entry).collect();
        let mut out = ZkeyWriter::<_, E>::new(Vec::new(), header.clone()).unwrap();
        let mut section = out.coefficients(len as u32).unwrap();
        section.write(&entries).unwrap();
        section.finish().unwrap();
        for query in G1Query::ALL {
            let mut list = out.g1(query).unwrap();
            list.repeat(&g1, list.remaining()).unwrap();
        }
        out.b_g2().unwrap().repeat(&g2, 3).unwrap();
        out.contributions(&[0; 64], &[]).unwrap();
        let file = &mut Cursor::new(out.finish().unwrap());
        let read = Zkey::<E>::open(file).unwrap().coefficients(file).unwrap();
        assert!(read.map(Result::unwrap).eq(entries), "{len}");
    }
}
