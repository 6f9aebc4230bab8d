//! Writing `.r1cs` files.

use std::{
    io::{Seek, Write},
    marker::PhantomData,
};

use algebra::{Engine, Scalar, ScalarOf};
use wire::{Encode, SectionWriter, put_bytes};

use super::{
    Constraint,
    header::{CONSTRAINTS, HEADER, LABELS, R1csHeader},
};
use crate::{Error, Format};

/// Writes a `.r1cs` file; the three sections in the order that the caller wants, for circom 2, 1
/// and 3.
pub struct R1csWriter<W, E> {
    sections: SectionWriter<W>,
    header: R1csHeader,
    engine: PhantomData<fn() -> E>,
}

impl<W: Write + Seek, E: Engine> R1csWriter<W, E> {
    /// Starts a file.
    ///
    /// # Errors
    /// [`Error::Unwritable`] for counts that contradict each other; those of the writer.
    pub fn new(writer: W, header: R1csHeader) -> Result<Self, Error> {
        header.check().map_err(|reason| Error::Unwritable { place: HEADER, reason })?;
        let (magic, version) = (Format::R1cs.magic(), Format::R1cs.version());
        let sections = SectionWriter::new(writer, magic, version, 3)?;
        Ok(Self { sections, header, engine: PhantomData })
    }

    /// Writes section 1.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn header(&mut self) -> Result<(), Error> {
        let mut fields = Vec::new();
        put_bytes(&mut fields, &E::scalar_modulus());
        let header = self.header;
        for count in
            [header.wires, header.public_outputs, header.public_inputs, header.private_inputs]
        {
            count.encode(&mut fields);
        }
        header.labels.encode(&mut fields);
        header.constraints.encode(&mut fields);
        Ok(self.sections.bytes(1, &fields)?)
    }

    /// Writes section 2.
    ///
    /// # Errors
    /// [`Error::Written`] if there are more or fewer than announced; [`Error::Unwritable`] for a
    /// wire that the circuit does not have; those of `constraints` and of the writer.
    pub fn constraints(
        &mut self,
        constraints: impl IntoIterator<Item = Result<Constraint<ScalarOf<E>>, Error>>,
    ) -> Result<(), Error> {
        let header = self.header;
        self.sections.patched(2, |out| {
            let mut bytes = Vec::new();
            let mut written = 0_u64;
            for constraint in constraints {
                let Constraint { a, b, c } = constraint?;
                bytes.clear();
                for combination in [&a, &b, &c] {
                    put_combination(combination, header.wires, &mut bytes)?;
                }
                out.write_all(&bytes)?;
                written += 1;
            }
            let announced = u64::from(header.constraints);
            if written != announced {
                return Err(Error::Written { place: CONSTRAINTS, announced, written });
            }
            Ok(())
        })
    }

    /// Writes section 3, a label for each wire.
    ///
    /// # Errors
    /// [`Error::Written`] if there are more or fewer than wires; those of `labels` and of the
    /// writer.
    pub fn labels(
        &mut self,
        labels: impl IntoIterator<Item = Result<u64, Error>>,
    ) -> Result<(), Error> {
        let announced = u64::from(self.header.wires);
        let mut section = self.sections.section(3, 8 * announced)?;
        let mut written = 0;
        for label in labels {
            written += 1;
            if written > announced {
                return Err(Error::Written { place: LABELS, announced, written });
            }
            section.write_all(&label?.to_le_bytes())?;
        }
        if written < announced {
            return Err(Error::Written { place: LABELS, announced, written });
        }
        Ok(section.finish()?)
    }

    /// Flushes and hands the writer back.
    ///
    /// # Errors
    /// Those of the writer, and if sections are missing.
    pub fn finish(self) -> Result<W, Error> {
        Ok(self.sections.finish()?)
    }
}

fn put_combination<S: Scalar>(
    combination: &[(u32, S)],
    wires: u32,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let unwritable = |reason| Error::Unwritable { place: CONSTRAINTS, reason };
    let terms = u32::try_from(combination.len()).map_err(|_| unwritable("more than 2^32 terms"))?;
    terms.encode(out);
    for (wire, factor) in combination {
        if *wire >= wires {
            return Err(unwritable("a wire is not one of the circuit's"));
        }
        wire.encode(out);
        out.extend(factor.encode());
    }
    Ok(())
}
