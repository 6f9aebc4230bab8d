//! `subrosa snark publish`, and the bundle of `subrosa snark prove`.

use std::path::{Path, PathBuf};

use ::ceremony::claims::{self as ceremonies, Evidence};
use ::snark::claims::{Files, Verified};
use claim::BundleWriter;
use serde_json::json;

use super::files::read_text;
use crate::{ceremony::publish, failure::Failure, output::Output};

/// More than any of the files of a claim takes.
const FILE_LIMIT: u64 = 1 << 30;

/// Options of `publish`.
#[derive(clap::Args)]
pub struct Args {
    /// The verification key.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The `public.json` of each proof, in the order of the proofs.
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    public: Vec<PathBuf>,
    /// The proofs, all under this key.
    #[arg(value_name = "FILE", required = true)]
    proofs: Vec<PathBuf>,
    /// Sonic: the circuit, a `.r1cs` file.
    #[arg(long, value_name = "FILE")]
    r1cs: Option<PathBuf>,
    #[command(flatten)]
    content: ContentArgs,
    /// The directory of the bundle.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// What a bundle has beside proofs.
#[derive(clap::Args)]
pub struct ContentArgs {
    /// Names for the public inputs, in their order, separated by commas.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    names: Vec<String>,
    /// Groth16: the files of the key's ceremony, for a claim about it: the `.zkey`, the `.r1cs` and the
    /// prepared `.ptau` file. The `.zkey` file alone shows who contributed, but not to which circuit.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    record: Vec<PathBuf>,
    /// Where everybody can get the `.zkey` file, such as its URL; the claim repeats it.
    #[arg(long, value_name = "WHERE", requires = "record")]
    location: Option<String>,
}

impl ContentArgs {
    /// The names, if there are any.
    pub fn names(&self) -> Option<Vec<String>> {
        (!self.names.is_empty()).then(|| self.names.clone())
    }

    /// Verifies everything and writes the bundle, whose digest it returns. The ceremony is that of `key`, a
    /// `.zkey` file, unless `--record` names one.
    pub fn write(&self, root: &Path, files: &Files, key: Option<&Path>) -> Result<String, Failure> {
        let ceremony = match self.record.is_empty() {
            true => None,
            false => Some(ceremonies::Files {
                evidence: self.evidence(key)?,
                location: self.location.clone(),
            }),
        };
        let ceremony = ceremony.as_ref().map(ceremonies::Verified::new).transpose();
        let ceremony = ceremony.map_err(Failure::refused)?;
        let proofs = Verified::new(files).map_err(Failure::refused)?;
        if ceremony.as_ref().is_some_and(|ceremony| ceremony.key() != proofs.key()) {
            return Err(Failure::input("the ceremony in `--record` belongs to another key")
                .hint("the claim about a ceremony would say nothing about these proofs"));
        }
        let mut writer = BundleWriter::create(root).map_err(Failure::input)?;
        let write = || {
            if let Some(ceremony) = ceremony {
                ceremony.write(&mut writer)?;
            }
            proofs.write(&mut writer)?;
            writer.finish()?.digest()
        };
        write().map(|digest| digest.to_string()).map_err(Failure::input)
    }

    fn evidence(&self, key: Option<&Path>) -> Result<Evidence, Failure> {
        let named = |extension: &str| {
            let is = |path: &&PathBuf| path.extension().is_some_and(|found| found == extension);
            self.record.iter().find(is).map(PathBuf::as_path)
        };
        let zkey = named("zkey").or(key).ok_or_else(|| {
            Failure::input("`--record` names no `.zkey` file")
                .hint("the `.zkey` file holds the ceremony of the key")
        })?;
        match (named("r1cs"), named("ptau")) {
            (Some(circuit), Some(phase1)) => publish::key(zkey, circuit, phase1),
            (None, None) if self.record.len() == 1 => publish::record(zkey),
            _ => Err(Failure::input(
                "`--record` takes a `.zkey` file, alone or with a `.r1cs` and a `.ptau` file",
            )),
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let read = |path: &Path| {
        wire::read_bounded(path, FILE_LIMIT).map_err(|error| Failure::file(path, error))
    };
    let inputs = |path: &PathBuf| {
        serde_json::from_str(&read_text(path)?).map_err(|error| {
            Failure::file(path, error)
                .hint("public inputs are a JSON array of decimal numbers in strings")
        })
    };
    let files = Files {
        key: read(&args.key)?,
        proofs: args.proofs.iter().map(|path| read(path)).collect::<Result<_, _>>()?,
        public: args.public.iter().map(inputs).collect::<Result<_, _>>()?,
        names: args.content.names(),
        circuit: args.r1cs.as_deref().map(read).transpose()?,
    };
    let digest = args.content.write(&args.out, &files, None)?;
    let object = json!({ "bundle": digest, "proofs": args.proofs.len(), "out": args.out });
    output.result(&object, || vec![format!("bundle {digest}: {}", args.out.display())]);
    Ok(())
}
