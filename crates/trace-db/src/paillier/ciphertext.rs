//! Lists of ciphertexts, and what can be done with them without any secret key.

use integer::{Integer, SecretInteger, random_bits};
use rand_core::CryptoRng;
use rayon::prelude::*;
use wire::{DecodeError, Encode, Reader};

use super::{MAX_ROWS, PaillierError, PublicKey, encode::Elements, error::require};

/// A list of ciphertexts, component by component: one list of elements under `dealt`, two under
/// `bcp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ciphertexts {
    components: Vec<Elements>,
}

/// What ciphertexts were made from: `E(plaintext; randomness)`. Erased when dropped.
pub struct Openings {
    /// M, for each ciphertext.
    pub plaintexts: Vec<SecretInteger>,
    /// r, for each ciphertext.
    pub randomness: Vec<SecretInteger>,
}

impl Ciphertexts {
    /// The number of ciphertexts.
    pub fn len(&self) -> usize {
        self.components.first().map_or(0, Elements::len)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first components of all ciphertexts, then the second ones.
    pub fn components(&self) -> &[Elements] {
        &self.components
    }

    /// Reads a list of as many ciphertexts as it says, at most [`MAX_ROWS`].
    ///
    /// # Errors
    /// [`DecodeError`] on anything but the canonical encoding of units of Z_{N²} with Jacobi
    /// symbol +1.
    pub fn decode(reader: &mut Reader<'_>, key: &PublicKey) -> Result<Self, DecodeError> {
        let count = reader.count("ciphertexts", MAX_ROWS)?;
        Self::decode_exactly(reader, key, count)
    }

    pub(super) fn decode_exactly(
        reader: &mut Reader<'_>,
        key: &PublicKey,
        count: usize,
    ) -> Result<Self, DecodeError> {
        let component = |_| Elements::decode(reader, key.moduli(), "ciphertext", count);
        let components = (0..key.scheme().components()).map(component);
        Ok(Self { components: components.collect::<Result<_, _>>()? })
    }

    /// The encodings of all components, without the count.
    pub(super) fn put_components(&self, out: &mut Vec<u8>) {
        self.components.iter().for_each(|component| component.encode(out));
    }

    /// The list of the ciphertexts at these places; places that do not exist are left out.
    #[must_use]
    pub fn select(&self, key: &PublicKey, places: &[usize]) -> Self {
        let select = |component: &Elements| {
            let values = component.values();
            let selected = places.iter().filter_map(|&place| values.get(place).cloned());
            Elements::new(key.cipher(), selected.collect())
        };
        Self { components: self.components.iter().map(select).collect() }
    }

    /// This list followed by others.
    #[must_use]
    pub fn concat(key: &PublicKey, lists: &[&Self]) -> Self {
        let component = |index: usize| {
            let parts = lists.iter().filter_map(|list| list.components.get(index));
            let values = parts.flat_map(|part| part.values().iter().cloned()).collect();
            Elements::new(key.cipher(), values)
        };
        Self { components: (0..key.scheme().components()).map(component).collect() }
    }

    /// One ciphertext: the product of all, raised to exponents, times `factors` component by
    /// component.
    pub(super) fn product_of_powers(
        &self,
        key: &PublicKey,
        exponents: &[&Integer],
        factors: &[Integer],
    ) -> Self {
        let product = |(component, factor): (&Elements, &Integer)| {
            let product = key.cipher().multi_exp(component.values(), exponents);
            Elements::new(key.cipher(), vec![key.cipher().mul(&product, factor)])
        };
        Self { components: self.components.iter().zip(factors).map(product).collect() }
    }

    /// The product of all components, raised to 128-bit exponents.
    pub(super) fn product_of_short_powers(
        &self,
        key: &PublicKey,
        exponents: &[u128],
    ) -> Vec<Integer> {
        let product =
            |component: &Elements| key.cipher().multi_exp_short(component.values(), exponents);
        self.components.iter().map(product).collect()
    }

    /// A list from its ciphertexts.
    fn from_rows(key: &PublicKey, rows: Vec<Vec<Integer>>) -> Self {
        let mut columns = vec![Vec::with_capacity(rows.len()); key.scheme().components()];
        for row in rows {
            columns.iter_mut().zip(row).for_each(|(column, element)| column.push(element));
        }
        let encode = |column| Elements::new(key.cipher(), column);
        Self { components: columns.into_iter().map(encode).collect() }
    }
}

/// 32-bit count, components one after the other.
impl Encode for Ciphertexts {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.len() as u32).encode(out);
        self.put_components(out);
    }
}

