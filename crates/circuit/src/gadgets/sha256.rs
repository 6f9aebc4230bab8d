//! SHA-256 (FIPS 180-4).

use algebra::Scalar;

use super::{Bit, UInt32, blake2s::IV};
use crate::synthesis::Synthesizer;

/// Bytes of a block.
const BLOCK: usize = 64;

/// The constants of the rounds.
const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// The hash of a message of bytes, each as eight bits with the least significant first: eight
/// words, big-endian. Bits beyond the last whole byte count as a byte with zeros.
#[must_use]
pub fn sha256<S: Scalar>(cs: &mut Synthesizer<S>, message: &[Bit<S>]) -> Vec<UInt32<S>> {
    let bytes = message.len().div_ceil(8);
    let mut padded: Vec<[Bit<S>; 8]> = Vec::new();
    for byte in message.chunks(8) {
        let bit = |at| byte.get(at).cloned().unwrap_or_else(|| Bit::constant(false));
        padded.push(std::array::from_fn(bit));
    }
    let constant = |byte: u8| std::array::from_fn(|at| Bit::constant(byte >> at & 1 == 1));
    padded.push(constant(0x80));
    while padded.len() % BLOCK != BLOCK - 8 {
        padded.push(constant(0));
    }
    padded.extend((8 * bytes as u64).to_be_bytes().map(constant));

    let mut state: Vec<_> = IV.map(UInt32::constant).into();
    for block in padded.chunks(BLOCK) {
        let word = |bytes: &[[Bit<S>; 8]]| {
            let bits: Vec<_> = bytes.iter().rev().flatten().cloned().collect();
            UInt32::from_bits(&bits)
        };
        compress(cs, &mut state, block.chunks(4).map(word).collect());
    }
    state
}

/// The compression function, with the first 16 words of the message schedule.
#[expect(clippy::indexing_slicing, reason = "indices are those of the standard")]
fn compress<S: Scalar>(
    cs: &mut Synthesizer<S>,
    state: &mut [UInt32<S>],
    mut schedule: Vec<UInt32<S>>,
) {
    for t in 16..K.len() {
        let (w2, w15) = (&schedule[t - 2], &schedule[t - 15]);
        let s0 = xor_all(cs, [w15.rotate_right(7), w15.rotate_right(18), w15.shift_right(3)]);
        let s1 = xor_all(cs, [w2.rotate_right(17), w2.rotate_right(19), w2.shift_right(10)]);
        let word = UInt32::sum(cs, &[&s1, &schedule[t - 7], &s0, &schedule[t - 16]]);
        schedule.push(word);
    }
    let mut work = state.to_vec();
    for (word, k) in schedule.iter().zip(K.map(UInt32::constant)) {
        let [a, b, c, d, e, f, g, h] = &work[..] else { return };
        let s1 = xor_all(cs, [6, 11, 25].map(|by| e.rotate_right(by)));
        let s0 = xor_all(cs, [2, 13, 22].map(|by| a.rotate_right(by)));
        let choice = e.select(cs, f, g);
        // Where a and b differ, c decides.
        let majority = a.xor(cs, b).select(cs, c, a);
        let new_a = UInt32::sum(cs, &[h, &s1, &choice, &k, word, &s0, &majority]);
        let new_e = UInt32::sum(cs, &[d, h, &s1, &choice, &k, word]);
        work.rotate_right(1);
        (work[0], work[4]) = (new_a, new_e);
    }
    for (word, new) in state.iter_mut().zip(&work) {
        *word = UInt32::sum(cs, &[word, new]);
    }
}

fn xor_all<S: Scalar>(cs: &mut Synthesizer<S>, [x, y, z]: [UInt32<S>; 3]) -> UInt32<S> {
    let both = x.xor(cs, &y);
    both.xor(cs, &z)
}
