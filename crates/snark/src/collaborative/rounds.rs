//! What a party does before the [check](super::check), without a network: two messages.

use algebra::{Engine, Group, Scalar, ScalarOf};
use circuit::synthesis::ConstraintSystem;
use rand_core::CryptoRng;
use wire::{DecodeError, Encode, Reader};
use zeroize::Zeroizing;

use super::{
    Checking, Error, MaskedShare, Seat, TripleShare, WitnessShare,
    check::{Mask, Unopened},
    shares::exact_scalars,
    triples::Triples,
};
use crate::{
    file::point,
    groth16::{PreparedVerifyingKey, ProvingKey},
};

/// A party before it has heard from the others.
pub struct Prover<'a, E: Engine> {
    key: &'a ProvingKey<E>,
    verifier: PreparedVerifyingKey<E>,
    seat: Seat,
    public: Vec<ScalarOf<E>>,
    triples: Triples<ScalarOf<E>>,
    /// Shares of `⟨c_q, z⟩`'s polynomial on the odd powers.
    w: Zeroizing<Vec<ScalarOf<E>>>,
    /// Shares of r and s.
    r: Zeroizing<ScalarOf<E>>,
    s: Zeroizing<ScalarOf<E>>,
    /// A share of the factor of the check.
    rho: Zeroizing<ScalarOf<E>>,
    /// Shares of `Σ z_i K_i`.
    k: E::G1,
}

/// A party's first message: its shares of the factors, masked by triples, and of A and B.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstMessage<E: Engine> {
    /// Shares of `u − a` and of `v − b`, for every row and for `r·s`.
    pub masked: [Vec<ScalarOf<E>>; 2],
    /// Shares of A.
    pub a: E::G1,
    /// Shares of B.
    pub b: E::G2,
    /// Shares of B's counterpart in G1.
    pub b_g1: E::G1,
}

impl<'a, E: Engine> Prover<'a, E> {
    /// Checks that the key masks what is sent, and computes everything that is linear in the witness.
    ///
    /// # Errors
    /// [`Error::OtherParty`], [`Error::Length`]; [`Error::Key`].
    pub fn start(
        key: &'a ProvingKey<E>,
        system: &ConstraintSystem<ScalarOf<E>>,
        share: &WitnessShare<E>,
        triples: &TripleShare<E>,
        rng: &mut impl CryptoRng,
    ) -> Result<(Self, FirstMessage<E>), Error> {
        let seat = check(key, system, share, triples)?;
        let verifier = PreparedVerifyingKey::new(key.verifying_key())?;
        key.check_masking(rng)?;
        let (z, triples) = (share.wires(), triples.expand());
        let [r, s, rho] = [(); 3].map(|()| Zeroizing::new(ScalarOf::<E>::random(rng)));

        let (mut u, mut v) = key.row_values(&z);
        let mut w = products_of(system, &z, key.domain_size());
        [&mut u, &mut v, &mut w].into_iter().for_each(|values| key.to_odd_powers(values));
        let masked = [mask(&u, &r, &triples.a), mask(&v, &s, &triples.b)];

        let (a, b, b_g1) = key.blinded_sums(&z, &r, &s, seat.is_first());
        let (k, public) = (key.private_sum(&z), share.public.clone());
        let prover = Self { key, verifier, seat, public, triples, w, r, s, rho, k };
        Ok((prover, FirstMessage { masked, a, b, b_g1 }))
    }

    /// The shares of r and s.
    #[cfg(test)]
    pub(super) fn blindings(&self) -> [&ScalarOf<E>; 2] {
        [&self.r, &self.s]
    }

    /// From all parties' first messages, in their order, the share of C, masked.
    ///
    /// # Errors
    /// [`Error::Messages`].
    pub fn mask(
        self,
        messages: &[FirstMessage<E>],
    ) -> Result<(Checking<E>, MaskedShare<E>), Error> {
        self.seat.require(messages.len())?;
        let [d, e] = [0, 1].map(|which| opened(messages, which));
        let mut products = self.products(&d, &e);
        // The last one is a share of r·s. It is there: a message has a factor more than the key has rows (`decode`).
        let rs = Zeroizing::new(products.pop().unwrap_or_default());
        products.iter_mut().zip(self.w.iter()).for_each(|(product, &w)| *product -= w);

        let a: E::G1 = messages.iter().map(|message| message.a).sum();
        let b: E::G2 = messages.iter().map(|message| message.b).sum();
        let b_g1: E::G1 = messages.iter().map(|message| message.b_g1).sum();
        let c = self.k + self.key.quotient_of(&mut products) + a.mul(&self.s) + b_g1.mul(&self.r)
            - self.key.delta_times(&rs);
        // There are two triples more than rows (`check`).
        let last = |list: &[ScalarOf<E>]| list.last().copied().unwrap_or_default();
        let Triples { a: masks, b: factors, c: products } = &self.triples;
        let [mask_a, mask_b, mask_c] = [masks, factors, products].map(|list| last(list));
        let mask = Mask { a: mask_a, b: mask_b, c: mask_c, rho: *self.rho };
        let Self { seat, verifier, public, .. } = self;
        Ok(Checking::new(Unopened { seat, verifier, public, a, b, c }, mask))
    }

