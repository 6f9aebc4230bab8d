//! Sonic's constraint system (section 5), made from a rank-1 constraint system.
//!
//! There are `n` multiplication gates and `Q` linear constraints. In the paper a gate is
//! `a_i · b_i = c_i`, and each of the three is a variable of its own. Here the output is a linear
//! combination of other variables, `a_i · b_i = Σ_j g_{i,j} v_j`, which moves from `w_i(Y)` to where
//! these stand in `s(X, Y)`; of the paper's `c_i` only `h` *loose* variables are left that are no
//! gate's input. The equations in `Y` are the same. With `h = n` it is the paper's system; with few
//! loose variables, `r(X, Y)` is a third shorter, `t(X, Y)` not much longer than half, and so is the
//! reference string.
//!
//! A rank-1 constraint `⟨A, z⟩ · ⟨B, z⟩ = ⟨C, z⟩` becomes a gate. A wire that is alone in `A` or `B` is *at home*
//! there; one that never is becomes loose. Every input of a gate that is nobody's home is tied to the homes of its
//! wires by a linear constraint. A constraint with a constant factor is linear and needs no gate. The first linear
//! constraints say that the constant wire and the public wires have their values. Only these have a right-hand side, so
//! `k(Y)` is short.

use algebra::Scalar;
use circuit::r1cs::{Constraint, LinearCombination, R1csHeader};
use rayon::prelude::*;
use wire::{Digest, DigestWriter};
use zeroize::Zeroizing;

use super::{
    error::Error,
    field::Point,
    gates::{Gates, Home},
    laurent::Laurent,
};

/// Blinding coefficients of `r(X, Y)`: one for each value of it that a proof tells.
pub const BLINDERS: usize = 4;

/// What the reference string must be long enough for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// `n`, multiplication gates.
    pub gates: usize,
    /// `h`, variables that are no input of a gate.
    pub loose: usize,
    /// `Q`, linear constraints.
    pub constraints: usize,
}

impl Shape {
    /// The least `d`: `t(X, y)` has powers down to `−2n − 2h − 8`, `s(u, Y)` up to `n + Q`.
    pub fn degree(&self) -> usize {
        (2 * (self.gates + self.loose + BLINDERS)).max(self.gates + self.constraints)
    }

    /// The lowest power of `r(X, 1)`.
    pub(crate) fn lowest(&self) -> i64 {
        -((self.gates + self.loose + BLINDERS) as i64)
    }

    /// Powers of `X` in `s(X, Y)`, from `−n` to `n + h`; those of `r(X, Y)` are the opposite.
    pub(crate) fn slots(&self) -> usize {
        2 * self.gates + self.loose + 1
    }
}

/// A variable; gates and loose variables are counted from 0.
#[derive(Clone, Copy)]
enum Place {
    A(usize),
    B(usize),
    Loose(usize),
}

impl Place {
    /// The place among `X^{−n} … X^{n + h}`: where `s(X, Y)` has the coefficient of this variable,
    /// and `r(X, Y)` in reverse its value.
    fn slot(self, gates: usize) -> usize {
        match self {
            Self::A(gate) => gates - 1 - gate,
            Self::B(gate) => gates + 1 + gate,
            Self::Loose(index) => 2 * gates + 1 + index,
        }
    }
}

/// A circuit in Sonic's form, with the way from a rank-1 witness to its variables.
#[derive(Clone, Debug)]
pub struct GateSystem<S> {
    wires: usize,
    public: usize,
    /// The inputs of every gate in terms of wires.
    inputs: Vec<[LinearCombination<S>; 2]>,
    /// Wires that are loose variables.
    loose: Vec<u32>,
    /// Rows of `s(X, Y)`: the outputs of the gates, then the linear constraints. Where in `terms`
    /// each ends.
    ends: Vec<usize>,
    /// `(slot, factor)`.
    terms: Vec<(u32, S)>,
    digest: Digest,
}

impl<S: Scalar> GateSystem<S> {
    /// Converts a rank-1 constraint system. Outputs are public inputs like the others.
    ///
    /// # Errors
    /// [`Error::Wire`], [`Error::CircuitSize`].
    pub fn from_r1cs(
        header: &R1csHeader,
        constraints: impl IntoIterator<Item = Constraint<S>>,
    ) -> Result<Self, Error> {
        convert(Gates::from_r1cs(header, constraints)?)
    }

    /// The numbers of gates, loose variables and linear constraints.
    pub fn shape(&self) -> Shape {
        let gates = self.inputs.len();
        Shape { gates, loose: self.loose.len(), constraints: self.ends.len() - gates }
    }

    /// Public wires beside the constant one.
    pub fn public(&self) -> usize {
        self.public
    }

    /// The digest of the gates and the linear constraints, which a proof speaks of.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The same circuit under the digest of another, for attacks in tests.
    #[cfg(test)]
    pub(crate) fn disguised(self, digest: Digest) -> Self {
        Self { digest, ..self }
    }

