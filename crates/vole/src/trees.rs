//! One punctured tree for each digit of the verifier's global keys: the prover knows all leaves,
//! the verifier all but the one whose number is the digit. The leaves are keys of generators, whose
//! streams both VOLEs consume without further transfers.

use rand_core::CryptoRng;
use wire::{Channel, ChannelError, Reader};
use zeroize::Zeroizing;

use crate::{
    error::VoleError,
    ggm::{grow, grow_punctured},
    hash::SessionId,
    message,
    prg::{Doubler, Prg},
};

/// The generators at a tree's leaves. In the verifier's tree, that of the unknown leaf is of no
/// value, and every formula gives it the coefficient zero.
pub(crate) type Leaves = Vec<Prg>;

/// A digit of a global key and its number of bits.
#[derive(Clone, Copy)]
pub(crate) struct Digit {
    pub(crate) value: u8,
    pub(crate) bits: usize,
}

impl Digit {
    /// The choices in the base OTs: the path from the root to the unknown leaf.
    pub(crate) fn path(self) -> impl Iterator<Item = bool> {
        (0..self.bits).rev().map(move |bit| self.value >> bit & 1 == 1)
    }
}

pub(crate) fn doubler(sid: &SessionId) -> Doubler {
    Doubler::new([0u8, 1].map(|side| sid.derive_key("tree", &[&[side]])))
}

/// The prover grows a tree of each depth and sends the level sums: that of the right children under
/// the key of choice 0, that of the left children under the key of choice 1.
pub(crate) fn send(
    sid: &SessionId,
    depths: &[usize],
    keys: &[[u128; 2]],
    channel: &mut Channel,
    rng: &mut impl CryptoRng,
) -> Result<Vec<Leaves>, VoleError> {
    let doubler = doubler(sid);
    let mut keys = keys.iter();
    let mut message = Vec::new();
    let trees = depths.iter().map(|&depth| {
        let mut root = Zeroizing::new([0; 16]);
        rng.fill_bytes(&mut *root);
        let mut leaves = Zeroizing::new(vec![0; 1 << depth]);
        let sums = grow(&doubler, u128::from_le_bytes(*root), &mut leaves);
        for ([left, right], [key_0, key_1]) in sums.iter().zip(&mut keys) {
            message.extend((right ^ key_0).to_le_bytes());
            message.extend((left ^ key_1).to_le_bytes());
        }
        leaves.iter().map(|&leaf| Prg::new(leaf)).collect()
    });
    let trees = trees.collect();
    message::send(channel, &message)?;
    Ok(trees)
}

/// The verifier's side of [`send`].
pub(crate) fn receive(
    sid: &SessionId,
    digits: &[Digit],
    keys: &[u128],
    channel: &mut Channel,
) -> Result<Vec<Leaves>, VoleError> {
    let doubler = doubler(sid);
    let message = message::receive(channel, "level sums", 32 * keys.len())?;
    let mut reader = Reader::new(&message);
    let mut keys = keys.iter();
    let mut trees = Vec::with_capacity(digits.len());
    for digit in digits {
        let mut opened = Zeroizing::new(Vec::with_capacity(digit.bits));
        for (choice, key) in digit.path().zip(&mut keys) {
            let mut sum = || reader.array().map(u128::from_le_bytes).map_err(ChannelError::Decode);
            let (right, left) = (sum()?, sum()?);
            let mask = u128::from(choice).wrapping_neg();
            opened.push(right ^ (right ^ left) & mask ^ key);
        }
        let mut leaves = Zeroizing::new(vec![0; 1 << digit.bits]);
        grow_punctured(&doubler, digit.value.into(), &opened, &mut leaves);
        trees.push(leaves.iter().map(|&leaf| Prg::new(leaf)).collect());
    }
    Ok(trees)
}
