//! Challenges and responses: ours and those of snarkjs are the same files.

use std::{fs, io::Cursor};

use algebra::{Bls12381, Bn254, CurveGroup, Dialect, Engine, PointForm};
use ceremony::{
    Error, Snapshot, Trust,
    phase1::{self, Answer, Receipt, Settings},
};
use circuit::{
    Curve, Error as FileError,
    bellman::{PowersFile, PowersKind},
    ptau::G1Section,
};

use super::{
    contents::{Contents, outside},
    contribute, fixtures, new, rng,
    snarkjs::{directory, hex, snarkjs, without_leftovers},
    verify,
};

fn export<E: Engine>(ptau: &[u8]) -> Result<Vec<u8>, Error> {
    let mut challenge = Vec::new();
    let hash = phase1::export_challenge::<E>(&mut Cursor::new(ptau), &mut challenge, &())?;
    assert_eq!(hash, wire::Blake2b::digest(&challenge));
    Ok(challenge)
}

fn answer<E: Engine>(challenge: &[u8], dialect: Dialect) -> (Vec<u8>, Answer) {
    let mut response = Vec::new();
    let answer = try_answer::<E>(challenge, &mut response, dialect).unwrap();
    assert_eq!(answer.challenge, wire::Blake2b::digest(challenge));
    assert_eq!(answer.response_hash, wire::Blake2b::digest(&response));
    (response, answer)
}

/// An answer to a challenge that is verified first.
pub fn try_answer<E: Engine>(
    challenge: &[u8],
    response: &mut Vec<u8>,
    dialect: Dialect,
) -> Result<Answer, Error> {
    let (mut file, mut verifier) = (Snapshot::take(Cursor::new(challenge), &())?, rng(97));
    let trust = Trust::verify((), &mut verifier);
    phase1::answer::<E>(&mut file, response, dialect, trust, &mut rng(5), &())
}

fn import<E: Engine>(ptau: &[u8], response: &[u8]) -> Result<(Vec<u8>, Receipt), Error> {
    let (mut old, mut response) = (Cursor::new(ptau), Cursor::new(response));
    let (mut new, name) = (Cursor::new(Vec::new()), Some("Zoë".to_owned()));
    let (settings, rng) = (Settings::default(), &mut rng(98));
    let receipt =
        phase1::import_response::<E>(&mut old, &mut response, &mut new, name, &settings, rng, &())?;
    Ok((new.into_inner(), receipt))
}

/// The challenge, their response imported by both, our response imported by both.
fn with_snarkjs<E: Engine>(curve: Curve) {
    let directory = &directory(curve, "exchange");
    let read = |name: &str| fs::read(directory.join(name)).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(directory.join(name), bytes).unwrap();
    let (ptau, challenge) =
        (fixtures::read(curve, "unnamed.ptau"), fixtures::read(curve, "challenge"));
    assert!(export::<E>(&ptau).unwrap() == challenge);
    write("old.ptau", &ptau);

    write("theirs", &fixtures::read(curve, "response"));
    write("ours", &answer::<E>(&challenge, Dialect::Snarkjs).0);
    for response in ["theirs", "ours"] {
        let theirs = format!("{response}-imported-by-them.ptau");
        let said = snarkjs(
            directory,
            &["import", "response", "old.ptau", response, &theirs, "--name=Zoë"],
        );
        let (imported, receipt) = import::<E>(&ptau, &read(response)).unwrap();
        assert!(said.contains(&hex(&receipt.response_hash)), "{said}");
        assert!(said.contains(&hex(&receipt.next_challenge)), "{said}");
        assert!(without_leftovers::<E>(&imported) == without_leftovers::<E>(&read(&theirs)));
        assert_eq!(verify::<E>(&imported).unwrap().contributions.len(), 3);
        let ours = format!("{response}-imported-by-us.ptau");
        write(&ours, &imported);
        for file in [theirs, ours] {
            let said = snarkjs(directory, &["verify", &file]);
            assert!(said.contains("PowersofTauOk!"), "{said}");
        }
    }

    // The next challenge, after an import.
    let (imported, _) = import::<E>(&ptau, &read("ours")).unwrap();
    snarkjs(directory, &["export", "challenge", "ours-imported-by-them.ptau", "next"]);
    assert!(export::<E>(&imported).unwrap() == read("next"));
}

#[test]
fn with_snarkjs_bn254() {
    with_snarkjs::<Bn254>(Curve::Bn254);
}

#[test]
fn with_snarkjs_bls12_381() {
    with_snarkjs::<Bls12381>(Curve::Bls12381);
}

/// A contribution is the same one whichever way it takes.
#[test]
fn an_answer_is_a_contribution() {
    let start = new::<Bn254>(3);
    let (imported, _) = import::<Bn254>(
        &start,
        &answer::<Bn254>(&export::<Bn254>(&start).unwrap(), Dialect::Bellman).0,
    )
    .unwrap();
    assert!(imported == contribute::<Bn254>(&start, "Zoë", 5));
}