impl PublicKey {
    /// `E(M; 0) = 1 + M·N`: encryptions of public integers that anybody recomputes. Integers count
    /// modulo N.
    #[must_use]
    pub fn trivial(&self, plaintexts: &[Integer]) -> Ciphertexts {
        let row = |plaintext: &Integer| {
            let mut row = vec![Integer::from(1); self.scheme().components()];
            self.put_plaintext(&mut row, plaintext);
            row
        };
        Ciphertexts::from_rows(self, plaintexts.par_iter().map(row).collect())
    }

    /// Encrypts integers with fresh randomness. Constant time for a key without tables.
    ///
    /// # Errors
    /// [`PaillierError::Plaintext`] unless all are in `[0, N)`.
    pub fn encrypt(
        &self,
        plaintexts: Vec<SecretInteger>,
        rng: &mut impl CryptoRng,
    ) -> Result<(Ciphertexts, Openings), PaillierError> {
        let modulus = self.plain().value();
        let fits = |m: &SecretInteger| !m.expose().is_negative() && m.expose() < modulus;
        if let Some(index) = plaintexts.iter().position(|plaintext| !fits(plaintext)) {
            return Err(PaillierError::Plaintext { index });
        }
        let randomness = self.draw_randomness(plaintexts.len(), rng);
        let openings = Openings { plaintexts, randomness };
        Ok((self.encrypt_with(&openings), openings))
    }

    /// The ciphertexts of openings.
    pub(super) fn encrypt_with(&self, openings: &Openings) -> Ciphertexts {
        let row = |(plaintext, randomness): (&SecretInteger, &SecretInteger)| {
            let mut row = self.mask(randomness);
            self.put_plaintext(&mut row, plaintext.expose());
            row
        };
        let rows = openings.plaintexts.par_iter().zip(&openings.randomness).map(row);
        Ciphertexts::from_rows(self, rows.collect())
    }

    /// The ciphertexts of the sums, row by row.
    ///
    /// # Errors
    /// [`PaillierError::Length`].
    pub fn add(
        &self,
        left: &Ciphertexts,
        right: &Ciphertexts,
    ) -> Result<Ciphertexts, PaillierError> {
        require("summands", left.len(), right.len())?;
        let add = |(left, right): (&Elements, &Elements)| {
            let pairs = left.values().par_iter().zip(right.values());
            let products = pairs.map(|(left, right)| self.cipher().mul(left, right));
            Elements::new(self.cipher(), products.collect())
        };
        let components = left.components.iter().zip(&right.components).map(add);
        Ok(Ciphertexts { components: components.collect() })
    }

    /// The ciphertexts of the plaintexts times public factors, row by row.
    ///
    /// # Errors
    /// [`PaillierError::Length`].
    pub fn scale(
        &self,
        ciphertexts: &Ciphertexts,
        factors: &[u128],
    ) -> Result<Ciphertexts, PaillierError> {
        require("factors", ciphertexts.len(), factors.len())?;
        let scale = |component: &Elements| {
            let pairs = component.values().par_iter().zip(factors);
            let powers =
                pairs.map(|(element, &factor)| self.cipher().pow(element, &Integer::from(factor)));
            Elements::new(self.cipher(), powers.collect())
        };
        Ok(Ciphertexts { components: ciphertexts.components.iter().map(scale).collect() })
    }

    /// The same plaintexts under fresh randomness, which is returned beside them.
    pub fn rerandomize(
        &self,
        ciphertexts: &Ciphertexts,
        rng: &mut impl CryptoRng,
    ) -> (Ciphertexts, Vec<SecretInteger>) {
        let randomness = self.draw_randomness(ciphertexts.len(), rng);
        let masks = randomness.par_iter().map(|randomness| self.mask(randomness));
        let masks = Ciphertexts::from_rows(self, masks.collect());
        // There is a mask for each ciphertext, so that they can be added.
        let fresh = self.add(ciphertexts, &masks).unwrap_or(masks);
        (fresh, randomness)
    }

    fn draw_randomness(&self, count: usize, rng: &mut impl CryptoRng) -> Vec<SecretInteger> {
        (0..count).map(|_| random_bits(self.randomness_bits(), rng)).collect()
    }
}
