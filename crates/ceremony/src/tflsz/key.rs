//! Whether the points of a reference string belong together.

use std::ops::Range;

use algebra::{Affine, AffineGroup, CurveGroup, Engine, Group, Pairing, Scalar};
use circuit::{
    Error as FileError,
    native::{TflszG1, TflszG2, TflszPoints},
};
use rand_core::CryptoRng;
use wire::Progress;

use super::polynomials::{p_coefficients, q_coefficients};
use crate::{
    Error,
    relations::{self, Family, Product, combine},
};

/// Points of G2 that stand in pairings; the generator is base 0.
const H: usize = 0;
const CHI: usize = 1;
const THETA: usize = 2;
const BETA: usize = 3;
const BETA_HAT: usize = 4;
const RHO: usize = 5;
const BETA2: usize = 6;
const BETA_BETA_HAT: usize = 7;

type P1<E> = Affine<<E as Pairing>::G1>;

/// Requires that a reference string is what *some* secrets make it, none of which is 1: what
/// everybody who uses one should know. Then no proof under it gives a permutation away, whoever made
/// it; that nobody knows the secrets is for [`verify`](super::verify()) to say.
///
/// These are the equations of the key verification V of tFLSZ, and those that tie `P_i`, `P_0` and
/// `Q_i` to the powers of `χ`: stronger than V, and cheaper, as `(P_i + P_0)²` then needs no pairing
/// of its own. All are one product of nine pairings, with weights of 128 bits. `β²` and `ββ̂` stand for
/// `γβ` and `γβ̂` (see the [module](super)), so `β²·β̂ = ββ̂·β` is required of them, and `γ = β` is not.
///
/// # Errors
/// [`Error::Size`], [`Error::ListLen`], [`Error::NoSecret`], [`Error::Unrelated`], naming list and
/// position.
pub fn verify_key<E: Engine>(
    points: &TflszPoints<E>,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<(), Error> {
    check_lengths(points)?;
    check_infinity(points)?;
    check_secrets(points)?;
    check_relations(points, rng, progress)?;
    progress.finish();
    Ok(())
}

/// `n + 1` is a power of two and not below 4 (with two roots `Q_1` is 0), and every list is as long
/// as `n` makes it.
pub(super) fn check_lengths<E: Engine>(points: &TflszPoints<E>) -> Result<(), Error> {
    let size = points.size();
    if !is_size::<E>(size) {
        return Err(Error::Size { size });
    }
    let n = size as usize;
    let lists = [
        (TflszG1::Chi, points.chi.len(), 2 * n),
        (TflszG1::Theta, points.theta.len(), 2 * n),
        (TflszG1::BetaChi, points.beta_chi.len(), n + 1),
        (TflszG1::BetaHatThetaEven, points.beta_hat_theta.len(), n),
        (TflszG1::QOverRho, points.q_over_rho.len(), n),
        (TflszG1::Mixed, points.mixed.len(), n),
    ];
    let lists = lists.map(|(list, got, expected)| (list.place(), got, expected));
    let lists_g2 = [(TflszG2::Chi, points.chi_g2.len(), n), (TflszG2::P, points.p_g2.len(), n)];
    let lists_g2 = lists_g2.map(|(list, got, expected)| (list.place(), got, expected));
    for (place, got, expected) in lists.into_iter().chain(lists_g2) {
        if got != expected {
            return Err(Error::ListLen { place, expected: expected as u64, got: got as u64 });
        }
    }
    Ok(())
}

/// No point is neutral: files have none, but strings are made in memory too.
fn check_infinity<E: Engine>(points: &TflszPoints<E>) -> Result<(), Error> {
    let (single, single_g2) = (points.single.to_array(), points.single_g2.to_array());
    let lists = [
        (TflszG1::Single, &single[..]),
        (TflszG1::Chi, &points.chi),
        (TflszG1::Theta, &points.theta),
        (TflszG1::BetaChi, &points.beta_chi),
        (TflszG1::BetaHatThetaEven, &points.beta_hat_theta),
        (TflszG1::P, &points.p),
        (TflszG1::QOverRho, &points.q_over_rho),
        (TflszG1::Mixed, &points.mixed),
    ];
    let lists_g2 = [
        (TflszG2::Single, &single_g2[..]),
        (TflszG2::Chi, &points.chi_g2),
        (TflszG2::P, &points.p_g2),
    ];
    let found = lists.into_iter().find_map(|(list, points)| {
        Some((list.place(), points.iter().position(E::G1::is_affine_identity)?))
    });
    let found_g2 = lists_g2.into_iter().find_map(|(list, points)| {
        Some((list.place(), points.iter().position(E::G2::is_affine_identity)?))
    });
    match found.or(found_g2) {
        Some((place, index)) => Err(FileError::Infinity { place, index: index as u64 }.into()),
        None => Ok(()),
    }
}

/// Whether there is a reference string of a size.
pub(super) fn is_size<E: Engine>(size: u64) -> bool {
    let roots = size.saturating_add(1);
    size >= 3 && roots.is_power_of_two() && roots.trailing_zeros() <= E::TWO_ADICITY
}

/// `χ`, `θ`, `β`, `β̂`, `ρ` and `γ` are not 1.
fn check_secrets<E: Engine>(points: &TflszPoints<E>) -> Result<(), Error> {
    let generator = E::G1::affine_generator();
    let single = TflszG1::Single.place();
    let secrets = [
        (TflszG1::Chi.place(), 0, points.chi.first()),
        (TflszG1::Theta.place(), 0, points.theta.first()),
        (TflszG1::BetaChi.place(), 0, points.beta_chi.first()),
        (single, 1, Some(&points.single.rho)),
        (single, 3, Some(&points.single.beta_hat)),
    ];
    for (place, index, point) in secrets {
        if point == Some(&generator) {
            return Err(Error::NoSecret { place, index });
        }
    }
    match points.single_g2.beta2 == points.single_g2.beta {
        true => Err(Error::NoSecret { place: TflszG2::Single.place(), index: 5 }),
        false => Ok(()),
    }
}

/// Requires all relations. Taken as they are, because they define the secrets: `[χ]₁`, `[θ]₁`, `[β]₁`,
/// `[β̂]₁`, `[ρ]₁` and `[γβ]₂`.
pub(super) fn check_relations<E: Engine>(
    points: &TflszPoints<E>,
    rng: &mut (impl CryptoRng + ?Sized),
    progress: &impl Progress,
) -> Result<(), Error> {
    let single = &points.single_g2;
    // There are n powers in G2, and n is at least 3.
    let chi = points.chi_g2.first().copied().unwrap_or_else(E::G2::affine_identity);
    let bases = [
        E::G2::affine_generator(),
        chi,
        single.theta,
        single.beta,
        single.beta_hat,
        single.rho,
        single.beta2,
        single.beta_beta_hat,
    ];
    let values = Values::new(points);
    let mut families = singles_of_g2(&values);
    families.extend(powers(&values));
    families.extend(singles_of_g1(&values));
    families.extend(polynomials(&values));
    relations::check(&bases, &families, rng, progress)
}

/// The points, and what several equations need of them.
struct Values<'a, E: Engine> {
    points: &'a TflszPoints<E>,
    n: usize,
    /// `χ^0, …, χ^{2n}`.
    chi: Vec<P1<E>>,
    p_hat: Vec<P1<E>>,
    single: [P1<E>; 7],
    single_g2: [Affine<E::G2>; 7],
}

