//! VOLE over F_p from digits: the small-field VOLE of SoftSpokenOT (Roy, CRYPTO 2022, section 3.1)
//! for each byte of the verifier's key Δ, put together with the weights 256^i.
//!
//! With the stream L_x at leaf x of tree i, the prover has `u = Σ L_x` and `v = -Σ x L_x`; the
//! verifier has `w = Σ (δ - x) L_x = v + δu` for its digit δ, in which the leaf that it does not
//! know has the coefficient 0. The prover's corrections shift all trees' u to that of tree 0.
//!
//! The check is digit by digit and made twice: a random combination of all VOLEs, masked by one that
//! is spent on it, must lie on the prover's line. A prover whose corrections or trees are wrong
//! passes only if each digit lies in a set of its choice, which is what guessing Δ costs anyway;
//! two repetitions bound the chance of other ways by 2^-80.

use rayon::prelude::*;
use wire::{Decode, Encode, Reader};
use zeroize::{Zeroize, Zeroizing};

use crate::{
    error::VoleError,
    field::{Authenticated, Fp},
    prg::Prg,
    trees::{Digit, Leaves},
};

/// Depths of the trees: seven bytes and the five bits above them.
pub(crate) const DEPTHS: [usize; DIGITS] = [8, 8, 8, 8, 8, 8, 8, 5];
/// Digits of Δ.
const DIGITS: usize = 8;
/// Repetitions of the check, each of which spends one VOLE.
pub(crate) const REPETITIONS: usize = 2;
/// Bytes of the prover's answer to the check.
pub(crate) const ANSWER: usize = REPETITIONS * (1 + DIGITS) * Fp::BYTES;
/// Blocks of a stream that are summed at once.
const STRIPE: usize = 32;

/// The digits of the verifier's key, the lowest first.
pub(crate) fn digits(delta: Fp) -> [Digit; DIGITS] {
    let bytes = delta.to_u64().to_le_bytes();
    let mut digits = DEPTHS.map(|bits| Digit { value: 0, bits });
    digits.iter_mut().zip(bytes).for_each(|(digit, value)| digit.value = value);
    digits
}

/// VOLEs to make for so many and the check.
pub(crate) fn blocks(count: usize) -> usize {
    count + REPETITIONS
}

/// Bytes of the prover's corrections.
pub(crate) fn correction_bytes(blocks: usize) -> usize {
    Fp::BYTES * blocks * (DIGITS - 1)
}

/// `Σ L_x` and `Σ x L_x` for each block of a tree's streams. A block is 128 bits reduced, so that an
/// element is 2^-67 from uniform.
struct Fold {
    sums: Zeroizing<Vec<Fp>>,
    weighted: Zeroizing<Vec<Fp>>,
}

impl Fold {
    fn new(leaves: &[Prg], first: u64, blocks: usize) -> Self {
        let mut sums = Zeroizing::new(Vec::with_capacity(blocks));
        let mut weighted = Zeroizing::new(Vec::with_capacity(blocks));
        let mut stream = Zeroizing::new([0u128; STRIPE]);
        for start in (0..blocks).step_by(STRIPE) {
            let (mut sum, mut weight) = ([0u128; STRIPE], [0u128; STRIPE]);
            for (number, leaf) in (0u128..).zip(leaves) {
                leaf.fill(first + start as u64, &mut *stream);
                for ((block, sum), weight) in stream.iter().zip(&mut sum).zip(&mut weight) {
                    let element = u128::from(Fp::from_u128(*block).to_u64());
                    *sum += element;
                    *weight += number * element;
                }
            }
            let kept = STRIPE.min(blocks - start);
            sums.extend(sum.iter().take(kept).map(|&sum| Fp::from_u128(sum)));
            weighted.extend(weight.iter().take(kept).map(|&sum| Fp::from_u128(sum)));
            sum.zeroize();
            weight.zeroize();
        }
        Self { sums, weighted }
    }

    fn all(trees: &[Leaves], first: u64, blocks: usize) -> Vec<Self> {
        trees.par_iter().map(|leaves| Self::new(leaves, first, blocks)).collect()
    }
}

/// One line per digit: what each side has of it.
type Lines = Vec<Zeroizing<Vec<Fp>>>;

/// `Σ 256^i x_i` over the digits, for each VOLE.
fn compose(lines: &Lines, count: usize) -> Zeroizing<Vec<Fp>> {
    let mut total = Zeroizing::new(vec![Fp::default(); count]);
    for line in lines.iter().rev() {
        total.iter_mut().zip(&**line).for_each(|(sum, x)| *sum = *sum * Fp::from(256) + *x);
    }
    total
}

/// For each repetition, the spare VOLE and a random combination of the others.
fn combine(line: &[Fp], coefficients: &[Vec<Fp>; REPETITIONS]) -> [Fp; REPETITIONS] {
    let (line, spares) = line.split_at(line.len().saturating_sub(REPETITIONS));
    let mut combined = [Fp::default(); REPETITIONS];
    for ((sum, spare), coefficients) in combined.iter_mut().zip(spares).zip(coefficients) {
        *sum = *spare + line.iter().zip(coefficients).map(|(x, chi)| *x * *chi).sum();
    }
    combined
}

