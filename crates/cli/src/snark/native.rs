//! Keys, proofs and reference strings in this program's own formats, of GM17 and Sonic.

use std::{
    fmt::Display,
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use ::circuit::{Curve, json::public_from_json, synthesis::ConstraintSystem};
use ::snark::{FileFormat, gm17, pairing_of, sonic};
use algebra::{Bls12381, Bn254, Engine, Pairing, ScalarOf};
use chacha20::ChaCha20Rng;
use getrandom::SysRng;
use rand_core::{SeedableRng as _, UnwrapErr};
use serde_json::json;
use wire::Digest;

use super::{
    circuit::{BuiltInArgs, CircuitArgs, WitnessArgs, system},
    files::read_text,
    report::{Made, Results, SonicCircuit, verified},
};
use crate::{
    failure::Failure,
    output::{self, Output},
};

/// More than the proving key of any circuit that fits into memory.
const MAX_KEY_LEN: u64 = 1 << 38;
/// More than any header.
const HEAD_LEN: u64 = 64;

/// The curve of a file.
pub fn curve_of(path: &Path) -> Result<Curve, Failure> {
    let mut head = Vec::new();
    let file = File::open(path).map_err(|error| Failure::file(path, error))?;
    file.take(HEAD_LEN).read_to_end(&mut head).map_err(|error| Failure::file(path, error))?;
    match pairing_of(&head).map_err(|error| Failure::file(path, error))? {
        name if name == <Bn254 as Pairing>::NAME => Ok(Curve::Bn254),
        name if name == <Bls12381 as Pairing>::NAME => Ok(Curve::Bls12381),
        name => Err(Failure::file(path, format!("it is over {name}, an unknown curve"))),
    }
}

/// Requires an option that other systems do without.
pub fn required<'a>(option: Option<&'a PathBuf>, name: &str) -> Result<&'a Path, Failure> {
    let missing =
        || Failure::input(format!("`{name}` is missing")).hint("this proof system needs it");
    option.map(PathBuf::as_path).ok_or_else(missing)
}

/// A file of this program's own.
pub fn read<E: Engine, T: FileFormat<E>>(path: &Path) -> Result<T, Failure> {
    let bytes =
        wire::read_bounded(path, MAX_KEY_LEN).map_err(|error| Failure::file(path, error))?;
    T::from_file(&bytes).map_err(|error| Failure::file(path, error))
}

/// Creates a file of this program's own.
pub fn write<E: Engine, T: FileFormat<E>>(path: &Path, value: &T) -> Result<usize, Failure> {
    let bytes = value.to_file();
    wire::write_new(path, &bytes).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::file(path, "already exists").hint("name another file")
        }
        _ => Failure::file(path, error),
    })?;
    Ok(bytes.len())
}

/// From the operating system.
pub fn randomness() -> ChaCha20Rng {
    ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng))
}

fn square_program<E: Engine>(
    system: &ConstraintSystem<ScalarOf<E>>,
) -> Result<gm17::SquareProgram<ScalarOf<E>>, Failure> {
    let rows = system.constraints().iter().cloned();
    gm17::SquareProgram::from_r1cs(&system.header(), rows).map_err(Failure::input)
}

/// The circuit in Sonic's form.
pub fn gate_system<E: Engine>(
    system: &ConstraintSystem<ScalarOf<E>>,
) -> Result<sonic::GateSystem<ScalarOf<E>>, Failure> {
    let rows = system.constraints().iter().cloned();
    sonic::GateSystem::from_r1cs(&system.header(), rows).map_err(Failure::input)
}

/// What a circuit takes of a reference string.
pub fn sonic_srs<E: Engine>(
    gates: &sonic::GateSystem<ScalarOf<E>>,
    path: &Path,
) -> Result<sonic::Srs<E>, Failure> {
    let mut file = File::open(path).map_err(|error| Failure::file(path, error))?;
    let srs = sonic::Srs::read(gates.shape(), &mut file, &mut randomness());
    srs.map_err(|error| srs_failure(path, error))
}

/// Sonic's verification key, which must be the circuit's; with a reference string, the very one that
/// everybody makes of it and the circuit.
pub fn sonic_key<E: Engine>(
    path: &Path,
    gates: &sonic::GateSystem<ScalarOf<E>>,
    srs: Option<&Path>,
) -> Result<sonic::VerifyingKey<E>, Failure> {
    let key: sonic::VerifyingKey<E> = read::<E, _>(path)?;
    key.check_circuit(gates).map_err(|error| Failure::file(path, error))?;
    if let Some(srs) = srs {
        require_same(path, &key, &make_key(srs, gates)?)?;
    }
    Ok(key)
}

