//! The first step from a rank-1 constraint system to Sonic's: what needs a gate, and which wires are
//! at home in one.

use algebra::Scalar;
use circuit::r1cs::{Constraint, LinearCombination, R1csHeader};

use super::error::Error;

/// A rank-1 constraint system, sorted. A constraint with a constant factor is linear and needs no
/// gate.
pub(crate) struct Gates<S> {
    pub wires: u32,
    pub public: u32,
    /// `A`, `B` and `C` of every gate.
    pub gates: Vec<[LinearCombination<S>; 3]>,
    /// Linear constraints: combinations that are zero.
    pub zeros: Vec<LinearCombination<S>>,
}

/// The place of a gate where a wire stands alone: the variable there is `factor · wire`.
#[derive(Clone, Copy)]
pub(crate) struct Home<S> {
    pub gate: usize,
    /// 0 for `A`, 1 for `B`, 2 for `C`.
    pub side: usize,
    pub factor: S,
}

/// The homes of all wires.
pub(crate) struct Homes<S> {
    pub of_wires: Vec<Option<Home<S>>>,
    /// Which places of each gate are somebody's home.
    pub taken: Vec<[bool; 3]>,
    /// Wires that need a variable and have no home: the constant one and the public ones, and those
    /// that some constraint mentions.
    pub homeless: Vec<u32>,
}

impl<S: Scalar> Gates<S> {
    /// # Errors
    /// [`Error::Wire`].
    pub fn from_r1cs(
        header: &R1csHeader,
        constraints: impl IntoIterator<Item = Constraint<S>>,
    ) -> Result<Self, Error> {
        let (wires, public) = (header.wires, header.public());
        let mut gates = Self { wires, public, gates: Vec::new(), zeros: Vec::new() };
        for (index, constraint) in constraints.into_iter().enumerate() {
            gates.add(index, constraint)?;
        }
        Ok(gates)
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
            (Some(factor), _) => self.zeros.push(difference(b, factor, c)),
            (None, Some(factor)) => self.zeros.push(difference(a, factor, c)),
            (None, None) => self.gates.push(sides),
        }
        Ok(())
    }

    /// Finds every wire its home in the first of these many sides of the gates.
    pub fn homes(&self, sides: usize) -> Homes<S> {
        let mut of_wires = vec![None; self.wires as usize];
        let mut taken = vec![[false; 3]; self.gates.len()];
        for ((gate, combinations), taken) in self.gates.iter().enumerate().zip(&mut taken) {
            let combinations = combinations.iter().take(sides).enumerate();
            for ((side, combination), taken) in combinations.zip(taken) {
                if let [(wire, factor)] = combination.as_slice()
                    && let Some(home @ None) = of_wires.get_mut(*wire as usize)
                {
                    (*home, *taken) = (Some(Home { gate, side, factor: *factor }), true);
                }
            }
        }
        let homeless = self.homeless(&of_wires);
        Homes { of_wires, taken, homeless }
    }

    fn homeless(&self, homes: &[Option<Home<S>>]) -> Vec<u32> {
        let mut mentioned = vec![false; homes.len()];
        let combinations = self.gates.iter().flatten().chain(&self.zeros);
        for &(wire, _) in combinations.flatten() {
            if let Some(mentioned) = mentioned.get_mut(wire as usize) {
                *mentioned = true;
            }
        }
        let wires = (0_u32..).zip(homes).zip(mentioned);
        let needs = |wire, mentioned| mentioned || wire <= self.public;
        let homeless = wires.filter(|&((wire, home), said)| home.is_none() && needs(wire, said));
        homeless.map(|((wire, _), _)| wire).collect()
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
