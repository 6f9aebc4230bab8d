//! Files: header, the name of the modulus, one object.

use algebra::{Affine, Bls12381, CurveGroup, Group, Scalar};
use circuit::json::VerifyingKey;
use integer::{Integer, Order};
use wire::{Decode as _, DecodeError, Encode, FileHeader, Reader, put_bytes};

use super::{
    AbsenceWitness, Accumulator, ElementKind, Exponents, MembershipWitness, Opening, Parameters,
    Relation, SetKey, SetProof,
    group::Element,
    params::{
        COFACTOR_RESPONSE_BITS, Curve, LIMB_RESPONSE_BITS, PRIME_BITS, PRODUCT_RESPONSE_BITS,
        RANDOMNESS_RESPONSE_BITS, Value,
    },
};
use crate::{
    file::{key_point, point, scalar},
    groth16::{CommittedProof, CommittingKey},
};

/// What names the parameters in files.
const MODULUS: &str = "RSA-2048";
const NAME_LIMIT: usize = 32;

type G2 = <Bls12381 as algebra::Pairing>::G2;

/// Objects that files hold.
pub trait SetFile: Sized {
    /// Kind and version.
    const HEADER: FileHeader;

    /// Appends the object.
    fn put(&self, parameters: &Parameters, out: &mut Vec<u8>);

    /// Reads the object: canonical, every element a unit and the smaller of its representatives, every
    /// point in its subgroup.
    ///
    /// # Errors
    /// [`DecodeError`], naming the field.
    fn take(parameters: &Parameters, reader: &mut Reader<'_>) -> Result<Self, DecodeError>;

    /// The file.
    fn to_file(&self, parameters: &Parameters) -> Vec<u8> {
        let mut out = Self::HEADER.to_bytes();
        put_bytes(&mut out, MODULUS.as_bytes());
        self.put(parameters, &mut out);
        out
    }

    /// Reads a file that holds one object and nothing else.
    ///
    /// # Errors
    /// [`DecodeError`].
    fn from_file(parameters: &Parameters, bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        Self::HEADER.expect(&mut reader)?;
        if reader.text("modulus", NAME_LIMIT)? != MODULUS {
            return Err(DecodeError::invalid("modulus", "is unknown"));
        }
        let object = Self::take(parameters, &mut reader)?;
        reader.finish()?;
        Ok(object)
    }
}

/// The kind, then the element.
impl SetFile for Accumulator {
    const HEADER: FileHeader = FileHeader::new("setacc", 1);

    fn put(&self, parameters: &Parameters, out: &mut Vec<u8>) {
        self.kind.code().encode(out);
        put_element(parameters, &self.value, out);
    }

    fn take(parameters: &Parameters, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let kind = element_kind(reader)?;
        Ok(Self { kind, value: parameters.group.decode(reader, "accumulator")? })
    }
}

impl SetFile for MembershipWitness {
    const HEADER: FileHeader = FileHeader::new("setwit", 1);

    fn put(&self, parameters: &Parameters, out: &mut Vec<u8>) {
        put_element(parameters, &self.0, out);
    }

    fn take(parameters: &Parameters, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self(parameters.group.decode(reader, "witness")?))
    }
}

/// V, then b.
impl SetFile for AbsenceWitness {
    const HEADER: FileHeader = FileHeader::new("setabs", 1);

    fn put(&self, parameters: &Parameters, out: &mut Vec<u8>) {
        put_element(parameters, &self.power, out);
        put_integer(&self.cofactor, PRIME_BITS.next_multiple_of(8), out);
    }

    fn take(parameters: &Parameters, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let power = parameters.group.decode(reader, "witness")?;
        Ok(Self { power, cofactor: integer(reader, PRIME_BITS.next_multiple_of(8))? })
    }
}

/// A value, then the randomness.
impl SetFile for Opening {
    const HEADER: FileHeader = FileHeader::new("setopen", 1);

    fn put(&self, _: &Parameters, out: &mut Vec<u8>) {
        out.extend(self.value.encode());
        out.extend(self.randomness.encode());
    }

    fn take(_: &Parameters, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { value: scalar(reader, "value")?, randomness: scalar(reader, "randomness")? })
    }
}

/// The commitment to a value.
impl SetFile for Curve {
    const HEADER: FileHeader = FileHeader::new("setcom", 1);

    fn put(&self, _: &Parameters, out: &mut Vec<u8>) {
        out.extend(Group::encode(self));
    }

    fn take(_: &Parameters, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        point(reader, "commitment")
    }
}

impl SetFile for SetKey {
    const HEADER: FileHeader = FileHeader::new("setkey", 1);

    fn put(&self, _: &Parameters, out: &mut Vec<u8>) {
        self.encode(out);
    }

    fn take(_: &Parameters, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let kind = element_kind(reader)?;
        let alpha_g1 = affine_key::<Curve>(reader, "alpha")?;
        let delta_g1 = affine_key::<Curve>(reader, "delta")?;
        let (beta_g2, delta_g2) =
            (affine_key::<G2>(reader, "beta")?, affine_key::<G2>(reader, "delta")?);
        let inputs = 0..=kind.public();
        let inputs = inputs.map(|_| point::<Curve>(reader, "IC")).collect::<Result<Vec<_>, _>>()?;
        let (gamma_g2, ic) = (G2::affine_generator(), Curve::precompute(&inputs));
        let verifying_key = VerifyingKey { alpha_g1, beta_g2, gamma_g2, delta_g2, ic };
        Ok(Self { kind, key: CommittingKey { verifying_key, delta_g1 } })
    }
}

