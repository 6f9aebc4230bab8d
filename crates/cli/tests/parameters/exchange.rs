//! Contributions in the files of other ceremonies, by hand.

use std::{fs, path::Path};

use algebra::{Bls12381, Bn254, CurveGroup, Engine, Pairing, Scalar, ScalarOf};
use circuit::{
    kzg::{BatchContribution, BatchTranscript, Contribution, Powers, Transcript},
    r1cs::{Constraint, R1csHeader, R1csWriter},
};
use serde_json::Value;

use crate::common::{fail, succeed};

fn ceremony(path: &Path, arguments: &[&str]) -> Value {
    let arguments = [&["--json", "ceremony"], arguments].concat();
    serde_json::from_str(&succeed(path, &arguments)).unwrap()
}

fn refused(path: &Path, arguments: &[&str], code: i32, message: &str) {
    fail(path, &[&["ceremony"], arguments].concat(), code, message);
}

fn is_empty_of_seeds(path: &Path) -> bool {
    let mut names = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name());
    names.all(|name| !name.to_string_lossy().ends_with(".seed"))
}

#[test]
fn a_challenge_goes_out_and_a_response_comes_back() {
    for curve in ["bn254", "bls12-381"] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        ceremony(path, &["phase1", "new", "--curve", curve, "--power", "2", "--out", "0.ptau"]);
        ceremony(path, &["phase1", "contribute", "--in", "0.ptau", "--out", "1.ptau"]);
        let exported =
            ceremony(path, &["phase1", "export-challenge", "--in", "1.ptau", "--out", "challenge"]);
        let info = ceremony(path, &["phase1", "info", "1.ptau"]);
        assert_eq!(exported["challenge"], info["challenge"]);

        let answer = ["phase1", "answer-challenge", "--in", "challenge", "--out"];
        let answered = ceremony(path, &[&answer[..], &["response"]].concat());
        assert_eq!(answered["challenge"], info["challenge"]);
        assert_eq!((&answered["power"], &answered["curve"]), (&2.into(), &exported["curve"]));
        let import = ["phase1", "import-response", "--response", "response", "--in", "1.ptau"];
        let import = [&import[..], &["--name", "Ana", "--out", "2.ptau"]].concat();
        let imported = ceremony(path, &import);
        assert_eq!(imported["response_hash"], answered["response_hash"]);
        let verified = ceremony(path, &["phase1", "verify", "2.ptau"]);
        assert_eq!(verified["contributions"][1]["name"], "Ana");
        assert_eq!(verified["contributions"][1]["response_hash"], answered["response_hash"]);
        assert!(is_empty_of_seeds(path));

        // For another file, altered, and not a challenge at all.
        let mut other = import.clone();
        (other[5], other[9]) = ("2.ptau", "3.ptau");
        refused(path, &other, 1, "response: the response does not answer the challenge");
        let mut bytes = fs::read(path.join("response")).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(path.join("altered"), bytes).unwrap();
        let mut altered = import.clone();
        (altered[3], altered[9]) = ("altered", "3.ptau");
        refused(path, &altered, 1, "altered: response file");
        let from = ["phase1", "answer-challenge", "--in", "1.ptau", "--out", "3"];
        refused(path, &from, 2, "the length of no challenge");
        assert!(!path.join("3.ptau").exists() && is_empty_of_seeds(path));

        let zcash = ["phase1", "answer-challenge", "--in", "challenge", "--dialect", "bellman"];
        ceremony(path, &[&zcash[..], &["--out", "zcash"]].concat());
        let first = |name| fs::read(path.join(name)).unwrap()[64];
        assert_eq!(first("response") == first("zcash"), curve == "bn254");
    }
}

/// `z = x · y`, with `z` public.
fn circuit<E: Engine>() -> Vec<u8> {
    let header = R1csHeader { wires: 4, public_outputs: 1, constraints: 1, ..Default::default() };
    let term = |wire| vec![(wire, ScalarOf::<E>::one())];
    let row = Constraint { a: term(2), b: term(3), c: term(1) };
    let out = std::io::Cursor::new(Vec::new());
    let mut out = R1csWriter::<_, E>::new(out, header).unwrap();
    out.header().unwrap();
    out.constraints([Ok(row)]).unwrap();
    out.labels((0..4).map(Ok)).unwrap();
    out.finish().unwrap().into_inner()
}