impl<'a, E: Engine> Values<'a, E> {
    fn new(points: &'a TflszPoints<E>) -> Self {
        let generator = E::G1::affine_generator();
        let chi = std::iter::once(generator).chain(points.chi.iter().copied()).collect();
        let (n, p_hat) = (points.p.len(), points.p_hat());
        let (single, single_g2) = (points.single.to_array(), points.single_g2.to_array());
        Self { points, n, chi, p_hat, single, single_g2 }
    }
}

/// A slice from one index to another.
fn part<P>(points: &[P], from: usize, len: usize) -> &[P] {
    // `check_lengths` has compared every list with n, and no range that is asked for is beyond its list.
    points.get(from..from + len).unwrap_or_default()
}

/// The secrets in G2 are those of G1, and `ββ̂·β = β²·β̂`.
fn singles_of_g2<'a, E: Engine>(values: &'a Values<'a, E>) -> Vec<Family<'a, E>> {
    let (place, points) = (TflszG2::Single.place(), values.points);
    let same = |index: usize, of| {
        Family::times_g2(place, index as u64, part(&values.single_g2, index, 1), of, H)
    };
    let beta = part(&points.beta_chi, 0, 1);
    vec![
        same(1, part(&values.single, 1, 1)),
        same(2, part(&points.theta, 0, 1)),
        same(3, beta),
        same(4, part(&values.single, 3, 1)),
        Family::new(place, 6, 1, move |rows, weights, product: &mut Product<E>| {
            product.add(BETA_BETA_HAT, combine::<E::G1>(beta, &rows, weights));
            let beta_hat = part(&values.single, 3, 1);
            product.add(BETA2, -combine::<E::G1>(beta_hat, &rows, weights));
        }),
    ]
}

