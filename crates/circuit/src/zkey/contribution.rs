//! One contribution to phase 2.

use std::io::{Read, Seek};

use algebra::{Affine, CurveGroup, Dialect, Engine, PointForm};
use wire::{Blake2b, Reader};

use super::sections::MPC;
use crate::{
    Attribution, Error,
    entries::Entry,
    record::{Fields, Records, put_point},
};

/// One contribution, as section 10 records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contribution<E: Engine> {
    /// `[δ]₁` after it.
    pub delta_after: Affine<E::G1>,
    /// A point `s` of unknown logarithm.
    pub s: Affine<E::G1>,
    /// `s` times the contributor's secret.
    pub sx: Affine<E::G1>,
    /// The hash of `transcript` to G2, times the secret.
    pub rx: Affine<E::G2>,
    /// BLAKE2b-512 over the circuit hash, the keys before, `s` and `sx`.
    pub transcript: [u8; 64],
    /// Who made it.
    pub attribution: Attribution,
}

impl<E: Engine> Contribution<E> {
    /// Bytes before the attribution.
    pub(crate) fn key_len(form: PointForm) -> usize {
        3 * E::G1::form_len(form) + E::G2::form_len(form) + 64
    }

    /// Appends everything but the attribution: what later transcripts absorb (uncompressed), and
    /// what bellman's parameters hold.
    pub fn write_key(&self, form: PointForm, out: &mut Vec<u8>) {
        put_point::<E::G1>(&self.delta_after, form, out);
        put_point::<E::G1>(&self.s, form, out);
        put_point::<E::G1>(&self.sx, form, out);
        put_point::<E::G2>(&self.rx, form, out);
        out.extend(self.transcript);
    }

    /// The contribution's hash, which contributors publish.
    pub fn hash(&self) -> [u8; 64] {
        let mut key = Vec::new();
        self.write_key(PointForm::Uncompressed(Dialect::Snarkjs), &mut key);
        Blake2b::digest(&key)
    }

    /// Appends the record as the file holds it.
    ///
    /// # Errors
    /// [`Error::Unwritable`] for a name or beacon that does not fit.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.write_key(PointForm::Montgomery, out);
        self.attribution.encode(out)
    }

    /// Everything but the attribution, from its bytes.
    pub(crate) fn read_key(
        bytes: &[u8],
        form: PointForm,
        place: &'static str,
        index: u64,
    ) -> Result<Self, Error> {
        let mut fields = Fields { reader: Reader::new(bytes), form, place, index };
        Ok(Self {
            delta_after: fields.point::<E::G1>("deltaAfter")?,
            s: fields.point::<E::G1>("s")?,
            sx: fields.point::<E::G1>("sx")?,
            rx: fields.point::<E::G2>("Rx")?,
            transcript: fields.array()?,
            attribution: Attribution::default(),
        })
    }
}

impl<E: Engine> Entry for Contribution<E> {
    fn read<R: Read + Seek>(records: &mut Records<'_, R>, index: u64) -> Result<Self, Error> {
        let form = PointForm::Montgomery;
        let bytes = records.take(Self::key_len(form), index)?;
        let key = Self::read_key(&bytes, form, MPC, index)?;
        Ok(Self { attribution: Attribution::decode(records, index)?, ..key })
    }
}
