//! `subrosa-lab bench table`: the experiments of the artifact of TAP, with its names.

mod run;
mod world;

use cli::{failure::Failure, output::Output, progress::Bars};
use rayon::ThreadPoolBuilder;

/// The artifact's experiments.
const EXPERIMENTS: [&str; 19] = [
    "1a", "1b", "1c", "2a", "2b", "2c", "2d", "3a", "3b", "3c", "3d", "3e", "3f", "3g", "3h", "4",
    "5", "6", "7",
];

/// Options of `table`.
#[derive(clap::Args)]
pub struct Args {
    /// The experiment; docs/bench.md says what each measures.
    #[arg(long, value_name = "E", value_parser = EXPERIMENTS)]
    experiment: String,
    /// Rows of an epoch [default: 100; experiment 6: 10000, 7: 1000].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    users: Option<u32>,
    /// Districts; with the industrial users apart there are up to twice as many keys [default: 10,
    /// experiment 1a: 1, 1c: 100].
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    districts: Option<u32>,
    /// Epochs [default: 100, experiment 2: 500]; experiments 6 and 7 have one.
    #[arg(long, value_name = "E", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    epochs: Option<u32>,
    /// Threads to work on [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let threads = args.threads.map_or(0, usize::from);
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::input)?;
    let (users, districts, epochs) = match args.experiment.as_str() {
        "1a" => (100, 1, 100),
        "1c" => (100, 100, 100),
        "2a" | "2b" | "2c" | "2d" => (100, 10, 500),
        "6" => (10_000, 10, 1),
        "7" => (1_000, 10, 1),
        _ => (100, 10, 100),
    };
    let single = matches!(args.experiment.as_str(), "6" | "7");
    let params = run::Params {
        experiment: args.experiment.clone(),
        users: args.users.unwrap_or(users),
        districts: args.districts.unwrap_or(districts),
        epochs: if single { 1 } else { args.epochs.unwrap_or(epochs) },
        threads: pool.current_num_threads(),
    };
    let bars = Bars::new();
    let recorder = pool.install(|| run::experiment(&params, &bars));
    wire::Progress::finish(&bars);
    recorder?.report("table", params, output);
    Ok(())
}
