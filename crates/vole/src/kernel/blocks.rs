//! 128-bit integers as blocks of a cipher, in place.

#![expect(unsafe_code, reason = "sees the same bytes as another type")]

use aes::{Aes128, Block, cipher::BlockCipherEncrypt};

/// Encrypts each integer, as its 16 bytes with the lowest first.
pub(crate) fn encrypt(cipher: &Aes128, blocks: &mut [u128]) {
    blocks.iter_mut().for_each(|block| *block = block.to_le());
    // SAFETY: both types are 16 bytes without padding, for which every bit pattern is valid; the
    // alignment of a block is 1; the slice is borrowed for as long as the new one lives.
    let bytes = unsafe {
        std::slice::from_raw_parts_mut(blocks.as_mut_ptr().cast::<Block>(), blocks.len())
    };
    cipher.encrypt_blocks(bytes);
    blocks.iter_mut().for_each(|block| *block = u128::from_le(*block));
}

const _: () = assert!(size_of::<Block>() == size_of::<u128>() && align_of::<Block>() == 1);
