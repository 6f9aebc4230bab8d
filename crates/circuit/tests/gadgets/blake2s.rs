//! BLAKE2s against the crate `blake2`.

use algebra::Scalar;
use blake2::{Blake2s256, Digest as _};
use circuit::{
    gadgets::{Bit, Blake2sPreimage, UInt32, blake2s},
    synthesis::{Circuit, Synthesizer},
};

use super::support::{Of, S, check};

fn message(len: usize) -> Vec<u8> {
    (0..len).map(|index| (index * 7 + len) as u8).collect()
}

fn halves(digest: &[u8]) -> Vec<S> {
    let half = |bytes: &[u8]| S::from_u128(u128::from_le_bytes(bytes.try_into().unwrap()));
    digest.chunks(16).map(half).collect()
}

#[test]
fn hashes_as_the_crate_does() {
    for len in [0, 1, 3, 32, 63, 64, 65, 128, 192] {
        let (_, outputs) = check(&Blake2sPreimage::new(message(len)), 997);
        assert_eq!(outputs, halves(&Blake2s256::digest(message(len))), "{len} bytes");
    }
}

/// A change of any of these figures is a change of the circuit: keys made for it no longer fit.
#[test]
fn constraints() {
    let count = |len| {
        let system = Circuit::<S>::constraint_system(&Blake2sPreimage::new(message(len)));
        (len, system.header().constraints)
    };
    let counts = [0, 1, 32, 64, 65, 128, 192].map(count);
    let expected = [
        (0, 2),
        (1, 20_052),
        (32, 21_218),
        (64, 21_474),
        (65, 42_826),
        (128, 43_330),
        (192, 65_186),
    ];
    assert_eq!(counts, expected);
}

/// The parts, with constants among them.
#[test]
fn words() {
    let numbers = [0, 1, 0x8000_0000, u32::MAX, 0x1234_5678];
    for (a, b) in numbers.into_iter().flat_map(|a| numbers.map(|b| (a, b))) {
        let circuit = |is_constant: bool| {
            Of(move |cs: &mut Synthesizer<S>| {
                let mut word = |value: u32| {
                    let bits = Bit::private_bytes(cs, &value.to_le_bytes());
                    UInt32::<S>::from_bits(&bits)
                };
                let x = word(a);
                let y = if is_constant { UInt32::constant(b) } else { word(b) };
                let results = [
                    x.xor(cs, &y),
                    x.select(cs, &y, &UInt32::constant(77)),
                    UInt32::sum(cs, &[&x, &y]),
                    UInt32::sum(cs, &[&x, &y, &y, &x, &x]),
                    x.rotate_right(7),
                    x.shift_right(9),
                ];
                results.iter().for_each(|result| cs.expose(&result.linear()));
            })
        };
        let expected = [
            a ^ b,
            a & b | !a & 77,
            a.wrapping_add(b),
            a.wrapping_mul(3).wrapping_add(b.wrapping_mul(2)),
            a.rotate_right(7),
            a >> 9,
        ];
        for is_constant in [false, true] {
            let (_, outputs) = check(&circuit(is_constant), 1);
            assert_eq!(outputs, expected.map(|word| S::from_u64(word.into())), "{a:x} {b:x}");
        }
    }
}

/// The system does not depend on the message.
#[test]
fn one_system_for_all_messages() {
    let system = |message| Circuit::<S>::constraint_system(&Blake2sPreimage::new(message));
    assert!(system(vec![0; 10]) == system(vec![255; 10]));
    let message = Blake2sPreimage::new(vec![0; 10]);
    let bits = Of(|cs: &mut Synthesizer<S>| {
        let bits = Bit::private_bytes(cs, &[255; 10]);
        let hash = blake2s(cs, &bits);
        for half in hash.chunks(4) {
            let bits: Vec<_> = half.iter().flat_map(UInt32::bits).map(Bit::linear).collect();
            cs.expose(&circuit::synthesis::Linear::from_bits(bits));
        }
    });
    assert!(bits.constraint_system() == message.constraint_system());
}
