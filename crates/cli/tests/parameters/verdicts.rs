//! What verdicts on ceremonies require, what they say, and what they refuse to say.

use std::{fs, io::Cursor, path::Path};

use algebra::{Bn254, CurveGroup, Engine, Group, Scalar, ScalarOf};
use ceremony::{Snapshot, Trust, phase1};
use circuit::{
    json::Proof,
    zkey::{G1Query, Zkey},
};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use serde_json::Value;
use tempfile::TempDir;
use test_support::histories::without_history;

use crate::{
    common::{fail, succeed},
    parameters::phase2::circuit,
};

fn words(arguments: &str) -> Vec<&str> {
    ["ceremony"].into_iter().chain(arguments.split(' ')).collect()
}

fn json(path: &Path, arguments: &str) -> Value {
    let arguments = [&["--json"], &words(arguments)[..]].concat();
    serde_json::from_str(&succeed(path, &arguments)).unwrap()
}

fn text(path: &Path, arguments: &str) -> String {
    succeed(path, &words(arguments))
}

fn refused(path: &Path, arguments: &str, code: i32, message: &str) {
    fail(path, &words(arguments), code, message);
}

/// A phase 1 of Ana alone, prepared, and a circuit.
fn begin(native: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("circuit.r1cs"), circuit::<Bn254>(3)).unwrap();
    json(path, &format!("phase1 new --power 3 --out 0.ptau{native}"));
    json(path, "phase1 contribute --in 0.ptau --out 1.ptau --name Ana");
    json(path, "phase1 prepare --in 1.ptau --out prepared.ptau");
    directory
}

const INPUTS: &str = "--circuit circuit.r1cs --phase1 prepared.ptau";
/// Whom the coordinator drops.
const DROPPED: &str = "contribution 1 is not the one that the earlier file has at its place";

/// Ben contributes; the coordinator goes on without him, and everything verifies but with the file
/// or the hash that Ben has.
#[test]
fn who_is_dropped_is_missed() {
    for (native, key) in [("", "response_hash"), (" --native", "hash")] {
        let directory = begin(native);
        let path = directory.path();
        let contribute = |noun: &str, from: &str, to: &str, name: &str| {
            let first = if noun == "phase2" { " --first 0.zkey" } else { "" };
            json(path, &format!("{noun} contribute --in {from} --out {to} --name {name}{first}"))
        };
        json(path, &format!("phase2 new {INPUTS} --out 0.zkey{native}"));
        contribute("phase2", "0.zkey", "1.zkey", "Ana");
        for (noun, end, verify, key) in [
            ("phase1", "ptau", "phase1 verify".to_owned(), key),
            ("phase2", "zkey", format!("phase2 verify {INPUTS} --phase1-verified"), "hash"),
        ] {
            let ben = contribute(noun, &format!("1.{end}"), &format!("ben.{end}"), "Ben");
            contribute(noun, &format!("1.{end}"), &format!("eve.{end}"), "Eve");
            let verdict = json(path, &format!("{verify} eve.{end} --after 1.{end}"));
            assert_eq!(
                (&verdict["verified"], &verdict["continues"]["kept"]),
                (&true.into(), &1.into())
            );
            refused(path, &format!("{verify} eve.{end} --after ben.{end} --adds 0"), 1, DROPPED);
            let short = format!("{verify} 1.{end} --after ben.{end}");
            refused(path, &short, 1, "contribution 1 of the earlier file is missing");
            let none = format!("{verify} ben.{end} --after ben.{end}");
            refused(path, &none, 1, "new contributions: 0, but 1 should follow");

            // The hashes, as people publish them: in four lines, and in one with a name.
            let info = text(path, &format!("{noun} info 1.{end}"));
            let first: Vec<_> = info
                .lines()
                .skip_while(|line| !line.starts_with("contribution 1: "))
                .take(5)
                .collect();
            let published = ben[key].as_str().unwrap();
            let list = format!("# as published\n{}\n{published} Ben # by mail\n", first.join("\n"));
            fs::write(path.join("list"), list).unwrap();
            let verdict = json(path, &format!("{verify} ben.{end} --expect list"));
            assert_eq!(verdict["expected"][0]["name"], "Ana");
            assert_eq!(verdict["expected"][1]["contribution"], 1);
            let missing = "the hash of Ben on line 7 does not belong to any contribution";
            refused(path, &format!("{verify} eve.{end} --expect list"), 1, missing);
        }
    }
}

