//! On how many threads a bench works.

use cli::failure::Failure;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Threads of a bench.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct ThreadsArgs {
    /// Threads to work on [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl ThreadsArgs {
    /// The threads.
    pub fn pool(self) -> Result<ThreadPool, Failure> {
        let threads = self.threads.map_or(0, usize::from);
        ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::input)
    }
}
