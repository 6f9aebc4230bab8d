//! `subrosa-lab bench conv`, `fpm` and `mult`: the program of the paper on low-bandwidth mixed
//! arithmetic, with its options, its phases and its JSON, for our protocols.

mod args;
mod network;
mod relay;
mod report;
mod run;

use ::vole::{Converter, ParameterSet, Setup};
use clap::{Args, ValueEnum, builder::PossibleValuesParser};

use self::{
    args::{CommonArgs, PartyName},
    run::Task,
};
use cli::{failure::Failure, output::Output};

/// How numbers and bits are brought together.
#[derive(Args)]
struct ProtocolArgs {
    /// The protocol.
    #[arg(long, value_name = "NAME", default_value = Converter::GENERATOR.name(),
          value_parser = PossibleValuesParser::new(Converter::NAMED.map(|(name, _)| name)))]
    protocol: String,
}

impl ProtocolArgs {
    fn converter(&self) -> Converter {
        let mut named = Converter::NAMED.into_iter();
        named
            .find(|(name, _)| *name == self.protocol)
            .map_or_else(Converter::default, |(_, converter)| converter)
    }
}

/// The field of the values.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FieldName {
    /// p = 2^61 - 1.
    F61p,
}

/// Options of `conv`.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub struct ConvArgs {
    #[command(flatten)]
    protocol: ProtocolArgs,
    /// The field of the values.
    #[arg(short, long, value_enum, default_value = "f61p")]
    field: FieldName,
    /// How many numbers.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 21))]
    num: u32,
    /// Bits of each.
    #[arg(short, long, value_name = "BITS", value_parser = clap::value_parser!(u8).range(1..=60))]
    bit_size: u8,
    #[command(flatten)]
    common: CommonArgs,
}

/// Options of `fpm`.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub struct FpmArgs {
    #[command(flatten)]
    protocol: ProtocolArgs,
    /// The field of the values.
    #[arg(short, long, value_enum, default_value = "f61p")]
    field: FieldName,
    /// How many products.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    num: u32,
    /// Integer bits of a product.
    #[arg(short = 'b', long, value_name = "BITS", default_value = "30",
          value_parser = clap::value_parser!(u8).range(1..=60))]
    integer_size: u8,
    /// Fraction bits.
    #[arg(short = 's', long, value_name = "BITS", default_value = "15",
          value_parser = clap::value_parser!(u8).range(0..=29))]
    fraction_size: u8,
    #[command(flatten)]
    common: CommonArgs,
}

/// Options of `mult`.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub struct MultArgs {
    /// The field of the values.
    #[arg(short, long, value_enum, default_value = "f61p")]
    field: FieldName,
    /// How many products.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 22))]
    num: u32,
    #[command(flatten)]
    common: CommonArgs,
}

/// Runs `conv`.
pub fn conv(args: &ConvArgs, output: &Output) -> Result<(), Failure> {
    let FieldName::F61p = args.field;
    let (num, width) = (args.num as usize, usize::from(args.bit_size));
    run(&args.common, args.protocol.converter(), Task::Conversion { num, width }, output)
}

/// Runs `fpm`.
pub fn fpm(args: &FpmArgs, output: &Output) -> Result<(), Failure> {
    let FieldName::F61p = args.field;
    let [integer, fraction] = [args.integer_size, args.fraction_size].map(usize::from);
    if integer + 2 * fraction > 60 {
        return Err(Failure::input(format!(
            "a product has {integer} integer and twice {fraction} fraction bits, over 60"
        ))
        .hint("choose a smaller --integer-size or --fraction-size"));
    }
    let task = Task::FixedPoint { num: args.num as usize, integer, fraction };
    run(&args.common, args.protocol.converter(), task, output)
}

/// Runs `mult`.
pub fn mult(args: &MultArgs, output: &Output) -> Result<(), Failure> {
    let FieldName::F61p = args.field;
    let task = Task::Multiplication { num: args.num as usize };
    run(&args.common, Converter::default(), task, output)
}

fn run(
    common: &CommonArgs,
    converter: Converter,
    task: Task,
    output: &Output,
) -> Result<(), Failure> {
    let mut sets = ParameterSet::ALL.into_iter();
    // The option takes the names of sets only.
    let correlations = sets.find(|set| set.id() == common.parameters).unwrap_or_default();
    let setup = Setup { correlations, converter, ..Setup::default() };
    let mut of_prover = Vec::new();
    let mut of_verifier = Vec::new();
    for _ in 0..common.repetitions {
        let (prover, verifier) = match common.party {
            PartyName::Both => {
                let (prover, verifier) = run::both(common.network.pair()?, setup, task)?;
                (Some(prover), Some(verifier))
            }
            PartyName::Prover => {
                (Some(run::prover(common.network.open(output)?, setup, task)?), None)
            }
            PartyName::Verifier => {
                (None, Some(run::verifier(common.network.open(output)?, setup, task)?))
            }
        };
        of_prover.extend(prover);
        of_verifier.extend(verifier);
    }
    let output = &Output::new(output.is_json() || common.json);
    for (role, samples) in [("prover", of_prover), ("verifier", of_verifier)] {
        if !samples.is_empty() {
            report::print(common, setup, task, role, &samples, output);
        }
    }
    Ok(())
}
