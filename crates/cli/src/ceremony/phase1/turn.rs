//! Turns in phase 1.

use std::{fs::File, path::Path};

use ::ceremony::{
    Error,
    phase1::{self, Beacon, Receipt, native},
    tflsz,
};
use algebra::Engine;
use chacha20::ChaCha20Rng;
use circuit::Format;
use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use wire::NewFile;

use crate::{
    ceremony::{phase::Phase, report::hash_lines},
    progress::Bars,
};

/// Phase 1: powers of a secret.
pub enum Powers {}

impl Phase for Powers {
    const FORMAT: Format = Format::Ptau;
    type Receipt = Receipt;

    fn is_native<E: Engine>(file: &mut File) -> Result<bool, Error> {
        native::is_native::<E>(file)
    }

    fn challenge<E: Engine>(file: &mut File) -> Result<[u8; 64], Error> {
        Ok(phase1::info::<E>(file)?.challenge)
    }

    fn contribute<E: Engine>(
        old: &mut File,
        new: &mut NewFile,
        name: Option<String>,
        rng: &mut ChaCha20Rng,
    ) -> Result<Receipt, Error> {
        phase1::contribute::<E>(old, new, name, rng, &Bars::new())
    }

    fn contribute_beacon<E: Engine>(
        old: &mut File,
        new: &mut NewFile,
        name: Option<String>,
        beacon: &Beacon,
    ) -> Result<Receipt, Error> {
        phase1::contribute_beacon::<E>(old, new, name, beacon, &Bars::new())
    }

    fn native_challenge<E: Engine>(file: &mut File) -> Result<[u8; 64], Error> {
        Ok(native::info::<E>(file)?.challenge)
    }

    fn contribute_native<E: Engine>(
        old: &mut File,
        new: &mut NewFile,
        name: Option<String>,
        rng: &mut ChaCha20Rng,
    ) -> Result<tflsz::Receipt, Error> {
        native::contribute::<E>(old, new, name, rng, &Bars::new())
    }

    fn contribute_beacon_native<E: Engine>(
        old: &mut File,
        new: &mut NewFile,
        name: Option<String>,
        beacon: &Beacon,
    ) -> Result<tflsz::Receipt, Error> {
        native::contribute_beacon::<E>(old, new, name, beacon, &Bars::new())
    }

    fn receipt_json(receipt: &Receipt, name: Option<&str>, out: &Path) -> Value {
        json!({
            "contribution": receipt.index,
            "name": name,
            "response_hash": HEXLOWER.encode(&receipt.response_hash),
            "next_challenge": HEXLOWER.encode(&receipt.next_challenge),
            "out": out,
        })
    }

    fn receipt_lines(receipt: &Receipt, out: &Path) -> Vec<String> {
        let mut lines = vec![format!("contribution {}: {}", receipt.index + 1, out.display())];
        lines.push("contribution response hash, to be published:".to_owned());
        lines.extend(hash_lines(&receipt.response_hash));
        lines.push("next challenge:".to_owned());
        lines.extend(hash_lines(&receipt.next_challenge));
        lines
    }
}
