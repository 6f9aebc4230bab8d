//! Integers of a fixed number of bytes, big-endian and a multiple of eight, and their decimal
//! digits.

/// Digits that one step takes: the most that fit a word.
const STEP: usize = 19;
const STEP_BASE: u128 = 10_000_000_000_000_000_000;

/// The digits of an integer, without leading zeros.
pub(super) fn to_decimal(bytes: &[u8]) -> String {
    let (words, _) = bytes.as_chunks::<8>();
    let mut limbs: Vec<u64> = words.iter().map(|word| u64::from_be_bytes(*word)).collect();
    let mut parts = Vec::new();
    while limbs.iter().any(|&limb| limb != 0) {
        let mut remainder = 0_u128;
        for limb in &mut limbs {
            let dividend = remainder << 64 | u128::from(*limb);
            *limb = (dividend / STEP_BASE) as u64;
            remainder = dividend % STEP_BASE;
        }
        parts.push(remainder);
    }
    let mut parts = parts.into_iter().rev();
    // Zero has no parts.
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |digits, part| digits + &format!("{part:0STEP$}"))
}

/// The integer of decimal digits in `len` bytes; `None` for anything but the digits that
/// [`to_decimal`] makes of `len` bytes.
pub(super) fn from_decimal(digits: &str, len: usize) -> Option<Vec<u8>> {
    // Three digits are more than a byte.
    let plausible = !digits.is_empty() && digits.len() <= 3 * len;
    let canonical = digits == "0" || !digits.starts_with('0');
    if !plausible || !canonical || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let mut limbs = vec![0_u64; len / 8];
    let (head, tail) = digits.as_bytes().split_at(digits.len() % STEP);
    for part in std::iter::once(head).chain(tail.chunks(STEP)) {
        let mut carry =
            part.iter().fold(0_u128, |value, digit| value * 10 + u128::from(digit - b'0'));
        let base = 10_u128.pow(part.len() as u32);
        for limb in limbs.iter_mut().rev() {
            let value = u128::from(*limb) * base + carry;
            *limb = value as u64;
            carry = value >> 64;
        }
        if carry != 0 {
            return None;
        }
    }
    Some(limbs.iter().flat_map(|limb| limb.to_be_bytes()).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_values() {
        let mut bytes = [0; 32];
        assert_eq!(to_decimal(&bytes), "0");
        bytes[31] = 123;
        assert_eq!(to_decimal(&bytes), "123");
        bytes[15] = 1;
        assert_eq!(to_decimal(&bytes), "340282366920938463463374607431768211579");
        let largest =
            "115792089237316195423570985008687907853269984665640564039457584007913129639935";
        assert_eq!(to_decimal(&[255; 32]), largest);
        assert_eq!(from_decimal(largest, 32).unwrap(), [255; 32]);
        let over = largest.replace("9935", "9936");
        for refused in ["", "01", "00", "-1", "+1", " 1", "1 ", "0x1", "1e3", "٣", &over] {
            assert_eq!(from_decimal(refused, 32), None, "{refused}");
        }
        assert_eq!(from_decimal(&"9".repeat(100_000), 32), None);
    }

    proptest! {
        #[test]
        fn round_trip(bytes in prop::collection::vec(any::<u8>(), 48)) {
            prop_assert_eq!(from_decimal(&to_decimal(&bytes), 48), Some(bytes));
        }
    }
}
