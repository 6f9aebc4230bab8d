//! cpSNARK-Set.

use ::snark::{
    groth16::insecure_dealer,
    set_membership::{
        ElementKind, ElementSet, Opening, Parameters, Prover, Relation, SetFile as _, SetVerifier,
        Value,
    },
};
use algebra::{Bls12381, Scalar as _};
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng as _, UnwrapErr};
use wire::Progress as _;

use super::{Args, Params};
use crate::{bench::recorder::Recorder, failure::Failure, progress::Bars};

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
