//! A stock as bytes: what is known of it in the clear, its secrets encrypted.
//!
//! The key is derived from that of the party and from a salt that is drawn each time, so that no two
//! versions of a stock are under one key. What is in the clear is authenticated with the rest.

use std::io;

use board::{AuthorId, Identity};
use chacha20poly1305::{AeadInOut, ChaCha20Poly1305, KeyInit, Nonce, Tag};
use hkdf::Hkdf;
use rand_core::CryptoRng;
use sha2::Sha256;
use wire::{Decode, DecodeError, Digest, Encode, FileHeader, Reader, put_bytes};
use zeroize::{Zeroize, Zeroizing};

use super::{Half, MAX_STOCK_BITS, MAX_STOCK_VALUES, Position, Stock, StockRecord};
use crate::{
    ParameterSet,
    field::{Authenticated, Deltas, Fp, Gf64},
};

const HEADER: FileHeader = FileHeader::new("vole-stk", 1);
const SALT: usize = 32;
const TAG: usize = 16;
/// What keys are derived for.
const PURPOSE: &[u8] = b"subrosa/vole/stock/v1";

impl Encode for Position {
    fn encode(&self, out: &mut Vec<u8>) {
        self.bits.encode(out);
        self.values.encode(out);
    }
}

impl Decode for Position {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { bits: reader.u64()?, values: reader.u64()? })
    }
}

fn flag(reader: &mut Reader<'_>, what: &'static str) -> Result<bool, DecodeError> {
    match reader.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(DecodeError::invalid(what, "neither 0 nor 1")),
    }
}

impl Encode for StockRecord {
    fn encode(&self, out: &mut Vec<u8>) {
        HEADER.encode(out);
        u8::from(self.proves).encode(out);
        u8::from(self.burnt).encode(out);
        self.id.encode(out);
        put_bytes(out, self.correlations.id().as_bytes());
        self.own.encode(out);
        self.peer.encode(out);
        [self.used, self.used_by_peer, self.left].iter().for_each(|place| place.encode(out));
    }
}

impl Decode for StockRecord {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        HEADER.expect(reader)?;
        let (proves, burnt) = (flag(reader, "role")?, flag(reader, "burnt")?);
        let id = Digest::decode(reader)?;
        let name = reader.text("parameter set", 64)?;
        let correlations = ParameterSet::ALL.into_iter().find(|set| set.id() == name);
        let unknown = || DecodeError::invalid("parameter set", "unknown");
        let record = Self {
            id,
            proves,
            correlations: correlations.ok_or_else(unknown)?,
            own: AuthorId::decode(reader)?,
            peer: AuthorId::decode(reader)?,
            used: Position::decode(reader)?,
            used_by_peer: Position::decode(reader)?,
            left: Position::decode(reader)?,
            burnt,
        };
        let Position { bits, values } = record.left;
        // What an extension makes is at most twice what was asked for.
        if bits > 2 * MAX_STOCK_BITS as u64 || values > 2 * MAX_STOCK_VALUES as u64 {
            return Err(DecodeError::invalid("correlations", "too many"));
        }
        match burnt && record.left != Position::default() {
            true => Err(DecodeError::invalid("correlations", "left of a burnt stock")),
            false => Ok(record),
        }
    }
}

impl StockRecord {
    /// Reads what is in the clear of a file, which is not authenticated by itself.
    ///
    /// # Errors
    /// [`DecodeError`].
    pub fn read(file: &[u8]) -> Result<Self, DecodeError> {
        Self::decode(&mut Reader::new(file))
    }

    /// Bytes of the secrets.
    fn secret_len(&self) -> usize {
        let (bits, values) = (self.left.bits as usize, self.left.values as usize);
        match self.proves {
            true => 8 * bits + 16 * values,
            false => 16 + 8 * (bits + values),
        }
    }
}

fn cipher(identity: &Identity, salt: &[u8]) -> Option<ChaCha20Poly1305> {
    let mut key = Zeroizing::new([0; 32]);
    let derived = Hkdf::<Sha256>::new(Some(salt), &*identity.to_seed());
    // 32 bytes are not too many to derive.
    derived.expand(PURPOSE, key.as_mut()).ok()?;
    Some(ChaCha20Poly1305::new(&(*key).into()))
}

