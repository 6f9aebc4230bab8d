//! Bad points in every list, at its beginning, in its middle and at its end.

use std::io::Cursor;

use algebra::{
    Bls12381, Bn254, CurveGroup, Dialect, Engine, Group, Pairing, PointError, PointForm,
};
use circuit::{
    Error, PointList,
    bellman::{G1Part, Parameters, PowersFile, PowersKind},
    ptau::{G1Section, G2Section, Ptau},
    zkey::{G1Query, Zkey},
};

use super::samples;

const MONTGOMERY: PointForm = PointForm::Montgomery;

/// A list of a file, whatever its group.
struct Place {
    name: &'static str,
    start: u64,
    len: u64,
    width: usize,
    in_g2: bool,
    form: PointForm,
    allows_infinity: bool,
}

fn place<G: CurveGroup>(list: PointList<G>, in_g2: bool, allows_infinity: bool) -> Place {
    Place {
        name: list.place(),
        start: list.offset_of(0),
        len: list.len(),
        width: G::form_len(list.form()),
        in_g2,
        form: list.form(),
        allows_infinity,
    }
}

/// Points of the curve that are not in the subgroup, one for each group that has such.
fn outside<G: CurveGroup>() -> Option<G::Precomputed> {
    let form = PointForm::Compressed(Dialect::Snarkjs);
    let len = G::form_len(form);
    let candidates = (0..=255_u8).filter_map(|x| {
        let mut bytes = vec![0; len];
        bytes[len - 1] = x;
        G::read_form(&bytes, form).ok()
    });
    candidates.flatten().find(|point| G::check_subgroup(&[*point]).is_err())
}

fn written<G: CurveGroup>(point: &G::Precomputed, form: PointForm) -> Vec<u8> {
    let mut bytes = Vec::new();
    G::write_form(std::slice::from_ref(point), form, &mut bytes);
    bytes
}

type Rewrite = fn(&[u8]) -> Result<Vec<u8>, Error>;

fn check_list<E: Engine>(bytes: &[u8], rewrite: Rewrite, list: &Place) {
    let (identity, outside) = match list.in_g2 {
        true => (
            written::<E::G2>(&E::G2::affine_identity(), list.form),
            outside::<E::G2>().map(|point| written::<E::G2>(&point, list.form)),
        ),
        false => (
            written::<E::G1>(&E::G1::affine_identity(), list.form),
            outside::<E::G1>().map(|point| written::<E::G1>(&point, list.form)),
        ),
    };
    for index in [0, list.len / 2, list.len - 1] {
        let at = list.start as usize + index as usize * list.width;
        let with = |point: &[u8]| {
            let mut changed = bytes.to_vec();
            changed[at..at + list.width].copy_from_slice(point);
            rewrite(&changed).map(drop)
        };
        // Not reduced; off the curve.
        let mut off_curve = bytes[at..at + list.width].to_vec();
        off_curve[list.width - 1] ^= 1;
        let bad_points = match list.form {
            // Half of all x have a point, hence a changed bit may make another good one.
            PointForm::Compressed(_) => {
                let mut not_reduced = vec![0xff; list.width];
                not_reduced[0] = if E::BASE_LEN == 48 { 0x9f } else { 0x3f };
                vec![not_reduced]
            }
            _ => vec![vec![0xff; list.width], off_curve],
        };
        for bad in bad_points {
            let result = with(&bad);
            let found = matches!(
                result,
                Err(Error::Point { place, index: at, reason: PointError::Encoding { .. } })
                    if place == list.name && at == index
            );
            assert!(found, "{} {index} {result:?}", list.name);
        }
        if let Some(outside) = &outside {
            let result = with(outside);
            let found = matches!(
                result,
                Err(Error::Point { place, index: at, reason: PointError::Subgroup { .. } })
                    if place == list.name && at == index
            );
            assert!(found, "{} {index} {result:?}", list.name);
        }
        let result = with(&identity);
        let refused = matches!(
            result,
            Err(Error::Infinity { place, index: at }) if place == list.name && at == index
        );
        assert!(
            if list.allows_infinity { result.is_ok() } else { refused },
            "{} {index} {result:?}",
            list.name
        );
    }
}

