//! Bit matrices.

/// Transposes a square of bits: bit j of `rows[i]` and bit i of `rows[j]` change places.
pub(crate) fn transpose(rows: &mut [u128; 128]) {
    let mut width = 64;
    let mut mask = u128::MAX >> width;
    while width > 0 {
        for block in rows.chunks_exact_mut(2 * width) {
            let (upper, lower) = block.split_at_mut(width);
            for (a, b) in upper.iter_mut().zip(lower) {
                let swap = (*a >> width ^ *b) & mask;
                *a ^= swap << width;
                *b ^= swap;
            }
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prg::Prg;

    #[test]
    fn every_bit_moves_to_its_place() {
        let mut before = [0; 128];
        Prg::new(3).fill(0, &mut before);
        let mut after = before;
        transpose(&mut after);
        for (i, row) in before.iter().enumerate() {
            for (j, column) in after.iter().enumerate() {
                assert_eq!(row >> j & 1, column >> i & 1);
            }
        }
    }
}
