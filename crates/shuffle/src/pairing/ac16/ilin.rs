//! Validity-enhanced ILin encryption: for k = 1, 2 with the same randomness `s = (s_1, s_2)`,
//! `Enc_k(m; s) = (s_1 h_k, s_2 (g_k + h_k), (m + s_1 + s_2) g_k)`, where `g_1 = [ρ/β]₁`,
//! `g_2 = [1]₂` and `h_k = γ g_k`.

use algebra::{AffineGroup, FixedBaseTable, Group, Pairing, Scalar, ScalarOf};
use rand_core::CryptoRng;
use rayon::prelude::*;
use wire::{Decode, DecodeError, Encode, Reader};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::Crs;
use crate::{
    Equation, MAX_ROWS, PointList, ShuffleError, encode,
    pairing::affine::{random_shorts, sum_short},
};

/// The decryption key γ of one party, erased when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct SecretKey<E: Pairing>(ScalarOf<E>);

/// An encryption key, made for one reference string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey<E: Pairing> {
    /// `γ [ρ/β]₁`
    pub h1: E::G1,
    /// `[γ]₂`
    pub h2: E::G2,
}

impl<E: Pairing> SecretKey<E> {
    /// Draws a key; neither 0 nor −1.
    pub fn generate(rng: &mut impl CryptoRng) -> Self {
        let one = ScalarOf::<E>::one();
        loop {
            let gamma = ScalarOf::<E>::random(rng);
            if gamma != ScalarOf::<E>::zero() && gamma != -one {
                return Self(gamma);
            }
        }
    }

    /// The encryption key.
    pub fn public_key(&self, crs: &Crs<E>) -> PublicKey<E> {
        PublicKey { h1: crs.message_base.mul(&self.0), h2: E::G2::mul_generator(&self.0) }
    }

    /// The messages of valid ciphertexts, as multiples of [`Crs::message_base`]: for every row
    /// `c_3 − c_1/γ − c_2/(γ + 1)` in G1. Variable time.
    pub fn decrypt_all(&self, column: &ValidColumn<E>) -> Vec<E::G1> {
        // A key is neither 0 nor −1 (`generate`).
        let inverse = |scalar: ScalarOf<E>| Zeroizing::new(scalar.invert().unwrap_or_default());
        let factors = [inverse(self.0), inverse(self.0 + ScalarOf::<E>::one())];
        let [c1, c2, c3] = &column.0.g1;
        let scaled = [c1, c2].into_iter().zip(&factors).map(|(list, factor)| {
            let mut points = E::G1::to_affine_all(list.points());
            E::G1::scale_all(&mut points, factor);
            points
        });
        let mut messages = c3.points().to_vec();
        for points in scaled {
            messages.iter_mut().zip(&points).for_each(|(m, point)| *m -= E::G1::from_affine(point));
        }
        messages
    }
}

/// A ciphertext, or an encryption of zero that re-encrypts one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ciphertext<E: Pairing> {
    /// `Enc_1`
    pub g1: [E::G1; 3],
    /// `Enc_2`
    pub g2: [E::G2; 3],
}

impl<E: Pairing> Ciphertext<E> {
    /// The sum of two, which encrypts the sum of their messages.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        let [a1, a2, a3] = self.g1;
        let [b1, b2, b3] = other.g1;
        let g1 = [a1 + b1, a2 + b2, a3 + b3];
        let [a1, a2, a3] = self.g2;
        let [b1, b2, b3] = other.g2;
        Self { g1, g2: [a1 + b1, a2 + b2, a3 + b3] }
    }
}

impl<E: Pairing> Zeroize for Ciphertext<E> {
    fn zeroize(&mut self) {
        self.g1.zeroize();
        self.g2.zeroize();
    }
}

/// Tables of `h_k`, `g_k + h_k` and `g_k`. Variable time.
pub struct Encryptor<E: Pairing> {
    g1: [FixedBaseTable<E::G1>; 3],
    g2: [FixedBaseTable<E::G2>; 3],
}

impl<E: Pairing> Encryptor<E> {
    /// Prepares the tables of a key.
    pub fn new(crs: &Crs<E>, key: &PublicKey<E>) -> Self {
        let (base1, base2) = (crs.message_base, E::G2::generator());
        Self {
            g1: [key.h1, base1 + key.h1, base1].map(|point| FixedBaseTable::new(&point)),
            g2: [key.h2, base2 + key.h2, base2].map(|point| FixedBaseTable::new(&point)),
        }
    }

    /// Encrypts a message.
    pub fn encrypt(&self, message: u64, rng: &mut impl CryptoRng) -> Ciphertext<E> {
        let s = Zeroizing::new([(); 2].map(|()| ScalarOf::<E>::random(rng)));
        self.encrypt_with(ScalarOf::<E>::from_u64(message), &s)
    }

    /// Encrypts many messages, on all threads.
    pub fn encrypt_all(
        &self,
        messages: impl Iterator<Item = u64>,
        rng: &mut impl CryptoRng,
    ) -> Column<E> {
        let mut secrets: Vec<_> = messages
            .map(|message| {
                let s = [(); 2].map(|()| ScalarOf::<E>::random(rng));
                (ScalarOf::<E>::from_u64(message), s)
            })
            .collect();
        let encrypted: Vec<_> =
            secrets.par_iter().map(|(message, s)| self.encrypt_with(*message, s)).collect();
        secrets.zeroize();
        Column::new(&encrypted)
    }

