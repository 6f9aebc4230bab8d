//! Powers of one base by a table.

use std::sync::OnceLock;

use super::{Integer, Modulus, Order};

/// Bits that one look-up covers.
const WIDTH: u32 = 8;

/// Powers `base^(d·2^(8·i))` for every byte d at every position i: an exponentiation is one
/// multiplication a byte. Computed for the first of them: whoever raises nothing waits for no table. Variable time.
#[derive(Clone)]
pub struct FixedBase {
    modulus: Modulus,
    base: Integer,
    bits: u32,
    /// `rows[i][d − 1] = base^(d·256^i)`
    rows: OnceLock<Vec<Vec<Integer>>>,
}

impl FixedBase {
    /// A table for exponents below `2^bits`: 32·bits elements.
    pub fn new(modulus: &Modulus, base: &Integer, bits: u32) -> Self {
        Self { modulus: modulus.clone(), base: base.clone(), bits, rows: OnceLock::new() }
    }

    fn table(&self) -> Vec<Vec<Integer>> {
        let mut first = self.modulus.reduce(&self.base);
        let mut rows = Vec::with_capacity(self.bits.div_ceil(WIDTH) as usize);
        for _ in 0..self.bits.div_ceil(WIDTH) {
            let next = |power: &Integer| Some(self.modulus.mul(power, &first));
            let powers = std::iter::successors(Some(first.clone()), next);
            let mut row: Vec<Integer> = powers.take(1 << WIDTH).collect();
            // The last is the base to the power of 256, with which the next row starts.
            first = row.pop().unwrap_or_default();
            rows.push(row);
        }
        rows
    }

    /// `base^exponent`; exponents that are negative or beyond the table are computed without it.
    #[must_use]
    pub fn pow(&self, exponent: &Integer) -> Integer {
        let bytes = exponent.to_digits::<u8>(Order::Lsf);
        if exponent.is_negative() || bytes.len() > self.bits.div_ceil(WIDTH) as usize {
            return self.modulus.pow(&self.base, exponent);
        }
        let digits = self.rows.get_or_init(|| self.table()).iter().zip(bytes);
        let powers = digits.filter_map(|(row, digit)| row.get(usize::from(digit).checked_sub(1)?));
        powers.fold(Integer::from(1), |product, power| self.modulus.mul(&product, power))
    }
}
