//! The constraint system of the paper's section 6: `s(X, Y)` as a sum of three permutations.
//!
//! `s(X, Y) = X^{−n−1} Y^n s_1(X, Y) − X^n s_2(X, Y)`, where
//! `s_1 = Σ_j Σ_{i=1}^N ψ_{j,σ_j(i)} X^i Y^{σ_j(i)}` with `N = 3n + 1` has the linear constraints, and
//! `s_2 = Σ_{i=1}^n (Y^i + Y^{−i}) X^i` the gates. The variable `a_i` is at `X^{n+1−i}`, `b_i` at
//! `X^{n+1+i}` and `c_i` at `X^{2n+1+i}`; nothing is at `X^{n+1}`.
//!
//! Here the output of a gate is a variable, unlike in [`GateSystem`](super::super::GateSystem). If a sum replaced it,
//! every term of the sum would get `−Y^i − Y^{−i}`, two permutations for each term, and nobody could evaluate `s_2`
//! without the circuit.

use algebra::Scalar;
use circuit::r1cs::{Constraint, LinearCombination, R1csHeader};
use wire::{Digest, DigestWriter};
use zeroize::Zeroizing;

use super::{
    super::{
        error::Error,
        field::Point,
        gates::Gates,
        laurent::Laurent,
        system::{Shape, public_constants},
    },
    permutation::{Permutation, permutations},
    rewrite::{DEGREE, Rewritten, Variable},
};

/// A circuit in the form of permutations, with the way from a rank-1 witness to its variables.
#[derive(Clone, Debug)]
pub struct PermutedSystem<S> {
    wires: usize,
    public: usize,
    gates: usize,
    /// Linear constraints that are not empty.
    constraints: usize,
    inputs: Vec<[LinearCombination<S>; 2]>,
    sums: Vec<[(u32, S); 2]>,
    permutations: [Permutation<S>; DEGREE],
    digest: Digest,
}

impl<S: Scalar> PermutedSystem<S> {
    /// Converts a rank-1 constraint system. Outputs are public inputs like the others.
    ///
    /// # Errors
    /// [`Error::Wire`], [`Error::CircuitSize`].
    pub fn from_r1cs(
        header: &R1csHeader,
        constraints: impl IntoIterator<Item = Constraint<S>>,
    ) -> Result<Self, Error> {
        let circuit = Gates::from_r1cs(header, constraints)?;
        let (wires, public) = (circuit.wires as usize, circuit.public as usize);
        let rewritten = Rewritten::new(circuit);
        let gates = rewritten.gates();
        let size = gates.checked_mul(3).and_then(|slots| slots.checked_add(1));
        let Some(size) = size.filter(|size| u32::try_from(*size).is_ok()) else {
            return Err(Error::CircuitSize);
        };
        let row = |row: &Vec<(Variable, S)>| {
            row.iter().map(|&(variable, factor)| (slot(variable, gates) as u32, factor)).collect()
        };
        let rows: Vec<Vec<_>> = rewritten.rows.iter().map(row).collect();
        let permutations = permutations(size, &rows);
        let digest = digest(public, gates, &permutations);
        let Rewritten { inputs, sums, .. } = rewritten;
        let constraints = rows.len();
        Ok(Self { wires, public, gates, constraints, inputs, sums, permutations, digest })
    }

    /// `n`, multiplication gates: those of the circuit, and those that hold copies and partial sums.
    pub fn gates(&self) -> usize {
        self.gates
    }

    /// Linear constraints.
    pub fn constraints(&self) -> usize {
        self.constraints
    }

    /// `N = 3n + 1`, the size of the permutations.
    pub(crate) fn size(&self) -> usize {
        3 * self.gates + 1
    }

    /// Public wires beside the constant one.
    pub fn public(&self) -> usize {
        self.public
    }

    /// The digest of the permutations, which a proof speaks of.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The least degree of a reference string.
    pub fn degree(&self) -> usize {
        shape(self.gates).degree()
    }

    /// The same circuit under the digest of another, for attacks in tests.
    #[cfg(test)]
    pub(crate) fn disguised(self, digest: Digest) -> Self {
        Self { digest, ..self }
    }

    pub(super) fn permutations(&self) -> &[Permutation<S>; DEGREE] {
        &self.permutations
    }

    /// The values of all variables: entry `i` is the coefficient of `X^{n − i}` in `r(X, 1)`.
    ///
    /// # Errors
    /// [`Error::WitnessLength`].
    pub(crate) fn assign(&self, wires: &[S]) -> Result<Zeroizing<Vec<S>>, Error> {
        if wires.len() != self.wires {
            return Err(Error::WitnessLength { expected: self.wires, got: wires.len() });
        }
        let mut values = Zeroizing::new(Vec::with_capacity(wires.len() + self.sums.len()));
        values.extend_from_slice(wires);
        let value = |combination: &[(u32, S)], values: &[S]| -> S {
            // Terms name wires, which `Gates::from_r1cs` has checked, and sums that stand before them.
            let term = |&(index, factor): &(u32, S)| {
                factor * values.get(index as usize).copied().unwrap_or_default()
            };
            combination.iter().map(term).sum()
        };
        for sum in &self.sums {
            let next = value(sum, &values);
            values.push(next);
        }
        let own = self.inputs.iter().map(|inputs| inputs.each_ref().map(|side| value(side, wires)));
        // `values` begins with the wires. Of an odd number of sums the last has no partner.
        let further =
            values.get(wires.len()..).unwrap_or_default().chunks(2).map(|pair| match pair {
                [a, b] => [*a, *b],
                _ => [pair.first().copied().unwrap_or_default(), S::zero()],
            });
        let mut slots = Zeroizing::new(vec![S::zero(); self.size()]);
        for (gate, [a, b]) in own.chain(further).enumerate() {
            for (side, value) in [a, b, a * b].into_iter().enumerate() {
                if let Some(entry) = slots.get_mut(slot(Variable { gate, side }, self.gates)) {
                    *entry = value;
                }
            }
        }
        Ok(slots)
    }

