//! `subrosa snark collaborate`: Groth16 by several parties.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use ::snark::{
    FileFormat,
    collaborative::{
        Error, MAX_PARTIES, Peer, Seat, TripleShare, WitnessShare, deal, prove_with_peers,
        share_witness,
    },
    groth16::ProvingKey,
};
use algebra::{Bls12381, Bn254, Engine, ScalarOf};
use circuit::{Curve, Format, json::public_to_json, zkey::Zkey};
use clap::Subcommand;
use humantime::format_duration;
use serde_json::json;
use wire::{Address, ChannelError, Listener, TlsClient, TlsServer};
use zeroize::Zeroizing;

use super::{
    circuit::{CircuitArgs, WitnessArgs},
    failed::Mark,
    files::{key_failure, open, write_text},
    native::{randomness, read},
};
use crate::{
    arguments::duration,
    connect::{reach, stop_after},
    failure::Failure,
    output::{self, Output},
};

/// How long whoever connects may take to say who it is.
const GREETING_TIMEOUT: Duration = Duration::from_secs(5);

/// What the parties, and those who prepare their work, do.
#[derive(Subcommand)]
pub enum Command {
    /// Split a witness into a share for each party.
    Share(ShareArgs),
    /// Deal the triples for one proof. Whoever runs this must not conspire with any party.
    Deal(DealArgs),
    /// Prove together with the other parties.
    Prove(ProveArgs),
}

/// The key and the number of parties.
#[derive(clap::Args)]
struct PartiesArgs {
    /// The proving key, a `.zkey` file.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The number of parties.
    #[arg(
        long,
        value_name = "M",
        value_parser = clap::value_parser!(u16).range(2..=i64::from(MAX_PARTIES))
    )]
    parties: u16,
    /// The directory for the files, which must exist. The files are called `1`, `2` and so on, one for each
    /// party.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// Options of `share`.
#[derive(clap::Args)]
pub struct ShareArgs {
    #[command(flatten)]
    parties: PartiesArgs,
    #[command(flatten)]
    witness: WitnessArgs,
}

/// Options of `deal`.
#[derive(clap::Args)]
pub struct DealArgs {
    #[command(flatten)]
    parties: PartiesArgs,
}

/// Options of `prove`.
#[derive(clap::Args)]
pub struct ProveArgs {
    /// The proving key, a `.zkey` file.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    circuit: CircuitArgs,
    /// This party's share of the witness. If the session fails at a point where another party may have
    /// learnt something by cheating, the share is marked, and refused from then on.
    #[arg(long, value_name = "FILE")]
    share: PathBuf,
    /// This party's triples. The file is removed when it is used, because triples serve only once.
    #[arg(long, value_name = "FILE")]
    triples: PathBuf,
    /// The addresses of all parties, in their order, including this one: `tls://HOST:PORT`,
    /// `tcp://HOST:PORT` or `unix:///PATH`.
    #[arg(long, value_name = "ADDRESS", num_args = 2.., required = true)]
    peers: Vec<Address>,
    /// How long to wait until the others are there.
    #[arg(long, alias = "connect-timeout-seconds", value_name = "TIME", default_value = "1m",
          value_parser = duration)]
    connect_timeout: Duration,
    /// How long to wait for a message of another party.
    #[arg(long, alias = "timeout-seconds", value_name = "TIME", default_value = "10m",
          value_parser = duration)]
    timeout: Duration,
    /// The other parties' TLS certificates, or those of the authorities that signed them, as a PEM file;
    /// for `tls://`.
    #[arg(long, value_name = "PEM")]
    tls_trust: Option<PathBuf>,
    /// This party's certificate chain, as a PEM file; for `tls://`.
    #[arg(long, value_name = "PEM", requires = "tls_key")]
    tls_chain: Option<PathBuf>,
    /// The certificate's key, as a PEM file; for `tls://`.
    #[arg(long, value_name = "PEM", requires = "tls_chain")]
    tls_key: Option<PathBuf>,
    /// The `proof.json` to create.
    #[arg(long, value_name = "FILE")]
    proof: PathBuf,
    /// The `public.json` to create.
    #[arg(long, value_name = "FILE")]
    public: PathBuf,
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    let key = match &command {
        Command::Share(args) => &args.parties.key,
        Command::Deal(args) => &args.parties.key,
        Command::Prove(args) => &args.key,
    };
    let (file, curve) = open(key, Format::Zkey)?;
    match curve {
        Curve::Bn254 => run_on::<Bn254>(&command, file, curve, output),
        Curve::Bls12381 => run_on::<Bls12381>(&command, file, curve, output),
    }
}

fn run_on<E: Engine>(
    command: &Command,
    key: File,
    curve: Curve,
    output: &Output,
) -> Result<(), Failure> {
    match command {
        Command::Share(args) => share::<E>(args, key, curve, output),
        Command::Deal(args) => deal_triples::<E>(args, key, output),
        Command::Prove(args) => prove::<E>(args, key, output),
    }
}

