//! Accumulators and witnesses.

use std::path::{Path, PathBuf};

use ::snark::set_membership::{Opening, Parameters};
use serde_json::json;

use super::{kind::KindName, store};
use crate::{
    failure::Failure,
    output::{self, Output},
};

/// The set that a command works on.
#[derive(clap::Args)]
pub struct SetArgs {
    /// What the elements are.
    #[arg(long, value_enum, default_value = "hashed")]
    elements: KindName,
    /// The set: a JSON array of decimal numbers in strings.
    #[arg(value_name = "FILE")]
    set: PathBuf,
}

/// Options of `accumulate`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    set: SetArgs,
    /// The accumulator to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs `accumulate`.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let parameters = Parameters::rsa_2048();
    let (_, set) = store::set(&args.set.set, args.set.elements.kind())?;
    store::write(&args.out, &parameters, &set.accumulate(&parameters))?;
    let object = json!({ "count": set.len(), "elements": args.set.elements, "out": args.out });
    output.result(&object, || {
        let elements = output::counted(set.len() as u64, "element", "elements");
        vec![format!("accumulator of {elements}: {}", args.out.display())]
    });
    Ok(())
}

/// Options of `witness`.
#[derive(clap::Args)]
pub struct WitnessArgs {
    #[command(flatten)]
    set: SetArgs,
    /// The opening of the commitment to the value.
    #[arg(long, value_name = "FILE", required_unless_present = "all", conflicts_with = "all")]
    opening: Option<PathBuf>,
    /// Make the witnesses of all elements, in files `0`, `1` and so on in the directory `--out`.
    #[arg(long)]
    all: bool,
    /// The witness to create, or an existing directory for all of them.
    #[arg(short, long, value_name = "PATH")]
    out: PathBuf,
}

/// Runs `witness`.
pub fn run_witness(args: &WitnessArgs, output: &Output) -> Result<(), Failure> {
    let parameters = Parameters::rsa_2048();
    let (values, set) = store::set(&args.set.set, args.set.elements.kind())?;
    let count = match &args.opening {
        Some(path) => {
            let opening: Opening = store::read(path, &parameters)?;
            let index = values.iter().position(|value| *value == opening.value);
            let witness = index.and_then(|index| set.witness(&parameters, index));
            let witness = witness.ok_or_else(|| {
                Failure::refused(format!("{}: the value is not in the set", path.display()))
            })?;
            store::write(&args.out, &parameters, &witness)?;
            1
        }
        None => {
            for (index, witness) in set.witnesses(&parameters).iter().enumerate() {
                store::write(&args.out.join(index.to_string()), &parameters, witness)?;
            }
            set.len()
        }
    };
    let object = json!({ "witnesses": count, "out": args.out });
    output.result(&object, || made(count, &args.out));
    Ok(())
}

/// Options of `non-member`.
#[derive(clap::Args)]
pub struct NonMemberArgs {
    /// The set of primes: a JSON array of decimal numbers in strings.
    #[arg(value_name = "FILE")]
    set: PathBuf,
    /// The opening of the commitment to the value, a number of 252 bits.
    #[arg(long, value_name = "FILE")]
    opening: PathBuf,
    /// The witness to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs `non-member`.
pub fn run_non_member(args: &NonMemberArgs, output: &Output) -> Result<(), Failure> {
    let parameters = Parameters::rsa_2048();
    let (_, set) = store::set(&args.set, KindName::Prime.kind())?;
    let opening: Opening = store::read(&args.opening, &parameters)?;
    let witness = set.absence(&parameters, &opening.value);
    let witness = witness
        .map_err(|error| Failure::refused(format!("{}: {error}", args.opening.display())))?;
    store::write(&args.out, &parameters, &witness)?;
    output.result(&json!({ "witnesses": 1, "out": args.out }), || made(1, &args.out));
    Ok(())
}

fn made(count: usize, out: &Path) -> Vec<String> {
    vec![format!("witnesses, {}: {}", output::count(count as u64), out.display())]
}
