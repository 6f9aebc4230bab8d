//! Round constants and matrix from the Grain LFSR, as appendix E of the paper generates them.

use algebra::Scalar;

/// Bits of the register.
const STATE_BITS: u32 = 80;
/// Bits that are dropped before the first is taken.
const WARM_UP: usize = 160;

/// Constants by round, and the matrix by rows.
pub(super) fn generate<S: Scalar>(
    width: usize,
    full_rounds: usize,
    partial_rounds: usize,
) -> (Vec<Vec<S>>, Vec<Vec<S>>) {
    let mut grain = Grain::new::<S>(width, full_rounds, partial_rounds);
    let rounds = 0..full_rounds + partial_rounds;
    let constants = rounds.map(|_| (0..width).map(|_| grain.reduced()).collect()).collect();
    (constants, matrix(&mut grain, width))
}

/// Cauchy's matrix `1/(x_i + y_j)`, of the first elements that are distinct and have no sum zero.
fn matrix<S: Scalar>(grain: &mut Grain, width: usize) -> Vec<Vec<S>> {
    loop {
        let elements: Vec<S> = (0..2 * width).map(|_| grain.any()).collect();
        let (x, y) = elements.split_at(width);
        let is_distinct = elements
            .iter()
            .enumerate()
            .all(|(index, element)| !elements.iter().take(index).any(|other| other == element));
        let row = |&x: &S| y.iter().map(|&y| (x + y).invert()).collect::<Option<Vec<_>>>();
        let rows = x.iter().map(row).collect::<Option<Vec<_>>>();
        if let (true, Some(rows)) = (is_distinct, rows) {
            return rows;
        }
    }
}

/// The generator: a self-shrinking linear feedback shift register.
struct Grain {
    /// The oldest bit is the lowest.
    state: u128,
    /// Bits of the field's order.
    bits: usize,
}

impl Grain {
    /// Seeded with what the parameters are for: a prime field, `x^α`, bits, width, rounds.
    fn new<S: Scalar>(width: usize, full_rounds: usize, partial_rounds: usize) -> Self {
        let bits = bit_len(&(-S::one()).encode());
        let fields =
            [(1, 2), (0, 4), (bits, 12), (width, 12), (full_rounds, 10), (partial_rounds, 10)];
        let seed = fields
            .into_iter()
            .flat_map(|(value, len)| (0..len).rev().map(move |shift| value >> shift & 1 == 1));
        let ones = std::iter::repeat_n(true, 30);
        let state =
            seed.chain(ones).zip(0..).fold(0, |state, (bit, at)| state | u128::from(bit) << at);
        let mut grain = Self { state, bits };
        (0..WARM_UP).for_each(|_| {
            grain.step();
        });
        grain
    }

    /// The next bit of the register.
    fn step(&mut self) -> bool {
        let taps = [62, 51, 38, 23, 13, 0].map(|at| self.state >> at & 1);
        let bit = taps.into_iter().fold(0, |sum, bit| sum ^ bit);
        self.state = self.state >> 1 | bit << (STATE_BITS - 1);
        bit == 1
    }

    /// The next bit of the output: of each pair, the second if the first is one.
    fn bit(&mut self) -> bool {
        loop {
            let (take, bit) = (self.step(), self.step());
            if take {
                return bit;
            }
        }
    }

    /// As many bits as the order has, the most significant first, as 64 little-endian bytes.
    fn integer(&mut self) -> [u8; 64] {
        let mut bytes = [0; 64];
        for at in (0..self.bits).rev() {
            let bit = u8::from(self.bit()) << (at % 8);
            if let Some(byte) = bytes.get_mut(at / 8) {
                *byte |= bit;
            }
        }
        bytes
    }

    /// A scalar whose bits are as they were drawn; draws that are not reduced are dropped.
    fn reduced<S: Scalar>(&mut self) -> S {
        loop {
            let [low, _] = halves(&self.integer());
            if let Ok(scalar) = S::decode(&low) {
                return scalar;
            }
        }
    }

    /// A scalar of any bits, reduced.
    fn any<S: Scalar>(&mut self) -> S {
        S::from_wide(&self.integer())
    }
}

fn halves(bytes: &[u8; 64]) -> [[u8; 32]; 2] {
    let (halves, _) = bytes.as_chunks::<32>();
    match halves {
        [low, high] => [*low, *high],
        _ => [[0; 32]; 2],
    }
}

/// Bits of a little-endian integer.
fn bit_len(bytes: &[u8]) -> usize {
    let top = bytes.iter().rposition(|&byte| byte != 0);
    top.map_or(0, |top| {
        let byte = bytes.get(top).copied().unwrap_or(0);
        8 * top + (8 - byte.leading_zeros() as usize)
    })
}
