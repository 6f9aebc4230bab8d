//! What the proof systems report alike.

use std::{io::Cursor, path::Path};

use ::circuit::{json::public_to_json, synthesis::ConstraintSystem};
use ::snark::claims::Files;
use algebra::{Engine, ScalarOf};
use serde::Serialize;
use serde_json::json;
use wire::Digest;

use super::{
    files::{write_bytes, write_text},
    publish::ContentArgs,
};
use crate::{
    failure::Failure,
    output::{self, Output},
};

/// Where a prover's results go.
pub struct Results<'a> {
    pub proof: Option<&'a Path>,
    pub public: Option<&'a Path>,
    pub bundle: Option<&'a Path>,
    pub content: &'a ContentArgs,
    /// The `.zkey` file that the proof was made with.
    pub key: Option<&'a Path>,
}

/// What a prover made.
pub struct Made<'a, E: Engine> {
    /// The proof's file.
    pub proof: Vec<u8>,
    /// The public inputs.
    pub inputs: &'a [ScalarOf<E>],
    /// The verification key's file.
    pub key: Vec<u8>,
    /// With Sonic, the circuit.
    pub circuit: Option<&'a ConstraintSystem<ScalarOf<E>>>,
}

impl Results<'_> {
    /// Writes proof, public inputs and bundle, whichever are asked for, and says so.
    pub fn write<E: Engine>(&self, made: Made<'_, E>, output: &Output) -> Result<(), Failure> {
        let (count, public) =
            (made.inputs.len(), public_to_json(made.inputs).map_err(Failure::input)?);
        if let Some(path) = self.proof {
            write_bytes(path, &made.proof)?;
        }
        if let Some(path) = self.public {
            write_text(path, &public)?;
        }
        let bundle = self.bundle.map(|root| self.publish(root, made, &public)).transpose()?;
        let object = json!({
            "curve": E::SNARKJS_NAME,
            "public": count,
            "proof": self.proof,
            "public_file": self.public,
            "bundle": bundle,
        });
        output.result(&object, || {
            let proof = self.proof.map(|path| format!("proof: {}", path.display()));
            let public =
                self.public.map(|path| format!("public inputs, {count}: {}", path.display()));
            let bundle = bundle.zip(self.bundle);
            let bundle =
                bundle.map(|(digest, root)| format!("bundle {digest}: {}", root.display()));
            proof.into_iter().chain(public).chain(bundle).collect()
        });
        Ok(())
    }

    fn publish<E: Engine>(
        &self,
        root: &Path,
        made: Made<'_, E>,
        public: &str,
    ) -> Result<String, Failure> {
        let circuit = made.circuit.map(|system| system.write::<E, _>(Cursor::new(Vec::new())));
        let circuit = circuit.transpose().map_err(Failure::input)?;
        let files = Files {
            key: made.key,
            proofs: vec![made.proof],
            public: vec![serde_json::from_str(public).map_err(Failure::input)?],
            names: self.content.names(),
            circuit: circuit.map(Cursor::into_inner),
        };
        self.content.write(root, &files, self.key)
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
            let gates = output::counted(self.gates as u64, "gate", "gates");
            vec![
                format!("{gates}, circuit {}", self.circuit),
                format!("reference string of degree {}, {}", self.degree, named.srs),
                format!("verification key {}: {}", named.key, verification_key.display()),
            ]
        });
    }
}
