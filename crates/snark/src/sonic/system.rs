//! Sonic's constraint system (section 5), made from a rank-1 constraint system.
//!
//! There are `n` multiplication gates `a_i · b_i = c_i` and `Q` linear constraints
//! `Σ u_{q,i} a_i + v_{q,i} b_i + w_{q,i} c_i = k_q`.
//!
//! Every rank-1 constraint `⟨A, z⟩ · ⟨B, z⟩ = ⟨C, z⟩` becomes a gate with these three values. A
//! private wire that stands alone in one of the three is *at home* there; one that never does gets
//! half of a gate of its own. Every value of a gate that is nobody's home is tied to the homes of
//! its wires by a linear constraint. Public wires need no home: they make up `k_q`. A constraint
//! with a constant factor is linear and needs no gate.

use algebra::Scalar;
use circuit::r1cs::{Constraint, LinearCombination, R1csHeader};
use rayon::prelude::*;
use wire::{Digest, DigestWriter};
use zeroize::Zeroizing;

use super::{error::Error, field::Point, laurent::Laurent};

/// Blinding coefficients of `r(X, Y)`: one for each value of it that a proof tells.
pub const BLINDERS: usize = 4;

/// What the reference string must be long enough for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// `n`, multiplication gates.
    pub gates: usize,
    /// `Q`, linear constraints.
    pub constraints: usize,
}

impl Shape {
    /// The least `d`: `t(X, y)` has powers down to `−4n − 8`, `s(u, Y)` up to `n + Q`.
    pub fn degree(&self) -> usize {
        (4 * self.gates + 2 * BLINDERS).max(self.gates + self.constraints)
    }
}

/// One of the three values of a gate.
#[derive(Clone, Copy)]
enum Side {
    A,
    B,
    C,
}

/// A value of a gate, counted from 0.
#[derive(Clone, Copy)]
struct Place {
    side: Side,
    gate: usize,
}

impl Place {
    /// The place among `X^{−n} … X^{2n}`: where `s(X, Y)` has the coefficient of this value, and
    /// `r(X, Y)` in reverse the value itself.
    fn slot(self, gates: usize) -> usize {
        match self.side {
            Side::A => gates - 1 - self.gate,
            Side::B => gates + 1 + self.gate,
            Side::C => 2 * gates + 1 + self.gate,
        }
    }
}

