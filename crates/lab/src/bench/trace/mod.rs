//! `subrosa-lab bench trace`: the report of the published artifact on traceable mixnets, for our
//! engines. Section and row names are the artifact's, as far as the steps exist.

mod db;
mod params;
mod parties;
mod report;
mod routed;

use clap::ValueEnum;
use cli::{
    failure::Failure,
    names::{EngineName, Keys, PaillierBits},
    output::Output,
    progress::Bars,
};
use wire::Progress as _;

use super::threads::ThreadsArgs;
use params::Params;

/// Where an engine computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CurveName {
    /// The prime-order group of Curve25519: the engine `routed`.
    Ristretto255,
    /// A curve with pairings, for the signatures of the engine `db`.
    #[value(name = "bls12-381")]
    Bls12381,
}

impl CurveName {
    fn name(self) -> &'static str {
        match self {
            Self::Ristretto255 => "ristretto255",
            Self::Bls12381 => "bls12-381",
        }
    }
}

/// The curve of an engine.
fn curve(engine: EngineName) -> CurveName {
    match engine {
        EngineName::Routed => CurveName::Ristretto255,
        EngineName::Db => CurveName::Bls12381,
    }
}

/// Options of `trace`.
#[derive(clap::Args)]
pub struct Args {
    /// How queries are answered.
    #[arg(long, value_enum, default_value = "routed")]
    engine: EngineName,
    /// How many submissions are mixed.
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    entries: u32,
    /// How many servers mix.
    #[arg(value_name = "M", value_parser = clap::value_parser!(u16).range(1..=64))]
    servers: u16,
    /// How many different values are submitted [default: all are different].
    #[arg(long, value_name = "V", value_parser = clap::value_parser!(u32).range(1..))]
    values: Option<u32>,
    /// The curve; each engine has one [default: the engine's].
    #[arg(long, value_enum)]
    curve: Option<CurveName>,
    /// Bits of the Paillier modulus, for the engine `db`.
    #[arg(long, value_enum, default_value = "3072", value_name = "BITS")]
    paillier: PaillierBits,
    /// Who makes the Paillier key, for the engine `db`.
    #[arg(long, value_enum, default_value = "bcp")]
    keys: Keys,
    #[command(flatten)]
    threads: ThreadsArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let curve = curve(args.engine);
    if args.curve.is_some_and(|wanted| wanted != curve) {
        let only = curve.name();
        return Err(Failure::input(format!("--curve: this engine computes over {only}"))
            .hint(format!("leave the option out, or say --curve {only}")));
    }
    let pool = args.threads.pool()?;
    let params = Params {
        engine: args.engine,
        curve: curve.name(),
        notice: match args.engine {
            EngineName::Routed => routed::NOTICE,
            EngineName::Db => db::NOTICE,
        },
        entries: args.entries,
        servers: args.servers,
        values: args.values.map_or(args.entries, |values| values.min(args.entries)),
        paillier: matches!(args.engine, EngineName::Db).then_some(args.paillier),
        keys: matches!(args.engine, EngineName::Db).then_some(args.keys),
        threads: pool.current_num_threads(),
    };
    let bars = Bars::new();
    let report = pool.install(|| match args.engine {
        EngineName::Routed => routed::Bench::new(&params, &bars).run(),
        EngineName::Db => {
            let keys = db::PaillierChoice { size: args.paillier, keys: args.keys };
            db::Bench::new(&params, keys, &bars).run()
        }
    });
    bars.finish();
    let (recorder, lines) = report.map_err(Failure::refused)?;
    recorder.report_as("trace", params, lines, output);
    Ok(())
}
