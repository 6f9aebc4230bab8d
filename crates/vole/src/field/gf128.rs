//! F_{2^128} = F_2\[x\]/(x^128 + x^7 + x^2 + x + 1): bit i of an integer is the coefficient of x^i.

use crate::kernel::clmul::{Clmul, Kernel, dispatch};

/// `x · a`, for the generator x.
pub(crate) fn double(a: u128) -> u128 {
    a << 1 ^ (a >> 127).wrapping_neg() & 0x87
}

/// `Σ a_i b_i`, reduced once.
pub(crate) fn inner_product(a: &[u128], b: &[u128]) -> u128 {
    dispatch(InnerProduct { a, b })
}

struct InnerProduct<'a> {
    a: &'a [u128],
    b: &'a [u128],
}

impl Kernel for InnerProduct<'_> {
    type Output = u128;

    #[inline(always)]
    fn run<C: Clmul>(self, clmul: C) -> u128 {
        let [mut low, mut middle, mut high] = [0; 3];
        for (&a, &b) in self.a.iter().zip(self.b) {
            let (a0, a1) = (a as u64, (a >> 64) as u64);
            let (b0, b1) = (b as u64, (b >> 64) as u64);
            low ^= clmul.clmul(a0, b0);
            middle ^= clmul.clmul(a0 ^ a1, b0 ^ b1);
            high ^= clmul.clmul(a1, b1);
        }
        let middle = middle ^ low ^ high;
        reduce(low ^ middle << 64, high ^ middle >> 64)
    }
}

fn reduce(low: u128, high: u128) -> u128 {
    let spread = |x: u128| x ^ x << 1 ^ x << 2 ^ x << 7;
    // What spreading shifts out at the top: at most seven bits.
    let over = high >> 127 ^ high >> 126 ^ high >> 121;
    low ^ spread(high) ^ spread(over)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mul(a: u128, b: u128) -> u128 {
        inner_product(&[a], &[b])
    }
    use proptest::prelude::*;

    fn by_definition(mut a: u128, b: u128) -> u128 {
        let mut product = 0;
        for i in 0..128 {
            product ^= a * (b >> i & 1);
            a = (a << 1) ^ ((a >> 127) * 0x87);
        }
        product
    }

    /// From the specification of GHASH, in its plain bit order: x^127 · x = x^7 + x^2 + x + 1.
    #[test]
    fn the_modulus() {
        assert_eq!(mul(1 << 127, 2), 0x87);
        assert_eq!(mul(u128::MAX, 1), u128::MAX);
        assert_eq!(double(u128::MAX), mul(u128::MAX, 2));
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(a: u128, b: u128) {
            prop_assert_eq!(mul(a, b), by_definition(a, b));
        }
    }
}
