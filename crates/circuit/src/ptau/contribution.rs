//! One contribution to phase 1.

use std::io::{Read, Seek};

use algebra::{Affine, CurveGroup, Dialect, Engine, PointForm};
use wire::{Blake2b, Encode, Reader};

use crate::{
    Attribution, Error,
    entries::Entry,
    record::{Fields, Records, put_point},
};

pub(super) const ID: u32 = 7;
pub(super) const PLACE: &str = "ptau section 7 (contributions)";

/// The five points of an accumulator that have one secret each, in public: what a chain of contributions
/// is checked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretPoints<E: Engine> {
    /// `[τ]₁`.
    pub tau_g1: Affine<E::G1>,
    /// `[τ]₂`.
    pub tau_g2: Affine<E::G2>,
    /// `[α]₁`.
    pub alpha_g1: Affine<E::G1>,
    /// `[β]₁`.
    pub beta_g1: Affine<E::G1>,
    /// `[β]₂`.
    pub beta_g2: Affine<E::G2>,
}

impl<E: Engine> SecretPoints<E> {
    /// The state before any contribution: `τ = α = β = 1`.
    pub fn initial() -> Self {
        let (g, h) = (E::G1::affine_generator(), E::G2::affine_generator());
        Self { tau_g1: g, tau_g2: h, alpha_g1: g, beta_g1: g, beta_g2: h }
    }
}

/// The proof of knowledge of a contributor's `τ`, `α` and `β`: for each secret `x` a point `s`,
/// `x·s`, and `x·R` for the `R` that hashing makes of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowersPublicKey<E: Engine> {
    /// `s` for `τ`, `α`, `β`.
    pub s: [Affine<E::G1>; 3],
    /// `x·s`.
    pub sx: [Affine<E::G1>; 3],
    /// `x·R`.
    pub rx: [Affine<E::G2>; 3],
}

impl<E: Engine> PowersPublicKey<E> {
    /// Bytes of the key in a form.
    pub fn form_len(form: PointForm) -> usize {
        6 * E::G1::form_len(form) + 3 * E::G2::form_len(form)
    }

    /// Appends the key; `response` files have it uncompressed at their end.
    pub fn write_form(&self, form: PointForm, out: &mut Vec<u8>) {
        for (s, sx) in self.s.iter().zip(&self.sx) {
            put_point::<E::G1>(s, form, out);
            put_point::<E::G1>(sx, form, out);
        }
        self.rx.iter().for_each(|rx| put_point::<E::G2>(rx, form, out));
    }

    pub(crate) fn read(fields: &mut Fields<'_>) -> Result<Self, Error> {
        let (tau_s, tau_sx) = (fields.point::<E::G1>("tau s")?, fields.point::<E::G1>("tau sx")?);
        let alpha_s = fields.point::<E::G1>("alpha s")?;
        let alpha_sx = fields.point::<E::G1>("alpha sx")?;
        let (beta_s, beta_sx) =
            (fields.point::<E::G1>("beta s")?, fields.point::<E::G1>("beta sx")?);
        let tau_rx = fields.point::<E::G2>("tau Rx")?;
        let alpha_rx = fields.point::<E::G2>("alpha Rx")?;
        let beta_rx = fields.point::<E::G2>("beta Rx")?;
        Ok(Self {
            s: [tau_s, alpha_s, beta_s],
            sx: [tau_sx, alpha_sx, beta_sx],
            rx: [tau_rx, alpha_rx, beta_rx],
        })
    }
}

/// One contribution, as section 7 records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contribution<E: Engine> {
    /// The accumulator's secrets after it.
    pub after: SecretPoints<E>,
    /// The proof of knowledge.
    pub public_key: PowersPublicKey<E>,
    /// The state of BLAKE2b after the response file up to its public key.
    pub partial_hash: [u8; Blake2b::STATE_LEN],
    /// The hash of the challenge file that follows.
    pub next_challenge: [u8; 64],
    /// Who made it.
    pub attribution: Attribution,
}

impl<E: Engine> Contribution<E> {
    /// The hash of the response file, which contributors publish.
    ///
    /// # Errors
    /// [`Error::Record`] if the stored state of BLAKE2b is impossible.
    pub fn response_hash(&self) -> Result<[u8; 64], Error> {
        let mut hash = Blake2b::from_state(&self.partial_hash).map_err(Error::record(PLACE))?;
        let mut key = Vec::new();
        self.public_key.write_form(PointForm::Uncompressed(Dialect::Snarkjs), &mut key);
        hash.update(&key);
        Ok(hash.finish())
    }

    /// Bytes before the attribution.
    fn fixed_len() -> usize {
        let form = PointForm::Montgomery;
        let secret_points = 3 * E::G1::form_len(form) + 2 * E::G2::form_len(form);
        secret_points + PowersPublicKey::<E>::form_len(form) + Blake2b::STATE_LEN + 64
    }

    /// Appends the record as the file holds it.
    ///
    /// # Errors
    /// [`Error::Unwritable`] for a name or beacon that does not fit.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        let form = PointForm::Montgomery;
        put_point::<E::G1>(&self.after.tau_g1, form, out);
        put_point::<E::G2>(&self.after.tau_g2, form, out);
        put_point::<E::G1>(&self.after.alpha_g1, form, out);
        put_point::<E::G1>(&self.after.beta_g1, form, out);
        put_point::<E::G2>(&self.after.beta_g2, form, out);
        self.public_key.write_form(form, out);
        out.extend(self.partial_hash);
        out.extend(self.next_challenge);
        self.attribution.encode(out)
    }
}

impl<E: Engine> Entry for Contribution<E> {
    fn read<R: Read + Seek>(records: &mut Records<'_, R>, index: u64) -> Result<Self, Error> {
        let bytes = records.take(Self::fixed_len(), index)?;
        let form = PointForm::Montgomery;
        let mut fields = Fields { reader: Reader::new(&bytes), form, place: PLACE, index };
        let after = SecretPoints {
            tau_g1: fields.point::<E::G1>("tauG1")?,
            tau_g2: fields.point::<E::G2>("tauG2")?,
            alpha_g1: fields.point::<E::G1>("alphaG1")?,
            beta_g1: fields.point::<E::G1>("betaG1")?,
            beta_g2: fields.point::<E::G2>("betaG2")?,
        };
        let public_key = PowersPublicKey::read(&mut fields)?;
        let partial_hash = fields.array()?;
        Blake2b::from_state(&partial_hash).map_err(Error::entry(PLACE, index))?;
        let next_challenge = fields.array()?;
        let attribution = Attribution::decode(records, index)?;
        Ok(Self { after, public_key, partial_hash, next_challenge, attribution })
    }
}

/// Section 7: a count and the contributions.
pub(super) fn encode_all<E: Engine>(contributions: &[Contribution<E>]) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let too_many = Error::Unwritable { place: PLACE, reason: "more than 2^32 contributions" };
    u32::try_from(contributions.len()).map_err(|_| too_many)?.encode(&mut out);
    contributions.iter().try_for_each(|contribution| contribution.encode(&mut out))?;
    Ok(out)
}
