//! `verification_key.json`.

use std::io::{Read, Seek};

use algebra::{Affine, CurveGroup, Dialect, Engine, Pairing, PointForm};
use serde::{Deserialize, Serialize};
use wire::{DecodeError, Digest, DigestWriter};

use super::{
    coordinates::{
        Point, TwistPoint, g1_from_strings, g1_to_strings, g2_from_strings, g2_to_strings,
    },
    decimal::to_decimal,
    text::{GROTH16, to_json},
};
use crate::{
    Error,
    zkey::{G1Query, Zkey},
};

const PLACE: &str = "verification_key.json";

/// A Groth16 verification key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey<E: Engine> {
    /// `[α]₁`.
    pub alpha_g1: Affine<E::G1>,
    /// `[β]₂`.
    pub beta_g2: Affine<E::G2>,
    /// `[γ]₂`.
    pub gamma_g2: Affine<E::G2>,
    /// `[δ]₂`.
    pub delta_g2: Affine<E::G2>,
    /// One point for the constant wire and one for each public wire.
    pub ic: Vec<Affine<E::G1>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    protocol: String,
    curve: String,
    #[serde(rename = "nPublic")]
    public: u32,
    vk_alpha_1: Point,
    vk_beta_2: TwistPoint,
    vk_gamma_2: TwistPoint,
    vk_delta_2: TwistPoint,
    vk_alphabeta_12: Option<Target>,
    #[serde(rename = "IC")]
    ic: Vec<Point>,
}

/// The form of points in a key's digest.
const DIGESTED: PointForm = PointForm::Uncompressed(Dialect::Snarkjs);

/// An element of the target group, by its tower.
type Target = [[[String; 2]; 3]; 2];

impl<E: Engine> VerifyingKey<E> {
    /// The verification key inside a proving key. Whether its ceremony deserves trust is for the
    /// crate `ceremony` to say.
    ///
    /// # Errors
    /// Those of reading `IC`.
    pub fn of_zkey(zkey: &Zkey<E>, reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let (list, points) = (zkey.g1(G1Query::Ic)?, &zkey.header().points);
        let ic = list.read(reader, 0, list.len() as usize)?;
        list.check_subgroup(0, &ic)?;
        Ok(Self {
            alpha_g1: points.alpha_g1,
            beta_g2: points.beta_g2,
            gamma_g2: points.gamma_g2,
            delta_g2: points.delta_g2,
            ic,
        })
    }

    /// The digest of the key: of its points, however the file spells them.
    pub fn digest(&self) -> Digest {
        let mut points = (self.ic.len() as u32).to_le_bytes().to_vec();
        E::G1::write_form(&[self.alpha_g1], DIGESTED, &mut points);
        E::G2::write_form(&[self.beta_g2, self.gamma_g2, self.delta_g2], DIGESTED, &mut points);
        E::G1::write_form(&self.ic, DIGESTED, &mut points);
        let mut digest = DigestWriter::new("snark/groth16/key/v1");
        digest.update(<E as Pairing>::NAME.as_bytes());
        digest.update(&points);
        digest.finish()
    }

    /// The text that snarkjs writes, `e([α]₁, [β]₂)` included.
    ///
    /// # Errors
    /// [`Error::Unwritable`] for a key without `ic`.
    pub fn to_json(&self) -> Result<String, Error> {
        let public = self.ic.len().checked_sub(1).and_then(|public| u32::try_from(public).ok());
        let no_ic = Error::Unwritable { place: PLACE, reason: "IC has no entry, or too many" };
        let text = Text {
            protocol: GROTH16.to_owned(),
            curve: E::SNARKJS_NAME.to_owned(),
            public: public.ok_or(no_ic)?,
            vk_alpha_1: g1_to_strings::<E>(&self.alpha_g1),
            vk_beta_2: g2_to_strings::<E>(&self.beta_g2),
            vk_gamma_2: g2_to_strings::<E>(&self.gamma_g2),
            vk_delta_2: g2_to_strings::<E>(&self.delta_g2),
            vk_alphabeta_12: Some(self.alpha_beta()),
            ic: self.ic.iter().map(g1_to_strings::<E>).collect(),
        };
        to_json(PLACE, &text)
    }

    fn alpha_beta(&self) -> Target {
        let target = E::pairing(&self.alpha_g1.into(), &self.beta_g2.into());
        let bytes = E::target_coefficients(&target);
        let mut coefficients = bytes.chunks(E::BASE_LEN).map(to_decimal);
        // An element of the target group has twelve coefficients.
        let mut next = || coefficients.next().unwrap_or_default();
        [(); 2].map(|()| [(); 3].map(|()| [(); 2].map(|()| next())))
    }

    /// Reads such a text; every point is on its curve and in the subgroup, only `IC` may have the
    /// point at infinity, and `e([α]₁, [β]₂)` is right if it is there.
    ///
    /// # Errors
    /// [`Error::Json`]; [`Error::Record`] and [`Error::Entry`], naming the field.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let bad_json = |reason| Error::Json { place: PLACE, reason };
        let text: Text = serde_json::from_str(json).map_err(bad_json)?;
        let ic = text.ic.iter().enumerate().map(|(index, point)| {
            let point = g1_from_strings::<E>(point, "IC");
            point.map_err(Error::entry(PLACE, index as u64))
        });
        let ic = ic.collect::<Result<_, _>>()?;
        Self::from_text(&text, ic).map_err(Error::record(PLACE))
    }

    fn from_text(text: &Text, ic: Vec<Affine<E::G1>>) -> Result<Self, DecodeError> {
        if text.protocol != GROTH16 {
            return Err(DecodeError::invalid("protocol", "is not groth16"));
        }
        if text.curve != E::SNARKJS_NAME {
            return Err(DecodeError::invalid("curve", "is another"));
        }
        if ic.len() as u64 != u64::from(text.public) + 1 {
            return Err(DecodeError::invalid("IC", "does not have nPublic + 1 points"));
        }
        let key = Self {
            alpha_g1: g1_from_strings::<E>(&text.vk_alpha_1, "vk_alpha_1")?,
            beta_g2: g2_from_strings::<E>(&text.vk_beta_2, "vk_beta_2")?,
            gamma_g2: g2_from_strings::<E>(&text.vk_gamma_2, "vk_gamma_2")?,
            delta_g2: g2_from_strings::<E>(&text.vk_delta_2, "vk_delta_2")?,
            ic,
        };
        let at_infinity = [
            ("vk_alpha_1", E::G1::is_affine_identity(&key.alpha_g1)),
            ("vk_beta_2", E::G2::is_affine_identity(&key.beta_g2)),
            ("vk_gamma_2", E::G2::is_affine_identity(&key.gamma_g2)),
            ("vk_delta_2", E::G2::is_affine_identity(&key.delta_g2)),
        ];
        if let Some((what, _)) = at_infinity.into_iter().find(|(_, at_infinity)| *at_infinity) {
            return Err(DecodeError::not_canonical(what, "is the point at infinity"));
        }
        if text.vk_alphabeta_12.as_ref().is_some_and(|target| *target != key.alpha_beta()) {
            return Err(DecodeError::invalid("vk_alphabeta_12", "is not e(alpha, beta)"));
        }
        Ok(key)
    }
}