impl Half {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Prover { bits, values } => {
                bits.iter().for_each(|mac| mac.to_u64().encode(out));
                for pair in values.iter() {
                    [pair.value, pair.mac].iter().for_each(|x| x.encode(out));
                }
            }
            Self::Verifier { deltas, bits, values } => {
                deltas.bits.to_u64().encode(out);
                deltas.values.encode(out);
                bits.iter().for_each(|key| key.to_u64().encode(out));
                values.iter().for_each(|key| key.encode(out));
            }
        }
    }

    fn decode(record: &StockRecord, reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (bits, values) = (record.left.bits as usize, record.left.values as usize);
        let words = |reader: &mut Reader<'_>| {
            let words: Result<Vec<_>, _> =
                (0..bits).map(|_| reader.u64().map(Gf64::from)).collect();
            words.map(Zeroizing::new)
        };
        if record.proves {
            let bits = words(reader)?;
            let pair =
                |_| Ok(Authenticated { value: Fp::decode(reader)?, mac: Fp::decode(reader)? });
            let values = (0..values).map(pair).collect::<Result<Vec<_>, DecodeError>>()?;
            return Ok(Self::Prover { bits, values: Zeroizing::new(values) });
        }
        let deltas = Deltas { bits: Gf64::from(reader.u64()?), values: Fp::decode(reader)? };
        let bits = words(reader)?;
        let values = (0..values).map(|_| Fp::decode(reader)).collect::<Result<Vec<_>, _>>()?;
        let (deltas, values) = (Zeroizing::new(deltas), Zeroizing::new(values));
        Ok(Self::Verifier { deltas, bits, values })
    }
}

impl Stock {
    /// The stock as a file, which only the holder of the key can open.
    ///
    /// # Errors
    /// If the cipher refuses: at no length that a stock can have.
    pub fn seal(&self, identity: &Identity, rng: &mut impl CryptoRng) -> io::Result<Vec<u8>> {
        let mut salt = [0; SALT];
        rng.fill_bytes(&mut salt);
        let mut clear = Vec::new();
        self.record.encode(&mut clear);
        clear.extend_from_slice(&salt);
        // In one piece, which encryption leaves no plaintext of.
        let len = self.record.secret_len();
        let mut file = Vec::with_capacity(clear.len() + len + TAG);
        file.extend_from_slice(&clear);
        self.half.encode(&mut file);
        let (_, secrets) = file.split_at_mut(clear.len());
        let sealed = cipher(identity, &salt).and_then(|cipher| {
            cipher.encrypt_inout_detached(&Nonce::default(), &clear, secrets.into()).ok()
        });
        let Some(tag) = sealed else {
            file.zeroize();
            return Err(io::Error::other("the stock cannot be encrypted"));
        };
        file.extend_from_slice(&tag);
        Ok(file)
    }

    /// Opens what [`Stock::seal`] made.
    ///
    /// # Errors
    /// [`DecodeError`] for another kind of file, another key, or changed bytes.
    pub fn open(file: &[u8], identity: &Identity) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(file);
        let record = StockRecord::decode(&mut reader)?;
        let salt = reader.array::<SALT>()?;
        let clear = file.len() - reader.remaining();
        let mut secrets = Zeroizing::new(reader.take(record.secret_len())?.to_vec());
        let tag = Tag::from(reader.array::<TAG>()?);
        reader.finish()?;
        // It was read from there.
        let clear = file.get(..clear).unwrap_or_default();
        let opened = cipher(identity, &salt).and_then(|cipher| {
            let secrets = secrets.as_mut_slice().into();
            cipher.decrypt_inout_detached(&Nonce::default(), clear, secrets, &tag).ok()
        });
        if opened.is_none() || record.own != identity.id() {
            return Err(DecodeError::invalid("stock", "sealed for another key, or changed"));
        }
        let mut reader = Reader::new(&secrets);
        let half = Half::decode(&record, &mut reader)?;
        reader.finish()?;
        Ok(Self { record, half })
    }
}
