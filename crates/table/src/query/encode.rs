//! Answers as bytes.

use wire::{Decode, DecodeError, Encode, Reader, put_bytes};

use super::{
    Answer, Cut, EpochCover, Moments, Openings, OrderPart, Outcome, Proof, Query, Withheld,
    schnorr::scalars,
};
use crate::{log::Attestation, rollup::RolledUp, sum_tree::Root};

/// Bounds for decoding.
const MAX_EPOCHS: usize = 1 << 16;
const MAX_PARTS: usize = 1 << 13;
const MAX_PROOFS: usize = 1 << 16;
const MAX_PROOF_LEN: usize = 1 << 12;
const MAX_SUMS: u8 = 4;

impl Encode for Moments {
    fn encode(&self, out: &mut Vec<u8>) {
        self.count.encode(out);
        out.push(self.sums.len() as u8);
        self.sums.iter().for_each(|sum| out.extend_from_slice(sum.as_bytes()));
    }
}

impl Decode for Moments {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (count, sums) = (reader.u64()?, reader.u8()?);
        match sums <= MAX_SUMS {
            true => Ok(Self { count, sums: scalars(reader, sums.into())? }),
            false => Err(DecodeError::out_of_bounds("moments", "more powers than any column has")),
        }
    }
}

impl Encode for Outcome {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Empty => out.push(0),
            Self::Moments(moments) => {
                out.push(1);
                moments.encode(out);
            }
            Self::Order { count, value } => {
                out.push(2);
                count.encode(out);
                value.encode(out);
            }
            Self::Top { count, threshold, top } => {
                out.push(3);
                count.encode(out);
                threshold.encode(out);
                top.encode(out);
            }
            Self::Histogram(parts) => {
                out.push(4);
                (parts.len() as u32).encode(out);
                parts.iter().for_each(|part| part.encode(out));
            }
            Self::Rounded { count, sum } => {
                out.push(5);
                count.encode(out);
                out.extend_from_slice(&sum.to_le_bytes());
            }
            Self::Withheld(why) => out.extend([6, *why as u8]),
        }
    }
}

impl Decode for Outcome {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(match reader.u8()? {
            0 => Self::Empty,
            1 => Self::Moments(Moments::decode(reader)?),
            2 => Self::Order { count: reader.u64()?, value: reader.u64()? },
            3 => Self::Top {
                count: reader.u64()?,
                threshold: reader.u64()?,
                top: Moments::decode(reader)?,
            },
            4 => {
                let parts = reader.count("parts", MAX_PARTS)?;
                let parts = (0..parts).map(|_| Moments::decode(reader));
                Self::Histogram(parts.collect::<Result<_, _>>()?)
            }
            5 => Self::Rounded { count: reader.u64()?, sum: u128::from_le_bytes(reader.array()?) },
            6 => Self::Withheld(match reader.u8()? {
                0 => Withheld::Small,
                1 => Withheld::Complement,
                2 => Withheld::Parts,
                _ => return Err(DecodeError::invalid("outcome", "unknown reason")),
            }),
            _ => return Err(DecodeError::invalid("outcome", "unknown kind")),
        })
    }
}

impl Outcome {
    /// How many sums it claims.
    pub(super) fn sums(&self) -> usize {
        match self {
            Self::Empty | Self::Withheld(_) | Self::Order { .. } | Self::Rounded { .. } => 0,
            Self::Moments(moments) | Self::Top { top: moments, .. } => moments.sums.len(),
            Self::Histogram(parts) => parts.iter().map(|part| part.sums.len()).sum(),
        }
    }
}

fn encode_ranges(ranges: &[Vec<u8>], out: &mut Vec<u8>) {
    (ranges.len() as u32).encode(out);
    ranges.iter().for_each(|proof| put_bytes(out, proof));
}

fn decode_ranges(reader: &mut Reader<'_>) -> Result<Vec<Vec<u8>>, DecodeError> {
    let count = reader.count("range proofs", MAX_PROOFS)?;
    let proof = |_| reader.bytes("range proof", MAX_PROOF_LEN).map(<[u8]>::to_vec);
    (0..count).map(proof).collect()
}

