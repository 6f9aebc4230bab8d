//! Laws of the pairings.

use algebra::{AffineGroup, Bls12381, Bn254, Group, Pairing, Scalar};
use ark_ec::pairing::{Pairing as Engine, PairingOutput};

use crate::common::{random_points, rng};

macro_rules! for_all_pairings {
    ($($test:ident),+ $(,)?) => {
        mod bls12_381 {
            $(#[test] fn $test() { super::$test::<super::Bls12381>(); })+
        }
        mod bn254 {
            $(#[test] fn $test() { super::$test::<super::Bn254>(); })+
        }
    };
}

for_all_pairings!(
    bilinear,
    non_degenerate,
    neutral_arguments,
    products,
    many,
    agrees_with_arkworks,
    target_has_the_order
);

type ScalarOf<E> = <<E as Pairing>::G1 as Group>::Scalar;

fn bilinear<E: Pairing>() {
    let (p, q) = (random_points::<E::G1>(2, 1), random_points::<E::G2>(2, 2));
    let e = E::pairing(&p[0], &q[0]);
    assert_eq!(E::pairing(&(p[0] + p[1]), &q[0]), e + E::pairing(&p[1], &q[0]));
    assert_eq!(E::pairing(&p[0], &(q[0] - q[1])), e - E::pairing(&p[0], &q[1]));
    assert_eq!(E::pairing(&-p[0], &q[0]), -e);

    let (s, t) = (ScalarOf::<E>::random(&mut rng(3)), ScalarOf::<E>::from_u64(3));
    assert_eq!(E::pairing(&p[0].mul(&s), &q[0].mul(&t)), e * (s * t));
    assert_eq!(e * t, [e, e, e].into_iter().sum());
}

fn non_degenerate<E: Pairing>() {
    assert_ne!(E::pairing(&E::G1::generator(), &E::G2::generator()), E::Target::default());
}

fn neutral_arguments<E: Pairing>() {
    let (g1, g2) = (E::G1::generator(), E::G2::generator());
    let (zero1, zero2) = (E::G1::identity(), E::G2::identity());
    for (p, q) in [(zero1, g2), (g1, zero2), (zero1, zero2)] {
        assert_eq!(E::pairing(&p, &q), E::Target::default());
        assert_eq!(E::multi_pairing(&[(p, q), (g1, g2)]), E::pairing(&g1, &g2));
    }
    assert_eq!(E::multi_pairing(&[]), E::Target::default());
    assert!(E::is_neutral(&[]));
}

fn products<E: Pairing>() {
    for count in [1, 2, 3, 4, 5, 9] {
        let (p, q) = (random_points::<E::G1>(count, 4), random_points::<E::G2>(count, 5));
        let mut pairs: Vec<_> = p.into_iter().zip(q).collect();
        let sum = pairs.iter().map(|(p, q)| E::pairing(p, q)).sum();
        assert_eq!(E::multi_pairing(&pairs), sum);
        assert!(!E::is_neutral(&pairs));
        let negated: Vec<_> = pairs.iter().map(|&(p, q)| (-p, q)).collect();
        pairs.extend(negated);
        assert!(E::is_neutral(&pairs));
    }
}

fn target_has_the_order<E: Pairing>() {
    let e = E::pairing(&E::G1::generator(), &E::G2::generator());
    let minus_one = -ScalarOf::<E>::one();
    assert_eq!(e * minus_one, -e);
    assert_eq!(e * minus_one + e, E::Target::default());
}

/// Enough pairs for the kernel of ours, neutral ones and prepared ones among them.
fn many<E: Pairing>() {
    let (mut p, mut q) = (random_points::<E::G1>(40, 6), random_points::<E::G2>(40, 7));
    (p[3], q[5], q[20], p[21]) =
        (E::G1::identity(), E::G2::identity(), E::G2::identity(), E::G1::identity());
    (p[8], q[9]) = (p[7], q[7]);
    let pairs: Vec<_> = p.iter().copied().zip(q.iter().copied()).collect();
    let prepared = E::prepare(&q);
    let with: Vec<_> = p.iter().copied().zip(&prepared).collect();
    let plain: Vec<_> = pairs.iter().map(|&pair| E::multi_pairing(&[pair])).collect();
    for (from, to) in [(0, 0), (0, 1), (3, 4), (0, 15), (0, 16), (1, 18), (0, 40)] {
        let sum = plain[from..to].iter().copied().sum();
        assert_eq!(E::multi_pairing(&pairs[from..to]), sum);
        assert_eq!(E::multi_pairing_with(&[], &with[from..to]), sum);
        for middle in [(from + to) / 2, to - (to - from) / 4, from + (to - from) / 4] {
            let both = E::multi_pairing_with(&pairs[from..middle], &with[middle..to]);
            assert_eq!(both, sum);
        }
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let sum = plain.iter().copied().sum();
    assert_eq!(pool.install(|| E::multi_pairing(&pairs)), sum);
    assert_eq!(pool.install(|| E::multi_pairing_with(&pairs[..30], &with[30..])), sum);
}

/// Bit for bit, whichever library took part.
fn agrees_with_arkworks<E>()
where
    E: Engine
        + Pairing<
            G1: AffineGroup<Affine = <E as Engine>::G1Affine>,
            G2: AffineGroup<Affine = <E as Engine>::G2Affine>,
            Target = PairingOutput<E>,
        >,
{
    let (p, q) = (random_points(20, 8), random_points(20, 9));
    let (left, right) = (AffineGroup::to_affine_all(&p), AffineGroup::to_affine_all(&q));
    for count in [1, 2, 7, 8, 9, 15, 16, 17, 20] {
        let pairs: Vec<_> = p.iter().copied().zip(q.iter().copied()).take(count).collect();
        let plain = <E as Engine>::multi_pairing(left[..count].to_vec(), right[..count].to_vec());
        assert_eq!(<E as Pairing>::multi_pairing(&pairs), plain);
        let prepared = E::prepare(&q[..count]);
        let fixed: Vec<_> = p.iter().copied().zip(&prepared).collect();
        assert_eq!(E::multi_pairing_with(&[], &fixed), plain);
    }
}
