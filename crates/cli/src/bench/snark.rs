//! `subrosa bench snark`: a proof system on a circuit.

use ::snark::groth16::{PreparedVerifyingKey, Proof, ProvingKey, insecure_dealer};
use algebra::{Bls12381, Bn254, Engine, Scalar, ScalarOf};
use circuit::{
    Curve,
    gadgets::Blake2sPreimage,
    synthesis::{Circuit, Linear, Synthesizer},
};
use clap::ValueEnum;
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, UnwrapErr};
use rayon::ThreadPoolBuilder;
use serde::Serialize;
use wire::{Encode as _, Progress as _};

use super::recorder::Recorder;
use crate::{ceremony::CurveName, failure::Failure, output::Output, progress::Bars, snark::System};

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
    /// Proofs in the row `verify-batch`.
    #[arg(
        long,
        value_name = "K",
        default_value_t = 100,
        value_parser = clap::value_parser!(u32).range(1..=1 << 20)
    )]
    batch: u32,
    /// The curve.
    #[arg(long, value_enum, default_value = "bn254")]
    curve: CurveName,
    /// Threads to work on [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// How often to repeat all rows but `setup`; the median is reported.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    repeat: u32,
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
    domain_size: usize,
    batch: u32,
    threads: usize,
    repeat: u32,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let threads = args.threads.map_or(0, usize::from);
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::input)?;
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

/// The rows in the order in which they are measured; counts are constraints, and proofs where
/// proofs are verified.
fn measure_circuit<E: Engine>(
    args: &Args,
    circuit: &impl Circuit<ScalarOf<E>>,
) -> Result<(Recorder, Params), Failure> {
    let (mut recorder, bars) = (Recorder::new(), Bars::new());
    let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
    let system = circuit.constraint_system();
    let header = system.header();
    let constraints = u64::from(header.constraints);

    bars.begin("setup", 1);
    let key = recorder.measure("setup", constraints, 1, || {
        insecure_dealer::<E>(&system, &mut rng).map_err(Failure::input)
    })?;
    drop(system);

    bars.begin("prove", 1);
    let witness = recorder.measure("witness", constraints, args.repeat, || circuit.witness());
    let proof = recorder.measure("prove", constraints, args.repeat, || {
        key.prove(&witness, &mut rng).map_err(Failure::refused)
    })?;

    bars.begin("verify", 1);
    let public = witness.get(1..=key.public()).unwrap_or_default();
    let verifier = PreparedVerifyingKey::new(key.verifying_key()).map_err(Failure::input)?;
    recorder.measure("verify", 1, args.repeat.max(10), || {
        verifier.verify(public, &proof).map_err(Failure::refused)
    })?;
    let proofs = copies(&key, &proof, args.batch, &mut rng)?;
    let batch: Vec<_> = proofs.iter().map(|proof| (public, proof.clone())).collect();
    recorder.measure("verify-batch", args.batch.into(), args.repeat, || {
        verifier.verify_batch(&batch, &mut rng).map_err(Failure::refused)
    })?;
    bars.finish();

    recorder.size("proof_bytes", proof.to_bytes().len());
    let is_blake2s = matches!(args.circuit, Kind::Blake2s);
    let params = Params {
        system: args.system,
        circuit: args.circuit,
        curve: args.curve.curve().snarkjs_name(),
        bytes: is_blake2s.then_some(args.bytes),
        constraints: header.constraints,
        wires: header.wires,
        domain_size: key.domain_size(),
        batch: args.batch,
        threads: rayon::current_num_threads(),
        repeat: args.repeat,
    };
    Ok((recorder, params))
}

/// Different proofs of one statement, at the price of a few multiplications each.
pub(super) fn copies<E: Engine>(
    key: &ProvingKey<E>,
    proof: &Proof<E>,
    count: u32,
    rng: &mut ChaCha20Rng,
) -> Result<Vec<Proof<E>>, Failure> {
    let copy = |_| ::snark::groth16::rerandomise(key.verifying_key(), proof, rng);
    (0..count).map(copy).collect::<Result<_, _>>().map_err(Failure::refused)
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
