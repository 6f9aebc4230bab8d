//! Sums of a generator's outputs, each with its own factor: the coefficients of the prover's
//! polynomial, and the verifier's value of it at Δ.

use zeroize::Zeroize;

use super::{
    BATCH, Graph, MAX_LOCALITY, Places, ProverSeed, VerifierSeed, WithPredicate,
    predicate::{BitSums, Constants, MAX_DEGREES, MAX_TERMS, Predicate, ValueSums, product},
    with_predicate,
};
use crate::{
    field::{Fp, Gf64, gf64},
    kernel::clmul::{Clmul, Kernel, dispatch},
    params::Generator,
};

/// Outputs of a seed that are added up, each with its own factors.
pub(crate) struct Terms<'a> {
    pub(crate) generator: Generator,
    pub(crate) graph: &'a Graph,
    /// The number of the first output.
    pub(crate) first: u64,
    /// Factors over F_2: as many as over F_p, or none.
    pub(crate) chis: &'a [u64],
    /// Factors over F_p, of the outputs as signs.
    pub(crate) gammas: &'a [Fp],
}

/// The prover's coefficients, the constant one first and without the highest, of sums of outputs.
#[derive(Clone, Default)]
pub(crate) struct ProverSums {
    bits: [u128; MAX_DEGREES[0]],
    values: [Fp; MAX_DEGREES[1]],
}

impl Drop for ProverSums {
    fn drop(&mut self) {
        self.bits.zeroize();
        self.values.zeroize();
    }
}

impl ProverSums {
    /// Adds `Σ χ r` over F_2 and `Σ γ w` over F_p.
    pub(crate) fn add(&mut self, seed: &ProverSeed, terms: Terms<'_>) {
        with_predicate(terms.generator, Prove { sums: self, seed, terms });
    }

    pub(crate) fn merge(mut self, other: &Self) -> Self {
        self.bits.iter_mut().zip(other.bits).for_each(|(a, b)| *a ^= b);
        self.values.iter_mut().zip(other.values).for_each(|(a, b)| *a += b);
        self
    }

    /// Of sums of degree `degree`.
    pub(crate) fn bits(&self, degree: usize) -> impl Iterator<Item = Gf64> {
        self.bits.iter().take(degree).map(|sum| gf64::reduce_product(*sum))
    }

    /// Of sums of degree `degree`.
    pub(crate) fn values(&self, degree: usize) -> impl Iterator<Item = Fp> {
        self.values.iter().take(degree).copied()
    }
}

struct Prove<'a> {
    sums: &'a mut ProverSums,
    seed: &'a ProverSeed,
    terms: Terms<'a>,
}

impl WithPredicate for Prove<'_> {
    type Output = ();

    fn run<P: Predicate>(self) {
        dispatch(Proving::<P> { work: self, predicate: std::marker::PhantomData });
    }
}

struct Proving<'a, P> {
    work: Prove<'a>,
    predicate: std::marker::PhantomData<P>,
}

impl<P: Predicate> Kernel for Proving<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<C: Clmul>(self, clmul: C) {
        let Prove { sums, seed, terms } = self.work;
        let constants = Constants::new(Fp::default());
        let mut bit_sums: BitSums = sums.bits;
        let mut value_sums: ValueSums = [0; MAX_DEGREES[1]];
        let mut room = MAX_TERMS;
        let mut chis = terms.chis.iter();
        let mut places = [Places::default(); BATCH];
        for (first, gammas) in (terms.first..).step_by(BATCH).zip(terms.gammas.chunks(BATCH)) {
            let (places, _) = places.split_at_mut(gammas.len());
            terms.graph.places(first, places);
            for (places, &gamma) in places.iter().zip(gammas) {
                let mut macs = [0; MAX_LOCALITY];
                let mut signs = [Fp::default(); MAX_LOCALITY];
                for ((mac, sign), &place) in
                    macs.iter_mut().zip(&mut signs).zip(places).take(P::LOCALITY)
                {
                    *mac = seed.bit(place);
                    *sign = seed.sign(place);
                }
                if let Some(&chi) = chis.next() {
                    P::prove_bit(clmul, &macs, chi, &mut bit_sums);
                }
                P::prove_value(&macs, &signs, gamma, &constants, &mut value_sums);
                room -= P::TERMS;
                if room < P::TERMS {
                    fold(&mut value_sums, &mut sums.values);
                    room = MAX_TERMS;
                }
            }
        }
        fold(&mut value_sums, &mut sums.values);
        sums.bits = bit_sums;
    }
}

/// Reduces the sums into their total.
#[inline(always)]
fn fold(sums: &mut ValueSums, totals: &mut [Fp; MAX_DEGREES[1]]) {
    for (sum, total) in sums.iter_mut().zip(totals) {
        *total += Fp::from_u128(*sum);
        *sum = 0;
    }
}

/// The verifier's values of sums of outputs.
#[derive(Clone, Default)]
pub(crate) struct VerifierSums {
    bits: u128,
    values: Fp,
}

impl VerifierSums {
    /// Adds the value of `Σ χ r` over F_2 and of `Σ γ w` over F_p.
    pub(crate) fn add(&mut self, seed: &VerifierSeed, deltas: (Gf64, Fp), terms: Terms<'_>) {
        with_predicate(terms.generator, Verify { sums: self, seed, deltas, terms });
    }

