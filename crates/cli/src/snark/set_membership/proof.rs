//! Commitments and proofs.

use std::path::PathBuf;

use ::snark::set_membership::{
    AbsenceWitness, Accumulator, Curve, Error, MembershipWitness, Opening, Parameters, Relation,
    SetFile as _, SetKey, SetProof, SetVerifier,
    claims::{Files, condition, digest, write_bundle},
};
use claim::PublishError;
use serde_json::json;

use super::store;
use crate::{failure::Failure, output::Output, snark::native::randomness};

/// Options of `commit`.
#[derive(clap::Args)]
pub struct CommitArgs {
    /// The value: a JSON array with one decimal number in a string.
    #[arg(value_name = "FILE")]
    value: PathBuf,
    /// The commitment to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// The secret opening to create.
    #[arg(long, value_name = "FILE")]
    opening: PathBuf,
}

/// Runs `commit`.
pub fn run_commit(args: &CommitArgs, output: &Output) -> Result<(), Failure> {
    let parameters = Parameters::rsa_2048();
    let opening = Opening::random(store::value(&args.value)?, &mut randomness());
    store::write_secret(&args.opening, &parameters, &opening)?;
    store::write(&args.out, &parameters, &opening.commitment(&parameters))?;
    let object = json!({ "out": args.out, "opening": args.opening });
    output.result(&object, || {
        vec![
            format!("commitment: {}", args.out.display()),
            format!("opening, to be kept secret: {}", args.opening.display()),
        ]
    });
    Ok(())
}

/// Options of `prove`.
#[derive(clap::Args)]
pub struct ProveArgs {
    /// The circuit's key, a `.zkey` file, which `subrosa ceremony phase2 verify` checks.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The accumulator.
    #[arg(long, value_name = "FILE")]
    accumulator: PathBuf,
    /// The opening of the commitment.
    #[arg(long, value_name = "FILE")]
    opening: PathBuf,
    /// The witness that `witness` wrote or, with `--absent`, that `non-member` wrote.
    #[arg(long, value_name = "FILE")]
    witness: PathBuf,
    /// Prove that the value is not in the set.
    #[arg(long)]
    absent: bool,
    /// The proof to create.
    #[arg(long, value_name = "FILE")]
    proof: PathBuf,
}

/// Runs `prove`.
pub fn run_prove(args: &ProveArgs, output: &Output) -> Result<(), Failure> {
    let (parameters, rng) = (Parameters::rsa_2048(), &mut randomness());
    let accumulator: Accumulator = store::read(&args.accumulator, &parameters)?;
    let opening: Opening = store::read(&args.opening, &parameters)?;
    let prover = store::prover(&args.key, accumulator.kind(), &parameters)?;
    let proof = match args.absent {
        false => {
            let witness: MembershipWitness = store::read(&args.witness, &parameters)?;
            prover.prove_membership(&accumulator, &opening, &witness, rng)
        }
        true => {
            let witness: AbsenceWitness = store::read(&args.witness, &parameters)?;
            prover.prove_absence(&accumulator, &opening, &witness, rng)
        }
    };
    let proof = proof.map_err(|error| match error {
        Error::Witness => Failure::refused(error)
            .hint("if the set has changed, make the accumulator and the witness again"),
        other => store::failure(&args.accumulator, other),
    })?;
    let bytes = store::write(&args.proof, &parameters, &proof)?;
    let relation = proof.relation.name();
    let object = json!({ "relation": relation, "bytes": bytes, "proof": args.proof });
    output.result(&object, || {
        vec![format!("proof of {relation}, {bytes} bytes: {}", args.proof.display())]
    });
    Ok(())
}

/// The files of a proof and of what it says.
#[derive(clap::Args)]
pub struct ClaimArgs {
    /// The verification key. Get it from somebody whose ceremony you trust, not from the prover.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The accumulator. If the set is public, make it yourself.
    #[arg(long, value_name = "FILE")]
    accumulator: PathBuf,
    /// The commitment.
    #[arg(long, value_name = "FILE")]
    commitment: PathBuf,
    /// The proof.
    #[arg(value_name = "FILE")]
    proof: PathBuf,
}

/// Options of `verify`.
#[derive(clap::Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    claim: ClaimArgs,
    /// Check that the value is not in the set.
    #[arg(long)]
    absent: bool,
}

/// Runs `verify`.
pub fn run_verify(args: &VerifyArgs, output: &Output) -> Result<(), Failure> {
    let parameters = Parameters::rsa_2048();
    let key: SetKey = store::read(&args.claim.key, &parameters)?;
    let (name, kind) = (digest(&key.to_file(&parameters)).to_string(), key.kind.name());
    let accumulator: Accumulator = store::read(&args.claim.accumulator, &parameters)?;
    let commitment: Curve = store::read(&args.claim.commitment, &parameters)?;
    let proof: SetProof = store::read(&args.claim.proof, &parameters)?;
    let relation = if args.absent { Relation::Absent } else { Relation::Member };
    let verifier = SetVerifier::new(parameters, key);
    let verifier = verifier.map_err(|error| store::failure(&args.claim.key, error))?;
    verifier.verify(relation, &accumulator, &commitment, &proof).map_err(Failure::refused)?;
    let object = json!({ "verified": true, "relation": relation.name(), "key": name });
    output.result(&object, || {
        let verb = if args.absent { "is not" } else { "is" };
        vec![condition(&name, kind), format!("The committed value {verb} in the accumulator.")]
    });
    Ok(())
}

/// Options of `publish`.
#[derive(clap::Args)]
pub struct PublishArgs {
    #[command(flatten)]
    claim: ClaimArgs,
    /// The set, if it is public: verifiers then compute the accumulator themselves.
    #[arg(long, value_name = "FILE")]
    set: Option<PathBuf>,
    /// The directory of the bundle.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs `publish`.
pub fn run_publish(args: &PublishArgs, output: &Output) -> Result<(), Failure> {
    let read = |path: &PathBuf| store::bytes(path).map(|bytes| bytes.to_vec());
    let files = Files {
        key: read(&args.claim.key)?,
        accumulator: read(&args.claim.accumulator)?,
        commitment: read(&args.claim.commitment)?,
        proof: read(&args.claim.proof)?,
        set: args.set.as_deref().map(store::published_set).transpose()?,
    };
    let bundle = write_bundle(&args.out, &files).map_err(|error| match error {
        PublishError::Refused(error) => Failure::refused(error),
        other => Failure::input(other),
    })?;
    let digest = bundle.digest().map_err(Failure::input)?.to_string();
    let object = json!({ "bundle": digest, "out": args.out });
    output.result(&object, || vec![format!("bundle {digest}: {}", args.out.display())]);
    Ok(())
}
