//! The prover's randomness, which its rounds and its opening draw from alike.

use rand_core::{CryptoRng, SeedableRng as _};
use zeroize::Zeroizing;

use super::Dialogue;
use crate::{commitment::Scalar, hash::KeyedHashing, range::ValueOpening};

/// The prover's masks: bound to seed, witness and all that was said so far, so that a proof that is
/// made again has the same bytes and two different ones share no mask.
pub(super) struct Masks {
    seed: Zeroizing<[u8; 32]>,
}

impl Masks {
    pub(super) fn new(seed: &[u8; 32], openings: &[ValueOpening]) -> Self {
        let start = KeyedHashing::new(seed, "bit matrix witness").number(openings.len() as u64);
        let add = |hashing: KeyedHashing, (value, blinding): &ValueOpening| {
            hashing.number(*value).bytes(blinding.as_bytes())
        };
        Self { seed: Zeroizing::new(openings.iter().fold(start, add).finish()) }
    }

    pub(super) fn rng(&self, dialogue: &Dialogue) -> impl CryptoRng + use<> {
        let builder = dialogue.0.build_rng().rekey_with_witness_bytes(b"witness", &*self.seed);
        builder.finalize(&mut chacha20::ChaCha20Rng::from_seed(*self.seed))
    }

    pub(super) fn draw<const N: usize>(&self, dialogue: &Dialogue) -> [Scalar; N] {
        let mut rng = self.rng(dialogue);
        [(); N].map(|()| Scalar::random(&mut rng))
    }
}
