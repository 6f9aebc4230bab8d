//! Walking through a circuit, as prover or as verifier.

use std::{collections::BTreeMap, ops::Range, vec::IntoIter};

use wire::Progress;

use super::{Circuit, Gate, InputType, IntWire, Statement, Wires, Witness};
use crate::{
    committed::{Bit, Field},
    convert::conversion_demand,
    error::VoleError,
    field::Fp,
    fixed::{Fixed, signed, signed_width},
    session::{Session, Setup},
};

/// Gates whose products are committed to in one message.
const CHUNK: usize = 1 << 14;
/// Gates whose claims are proven at once: bounds the memory that claims take.
const GATES_PER_CHECK: usize = 1 << 21;
/// Degrees of the claims that circuits make, over F_2 and over F_p.
const DEGREES: [usize; 2] = [2, 2];

/// Integers with their bounds.
type Number<S> = Fixed<S, 1, 0>;

/// Committed results of a chunk, in the order of the gates.
struct Results<S: Session> {
    bits: IntoIter<Bit<S>>,
    ints: IntoIter<Field<S>>,
}

struct Walk<'a, S: Session> {
    circuit: &'a Circuit,
    /// At the prover.
    witness: Option<&'a Witness>,
    bits: Vec<Bit<S>>,
    ints: Vec<Field<S>>,
}

impl Statement<'_> {
    /// Proves the statement, or verifies it: both parties call this on the same statement, the
    /// prover with its witness. The result are the outputs, bits as 0 and 1; if it is an error,
    /// nothing is shown.
    ///
    /// # Errors
    /// [`VoleError::Cheating`] at the verifier and [`VoleError::Refused`] at the prover for a false
    /// statement, and those of the session.
    pub fn run<S: Session>(
        &self,
        session: &mut S,
        witness: Option<&Witness>,
    ) -> Result<BTreeMap<String, Vec<i64>>, VoleError> {
        self.run_with(session, witness, &())
    }

    /// As [`Statement::run`], and reports how far it is.
    ///
    /// # Errors
    /// Those of [`Statement::run`].
    pub fn run_with<S: Session>(
        &self,
        session: &mut S,
        witness: Option<&Witness>,
        progress: &dyn Progress,
    ) -> Result<BTreeMap<String, Vec<i64>>, VoleError> {
        let (bits, values) = self.demand(session);
        progress.begin("correlations", (bits + values) as u64);
        session.reserve(bits, values)?;
        progress.begin("gates", self.circuit.gates.len() as u64);
        let mut walk = Walk { circuit: self.circuit, witness, bits: Vec::new(), ints: Vec::new() };
        walk.inputs(session, &self.inputs)?;
        for gates in self.circuit.gates.chunks(GATES_PER_CHECK) {
            for gates in gates.chunks(CHUNK) {
                walk.chunk(session, gates)?;
                progress.advance(gates.len() as u64);
            }
            if gates.len() == GATES_PER_CHECK {
                session.check()?;
            }
        }
        let outputs = walk.outputs(session, &self.outputs)?;
        progress.begin("verdict", 1);
        // Nothing that was shown counts before this.
        session.check()?;
        progress.finish();
        Ok(outputs)
    }

    /// How many checks [`Statement::run`] makes: a false claim has so many chances to pass.
    pub fn checks(&self) -> usize {
        self.circuit.gates.len() / GATES_PER_CHECK + 1
    }

    /// The chance that [`Statement::run`] accepts a false statement, as its negative binary
    /// logarithm.
    pub fn soundness(&self, setup: Setup) -> f64 {
        setup.soundness(DEGREES) - (self.checks() as f64).log2()
    }

    /// Correlations that the circuit takes, over F_2 and over F_p.
    fn demand<S: Session>(&self, session: &S) -> (usize, usize) {
        let circuit = self.circuit;
        // A bound below 2^59 always has a width.
        let width = |wire: IntWire| signed_width(circuit.bound(wire).into(), 1).unwrap_or_default();
        let (mut bits, mut values) = (0, 0);
        // Bits of decompositions, over both fields and over F_p only.
        let (mut both, mut digits) = (0, 0);
        for (input, public) in circuit.inputs.iter().zip(&self.inputs) {
            match (input.kind, public) {
                (_, Some(_)) => {}
                (InputType::Bits, None) => bits += input.count,
                (InputType::Ints { width }, None) => {
                    values += input.count;
                    digits += input.count * usize::from(width);
                }
            }
        }
        for gate in &circuit.gates {
            match gate {
                Gate::And(..) => bits += 1,
                Gate::ToBits(_, width) => {
                    bits += usize::from(*width);
                    both += usize::from(*width);
                }
                Gate::FromBits(of) => {
                    values += 1;
                    both += of.len();
                }
                Gate::Mul(..) | Gate::Dot { fraction: 0, .. } => values += 1,
                Gate::Dot { pairs, fraction } => {
                    let product = |[a, b]: &[IntWire; 2]| {
                        u128::from(circuit.bound(*a)) * u128::from(circuit.bound(*b))
                    };
                    let sum = pairs.iter().map(product).sum();
                    values += 1;
                    digits += signed_width(sum, usize::from(*fraction) + 1).unwrap_or_default();
                }
                Gate::NonNegative(a) => {
                    values += 1;
                    digits += width(*a);
                }
                Gate::Relu(a) => {
                    values += 2;
                    digits += width(*a);
                }
                Gate::Largest(of) => {
                    values += of.len() + 1;
                    let widths = of.iter().map(|wire| width(*wire) + 1);
                    digits += widths.max().unwrap_or_default() * of.len();
                }
                _ => {}
            }
        }
        let converter = session.setup().converter;
        let (more_bits, more_values) = conversion_demand(converter, both, 1, digits);
        (bits + more_bits, values + more_values)
    }
}

