//! AC16 on the repaired reference string.

use algebra::Engine;
use cli::failure::Failure;
use shuffle::{
    pairing::{
        SmallLogarithms,
        ac16::{Column, Crs, Encryptor, Mix, Prepared, SecretKey, ValidColumn, verify},
    },
    tw::Permutation,
};
use wire::{Decode as _, Encode as _};

use super::run::{Run, fresh_rng};
use crate::bench::recorder::Recorder;

/// The rows in the order in which they are measured.
pub fn run<E: Engine>(mut run: Run<'_>) -> Result<Recorder, Failure> {
    let rows = run.rows;
    // Made by somebody who could forge: this is a measurement.
    let crs = run.measure("init-crs", || Crs::<E>::insecure_dealer(rows, &mut fresh_rng()));
    let crs = crs.map_err(Failure::input)?;
    let (secret, key, encryptor) = run.measure("init-keys", || {
        let secret = SecretKey::<E>::generate(&mut fresh_rng());
        let key = secret.public_key(&crs);
        (secret, key, Encryptor::new(&crs, &key))
    });
    let ballots = encrypt(&mut run, &encryptor);
    let inputs = run.measure("validate", || ballots.clone().validate(&crs, &mut fresh_rng()));
    let inputs = inputs.map_err(Failure::refused)?;
    run.measure("permute", || {
        let mut rng = fresh_rng();
        let randomness = <algebra::ScalarOf<E> as algebra::Scalar>::random_many(2 * rows, &mut rng);
        (Permutation::random(rows, &mut rng), randomness)
    });
    let bytes = run.prove(
        |rng| Prepared::new(&crs, &encryptor, rows, rng),
        |prepared, _| Ok(prepared.mix(&inputs)?.to_bytes()),
    )?;
    let mix = run.measure("decode", || Mix::<E>::from_bytes(&bytes)).map_err(Failure::refused)?;
    let outputs = run.measure("verify", || {
        verify(&crs, &key, &inputs, mix.clone(), &mut fresh_rng()).map_err(Failure::refused)
    })?;
    decrypt(&mut run, &crs, &secret, &outputs)?;
    run.sizes(mix.outputs.to_bytes().len(), bytes.len());
    Ok(run.recorder)
}

/// A voter's work, for all voters, with tables; ballot i is the number i.
fn encrypt<E: Engine>(run: &mut Run<'_>, encryptor: &Encryptor<E>) -> Column<E> {
    let rows = run.rows as u64;
    run.measure("encrypt", || encryptor.encrypt_all(0..rows, &mut fresh_rng()))
}

/// The numbers, by the one decryptor, with a table of all numbers.
fn decrypt<E: Engine>(
    run: &mut Run<'_>,
    crs: &Crs<E>,
    secret: &SecretKey<E>,
    outputs: &ValidColumn<E>,
) -> Result<(), Failure> {
    let rows = run.rows;
    let found = run.measure("decrypt", || {
        let logarithms = SmallLogarithms::new(&crs.message_base, rows);
        let points = secret.decrypt_all(outputs);
        logarithms.find_all(&points).into_iter().collect::<Option<Vec<_>>>()
    });
    found.map(|_| ()).ok_or_else(|| Failure::refused("a decrypted message is no ballot"))
}
