//! Pseudo-random blocks by AES: with the processor's instructions where it has them, and in
//! constant time where it does not (`aes` decides).

use aes::{
    Aes128, Block,
    cipher::{BlockCipherEncrypt, KeyInit},
};
use zeroize::Zeroize;

/// Blocks that are encrypted at once.
const BATCH: usize = 32;

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

    /// The first `count` blocks.
    pub(crate) fn blocks(&self, count: usize) -> Vec<u128> {
        let mut blocks = vec![0; count];
        self.fill(0, &mut blocks);
        blocks
    }
}

/// Encrypts each of at most [`BATCH`] blocks.
fn encrypt(cipher: &Aes128, blocks: &mut [u128]) {
    let mut buffer = [Block::default(); BATCH];
    buffer.iter_mut().zip(&*blocks).for_each(|(to, from)| *to = from.to_le_bytes().into());
    let (buffer, _) = buffer.split_at_mut(blocks.len());
    cipher.encrypt_blocks(buffer);
    blocks
        .iter_mut()
        .zip(&*buffer)
        .for_each(|(to, from)| *to = u128::from_le_bytes((*from).into()));
    buffer.iter_mut().for_each(|block| block.as_mut_slice().zeroize());
}

/// The length-doubling function of GGM trees: a node x has the children `AES_0(x) ^ x` and
/// `AES_1(x) ^ x` under two public keys (Guo, Katz, Wang, Yu, ePrint 2019/074, section 4, take
/// AES under a public key for a correlation-robust function).
pub(crate) struct Doubler([Aes128; 2]);

impl Doubler {
    pub(crate) fn new(keys: [u128; 2]) -> Self {
        Self(keys.map(|key| Aes128::new(&key.to_le_bytes().into())))
    }

    /// The children of all nodes, in order: twice as many.
    pub(crate) fn double(&self, nodes: &[u128]) -> Vec<u128> {
        let mut children = Vec::with_capacity(2 * nodes.len());
        let [left, right] = &self.0;
        for parents in nodes.chunks(BATCH) {
            let (mut lefts, mut rights) = (parents.to_vec(), parents.to_vec());
            encrypt(left, &mut lefts);
            encrypt(right, &mut rights);
            let pairs = lefts.iter().zip(&rights).zip(parents);
            children
                .extend(pairs.flat_map(|((left, right), parent)| [left ^ parent, right ^ parent]));
            lefts.zeroize();
            rights.zeroize();
        }
        children
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
}
