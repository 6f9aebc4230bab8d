//! Turns in phase 1.

use std::fs::File;

use ::ceremony::{
    Error,
    phase1::{self, Receipt, native},
};
use algebra::Engine;
use circuit::Format;

use crate::ceremony::phase::{Form, Phase};

/// Phase 1: powers of a secret.
pub enum Powers {}

impl Phase for Powers {
    const FORMAT: Format = Format::Ptau;
    type Receipt = Receipt;

    fn is_native<E: Engine>(file: &mut File) -> Result<bool, Error> {
        native::is_native::<E>(file)
    }

    fn snarkjs<E: Engine>() -> Form<Receipt> {
        Form {
            challenge: |file| Ok(phase1::info::<E>(file)?.challenge),
            contribute: phase1::contribute::<E>,
            contribute_beacon: phase1::contribute_beacon::<E>,
        }
    }

    fn native<E: Engine>() -> Form<native::Receipt> {
        Form {
            challenge: |file| Ok(native::info::<E>(file)?.challenge),
            contribute: native::contribute::<E>,
            contribute_beacon: native::contribute_beacon::<E>,
        }
    }
}
