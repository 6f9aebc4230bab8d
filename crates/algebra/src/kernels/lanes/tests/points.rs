//! Kernels on points against arkworks.

use ark_bls12_381 as bls;
use ark_bn254 as bn;
use ark_ec::{
    CurveGroup,
    pairing::MillerLoopOutput,
    short_weierstrass::{Affine, Projective},
};
use ark_ff::AdditiveGroup;
use rand_chacha::{ChaCha20Rng, rand_core::Rng};

use super::{
    super::{
        additions::{NEGATIVE, SECOND},
        *,
    },
    both, rng,
};
use crate::{
    Scalar,
    kernels::miller::{MillerLoop, Multiple, Step, factors, multiples},
    weierstrass::Curve,
};

fn random_points<P: Curve>(count: usize, rng: &mut ChaCha20Rng) -> Vec<Affine<P>> {
    let scalars = P::ScalarField::random_many(count, rng);
    let points: Vec<_> = scalars.iter().map(|scalar| P::generator_table().mul(scalar)).collect();
    Projective::normalize_batch(&points)
}

impl<F: LaneField> Clone for Sums<'_, F> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

/// Lists in which equal, opposite and neutral points meet in every place of a batch.
fn sums_of<P: Curve>(rounds: u32) {
    let mut rng = rng(5);
    let mut points = random_points::<P>(50, &mut rng);
    points.extend(points.clone().into_iter().map(|point| -point));
    points.extend([Affine::identity(); 10]);
    let Some(packed) = P::pack(&points) else { return };
    assert_eq!(P::unpack(&packed).unwrap(), points);
    let mapped: Vec<_> = points.iter().map(P::endomorphism).collect();
    assert_eq!(P::unpack(&P::images(&packed).unwrap()).unwrap(), mapped);
    let (first, second) = packed.split_at(60);
    for round in 0..rounds {
        let lengths: Vec<u32> = match round {
            0 => vec![],
            1 => vec![0, 0],
            2 => vec![9_000],
            3 => vec![1, 0, 20_000, 0, 3],
            _ => (0..rng.next_u32() % 200).map(|_| rng.next_u32() % 12).collect(),
        };
        let mut starts = vec![0];
        let mut terms = Vec::new();
        for length in lengths {
            // From few points only, so that they meet; or all equal.
            let (few, one) = (1 + rng.next_u32() % 110, rng.next_u32() % 110);
            terms.extend((0..length).map(|_| match round % 3 {
                0 => one,
                1 => rng.next_u32() % few,
                _ => rng.next_u32() % 3 * 50 % 110,
            } | (rng.next_u32() << 31)));
            starts.push(terms.len() as u32);
        }
        let expected: Vec<Affine<P>> = starts
            .windows(2)
            .map(|ends| {
                let terms = &terms[ends[0] as usize..ends[1] as usize];
                let sum = terms.iter().fold(Projective::<P>::ZERO, |sum, &term| {
                    let point = points[(term & !NEGATIVE) as usize];
                    if term & NEGATIVE == 0 { sum + point } else { sum - point }
                });
                sum.into_affine()
            })
            .collect();
        let place = |term: &u32| match term & !NEGATIVE {
            index if (index as usize) < first.len() => *term,
            _ => (term - first.len() as u32) | SECOND,
        };
        let terms: Vec<u32> = terms.iter().map(place).collect();
        let kernel = Sums { first, second, terms: &terms, starts: &starts, secret: false };
        let outputs =
            if round < 8 { both(kernel) } else { run_vector(kernel).into_iter().collect() };
        for sums in outputs {
            assert!(P::unpack(&sums).unwrap() == expected, "{round}");
        }
    }
}

fn sums(rounds: u32) {
    sums_of::<bn::g1::Config>(rounds);
    sums_of::<bn::g2::Config>(rounds);
    sums_of::<bls::g1::Config>(rounds);
    sums_of::<bls::g2::Config>(rounds);
}

#[test]
fn sums_of_points_that_meet() {
    sums(30);
}

impl<F: LaneField> Clone for Ladders<'_, F> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

