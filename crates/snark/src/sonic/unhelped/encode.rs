//! Proofs and keys as bytes.

use algebra::{Engine, Group, Scalar, ScalarOf};
use wire::{Decode, DecodeError, Encode, FileHeader, Reader};

use super::{
    key::{PermutationKey, VerifyingKey},
    proof::{Openings, Proof, Values},
    rewrite::DEGREE,
    srs::BoundedSrs,
};
use crate::{
    file::{FileFormat, key_point, point, put_points, scalar},
    sonic::srs::VerifierSrs,
};

/// Far beyond any circuit; `3n + 1` constraints are counted in 32 bits.
const MAX_GATES: u32 = 1 << 30;

impl<E: Engine> FileFormat<E> for Proof<E> {
    const HEADER: FileHeader = FileHeader::new("sonicupf", 1);
}

impl<E: Engine> FileFormat<E> for VerifyingKey<E> {
    const HEADER: FileHeader = FileHeader::new("sonicuvk", 1);
}

impl<E: Engine> Encode for Proof<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_points(out, &[self.r]);
        put_points(out, &self.signatures);
        put_points(out, &[self.t]);
        put_points(out, &self.quotients);
        put_points(out, &self.bounds);
        put_points(out, &[self.product]);
        out.extend(ScalarOf::<E>::encode_all(&self.values.scalars()));
        put_points(out, &self.openings.points());
    }
}

impl<E: Engine> Decode for Proof<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            r: point(reader, "R")?,
            signatures: points(reader, "S")?,
            t: point(reader, "T")?,
            quotients: points(reader, "C")?,
            bounds: [point(reader, "the lower bound")?, point(reader, "the upper bound")?],
            product: point(reader, "the product argument")?,
            values: values(reader)?,
            openings: openings(reader)?,
        })
    }
}

fn points<G: Group>(
    reader: &mut Reader<'_>,
    what: &'static str,
) -> Result<[G; DEGREE], DecodeError> {
    Ok([point(reader, what)?, point(reader, what)?, point(reader, what)?])
}

fn values<S: Scalar>(reader: &mut Reader<'_>) -> Result<Values<S>, DecodeError> {
    let mut three =
        |what| Ok([scalar(reader, what)?, scalar(reader, what)?, scalar(reader, what)?]);
    let [a, b, s1] = three("a, b or s1")?;
    let (numerators, denominators) = (three("a numerator")?, three("a denominator")?);
    Ok(Values { a, b, s1, numerators, denominators, quotients: scalar(reader, "the quotients")? })
}

fn openings<G: Group>(reader: &mut Reader<'_>) -> Result<Openings<G>, DecodeError> {
    Ok(Openings {
        at_z: point(reader, "the opening at z")?,
        at_zy: point(reader, "the opening at zy")?,
        at_w_zeta: point(reader, "the opening at w zeta")?,
        at_yw_zeta: point(reader, "the opening at y w zeta")?,
        at_zeta_inverse: point(reader, "the opening at 1/zeta")?,
        at_zeta: point(reader, "the opening at zeta")?,
    })
}

impl<E: Engine> Encode for VerifyingKey<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.srs.base.encode(out);
        put_points(out, &[self.srs.shift, self.srs.highest, self.srs.lowest]);
        self.gates.encode(out);
        self.public.encode(out);
        self.circuit.encode(out);
        for permutation in &self.permutations {
            put_points(out, &[permutation.factors, permutation.rows]);
        }
    }
}

impl<E: Engine> Decode for VerifyingKey<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let srs = BoundedSrs {
            base: VerifierSrs::decode(reader)?,
            shift: key_point(reader, "[x^(n-d)]2")?,
            highest: key_point(reader, "[alpha x^d]2")?,
            lowest: key_point(reader, "[alpha x^(N-d)]2")?,
        };
        let gates = reader.u32()?;
        if gates > MAX_GATES {
            return Err(DecodeError::invalid("gates", format!("{gates} are too many")));
        }
        let (public, circuit) = (reader.u32()?, Decode::decode(reader)?);
        let mut permutation = || -> Result<_, DecodeError> {
            // A permutation of no terms at all has no factors.
            let factors = point(reader, "the factors of a permutation")?;
            Ok(PermutationKey { factors, rows: key_point(reader, "a permutation")? })
        };
        let permutations = [permutation()?, permutation()?, permutation()?];
        Ok(Self { srs, gates, public, circuit, permutations })
    }
}
