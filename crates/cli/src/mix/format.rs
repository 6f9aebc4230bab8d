//! The files of a mix made by hand, byte by byte: `docs/formats/mix-files.md`.

use algebra::{Group, Ristretto255 as G, Scalar as _};
use shuffle::{Column, Mix, MixContext, PublicKey, SecretKey, decode_columns, encode_columns};
use wire::{Decode, DecodeError, Encode, FileHeader, Reader, put_bytes};
use zeroize::Zeroizing;

type Scalar = <G as Group>::Scalar;

const SECRET: FileHeader = FileHeader::new("mixsec", 1);
const PUBLIC: FileHeader = FileHeader::new("mixkey", 1);
const CIPHERTEXTS: FileHeader = FileHeader::new("mixlist", 1);
const MIX: FileHeader = FileHeader::new("mix", 1);

const GROUP_LIMIT: usize = 64;

/// The longest name of a study or a mix, in bytes.
pub const NAME_LIMIT: usize = 1000;

/// A decryption key.
pub struct SecretFile(pub SecretKey<G>);

impl SecretFile {
    /// The file's bytes, erased when dropped.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let mut out = Zeroizing::new(Vec::with_capacity(128));
        put_head(&mut out, SECRET);
        out.extend_from_slice(Zeroizing::new(self.0.scalar().encode()).as_ref());
        out
    }
}

impl Decode for SecretFile {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        expect_head(reader, SECRET)?;
        let bytes = Zeroizing::new(reader.array()?);
        let scalar = Scalar::decode(&bytes).map_err(|e| DecodeError::invalid("secret key", e))?;
        let key = SecretKey::new(scalar);
        key.map(Self).ok_or_else(|| DecodeError::invalid("secret key", "it is zero"))
    }
}

/// An encryption key.
pub struct PublicFile(pub PublicKey<G>);

impl Encode for PublicFile {
    fn encode(&self, out: &mut Vec<u8>) {
        put_head(out, PUBLIC);
        put_key(out, &self.0);
    }
}

impl Decode for PublicFile {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        expect_head(reader, PUBLIC)?;
        key(reader).map(Self)
    }
}

/// What a mix begins with.
pub struct CiphertextFile {
    /// The key that they were encrypted with.
    pub key: PublicKey<G>,
    /// The ciphertexts.
    pub columns: Vec<Column<G>>,
}

impl Encode for CiphertextFile {
    fn encode(&self, out: &mut Vec<u8>) {
        put_head(out, CIPHERTEXTS);
        put_key(out, &self.key);
        encode_columns(&self.columns, out);
    }
}

/// Refuses ciphertexts whose first component is the neutral element: everybody can read them.
impl Decode for CiphertextFile {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        expect_head(reader, CIPHERTEXTS)?;
        let (key, columns) = (key(reader)?, decode_columns::<G>(reader)?);
        let firsts = columns.iter().map(|column| column.components()[0].points());
        let readable = firsts.filter_map(|points| points.iter().position(Group::is_identity)).min();
        match readable {
            None => Ok(Self { key, columns }),
            Some(row) => {
                let reason = format!("row {} is readable by everyone", row + 1);
                Err(DecodeError::invalid("ciphertexts", reason))
            }
        }
    }
}

/// Whose turn it was, in which mix of which study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The study.
    pub study: String,
    /// The mix within the study.
    pub mix: String,
    /// The mixer, counted from 1.
    pub mixer: u32,
    /// The mixer's place in the chain, counted from 1.
    pub position: u32,
}

impl Turn {
    /// What the proofs are bound to.
    pub fn context(&self) -> MixContext<'_> {
        MixContext {
            study: self.study.as_bytes(),
            mix: self.mix.as_bytes(),
            mixer: self.mixer,
            position: self.position,
        }
    }
}

/// What stands before the columns and the proof of a mix file.
pub struct MixHead {
    /// The key that the columns are encrypted with.
    pub key: PublicKey<G>,
    /// Whose turn it was.
    pub turn: Turn,
}

impl MixHead {
    /// Whether a file says that it is of this kind.
    pub fn begins(bytes: &[u8]) -> bool {
        MIX.expect(&mut Reader::new(bytes)).is_ok()
    }

    /// The bytes of the file with this head and this mix.
    pub fn with(&self, mix: &Mix<G>) -> Vec<u8> {
        let mut out = Vec::new();
        put_head(&mut out, MIX);
        put_key(&mut out, &self.key);
        put_bytes(&mut out, self.turn.study.as_bytes());
        put_bytes(&mut out, self.turn.mix.as_bytes());
        self.turn.mixer.encode(&mut out);
        self.turn.position.encode(&mut out);
        mix.encode(&mut out);
        out
    }
}

/// Reads the head alone; the [`Mix`] follows it.
impl Decode for MixHead {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        expect_head(reader, MIX)?;
        let key = key(reader)?;
        let turn = Turn {
            study: reader.text("study", NAME_LIMIT)?.to_owned(),
            mix: reader.text("mix", NAME_LIMIT)?.to_owned(),
            mixer: reader.u32()?,
            position: reader.u32()?,
        };
        Ok(Self { key, turn })
    }
}

/// The header and the group's name.
fn put_head(out: &mut Vec<u8>, header: FileHeader) {
    header.encode(out);
    put_bytes(out, G::NAME.as_bytes());
}

fn expect_head(reader: &mut Reader<'_>, header: FileHeader) -> Result<(), DecodeError> {
    header.expect(reader)?;
    match reader.text("group", GROUP_LIMIT)? {
        G::NAME => Ok(()),
        other => Err(DecodeError::invalid("group", format!("`{other}` is not supported"))),
    }
}

fn put_key(out: &mut Vec<u8>, key: &PublicKey<G>) {
    out.extend_from_slice(&Group::encode(&key.point()));
}

fn key(reader: &mut Reader<'_>) -> Result<PublicKey<G>, DecodeError> {
    let point = <G as Group>::decode(reader.take(G::ENCODED_LEN)?);
    let point = point.map_err(|error| DecodeError::invalid("key", error))?;
    PublicKey::new(point).ok_or_else(|| DecodeError::invalid("key", "it is the neutral element"))
}
