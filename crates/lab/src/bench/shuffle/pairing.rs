//! FLSZ17 and tFLSZ.

use ::ceremony::tflsz;
use algebra::{Engine, Group as _, Scalar as _, ScalarOf};
use circuit::native::InsecureTflszDealer;
use cli::failure::Failure;
use rayon::prelude::*;
use shuffle::{
    Ciphertext, Column, MixContext, PublicKey, ReEncryptor, SecretKey, encode_columns,
    pairing::{
        Crs, PairingClaim, PairingMix, Prover, Scheme, SmallLogarithms, decrypt_all, verify_mixes,
    },
    tw::Permutation,
};
use wire::{Decode as _, Encode as _};

use super::run::{Run, fresh_rng};
use crate::bench::recorder::Recorder;

const CONTEXT: MixContext<'static> =
    MixContext { study: b"bench", mix: b"1", mixer: 1, position: 1 };

/// The rows in the order in which they are measured.
pub fn run<E: Engine>(scheme: Scheme, mut run: Run<'_>) -> Result<Recorder, Failure> {
    let (rows, columns) = (run.rows, run.columns);
    let crs = reference_string::<E>(scheme, &mut run)?;
    let (secret, key, tables, prover) = run.measure("init-keys", || {
        let secret = SecretKey::<E::G2>::generate(&mut fresh_rng());
        let key = secret.public_key();
        (secret, key, ReEncryptor::new(&key), Prover::new(&crs, &key))
    });
    let inputs = encrypt::<E>(&mut run, &tables);
    run.measure("permute", || {
        let mut rng = fresh_rng();
        let randomness = ScalarOf::<E>::random_many(rows * columns, &mut rng);
        (Permutation::random(rows, &mut rng), randomness)
    });
    let bytes = run.prove(
        |rng| prover.prepare(rows, columns, rng),
        |prepared, _| Ok(prepared.mix(&prover, &inputs, &CONTEXT)?.to_bytes()),
    )?;
    let mix = run.measure("decode", || PairingMix::<E>::from_bytes(&bytes));
    let mix = mix.map_err(Failure::refused)?;
    run.measure("verify", || verify(&crs, &key, &inputs, &mix))?;
    decrypt::<E>(&mut run, &secret, &mix.outputs)?;

    let mut outputs = Vec::new();
    encode_columns(&mix.outputs, &mut outputs);
    run.sizes(outputs.len(), bytes.len());
    Ok(run.recorder)
}

/// Made by somebody who could forge: this is a measurement.
fn reference_string<E: Engine>(scheme: Scheme, run: &mut Run<'_>) -> Result<Crs<E>, Failure> {
    let rows = run.rows;
    match scheme {
        Scheme::Flsz17 => {
            Ok(run.measure("init-crs", || Crs::insecure_dealer(rows, &mut fresh_rng())))
        }
        Scheme::Tflsz => {
            let log_size = (rows + 1).next_power_of_two().trailing_zeros().max(2);
            let points = run.measure("init-crs", || {
                InsecureTflszDealer::random(&mut fresh_rng()).deal::<E>(log_size)
            });
            let points = points.map_err(Failure::input)?;
            run.measure("verify-crs", || tflsz::verify_key(&points, &mut fresh_rng(), &()))
                .map_err(Failure::refused)?;
            Ok(Crs::tflsz(&points))
        }
    }
}

/// A voter's work, for all voters, with tables; ballot i is the number i.
fn encrypt<E: Engine>(run: &mut Run<'_>, tables: &ReEncryptor<E::G2>) -> Vec<Column<E::G2>> {
    let (rows, columns) = (run.rows, run.columns);
    let column = || {
        let mut rng = fresh_rng();
        let randomness = ScalarOf::<E>::random_many(rows, &mut rng);
        let message = |row| E::G2::mul_generator(&ScalarOf::<E>::from_u64(row as u64));
        let messages = (0..rows).into_par_iter().map(|row| Ciphertext::trivial(message(row)));
        let mut encrypted: Vec<_> = messages.collect();
        tables.re_encrypt_all(&mut encrypted, &randomness);
        Column::new(&encrypted)
    };
    run.measure("encrypt", || (0..columns).map(|_| column()).collect())
}

fn verify<E: Engine>(
    crs: &Crs<E>,
    key: &PublicKey<E::G2>,
    inputs: &[Column<E::G2>],
    mix: &PairingMix<E>,
) -> Result<(), Failure> {
    let claim = PairingClaim { context: CONTEXT, mix };
    verify_mixes(crs, key, inputs, &[claim], &mut fresh_rng()).map_err(Failure::refused)
}

/// The numbers, with the one key of one decryptor and a table of all numbers.
fn decrypt<E: Engine>(
    run: &mut Run<'_>,
    secret: &SecretKey<E::G2>,
    outputs: &[Column<E::G2>],
) -> Result<(), Failure> {
    let rows = run.rows;
    let found = run.measure("decrypt", || {
        let logarithms = SmallLogarithms::new(&E::G2::generator(), rows);
        let columns = outputs.iter().map(|column| decrypt_all(secret, column));
        columns.flat_map(|points| logarithms.find_all(&points)).collect::<Option<Vec<_>>>()
    });
    found.map(|_| ()).ok_or_else(|| Failure::refused("a decrypted message is no ballot"))
}
