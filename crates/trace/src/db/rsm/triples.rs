//! Random products, shared: what the servers multiply their blindings with (Beaver 1991).
//!
//! **They come from a dealer**, as in the paper's reference code: a party beside the servers that
//! deals them before a query and forgets them. A dealer that conspires with the querier, or with
//! all servers but one, can compute blindings and link outputs to inputs; it can make proofs fail;
//! it cannot make a false one hold. Deployments that have nobody for this part use the engine
//! `routed`. Deals are never used twice: each is bound to its pass.

use algebra::Scalar;
use rand_core::CryptoRng;
use shuffle::{MAX_ROWS, encode};
use wire::{Decode, DecodeError, Digest, Encode, Reader};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::db::{
    Pass,
    bases::{F, G1},
};

/// One product of every item: shares of a, b and `a·b`.
#[derive(Clone, Default, Zeroize, ZeroizeOnDrop)]
pub(super) struct Triples {
    pub(super) a: Vec<F>,
    pub(super) b: Vec<F>,
    pub(super) c: Vec<F>,
}

/// A server's shares of the random products that one pass of DB-RSM uses up, two for each opened
/// row. Secret; sent on private channels.
pub struct TripleShares {
    pass: Digest,
    /// For `δ_1 = b_S·b_c` and for `δ_2 = δ_0·b_c`.
    products: [Triples; 2],
}

/// The dealer's part: shares for servers 1..=m.
pub fn deal(pass: &Pass, rng: &mut impl CryptoRng) -> Vec<TripleShares> {
    let (items, servers) = (pass.opened().len(), pass.outputs().session().servers());
    let mut shares: Vec<TripleShares> = (0..servers)
        .map(|_| TripleShares { pass: *pass.id(), products: Default::default() })
        .collect();
    for product in 0..2 {
        let a = Zeroizing::new(F::random_many(items, rng));
        let b = Zeroizing::new(F::random_many(items, rng));
        let c: Vec<F> = a.iter().zip(b.iter()).map(|(&a, &b)| a * b).collect();
        let mut rest = Triples { a: a.to_vec(), b: b.to_vec(), c };
        let count = shares.len();
        for (number, share) in shares.iter_mut().enumerate() {
            let Some(slot) = share.products.get_mut(product) else { continue };
            if number + 1 == count {
                *slot = rest.clone();
                continue;
            }
            let mut draw = |rest: &mut Vec<F>| {
                let share = F::random_many(items, rng);
                rest.iter_mut().zip(&share).for_each(|(rest, &share)| *rest -= share);
                share
            };
            *slot = Triples { a: draw(&mut rest.a), b: draw(&mut rest.b), c: draw(&mut rest.c) };
        }
    }
    shares
}

impl TripleShares {
    /// Which pass they are for.
    pub fn pass(&self) -> &Digest {
        &self.pass
    }

    pub(super) fn products(&self) -> &[Triples; 2] {
        &self.products
    }

    pub(super) fn fits(&self, pass: &Pass) -> bool {
        let items = pass.opened().len();
        self.pass == *pass.id()
            && self.products.iter().all(|triples| {
                [&triples.a, &triples.b, &triples.c].iter().all(|list| list.len() == items)
            })
    }
}

/// Pass, 32-bit count of rows, then a, b, c of both products. A secret.
impl Encode for TripleShares {
    fn encode(&self, out: &mut Vec<u8>) {
        self.pass.encode(out);
        let items = self.products.first().map_or(0, |triples| triples.a.len());
        (items as u32).encode(out);
        for Triples { a, b, c } in &self.products {
            [a, b, c].iter().for_each(|list| out.extend(F::encode_all(list)));
        }
    }
}

impl Decode for TripleShares {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let pass = Digest::decode(reader)?;
        let items = reader.count("triples", MAX_ROWS)?;
        let mut list = || encode::scalars::<G1>(reader, "share of a triple", items);
        let mut triples = || Ok::<_, DecodeError>(Triples { a: list()?, b: list()?, c: list()? });
        Ok(Self { pass, products: [triples()?, triples()?] })
    }
}
