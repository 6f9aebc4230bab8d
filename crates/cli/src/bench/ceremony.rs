//! `subrosa bench ceremony`: the steps of a ceremony.

use std::io::{Seek as _, SeekFrom};

use ::ceremony::phase1::{self, Settings};
use algebra::{Bls12381, Bn254, Engine};
use circuit::Curve;
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, UnwrapErr};
use rayon::ThreadPoolBuilder;
use serde::Serialize;
use wire::Progress as _;

use super::recorder::{Recorder, Sample};
use crate::{ceremony::CurveName, failure::Failure, output::Output, progress::Bars};

/// Options of `ceremony`.
#[derive(clap::Args)]
pub struct Args {
    /// The binary logarithm of the number of powers.
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..=24))]
    power: u32,
    /// The curve.
    #[arg(long, value_enum, default_value = "bn254")]
    curve: CurveName,
    /// Threads to work on [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// How often to repeat everything; the median is reported.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    repeat: u32,
}

/// What the bench ran with.
#[derive(Debug, Serialize)]
struct Params {
    curve: &'static str,
    power: u32,
    threads: usize,
    repeat: u32,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let threads = args.threads.map_or(0, usize::from);
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::input)?;
    let curve = args.curve.curve();
    let params = Params {
        curve: curve.snarkjs_name(),
        power: args.power,
        threads: pool.current_num_threads(),
        repeat: args.repeat,
    };
    let bars = Bars::new();
    let recorder = pool.install(|| match curve {
        Curve::Bn254 => measure::<Bn254>(&params, &bars),
        Curve::Bls12381 => measure::<Bls12381>(&params, &bars),
    });
    bars.finish();
    recorder?.report("ceremony", params, output);
    Ok(())
}

/// The rows in the order in which they are measured; counts are numbers of points.
fn measure<E: Engine>(params: &Params, bars: &Bars) -> Result<Recorder, Failure> {
    let mut recorder = Recorder::new();
    let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
    let points = 5_u64 << params.power;
    let mut start = tempfile::tempfile()?;
    phase1::new::<E>(&mut start, params.power, bars).map_err(Failure::input)?;
    let mut contributed = tempfile::tempfile()?;
    let mut prepared = tempfile::tempfile()?;
    let (mut contribute, mut verify, mut prepare) = (vec![], vec![], vec![]);
    for _ in 0..params.repeat {
        contributed.set_len(0)?;
        contributed.seek(SeekFrom::Start(0))?;
        let (done, sample) = Sample::of(|| {
            phase1::contribute::<E>(&mut start, &mut contributed, None, &mut rng, bars)
        });
        done.map_err(Failure::input)?;
        contribute.push(sample);

        let settings = Settings::default();
        let (done, sample) =
            Sample::of(|| phase1::verify::<E>(&mut contributed, &settings, &mut rng, bars));
        done.map_err(Failure::refused)?;
        verify.push(sample);

        prepared.set_len(0)?;
        prepared.seek(SeekFrom::Start(0))?;
        let (done, sample) =
            Sample::of(|| phase1::prepare::<E>(&mut contributed, &mut prepared, bars));
        done.map_err(Failure::input)?;
        prepare.push(sample);
    }
    recorder.row("contribute", points, &contribute);
    recorder.row("verify", points, &verify);
    recorder.row("prepare", points, &prepare);
    recorder.size("file_bytes", usize::try_from(contributed.metadata()?.len()).unwrap_or(0));
    recorder.size("prepared_bytes", usize::try_from(prepared.metadata()?.len()).unwrap_or(0));
    Ok(recorder)
}
