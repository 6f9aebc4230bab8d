//! The common reference string of the pairing shuffle tFLSZ for up to `n` ciphertexts (Fauzi, Lipmaa, Siim,
//! Zając: "A Non-Interactive Shuffle Argument With Low Trust Assumptions", CT-RSA 2020).
//!
//! The trapdoors are `χ`, `θ`, `β`, `β̂`, `ρ`. `P_0`, `P_i` and `Q_i` are polynomials in `χ`, defined over the
//! roots of unity of order `n + 1` in `docs/spec/pairing.md`; `P̂_i = θ^{2i}`; `i` goes from 1 to `n`. The file
//! has what proofs need, what the check of the reference string needs, and the powers of `χ` from which
//! everybody recomputes `P_i` and `Q_i`.
//!
//! Lists and fields below are named as in the paper. A ceremony puts `γβ` and `γβ̂` in the place of `β²` and
//! `ββ̂`, with a trapdoor `γ` of its own, so that its second round needs no secret of the first. `γ = β` gives
//! the paper's reference string; proofs use the same points either way.

use std::io::{Read, Seek, Write};

use algebra::Engine;
use wire::FileHeader;

use super::head::{ceremony_prefix, layout, prefix, read_prefix, read_transcript};
use crate::{
    Error, PointList, PointWriter,
    layout::{Counting, Layout, LayoutWriter, Slot},
};

const HEADER: FileHeader = FileHeader::new("tflszcrs", 1);
const CEREMONY: FileHeader = FileHeader::new("tflszcer", 2);
const PLACE: &str = "tFLSZ CRS";
/// Far beyond any shuffle, and far below a size whose file has `2^64` bytes.
const MAX_SIZE: u64 = 1 << 40;

/// A list of G1, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TflszG1 {
    /// `P_0`, `ρ`, `Σ P̂_i`, `β̂`, `βρ`, `β²ρ`, `ββ̂`.
    Single,
    /// `χ^k` for `k` from 1 to `2n`.
    Chi,
    /// `θ^k` for `k` from 1 to `2n`; the even powers are the `P̂_i`.
    Theta,
    /// `βχ^k` for `k` from 0 to `n`.
    BetaChi,
    /// `β̂θ^{2k}` for `k` from 1 to `n`.
    BetaHatThetaEven,
    /// `P_i`.
    P,
    /// `Q_i/ρ`.
    QOverRho,
    /// `β²P_i + ββ̂P̂_i`.
    Mixed,
}

/// A list of G2, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TflszG2 {
    /// `P_0`, `ρ`, `θ`, `β`, `β̂`, `β²`, `ββ̂`.
    Single,
    /// `χ^k` for `k` from 1 to `n`.
    Chi,
    /// `P_i`.
    P,
}

impl TflszG1 {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Single,
        Self::Chi,
        Self::Theta,
        Self::BetaChi,
        Self::BetaHatThetaEven,
        Self::P,
        Self::QOverRho,
        Self::Mixed,
    ];

    /// The name of the list in errors.
    pub fn place(self) -> &'static str {
        // The name does not depend on the size.
        self.slot(0).place
    }

    fn slot(self, size: u64) -> Slot {
        match self {
            Self::Single => Slot::g1("tFLSZ CRS, single points of G1", 7),
            Self::Chi => Slot::g1("tFLSZ CRS, powers of chi in G1", 2 * size),
            Self::Theta => Slot::g1("tFLSZ CRS, powers of theta", 2 * size),
            Self::BetaChi => Slot::g1("tFLSZ CRS, beta times powers of chi", size + 1),
            Self::BetaHatThetaEven => {
                Slot::g1("tFLSZ CRS, beta hat times even powers of theta", size)
            }
            Self::P => Slot::g1("tFLSZ CRS, P in G1", size),
            Self::QOverRho => Slot::g1("tFLSZ CRS, Q over rho", size),
            Self::Mixed => Slot::g1("tFLSZ CRS, beta^2 P + beta beta hat P hat", size),
        }
    }
}

impl TflszG2 {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Single, Self::Chi, Self::P];

    /// The name of the list in errors.
    pub fn place(self) -> &'static str {
        self.slot(0).place
    }

    fn slot(self, size: u64) -> Slot {
        match self {
            Self::Single => Slot::g2("tFLSZ CRS, single points of G2", 7),
            Self::Chi => Slot::g2("tFLSZ CRS, powers of chi in G2", size),
            Self::P => Slot::g2("tFLSZ CRS, P in G2", size),
        }
    }
}

