//! The transcripts of native ceremonies: what those of both phases have in common.
//!
//! A turn leaves points that determine its secrets, and proofs that its maker knew them. A hash runs through all turns,
//! from the parameters of the ceremony on. Every proof is bound to the hash of everything before it and to its maker's
//! name.

use algebra::Scalar;
use circuit::{Attribution, Origin as PublicOrigin};
use rayon::prelude::*;
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, DecodeError, Digest, Encode, Progress, Reader, put_bytes};

use crate::{
    Error, Records,
    contribution::Contribution,
    origins,
    phase1::{Beacon, Settings},
    series::{self, put_name, read_name},
};

/// A contribution: `A` is what it left, `K` are the proofs of a participant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Turn<A, K> {
    pub name: Option<String>,
    pub after: A,
    pub origin: Origin<K>,
}

/// Where a turn's secrets came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin<K> {
    /// Somebody who proved to know them.
    Participant(Known<K>),
    /// Public randomness: everybody knows them, so there is nothing to prove.
    Beacon(Beacon),
}

/// What a participant says and proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known<K> {
    /// The digest of the file that they contributed to. No later file shows whether it is true: it is for
    /// them, and for whoever published that file, to compare.
    pub input: Digest,
    /// The proofs, which bind it.
    pub proofs: K,
}

const PARTICIPANT: u8 = 0;
const BEACON: u8 = 1;

/// All turns of a ceremony, first to last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Turns<A, K>(pub Vec<Turn<A, K>>);

/// A turn in its place, with what its proofs come to, or its beacon.
pub(crate) type Placed<'a, A, K, T> = (Place<'a>, &'a Turn<A, K>, Result<T, &'a Beacon>);

impl<A: Encode, K: Encode> Turns<A, K> {
    /// The hash before the first turn, which is `start`, and after each.
    pub fn hashes(&self, start: [u8; 64]) -> Vec<[u8; 64]> {
        let mut hashes = vec![start];
        let mut last = start;
        for turn in &self.0 {
            last = series::next(&last, turn);
            hashes.push(last);
        }
        hashes
    }

    /// The hash that the next turn answers.
    pub fn last_hash(&self, start: [u8; 64]) -> [u8; 64] {
        self.0.iter().fold(start, |last, turn| series::next(&last, turn))
    }

    /// The turns, each with its place.
    fn places(&self, protocol: &'static str, start: [u8; 64]) -> Vec<(Place<'_>, &Turn<A, K>)> {
        let protocol = protocol.as_bytes();
        let pairs = self.0.iter().zip(self.hashes(start));
        pairs.map(|(turn, before)| (Place { protocol, before, name: &turn.name }, turn)).collect()
    }

    /// The turns, each with its place, and with what `of` makes of a participant's proofs, or the beacon. That hashes
    /// to a group for each of them, so it is done for all together.
    pub fn origins<'a, T: Send>(
        &'a self,
        protocol: &'static str,
        start: [u8; 64],
        of: impl Fn(&Place<'a>, &'a Known<K>) -> T + Sync,
        progress: &impl Progress,
    ) -> Vec<Placed<'a, A, K, T>>
    where
        A: Sync,
        K: Sync,
    {
        let places = self.places(protocol, start);
        progress.begin("contributions", places.len() as u64);
        let with_origin = places.into_par_iter().map(|(place, turn)| {
            let origin = match &turn.origin {
                Origin::Participant(known) => Ok(of(&place, known)),
                Origin::Beacon(beacon) => Err(beacon),
            };
            progress.advance(1);
            (place, turn, origin)
        });
        with_origin.collect()
    }

    /// The turns, byte by byte.
    pub fn records(&self, start: [u8; 64]) -> Records {
        Records::new(start, self.0.iter().map(Encode::to_bytes).collect())
    }

    /// What the last turn left.
    pub fn after(&self) -> Result<&A, Error> {
        self.0.last().map(|turn| &turn.after).ok_or(Error::NoContributions)
    }

    /// Requires that somebody contributed who drew secrets.
    pub fn require_participant(&self) -> Result<(), Error> {
        let is_beacon = |turn: &Turn<A, K>| matches!(turn.origin, Origin::Beacon(_));
        match (self.0.is_empty(), self.0.iter().all(is_beacon)) {
            (true, _) => Err(Error::NoContributions),
            (_, true) => Err(Error::OnlyBeacons),
            _ => Ok(()),
        }
    }

    /// Requires that a verifier is ready to recompute all beacons.
    pub fn check_work(&self, settings: &Settings) -> Result<(), Error> {
        let exponents = self.0.iter().map(|turn| match &turn.origin {
            Origin::Participant(_) => None,
            Origin::Beacon(beacon) => Some(beacon.iterations_exp()),
        });
        origins::check_work(exponents, settings)
    }

    /// What contributors know of their contributions.
    pub fn contributions(&self, start: [u8; 64]) -> Vec<Contribution> {
        let hashes = self.hashes(start).into_iter().skip(1);
        let one = |(turn, hash): (&Turn<A, K>, _)| {
            let name = turn.name.clone();
            let (origin, input) = match &turn.origin {
                Origin::Participant(known) => (PublicOrigin::Participant, Some(known.input)),
                Origin::Beacon(beacon) => {
                    let (iterations_exp, hash) = (beacon.iterations_exp(), beacon.hash().to_vec());
                    (PublicOrigin::Beacon { iterations_exp, hash }, None)
                }
            };
            Contribution { hash, attribution: Attribution { name, origin }, input }
        };
        self.0.iter().zip(hashes).map(one).collect()
    }
}