    /// `s_1(X, y)` by permutations: `Σ_i ψ_{j,σ_j(i)} y^{σ_j(i)} X^i`.
    pub(super) fn signatures(&self, y: &Point<S>) -> [Laurent<S>; DEGREE] {
        let powers = y.powers(1, self.size());
        self.permutations.each_ref().map(|permutation| {
            let terms = permutation.factors.iter().zip(&powers);
            let by_row: Vec<S> = terms.map(|(&factor, &power)| factor * power).collect();
            from_power_1(permutation.rows.iter().map(|&row| at(&by_row, row)))
        })
    }

    /// `k(y)` for public inputs without the constant one.
    pub(super) fn constants(&self, y: &Point<S>, inputs: &[S]) -> S {
        public_constants(self.gates, y, inputs)
    }
}

/// What the reference string must be long enough for, if there are no more than `N` linear
/// constraints: `s_1` reaches `X^N`, as far as `s(u, Y)` of `2n + 1` linear constraints.
pub(super) fn shape(gates: usize) -> Shape {
    Shape { gates, loose: gates, constraints: 2 * gates + 1 }
}

/// `s(X, y)` from the parts of `s_1(X, y)`.
pub(super) fn in_x<S: Scalar>(gates: usize, s1: &[Laurent<S>; DEGREE], y: &Point<S>) -> Laurent<S> {
    let [first, ..] = s1;
    let mut coefficients = vec![S::zero(); first.coefficients().len() - 1];
    let factor = y.pow(gates as i64);
    for (index, coefficient) in coefficients.iter_mut().enumerate() {
        let terms = s1.iter().filter_map(|part| part.coefficients().get(index + 1));
        *coefficient = factor * terms.copied().sum::<S>();
    }
    let inverse = Point { value: y.inverse, inverse: y.value };
    let powers = y.powers(1, gates).into_iter().zip(inverse.powers(1, gates));
    // `s_1` has 3n + 1 coefficients.
    let outputs = coefficients.get_mut(2 * gates + 1..).unwrap_or_default();
    for (output, (power, inverse)) in outputs.iter_mut().zip(powers) {
        *output -= power + inverse;
    }
    Laurent::new(-(gates as i64), coefficients)
}

/// `s(z, y)` from `s_1(z, y)`; `s_2(z, y)` is two geometric sums.
///
/// # Errors
/// [`Error::Challenge`].
pub(super) fn evaluate<S: Scalar>(
    gates: usize,
    s1: S,
    z: &Point<S>,
    y: &Point<S>,
) -> Result<S, Error> {
    let inverse = Point { value: y.inverse, inverse: y.value };
    let gates = gates as i64;
    let (rising, _) = sums(&z.times(y), gates)?;
    let (falling, _) = sums(&z.times(&inverse), gates)?;
    Ok(y.pow(gates) * z.pow(-gates - 1) * s1 - z.pow(gates) * (rising + falling))
}

/// `Σ_{i=1}^count p^i` and `Σ_{i=1}^count i·p^i`.
///
/// # Errors
/// [`Error::Challenge`] at one, where the formulas say nothing.
pub(super) fn sums<S: Scalar>(p: &Point<S>, count: i64) -> Result<(S, S), Error> {
    let inverse = (p.value - S::one()).invert().ok_or(Error::Challenge)?;
    let last = p.pow(count);
    let plain = p.value * (last - S::one()) * inverse;
    // p times the derivative of the first.
    let weighted = (S::from_u64(count.unsigned_abs()) * p.value * last - plain) * inverse;
    Ok((plain, weighted))
}

/// A polynomial whose first coefficient is that of `X`.
pub(super) fn from_power_1<S: Scalar>(coefficients: impl Iterator<Item = S>) -> Laurent<S> {
    Laurent::new(0, std::iter::once(S::zero()).chain(coefficients).collect())
}

pub(super) fn at<S: Scalar>(values: &[S], index: u32) -> S {
    // A permutation gives rows below N, and there are N values.
    values.get(index as usize).copied().unwrap_or_default()
}

/// The place of a variable among `X^1 … X^N` in `s_1(X, Y)`, counted from 0.
fn slot(variable: Variable, gates: usize) -> usize {
    match variable.side {
        0 => gates - 1 - variable.gate,
        1 => gates + 1 + variable.gate,
        _ => 2 * gates + 1 + variable.gate,
    }
}

fn digest<S: Scalar>(
    public: usize,
    gates: usize,
    permutations: &[Permutation<S>; DEGREE],
) -> Digest {
    let mut digest = DigestWriter::new("snark/sonic/permuted-circuit/v1");
    for count in [public, gates] {
        digest.update(&(count as u64).to_le_bytes());
    }
    for Permutation { rows, factors } in permutations {
        rows.iter().for_each(|row| digest.update(&row.to_le_bytes()));
        factors.iter().for_each(|factor| digest.update(&factor.encode()));
    }
    digest.finish()
}
