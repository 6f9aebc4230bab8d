//! `subrosa vole stock`: correlations that are made in advance, and the files that keep them.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use ::vole::{
    Converter, Keeper, ParameterSet, Position, Setup, Stock, StockRecord,
    circuit::{Assignments, Statement},
};
use board::Identity;
use clap::{Subcommand, ValueEnum, builder::PossibleValuesParser};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde_json::{Value, json};
use wire::NewFile;

use super::{
    failed::failure,
    inputs::{converter_named, read, read_circuit, read_values},
    peer::PeerArgs,
};
use crate::{failure::Failure, keygen::PassphraseArgs, output, output::Output};

/// What is done with a stock.
#[derive(Subcommand)]
pub enum Command {
    /// Make a stock together with the other party, who runs this command too. Each party keeps its half in
    /// a file, encrypted under its key.
    Make(Box<MakeArgs>),
    /// Show what is left of stocks.
    Show(ShowArgs),
}

/// Whose half.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Half {
    Prover,
    Verifier,
}

/// Options of `make`.
#[derive(clap::Args)]
pub struct MakeArgs {
    /// The file for this party's half. Never restore it from a copy: correlations would be used twice,
    /// which reveals what is proven with them.
    #[arg(short, long, value_name = "FILE", required_unless_present = "file")]
    out: Option<PathBuf>,
    /// The same, as it was named before.
    #[arg(value_name = "FILE", hide = true, conflicts_with = "out")]
    file: Option<PathBuf>,
    /// This party's role.
    #[arg(long = "as", value_enum)]
    half: Half,
    /// The number of correlations over F_2. Both parties must give the same.
    #[arg(long, value_name = "N", required_unless_present = "circuit")]
    bits: Option<usize>,
    /// The number of correlations over F_p. Both parties must give the same.
    #[arg(long, value_name = "N", required_unless_present = "circuit")]
    values: Option<usize>,
    /// Make as many correlations as this circuit needs, instead.
    #[arg(long, value_name = "CIRCUIT", conflicts_with_all = ["bits", "values"])]
    circuit: Option<PathBuf>,
    /// The values of the circuit that both parties will know.
    #[arg(long, value_name = "JSON", requires = "circuit")]
    public: Option<PathBuf>,
    /// How the circuit's numbers will be converted to bits.
    #[arg(long, value_name = "NAME", default_value = Converter::default().name(),
          value_parser = PossibleValuesParser::new(Converter::NAMED.map(|(name, _)| name)))]
    converter: String,
    /// How many times the circuit will be proven.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "circuit")]
    times: usize,
    /// How correlations are made. Both parties must give the same.
    #[arg(long, value_name = "NAME", default_value = ParameterSet::default().id(),
          value_parser = PossibleValuesParser::new(ParameterSet::ALL.map(ParameterSet::id)))]
    parameters: String,
    #[command(flatten)]
    peer: PeerArgs,
}

impl MakeArgs {
    fn out(&self) -> &Path {
        // The command line has one of them.
        self.out.as_deref().or(self.file.as_deref()).unwrap_or(Path::new(""))
    }
}

/// Options of `show`.
#[derive(clap::Args)]
pub struct ShowArgs {
    /// The files.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The key file under which the stocks are encrypted [default: none; then it is not checked whether
    /// somebody changed them].
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseArgs,
}

/// Runs the command.
pub fn run(command: &Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Make(args) => make(args, output),
        Command::Show(args) => show(args, output),
    }
}

impl MakeArgs {
    fn count(&self) -> Result<(usize, usize), Failure> {
        let Some(path) = &self.circuit else {
            // The command line has both, or a circuit.
            return Ok((self.bits.unwrap_or_default(), self.values.unwrap_or_default()));
        };
        let (_, circuit) = read_circuit(path)?;
        let public = match &self.public {
            Some(path) => read_values(path)?,
            None => Assignments::new(),
        };
        let wrong = |error| Failure::file(self.public.as_ref().unwrap_or(path), error);
        let statement = Statement::new(&circuit, &public).map_err(wrong)?;
        let converter = converter_named(&self.converter)?;
        let Position { bits, values } = statement.correlations(Setup::from(converter));
        let times = |count: u64| (count as usize).saturating_mul(self.times);
        Ok((times(bits), times(values)))
    }

    fn set(&self) -> Result<ParameterSet, Failure> {
        let mut sets = ParameterSet::ALL.into_iter();
        let set = sets.find(|set| set.id() == self.parameters);
        set.ok_or_else(|| Failure::input("unknown parameters"))
    }
}

