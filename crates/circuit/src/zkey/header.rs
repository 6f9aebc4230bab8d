//! The header of a `.zkey`, and what it makes of the other sections.

use algebra::{Affine, CurveGroup, Engine, PointForm};
use wire::{Encode, Reader, put_bytes};

use crate::{
    Error,
    curve::{expect_base, expect_scalar},
    record::{Fields, put_point},
};

pub(super) const PLACE: &str = "zkey section 2 (header)";

/// The points of a key that stand alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPoints<E: Engine> {
    /// `[α]₁`.
    pub alpha_g1: Affine<E::G1>,
    /// `[β]₁`.
    pub beta_g1: Affine<E::G1>,
    /// `[β]₂`.
    pub beta_g2: Affine<E::G2>,
    /// `[γ]₂`, the generator in every ceremony.
    pub gamma_g2: Affine<E::G2>,
    /// `[δ]₁`.
    pub delta_g1: Affine<E::G1>,
    /// `[δ]₂`, the generator before the first contribution.
    pub delta_g2: Affine<E::G2>,
}

impl<E: Engine> KeyPoints<E> {
    /// Bytes of the points in a form.
    pub fn form_len(form: PointForm) -> usize {
        3 * (E::G1::form_len(form) + E::G2::form_len(form))
    }

    /// Appends `α₁ β₁ β₂ γ₂ δ₁ δ₂`, as circuit hashes and bellman's parameters begin.
    pub fn write_form(&self, form: PointForm, out: &mut Vec<u8>) {
        put_point::<E::G1>(&self.alpha_g1, form, out);
        put_point::<E::G1>(&self.beta_g1, form, out);
        put_point::<E::G2>(&self.beta_g2, form, out);
        put_point::<E::G2>(&self.gamma_g2, form, out);
        put_point::<E::G1>(&self.delta_g1, form, out);
        put_point::<E::G2>(&self.delta_g2, form, out);
    }

    pub(crate) fn read(fields: &mut Fields<'_>) -> Result<Self, Error> {
        Ok(Self {
            alpha_g1: fields.point::<E::G1>("alpha1")?,
            beta_g1: fields.point::<E::G1>("beta1")?,
            beta_g2: fields.point::<E::G2>("beta2")?,
            gamma_g2: fields.point::<E::G2>("gamma2")?,
            delta_g1: fields.point::<E::G1>("delta1")?,
            delta_g2: fields.point::<E::G2>("delta2")?,
        })
    }
}

/// Section 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZkeyHeader<E: Engine> {
    /// Wires, the constant one included.
    pub variables: u32,
    /// Public wires, the constant one not included.
    pub public: u32,
    /// The number of rows, a power of two.
    pub domain_size: u32,
    /// The points that stand alone.
    pub points: KeyPoints<E>,
}

impl<E: Engine> ZkeyHeader<E> {
    /// The header's bytes, whatever the key.
    pub(super) fn len() -> u64 {
        let points = KeyPoints::<E>::form_len(PointForm::Montgomery);
        (8 + E::BASE_LEN + E::SCALAR_LEN + 12 + points) as u64
    }

    pub(super) fn check(&self) -> Result<(), &'static str> {
        if self.public >= self.variables {
            return Err("there are more public wires than wires");
        }
        if !self.domain_size.is_power_of_two() || self.domain_size.ilog2() > E::TWO_ADICITY {
            return Err("the domain's size is not a power of two in the field's range");
        }
        Ok(())
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(bytes);
        expect_base::<E>(&mut reader, PLACE)?;
        expect_scalar::<E>(&mut reader, PLACE)?;
        let counts = (|| Ok([reader.u32()?, reader.u32()?, reader.u32()?]))();
        let [variables, public, domain_size] = counts.map_err(Error::record(PLACE))?;
        let mut fields = Fields { reader, form: PointForm::Montgomery, place: PLACE, index: 0 };
        let header = Self { variables, public, domain_size, points: KeyPoints::read(&mut fields)? };
        fields.reader.finish().map_err(Error::record(PLACE))?;
        header.check().map_err(|reason| Error::field(PLACE, "counts", reason))?;
        Ok(header)
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_bytes(&mut out, &E::base_modulus());
        put_bytes(&mut out, &E::scalar_modulus());
        [self.variables, self.public, self.domain_size].iter().for_each(|n| n.encode(&mut out));
        self.points.write_form(PointForm::Montgomery, &mut out);
        out
    }
}

/// A section of points of G1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum G1Query {
    /// `[(βu_i + αv_i + w_i)(τ)/γ]₁` of the constant and the public wires.
    Ic,
    /// `[u_i(τ)]₁`.
    A,
    /// `[v_i(τ)]₁`.
    B,
    /// `[(βu_i + αv_i + w_i)(τ)/δ]₁` of the other wires; snarkjs calls it `C`.
    K,
    /// `[L_{2i+1}(τ)/δ]₁` over the domain of twice the size.
    H,
}

impl G1Query {
    /// All of them, in the order of their identifiers.
    pub const ALL: [Self; 5] = [Self::Ic, Self::A, Self::B, Self::K, Self::H];

    /// The section's identifier.
    pub fn id(self) -> u32 {
        match self {
            Self::Ic => 3,
            Self::A => 5,
            Self::B => 6,
            Self::K => 8,
            Self::H => 9,
        }
    }

    /// The section's name in errors.
    pub fn place(self) -> &'static str {
        match self {
            Self::Ic => "zkey section 3 (IC)",
            Self::A => "zkey section 5 (A)",
            Self::B => "zkey section 6 (B1)",
            Self::K => "zkey section 8 (C)",
            Self::H => "zkey section 9 (H)",
        }
    }

    /// Points of the section.
    pub fn len<E: Engine>(self, header: &ZkeyHeader<E>) -> u64 {
        let (variables, public) = (u64::from(header.variables), u64::from(header.public));
        match self {
            Self::Ic => public + 1,
            Self::A | Self::B => variables,
            Self::K => variables.saturating_sub(public + 1),
            Self::H => header.domain_size.into(),
        }
    }
}
