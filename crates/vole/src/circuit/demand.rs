//! How many correlations a circuit takes: they are made at once, before anything else.

use std::ops::Range;

use super::{
    Circuit, Gate, InputType, IntWire, Statement,
    prove::{CHUNK, batch_len},
};
use crate::{
    convert::{Converter, Sizes},
    fixed::signed_width,
};

/// What a circuit takes of each kind.
#[derive(Default)]
struct Demand {
    /// Commitments to bits.
    bits: usize,
    /// Commitments to integers.
    values: usize,
    /// What is taken apart.
    sizes: Sizes,
    /// Whether anything is.
    converts: bool,
}

impl Statement<'_> {
    /// Correlations that the circuit takes, over F_2 and over F_p.
    pub(super) fn demand(&self, converter: Converter) -> (usize, usize) {
        let mut demand = Demand::default();
        for (input, public) in self.circuit.inputs.iter().zip(&self.inputs) {
            match (input.kind, public) {
                (_, Some(_)) => {}
                (InputType::Bits, None) => demand.bits += input.count,
                (InputType::Ints { width }, None) => {
                    demand.values += input.count;
                    demand.split(input.count, width.into(), &[(0..width.into(), true)]);
                }
            }
        }
        let inputs = self.circuit.inputs.iter();
        let ints = inputs.filter(|input| matches!(input.kind, InputType::Ints { .. }));
        let mut made: usize = ints.map(|input| input.count).sum();
        for chunk in self.circuit.gates.chunks(CHUNK) {
            let mut rest = chunk;
            while let Some(first) = rest.first() {
                let (batch, others) = rest.split_at(batch_len(made, first, rest));
                demand.gates(self.circuit, batch);
                made += batch.iter().map(|gate| gate.makes()[1]).sum::<usize>();
                rest = others;
            }
        }
        demand.correlations(converter, !self.circuit.bounds.is_empty())
    }
}

impl Demand {
    /// Numbers of a width whose bits are committed nowhere else, with what is claimed of these.
    fn split(&mut self, count: usize, width: usize, functionals: &[(Range<usize>, bool)]) {
        self.sizes.add(count, width, false, functionals);
        self.converts |= count > 0;
    }

    /// Numbers of a width whose bits are committed.
    fn convert(&mut self, count: usize, width: usize) {
        self.sizes.add(count, width, true, &[(0..width, true)]);
        self.converts |= count > 0;
    }

    /// Gates of a sort, which are taken apart together.
    fn gates(&mut self, circuit: &Circuit, batch: &[Gate]) {
        // A bound below 2^59 always has a width.
        let width = |bound: u128, least| signed_width(bound, least).unwrap_or_default();
        let bound = |wire: &IntWire| u128::from(circuit.bound(*wire));
        // Of no gates there is nothing to bound.
        let largest = |bounds: &mut dyn Iterator<Item = u128>| bounds.max().unwrap_or_default();
        let count = batch.len();
        let operands = &mut batch.iter().filter_map(|gate| match gate {
            Gate::NonNegative(a) | Gate::Relu(a) => Some(bound(a)),
            Gate::Dot { pairs, .. } => Some(pairs.iter().map(|[a, b]| bound(a) * bound(b)).sum()),
            _ => None,
        });
        match batch.first() {
            Some(Gate::And(..)) => self.bits += count,
            Some(Gate::ToBits(_, width)) => {
                let width = usize::from(*width);
                self.bits += count * width;
                self.convert(count, width);
            }
            Some(Gate::FromBits(of)) => {
                self.values += count;
                self.convert(count, of.len());
            }
            Some(Gate::Mul(..) | Gate::Dot { fraction: 0, .. }) => self.values += count,
            Some(Gate::Dot { fraction, .. }) => {
                let fraction = usize::from(*fraction);
                let width = width(largest(operands), fraction + 1);
                self.values += count;
                self.split(count, width, &[(0..width, false), (fraction..width, true)]);
            }
            Some(gate @ (Gate::NonNegative(_) | Gate::Relu(_))) => {
                let width = width(largest(operands), 1);
                self.values += if matches!(gate, Gate::Relu(_)) { 2 * count } else { count };
                self.split(
                    count,
                    width,
                    &[(0..width, true), (width.saturating_sub(1)..width, true)],
                );
            }
            Some(Gate::Largest(of)) => {
                let greatest = largest(&mut of.iter().map(bound));
                // The largest one less each.
                let width = width(largest(&mut of.iter().map(|x| greatest + bound(x))), 1);
                self.values += of.len() + 1;
                self.split(of.len(), width, &[(0..width, true)]);
            }
            _ => {}
        }
    }

    fn correlations(self, converter: Converter, has_ints: bool) -> (usize, usize) {
        let (bits, values) = match self.converts {
            true => self.sizes.demand(converter),
            // The mask of a proof of products.
            false => (0, usize::from(has_ints)),
        };
        // The mask of products of bits is one that conversions have, too.
        let bits = if self.bits > 0 { bits.max(64) } else { bits };
        (self.bits + bits, self.values + values)
    }
}