    pub(crate) fn merge(mut self, other: &Self) -> Self {
        self.bits ^= other.bits;
        self.values += other.values;
        self
    }

    pub(crate) fn bits(&self) -> Gf64 {
        gf64::reduce_product(self.bits)
    }

    pub(crate) fn values(&self) -> Fp {
        self.values
    }
}

struct Verify<'a> {
    sums: &'a mut VerifierSums,
    seed: &'a VerifierSeed,
    deltas: (Gf64, Fp),
    terms: Terms<'a>,
}

impl WithPredicate for Verify<'_> {
    type Output = ();

    fn run<P: Predicate>(self) {
        dispatch(Verifying::<P> { work: self, predicate: std::marker::PhantomData });
    }
}

struct Verifying<'a, P> {
    work: Verify<'a>,
    predicate: std::marker::PhantomData<P>,
}

impl<P: Predicate> Kernel for Verifying<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<C: Clmul>(self, clmul: C) {
        let Verify { sums, seed, deltas: (delta, value_delta), terms } = self.work;
        let constants = Constants::new(value_delta);
        let mut chis = terms.chis.iter();
        let (mut bit_sum, mut value_sum) = (sums.bits, Fp::default());
        let mut places = [Places::default(); BATCH];
        for (first, gammas) in (terms.first..).step_by(BATCH).zip(terms.gammas.chunks(BATCH)) {
            let (places, _) = places.split_at_mut(gammas.len());
            terms.graph.places(first, places);
            for (places, &gamma) in places.iter().zip(gammas) {
                let mut keys = [0; MAX_LOCALITY];
                let mut signs = [Fp::default(); MAX_LOCALITY];
                for ((key, sign), &place) in
                    keys.iter_mut().zip(&mut signs).zip(places).take(P::LOCALITY)
                {
                    *key = seed.key(place);
                    *sign = seed.sign(place);
                }
                if let Some(&chi) = chis.next() {
                    bit_sum ^= clmul.clmul(P::verify_bit(clmul, &keys, delta.to_u64()), chi);
                }
                let value = P::verify_value(&signs, &constants);
                value_sum += Fp::from_u128(product(value, gamma));
            }
        }
        sums.bits = bit_sum;
        sums.values += value_sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{field::coefficients, local::outputs, prg::Prg};

    /// The prover's polynomial, with the highest coefficient that the outputs in the clear say, has
    /// the verifier's value at Δ.
    #[test]
    fn both_parties_have_the_same_sums() {
        let counts = [1, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH, 500];
        for (generator, count) in
            Generator::ALL.into_iter().flat_map(|one| counts.map(|count| (one, count)))
        {
            let (len, _) = generator.usable();
            let random: Vec<Gf64> = coefficients(&Prg::new(1), 0, 2 * len);
            let (macs, chis) = random.split_at(len);
            let random: Vec<Fp> = coefficients(&Prg::new(2), 0, 2 * len + 1);
            let ([delta, halves @ ..], gammas) = random.split_at(len + 1) else { panic!() };
            let bit_delta = Gf64::from(0x1234_5678_9ABC_DEF1);
            let bits: Vec<_> = macs.iter().map(|mac| mac.to_u64() & 1).collect();
            let prover =
                ProverSeed { bits: macs.to_vec(), signs: halves.iter().map(|m| *m + *m).collect() };
            let verifier = VerifierSeed {
                bits: macs
                    .iter()
                    .zip(&bits)
                    .map(|(mac, bit)| *mac + bit_delta * Gf64::from(*bit))
                    .collect(),
                signs: halves
                    .iter()
                    .zip(&bits)
                    .map(|(m, bit)| (Fp::from(1) - Fp::from(2 * bit)) * *delta + *m + *m)
                    .collect(),
            };
            let graph = Graph::new(generator, 7);
            let chis: Vec<_> = chis.iter().take(count).map(|chi| chi.to_u64()).collect();
            let gammas = &gammas[..count];
            let terms = || Terms { generator, graph: &graph, first: 3, chis: &chis, gammas };
            let (mut proven, mut found) = (ProverSums::default(), VerifierSums::default());
            proven.add(&prover, terms());
            found.add(&verifier, (bit_delta, *delta), terms());

            let plain: Vec<u8> = bits.iter().map(|bit| *bit as u8).collect();
            let mut clear = vec![0; count];
            outputs(generator, &graph, &plain, 3, &mut clear);
            let [of_bits, of_values] = generator.degrees();
            let leading: Gf64 =
                clear.iter().zip(&chis).map(|(r, chi)| Gf64::from(u64::from(*r) * chi)).sum();
            let expected = proven.bits(of_bits).chain([leading]).collect::<Vec<_>>();
            let expected = expected.iter().rev().fold(Gf64::default(), |x, c| x * bit_delta + *c);
            assert!(expected == found.bits(), "{generator}, {count}");
            let leading: Fp = clear
                .iter()
                .zip(gammas)
                .map(|(r, gamma)| if *r == 1 { -*gamma } else { *gamma })
                .sum();
            let expected = proven.values(of_values).chain([leading]).collect::<Vec<_>>();
            let expected = expected.iter().rev().fold(Fp::default(), |x, c| x * *delta + *c);
            assert!(expected == found.values(), "{generator}, {count}");
        }
    }
}
