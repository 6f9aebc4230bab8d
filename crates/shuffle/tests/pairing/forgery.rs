//! The published AC16 is not sound: a mixer with three voters turns their ballots 0, 1, 2 into
//! 1, 1, 1, with a proof that verifies. On the repaired reference string it does not.

use algebra::{AffineGroup, Bn254, Group, Pairing, Scalar, ScalarOf};
use shuffle::{
    Equation, PointList, ShuffleError,
    pairing::ac16::{Ciphertext, Column, Crs, Encryptor, Mix, Proof, SecretKey, verify},
};

use super::support::rng;

type E = Bn254;
type S = ScalarOf<E>;
type G1 = <E as Pairing>::G1;
type G2 = <E as Pairing>::G2;

const N: usize = 5;
/// Output j takes input `TAKEN[j]`: not a permutation.
const TAKEN: [usize; N] = [1, 1, 1, 3, 4];
const VOTES: [u64; N] = [0, 1, 2, 3, 4];

fn inverse(scalar: S) -> S {
    scalar.invert().unwrap()
}

/// `P_0` and `P_1..P_n` as published, at x: n + 1 points 1, 2, ….
fn published_polynomials(x: S) -> (S, Vec<S>) {
    let point = |i: usize| S::from_u64(i as u64);
    let basis = |i: usize| {
        let others = (1..=N + 1).filter(|&j| j != i);
        others.fold(S::one(), |l, j| l * (x - point(j)) * inverse(point(i) - point(j)))
    };
    let last = basis(N + 1);
    (last - S::one(), (1..=N).map(|i| basis(i) + basis(i) + last).collect())
}

fn q(p0: S, p: S) -> S {
    (p + p0) * (p + p0) - S::one()
}

/// The reference string as the paper has it.
fn published() -> Crs<E> {
    let mut rng = rng(51);
    let [chi, alpha, rho, beta] = [(); 4].map(|()| S::random(&mut rng));
    let (p0, p) = published_polynomials(chi);
    let g1 = |scalars: Vec<S>| {
        G1::to_affine_all(&scalars.iter().map(G1::mul_generator).collect::<Vec<_>>())
    };
    Crs {
        p1: g1(p.clone()),
        q_over_rho: g1(p.iter().map(|&p| q(p0, p) * inverse(rho)).collect()),
        p2: G2::to_affine_all(&p.iter().map(G2::mul_generator).collect::<Vec<_>>()),
        p0: G1::mul_generator(&p0),
        alpha_plus_p0: G1::mul_generator(&(alpha + p0)),
        p0_minus_alpha: G2::mul_generator(&(p0 - alpha)),
        rho1: G1::mul_generator(&rho),
        rho2: G2::mul_generator(&rho),
        beta: G2::mul_generator(&beta),
        message_base: G1::mul_generator(&(rho * inverse(beta))),
        target: E::pairing(&G1::generator(), &G2::mul_generator(&(S::one() - alpha * alpha))),
    }
}

/// A row `Σ_j a_j P_j + A_0 P_0` that commits to no unit vector, and of which `(row + P_0)² − 1`
/// is `Σ_k c_k Q_k` all the same.
struct Row {
    a0: S,
    a: Vec<S>,
    c: Vec<S>,
}

impl Row {
    /// Row i: `A_0 = 2(1 − k)/n` for k outputs that take input i, `a_j = A_0/2 + [t(j) = i]`.
    fn new(i: usize) -> Self {
        let small = |value: usize| S::from_u64(value as u64);
        let taken = TAKEN.iter().filter(|&&t| t == i).count();
        let half = (S::one() - small(taken)) * inverse(small(N));
        let (a0, one) = (half + half, S::one());
        let a: Vec<S> = TAKEN.iter().map(|&t| if t == i { half + one } else { half }).collect();
        // At n points that are not interpolated, the square and the Q_k give n equations for c.
        let at = |x: usize| {
            let (p0, p) = published_polynomials(S::from_u64(x as u64));
            let row = a.iter().zip(&p).map(|(&a, &p)| a * p).sum::<S>() + a0 * p0;
            let equation: Vec<S> = p.iter().map(|&p| q(p0, p)).collect();
            (equation, q(p0, row))
        };
        let c = solve((0..N).map(|k| at(N + 2 + k)).collect());
        // It holds elsewhere too: an equation of polynomials.
        let (equation, value) = at(1000);
        assert_eq!(equation.iter().zip(&c).map(|(&q, &c)| q * c).sum::<S>(), value);
        Self { a0, a, c }
    }
}

/// The solution of linear equations with coefficients and right side, by elimination.
fn solve(mut equations: Vec<(Vec<S>, S)>) -> Vec<S> {
    for pivot in 0..equations.len() {
        let found = (pivot..equations.len()).find(|&row| equations[row].0[pivot] != S::zero());
        equations.swap(pivot, found.unwrap());
        let factor = inverse(equations[pivot].0[pivot]);
        equations[pivot].0.iter_mut().for_each(|value| *value *= factor);
        equations[pivot].1 *= factor;
        let (coefficients, right) = equations[pivot].clone();
        for (row, equation) in equations.iter_mut().enumerate() {
            let factor = equation.0[pivot];
            if row != pivot {
                equation.0.iter_mut().zip(&coefficients).for_each(|(v, &c)| *v -= factor * c);
                equation.1 -= factor * right;
            }
        }
    }
    equations.into_iter().map(|(_, right)| right).collect()
}

