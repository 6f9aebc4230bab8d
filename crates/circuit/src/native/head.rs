//! What these files have before their lists of points.

use std::{
    io::{Read, Seek, SeekFrom},
    marker::PhantomData,
};

use algebra::{Bls12381, Bn254, Dialect, Engine, Pairing, PointForm};
use wire::{Encode, FileHeader, Reader, put_bytes};

use super::transcript::MAX_TRANSCRIPT;
use crate::{
    Curve, Error,
    layout::{Layout, Slot},
};

const FORM: PointForm = PointForm::Uncompressed(Dialect::Bellman);
/// Magic, kind, version; length of the name.
const FIXED_LEN: usize = 18 + 4;

/// The curve of a file of this project's own, of whatever kind.
///
/// # Errors
/// [`Error::UnknownCurve`]; [`Error::Record`] if the file is too short; those of the reader.
pub fn curve_of_file(reader: &mut (impl Read + Seek)) -> Result<Curve, Error> {
    let place = "header";
    reader.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    reader.take((FIXED_LEN + <Bls12381 as Pairing>::NAME.len()) as u64).read_to_end(&mut bytes)?;
    let mut fields = Reader::new(&bytes);
    fields.take(FIXED_LEN - 4).map_err(Error::record(place))?;
    match fields.bytes("pairing", <Bls12381 as Pairing>::NAME.len()) {
        Ok(name) if name == <Bn254 as Pairing>::NAME.as_bytes() => Ok(Curve::Bn254),
        Ok(name) if name == <Bls12381 as Pairing>::NAME.as_bytes() => Ok(Curve::Bls12381),
        _ => Err(Error::UnknownCurve { place }),
    }
}

/// Everything before the first list.
pub(super) fn prefix<E: Engine>(header: FileHeader, size: u64) -> Vec<u8> {
    let mut out = header.to_bytes();
    put_bytes(&mut out, <E as Pairing>::NAME.as_bytes());
    size.encode(&mut out);
    out
}

/// Reads everything before the first list, and hands back the size.
pub(super) fn read_prefix<E: Engine>(
    reader: &mut (impl Read + Seek),
    header: FileHeader,
    place: &'static str,
) -> Result<u64, Error> {
    let name = <E as Pairing>::NAME;
    reader.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::new();
    reader.take((FIXED_LEN + name.len() + 8) as u64).read_to_end(&mut bytes)?;
    let mut fields = Reader::new(&bytes);
    header.expect(&mut fields).map_err(Error::record(place))?;
    // Another pairing's name may be longer than what was read.
    let other = Error::Curve { place, expected: name };
    match fields.bytes("pairing", name.len()) {
        Ok(found) if found == name.as_bytes() => {}
        _ => return Err(other),
    }
    fields.u64().map_err(Error::record(place))
}

/// Lists of points behind such a beginning.
pub(super) fn layout<E: Engine>(
    place: &'static str,
    header: FileHeader,
    slots: Vec<Slot>,
) -> Layout<E> {
    let prefix = prefix::<E>(header, 0).len() as u64;
    Layout { place, form: FORM, prefix, slots, suffix: 0, engine: PhantomData }
}

/// The transcript that stands between the size and the lists of a ceremony's file.
pub(super) fn read_transcript<E: Engine>(
    reader: &mut (impl Read + Seek),
    header: FileHeader,
    place: &'static str,
) -> Result<Vec<u8>, Error> {
    reader.seek(SeekFrom::Start(prefix::<E>(header, 0).len() as u64))?;
    let mut len = Vec::new();
    reader.take(4).read_to_end(&mut len)?;
    let count = Reader::new(&len).count("transcript", MAX_TRANSCRIPT);
    let count = count.map_err(Error::record(place))?;
    let mut transcript = Vec::new();
    reader.take(count as u64).read_to_end(&mut transcript)?;
    match transcript.len() == count {
        true => Ok(transcript),
        false => Err(Error::field(place, "transcript", "the file ends in it")),
    }
}

/// Everything before the first list of a ceremony's file.
pub(super) fn ceremony_prefix<E: Engine>(
    header: FileHeader,
    place: &'static str,
    size: u64,
    transcript: &[u8],
) -> Result<Vec<u8>, Error> {
    if transcript.len() > MAX_TRANSCRIPT {
        return Err(Error::Unwritable { place, reason: "the transcript is too long" });
    }
    let mut out = prefix::<E>(header, size);
    put_bytes(&mut out, transcript);
    Ok(out)
}
