//! VOLE over F_2 with MACs in F_{2^128}: SoftSpokenOT (Roy, CRYPTO 2022, section 3) with digits of
//! eight bits. As columns: column 8i + b belongs to bit b of digit i of the verifier's key Δ.
//!
//! L_x is the stream at leaf x of tree i; x_b and Δ_b are bit b of x and of digit i; sums are over all leaves.
//! The prover has `u = Σ L_x` and the columns `t_b = Σ x_b L_x`; the verifier has
//! `q_b = Σ (x_b + Δ_b) L_x = t_b + Δ_b u`, in which the leaf that it does not know, whose number x is digit i,
//! has the coefficient 0. All sums are XOR. Each tree has a u of its own, and the prover's corrections shift all
//! to that of tree 0. Row j then says `q_j = t_j + u_j Δ`.
//!
//! The check is column by column, on 128-bit universal hashes h: `h(q_b) = h(t_b) + Δ_b h(u)`. A
//! prover whose corrections are wrong passes only by guessing bits of Δ, each of which halves its chance. (The
//! check by rows of Keller, Orsini and Scholl, CRYPTO 2015, has no valid proof.) The last block of
//! rows is random and is dropped: it hides h(u).

use rayon::prelude::*;
use subtle::ConstantTimeEq;
use wire::Reader;
use zeroize::{Zeroize, Zeroizing};

use crate::{
    field::{Gf64, gf128},
    hash::SessionId,
    prg::Prg,
    transpose::transpose,
    trees::{Digit, Leaves},
};

/// Bits of a digit of Δ.
const DIGIT: usize = 8;
/// Digits of Δ.
const DIGITS: usize = 128 / DIGIT;
/// Depths of the trees.
pub(crate) const DEPTHS: [usize; DIGITS] = [DIGIT; DIGITS];
/// Bytes of the prover's answer to the check.
pub(crate) const ANSWER: usize = 16 + 32;
/// Blocks of the streams that are folded at once: 256 streams fit into the second-level cache.
const STRIPE: usize = 32;

/// The digits of the verifier's key.
pub(crate) fn digits(delta: u128) -> [Digit; DIGITS] {
    delta.to_le_bytes().map(|value| Digit { value, bits: DIGIT })
}

/// Blocks of 128 rows for so many VOLEs and the check.
pub(crate) fn blocks(count: usize) -> usize {
    count.div_ceil(128) + 1
}

/// Bytes of the prover's corrections.
pub(crate) fn correction_bytes(blocks: usize) -> usize {
    16 * blocks * (DIGITS - 1)
}

/// The sum of a tree's streams, and for each bit b of a leaf's number, the sum of the streams at
/// leaves whose number has it.
struct Fold {
    sum: Zeroizing<Vec<u128>>,
    columns: [Zeroizing<Vec<u128>>; DIGIT],
}

impl Fold {
    fn new(leaves: &[Prg], first: u64, blocks: usize) -> Self {
        let zeros = || Zeroizing::new(vec![0u128; blocks]);
        let mut fold = Self { sum: zeros(), columns: std::array::from_fn(|_| zeros()) };
        let mut buffer = Zeroizing::new(vec![0; leaves.len() * STRIPE]);
        for start in (0..blocks).step_by(STRIPE) {
            for (leaf, stream) in leaves.iter().zip(buffer.chunks_exact_mut(STRIPE)) {
                leaf.fill(first + start as u64, stream);
            }
            fold.stripe(start, &mut buffer);
        }
        fold
    }

    /// Adds up the streams in pairs that differ in bit 0 of their number, then in bit 1, and so on. At the pass
    /// for bit b the odd streams are those that have it, and go into column b; the sum of each pair is moved
    /// to the front, so that bit b + 1 is lowest next. What is left at the end is the sum of all.
    fn stripe(&mut self, start: usize, buffer: &mut [u128]) {
        let mut half = buffer.len() / 2;
        for column in &mut self.columns {
            for pair in 0..half / STRIPE {
                let (written, rest) = buffer.split_at_mut(2 * pair * STRIPE);
                let (even, rest) = rest.split_at_mut(STRIPE);
                let (odd, _) = rest.split_at_mut(STRIPE);
                // The last stripe may reach beyond the column, whose end is the end of the sum.
                xor(column.iter_mut().skip(start), odd.iter());
                xor(even.iter_mut(), odd.iter());
                // The first pair's sum is in place already.
                if pair > 0 {
                    let (_, place) = written.split_at_mut(pair * STRIPE);
                    place.iter_mut().zip(&*even).for_each(|(to, from)| *to = *from);
                }
            }
            half /= 2;
        }
        xor(self.sum.iter_mut().skip(start), buffer.iter().take(STRIPE));
    }