fn share<E: Engine>(
    args: &ShareArgs,
    mut key: File,
    curve: Curve,
    output: &Output,
) -> Result<(), Failure> {
    let PartiesArgs { key: path, parties, out } = &args.parties;
    let zkey = Zkey::<E>::open(&mut key).map_err(|error| Failure::file(path, error))?;
    let public = zkey.header().public as usize;
    let witness = args.witness.witness::<E>(curve)?;
    let shares = share_witness::<E>(&witness, public, *parties, &mut randomness());
    let shares = shares.map_err(Failure::input)?;
    write_all(out, &shares)?;
    report("shares of the witness", &args.parties, output);
    Ok(())
}

fn deal_triples<E: Engine>(args: &DealArgs, mut key: File, output: &Output) -> Result<(), Failure> {
    let PartiesArgs { key: path, parties, out } = &args.parties;
    let zkey = Zkey::<E>::open(&mut key).map_err(|error| Failure::file(path, error))?;
    let shares = deal::<E>(zkey.header().domain_size, *parties, &mut randomness());
    write_all(out, &shares.map_err(Failure::input)?)?;
    report("triples for one proof", &args.parties, output);
    Ok(())
}

/// Secret files, one for each party.
fn write_all<E: Engine, T: FileFormat<E>>(out: &Path, shares: &[T]) -> Result<(), Failure> {
    for (party, share) in (1_u16..).zip(shares) {
        let path = out.join(party.to_string());
        let bytes = Zeroizing::new(share.to_file());
        wire::write_secret(&path, &bytes).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                Failure::file(&path, "already exists").hint("choose another directory")
            }
            _ => Failure::file(&path, error),
        })?;
    }
    Ok(())
}

fn report(what: &str, args: &PartiesArgs, output: &Output) {
    let (parties, out) = (args.parties, args.out.display());
    let object = json!({ "parties": parties, "out": args.out });
    output
        .result(&object, || vec![format!("{what}, one file for each of {parties} parties: {out}")]);
}

fn prove<E: Engine>(args: &ProveArgs, mut key: File, output: &Output) -> Result<(), Failure> {
    Mark::require_none(&args.share)?;
    let key = ProvingKey::<E>::read_zkey(&mut key).map_err(|e| key_failure(&args.key, e))?;
    let system = args.circuit.system::<E>()?;
    let share: WitnessShare<E> = read(&args.share)?;
    let triples: TripleShare<E> = read(&args.triples)?;
    let seat = share.seat();
    if args.peers.len() != usize::from(seat.parties()) {
        let (addresses, parties) = (args.peers.len(), seat.parties());
        let addresses = output::counted(addresses as u64, "address", "addresses");
        return Err(Failure::input(format!("{addresses}, but {parties} parties"))
            .hint("give `--peers` the addresses of all parties, in their order"));
    }
    let mut peers = meet(args, seat, output)?;
    // The mark stands as long as the session may tell a party that deviates whether its guess about the witness is
    // right: the share is not used again then. What kills the program leaves it, too.
    let mark = Mark::set(&args.share)?;
    // Triples serve once: a second proof with them would show what the first one hid.
    fs::remove_file(&args.triples).map_err(|error| Failure::file(&args.triples, error))?;
    let proof = prove_with_peers(&key, &system, &share, triples, &mut peers, &mut randomness());
    let proof = match proof {
        // The mark stays.
        Err(error) if error.tells() => return Err(failure(error)),
        proof => {
            mark.clear()?;
            proof.map_err(failure)?
        }
    };

    let public: Vec<ScalarOf<E>> = share.public().to_vec();
    let (proof, text) = (proof.to_json(), public_to_json(&public));
    write_text(&args.proof, &proof.map_err(Failure::input)?)?;
    write_text(&args.public, &text.map_err(Failure::input)?)?;
    let sent: u64 = peers.iter().map(|peer| peer.channel.bytes_sent()).sum();
    let received: u64 = peers.iter().map(|peer| peer.channel.bytes_received()).sum();
    let object = json!({
        "curve": E::SNARKJS_NAME,
        "party": seat.party(),
        "parties": seat.parties(),
        "bytes_sent": sent,
        "bytes_received": received,
        "proof": args.proof,
        "public_file": args.public,
    });
    output.result(&object, || {
        vec![
            format!("proof: {}", args.proof.display()),
            format!("public inputs, {}: {}", public.len(), args.public.display()),
            format!("sent to the others: {}", output::bytes(sent)),
            format!("received from them: {}", output::bytes(received)),
        ]
    });
    Ok(())
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Told(inner) if matches!(*inner, Error::Unsatisfied) => {
            Failure::refused(Error::Told(inner)).hint(
                "if no party cheated, the witness is wrong: share one that satisfies the circuit, \
                 and deal new triples",
            )
        }
        Error::Told(_) => Failure::input(error).hint(
            "find out which party cheated; share the witness again without that party, and deal \
             new triples",
        ),
        Error::Channel { .. } | Error::Message { .. } | Error::Session { .. } => {
            Failure::input(error).hint("deal new triples before you try again")
        }
        Error::Length { .. } | Error::OtherParty { .. } => {
            Failure::input(error).hint("use files of the same party, made for this key")
        }
        Error::Key(_) => Failure::input(error).hint(
            "check the key with `subrosa ceremony phase2 verify`; do not trust whoever made it",
        ),
        other => Failure::input(other),
    }
}

