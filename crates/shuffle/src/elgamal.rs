//! ElGamal encryption over any [`Group`]: `E(M; r) = (r·G, M + r·pk)`.

use std::ops::{Add, Sub};

use algebra::{FixedBaseTable, Group, Scalar};
use rand_core::CryptoRng;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// An encryption key `pk = sk·G`, never the neutral element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey<G: Group>(G);

impl<G: Group> PublicKey<G> {
    /// Takes a point as a key; `None` for the neutral element, under which nothing is hidden.
    pub fn new(point: G) -> Option<Self> {
        (!point.is_identity()).then_some(Self(point))
    }

    /// The point.
    pub fn point(&self) -> G {
        self.0
    }

    /// Encrypts a message. Constant time on ristretto255: this is the voter's side.
    pub fn encrypt(&self, message: &G, randomness: &G::Scalar) -> Ciphertext<G> {
        Ciphertext { c1: G::mul_generator(randomness), c2: *message + self.0.mul(randomness) }
    }
}

/// A decryption key held by one party, erased when dropped.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct SecretKey<G: Group>(G::Scalar);

impl<G: Group> SecretKey<G> {
    /// Draws a key; never zero.
    pub fn generate(rng: &mut impl CryptoRng) -> Self {
        loop {
            let scalar = G::Scalar::random(rng);
            if scalar != G::Scalar::zero() {
                return Self(scalar);
            }
        }
    }

    /// Takes a scalar as a key; `None` for zero.
    pub fn new(scalar: G::Scalar) -> Option<Self> {
        (scalar != G::Scalar::zero()).then_some(Self(scalar))
    }

    /// The scalar.
    pub fn scalar(&self) -> &G::Scalar {
        &self.0
    }

    /// The encryption key.
    pub fn public_key(&self) -> PublicKey<G> {
        PublicKey(G::mul_generator(&self.0))
    }

    /// Recovers the message. Constant time on ristretto255.
    pub fn decrypt(&self, ciphertext: &Ciphertext<G>) -> G {
        ciphertext.c2 - ciphertext.c1.mul(&self.0)
    }

    /// [`SecretKey::decrypt`] for many ciphertexts, on all threads of the current rayon pool.
    pub fn decrypt_all(&self, ciphertexts: &[Ciphertext<G>]) -> Vec<G> {
        let first_components: Vec<G> = ciphertexts.iter().map(|ciphertext| ciphertext.c1).collect();
        let masks = G::mul_all(&first_components, &self.0);
        ciphertexts.iter().zip(masks).map(|(ciphertext, mask)| ciphertext.c2 - mask).collect()
    }
}

/// An ElGamal ciphertext `(r·G, M + r·pk)`; adding ciphertexts adds their messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ciphertext<G: Group> {
    /// `r·G`.
    pub c1: G,
    /// `M + r·pk`.
    pub c2: G,
}

impl<G: Group> Ciphertext<G> {
    /// Bytes of an encoded ciphertext.
    pub const ENCODED_LEN: usize = 2 * G::ENCODED_LEN;

    /// The encryption of `message` with randomness 0, readable by everyone.
    pub fn trivial(message: G) -> Self {
        Self { c1: G::identity(), c2: message }
    }
}

impl<G: Group> Add for Ciphertext<G> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { c1: self.c1 + other.c1, c2: self.c2 + other.c2 }
    }
}

impl<G: Group> Sub for Ciphertext<G> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { c1: self.c1 - other.c1, c2: self.c2 - other.c2 }
    }
}

/// Rows from which tables pay for being made: each is 4,100 additions, and saves some 300 a row.
const TABLES_MIN: usize = 16;

/// The generator and a key, for re-encrypting in bulk. Variable time: a mixer's one-time randomness only.
pub struct ReEncryptor<G: Group> {
    key: PublicKey<G>,
    /// Of the generator and of the key.
    tables: Option<[FixedBaseTable<G>; 2]>,
}

impl<G: Group> ReEncryptor<G> {
    /// Prepares the tables of a key.
    pub fn new(key: &PublicKey<G>) -> Self {
        let tables = [FixedBaseTable::new(&G::generator()), FixedBaseTable::new(&key.0)];
        Self { key: *key, tables: Some(tables) }
    }

    /// Prepares the tables of a key if so many rows are worth it.
    pub fn for_rows(key: &PublicKey<G>, rows: usize) -> Self {
        match rows < TABLES_MIN {
            true => Self { key: *key, tables: None },
            false => Self::new(key),
        }
    }

    /// `ciphertexts_i + E(0; randomness_i)` for every i of the shorter, in place, on all threads.
    pub fn re_encrypt_all(&self, ciphertexts: &mut [Ciphertext<G>], randomness: &[G::Scalar]) {
        let Some([generator, key]) = &self.tables else {
            let pairs = ciphertexts.iter_mut().zip(randomness);
            return pairs.for_each(|(ciphertext, r)| *ciphertext = self.re_encrypt(ciphertext, r));
        };
        let (mut c1, mut c2): (Vec<G>, Vec<G>) =
            ciphertexts.iter().map(|ciphertext| (ciphertext.c1, ciphertext.c2)).unzip();
        generator.add_mul_all(&mut c1, randomness);
        key.add_mul_all(&mut c2, randomness);
        for (ciphertext, (c1, c2)) in ciphertexts.iter_mut().zip(c1.into_iter().zip(c2)) {
            *ciphertext = Ciphertext { c1, c2 };
        }
    }

    /// `ciphertext + E(0; randomness)`.
    fn re_encrypt(&self, ciphertext: &Ciphertext<G>, randomness: &G::Scalar) -> Ciphertext<G> {
        let Some([generator, key]) = &self.tables else {
            return *ciphertext + self.key.encrypt(&G::identity(), randomness);
        };
        Ciphertext {
            c1: generator.add_mul(ciphertext.c1, randomness),
            c2: key.add_mul(ciphertext.c2, randomness),
        }
    }
}
