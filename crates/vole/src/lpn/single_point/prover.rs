//! The prover's side: chooses the place α in each block, learns the tree without its leaf α, and from
//! the last word on the tree the MAC there.

use rand_core::CryptoRng;
use rayon::prelude::*;
use wire::{ChannelError, Reader};
use zeroize::{Zeroize, Zeroizing};

use super::{
    ANSWER, Buffers, COMPARED, Place, Publics, check_generators, inner_product, pack, places,
};
use crate::{
    error::VoleError,
    field::{Authenticated, Fp, Gf64, MacField, gf128},
    ggm::{equal_mask, grow_punctured},
    hash::SessionId,
    lpn::{
        code::LinearCode,
        plan::{CHECK_BITS, Demand},
    },
    prg::Prg,
    softspoken::ProverTransfers,
};

/// The prover's noise: where it is, and what it is.
pub(crate) struct Noise<'a> {
    demand: &'a Demand,
    transfers: &'a ProverTransfers,
    /// Over F_p: one for each tree, and one more.
    base: &'a [Authenticated],
    /// α of each tree over F_2, and of each tree over F_p.
    holes: [Zeroizing<Vec<usize>>; 2],
    /// β of each tree over F_p.
    betas: Zeroizing<Vec<Fp>>,
}

/// What a tree contributes to the check: `Σ χ m`, and χ at the hole.
type Share<T> = (T, T);

impl<'a> Noise<'a> {
    pub(crate) fn draw(
        demand: &'a Demand,
        transfers: &'a ProverTransfers,
        base: &'a [Authenticated],
        rng: &mut impl CryptoRng,
    ) -> Self {
        let holes: [Zeroizing<Vec<usize>>; 2] = places(demand).map(|shapes| {
            let places = shapes.iter().flatten();
            Zeroizing::new(
                places.map(|place| rng.next_u64() as usize & ((1 << place.depth) - 1)).collect(),
            )
        });
        let [_, of_values] = &holes;
        let mut betas = Zeroizing::new(Vec::with_capacity(of_values.len()));
        while betas.len() < of_values.len() {
            let drawn = rng.next_u64() >> 3;
            if !matches!(drawn, 0 | Fp::MODULUS) {
                betas.push(Fp::from(drawn));
            }
        }
        Self { demand, transfers, base, holes, betas }
    }

    /// All trees with their holes.
    fn trees(&self, field: usize) -> Vec<Vec<(Place, usize)>> {
        let [bits, values] = places(self.demand);
        let [bit_holes, value_holes] = &self.holes;
        let (shapes, holes) = if field == 0 { (bits, bit_holes) } else { (values, value_holes) };
        let mut holes = holes.iter().copied();
        shapes.into_iter().map(|shape| shape.into_iter().zip(holes.by_ref()).collect()).collect()
    }

    /// The choices, shifted to what the transfers chose by themselves, and `β - a`.
    pub(crate) fn choices(&self) -> Vec<u8> {
        let mut shifts = Vec::new();
        for (place, hole) in [0, 1].into_iter().flat_map(|field| self.trees(field)).flatten() {
            let path = (0..place.depth).rev().map(|above| hole >> above & 1 == 1);
            let rows = self.transfers.choices.iter().skip(place.transfer);
            shifts.extend(path.zip(rows).map(|(bit, choice)| bit ^ choice));
        }
        let mut message = Gf64::put_values(&shifts);
        for (beta, base) in self.betas.iter().zip(self.base) {
            message.extend((*beta - base.value).to_u64().to_le_bytes());
        }
        message
    }