    /// `Enc(message; s)`.
    pub fn encrypt_with(&self, message: ScalarOf<E>, s: &[ScalarOf<E>; 2]) -> Ciphertext<E> {
        let &[s1, s2] = s;
        let factors = Zeroizing::new([s1, s2, message + s1 + s2]);
        let [f1, f2, f3] = &*factors;
        let ([a1, a2, a3], [b1, b2, b3]) = (&self.g1, &self.g2);
        Ciphertext {
            g1: [a1.mul(f1), a2.mul(f2), a3.mul(f3)],
            g2: [b1.mul(f1), b2.mul(f2), b3.mul(f3)],
        }
    }
}

/// One ciphertext per row, by component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column<E: Pairing> {
    pub(crate) g1: [PointList<E::G1>; 3],
    pub(crate) g2: [PointList<E::G2>; 3],
}

/// A column whose ciphertexts all hold the same exponents in both groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidColumn<E: Pairing>(pub(crate) Column<E>);

impl<E: Pairing> Column<E> {
    /// Gathers and encodes ciphertexts.
    pub fn new(rows: &[Ciphertext<E>]) -> Self {
        let first =
            |get: fn(&Ciphertext<E>) -> E::G1| PointList::new(rows.iter().map(get).collect());
        let second =
            |get: fn(&Ciphertext<E>) -> E::G2| PointList::new(rows.iter().map(get).collect());
        Self {
            g1: [first(|c| c.g1[0]), first(|c| c.g1[1]), first(|c| c.g1[2])],
            g2: [second(|c| c.g2[0]), second(|c| c.g2[1]), second(|c| c.g2[2])],
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        let [first, ..] = &self.g1;
        first.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The ciphertexts, row by row.
    pub fn ciphertexts(&self) -> Vec<Ciphertext<E>> {
        let ([a1, a2, a3], [b1, b2, b3]) = (&self.g1, &self.g2);
        let first = a1.points().iter().zip(a2.points()).zip(a3.points());
        let second = b1.points().iter().zip(b2.points()).zip(b3.points());
        let rows = first.zip(second);
        rows.map(|(((&a1, &a2), &a3), ((&b1, &b2), &b3))| Ciphertext {
            g1: [a1, a2, a3],
            g2: [b1, b2, b3],
        })
        .collect()
    }

    /// Requires that every ciphertext is valid, `e([ρ]₁, Enc_2) = e(Enc_1, [β]₂)`. Ciphertexts that
    /// do not come from an accepted mix need it: the shuffle argument assumes it of its inputs.
    ///
    /// # Errors
    /// [`ShuffleError::Equation`] of mixer 0, with the lowest row that is not.
    pub fn validate(
        self,
        crs: &Crs<E>,
        rng: &mut impl CryptoRng,
    ) -> Result<ValidColumn<E>, ShuffleError> {
        if E::is_neutral(&self.validity(crs, rng)) {
            return Ok(ValidColumn(self));
        }
        match self.first_invalid(crs) {
            None => Ok(ValidColumn(self)),
            Some(row) => {
                let equation = Equation::Validity { index: Some(row) };
                Err(ShuffleError::Equation { mixer: 0, equation })
            }
        }
    }

    /// The validity of all ciphertexts, each component with a weight of its own.
    pub(crate) fn validity(&self, crs: &Crs<E>, rng: &mut impl CryptoRng) -> [(E::G1, E::G2); 2] {
        let (mut first, mut second) = (E::G1::identity(), E::G2::identity());
        for (g1, g2) in self.g1.iter().zip(&self.g2) {
            let weights = random_shorts(self.len(), rng);
            first += sum_short::<E::G1>(&weights, g1.points());
            second += sum_short::<E::G2>(&weights, g2.points());
        }
        [(crs.rho1, second), (-first, crs.beta)]
    }

    pub(crate) fn first_invalid(&self, crs: &Crs<E>) -> Option<usize> {
        let is_invalid = |row: &Ciphertext<E>| {
            let mut components = row.g1.iter().zip(&row.g2);
            components.any(|(&g1, &g2)| !E::is_neutral(&[(crs.rho1, g2), (-g1, crs.beta)]))
        };
        self.ciphertexts().par_iter().position_first(is_invalid)
    }
}

impl<E: Pairing> ValidColumn<E> {
    /// The column.
    pub fn column(&self) -> &Column<E> {
        &self.0
    }
}

/// The number of rows; then all first components in G1, all second, all third, and those in G2.
impl<E: Pairing> Encode for Column<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        // No list in memory is so long; readers would refuse such a count.
        u32::try_from(self.len()).unwrap_or(u32::MAX).encode(out);
        self.g1.iter().for_each(|list| out.extend_from_slice(list.encoding()));
        self.g2.iter().for_each(|list| out.extend_from_slice(list.encoding()));
    }
}

impl<E: Pairing> Decode for Column<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let n = reader.count("rows", MAX_ROWS)?;
        let mut g1 = || encode::point_list::<E::G1>(reader, "ciphertexts in G1", n);
        let g1 = [g1()?, g1()?, g1()?];
        let mut g2 = || encode::point_list::<E::G2>(reader, "ciphertexts in G2", n);
        Ok(Self { g1, g2: [g2()?, g2()?, g2()?] })
    }
}
