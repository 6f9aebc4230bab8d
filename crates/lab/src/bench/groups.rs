//! `subrosa-lab bench groups`: the group-operation table of the metrics report on mix-nets.

use algebra::operations::{Library, Operation, TRANSFORMED, libraries};
use cli::{failure::Failure, output::Output, progress::Bars};
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, UnwrapErr};
use rayon::ThreadPoolBuilder;
use serde::Serialize;
use wire::Progress as _;

use super::{
    recorder::{Recorder, Sample},
    repetitions::repetitions,
};

/// The columns of the table, with the number of items.
const COLUMNS: [(&str, Operation, usize); 15] = [
    ("G1 scale", Operation::ScaleG1, 1000),
    ("G2 scale", Operation::ScaleG2, 1000),
    ("G1 add", Operation::AddG1, 1000),
    ("G2 add", Operation::AddG2, 1000),
    ("G1 fixed base", Operation::FixedBaseG1, 1000),
    ("G2 fixed base", Operation::FixedBaseG2, 1000),
    ("G1 msm", Operation::MsmG1, 1000),
    ("G2 msm", Operation::MsmG2, 1000),
    ("G1 msm", Operation::MsmG1, 10_000),
    ("G2 msm", Operation::MsmG2, 10_000),
    ("G1 msm", Operation::MsmG1, POINTS),
    ("G2 msm", Operation::MsmG2, POINTS),
    ("pairing product", Operation::Pairing, 100),
    ("scalar transform", Operation::Transform, TRANSFORMED[0]),
    ("scalar transform", Operation::Transform, TRANSFORMED[1]),
];
const POINTS: usize = 1 << 16;

/// Options of `groups`.
#[derive(clap::Args)]
pub struct Args {
    /// Threads to work on.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=1024)
    )]
    threads: u16,
    /// How often to repeat everything; the median is reported.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = repetitions())]
    repeat: u32,
}

/// What the bench ran with.
#[derive(Debug, Serialize)]
struct Params {
    threads: usize,
    repeat: u32,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let threads = args.threads.into();
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::input)?;
    let bars = Bars::new();
    let recorder = pool.install(|| {
        let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
        let libraries = libraries(POINTS, &mut rng);
        bars.begin("groups", (libraries.len() * COLUMNS.len()) as u64);
        let mut recorder = Recorder::new();
        for library in &libraries {
            measure(library.as_ref(), args.repeat, &mut recorder, &bars);
        }
        recorder
    });
    bars.finish();
    recorder.report("groups", Params { threads, repeat: args.repeat }, output);
    Ok(())
}

fn measure(library: &dyn Library, repeat: u32, recorder: &mut Recorder, bars: &Bars) {
    for (name, operation, count) in COLUMNS {
        bars.advance(1);
        let samples: Vec<(bool, Sample)> =
            (0..repeat).map(|_| Sample::of(|| library.run(operation, count))).collect();
        if samples.iter().all(|(offered, _)| *offered) {
            let samples: Vec<Sample> = samples.into_iter().map(|(_, sample)| sample).collect();
            recorder.row(format!("{}, {name}", library.name()), count as u64, &samples);
        }
    }
}
