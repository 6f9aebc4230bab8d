//! Which circuit, and `subrosa snark circuit`.

use std::path::{Path, PathBuf};

use ::circuit::{
    Curve, Format,
    gadgets::{Blake2sPreimage, MerkleMembership, MerklePath},
    json::public_from_json,
    synthesis::{Circuit as _, ConstraintSystem},
    wtns::Wtns,
};
use algebra::{Bls12381, Bn254, Engine, ScalarOf};
use clap::ValueEnum;
use serde::Deserialize;
use serde_json::json;
use zeroize::Zeroizing;

use super::files::{open, read_text};
use crate::{
    ceremony::{CurveName, files},
    failure::Failure,
    output::{self, Output},
};

/// A circuit of this program.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum BuiltIn {
    /// A message with a public BLAKE2s hash: `--bytes`.
    Blake2s,
    /// A leaf of a Poseidon tree with a public root: `--depth`.
    Merkle,
}

/// The circuit's name and its size.
#[derive(clap::Args)]
pub struct BuiltInArgs {
    /// A circuit of this program.
    #[arg(long, value_enum, value_name = "NAME")]
    circuit: Option<BuiltIn>,
    /// Bytes of the message of `blake2s`.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 64,
        value_parser = clap::value_parser!(u32).range(1..=1 << 20)
    )]
    bytes: u32,
    /// Levels of the tree of `merkle`.
    #[arg(
        long,
        value_name = "D",
        default_value_t = 14,
        value_parser = clap::value_parser!(u8).range(1..=40)
    )]
    depth: u8,
}

/// A private input of `merkle`, scalars in decimal digits.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MerkleInput {
    leaf: String,
    /// From the leaf upwards.
    siblings: Vec<String>,
    /// Whether the sibling stands on the right.
    right: Vec<bool>,
}

impl BuiltInArgs {
    /// The circuit, if one is named.
    pub fn named(&self) -> Option<BuiltIn> {
        self.circuit
    }

    /// The constraints of a circuit.
    pub fn constraint_system<E: Engine>(&self, circuit: BuiltIn) -> ConstraintSystem<ScalarOf<E>> {
        match circuit {
            BuiltIn::Blake2s => {
                Blake2sPreimage::new(vec![0; self.message_len()]).constraint_system()
            }
            BuiltIn::Merkle => {
                let path = MerklePath::blank(self.depth.into());
                MerkleMembership::new(ScalarOf::<E>::default(), path).constraint_system()
            }
        }
    }

    /// The wires for the private input in a file.
    pub fn witness<E: Engine>(
        &self,
        circuit: BuiltIn,
        input: &Path,
    ) -> Result<Zeroizing<Vec<ScalarOf<E>>>, Failure> {
        match circuit {
            BuiltIn::Blake2s => {
                let len = self.message_len();
                let message = wire::read_bounded(input, len as u64)
                    .map_err(|error| Failure::file(input, error))?;
                if message.len() != len {
                    let bytes = output::counted(message.len() as u64, "byte", "bytes");
                    let problem = format!("{bytes}, but the circuit takes {len}");
                    return Err(Failure::file(input, problem));
                }
                Ok(Blake2sPreimage::new(message).witness())
            }
            BuiltIn::Merkle => {
                let text = Zeroizing::new(read_text(input)?);
                let parsed: MerkleInput =
                    serde_json::from_str(&text).map_err(|error| Failure::file(input, error))?;
                let (leaf, path) = self.leaf_and_path::<E>(&parsed).map_err(|problem| {
                    Failure::file(input, problem)
                        .hint(r#"{"leaf": "7", "siblings": ["1", …], "right": [true, …]}"#)
                })?;
                Ok(MerkleMembership::new(leaf, path).witness())
            }
        }
    }

    fn leaf_and_path<E: Engine>(
        &self,
        input: &MerkleInput,
    ) -> Result<(ScalarOf<E>, MerklePath<ScalarOf<E>>), String> {
        let scalars = |digits: &[&String]| {
            public_from_json::<ScalarOf<E>>(&json!(digits).to_string()).map_err(|e| e.to_string())
        };
        // There is one leaf, as there was one text; none would be zero, and refused.
        let leaf = scalars(&[&input.leaf])?.into_iter().next().unwrap_or_default();
        if leaf == ScalarOf::<E>::default() {
            return Err(
                "the leaf is zero, but trees are padded with zeros, so zero is not a leaf".into()
            );
        }
        let siblings = scalars(&input.siblings.iter().collect::<Vec<_>>())?;
        let depth = usize::from(self.depth);
        if siblings.len() != depth || input.right.len() != depth {
            let siblings = output::counted(depth as u64, "sibling", "siblings");
            let sides = output::counted(depth as u64, "side", "sides");
            return Err(format!("not {siblings} and {sides}"));
        }
        let steps = siblings.into_iter().zip(input.right.iter().copied()).collect();
        Ok((leaf, MerklePath { steps }))
    }

    fn message_len(&self) -> usize {
        self.bytes as usize
    }
}

/// A circuit of circom, or one of this program.
#[derive(clap::Args)]
pub struct CircuitArgs {
    /// A circuit of circom or other tools: a `.r1cs` file.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "circuit",
        required_unless_present = "circuit"
    )]
    pub r1cs: Option<PathBuf>,
    #[command(flatten)]
    pub built_in: BuiltInArgs,
}

