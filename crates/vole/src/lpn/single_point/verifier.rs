//! The verifier's side: grows the trees whose leaves are its keys, and offers their sums under the
//! pads of the oblivious transfers.

use rand_core::CryptoRng;
use rayon::prelude::*;
use wire::{ChannelError, Reader};
use zeroize::Zeroizing;

use super::{
    ANSWER, Buffers, COMPARED, Place, Publics, check_generators, choice_bytes, inner_product, pack,
    places,
};
use crate::{
    error::VoleError,
    field::{Fp, Gf64, MacField, gf128},
    ggm::{LevelSums, grow},
    hash::SessionId,
    lpn::{
        code::LinearCode,
        plan::{CHECK_BITS, Demand},
    },
    message,
    prg::Prg,
};

/// The verifier's trees.
pub(crate) struct Trees<'a> {
    demand: &'a Demand,
    publics: Publics,
    /// Δ of 128 bits, and Δ of F_p.
    deltas: (u128, Fp),
    /// Keys of the oblivious transfers.
    transfers: &'a [u128],
    /// Keys over F_p: one for each tree, and one more.
    base: &'a [Fp],
    /// Of the trees over F_2, and of those over F_p.
    roots: [Zeroizing<Vec<u128>>; 2],
}

/// The verifier's keys, and what it expects to be shown.
pub(crate) struct Keys {
    /// The lowest bit of each is zero.
    pub(crate) bits: Zeroizing<Vec<Gf64>>,
    pub(crate) values: Zeroizing<Vec<Fp>>,
    pub(crate) compared: [u8; COMPARED],
}

/// What a tree's growth gives to the verifier's message.
struct Grown<T> {
    sums: Vec<LevelSums>,
    total: T,
}

impl<'a> Trees<'a> {
    pub(crate) fn draw(
        sid: &SessionId,
        demand: &'a Demand,
        deltas: (u128, Fp),
        transfers: &'a [u128],
        base: &'a [Fp],
        rng: &mut impl CryptoRng,
    ) -> Self {
        let mut root = || {
            let mut bytes = Zeroizing::new([0; 16]);
            rng.fill_bytes(&mut *bytes);
            u128::from_le_bytes(*bytes)
        };
        let roots = places(demand).map(|shapes| {
            Zeroizing::new(shapes.iter().flatten().map(|_| root()).collect::<Vec<_>>())
        });
        Self { demand, publics: Publics::new(sid), deltas, transfers, base, roots }
    }

    fn root(&self, field: usize, place: Place) -> u128 {
        // A root was drawn for each tree.
        let roots = self.roots.get(field).and_then(|roots| roots.get(place.tree));
        roots.copied().unwrap_or_default()
    }

    fn grow<T: Send>(
        &self,
        field: usize,
        total: impl Fn(&[u128]) -> T + Sync,
    ) -> Vec<(Place, Grown<T>)> {
        let [bits, values] = places(self.demand);
        let shapes = if field == 0 { bits } else { values };
        let places: Vec<_> = shapes.into_iter().flatten().collect();
        let grown =
            places.into_par_iter().map_init(Zeroizing::<Vec<u128>>::default, |leaves, place| {
                leaves.resize(1 << place.depth, 0);
                let (leaves, _) = leaves.split_at_mut(1 << place.depth);
                let sums = grow(&self.publics.doubler, self.root(field, place), leaves);
                (place, Grown { sums, total: total(leaves) })
            });
        grown.collect()
    }

    /// The level sums under the pads of the transfers, each with the total of its tree over F_2, and
    /// then the shifted totals over F_p.
    pub(crate) fn offer(&self, counter: u64, choices: &[u8]) -> Result<Vec<u8>, VoleError> {
        let [bytes, _] = choice_bytes(self.demand);
        // Whoever calls has read as many bytes as both parts have (`choice_bytes`).
        let (shifts, betas) = choices.split_at_checked(bytes).unwrap_or_default();
        let levels = self.transfers.len().saturating_sub(CHECK_BITS);
        let shifts = Gf64::read_values(shifts, levels)?;
        let mut betas = Reader::new(betas);
        let mut message = Vec::with_capacity(super::offer_bytes(self.demand));
        let (bit_delta, field_delta) = self.deltas;

        for (place, grown) in self.grow(0, |leaves| leaves.iter().fold(bit_delta, |a, b| a ^ b)) {
            self.mask(counter, place, &grown.sums, &shifts, &mut message);
            message.extend(grown.total.to_le_bytes());
        }
        let mut totals = Vec::new();
        let sum = |leaves: &[u128]| leaves.iter().map(|leaf| Fp::from_u128(*leaf)).sum::<Fp>();
        for ((place, grown), key) in self.grow(1, sum).into_iter().zip(self.base) {
            self.mask(counter, place, &grown.sums, &shifts, &mut message);
            let gamma = *key - message::element(&mut betas)? * field_delta;
            totals.push(gamma - grown.total);
        }
        totals.iter().for_each(|total| message.extend(total.to_u64().to_le_bytes()));
        Ok(message)
    }