    fn all(trees: &[Leaves], first: u64, blocks: usize) -> Vec<Self> {
        trees.par_iter().map(|leaves| Self::new(leaves, first, blocks)).collect()
    }
}

fn xor<'a>(to: impl Iterator<Item = &'a mut u128>, from: impl Iterator<Item = &'a u128>) {
    to.zip(from).for_each(|(to, from)| *to ^= from);
}

/// The prover's columns.
pub(crate) struct ProverColumns {
    values: Zeroizing<Vec<u128>>,
    macs: Vec<Zeroizing<Vec<u128>>>,
}

impl ProverColumns {
    /// Reads `blocks` blocks from each stream, from number `first` on, and appends the corrections to `message`.
    pub(crate) fn expand(
        trees: &[Leaves],
        first: u64,
        blocks: usize,
        message: &mut Vec<u8>,
    ) -> Self {
        let mut folds = Fold::all(trees, first, blocks).into_iter();
        let mut values = Zeroizing::new(Vec::new());
        let mut macs = Vec::with_capacity(128);
        if let Some(Fold { sum, columns }) = folds.next() {
            values = sum;
            macs.extend(columns);
        }
        for Fold { sum, columns } in folds {
            sum.iter().zip(&*values).for_each(|(own, u)| message.extend((own ^ u).to_le_bytes()));
            macs.extend(columns);
        }
        Self { values, macs }
    }

    /// h(u), and the hash of all h(t_b).
    pub(crate) fn answer(&self, sid: &SessionId, coefficients: &Prg) -> [u8; ANSWER] {
        let coefficients = check_coefficients(coefficients, self.values.len());
        let mut hashes = hash_all(&self.macs, &coefficients);
        let mut answer = [0; ANSWER];
        let (head, tail) = answer.split_at_mut(16);
        head.copy_from_slice(&universal(&self.values, &coefficients).to_le_bytes());
        tail.copy_from_slice(&digest(sid, &hashes));
        hashes.zeroize();
        answer
    }

    /// The first rows as oblivious transfers, and the `count` rows after them as MACs cut to 64 bits. Δ is odd
    /// and keys are made even, so that `m = k + x Δ` has the value x in the lowest bit.
    pub(crate) fn rows(
        &self,
        transfers: usize,
        count: usize,
    ) -> (ProverTransfers, Zeroizing<Vec<Gf64>>) {
        let bits = self.values.iter().flat_map(|block| (0..128).map(move |i| block >> i & 1 == 1));
        let choices = Zeroizing::new(bits.clone().take(transfers).collect::<Vec<_>>());
        let mut wide = Zeroizing::new(Vec::with_capacity(transfers));
        let mut narrow = Zeroizing::new(Vec::with_capacity(count));
        let mut bits = bits;
        each_row(&self.macs, transfers + count, |row| {
            // Values have as many blocks as each column: there is a bit for every row.
            let bit = bits.next().unwrap_or_default();
            match wide.len() < transfers {
                true => wide.push(row),
                false => narrow.push(Gf64::from(row as u64 & !1 | u64::from(bit))),
            }
        });
        (ProverTransfers { choices, macs: wide }, narrow)
    }
}

/// Correlated oblivious transfers: `m = k + x Δ` over F_{2^128} for the choice x.
#[derive(Default)]
pub(crate) struct ProverTransfers {
    pub(crate) choices: Zeroizing<Vec<bool>>,
    pub(crate) macs: Zeroizing<Vec<u128>>,
}

/// The verifier's columns.
pub(crate) struct VerifierColumns {
    keys: Vec<Zeroizing<Vec<u128>>>,
}

