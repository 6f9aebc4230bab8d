//! The rows of the constraint system: the circuit's, and one for each public wire.

use std::io::{Read, Seek};

use algebra::{Engine, Scalar, ScalarOf};
use circuit::{
    r1cs::{Constraint, R1cs, R1csHeader},
    zkey::{Coefficient, Matrix},
};

use crate::Error;

/// A row and its number.
pub(super) type Row<S> = (u32, Constraint<S>);

/// A circuit that has a Groth16 key.
pub(super) struct Circuit<E> {
    r1cs: R1cs<E>,
}

impl<E: Engine> Circuit<E> {
    pub fn open(reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let r1cs = R1cs::<E>::open(reader)?;
        if r1cs.has_custom_gates() {
            return Err(Error::CustomGates);
        }
        Ok(Self { r1cs })
    }

    pub fn header(&self) -> R1csHeader {
        self.r1cs.header()
    }

    /// The binary logarithm of the domain: the smallest with a place for every row, and at least 1.
    pub fn log_size(&self) -> u32 {
        let rows = u64::from(self.header().constraints) + u64::from(self.header().public()) + 1;
        rows.next_power_of_two().trailing_zeros().max(1)
    }

    /// The circuit's constraints, and for the constant and each public wire a row with nothing but
    /// that wire as left factor: without these, public inputs could depend on each other, and a
    /// proof for some would do for others.
    pub fn rows<'a, R: Read + Seek>(
        &self,
        reader: &'a mut R,
    ) -> Result<impl Iterator<Item = Result<Row<ScalarOf<E>>, Error>> + use<'a, R, E>, Error> {
        let constraints = self.r1cs.constraints(reader)?;
        let first = self.header().constraints;
        let independence = (0..=self.header().public()).map(move |wire| {
            let a = vec![(wire, ScalarOf::<E>::one())];
            Ok((first + wire, Constraint { a, b: Vec::new(), c: Vec::new() }))
        });
        let own = (0..).zip(constraints).map(|(row, constraint)| Ok((row, constraint?)));
        Ok(own.chain(independence))
    }

    /// Entries of the matrices `A` and `B`.
    pub fn coefficient_count(&self, reader: &mut (impl Read + Seek)) -> Result<u32, Error> {
        let mut count = 0_u64;
        for row in self.rows(reader)? {
            let (_, Constraint { a, b, .. }) = row?;
            count += (a.len() + b.len()) as u64;
        }
        u32::try_from(count).map_err(|_| Error::TooManyCoefficients { count })
    }
}

/// A row's entries of the matrices `A` and `B`, in the order of the file.
pub(super) fn coefficients<S: Scalar>(
    (row, constraint): &Row<S>,
) -> impl Iterator<Item = Coefficient<S>> {
    let entry = |matrix| {
        move |&(wire, value): &(u32, S)| Coefficient { matrix, constraint: *row, wire, value }
    };
    let (a, b) = (constraint.a.iter(), constraint.b.iter());
    a.map(entry(Matrix::A)).chain(b.map(entry(Matrix::B)))
}
