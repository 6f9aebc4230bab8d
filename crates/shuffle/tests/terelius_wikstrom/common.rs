//! What all tests of the Terelius-Wikström shuffle share.

use algebra::{Group, Scalar};
use rand_chacha::ChaCha20Rng;
use rand_core::{CryptoRng, SeedableRng};
use shuffle::{Column, MixContext, PublicKey};

pub(crate) fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// The turn of a mixer that stands in the chain where its number says.
pub(crate) fn turn(mixer: u32) -> MixContext<'static> {
    MixContext { study: b"study", mix: b"mix", mixer, position: mixer }
}

/// Columns of different messages, `(1000·l + i)·G` in row i of column l, both from 1.
pub(crate) fn encrypted_columns<G: Group>(
    key: &PublicKey<G>,
    rows: u64,
    columns: u64,
    rng: &mut impl CryptoRng,
) -> Vec<Column<G>> {
    let mut encrypt = |number| {
        let message = G::mul_generator(&G::Scalar::from_u64(number));
        key.encrypt(&message, &G::Scalar::random(rng))
    };
    let mut column =
        |l| Column::new(&(1..=rows).map(|i| encrypt(1000 * l + i)).collect::<Vec<_>>());
    (1..=columns).map(&mut column).collect()
}