/// A circuit in Sonic's form, with the way from a rank-1 witness to its gates.
#[derive(Clone, Debug)]
pub struct GateSystem<S> {
    wires: usize,
    public: usize,
    /// Rank-1 constraints with a gate each; the first gates are theirs.
    products: Vec<[LinearCombination<S>; 3]>,
    /// Private wires in gates of their own.
    homeless: Vec<u32>,
    gates: usize,
    /// Ends of the linear constraints in `terms`.
    ends: Vec<usize>,
    /// `(slot, factor)`.
    terms: Vec<(u32, S)>,
    /// `k_q = Σ factor · input`: `(q, public wire, factor)`.
    constants: Vec<(u32, u32, S)>,
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
        let mut builder = Builder::new(header);
        for (index, constraint) in constraints.into_iter().enumerate() {
            builder.add(index, constraint)?;
        }
        builder.finish()
    }

    /// The numbers of gates and of linear constraints.
    pub fn shape(&self) -> Shape {
        Shape { gates: self.gates, constraints: self.ends.len() }
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

    /// The values of all gates: entry `slot` is the coefficient of `X^{n − slot}` in `r(X, 1)`.
    ///
    /// # Errors
    /// [`Error::WitnessLength`].
    pub(crate) fn assign(&self, wires: &[S]) -> Result<Zeroizing<Vec<S>>, Error> {
        if wires.len() != self.wires {
            return Err(Error::WitnessLength { expected: self.wires, got: wires.len() });
        }
        let wire = |wire: u32| wires.get(wire as usize).copied().unwrap_or_default();
        let value = |combination: &LinearCombination<S>| -> S {
            combination.iter().map(|&(index, factor)| factor * wire(index)).sum()
        };
        let products = self.products.par_iter().map(|[a, b, c]| [value(a), value(b), value(c)]);
        let pairs = self.homeless.par_chunks(2).map(|pair| {
            let mut values = pair.iter().map(|&index| wire(index));
            let (a, b) = (values.next().unwrap_or_default(), values.next().unwrap_or_default());
            [a, b, a * b]
        });
        let gates: Zeroizing<Vec<[S; 3]>> = Zeroizing::new(products.chain(pairs).collect());
        let mut values = Zeroizing::new(vec![S::zero(); 3 * self.gates + 1]);
        for (gate, sides) in gates.iter().enumerate() {
            for (side, value) in [Side::A, Side::B, Side::C].into_iter().zip(sides) {
                if let Some(entry) = values.get_mut(Place { side, gate }.slot(self.gates)) {
                    *entry = *value;
                }
            }
        }
        Ok(values)
    }

    /// `s(x, y)`, in time proportional to the circuit.
    pub(crate) fn evaluate(&self, x: &Point<S>, y: &Point<S>) -> S {
        let columns = x.powers(-(self.gates as i64), 3 * self.gates + 1);
        let rows = y.powers(self.gates as i64 + 1, self.ends.len());
        let values = self.rows().zip(&rows).map(|(row, &y)| y * dot(row, &columns));
        let diagonal = x.times(y).geometric_sum(self.gates) + x.over(y).geometric_sum(self.gates);
        values.sum::<S>() - x.pow(self.gates as i64) * diagonal
    }

    /// `Σ_j weight_j · s(X, y_j)`.
    pub(crate) fn combine_in_x(&self, points: &[(S, Point<S>)]) -> Laurent<S> {
        let gates = self.gates as i64;
        let mut rows = vec![S::zero(); self.ends.len()];
        let mut diagonal = vec![S::zero(); self.gates];
        for (weight, y) in points {
            add_scaled(&mut rows, &y.powers(gates + 1, self.ends.len()), *weight);
            let inverse = Point { value: y.inverse, inverse: y.value };
            add_scaled(&mut diagonal, &y.powers(1, self.gates), -*weight);
            add_scaled(&mut diagonal, &inverse.powers(1, self.gates), -*weight);
        }
        let mut columns = vec![S::zero(); 2 * self.gates + 1];
        columns.append(&mut diagonal);
        let mut start = 0;
        for (&end, &row) in self.ends.iter().zip(&rows) {
            for &(slot, factor) in self.terms.get(start..end).unwrap_or_default() {
                if let Some(column) = columns.get_mut(slot as usize) {
                    *column += factor * row;
                }
            }
            start = end;
        }
        Laurent::new(-gates, columns)
    }

    /// `s(X, y)`.
    pub(crate) fn in_x(&self, y: &Point<S>) -> Laurent<S> {
        self.combine_in_x(&[(S::one(), *y)])
    }

    /// `s(u, Y)`.
    pub(crate) fn in_y(&self, u: &Point<S>) -> Laurent<S> {
        let gates = self.gates as i64;
        let columns = u.powers(-gates, 3 * self.gates + 1);
        let diagonal = columns.get(2 * self.gates + 1..).unwrap_or_default().iter().map(|&u| -u);
        let mut coefficients: Vec<S> = diagonal.clone().rev().collect();
        coefficients.push(S::zero());
        coefficients.extend(diagonal);
        coefficients.par_extend(self.rows().map(|row| dot(row, &columns)));
        Laurent::new(-gates, coefficients)
    }

    /// `k(y)` for public inputs without the constant one.
    pub(crate) fn constants(&self, y: &Point<S>, inputs: &[S]) -> S {
        let rows = y.powers(self.gates as i64 + 1, self.ends.len());
        let term = |&(row, wire, factor): &(u32, u32, S)| {
            let input = match (wire as usize).checked_sub(1) {
                None => S::one(),
                Some(index) => inputs.get(index).copied().unwrap_or_default(),
            };
            rows.get(row as usize).copied().unwrap_or_default() * factor * input
        };
        self.constants.par_iter().map(term).sum()
    }

    fn rows(&self) -> impl IndexedParallelIterator<Item = &[(u32, S)]> {
        (0..self.ends.len()).into_par_iter().with_min_len(1 << 10).map(|row| {
            let end = |row: usize| self.ends.get(row).copied().unwrap_or_default();
            let start = row.checked_sub(1).map_or(0, end);
            self.terms.get(start..end(row)).unwrap_or_default()
        })
    }
}