    /// The party's shares of the products: `c + d·b + e·a`, and once `d·e`, for the opened `d = u − a`
    /// and `e = v − b`.
    fn products(&self, d: &[ScalarOf<E>], e: &[ScalarOf<E>]) -> Zeroizing<Vec<ScalarOf<E>>> {
        let Triples { a, b, c } = &self.triples;
        let opened = d.iter().zip(e);
        let triples = a.iter().zip(b.iter()).zip(c.iter());
        let products = opened.zip(triples).map(|((&d, &e), ((&a, &b), &c))| {
            let share = c + d * b + e * a;
            if self.seat.is_first() { share + d * e } else { share }
        });
        Zeroizing::new(products.collect())
    }
}

/// Whether shares, circuit and key belong together, as far as one party can tell.
fn check<E: Engine>(
    key: &ProvingKey<E>,
    system: &ConstraintSystem<ScalarOf<E>>,
    share: &WitnessShare<E>,
    triples: &TripleShare<E>,
) -> Result<Seat, Error> {
    let (seat, wires) = (share.seat, 1 + share.public.len() + share.private.len());
    if triples.seat != seat {
        return Err(Error::OtherParty { party: seat.party, parties: seat.parties });
    }
    let rows = key.domain_size();
    let lengths = [
        ("wires of the key", system.header().wires as usize, key.wires()),
        ("wires", system.header().wires as usize, wires),
        ("public wires", key.public(), share.public.len()),
        ("triples", rows + 2, triples.count as usize),
    ];
    for (what, expected, got) in lengths {
        if expected != got {
            return Err(Error::Length { what, expected, got });
        }
    }
    match system.constraints().len() <= rows {
        true => Ok(seat),
        false => {
            let (expected, got) = (rows, system.constraints().len());
            Err(Error::Length { what: "constraints", expected, got })
        }
    }
}

/// `⟨c_q, z⟩` of every row: zero in those below the constraints.
fn products_of<S: Scalar>(system: &ConstraintSystem<S>, z: &[S], rows: usize) -> Zeroizing<Vec<S>> {
    let value = |&(wire, factor): &(u32, S)| {
        z.get(wire as usize).map_or(S::zero(), |&value| value * factor)
    };
    let mut products = Zeroizing::new(Vec::with_capacity(rows));
    products.extend(system.constraints().iter().map(|row| row.c.iter().map(value).sum::<S>()));
    products.resize(rows, S::zero());
    products
}

/// The factors of all products, of which that of `r·s` is the last.
fn mask<S: Scalar>(values: &[S], last: &S, masks: &[S]) -> Vec<S> {
    values.iter().chain([last]).zip(masks).map(|(&value, &mask)| value - mask).collect()
}

/// The sums of all parties' masked shares.
fn opened<E: Engine>(messages: &[FirstMessage<E>], which: usize) -> Vec<ScalarOf<E>> {
    let mut lists = messages.iter().filter_map(|message| message.masked.get(which));
    // `Seat::require` has refused another number of messages than parties, and every message has both lists.
    let mut sums = lists.next().cloned().unwrap_or_default();
    for list in lists {
        sums.iter_mut().zip(list).for_each(|(sum, &share)| *sum += share);
    }
    sums
}

/// Both lists, A, B in G2 and in G1. Their length is known from the key.
impl<E: Engine> Encode for FirstMessage<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.masked.iter().for_each(|list| out.extend(ScalarOf::<E>::encode_all(list)));
        out.extend(self.a.encode());
        out.extend(self.b.encode());
        out.extend(self.b_g1.encode());
    }
}

impl<E: Engine> FirstMessage<E> {
    /// Bytes of a message about so many rows.
    pub fn encoded_len(rows: usize) -> usize {
        2 * (rows + 1) * E::SCALAR_LEN + 2 * E::G1::ENCODED_LEN + E::G2::ENCODED_LEN
    }

    /// Reads a message about so many rows.
    ///
    /// # Errors
    /// [`DecodeError`], naming the field.
    pub fn decode(bytes: &[u8], rows: usize) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let mut list = || exact_scalars(&mut reader, "masked factors", rows + 1);
        let masked = [list()?, list()?];
        let (a, b) = (point(&mut reader, "A")?, point(&mut reader, "B")?);
        let message = Self { masked, a, b, b_g1: point(&mut reader, "B in G1")? };
        reader.finish()?;
        Ok(message)
    }
}