impl CircuitArgs {
    /// The constraints.
    pub fn system<E: Engine>(&self) -> Result<ConstraintSystem<ScalarOf<E>>, Failure> {
        system::<E>(self.r1cs.as_deref(), &self.built_in)
    }
}

/// The constraints of a file's circuit, or of one of this program.
pub fn system<E: Engine>(
    r1cs: Option<&Path>,
    built_in: &BuiltInArgs,
) -> Result<ConstraintSystem<ScalarOf<E>>, Failure> {
    match (r1cs, built_in.named()) {
        (Some(path), _) => {
            let (mut file, _) = open(path, Format::R1cs)?;
            let read = ConstraintSystem::read::<E>(&mut file);
            read.map_err(|error| Failure::file(path, error))
        }
        (None, Some(circuit)) => Ok(built_in.constraint_system::<E>(circuit)),
        (None, None) => {
            Err(Failure::input("no circuit was given").hint("give it with `--r1cs` or `--circuit`"))
        }
    }
}

/// What a circuit is proved for: a witness that another tool computed, or a private input.
#[derive(clap::Args)]
pub struct WitnessArgs {
    /// The witness that circom's program computed: a `.wtns` file.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "circuit",
        required_unless_present = "circuit"
    )]
    witness: Option<PathBuf>,
    #[command(flatten)]
    built_in: BuiltInArgs,
    /// The private input of a circuit of this program: the message, or a JSON object with the leaf and its
    /// path.
    #[arg(long, value_name = "FILE", requires = "circuit")]
    input: Option<PathBuf>,
}

impl WitnessArgs {
    /// The constraints of the file's circuit, or of the one of this program.
    pub fn system<E: Engine>(
        &self,
        r1cs: Option<&Path>,
    ) -> Result<ConstraintSystem<ScalarOf<E>>, Failure> {
        system::<E>(r1cs, &self.built_in)
    }

    /// All wires.
    pub fn witness<E: Engine>(&self, curve: Curve) -> Result<Zeroizing<Vec<ScalarOf<E>>>, Failure> {
        if let Some(path) = &self.witness {
            let (mut file, own) = open(path, Format::Wtns)?;
            if own != curve {
                let (own, key) = (own.snarkjs_name(), curve.snarkjs_name());
                return Err(Failure::file(
                    path,
                    format!("it is over {own}, but the key is over {key}"),
                ));
            }
            let read = Wtns::<E>::open(&mut file).and_then(|wtns| wtns.read_all(&mut file));
            return read.map(Zeroizing::new).map_err(|error| Failure::file(path, error));
        }
        match (self.built_in.named(), &self.input) {
            (Some(circuit), Some(input)) => self.built_in.witness::<E>(circuit, input),
            _ => Err(Failure::input("no private input")
                .hint("give the file with the private input with `--input`")),
        }
    }
}

/// Options of `circuit`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    built_in: BuiltInArgs,
    /// The curve; the circuit is over its scalar field.
    #[arg(long, value_enum, default_value = "bn254")]
    curve: CurveName,
    /// The `.r1cs` file to create.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    match args.curve.curve() {
        Curve::Bn254 => write::<Bn254>(args, output),
        Curve::Bls12381 => write::<Bls12381>(args, output),
    }
}

fn write<E: Engine>(args: &Args, output: &Output) -> Result<(), Failure> {
    let circuit = args.built_in.named();
    let circuit = circuit.ok_or_else(|| {
        Failure::input("no circuit")
            .hint("choose one with `--circuit blake2s` or `--circuit merkle`")
    })?;
    let system = args.built_in.constraint_system::<E>(circuit);
    let mut out = files::Output::create(&args.out)?;
    let written = system.write::<E, _>(&mut out.file);
    written.map_err(|error| Failure::file(&args.out, error))?;
    let bytes = out.finish()?;
    let header = system.header();
    let object = json!({
        "curve": E::SNARKJS_NAME,
        "constraints": header.constraints,
        "wires": header.wires,
        "public": header.public(),
        "bytes": bytes,
        "out": args.out,
    });
    output.result(&object, || {
        let constraints = output::counted(header.constraints.into(), "constraint", "constraints");
        vec![format!("{constraints}, {}: {}", output::bytes(bytes), args.out.display())]
    });
    Ok(())
}