impl VerifierColumns {
    /// Reads `blocks` blocks from each stream, from number `first` on, and applies the corrections, of which the caller
    /// has made sure that they are [`correction_bytes`] long.
    pub(crate) fn expand(
        trees: &[Leaves],
        first: u64,
        blocks: usize,
        delta: u128,
        corrections: &[u8],
    ) -> Self {
        let (corrections, _) = corrections.as_chunks::<16>();
        // Tree 0 sets the u of all, so that it has no correction.
        let corrections = std::iter::once(None).chain(corrections.chunks(blocks).map(Some));
        let mut keys = Vec::with_capacity(128);
        for (mut fold, correction) in Fold::all(trees, first, blocks).into_iter().zip(corrections) {
            for (sum, correction) in fold.sum.iter_mut().zip(correction.unwrap_or_default()) {
                *sum ^= u128::from_le_bytes(*correction);
            }
            for mut column in fold.columns {
                let mask = bit_mask(delta, keys.len());
                column.iter_mut().zip(&*fold.sum).for_each(|(q, sum)| *q ^= sum & mask);
                keys.push(column);
            }
        }
        Self { keys }
    }

    /// Whether the prover's answer fits all columns.
    pub(crate) fn check(
        &self,
        sid: &SessionId,
        delta: u128,
        coefficients: &Prg,
        answer: &[u8; ANSWER],
    ) -> bool {
        let blocks = self.keys.first().map_or(0, |column| column.len());
        let coefficients = check_coefficients(coefficients, blocks);
        let mut reader = Reader::new(answer);
        let (Ok(value), Ok(expected)) = (reader.array(), reader.array::<32>()) else {
            return false;
        };
        let value = u128::from_le_bytes(value);
        let mut hashes = hash_all(&self.keys, &coefficients);
        for (column, hash) in hashes.iter_mut().enumerate() {
            *hash ^= value & bit_mask(delta, column);
        }
        let found = digest(sid, &hashes);
        hashes.zeroize();
        found.ct_eq(&expected).into()
    }

    /// The first keys as of oblivious transfers, and the `count` keys after them, cut to 64 bits of
    /// which the lowest is zero.
    pub(crate) fn rows(
        &self,
        transfers: usize,
        count: usize,
    ) -> (Zeroizing<Vec<u128>>, Zeroizing<Vec<Gf64>>) {
        let mut wide = Zeroizing::new(Vec::with_capacity(transfers));
        let mut narrow = Zeroizing::new(Vec::with_capacity(count));
        each_row(&self.keys, transfers + count, |row| match wide.len() < transfers {
            true => wide.push(row),
            false => narrow.push(Gf64::from(row as u64 & !1)),
        });
        (wide, narrow)
    }
}

/// All ones if Δ has the bit.
fn bit_mask(delta: u128, bit: usize) -> u128 {
    (delta >> bit & 1).wrapping_neg()
}

/// A coefficient for each block. That of the last block, which masks, is 1: an invertible factor hides h(u)
/// whatever the others are.
fn check_coefficients(prg: &Prg, blocks: usize) -> Vec<u128> {
    let mut coefficients = prg.blocks(blocks);
    if let Some(last) = coefficients.last_mut() {
        *last = 1;
    }
    coefficients
}

fn universal(column: &[u128], coefficients: &[u128]) -> u128 {
    gf128::inner_product(column, coefficients)
}

fn hash_all(columns: &[Zeroizing<Vec<u128>>], coefficients: &[u128]) -> Vec<u128> {
    columns.par_iter().map(|column| universal(column, coefficients)).collect()
}

fn digest(sid: &SessionId, hashes: &[u128]) -> [u8; 32] {
    let mut bytes = Zeroizing::new(Vec::with_capacity(16 * hashes.len()));
    hashes.iter().for_each(|hash| bytes.extend(hash.to_le_bytes()));
    sid.derive_array("columns", &[&bytes])
}

/// Row j takes its bit b from column b of 128: the transpose. As x is a bit, `m = k + x Δ` holds bit by bit, so
/// that the low half of each MAC is one under the low half of Δ.
fn each_row(columns: &[Zeroizing<Vec<u128>>], count: usize, mut take: impl FnMut(u128)) {
    for block in 0..count.div_ceil(128) {
        let mut square = [0; 128];
        for (place, column) in square.iter_mut().zip(columns) {
            // Callers ask for no more rows than `blocks` made.
            *place = column.get(block).copied().unwrap_or_default();
        }
        transpose(&mut square);
        square.iter().take(count - 128 * block).for_each(|&row| take(row));
        square.zeroize();
    }
}
