//! The codec: what is written is read back, and nothing else is read.

use proptest::prelude::*;
use wire::{Decode, DecodeError, Encode, Reader, put_bytes};

#[derive(Clone, Debug, PartialEq)]
struct Everything {
    tiny: u8,
    small: u16,
    medium: u32,
    large: u64,
    array: [u8; 5],
    text: String,
    items: Vec<u16>,
    bytes: Vec<u8>,
}

const LIMIT: usize = 40;

impl Encode for Everything {
    fn encode(&self, out: &mut Vec<u8>) {
        self.tiny.encode(out);
        self.small.encode(out);
        self.medium.encode(out);
        self.large.encode(out);
        out.extend_from_slice(&self.array);
        put_bytes(out, self.text.as_bytes());
        (self.items.len() as u32).encode(out);
        self.items.iter().for_each(|item| item.encode(out));
        put_bytes(out, &self.bytes);
    }
}

impl Decode for Everything {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            tiny: reader.u8()?,
            small: reader.u16()?,
            medium: reader.u32()?,
            large: reader.u64()?,
            array: reader.array()?,
            text: reader.text("text", LIMIT)?.to_owned(),
            items: {
                let count = reader.count("items", LIMIT)?;
                let (pairs, _) = reader.items(count, 2)?.as_chunks();
                pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect()
            },
            bytes: reader.bytes("bytes", LIMIT)?.to_vec(),
        })
    }
}

fn everything() -> impl Strategy<Value = Everything> {
    let numbers = any::<(u8, u16, u32, u64, [u8; 5])>();
    let items = proptest::collection::vec(any::<u16>(), 0..=LIMIT);
    let bytes = proptest::collection::vec(any::<u8>(), 0..=LIMIT);
    (numbers, "[a-zé]{0,20}", items, bytes).prop_map(|(numbers, text, items, bytes)| {
        let (tiny, small, medium, large, array) = numbers;
        Everything { tiny, small, medium, large, array, text, items, bytes }
    })
}

proptest! {
    #[test]
    fn round_trip(value in everything()) {
        prop_assert_eq!(Everything::from_bytes(&value.to_bytes()), Ok(value));
    }

    #[test]
    fn cut_short_at_every_byte(value in everything()) {
        let bytes = value.to_bytes();
        for len in 0..bytes.len() {
            let outcome = Everything::from_bytes(&bytes[..len]);
            let cut = matches!(outcome, Err(DecodeError::Truncated { .. }));
            prop_assert!(cut, "{} bytes: {:?}", len, outcome);
        }
    }

    #[test]
    fn trailing_bytes(value in everything(), extra in 1..5_usize) {
        let mut bytes = value.to_bytes();
        bytes.resize(bytes.len() + extra, 0);
        prop_assert_eq!(Everything::from_bytes(&bytes), Err(DecodeError::Trailing(extra)));
    }

    #[test]
    fn what_is_accepted_is_canonical(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(value) = Everything::from_bytes(&bytes) {
            prop_assert_eq!(value.to_bytes(), bytes);
        }
    }
}

#[test]
fn integers_are_little_endian() {
    let mut out = Vec::new();
    1_u8.encode(&mut out);
    0x0203_u16.encode(&mut out);
    0x0405_0607_u32.encode(&mut out);
    0x0809_0a0b_0c0d_0e0f_u64.encode(&mut out);
    assert_eq!(out, [1, 3, 2, 7, 6, 5, 4, 15, 14, 13, 12, 11, 10, 9, 8]);
}

#[test]
fn limits_are_inclusive() {
    let mut bytes = Vec::new();
    put_bytes(&mut bytes, b"abcd");
    assert_eq!(Reader::new(&bytes).bytes("name", 4), Ok(&b"abcd"[..]));
    let over = Err(DecodeError::TooLong { what: "name", got: 4, limit: 3 });
    assert_eq!(Reader::new(&bytes).bytes("name", 3), over);
    // A length that no input could hold is refused without an allocation.
    let bytes = u32::MAX.to_le_bytes();
    let truncated = DecodeError::Truncated { needed: u32::MAX as usize, left: 0 };
    assert_eq!(Reader::new(&bytes).bytes("name", usize::MAX), Err(truncated));
}

#[test]
fn items_do_not_overflow() {
    let outcome = Reader::new(&[0; 8]).items(usize::MAX, 8);
    assert_eq!(outcome, Err(DecodeError::Truncated { needed: usize::MAX, left: 8 }));
}

#[test]
fn text_is_utf8() {
    let mut bytes = Vec::new();
    put_bytes(&mut bytes, &[0xc3, 0x28]);
    let outcome = Reader::new(&bytes).text("name", 10);
    assert!(matches!(outcome, Err(DecodeError::Invalid { what: "name", .. })));
}

#[test]
fn a_failed_take_leaves_the_reader_where_it_was() {
    let mut reader = Reader::new(&[1, 2, 3]);
    assert!(reader.u32().is_err());
    assert_eq!(reader.remaining(), 3);
    assert_eq!(reader.take_rest(), [1, 2, 3]);
    assert_eq!(reader.finish(), Ok(()));
}