#[test]
fn lists_of_hashes_that_cannot_be_read() {
    let directory = begin("");
    let path = directory.path();
    let hash = json(path, "phase1 verify 1.ptau")["contributions"][0]["response_hash"].clone();
    let hash = hash.as_str().unwrap();
    for (list, code, message) in [
        (format!("{hash}\n{hash}\n"), 1, "the hash on line 2 is not in the right order"),
        (format!("{}\n", &hash[1..]), 2, "line 1: not a hash"),
        ("# nothing\n".to_owned(), 2, "the file holds no hash"),
        ("contribution 1: Ana\n".to_owned(), 2, "line 1: no hash follows"),
        (
            "00000000 00000000 00000000 00000000\n".to_owned(),
            2,
            "line 1: a hash of four lines is cut",
        ),
        (format!("next challenge:\n{hash}\n"), 2, "line 1: not a hash"),
    ] {
        fs::write(path.join("list"), list).unwrap();
        refused(path, "phase1 verify 1.ptau --expect list", code, message);
    }
}

/// The other two ceremonies of this project's own files.
#[test]
fn who_is_dropped_from_sonic_and_tflsz_is_missed() {
    let directory = begin("");
    let path = directory.path();
    json(path, "sonic new --curve bn254 --degree 12 --out 0.sonic");
    json(path, "tflsz new --phase1 1.ptau --power 2 --out 0.tflsz");
    for (noun, verify) in [("sonic", ""), ("tflsz", " --phase1 1.ptau")] {
        let contribute = |from: &str, to: &str, name: &str| {
            let files = format!("--in {from}.{noun} --out {to}.{noun}");
            json(path, &format!("{noun} contribute {files} --name {name}{verify}"))
        };
        contribute("0", "1", "Ana");
        let ben = contribute("1", "ben", "Ben");
        contribute("1", "eve", "Eve");
        let verify = format!("{noun} verify{verify}");
        let verdict = json(path, &format!("{verify} eve.{noun} --after 1.{noun}"));
        assert_eq!(verdict["continues"]["added"], 1);
        refused(path, &format!("{verify} eve.{noun} --after ben.{noun} --adds 0"), 1, DROPPED);
        fs::write(path.join("list"), ben["hash"].as_str().unwrap()).unwrap();
        refused(
            path,
            &format!("{verify} eve.{noun} --expect list"),
            1,
            "does not belong to any contribution",
        );
        json(path, &format!("{verify} ben.{noun} --expect list"));
    }
    let verdict = text(path, "tflsz verify ben.tflsz --phase1 1.ptau --phase1-verified");
    assert!(verdict.contains("Phase 1 was not verified in this run"), "{verdict}");
}

/// Round 1000 of quicknet, and round 1337 of the chain default with its predecessor's signature.
const ROUNDS: [(&str, &str, &str, &str); 2] = [
    (
        "1000",
        "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd",
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
        "",
    ),
    (
        "1337",
        "2660664f8d4bc401194d80d81da20a1e79480f65b8e2d205aecbd143b5bfb0d3",
        "945b08dcb30e24da281ccf14a646f0630ceec515af5c5895e18cc1b19edd65d156b71c776a369af3487f1bc6af1062500b059e01095cc0eedce91713977d7735cac675554edfa0d0481bb991ed93d333d08286192c05bf6b65d20f23a37fc7bb",
        "80d95247ddf1bb3acf5738497a5f10406be283144603f63d714bb1a44ff6b93285ae2697fffeb50c68862bd9fbecd4b204b1798d2686b4ac5d573615031d9d67e6168bde9a7adf1161430a498ca701a25c216aee3e38ffd5290369034fa050a2",
    ),
];