/// What the mixer and its three voters know besides what is public.
struct Conspiracy<'a> {
    crs: &'a Crs<E>,
    encryptor: &'a Encryptor<E>,
    ballots: &'a [Ciphertext<E>],
    /// The randomness of the voters' ballots; of the others' none is used.
    randomness: &'a [[S; 2]],
}

impl Conspiracy<'_> {
    /// `[P_0]₂ = (Σ [P_i]₂ − n [1]₂)/(n − 2)`, which the paper takes for unavailable.
    fn p0_in_g2(&self) -> G2 {
        let sum: G2 = self.crs.p2.iter().map(G2::from_affine).sum();
        let n = S::from_u64(N as u64);
        (sum - G2::mul_generator(&n)).mul(&inverse(n - S::from_u64(2)))
    }

    fn forge(&self) -> Mix<E> {
        let (crs, mut rng) = (self.crs, rng(52));
        let rows: Vec<Row> = (0..N).map(Row::new).collect();
        let mut r = S::random_many(N, &mut rng);
        r[N - 1] = -r[..N - 1].iter().copied().sum::<S>();
        let s: Vec<[S; 2]> = (0..N).map(|_| [(); 2].map(|()| S::random(&mut rng))).collect();
        let blind = [(); 2].map(|()| S::random(&mut rng));
        let p0_2 = self.p0_in_g2();

        let a1 = rows.iter().zip(&r).map(|(row, r)| {
            G1::msm_affine(&row.a, &crs.p1) + crs.p0.mul(&row.a0) + crs.rho1.mul(r)
        });
        let a1: Vec<G1> = a1.collect();
        let a2 =
            rows.iter().zip(&r).take(N - 1).map(|(row, r)| {
                G2::msm_affine(&row.a, &crs.p2) + p0_2.mul(&row.a0) + crs.rho2.mul(r)
            });
        let pi = a1.iter().zip(&rows).zip(&r).map(|((&a1, row), r)| {
            let base = (a1 + crs.p0).double() - crs.rho1.mul(r);
            base.mul(r) + G1::msm_affine(&row.c, &crs.q_over_rho)
        });
        // Σ A_0i v_i encrypts zero with randomness u.
        let u = [0, 1].map(|k| {
            let rows = rows.iter().zip(self.randomness);
            rows.map(|(row, randomness)| row.a0 * randomness[k]).sum::<S>()
        });
        let half = inverse(S::from_u64(2));
        let c1 = [0, 1].map(|k| {
            let shifted: Vec<S> = s.iter().map(|s| s[k] - u[k] * half).collect();
            G2::msm_affine(&shifted, &crs.p2) - p0_2.mul(&u[k]) + crs.rho2.mul(&blind[k])
        });
        let zero = S::zero();
        let outputs = TAKEN
            .iter()
            .zip(&s)
            .map(|(&taken, s)| self.ballots[taken].add(&self.encryptor.encrypt_with(zero, s)));
        let weighted = Ciphertext {
            g1: [0, 1, 2].map(|c| self.ballots.iter().zip(&r).map(|(v, r)| v.g1[c].mul(r)).sum()),
            g2: [0, 1, 2].map(|c| self.ballots.iter().zip(&r).map(|(v, r)| v.g2[c].mul(r)).sum()),
        };
        let proof = Proof {
            a1: PointList::new(a1[..N - 1].to_vec()),
            a2: PointList::new(a2.collect()),
            pi: PointList::new(pi.collect()),
            c1,
            c2: weighted.add(&self.encryptor.encrypt_with(zero, &blind)),
        };
        Mix { outputs: Column::new(&outputs.collect::<Vec<_>>()), proof }
    }
}

/// Runs the attack and returns the votes that are counted.
fn attack(crs: &Crs<E>) -> Result<Vec<u64>, ShuffleError> {
    let mut rng = rng(53);
    let secret = SecretKey::<E>::generate(&mut rng);
    let key = secret.public_key(crs);
    let encryptor = Encryptor::new(crs, &key);
    let randomness: Vec<[S; 2]> = (0..N).map(|_| [(); 2].map(|()| S::random(&mut rng))).collect();
    let ballots: Vec<_> = VOTES
        .iter()
        .zip(&randomness)
        .map(|(&vote, s)| encryptor.encrypt_with(S::from_u64(vote), s))
        .collect();
    // Two of the five are honest: what the conspiracy does not know is not used.
    let mut known = randomness;
    known[3..].fill([S::from_u64(666); 2]);
    let conspiracy =
        Conspiracy { crs, encryptor: &encryptor, ballots: &ballots, randomness: &known };
    let forged = conspiracy.forge();

    let inputs = Column::new(&ballots).validate(crs, &mut rng)?;
    let outputs = verify(crs, &key, &inputs, forged, &mut rng)?;
    let points = secret.decrypt_all(&outputs);
    let vote =
        |point: &G1| (0..10).find(|&m| crs.message_base.mul(&S::from_u64(m)) == *point).unwrap();
    Ok(points.iter().map(vote).collect())
}

#[test]
fn the_published_reference_string_lets_votes_be_changed() {
    assert_eq!(attack(&published()), Ok(vec![1, 1, 1, 3, 4]));
}

#[test]
fn the_repaired_reference_string_does_not() {
    let crs = Crs::<E>::insecure_dealer(N, &mut rng(54)).unwrap();
    let equation = Equation::UnitVector { index: 0 };
    assert_eq!(attack(&crs), Err(ShuffleError::Equation { mixer: 1, equation }));
}