/// The place of everything in a CRS file, the length of the file checked.
///
/// A ceremony makes `γβ` and `γβ̂` where the paper has `β²` and `ββ̂`, with the trapdoor `γ` of its second
/// round; in the paper `γ = β`. Proofs and their verification are the same.
#[derive(Clone, Debug)]
pub struct TflszCrs<E> {
    size: u64,
    layout: Layout<E>,
}

impl<E: Engine> TflszCrs<E> {
    /// Reads the header and checks the length of the file.
    ///
    /// # Errors
    /// [`Error`] of header and length.
    pub fn open(reader: &mut (impl Read + Seek)) -> Result<Self, Error> {
        let size = read_prefix::<E>(reader, HEADER, PLACE)?;
        let crs = Self::new(size).map_err(|reason| Error::field(PLACE, "size", reason))?;
        crs.layout.check_len(reader)?;
        Ok(crs)
    }

    /// Opens the file of a ceremony: the same with a transcript before the lists, which comes
    /// along.
    ///
    /// # Errors
    /// [`Error`] of header and length.
    pub fn open_ceremony(reader: &mut (impl Read + Seek)) -> Result<(Self, Vec<u8>), Error> {
        let size = read_prefix::<E>(reader, CEREMONY, PLACE)?;
        let crs = Self::new(size).map_err(|reason| Error::field(PLACE, "size", reason));
        let mut crs = crs?;
        let transcript = read_transcript::<E>(reader, CEREMONY, PLACE)?;
        // The transcript and its 32-bit length stand between the size and the lists.
        crs.layout.prefix += 4 + transcript.len() as u64;
        crs.layout.check_len(reader)?;
        Ok((crs, transcript))
    }

    fn new(size: u64) -> Result<Self, &'static str> {
        if !(1..=MAX_SIZE).contains(&size) {
            return Err("the size is out of range");
        }
        let slots = TflszG1::ALL.into_iter().map(|list| list.slot(size));
        let slots = slots.chain(TflszG2::ALL.into_iter().map(|list| list.slot(size)));
        Ok(Self { size, layout: layout(PLACE, HEADER, slots.collect()) })
    }

    /// `n`: ciphertexts that one shuffle may have.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// A list of G1.
    pub fn g1(&self, list: TflszG1) -> PointList<E::G1> {
        self.layout.g1(list as usize)
    }

    /// A list of G2.
    pub fn g2(&self, list: TflszG2) -> PointList<E::G2> {
        self.layout.g2(TflszG1::ALL.len() + list as usize)
    }
}

/// Writes a CRS file; the lists of G1, then those of G2, each in their order.
pub struct TflszWriter<W, E>(LayoutWriter<W, E>);

impl<W: Write, E: Engine> TflszWriter<W, E> {
    /// Starts a file for `n` ciphertexts.
    ///
    /// # Errors
    /// [`Error::Unwritable`] for a size out of range; those of the writer.
    pub fn new(writer: W, size: u64) -> Result<Self, Error> {
        let crs = TflszCrs::<E>::new(size);
        let crs = crs.map_err(|reason| Error::Unwritable { place: PLACE, reason })?;
        Ok(Self(LayoutWriter::new(writer, crs.layout, &prefix::<E>(HEADER, size))?))
    }

    /// Starts the file of a ceremony with its transcript.
    ///
    /// # Errors
    /// Those of [`TflszWriter::new`]; [`Error::Unwritable`] for a transcript that is too long.
    pub fn ceremony(writer: W, size: u64, transcript: &[u8]) -> Result<Self, Error> {
        let crs = TflszCrs::<E>::new(size);
        let mut crs = crs.map_err(|reason| Error::Unwritable { place: PLACE, reason })?;
        let prefix = ceremony_prefix::<E>(CEREMONY, PLACE, size, transcript)?;
        crs.layout.prefix = prefix.len() as u64;
        Ok(Self(LayoutWriter::new(writer, crs.layout, &prefix)?))
    }

    /// Starts the next list, which is this one of G1.
    ///
    /// # Errors
    /// [`Error::Unwritable`] out of order.
    pub fn g1(&mut self, list: TflszG1) -> Result<PointWriter<&mut Counting<W>, E::G1>, Error> {
        self.0.g1(list as usize)
    }

    /// Starts the next list, which is this one of G2.
    ///
    /// # Errors
    /// [`Error::Unwritable`] out of order.
    pub fn g2(&mut self, list: TflszG2) -> Result<PointWriter<&mut Counting<W>, E::G2>, Error> {
        self.0.g2(TflszG1::ALL.len() + list as usize)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// [`Error::Unwritable`] if lists are missing; those of the writer.
    pub fn finish(self) -> Result<W, Error> {
        self.0.finish(&[])
    }
}
