//! The Fiat-Shamir transcript of every proof system in the workspace.
//!
//! [`Transcript`] is that of Merlin v1.0 over STROBE-128, written out in `docs/spec/conventions.md`;
//! [`TranscriptExt`] adds the operations that protocols use. A protocol absorbs its name, its parameters,
//! the whole statement and then every message, in that order, and squeezes a challenge only after
//! everything it must depend on.
//!
//! ```
//! use transcript::{Transcript, TranscriptExt};
//!
//! let mut transcript = Transcript::new(b"subrosa/docs/v1");
//! transcript.absorb_u64(b"n", 3);
//! transcript.absorb(b"commitment", &[1, 2, 3]);
//! let batching: Vec<u128> = transcript.challenge_shorts(b"e", 3);
//! let challenge: [u8; 64] = transcript.challenge_wide(b"c");
//!
//! let mut other = Transcript::new(b"subrosa/docs/v1");
//! other.absorb_u64(b"n", 3);
//! other.absorb(b"commitment", &[1, 2, 4]);
//! assert_ne!(batching, other.challenge_shorts(b"e", 3));
//! # assert_ne!(challenge, other.challenge_wide(b"c"));
//! ```
#![forbid(unsafe_code)]

pub use tari_merlin::Transcript;

/// Typed absorbing and squeezing. Every value, also a squeezed one, is bound to its label and length. A value has
/// less than 2^32 bytes: Merlin panics on longer ones.
pub trait TranscriptExt {
    /// Absorbs bytes.
    fn absorb(&mut self, label: &'static [u8], bytes: &[u8]);

    /// Absorbs a count, an index or a size, as 8 bytes, little-endian.
    fn absorb_u64(&mut self, label: &'static [u8], value: u64);

    /// Squeezes 64 bytes, to be reduced modulo a group's order to one full-size scalar.
    fn challenge_wide(&mut self, label: &'static [u8]) -> [u8; 64];

    /// Squeezes `count` times 64 bytes as one string: not the bytes of `count` single squeezes.
    fn challenge_wides(&mut self, label: &'static [u8], count: usize) -> Vec<[u8; 64]>;

    /// Squeezes one 128-bit challenge, a little-endian integer.
    fn challenge_short(&mut self, label: &'static [u8]) -> u128;

    /// Squeezes `count` 128-bit challenges as one string of bytes, like [`TranscriptExt::challenge_wides`].
    fn challenge_shorts(&mut self, label: &'static [u8], count: usize) -> Vec<u128>;
}

impl TranscriptExt for Transcript {
    fn absorb(&mut self, label: &'static [u8], bytes: &[u8]) {
        self.append_message(label, bytes);
    }

    fn absorb_u64(&mut self, label: &'static [u8], value: u64) {
        self.append_u64(label, value);
    }

    fn challenge_wide(&mut self, label: &'static [u8]) -> [u8; 64] {
        let mut wide = [0; 64];
        self.challenge_bytes(label, &mut wide);
        wide
    }

    fn challenge_wides(&mut self, label: &'static [u8], count: usize) -> Vec<[u8; 64]> {
        let mut wides = vec![[0; 64]; count];
        self.challenge_bytes(label, wides.as_flattened_mut());
        wides
    }

    fn challenge_short(&mut self, label: &'static [u8]) -> u128 {
        let mut short = [0; 16];
        self.challenge_bytes(label, &mut short);
        u128::from_le_bytes(short)
    }

    fn challenge_shorts(&mut self, label: &'static [u8], count: usize) -> Vec<u128> {
        let mut shorts = vec![[0; 16]; count];
        self.challenge_bytes(label, shorts.as_flattened_mut());
        shorts.into_iter().map(u128::from_le_bytes).collect()
    }
}
