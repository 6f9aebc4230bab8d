//! The contract of a key, compiled by solc and executed by ethereumjs, beside that of snarkjs.

use std::fs;

use algebra::{Bn254, Engine, Pairing, Scalar, ScalarOf};
use circuit::{
    Curve,
    json::public_from_json,
    synthesis::{Circuit, Synthesizer},
};
use snark::groth16::{
    Error, Proof, ProvingKey, VerifyingKey,
    evm::{arguments, calldata, solidity},
    insecure_dealer,
};
use test_support::{
    circomlib::snarkjs,
    evm::{Call, Called, execute},
};

use super::{
    fixtures,
    support::{outside, rng},
};

const WORD: usize = 32;

/// "I know a number whose powers these are": as many public inputs as one likes.
struct Chain {
    length: usize,
    first: u64,
}

impl<S: Scalar> Circuit<S> for Chain {
    fn synthesize(&self, cs: &mut Synthesizer<S>) {
        let x = cs.private(S::from_u64(self.first));
        let mut power = cs.product(&x, &x);
        for _ in 0..self.length {
            power = cs.product(&power, &x);
            cs.expose(&power);
        }
    }
}

struct Case {
    key: VerifyingKey<Bn254>,
    proof: Proof<Bn254>,
    public: Vec<ScalarOf<Bn254>>,
}

impl Case {
    fn of_snarkjs() -> Self {
        let text = |name| String::from_utf8(fixtures::read(Curve::Bn254, name)).unwrap();
        Self {
            key: VerifyingKey::from_json(&text("verification_key.json")).unwrap(),
            proof: Proof::from_json(&text("proof.json")).unwrap(),
            public: public_from_json(&text("public.json")).unwrap(),
        }
    }

    fn of_inputs(count: usize) -> Self {
        let circuit = Chain { length: count, first: 3 };
        let key: ProvingKey<Bn254> =
            insecure_dealer(&circuit.constraint_system(), &mut rng(1)).unwrap();
        let witness = circuit.witness();
        let proof = key.prove(&witness, &mut rng(2)).unwrap();
        Self { key: key.verifying_key().clone(), proof, public: witness[1..=count].to_vec() }
    }

    fn calldata(&self) -> Vec<u8> {
        calldata(&self.proof, &self.public)
    }
}

fn is_right(called: &Called) -> bool {
    called.error.is_none() && called.returned.last() == Some(&1)
}

/// A number of a call, read and replaced.
fn word(data: &[u8], index: usize) -> &[u8] {
    &data[4 + WORD * index..][..WORD]
}

fn with_word(data: &[u8], index: usize, word: &[u8]) -> Vec<u8> {
    let mut changed = data.to_vec();
    changed[4 + WORD * index..][..WORD].copy_from_slice(word);
    changed
}

/// `left ± right` of numbers of 32 bytes, big-endian, modulo `2^256`.
fn add(left: &[u8], right: &[u8], minus: bool) -> Vec<u8> {
    let mut carry = 0;
    let mut out = vec![0; WORD];
    for at in (0..WORD).rev() {
        let right = i32::from(right[at]);
        let sum = i32::from(left[at]) + if minus { -right } else { right } + carry;
        (out[at], carry) = (sum.rem_euclid(256) as u8, sum.div_euclid(256));
    }
    out
}

fn big_endian(mut modulus: Vec<u8>) -> Vec<u8> {
    modulus.reverse();
    modulus
}

/// Everything that is not the call of an honest proof, by a name.
fn forgeries(case: &Case) -> Vec<(String, Vec<u8>)> {
    let honest = case.calldata();
    let (order, prime) = (big_endian(Bn254::scalar_modulus()), big_endian(Bn254::base_modulus()));
    let words = (honest.len() - 4) / WORD;
    let mut all = Vec::new();
    for index in 0..words {
        let value = word(&honest, index).to_vec();
        let mut changed = value.clone();
        changed[WORD - 1] ^= 1;
        all.push((format!("word {index} changed"), with_word(&honest, index, &changed)));
        all.push((format!("word {index} zero"), with_word(&honest, index, &[0; WORD])));
        // The same point or input in another encoding.
        let modulus = if index < 8 { &prime } else { &order };
        let unreduced = add(&value, modulus, false);
        all.push((format!("word {index} not reduced"), with_word(&honest, index, &unreduced)));
    }
    for (name, y) in [("A", 1), ("C", 7)] {
        let negative = add(&prime, word(&honest, y), true);
        all.push((format!("−{name}"), with_word(&honest, y, &negative)));
    }
    let zero = |data: &[u8], range: std::ops::Range<usize>| {
        range.fold(data.to_vec(), |data, index| with_word(&data, index, &[0; WORD]))
    };
    all.push(("A at infinity".to_owned(), zero(&honest, 0..2)));
    all.push(("B at infinity".to_owned(), zero(&honest, 2..6)));
    all.push(("C at infinity".to_owned(), zero(&honest, 6..8)));
    all.push(("all at infinity".to_owned(), zero(&honest, 0..8)));
    // Infinity with another name, which a contract that negates A itself could take for it.
    all.push(("A is (0, p)".to_owned(), with_word(&zero(&honest, 0..2), 1, &prime)));
    let swap = |left: usize, right: usize| {
        let (first, second) = (word(&honest, left).to_vec(), word(&honest, right).to_vec());
        with_word(&with_word(&honest, left, &second), right, &first)
    };
    all.push(("inputs swapped".to_owned(), swap(8, 9)));
    all.push(("coefficients of B swapped".to_owned(), swap(2, 3)));
    all.push(("cut short".to_owned(), honest[..honest.len() - WORD].to_vec()));
    all.push(("without its inputs".to_owned(), honest[..4 + 8 * WORD].to_vec()));
    let mut selector = honest.clone();
    selector[0] ^= 1;
    all.push(("another function".to_owned(), selector));
    let stray = Proof { b: outside::<<Bn254 as Pairing>::G2>(), ..case.proof.clone() };
    all.push(("B outside the subgroup".to_owned(), calldata(&stray, &case.public)));
    all
}

