//! `subrosa-lab bench shuffle`: the rows of the metrics report on mix-nets, for our shuffles.

mod ac16;
mod pairing;
mod run;
mod tw;

use ::shuffle::{MAX_COLUMNS, MAX_ROWS, pairing as argument};
use algebra::{Bls12381, Bn254, Group, Pairing, Ristretto255};
use clap::ValueEnum;
use cli::{CurveName, failure::Failure, output::Output, progress::Bars};
use run::Run;
use serde::Serialize;
use wire::Progress as _;

use super::{repetitions::repetitions, threads::ThreadsArgs};

/// A proof of shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Scheme {
    /// Terelius-Wikström over ristretto255.
    Tw,
    /// Fauzi, Lipmaa, Siim, Zając 2017: pairings, a dealer's reference string.
    Flsz17,
    /// Its successor with a ceremony's reference string, here of one party, and checked.
    Tflsz,
    /// Fauzi, Lipmaa, Zając 2016, repaired (ours, no published proof), a dealer's reference string.
    Ac16,
}

/// Options of `shuffle`.
#[derive(clap::Args)]
pub struct Args {
    /// The proof of shuffle.
    #[arg(long, value_enum, default_value = "tw")]
    scheme: Scheme,
    /// The curve of a proof by pairings [default: bls12-381].
    #[arg(long, value_enum)]
    curve: Option<CurveName>,
    /// How many ballots to mix.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_ROWS as i64))]
    voters: u32,
    #[command(flatten)]
    threads: ThreadsArgs,
    /// Ciphertexts in a ballot.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=MAX_COLUMNS as i64)
    )]
    columns: u16,
    /// How often to repeat everything; the median is reported.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = repetitions())]
    repeat: u32,
}

/// What the bench ran with.
#[derive(Debug, Serialize)]
struct Params {
    scheme: Scheme,
    group: &'static str,
    voters: u32,
    columns: u16,
    threads: usize,
    repeat: u32,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    check(args)?;
    let pool = args.threads.pool()?;
    let curve = args.curve.unwrap_or(CurveName::Bls12381);
    let params = Params {
        scheme: args.scheme,
        group: match (args.scheme, curve) {
            (Scheme::Tw, _) => Ristretto255::NAME,
            (_, CurveName::Bls12381) => Bls12381::NAME,
            (_, CurveName::Bn254) => Bn254::NAME,
        },
        voters: args.voters,
        columns: args.columns,
        threads: pool.current_num_threads(),
        repeat: args.repeat,
    };
    let bars = Bars::new();
    let run = Run::new(args.voters as usize, args.columns.into(), args.repeat, &bars);
    let recorder = pool.install(|| match curve {
        _ if args.scheme == Scheme::Tw => tw::run(run),
        CurveName::Bls12381 => by_pairings::<Bls12381>(args.scheme, run),
        CurveName::Bn254 => by_pairings::<Bn254>(args.scheme, run),
    });
    bars.finish();
    recorder?.report("shuffle", params, output);
    Ok(())
}

/// Refuses options that would be without effect.
fn check(args: &Args) -> Result<(), Failure> {
    if args.scheme == Scheme::Tw && args.curve.is_some() {
        return Err(Failure::input("the scheme tw is over ristretto255")
            .hint("leave out --curve, or choose another --scheme"));
    }
    if args.scheme == Scheme::Ac16 && args.columns != 1 {
        return Err(Failure::input("the scheme ac16 moves one column").hint("leave out --columns"));
    }
    Ok(())
}

fn by_pairings<E: algebra::Engine>(
    scheme: Scheme,
    run: Run<'_>,
) -> Result<super::recorder::Recorder, Failure> {
    match scheme {
        Scheme::Tw | Scheme::Flsz17 => pairing::run::<E>(argument::Scheme::Flsz17, run),
        Scheme::Tflsz => pairing::run::<E>(argument::Scheme::Tflsz, run),
        Scheme::Ac16 => ac16::run::<E>(run),
    }
}
