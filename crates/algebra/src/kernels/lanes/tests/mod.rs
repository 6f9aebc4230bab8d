//! Lanes against arkworks, by the portable implementation and, where the processor has it, by AVX-512.

use std::array::from_fn;

use ark_bls12_381 as bls;
use ark_bn254 as bn;
use ark_ff::{AdditiveGroup, Field, Fp, MontBackend, MontConfig, PrimeField};
use rand_chacha::{
    ChaCha20Rng,
    rand_core::{Rng, SeedableRng},
};

use super::{limbs, modulus::Prime, portable::Portable, *};
use crate::weierstrass::Coordinate;

mod points;
mod ristretto;

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

/// A kernel's outputs, portable and, unless the processor lacks it, vector.
fn both<K: Kernel + Clone>(kernel: K) -> Vec<K::Output> {
    let vector = run_vector(kernel.clone());
    if vector.is_none() {
        eprintln!("no AVX-512 here: the portable lanes alone are tested");
    }
    std::iter::once(kernel.run::<Portable>()).chain(vector).collect()
}

/// Every operation of a vector, on two and a mask.
#[derive(Clone)]
struct Operations([[u64; 8]; 8], u8);

impl Kernel for Operations {
    type Output = (Vec<[u64; 8]>, [u8; 2], [[u64; 4]; 8]);

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let Self(rows, mask) = self;
        let mut vectors = [L::splat(0); 8];
        for (vector, row) in vectors.iter_mut().zip(&rows) {
            *vector = L::load(row);
        }
        let [a, b, c, ..] = vectors;
        let mut out = vec![a.add(b).store(), a.sub(b).store(), a.and(b).store(), a.or(b).store()];
        out.extend([a.shl(12).store(), a.shr(45).store(), a.carry().store()]);
        out.extend([c.madd_low(a, b).store(), c.madd_high(a, b).store()]);
        out.extend([L::select(mask, a, b).store(), L::splat(rows[0][3]).store()]);
        out.push(L::pick(c, a, b).store());
        for vector in L::transpose(vectors) {
            out.push(vector.store());
        }
        let mut words = [&[0; 4]; 8];
        for lane in 0..8 {
            words[lane] = rows[lane].first_chunk().unwrap_or(&[0; 4]);
        }
        let words = L::load_rows4(words);
        for word in words {
            out.push(word.store());
        }
        (out, [a.equal(b), a.negative()], L::store_rows4(words))
    }
}

fn instructions(rounds: u64) {
    let mut rng = rng(1);
    for round in 0..rounds {
        let rows: [[u64; 8]; 8] = from_fn(|_| {
            from_fn(|_| match rng.next_u32() % 8 {
                0 => 0,
                1 => u64::MAX,
                2 => MASK,
                3 => 1 << 52,
                4 => round % 4,
                _ => rng.next_u64(),
            })
        });
        let outputs = both(Operations(rows, rng.next_u32() as u8));
        assert!(outputs.iter().all(|output| *output == outputs[0]));
        let rows4: [[u64; 4]; 8] = rows.map(|row| from_fn(|word| row[word]));
        assert_eq!(outputs[0].2, rows4);
    }
}

#[test]
fn instructions_do_what_the_portable_lanes_do() {
    instructions(20_000);
}

/// Integers below `bound · p` with all limbs below 2^52, by limbs: at both ends, and random ones.
fn unreduced<C: Prime<N>, const N: usize>(bound: u32, rng: &mut ChaCha20Rng) -> Vec<[u64; N]> {
    let add = |left: &[u64; N], right: &[u64; N]| {
        let mut carry = 0;
        let mut sum = [0; N];
        for i in 0..N {
            let limb = left[i] + right[i] + carry;
            sum[i] = if i + 1 < N { limb & MASK } else { limb };
            carry = limb >> LIMB;
        }
        sum
    };
    let mut minus_one = C::MODULUS;
    minus_one[0] -= 1;
    let mut values = vec![[0; N], C::MODULUS, minus_one];
    let mut multiple = minus_one;
    for _ in 1..bound {
        multiple = add(&multiple, &C::MODULUS);
        values.push(multiple);
    }
    for index in 0..40 {
        // Below p: the highest limb is less than that of p.
        let mut value: [u64; N] = from_fn(|_| match index % 4 {
            0 => MASK,
            1 => rng.next_u64() & (MASK * (rng.next_u64() & 1)),
            _ => rng.next_u64() & MASK,
        });
        value[N - 1] %= C::MODULUS[N - 1];
        for _ in 0..rng.next_u32() % bound {
            value = add(&value, &C::MODULUS);
        }
        values.push(value);
    }
    values
}

/// The residue of an integer of limbs below 2^52.
fn residue<F: PrimeField, const N: usize>(limbs: &[u64; N]) -> F {
    assert!(limbs.iter().all(|limb| *limb <= MASK), "a limb that was not carried");
    let base = F::from(1_u64 << LIMB);
    limbs.iter().rev().fold(F::ZERO, |sum, &limb| sum * base + F::from(limb))
}

