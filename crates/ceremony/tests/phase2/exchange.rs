//! Bellman's parameters: ours and those of snarkjs are the same files.

use std::io::Cursor;

use algebra::{Bls12381, Bn254, Dialect, Engine};
use ceremony::{
    Error, Snapshot, Trust,
    phase2::{self, FirstParameters, Receipt, Settings, Verified},
};
use circuit::{
    Curve, Error as FileError,
    bellman::{G1Part, Parameters},
    zkey::{G1Query, Zkey},
};

use super::{
    fixtures,
    snarkjs::{Folder, hex, squeezed},
    support::{Files, contribute, rng},
};

fn export<E: Engine>(key: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let dialect = Dialect::Snarkjs;
    phase2::export_bellman::<E>(&mut Cursor::new(key), &mut out, dialect, &()).unwrap();
    out
}

fn answer<E: Engine>(parameters: &[u8]) -> (Vec<u8>, Receipt) {
    let mut out = Vec::new();
    let receipt = try_answer::<E>(parameters, None, &mut out).unwrap();
    (out, receipt)
}

/// An answer to parameters that are verified against the first ones, or believed.
pub fn try_answer<E: Engine>(
    parameters: &[u8],
    first: Option<&[u8]>,
    out: &mut Vec<u8>,
) -> Result<Receipt, Error> {
    let (mut old, mut first) =
        (Snapshot::take(Cursor::new(parameters), &())?, first.map(Cursor::new));
    let (settings, mut verifier) = (&Settings::default(), rng(97));
    let trust = match &mut first {
        Some(file) => Trust::verify(FirstParameters { file, settings }, &mut verifier),
        None => Trust::Skip,
    };
    phase2::answer_bellman::<E>(&mut old, out, Dialect::Snarkjs, trust, &mut rng(7), &())
}

impl Files {
    /// Verifies a key that may lack the highest power of `H`.
    pub fn verify_imported<E: Engine>(&self, key: &[u8]) -> Result<Verified, Error> {
        let mut settings = Settings::default();
        settings.may_lack_top_power = true;
        self.verify_with::<E>(key, &settings)
    }

    /// The new key, if the parameters are accepted.
    fn import<E: Engine>(&self, old: &[u8], response: &[u8]) -> Result<Vec<u8>, Error> {
        let (response, old) = (&mut Cursor::new(response), &mut Cursor::new(old));
        let (circuit, ptau) = (&mut Cursor::new(&self.r1cs), &mut Cursor::new(&self.ptau));
        let files = phase2::Import { response, circuit, ptau, old };
        let (mut new, name) = (Cursor::new(Vec::new()), Some("Eva".to_owned()));
        let (dialect, mut settings) = (Dialect::Snarkjs, Settings::default());
        settings.may_lack_top_power = true;
        phase2::import_bellman::<E>(files, &mut new, dialect, name, &settings, &mut rng(8), &())?;
        Ok(new.into_inner())
    }
}

