//! Files of this project's own: the Sonic SRS and the tFLSZ CRS.

use std::io::Cursor;

use algebra::{Affine, Bls12381, Bn254, CurveGroup, Engine, Scalar};
use circuit::{
    Curve, Error,
    native::{
        SonicG1, SonicG2, SonicSrs, SonicWriter, TflszCrs, TflszG1, TflszG2, TflszWriter,
        curve_of_file,
    },
};

/// Points that differ from list to list and from place to place.
fn points<G: CurveGroup>(list: u64, len: u64) -> Vec<Affine<G>> {
    let points = (0..len).map(|i| G::mul_generator(&Scalar::from_u64(1 + 1000 * list + i)));
    G::precompute(&points.collect::<Vec<_>>())
}

fn sonic<E: Engine>(degree: u64) -> Vec<u8> {
    let mut out = SonicWriter::<_, E>::new(Vec::new(), degree).unwrap();
    out.g1(SonicG1::Powers).unwrap().write(&points::<E::G1>(1, 2 * degree + 1)).unwrap();
    assert!(matches!(out.g2(SonicG2::Powers), Err(Error::Unwritable { .. })));
    out.g1(SonicG1::AlphaPowers).unwrap().write(&points::<E::G1>(2, 2 * degree)).unwrap();
    out.g2(SonicG2::Powers).unwrap().write(&points::<E::G2>(3, 2 * degree + 1)).unwrap();
    out.g2(SonicG2::AlphaPowers).unwrap().write(&points::<E::G2>(4, 2 * degree + 1)).unwrap();
    out.finish().unwrap()
}

fn check_sonic<E: Engine>() {
    let degree = 3;
    let bytes = sonic::<E>(degree);
    let mut file = Cursor::new(&bytes);
    let srs = SonicSrs::<E>::open(&mut file).unwrap();
    assert_eq!(srs.degree(), degree);
    let list = srs.g1(SonicG1::AlphaPowers);
    assert_eq!(list.read(&mut file, 0, 6).unwrap(), points::<E::G1>(2, 6));
    let list = srs.g2(SonicG2::AlphaPowers);
    assert_eq!(list.read(&mut file, 5, 2).unwrap(), points::<E::G2>(4, 7)[5..]);
    assert!(matches!(list.read(&mut file, 5, 3), Err(Error::Range { start: 5, end: 8, .. })));

    let powers = -4..=4;
    let positions = |list| {
        let position = |power| srs.g1_position(list, power);
        powers.clone().map(position).collect::<Vec<_>>()
    };
    let expected = [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), Some(6), None];
    assert_eq!(positions(SonicG1::Powers), expected);
    assert!(powers.clone().map(|power| srs.g2_position(power)).eq(expected));
    let expected = [None, Some(0), Some(1), Some(2), None, Some(3), Some(4), Some(5), None];
    assert_eq!(positions(SonicG1::AlphaPowers), expected);

    for len in 0..bytes.len() {
        assert!(SonicSrs::<E>::open(&mut Cursor::new(&bytes[..len])).is_err());
    }
    // Magic, kind, version, the pairing's name and its length, the degree.
    for at in 0..srs.g1(SonicG1::Powers).offset_of(0) as usize {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(SonicSrs::<E>::open(&mut Cursor::new(&changed)).is_err(), "{at}");
    }
}

fn check_tflsz<E: Engine>() {
    let size = 3;
    let mut out = TflszWriter::<_, E>::new(Vec::new(), size).unwrap();
    for (list, len) in TflszG1::ALL.into_iter().zip([7, 6, 6, 4, 3, 3, 3, 3]) {
        let mut writer = out.g1(list).unwrap();
        assert_eq!(writer.remaining(), len);
        writer.write(&points::<E::G1>(list as u64, len)).unwrap();
        assert!(matches!(writer.write(&points::<E::G1>(0, 1)), Err(Error::Written { .. })));
        writer.finish().unwrap();
    }
    for (list, len) in TflszG2::ALL.into_iter().zip([7, 3, 3]) {
        out.g2(list).unwrap().write(&points::<E::G2>(10 + list as u64, len)).unwrap();
    }
    let bytes = out.finish().unwrap();
    let mut file = Cursor::new(&bytes);
    let crs = TflszCrs::<E>::open(&mut file).unwrap();
    assert_eq!(crs.size(), size);
    for list in TflszG1::ALL {
        let (place, len) = (crs.g1(list), crs.g1(list).len());
        let read = place.read(&mut file, 0, len as usize).unwrap();
        assert_eq!(read, points::<E::G1>(list as u64, len));
    }
    let read = crs.g2(TflszG2::P).read(&mut file, 0, 3).unwrap();
    assert_eq!(read, points::<E::G2>(12, 3));
    for len in 0..bytes.len() {
        assert!(TflszCrs::<E>::open(&mut Cursor::new(&bytes[..len])).is_err());
    }
}