fn check_coefficients(prg: &Prg, blocks: usize) -> [Vec<Fp>; REPETITIONS] {
    let count = blocks.saturating_sub(REPETITIONS);
    let mut first = 0;
    [(); REPETITIONS].map(|()| {
        let mut stream = vec![0; count];
        prg.fill(first, &mut stream);
        first += count as u64;
        stream.into_iter().map(Fp::from_u128).collect()
    })
}

/// The prover's lines: u, and v for each digit.
pub(crate) struct ProverLines {
    values: Zeroizing<Vec<Fp>>,
    offsets: Lines,
}

impl ProverLines {
    /// Reads `blocks` blocks from each stream, and appends the corrections to `message`.
    pub(crate) fn expand(
        trees: &[Leaves],
        first: u64,
        blocks: usize,
        message: &mut Vec<u8>,
    ) -> Self {
        let mut folds = Fold::all(trees, first, blocks);
        let mut values = Zeroizing::new(Vec::new());
        let mut offsets = Vec::with_capacity(DIGITS);
        for (i, fold) in folds.iter_mut().enumerate() {
            if i == 0 {
                std::mem::swap(&mut values, &mut fold.sums);
            } else {
                values.iter().zip(&*fold.sums).for_each(|(u, own)| (*u - *own).encode(message));
            }
            fold.weighted.iter_mut().for_each(|x| *x = -*x);
            offsets.push(std::mem::take(&mut fold.weighted));
        }
        Self { values, offsets }
    }

    /// For each repetition, U and V_i for each digit.
    pub(crate) fn answer(&self, coefficients: &Prg) -> [u8; ANSWER] {
        let coefficients = check_coefficients(coefficients, self.values.len());
        let lines = std::iter::once(&self.values).chain(&self.offsets);
        let combined: Vec<_> = lines.map(|line| combine(line, &coefficients)).collect();
        let mut answer = [0; ANSWER];
        let (words, _) = answer.as_chunks_mut::<{ Fp::BYTES }>();
        for (word, x) in words.iter_mut().zip(combined.as_flattened()) {
            *word = x.to_u64().to_le_bytes();
        }
        answer
    }

    /// The first `count` VOLEs.
    pub(crate) fn rows(&self, count: usize) -> Zeroizing<Vec<Authenticated>> {
        let offsets = compose(&self.offsets, count);
        let pairs = self.values.iter().zip(&*offsets);
        let rows = pairs.map(|(&value, &offset)| Authenticated { value, mac: -offset });
        Zeroizing::new(rows.collect())
    }
}

/// The verifier's lines: w for each digit.
pub(crate) struct VerifierLines {
    points: Lines,
}

impl VerifierLines {
    /// Reads `blocks` blocks from each stream, and applies the corrections.
    ///
    /// # Errors
    /// [`VoleError::Channel`] for a correction that is no canonical field element.
    pub(crate) fn expand(
        trees: &[Leaves],
        first: u64,
        blocks: usize,
        delta: Fp,
        corrections: &[u8],
    ) -> Result<Self, VoleError> {
        let mut reader = Reader::new(corrections);
        let mut points = Vec::with_capacity(DIGITS);
        let folds = Fold::all(trees, first, blocks);
        for (i, (mut fold, digit)) in folds.into_iter().zip(digits(delta)).enumerate() {
            let digit = Fp::from(u64::from(digit.value));
            for (x, sum) in fold.weighted.iter_mut().zip(&*fold.sums) {
                // Tree 0 sets the u of all, so that it has no correction.
                let correction = match i {
                    0 => Fp::default(),
                    _ => Fp::decode(&mut reader).map_err(wire::ChannelError::Decode)?,
                };
                *x = digit * (*sum + correction) - *x;
            }
            points.push(fold.weighted);
        }
        Ok(Self { points })
    }

    /// Whether the prover's answer fits all digits.
    ///
    /// # Errors
    /// [`VoleError::Channel`] for an answer that holds no canonical field elements.
    pub(crate) fn check(
        &self,
        delta: Fp,
        coefficients: &Prg,
        answer: &[u8; ANSWER],
    ) -> Result<bool, VoleError> {
        let mut reader = Reader::new(answer);
        let mut answers = || -> Result<[Fp; REPETITIONS], VoleError> {
            let mut pair = [Fp::default(); REPETITIONS];
            for x in &mut pair {
                *x = Fp::decode(&mut reader).map_err(wire::ChannelError::Decode)?;
            }
            Ok(pair)
        };
        let blocks = self.points.first().map_or(0, |line| line.len());
        let coefficients = check_coefficients(coefficients, blocks);
        let values = answers()?;
        let mut fits = true;
        for (line, digit) in self.points.iter().zip(digits(delta)) {
            let digit = Fp::from(u64::from(digit.value));
            let points = combine(line, &coefficients);
            for ((point, offset), value) in points.iter().zip(answers()?).zip(values) {
                fits &= *point == offset + digit * value;
            }
        }
        Ok(fits)
    }

    /// The first `count` keys.
    pub(crate) fn rows(&self, count: usize) -> Zeroizing<Vec<Fp>> {
        let mut keys = compose(&self.points, count);
        keys.iter_mut().for_each(|key| *key = -*key);
        keys
    }
}
