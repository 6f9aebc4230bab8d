//! The circuit rewritten so that three permutations can describe it: at most three terms in a linear
//! constraint, and every variable in at most three of them.
//!
//! Variables are the inputs and outputs of gates. A wire is at home at an input or output where it is alone. A
//! constraint with more terms is cut by partial sums, `p = t_1 + t_2`. If a wire has more uses, its last free use is a
//! constraint that ties it to a copy. Partial sums, copies and wires without a home are the inputs of further gates,
//! whose outputs are not used.

use algebra::Scalar;
use circuit::r1cs::LinearCombination;

use super::super::gates::{Gates, Home, Homes};

/// `M`: permutations, and as many terms in a constraint and constraints on a variable.
pub(super) const DEGREE: usize = 3;

/// A variable: input 0, input 1 or output 2 of a gate.
#[derive(Clone, Copy)]
pub(super) struct Variable {
    pub gate: usize,
    pub side: usize,
}

/// Terms of a linear constraint.
pub(super) type Row<S> = Vec<(Variable, S)>;

/// A combination of wires that is to be the variable at a place, or zero.
type Uncut<'a, S> = (&'a [(u32, S)], Option<Variable>);

/// A rewritten circuit.
pub(super) struct Rewritten<S> {
    /// The inputs of the circuit's own gates in terms of wires.
    pub inputs: Vec<[LinearCombination<S>; 2]>,
    /// The inputs of further gates: sums of two wires or earlier entries, which are numbered on
    /// after the wires.
    pub sums: Vec<[(u32, S); 2]>,
    /// Linear constraints. The first say that the constant wire and the public ones have their
    /// values; all others have zero on the right-hand side.
    pub rows: Vec<Row<S>>,
}

impl<S: Scalar> Rewritten<S> {
    pub fn new(circuit: Gates<S>) -> Self {
        let homes = circuit.homes(3);
        let publics: Vec<_> = (0..=circuit.public).map(|wire| [(wire, S::one())]).collect();
        let mut rows: Vec<Uncut<'_, S>> =
            publics.iter().map(|row| (row.as_slice(), None)).collect();
        for ((gate, sides), taken) in circuit.gates.iter().enumerate().zip(&homes.taken) {
            for ((side, combination), taken) in sides.iter().enumerate().zip(taken) {
                if !taken {
                    rows.push((combination, Some(Variable { gate, side })));
                }
            }
        }
        rows.extend(circuit.zeros.iter().map(|zero| (zero.as_slice(), None)));

        let mut rewriter = Rewriter::new(circuit.gates.len(), &homes);
        rows.iter().for_each(|(combination, _)| rewriter.count(combination));
        rows.iter().for_each(|&(combination, place)| rewriter.write(combination, place));
        let Rewriter { sums, rows, .. } = rewriter;
        let inputs = circuit.gates.into_iter().map(|[a, b, _]| [a, b]).collect();
        Self { inputs, sums, rows }
    }

    /// Gates that it takes to hold all variables, and powers for all linear constraints.
    pub fn gates(&self) -> usize {
        let holding = self.inputs.len() + self.sums.len().div_ceil(2);
        holding.max(self.rows.len().saturating_sub(1).div_ceil(3))
    }
}

/// A wire or a sum, where it is to be used next.
#[derive(Clone, Copy)]
struct Value<S> {
    variable: Variable,
    /// What the variable is to be multiplied by.
    inverse: S,
    /// Constraints that may still mention the variable.
    free: usize,
    /// Terms still to be written.
    uses: usize,
}

struct Rewriter<S> {
    /// Gates of the circuit's own.
    own: usize,
    values: Vec<Value<S>>,
    sums: Vec<[(u32, S); 2]>,
    rows: Vec<Row<S>>,
}

impl<S: Scalar> Rewriter<S> {
    fn new(own: usize, homes: &Homes<S>) -> Self {
        let mut inverses: Vec<S> =
            homes.of_wires.iter().map(|home| home.map_or(S::one(), |home| home.factor)).collect();
        S::batch_invert(&mut inverses);
        let home = |(home, &inverse): (&Option<Home<S>>, &S)| {
            let (gate, side) = home.map_or((0, 0), |home| (home.gate, home.side));
            Value { variable: Variable { gate, side }, inverse, free: DEGREE, uses: 0 }
        };
        let values = homes.of_wires.iter().zip(&inverses).map(home).collect();
        let mut rewriter = Self { own, values, sums: Vec::new(), rows: Vec::new() };
        for &wire in &homes.homeless {
            let copy = rewriter.copy(wire);
            if let Some(value) = rewriter.values.get_mut(wire as usize) {
                *value = copy;
            }
        }
        rewriter
    }

    /// Counts the uses of wires.
    fn count(&mut self, combination: &[(u32, S)]) {
        for &(wire, _) in combination {
            if let Some(value) = self.values.get_mut(wire as usize) {
                value.uses += 1;
            }
        }
    }

    /// A new variable for the sum of two values, with its number among the values.
    fn sum(&mut self, terms: [(u32, S); 2]) -> (u32, Value<S>) {
        let index = self.sums.len();
        let variable = Variable { gate: self.own + index / 2, side: index % 2 };
        self.sums.push(terms);
        // Used by the constraint that says what it is, and by another.
        let value = Value { variable, inverse: S::one(), free: DEGREE, uses: 2 };
        self.values.push(value);
        ((self.values.len() - 1) as u32, value)
    }

    /// A new variable for a wire.
    fn copy(&mut self, wire: u32) -> Value<S> {
        let (_, copy) = self.sum([(wire, S::one()), (wire, S::zero())]);
        Value { uses: 0, ..copy }
    }

    /// `combination − place = 0`, cut to length.
    fn write(&mut self, combination: &[(u32, S)], place: Option<Variable>) {
        let room = DEGREE - usize::from(place.is_some());
        let mut rest: LinearCombination<S> = combination.iter().rev().copied().collect();
        while rest.len() > room
            && let (Some(one), Some(other)) = (rest.pop(), rest.pop())
        {
            let (sum, _) = self.sum([one, other]);
            self.push(&[one, other, (sum, -S::one())], None);
            rest.push((sum, S::one()));
        }
        self.push(&rest, place);
    }

    fn push(&mut self, combination: &[(u32, S)], place: Option<Variable>) {
        let mut row: Row<S> = Vec::with_capacity(DEGREE);
        row.extend(combination.iter().filter_map(|&(value, factor)| self.term(value, factor)));
        row.extend(place.map(|place| (place, -S::one())));
        self.rows.push(row);
    }

    /// `factor · value` in terms of a variable that may still be mentioned.
    fn term(&mut self, number: u32, factor: S) -> Option<(Variable, S)> {
        let mut value = *self.values.get(number as usize)?;
        if value.free == 1 && value.uses > 1 {
            let copy = self.copy(number);
            self.rows.push(vec![(value.variable, value.inverse), (copy.variable, -copy.inverse)]);
            value = Value { free: copy.free - 1, uses: value.uses, ..copy };
        }
        let term = (value.variable, factor * value.inverse);
        value.free -= 1;
        value.uses -= 1;
        *self.values.get_mut(number as usize)? = value;
        Some(term)
    }
}
