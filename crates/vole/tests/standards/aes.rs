//! AES-128 as a Bristol Fashion file: read, compared with a library, and proven.
//!
//! The file is written here, gate by gate, and is nothing that the reader knows of: 200 S-boxes with
//! the inverse in F_{2^8} as x^254.

use aes::{
    Aes128,
    cipher::{BlockCipherEncrypt, KeyInit},
};
use vole::{
    ParameterSet, Prover, Verifier, VoleError,
    circuit::{Assignments, Circuit, Statement},
};

use super::{File, bits};
use crate::common::{rng, run};

/// A byte as wires, the lowest bit first.
type Byte = [usize; 8];

impl File {
    fn add(&mut self, a: Byte, b: Byte) -> Byte {
        std::array::from_fn(|i| self.xor(a[i], b[i]))
    }

    /// Of coefficients of x^0 to x^14, modulo x^8 + x^4 + x^3 + x + 1; none stands for zero.
    fn reduce(&mut self, mut wide: [Option<usize>; 15]) -> Byte {
        for high in (8..15).rev() {
            for low in [0, 1, 3, 4] {
                let place = high - 8 + low;
                wide[place] = match (wide[place], wide[high]) {
                    (Some(a), Some(b)) => Some(self.xor(a, b)),
                    (a, b) => a.or(b),
                };
            }
        }
        std::array::from_fn(|i| wide[i].unwrap())
    }

    fn mul(&mut self, a: Byte, b: Byte) -> Byte {
        let mut wide = [None; 15];
        for (i, j) in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
            let product = self.gate(&[a[i], b[j]], "AND");
            wide[i + j] = match wide[i + j] {
                Some(sum) => Some(self.xor(sum, product)),
                None => Some(product),
            };
        }
        self.reduce(wide)
    }

    fn square(&mut self, a: Byte) -> Byte {
        let mut wide = [None; 15];
        a.iter().enumerate().for_each(|(i, wire)| wide[2 * i] = Some(*wire));
        self.reduce(wide)
    }

    fn substitute(&mut self, x: Byte) -> Byte {
        let x2 = self.square(x);
        let x3 = self.mul(x2, x);
        let x6 = self.square(x3);
        let x12 = self.square(x6);
        let x15 = self.mul(x12, x3);
        let x240 = (0..4).fold(x15, |x, _| self.square(x));
        let x252 = self.mul(x240, x12);
        let inverse = self.mul(x252, x2);
        std::array::from_fn(|i| {
            let mut bit = inverse[i];
            for shift in 4..8 {
                bit = self.xor(bit, inverse[(i + shift) % 8]);
            }
            if 0x63 >> i & 1 == 1 { self.gate(&[bit], "INV") } else { bit }
        })
    }

    fn double(&mut self, a: Byte) -> Byte {
        let over = a[7];
        std::array::from_fn(|i| match i {
            0 => over,
            1 | 3 | 4 => self.xor(a[i - 1], over),
            _ => a[i - 1],
        })
    }

    fn mix(&mut self, column: [Byte; 4]) -> [Byte; 4] {
        let doubled = column.map(|byte| self.double(byte));
        std::array::from_fn(|i| {
            let at = |shift: usize| (i + shift) % 4;
            let twice_and_thrice = self.add(doubled[i], doubled[at(1)]);
            let others = self.add(column[at(1)], column[at(2)]);
            let sum = self.add(twice_and_thrice, others);
            self.add(sum, column[at(3)])
        })
    }
}

