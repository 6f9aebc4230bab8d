//! BLAKE2s-256 without a key (RFC 7693).

use algebra::Scalar;

use super::{Bit, UInt32};
use crate::synthesis::{Circuit, Linear, Synthesizer};

/// Bytes of a block.
const BLOCK: usize = 64;

/// The initialization vector, which is that of SHA-256.
pub(super) const IV: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// The word of a message that each step of each round takes.
const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// The words that each step of a round mixes: columns, then diagonals.
const STEPS: [[usize; 4]; 8] = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
];

/// The hash of a message of bytes, each as eight bits with the least significant first: eight
/// words, little-endian. Bits beyond the last whole byte count as a byte with zeros.
#[must_use]
pub fn blake2s<S: Scalar>(cs: &mut Synthesizer<S>, message: &[Bit<S>]) -> Vec<UInt32<S>> {
    // Unkeyed, 32 bytes of output.
    const PARAMETERS: u32 = 0x0101_0020;
    let bytes = message.len().div_ceil(8);
    let mut state: Vec<_> = IV.map(UInt32::constant).into();
    if let Some(first) = state.first_mut() {
        *first = UInt32::constant(IV[0] ^ PARAMETERS);
    }
    let blocks = bytes.div_ceil(BLOCK).max(1);
    for block in 0..blocks {
        // Behind the message are zeros, which `from_bits` adds.
        let bits = message.get(8 * BLOCK * block..).unwrap_or_default();
        let words: Vec<_> = (0..16)
            .map(|word| {
                let bits = bits.get(32 * word..).unwrap_or_default();
                UInt32::from_bits(bits.get(..32).unwrap_or(bits))
            })
            .collect();
        let is_last = block + 1 == blocks;
        let count = if is_last { bytes } else { BLOCK * (block + 1) };
        compress(cs, &mut state, &words, count as u64, is_last);
    }
    state
}

/// The compression function F.
#[expect(clippy::indexing_slicing, reason = "indices are those of the tables")]
fn compress<S: Scalar>(
    cs: &mut Synthesizer<S>,
    state: &mut [UInt32<S>],
    words: &[UInt32<S>],
    count: u64,
    is_last: bool,
) {
    let mut iv = IV;
    iv[4] ^= count as u32;
    iv[5] ^= (count >> 32) as u32;
    if is_last {
        iv[6] = !iv[6];
    }
    let mut work: Vec<_> = state.iter().cloned().chain(iv.map(UInt32::constant)).collect();
    for round in SIGMA {
        for (step, pair) in STEPS.iter().zip(round.chunks_exact(2)) {
            mix(cs, &mut work, *step, [&words[pair[0]], &words[pair[1]]]);
        }
    }
    for (index, word) in state.iter_mut().enumerate() {
        let both = work[index].xor(cs, &work[index + 8]);
        *word = word.xor(cs, &both);
    }
}

/// The mixing function G.
#[expect(clippy::indexing_slicing, reason = "indices are those of the tables")]
fn mix<S: Scalar>(
    cs: &mut Synthesizer<S>,
    work: &mut [UInt32<S>],
    [a, b, c, d]: [usize; 4],
    words: [&UInt32<S>; 2],
) {
    for (word, [first, second]) in words.into_iter().zip([[16, 12], [8, 7]]) {
        work[a] = UInt32::sum(cs, &[&work[a], &work[b], word]);
        work[d] = work[d].xor(cs, &work[a]).rotate_right(first);
        work[c] = UInt32::sum(cs, &[&work[c], &work[d]]);
        work[b] = work[b].xor(cs, &work[c]).rotate_right(second);
    }
}

/// "I know a message of so many bytes with this BLAKE2s hash."
///
/// The hash is in two public outputs of 16 bytes each, little-endian.
pub struct Blake2sPreimage {
    message: Vec<u8>,
}

impl Blake2sPreimage {
    /// For a message; its length is the circuit's parameter.
    pub fn new(message: Vec<u8>) -> Self {
        Self { message }
    }
}

impl<S: Scalar> Circuit<S> for Blake2sPreimage {
    fn synthesize(&self, cs: &mut Synthesizer<S>) {
        let message = Bit::private_bytes(cs, &self.message);
        let hash = blake2s(cs, &message);
        expose_halves(cs, &hash);
    }
}

/// Exposes words in outputs of four, the first being the least significant.
fn expose_halves<S: Scalar>(cs: &mut Synthesizer<S>, words: &[UInt32<S>]) {
    for half in words.chunks(4) {
        let bits = half.iter().flat_map(UInt32::bits).map(Bit::linear);
        cs.expose(&Linear::from_bits(bits));
    }
}
