//! Turns in phase 2.

use std::fs::File;

use ::ceremony::{
    Error,
    phase2::{self, Receipt, native},
};
use algebra::Engine;
use circuit::Format;

use crate::ceremony::phase::{Form, Phase};

/// Phase 2: the key of a circuit.
pub enum Key {}

impl Phase for Key {
    const FORMAT: Format = Format::Zkey;
    type Receipt = Receipt;

    fn is_native<E: Engine>(file: &mut File) -> Result<bool, Error> {
        native::is_native::<E>(file)
    }

    fn snarkjs<E: Engine>() -> Form<Receipt> {
        Form {
            challenge: |file| Ok(phase2::info::<E>(file)?.transcript),
            contribute: phase2::contribute::<E>,
            contribute_beacon: phase2::contribute_beacon::<E>,
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
