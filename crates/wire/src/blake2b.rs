//! BLAKE2b-512 (RFC 7693) whose state can leave the program and come back.
//!
//! No maintained crate gives its state away (`blake2` excludes it by design, `blake2b_simd` keeps
//! it private), and Powers of Tau files carry one: the hash of a response up to its public key.

use std::io;

use zeroize::Zeroize;

use crate::DecodeError;

const BLOCK_LEN: usize = 128;

const IV: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

/// The order in which each round takes the words of a block; rounds ten and eleven start over.
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

/// A BLAKE2b-512 computation under way. Its state is erased when dropped.
///
/// ```
/// use wire::Blake2b;
/// let mut hash = Blake2b::new();
/// hash.update(b"first half, ");
/// let mut resumed = Blake2b::from_state(&hash.state()).unwrap();
/// resumed.update(b"second half");
/// assert_eq!(resumed.finish(), Blake2b::digest(b"first half, second half"));
/// ```
#[derive(Clone)]
pub struct Blake2b {
    words: [u64; 8],
    /// Bytes that went through the compression function.
    compressed: u64,
    /// The last block waits here, even when full: whether it is the last decides how it counts.
    buffer: [u8; BLOCK_LEN],
    filled: usize,
}

impl Drop for Blake2b {
    fn drop(&mut self) {
        self.words.zeroize();
        self.buffer.zeroize();
    }
}

impl Default for Blake2b {
    fn default() -> Self {
        Self::new()
    }
}

impl Blake2b {
    /// Bytes of an exported state.
    pub const STATE_LEN: usize = 216;

    /// Starts a hash without key, with 64 bytes of output.
    pub fn new() -> Self {
        let mut words = IV;
        let [first, ..] = &mut words;
        *first ^= 0x0101_0040;
        Self { words, compressed: 0, buffer: [0; BLOCK_LEN], filled: 0 }
    }

    /// The digest of `bytes`.
    pub fn digest(bytes: &[u8]) -> [u8; 64] {
        let mut hash = Self::new();
        hash.update(bytes);
        hash.finish()
    }

