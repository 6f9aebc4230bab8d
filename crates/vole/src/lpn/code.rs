//! The public linear map of dual LPN.

use rayon::prelude::*;

use crate::{
    field::{Authenticated, Fp, Gf64},
    hash::SessionId,
    kernel::clmul::{Clmul, Kernel, dispatch},
    prg::Prg,
};

/// What codes are applied to: MACs, keys, or values with their MACs.
pub(crate) trait Symbol: Copy + Default + Send + Sync {
    /// `self + other` if `mask` is all ones, and `self` if it is zero.
    fn add_masked(self, other: Self, mask: u64) -> Self;
}

impl Symbol for Gf64 {
    #[inline(always)]
    fn add_masked(self, other: Self, mask: u64) -> Self {
        Self::from(self.to_u64() ^ other.to_u64() & mask)
    }
}

impl Symbol for Fp {
    #[inline(always)]
    fn add_masked(self, other: Self, mask: u64) -> Self {
        self + other.masked(mask)
    }
}

impl Symbol for Authenticated {
    #[inline(always)]
    fn add_masked(self, other: Self, mask: u64) -> Self {
        Self {
            value: self.value.add_masked(other.value, mask),
            mac: self.mac.add_masked(other.mac, mask),
        }
    }
}

/// A linear map from 2n elements to n.
pub(crate) trait LinearCode {
    /// Replaces 2n elements by n.
    fn compress<T: Symbol>(&self, elements: &mut Vec<T>);
}

/// Expand-convolute codes (Raghuraman, Rindal and Tanguy, CRYPTO 2023) in systematic form: the
/// first half, plus a sparse sum of the second half after two recursive convolutions.
pub(crate) struct ExConv {
    /// Of the two convolutions, and of the expander.
    generators: [Prg; 3],
    expander: usize,
    memory: usize,
}

/// Outputs that take from one block of the second half before the next block's turn. The block is
/// read in random order and stays in the cache meanwhile; the outputs stream by. Few tiles, so that a
/// block is fetched few times; more than one, for as many threads.
const TILES: usize = 4;
/// Outputs whose random words are drawn at once.
const PIECE: usize = 1 << 12;
/// The largest memory of a convolution: a word has the coefficients.
const MAX_MEMORY: usize = 24;

impl ExConv {
    /// The code of a session: `toss` is what both parties chose together.
    pub(crate) fn new(
        sid: &SessionId,
        toss: &[u8; 32],
        size: usize,
        expander: usize,
        memory: usize,
    ) -> Self {
        let size = (size as u64).to_le_bytes();
        let generators =
            [0u8, 1, 2].map(|part| Prg::new(sid.derive_key("code", &[toss, &size, &[part]])));
        Self { generators, expander, memory: memory.min(MAX_MEMORY) }
    }
}

impl LinearCode for ExConv {
    fn compress<T: Symbol>(&self, elements: &mut Vec<T>) {
        let size = elements.len() / 2;
        let (outputs, noise) = elements.split_at_mut(size);
        let [first, second, expander] = &self.generators;
        for generator in [first, second] {
            dispatch(Convolution { generator, memory: self.memory, elements: noise });
        }
        let noise = &*noise;
        let tile_len = size.div_ceil(TILES).next_multiple_of(PIECE);
        outputs.par_chunks_mut(tile_len).enumerate().for_each(|(tile, outputs)| {
            let mut words = [0; PIECE / 4];
            for part in 0..self.expander {
                let start = part * size / self.expander;
                let end = (part + 1) * size / self.expander;
                let Some(block) = noise.get(start..end) else { continue };
                let first = (part * size + tile * tile_len) / 4;
                for (piece, outputs) in outputs.chunks_mut(PIECE).enumerate() {
                    let (words, _) = words.split_at_mut(outputs.len().div_ceil(4));
                    expander.fill((first + piece * PIECE / 4) as u64, words);
                    gather(outputs, block, words);
                }
            }
        });
        elements.truncate(size);
    }
}

/// Adds to each output the element of the block that its 32 random bits choose. The places are
/// computed first, so that the loads do not wait for each other.
fn gather<T: Symbol>(outputs: &mut [T], block: &[T], words: &[u128]) {
    const BATCH: usize = 64;
    let width = block.len() as u64;
    for (outputs, words) in outputs.chunks_mut(BATCH).zip(words.chunks(BATCH / 4)) {
        let mut places = [0u32; BATCH];
        let (quarters, _) = places.as_chunks_mut::<4>();
        for (places, word) in quarters.iter_mut().zip(words) {
            for (place, shift) in places.iter_mut().zip([0, 32, 64, 96]) {
                *place = ((u64::from((word >> shift) as u32) * width) >> 32) as u32;
            }
        }
        for (output, &place) in outputs.iter_mut().zip(&places) {
            if let Some(element) = block.get(place as usize) {
                *output = output.add_masked(*element, u64::MAX);
            }
        }
    }
}

