//! `subrosa vole prove|verify`.

use std::{
    path::PathBuf,
    sync::Mutex,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use ::vole::{
    Converter, ParameterSet, Prover, Session, Setup, Soundness, Stock, Verifier,
    circuit::{Accepted, Assignments, Circumstances, Gate, Proven, Statement, Subject, Witness},
};
use board::AuthorId;
use claim::BundleWriter;
use clap::builder::PossibleValuesParser;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::json;
use wire::{Channel, Progress};

use super::{
    failed::failure,
    inputs::{converter_named, read_circuit, read_values},
    peer::PeerArgs,
    stock::StockFile,
};
use crate::{failure::Failure, output, output::Output, progress::Bars};

/// What both parties must give alike.
#[derive(clap::Args)]
struct StatementArgs {
    /// The circuit: Bristol Fashion, or the text format of docs/formats/vole-circuit.md.
    #[arg(value_name = "CIRCUIT")]
    circuit: PathBuf,
    /// Values that both parties know, as a JSON object: inputs, which are then not private, and outputs,
    /// which are then claimed. Both parties must give the same.
    #[arg(long, value_name = "JSON")]
    public: Option<PathBuf>,
    /// How numbers are converted to bits. Both parties must give the same.
    #[arg(long, value_name = "NAME", default_value = Converter::default().name(),
          value_parser = PossibleValuesParser::new(Converter::NAMED.map(|(name, _)| name)))]
    converter: String,
    /// How correlations are made. Both parties must give the same.
    #[arg(long, value_name = "NAME", default_value = ParameterSet::default().id(),
          value_parser = PossibleValuesParser::new(ParameterSet::ALL.map(ParameterSet::id)))]
    parameters: String,
    /// The soundness: a false claim passes with a probability of at most 2^-N. Above 57, the statement is
    /// proven twice, under different keys. Both parties must give the same.
    #[arg(long, value_name = "N", default_value = "57",
          value_parser = PossibleValuesParser::new(Soundness::ALL.map(Soundness::name)))]
    soundness: String,
    /// Take correlations from a stock (`subrosa vole stock make`) instead of making them. Both parties
    /// must give their halves of it.
    #[arg(long, value_name = "FILE", requires_all = ["key", "peer"],
          conflicts_with_all = ["parameters", "soundness"])]
    stock: Option<PathBuf>,
    /// Allow a converter whose generator has known biases; it exists for comparisons only.
    #[arg(long)]
    insecure_generator: bool,
    /// Report each stage, and how long it takes, on standard error.
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    peer: PeerArgs,
}

/// Options of `prove`.
#[derive(clap::Args)]
pub struct ProveArgs {
    #[command(flatten)]
    statement: StatementArgs,
    /// The private inputs, as a JSON object. They do not leave this machine.
    #[arg(long, value_name = "JSON")]
    witness: PathBuf,
    /// An output that the verifier may see. Give every output that is not among the public values.
    #[arg(long, value_name = "OUTPUT")]
    show: Vec<String>,
    /// Go on with the proof even if the witness does not satisfy the circuit, to see that it is refused.
    /// The verifier learns by how much it fails.
    #[arg(long)]
    even_if_false: bool,
}

/// Options of `verify`.
#[derive(clap::Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    statement: StatementArgs,
    /// The directory for a bundle with the signed verdict, if the statement is true. Others can then check
    /// the signature, but not the proof.
    #[arg(short = 'o', long = "out", alias = "bundle", value_name = "DIR", requires = "key")]
    bundle: Option<PathBuf>,
    /// Who the prover is, in your own words, for the bundle; for a prover who shows no key (`--peer`).
    #[arg(long, value_name = "TEXT", requires = "bundle")]
    subject: Option<String>,
    /// A value from somebody who will rely on the bundle: it shows them that the verdict was not made
    /// earlier.
    #[arg(long, value_name = "HEX", requires = "bundle")]
    nonce: Option<String>,
    /// Refuse to verify if a false claim could pass with a probability of more than 2^-N.
    #[arg(long, value_name = "N", default_value_t = 55.0)]
    min_soundness: f64,
}

impl StatementArgs {
    fn public(&self) -> Result<Assignments, Failure> {
        self.public.as_ref().map_or_else(|| Ok(Assignments::new()), |path| read_values(path))
    }

    fn setup(&self) -> Result<Setup, Failure> {
        let unknown = || Failure::input("unknown parameters");
        let converter = converter_named(&self.converter)?;
        if converter.is_for_comparison() && !self.insecure_generator {
            let name = converter.name();
            return Err(Failure::input(format!("{name}: its generator has known biases"))
                .hint("choose another converter, or give --insecure-generator to compare"));
        }
        let mut sets = ParameterSet::ALL.into_iter();
        let correlations = sets.find(|set| set.id() == self.parameters).ok_or_else(unknown)?;
        let mut levels = Soundness::ALL.into_iter();
        let soundness = levels.find(|level| level.name() == self.soundness);
        Ok(Setup { correlations, converter, soundness: soundness.ok_or_else(unknown)? })
    }

