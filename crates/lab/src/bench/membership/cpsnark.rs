//! cpSNARK-Set.

use ::snark::{
    groth16::insecure_dealer,
    set_membership::{
        ElementKind, ElementSet, Opening, Parameters, Prover, Relation, SetFile as _, SetVerifier,
        Value,
    },
};
use algebra::{Bls12381, Scalar as _};
use cli::{failure::Failure, progress::Bars};
use getrandom::SysRng;
use integer::Order;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng as _, UnwrapErr};
use rayon::prelude::*;
use wire::Progress as _;

use super::args::{Args, Params};
use crate::bench::recorder::Recorder;

/// The rows in the order in which they are measured.
pub fn run(args: &Args, bars: &Bars) -> Result<(Recorder, Params), Failure> {
    let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
    let (mut recorder, parameters) = (Recorder::new(), Parameters::rsa_2048());
    let (count, repeat) = (u64::from(args.n), args.repeat);
    let values: Vec<Value> = (0..count).map(Value::from_u64).collect();
    let kind = ElementKind::Hashed;

    bars.begin("hash to primes", count);
    let set = recorder.measure("hash", count, 1, || ElementSet::new(kind, &values));
    let set = set.map_err(Failure::input)?;
    bars.begin("accumulate", count);
    let accumulator = recorder.measure("accumulate", count, 1, || set.accumulate(&parameters));
    let index = values.len() / 2;
    let missing = || Failure::input("no such element");
    bars.begin("one witness", 1);
    recorder.measure("witness", 1, 1, || set.witness(&parameters, index)).ok_or_else(missing)?;
    bars.begin("all witnesses", count);
    let witnesses = recorder.measure("witnesses", count, 1, || set.witnesses(&parameters));
    let witness = witnesses.get(index).ok_or_else(missing)?;

    bars.begin("setup", 1);
    let system = kind.constraint_system();
    let constraints = system.header().constraints;
    let key = recorder
        .measure("setup", constraints.into(), 1, || insecure_dealer::<Bls12381>(&system, &mut rng));
    let key = key.map_err(Failure::input)?;
    let prover = Prover::new(parameters.clone(), kind, key).map_err(Failure::input)?;

    bars.begin("prove", 1);
    let value = *values.get(index).ok_or_else(missing)?;
    let opening = Opening::random(value, &mut rng);
    let proof = recorder.measure("prove", 1, repeat, || {
        prover.prove_membership(&accumulator, &opening, witness, &mut rng)
    });
    let proof = proof.map_err(Failure::refused)?;
    bars.begin("verify", 1);
    let verifier = SetVerifier::new(parameters.clone(), prover.key().clone());
    let (verifier, commitment) =
        (verifier.map_err(Failure::input)?, opening.commitment(&parameters));
    recorder
        .measure("verify", 1, repeat.max(10), || {
            verifier.verify(Relation::Member, &accumulator, &commitment, &proof)
        })
        .map_err(Failure::refused)?;

    recorder.size("proof_bytes", proof.to_file(&parameters).len());
    recorder.size("accumulator_bytes", accumulator.to_file(&parameters).len());
    absence(args, &mut recorder, &parameters, bars)?;
    let params = Params {
        system: args.system,
        curve: "bls12381",
        n: args.n,
        depth: None,
        parties: None,
        constraints,
        threads: rayon::current_num_threads(),
        repeat,
    };
    Ok((recorder, params))
}

/// The rows of a value that is not in a set of primes. There is no quicker way to the witnesses of many
/// such values: each takes a power with the whole set in its exponent.
fn absence(
    args: &Args,
    recorder: &mut Recorder,
    parameters: &Parameters,
    bars: &Bars,
) -> Result<(), Failure> {
    let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
    let (count, repeat, kind) = (u64::from(args.n), args.repeat, ElementKind::Prime);
    bars.begin("draw primes", count + 1);
    // One more than are in the set.
    let primes: Result<Vec<Value>, Failure> = (0..=count).into_par_iter().map(prime).collect();
    let primes = primes?;
    let (other, members) = primes.split_last().ok_or_else(|| Failure::input("no primes"))?;
    bars.begin("test primes", count);
    let set = recorder.measure("absence-primes", count, 1, || ElementSet::new(kind, members));
    let set = set.map_err(Failure::input)?;
    bars.begin("accumulate primes", count);
    let accumulator =
        recorder.measure("absence-accumulate", count, 1, || set.accumulate(parameters));
    bars.begin("one witness of absence", 1);
    let witness = recorder.measure("absence-witness", 1, 1, || set.absence(parameters, other));
    let witness = witness.map_err(Failure::refused)?;

    bars.begin("setup for absence", 1);
    let system = kind.constraint_system();
    let constraints = system.header().constraints.into();
    let key = recorder.measure("absence-setup", constraints, 1, || {
        insecure_dealer::<Bls12381>(&system, &mut rng)
    });
    let prover = Prover::new(parameters.clone(), kind, key.map_err(Failure::input)?);
    let prover = prover.map_err(Failure::input)?;
    bars.begin("prove absence", 1);
    let opening = Opening::random(*other, &mut rng);
    let proof = recorder.measure("absence-prove", 1, repeat, || {
        prover.prove_absence(&accumulator, &opening, &witness, &mut rng)
    });
    let proof = proof.map_err(Failure::refused)?;
    bars.begin("verify absence", 1);
    let verifier = SetVerifier::new(parameters.clone(), prover.key().clone());
    let (verifier, commitment) =
        (verifier.map_err(Failure::input)?, opening.commitment(parameters));
    recorder
        .measure("absence-verify", 1, repeat.max(10), || {
            verifier.verify(Relation::Absent, &accumulator, &commitment, &proof)
        })
        .map_err(Failure::refused)?;
    recorder.size("absence_proof_bytes", proof.to_file(parameters).len());
    Ok(())
}

/// A prime of 252 bits: the one that a number hashes to.
fn prime(number: u64) -> Result<Value, Failure> {
    let prime = ElementKind::Hashed.prime(&Value::from_u64(number)).map_err(Failure::input)?;
    let mut bytes = [0; 32];
    bytes.iter_mut().zip(prime.to_digits(Order::Lsf)).for_each(|(byte, digit)| *byte = digit);
    Value::decode(&bytes).map_err(Failure::input)
}