/// Their answer and ours, imported by both; then the ceremony goes on.
fn with_snarkjs<E: Engine>(curve: Curve, phase1: &str) {
    let files = Files { ptau: fixtures::read(curve, phase1), ..Files::of(curve) };
    let folder = Folder::new(curve, &format!("bellman-{phase1}"));
    folder.write("circuit.r1cs", &files.r1cs);
    folder.write("prepared.ptau", &files.ptau);
    folder.write("circuit.wtns", &fixtures::read(curve, "circuit.wtns"));
    let (old, _) = contribute::<E>(&files.new_key::<E>(), Some("Ana"), 1);
    folder.write("old.zkey", &old);
    folder.snarkjs(&["zkey", "export", "bellman", "old.zkey", "parameters"]).unwrap();
    let parameters = export::<E>(&old);
    assert!(parameters == folder.read("parameters"));

    let contribute_theirs = ["zkey", "bellman", "contribute", curve.snarkjs_name()];
    let contribute_theirs = [&contribute_theirs[..], &["parameters", "theirs", "-e=x"]].concat();
    folder.snarkjs(&contribute_theirs).unwrap();
    let (ours, receipt) = answer::<E>(&parameters);
    folder.write("ours", &ours);
    for response in ["theirs", "ours"] {
        let imported = files.import::<E>(&old, &folder.read(response)).unwrap();
        let key = format!("{response}.zkey");
        folder
            .snarkjs(&["zkey", "import", "bellman", "old.zkey", response, &key, "--name=Eva"])
            .unwrap();
        assert!(imported == folder.read(&key));
        let said = folder.snarkjs(&["zkey", "verify", "circuit.r1cs", "prepared.ptau", &key]);
        let said = said.unwrap();
        assert!(said.contains("ZKey Ok!"), "{said}");
        assert_eq!(squeezed(&said).contains(&hex(&receipt.contribution_hash)), response == "ours");
        let verified = files.verify_imported::<E>(&imported).unwrap();
        assert_eq!(verified.contributions[1].attribution.name.as_deref(), Some("Eva"));
        assert_eq!(export::<E>(&imported), folder.read(response));
    }

    // What came back can be contributed to, and proves.
    let (key, _) = contribute::<E>(&folder.read("ours.zkey"), None, 3);
    files.verify_imported::<E>(&key).unwrap();
    folder.write("last.zkey", &key);
    let said = folder.snarkjs(&["zkey", "verify", "circuit.r1cs", "prepared.ptau", "last.zkey"]);
    assert!(said.unwrap().contains("ZKey Ok!"));
    let json = phase2::export::<E>(&mut Cursor::new(&key)).unwrap().to_json().unwrap();
    folder.write("key.json", json.as_bytes());
    let prove = ["groth16", "prove", "last.zkey", "circuit.wtns", "proof.json", "public.json"];
    folder.snarkjs(&prove).unwrap();
    let said = folder.snarkjs(&["groth16", "verify", "key.json", "public.json", "proof.json"]);
    assert!(said.unwrap().contains("OK!"));
}

#[test]
fn with_snarkjs_bn254() {
    with_snarkjs::<Bn254>(Curve::Bn254, "prepared.ptau");
}

#[test]
fn with_snarkjs_bls12_381() {
    with_snarkjs::<Bls12381>(Curve::Bls12381, "prepared.ptau");
}

/// The circuit fills phase 1, which lacks the monomial that the highest power of `H` is made of.
#[test]
fn with_snarkjs_full() {
    let key = fixtures::read(Curve::Bn254, "new.zkey");
    let zkey = Zkey::<Bn254>::open(&mut Cursor::new(key)).unwrap();
    let phase1 = format!("prepared_{:02}.ptau", zkey.header().domain_size.ilog2());
    with_snarkjs::<Bn254>(Curve::Bn254, &phase1);
}

#[test]
fn an_exported_ceremony_is_theirs() {
    fn check<E: Engine>(curve: Curve) {
        let key = fixtures::read(curve, "beacon.zkey");
        let parameters = export::<E>(&key);
        assert!(parameters == fixtures::read(curve, "parameters"));
        let hash = phase2::bellman_transcript::<E>(&mut Cursor::new(&parameters), Dialect::Snarkjs);
        let info = phase2::info::<E>(&mut Cursor::new(&key)).unwrap();
        assert_eq!(hash.unwrap(), info.transcript);
    }
    check::<Bn254>(Curve::Bn254);
    check::<Bls12381>(Curve::Bls12381);
}