/// The contract accepts what we and snarkjs prove, refuses everything else, and costs no more gas.
#[test]
fn a_contract_beside_that_of_snarkjs() {
    let case = Case::of_snarkjs();
    let folder = tempfile::tempdir().unwrap();
    for name in ["beacon.zkey", "proof.json", "public.json"] {
        fs::copy(fixtures::path(Curve::Bn254, name), folder.path().join(name)).unwrap();
    }
    let export = |arguments: &[&str]| snarkjs(folder.path(), arguments).unwrap();
    export(&["zkey", "export", "solidityverifier", "beacon.zkey", "theirs.sol"]);
    let said = export(&["zkey", "export", "soliditycalldata", "public.json", "proof.json"]);
    assert_eq!(arguments(&case.proof, &case.public), said.trim());

    let theirs = fs::read_to_string(folder.path().join("theirs.sol")).unwrap();
    let sources = [("ours", solidity(&case.key, "Verifier").unwrap()), ("theirs", theirs)];
    let forgeries = forgeries(&case);
    let mut calls: Vec<_> =
        sources.iter().map(|(name, _)| Call::contract(name, case.calldata())).collect();
    calls.extend(forgeries.iter().map(|(_, data)| Call::contract("ours", data.clone())));
    let (called, sizes) = execute(&sources, &calls);
    assert!(is_right(&called[0]) && is_right(&called[1]), "{called:?}");
    println!("gas of a call: ours {}, snarkjs' {}; bytes: {sizes}", called[0].gas, called[1].gas);
    assert!(called[0].gas <= called[1].gas, "{called:?}");
    for ((name, _), called) in forgeries.iter().zip(&called[2..]) {
        assert!(!is_right(called), "{name}: {called:?}");
    }
    assert_eq!(called.len(), forgeries.len() + 2);
}

/// No public inputs, one, and many; and a machine that has no pairing.
#[test]
fn contracts_of_all_sizes() {
    let cases = [0, 1, 40].map(Case::of_inputs);
    let mut sources = Vec::new();
    for (name, case) in ["none", "one", "many"].into_iter().zip(&cases) {
        sources.push((name, solidity(&case.key, name).unwrap()));
    }
    // Where no precompile answers, the first word of the pairing's input stays in memory: an A with x = 1 would
    // be right if nobody asked how much was returned.
    let elsewhere =
        sources[1].1.replace("gas(), 8,", "gas(), 0x1234,").replace(" one ", " elsewhere ");
    let unasked = elsewhere.replace("eq(returndatasize(), 0x20)", "1");
    assert!(unasked != elsewhere && elsewhere != sources[1].1);
    sources.extend([("elsewhere", elsewhere), ("unasked", unasked)]);
    let generator = |data: &[u8]| {
        let (mut one, mut two) = ([0; WORD], [0; WORD]);
        (one[WORD - 1], two[WORD - 1]) = (1, 2);
        with_word(&with_word(data, 0, &one), 1, &two)
    };
    let one = generator(&cases[1].calldata());
    let mut calls: Vec<_> = sources[..3]
        .iter()
        .zip(&cases)
        .map(|((name, _), case)| Call::contract(name, case.calldata()))
        .collect();
    calls.extend(["one", "elsewhere", "unasked"].map(|name| Call::contract(name, one.clone())));
    let mut last = cases[2].calldata();
    *last.last_mut().unwrap() ^= 1;
    calls.push(Call::contract("many", last));
    let (called, sizes) = execute(&sources, &calls);
    let right: Vec<_> = called.iter().map(is_right).collect();
    assert_eq!(right, [true, true, true, false, false, true, false], "{called:?}");
    println!(
        "gas of 0, 1, 40 inputs: {:?}; bytes: {sizes}",
        called[..3].iter().map(|c| c.gas).collect::<Vec<_>>()
    );
}

#[test]
fn what_no_contract_is_written_for() {
    let Case { mut key, .. } = Case::of_inputs(1);
    for name in ["", "1st", "a b", "A; contract B", "Ü", &"a".repeat(65)] {
        assert!(matches!(solidity(&key, name), Err(Error::Contract { .. })), "{name}");
    }
    assert!(solidity(&key, "_Verifier1").is_ok());
    key.ic.extend(vec![key.ic[0]; 256]);
    assert!(matches!(solidity(&key, "Verifier"), Err(Error::Contract { .. })));
    key.ic.truncate(2);
    key.delta_g2 = key.gamma_g2;
    assert!(matches!(solidity(&key, "Verifier"), Err(Error::Forgeable { .. })));
}
