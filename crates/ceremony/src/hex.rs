//! Constants in hexadecimal digits.

/// The bytes of a constant; a wrong one does not compile.
#[expect(clippy::indexing_slicing, clippy::panic, reason = "evaluated by the compiler")]
pub(crate) const fn bytes<const N: usize>(digits: &str) -> [u8; N] {
    const fn digit(digit: u8) -> u8 {
        match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => panic!("not a lower-case hexadecimal digit"),
        }
    }
    let digits = digits.as_bytes();
    assert!(digits.len() == 2 * N, "another number of digits");
    let (mut bytes, mut index) = ([0; N], 0);
    while index < N {
        bytes[index] = 16 * digit(digits[2 * index]) + digit(digits[2 * index + 1]);
        index += 1;
    }
    bytes
}