fn check<E: Engine>() {
    for (name, bytes, rewrite) in samples::all::<E>() {
        let mut file = Cursor::new(&bytes);
        let mut lists = Vec::new();
        match name {
            "prepared ptau" => {
                let ptau = Ptau::<E>::open(&mut file).unwrap();
                for section in G1Section::ALL {
                    lists.push(place(ptau.g1(section).unwrap(), false, section.id() > 7));
                }
                for section in G2Section::ALL {
                    lists.push(place(ptau.g2(section).unwrap(), true, section.id() > 7));
                }
            }
            "zkey" => {
                let zkey = Zkey::<E>::open(&mut file).unwrap();
                for query in G1Query::ALL {
                    lists.push(place(zkey.g1(query).unwrap(), false, query != G1Query::H));
                }
                lists.push(place(zkey.b_g2().unwrap(), true, true));
            }
            "challenge" | "Zcash response" => {
                let (kind, dialect) = match name {
                    "challenge" => (PowersKind::Challenge, Dialect::Snarkjs),
                    _ => (PowersKind::Response, Dialect::Bellman),
                };
                let powers = PowersFile::<E>::open(&mut file, kind, samples::POWER, dialect);
                let powers = powers.unwrap();
                for section in [G1Section::Tau, G1Section::AlphaTau, G1Section::BetaTau] {
                    lists.push(place(powers.g1(section).unwrap(), false, false));
                }
                for section in [G2Section::Tau, G2Section::Beta] {
                    lists.push(place(powers.g2(section).unwrap(), true, false));
                }
            }
            "parameters" | "bellman parameters" => {
                let dialect = match name {
                    "parameters" => Dialect::Snarkjs,
                    _ => Dialect::Bellman,
                };
                let parameters = Parameters::<E>::open(&mut file, dialect).unwrap();
                for part in G1Part::ALL {
                    lists.push(place(parameters.g1(part), false, part != G1Part::H));
                }
                lists.push(place(parameters.b_g2(), true, true));
            }
            _ => continue,
        }
        lists.iter().for_each(|list| check_list::<E>(&bytes, rewrite, list));
    }
}

#[test]
fn bn254() {
    assert!(outside::<<Bn254 as Pairing>::G1>().is_none());
    check::<Bn254>();
}

#[test]
fn bls12_381() {
    check::<Bls12381>();
}

/// The points that stand alone: none may be the neutral element, off the curve or the subgroup.
#[test]
fn single_points() {
    fn check<E: Engine>(bytes: &[u8], rewrite: Rewrite) {
        let mut found = 0;
        let outside = outside::<E::G2>().unwrap();
        let outside = written::<E::G2>(&outside, MONTGOMERY);
        let identity = written::<E::G2>(&E::G2::affine_identity(), MONTGOMERY);
        for seed in 1..40 {
            let point = samples::points::<E::G2>(seed, 1)[0];
            let point = written::<E::G2>(&point, MONTGOMERY);
            for at in 0..bytes.len() - point.len() {
                if bytes[at..].starts_with(&point) {
                    found += 1;
                    for bad in [&outside, &identity, &vec![0xff; point.len()]] {
                        let mut changed = bytes.to_vec();
                        changed[at..at + bad.len()].copy_from_slice(bad);
                        if let Ok(again) = rewrite(&changed) {
                            // Only a query of the key may hold the neutral element.
                            assert!(again == changed && *bad == identity && seed >= 20);
                        }
                    }
                }
            }
        }
        assert!(found >= 6, "{found}");
    }
    check::<Bn254>(&samples::ptau::<Bn254>(false), crate::rewrite::ptau::<Bn254>);
    check::<Bls12381>(&samples::zkey::<Bls12381>(), crate::rewrite::zkey::<Bls12381>);
    let generator = <Bn254 as Pairing>::G1::generator();
    assert_ne!(generator, generator.double());
}
