//! `proof.json`.

use algebra::{Affine, CurveGroup, Engine, Group};
use serde::{Deserialize, Serialize};
use wire::{Decode, DecodeError, Encode, Reader};

use super::{
    coordinates::{
        Point, TwistPoint, g1_on_curve, g1_to_strings, g2_on_curve, g2_to_strings, require_subgroup,
    },
    text::{GROTH16, to_json},
};
use crate::Error;

const PLACE: &str = "proof.json";

/// A Groth16 proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof<E: Engine> {
    /// `A` of G1.
    pub a: Affine<E::G1>,
    /// `B` of G2.
    pub b: Affine<E::G2>,
    /// `C` of G1.
    pub c: Affine<E::G1>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    pi_a: Point,
    pi_b: TwistPoint,
    pi_c: Point,
    protocol: String,
    /// Left out by some provers.
    curve: Option<String>,
}

impl<E: Engine> Proof<E> {
    /// The text that snarkjs writes.
    ///
    /// # Errors
    /// None that a proof can cause.
    pub fn to_json(&self) -> Result<String, Error> {
        let text = Text {
            pi_a: g1_to_strings::<E>(&self.a),
            pi_b: g2_to_strings::<E>(&self.b),
            pi_c: g1_to_strings::<E>(&self.c),
            protocol: GROTH16.to_owned(),
            curve: Some(E::SNARKJS_NAME.to_owned()),
        };
        to_json(PLACE, &text)
    }

    /// Reads such a text; every point is on its curve, in the subgroup, and not at infinity.
    ///
    /// # Errors
    /// [`Error::Json`] and [`Error::Record`], naming the field.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let Self { a, b, c } = Self::from_json_on_curve(json)?;
        let checked = || {
            let a = require_subgroup::<E::G1>(a, "pi_a")?;
            let b = require_subgroup::<E::G2>(b, "pi_b")?;
            Ok(Self { a, b, c: require_subgroup::<E::G1>(c, "pi_c")? })
        };
        checked().map_err(Error::record(PLACE))
    }

    /// [`Proof::from_json`] but for the subgroup, for those who check the points of many proofs together.
    ///
    /// # Errors
    /// [`Error::Json`] and [`Error::Record`], naming the field.
    pub fn from_json_on_curve(json: &str) -> Result<Self, Error> {
        let bad_json = |reason| Error::Json { place: PLACE, reason };
        let text: Text = serde_json::from_str(json).map_err(bad_json)?;
        Self::from_text(&text).map_err(Error::record(PLACE))
    }

    fn from_text(text: &Text) -> Result<Self, DecodeError> {
        if text.protocol != GROTH16 {
            return Err(DecodeError::invalid("protocol", "is not groth16"));
        }
        if text.curve.as_ref().is_some_and(|curve| curve != E::SNARKJS_NAME) {
            return Err(DecodeError::invalid("curve", "is another"));
        }
        let proof = Self {
            a: g1_on_curve::<E>(&text.pi_a, "pi_a")?,
            b: g2_on_curve::<E>(&text.pi_b, "pi_b")?,
            c: g1_on_curve::<E>(&text.pi_c, "pi_c")?,
        };
        let at_infinity = [
            ("pi_a", E::G1::is_affine_identity(&proof.a)),
            ("pi_b", E::G2::is_affine_identity(&proof.b)),
            ("pi_c", E::G1::is_affine_identity(&proof.c)),
        ];
        match at_infinity.into_iter().find(|(_, at_infinity)| *at_infinity) {
            Some((what, _)) => Err(DecodeError::not_canonical(what, "is the point at infinity")),
            None => Ok(proof),
        }
    }
}

/// The canonical encodings of `A`, `B` and `C`: 128 bytes on BN254, 192 on BLS12-381.
impl<E: Engine> Encode for Proof<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        let (a, b, c): (E::G1, E::G2, E::G1) = (self.a.into(), self.b.into(), self.c.into());
        out.extend(a.encode());
        out.extend(b.encode());
        out.extend(c.encode());
    }
}

/// Every point is on its curve, in the subgroup, and not at infinity.
impl<E: Engine> Decode for Proof<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (a, b) = (point::<E::G1>(reader, "A")?, point::<E::G2>(reader, "B")?);
        Ok(Self { a, b, c: point::<E::G1>(reader, "C")? })
    }
}

fn point<G: CurveGroup>(
    reader: &mut Reader<'_>,
    what: &'static str,
) -> Result<Affine<G>, DecodeError> {
    let decoded = G::decode(reader.take(G::ENCODED_LEN)?);
    let point = decoded.map_err(|error| DecodeError::not_canonical(what, error))?;
    let affine = G::precompute(std::slice::from_ref(&point)).into_iter().next();
    let neutral = || DecodeError::not_canonical(what, "is the point at infinity");
    affine.filter(|point| !G::is_affine_identity(point)).ok_or_else(neutral)
}