    /// Adds bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.filled == BLOCK_LEN {
                let mut block = self.buffer;
                self.absorb(&block);
                block.zeroize();
                self.filled = 0;
            }
            // Whole blocks with something behind them need not be copied.
            while self.filled == 0
                && let Some((block, rest)) = bytes.split_first_chunk::<BLOCK_LEN>()
                && !rest.is_empty()
            {
                self.absorb(block);
                bytes = rest;
            }
            // At most a block is filled, so that the rest of the buffer begins there; so in `clear_beyond_filled`.
            let space = self.buffer.get_mut(self.filled..).unwrap_or_default();
            let taken = space.len().min(bytes.len());
            let (now, later) = bytes.split_at(taken);
            space.iter_mut().zip(now).for_each(|(to, from)| *to = *from);
            self.filled += taken;
            bytes = later;
        }
    }

    /// Bytes added so far.
    pub fn count(&self) -> u64 {
        self.compressed.wrapping_add(self.filled as u64)
    }

    /// The digest of everything added.
    pub fn finish(mut self) -> [u8; 64] {
        self.compressed = self.compressed.wrapping_add(self.filled as u64);
        self.clear_beyond_filled();
        let mut block = self.buffer;
        self.compress(&block, true);
        block.zeroize();
        let mut digest = [0; 64];
        let (chunks, _) = digest.as_chunks_mut::<8>();
        chunks.iter_mut().zip(self.words).for_each(|(to, word)| *to = word.to_le_bytes());
        digest
    }

    /// The state as `.ptau` files hold it: the block not yet compressed, the eight words, the
    /// bytes compressed, the bytes of the block, and zeros; integers little-endian, 64 bits.
    pub fn state(&self) -> [u8; Self::STATE_LEN] {
        let mut cleared = self.clone();
        cleared.clear_beyond_filled();
        let mut state = [0; Self::STATE_LEN];
        let counters = [self.compressed, self.filled as u64];
        let numbers = self.words.iter().chain(&counters).flat_map(|word| word.to_le_bytes());
        let bytes = cleared.buffer.into_iter().chain(numbers);
        state.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        state
    }

    /// Continues from an exported state. Bytes of the block beyond its length do not matter.
    ///
    /// # Errors
    /// [`DecodeError::Invalid`] for counters that no computation arrives at.
    pub fn from_state(state: &[u8; Self::STATE_LEN]) -> Result<Self, DecodeError> {
        let refused = |reason: &str| DecodeError::invalid("BLAKE2b state", reason);
        let (buffer, numbers) = state.split_first_chunk().ok_or_else(|| refused("cut short"))?;
        let (numbers, _) = numbers.as_chunks::<8>();
        let mut numbers = numbers.iter().map(|number| u64::from_le_bytes(*number));
        // A state has eleven numbers (`STATE_LEN`).
        let words = [(); 8].map(|()| numbers.next().unwrap_or_default());
        let (compressed, filled, zero) = (numbers.next(), numbers.next(), numbers.next());
        let (Some(compressed), Some(filled), Some(0)) = (compressed, filled, zero) else {
            return Err(refused("the last eight bytes are not zero"));
        };
        if filled > BLOCK_LEN as u64 {
            return Err(refused("more than a block is waiting"));
        }
        if compressed % BLOCK_LEN as u64 != 0 || (filled == 0 && compressed != 0) {
            return Err(refused("the count of compressed bytes is impossible"));
        }
        Ok(Self { words, compressed, buffer: *buffer, filled: filled as usize })
    }

    fn clear_beyond_filled(&mut self) {
        self.buffer.get_mut(self.filled..).unwrap_or_default().fill(0);
    }

    fn absorb(&mut self, block: &[u8; BLOCK_LEN]) {
        self.compressed = self.compressed.wrapping_add(BLOCK_LEN as u64);
        self.compress(block, false);
    }

    #[expect(clippy::indexing_slicing, reason = "arrays of 16 and constant indices below 16")]
    fn compress(&mut self, block: &[u8; BLOCK_LEN], last: bool) {
        let mut message = [0; 16];
        let (chunks, _) = block.as_chunks::<8>();
        message.iter_mut().zip(chunks).for_each(|(to, from)| *to = u64::from_le_bytes(*from));

        let mut v = [0; 16];
        v.iter_mut().zip(self.words.iter().chain(&IV)).for_each(|(to, from)| *to = *from);
        v[12] ^= self.compressed;
        if last {
            v[14] = !v[14];
        }
        for s in SIGMA.iter().chain(&SIGMA[..2]) {
            mix(&mut v, [0, 4, 8, 12], message[s[0]], message[s[1]]);
            mix(&mut v, [1, 5, 9, 13], message[s[2]], message[s[3]]);
            mix(&mut v, [2, 6, 10, 14], message[s[4]], message[s[5]]);
            mix(&mut v, [3, 7, 11, 15], message[s[6]], message[s[7]]);
            mix(&mut v, [0, 5, 10, 15], message[s[8]], message[s[9]]);
            mix(&mut v, [1, 6, 11, 12], message[s[10]], message[s[11]]);
            mix(&mut v, [2, 7, 8, 13], message[s[12]], message[s[13]]);
            mix(&mut v, [3, 4, 9, 14], message[s[14]], message[s[15]]);
        }
        let (low, high) = v.split_at(8);
        let halves = low.iter().zip(high);
        self.words.iter_mut().zip(halves).for_each(|(word, (low, high))| *word ^= low ^ high);
    }
}

/// The function `G` of the standard, on one column or diagonal.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "indices are constants below 16")]
fn mix(v: &mut [u64; 16], [a, b, c, d]: [usize; 4], x: u64, y: u64) {
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
    v[d] = (v[d] ^ v[a]).rotate_right(32);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(24);
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
    v[d] = (v[d] ^ v[a]).rotate_right(16);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(63);
}

impl io::Write for Blake2b {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use blake2::{Blake2b512, Digest};
    use proptest::prelude::*;

    use super::*;

    fn oracle(bytes: &[u8]) -> [u8; 64] {
        Blake2b512::digest(bytes).into()
    }

    #[test]
    fn agrees_around_block_boundaries() {
        let bytes: Vec<u8> = (0..1000).map(|i| i as u8).collect();
        for len in (0..300).chain([383, 384, 385, 511, 512, 513, 1000]) {
            assert_eq!(Blake2b::digest(&bytes[..len]), oracle(&bytes[..len]), "{len}");
        }
    }

    #[test]
    fn impossible_states_are_refused() {
        let mut hash = Blake2b::new();
        hash.update(&[7; 300]);
        let state = hash.state();
        // Byte 192: compressed; 200: filled; 208: zero.
        for (at, value) in [(192, 1), (200, 129), (200, 0), (207, 1), (208, 1), (215, 1)] {
            let mut state = state;
            state[at] = value;
            assert!(Blake2b::from_state(&state).is_err(), "{at}");
        }
    }

    proptest! {
        #[test]
        fn agrees_and_resumes(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..400), 0..6)) {
            let mut hash = Blake2b::new();
            for part in &parts {
                let state = hash.state();
                hash = Blake2b::from_state(&state).unwrap();
                prop_assert_eq!(hash.state(), state);
                hash.update(part);
            }
            prop_assert_eq!(hash.count(), parts.concat().len() as u64);
            prop_assert_eq!(hash.finish(), oracle(&parts.concat()));
        }
    }
}