/// The powers of `χ` in both groups and of `θ`, and those times `β` and `β̂`.
fn powers<'a, E: Engine>(values: &'a Values<'a, E>) -> Vec<Family<'a, E>> {
    let (n, points, chi) = (values.n, values.points, &values.chi);
    let (g1, g2) = (TflszG1::place, TflszG2::place);
    let chi_g2 = |from, len| {
        let of = part(&points.chi, from, len);
        Family::times_g2(g2(TflszG2::Chi), from as u64, part(&points.chi_g2, from, len), of, H)
    };
    // A power is its secret times the power before.
    let next = |list, points: &'a [P1<E>], secret| {
        let (later, earlier) = (part(points, 1, 2 * n - 1), part(points, 0, 2 * n - 1));
        Family::times(g1(list), 1, later, earlier, secret)
    };
    vec![
        chi_g2(0, 1),
        next(TflszG1::Chi, &points.chi, CHI),
        chi_g2(1, n - 1),
        next(TflszG1::Theta, &points.theta, THETA),
        Family::times(g1(TflszG1::BetaChi), 1, part(&points.beta_chi, 1, n), part(chi, 1, n), BETA),
        Family::times(
            g1(TflszG1::BetaHatThetaEven),
            0,
            &points.beta_hat_theta,
            &values.p_hat,
            BETA_HAT,
        ),
    ]
}

/// `Σ P̂_i`, `βρ`, `β²ρ` and `ββ̂`.
fn singles_of_g1<'a, E: Engine>(values: &'a Values<'a, E>) -> Vec<Family<'a, E>> {
    let place = TflszG1::Single.place();
    let rho = part(&values.single, 1, 1);
    let times = |index: usize, of, base| {
        Family::times(place, index as u64, part(&values.single, index, 1), of, base)
    };
    let p_hat_sum = move |rows, weights: &[u128], product: &mut Product<E>| {
        let sum: E::G1 = values.p_hat.iter().map(|&p_hat| Into::<E::G1>::into(p_hat)).sum();
        let sum = E::G1::precompute(&[sum]);
        product.add(H, combine::<E::G1>(part(&values.single, 2, 1), &rows, weights));
        product.add(H, -combine::<E::G1>(&sum, &rows, weights));
    };
    // ββ̂ in G1 is that of G2: e(ββ̂, H) = e(G, ββ̂).
    let generator = part(&values.chi, 0, 1);
    vec![
        Family::new(place, 2, 1, p_hat_sum),
        times(4, rho, BETA),
        times(5, rho, BETA2),
        times(6, generator, BETA_BETA_HAT),
    ]
}

/// `P_i`, `P_0` and `Q_i/ρ` from the powers of `χ`, and `β²P_i + ββ̂P̂_i`.
fn polynomials<'a, E: Engine>(values: &'a Values<'a, E>) -> Vec<Family<'a, E>> {
    let (n, points) = (values.n, values.points);
    let (g1, g2) = (TflszG1::place, TflszG2::place);
    // P_0 = l_m − 1, where l_m is the mean of χ^0, …, χ^n: (n + 1)·(P_0 + 1) is their sum.
    let p_0 = move |_, weights: &[u128], product: &mut Product<E>| {
        let plus_one: E::G1 = E::G1::generator().add_precomputed(&points.single.p_0);
        let mean = part(&values.chi, 0, n + 1).iter().map(|&power| Into::<E::G1>::into(power));
        let difference = plus_one.mul(&Scalar::from_u64(n as u64 + 1)) - mean.sum();
        let difference = E::G1::precompute(&[difference]);
        product.add(H, E::G1::msm_short_affine(weights, &difference));
    };
    let p = move |rows: Range<usize>, weights: &[u128], product: &mut Product<E>| {
        product.add(H, combine::<E::G1>(&points.p, &rows, weights));
        // `is_size` has refused a size without a domain. Without coefficients the rows would not hold.
        let coefficients = p_coefficients::<E>(n, rows.start, weights).unwrap_or_default();
        product.add(H, -E::G1::msm_affine(&coefficients, &values.chi));
    };
    let q = move |rows: Range<usize>, weights: &[u128], product: &mut Product<E>| {
        product.add(RHO, combine::<E::G1>(&points.q_over_rho, &rows, weights));
        // As for `p`.
        let coefficients = q_coefficients::<E>(n, rows.start, weights).unwrap_or_default();
        product.add(H, -E::G1::msm_affine(&coefficients, &values.chi));
    };
    let mixed = move |rows, weights: &[u128], product: &mut Product<E>| {
        product.add(H, combine::<E::G1>(&points.mixed, &rows, weights));
        product.add(BETA2, -combine::<E::G1>(&points.p, &rows, weights));
        product.add(BETA_BETA_HAT, -combine::<E::G1>(&values.p_hat, &rows, weights));
    };
    let p_0_g2 = part(&values.single_g2, 0, 1);
    vec![
        Family::new(g1(TflszG1::Single), 0, 1, p_0),
        Family::times_g2(g2(TflszG2::Single), 0, p_0_g2, part(&values.single, 0, 1), H),
        Family::new(g1(TflszG1::P), 0, n, p),
        Family::times_g2(g2(TflszG2::P), 0, &points.p_g2, &points.p, H),
        Family::new(g1(TflszG1::QOverRho), 0, n, q),
        Family::new(g1(TflszG1::Mixed), 0, n, mixed),
    ]
}