/// `y_{i+1} += y_i`, and `y_{i+j} += b_{i,j} y_i` for j = 2..=memory with pseudo-random bits b.
struct Convolution<'a, T> {
    generator: &'a Prg,
    memory: usize,
    elements: &'a mut [T],
}

/// Elements between two readings of the generator.
const STRIDE: usize = 256;

impl<T: Symbol> Kernel for Convolution<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<C: Clmul>(self, _: C) {
        let mut words = [0u128; STRIDE / 4];
        // Bit 0 is always there; what lies beyond the memory is not.
        let used = (1u64 << self.memory) - 1;
        let total = self.elements.len();
        for start in (0..total).step_by(STRIDE) {
            self.generator.fill((start / 4) as u64, &mut words);
            let words = words.iter().flat_map(|word| {
                let halves = [*word as u64, (*word >> 64) as u64];
                halves.map(|half| [half & 0xFFFF_FFFF, half >> 32])
            });
            for (i, bits) in (start..total).zip(words.flatten()) {
                let bits = (bits | 1) & used;
                let Some((y, rest)) = self.elements.get_mut(i..).and_then(<[T]>::split_first_mut)
                else {
                    return;
                };
                match rest.first_chunk_mut::<MAX_MEMORY>() {
                    Some(window) => push(*y, bits, window),
                    None => push(*y, bits, rest),
                }
            }
        }
    }
}

#[inline(always)]
fn push<T: Symbol>(y: T, bits: u64, window: &mut [T]) {
    for (j, element) in (0u32..).zip(window) {
        *element = element.add_masked(y, (bits >> j & 1).wrapping_neg());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::coefficients;

    fn code(size: usize) -> ExConv {
        ExConv::new(&SessionId::new(&[b"test"]), &[7; 32], size, 21, 24)
    }

    /// The map is linear, so that values, MACs and keys stay in relation.
    #[test]
    fn is_linear() {
        let size = 1 << 13;
        let xs: Vec<Fp> = coefficients(&Prg::new(1), 0, 2 * size);
        let ys: Vec<Fp> = coefficients(&Prg::new(2), 0, 2 * size);
        let factor = Fp::from(12_345);
        let mut sums: Vec<_> = xs.iter().zip(&ys).map(|(x, y)| *x + factor * *y).collect();
        let (mut xs, mut ys) = (xs, ys);
        for elements in [&mut sums, &mut xs, &mut ys] {
            code(size).compress(elements);
        }
        assert_eq!(sums.len(), size);
        assert!(sums.iter().zip(xs.iter().zip(&ys)).all(|(sum, (x, y))| *sum == *x + factor * *y));
    }

    /// Column by column, against sums that follow the definition: unit vectors of noise.
    #[test]
    fn agrees_with_the_definition() {
        let size = 512;
        let code = ExConv::new(&SessionId::new(&[b"test"]), &[7; 32], size, 7, 5);
        for place in [0, 100, size, size + 1, 2 * size - 1] {
            let mut found = vec![Gf64::default(); 2 * size];
            found[place] = Gf64::from(0x1234);
            let mut noise = found.split_off(size);
            for generator in &code.generators[..2] {
                let bits: Vec<u32> = generator
                    .blocks(size / 4)
                    .iter()
                    .flat_map(|word| [0, 32, 64, 96].map(|shift| (word >> shift) as u32))
                    .collect();
                for i in 0..size {
                    for j in 1..=5 {
                        if i + j < size && (j == 1 || bits[i] >> (j - 1) & 1 == 1) {
                            let y = noise[i];
                            noise[i + j] += y;
                        }
                    }
                }
            }
            let words = code.generators[2].blocks(7 * size / 4);
            for part in 0..7 {
                let (start, end) = (part * size / 7, (part + 1) * size / 7);
                for i in 0..size {
                    let word = words[(part * size + i) / 4] >> (32 * (i % 4));
                    let random = u64::from(word as u32);
                    let chosen = start + ((random * (end - start) as u64) >> 32) as usize;
                    found[i] += noise[chosen];
                }
            }
            let mut compressed = vec![Gf64::default(); 2 * size];
            compressed[place] = Gf64::from(0x1234);
            code.compress(&mut compressed);
            assert!(found == compressed, "place {place}");
        }
    }
}
