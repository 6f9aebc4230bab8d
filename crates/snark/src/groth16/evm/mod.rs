//! Groth16 over BN254 on Ethereum: a contract that verifies proofs under one key, and the bytes of its calls.
//!
//! The contract is our own. Its function `verifyProof` has the same signature as in the contract that snarkjs writes,
//! so callers of that contract can call this one.

use algebra::{Affine, Bn254, CurveGroup, Dialect, Engine, Pairing, PointForm, Scalar, ScalarOf};
use sha3::{Digest as _, Keccak256};

use super::{Error, PreparedVerifyingKey, Proof, VerifyingKey, to_affine};

type G1 = <Bn254 as Pairing>::G1;
type G2 = <Bn254 as Pairing>::G2;

/// The contract but for what depends on the key.
const TEMPLATE: &str = include_str!("verifier.sol");
/// The point form of EIP-197: coordinates big-endian, the coefficient of i first, zeros at infinity.
const FORM: PointForm = PointForm::Uncompressed(Dialect::Snarkjs);
/// A word of the machine.
const WORD: usize = 32;
/// Public inputs of the largest contract; a deployed one has 24,576 bytes at most.
const MAX_INPUTS: usize = 256;

/// The source of a contract in Solidity that verifies proofs under a key.
///
/// It has the negatives of `β`, `γ` and `δ` in it, so that nothing of the proof is computed with before the
/// precompiles have checked it.
///
/// # Errors
/// Those of [`PreparedVerifyingKey::new`]; [`Error::Contract`] if `name` is no identifier, or there are more
/// public inputs than a contract has place for.
pub fn solidity(key: &VerifyingKey<Bn254>, name: &str) -> Result<String, Error> {
    let inputs = PreparedVerifyingKey::new(key)?.public();
    if !is_identifier(name) {
        return Err(Error::Contract { reason: "its name is no identifier of Solidity" });
    }
    if inputs > MAX_INPUTS {
        return Err(Error::Contract { reason: "more than 256 public inputs have no place in it" });
    }
    let mut ic = key.ic.iter().map(|point| g1_words(point).join(", "));
    // A key without an `IC_0` was refused above.
    let constant = ic.next().unwrap_or_default();
    let term = |(index, point): (usize, String)| {
        let input = format!("calldataload(add(inputs, {:#x}))", WORD * index);
        format!("            isRight := and(isRight, add_term(sum, {point}, {input}))\n")
    };
    let terms: String = ic.enumerate().map(term).collect();
    let mut order = Bn254::scalar_modulus();
    order.reverse();
    let mut values = vec![
        ("$NAME", name.to_owned()),
        ("$ORDER", hex(&order)),
        ("$FOR_INPUTS", if inputs == 0 { "" } else { " for these public inputs" }.to_owned()),
        ("$PARAMETER", parameter(inputs)),
        ("$IC_0", constant),
        ("$TERMS\n", terms),
        ("$ALPHA", g1_words(&key.alpha_g1).join(", ")),
    ];
    let twists = [
        (["$MINUS_BETA_X", "$MINUS_BETA_Y"], key.beta_g2),
        (["$MINUS_GAMMA_X", "$MINUS_GAMMA_Y"], key.gamma_g2),
        (["$MINUS_DELTA_X", "$MINUS_DELTA_Y"], key.delta_g2),
    ];
    for (names, point) in twists {
        let minus = to_affine(&-G2::from(point));
        let [x1, x0, y1, y0] = g2_words(&minus);
        values.extend(names.into_iter().zip([[x1, x0].join(", "), [y1, y0].join(", ")]));
    }
    let fill = |source: String, (name, value): (&str, String)| source.replace(name, &value);
    Ok(values.into_iter().fold(TEMPLATE.to_owned(), fill))
}

/// What a transaction or call to the contract carries: the selector of `verifyProof`, then its arguments.
pub fn calldata(proof: &Proof<Bn254>, public: &[ScalarOf<Bn254>]) -> Vec<u8> {
    let inputs = match public.len() {
        0 => String::new(),
        count => format!(",uint256[{count}]"),
    };
    let signature = format!("verifyProof(uint256[2],uint256[2][2],uint256[2]{inputs})");
    let digest = Keccak256::digest(signature.as_bytes());
    let mut out: Vec<u8> = digest.iter().copied().take(4).collect();
    G1::write_form(&[proof.a], FORM, &mut out);
    G2::write_form(&[proof.b], FORM, &mut out);
    G1::write_form(&[proof.c], FORM, &mut out);
    for input in public {
        out.extend(input.encode().into_iter().rev());
    }
    out
}

/// The arguments as people paste them into tools: arrays of hexadecimal numbers, as snarkjs prints them.
pub fn arguments(proof: &Proof<Bn254>, public: &[ScalarOf<Bn254>]) -> String {
    let pair = |[x, y]: [String; 2]| format!("[\"{x}\", \"{y}\"]");
    let [x1, x0, y1, y0] = g2_words(&proof.b);
    let b = format!("[{},{}]", pair([x1, x0]), pair([y1, y0]));
    let mut all = vec![pair(g1_words(&proof.a)), b, pair(g1_words(&proof.c))];
    if !public.is_empty() {
        let quoted = public.iter().map(|input| {
            let mut bytes = input.encode();
            bytes.reverse();
            format!("\"{}\"", hex(&bytes))
        });
        all.push(format!("[{}]", quoted.collect::<Vec<_>>().join(",")));
    }
    all.join(",")
}

fn parameter(inputs: usize) -> String {
    match inputs {
        0 => String::new(),
        _ => format!(",\n        uint256[{inputs}] calldata inputs"),
    }
}

/// What may be a contract's name. Words that the language keeps for itself are refused by its compiler.
fn is_identifier(name: &str) -> bool {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts && name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn g1_words(point: &Affine<G1>) -> [String; 2] {
    words::<G1, 2>(point)
}

fn g2_words(point: &Affine<G2>) -> [String; 4] {
    words::<G2, 4>(point)
}

fn words<G: CurveGroup, const N: usize>(point: &Affine<G>) -> [String; N] {
    let mut bytes = Vec::new();
    G::write_form(std::slice::from_ref(point), FORM, &mut bytes);
    let mut words = bytes.chunks(WORD).map(hex);
    // An uncompressed point has two words in G1 and four in G2, as callers ask for.
    [(); N].map(|()| words.next().unwrap_or_default())
}

/// A number of 32 bytes, big-endian, as Solidity and its tools take it.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold("0x".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}