#[test]
fn parameters_go_out_and_come_back() {
    for (curve, circuit) in [("bn254", circuit::<Bn254>()), ("bls12-381", circuit::<Bls12381>())] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        fs::write(path.join("circuit.r1cs"), circuit).unwrap();
        ceremony(path, &["phase1", "new", "--curve", curve, "--power", "2", "--out", "0.ptau"]);
        ceremony(path, &["phase1", "contribute", "--in", "0.ptau", "--out", "1.ptau"]);
        ceremony(path, &["phase1", "prepare", "--in", "1.ptau", "--out", "p.ptau"]);
        let inputs = ["--circuit", "circuit.r1cs", "--phase1", "p.ptau"];
        ceremony(path, &[&["phase2", "new", "--out", "0.zkey"], &inputs[..]].concat());
        for dialect in ["snarkjs", "bellman"] {
            let (sent, back, new) =
                (format!("{dialect}-sent"), format!("{dialect}-back"), format!("{dialect}.zkey"));
            let options = ["--dialect", dialect];
            let export = ["phase2", "export-bellman", "--in", "0.zkey", "--out", &sent];
            ceremony(path, &[&export[..], &options].concat());
            let answer = ["phase2", "answer-bellman", "--in", &sent, "--out", &back];
            refused(
                path,
                &[&answer[..], &options].concat(),
                2,
                "nothing to verify the key against",
            );
            // What was exported from the first key is what others compare with, or they make it again.
            let against = match dialect {
                "snarkjs" => ["--first", sent.as_str()].to_vec(),
                _ => inputs.to_vec(),
            };
            let answered = ceremony(path, &[&answer[..], &options, &against].concat());
            assert_eq!(answered["input_verified"], true);
            let import = ["phase2", "import-bellman", "--in", "0.zkey", "--response", &back];
            let import = [&import[..], &inputs, &options, &["--name", "Eva"]].concat();
            let import = [&import[..], &["--out", &new]].concat();
            refused(path, &import, 2, "--without-top-power");
            let imported = ceremony(path, &[&import[..], &["--without-top-power"]].concat());
            assert_eq!(imported["top_power"], false);
            assert_eq!(imported["contributions"][0]["hash"], answered["hash"]);
            assert_eq!(imported["contributions"][0]["name"], "Eva");
            let verify = [&["phase2", "verify", new.as_str()], &inputs[..]].concat();
            refused(path, &verify, 1, "the highest power is missing");
            ceremony(path, &[&verify[..], &["--without-top-power"]].concat());
            let next = format!("next-{new}");
            let turn = ["phase2", "contribute", "--first", "0.zkey", "--in", &new, "--out", &next];
            refused(path, &turn, 1, "the highest power is missing");
            ceremony(path, &[&turn[..], &["--without-top-power"]].concat());
            // A second time there is nothing new in it.
            let again = ["phase2", "import-bellman", "--in", &new, "--response", &back];
            let again =
                [&again[..], &inputs, &options, &["--without-top-power", "--out", "again.zkey"]]
                    .concat();
            refused(path, &again, 1, "there is no new contribution");
        }
        // Parameters begin with a point, not with a name of their format.
        let wrong = ["phase2", "answer-bellman", "--trust-input", "--in", "p.ptau", "--out", "x"];
        refused(path, &wrong, 1, "p.ptau: bellman parameters, entry 0: alpha1: ");
        assert!(!path.join("again.zkey").exists() && is_empty_of_seeds(path));
    }
}

/// The KZG ceremony before anybody took part, as its sequencer has it and hands it out.
fn write_kzg(path: &Path, g1: usize, g2: usize) {
    let g = <Bls12381 as Pairing>::G1::affine_generator();
    let h = <Bls12381 as Pairing>::G2::affine_generator();
    let powers = Powers { g1: vec![g; g1], g2: vec![h; g2] };
    let one = Contribution { powers: powers.clone(), public_key: h, signature: None };
    let handed_out = BatchContribution { contributions: vec![one], ecdsa_signature: String::new() };
    handed_out.write(fs::File::create(path.join("handed-out.json")).unwrap()).unwrap();
    write_transcript(path, powers, vec![g], vec![h]);
}

fn write_transcript(
    path: &Path,
    powers: Powers,
    running_products: Vec<<Bls12381G1 as algebra::Group>::Precomputed>,
    public_keys: Vec<<Bls12381G2 as algebra::Group>::Precomputed>,
) {
    let count = public_keys.len();
    let signatures = vec![None; count];
    let transcript = BatchTranscript {
        transcripts: vec![Transcript { powers, running_products, public_keys, signatures }],
        participant_ids: vec![String::new(); count],
        participant_ecdsa_signatures: vec![String::new(); count],
    };
    transcript.write(fs::File::create(path.join("transcript.json")).unwrap()).unwrap();
}

type Bls12381G1 = <Bls12381 as Pairing>::G1;
type Bls12381G2 = <Bls12381 as Pairing>::G2;

#[test]
fn the_kzg_ceremony() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    write_kzg(path, 8, 3);
    let (sizes, verify) = (["--sizes", "8:3"], ["kzg", "verify", "transcript.json"]);
    refused(path, &[&verify[..], &sizes].concat(), 1, "nobody has taken part");
    let contribute = ["kzg", "contribute", "--in", "handed-out.json", "--out", "ana.json"];
    refused(path, &contribute, 1, "transcripts: 1, where the ceremony has 4");
    ceremony(path, &[&contribute[..], &sizes].concat());

    // What a sequencer does with it.
    let ana = fs::read(path.join("ana.json")).unwrap();
    let mut ana = BatchContribution::read(ana.as_slice()).unwrap();
    let one = ana.contributions.remove(0);
    let products = vec![Bls12381G1::affine_generator(), one.powers.g1[1]];
    let keys = vec![Bls12381G2::affine_generator(), one.public_key];
    let handed_out =
        BatchContribution { contributions: vec![one.clone()], ecdsa_signature: String::new() };
    fs::remove_file(path.join("handed-out.json")).unwrap();
    handed_out.write(fs::File::create(path.join("handed-out.json")).unwrap()).unwrap();
    write_transcript(path, one.powers, products, keys);

    let verified = ceremony(path, &[&verify[..], &sizes].concat());
    assert_eq!(verified["participants"], 1);
    let contribute = ["kzg", "contribute", "--in", "handed-out.json", "--out", "ben.json"];
    ceremony(path, &[&contribute[..], &sizes].concat());
    let step = |file| [&verify[..], &sizes, &["--contribution", file]].concat();
    assert_eq!(ceremony(path, &step("ben.json"))["contribution"], "ben.json");
    refused(path, &step("ana.json"), 1, "ana.json: transcript 0, participant 2");
    refused(path, &step("transcript.json"), 2, "transcript.json: ");
    refused(path, &verify, 1, "transcripts: 1, where the ceremony has 4");
    refused(path, &[&verify[..], &["--sizes", "8"]].concat(), 2, "a colon between them");
    assert!(is_empty_of_seeds(path));
}