fn dot<S: Scalar>(row: &[(u32, S)], columns: &[S]) -> S {
    let term = |&(slot, factor): &(u32, S)| {
        factor * columns.get(slot as usize).copied().unwrap_or_default()
    };
    row.iter().map(term).sum()
}

fn add_scaled<S: Scalar>(sum: &mut [S], terms: &[S], factor: S) {
    let pairs = sum.par_iter_mut().with_min_len(1 << 12).zip(terms);
    pairs.for_each(|(sum, &term)| *sum += factor * term);
}

/// The conversion under way.
struct Builder<S> {
    wires: u32,
    public: u32,
    products: Vec<[LinearCombination<S>; 3]>,
    /// `left = right` for constraints that are linear.
    equalities: Vec<LinearCombination<S>>,
    /// Where each wire is at home: `place = factor · wire`.
    homes: Vec<Option<(Place, S)>>,
    /// Whether a place is somebody's home, three for each product.
    taken: Vec<[bool; 3]>,
}

impl<S: Scalar> Builder<S> {
    fn new(header: &R1csHeader) -> Self {
        Self {
            wires: header.wires,
            public: header.public(),
            products: Vec::new(),
            equalities: Vec::new(),
            homes: vec![None; header.wires as usize],
            taken: Vec::new(),
        }
    }

    fn add(&mut self, index: usize, constraint: Constraint<S>) -> Result<(), Error> {
        let Constraint { a, b, c } = constraint;
        for &(wire, _) in a.iter().chain(&b).chain(&c) {
            if wire >= self.wires {
                return Err(Error::Wire { constraint: index, wire });
            }
        }
        let sides = [normalise(a), normalise(b), normalise(c)];
        let [a, b, c] = &sides;
        match (constant(a), constant(b)) {
            (Some(factor), _) => self.equalities.push(difference(b, factor, c)),
            (None, Some(factor)) => self.equalities.push(difference(a, factor, c)),
            (None, None) => self.add_product(sides),
        }
        Ok(())
    }

    fn add_product(&mut self, sides: [LinearCombination<S>; 3]) {
        let gate = self.products.len();
        let mut taken = [false; 3];
        let places = [Side::A, Side::B, Side::C].map(|side| Place { side, gate });
        for ((side, place), taken) in sides.iter().zip(places).zip(&mut taken) {
            if let [(wire, factor)] = side.as_slice()
                && *wire > self.public
                && let Some(home @ None) = self.homes.get_mut(*wire as usize)
            {
                (*home, *taken) = (Some((place, *factor)), true);
            }
        }
        self.products.push(sides);
        self.taken.push(taken);
    }

    fn finish(mut self) -> Result<GateSystem<S>, Error> {
        let homeless = self.settle_the_homeless();
        // Not even an empty circuit has an empty r(X, Y).
        let gates = (self.products.len() + homeless.len().div_ceil(2)).max(1);
        if u32::try_from(gates.saturating_mul(3).saturating_add(1)).is_err() {
            return Err(Error::CircuitSize);
        }
        let mut factors: Vec<S> =
            self.homes.iter().map(|home| home.map_or(S::zero(), |(_, factor)| factor)).collect();
        S::batch_invert(&mut factors);
        let home = |wire: u32| {
            let (place, _) = (*self.homes.get(wire as usize)?)?;
            Some((place.slot(gates) as u32, *factors.get(wire as usize)?))
        };
        let mut rows = Rows { public: self.public, home, parts: RowParts::default() };
        for ((gate, sides), taken) in self.products.iter().enumerate().zip(&self.taken) {
            let places = [Side::A, Side::B, Side::C].map(|side| Place { side, gate });
            for ((side, place), taken) in sides.iter().zip(places).zip(taken) {
                if !taken {
                    rows.push(side, Some(place.slot(gates) as u32));
                }
            }
        }
        self.equalities.iter().for_each(|equality| rows.push(equality, None));
        let RowParts { ends, terms, constants } = rows.parts;
        if u32::try_from(ends.len()).is_err() {
            return Err(Error::CircuitSize);
        }
        let (wires, public) = (self.wires as usize, self.public as usize);
        let digest = digest(public, gates, &ends, &terms, &constants);
        let products = self.products;
        Ok(GateSystem { wires, public, products, homeless, gates, ends, terms, constants, digest })
    }