/// The verification key of a circuit under the reference string of a file.
fn make_key<E: Engine>(
    srs: &Path,
    gates: &sonic::GateSystem<ScalarOf<E>>,
) -> Result<sonic::VerifyingKey<E>, Failure> {
    let mut file = File::open(srs).map_err(|error| Failure::file(srs, error))?;
    let key = sonic::VerifyingKey::<E>::read(&mut file, gates);
    key.map_err(|error| srs_failure(srs, error))
}

/// Requires that a key is the one that was made again.
pub fn require_same<K: PartialEq>(path: &Path, key: &K, made: &K) -> Result<(), Failure> {
    match key == made {
        true => Ok(()),
        false => Err(Failure::refused(format!(
            "{}: is not the key of this circuit under this reference string",
            path.display()
        ))
        .hint("do not trust whoever made it; `subrosa snark setup` makes the right one")),
    }
}

/// What goes wrong with a reference string.
pub fn srs_failure(path: &Path, error: sonic::Error) -> Failure {
    let hint = match error {
        sonic::Error::Degree { .. } => "use the reference string of a larger ceremony",
        _ => "give the file of a Sonic ceremony",
    };
    Failure::file(path, error).hint(hint)
}

/// A reference string under which a prover's own proof does not verify.
pub fn malformed(srs: &Path, error: sonic::Error) -> Failure {
    Failure::refused(format!("{}: {error}", srs.display()))
        .hint("check the reference string with `subrosa ceremony sonic verify`")
}

/// GM17: a key for a circuit, by oneself.
pub fn setup_gm17<E: Engine>(
    circuit: &CircuitArgs,
    out: &Path,
    verification_key: &Path,
    output: &Output,
) -> Result<(), Failure> {
    let program = square_program::<E>(&circuit.system::<E>()?)?;
    let key = gm17::insecure_dealer::<E>(&program, &mut randomness()).map_err(Failure::input)?;
    let bytes = write::<E, _>(out, &key)?;
    write::<E, _>(verification_key, key.verifying_key())?;
    output.warn("whoever made this key could have kept its secrets, and could then forge proofs");
    let object = json!({
        "curve": E::SNARKJS_NAME,
        "rows": program.rows(),
        "wires": program.wires(),
        "public": program.public(),
        "bytes": bytes,
        "out": out,
        "verification_key": verification_key,
    });
    output.result(&object, || {
        let rows = output::counted(program.rows() as u64, "row", "rows");
        vec![
            format!("proving key, {rows}: {}", out.display()),
            format!("verification key: {}", verification_key.display()),
        ]
    });
    Ok(())
}

/// Sonic: the verification key of a circuit under a reference string. There is no secret.
pub fn setup_sonic<E: Engine>(
    circuit: &CircuitArgs,
    srs: &Path,
    verification_key: &Path,
    output: &Output,
) -> Result<(), Failure> {
    let gates = gate_system::<E>(&circuit.system::<E>()?)?;
    let key = make_key::<E>(srs, &gates)?;
    write::<E, _>(verification_key, &key)?;
    let circuit = sonic_circuit::<E>(&gates, key.degree(), key.circuit());
    let circuit = SonicCircuit { loose: None, ..circuit };
    circuit.show_key(key.srs(), key.digest(), verification_key, output);
    Ok(())
}

/// GM17: a proof.
pub fn prove_gm17<E: Engine>(
    witness: &WitnessArgs,
    r1cs: Option<&Path>,
    key: &Path,
    results: &Results<'_>,
    output: &Output,
) -> Result<(), Failure> {
    let program = square_program::<E>(&witness.system::<E>(r1cs)?)?;
    let wires = witness.witness::<E>(curve_of(key)?)?;
    let proving_key: gm17::ProvingKey<E> = read::<E, _>(key)?;
    let proof = gm17::prove(&proving_key, &program, &wires, &mut randomness());
    let proof = proof.map_err(|error| match error {
        gm17::Error::Unsatisfied { .. } => Failure::refused(error),
        gm17::Error::Key => Failure::refused(format!("{}: {error}", key.display())),
        other => Failure::file(key, other),
    })?;
    // `prove` has refused a witness of another length.
    let inputs = wires.get(1..=program.public()).unwrap_or_default();
    let key = proving_key.verifying_key().to_file();
    results.write::<E>(Made { proof: proof.to_file(), inputs, key, circuit: None }, output)
}