    fn mask(
        &self,
        counter: u64,
        place: Place,
        sums: &[LevelSums],
        shifts: &[bool],
        message: &mut Vec<u8>,
    ) {
        let (delta, _) = self.deltas;
        let rows = place.transfer..place.transfer + place.depth;
        // The demand of an extension has a transfer for each level of each tree, and a message a shift for each.
        let keys = self.transfers.get(rows.clone()).unwrap_or_default();
        let shifts = shifts.get(rows).unwrap_or_default();
        let shifted = keys.iter().zip(shifts);
        let mut for_right: Zeroizing<Vec<u128>> = Zeroizing::new(
            shifted.map(|(key, shift)| key ^ u128::from(*shift).wrapping_neg() & delta).collect(),
        );
        let mut for_left =
            Zeroizing::new(for_right.iter().map(|key| key ^ delta).collect::<Vec<_>>());
        let first = counter + place.transfer as u64;
        self.publics.pads.hash(first, &mut for_right);
        self.publics.pads.hash(first, &mut for_left);
        for (([left, right], for_right), for_left) in sums.iter().zip(&*for_right).zip(&*for_left) {
            message.extend((right ^ for_right).to_le_bytes());
            message.extend((left ^ for_left).to_le_bytes());
        }
    }

    /// Compresses the keys, and computes what the prover must show.
    pub(crate) fn compress(
        self,
        sid: &SessionId,
        counter: u64,
        answer: &[u8; ANSWER],
        codes: &[Vec<impl LinearCode>; 2],
    ) -> Result<Keys, VoleError> {
        let mut reader = Reader::new(answer);
        let seed = reader.array().map_err(ChannelError::Decode)?;
        let shifts = reader.array().map(u128::from_le_bytes).map_err(ChannelError::Decode)?;
        let shift = message::element(&mut reader)?;
        let [for_bits, for_values] = check_generators(sid, counter, &seed);
        let [bit_places, value_places] = places(self.demand);
        let [bit_codes, value_codes] = codes;
        let (bit_delta, field_delta) = self.deltas;

        let mut keys = Keys {
            bits: Zeroizing::default(),
            values: Zeroizing::default(),
            compared: [0; COMPARED],
        };
        let mut product = 0;
        for (places, code) in bit_places.iter().zip(bit_codes) {
            let narrow = |leaf: u128| Gf64::from(leaf as u64 & !1);
            let combine =
                |chis: &[u128], leaves: &[u128], _: &[Gf64]| gf128::inner_product(chis, leaves);
            let (mut made, share) = self.noise(0, places, &for_bits, narrow, combine, |a, b| a ^ b);
            code.compress(&mut made);
            keys.bits.append(&mut made);
            product ^= share;
        }
        let mut value_product = Fp::default();
        for (places, code) in value_places.iter().zip(value_codes) {
            let combine = |chis: &[u128], _: &[u128], keys: &[Fp]| inner_product(chis, keys);
            let (mut made, share) =
                self.noise(1, places, &for_values, Fp::from_u128, combine, |a, b| a + b);
            code.compress(&mut made);
            keys.values.append(&mut made);
            value_product += share;
        }

        let rest = self.transfers.len().saturating_sub(CHECK_BITS);
        let masks = self.transfers.iter().skip(rest).enumerate();
        let masks = masks.map(|(i, key)| key ^ (shifts >> i & 1).wrapping_neg() & bit_delta);
        let masks = Zeroizing::new(masks.collect::<Vec<_>>());
        // The demand has a correlation to spare for this; without it the prover fails.
        let spare = self.base.last().copied().unwrap_or_default() - shift * field_delta;
        let compared = [
            &(product ^ pack(&masks)).to_le_bytes()[..],
            &(value_product - spare).to_u64().to_le_bytes(),
        ]
        .concat();
        keys.compared.iter_mut().zip(compared).for_each(|(to, from)| *to = from);
        Ok(keys)
    }

    /// The leaves of a shape's trees as keys, and their random combination.
    fn noise<K: Copy + Default + Send + zeroize::Zeroize, T: Default + Send>(
        &self,
        field: usize,
        places: &[Place],
        generator: &Prg,
        narrow: impl Fn(u128) -> K + Sync,
        combine: impl Fn(&[u128], &[u128], &[K]) -> T + Sync,
        add: impl Fn(T, T) -> T + Send + Sync,
    ) -> (Zeroizing<Vec<K>>, T) {
        let width = places.first().map_or(1, |place| 1 << place.depth);
        let mut keys = Zeroizing::new(vec![K::default(); places.len() * width]);
        let shares = keys.par_chunks_mut(width).zip(places).map_init(
            Buffers::default,
            |buffers, (keys, &place)| {
                let (leaves, chis) = buffers.of(place, generator);
                grow(&self.publics.doubler, self.root(field, place), leaves);
                keys.iter_mut().zip(&*leaves).for_each(|(key, leaf)| *key = narrow(*leaf));
                combine(chis, leaves, keys)
            },
        );
        let share = shares.reduce(T::default, add);
        (keys, share)
    }
}