    /// Opens the trees, compresses the noise, and answers the check: MACs of bits, values with their
    /// MACs, the answer, and what is to be compared.
    pub(crate) fn compress(
        self,
        sid: &SessionId,
        counter: u64,
        offer: &[u8],
        codes: &[Vec<impl LinearCode>; 2],
        rng: &mut impl CryptoRng,
    ) -> Result<Compressed, VoleError> {
        let publics = Publics::new(sid);
        let mut seed = [0; 16];
        rng.fill_bytes(&mut seed);
        let [for_bits, for_values] = check_generators(sid, counter, &seed);
        let opened = self.open(&publics, counter, offer)?;
        let [bit_codes, value_codes] = codes;

        let mut made = Compressed::default();
        let (mut product, mut chosen) = (0, 0);
        for (trees, code) in self.trees(0).iter().zip(bit_codes) {
            let (mut noise, share) = self.bits(&publics, &for_bits, trees, &opened);
            code.compress(&mut noise);
            made.bits.append(&mut noise);
            product ^= share.0;
            chosen ^= share.1;
        }
        let (mut value_product, mut value_chosen) = (Fp::default(), Fp::default());
        for (trees, code) in self.trees(1).iter().zip(value_codes) {
            let (mut noise, share) = self.values(&publics, &for_values, trees, &opened);
            code.compress(&mut noise);
            made.values.append(&mut noise);
            value_product += share.0;
            value_chosen += share.1;
        }

        // The masks of the check: the last transfers, and the last base correlation.
        let rest = self.transfers.choices.len().saturating_sub(CHECK_BITS);
        let masks = self.transfers.choices.iter().skip(rest);
        let mask = masks.rev().fold(0, |word, bit| word << 1 | u128::from(*bit));
        // The demand of an extension has room for the masks of the check; without it the check fails.
        let macs = self.transfers.macs.get(rest..).unwrap_or_default();
        let spare = self.base.last().copied().unwrap_or_default();
        let answer = [
            &seed[..],
            &(chosen ^ mask).to_le_bytes(),
            &(value_chosen - spare.value).to_u64().to_le_bytes(),
        ]
        .concat();
        made.answer.iter_mut().zip(answer).for_each(|(to, from)| *to = from);
        let compared = [
            &(product ^ pack(macs)).to_le_bytes()[..],
            &(value_product - spare.mac).to_u64().to_le_bytes(),
        ]
        .concat();
        made.compared.iter_mut().zip(compared).for_each(|(to, from)| *to = from);
        Ok(made)
    }

    /// The sums that the prover may know, and the last word on each tree.
    fn open(&self, publics: &Publics, counter: u64, offer: &[u8]) -> Result<Opened, VoleError> {
        let mut reader = Reader::new(offer);
        let mut word = || reader.array().map(u128::from_le_bytes).map_err(ChannelError::Decode);
        let mut opened = Opened::default();
        for field in [0, 1] {
            for (place, hole) in self.trees(field).into_iter().flatten() {
                let rows = place.transfer..place.transfer + place.depth;
                // The demand has a transfer for each level of each tree.
                let mut pads =
                    Zeroizing::new(self.transfers.macs.get(rows).unwrap_or_default().to_vec());
                publics.pads.hash(counter + place.transfer as u64, &mut pads);
                for (above, pad) in (0..place.depth).rev().zip(&*pads) {
                    let (right, left) = (word()?, word()?);
                    let mask = u128::from(hole >> above & 1 == 1).wrapping_neg();
                    opened.sums.push(right ^ (right ^ left) & mask ^ pad);
                }
                if field == 0 {
                    opened.bit_totals.push(word()?);
                }
            }
        }
        let [_, trees] = places(self.demand);
        for _ in trees.iter().flatten() {
            opened.value_shifts.push(crate::message::element(&mut reader)?);
        }
        Ok(opened)
    }