/// Bytes of a response altered: it is refused, or they are of a part that stays the old key's.
#[test]
fn altered_responses() {
    type E = Bn254;
    let files = Files::of(Curve::Bn254);
    let (old, _) = contribute::<E>(&files.new_key::<E>(), Some("Ana"), 1);
    let (response, _) = answer::<E>(&export::<E>(&old));
    let honest = files.import::<E>(&old, &response).unwrap();
    let parameters = Parameters::<E>::open(&mut Cursor::new(&response), Dialect::Snarkjs).unwrap();
    let kept = [G1Part::Ic, G1Part::A, G1Part::B].map(|part| {
        let list = parameters.g1(part);
        list.offset_of(0)..list.offset_of(list.len())
    });
    let b_g2 = parameters.b_g2();
    let b_g2 = b_g2.offset_of(0)..b_g2.offset_of(b_g2.len());
    let ceremony = b_g2.end as usize;
    let is_kept = |at: usize| {
        let at = at as u64;
        b_g2.contains(&at) || kept.iter().any(|range| range.contains(&at))
    };
    let offsets = (0..ceremony).step_by(131).chain((ceremony..response.len()).step_by(7));
    let (mut refused, mut ignored) = (0, 0);
    for at in offsets {
        let mut altered = response.clone();
        altered[at] ^= 1;
        match files.import::<E>(&old, &altered) {
            Ok(key) => {
                assert!(is_kept(at) && key == honest, "{at}");
                ignored += 1;
            }
            Err(error) => {
                assert!(!is_kept(at), "{at}: {error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 100 && ignored > 50);
    for len in (0..response.len()).step_by(997) {
        assert!(files.import::<E>(&old, &response[..len]).is_err(), "{len}");
    }
}

/// A point of a key that came through parameters.
#[test]
fn altered_keys_without_the_highest_power() {
    type E = Bn254;
    let files = Files::of(Curve::Bn254);
    let first = files.new_key::<E>();
    let key = files.import::<E>(&first, &answer::<E>(&export::<E>(&first)).0).unwrap();
    files.verify_imported::<E>(&key).unwrap();
    let zkey = Zkey::<E>::open(&mut Cursor::new(&key)).unwrap();
    for (query, index, expected) in [(G1Query::K, 3, 3), (G1Query::H, 3, 0)] {
        let list = zkey.g1(query).unwrap();
        let mut altered = key.clone();
        let (from, to) = (list.offset_of(index + 1) as usize, list.offset_of(index) as usize);
        altered.copy_within(from..from + 64, to);
        let error = files.verify_imported::<E>(&altered).unwrap_err();
        assert!(
            matches!(error, Error::NotDivided { place, index } if place == query.place() && index == expected),
            "{error}"
        );
    }
}

#[test]
fn responses_that_do_not_continue_the_key() {
    type E = Bn254;
    let files = Files::of(Curve::Bn254);
    let first = files.new_key::<E>();
    let (ana, _) = contribute::<E>(&first, Some("Ana"), 1);
    let (ben, _) = contribute::<E>(&first, Some("Ben"), 2);
    let response = |key: &[u8]| answer::<E>(&export::<E>(key)).0;
    files.import::<E>(&ana, &response(&ana)).unwrap();
    // Two new contributions at once are as good as one.
    let twice = files.import::<E>(&ana, &answer::<E>(&response(&ana)).0).unwrap();
    assert_eq!(files.verify_imported::<E>(&twice).unwrap().contributions.len(), 3);

    // Ana's contribution is left out, is replaced, and stands alone.
    for response in [response(&first), response(&ben), export::<E>(&ana), export::<E>(&first)] {
        let refused = files.import::<E>(&ana, &response);
        assert!(matches!(refused, Err(Error::NotContinued { .. })), "{:?}", refused.err());
    }
    let mut other = response(&ana);
    let list = Parameters::<E>::open(&mut Cursor::new(&other), Dialect::Snarkjs).unwrap().b_g2();
    other[list.offset_of(list.len()) as usize] ^= 1;
    let refused = files.import::<E>(&ana, &other);
    assert!(matches!(refused, Err(Error::NotContinued { what: "another circuit hash" })));

    // Parameters without a ceremony.
    let parameters = export::<E>(&ana);
    let file = &mut Cursor::new(&parameters);
    let list = Parameters::<E>::open(file, Dialect::Snarkjs).unwrap().b_g2();
    let alone = &parameters[..list.offset_of(list.len()) as usize];
    assert!(matches!(files.import::<E>(&ana, alone), Err(Error::NoCeremony)));
    let refused = try_answer::<E>(alone, None, &mut Vec::new());
    assert!(matches!(refused, Err(Error::NoCeremony)));
}

/// Parameters over another curve, and points at infinity, are not answered.
#[test]
fn hostile_parameters() {
    let parameters = fixtures::read(Curve::Bls12381, "parameters");
    let answer = |bytes: &[u8]| try_answer::<Bls12381>(bytes, None, &mut Vec::new());
    answer(&parameters).unwrap();
    let refused = try_answer::<Bn254>(&parameters, None, &mut Vec::new());
    assert!(matches!(refused, Err(Error::File(FileError::Entry { .. }))), "{refused:?}");
    let opened =
        Parameters::<Bls12381>::open(&mut Cursor::new(&parameters), Dialect::Snarkjs).unwrap();
    let h = opened.g1(G1Part::H);
    let mut altered = parameters.clone();
    altered[h.offset_of(3) as usize..h.offset_of(4) as usize].fill(0);
    let refused = answer(&altered);
    assert!(matches!(refused, Err(Error::File(FileError::Infinity { index: 3, .. }))));
}