/// Whether an integer is below `bound · p`.
fn is_below<C: Prime<N>, const N: usize>(limbs: &[u64; N], bound: u64) -> bool {
    let mut borrow = 0_i128;
    let mut carry = 0_i128;
    for i in 0..N {
        let multiple = i128::from(C::MODULUS[i]) * i128::from(bound) + carry;
        carry = multiple >> LIMB;
        borrow = (i128::from(limbs[i]) - (multiple & i128::from(MASK)) + borrow) >> LIMB;
    }
    borrow - carry < 0
}

/// Product, square, sum, difference, double difference, and what is left of a factor.
struct Limbs<C, const N: usize>(Vec<([u64; N], [u64; N])>, std::marker::PhantomData<C>);

impl<C, const N: usize> Clone for Limbs<C, N> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), self.1)
    }
}

impl<C: Prime<N>, const N: usize> Kernel for Limbs<C, N> {
    type Output = Vec<[[u64; N]; 6]>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut out = Vec::new();
        for (left, right) in self.0 {
            let (l, r) = (limbs::splat::<L, N>(&left), limbs::splat::<L, N>(&right));
            let results = [
                limbs::mul::<L, C, N>(&l, &r),
                limbs::square::<L, C, N>(&r),
                limbs::add(&l, &r),
                limbs::sub::<L, C, N, 4>(&l, &r),
                limbs::sub_both::<L, C, N, 8>(&l, &r, &r),
                limbs::shrink::<L, C, N>(&l),
            ];
            let mut lanes = [[0; N]; 6];
            for (lanes, result) in lanes.iter_mut().zip(results) {
                for i in 0..N {
                    let limb = result[i].store();
                    assert!(limb == [limb[0]; 8]);
                    lanes[i] = limb[0];
                }
            }
            out.push(lanes);
        }
        out
    }
}

/// Factors at the ends of their bounds, and results within theirs.
fn limbs_of<C, const W: usize, const N: usize>()
where
    C: Prime<N> + MontConfig<W>,
{
    type Field<C, const W: usize> = Fp<MontBackend<C, W>, W>;
    let mut rng = rng(2);
    let (left, right) = (unreduced::<C, N>(8, &mut rng), unreduced::<C, N>(4, &mut rng));
    let pairs: Vec<_> = left.iter().flat_map(|l| right.iter().map(move |r| (*l, *r))).collect();
    let radix = Field::<C, W>::from(1_u64 << LIMB).pow([N as u64]).inverse().unwrap();
    for results in both(Limbs::<C, N>(pairs.clone(), std::marker::PhantomData)) {
        for ((left, right), results) in pairs.iter().zip(results) {
            let [l, r]: [Field<C, W>; 2] = [left, right].map(residue);
            let expected = [l * r * radix, r * r * radix, l + r, l - r, l - r - r, l];
            let bounds = [2, 2, 12, 12, 16, 2];
            for ((result, expected), bound) in results.iter().zip(expected).zip(bounds) {
                assert_eq!(residue::<Field<C, W>, N>(result), expected);
                assert!(is_below::<C, N>(result, bound), "{result:?} {bound}");
            }
        }
    }
}

#[test]
fn unreduced_limbs_stay_within_their_bounds() {
    limbs_of::<bn::FrConfig, 4, 5>();
    limbs_of::<bn::FqConfig, 4, 5>();
    limbs_of::<bls::FrConfig, 4, 5>();
    limbs_of::<bls::FqConfig, 6, 8>();
}

#[test]
fn products_of_the_widest_factors_are_below_twice_the_modulus() {
    fn widest<C: Prime<N> + MontConfig<W>, const W: usize, const N: usize>() {
        let products = 1_u64 << (LIMB * N as u32 - <C as Prime<N>>::BITS).min(5);
        let largest =
            *unreduced::<C, N>(products as u32, &mut rng(3)).get(products as usize + 1).unwrap();
        assert!(is_below::<C, N>(&largest, products) && !is_below::<C, N>(&largest, products - 1));
        let mut minus_one = <C as Prime<N>>::MODULUS;
        minus_one[0] -= 1;
        let pairs = vec![(largest, minus_one)];
        for results in both(Limbs::<C, N>(pairs, std::marker::PhantomData)) {
            assert!(is_below::<C, N>(&results[0][0], 2) && is_below::<C, N>(&results[0][5], 2));
        }
    }
    widest::<bn::FrConfig, 4, 5>();
    widest::<bn::FqConfig, 4, 5>();
    widest::<bls::FrConfig, 4, 5>();
    widest::<bls::FqConfig, 6, 8>();
}

/// Products and the rest of elements in arkworks' form.
#[derive(Clone)]
struct Elements<S>([S; 8], [S; 8]);

