//! What the proof systems report alike.

use std::path::Path;

use algebra::Engine;
use serde::Serialize;
use serde_json::json;
use wire::Digest;

use crate::output::{self, Output};

/// Where a prover's results go.
pub struct Results<'a> {
    pub proof: &'a Path,
    pub public: &'a Path,
}

impl Results<'_> {
    /// Says that both are written.
    pub fn report<E: Engine>(&self, inputs: usize, output: &Output) {
        let object = json!({
            "curve": E::SNARKJS_NAME,
            "public": inputs,
            "proof": self.proof,
            "public_file": self.public,
        });
        output.result(&object, || {
            vec![
                format!("proof: {}", self.proof.display()),
                format!("public inputs, {inputs}: {}", self.public.display()),
            ]
        });
    }
}

/// Says that a proof is right, under a key by its digest if it has one.
pub fn verified<E: Engine>(inputs: usize, key: Option<Digest>, output: &Output) {
    let mut object = json!({ "verified": true, "curve": E::SNARKJS_NAME, "public": inputs });
    if let (Some(key), Some(object)) = (key, object.as_object_mut()) {
        object.insert("key".to_owned(), json!(key.to_string()));
    }
    output.result(&object, || {
        let key = key.map(|key| format!("Under the key {key}:"));
        let right = format!("The proof is right, for these {inputs} public inputs.");
        key.into_iter().chain([right]).collect()
    });
}

/// A circuit as either form of Sonic proves it.
#[derive(Serialize)]
pub struct SonicCircuit {
    /// The curve, by its name in snarkjs.
    pub curve: &'static str,
    /// Multiplications.
    pub gates: usize,
    /// Variables in no multiplication, if the form has such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loose: Option<usize>,
    /// Linear constraints.
    pub linear_constraints: usize,
    /// Public inputs.
    pub public: usize,
    /// Of the reference string: the least, or that of the one at hand.
    pub degree: u64,
    /// The circuit's digest.
    pub circuit: String,
}

impl SonicCircuit {
    /// Shows the size, and the reference string that the circuit takes.
    pub fn show(&self, output: &Output) {
        output.result(self, || {
            let row = |what: &str, value: &str| format!("{what:<20}{value}");
            let count = |what: &str, count: usize| row(what, &output::count(count as u64));
            let mut lines = vec![row("curve", self.curve), count("gates", self.gates)];
            lines.extend(self.loose.map(|loose| count("loose variables", loose)));
            lines.extend([
                count("linear constraints", self.linear_constraints),
                count("public", self.public),
                row("least degree", &output::count(self.degree)),
                row("circuit", &self.circuit),
            ]);
            lines
        });
    }

    /// Says that the verification key under a reference string is written, and by which digests
    /// everybody knows them.
    pub fn show_key(&self, srs: Digest, key: Digest, verification_key: &Path, output: &Output) {
        #[derive(Serialize)]
        struct Key<'a> {
            #[serde(flatten)]
            circuit: &'a SonicCircuit,
            srs: String,
            key: String,
            verification_key: &'a Path,
        }
        let (circuit, srs, key) = (self, srs.to_string(), key.to_string());
        let named = Key { circuit, srs, key, verification_key };
        output.result(&named, || {
            vec![
                format!("{} gates, circuit {}", self.gates, self.circuit),
                format!("reference string of degree {}, {}", self.degree, named.srs),
                format!("verification key {}: {}", named.key, verification_key.display()),
            ]
        });
    }
}