/// FIPS 197, with the key as the first input and the block as the second.
fn file() -> String {
    let mut file = File::with_inputs(256);
    let bytes = |first: usize| -> [Byte; 16] {
        std::array::from_fn(|byte| std::array::from_fn(|bit| first + 8 * byte + bit))
    };
    let (mut key, mut state) = (bytes(0), bytes(128));
    state = std::array::from_fn(|i| file.add(state[i], key[i]));
    let mut constant = 1u8;
    for round in 1..=10 {
        for byte in 0..16 {
            let before = match byte {
                0..4 => {
                    let mut word = file.substitute(key[12 + (byte + 1) % 4]);
                    for (i, bit) in word.iter_mut().enumerate() {
                        if byte == 0 && constant >> i & 1 == 1 {
                            *bit = file.gate(&[*bit], "INV");
                        }
                    }
                    word
                }
                _ => key[byte - 4],
            };
            key[byte] = file.add(key[byte], before);
        }
        constant = (constant << 1) ^ ((constant >> 7) * 0x1B);
        let substituted = state.map(|byte| file.substitute(byte));
        // Row i of the columns moves by i.
        let shifted: [Byte; 16] = std::array::from_fn(|i| substituted[(i + 4 * (i % 4)) % 16]);
        let columns: [[Byte; 4]; 4] =
            std::array::from_fn(|c| std::array::from_fn(|r| shifted[4 * c + r]));
        let mixed = columns.map(|column| if round < 10 { file.mix(column) } else { column });
        state = std::array::from_fn(|i| file.add(mixed[i / 4][i % 4], key[i]));
    }
    for wire in state.into_iter().flatten() {
        file.gate(&[wire], "EQW");
    }
    file.written("2 128 128", "1 128")
}

fn encrypted(key: [u8; 16], block: [u8; 16]) -> [u8; 16] {
    let mut block = block.into();
    Aes128::new(&key.into()).encrypt_block(&mut block);
    block.into()
}

/// "I know the key under which this block becomes that one".
#[test]
fn a_key_is_proven_to_be_known() {
    let circuit = Circuit::from_bristol(&file()).unwrap();
    assert_eq!(circuit.size().ands, 200 * 4 * 64);
    // FIPS 197, appendix B.
    let key = *b"\x2b\x7e\x15\x16\x28\xae\xd2\xa6\xab\xf7\x15\x88\x09\xcf\x4f\x3c";
    let block = *b"\x32\x43\xf6\xa8\x88\x5a\x30\x8d\x31\x31\x98\xa2\xe0\x37\x07\x34";
    let expected = *b"\x39\x25\x84\x1d\x02\xdc\x09\xfb\xdc\x11\x85\x97\x19\x6a\x0b\x32";
    assert_eq!(encrypted(key, block), expected);

    let mut other = key;
    other[9] ^= 4;
    for (key, is_true) in [(key, true), (other, false)] {
        let public: Assignments =
            [("in1".to_owned(), bits(&block)), ("out0".to_owned(), bits(&expected))].into();
        let statement = Statement::new(&circuit, &public).unwrap();
        let witness = statement.witness(&[("in0".to_owned(), bits(&key))].into()).unwrap();
        assert_eq!(statement.contradiction(&witness).is_none(), is_true);
        let (set, context) = (ParameterSet::default(), statement.context());
        let (prover, verifier) = run(
            None,
            |channel| {
                Prover::run(channel, set, &context, &mut rng(1), |prover| {
                    prover.even_if_false();
                    statement.run(prover, Some(&witness))
                })
            },
            |channel| {
                Verifier::run(channel, set, &context, &mut rng(2), |verifier| {
                    statement.run(verifier, None)
                })
            },
        );
        assert_eq!(prover.is_ok(), is_true, "{prover:?}");
        match verifier {
            Ok(_) => assert!(is_true),
            Err(error) => {
                assert!(!is_true && matches!(error, VoleError::Cheating { check: "claims" }));
            }
        }
    }
}

/// Other keys and blocks, in the clear.
#[test]
fn the_file_computes_aes() {
    let circuit = Circuit::from_bristol(&file()).unwrap();
    for seed in [0u8, 0x5A, 0xFF] {
        let key = std::array::from_fn(|i| seed.wrapping_mul(i as u8 + 3) ^ i as u8);
        let block = std::array::from_fn(|i| seed.wrapping_add(17 * i as u8));
        let claimed: Assignments = [("out0".to_owned(), bits(&encrypted(key, block)))].into();
        let claim = Statement::new(&circuit, &claimed).unwrap();
        let inputs: Assignments =
            [("in0".to_owned(), bits(&key)), ("in1".to_owned(), bits(&block))].into();
        assert!(claim.contradiction(&claim.witness(&inputs).unwrap()).is_none());
    }
}