    /// The values of all variables: entry `slot` is the coefficient of `X^{n − slot}` in `r(X, 1)`.
    ///
    /// # Errors
    /// [`Error::WitnessLength`].
    pub(crate) fn assign(&self, wires: &[S]) -> Result<Zeroizing<Vec<S>>, Error> {
        if wires.len() != self.wires {
            return Err(Error::WitnessLength { expected: self.wires, got: wires.len() });
        }
        // `Gates::from_r1cs` has refused wires beyond these.
        let wire = |wire: u32| wires.get(wire as usize).copied().unwrap_or_default();
        let value = |combination: &LinearCombination<S>| -> S {
            combination.iter().map(|&(index, factor)| factor * wire(index)).sum()
        };
        let mut values = Zeroizing::new(Vec::with_capacity(self.shape().slots()));
        values.extend(self.inputs.iter().rev().map(|[a, _]| value(a)));
        values.push(S::zero());
        values.extend(self.inputs.iter().map(|[_, b]| value(b)));
        values.extend(self.loose.iter().map(|&index| wire(index)));
        Ok(values)
    }

    /// `s(x, y)`, in time proportional to the circuit.
    pub(crate) fn evaluate(&self, x: &Point<S>, y: &Point<S>) -> S {
        let columns = self.columns(x);
        let weights = self.weights(&[(S::one(), *y)]);
        self.rows().zip(&weights).map(|(row, &weight)| weight * dot(row, &columns)).sum()
    }

    /// `Σ_j weight_j · s(X, y_j)`.
    pub(crate) fn combine_in_x(&self, points: &[(S, Point<S>)]) -> Laurent<S> {
        let mut columns = vec![S::zero(); self.shape().slots()];
        let mut start = 0;
        for (&end, &weight) in self.ends.iter().zip(&self.weights(points)) {
            // `convert` pushed an end after each row's terms, so that ends ascend to the number of all.
            for &(slot, factor) in self.terms.get(start..end).unwrap_or_default() {
                if let Some(column) = columns.get_mut(slot as usize) {
                    *column += factor * weight;
                }
            }
            start = end;
        }
        Laurent::new(-(self.inputs.len() as i64), columns)
    }

    /// `s(X, y)`.
    pub(crate) fn in_x(&self, y: &Point<S>) -> Laurent<S> {
        self.combine_in_x(&[(S::one(), *y)])
    }

    /// `s(u, Y)`.
    pub(crate) fn in_y(&self, u: &Point<S>) -> Laurent<S> {
        let columns = self.columns(u);
        let rows: Vec<S> = self.rows().map(|row| dot(row, &columns)).collect();
        let (outputs, constraints) = rows.split_at(self.inputs.len());
        let mut coefficients = Vec::with_capacity(rows.len() + outputs.len() + 1);
        coefficients.extend(outputs.iter().rev().map(|&output| -output));
        coefficients.push(S::zero());
        coefficients.extend(outputs.iter().map(|&output| -output));
        coefficients.extend_from_slice(constraints);
        Laurent::new(-(self.inputs.len() as i64), coefficients)
    }

    /// `k(y)` for public inputs without the constant one.
    pub(crate) fn constants(&self, y: &Point<S>, inputs: &[S]) -> S {
        public_constants(self.inputs.len(), y, inputs)
    }

    /// The powers of `x` that belong to the slots.
    fn columns(&self, x: &Point<S>) -> Vec<S> {
        x.powers(-(self.inputs.len() as i64), self.shape().slots())
    }

    /// `Σ_j weight_j` times what the rows have at `y_j`: `−y^i − y^{−i}` for the output of gate `i`,
    /// `y^{n+q}` for constraint `q`.
    fn weights(&self, points: &[(S, Point<S>)]) -> Vec<S> {
        let mut weights = vec![S::zero(); self.ends.len()];
        let (outputs, constraints) = weights.split_at_mut(self.inputs.len());
        for (weight, y) in points {
            let inverse = Point { value: y.inverse, inverse: y.value };
            add_scaled(outputs, &y.powers(1, outputs.len()), -*weight);
            add_scaled(outputs, &inverse.powers(1, outputs.len()), -*weight);
            let powers = y.powers(outputs.len() as i64 + 1, constraints.len());
            add_scaled(constraints, &powers, *weight);
        }
        weights
    }

    fn rows(&self) -> impl IndexedParallelIterator<Item = &[(u32, S)]> {
        (0..self.ends.len()).into_par_iter().with_min_len(1 << 10).map(|row| {
            // As above.
            let end = |row: usize| self.ends.get(row).copied().unwrap_or_default();
            let start = row.checked_sub(1).map_or(0, end);
            self.terms.get(start..end(row)).unwrap_or_default()
        })
    }
}