fn make(args: &MakeArgs, output: &Output) -> Result<(), Failure> {
    let (count, set) = (args.count()?, args.set()?);
    let (Some(identity), Some(peer)) = (args.peer.identity()?, args.peer.peer) else {
        return Err(Failure::input("a stock needs the keys of both parties")
            .hint("give your own key with --key, and the other party's with --peer"));
    };
    // Now rather than when both have worked.
    if args.out().exists() {
        return Err(taken(args.out()));
    }
    let (stock, channel) = args.peer.run((&[], Some(&identity)), output, failure, |attempt| {
        let (channel, _, met) = attempt;
        let parties = (&identity, peer);
        let rng = &mut UnwrapErr(SysRng);
        match args.half {
            Half::Prover => Stock::make_prover(channel, set, parties, count, rng, met),
            Half::Verifier => Stock::make_verifier(channel, set, parties, count, rng, met),
        }
    })?;
    let sealed = stock.seal(&identity, &mut UnwrapErr(SysRng));
    let written = sealed.and_then(|sealed| wire::write_secret(args.out(), &sealed));
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => taken(args.out()),
        _ => Failure::file(args.out(), error),
    })?;
    let mut object = described(stock.record(), true);
    if let Value::Object(fields) = &mut object {
        fields.insert("bytes_sent".into(), channel.bytes_sent().into());
        fields.insert("bytes_received".into(), channel.bytes_received().into());
    }
    output.result(&object, || {
        vec![
            line(args.out(), stock.record()),
            format!(
                "{} sent, {} received",
                output::bytes(channel.bytes_sent()),
                output::bytes(channel.bytes_received())
            ),
        ]
    });
    Ok(())
}

fn taken(path: &Path) -> Failure {
    Failure::file(path, "already exists").hint("a stock is never overwritten: give another name")
}

fn show(args: &ShowArgs, output: &Output) -> Result<(), Failure> {
    let peer = args.key.as_ref().map(|path| args.passphrase.identity(path)).transpose()?;
    let records = args.files.iter().map(|path| {
        let file = read(path)?;
        let record = match &peer {
            Some(identity) => Stock::open(&file, identity).map(|stock| stock.record().clone()),
            None => StockRecord::read(&file),
        };
        record.map_err(|error| Failure::file(path, error))
    });
    let records = records.collect::<Result<Vec<_>, _>>()?;
    let stocks: Vec<_> = records.iter().map(|record| described(record, peer.is_some())).collect();
    output.result(&json!({ "stocks": stocks }), || {
        args.files.iter().zip(&records).map(|(path, record)| line(path, record)).collect()
    });
    Ok(())
}

fn described(record: &StockRecord, authenticated: bool) -> Value {
    let place = |place: Position| json!({ "bits": place.bits, "values": place.values });
    json!({
        "id": record.id.to_string(),
        "half": if record.proves { "prover" } else { "verifier" },
        "parameters": record.correlations.id(),
        "own": record.own.to_string(),
        "peer": record.peer.to_string(),
        "used": place(record.used),
        "left": place(record.left),
        "burnt": record.burnt,
        "authenticated": authenticated,
    })
}

fn line(path: &Path, record: &StockRecord) -> String {
    let half = if record.proves { "prover" } else { "verifier" };
    let left = match record.burnt {
        true => "a check failed, so nothing of the stock can be used".to_owned(),
        false => format!(
            "{} and {} left",
            output::counted(record.left.bits, "bit", "bits"),
            output::counted(record.left.values, "value", "values")
        ),
    };
    format!("{}: {half}'s half of {} with {}: {left}", path.display(), record.id, record.peer)
}

/// A stock's file while a session uses it: nobody else does meanwhile.
pub struct StockFile {
    path: PathBuf,
    identity: Identity,
    _lock: File,
}

impl StockFile {
    /// Opens a stock for a session.
    pub fn open(path: &Path, identity: Identity) -> Result<(Stock, Self), Failure> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".lock");
        let failed = |error: io::Error| Failure::file(path, error);
        let lock = File::create(&beside).map_err(failed)?;
        lock.try_lock().map_err(|_| {
            Failure::file(path, "another process uses it")
                .hint("wait until it has ended, or use another stock")
        })?;
        let stock =
            Stock::open(&read(path)?, &identity).map_err(|error| Failure::file(path, error))?;
        // A file that is begun removes what a killed command left beside it.
        drop(NewFile::create(path).map_err(failed)?);
        Ok((stock, Self { path: path.to_owned(), identity, _lock: lock }))
    }
}

impl Keeper for StockFile {
    fn keep(&mut self, stock: &Stock) -> io::Result<()> {
        let sealed = stock.seal(&self.identity, &mut UnwrapErr(SysRng))?;
        wire::write_atomic(&self.path, &sealed)
    }
}
