//! The equations of tFLSZ in the exponents, from the paper's formulas and apart from the crate's
//! code: group elements are their logarithms, and a pairing is a product.

use algebra::{Bn254, Domain, Scalar, ScalarOf};

use super::support::rng;

type S = ScalarOf<Bn254>;

/// A reference string whose secrets are known.
struct Toy {
    p0: S,
    p: Vec<S>,
    p_hat: Vec<S>,
    rho: S,
    beta: S,
    beta_hat: S,
}

impl Toy {
    /// `P_0` and `P_i` by Lagrange's formula over the roots of unity.
    fn new(n: usize) -> Self {
        let mut rng = rng(31);
        let root = Domain::<S>::new(n + 1).unwrap().root();
        let chi = S::random(&mut rng);
        let theta = S::random(&mut rng);
        let power = |base: S, exponent: usize| (0..exponent).fold(S::one(), |p, _| p * base);
        let points: Vec<S> = (1..=n + 1).map(|i| power(root, i)).collect();
        let basis = |i: usize| {
            let others = (0..=n).filter(|&j| j != i).map(|j| points[j]);
            others.fold(S::one(), |l, w| l * (chi - w) * (points[i] - w).invert().unwrap())
        };
        let last = basis(n);
        Self {
            p0: last - S::one(),
            p: (0..n).map(|i| basis(i) + basis(i) + last).collect(),
            p_hat: (1..=n).map(|i| power(theta, 2 * i)).collect(),
            rho: S::random(&mut rng),
            beta: S::random(&mut rng),
            beta_hat: S::random(&mut rng),
        }
    }

    /// Figure 5: `a`, `b`, `e`, `d` and `Â` for the vector `message` in place of a unit vector.
    fn row(&self, message: &[S], r: S, r_hat: S) -> [S; 5] {
        let dot = |basis: &[S]| basis.iter().zip(message).map(|(&b, &m)| b * m).sum::<S>();
        let (p, p_hat) = (dot(&self.p), dot(&self.p_hat));
        let a = p + r * self.rho;
        let square = (p + self.p0) * (p + self.p0) - S::one();
        let e =
            r * (a + a + self.p0 + self.p0 - r * self.rho) + square * self.rho.invert().unwrap();
        let (two, both) = (self.beta * self.beta, self.beta * self.beta_hat);
        let d = two * p + both * p_hat + r * two * self.rho + r_hat * both;
        [a, a, e, d, p_hat + r_hat]
    }

    fn unit_vector_holds(&self, [a, b, e, d, a_hat]: [S; 5], alpha: S) -> [bool; 2] {
        let same = d == a * self.beta * self.beta + a_hat * self.beta * self.beta_hat;
        let left = (a + alpha + self.p0) * (b - alpha + self.p0);
        [same, left == e * self.rho + S::one() - alpha * alpha]
    }
}

#[test]
fn the_unit_vector_argument_holds_and_binds() {
    let (toy, mut rng) = (Toy::new(7), rng(32));
    let alpha = S::random(&mut rng);
    for i in 0..7 {
        let mut message = vec![S::zero(); 7];
        message[i] = S::one();
        let row = toy.row(&message, S::random(&mut rng), S::random(&mut rng));
        assert_eq!(toy.unit_vector_holds(row, alpha), [true, true]);
        for part in 0..5 {
            let mut changed = row;
            changed[part] += S::one();
            assert_ne!(toy.unit_vector_holds(changed, alpha), [true, true]);
        }
    }
    // The quotient (f² − 1)/ρ exists for every vector when χ is known, but is a sum of the
    // published Q_i/ρ only for unit vectors: a prover who knows those cannot make this row.
    let q: Vec<S> = toy.p.iter().map(|&p| (p + toy.p0) * (p + toy.p0) - S::one()).collect();
    let mut twice = vec![S::zero(); 7];
    (twice[0], twice[1]) = (S::one(), S::one());
    let [a, b, _, d, a_hat] = toy.row(&twice, S::zero(), S::zero());
    let e = (q[0] + q[1]) * toy.rho.invert().unwrap();
    assert_eq!(toy.unit_vector_holds([a, b, e, d, a_hat], alpha), [true, false]);
}

#[test]
fn the_shuffle_equation_holds_and_binds() {
    let (toy, mut rng) = (Toy::new(3), rng(33));
    let sigma = [2, 0, 1];
    let key = S::random(&mut rng);
    let ciphertexts: Vec<[S; 2]> =
        (0..3).map(|_| [S::random(&mut rng), S::random(&mut rng)]).collect();
    let t = S::random_many(3, &mut rng);
    let mut outputs: Vec<[S; 2]> = (0..3)
        .map(|i| {
            let [c1, c2] = ciphertexts[sigma[i]];
            [c1 + t[i], c2 + t[i] * key]
        })
        .collect();
    let mut r_hat = S::random_many(3, &mut rng);
    r_hat[2] = -(r_hat[0] + r_hat[1]);
    let a_hat: Vec<S> = (0..3)
        .map(|i| toy.p_hat[sigma.iter().position(|&image| image == i).unwrap()] + r_hat[i])
        .collect();
    assert_eq!(a_hat.iter().copied().sum::<S>(), toy.p_hat.iter().copied().sum());
    let r = S::random(&mut rng);
    let s = t.iter().zip(&toy.p_hat).map(|(&t, &p)| t * p).sum::<S>() + r;
    let holds = |outputs: &[[S; 2]]| {
        [0, 1].map(|component| {
            let base = [S::one(), key][component];
            let n = r_hat.iter().zip(&ciphertexts).map(|(&r, m)| r * m[component]).sum::<S>()
                + r * base;
            let right: S = toy.p_hat.iter().zip(outputs).map(|(&p, m)| p * m[component]).sum();
            let left: S = a_hat.iter().zip(&ciphertexts).map(|(&a, m)| a * m[component]).sum();
            right - left == s * base - n
        })
    };
    assert_eq!(holds(&outputs), [true, true]);
    outputs.swap(0, 1);
    assert_eq!(holds(&outputs), [false, false]);
}