#[test]
fn a_ceremony_ends_with_the_beacon_that_was_announced() {
    let directory = begin("");
    let path = directory.path();
    for (chain, (number, randomness, signature, previous)) in
        ["quicknet", "default"].into_iter().zip(ROUNDS)
    {
        let round = format!(
            "{{\"round\":{number},\"randomness\":\"{randomness}\",\"signature\":\"{signature}\",\
             \"previous_signature\":\"{previous}\"}}"
        );
        let file = format!("{chain}.json");
        fs::write(path.join(&file), &round).unwrap();
        let forged = round.replace(&signature[20..24], "0000");
        fs::write(path.join("forged.json"), forged).unwrap();
        let later = round.replace(&format!(":{number},"), ":1338,");
        fs::write(path.join("later.json"), later).unwrap();

        let ptau = format!("{chain}.ptau");
        let beacon = "phase1 beacon --in 1.ptau --iterations-exp 10 --out";
        refused(
            path,
            &format!("{beacon} no.ptau --drand forged.json"),
            1,
            "the signature is not that",
        );
        json(path, &format!("{beacon} {ptau} --drand {file}"));
        let verdict =
            json(path, &format!("phase1 verify {ptau} --drand {file} --iterations-exp 10"));
        assert_eq!(verdict["final_beacon"]["hash"], randomness);
        assert_eq!(verdict["final_beacon"]["drand"]["chain"], chain);
        let by_hash = format!("phase1 verify {ptau} --require-final-beacon");
        json(path, &format!("{by_hash} {}", randomness.to_uppercase()));

        for (requirement, message) in [
            ("--drand forged.json", "the signature is not that of the chain for this round"),
            ("--drand later.json", "the signature is not that of the chain for this round"),
            ("--require-final-beacon 00", "the last contribution is the beacon"),
            ("--iterations-exp 11", "the last beacon is hashed 2^10 times"),
        ] {
            refused(path, &format!("phase1 verify {ptau} {requirement}"), 1, message);
        }
    }
    refused(
        path,
        "phase1 verify quicknet.ptau --drand default.json",
        1,
        "the last contribution is",
    );
    let none = "phase1 verify 1.ptau --require-final-beacon 00";
    refused(path, none, 1, "the last contribution is not a beacon");
    fs::write(path.join("text.json"), "[]").unwrap();
    refused(path, "phase1 verify 1.ptau --drand text.json", 2, "not a round of drand");
}

/// What a reader of the list could overlook is said.
#[test]
fn verdicts_count_no_beacon_as_a_contributor() {
    for native in ["", " --native"] {
        let directory = begin(native);
        let path = directory.path();
        let noise = "--hash 0102 --iterations-exp 10";
        json(path, &format!("phase1 beacon --in 0.ptau --out noise.ptau {noise}"));
        refused(path, "phase1 verify noise.ptau", 1, "only beacons have contributed");
        json(path, "phase1 prepare --in noise.ptau --out public.ptau");
        let new = "phase2 new --circuit circuit.r1cs --phase1 public.ptau --out 0.zkey";
        refused(path, &format!("{new}{native}"), 1, "phase 1: only beacons have contributed");
        let tflsz = "tflsz new --phase1 noise.ptau --power 2 --out 0.tflsz";
        refused(path, tflsz, 2, "phase 1: only beacons have contributed");

        json(path, &format!("phase2 new {INPUTS} --out 0.zkey{native}"));
        json(path, &format!("phase2 beacon --in 0.zkey --out noise.zkey {noise}"));
        refused(path, &format!("phase2 verify {INPUTS} noise.zkey"), 1, "only beacons");
        refused(path, "phase2 export --in noise.zkey --out vk.json", 1, "only beacons");

        json(path, &format!("phase1 beacon --in 1.ptau --out 2.ptau {noise} --name noise"));
        json(path, "phase1 contribute --in 2.ptau --out 3.ptau --name Ana");
        let verdict = json(path, "phase1 verify 3.ptau");
        assert_eq!(verdict["participants"], 2);
        let kinds: Vec<_> =
            verdict["warnings"].as_array().unwrap().iter().map(|one| &one["kind"]).collect();
        assert_eq!(kinds, ["after_beacon", "same_name"]);
        let said = text(path, "phase1 verify 3.ptau");
        assert!(said.contains("WARNING: contribution 3 comes after the beacon at 2"), "{said}");
        assert!(said.contains("WARNING: contributions 1 and 3 have the same name"), "{said}");
        assert!(said.contains("if one of the 2 participants forgot theirs"), "{said}");
        let said = text(path, "phase1 verify 2.ptau");
        assert!(
            !said.contains("WARNING") && said.contains("if the one participant forgot"),
            "{said}"
        );
    }
}

