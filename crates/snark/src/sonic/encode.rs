//! Proofs, advice, aggregates and keys as bytes.

use algebra::{Engine, Group, Scalar, ScalarOf};
use wire::{Decode, DecodeError, Encode, FileHeader, Reader};

use super::{
    advice::{Advice, Aggregate, Openings},
    key::VerifyingKey,
    proof::Proof,
    srs::{PieceSrs, VerifierSrs},
};
use crate::file::{FileFormat, key_point, point, put_points, scalar};

/// Proofs that one aggregate may speak of.
pub const MAX_PROOFS: usize = 1 << 16;

impl<E: Engine> FileFormat<E> for Proof<E> {
    const HEADER: FileHeader = FileHeader::new("sonicprf", 2);
}

impl<E: Engine> FileFormat<E> for Advice<E> {
    const HEADER: FileHeader = FileHeader::new("sonicadv", 1);
}

impl<E: Engine> FileFormat<E> for Aggregate<E> {
    const HEADER: FileHeader = FileHeader::new("sonicagg", 1);
}

impl<E: Engine> FileFormat<E> for VerifyingKey<E> {
    const HEADER: FileHeader = FileHeader::new("sonicvk", 2);
}

impl<E: Engine> Encode for Proof<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_points(out, &self.r);
        put_points(out, &self.t);
        out.extend(ScalarOf::<E>::encode_all(&[self.a, self.b]));
        put_points(out, &[self.opening]);
    }
}

impl<E: Engine> Decode for Proof<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            r: [point(reader, "R")?, point(reader, "R")?],
            t: [point(reader, "T")?, point(reader, "T")?, point(reader, "T")?, point(reader, "T")?],
            a: scalar(reader, "a")?,
            b: scalar(reader, "b")?,
            opening: point(reader, "W")?,
        })
    }
}

impl<E: Engine> Encode for Advice<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_points(out, &[self.commitment]);
        out.extend(Scalar::encode(&self.value));
        put_points(out, &[self.opening]);
    }
}

impl<E: Engine> Decode for Advice<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            commitment: point(reader, "S")?,
            value: scalar(reader, "s")?,
            opening: point(reader, "the opening of S")?,
        })
    }
}

impl<E: Engine> Encode for Aggregate<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_points(out, &[self.circuit, self.signatures]);
        (self.values.len() as u32).encode(out);
        out.extend(ScalarOf::<E>::encode_all(&self.values));
        match &self.openings {
            Openings::Batched { quotient, at_zeta } => {
                0_u8.encode(out);
                put_points(out, &[*quotient, *at_zeta]);
            }
            Openings::PerProof { at_y, at_w } => {
                1_u8.encode(out);
                put_points(out, at_y);
                put_points(out, &[*at_w]);
            }
        }
    }
}

impl<E: Engine> Decode for Aggregate<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (circuit, signatures) = (point(reader, "C")?, point(reader, "the opening at u")?);
        let count = reader.count("proofs", MAX_PROOFS)?;
        let bytes = reader.items(count, ScalarOf::<E>::ENCODED_LEN)?;
        let values = ScalarOf::<E>::decode_all(bytes);
        let values = values.map_err(|error| DecodeError::not_canonical("values", error))?;
        let openings = match reader.u8()? {
            0 => Openings::Batched {
                quotient: point(reader, "the quotient")?,
                at_zeta: point(reader, "the opening at zeta")?,
            },
            1 => {
                let bytes = reader.items(count, E::G1::ENCODED_LEN)?;
                let at_y = E::G1::decode_all(bytes);
                let at_y = at_y.map_err(|error| DecodeError::not_canonical("openings", error))?;
                Openings::PerProof { at_y, at_w: point(reader, "the opening at w")? }
            }
            _ => return Err(DecodeError::invalid("openings", "neither batched nor per proof")),
        };
        Ok(Self { circuit, values, signatures, openings })
    }
}

impl<E: Engine> Encode for VerifyingKey<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.srs.encode(out);
        self.circuit.encode(out);
        self.public.encode(out);
    }
}

impl<E: Engine> Decode for VerifyingKey<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let srs = PieceSrs::decode(reader)?;
        let (circuit, public) = (Decode::decode(reader)?, reader.u32()?);
        Ok(Self { srs, circuit, public })
    }
}

impl<E: Engine> Encode for VerifierSrs<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        let Self { degree, x, alpha, alpha_x } = self;
        degree.encode(out);
        put_points(out, &[*x, *alpha, *alpha_x]);
    }
}

impl<E: Engine> Decode for VerifierSrs<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            degree: reader.u64()?,
            x: key_point(reader, "[x]2")?,
            alpha: key_point(reader, "[alpha]2")?,
            alpha_x: key_point(reader, "[alpha x]2")?,
        })
    }
}

impl<E: Engine> Encode for PieceSrs<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        let Self { base, alpha_square, t, r } = self;
        base.encode(out);
        put_points(out, &[*alpha_square]);
        put_points(out, t.as_flattened());
        put_points(out, r.as_flattened());
    }
}

impl<E: Engine> Decode for PieceSrs<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let base = VerifierSrs::decode(reader)?;
        let alpha_square = key_point(reader, "[alpha x^2]2")?;
        let mut pair = |what| Ok([key_point(reader, what)?, key_point(reader, what)?]);
        let t = "a power for a piece of t";
        let t = [pair(t)?, pair(t)?, pair(t)?, pair(t)?];
        let r = "a power for a piece of r";
        Ok(Self { base, alpha_square, t, r: [pair(r)?, pair(r)?] })
    }
}
