//! Proofs and verification keys as other libraries encode their points.
//!
//! | [`Encoding`] | curve | a point |
//! |---|---|---|
//! | `eip197` | BN254 | `x`, `y` big-endian, of G2 the coefficient of i first; zeros at infinity (EIP-196, EIP-197) |
//! | `eip2537` | BLS12-381 | `x`, `y` big-endian in 64 bytes each, of G2 the constant coefficient first; zeros at infinity |
//! | `arkworks`, `arkworks-uncompressed` | both | `CanonicalSerialize` of arkworks: BN254 little-endian with flags in the last byte, BLS12-381 in the form of Zcash |
//! | `gnark`, `gnark-uncompressed` | both | `Bytes` and `RawBytes` of gnark-crypto: big-endian with flags in the first byte, BLS12-381 in the form of Zcash |
//!
//! A proof is `A`, `B`, `C`. A key is `α`, `β`, `γ`, `δ`, and the list `IC`: as a `Vec` of arkworks (8 bytes of
//! length, little-endian) and a slice of gnark-crypto's encoder (4 bytes, big-endian), and with the precompiles
//! to the end. With arkworks these are `Proof` and `VerifyingKey` of `ark-groth16`.
//!
//! Every point has one encoding, and nothing else is read: what is read is encoded again and compared.

use algebra::{Affine, CurveGroup, Dialect, Engine, Pairing, PointForm};
use thiserror::Error;
use wire::{DecodeError, Reader};

use super::{Proof, VerifyingKey};

/// Whose encoding of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Of the precompiles for BN254.
    Eip197,
    /// Of the precompiles for BLS12-381.
    Eip2537,
    /// Of arkworks, compressed.
    Arkworks,
    /// Of arkworks, not compressed.
    ArkworksUncompressed,
    /// Of gnark-crypto, compressed.
    Gnark,
    /// Of gnark-crypto, not compressed.
    GnarkUncompressed,
}

/// Why something is not encoded, or not decoded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EncodingError {
    /// The encoding has no points of this curve.
    #[error("{encoding} has no points of {curve}")]
    Curve {
        /// The encoding's name.
        encoding: &'static str,
        /// The pairing's name.
        curve: &'static str,
    },
    /// The bytes are not the encoding of a proof or key.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

/// Flags in the byte that holds the top bits of a compressed `x`.
struct Flags {
    smaller: u8,
    larger: u8,
    infinity: u8,
}

const MASK: u8 = 0xc0;
/// Those of snarkjs, and of arkworks on BN254.
const TWO_FLAGS: Flags = Flags { smaller: 0x00, larger: 0x80, infinity: 0x40 };
const GNARK_FLAGS: Flags = Flags { smaller: 0x80, larger: 0xc0, infinity: 0x40 };
/// Zeros before a coordinate of EIP-2537.
const PADDING: usize = 16;

const UNCOMPRESSED: PointForm = PointForm::Uncompressed(Dialect::Snarkjs);
const COMPRESSED: PointForm = PointForm::Compressed(Dialect::Snarkjs);

