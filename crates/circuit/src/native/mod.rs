//! Parameters of other systems that one ceremony can serve, in this project's own files.
//!
//! `SUBROSA\0`, kind and version ([`wire::FileHeader`]), the name of the pairing behind a 32-bit
//! length, a size (64 bits), and lists of points in a fixed order, uncompressed, big-endian, with
//! `0x40` and zeros for infinity.

mod sonic;
mod tflsz;

use std::{
    io::{Read, Seek, SeekFrom},
    marker::PhantomData,
};

use algebra::{Dialect, Engine, Pairing, PointForm};
use wire::{Encode, FileHeader, Reader, put_bytes};

pub use sonic::{SonicG1, SonicG2, SonicSrs, SonicWriter};
pub use tflsz::{TflszCrs, TflszG1, TflszG2, TflszWriter};

use crate::{
    Error,
    layout::{Layout, Slot},
};

const FORM: PointForm = PointForm::Uncompressed(Dialect::Bellman);
/// Magic, kind, version; length of the name.
const FIXED_LEN: usize = 18 + 4;

/// Everything before the first list.
fn prefix<E: Engine>(header: FileHeader, size: u64) -> Vec<u8> {
    let mut out = header.to_bytes();
    put_bytes(&mut out, <E as Pairing>::NAME.as_bytes());
    size.encode(&mut out);
    out
}

/// Reads everything before the first list, and hands back the size.
fn read_prefix<E: Engine>(
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

fn layout<E: Engine>(place: &'static str, header: FileHeader, slots: Vec<Slot>) -> Layout<E> {
    let prefix = prefix::<E>(header, 0).len() as u64;
    Layout { place, form: FORM, prefix, slots, suffix: 0, engine: PhantomData }
}