    /// The stock, if correlations are from one, and what both parties agree on then.
    fn stock(&self, setup: &mut Setup) -> Result<Option<(Stock, StockFile)>, Failure> {
        let Some(path) = &self.stock else { return Ok(None) };
        let Some(identity) = self.peer.identity()? else { return Ok(None) };
        let opened = StockFile::open(path, identity)?;
        let record = opened.0.record();
        if self.peer.peer != Some(record.peer) {
            let other = format!("it was made with {}", record.peer);
            return Err(Failure::file(path, other).hint("give this key with --peer"));
        }
        setup.correlations = record.correlations;
        Ok(Some(opened))
    }

    fn wrong(&self, error: impl std::fmt::Display) -> Failure {
        Failure::file(self.public.as_ref().unwrap_or(&self.circuit), error.to_string())
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

/// Says that the parties have met, and where progress goes from then on.
struct Begun<'a> {
    args: &'a StatementArgs,
    setup: Setup,
    start: Instant,
}

impl Begun<'_> {
    fn met(&self) {
        if self.args.verbose {
            let Setup { correlations, converter, .. } = self.setup;
            let what = format!("keys: {}, {}", correlations.id(), converter.name());
            say(&what, self.start.elapsed());
        }
    }
}

/// Proves.
pub fn prove(args: &ProveArgs, output: &Output) -> Result<(), Failure> {
    let (_, circuit) = read_circuit(&args.statement.circuit)?;
    let public = args.statement.public()?;
    let mut setup = args.statement.setup()?;
    let statement =
        Statement::new(&circuit, &public).map_err(|error| args.statement.wrong(error))?;
    let private = read_values(&args.witness)?;
    let witness =
        statement.witness(&private).map_err(|error| Failure::file(&args.witness, error))?;
    if let Some(reason) = falsehood(&statement, &witness).filter(|_| !args.even_if_false) {
        return Err(Failure::refused(reason).hint("nothing was sent to the verifier"));
    }
    agreed(&statement, &args.show)?;
    let mut stock = args.statement.stock(&mut setup)?;
    let identity = args.statement.peer.identity()?;
    let context = statement.context();
    let about = (context.as_slice(), identity.as_ref());
    let (proven, channel) =
        args.statement.peer.run(about, output, failure, |(channel, meeting, met)| {
            let begun = Begun { args: &args.statement, setup, start: Instant::now() };
            let stages = args.statement.stages();
            let party = (channel, meeting, &mut UnwrapErr(SysRng));
            let begin = |prover: &mut Prover<'_, _>| -> &dyn Progress {
                begun.met();
                met(prover.channel());
                if args.even_if_false {
                    prover.even_if_false();
                }
                &*stages
            };
            let proven = match &mut stock {
                None => statement.prove(party, setup, &witness, begin),
                Some((stock, file)) => {
                    statement.prove_from(party, setup, (stock, file), &witness, begin)
                }
            };
            // What is drawn on the terminal makes room for what follows.
            stages.finish();
            proven
        })?;
    report("prover", (&statement, setup), &proven, &channel, output);
    Ok(())
}

/// Every output that is not claimed is shown: the prover must have agreed.
fn agreed(statement: &Statement<'_>, shown: &[String]) -> Result<(), Failure> {
    let outputs = statement.shown_outputs();
    if let Some(name) = outputs.iter().find(|name| !shown.iter().any(|shown| shown == *name)) {
        let missing = format!("the verifier would see the output `{name}`");
        return Err(Failure::input(missing)
            .hint(format!("agree with --show {name}, or give its value among the public values")));
    }
    match shown.iter().find(|name| !outputs.contains(&name.as_str())) {
        Some(name) => {
            Err(Failure::input(format!("--show {name}: there is no such output to show")))
        }
        None => Ok(()),
    }
}

