//! Pseudo-random blocks by AES: with the processor's instructions where it has them, and in
//! constant time where it does not (`aes` decides).

use aes::{Aes128, cipher::KeyInit};
use zeroize::Zeroize;

use crate::kernel::blocks::encrypt;

/// Blocks that are encrypted at once: enough to spread the set-up of a call.
const BATCH: usize = 128;

/// AES-128 in counter mode, readable from any block on. The key is erased when dropped.
pub(crate) struct Prg(Aes128);

impl Prg {
    pub(crate) fn new(seed: u128) -> Self {
        Self(Aes128::new(&seed.to_le_bytes().into()))
    }

    /// Blocks `first..first + out.len()` of the stream.
    pub(crate) fn fill(&self, first: u64, out: &mut [u128]) {
        let mut counter = u128::from(first);
        for chunk in out.chunks_mut(BATCH) {
            for block in chunk.iter_mut() {
                *block = counter;
                counter += 1;
            }
            encrypt(&self.0, chunk);
        }
    }

    /// Encrypts blocks: the stream at counters of the caller's choice.
    pub(crate) fn encrypt(&self, counters: &mut [u128]) {
        encrypt(&self.0, counters);
    }

    /// The first `count` blocks.
    pub(crate) fn blocks(&self, count: usize) -> Vec<u128> {
        let mut blocks = vec![0; count];
        self.fill(0, &mut blocks);
        blocks
    }
}

/// The length-doubling function of GGM trees: a node x has the children `AES_0(x) ^ x` and
/// `AES_1(x) ^ x` under two public keys (Guo, Katz, Wang, Yu, ePrint 2019/074, section 4, take
/// AES under a public key for a correlation-robust function).
pub(crate) struct Doubler([Aes128; 2]);

impl Doubler {
    pub(crate) fn new(keys: [u128; 2]) -> Self {
        Self(keys.map(|key| Aes128::new(&key.to_le_bytes().into())))
    }

    /// Replaces the first half of `nodes` by all children of it, in order.
    pub(crate) fn double(&self, nodes: &mut [u128]) {
        let [left, right] = &self.0;
        let (mut parents, mut rights) = ([0; BATCH], [0; BATCH]);
        // From the end: the children of the last nodes take places whose nodes have been read.
        let mut end = nodes.len() / 2;
        while end > 0 {
            let start = end.saturating_sub(1) / BATCH * BATCH;
            let (parents, _) = parents.split_at_mut(end - start);
            let (rights, _) = rights.split_at_mut(end - start);
            parents.iter_mut().zip(nodes.iter().skip(start)).for_each(|(to, from)| *to = *from);
            rights.copy_from_slice(parents);
            encrypt(right, rights);
            let mut lefts = [0; BATCH];
            let (lefts, _) = lefts.split_at_mut(end - start);
            lefts.copy_from_slice(parents);
            encrypt(left, lefts);
            let (_, places) = nodes.split_at_mut(2 * start);
            let (places, _) = places.as_chunks_mut::<2>();
            for (((place, left), right), parent) in
                places.iter_mut().zip(&*lefts).zip(&*rights).zip(&*parents)
            {
                *place = [left ^ parent, right ^ parent];
            }
            end = start;
        }
        parents.zeroize();
        rights.zeroize();
    }
}

/// A tweakable correlation-robust hash, `π(π(x) ^ i) ^ π(x)` for AES under a public key as π (Guo,
/// Katz, Wang, Yu, ePrint 2019/074, section 7.4): the pads of oblivious transfers.
pub(crate) struct PadHash(Aes128);

impl PadHash {
    pub(crate) fn new(key: u128) -> Self {
        Self(Aes128::new(&key.to_le_bytes().into()))
    }

    /// Replaces each x by its hash under the tweaks `first, first + 1, ..`.
    pub(crate) fn hash(&self, first: u64, blocks: &mut [u128]) {
        let mut inner = [0; BATCH];
        let mut tweak = u128::from(first);
        for blocks in blocks.chunks_mut(BATCH) {
            encrypt(&self.0, blocks);
            let (inner, _) = inner.split_at_mut(blocks.len());
            for (inner, block) in inner.iter_mut().zip(&*blocks) {
                *inner = block ^ tweak;
                tweak += 1;
            }
            encrypt(&self.0, inner);
            blocks.iter_mut().zip(&*inner).for_each(|(block, inner)| *block ^= inner);
        }
        inner.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 197, appendix B, and reading from the middle.
    #[test]
    fn is_aes_in_counter_mode() {
        let key = u128::from_be_bytes(
            *b"\x2b\x7e\x15\x16\x28\xae\xd2\xa6\xab\xf7\x15\x88\x09\xcf\x4f\x3c",
        );
        let mut block = [u128::from_be_bytes(
            *b"\x32\x43\xf6\xa8\x88\x5a\x30\x8d\x31\x31\x98\xa2\xe0\x37\x07\x34",
        )
        .swap_bytes()];
        encrypt(&Prg::new(key.swap_bytes()).0, &mut block);
        assert_eq!(block[0].swap_bytes(), 0x3925_841d_02dc_09fb_dc11_8597_196a_0b32);

        let prg = Prg::new(key);
        let all = prg.blocks(100);
        let mut middle = [0; 50];
        prg.fill(40, &mut middle);
        assert_eq!(middle[..], all[40..90]);
    }

    /// One less than a batch, as many, one more, and the same for two.
    const LENGTHS: [usize; 8] =
        [0, 1, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH - 1, 2 * BATCH, 2 * BATCH + 1];

    /// `AES_key(x)`.
    fn one(key: u128, x: u128) -> u128 {
        let mut block = [x];
        encrypt(&Prg::new(key).0, &mut block);
        block[0]
    }

    #[test]
    fn batches_are_as_block_by_block() {
        for len in LENGTHS {
            let mut blocks = vec![0; len];
            Prg::new(5).fill(1_000, &mut blocks);
            let expected = (1_000_u128..).map(|counter| one(5, counter));
            assert!(blocks.into_iter().eq(expected.take(len)), "{len}");

            let mut nodes: Vec<_> = (0..2 * len as u128).map(|node| node * 77).collect();
            let children = |&node: &u128| [6, 7].map(|key| one(key, node) ^ node);
            let expected: Vec<_> = nodes[..len].iter().flat_map(children).collect();
            Doubler::new([6, 7]).double(&mut nodes);
            assert!(nodes == expected, "{len}");

            let mut pads: Vec<_> = (0..len as u128).map(|x| x * 31).collect();
            let pad = |(tweak, x): (u128, &u128)| one(8, one(8, *x) ^ tweak) ^ one(8, *x);
            let expected: Vec<_> = (500..).zip(&pads).map(pad).collect();
            PadHash::new(8).hash(500, &mut pads);
            assert!(pads == expected, "{len}");
        }
    }
}
