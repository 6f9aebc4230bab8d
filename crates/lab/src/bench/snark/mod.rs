//! `subrosa-lab bench snark`: a proof system on a circuit.

mod gm17;
mod groth16;
mod plan;
mod sonic;
mod unhelped;

pub use groth16::copies;

use algebra::{Bls12381, Bn254, Engine, Scalar, ScalarOf};
use circuit::{
    Curve,
    gadgets::Blake2sPreimage,
    synthesis::{Circuit, Linear, Synthesizer},
};
use clap::ValueEnum;
use cli::{CurveName, System, failure::Failure, output::Output};
use serde::Serialize;

use super::{recorder::Recorder, repetitions::repetitions, threads::ThreadsArgs};
use plan::{Plan, Size};

/// A circuit to measure with.
#[derive(Clone, Copy, Debug, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// Knowledge of a message with a given BLAKE2s hash: almost all wires are bits.
    Blake2s,
    /// A chain of multiplications: almost all wires are full-size numbers.
    Dense,
}

/// Options of `snark`.
#[derive(clap::Args)]
pub struct Args {
    /// The proof system.
    #[arg(long, value_enum, default_value = "groth16")]
    system: System,
    /// The circuit.
    #[arg(long, value_enum, default_value = "blake2s")]
    circuit: Kind,
    /// Bytes of the message that `blake2s` hashes.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 64,
        value_parser = clap::value_parser!(u32).range(1..=1 << 20)
    )]
    bytes: u32,
    /// Constraints of `dense`.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 65_530,
        value_parser = clap::value_parser!(u32).range(2..=1 << 26)
    )]
    constraints: u32,
    /// Proofs that are verified, advised on or aggregated together [default: 100; with Sonic, which
    /// proves anew for each, 5].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    batch: Option<u32>,
    /// Sonic: also measure an aggregate with an opening for each proof, as the paper has it.
    #[arg(long)]
    per_proof: bool,
    /// Sonic: also measure a proof of Groth16 of the same circuit, in the same run.
    #[arg(long)]
    peer: bool,
    /// The curve.
    #[arg(long, value_enum, default_value = "bn254")]
    curve: CurveName,
    #[command(flatten)]
    threads: ThreadsArgs,
    /// How often to repeat all rows but `setup`; the median is reported.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = repetitions())]
    repeat: u32,
}

impl Args {
    fn batch(&self) -> u32 {
        self.batch.unwrap_or(if matches!(self.system, System::Sonic) { 5 } else { 100 })
    }
}

/// What the bench ran with.
#[derive(Debug, Serialize)]
struct Params {
    system: System,
    circuit: Kind,
    curve: &'static str,
    bytes: Option<u32>,
    constraints: u32,
    wires: u32,
    #[serde(flatten)]
    size: Size,
    batch: u32,
    threads: usize,
    repeat: u32,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let pool = args.threads.pool()?;
    let measured = pool.install(|| match args.curve.curve() {
        Curve::Bn254 => measure::<Bn254>(args),
        Curve::Bls12381 => measure::<Bls12381>(args),
    });
    let (recorder, params) = measured?;
    recorder.report("snark", params, output);
    Ok(())
}

fn measure<E: Engine>(args: &Args) -> Result<(Recorder, Params), Failure> {
    match args.circuit {
        Kind::Blake2s => {
            let circuit = Blake2sPreimage::new(vec![0x5a; args.bytes as usize]);
            measure_circuit::<E>(args, &circuit)
        }
        Kind::Dense => measure_circuit::<E>(args, &Dense { constraints: args.constraints }),
    }
}

/// The rows of the system, and what it ran with.
fn measure_circuit<E: Engine>(
    args: &Args,
    circuit: &impl Circuit<ScalarOf<E>>,
) -> Result<(Recorder, Params), Failure> {
    let mut recorder = Recorder::new();
    let system = circuit.constraint_system();
    let header = system.header();
    let Args { repeat, per_proof, peer, .. } = *args;
    let plan = Plan { batch: args.batch(), repeat, per_proof, peer };
    let size = match args.system {
        System::Groth16 => groth16::measure::<E>(system, circuit, plan, &mut recorder)?,
        System::Gm17 => gm17::measure::<E>(system, circuit, plan, &mut recorder)?,
        System::Sonic => sonic::measure::<E>(system, circuit, plan, &mut recorder)?,
        System::SonicUnhelped => unhelped::measure::<E>(system, circuit, plan, &mut recorder)?,
    };
    let is_blake2s = matches!(args.circuit, Kind::Blake2s);
    let params = Params {
        system: args.system,
        circuit: args.circuit,
        curve: args.curve.curve().snarkjs_name(),
        bytes: is_blake2s.then_some(args.bytes),
        constraints: header.constraints,
        wires: header.wires,
        size,
        batch: plan.batch,
        threads: rayon::current_num_threads(),
        repeat: args.repeat,
    };
    Ok((recorder, params))
}

/// `x_{i+1} = x_i · (x_i + i)`, with the last public.
struct Dense {
    constraints: u32,
}

impl<S: Scalar> Circuit<S> for Dense {
    fn synthesize(&self, cs: &mut Synthesizer<S>) {
        let mut x = cs.private(S::from_u64(3));
        for index in 1..self.constraints {
            let shifted = &x + &Linear::constant(S::from_u64(index.into()));
            x = cs.product(&x, &shifted);
        }
        cs.expose(&x);
    }
}