/// `k(y)` if the first linear constraints say that the constant wire and the public ones have their
/// values, and are the only ones with a right-hand side.
pub(crate) fn public_constants<S: Scalar>(gates: usize, y: &Point<S>, inputs: &[S]) -> S {
    let horner = inputs.iter().rev().fold(S::zero(), |sum, &input| (sum + input) * y.value);
    (horner + S::one()) * y.pow(gates as i64 + 1)
}

fn dot<S: Scalar>(row: &[(u32, S)], columns: &[S]) -> S {
    let term = |&(slot, factor): &(u32, S)| {
        // There is a column for every slot that `Place::slot` gives.
        factor * columns.get(slot as usize).copied().unwrap_or_default()
    };
    row.iter().map(term).sum()
}

fn add_scaled<S: Scalar>(sum: &mut [S], terms: &[S], factor: S) {
    let pairs = sum.par_iter_mut().with_min_len(1 << 12).zip(terms);
    pairs.for_each(|(sum, &term)| *sum += factor * term);
}

/// Gates and linear constraints as rows of `s(X, Y)`.
fn convert<S: Scalar>(circuit: Gates<S>) -> Result<GateSystem<S>, Error> {
    let homes = circuit.homes(2);
    let (gates, loose) = (circuit.gates.len(), homes.homeless);
    if u32::try_from(gates.saturating_mul(2).saturating_add(loose.len() + 1)).is_err() {
        return Err(Error::CircuitSize);
    }
    let mut rows = Rows::new(gates, &homes.of_wires, &loose);
    circuit.gates.iter().for_each(|[_, _, output]| rows.push(output, None));
    (0..=circuit.public).for_each(|wire| rows.push(&[(wire, S::one())], None));
    for ((gate, [a, b, _]), [is_home_a, is_home_b, _]) in
        circuit.gates.iter().enumerate().zip(&homes.taken)
    {
        if !is_home_a {
            rows.push(a, Some(Place::A(gate)));
        }
        if !is_home_b {
            rows.push(b, Some(Place::B(gate)));
        }
    }
    circuit.zeros.iter().for_each(|zero| rows.push(zero, None));
    let Rows { ends, terms, .. } = rows;
    let (wires, public) = (circuit.wires as usize, circuit.public as usize);
    let digest = digest(public, gates, loose.len(), &ends, &terms);
    let inputs = circuit.gates.into_iter().map(|[a, b, _]| [a, b]).collect();
    Ok(GateSystem { wires, public, inputs, loose, ends, terms, digest })
}

/// Rows of `s(X, Y)` being written down.
struct Rows<S> {
    gates: usize,
    /// The slot of every wire, and what the variable there is to be multiplied by.
    homes: Vec<(u32, S)>,
    ends: Vec<usize>,
    terms: Vec<(u32, S)>,
}

impl<S: Scalar> Rows<S> {
    fn new(gates: usize, homes: &[Option<Home<S>>], loose: &[u32]) -> Self {
        // A wire that nothing mentions is written nowhere.
        let homes = homes.iter().map(|home| match *home {
            Some(Home { gate, side: 0, factor }) => (Place::A(gate), factor),
            Some(Home { gate, factor, .. }) => (Place::B(gate), factor),
            None => (Place::Loose(0), S::one()),
        });
        let (mut places, mut factors): (Vec<_>, Vec<_>) = homes.unzip();
        for (index, &wire) in loose.iter().enumerate() {
            if let Some(place) = places.get_mut(wire as usize) {
                *place = Place::Loose(index);
            }
        }
        S::batch_invert(&mut factors);
        let slots = places.into_iter().map(|place| place.slot(gates) as u32);
        let homes = slots.zip(factors).collect();
        Self { gates, homes, ends: Vec::new(), terms: Vec::new() }
    }

    /// `combination − place`.
    fn push(&mut self, combination: &[(u32, S)], place: Option<Place>) {
        for &(wire, factor) in combination {
            if let Some(&(slot, inverse)) = self.homes.get(wire as usize) {
                self.terms.push((slot, factor * inverse));
            }
        }
        self.terms.extend(place.map(|place| (place.slot(self.gates) as u32, -S::one())));
        self.ends.push(self.terms.len());
    }
}

fn digest<S: Scalar>(
    public: usize,
    gates: usize,
    loose: usize,
    ends: &[usize],
    terms: &[(u32, S)],
) -> Digest {
    let mut digest = DigestWriter::new("snark/sonic/circuit/v1");
    for count in [public, gates, loose, ends.len(), terms.len()] {
        digest.update(&(count as u64).to_le_bytes());
    }
    ends.iter().for_each(|end| digest.update(&(*end as u64).to_le_bytes()));
    for (slot, factor) in terms {
        digest.update(&slot.to_le_bytes());
        digest.update(&factor.encode());
    }
    digest.finish()
}