/// A key's verdict names phase 1, and says who verified it.
#[test]
fn verdicts_on_keys_name_phase_1() {
    let directory = begin("");
    let path = directory.path();
    json(path, &format!("phase2 new {INPUTS} --out 0.zkey"));
    json(path, "phase2 contribute --in 0.zkey --out 1.zkey --name Ben --first 0.zkey");
    let last = json(path, "phase1 verify 1.ptau")["contributions"][0]["response_hash"].clone();
    let verdict = json(path, &format!("phase2 verify {INPUTS} 1.zkey"));
    let phase1 = &verdict["phase1"];
    assert_eq!((&phase1["verified"], &phase1["unknown"]), (&true.into(), &false.into()));
    assert_eq!((&phase1["last_contribution"], &phase1["participants"]), (&last, &1.into()));
    let blake2b = wire::Blake2b::digest(&fs::read(path.join("prepared.ptau")).unwrap());
    assert_eq!(phase1["blake2b"], data_encoding::HEXLOWER.encode(&blake2b));
    // People see the digest that they see of every other file.
    let digest = json(path, "phase1 info prepared.ptau")["digest"].clone();
    assert_eq!(phase1["digest"], digest);
    let said = text(path, &format!("phase2 verify {INPUTS} 1.zkey"));
    assert!(said.contains("Phase 1 was verified in this run"), "{said}");
    assert!(said.contains(&format!("digest of the file: {}", digest.as_str().unwrap())), "{said}");

    let skipped = format!("phase2 verify {INPUTS} 1.zkey --phase1-verified");
    assert_eq!(json(path, &skipped)["phase1"]["verified"], false);
    assert!(text(path, &skipped).contains("was not verified in this run"));

    // A point of a power that the key does not use: only the verification of phase 1 sees it.
    let mut wrong = fs::read(path.join("prepared.ptau")).unwrap();
    let section_2 = 12 + 12 + 44 + 12;
    wrong.copy_within(section_2 + 3 * 64..section_2 + 4 * 64, section_2 + 9 * 64);
    fs::write(path.join("prepared.ptau"), wrong).unwrap();
    refused(path, &format!("phase2 verify {INPUTS} 1.zkey"), 1, "point 9: not tau times");
}