/// Sonic: a proof.
pub fn prove_sonic<E: Engine>(
    witness: &WitnessArgs,
    r1cs: Option<&Path>,
    srs: &Path,
    results: &Results<'_>,
    output: &Output,
) -> Result<(), Failure> {
    let system = witness.system::<E>(r1cs)?;
    let gates = gate_system::<E>(&system)?;
    let wires = witness.witness::<E>(curve_of(srs)?)?;
    let strings = sonic_srs::<E>(&gates, srs)?;
    let proof = sonic::prove(&strings, &gates, &wires, &mut randomness());
    let proof = proof.map_err(|error| match error {
        sonic::Error::Unsatisfied => Failure::refused(error),
        sonic::Error::Malformed => malformed(srs, error),
        other => Failure::input(other),
    })?;
    // `prove` has refused a witness of another length.
    let inputs = wires.get(1..=gates.public()).unwrap_or_default();
    let key = sonic::VerifyingKey::new(&strings, &gates).map_err(Failure::input)?.to_file();
    let circuit = Some(&system);
    results.write::<E>(Made { proof: proof.to_file(), inputs, key, circuit }, output)
}

/// The public inputs of a `public.json`.
pub fn public_inputs<E: Engine>(path: &Path) -> Result<Vec<ScalarOf<E>>, Failure> {
    public_from_json(&read_text(path)?).map_err(|error| Failure::file(path, error))
}

/// Reads public inputs and a proof, checks them and says that the proof is right, under a key by its
/// digest if it has one.
pub fn check<E: Engine, P: FileFormat<E>, R: Display>(
    (public, proof): (&Path, &Path),
    key: Option<Digest>,
    output: &Output,
    verify: impl FnOnce(&[ScalarOf<E>], &P) -> Result<(), R>,
) -> Result<(), Failure> {
    let inputs = public_inputs::<E>(public)?;
    verify(&inputs, &read::<E, P>(proof)?).map_err(Failure::refused)?;
    verified::<E>(inputs.len(), key, output);
    Ok(())
}

/// GM17: checks a proof.
pub fn verify_gm17<E: Engine>(
    key: &Path,
    public: &Path,
    proof: &Path,
    output: &Output,
) -> Result<(), Failure> {
    let key: gm17::VerifyingKey<E> = read::<E, _>(key)?;
    check::<E, _, _>((public, proof), None, output, |inputs, proof| {
        gm17::verify(&key, gm17::Statement { inputs, proof }, &mut randomness())
    })
}

/// Sonic: checks a proof, `files` after the public inputs, against a circuit.
pub fn verify_sonic<E: Engine>(
    (r1cs, built_in): (Option<&Path>, &BuiltInArgs),
    (key, srs): (&Path, Option<&Path>),
    files: (&Path, &Path),
    output: &Output,
) -> Result<(), Failure> {
    let gates = gate_system::<E>(&system::<E>(r1cs, built_in)?)?;
    let verifying_key = sonic_key::<E>(key, &gates, srs)?;
    check::<E, _, _>(files, Some(verifying_key.digest()), output, |inputs, proof| {
        let statement = sonic::Statement { inputs, proof };
        sonic::verify(&verifying_key, &gates, statement, &mut randomness())
    })
}

/// GM17: the size of a circuit.
pub fn info_gm17<E: Engine>(
    system: &ConstraintSystem<ScalarOf<E>>,
    output: &Output,
) -> Result<(), Failure> {
    let program = square_program::<E>(system)?;
    let domain_size = program.rows().next_power_of_two();
    let object = json!({
        "curve": E::SNARKJS_NAME,
        "rows": program.rows(),
        "wires": program.wires(),
        "public": program.public(),
        "domain_size": domain_size,
    });
    output.result(&object, || {
        vec![
            format!("curve   {}", E::SNARKJS_NAME),
            format!("rows    {}", output::count(program.rows() as u64)),
            format!("wires   {}", output::count(program.wires() as u64)),
            format!("public  {}", output::count(program.public() as u64)),
            format!("domain  2^{}", domain_size.ilog2()),
        ]
    });
    Ok(())
}

/// Sonic: the size of a circuit, and the reference string that it takes.
pub fn info_sonic<E: Engine>(
    system: &ConstraintSystem<ScalarOf<E>>,
    output: &Output,
) -> Result<(), Failure> {
    let gates = gate_system::<E>(system)?;
    sonic_circuit::<E>(&gates, gates.shape().degree() as u64, gates.digest()).show(output);
    Ok(())
}

fn sonic_circuit<E: Engine>(
    gates: &sonic::GateSystem<ScalarOf<E>>,
    degree: u64,
    digest: Digest,
) -> SonicCircuit {
    let shape = gates.shape();
    SonicCircuit {
        curve: E::SNARKJS_NAME,
        gates: shape.gates,
        loose: Some(shape.loose),
        linear_constraints: shape.constraints,
        public: gates.public(),
        degree,
        circuit: digest.to_string(),
    }
}
