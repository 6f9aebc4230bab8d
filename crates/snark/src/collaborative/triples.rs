//! Beaver's triples (CRYPTO 1991): shares of random `a`, `b` and of `c = a·b`, one for each product.
//!
//! They depend only on their number, and come from a dealer who sees neither witness nor messages. Whoever knows a
//! party's triples can open its products, so **the dealer must not collude with any prover**. All parties but the last
//! expand their triples from a seed of 32 bytes. The last party's seed gives `a` and `b`, and the dealer sends it the
//! shares of `c`, 32 bytes for each product.
//!
//! Triples serve one proof. If they are used twice, they show the differences of two witnesses' values.

use algebra::{Engine, Scalar, ScalarOf};
use chacha20::ChaCha20Rng;
use rand_core::{CryptoRng, SeedableRng};
use wire::{Decode, DecodeError, Encode, FileHeader, Reader};
use zeroize::Zeroizing;

use super::{
    Error, Seat,
    shares::{put_scalars, take_scalars},
};
use crate::file::FileFormat;

/// One party's triples, as the dealer sends them.
pub struct TripleShare<E: Engine> {
    pub(super) seat: Seat,
    /// Of the dealing: all parties must have the same.
    pub(super) dealing: [u8; 16],
    /// Triples.
    pub(super) count: u32,
    seed: Zeroizing<[u8; 32]>,
    /// The last party's shares of the products.
    products: Zeroizing<Vec<ScalarOf<E>>>,
}

/// Triples in full.
pub(super) struct Triples<S: Scalar> {
    pub a: Zeroizing<Vec<S>>,
    pub b: Zeroizing<Vec<S>>,
    pub c: Zeroizing<Vec<S>>,
}

/// Deals triples for one proof with a key of so many [rows](crate::groth16::ProvingKey::domain_size): one
/// for each, one for `r·s`, and one for the [check](super::check) of C.
///
/// # Errors
/// [`Error::Parties`].
pub fn deal<E: Engine>(
    rows: u32,
    parties: u16,
    rng: &mut impl CryptoRng,
) -> Result<Vec<TripleShare<E>>, Error> {
    let count = rows.saturating_add(2);
    let mut dealing = [0; 16];
    rng.fill_bytes(&mut dealing);
    let mut shares = Vec::with_capacity(parties.into());
    let mut sums = Triples::zero(count as usize);
    for party in 1..=parties {
        let (seat, mut seed) = (Seat::new(party, parties)?, Zeroizing::new([0; 32]));
        rng.fill_bytes(seed.as_mut());
        let products = Zeroizing::new(Vec::new());
        let mut share = TripleShare { seat, dealing, count, seed, products };
        let own = share.expand();
        sums.add(&own);
        if seat.is_last() {
            // What the others' shares of c, which are in the sum, leave to a·b.
            let factors = sums.a.iter().zip(sums.b.iter()).zip(sums.c.iter());
            let products = factors.map(|((&a, &b), &c)| a * b - c);
            share.products = Zeroizing::new(products.collect());
        }
        shares.push(share);
    }
    Ok(shares)
}

impl<E: Engine> TripleShare<E> {
    /// Whose triples they are.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// The triples. The last party's `c` are zero until its products are there.
    pub(super) fn expand(&self) -> Triples<ScalarOf<E>> {
        let mut rng = ChaCha20Rng::from_seed(*self.seed);
        let count = self.count as usize;
        let mut draw = || Zeroizing::new(Scalar::random_many(count, &mut rng));
        let (a, b) = (draw(), draw());
        let c = match (self.seat.is_last(), self.products.is_empty()) {
            (false, _) => draw(),
            (true, true) => Zeroizing::new(vec![Scalar::zero(); count]),
            (true, false) => self.products.clone(),
        };
        Triples { a, b, c }
    }
}

impl<S: Scalar> Triples<S> {
    fn zero(count: usize) -> Self {
        let zeros = || Zeroizing::new(vec![S::zero(); count]);
        Self { a: zeros(), b: zeros(), c: zeros() }
    }

    fn add(&mut self, other: &Self) {
        let lists = [(&mut self.a, &other.a), (&mut self.b, &other.b), (&mut self.c, &other.c)];
        for (sums, values) in lists {
            sums.iter_mut().zip(values.iter()).for_each(|(sum, &value)| *sum += value);
        }
    }
}

/// Party and parties (2 bytes each), the dealing (16 bytes), the number of triples (4 bytes), the seed
/// (32 bytes), the last party's products: a count (4 bytes, zero for others) and scalars.
impl<E: Engine> Encode for TripleShare<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.seat.encode(out);
        out.extend(self.dealing);
        self.count.encode(out);
        out.extend(self.seed.iter());
        put_scalars(&self.products, out);
    }
}

impl<E: Engine> Decode for TripleShare<E> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (seat, dealing) = (Seat::decode(reader)?, reader.array()?);
        let (count, seed) = (reader.u32()?, Zeroizing::new(reader.array()?));
        let products = Zeroizing::new(take_scalars(reader, "products")?);
        let expected = if seat.is_last() { count as usize } else { 0 };
        match products.len() == expected && count > 0 {
            true => Ok(Self { seat, dealing, count, seed, products }),
            false => Err(DecodeError::invalid("products", format!("{expected} are wanted"))),
        }
    }
}

impl<E: Engine> FileFormat<E> for TripleShare<E> {
    const HEADER: FileHeader = FileHeader::new("g16trip", 2);
}