impl<S: Coordinate> Kernel for Elements<S> {
    type Output = ([[S; 8]; 6], [u8; 3]);

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let left = Eight::<S::Lanes, L, 2>::enter(self.0.each_ref());
        let right = Eight::<S::Lanes, L, 2>::enter(self.1.each_ref());
        let difference: Eight<S::Lanes, L, 4> = left.sub(right);
        let sum: Eight<S::Lanes, L, 4> = left.add(right);
        let product = left.mul(right);
        let chained = difference.mul(sum).sub::<2, 4>(product).mul(sum);
        let stored = Eight::<S::Lanes, L, 2>::load(product.store().each_ref());
        let selected = Eight::select(0b0101_1010, left, right);
        let zeros = [difference.is_zero(), sum.is_zero(), left.is_blank()];
        let thrice: Eight<S::Lanes, L, 6> = left.sub_both(right, right);
        let results = [
            stored.leave(),
            difference.square().leave(),
            chained.leave(),
            thrice.shrink().leave(),
            selected.leave(),
            Eight::<S::Lanes, L, 2>::one().widen::<4>().mul(sum).leave(),
        ];
        (results, zeros)
    }
}

fn elements_of<S: Coordinate>(rounds: usize) {
    let mut rng = rng(4);
    let minus_one = -S::ONE;
    let half = S::ONE.double().inverse().unwrap();
    let special = [S::ZERO, S::ONE, minus_one, half, -half, minus_one.double()];
    for _ in 0..rounds {
        let mut element = || match rng.next_u32() % 3 {
            0 => special[rng.next_u32() as usize % special.len()],
            _ => S::from_base_prime_field_elems((0..S::extension_degree()).map(|_| {
                let mut bytes = [0; 64];
                rng.fill_bytes(&mut bytes);
                S::BasePrimeField::from_le_bytes_mod_order(&bytes)
            }))
            .unwrap(),
        };
        let (left, right): ([S; 8], [S; 8]) = (from_fn(|_| element()), from_fn(|_| element()));
        for (results, zeros) in both(Elements(left, right)) {
            for lane in 0..8 {
                let (l, r) = (left[lane], right[lane]);
                let expected = [
                    l * r,
                    (l - r).square(),
                    ((l - r) * (l + r) - l * r) * (l + r),
                    l - r - r,
                    if 0b0101_1010 >> lane & 1 == 1 { l } else { r },
                    l + r,
                ];
                assert_eq!(results.map(|result| result[lane]), expected);
                let zero = [l == r, l + r == S::ZERO, l == S::ZERO];
                assert_eq!(zeros.map(|mask| mask >> lane & 1 == 1)[..2], zero[..2]);
            }
        }
    }
}

fn elements(rounds: usize) {
    elements_of::<bn::Fr>(rounds);
    elements_of::<bn::Fq>(rounds);
    elements_of::<bn::Fq2>(rounds);
    elements_of::<bls::Fr>(rounds);
    elements_of::<bls::Fq>(rounds);
    elements_of::<bls::Fq2>(rounds);
}

#[test]
fn elements_compute_as_in_arkworks() {
    elements(2_000);
}

#[test]
#[ignore = "millions of inputs"]
fn long_instructions_and_elements() {
    instructions(2_000_000);
    elements(200_000);
}

#[test]
fn known_answers_are_arkworks() {
    let supported = run_vector(Operations([[0; 8]; 8], 0)).is_some();
    assert_eq!(known_answers::agree(), supported);
}

impl<F: LaneField> Clone for roots::Roots<'_, F> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

/// Of squares the roots are found, but for those that the formula does not know; of nothing else.
fn roots_of<S: Coordinate>(is_unknown: fn(&S) -> bool) {
    let mut elements = vec![S::ZERO, S::ONE, -S::ONE];
    let mixed = (S::ONE.double() + S::ONE).inverse().unwrap();
    elements.extend((0..5).map(|index| S::from(index + 2_u64)));
    elements.extend((1..60_u64).map(|k| mixed.pow([k.wrapping_mul(0x9e37_79b9_7f4a_7c15)])));
    let basis = (0..S::extension_degree()).map(|i| S::BasePrimeField::from(3 * i + 2));
    let generic = S::from_base_prime_field_elems(basis).unwrap();
    elements.extend((1..60_u64).map(|k| generic.pow([k])));
    elements.extend(elements.clone().iter().map(|element| -*element));
    elements.extend(elements.clone().iter().map(|element| element.square()));
    let half = S::ONE.double().inverse().unwrap();
    for count in [0, 1, 8, 9, elements.len()] {
        let elements = &elements[..count];
        for roots in both(roots::Roots::<S::Lanes> { elements, half }) {
            assert_eq!(roots.len(), count);
            for (element, root) in elements.iter().zip(roots) {
                let has_root = element.sqrt().is_some();
                assert_eq!(
                    root.square() == *element,
                    has_root && !is_unknown(element),
                    "{element}"
                );
            }
        }
    }
}

#[test]
fn roots_are_found_where_there_are_any() {
    roots_of::<bn::Fq>(|_| false);
    roots_of::<bls::Fq>(|_| false);
    roots_of::<bn::Fq2>(|square| square.c1 == bn::Fq::ZERO && square.c0.sqrt().is_none());
    roots_of::<bls::Fq2>(|square| square.c1 == bls::Fq::ZERO && square.c0.sqrt().is_none());
}
