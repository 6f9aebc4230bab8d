//! Proofs and keys as bytes.

use algebra::{Affine, CurveGroup, Dialect, Engine, Group, PointForm};
use wire::{Decode, DecodeError, Encode, FileHeader, Reader};

use super::{Proof, ProvingKey, VerifyingKey};
use crate::file::{FileFormat, key_point, put_points};

/// Public inputs of a key that is read.
const MAX_PUBLIC: usize = 1 << 20;
/// Points of a list of a key that is read.
const MAX_POINTS: usize = 1 << 30;
/// Of the long lists, which would take minutes to decompress.
const FORM: PointForm = PointForm::Uncompressed(Dialect::Bellman);

impl<E: Engine> FileFormat<E> for Proof<E> {
    const HEADER: FileHeader = FileHeader::new("gm17prf", 1);
}

impl<E: Engine> FileFormat<E> for VerifyingKey<E> {
    const HEADER: FileHeader = FileHeader::new("gm17vk", 1);
}

impl<E: Engine> FileFormat<E> for ProvingKey<E> {
    const HEADER: FileHeader = FileHeader::new("gm17pk", 1);
}

impl<E: Engine> Encode for Proof<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_points(out, &[self.a]);
        put_points(out, &[self.b]);
        put_points(out, &[self.c]);
    }
}

/// No point is neutral: those of a proof with a witness are so with probability 2^−250.
impl<E: Engine> Decode for Proof<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (a, b, c) = (key_point(reader, "A")?, key_point(reader, "B")?, key_point(reader, "C")?);
        Ok(Self { a, b, c })
    }
}

impl<E: Engine> Encode for VerifyingKey<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_points(out, &[self.alpha, self.gamma_g1]);
        put_points(out, &[self.beta, self.gamma_g2]);
        (self.query.len() as u32).encode(out);
        put_points(out, &self.query);
    }
}

impl<E: Engine> Decode for VerifyingKey<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let alpha = key_point(reader, "[alpha]1")?;
        let gamma_g1 = key_point(reader, "[gamma]1")?;
        let beta = key_point(reader, "[beta]2")?;
        let gamma_g2 = key_point(reader, "[gamma]2")?;
        let count = reader.count("public inputs", MAX_PUBLIC)?;
        if count == 0 {
            return Err(DecodeError::not_canonical("public inputs", "without the constant one"));
        }
        let bytes = reader.items(count, E::G1::ENCODED_LEN)?;
        let query = E::G1::decode_all(bytes);
        let query = query.map_err(|error| DecodeError::not_canonical("public inputs", error))?;
        let key = Self { alpha, beta, gamma_g1, gamma_g2, query };
        match key.defect() {
            None => Ok(key),
            Some((what, reason)) => Err(DecodeError::not_canonical(what, reason)),
        }
    }
}

impl<E: Engine> Encode for ProvingKey<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.verifying_key.encode(out);
        self.circuit.encode(out);
        put_list::<E::G1>(out, &self.a);
        put_list::<E::G2>(out, &self.b);
        put_list::<E::G1>(out, &self.c);
        put_list::<E::G1>(out, &self.h);
        put_points(out, &[self.z_g1, self.alpha_beta_z]);
        put_points(out, &[self.z_g2]);
    }
}

/// The points of a prover's key are checked for the curve and the subgroup. Whether they are the
/// circuit's shows in the proof, which is verified before anybody else sees it.
impl<E: Engine> Decode for ProvingKey<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            verifying_key: VerifyingKey::decode(reader)?,
            circuit: Decode::decode(reader)?,
            a: list::<E::G1>(reader, "A")?,
            b: list::<E::G2>(reader, "B")?,
            c: list::<E::G1>(reader, "C")?,
            h: list::<E::G1>(reader, "H")?,
            z_g1: key_point(reader, "[gamma Z]1")?,
            alpha_beta_z: key_point(reader, "[(alpha + beta) gamma Z]1")?,
            z_g2: key_point(reader, "[gamma Z]2")?,
        })
    }
}

fn put_list<G: CurveGroup>(out: &mut Vec<u8>, points: &[Affine<G>]) {
    (points.len() as u32).encode(out);
    G::write_form(points, FORM, out);
}

fn list<G: CurveGroup>(
    reader: &mut Reader<'_>,
    what: &'static str,
) -> Result<Vec<Affine<G>>, DecodeError> {
    let count = reader.count(what, MAX_POINTS)?;
    let bytes = reader.items(count, G::form_len(FORM))?;
    let points =
        G::read_form(bytes, FORM).map_err(|error| DecodeError::not_canonical(what, error))?;
    G::check_subgroup(&points).map_err(|error| DecodeError::not_canonical(what, error))?;
    Ok(points)
}
