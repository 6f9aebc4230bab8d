//! How many correlations a circuit takes: they are made at once, before anything else.

use std::collections::BTreeMap;

use super::{
    Circuit, Gate, InputType, IntWire, Statement,
    prove::{CHUNK, batch_len},
};
use crate::{
    convert::{Converter, conversion_demand, edabits},
    fixed::signed_width,
};

/// What a circuit takes of each kind.
#[derive(Default)]
struct Demand {
    /// Commitments to bits.
    bits: usize,
    /// Commitments to integers.
    values: usize,
    /// Bits of decompositions that are committed over F_2.
    both: usize,
    /// Bits of decompositions that are committed nowhere else.
    digits: usize,
    /// Sums of products of which a decomposition speaks.
    computed: usize,
    /// For each width, how many numbers edaBits convert.
    widths: BTreeMap<usize, usize>,
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
                    demand.split(input.count, width.into(), &[width.into()]);
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
    /// Numbers of a width of which these many bits are spelled.
    fn split(&mut self, count: usize, width: usize, spelled: &[usize]) {
        self.digits += count * width;
        for width in spelled {
            *self.widths.entry(*width).or_default() += count;
        }
    }

    /// Gates of a sort, which are taken apart together.
    fn gates(&mut self, circuit: &Circuit, batch: &[Gate]) {
        // A bound below 2^59 always has a width.
        let width = |bound: u128, least| signed_width(bound, least).unwrap_or_default();
        let bound = |wire: &IntWire| u128::from(circuit.bound(*wire));
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
                self.both += count * width;
                *self.widths.entry(width).or_default() += count;
            }
            Some(Gate::FromBits(of)) => {
                self.values += count;
                self.both += count * of.len();
                *self.widths.entry(of.len()).or_default() += count;
            }
            Some(Gate::Mul(..) | Gate::Dot { fraction: 0, .. }) => self.values += count,
            Some(Gate::Dot { fraction, .. }) => {
                let fraction = usize::from(*fraction);
                let width = width(largest(operands), fraction + 1);
                self.values += count;
                self.computed += count;
                self.split(count, width, &[width, width.saturating_sub(fraction)]);
            }
            Some(gate @ (Gate::NonNegative(_) | Gate::Relu(_))) => {
                let width = width(largest(operands), 1);
                self.values += if matches!(gate, Gate::Relu(_)) { 2 * count } else { count };
                self.split(count, width, &[width, 1]);
            }
            Some(Gate::Largest(of)) => {
                let greatest = largest(&mut of.iter().map(bound));
                // The largest one less each.
                let width = width(largest(&mut of.iter().map(|x| greatest + bound(x))), 1);
                self.values += of.len() + 1;
                self.split(of.len(), width, &[width]);
            }
            _ => {}
        }
    }

    fn correlations(self, converter: Converter, has_ints: bool) -> (usize, usize) {
        let (bits, values) = match converter {
            // The masks of a proof of products.
            _ if self.widths.is_empty() => (64, usize::from(has_ints)),
            Converter::EdaBits => {
                let (bits, values) = edabits::demand(self.widths);
                (bits + self.digits, values + self.computed)
            }
            Converter::Local { .. } => conversion_demand(converter, self.both, 1, self.digits),
        };
        (self.bits + bits, self.values + values)
    }
}
