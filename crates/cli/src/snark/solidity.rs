//! `subrosa snark solidity` and `subrosa snark calldata`.

use std::path::PathBuf;

use ::snark::groth16::{Proof, VerifyingKey, evm};
use algebra::Bn254;
use circuit::json::public_from_json;
use serde_json::json;

use super::files::{key_failure, read_text, write_text};
use crate::{
    failure::Failure,
    output::{self, Output},
};

/// Options of `solidity`.
#[derive(clap::Args)]
pub struct Args {
    /// The verification key, over BN254. Get it from somebody whose ceremony you trust.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The contract's name.
    #[arg(long, default_value = "Verifier")]
    name: String,
    /// The source file to create [default: print to standard output].
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Options of `calldata`.
#[derive(clap::Args)]
pub struct CalldataArgs {
    /// The proof, over BN254.
    #[arg(value_name = "FILE")]
    proof: PathBuf,
    /// The `public.json`.
    #[arg(long, value_name = "FILE")]
    public: PathBuf,
    /// Print the arguments of `verifyProof`, as snarkjs does, instead of the bytes of the call.
    #[arg(long)]
    arguments: bool,
}

/// Writes the contract.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let key = VerifyingKey::<Bn254>::from_json(&read_text(&args.key)?)
        .map_err(|error| Failure::file(&args.key, error).hint(OTHER_CURVES))?;
    let source = evm::solidity(&key, &args.name).map_err(|e| key_failure(&args.key, e))?;
    let public = key.ic.len().saturating_sub(1);
    let mut object = json!({ "contract": args.name, "public": public, "out": args.out });
    match &args.out {
        Some(path) => {
            write_text(path, &source)?;
            output.result(&object, || {
                let inputs = output::counted(public as u64, "public input", "public inputs");
                vec![format!("contract {}, {inputs}: {}", args.name, path.display())]
            });
        }
        None => {
            if let Some(fields) = object.as_object_mut() {
                fields.insert("source".to_owned(), json!(source));
            }
            output.result(&object, || vec![source.trim_end().to_owned()]);
        }
    }
    Ok(())
}

/// Prints what the contract is called with.
pub fn run_calldata(args: &CalldataArgs, output: &Output) -> Result<(), Failure> {
    let proof = Proof::<Bn254>::from_json(&read_text(&args.proof)?)
        .map_err(|error| Failure::file(&args.proof, error).hint(OTHER_CURVES))?;
    let public = public_from_json(&read_text(&args.public)?)
        .map_err(|error| Failure::file(&args.public, error))?;
    let bytes = data_encoding::HEXLOWER.encode(&evm::calldata(&proof, &public));
    let (calldata, arguments) = (format!("0x{bytes}"), evm::arguments(&proof, &public));
    let object = json!({ "calldata": calldata, "arguments": arguments });
    output.result(&object, || vec![if args.arguments { arguments } else { calldata }]);
    Ok(())
}

const OTHER_CURVES: &str = "contracts verify proofs over BN254 only";
