//! `subrosa-lab bench membership`: that a committed value is in a set, or a value in a set of
//! commitments.

mod args;
mod collaborative;
mod cpsnark;

use ::snark::{
    groth16::{PreparedVerifyingKey, insecure_dealer},
    membership::{CommitmentSet, Forward, Reverse, ValueSet},
};
use algebra::{Bn254, Scalar as _};
use circuit::{
    gadgets::baby_jubjub::{CommitmentKey, Fr, JubjubPoint, JubjubScalar},
    synthesis::Circuit,
};
use cli::{failure::Failure, output::Output, progress::Bars};
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, UnwrapErr};
use rayon::prelude::*;
use wire::{Encode as _, Progress as _};

pub use args::Args;

use super::recorder::Recorder;
use args::{Params, System};

/// Proofs in the row `verify-batch`.
const BATCH: usize = 100;

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let pool = args.threads.pool()?;
    let bars = Bars::new();
    let measured = pool.install(|| match args.system {
        System::Merkle | System::MerkleRsm => Bench::new(args).run(&bars),
        System::Collaborative => collaborative::run(args, &bars),
        System::Cpsnark => cpsnark::run(args, &bars),
    });
    bars.finish();
    let (recorder, params) = measured?;
    recorder.report("membership", params, output);
    Ok(())
}

/// What is measured, and with what.
struct Bench<'a> {
    args: &'a Args,
    depth: usize,
    commitments: CommitmentKey,
    values: Vec<JubjubScalar>,
    randomness: Vec<JubjubScalar>,
    recorder: Recorder,
    rng: ChaCha20Rng,
}

/// A set of either kind.
enum Set {
    Values(ValueSet),
    Commitments(CommitmentSet),
}

impl<'a> Bench<'a> {
    fn new(args: &'a Args) -> Self {
        let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
        let values = (0..args.n).filter_map(|v| JubjubScalar::new(Fr::from_u64(v.into())));
        let values: Vec<_> = values.collect();
        let randomness = values.iter().map(|_| JubjubScalar::random(&mut rng)).collect();
        let depth = args.n.next_power_of_two().ilog2() as usize;
        let (commitments, recorder) = (CommitmentKey::new(), Recorder::new());
        Self { args, depth, commitments, values, randomness, recorder, rng }
    }

    /// The rows in the order in which they are measured.
    fn run(mut self, bars: &Bars) -> Result<(Recorder, Params), Failure> {
        let (count, repeat, depth) = (u64::from(self.args.n), self.args.repeat, self.depth);
        bars.begin("commit", count);
        let points: Vec<JubjubPoint> = self.recorder.measure("commit", count, 1, || {
            let both = self.values.par_iter().zip(&self.randomness);
            both.map(|(value, randomness)| self.commitments.commit(value, randomness)).collect()
        });
        bars.begin("accumulate", count);
        let set = self.recorder.measure("accumulate", count, 1, || match self.args.system {
            System::MerkleRsm => CommitmentSet::new(&points, depth).map(Set::Commitments),
            _ => ValueSet::new(&self.values, depth).map(Set::Values),
        });
        let set = set.ok_or_else(|| Failure::input("the set is too large"))?;

        bars.begin("setup", 1);
        let system = match self.args.system {
            System::MerkleRsm => Reverse::blank(&self.commitments, depth).constraint_system(),
            _ => Forward::blank(&self.commitments, depth).constraint_system(),
        };
        let constraints = system.header().constraints;
        let rng = &mut self.rng;
        let key = self.recorder.measure("setup", constraints.into(), 1, || {
            insecure_dealer::<Bn254>(&system, rng).map_err(Failure::input)
        })?;

        bars.begin("prove", 1);
        let index = self.values.len() / 2;
        let (public, proof) = {
            let missing = || Failure::input("no such element");
            let value = self.values.get(index).ok_or_else(missing)?;
            let r = self.randomness.get(index).ok_or_else(missing)?;
            let point = points.get(index).ok_or_else(missing)?;
            let (commitments, rng) = (&self.commitments, &mut self.rng);
            self.recorder.measure("prove", 1, repeat, || {
                let (public, witness) = match &set {
                    Set::Values(set) => {
                        let path = set.path(index).ok_or_else(missing)?;
                        let public = Forward::public(point, set.root());
                        (public, Forward::new(commitments, value, r, path).witness())
                    }
                    Set::Commitments(set) => {
                        let path = set.path(index).ok_or_else(missing)?;
                        let public = Reverse::public(value, set.root());
                        (public, Reverse::new(commitments, value, r, path).witness())
                    }
                };
                let proof = key.prove(&witness, rng).map_err(Failure::refused)?;
                Ok::<_, Failure>((public, proof))
            })?
        };

        bars.begin("verify", 1);
        let verifier = PreparedVerifyingKey::new(key.verifying_key()).map_err(Failure::input)?;
        self.recorder.measure("verify", 1, repeat.max(10), || {
            verifier.verify(&public, &proof).map_err(Failure::refused)
        })?;
        let proofs = crate::bench::snark::copies(&key, &proof, BATCH as u32, &mut self.rng)?;
        let batch: Vec<_> = proofs.into_iter().map(|proof| (&public[..], proof)).collect();
        let rng = &mut self.rng;
        self.recorder.measure("verify-batch", BATCH as u64, repeat, || {
            verifier.verify_batch(&batch, rng).map_err(Failure::refused)
        })?;

        self.recorder.size("proof_bytes", proof.to_bytes().len());
        let params = Params {
            system: self.args.system,
            curve: "bn128",
            n: self.args.n,
            depth: Some(depth),
            parties: None,
            constraints,
            threads: rayon::current_num_threads(),
            repeat,
        };
        Ok((self.recorder, params))
    }
}
