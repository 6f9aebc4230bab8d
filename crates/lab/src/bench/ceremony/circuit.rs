//! A circuit of any size, for measuring.

use std::io::{BufWriter, Seek, Write};

use ::circuit::{
    Error,
    r1cs::{Constraint, R1csHeader, R1csWriter},
};
use algebra::{Engine, Scalar, ScalarOf};

/// Public wires beside the constant one.
const PUBLIC: u32 = 1;

/// Writes the chain `x ← x² + i`, whose last `x` is public, as a `.r1cs` file. It has as many
/// constraints as fit a domain of `2^power`, and every wire in all three matrices.
pub fn write_chain<E: Engine>(out: impl Write + Seek, power: u32) -> Result<(), Error> {
    // Every public wire and the constant one take a row of their own.
    let constraints = (1 << power) - 1 - PUBLIC;
    let wires = constraints + 1 + PUBLIC;
    let header = R1csHeader {
        wires,
        public_outputs: PUBLIC,
        labels: wires.into(),
        constraints,
        ..R1csHeader::default()
    };
    // Wires: the constant one, the result, the steps before it.
    let wire = |step| if step == constraints { 1 } else { 1 + PUBLIC + step };
    let one = ScalarOf::<E>::one();
    let row = |step: u32| Constraint {
        a: vec![(wire(step), one)],
        b: vec![(wire(step), one)],
        c: vec![(wire(step + 1), one), (0, -ScalarOf::<E>::from_u64(step.into()))],
    };
    let mut out = R1csWriter::<_, E>::new(BufWriter::new(out), header)?;
    out.header()?;
    out.constraints((0..constraints).map(|step| Ok(row(step))))?;
    out.labels((0..wires.into()).map(Ok))?;
    Ok(out.finish()?.flush()?)
}
