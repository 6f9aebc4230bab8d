//! Sets and shared witnesses on the command line: a proof of membership and of absence from the
//! ceremony to the bundle, and three processes that prove together.

use std::{fs, path::Path};

use algebra::Scalar;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{self, fail, run, succeed};

fn words(arguments: &str) -> Vec<&str> {
    arguments.split_whitespace().collect()
}

fn subrosa(path: &Path, arguments: &str) -> Value {
    let json = succeed(path, &words(&format!("--json {arguments}")));
    serde_json::from_str(&json).unwrap()
}

fn refuse(path: &Path, arguments: &str, code: i32, message: &str) {
    fail(path, &words(arguments), code, message);
}

/// A directory with a prepared phase 1 of 2^9.
fn begin(curve: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    subrosa(path, &format!("ceremony phase1 new --curve {curve} --power 9 --out 0.ptau"));
    subrosa(path, "ceremony phase1 contribute --in 0.ptau --out 1.ptau");
    subrosa(path, "ceremony phase1 prepare --in 1.ptau --out prepared.ptau");
    directory
}

mod set_membership {
    use snark::set_membership::{ElementKind, Value as Element};

    use super::*;

    /// Primes of 252 bits.
    fn primes(count: u64) -> Vec<String> {
        let prime = |value| ElementKind::Hashed.prime(&Element::from_u64(value)).unwrap();
        (0..count).map(|value| prime(value).to_string()).collect()
    }

    fn write(path: &Path, name: &str, values: &[String]) {
        fs::write(path.join(name), json!(values).to_string()).unwrap();
    }

    #[test]
    fn members_and_others_are_proven_from_the_ceremony_to_the_bundle() {
        let directory = begin("bls12-381");
        let path = directory.path();
        let set = |arguments: &str| subrosa(path, &format!("snark set-membership {arguments}"));
        let refuse = |arguments: &str, code, message: &str| {
            refuse(path, &format!("snark set-membership {arguments}"), code, message);
        };
        let circuit = set("circuit --elements prime --out prime.r1cs");
        assert_eq!(circuit["constraints"], 254);
        let setup = "--phase1 prepared.ptau --out key.zkey --verification-key vk.json";
        common::deal(path, &format!("--r1cs prime.r1cs {setup}")).unwrap();
        let key = set("key --elements prime --key key.zkey --out set.key")["key"].clone();
        let condition = format!(
            "if key {} is of a ceremony for the circuit of prime elements:",
            key.as_str().unwrap()
        );
        refuse("key --elements hashed --key key.zkey --out no.key", 2, "public inputs");

        let primes = primes(5);
        write(path, "set.json", &primes[..4]);
        write(path, "member.json", &primes[1..2]);
        write(path, "other.json", &primes[4..]);
        let source = "--elements prime --set set.json";
        assert_eq!(set(&format!("accumulate {source} --out acc"))["count"], 4);
        for name in ["member", "other"] {
            let out = format!("--out {name}.commitment --opening {name}.opening");
            set(&format!("commit --value {name}.json {out}"));
        }
        set(&format!("witness {source} --opening member.opening --out member.witness"));
        fs::create_dir(path.join("all")).unwrap();
        assert_eq!(set(&format!("witness {source} --all --out all"))["witnesses"], 4);
        let read = |name: &str| fs::read(path.join(name)).unwrap();
        assert_eq!(read("all/1"), read("member.witness"));
        let no = format!("witness {source} --opening other.opening --out no");
        refuse(&no, 1, "not in the set");
        set("non-member --set set.json --opening other.opening --out other.witness");
        refuse("non-member --set set.json --opening member.opening --out no", 1, "divides");

        let prove = |name: &str, how: &str| {
            format!(
                "prove --key key.zkey --accumulator acc --opening {name}.opening \
                 --witness {name}.witness --proof {name}.proof {how}"
            )
        };
        assert_eq!(set(&prove("member", ""))["relation"], "membership");
        assert_eq!(set(&prove("other", "--absent"))["relation"], "absence");
        refuse(&prove("other", ""), 2, "not a file of kind `setwit`");
        let forged = "prove --key key.zkey --accumulator acc --opening other.opening \
                      --witness member.witness --proof no";
        refuse(forged, 1, "the witness is not of this value");

        let verify = |commitment: &str, proof: &str, how: &str| {
            format!(
                "verify --key set.key --accumulator acc --commitment {commitment}.commitment \
                 --proof {proof}.proof {how}"
            )
        };
        let verified = set(&verify("member", "member", ""));
        assert_eq!((&verified["verified"], &verified["key"]), (&json!(true), &key));
        assert_eq!(set(&verify("other", "other", "--absent"))["verified"], true);
        refuse(&verify("other", "member", ""), 1, "not about this commitment");
        refuse(&verify("member", "member", "--absent"), 1, "membership, and not of absence");

        let publish = |name: &str, rest: &str| {
            format!(
                "publish --key set.key --accumulator acc --commitment {name}.commitment \
                 --proof {name}.proof {rest}"
            )
        };
        set(&publish("member", "--set set.json --out bundle"));
        set(&publish("other", "--out other-bundle"));
        write(path, "smaller.json", &primes[..3]);
        refuse(&publish("member", "--set smaller.json --out no"), 1, "of another set");
        // The key lies in the bundle: its publisher may have made it alone.
        let accept = format!("--accept key:{}", condition.split(' ').nth(2).unwrap());
        for bundle in ["bundle", "other-bundle"] {
            let verified = subrosa(path, &format!("verify {bundle} {accept}"));
            assert_eq!(
                (&verified["verified"], &verified["established"]),
                (&true.into(), &true.into())
            );
            let why = "that nobody knows the secrets of this key";
            fail(path, &["verify", bundle], 4, why);
            fail(path, &["verify", bundle, "--accept", "unaudited"], 4, why);
        }
        let said = succeed(path, &words(&format!("verify bundle {accept}")));
        assert!(said.contains("is in the published set of 4 values"), "{said}");
        assert!(said.contains(&condition), "{said}");
        let said = succeed(path, &words(&format!("verify other-bundle {accept}")));
        assert!(said.contains("is not in the set behind this accumulator"), "{said}");
        let claim = path.join("bundle/claims/set-membership.json");
        let text = fs::read_to_string(&claim).unwrap();
        fs::write(&claim, text.replace("membership\"", "absence\"")).unwrap();
        assert_eq!(run(path, &words("verify bundle")).code, 1);
    }
}

