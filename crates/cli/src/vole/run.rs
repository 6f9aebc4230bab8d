//! `subrosa vole prove|verify`.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::Mutex,
    time::{Duration, Instant},
};

use ::vole::{
    Converter, Prover, Session, Setup, Verifier, VoleError,
    circuit::{Accepted, Assignments, Gate, Statement, Witness},
};
use claim::BundleWriter;
use clap::builder::PossibleValuesParser;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use study::election::PartySecret;
use wire::{Channel, Progress};

use super::{peer::PeerArgs, read_circuit, read_json};
use crate::{failure::Failure, output, output::Output, progress::Bars};

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
    /// How numbers are taken apart into bits. Both parties must give the same.
    #[arg(long, value_name = "NAME", default_value = Converter::default().name(),
          value_parser = PossibleValuesParser::new(Converter::NAMED.map(|(name, _)| name)))]
    converter: String,
    /// Say on standard error what is done, and how long each stage takes.
    #[arg(short, long)]
    verbose: bool,
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
    /// Where to write a bundle with the signed verdict, if the statement is true. Others can check
    /// the signature, and not the proof.
    #[arg(long, value_name = "DIR", requires = "key")]
    bundle: Option<PathBuf>,
    /// The key file that signs the verdict; `subrosa board keygen` makes one.
    #[arg(long, value_name = "FILE", requires = "bundle")]
    key: Option<PathBuf>,
}

impl StatementArgs {
    fn public(&self) -> Result<Assignments, Failure> {
        self.public.as_ref().map_or_else(|| Ok(Assignments::new()), |path| read_json(path))
    }

    fn setup(&self) -> Setup {
        let mut named = Converter::NAMED.into_iter();
        let found = named.find(|(name, _)| *name == self.converter);
        found.map_or_else(Setup::default, |(_, converter)| converter.into())
    }

    fn wrong(&self, error: impl std::fmt::Display) -> Failure {
        Failure::file(self.public.as_ref().unwrap_or(&self.circuit), error)
    }

    /// Where progress goes: lines if they are asked for, bars on a terminal.
    fn stages(&self) -> Box<dyn Progress> {
        match self.verbose {
            true => Box::new(Stages::default()),
            false => Box::new(Bars::new()),
        }
    }
}

/// Says on standard error which stage has ended, and how long it took.
#[derive(Default)]
struct Stages {
    current: Mutex<Option<(String, Instant)>>,
}

impl Stages {
    fn replace(&self, next: Option<(String, Instant)>) {
        let Ok(mut current) = self.current.lock() else { return };
        if let Some((stage, start)) = std::mem::replace(&mut *current, next) {
            say(&stage, start.elapsed());
        }
    }
}

impl Progress for Stages {
    fn begin(&self, stage: &str, total: u64) {
        let stage = format!("{stage}: {}", output::count(total));
        self.replace(Some((stage, Instant::now())));
    }

    fn advance(&self, _: u64) {}

    fn finish(&self) {
        self.replace(None);
    }
}

fn say(what: &str, took: Duration) {
    anstream::eprintln!("{what} ({:.1} ms)", took.as_secs_f64() * 1e3);
}

/// Runs a party that has met the other: all outputs.
fn session<S: Session>(
    args: &StatementArgs,
    statement: &Statement<'_>,
    witness: Option<&Witness>,
    start: Instant,
    meet: impl FnOnce() -> Result<S, VoleError>,
) -> Result<BTreeMap<String, Vec<i64>>, Failure> {
    let mut session = meet().map_err(failure)?;
    if args.verbose {
        let setup = args.setup();
        let what = format!("keys: {}, {}", setup.correlations.id(), setup.converter.name());
        say(&what, start.elapsed());
    }
    let stages = args.stages();
    let outputs = statement.run_with(&mut session, witness, &*stages);
    // What is drawn on the terminal makes room for what follows.
    stages.finish();
    outputs.map_err(failure)
}

/// Proves.
pub fn prove(args: &ProveArgs, output: &Output) -> Result<(), Failure> {
    let (_, circuit) = read_circuit(&args.statement.circuit)?;
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
    let (setup, rng) = (args.statement.setup(), &mut UnwrapErr(SysRng));
    let outputs = session(&args.statement, &statement, Some(&witness), Instant::now(), || {
        Prover::connect(&mut channel, setup, &statement.context(), rng)
    })?;
    report("prover", &statement, setup, &outputs, &channel, output);
    Ok(())
}

/// Verifies.
pub fn verify(args: &VerifyArgs, output: &Output) -> Result<(), Failure> {
    let (circuit_file, circuit) = read_circuit(&args.statement.circuit)?;
    let public = args.statement.public()?;
    let statement =
        Statement::new(&circuit, &public).map_err(|error| args.statement.wrong(error))?;
    let signing = match (&args.bundle, &args.key) {
        (Some(bundle), Some(key)) => {
            let secret = PartySecret::load(key).map_err(|error| Failure::file(key, error))?;
            // Now rather than when the prover has gone.
            let writer = BundleWriter::create(bundle).map_err(Failure::input)?;
            Some((writer, secret.identity()))
        }
        _ => None,
    };
    let mut channel = args.peer.meet(output)?;
    let (setup, rng) = (args.statement.setup(), &mut UnwrapErr(SysRng));
    let outputs = session(&args.statement, &statement, None, Instant::now(), || {
        Verifier::connect(&mut channel, setup, &statement.context(), rng)
    })?;
    if let Some((mut writer, identity)) = signing {
        let accepted = Accepted { statement: &statement, outputs: &outputs, setup };
        accepted
            .add_to(&mut writer, &circuit_file, &public, &identity)
            .and_then(|()| writer.finish())
            .map_err(Failure::input)?;
    }
    report("verifier", &statement, setup, &outputs, &channel, output);
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
        VoleError::Cheating { .. } | VoleError::Refused | VoleError::False { .. } => {
            Failure::refused(error)
        }
        VoleError::Mismatch { .. } => Failure::input(error).hint(
            "both parties must give the same circuit and the same public values, and the same \
                   converter",
        ),
        other => Failure::input(other),
    }
}

fn report(
    role: &str,
    statement: &Statement<'_>,
    setup: Setup,
    outputs: &BTreeMap<String, Vec<i64>>,
    channel: &Channel,
    output: &Output,
) {
    let outputs = statement.circuit().named(outputs);
    let size = statement.circuit().size();
    let soundness = statement.soundness(setup);
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
