//! `subrosa-lab bench`.

mod ceremony;
mod groups;
pub mod machine;
mod membership;
mod recorder;
mod repetitions;
mod serve;
mod shuffle;
mod snark;
mod table;
mod threads;
pub mod trace;
mod vole;

use clap::Subcommand;
use cli::{failure::Failure, output::Output};

/// What can be measured.
#[derive(Subcommand)]
pub enum Command {
    /// Measure a proof of shuffle: every step from the generators to the decrypted messages.
    Shuffle(shuffle::Args),
    /// Measure a ceremony: a turn and its verification in both phases, and the preparation.
    Ceremony(ceremony::Args),
    /// Measure operations of the pairing groups, beside other libraries.
    Groups(groups::Args),
    /// Measure a succinct proof system on a circuit: key, proof, verification alone and in batches.
    Snark(snark::Args),
    /// Measure proofs of set membership: the accumulator, the proof, its verification.
    Membership(membership::Args),
    /// Measure a traceable mixnet: mixing, then a full query in each direction.
    Trace(trace::Args),
    /// Measure transparent tables: the experiments of the artifact of TAP.
    Table(table::Args),
    /// Measure a table's server under the look-ups of many users at once.
    Serve(serve::Args),
    #[command(hide = true)]
    Server(serve::ServerArgs),
    /// Measure conversions between bits and integers, between a prover and one verifier.
    Conv(vole::ConvArgs),
    /// Measure fixed-point products, between a prover and one verifier.
    Fpm(vole::FpmArgs),
    /// Measure products, between a prover and one verifier.
    Mult(vole::MultArgs),
}

/// Runs the command.
pub fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Shuffle(args) => shuffle::run(&args, output),
        Command::Ceremony(args) => ceremony::run(&args, output),
        Command::Groups(args) => groups::run(&args, output),
        Command::Snark(args) => snark::run(&args, output),
        Command::Membership(args) => membership::run(&args, output),
        Command::Trace(args) => trace::run(&args, output),
        Command::Table(args) => table::run(&args, output),
        Command::Serve(args) => serve::run(&args, output),
        Command::Server(args) => cli::serve(&args.config, output),
        Command::Conv(args) => vole::conv(&args, output),
        Command::Fpm(args) => vole::fpm(&args, output),
        Command::Mult(args) => vole::mult(&args, output),
    }
}