/// Zcash's flags: the same points in other bytes, which no `.ptau` file can hold.
#[test]
fn zcash_flags() {
    type E = Bls12381;
    let start = new::<E>(3);
    let challenge = export::<E>(&start).unwrap();
    let files = [Dialect::Snarkjs, Dialect::Bellman].map(|dialect| {
        let (response, _) = answer::<E>(&challenge, dialect);
        let mut file = Cursor::new(&response);
        let opened = PowersFile::<E>::open(&mut file, PowersKind::Response, 3, dialect).unwrap();
        let points = opened.g1(G1Section::Tau).unwrap().read(&mut file, 0, 15).unwrap();
        (points, response)
    });
    let [(points, snarkjs), (same, zcash)] = files;
    assert_eq!(points, same);
    // The first point is the generator, as snarkjs and as Zcash write it.
    assert_eq!((snarkjs[64], zcash[64]), (0x17, 0x97));
    import::<E>(&start, &snarkjs).unwrap();
    let refused = import::<E>(&start, &zcash);
    // Some flags mean another sign there, and some nothing.
    assert!(matches!(refused, Err(Error::File(FileError::Point { .. }))), "{refused:?}");
}

/// Every byte of a response altered: nothing is accepted.
fn every_byte<E: Engine>() {
    let start = contribute::<E>(&new::<E>(1), "Ana", 1);
    let (response, _) = answer::<E>(&export::<E>(&start).unwrap(), Dialect::Snarkjs);
    import::<E>(&start, &response).unwrap();
    for at in 0..response.len() {
        let mut altered = response.clone();
        altered[at] ^= 1;
        let refused = import::<E>(&start, &altered);
        match refused.map(|(_, receipt)| receipt) {
            Err(Error::OtherChallenge) => assert!(at < 64, "{at}"),
            Err(error) => assert!(at >= 64, "{at}: {error}"),
            Ok(_) => panic!("byte {at} does not count"),
        }
        altered.truncate(at);
        let refused = import::<E>(&start, &altered);
        assert!(matches!(refused, Err(Error::File(FileError::Len { .. }))), "{at}");
    }
}

#[test]
fn every_byte_of_a_response() {
    every_byte::<Bn254>();
    every_byte::<Bls12381>();
}

#[test]
fn what_does_not_belong_together() {
    let start = new::<Bn254>(2);
    let ana = contribute::<Bn254>(&start, "Ana", 1);
    let (response, _) = answer::<Bn254>(&export::<Bn254>(&start).unwrap(), Dialect::Snarkjs);
    import::<Bn254>(&start, &response).unwrap();
    assert!(matches!(import::<Bn254>(&ana, &response), Err(Error::OtherChallenge)));

    // Points that the contributions do not announce.
    for file in [&start, &ana] {
        let mut contents = Contents::<Bn254>::read(file);
        contents.tau[1] = super::contents::other::<algebra::Bn254G1>(&contents.tau[1]);
        let refused = export::<Bn254>(&contents.write());
        match contents.contributions.len() {
            0 => assert!(matches!(refused, Err(Error::FirstChallenge))),
            _ => assert!(matches!(refused, Err(Error::NextChallenge { index: 0 }))),
        }
    }

    let mut cut = Vec::new();
    phase1::truncate::<Bn254>(&mut Cursor::new(&ana), &mut cut, 1).unwrap();
    assert!(matches!(export::<Bn254>(&cut), Err(Error::Reduced { ceremony_power: 2 })));
    assert!(matches!(import::<Bn254>(&cut, &response), Err(Error::Reduced { ceremony_power: 2 })));
}

/// A challenge whose points would give away something about the secrets is not answered.
#[test]
fn hostile_challenges() {
    type E = Bls12381;
    let honest = export::<E>(&new::<E>(2)).unwrap();
    let answered = |bytes: &[u8]| try_answer::<E>(bytes, &mut Vec::new(), Dialect::Snarkjs);
    answered(&honest).unwrap();
    for len in [0, 64, honest.len() - 1] {
        let refused = answered(&honest[..len]);
        assert!(matches!(refused, Err(Error::ChallengeLen { .. })), "{len}");
    }
    type G1 = <E as algebra::Pairing>::G1;
    let form = PointForm::Uncompressed(Dialect::Snarkjs);
    for wrong in [outside::<G1>().unwrap(), G1::affine_identity()] {
        let mut bytes = Vec::new();
        G1::write_form(&[wrong], form, &mut bytes);
        for index in 0..7 {
            let mut altered = honest.clone();
            altered[64 + 96 * index..][..96].copy_from_slice(&bytes);
            match answered(&altered) {
                Err(Error::File(
                    FileError::Point { index: found, .. }
                    | FileError::Infinity { index: found, .. },
                )) => assert_eq!(found, index as u64),
                other => panic!("{other:?}"),
            }
        }
    }
}