impl<S: Session> Walk<'_, S> {
    fn bit(&self, index: usize) -> Bit<S> {
        self.bits.get(index).copied().unwrap_or_default()
    }

    fn int(&self, wire: IntWire) -> Field<S> {
        self.ints.get(wire.index()).copied().unwrap_or_default()
    }

    fn number(&self, wire: IntWire) -> Number<S> {
        Number::bounded(self.int(wire), self.circuit.bound(wire))
    }

    fn inputs(&mut self, session: &mut S, public: &[Option<Vec<i64>>]) -> Result<(), VoleError> {
        for (input, public) in self.circuit.inputs.iter().zip(public) {
            let range = input.first..input.first + input.count;
            let witness = self.witness;
            match (input.kind, public) {
                (InputType::Bits, Some(values)) => {
                    let constants = values.iter().map(|bit| Bit::constant(session, *bit != 0));
                    self.bits.extend(constants);
                }
                (InputType::Bits, None) => {
                    let own = || witness.map(|w| w.bits(range)).unwrap_or_default();
                    self.bits.extend(Bit::commit(session, input.count, own)?);
                }
                (InputType::Ints { .. }, Some(values)) => {
                    let constant = |value: &i64| Field::constant(session, Fp::from_signed(*value));
                    let constants = values.iter().map(constant);
                    self.ints.extend(constants);
                }
                (InputType::Ints { width }, None) => {
                    let own = || witness.map(|w| w.ints(range)).unwrap_or_default();
                    let numbers = Number::commit_within(session, width.into(), input.count, own)?;
                    self.ints.extend(numbers.iter().map(Number::value));
                }
            }
        }
        Ok(())
    }

    /// Commits to all products of a chunk in one message for each field, and goes through it.
    fn chunk(&mut self, session: &mut S, gates: &[Gate]) -> Result<(), VoleError> {
        let mut results = self.commit(session, gates)?;
        let mut rest = gates;
        while let Some(first) = rest.first() {
            let (batch, others) = rest.split_at(self.batch_len(first, rest));
            match first {
                Gate::Dot { fraction: 1.., .. }
                | Gate::NonNegative(_)
                | Gate::Relu(_)
                | Gate::Largest(_)
                | Gate::FromBits(_)
                | Gate::ToBits(..) => self.decompose(session, batch, &mut results)?,
                gate => self.step(session, gate, &mut results)?,
            }
            rest = others;
        }
        Ok(())
    }

    fn commit(&self, session: &mut S, gates: &[Gate]) -> Result<Results<S>, VoleError> {
        let (mut bits, mut ints): (Vec<Range<usize>>, Vec<Range<usize>>) = Default::default();
        let [mut next_bit, mut next_int] = [self.bits.len(), self.ints.len()];
        for gate in gates {
            let [of_bits, of_ints] = gate.makes();
            match gate {
                Gate::And(..) | Gate::ToBits(..) => bits.push(next_bit..next_bit + of_bits),
                Gate::Mul(..) | Gate::FromBits(_) | Gate::Dot { fraction: 0, .. } => {
                    ints.push(next_int..next_int + of_ints);
                }
                _ => {}
            }
            next_bit += of_bits;
            next_int += of_ints;
        }
        let count = |ranges: &[Range<usize>]| ranges.iter().map(ExactSizeIterator::len).sum();
        let witness = self.witness;
        let (of_bits, of_ints) = (count(&bits), count(&ints));
        let bits = match of_bits {
            0 => Vec::new(),
            _ => Bit::commit(session, of_bits, || {
                let value = |range| witness.map(|w| w.bits(range)).unwrap_or_default();
                bits.into_iter().flat_map(value).collect()
            })?,
        };
        let ints = match of_ints {
            0 => Vec::new(),
            _ => Field::commit(session, of_ints, || {
                let value = |range| witness.map(|w| w.ints(range)).unwrap_or_default();
                ints.into_iter().flat_map(value).map(Fp::from_signed).collect()
            })?,
        };
        Ok(Results { bits: bits.into_iter(), ints: ints.into_iter() })
    }

    /// How many of the next gates are of the same sort and do not read each other's results.
    fn batch_len(&self, first: &Gate, gates: &[Gate]) -> usize {
        let known = |wire: &IntWire| wire.index() < self.ints.len();
        let joins = |gate: &Gate| match (first, gate) {
            (Gate::Dot { fraction: a @ 1.., .. }, Gate::Dot { pairs, fraction: b }) => {
                a == b && pairs.as_flattened().iter().all(known)
            }
            (Gate::NonNegative(_), Gate::NonNegative(a)) | (Gate::Relu(_), Gate::Relu(a)) => {
                known(a)
            }
            (Gate::FromBits(a), Gate::FromBits(b)) => a.len() == b.len(),
            (Gate::ToBits(_, a), Gate::ToBits(_, b)) => a == b,
            _ => false,
        };
        gates.iter().take_while(|gate| joins(gate)).count().max(1)
    }

    /// What takes integers apart.
    fn decompose(
        &mut self,
        session: &mut S,
        batch: &[Gate],
        results: &mut Results<S>,
    ) -> Result<(), VoleError> {
        let Some(first) = batch.first() else { return Ok(()) };
        match first {
            Gate::Dot { fraction, .. } => {
                let rows = batch.iter().filter_map(|gate| match gate {
                    Gate::Dot { pairs, .. } => Some(pairs),
                    _ => None,
                });
                let rows: Vec<Vec<_>> = rows
                    .map(|pairs| pairs.iter().map(|pair| pair.map(|w| self.number(w))).collect())
                    .collect();
                let rows: Vec<_> = rows.iter().map(Vec::as_slice).collect();
                let sums = Number::dot_scaled(session, (*fraction).into(), &rows)?;
                self.ints.extend(sums.iter().map(Number::value));
            }
            Gate::NonNegative(_) => {
                let signs = Number::is_non_negative(session, &self.operands(batch))?;
                self.ints.extend(signs);
            }
            Gate::Relu(_) => {
                let positive = Number::relu(session, &self.operands(batch))?;
                self.ints.extend(positive.iter().map(Number::value));
            }
            Gate::Largest(of) => {
                let numbers: Vec<_> = of.iter().map(|wire| self.number(*wire)).collect();
                let (largest, choice) = Number::argmax(session, &numbers)?;
                let places = choice.iter().zip(0..);
                let place = places
                    .fold(Field::default(), |sum, (bit, place)| sum + bit.scale(Fp::from(place)));
                self.ints.extend([largest.value(), place]);
            }
            Gate::FromBits(of) => {
                let values: Vec<_> = results.ints.by_ref().take(batch.len()).collect();
                let bits = batch.iter().filter_map(|gate| match gate {
                    Gate::FromBits(bits) => Some(bits),
                    _ => None,
                });
                let bits = bits.flat_map(|bits| bits.iter().map(|bit| self.bit(bit.index())));
                Field::assert_bits(session, of.len(), &values, &bits.collect::<Vec<_>>())?;
                self.ints.extend(values);
            }
            Gate::ToBits(_, width) => {
                let width = usize::from(*width);
                let bits: Vec<_> = results.bits.by_ref().take(width * batch.len()).collect();
                let values: Vec<_> = self.operands(batch).iter().map(Number::value).collect();
                Field::assert_bits(session, width, &values, &bits)?;
                self.bits.extend(bits);
            }
            _ => {}
        }
        Ok(())
    }

    /// The one operand of each gate.
    fn operands(&self, batch: &[Gate]) -> Vec<Number<S>> {
        let operand = |gate: &Gate| match gate {
            Gate::NonNegative(a) | Gate::Relu(a) | Gate::ToBits(a, _) => Some(self.number(*a)),
            _ => None,
        };
        batch.iter().filter_map(operand).collect()
    }

    /// A sum, a product or a claim.
    fn step(
        &mut self,
        session: &mut S,
        gate: &Gate,
        results: &mut Results<S>,
    ) -> Result<(), VoleError> {
        match gate {
            Gate::Bit(_) | Gate::Xor(..) | Gate::Not(_) => {
                let bit = match gate {
                    Gate::Bit(value) => Bit::constant(session, *value),
                    Gate::Xor(a, b) => self.bit(a.index()) + self.bit(b.index()),
                    Gate::Not(a) => self.bit(a.index()).shift(session, true),
                    _ => Bit::default(),
                };
                self.bits.push(bit);
            }
            Gate::And(a, b) => {
                let product = results.bits.next().unwrap_or_default();
                let factors = [a, b].map(|wire| self.bit(wire.index()));
                Bit::assert_product(session, factors, product)?;
                self.bits.push(product);
            }
            Gate::Mul(a, b) => {
                let product = results.ints.next().unwrap_or_default();
                Field::assert_product(session, [self.int(*a), self.int(*b)], product)?;
                self.ints.push(product);
            }
            Gate::Dot { pairs, .. } => {
                let sum = results.ints.next().unwrap_or_default();
                let products: Vec<_> = pairs
                    .iter()
                    .map(|pair| {
                        let [a, b] = pair.map(|wire| self.int(wire).term(session));
                        session.mul::<Fp>(&a, &b)
                    })
                    .collect();
                let computed = session.sum::<Fp>(&products.iter().collect::<Vec<_>>());
                let difference = session.sub::<Fp>(&computed, &sum.term(session));
                session.assert_zero::<Fp>(difference)?;
                self.ints.push(sum);
            }
            Gate::ZeroBit(a) => self.bit(a.index()).assert_zero(session)?,
            Gate::Zero(a) => self.int(*a).assert_zero(session)?,
            gate => {
                let int = self.linear(session, gate);
                self.ints.push(int);
            }
        }
        Ok(())
    }

    /// A linear function of integers.
    fn linear(&self, session: &S, gate: &Gate) -> Field<S> {
        match gate {
            Gate::Int(value) => Field::constant(session, Fp::from_signed(*value)),
            Gate::Add(a, b) => self.int(*a) + self.int(*b),
            Gate::Sub(a, b) => self.int(*a) - self.int(*b),
            Gate::Shift(a, by) => self.int(*a).shift(session, Fp::from_signed(*by)),
            Gate::Scale(a, by) => self.int(*a).scale(Fp::from_signed(*by)),
            _ => Field::default(),
        }
    }

    fn outputs(
        &self,
        session: &mut S,
        claimed: &[Option<Vec<i64>>],
    ) -> Result<BTreeMap<String, Vec<i64>>, VoleError> {
        let mut outputs = BTreeMap::new();
        for (output, claimed) in self.circuit.outputs.iter().zip(claimed) {
            let values = match (&output.wires, claimed) {
                (Wires::Bits(wires), Some(claimed)) => {
                    for (wire, value) in wires.iter().zip(claimed) {
                        let difference = self.bit(wire.index()).shift(session, *value != 0);
                        difference.assert_zero(session)?;
                    }
                    claimed.clone()
                }
                (Wires::Ints(wires), Some(claimed)) => {
                    for (wire, value) in wires.iter().zip(claimed) {
                        let value = -Fp::from_signed(*value);
                        self.int(*wire).shift(session, value).assert_zero(session)?;
                    }
                    claimed.clone()
                }
                (Wires::Bits(wires), None) => {
                    let wires: Vec<_> = wires.iter().map(|wire| self.bit(wire.index())).collect();
                    Bit::reveal(session, &wires)?.into_iter().map(i64::from).collect()
                }
                (Wires::Ints(wires), None) => {
                    let wires: Vec<_> = wires.iter().map(|wire| self.int(*wire)).collect();
                    Field::reveal(session, &wires)?.into_iter().map(signed).collect()
                }
            };
            outputs.insert(output.name.clone(), values);
        }
        Ok(outputs)
    }
}
