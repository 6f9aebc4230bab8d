//! Sonic's helper: `advise`, `aggregate`, `verify-helped`.

use std::path::PathBuf;

use ::circuit::Curve;
use ::snark::sonic::{
    Advice, Aggregate, Error, MAX_PROOFS, Mode, Proof, Statement, advise, aggregate, verify_helped,
};
use algebra::{Bls12381, Bn254, Engine, ScalarOf};
use serde_json::json;

use super::{
    circuit::CircuitArgs,
    native::{curve_of, gate_system, public_inputs, randomness, read, sonic_key, sonic_srs, write},
};
use crate::{
    failure::Failure,
    output::{self, Output},
};

/// Options of `advise`.
#[derive(clap::Args)]
pub struct AdviseArgs {
    #[command(flatten)]
    circuit: CircuitArgs,
    /// The reference string.
    #[arg(long, value_name = "FILE")]
    srs: PathBuf,
    /// The `public.json`.
    #[arg(long, value_name = "FILE")]
    public: PathBuf,
    /// The proof.
    #[arg(long, value_name = "FILE")]
    proof: PathBuf,
    /// The advice to create.
    #[arg(short = 'o', long = "out", alias = "advice", value_name = "FILE")]
    advice: PathBuf,
}

/// The proofs, and the advice on each.
#[derive(clap::Args)]
pub struct AdvisedArgs {
    #[command(flatten)]
    circuit: CircuitArgs,
    /// The `public.json` of every proof.
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    public: Vec<PathBuf>,
    /// The proofs, in the same order.
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    proof: Vec<PathBuf>,
    /// The advice on every proof, in the same order.
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    advice: Vec<PathBuf>,
}

/// Options of `aggregate`.
#[derive(clap::Args)]
pub struct AggregateArgs {
    #[command(flatten)]
    advised: AdvisedArgs,
    /// The reference string.
    #[arg(long, value_name = "FILE")]
    srs: PathBuf,
    /// The aggregate to create.
    #[arg(short = 'o', long = "out", alias = "aggregate", value_name = "FILE")]
    aggregate: PathBuf,
}

/// Options of `verify-helped`.
#[derive(clap::Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    advised: AdvisedArgs,
    /// The verification key. Make it yourself, or get it from somebody you trust, not from the
    /// provers or the helper.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Make the verification key again from this reference string and the circuit, and compare the two.
    #[arg(long, value_name = "FILE")]
    srs: Option<PathBuf>,
    /// The aggregate.
    #[arg(long, value_name = "FILE")]
    aggregate: PathBuf,
}

/// Runs `advise`.
pub fn run_advise(args: &AdviseArgs, output: &Output) -> Result<(), Failure> {
    match curve_of(&args.srs)? {
        Curve::Bn254 => advise_on::<Bn254>(args, output),
        Curve::Bls12381 => advise_on::<Bls12381>(args, output),
    }
}

/// Runs `aggregate`.
pub fn run_aggregate(args: &AggregateArgs, output: &Output) -> Result<(), Failure> {
    match curve_of(&args.srs)? {
        Curve::Bn254 => aggregate_all::<Bn254>(args, output),
        Curve::Bls12381 => aggregate_all::<Bls12381>(args, output),
    }
}

/// Runs `verify-helped`.
pub fn run_verify(args: &VerifyArgs, output: &Output) -> Result<(), Failure> {
    match curve_of(&args.key)? {
        Curve::Bn254 => verify_all::<Bn254>(args, output),
        Curve::Bls12381 => verify_all::<Bls12381>(args, output),
    }
}

fn advise_on<E: Engine>(args: &AdviseArgs, output: &Output) -> Result<(), Failure> {
    let gates = gate_system::<E>(&args.circuit.system::<E>()?)?;
    let strings = sonic_srs::<E>(&gates, &args.srs)?;
    let inputs = public_inputs::<E>(&args.public)?;
    let proof: Proof<E> = read::<E, _>(&args.proof)?;
    let statement = Statement { inputs: &inputs, proof: &proof };
    let advice = advise(&strings, &gates, statement).map_err(Failure::input)?;
    let bytes = write::<E, _>(&args.advice, &advice)?;
    let object = json!({ "curve": E::SNARKJS_NAME, "bytes": bytes, "advice": args.advice });
    output.result(&object, || vec![format!("advice: {}", args.advice.display())]);
    Ok(())
}

