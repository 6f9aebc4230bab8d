//! Constraint systems in memory.

use std::io::{Read, Seek, Write};

use algebra::{Engine, Scalar, ScalarOf};

use crate::{
    Error,
    r1cs::{Constraint, R1cs, R1csHeader, R1csWriter},
};

/// A constraint system in memory, from a [`Circuit`](super::Circuit) or a `.r1cs` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintSystem<S> {
    header: R1csHeader,
    constraints: Vec<Constraint<S>>,
}

impl<S: Scalar> ConstraintSystem<S> {
    pub(super) fn new(header: R1csHeader, constraints: Vec<Constraint<S>>) -> Self {
        Self { header, constraints }
    }

    /// What the header of its file counts.
    pub fn header(&self) -> R1csHeader {
        self.header
    }

    /// The constraints.
    pub fn constraints(&self) -> &[Constraint<S>] {
        &self.constraints
    }

    /// The first constraint that an assignment does not satisfy; the number of constraints if the
    /// assignment has another number of wires or its first is not one.
    pub fn first_unsatisfied(&self, wires: &[S]) -> Option<usize> {
        if wires.len() != self.header.wires as usize || wires.first() != Some(&S::one()) {
            return Some(self.constraints.len());
        }
        self.constraints.iter().position(|constraint| !constraint.is_satisfied_by(wires))
    }

    /// Reads a `.r1cs` file, all of it into memory.
    ///
    /// # Errors
    /// [`Error`], naming the section; [`Error::Record`] for circuits with PLONK's custom gates.
    pub fn read<E: Engine>(reader: &mut (impl Read + Seek)) -> Result<Self, Error>
    where
        E::G1: algebra::Group<Scalar = S>,
    {
        let r1cs = R1cs::<E>::open(reader)?;
        if r1cs.has_custom_gates() {
            return Err(Error::field("r1cs section 4", "custom gates", "are not R1CS"));
        }
        let constraints = r1cs.constraints(reader)?.collect::<Result<_, _>>()?;
        Ok(Self { header: r1cs.header(), constraints })
    }

    /// Writes a `.r1cs` file, in which every wire is its own label.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write<E: Engine, W: Write + Seek>(&self, writer: W) -> Result<W, Error>
    where
        E::G1: algebra::Group<Scalar = S>,
    {
        let header = R1csHeader { labels: self.header.wires.into(), ..self.header };
        let mut file = R1csWriter::<W, E>::new(writer, header)?;
        let constraints: &[Constraint<ScalarOf<E>>] = &self.constraints;
        file.constraints(constraints.iter().cloned().map(Ok))?;
        file.header()?;
        file.labels((0..u64::from(header.wires)).map(Ok))?;
        file.finish()
    }
}
