//! Turns in phase 1.

use std::fs::File;

use ::ceremony::{
    Error, Snapshot, Trust,
    phase1::{self, Beacon, Settings, native},
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

/// Phase 1: powers of a secret.
pub enum Powers {}

impl Phase for Powers {
    const FORMAT: Format = Format::Ptau;
    type Reference = VerifierArgs;
    type Files = Settings;

    fn open(args: &VerifierArgs, trust: bool, _: &Input) -> Result<Option<Settings>, Failure> {
        Ok((!trust).then(|| args.settings()))
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
            false => Ok(phase1::info::<E>(old)?.challenge),
        }
    }

    fn contribute<E: Engine>(
        old: &mut Snapshot<&mut File>,
        new: &mut NewFile,
        native: bool,
        name: Option<String>,
        settings: Option<Settings>,
        rng: &mut ChaCha20Rng,
    ) -> Result<Receipt, Error> {
        let (mut verifier, bars) = (verifier_rng(), Bars::new());
        let trust = match &settings {
            Some(settings) => Trust::verify(settings, &mut verifier),
            None => Trust::Skip,
        };
        in_form!(native, phase1::contribute::<E>(old, new, name, trust, rng, &bars))
    }

    fn contribute_beacon<E: Engine>(
        old: &mut File,
        new: &mut NewFile,
        native: bool,
        name: Option<String>,
        beacon: &Beacon,
    ) -> Result<Receipt, Error> {
        let bars = Bars::new();
        in_form!(native, phase1::contribute_beacon::<E>(old, new, name, beacon, &bars))
    }
}
