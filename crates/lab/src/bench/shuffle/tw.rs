//! Terelius-Wikström over ristretto255.

use algebra::{Embed, Group, Ristretto255 as G, Scalar};
use cli::failure::Failure;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use rayon::prelude::*;
use shuffle::{
    Column, Mix, MixClaim, MixContext, PreparedMix, PublicKey, SecretKey, encode_columns,
    tw::{Generators, Permutation},
    verify_mixes,
};
use wire::{Decode as _, Encode as _};

use super::run::{Run, fresh_rng};
use crate::bench::recorder::Recorder;

const CONTEXT: MixContext<'static> =
    MixContext { study: b"bench", mix: b"1", mixer: 1, position: 1 };

/// What `init` makes.
struct SetUp {
    generators: Generators<G>,
    secret: SecretKey<G>,
    key: PublicKey<G>,
}

/// The rows in the order in which they are measured.
pub fn run(mut run: Run<'_>) -> Result<Recorder, Failure> {
    let rows = run.rows;
    let set_up = run.measure("init", || {
        let secret = SecretKey::generate(&mut UnwrapErr(SysRng));
        let key = secret.public_key();
        SetUp { generators: Generators::derive(rows), secret, key }
    });
    let SetUp { generators, secret, key } = &set_up;
    let inputs = encrypt(&mut run, key);
    permute(&mut run);
    let bytes = run.prove(
        |rng| PreparedMix::prepare(rows, generators, &CONTEXT, rng),
        |prepared, rng| Ok(prepared.mix(key, &inputs, &CONTEXT, rng)?.to_bytes()),
    )?;

    // A verifier's work, from the published bytes on.
    let mix = run.measure("verify", || {
        let mix = Mix::from_bytes(&bytes).map_err(Failure::refused)?;
        let claim = MixClaim { context: CONTEXT, mix: &mix };
        verify_mixes(key, &inputs, &[claim], generators).map_err(Failure::refused)?;
        Ok::<_, Failure>(mix)
    })?;
    decrypt(&mut run, secret, &mix.outputs);

    let mut outputs = Vec::new();
    encode_columns(&mix.outputs, &mut outputs);
    run.sizes(outputs.len(), bytes.len());
    Ok(run.recorder)
}

/// A voter's work, for all voters: constant time, without tables.
fn encrypt(run: &mut Run<'_>, key: &PublicKey<G>) -> Vec<Column<G>> {
    let (rows, columns) = (run.rows, run.columns);
    let column = || {
        let encrypted = (0..rows).into_par_iter().filter_map(|row| {
            let randomness = Scalar::random(&mut UnwrapErr(SysRng));
            // Eight bytes are never too long, so that no row is left out.
            let point = G::embed(&(row as u64).to_le_bytes()).ok()?;
            Some(key.encrypt(&point, &randomness))
        });
        Column::new(&encrypted.collect::<Vec<_>>())
    };
    run.measure("encrypt", || (0..columns).map(|_| column()).collect())
}

/// What a mixer draws: the permutation and the re-encryption randomness.
fn permute(run: &mut Run<'_>) {
    let (rows, columns) = (run.rows, run.columns);
    run.measure("permute", || {
        let mut rng = fresh_rng();
        let randomness = <G as Group>::Scalar::random_many(rows * columns, &mut rng);
        (Permutation::random(rows, &mut rng), randomness)
    });
}

/// The messages, with the one key of one decryptor.
fn decrypt(run: &mut Run<'_>, secret: &SecretKey<G>, outputs: &[Column<G>]) {
    run.measure("decrypt", || {
        let decrypt = |column: &Column<G>| -> Vec<_> {
            let points = secret.decrypt_all(&column.ciphertexts());
            points.par_iter().map(Embed::extract).collect()
        };
        outputs.iter().map(decrypt).collect::<Vec<_>>()
    });
}