/// A proof that nobody has a witness for, under a key to whose phase 1 the forger knows the secrets:
/// `K` of wire 2 is a known multiple of `[1/δ]`.
fn forge<E: Engine>(
    key: &[u8],
    [tau, alpha, beta]: [ScalarOf<E>; 3],
    public: ScalarOf<E>,
) -> Proof<E> {
    let (one, root) = (ScalarOf::<E>::one(), E::root_of_unity(2).unwrap());
    let square = tau * tau;
    // Rows 0 and 1 are the circuit's, 2 and 3 those of the constant and of the public wire.
    let mut point = one;
    let lagrange = [(); 4].map(|()| {
        let divisor = ScalarOf::<E>::from_u64(4) * (tau - point);
        let value = point * (square * square - one) * divisor.invert().unwrap();
        point *= root;
        value
    });
    let [first, second, constant, input] = lagrange;
    let k = beta * (first + ScalarOf::<E>::from_u64(3) * second) + alpha * second;
    let ic = beta * constant + public * (beta * input + first);
    let file = &mut Cursor::new(key);
    let list = Zkey::<E>::open(file).unwrap().g1(G1Query::K).unwrap();
    let k_point: E::G1 = list.read_one(file, 0).unwrap().into();
    let c = k_point.mul(&((one - alpha * beta - ic) * k.invert().unwrap()));
    Proof {
        a: E::G1::affine_generator(),
        b: E::G2::affine_generator(),
        c: E::G1::precompute(&[c])[0],
    }
}

/// Nobody contributed to phase 1 but its maker, who keeps the secrets and leaves the history out. Ben
/// contributes to the key, honestly, and the maker of phase 1 forges under it.
#[test]
fn a_phase_1_of_nobody_makes_forgeable_keys() {
    let directory = begin("");
    let path = directory.path();
    let start = Cursor::new(fs::read(path.join("0.ptau")).unwrap());
    let mut start = Snapshot::take(start, &()).unwrap();
    let (mut made, mut prepared) = (Cursor::new(Vec::new()), Vec::new());
    let mut rng = ChaCha20Rng::from_seed([7; 32]);
    let (trust, same) = (Trust::Skip, &mut rng.clone());
    phase1::contribute::<Bn254>(&mut start, &mut made, None, trust, same, &()).unwrap();
    phase1::prepare::<Bn254>(&mut made, &mut prepared, &()).unwrap();
    fs::write(path.join("prepared.ptau"), without_history(&prepared)).unwrap();
    let secrets = [(); 3].map(|()| ScalarOf::<Bn254>::random(&mut rng));

    let hint = "nobody has contributed to this file";
    refused(path, &format!("phase2 new {INPUTS} --out 0.zkey"), 1, hint);
    json(path, &format!("phase2 new {INPUTS} --out 0.zkey --phase1-unknown"));
    json(path, "phase2 contribute --in 0.zkey --out 1.zkey --name Ben --first 0.zkey");
    refused(path, &format!("phase2 verify {INPUTS} 1.zkey"), 1, hint);
    refused(path, &format!("phase2 verify {INPUTS} 1.zkey --phase1-verified"), 1, hint);
    let unknown = format!("phase2 verify {INPUTS} 1.zkey --phase1-unknown");
    assert_eq!(json(path, &unknown)["phase1"]["unknown"], true);
    assert!(text(path, &unknown).contains("WARNING: nobody contributed to this phase 1"));

    json(path, "phase2 export --in 1.zkey --out vk.json");
    let public = ScalarOf::<Bn254>::from_u64(4711);
    let proof = forge::<Bn254>(&fs::read(path.join("1.zkey")).unwrap(), secrets, public);
    fs::write(path.join("proof.json"), proof.to_json().unwrap()).unwrap();
    fs::write(path.join("public.json"), "[\"4711\"]").unwrap();
    let verify = ["snark", "verify", "--key", "vk.json", "--proof", "proof.json", "--public"];
    succeed(path, &[&verify[..], &["public.json"]].concat());

    // The first file of a ceremony is worse, and no flag takes it: everybody knows its secrets.
    json(path, "phase1 prepare --in 0.ptau --out fresh.ptau");
    let fresh = "phase2 new --circuit circuit.r1cs --phase1 fresh.ptau --out fresh.zkey";
    refused(path, fresh, 1, hint);
    refused(path, &format!("{fresh} --phase1-unknown"), 1, "a secret is 1");
}
