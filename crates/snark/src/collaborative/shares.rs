//! Additive shares of a witness.

use algebra::{Engine, Scalar, ScalarOf};
use rand_core::CryptoRng;
use wire::{Decode, DecodeError, Encode, FileHeader, Reader};
use zeroize::Zeroizing;

use super::{Error, MAX_PARTIES, Seat};
use crate::file::FileFormat;

/// Most wires of a circuit whose shares are read.
const MAX_WIRES: usize = 1 << 28;

/// One party's share of the private wires, and the public ones as they are. Fewer than all shares are
/// uniform, whatever the witness. (No `Debug`: it is secret.)
pub struct WitnessShare<E: Engine> {
    pub(super) seat: Seat,
    pub(super) public: Vec<ScalarOf<E>>,
    pub(super) private: Zeroizing<Vec<ScalarOf<E>>>,
}

/// Splits a witness, all wires in their order, of which `public` beside the constant are public.
///
/// # Errors
/// [`Error::Parties`]; [`Error::Length`] if there are fewer wires.
pub fn share_witness<E: Engine>(
    witness: &[ScalarOf<E>],
    public: usize,
    parties: u16,
    rng: &mut impl CryptoRng,
) -> Result<Vec<WitnessShare<E>>, Error> {
    let Some((statement, private)) = witness.get(1..).and_then(|z| z.split_at_checked(public))
    else {
        return Err(Error::Length { what: "wires", expected: public + 1, got: witness.len() });
    };
    let mut last = Zeroizing::new(private.to_vec());
    let mut shares = Vec::with_capacity(parties.into());
    for party in 1..=parties {
        let seat = Seat::new(party, parties)?;
        let private = match party == parties {
            true => std::mem::take(&mut last),
            false => {
                let share = Zeroizing::new(Scalar::random_many(private.len(), rng));
                last.iter_mut().zip(share.iter()).for_each(|(rest, &share)| *rest -= share);
                share
            }
        };
        shares.push(WitnessShare { seat, public: statement.to_vec(), private });
    }
    Ok(shares)
}

impl<E: Engine> WitnessShare<E> {
    /// Whose share it is.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// The public wires.
    pub fn public(&self) -> &[ScalarOf<E>] {
        &self.public
    }

    /// The party's share of all wires. The first party has the constant and the public ones.
    pub(super) fn wires(&self) -> Zeroizing<Vec<ScalarOf<E>>> {
        let known = [ScalarOf::<E>::one()].into_iter().chain(self.public.iter().copied());
        let known = known.map(|value| if self.seat.is_first() { value } else { Scalar::zero() });
        Zeroizing::new(known.chain(self.private.iter().copied()).collect())
    }
}

/// Party and parties (2 bytes each); the public wires and the share of the private ones, each a count
/// (4 bytes) and scalars.
impl<E: Engine> Encode for WitnessShare<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.seat.encode(out);
        put_scalars(&self.public, out);
        put_scalars(&self.private, out);
    }
}

impl<E: Engine> Decode for WitnessShare<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (seat, public) = (Seat::decode(reader)?, take_scalars(reader, "public wires")?);
        let private = Zeroizing::new(take_scalars(reader, "private wires")?);
        Ok(Self { seat, public, private })
    }
}

impl<E: Engine> FileFormat<E> for WitnessShare<E> {
    const HEADER: FileHeader = FileHeader::new("g16share", 1);
}

impl Encode for Seat {
    fn encode(&self, out: &mut Vec<u8>) {
        self.party.encode(out);
        self.parties.encode(out);
    }
}

impl Decode for Seat {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (party, parties) = (reader.u16()?, reader.u16()?);
        let none = |_| DecodeError::invalid("party", format!("not one of 2 to {MAX_PARTIES}"));
        Self::new(party, parties).map_err(none)
    }
}

pub(super) fn put_scalars<S: Scalar>(scalars: &[S], out: &mut Vec<u8>) {
    (scalars.len() as u32).encode(out);
    out.extend(S::encode_all(scalars));
}

pub(super) fn take_scalars<S: Scalar>(
    reader: &mut Reader<'_>,
    what: &'static str,
) -> Result<Vec<S>, DecodeError> {
    let count = reader.count(what, MAX_WIRES)?;
    exact_scalars(reader, what, count)
}

pub(super) fn exact_scalars<S: Scalar>(
    reader: &mut Reader<'_>,
    what: &'static str,
    count: usize,
) -> Result<Vec<S>, DecodeError> {
    let bytes = reader.items(count, S::ENCODED_LEN)?;
    S::decode_all(bytes).map_err(|error| DecodeError::invalid(what, error))
}
