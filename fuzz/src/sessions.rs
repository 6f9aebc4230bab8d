//! Inputs of several parts, and random numbers that are the same for each input.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;

/// The generator of a party under test: a failure must come again.
pub fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// Parts with their lengths before them; the last ends with the input.
pub fn join(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    for part in parts {
        out.extend((part.len() as u32).to_le_bytes());
        out.extend(part);
    }
    out
}

/// The parts of an input, each as long as it says or as there is input left.
pub fn split(mut input: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    while let Some((len, rest)) = input.split_first_chunk() {
        let len = u32::from_le_bytes(*len) as usize;
        let (part, rest) = rest.split_at(len.min(rest.len()));
        parts.push(part);
        input = rest;
    }
    parts
}
