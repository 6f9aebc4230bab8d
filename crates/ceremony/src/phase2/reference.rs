//! What a key is compared with: the first key of its ceremony, or what that follows from.

use std::io::{Read, Seek};

use algebra::{CurveGroup, Engine};
use circuit::{
    PointList,
    zkey::{G1Query, Zkey, ZkeyHeader},
};
use rand_core::CryptoRng;
use wire::Progress;

use super::{
    CHUNK, Settings,
    compare::{COEFFICIENTS, Comparison, Divided, Division, TopPower, first_undivided, ratio},
    initial::{Initial, top_power},
    native,
};
use crate::{Error, trust::ReadSeek};

/// Where right points of a key are known from.
pub enum Reference<'a> {
    /// The first key of the ceremony, to which nobody has contributed.
    ///
    /// All of it is believed. Whoever did not make it by [`new`](super::new()) compares its
    /// [digest](crate::Snapshot::digest) with that of somebody who did: that the circuit hash is right
    /// does not suffice, for it does not cover the highest power of `H`.
    First(&'a mut dyn ReadSeek),
    /// The circuit and the prepared phase 1, which should have been
    /// [verified](crate::phase1::verify): the first key is computed again.
    Circuit {
        /// The circuit.
        circuit: &'a mut dyn ReadSeek,
        /// The prepared phase 1.
        ptau: &'a mut dyn ReadSeek,
    },
}

/// What a contributor to a key compares it with, and how.
pub struct Against<'a> {
    /// Where right points are known from.
    pub reference: Reference<'a>,
    /// What the verifier is ready to do.
    pub settings: &'a Settings,
}

/// What was found besides.
pub(super) struct Compared {
    pub is_hash_checked: bool,
    pub has_top_power: bool,
}

/// A reference whose header is that of the key.
pub(super) enum Opened<'a, 'f, E: Engine> {
    First { initial: Zkey<E>, file: &'a mut &'f mut dyn ReadSeek },
    Circuit(Initial<'a, E, &'f mut dyn ReadSeek, &'f mut dyn ReadSeek>),
}

impl<'f> Against<'f> {
    /// Opens the reference, and requires that a key is of the same sizes and phase 1. It takes no time, so
    /// it comes before all that does.
    pub(super) fn open<'a, E: Engine>(
        &'a mut self,
        zkey: &Zkey<E>,
        key: &mut (impl Read + Seek),
    ) -> Result<Opened<'a, 'f, E>, Error> {
        match &mut self.reference {
            Reference::First(file) => {
                let initial = open_first::<E>(file)?;
                check_header(zkey.header(), initial.header())?;
                match zkey.circuit_hash(key)? == initial.circuit_hash(file)? {
                    true => Ok(Opened::First { initial, file }),
                    false => Err(Error::CircuitHash),
                }
            }
            Reference::Circuit { circuit, ptau } => {
                let initial = Initial::open(circuit, ptau)?;
                check_header(zkey.header(), &initial.header)?;
                Ok(Opened::Circuit(initial))
            }
        }
    }
}

impl<E: Engine> Opened<'_, '_, E> {
    /// Requires that all points of the key are those of the first one, divided by `δ` where that stands
    /// below.
    pub fn check_points(
        self,
        zkey: &Zkey<E>,
        key: &mut (impl Read + Seek),
        settings: &Settings,
        rng: &mut impl CryptoRng,
        progress: &impl Progress,
    ) -> Result<Compared, Error> {
        let may_lack_top = settings.may_lack_top_power;
        match self {
            Self::First { initial, file } => {
                let top =
                    compare_with_first(zkey, key, (&initial, file), may_lack_top, rng, progress)?;
                Ok(Compared { is_hash_checked: true, has_top_power: top == TopPower::Present })
            }
            Self::Circuit(mut initial) => {
                let mut comparison = Comparison::new(zkey, key, rng);
                let expected_hash = initial.produce(&mut comparison, progress)?;
                let top = comparison.check_divided(&mut initial, may_lack_top, progress)?;
                let is_hash_checked = zkey.circuit_hash(key)? == expected_hash;
                if !is_hash_checked && (zkey.is_native() || initial.is_hash_of_snarkjs()) {
                    return Err(Error::CircuitHash);
                }
                Ok(Compared { is_hash_checked, has_top_power: top == TopPower::Present })
            }
        }
    }
}

