//! Walking through a circuit, as prover or as verifier.

use std::{collections::BTreeMap, ops::Range, vec::IntoIter};

use wire::Progress;

use super::{Circuit, Gate, InputType, IntWire, Statement, Wires, Witness};
use crate::{
    committed::{Bit, Field},
    error::VoleError,
    field::{Fp, Gf64},
    fixed::{Fixed, signed},
    session::{Checked, Revealed, Session, Setup},
};

/// Gates whose products are committed to in one message. The crate's own tests take so few that small
/// circuits end before, at and behind the end of a chunk.
pub(super) const CHUNK: usize = if cfg!(test) { 3 } else { 1 << 14 };
/// Gates whose claims are proven at once: bounds the memory that claims take.
pub(super) const GATES_PER_CHECK: usize = if cfg!(test) { 7 } else { 1 << 21 };
/// Degrees of the claims that circuits make, over F_2 and over F_p.
const DEGREES: [usize; 2] = [2, 2];

/// Integers with their bounds.
type Number<S> = Fixed<S, 1, 0>;

/// Committed results of a chunk, in the order of the gates.
struct Results<S: Session> {
    bits: IntoIter<Bit<S>>,
    ints: IntoIter<Field<S>>,
}

/// Values of an output, or where they are shown.
enum Shown<S: Session> {
    Claimed(Vec<i64>),
    Bits(Revealed<S, Gf64>),
    Ints(Revealed<S, Fp>),
}

impl<S: Session> Shown<S> {
    fn values(self, checked: &Checked<S>) -> Result<Vec<i64>, VoleError> {
        Ok(match self {
            Self::Claimed(values) => values,
            Self::Bits(bits) => bits.values(checked)?.into_iter().map(i64::from).collect(),
            Self::Ints(ints) => ints.values(checked)?.into_iter().map(signed).collect(),
        })
    }
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
        let (bits, values) = self.demand(session.setup().converter);
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
        let checked = session.check()?;
        progress.finish();
        let outputs = outputs.into_iter();
        outputs.map(|(name, output)| Ok((name, output.values(&checked)?))).collect()
    }

    /// How many checks [`Statement::run`] makes: a false claim has so many chances to pass.
    pub fn checks(&self) -> usize {
        self.circuit.gates.len() / GATES_PER_CHECK + 1
    }

    /// The chance that a false statement is accepted, as its negative binary logarithm: by
    /// [`Statement::run`], to the power of the sessions that [`Statement::prove`] takes.
    pub fn soundness(&self, setup: Setup) -> f64 {
        let once = match self.decomposes() {
            true => setup.soundness(DEGREES),
            // Purely Boolean circuits make no claim over F_p.
            false => {
                let values = if self.circuit.bounds.is_empty() { 0 } else { DEGREES[1] };
                setup.soundness_without_conversions([DEGREES[0], values])
            }
        };
        (once - (self.checks() as f64).log2()) * f64::from(setup.soundness.repetitions())
    }

    /// Whether integers are taken apart into bits.
    fn decomposes(&self) -> bool {
        let is_int = |kind| matches!(kind, InputType::Ints { .. });
        let mut inputs = self.circuit.inputs.iter().zip(&self.inputs);
        inputs.any(|(input, public)| public.is_none() && is_int(input.kind))
            || self.circuit.gates.iter().any(|gate| match gate {
                Gate::Dot { fraction, .. } => *fraction > 0,
                Gate::ToBits(..)
                | Gate::FromBits(_)
                | Gate::NonNegative(_)
                | Gate::Relu(_)
                | Gate::Largest(_) => true,
                _ => false,
            })
    }

    /// What the proof rests on, in words.
    pub fn assumptions(&self, setup: Setup) -> Vec<String> {
        setup.assumptions(self.decomposes())
    }

    /// Names of outputs that are not claimed, and that the verifier is to see.
    pub fn shown_outputs(&self) -> Vec<&str> {
        let outputs = self.circuit.outputs.iter().zip(&self.outputs);
        outputs
            .filter(|(_, claimed)| claimed.is_none())
            .map(|(output, _)| output.name.as_str())
            .collect()
    }
}