impl Encoding {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Eip197,
        Self::Eip2537,
        Self::Arkworks,
        Self::ArkworksUncompressed,
        Self::Gnark,
        Self::GnarkUncompressed,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Eip197 => "eip197",
            Self::Eip2537 => "eip2537",
            Self::Arkworks => "arkworks",
            Self::ArkworksUncompressed => "arkworks-uncompressed",
            Self::Gnark => "gnark",
            Self::GnarkUncompressed => "gnark-uncompressed",
        }
    }

    /// A proof in this encoding.
    ///
    /// # Errors
    /// [`EncodingError::Curve`].
    pub fn encode_proof<E: Engine>(self, proof: &Proof<E>) -> Result<Vec<u8>, EncodingError> {
        self.require_curve::<E>()?;
        let mut out = Vec::new();
        self.write::<E, E::G1>(&proof.a, &mut out);
        self.write::<E, E::G2>(&proof.b, &mut out);
        self.write::<E, E::G1>(&proof.c, &mut out);
        Ok(out)
    }

    /// The proof of [`Encoding::encode_proof`]: every point is on its curve, in the subgroup, and not at infinity.
    ///
    /// # Errors
    /// [`EncodingError`].
    pub fn decode_proof<E: Engine>(self, bytes: &[u8]) -> Result<Proof<E>, EncodingError> {
        self.require_curve::<E>()?;
        let mut reader = Reader::new(bytes);
        let proof = Proof {
            a: self.finite::<E, E::G1>(&mut reader, "A")?,
            b: self.finite::<E, E::G2>(&mut reader, "B")?,
            c: self.finite::<E, E::G1>(&mut reader, "C")?,
        };
        reader.finish()?;
        Ok(proof)
    }

    /// A verification key in this encoding.
    ///
    /// # Errors
    /// [`EncodingError::Curve`].
    pub fn encode_key<E: Engine>(self, key: &VerifyingKey<E>) -> Result<Vec<u8>, EncodingError> {
        self.require_curve::<E>()?;
        let mut out = Vec::new();
        self.write::<E, E::G1>(&key.alpha_g1, &mut out);
        for point in [&key.beta_g2, &key.gamma_g2, &key.delta_g2] {
            self.write::<E, E::G2>(point, &mut out);
        }
        let count = key.ic.len() as u64;
        match self {
            Self::Eip197 | Self::Eip2537 => (),
            Self::Arkworks | Self::ArkworksUncompressed => out.extend(count.to_le_bytes()),
            // Proofs of 2^32 inputs are of no circuit.
            Self::Gnark | Self::GnarkUncompressed => out.extend((count as u32).to_be_bytes()),
        }
        key.ic.iter().for_each(|point| self.write::<E, E::G1>(point, &mut out));
        Ok(out)
    }

    /// The key of [`Encoding::encode_key`]: every point is on its curve and in the subgroup, and only `IC` may
    /// have the point at infinity. Whether it deserves trust is for its ceremony to say.
    ///
    /// # Errors
    /// [`EncodingError`].
    pub fn decode_key<E: Engine>(self, bytes: &[u8]) -> Result<VerifyingKey<E>, EncodingError> {
        self.require_curve::<E>()?;
        let mut reader = Reader::new(bytes);
        let alpha_g1 = self.finite::<E, E::G1>(&mut reader, "alpha")?;
        let beta_g2 = self.finite::<E, E::G2>(&mut reader, "beta")?;
        let gamma_g2 = self.finite::<E, E::G2>(&mut reader, "gamma")?;
        let delta_g2 = self.finite::<E, E::G2>(&mut reader, "delta")?;
        let announced = match self {
            Self::Eip197 | Self::Eip2537 => None,
            Self::Arkworks | Self::ArkworksUncompressed => Some(reader.u64()?),
            Self::Gnark | Self::GnarkUncompressed => {
                Some(u32::from_be_bytes(reader.array()?).into())
            }
        };
        let count = (reader.remaining() / self.len::<E, E::G1>()) as u64;
        if count == 0 || announced.is_some_and(|announced| announced != count) {
            return Err(DecodeError::not_canonical(
                "IC",
                "has no point, or not as many as it says",
            )
            .into());
        }
        let ic = (0..count).map(|_| self.read::<E, E::G1>(&mut reader, "IC"));
        let ic = ic.collect::<Result<_, _>>()?;
        reader.finish()?;
        Ok(VerifyingKey { alpha_g1, beta_g2, gamma_g2, delta_g2, ic })
    }

    fn require_curve<E: Engine>(self) -> Result<(), EncodingError> {
        let fits = match self {
            Self::Eip197 => !is_zcash::<E>(),
            Self::Eip2537 => is_zcash::<E>(),
            _ => true,
        };
        let other = EncodingError::Curve { encoding: self.name(), curve: <E as Pairing>::NAME };
        if fits { Ok(()) } else { Err(other) }
    }

    /// Bytes of a point.
    fn len<E: Engine, G: CurveGroup>(self) -> usize {
        match self {
            Self::Eip2537 => 2 * G::COORDINATE_LEN / E::BASE_LEN * (E::BASE_LEN + PADDING),
            Self::Arkworks | Self::Gnark => G::COORDINATE_LEN,
            Self::Eip197 | Self::ArkworksUncompressed | Self::GnarkUncompressed => {
                2 * G::COORDINATE_LEN
            }
        }
    }

    fn write<E: Engine, G: CurveGroup>(self, point: &Affine<G>, out: &mut Vec<u8>) {
        let form = |form| {
            let mut bytes = Vec::new();
            G::write_form(std::slice::from_ref(point), form, &mut bytes);
            bytes
        };
        match self {
            Self::Eip197 => out.extend(form(UNCOMPRESSED)),
            Self::Eip2537 => {
                let bytes = form(UNCOMPRESSED);
                for coordinate in bytes.chunks(G::COORDINATE_LEN) {
                    for coefficient in coordinate.rchunks(E::BASE_LEN) {
                        out.extend([0; PADDING]);
                        out.extend(coefficient);
                    }
                }
            }
            Self::Arkworks | Self::Gnark if is_zcash::<E>() => {
                out.extend(form(PointForm::Compressed(Dialect::Bellman)));
            }
            Self::ArkworksUncompressed | Self::GnarkUncompressed if is_zcash::<E>() => {
                out.extend(form(PointForm::Uncompressed(Dialect::Bellman)));
            }
            Self::Arkworks => out.extend(form(COMPRESSED).into_iter().rev()),
            Self::ArkworksUncompressed => {
                let flags = form(COMPRESSED).first().map_or(0, |first| first & MASK);
                let bytes = form(UNCOMPRESSED);
                bytes.chunks(G::COORDINATE_LEN).for_each(|coordinate| {
                    out.extend(coordinate.iter().rev());
                });
                if let Some(last) = out.last_mut() {
                    *last |= flags;
                }
            }
            Self::Gnark => {
                let mut bytes = form(COMPRESSED);
                translate(&mut bytes, &TWO_FLAGS, &GNARK_FLAGS);
                out.extend(bytes);
            }
            Self::GnarkUncompressed => out.extend(form(UNCOMPRESSED)),
        }
    }

    /// A point of the subgroup.
    fn read<E: Engine, G: CurveGroup>(
        self,
        reader: &mut Reader<'_>,
        what: &'static str,
    ) -> Result<Affine<G>, DecodeError> {
        let bytes = reader.take(self.len::<E, G>())?;
        let bad = || DecodeError::not_canonical(what, "not the encoding of a point of the curve");
        let (plain, form) = self.to_form::<E, G>(bytes);
        let point = G::read_form(&plain, form).ok().and_then(|points| points.first().copied());
        let point = point.ok_or_else(bad)?;
        let mut again = Vec::new();
        self.write::<E, G>(&point, &mut again);
        if again != bytes {
            return Err(bad());
        }
        let outside = |_| DecodeError::not_canonical(what, "outside the prime-order subgroup");
        G::check_subgroup(std::slice::from_ref(&point)).map_err(outside)?;
        Ok(point)
    }

    /// Bytes in one of the forms that this program reads. Those that were no encoding may become the form of
    /// a point; its encoding is another, then.
    fn to_form<E: Engine, G: CurveGroup>(self, bytes: &[u8]) -> (Vec<u8>, PointForm) {
        let mut plain = bytes.to_vec();
        match self {
            Self::Eip197 => (plain, UNCOMPRESSED),
            Self::Eip2537 => {
                let coordinates = bytes.chunks(bytes.len() / 2);
                let padded = coordinates.flat_map(|c| c.rchunks(E::BASE_LEN + PADDING));
                (padded.flat_map(|c| c.iter().skip(PADDING)).copied().collect(), UNCOMPRESSED)
            }
            Self::Arkworks | Self::Gnark if is_zcash::<E>() => {
                (plain, PointForm::Compressed(Dialect::Bellman))
            }
            Self::ArkworksUncompressed | Self::GnarkUncompressed if is_zcash::<E>() => {
                (plain, PointForm::Uncompressed(Dialect::Bellman))
            }
            Self::Arkworks => {
                plain.reverse();
                (plain, COMPRESSED)
            }
            Self::ArkworksUncompressed => {
                if let Some(last) = plain.last_mut() {
                    *last &= !MASK;
                }
                plain.chunks_mut(G::COORDINATE_LEN).for_each(<[u8]>::reverse);
                (plain, UNCOMPRESSED)
            }
            Self::Gnark => {
                translate(&mut plain, &GNARK_FLAGS, &TWO_FLAGS);
                (plain, COMPRESSED)
            }
            Self::GnarkUncompressed => (plain, UNCOMPRESSED),
        }
    }

    fn finite<E: Engine, G: CurveGroup>(
        self,
        reader: &mut Reader<'_>,
        what: &'static str,
    ) -> Result<Affine<G>, DecodeError> {
        let point = self.read::<E, G>(reader, what)?;
        match G::is_affine_identity(&point) {
            true => Err(DecodeError::not_canonical(what, "is the point at infinity")),
            false => Ok(point),
        }
    }
}

/// Whether points of a curve have the form of Zcash in both libraries: where a coordinate leaves three bits.
fn is_zcash<E: Engine>() -> bool {
    E::BASE_LEN == 48
}

/// Replaces the flags in the first byte; those that `from` does not know stay.
fn translate(bytes: &mut [u8], from: &Flags, to: &Flags) {
    let Some(first) = bytes.first_mut() else { return };
    let flags = match *first & MASK {
        flags if flags == from.smaller => to.smaller,
        flags if flags == from.larger => to.larger,
        flags if flags == from.infinity => to.infinity,
        flags => flags,
    };
    *first = *first & !MASK | flags;
}
