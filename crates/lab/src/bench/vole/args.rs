//! The options of all three.

use ::vole::ParameterSet;
use clap::{ArgAction, Args, ValueEnum, builder::PossibleValuesParser};
use serde::Serialize;

use super::network::NetworkArgs;

/// Who runs in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
pub enum PartyName {
    /// The prover; the verifier runs elsewhere.
    Prover,
    /// The verifier; the prover runs elsewhere.
    Verifier,
    /// Both, each in a thread of its own.
    Both,
}

/// Options of all three.
#[derive(Args)]
pub struct CommonArgs {
    /// Who runs in this process.
    #[arg(short = 'P', long, value_enum, default_value = "both")]
    pub(super) party: PartyName,
    /// How many times to run.
    #[arg(short, long, value_name = "N", default_value = "1",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) repetitions: u32,
    /// How correlations are made.
    #[arg(long, value_name = "ID", default_value = ParameterSet::default().id(),
          value_parser = PossibleValuesParser::new(ParameterSet::ALL.map(ParameterSet::id)))]
    pub(super) parameters: String,
    #[command(flatten)]
    pub(super) network: NetworkArgs,
    /// Print one JSON object for machines, as --json.
    #[arg(short = 'j', id = "short_json")]
    pub(super) json: bool,
    /// Print help.
    #[arg(long, action = ArgAction::Help)]
    pub(super) help: Option<bool>,
}
