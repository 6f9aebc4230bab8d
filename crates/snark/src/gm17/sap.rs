//! Square arithmetic programs, made from a rank-1 constraint system.
//!
//! A product is a difference of squares: with `e = (a − b)²`, `a·b = c` says `(a + b)² = 4c + e`. So
//! a constraint becomes two rows, each a square on the left, and a wire for `e`. Below are the rows
//! `1² = 1` and, for every public input `x` with `f = (x − 1)²`, `(x + 1)² = 4x + f` and
//! `(x − 1)² = f`, which make the left polynomials of public wires independent.
//!
//! Wires: those of the rank-1 system, then all `e`, then all `f`.

use algebra::{Domain, FftScalar, Scalar};
use circuit::r1cs::{Constraint, R1csHeader};
use rayon::prelude::*;
use wire::{Digest, DigestWriter};
use zeroize::Zeroizing;

use super::Error;

/// A circuit as a square arithmetic program.
#[derive(Clone, Debug)]
pub struct SquareProgram<S> {
    wires: usize,
    public: usize,
    constraints: Vec<Constraint<S>>,
}

/// Values of all wires, and of the left sides of all rows.
pub(super) struct Assignment<S: Scalar> {
    pub wires: Zeroizing<Vec<S>>,
    /// The right sides are their squares.
    pub left: Zeroizing<Vec<S>>,
}

/// `a_i(t)` and `c_i(t)` for all wires: the left and right polynomials at a point.
pub(super) struct Columns<S: Scalar> {
    /// Those of the rank-1 system's wires; the others stand on the right only.
    pub left: Zeroizing<Vec<S>>,
    pub right: Zeroizing<Vec<S>>,
}

impl<S: FftScalar> SquareProgram<S> {
    /// Converts a rank-1 constraint system. Outputs are public inputs like the others.
    ///
    /// # Errors
    /// [`Error::Wire`].
    pub fn from_r1cs(
        header: &R1csHeader,
        constraints: impl IntoIterator<Item = Constraint<S>>,
    ) -> Result<Self, Error> {
        let constraints: Vec<_> = constraints.into_iter().collect();
        for (index, Constraint { a, b, c }) in constraints.iter().enumerate() {
            for &(wire, _) in a.iter().chain(b).chain(c) {
                if wire >= header.wires {
                    return Err(Error::Wire { constraint: index, wire });
                }
            }
        }
        Ok(Self { wires: header.wires as usize, public: header.public() as usize, constraints })
    }

    /// Public wires beside the constant one.
    pub fn public(&self) -> usize {
        self.public
    }

    /// Wires of the rank-1 system, the constant one included.
    pub fn r1cs_wires(&self) -> usize {
        self.wires
    }

    /// Wires in all.
    pub fn wires(&self) -> usize {
        self.wires + self.constraints.len() + self.public
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        2 * self.constraints.len() + 2 * self.public + 1
    }

    /// The digest by which a proving key knows its circuit.
    pub fn digest(&self) -> Digest {
        let mut digest = DigestWriter::new("snark/gm17/circuit/v1");
        for count in [self.wires, self.public, self.constraints.len()] {
            digest.update(&(count as u64).to_le_bytes());
        }
        for Constraint { a, b, c } in &self.constraints {
            for combination in [a, b, c] {
                digest.update(&(combination.len() as u64).to_le_bytes());
                for (wire, factor) in combination {
                    digest.update(&wire.to_le_bytes());
                    digest.update(&factor.encode());
                }
            }
        }
        digest.finish()
    }

    /// A domain with a place for every row.
    pub(super) fn domain(&self) -> Result<Domain<S>, Error> {
        let too_many = Error::TooManyRows { rows: self.rows() };
        // The domain of twice the size must exist too: the quotient is computed on its odd powers.
        let size = self.rows().next_power_of_two();
        if size.trailing_zeros() >= S::TWO_ADICITY {
            return Err(too_many);
        }
        Domain::new(size).map_err(|_| too_many)
    }

    /// Extends a rank-1 witness.
    pub(super) fn assign(&self, witness: &[S]) -> Result<Assignment<S>, Error> {
        if witness.len() != self.wires || witness.first() != Some(&S::one()) {
            return Err(Error::WitnessLength { expected: self.wires, got: witness.len() });
        }
        let value = |combination: &[(u32, S)]| -> S {
            // `from_r1cs` has refused wires beyond those that the witness has by the check above.
            let wire = |wire: u32| witness.get(wire as usize).copied().unwrap_or_default();
            combination.iter().map(|&(index, factor)| factor * wire(index)).sum()
        };
        let products = self.constraints.par_iter().map(|Constraint { a, b, c }| {
            let (a, b) = (value(a), value(b));
            (a, b, a * b == value(c))
        });
        let products: Zeroizing<Vec<(S, S, bool)>> = Zeroizing::new(products.collect());
        if let Some(constraint) = products.iter().position(|(_, _, holds)| !holds) {
            return Err(Error::Unsatisfied { constraint });
        }
        // The public wires are among those (`R1csHeader::check`); with too few the proof would not verify.
        let inputs = witness.get(1..=self.public).unwrap_or_default();
        let mut wires = Zeroizing::new(Vec::with_capacity(self.wires()));
        wires.extend_from_slice(witness);
        wires.extend(products.iter().map(|&(a, b, _)| square(a - b)));
        wires.extend(inputs.iter().map(|&x| square(x - S::one())));
        // Room for the whole domain and one more coefficient: growing would leave a copy behind.
        let mut left = Zeroizing::new(Vec::with_capacity(self.rows().next_power_of_two() + 1));
        left.extend(products.iter().flat_map(|&(a, b, _)| [a + b, a - b]));
        left.push(S::one());
        left.extend(inputs.iter().flat_map(|&x| [x + S::one(), x - S::one()]));
        Ok(Assignment { wires, left })
    }

    /// The polynomials at the point at which Lagrange's have these values.
    pub(super) fn columns(&self, lagrange: &[S]) -> Columns<S> {
        let mut left = Zeroizing::new(vec![S::zero(); self.wires]);
        let mut right = Zeroizing::new(vec![S::zero(); self.wires()]);
        let add = |column: &mut [S], wire: usize, value: S| {
            if let Some(sum) = column.get_mut(wire) {
                *sum += value;
            }
        };
        let four = S::from_u64(4);
        let (pairs, _) = lagrange.as_chunks::<2>();
        let mut pairs = pairs.iter();
        for (index, (Constraint { a, b, c }, &[plus, minus])) in
            self.constraints.iter().zip(&mut pairs).enumerate()
        {
            a.iter().for_each(|&(i, f)| add(&mut left, i as usize, f * (plus + minus)));
            b.iter().for_each(|&(i, f)| add(&mut left, i as usize, f * (plus - minus)));
            c.iter().for_each(|&(i, f)| add(&mut right, i as usize, four * f * plus));
            add(&mut right, self.wires + index, plus + minus);
        }
        let mut rest = lagrange.iter().skip(2 * self.constraints.len());
        if let Some(&one) = rest.next() {
            add(&mut left, 0, one);
            add(&mut right, 0, one);
        }
        let first = self.wires + self.constraints.len();
        for (index, wire) in (1..=self.public).enumerate() {
            let (Some(&plus), Some(&minus)) = (rest.next(), rest.next()) else { break };
            add(&mut left, wire, plus + minus);
            add(&mut left, 0, plus - minus);
            add(&mut right, wire, four * plus);
            add(&mut right, first + index, plus + minus);
        }
        Columns { left, right }
    }
}

fn square<S: Scalar>(value: S) -> S {
    value * value
}