#[cfg(unix)]
mod collaborate {
    use std::{
        os::unix::fs::PermissionsExt as _,
        process::{Child, Stdio},
    };

    use algebra::{Bn254, ScalarOf};
    use circuit::{gadgets::MerkleTree, json::public_to_json};

    use super::*;

    const CIRCUIT: &str = "--circuit merkle --depth 1";
    type S = ScalarOf<Bn254>;

    fn digits(scalar: S) -> Value {
        let json: Value = serde_json::from_str(&public_to_json(&[scalar]).unwrap()).unwrap();
        json[0].clone()
    }

    /// A party's process.
    fn party(path: &Path, number: u16, run: &str) -> Child {
        let address = |party| format!("unix://{}/{run}{party}", path.display());
        let arguments = format!(
            "--json snark collaborate prove --key key.zkey {CIRCUIT} --share shares/{number} \
             --triples {run}/{number} --peers {} {} {} --timeout-seconds 60 \
             --proof {run}{number}.json --public {run}{number}.public.json",
            address(1),
            address(2),
            address(3),
        );
        let mut command = common::subrosa(path, &words(&arguments));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn outcomes(path: &Path, run: &str) -> Vec<common::Ran> {
        let parties: Vec<_> = (1..=3).map(|number| party(path, number, run)).collect();
        parties.into_iter().map(|party| party.wait_with_output().unwrap().into()).collect()
    }

    #[test]
    fn three_processes_prove_together() {
        let directory = begin("bn254");
        let path = directory.path();
        let setup = "--phase1 prepared.ptau --out key.zkey --verification-key vk.json";
        common::deal(path, &format!("{CIRCUIT} {setup}")).unwrap();
        let leaves = [10, 20].map(S::from_u64);
        let tree = MerkleTree::new(leaves.to_vec(), 1).unwrap();
        let (sibling, right) = tree.path(1).unwrap().steps[0];
        let input = json!({ "leaf": "20", "siblings": [digits(sibling)], "right": [right] });
        fs::write(path.join("input.json"), input.to_string()).unwrap();
        for name in ["shares", "one", "two"] {
            fs::create_dir(path.join(name)).unwrap();
        }
        let parties = "--key key.zkey --parties 3";
        let share = format!("snark collaborate share {parties} {CIRCUIT} --input input.json");
        subrosa(path, &format!("{share} --out shares"));
        let mode = fs::metadata(path.join("shares/2")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
        refuse(path, &format!("{share} --out shares"), 2, "already exists");
        for run in ["one", "two"] {
            subrosa(path, &format!("snark collaborate deal {parties} --out {run}"));
        }

        let ran = outcomes(path, "one");
        assert!(ran.iter().all(|ran| ran.code == 0), "{ran:?}");
        let report: Value = serde_json::from_str(&ran[0].out).unwrap();
        for bytes in ["bytes_sent", "bytes_received"] {
            assert!(report[bytes].as_u64().unwrap() > 2 * 2 * 32 * 256, "{report}");
        }
        let read = |name: &str| fs::read_to_string(path.join(name)).unwrap();
        assert_eq!(read("one1.json"), read("one3.json"));
        let verify = "snark verify --key vk.json --public one1.public.json --proof one2.json";
        assert_eq!(subrosa(path, verify)["verified"], true);
        assert!(!path.join("one/1").exists(), "triples serve once");

        // One party has another share: of a witness that was split anew.
        fs::remove_file(path.join("shares/2")).unwrap();
        fs::create_dir(path.join("other")).unwrap();
        subrosa(path, &format!("{share} --out other"));
        fs::copy(path.join("other/2"), path.join("shares/2")).unwrap();
        for ran in outcomes(path, "two") {
            assert_eq!(ran.code, 1, "{ran:?}");
            assert!(ran.err.contains("somebody's share"), "{ran:?}");
        }
        assert!(!path.join("two1.json").exists());
        // Whoever deviated does not get another guess with the same shares.
        fs::create_dir(path.join("three")).unwrap();
        subrosa(path, &format!("snark collaborate deal {parties} --out three"));
        for (number, ran) in (1..).zip(outcomes(path, "three")) {
            assert_eq!(ran.code, 2, "{ran:?}");
            let reason = "an earlier session with this share failed";
            assert!(ran.err.contains(reason), "{ran:?}");
            assert!(path.join(format!("shares/{number}.failed")).exists());
            assert!(path.join(format!("three/{number}")).exists(), "triples are kept");
        }
    }
}
