//! `subrosa snark export` and `subrosa snark import`.

use std::path::{Path, PathBuf};

use ::snark::groth16::{PreparedVerifyingKey, Proof, VerifyingKey, encoding::Encoding};
use algebra::{Bls12381, Bn254, Engine};
use circuit::Curve;
use clap::{
    ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser as _},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::files::{key_failure, read_text, write_bytes};
use crate::{CurveName, failure::Failure, output::Output};

/// More bytes than a key or proof has.
const MAX_LEN: u64 = 1 << 28;

/// What a file is.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// A proof: A, B, C.
    Proof,
    /// A verification key: alpha, beta, gamma, delta, and the list IC.
    Key,
}

/// Options of `export`.
#[derive(clap::Args)]
pub struct ExportArgs {
    /// The `proof.json` or `verification_key.json`.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The library whose encoding of points to use.
    #[arg(long, value_parser = encodings())]
    encoding: Encoding,
    /// The file to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Options of `import`.
#[derive(clap::Args)]
pub struct ImportArgs {
    /// The points in the other library's encoding.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The library whose encoding of points the file has.
    #[arg(long, value_parser = encodings())]
    encoding: Encoding,
    /// What the file is.
    #[arg(long, value_enum)]
    kind: Kind,
    /// The curve, if the encoding does not show it [default: BN254].
    #[arg(long, value_enum)]
    curve: Option<CurveName>,
    /// The `proof.json` or `verification_key.json` to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

fn encodings() -> impl clap::builder::TypedValueParser<Value = Encoding> {
    PossibleValuesParser::new(Encoding::ALL.map(Encoding::name)).map(|name| {
        let named = Encoding::ALL.into_iter().find(|encoding| encoding.name() == name);
        // No other name comes through the parser.
        named.unwrap_or(Encoding::Arkworks)
    })
}

/// What tells a proof from a key, and the curve, which some provers leave out.
#[derive(Deserialize)]
struct Head {
    curve: Option<String>,
    pi_a: Option<Value>,
}

/// Writes a file in another encoding.
pub fn run_export(args: &ExportArgs, output: &Output) -> Result<(), Failure> {
    let text = read_text(&args.file)?;
    let head: Head =
        serde_json::from_str(&text).map_err(|error| Failure::file(&args.file, error))?;
    let curve = match &head.curve {
        None => implied(args.encoding),
        Some(name) => Curve::ALL.into_iter().find(|curve| curve.snarkjs_name() == *name),
    };
    let kind = if head.pi_a.is_some() { Kind::Proof } else { Kind::Key };
    let encoded = match curve {
        Some(Curve::Bn254) => encode::<Bn254>(args, kind, &text)?,
        Some(Curve::Bls12381) => encode::<Bls12381>(args, kind, &text)?,
        None => return Err(Failure::file(&args.file, "the file is over an unknown curve")),
    };
    write_bytes(&args.out, &encoded)?;
    report(kind, args.encoding, encoded.len(), &args.out, output);
    Ok(())
}

fn encode<E: Engine>(args: &ExportArgs, kind: Kind, text: &str) -> Result<Vec<u8>, Failure> {
    let bad = |error: circuit::Error| Failure::file(&args.file, error);
    let encoded = match kind {
        Kind::Proof => args.encoding.encode_proof(&Proof::<E>::from_json(text).map_err(bad)?),
        Kind::Key => {
            let key = VerifyingKey::<E>::from_json(text).map_err(bad)?;
            PreparedVerifyingKey::new(&key).map_err(|e| key_failure(&args.file, e))?;
            args.encoding.encode_key(&key)
        }
    };
    encoded.map_err(|error| Failure::file(&args.file, error))
}

/// Reads a file in another encoding and writes the one of snarkjs.
pub fn run_import(args: &ImportArgs, output: &Output) -> Result<(), Failure> {
    let bytes =
        wire::read_bounded(&args.file, MAX_LEN).map_err(|e| Failure::file(&args.file, e))?;
    let curve = args.curve.map(CurveName::curve).or(implied(args.encoding));
    let text = match curve.unwrap_or(Curve::Bn254) {
        Curve::Bn254 => decode::<Bn254>(args, &bytes)?,
        Curve::Bls12381 => decode::<Bls12381>(args, &bytes)?,
    };
    write_bytes(&args.out, text.as_bytes())?;
    report(args.kind, args.encoding, bytes.len(), &args.out, output);
    Ok(())
}

fn decode<E: Engine>(args: &ImportArgs, bytes: &[u8]) -> Result<String, Failure> {
    let text = match args.kind {
        Kind::Proof => {
            let proof = args.encoding.decode_proof::<E>(bytes);
            proof.map_err(|error| Failure::file(&args.file, error))?.to_json()
        }
        Kind::Key => {
            let key = args.encoding.decode_key::<E>(bytes);
            let key = key.map_err(|error| Failure::file(&args.file, error))?;
            PreparedVerifyingKey::new(&key).map_err(|e| key_failure(&args.file, e))?;
            key.to_json()
        }
    };
    text.map_err(Failure::input)
}

/// The curve of an encoding that has one only.
fn implied(encoding: Encoding) -> Option<Curve> {
    match encoding {
        Encoding::Eip197 => Some(Curve::Bn254),
        Encoding::Eip2537 => Some(Curve::Bls12381),
        _ => None,
    }
}

fn report(kind: Kind, encoding: Encoding, bytes: usize, out: &Path, output: &Output) {
    let kind = match kind {
        Kind::Proof => "proof",
        Kind::Key => "key",
    };
    let encoding = encoding.name();
    let object = json!({ "kind": kind, "encoding": encoding, "bytes": bytes, "out": out });
    output.result(&object, || {
        vec![format!("{kind}, {bytes} bytes of {encoding}: {}", out.display())]
    });
}