/// What the files of some proofs hold.
struct Advised<E: Engine> {
    inputs: Vec<Vec<ScalarOf<E>>>,
    proofs: Vec<Proof<E>>,
    advice: Vec<Advice<E>>,
}

impl<E: Engine> Advised<E> {
    fn read(args: &AdvisedArgs) -> Result<Self, Failure> {
        let AdvisedArgs { public, proof, advice, .. } = args;
        if public.len() != proof.len() || advice.len() != proof.len() {
            let (public, proof, advice) = (public.len(), proof.len(), advice.len());
            let message = format!("proofs: {proof}, public inputs: {public}, advice: {advice}");
            return Err(Failure::input(message)
                .hint("give one file of each kind for every proof, in the same order"));
        }
        if proof.len() > MAX_PROOFS {
            return Err(Failure::input(format!("more than {MAX_PROOFS} proofs")));
        }
        Ok(Self {
            inputs: public.iter().map(|path| public_inputs::<E>(path)).collect::<Result<_, _>>()?,
            proofs: proof.iter().map(|path| read::<E, _>(path)).collect::<Result<_, _>>()?,
            advice: advice.iter().map(|path| read::<E, _>(path)).collect::<Result<_, _>>()?,
        })
    }

    fn statements(&self) -> Vec<Statement<'_, E>> {
        let proofs = self.inputs.iter().zip(&self.proofs);
        proofs.map(|(inputs, proof)| Statement { inputs, proof }).collect()
    }
}

fn aggregate_all<E: Engine>(args: &AggregateArgs, output: &Output) -> Result<(), Failure> {
    let gates = gate_system::<E>(&args.advised.circuit.system::<E>()?)?;
    let advised = Advised::<E>::read(&args.advised)?;
    let strings = sonic_srs::<E>(&gates, &args.srs)?;
    let (statements, path) = (advised.statements(), &args.aggregate);
    let made = aggregate(&strings, &gates, &statements, &advised.advice, Mode::Batched);
    let bytes = write::<E, _>(path, &made.map_err(Failure::input)?)?;
    let proofs = statements.len();
    let object =
        json!({ "curve": E::SNARKJS_NAME, "proofs": proofs, "bytes": bytes, "aggregate": path });
    output.result(&object, || {
        let proofs = output::counted(proofs as u64, "proof", "proofs");
        vec![format!("aggregate of {proofs}, {}: {}", output::bytes(bytes as u64), path.display())]
    });
    Ok(())
}

fn verify_all<E: Engine>(args: &VerifyArgs, output: &Output) -> Result<(), Failure> {
    let gates = gate_system::<E>(&args.advised.circuit.system::<E>()?)?;
    let key = sonic_key::<E>(&args.key, &gates, args.srs.as_deref())?;
    let advised = Advised::<E>::read(&args.advised)?;
    let aggregate: Aggregate<E> = read::<E, _>(&args.aggregate)?;
    let statements = advised.statements();
    verify_helped(&key, &gates, &statements, &advised.advice, &aggregate, &mut randomness())
        .map_err(|error| match error {
            Error::Length { .. } => Failure::file(&args.aggregate, error)
                .hint("an aggregate is valid only for exactly the proofs that it was made of"),
            Error::Inputs { .. } => Failure::input(error),
            other => {
                Failure::refused(other).hint("proofs are counted from 0, in the order of the files")
            }
        })?;
    let proofs = statements.len();
    let object = json!({ "verified": true, "curve": E::SNARKJS_NAME, "proofs": proofs });
    output.result(&object, || {
        vec![match proofs {
            1 => "The proof is right.".to_owned(),
            _ => format!("All {} proofs are right.", output::count(proofs as u64)),
        }]
    });
    Ok(())
}