/// How many of the next gates are of the same sort and do not read each other's results: `made`
/// integers are there before them.
pub(super) fn batch_len(made: usize, first: &Gate, gates: &[Gate]) -> usize {
    let known = |wire: &IntWire| wire.index() < made;
    let joins = |gate: &Gate| match (first, gate) {
        (Gate::Dot { fraction: a @ 1.., .. }, Gate::Dot { pairs, fraction: b }) => {
            a == b && pairs.as_flattened().iter().all(known)
        }
        (Gate::NonNegative(_), Gate::NonNegative(a)) | (Gate::Relu(_), Gate::Relu(a)) => known(a),
        (Gate::FromBits(a), Gate::FromBits(b)) => a.len() == b.len(),
        (Gate::ToBits(_, a), Gate::ToBits(_, b)) => a == b,
        _ => false,
    };
    gates.iter().take_while(|gate| joins(gate)).count().max(1)
}

/// A gate for whose result nothing was committed: never, as both are counted from the same gates.
const MISCOUNTED: VoleError = VoleError::Shape { what: "circuit's gates" };

impl<S: Session> Walk<'_, S> {
    fn bit(&self, index: usize) -> Bit<S> {
        // Gates name wires of earlier ones only (`builder`), so that the wire is there.
        self.bits.get(index).copied().unwrap_or_default()
    }

    fn int(&self, wire: IntWire) -> Field<S> {
        // As for bits.
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
                    // The verifier has no witness, and is never asked.
                    let own = || witness.map(|w| w.bits(range)).unwrap_or_default();
                    self.bits.extend(Bit::commit(session, input.count, own)?);
                }
                (InputType::Ints { .. }, Some(values)) => {
                    let constant = |value: &i64| Field::constant(session, Fp::from_signed(*value));
                    let constants = values.iter().map(constant);
                    self.ints.extend(constants);
                }
                (InputType::Ints { width }, None) => {
                    // The verifier has no witness, and is never asked.
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
            let (batch, others) = rest.split_at(batch_len(self.ints.len(), first, rest));
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
                // The verifier has no witness, and is never asked.
                let value = |range| witness.map(|w| w.bits(range)).unwrap_or_default();
                bits.into_iter().flat_map(value).collect()
            })?,
        };
        let ints = match of_ints {
            0 => Vec::new(),
            _ => Field::commit(session, of_ints, || {
                // As for bits.
                let value = |range| witness.map(|w| w.ints(range)).unwrap_or_default();
                ints.into_iter().flat_map(value).map(Fp::from_signed).collect()
            })?,
        };
        Ok(Results { bits: bits.into_iter(), ints: ints.into_iter() })
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
                let product = results.bits.next().ok_or(MISCOUNTED)?;
                let factors = [a, b].map(|wire| self.bit(wire.index()));
                Bit::assert_product(session, factors, product)?;
                self.bits.push(product);
            }
            Gate::Mul(a, b) => {
                let product = results.ints.next().ok_or(MISCOUNTED)?;
                Field::assert_product(session, [self.int(*a), self.int(*b)], product)?;
                self.ints.push(product);
            }
            Gate::Dot { pairs, .. } => {
                let sum = results.ints.next().ok_or(MISCOUNTED)?;
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
    ) -> Result<BTreeMap<String, Shown<S>>, VoleError> {
        let mut outputs = BTreeMap::new();
        for (output, claimed) in self.circuit.outputs.iter().zip(claimed) {
            let values = match (&output.wires, claimed) {
                (Wires::Bits(wires), Some(claimed)) => {
                    for (wire, value) in wires.iter().zip(claimed) {
                        let difference = self.bit(wire.index()).shift(session, *value != 0);
                        difference.assert_zero(session)?;
                    }
                    Shown::Claimed(claimed.clone())
                }
                (Wires::Ints(wires), Some(claimed)) => {
                    for (wire, value) in wires.iter().zip(claimed) {
                        let value = -Fp::from_signed(*value);
                        self.int(*wire).shift(session, value).assert_zero(session)?;
                    }
                    Shown::Claimed(claimed.clone())
                }
                (Wires::Bits(wires), None) => {
                    let wires: Vec<_> = wires.iter().map(|wire| self.bit(wire.index())).collect();
                    Shown::Bits(Bit::reveal(session, &wires)?)
                }
                (Wires::Ints(wires), None) => {
                    let wires: Vec<_> = wires.iter().map(|wire| self.int(*wire)).collect();
                    Shown::Ints(Field::reveal(session, &wires)?)
                }
            };
            outputs.insert(output.name.clone(), values);
        }
        Ok(outputs)
    }
}
