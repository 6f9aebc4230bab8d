//! Proving keys from `.zkey` files.

use std::io::{Read, Seek};

use algebra::{CurveGroup, Engine};
use circuit::{
    PointList,
    json::VerifyingKey,
    zkey::{G1Query, Zkey},
};

use super::{
    Error, ProvingKey,
    key::{Query, RowDomain},
};

/// Points that are read at a time.
const CHUNK: usize = 1 << 14;

impl<E: Engine> ProvingKey<E> {
    /// Reads a key of snarkjs or of `ceremony`, all of it into memory.
    ///
    /// Every point is on its curve; those that stand alone are in the subgroup. That of the long
    /// lists takes longer than a proof and is not checked: a proof with a point outside is never
    /// handed out. Whether the key is the circuit's, and with it whether proofs hide the witness, is
    /// for `ceremony` to verify.
    ///
    /// # Errors
    /// [`Error::File`]; [`Error::TooManyRows`].
    pub fn read_zkey(reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let zkey = Zkey::<E>::open(reader)?;
        let header = zkey.header().clone();
        let rows = RowDomain::new(header.domain_size as usize)?;
        let verifying_key = VerifyingKey::of_zkey(&zkey, reader)?;
        let coefficients = zkey.coefficients(reader)?.collect::<Result<_, _>>()?;
        let h = zkey.g1(G1Query::H)?;
        Ok(Self {
            verifying_key,
            beta_g1: header.points.beta_g1,
            delta_g1: header.points.delta_g1,
            wires: header.variables as usize,
            coefficients,
            rows,
            a: query(&zkey.g1(G1Query::A)?, 0, reader)?,
            b_g1: query(&zkey.g1(G1Query::B)?, 0, reader)?,
            b_g2: query(&zkey.b_g2()?, 0, reader)?,
            k: query(&zkey.g1(G1Query::K)?, header.public + 1, reader)?,
            h: h.read(reader, 0, h.len() as usize)?,
        })
    }
}

/// A list whose first point belongs to wire `first`.
fn query<G: CurveGroup>(
    list: &PointList<G>,
    first: u32,
    reader: &mut (impl Read + Seek),
) -> Result<Query<G>, Error> {
    let mut query = Query::new();
    for chunk in list.chunks(reader, CHUNK) {
        let (start, points) = chunk?;
        query.extend(first + start as u32, &points);
    }
    Ok(query)
}