/// The kind, `[α]₁`, `[δ]₁`, `[β]₂`, `[δ]₂`, `IC`. `γ` is one.
impl Encode for SetKey {
    fn encode(&self, out: &mut Vec<u8>) {
        let key = &self.key.verifying_key;
        self.kind.code().encode(out);
        for point in [key.alpha_g1, self.key.delta_g1] {
            out.extend(Group::encode(&Curve::from(point)));
        }
        for point in [key.beta_g2, key.delta_g2] {
            out.extend(Group::encode(&G2::from(point)));
        }
        for point in &key.ic {
            out.extend(Group::encode(&Curve::from(*point)));
        }
    }
}

/// See `docs/formats/snark-files.md`.
impl SetFile for SetProof {
    const HEADER: FileHeader = FileHeader::new("setprf", 1);

    fn put(&self, parameters: &Parameters, out: &mut Vec<u8>) {
        u8::from(self.relation == Relation::Absent).encode(out);
        u8::from(self.responses.value.is_some()).encode(out);
        self.circuit.encode(out);
        for element in self.commitments.iter().chain(&self.announcements) {
            put_element(parameters, element, out);
        }
        out.extend(Curve::encode_all(&self.links));
        put_responses(&self.responses, out);
    }

    fn take(parameters: &Parameters, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (is_absent, is_hashed) = (flag(reader, "relation")?, flag(reader, "kind")?);
        let circuit = CommittedProof::decode(reader)?;
        let mut element = |what| parameters.group.decode(reader, what);
        let commitments = [element("C_e")?, element("C_W")?, element("C_r")?];
        let announcements = [element("T_1")?, element("T_2")?, element("T_3")?, element("T_4")?];
        let links = [point(reader, "T_D")?, point(reader, "T_c")?];
        let responses = take_responses(reader, is_absent, is_hashed)?;
        let relation = if is_absent { Relation::Absent } else { Relation::Member };
        Ok(Self { relation, circuit, commitments, announcements, links, responses })
    }
}

/// All responses, each in as many bytes as its interval takes.
pub(super) fn put_responses(responses: &Exponents, out: &mut Vec<u8>) {
    responses.limbs.iter().for_each(|limb| put_integer(limb, LIMB_RESPONSE_BITS, out));
    responses.randomness.iter().for_each(|r| put_integer(r, RANDOMNESS_RESPONSE_BITS, out));
    responses.products.iter().for_each(|r| put_integer(r, PRODUCT_RESPONSE_BITS, out));
    responses.cofactor.iter().for_each(|r| put_integer(r, COFACTOR_RESPONSE_BITS, out));
    let scalars = [responses.blinding, responses.value_randomness];
    responses.value.iter().chain(&scalars).for_each(|scalar| out.extend(scalar.encode()));
}

fn take_responses(
    reader: &mut Reader<'_>,
    is_absent: bool,
    is_hashed: bool,
) -> Result<Exponents, DecodeError> {
    let mut take = |bits| integer(reader, bits);
    let limbs = [take(LIMB_RESPONSE_BITS)?, take(LIMB_RESPONSE_BITS)?, take(LIMB_RESPONSE_BITS)?];
    let bits = RANDOMNESS_RESPONSE_BITS;
    let randomness = [take(bits)?, take(bits)?, take(bits)?];
    let products = [take(PRODUCT_RESPONSE_BITS)?, take(PRODUCT_RESPONSE_BITS)?];
    let cofactor = is_absent.then(|| take(COFACTOR_RESPONSE_BITS)).transpose()?;
    let value: Option<Value> = is_hashed.then(|| scalar(reader, "s_u")).transpose()?;
    let (blinding, value_randomness) = (scalar(reader, "s_v")?, scalar(reader, "s_t")?);
    Ok(Exponents { limbs, randomness, products, cofactor, value, blinding, value_randomness })
}

fn put_element(parameters: &Parameters, element: &Element, out: &mut Vec<u8>) {
    out.extend(parameters.group.encode(element));
}

/// As many little-endian bytes as `bits` take; what is beyond them is cut off.
fn put_integer(integer: &Integer, bits: u32, out: &mut Vec<u8>) {
    let mut bytes = integer.to_digits::<u8>(Order::Lsf);
    bytes.resize(bits.div_ceil(8) as usize, 0);
    out.extend(bytes);
}

/// Below two to the next multiple of eight; whether it is in its interval is checked later.
fn integer(reader: &mut Reader<'_>, bits: u32) -> Result<Integer, DecodeError> {
    Ok(Integer::from_digits(reader.take(bits.div_ceil(8) as usize)?, Order::Lsf))
}

fn element_kind(reader: &mut Reader<'_>) -> Result<ElementKind, DecodeError> {
    let unknown = || DecodeError::invalid("kind of elements", "is unknown");
    ElementKind::from_code(reader.u8()?).ok_or_else(unknown)
}

fn affine_key<G: CurveGroup>(
    reader: &mut Reader<'_>,
    what: &'static str,
) -> Result<Affine<G>, DecodeError> {
    let affine = G::precompute(&[key_point(reader, what)?]).into_iter().next();
    affine.ok_or_else(|| DecodeError::invalid(what, "is missing"))
}

fn flag(reader: &mut Reader<'_>, what: &'static str) -> Result<bool, DecodeError> {
    match reader.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(DecodeError::invalid(what, "is unknown")),
    }
}
