//! Elections in one process, for the tests of the pairing-based shuffles.

use algebra::{Engine, Group, Pairing, PointError, Scalar, ScalarOf};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use shuffle::{
    Column, MixContext, PublicKey, SecretKey, ShuffleError,
    pairing::{Crs, PairingClaim, PairingMix, Prover, Scheme, TflszKey, decrypt_all, verify_mixes},
};

pub(crate) fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

pub(crate) fn context(mixer: u32) -> MixContext<'static> {
    MixContext { study: b"test", mix: b"1", mixer, position: mixer }
}

/// A reference string for at least n rows.
pub(crate) fn crs<E: Engine>(scheme: Scheme, n: usize) -> Crs<E> {
    let mut rng = rng(n as u64);
    match scheme {
        Scheme::Flsz17 => Crs::insecure_dealer(n, &mut rng),
        Scheme::Tflsz => {
            let size = (n.max(3) + 1).next_power_of_two() - 1;
            TflszKey::insecure_dealer(size, &mut rng).unwrap().verify(&mut rng).unwrap()
        }
    }
}

pub(crate) struct Election<E: Pairing> {
    pub(crate) crs: Crs<E>,
    pub(crate) secret: SecretKey<E::G2>,
    pub(crate) key: PublicKey<E::G2>,
    pub(crate) inputs: Vec<Column<E::G2>>,
}

impl<E: Pairing> Election<E> {
    /// Ballot i holds `10·i + c` in column c.
    pub(crate) fn new(crs: Crs<E>, n: usize, columns: usize) -> Self {
        let mut rng = rng(100 + n as u64);
        let secret = SecretKey::generate(&mut rng);
        let key = secret.public_key();
        let mut encrypt = |m: u64| {
            let message = E::G2::mul_generator(&Scalar::from_u64(m));
            key.encrypt(&message, &ScalarOf::<E>::random(&mut rng))
        };
        let mut column =
            |c: u64| Column::new(&(0..n as u64).map(|i| encrypt(10 * i + c)).collect::<Vec<_>>());
        let inputs = (0..columns as u64).map(&mut column).collect();
        Self { crs, secret, key, inputs }
    }

    pub(crate) fn prover(&self) -> Prover<'_, E> {
        Prover::new(&self.crs, &self.key)
    }

    /// Mixes one after the other.
    pub(crate) fn chain(&self, mixers: u32) -> Vec<PairingMix<E>> {
        let prover = self.prover();
        let mut mixes: Vec<PairingMix<E>> = Vec::new();
        for mixer in 1..=mixers {
            let inputs = mixes.last().map_or(&self.inputs, |mix| &mix.outputs);
            let mut rng = rng(mixer.into());
            mixes.push(PairingMix::new(&prover, inputs, &context(mixer), &mut rng).unwrap());
        }
        mixes
    }

    pub(crate) fn verify(&self, mixes: &[PairingMix<E>]) -> Result<(), ShuffleError> {
        let mixers = mixes.iter().zip(1..);
        let claims: Vec<_> =
            mixers.map(|(mix, mixer)| PairingClaim { context: context(mixer), mix }).collect();
        verify_mixes(&self.crs, &self.key, &self.inputs, &claims, &mut rng(999))
    }

    /// The rows of messages, in an order that does not depend on the permutation.
    pub(crate) fn messages(&self, columns: &[Column<E::G2>]) -> Vec<Vec<u8>> {
        let decrypted: Vec<_> =
            columns.iter().map(|column| decrypt_all(&self.secret, column)).collect();
        let rows = columns.first().map_or(0, Column::len);
        let row = |i: usize| decrypted.iter().flat_map(|column| column[i].encode()).collect();
        let mut rows: Vec<Vec<u8>> = (0..rows).map(row).collect();
        rows.sort();
        rows
    }
}

/// Points of the curve outside the prime-order subgroup, encoded; none if the cofactor is 1.
pub(crate) fn outside<G: Group>() -> Option<Vec<u8>> {
    (0..400_u32).find_map(|seed| {
        let mut bytes = G::generator().encode();
        let at = bytes.len() / 2;
        bytes[at..at + 4].copy_from_slice(&seed.to_le_bytes());
        matches!(G::decode(&bytes), Err(PointError::Subgroup { .. })).then_some(bytes)
    })
}
