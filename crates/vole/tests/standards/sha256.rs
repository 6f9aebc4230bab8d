//! SHA-256 (FIPS 180-4) of a message of one block: the padded block is the input.

use vole::{
    Prover, Setup, Verifier,
    circuit::{Assignments, Circuit, Statement},
};

use super::{File, bits};
use crate::common::{rng, run};

/// A word as wires, the lowest bit first.
type Word = [usize; 32];

impl File {
    /// A constant.
    fn word(&mut self, value: u32) -> Word {
        std::array::from_fn(|i| self.gate(&[(value >> i & 1) as usize], "EQ"))
    }

    fn xor_words(&mut self, words: &[Word]) -> Word {
        std::array::from_fn(|i| {
            let bits = words.iter().map(|word| word[i]);
            bits.reduce(|sum, bit| self.xor(sum, bit)).unwrap()
        })
    }

    /// Modulo 2^32: a carry is `c + (a + c)(b + c)`.
    fn sum(&mut self, words: &[Word]) -> Word {
        let add = |file: &mut Self, a: Word, b: Word| {
            let mut carry = None;
            std::array::from_fn(|i| {
                let sum = file.xor(a[i], b[i]);
                let Some(c) = carry else {
                    carry = Some(file.gate(&[a[i], b[i]], "AND"));
                    return sum;
                };
                if i < 31 {
                    let factors = [file.xor(a[i], c), file.xor(b[i], c)];
                    let product = file.gate(&factors, "AND");
                    carry = Some(file.xor(c, product));
                }
                file.xor(sum, c)
            })
        };
        words.iter().copied().reduce(|a, b| add(self, a, b)).unwrap()
    }

    /// Rotated to the right by the first two numbers, and by the third or shifted.
    fn sigma(&mut self, word: Word, rotations: [usize; 2], shift: Result<usize, usize>) -> Word {
        let turned = |by: usize| -> Word { std::array::from_fn(|i| word[(i + by) % 32]) };
        let two = self.xor_words(&rotations.map(turned));
        let kept = match shift {
            Ok(by) => return self.xor_words(&[two, turned(by)]),
            Err(by) => 32 - by,
        };
        let third = turned(32 - kept);
        std::array::from_fn(|i| if i < kept { self.xor(two[i], third[i]) } else { two[i] })
    }

    /// g + e (f + g).
    fn choose(&mut self, e: Word, f: Word, g: Word) -> Word {
        std::array::from_fn(|i| {
            let difference = self.xor(f[i], g[i]);
            let chosen = self.gate(&[e[i], difference], "AND");
            self.xor(chosen, g[i])
        })
    }

    /// a + (a + b)(a + c).
    fn majority(&mut self, a: Word, b: Word, c: Word) -> Word {
        std::array::from_fn(|i| {
            let factors = [self.xor(a[i], b[i]), self.xor(a[i], c[i])];
            let product = self.gate(&factors, "AND");
            self.xor(product, a[i])
        })
    }
}

/// The first 32 bits of the fractional part of the root of that degree of each prime.
fn roots(degree: u32, count: usize) -> Vec<u32> {
    let is_prime = |n: &u128| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    let root = |prime: u128| {
        let power = prime << (32 * degree);
        let mut low = 0u128;
        for place in (0..37).rev() {
            let next = low | 1 << place;
            if next.pow(degree) <= power {
                low = next;
            }
        }
        low as u32
    };
    (2u128..).filter(is_prime).take(count).map(root).collect()
}

/// The one block as the input, the digest as the output.
fn file() -> String {
    let mut file = File::with_inputs(512);
    // Words are big-endian.
    let place = |word: usize, bit: usize| 32 * word + 8 * (3 - bit / 8) + bit % 8;
    let mut schedule: Vec<Word> =
        (0..16).map(|word| std::array::from_fn(|bit| place(word, bit))).collect();
    for t in 16..64 {
        let high = file.sigma(schedule[t - 2], [17, 19], Err(10));
        let low = file.sigma(schedule[t - 15], [7, 18], Err(3));
        let next = file.sum(&[high, schedule[t - 7], low, schedule[t - 16]]);
        schedule.push(next);
    }
    let initial: Vec<Word> = roots(2, 8).into_iter().map(|value| file.word(value)).collect();
    let mut state: [Word; 8] = initial.clone().try_into().unwrap();
    for (word, constant) in schedule.into_iter().zip(roots(3, 64)) {
        let [a, b, c, d, e, f, g, h] = state;
        let constant = file.word(constant);
        let (of_e, chosen) = (file.sigma(e, [6, 11], Ok(25)), file.choose(e, f, g));
        let first = file.sum(&[h, of_e, chosen, constant, word]);
        let (of_a, majority) = (file.sigma(a, [2, 13], Ok(22)), file.majority(a, b, c));
        let (next_e, next_a) = (file.sum(&[d, first]), file.sum(&[first, of_a, majority]));
        state = [next_a, a, b, c, next_e, e, f, g];
    }
    let digest: Vec<Word> =
        initial.into_iter().zip(state).map(|(before, after)| file.sum(&[before, after])).collect();
    let mut outputs = [0; 256];
    for (word, wires) in digest.iter().enumerate() {
        wires.iter().enumerate().for_each(|(bit, wire)| outputs[place(word, bit)] = *wire);
    }
    for wire in outputs {
        file.gate(&[wire], "EQW");
    }
    file.written("1 512", "1 256")
}

/// Section 5.1.1, of at most 55 bytes.
fn padded(message: &[u8]) -> [u8; 64] {
    let mut block = [0; 64];
    block[..message.len()].copy_from_slice(message);
    block[message.len()] = 0x80;
    block[56..].copy_from_slice(&(8 * message.len() as u64).to_be_bytes());
    block
}

fn digest(hexadecimal: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&hexadecimal[at..at + 2], 16).unwrap();
    (0..64).step_by(2).map(byte).collect()
}

/// The standard's example, and the empty message.
const KNOWN: [(&[u8], &str); 2] = [
    (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
];

/// "I know a message with this digest".
#[test]
fn a_message_is_proven_to_be_known() {
    let circuit = Circuit::from_bristol(&file()).unwrap();
    for (message, expected) in KNOWN {
        let public: Assignments = [("out0".to_owned(), bits(&digest(expected)))].into();
        let statement = Statement::new(&circuit, &public).unwrap();
        let of = |block: [u8; 64]| {
            statement.witness(&[("in0".to_owned(), bits(&block))].into()).unwrap()
        };
        let witness = of(padded(message));
        assert_eq!(statement.contradiction(&witness), None);
        assert_eq!(statement.contradiction(&of(padded(b"abd"))), Some("out0"));
        if message.is_empty() {
            continue;
        }
        let context = statement.context();
        let (prover, verifier) = run(
            None,
            |channel| {
                Prover::run(channel, Setup::default(), &context, &mut rng(1), |prover| {
                    statement.run(prover, Some(&witness))
                })
            },
            |channel| {
                Verifier::run(channel, Setup::default(), &context, &mut rng(2), |verifier| {
                    statement.run(verifier, None)
                })
            },
        );
        assert!(prover.is_ok() && verifier.is_ok(), "{verifier:?}");
        // No number is taken apart, and nothing is claimed over F_p.
        assert!(statement.soundness(Setup::default()) > 61.0);
    }
}