/// Every point its own digits, of every width, odd or in all lanes zero; points that meet, and neutral ones.
fn ladders_of<P: Curve>(seed: u8) {
    let mut rng = rng(seed);
    for (width, parts, windows, count) in
        [(1, 1, 3, 9), (1, 1, 40, 16), (2, 2, 5, 19), (4, 3, 4, 8)]
    {
        let odd = 1 << (width - 1);
        let bases = random_points::<P>(parts * count, &mut rng);
        let mut bases: Vec<_> = bases.into_iter().map(Projective::from).collect();
        (bases[1], bases[3]) = (Projective::ZERO, bases[2]);
        let multiples = bases.chunks(count).flat_map(|bases| {
            (0..odd).flat_map(move |o| {
                bases.iter().map(move |p| *p * P::ScalarField::from(2 * o + 1_u64))
            })
        });
        let tables = Projective::normalize_batch(&multiples.collect::<Vec<_>>());
        let Some(tables) = P::pack(&tables) else { return };
        let skipped: Vec<bool> =
            (0..parts * (windows + 1)).map(|_| rng.next_u32().is_multiple_of(3)).collect();
        let digit = |place: usize, rng: &mut ChaCha20Rng| {
            let odd = (rng.next_u32() % (1 << width)) as i8 * 2 - ((1 << width) - 1);
            match place {
                0 => odd.abs(),
                _ if place >= parts * windows => (rng.next_u32() % 3) as i8 - 1,
                _ if width == 1 && skipped[place] => 0,
                _ => odd,
            }
        };
        let own = count * parts * (windows + 1);
        for len in [own, own / count] {
            let digits: Vec<i8> =
                (0..len).map(|index| digit(index % (parts * (windows + 1)), &mut rng)).collect();
            let expected: Vec<_> = (0..count)
                .map(|point| {
                    let digits = &digits[point * own / count % len..][..own / count];
                    let mut sum = Projective::<P>::ZERO;
                    for (place, digit) in digits.iter().enumerate() {
                        if place % parts == 0 && place < parts * windows {
                            for _ in 0..width {
                                sum.double_in_place();
                            }
                        }
                        let base = bases[place % parts * count + point];
                        let multiple = base * P::ScalarField::from(digit.unsigned_abs());
                        sum += if *digit < 0 { -multiple } else { multiple };
                    }
                    sum.into_affine()
                })
                .collect();
            let ladders =
                Ladders { tables: &tables, points: count, parts, width, digits: &digits, windows };
            for (products, missing) in both(ladders) {
                let is_missing = |index: usize| missing[index / 8] >> (index % 8) & 1 == 1;
                assert!(is_missing(1), "a neutral point has no product");
                for (index, product) in P::unpack(&products).unwrap().into_iter().enumerate() {
                    assert!(is_missing(index) || product == expected[index], "{width} {index}");
                }
                // With few windows sums meet by chance, as they do not with many.
                let named = (0..count).filter(|&index| is_missing(index)).count();
                assert!(windows < 40 || named == 1, "{named} of {count}");
            }
        }
    }
}

fn ladders(seed: u8) {
    ladders_of::<bn::g1::Config>(seed);
    ladders_of::<bn::g2::Config>(seed);
    ladders_of::<bls::g1::Config>(seed);
    ladders_of::<bls::g2::Config>(seed);
}

#[test]
fn ladders_multiply() {
    ladders(6);
}

#[test]
#[ignore = "millions of inputs"]
fn long_sums_and_ladders() {
    sums(3_000);
    (0..=255).for_each(ladders);
}

impl<F: LaneField> Clone for Walk<'_, F> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

/// Every line goes through the points that its step adds, and the negative of their sum.
fn walks_of<E: MillerLoop>() {
    let mut points = random_points::<E::Right>(19, &mut rng(7));
    (points[4], points[5]) = (points[3], -points[3]);
    for count in [1, 7, 8, 9, 19] {
        let points = &points[..count];
        let Some([own, images, second]) = multiples::<E>(points) else { return };
        let steps = E::steps();
        for lines in both(Walk { multiples: [&own, &images, &second], steps: &steps }) {
            assert_eq!(lines.len(), count);
            for (point, lines) in points.iter().zip(lines) {
                let mut current = *point;
                assert_eq!(lines.len(), steps.len());
                for (step, line) in steps.iter().zip(lines) {
                    let image = |point| E::Right::endomorphism(&point);
                    let addend = match step {
                        Step::Double => current,
                        Step::Add(Multiple::One) => *point,
                        Step::Add(Multiple::MinusOne) => -*point,
                        Step::Add(Multiple::Psi) => image(*point),
                        Step::Add(Multiple::MinusPsiSquared) => -image(image(*point)),
                    };
                    let sum = (current + addend).into_affine();
                    for on in [current, addend, -sum] {
                        assert_eq!(line.slope * on.x - on.y, line.offset);
                    }
                    current = sum;
                }
            }
        }
    }
}

#[test]
fn lines_go_through_the_points_of_the_walk() {
    walks_of::<crate::Bn254>();
    walks_of::<crate::Bls12381>();
}

impl<T: Tower> Clone for Columns<'_, T> {
    fn clone(&self) -> Self {
        Self { walk: self.walk.clone(), ..*self }
    }
}

/// Products of pairs are those of arkworks, once they are exponentiated; lanes without a pair change nothing.
fn columns_of<E: MillerLoop>() {
    let left = random_points::<E::Left>(19, &mut rng(8));
    let right = random_points::<E::Right>(19, &mut rng(9));
    for count in [1, 8, 19] {
        let (left, right) = (&left[..count], &right[..count]);
        let Some([own, images, second]) = multiples::<E>(right) else { return };
        let (steps, at) = (E::steps(), factors::<E>(left.iter()));
        let walk = Walk { multiples: [&own, &images, &second], steps: &steps };
        let expected = E::multi_pairing(left.to_vec(), right.to_vec());
        for products in both(Columns::<E> { walk, at: &at }) {
            let mut product = products.map(E::from_coefficients).into_iter().product();
            E::correct_sign(&mut product);
            assert_eq!(E::final_exponentiation(MillerLoopOutput(product)).unwrap(), expected);
        }
    }
}

#[test]
fn columns_multiply_lines_to_pairings() {
    columns_of::<crate::Bn254>();
    columns_of::<crate::Bls12381>();
}