    fn bits(
        &self,
        publics: &Publics,
        generator: &Prg,
        trees: &[(Place, usize)],
        opened: &Opened,
    ) -> (Zeroizing<Vec<Gf64>>, Share<u128>) {
        let leaves = trees.first().map_or(1, |(place, _)| 1 << place.depth);
        let mut noise = Zeroizing::new(vec![Gf64::default(); trees.len() * leaves]);
        let shares = noise.par_chunks_mut(leaves).zip(trees).map_init(
            Buffers::default,
            |buffers, (noise, &(place, hole))| {
                let (leaves, chis) = buffers.of(place, generator);
                grow_punctured(&publics.doubler, hole, opened.sums(place), leaves);
                // What was opened has a total, and a shift, for each tree: its length was checked.
                let total = opened.bit_totals.get(place.tree).copied().unwrap_or_default();
                let mac = leaves.iter().fold(total, |sum, leaf| sum ^ leaf);
                let mut chosen = 0;
                for (((i, leaf), chi), noise) in (0u64..).zip(&mut *leaves).zip(chis).zip(noise) {
                    let here = equal_mask(i, hole as u64);
                    *leaf |= mac & here;
                    chosen |= chi & here;
                    *noise = Gf64::from(*leaf as u64 & !1 | here as u64 & 1);
                }
                (gf128::inner_product(chis, leaves), chosen)
            },
        );
        let share = shares.reduce(|| (0, 0), |a, b| (a.0 ^ b.0, a.1 ^ b.1));
        (noise, share)
    }

    fn values(
        &self,
        publics: &Publics,
        generator: &Prg,
        trees: &[(Place, usize)],
        opened: &Opened,
    ) -> (Zeroizing<Vec<Authenticated>>, Share<Fp>) {
        let leaves = trees.first().map_or(1, |(place, _)| 1 << place.depth);
        let mut noise = Zeroizing::new(vec![Authenticated::default(); trees.len() * leaves]);
        let shares = noise.par_chunks_mut(leaves).zip(trees).map_init(
            <(Buffers, Zeroizing<Vec<Fp>>)>::default,
            |(buffers, macs), (noise, &(place, hole))| {
                let (leaves, chis) = buffers.of(place, generator);
                grow_punctured(&publics.doubler, hole, opened.sums(place), leaves);
                // There is a value for each tree, and, as over F_2, a shift.
                let beta = self.betas.get(place.tree).copied().unwrap_or_default();
                let base = self.base.get(place.tree).map_or(Fp::default(), |base| base.mac);
                let shift = opened.value_shifts.get(place.tree).copied().unwrap_or_default();
                macs.clear();
                macs.extend(leaves.iter().map(|leaf| Fp::from_u128(*leaf)));
                let known: Fp = macs.iter().copied().sum();
                let hole_mac = base - (shift + known);
                let mut chosen = 0;
                for (((i, noise), mac), chi) in (0u64..).zip(noise).zip(&mut **macs).zip(chis) {
                    let here = equal_mask(i, hole as u64);
                    *mac += hole_mac.masked(here as u64);
                    *noise = Authenticated { value: beta.masked(here as u64), mac: *mac };
                    chosen |= chi & here;
                }
                (inner_product(chis, macs), Fp::from_u128(chosen) * beta)
            },
        );
        let zero = Fp::default();
        let share = shares.reduce(|| (zero, zero), |a, b| (a.0 + b.0, a.1 + b.1));
        (noise, share)
    }
}

/// What the verifier's message says to the prover.
#[derive(Default)]
struct Opened {
    /// One for each level, in the order of the transfers.
    sums: Vec<u128>,
    bit_totals: Vec<u128>,
    value_shifts: Vec<Fp>,
}

impl Opened {
    fn sums(&self, place: Place) -> &[u128] {
        // The offer was read with two words for each level of each tree.
        self.sums.get(place.transfer..place.transfer + place.depth).unwrap_or_default()
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.sums.zeroize();
    }
}

/// What the prover has in the end.
pub(crate) struct Compressed {
    /// MACs, with the bits in their lowest places.
    pub(crate) bits: Zeroizing<Vec<Gf64>>,
    pub(crate) values: Zeroizing<Vec<Authenticated>>,
    pub(crate) answer: [u8; ANSWER],
    pub(crate) compared: [u8; COMPARED],
}

impl Default for Compressed {
    fn default() -> Self {
        Self {
            bits: Zeroizing::default(),
            values: Zeroizing::default(),
            answer: [0; ANSWER],
            compared: [0; COMPARED],
        }
    }
}