/// Compares a key with the first one: what `δ` does not touch byte by byte, and of `K` and `H` two short
/// combinations.
fn compare_with_first<E: Engine>(
    zkey: &Zkey<E>,
    key: &mut (impl Read + Seek),
    (initial, first): (&Zkey<E>, &mut (impl Read + Seek)),
    may_lack_top: bool,
    rng: &mut impl CryptoRng,
    progress: &impl Progress,
) -> Result<TopPower, Error> {
    same_coefficients(zkey, key, initial, first)?;
    for query in [G1Query::Ic, G1Query::A, G1Query::B] {
        same_bytes(&zkey.g1(query)?, key, &initial.g1(query)?, first)?;
    }
    same_bytes(&zkey.b_g2()?, key, &initial.b_g2()?, first)?;

    let mut division = Division::new();
    for query in [G1Query::K, G1Query::H] {
        let list = initial.g1(query)?;
        progress.begin(query.place(), list.len());
        let chunks = list.chunks(first, CHUNK).map(|chunk| {
            let (start, points) = chunk?;
            list.check_subgroup(start, &points)?;
            progress.advance(points.len() as u64);
            Ok((start, points))
        });
        division.push(zkey, query, key, chunks, rng)?;
    }
    let h = initial.g1(G1Query::H)?;
    let h_top = || {
        let read = |start, count| Ok(h.read(first, start, count)?);
        top_power::<E>(zkey.header().domain_size, read)
    };
    match division.check(zkey, may_lack_top, h_top, rng)? {
        Divided::Right(top) => Ok(top),
        Divided::Wrong(query) => {
            let (list, before) = (zkey.g1(query)?, initial.g1(query)?);
            let read = |start, count| Ok(before.read(first, start, count)?);
            let index = first_undivided::<E>(&list, key, read, ratio(zkey), rng)?;
            Err(Error::NotDivided { place: query.place(), index })
        }
    }
}

/// Opens a key to which nobody has contributed, of either form.
fn open_first<E: Engine>(first: &mut (impl Read + Seek)) -> Result<Zkey<E>, Error> {
    let of_first = |reason: Error| Error::FirstKey { reason: Box::new(reason) };
    let initial = Zkey::<E>::open(first).map_err(|reason| of_first(reason.into()))?;
    let contributions = match initial.is_native() {
        true => native::info::<E>(first).map_err(of_first)?.contributions.len() as u64,
        false => initial.contributions(first)?.announced(),
    };
    let (g, h) = (E::G1::affine_generator(), E::G2::affine_generator());
    let points = &initial.header().points;
    let is_first = points.gamma_g2 == h && points.delta_g1 == g && points.delta_g2 == h;
    match contributions == 0 && is_first {
        true => Ok(initial),
        false => Err(Error::NotFirst),
    }
}

/// Everything in the header but `δ`.
pub(super) fn check_header<E: Engine>(
    got: &ZkeyHeader<E>,
    expected: &ZkeyHeader<E>,
) -> Result<(), Error> {
    let (points, first) = (&got.points, &expected.points);
    let same = [
        ("number of wires", got.variables == expected.variables),
        ("number of public wires", got.public == expected.public),
        ("size of the domain", got.domain_size == expected.domain_size),
        ("alpha1", points.alpha_g1 == first.alpha_g1),
        ("beta1", points.beta_g1 == first.beta_g1),
        ("beta2", points.beta_g2 == first.beta_g2),
        ("gamma2", points.gamma_g2 == first.gamma_g2),
    ];
    match same.into_iter().find(|(_, same)| !same) {
        None => Ok(()),
        Some((field, _)) => Err(Error::Header { field }),
    }
}

fn same_coefficients<E: Engine>(
    zkey: &Zkey<E>,
    key: &mut (impl Read + Seek),
    initial: &Zkey<E>,
    first: &mut (impl Read + Seek),
) -> Result<(), Error> {
    let (found, expected) = (zkey.coefficients(key)?, initial.coefficients(first)?);
    let (expected_count, got) = (expected.left(), found.left());
    if expected_count != got {
        return Err(Error::CoefficientCount { expected: expected_count, got });
    }
    for (index, (found, expected)) in (0..).zip(found.zip(expected)) {
        if found? != expected? {
            return Err(Error::NotInitial { place: COEFFICIENTS, index });
        }
    }
    Ok(())
}

/// Requires that two lists of the same length have the same bytes.
pub(super) fn same_bytes<G: CurveGroup>(
    list: &PointList<G>,
    file: &mut (impl Read + Seek),
    other: &PointList<G>,
    other_file: &mut (impl Read + Seek),
) -> Result<(), Error> {
    for start in (0..list.len()).step_by(CHUNK) {
        let count = (list.len() - start).min(CHUNK as u64) as usize;
        let found = list.read_bytes(file, start, count)?;
        let expected = other.read_bytes(other_file, start, count)?;
        let len = G::form_len(list.form());
        let mut pairs = found.chunks(len).zip(expected.chunks(len));
        if let Some(at) = pairs.position(|(found, expected)| found != expected) {
            return Err(Error::NotInitial { place: list.place(), index: start + at as u64 });
        }
    }
    Ok(())
}
