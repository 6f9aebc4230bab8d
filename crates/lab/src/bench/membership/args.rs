//! The options, and what the bench ran with.

use clap::ValueEnum;
use serde::Serialize;

use crate::bench::{repetitions::repetitions, threads::ThreadsArgs};

/// A proof of set membership.
#[derive(Clone, Copy, Debug, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum System {
    /// A commitment holds a value of a set: Groth16 over a Poseidon tree.
    Merkle,
    /// A value is held by a commitment of a set: Groth16 over a Poseidon tree.
    MerkleRsm,
    /// The relation of `merkle`, proven by `--parties` provers who share the witness.
    Collaborative,
    /// A commitment holds a value of a set: cpSNARK-Set, with an RSA accumulator.
    Cpsnark,
}

/// Options of `membership`.
#[derive(clap::Args)]
pub struct Args {
    /// The relation and its proof.
    #[arg(long, value_enum, default_value = "merkle")]
    pub(super) system: System,
    /// Elements of the set.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    pub(super) n: u32,
    /// Provers of `collaborative`.
    #[arg(
        long,
        value_name = "M",
        default_value_t = 2,
        value_parser = clap::value_parser!(u16).range(2..=16)
    )]
    pub(super) parties: u16,
    #[command(flatten)]
    pub(super) threads: ThreadsArgs,
    /// How often to repeat `prove` and `verify`; the median is reported.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = repetitions())]
    pub(super) repeat: u32,
}

/// What the bench ran with.
#[derive(Debug, Serialize)]
pub struct Params {
    pub(super) system: System,
    pub(super) curve: &'static str,
    pub(super) n: u32,
    /// Levels of the tree, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) depth: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parties: Option<u16>,
    pub(super) constraints: u32,
    pub(super) threads: usize,
    pub(super) repeat: u32,
}