/// Verifies.
pub fn verify(args: &VerifyArgs, output: &Output) -> Result<(), Failure> {
    let (circuit_file, circuit) = read_circuit(&args.statement.circuit)?;
    let public = args.statement.public()?;
    let mut setup = args.statement.setup()?;
    let statement =
        Statement::new(&circuit, &public).map_err(|error| args.statement.wrong(error))?;
    let soundness = statement.soundness(setup);
    if soundness < args.min_soundness {
        let low = format!(
            "a false claim could pass with a probability of 2^-{soundness:.1}, which is more than \
             --min-soundness allows"
        );
        return Err(Failure::input(low)
            .hint("both parties can raise --soundness, or you can lower --min-soundness"));
    }
    let mut stock = args.statement.stock(&mut setup)?;
    let identity = args.statement.peer.identity()?;
    let bundle = match &args.bundle {
        // Now rather than when the prover has gone.
        Some(bundle) => {
            let subject = subject(args)?;
            Some((BundleWriter::create(bundle).map_err(Failure::input)?, subject))
        }
        None => None,
    };
    let context = statement.context();
    let about = (context.as_slice(), identity.as_ref());
    let (proven, channel) =
        args.statement.peer.run(about, output, failure, |(channel, meeting, met)| {
            let begun = Begun { args: &args.statement, setup, start: Instant::now() };
            let stages = args.statement.stages();
            let party = (channel, meeting, &mut UnwrapErr(SysRng));
            let begin = |verifier: &mut Verifier<'_, _>| -> &dyn Progress {
                begun.met();
                met(verifier.channel());
                &*stages
            };
            let proven = match &mut stock {
                None => statement.verify(party, setup, begin),
                Some((stock, file)) => statement.verify_from(party, setup, (stock, file), begin),
            };
            stages.finish();
            proven
        })?;
    if let (Some((mut writer, subject)), Some(identity)) = (bundle, &identity) {
        let circumstances = Circumstances {
            session: proven.session,
            subject,
            // For people, in the verifier's own word: a clock before 1970 says 1970.
            time: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
            nonce: args.nonce.clone(),
        };
        let outputs = &proven.outputs;
        let accepted = Accepted { statement: &statement, outputs, setup, circumstances };
        accepted
            .add_to(&mut writer, &circuit_file, &public, identity)
            .and_then(|()| writer.finish())
            .map_err(Failure::input)?;
    }
    report("verifier", (&statement, setup), &proven, &channel, output);
    Ok(())
}

/// Of whom the verdict speaks.
fn subject(args: &VerifyArgs) -> Result<Subject, Failure> {
    if let Some(nonce) = &args.nonce
        && !Circumstances::is_nonce(nonce)
    {
        return Err(Failure::input("--nonce: not 2 to 128 lower-case hexadecimal digits"));
    }
    match (args.statement.peer.peer, &args.subject) {
        (Some(prover), None) => Ok(Subject::Prover(prover)),
        (None, Some(name)) if Subject::is_name(name) => Ok(Subject::Named(name.clone())),
        (None, Some(_)) => Err(Failure::input("--subject: not 1 to 200 printable characters")),
        (Some(_), Some(_)) => Err(Failure::input("--peer and --subject cannot both be given")
            .hint("the prover's key names the prover: leave out --subject")),
        (None, None) => {
            Err(Failure::input("the bundle would not say whose claim the verdict is about")
                .hint("give the prover's key with --peer, or describe the prover with --subject"))
        }
    }
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

fn report(
    role: &str,
    (statement, setup): (&Statement<'_>, Setup),
    proven: &Proven,
    channel: &Channel,
    output: &Output,
) {
    let outputs = statement.circuit().named(&proven.outputs);
    let assumptions = statement.assumptions(setup);
    let size = statement.circuit().size();
    let soundness = statement.soundness(setup);
    let object = json!({
        "role": role,
        "accepted": true,
        "publicly_verifiable": false,
        "session": proven.session.to_string(),
        "peer": proven.peer.map(|peer: AuthorId| peer.to_string()),
        "outputs": outputs,
        "gates": size.gates,
        "ands": size.ands,
        "products": size.products,
        "decompositions": size.decompositions,
        "parameters": setup.correlations.id(),
        "converter": setup.converter.name(),
        "soundness_bits": soundness,
        "assumptions": assumptions,
        "bytes_sent": channel.bytes_sent(),
        "bytes_received": channel.bytes_received(),
        "round_trips": channel.turns(),
    });
    output.result(&object, || {
        let mut lines = vec![format!("{role}: accepted, by this verifier only")];
        lines.extend(outputs.iter().map(|(name, value)| format!("{name} = {}", json!(value))));
        lines.push(format!(
            "{}; {} sent, {} received; a false claim passes with probability 2^-{soundness:.1}",
            output::counted(size.gates as u64, "gate", "gates"),
            output::bytes(channel.bytes_sent()),
            output::bytes(channel.bytes_received()),
        ));
        lines.push(format!("assumed: {}", assumptions.join("; ")));
        lines.push(match proven.peer {
            Some(peer) => format!("session {} with {peer}", proven.session),
            None => format!("session {}, with somebody who shows no key", proven.session),
        });
        lines
    });
}