impl<A: Encode, K: Encode> Encode for Turn<A, K> {
    fn encode(&self, out: &mut Vec<u8>) {
        put_name(&self.name, out);
        self.after.encode(out);
        match &self.origin {
            Origin::Participant(Known { input, proofs }) => {
                PARTICIPANT.encode(out);
                input.encode(out);
                proofs.encode(out);
            }
            Origin::Beacon(beacon) => {
                BEACON.encode(out);
                beacon.iterations_exp().encode(out);
                put_bytes(out, beacon.hash());
            }
        }
    }
}

impl<A: Decode, K: Decode> Decode for Turn<A, K> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (name, after) = (read_name(reader)?, A::decode(reader)?);
        let origin = match reader.u8()? {
            PARTICIPANT => {
                let (input, proofs) = (Digest::decode(reader)?, K::decode(reader)?);
                Origin::Participant(Known { input, proofs })
            }
            BEACON => {
                let iterations_exp = reader.u8()?;
                let beacon = Beacon::new(reader.bytes("beacon", 255)?.to_vec(), iterations_exp);
                Origin::Beacon(beacon.map_err(|error| DecodeError::invalid("beacon", error))?)
            }
            _ => return Err(DecodeError::invalid("contribution", "of an unknown kind")),
        };
        Ok(Self { name, after, origin })
    }
}

impl<A: Encode, K: Encode> Encode for Turns<A, K> {
    fn encode(&self, out: &mut Vec<u8>) {
        series::put_all(&self.0, out);
    }
}

impl<A: Decode, K: Decode> Decode for Turns<A, K> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self(series::read_all(reader)?))
    }
}

/// What a turn's proofs and a beacon's secrets depend on.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The Fiat-Shamir label of the phase.
    pub protocol: &'static [u8],
    /// The hash of everything before.
    pub before: [u8; 64],
    pub name: &'a Option<String>,
}

impl Place<'_> {
    /// The challenge to which somebody who contributes to a file with this digest proves knowledge.
    pub fn challenge(&self, input: &Digest) -> [u8; 64] {
        let mut transcript = series::proofs(self.protocol, 1, &self.before, self.name, input);
        transcript.challenge_wide(b"challenge")
    }

    /// The secrets of a beacon, one after the other, neither 0 nor 1. It takes the beacon's time.
    ///
    /// They depend on the beacon and on what was there before it, and not on the name: nothing is left
    /// to choose for whoever adds it when it is known.
    pub fn secrets<S: Scalar, P: Progress>(
        &self,
        beacon: &Beacon,
        progress: &P,
    ) -> impl FnMut() -> S + use<S, P> {
        let mut transcript = Transcript::new(self.protocol);
        transcript.absorb(b"before", &self.before);
        transcript.absorb(b"beacon", beacon.delay(progress).as_ref());
        move || loop {
            let secret = S::from_wide(&transcript.challenge_wide(b"secret"));
            if secret != S::zero() && secret != S::one() {
                return secret;
            }
        }
    }
}