/// Channels to all others: connects to those with smaller numbers, and then waits for those with greater ones.
/// Whoever connects says first which party it is.
fn meet(args: &ProveArgs, seat: Seat, output: &Output) -> Result<Vec<Peer>, Failure> {
    let listener = listen(args, seat)?;
    if let Some(listener) = &listener {
        output.done("listening", &listener.address().to_string());
    }
    let trusted = args.tls_trust.as_ref().map(|path| {
        let pem = fs::read(path).map_err(|error| Failure::file(path, error))?;
        TlsClient::from_pem(&pem).map_err(|error| Failure::file(path, error))
    });
    let (trusted, wait) = (trusted.transpose()?, args.connect_timeout);
    let timeout = Some(args.timeout);
    let mut peers = Vec::new();
    for (party, address) in (1..seat.party()).zip(&args.peers) {
        let failed =
            |error: ChannelError| Failure::channel(format!("party {party}, {address}"), &error);
        let trusted = trusted.as_ref().filter(|_| matches!(address, Address::Tls { .. }));
        let mut channel = reach(address, trusted, wait).map_err(failed)?;
        channel.send(&seat.party().to_le_bytes()).map_err(failed)?;
        peers.push(Peer { party, channel });
    }
    if let Some(listener) = listener {
        while peers.len() + 1 < usize::from(seat.parties()) {
            peers.push(accept(&listener, seat, &peers, wait, output)?);
        }
    }
    for Peer { channel, .. } in &mut peers {
        channel.set_read_timeout(timeout);
        channel.set_write_timeout(timeout);
    }
    Ok(peers)
}

/// Where the others connect; the last party waits for nobody.
fn listen(args: &ProveArgs, seat: Seat) -> Result<Option<Listener>, Failure> {
    // Parties are numbered from 1.
    let own = args.peers.get(usize::from(seat.party()) - 1);
    let Some(address) = own.filter(|_| seat.party() < seat.parties()) else { return Ok(None) };
    let failed = |error: ChannelError| Failure::channel(address, &error);
    let read = |path: &PathBuf| fs::read(path).map_err(|error| Failure::file(path, error));
    let tls = match (&args.tls_chain, &args.tls_key) {
        (Some(chain), Some(key)) if matches!(address, Address::Tls { .. }) => {
            let key = Zeroizing::new(read(key)?);
            Some(TlsServer::from_pem(&read(chain)?, &key).map_err(failed)?)
        }
        _ => None,
    };
    Listener::bind(address, tls.as_ref()).map(Some).map_err(failed)
}

/// The next party that comes and is one of those that are missing.
fn accept(
    listener: &Listener,
    seat: Seat,
    peers: &[Peer],
    wait: Duration,
    output: &Output,
) -> Result<Peer, Failure> {
    let _in_time = stop_after(listener, wait).map_err(Failure::input)?;
    loop {
        let mut channel = match listener.accept() {
            Ok(channel) => channel,
            Err(ChannelError::Closed) => {
                let missing = (seat.party() + 1..=seat.parties())
                    .find(|party| peers.iter().all(|peer| peer.party != *party));
                // There is one: else nobody would be waited for.
                let (party, waited) = (missing.unwrap_or_default(), format_duration(wait));
                return Err(Failure::environment(format!(
                    "party {party} was not there within {waited}"
                )));
            }
            Err(error) => {
                output.warn(&format!("a connection failed: {error}"));
                continue;
            }
        };
        channel.set_limit(size_of::<u16>());
        channel.set_read_timeout(Some(GREETING_TIMEOUT));
        // Whoever says nothing in time, or anything but a number of two bytes, is none of the parties.
        let greeting = channel.receive().ok().and_then(|bytes| bytes.try_into().ok());
        let party = greeting.map(u16::from_le_bytes).filter(|party| {
            (seat.party() + 1..=seat.parties()).contains(party)
                && peers.iter().all(|peer| peer.party != *party)
        });
        match party {
            Some(party) => return Ok(Peer { party, channel }),
            None => output.warn("somebody connected who is not one of the missing parties"),
        }
    }
}