    /// Gives gates to the private wires that some constraint mentions and that have no home yet.
    fn settle_the_homeless(&mut self) -> Vec<u32> {
        let mut mentioned = vec![false; self.homes.len()];
        let combinations = self.products.iter().flatten().chain(&self.equalities);
        for &(wire, _) in combinations.flatten() {
            if let Some(mentioned) = mentioned.get_mut(wire as usize) {
                *mentioned = true;
            }
        }
        let mut homeless = Vec::new();
        for ((wire, home), mentioned) in (0_u32..).zip(&mut self.homes).zip(mentioned) {
            if mentioned && home.is_none() && wire > self.public {
                let side = if homeless.len() % 2 == 0 { Side::A } else { Side::B };
                let gate = self.products.len() + homeless.len() / 2;
                *home = Some((Place { side, gate }, S::one()));
                homeless.push(wire);
            }
        }
        homeless
    }
}

#[derive(Default)]
struct RowParts<S> {
    ends: Vec<usize>,
    terms: Vec<(u32, S)>,
    constants: Vec<(u32, u32, S)>,
}

/// Linear constraints being written down.
struct Rows<S, H> {
    public: u32,
    /// Where a private wire is at home, and what its value there is to be multiplied by.
    home: H,
    parts: RowParts<S>,
}

impl<S: Scalar, H: Fn(u32) -> Option<(u32, S)>> Rows<S, H> {
    /// `combination − place = 0`, the public wires on the right.
    fn push(&mut self, combination: &[(u32, S)], place: Option<u32>) {
        let row = self.parts.ends.len() as u32;
        for &(wire, factor) in combination {
            if wire <= self.public {
                self.parts.constants.push((row, wire, -factor));
            } else if let Some((slot, inverse)) = (self.home)(wire) {
                self.parts.terms.push((slot, factor * inverse));
            }
        }
        self.parts.terms.extend(place.map(|slot| (slot, -S::one())));
        self.parts.ends.push(self.parts.terms.len());
    }
}

/// One term for each wire, in order, none of them zero.
fn normalise<S: Scalar>(mut combination: LinearCombination<S>) -> LinearCombination<S> {
    combination.sort_by_key(|(wire, _)| *wire);
    combination.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    combination.retain(|(_, factor)| *factor != S::zero());
    combination.shrink_to_fit();
    combination
}

/// The value of a combination that no wire can change.
fn constant<S: Scalar>(combination: &[(u32, S)]) -> Option<S> {
    match combination {
        [] => Some(S::zero()),
        [(0, value)] => Some(*value),
        _ => None,
    }
}

/// `factor · left − right`.
fn difference<S: Scalar>(left: &[(u32, S)], factor: S, right: &[(u32, S)]) -> LinearCombination<S> {
    let left = left.iter().map(|&(wire, term)| (wire, factor * term));
    normalise(left.chain(right.iter().map(|&(wire, term)| (wire, -term))).collect())
}

fn digest<S: Scalar>(
    public: usize,
    gates: usize,
    ends: &[usize],
    terms: &[(u32, S)],
    constants: &[(u32, u32, S)],
) -> Digest {
    let mut digest = DigestWriter::new("snark/sonic/circuit/v1");
    for count in [public, gates, ends.len(), terms.len(), constants.len()] {
        digest.update(&(count as u64).to_le_bytes());
    }
    ends.iter().for_each(|end| digest.update(&(*end as u64).to_le_bytes()));
    for (slot, factor) in terms {
        digest.update(&slot.to_le_bytes());
        digest.update(&factor.encode());
    }
    for (row, wire, factor) in constants {
        digest.update(&row.to_le_bytes());
        digest.update(&wire.to_le_bytes());
        digest.update(&factor.encode());
    }
    digest.finish()
}
