//! Poseidon (Grassi, Khovratovich, Rechberger, Roy, Schofnegger, ePrint 2019/458) as circomlib has
//! it: `x⁵`, eight full rounds, the capacity zero and first, the digest the first element.

mod parameters;

use algebra::Scalar;

use crate::synthesis::{Linear, Synthesizer};

/// Rounds in which every element goes through the S-box, half before and half after the others.
const FULL_ROUNDS: usize = 8;

/// Rounds in which only the first element goes through the S-box, for one input, two, and so on.
const PARTIAL_ROUNDS: [usize; 16] =
    [56, 57, 56, 60, 60, 63, 64, 63, 60, 66, 60, 65, 70, 60, 64, 68];

/// The hash of `INPUTS` scalars, from 1 to 16, to one. On BN254 it is circomlib's `Poseidon(INPUTS)`.
///
/// ```
/// use algebra::{Bn254, Scalar, ScalarOf};
/// use circuit::gadgets::Poseidon;
///
/// let poseidon = Poseidon::<ScalarOf<Bn254>, 2>::new();
/// let hash = poseidon.hash([1, 2].map(Scalar::from_u64));
/// assert_eq!(hash.encode()[..4], [0x9a, 0x18, 0x17, 0x44]);
/// ```
#[derive(Clone, Debug)]
pub struct Poseidon<S, const INPUTS: usize> {
    /// For each round, what is added to each element before the S-box.
    constants: Vec<Vec<S>>,
    /// The rows of the matrix that mixes the elements after it.
    matrix: Vec<Vec<S>>,
}

impl<S: Scalar, const INPUTS: usize> Poseidon<S, INPUTS> {
    const PARTIAL_ROUNDS: usize = {
        assert!(1 <= INPUTS && INPUTS <= PARTIAL_ROUNDS.len());
        #[expect(clippy::indexing_slicing, reason = "checked when this is compiled")]
        PARTIAL_ROUNDS[INPUTS - 1]
    };

    /// Generates the parameters, which takes some milliseconds.
    pub fn new() -> Self {
        let (constants, matrix) =
            parameters::generate(INPUTS + 1, FULL_ROUNDS, Self::PARTIAL_ROUNDS);
        Self { constants, matrix }
    }

    /// The hash of scalars.
    pub fn hash(&self, inputs: [S; INPUTS]) -> S {
        let mut state: Vec<S> = std::iter::once(S::zero()).chain(inputs).collect();
        for (round, constants) in self.constants.iter().enumerate() {
            state.iter_mut().zip(constants).for_each(|(element, &constant)| *element += constant);
            for element in state.iter_mut().take(self.boxes(round)) {
                let square = *element * *element;
                *element *= square * square;
            }
            state = self.matrix.iter().map(|row| algebra::inner_product(row, &state)).collect();
        }
        // The state has an element more than inputs.
        state.into_iter().next().unwrap_or_default()
    }

    /// The hash of wires. Three constraints for each S-box: `81 · 3 − 3 = 240` for two inputs, since
    /// the first S-box is that of a constant.
    pub fn constrain(&self, cs: &mut Synthesizer<S>, inputs: [&Linear<S>; INPUTS]) -> Linear<S> {
        let inputs = inputs.into_iter().cloned();
        let mut state: Vec<_> = std::iter::once(Linear::zero()).chain(inputs).collect();
        for (round, constants) in self.constants.iter().enumerate() {
            for (element, &constant) in state.iter_mut().zip(constants) {
                *element = &*element + &Linear::constant(constant);
            }
            for element in state.iter_mut().take(self.boxes(round)) {
                let square = cs.product(element, element);
                let fourth = cs.product(&square, &square);
                *element = cs.product(&fourth, element);
            }
            let mix = |row: &Vec<S>| Linear::sum(row.iter().copied().zip(&state));
            state = self.matrix.iter().map(mix).collect();
        }
        // As in `hash`.
        state.into_iter().next().unwrap_or_else(Linear::zero)
    }

    /// S-boxes of a round.
    fn boxes(&self, round: usize) -> usize {
        let half = FULL_ROUNDS / 2;
        let is_partial = (half..half + Self::PARTIAL_ROUNDS).contains(&round);
        if is_partial { 1 } else { INPUTS + 1 }
    }
}

impl<S: Scalar, const INPUTS: usize> Default for Poseidon<S, INPUTS> {
    fn default() -> Self {
        Self::new()
    }
}