/// The proof's kind is that of the outcome.
fn decode_proof(
    reader: &mut Reader<'_>,
    outcome: &Outcome,
    slots: usize,
    counts: &[u64],
) -> Result<Proof, DecodeError> {
    let sums = outcome.sums();
    Ok(match outcome {
        Outcome::Empty | Outcome::Withheld(_) => Proof::Empty,
        Outcome::Moments(_) => Proof::Moments(Openings::decode(reader, sums)?),
        Outcome::Rounded { .. } => Proof::Rounded { ranges: decode_ranges(reader)? },
        Outcome::Order { .. } => {
            let order = OrderPart::decode(reader, slots, counts)?;
            Proof::Order { order, ranges: decode_ranges(reader)? }
        }
        Outcome::Top { .. } => Proof::Top {
            order: OrderPart::decode(reader, slots, counts)?,
            cut: Cut::decode(reader, slots, counts)?,
            openings: Openings::decode(reader, sums)?,
            ranges: decode_ranges(reader)?,
        },
        Outcome::Histogram(parts) => {
            let cuts = reader.count("cuts", parts.len())?;
            let cuts = (0..cuts).map(|_| Cut::decode(reader, slots, counts));
            let cuts = cuts.collect::<Result<_, _>>()?;
            let openings = Openings::decode(reader, sums)?;
            Proof::Histogram { cuts, openings, ranges: decode_ranges(reader)? }
        }
    })
}

/// The roots that an answer cuts through: of every key that the covers show, or of the roll-up.
fn roots<'a>(
    covers: &'a [EpochCover],
    rolled_up: Option<&'a RolledUp>,
) -> impl Iterator<Item = &'a Root> {
    let keys = covers.iter().flat_map(|cover| cover.keys.iter().map(|(_, root)| root));
    keys.chain(rolled_up.map(|rolled_up| &rolled_up.root))
}

impl Encode for Answer {
    fn encode(&self, out: &mut Vec<u8>) {
        self.query.encode(out);
        match &self.rolled_up {
            None => {
                let beside = self.covers.iter().any(|cover| !cover.beside.is_empty());
                out.push(if beside { 2 } else { 0 });
                (self.covers.len() as u32).encode(out);
                self.covers.iter().for_each(|cover| cover.encode(beside, out));
            }
            Some(rolled_up) => {
                out.push(1);
                rolled_up.encode(out);
            }
        }
        self.outcome.encode(out);
        let roots = roots(&self.covers, self.rolled_up.as_ref());
        let counts: Vec<u64> = roots.map(|root| root.count).collect();
        match &self.proof {
            Proof::Empty => {}
            Proof::Moments(openings) => openings.encode(out),
            Proof::Rounded { ranges } => encode_ranges(ranges, out),
            Proof::Order { order, ranges } => {
                order.encode(&counts, out);
                encode_ranges(ranges, out);
            }
            Proof::Top { order, cut, openings, ranges } => {
                order.encode(&counts, out);
                cut.encode(&counts, out);
                openings.encode(out);
                encode_ranges(ranges, out);
            }
            Proof::Histogram { cuts, openings, ranges } => {
                (cuts.len() as u32).encode(out);
                cuts.iter().for_each(|cut| cut.encode(&counts, out));
                openings.encode(out);
                encode_ranges(ranges, out);
            }
        }
        (self.attestations.len() as u32).encode(out);
        self.attestations.iter().for_each(|attestation| attestation.encode(out));
    }
}

impl Decode for Answer {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let query = Query::decode(reader)?;
        let (mut covers, mut rolled_up) = (Vec::new(), None);
        match reader.u8()? {
            tag @ (0 | 2) => {
                let count = reader.count("epochs", MAX_EPOCHS)?;
                let read = (0..count).map(|_| EpochCover::decode(tag == 2, reader));
                covers = read.collect::<Result<_, _>>()?;
                if tag == 2 && covers.iter().all(|cover| cover.beside.is_empty()) {
                    return Err(DecodeError::out_of_bounds("answer", "there are no keys beside"));
                }
            }
            1 => rolled_up = Some(RolledUp::decode(reader)?),
            _ => return Err(DecodeError::invalid("answer", "neither keys nor a roll-up")),
        }
        let roots = || roots(&covers, rolled_up.as_ref());
        let slots = roots().next().map_or(0, |root| root.doubles.len());
        let counts: Vec<u64> = roots().map(|root| root.count).collect();
        let outcome = Outcome::decode(reader)?;
        let proof = decode_proof(reader, &outcome, slots, &counts)?;
        let attestations = reader.count("attestations", MAX_EPOCHS)?;
        let attestations = (0..attestations).map(|_| Attestation::decode(reader));
        let attestations = attestations.collect::<Result<_, _>>()?;
        Ok(Self { query, covers, rolled_up, outcome, proof, attestations })
    }
}
