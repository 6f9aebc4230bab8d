//! `subrosa vole prove|verify`.

use std::{collections::BTreeMap, path::PathBuf};

use ::vole::{
    Prover, Setup, Verifier, VoleError,
    circuit::{Assignments, Circuit, Gate, Statement, Value, Wires, Witness},
};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::{Value as Json, json};
use wire::Channel;

use super::{peer::PeerArgs, read_circuit, read_json};
use crate::{failure::Failure, output, output::Output};

/// Degrees of the claims that circuits make, over F_2 and over F_p.
const DEGREES: [usize; 2] = [2, 2];

/// What both parties must give alike.
#[derive(clap::Args)]
struct StatementArgs {
    /// The circuit: Bristol Fashion, or the text format of docs/formats/vole-circuit.md.
    #[arg(value_name = "CIRCUIT")]
    circuit: PathBuf,
    /// Values that both parties know, as a JSON object: of inputs, which are then not private, and
    /// of outputs, which are then claimed. Both parties must give the same.
    #[arg(long, value_name = "JSON")]
    public: Option<PathBuf>,
}

/// Options of `prove`.
#[derive(clap::Args)]
pub struct ProveArgs {
    #[command(flatten)]
    statement: StatementArgs,
    /// The private inputs, as a JSON object. They do not leave this machine.
    #[arg(long, value_name = "JSON")]
    witness: PathBuf,
    #[command(flatten)]
    peer: PeerArgs,
    /// Go through the proof even if the witness does not satisfy the circuit, to see it refused.
    #[arg(long)]
    even_if_false: bool,
}

/// Options of `verify`.
#[derive(clap::Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    statement: StatementArgs,
    #[command(flatten)]
    peer: PeerArgs,
}

impl StatementArgs {
    fn public(&self) -> Result<Assignments, Failure> {
        self.public.as_ref().map_or_else(|| Ok(Assignments::new()), |path| read_json(path))
    }

    fn wrong(&self, error: impl std::fmt::Display) -> Failure {
        Failure::file(self.public.as_ref().unwrap_or(&self.circuit), error)
    }
}

/// Proves.
pub fn prove(args: &ProveArgs, output: &Output) -> Result<(), Failure> {
    let circuit = read_circuit(&args.statement.circuit)?;
    let public = args.statement.public()?;
    let statement =
        Statement::new(&circuit, &public).map_err(|error| args.statement.wrong(error))?;
    let private: Assignments = read_json(&args.witness)?;
    let witness =
        statement.witness(&private).map_err(|error| Failure::file(&args.witness, error))?;
    if let Some(reason) = falsehood(&statement, &witness).filter(|_| !args.even_if_false) {
        return Err(Failure::refused(reason).hint("nothing was sent to the verifier"));
    }
    let mut channel = args.peer.meet(output)?;
    let rng = &mut UnwrapErr(SysRng);
    let outputs = Prover::connect(&mut channel, Setup::default(), &statement.context(), rng)
        .and_then(|mut prover| statement.run(&mut prover, Some(&witness)))
        .map_err(failure)?;
    report("prover", &statement, &outputs, &channel, output);
    Ok(())
}

/// Verifies.
pub fn verify(args: &VerifyArgs, output: &Output) -> Result<(), Failure> {
    let circuit = read_circuit(&args.statement.circuit)?;
    let public = args.statement.public()?;
    let statement =
        Statement::new(&circuit, &public).map_err(|error| args.statement.wrong(error))?;
    let mut channel = args.peer.meet(output)?;
    let rng = &mut UnwrapErr(SysRng);
    let outputs = Verifier::connect(&mut channel, Setup::default(), &statement.context(), rng)
        .and_then(|mut verifier| statement.run(&mut verifier, None))
        .map_err(failure)?;
    report("verifier", &statement, &outputs, &channel, output);
    Ok(())
}

/// Why the statement is false on this witness.
fn falsehood(statement: &Statement<'_>, witness: &Witness) -> Option<String> {
    let gates = statement.circuit().gates();
    let failed = witness.failure().and_then(|number| Some((number, gates.get(number)?)));
    failed
        .map(|(number, gate): (usize, &Gate)| {
            format!("the witness does not satisfy the circuit: gate {number}, `{gate}`, fails")
        })
        .or_else(|| {
            let name = statement.contradiction(witness)?;
            Some(format!("the output `{name}` is not what the public values claim"))
        })
}

/// A false claim, or anything else: then nothing is known of the claim.
fn failure(error: VoleError) -> Failure {
    match error {
        VoleError::Cheating { .. } | VoleError::Refused => Failure::refused(error),
        VoleError::Mismatch { .. } => Failure::input(error)
            .hint("both parties must give the same circuit and the same public values"),
        other => Failure::input(other),
    }
}

fn report(
    role: &str,
    statement: &Statement<'_>,
    outputs: &BTreeMap<String, Vec<i64>>,
    channel: &Channel,
    output: &Output,
) {
    let setup = Setup::default();
    let outputs = shown(statement.circuit(), outputs);
    let size = statement.circuit().size();
    let soundness = setup.soundness(DEGREES) - (statement.checks() as f64).log2();
    let object = json!({
        "role": role,
        "accepted": true,
        "publicly_verifiable": false,
        "outputs": outputs,
        "gates": size.gates,
        "ands": size.ands,
        "products": size.products,
        "decompositions": size.decompositions,
        "parameters": setup.correlations.id(),
        "converter": setup.converter.name(),
        "soundness_bits": soundness,
        "bytes_sent": channel.bytes_sent(),
        "bytes_received": channel.bytes_received(),
        "round_trips": channel.turns(),
    });
    output.result(&object, || {
        let mut lines = vec![format!("{role}: accepted, by this verifier only")];
        lines.extend(outputs.iter().map(|(name, value)| format!("{name} = {}", json!(value))));
        lines.push(format!(
            "{} gates; {} sent, {} received; a false claim passes with probability 2^-{soundness:.1}",
            output::count(size.gates as u64),
            output::bytes(channel.bytes_sent()),
            output::bytes(channel.bytes_received()),
        ));
        lines
    });
}

/// Outputs as their files would have them.
fn shown(circuit: &Circuit, outputs: &BTreeMap<String, Vec<i64>>) -> BTreeMap<String, Json> {
    let value = |output: &::vole::circuit::Output| {
        let values = outputs.get(&output.name).cloned().unwrap_or_default();
        let value = match (&output.wires, values.as_slice()) {
            (Wires::Bits(_), bits) => Value::of_bits(bits),
            (Wires::Ints(_), [value]) => Value::Int(*value),
            (Wires::Ints(_), _) => Value::List(values),
        };
        (output.name.clone(), json!(value))
    };
    circuit.outputs().iter().map(value).collect()
}
