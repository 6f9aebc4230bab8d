//! Turns in phase 2.

use std::{fs::File, path::PathBuf};

use ::ceremony::{
    Error, Snapshot, Trust,
    phase2::{self, Against, Beacon, Reference, Settings, native},
};
use algebra::Engine;
use chacha20::ChaCha20Rng;
use circuit::Format;
use wire::NewFile;

use crate::{
    ceremony::{
        files::Input,
        native::verifier_rng,
        phase::{Phase, in_form},
        receipt::Receipt,
        turn::VerifierArgs,
    },
    failure::Failure,
    progress::Bars,
};

/// What a key is compared with before a secret is multiplied into it: one of the two is needed.
#[derive(clap::Args)]
pub struct KeyReference {
    /// The first key of the ceremony: made by yourself with `phase2 new`, or with the digest (`phase2
    /// info`) that somebody you trust gave you.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["circuit", "phase1"])]
    pub first: Option<PathBuf>,
    /// The circuit, a `.r1cs` file, from which the first key is computed again.
    #[arg(long = "r1cs", alias = "circuit", value_name = "FILE", requires = "phase1")]
    pub circuit: Option<PathBuf>,
    /// The prepared file of phase 1. `subrosa ceremony phase1 verify` checks it.
    #[arg(long, value_name = "FILE", requires = "circuit")]
    pub phase1: Option<PathBuf>,
    /// Accept that the highest power of H is missing, because the key came through bellman's parameters.
    #[arg(long)]
    pub without_top_power: bool,
    #[command(flatten)]
    pub verifier: VerifierArgs,
}

/// What a key is compared with, open.
pub struct KeyFiles {
    files: OpenReference,
    settings: Settings,
}

enum OpenReference {
    First(File),
    Circuit { circuit: File, ptau: File },
}

impl KeyReference {
    /// What the verification is ready to do.
    pub fn settings(&self) -> Settings {
        let mut settings = self.verifier.settings();
        settings.may_lack_top_power = self.without_top_power;
        settings
    }
}

/// That nothing was said which a key could be compared with.
pub fn unverifiable() -> Failure {
    Failure::input("there is nothing to verify the key against").hint(
        "give `--first KEY`, or `--r1cs FILE --phase1 FILE`: without this check, whoever chose \
         the points of the key could use your contribution to forge proofs",
    )
}

/// Phase 2: the key of a circuit.
pub enum Key {}

impl Phase for Key {
    const FORMAT: Format = Format::Zkey;
    type Reference = KeyReference;
    type Files = KeyFiles;

    fn open(
        args: &KeyReference,
        trust_input: bool,
        key: &Input,
    ) -> Result<Option<KeyFiles>, Failure> {
        let open = |path: &PathBuf, format| -> Result<File, Failure> {
            let input = Input::open_as(path, format)?;
            input.require_curve(key)?;
            Ok(input.file)
        };
        let files = match (&args.first, &args.circuit, &args.phase1) {
            _ if trust_input => return Ok(None),
            (Some(first), _, _) => OpenReference::First(open(first, Format::Zkey)?),
            (None, Some(circuit), Some(phase1)) => OpenReference::Circuit {
                circuit: open(circuit, Format::R1cs)?,
                ptau: open(phase1, Format::Ptau)?,
            },
            _ => return Err(unverifiable()),
        };
        Ok(Some(KeyFiles { files, settings: args.settings() }))
    }

    fn is_native<E: Engine>(file: &mut File) -> Result<bool, Error> {
        native::is_native::<E>(file)
    }

    fn challenge<E: Engine>(
        old: &mut Snapshot<&mut File>,
        native: bool,
    ) -> Result<[u8; 64], Error> {
        match native {
            true => Ok(native::info::<E>(old)?.challenge),
            false => Ok(phase2::info::<E>(old)?.transcript),
        }
    }

    fn contribute<E: Engine>(
        old: &mut Snapshot<&mut File>,
        new: &mut NewFile,
        native: bool,
        name: Option<String>,
        mut files: Option<KeyFiles>,
        rng: &mut ChaCha20Rng,
    ) -> Result<Receipt, Error> {
        let (mut verifier, bars) = (verifier_rng(), Bars::new());
        let trust = match &mut files {
            Some(KeyFiles { files, settings }) => {
                let reference = match files {
                    OpenReference::First(first) => Reference::First(first),
                    OpenReference::Circuit { circuit, ptau } => {
                        Reference::Circuit { circuit, ptau }
                    }
                };
                Trust::verify(Against { reference, settings }, &mut verifier)
            }
            None => Trust::Skip,
        };
        in_form!(native, phase2::contribute::<E>(old, new, name, trust, rng, &bars))
    }

    fn contribute_beacon<E: Engine>(
        old: &mut File,
        new: &mut NewFile,
        native: bool,
        name: Option<String>,
        beacon: &Beacon,
    ) -> Result<Receipt, Error> {
        let bars = Bars::new();
        in_form!(native, phase2::contribute_beacon::<E>(old, new, name, beacon, &bars))
    }
}
