//! `peer groth16 CONSTRAINTS`: ark-groth16 on the circuit of `subrosa-lab bench snark --circuit dense`.
//! `peer range VALUES`: an aggregated range proof of 32-bit values, by bulletproofs.
//! In the rows of `subrosa-lab bench`.

use std::{env, process::ExitCode, time::Instant};

use ark_bn254::{Bn254, Fr};
use ark_groth16::Groth16;
use ark_relations::{
    gr1cs::{ConstraintSynthesizer, ConstraintSystemRef, SynthesisError, Variable},
    lc,
};
use ark_snark::SNARK;
use bulletproofs::{BulletproofGens, PedersenGens, RangeProof};
use cpu_time::ProcessTime;
use curve25519_dalek::scalar::Scalar;
use merlin::Transcript;
use serde_json::{Value, json};

/// Repetitions of what takes milliseconds.
const REPEAT: u32 = 10;

#[derive(Default)]
struct Rows(Vec<Value>);

impl Rows {
    /// Times work that is done `repeat` times, and reports one of them.
    fn measure<T>(&mut self, name: &str, count: u64, repeat: u32, work: impl Fn() -> T) -> T {
        let (clock, cpu) = (Instant::now(), ProcessTime::now());
        let mut result = work();
        for _ in 1..repeat {
            result = work();
        }
        let each = |seconds: f64| seconds * 1e3 / f64::from(repeat);
        let wall_ms = each(clock.elapsed().as_secs_f64());
        let cpu_ms = each(cpu.elapsed().as_secs_f64());
        let row = json!({ "name": name, "count": count, "wall_ms": wall_ms, "cpu_ms": cpu_ms });
        self.0.push(row);
        result
    }
}

/// `x_{i+1} = x_i · (x_i + i)`, with the last public.
#[derive(Clone, Copy)]
struct Dense {
    constraints: u64,
}

impl Dense {
    fn values(self) -> Vec<Fr> {
        let mut x = Fr::from(3u64);
        let mut values = vec![x];
        for index in 1..self.constraints {
            x *= x + Fr::from(index);
            values.push(x);
        }
        values
    }
}

impl ConstraintSynthesizer<Fr> for Dense {
    fn generate_constraints(self, cs: ConstraintSystemRef<Fr>) -> Result<(), SynthesisError> {
        let values = self.values();
        let last = values.last().copied().ok_or(SynthesisError::AssignmentMissing)?;
        let public = cs.new_input_variable(|| Ok(last))?;
        let wires = values.iter().map(|value| cs.new_witness_variable(|| Ok(*value)));
        let wires = wires.collect::<Result<Vec<_>, _>>()?;
        for (index, pair) in wires.windows(2).enumerate() {
            let shift = Fr::from(index as u64 + 1);
            let (x, next) = (pair[0], pair[1]);
            let shifted = lc!() + x + (shift, Variable::One);
            cs.enforce_r1cs_constraint(|| lc!() + x, || shifted.clone(), || lc!() + next)?;
        }
        let end = wires.last().copied().ok_or(SynthesisError::AssignmentMissing)?;
        cs.enforce_r1cs_constraint(|| lc!() + end, || lc!() + Variable::One, || lc!() + public)
    }
}

fn groth16(constraints: u64) -> Result<(Rows, Value), String> {
    let said = |error: SynthesisError| error.to_string();
    let circuit = Dense { constraints };
    let mut rows = Rows::default();
    let setup = || Groth16::<Bn254>::circuit_specific_setup(circuit, &mut rand::thread_rng());
    let (key, verifying_key) = rows.measure("setup", constraints, 1, setup).map_err(said)?;
    let prove = || Groth16::<Bn254>::prove(&key, circuit, &mut rand::thread_rng());
    let proof = rows.measure("prove", constraints, 1, prove).map_err(said)?;
    let inputs: Vec<Fr> = circuit.values().last().copied().into_iter().collect();
    let prepared = Groth16::<Bn254>::process_vk(&verifying_key).map_err(said)?;
    let verify = || Groth16::<Bn254>::verify_with_processed_vk(&prepared, &inputs, &proof);
    if !rows.measure("verify", 1, REPEAT, verify).map_err(said)? {
        return Err("its own proof does not verify".to_owned());
    }
    Ok((rows, json!({ "curve": "bn128", "constraints": constraints })))
}

fn range(count: u64) -> Result<(Rows, Value), String> {
    let said = |error: bulletproofs::ProofError| error.to_string();
    let values: Vec<u64> = (0..count).map(|index| (index * 0x9e37_79b9) & 0xffff_ffff).collect();
    let blindings: Vec<Scalar> =
        values.iter().map(|_| Scalar::random(&mut rand::thread_rng())).collect();
    let (bases, generators) = (PedersenGens::default(), BulletproofGens::new(32, values.len()));
    let mut rows = Rows::default();
    let prove = || {
        let mut transcript = Transcript::new(b"peer");
        RangeProof::prove_multiple(&generators, &bases, &mut transcript, &values, &blindings, 32)
    };
    let (proof, commitments) = rows.measure("prove", count, 1, prove).map_err(said)?;
    let verify = || {
        let mut transcript = Transcript::new(b"peer");
        proof.verify_multiple(&generators, &bases, &mut transcript, &commitments, 32)
    };
    rows.measure("verify", count, REPEAT, verify).map_err(said)?;
    Ok((rows, json!({ "bits": 32, "values": count })))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let done = match arguments.as_slice() {
        [name, size] => match (name.as_str(), size.parse()) {
            ("groth16", Ok(size @ 2..=0x400_0000)) => groth16(size),
            ("range", Ok(size @ 1..=0x1_0000)) => range(size),
            _ => Err("usage: peer groth16 CONSTRAINTS | peer range VALUES".to_owned()),
        },
        _ => Err("usage: peer groth16 CONSTRAINTS | peer range VALUES".to_owned()),
    };
    match done {
        Ok((Rows(rows), params)) => {
            println!("{}", json!({ "bench": "arkworks", "params": params, "rows": rows, "sizes": {} }));
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::from(2)
        }
    }
}
