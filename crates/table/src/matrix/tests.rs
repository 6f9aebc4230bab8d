//! The bit-matrix argument: small and odd sizes, and every way of lying about a bit.

use algebra::Group as _;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng as _, SeedableRng as _};

use super::{dense, prove::speak, *};
use crate::{
    commitment::{BASES, Point, commit},
    range::ValueOpening,
};

const SEED: [u8; 32] = [5; 32];

struct Case {
    core: Hash,
    list: Hash,
    bits: u32,
    openings: Vec<ValueOpening>,
    statements: Vec<Point>,
}

impl Case {
    fn new(count: usize, bits: u32) -> Self {
        let rng = &mut ChaCha20Rng::seed_from_u64(count as u64);
        let opening = |index: usize| {
            let value = match index {
                0 => u64::MAX >> (64 - bits),
                1 => 0,
                _ => rng.next_u64() >> (64 - bits),
            };
            (value, Scalar::random(rng))
        };
        let openings: Vec<_> = (0..count).map(opening).collect();
        let statements =
            openings.iter().map(|(value, r)| commit(&Scalar::from(*value), r)).collect();
        let [core, list] = [[1; 32].into(), [2; 32].into()];
        Self { core, list, bits, openings, statements }
    }

    fn context(&self) -> Context<'_> {
        Context { core: &self.core, shard: 0, list: &self.list }
    }

    fn prove(&self) -> Vec<u8> {
        prove(&self.context(), self.bits, &self.openings, &SEED).unwrap()
    }

    fn verify(&self, proof: &[u8]) -> Result<(), Fault> {
        verify(&self.context(), self.bits, &self.statements, proof)
    }
}

#[test]
fn honest_proofs_of_all_sizes_pass() {
    for bits in [8, 16, 32, 64] {
        for count in [1, 2, 3, 5, 7, 9, 33] {
            let case = Case::new(count, bits);
            let proof = case.prove();
            let layout = Layout::new(count, bits).unwrap();
            assert_eq!(proof.len(), layout.proof_len());
            assert_eq!(case.verify(&proof), Ok(()), "{count} of {bits} bits");
            assert_eq!(case.prove(), proof, "made again");
        }
    }
    // The size that the specification names.
    assert_eq!(Layout::new(1 << 20, 32).unwrap().proof_len(), 134_592);
}

#[test]
fn no_part_of_a_proof_can_change() {
    let case = Case::new(33, 8);
    let proof = case.prove();
    for part in 0..proof.len() / 32 {
        for at in [0, 13] {
            let mut changed = proof.clone();
            changed[32 * part + at] ^= 2;
            assert!(case.verify(&changed).is_err(), "part {part}");
        }
        let mut zero = proof.clone();
        zero[32 * part..32 * part + 32].fill(0);
        assert!(case.verify(&zero).is_err(), "part {part}");
    }
    let longer = [&proof[..], &[0; 32]].concat();
    assert!(case.verify(&longer).is_err() && case.verify(&proof[32..]).is_err());
    // T_j replaced by another commitment to the same row, after the challenges.
    let mut moved = proof.clone();
    let row = Point::decode(&proof[..32]).unwrap() + BASES.blinding;
    moved[..32].copy_from_slice(&row.encode());
    assert!(case.verify(&moved).is_err());
}

#[test]
fn statements_are_those_that_were_proven() {
    let case = Case::new(9, 16);
    let proof = case.prove();
    let refused = |change: &dyn Fn(&mut Case)| {
        let mut other = Case::new(9, 16);
        change(&mut other);
        assert!(other.verify(&proof).is_err());
    };
    refused(&|case| case.statements[4] += BASES.value);
    refused(&|case| case.statements[4] += BASES.blinding);
    refused(&|case| case.statements.swap(2, 3));
    refused(&|case| case.core = [9; 32].into());
    refused(&|case| case.list = [9; 32].into());
    refused(&|case| case.bits = 8);
    refused(&|case| case.bits = 32);
    refused(&|case| {
        case.statements.pop();
    });
    refused(&|case| case.statements.push(Point::identity()));
    let context = Context { shard: 1, ..case.context() };
    assert!(verify(&context, 16, &case.statements, &proof).is_err());
}