#[test]
fn round_trips_and_headers() {
    check_sonic::<Bn254>();
    check_sonic::<Bls12381>();
    check_tflsz::<Bn254>();
    check_tflsz::<Bls12381>();
}

#[test]
fn files_of_another_curve_or_kind() {
    let bytes = sonic::<Bn254>(2);
    let other = SonicSrs::<Bls12381>::open(&mut Cursor::new(&bytes));
    assert!(matches!(other, Err(Error::Curve { expected: "BLS12-381", .. })), "{other:?}");
    let other = SonicSrs::<Bn254>::open(&mut Cursor::new(sonic::<Bls12381>(2)));
    assert!(matches!(other, Err(Error::Curve { .. })), "{other:?}");
    assert!(TflszCrs::<Bn254>::open(&mut Cursor::new(&bytes)).is_err());
    assert!(SonicWriter::<_, Bn254>::new(Vec::new(), 0).is_err());
    assert!(SonicWriter::<_, Bn254>::new(Vec::new(), u64::MAX).is_err());
    assert!(TflszWriter::<_, Bn254>::new(Vec::new(), 0).is_err());
}

/// A ceremony's file is the parameters' with a transcript before the lists, and neither is taken for
/// the other.
fn check_ceremony<E: Engine>(curve: Curve) {
    let transcript = b"who made it";
    let mut out = SonicWriter::<_, E>::ceremony(Vec::new(), 1, transcript).unwrap();
    out.g1(SonicG1::Powers).unwrap().write(&points::<E::G1>(1, 3)).unwrap();
    out.g1(SonicG1::AlphaPowers).unwrap().write(&points::<E::G1>(2, 2)).unwrap();
    out.g2(SonicG2::Powers).unwrap().write(&points::<E::G2>(3, 3)).unwrap();
    out.g2(SonicG2::AlphaPowers).unwrap().write(&points::<E::G2>(4, 3)).unwrap();
    let bytes = out.finish().unwrap();
    let file = &mut Cursor::new(&bytes);
    assert_eq!(curve_of_file(file).unwrap(), curve);
    let (srs, found) = SonicSrs::<E>::open_ceremony(file).unwrap();
    assert_eq!((srs.degree(), &found[..]), (1, &transcript[..]));
    let list = srs.g2(SonicG2::AlphaPowers);
    assert_eq!(list.read(file, 0, 3).unwrap(), points::<E::G2>(4, 3));
    assert!(SonicSrs::<E>::open(file).is_err());
    assert!(TflszCrs::<E>::open_ceremony(file).is_err());
    assert!(SonicSrs::<E>::open_ceremony(&mut Cursor::new(sonic::<E>(1))).is_err());
    for len in 0..bytes.len() {
        assert!(SonicSrs::<E>::open_ceremony(&mut Cursor::new(&bytes[..len])).is_err());
    }
    // The length of the transcript: another file, or none at all.
    let at = srs.g1(SonicG1::Powers).offset_of(0) as usize - transcript.len() - 4;
    for at in at..at + 4 {
        let mut changed = bytes.clone();
        changed[at] ^= 0x80;
        assert!(SonicSrs::<E>::open_ceremony(&mut Cursor::new(&changed)).is_err(), "{at}");
    }
    let long = vec![0; (1 << 24) + 1];
    assert!(TflszWriter::<_, E>::ceremony(Vec::new(), 3, &long).is_err());
}

#[test]
fn files_of_ceremonies() {
    check_ceremony::<Bn254>(Curve::Bn254);
    check_ceremony::<Bls12381>(Curve::Bls12381);
    for garbage in [&b""[..], b"SUBROSA\0", &[0; 100], &[255; 40]] {
        assert!(curve_of_file(&mut Cursor::new(garbage)).is_err());
    }
}