/// What a prover could gain: values whose bits are true and whose commitments hold others.
#[test]
fn values_out_of_range_have_no_proof() {
    let case = Case::new(7, 8);
    let layout = Layout::new(7, 8).unwrap();
    let shift = |steps: i64| {
        let base = if steps < 0 { -BASES.value } else { BASES.value };
        std::iter::repeat_n(base, steps.unsigned_abs() as usize).sum::<Point>()
    };
    // d = −1 and d = 2^b, shown with the bits of 255 and of 0; and a bit flipped.
    for (index, steps) in [(0, -256), (1, 256), (2, 1)] {
        let mut statements = case.statements.clone();
        statements[index] += shift(steps);
        assert!(verify(&case.context(), 8, &statements, &case.prove()).is_err());
        let mut values: Vec<u64> = case.openings.iter().map(|(value, _)| *value).collect();
        values[index] ^= 1;
        let lie = speak(&case.context(), layout, &values, &case.openings, &SEED).unwrap();
        assert!(case.verify(&lie).is_err());
    }
    let too_large = vec![(256, Scalar::ONE)];
    assert!(prove(&case.context(), 8, &too_large, &SEED).is_err());
    assert!(prove(&case.context(), 8, &[], &SEED).is_err());
}

/// B entry 2: entries that sum to the committed value as they must, and are no bits. So 256 could
/// pass for eight bits, and −1.
#[test]
fn entries_are_bits() {
    for bits in [8, 16] {
        let case = Case::new(5, bits);
        let layout = Layout::new(5, bits).unwrap();
        let honest = dense::bits_of(&layout, &case.openings);
        let proof = dense::speak(&case.context(), layout, &honest, &case.openings, &SEED);
        assert_eq!(proof, case.prove(), "on bits both provers are one");
        let (one, two, top) = (Scalar::ONE, Scalar::from(2_u64), layout.bits() - 1);
        // The value of row 1 is 0 and becomes what the entries sum to.
        let lies = [
            ("2^b as 2·2^(b−1)", Scalar::from(1_u64 << bits), vec![(top, two)]),
            ("2 as 2·1", two, vec![(0, two)]),
            ("4 as 2·1 + 2", two + two, vec![(0, two), (1, one)]),
            ("−1 as −1·1", -one, vec![(0, -one)]),
            ("1 as 2 − 1", one, vec![(0, -one), (1, one)]),
            ("0 as 2 − 2·1", Scalar::ZERO, vec![(0, -two), (1, one)]),
        ];
        for (what, value, entries) in lies {
            let mut matrix = honest.clone();
            for (bit, entry) in entries {
                matrix[layout.bits() + bit] = entry;
            }
            let mut case = Case::new(5, bits);
            case.statements[1] = commit(&value, &case.openings[1].1);
            let proof = dense::speak(&case.context(), layout, &matrix, &case.openings, &SEED);
            let refused = Err(Fault::Equation { what: "bit matrix" });
            assert_eq!(case.verify(&proof), refused, "{what} of {bits} bits");
        }
    }
}

/// The rows are opened at `z*` and nowhere else: not even where the opening is honest.
#[test]
fn the_opening_is_at_the_sumchecks_point() {
    let case = Case::new(9, 8);
    let layout = Layout::new(9, 8).unwrap();
    let bits = dense::bits_of(&layout, &case.openings);
    for variable in 0..layout.vars() as usize {
        let elsewhere = |point: &mut [Scalar]| point[variable] += Scalar::ONE;
        let proof =
            dense::speak_at(&case.context(), layout, &bits, &case.openings, &SEED, &elsewhere);
        let refused = Err(Fault::Equation { what: "bit matrix" });
        assert_eq!(case.verify(&proof), refused, "variable {variable}");
    }
}

/// A bit set in the padding of the last row, which no statement accounts for.
#[test]
fn padding_holds_no_bits() {
    let case = Case::new(33, 8);
    let layout = Layout::new(33, 8).unwrap();
    assert_eq!((layout.values_per_row(), layout.rows()), (4, 9));
    let mut values: Vec<u64> = case.openings.iter().map(|(value, _)| *value).collect();
    let honest = speak(&case.context(), layout, &values, &case.openings, &SEED).unwrap();
    assert_eq!(case.verify(&honest), Ok(()));
    values.push(1);
    let lie = speak(&case.context(), layout, &values, &case.openings, &SEED).unwrap();
    assert_eq!(lie.len(), honest.len());
    assert!(case.verify(&lie).is_err());
}

/// Another witness, another statement, other masks: nothing is shared.
#[test]
fn masks_depend_on_everything() {
    let parts = |proof: &[u8]| proof.as_chunks::<32>().0.to_vec();
    let case = Case::new(9, 16);
    let one = parts(&case.prove());
    let mut other = Case::new(9, 16);
    other.openings[3].0 ^= 1;
    let two = parts(&other.prove());
    assert!(one.iter().zip(&two).all(|(one, two)| one != two));
    let context = Context { shard: 1, ..case.context() };
    let three = parts(&prove(&context, 16, &case.openings, &SEED).unwrap());
    assert!(one.iter().zip(&three).all(|(one, three)| one != three));
}
