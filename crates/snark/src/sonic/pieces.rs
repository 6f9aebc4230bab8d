//! Polynomials in pieces: committed to one by one, opened together.
//!
//! A polynomial `f(X) = Σ_k X^{e_k} f_k(X)` is cut into pieces `f_k` of about `n` powers each. Every
//! piece is committed to where it stands, `F_k = [α x^{e_k} f_k(x)]₁`, so that `Σ F_k` is the paper's
//! commitment to `f`. To open `f` at `z`, a prover opens `f_z(X) = Σ_k z^{e_k} f_k(X)`, which has the
//! value `f(z)` there, and the quotient by `X − z` has only the powers of a single piece. The verifier
//! pairs `F_k` with `[x^{−e_k}]₂`.
//!
//! # Where `r` and `t` are cut
//! `t(X, y)` has powers from `−2(n + h + 4)` to `2n + h`; four pieces of `m` powers cover them. Two cover
//! `r(X, 1)`, from `−(n + h + 4)` to `n`. The powers of a piece begin with `−1`, because `[x^{1−e_k}]₂`
//! is needed too and `−e_0` must stay below `d`.
//!
//! # What a proof says
//! A proof claims `t(z, y) = v`, `r(z, 1) = a` and `r(zy, 1) = b` with one quotient,
//!
//! `W = [(t_z(x) + ρ r_z(x) − v − ρa) / (x − z) + (r_{zy}(x) − b) / (x − zy)]₁`,
//!
//! and the verifier checks, with `β_k = n − d − e'_k` for the cuts `e'_k` of `r`,
//!
//! `e(W, [α(x − z)(x − zy)]₂) = Π_k e(z^{e_k} T_k, [x^{−e_k}(x − zy)]₂)`
//! `· Π_k e(ρ z^{e'_k} R_k, [x^{β_k}(x − zy)]₂) · e((zy)^{e'_k} R_k, [x^{β_k}(x − z)]₂)`
//! `· e([1]₁, [α((v + ρa)(x − zy) + b(x − z))]₂)^{−1}`.
//!
//! # Why it is sound
//! In the algebraic group model a prover knows every `T_k` and `R_k` as a combination of the reference string's points.
//! Let `α t_k(x)` be what it has of `[αx^i]₁` in `T_k`: powers `|i| ≤ d` without `i = 0`. Likewise `α x^{d−n} r_k(x)`
//! in `R_k`: powers of `r_k` are at most `n`. Nothing else bounds them: a piece may have powers far outside its place.
//! As polynomials in `α`, the terms of the check that have `α¹` are
//!
//! `(X − z)(X − zy) W(X) = (X − zy)(Σ_k (z/X)^{e_k} t_k(X) + ρ Σ_k (z/X)^{e'_k} r_k(X) − v − ρa)`
//! `+ (X − z)(Σ_k (zy/X)^{e'_k} r_k(X) − b)`.
//!
//! At `X = z` the factors `(z/X)^{e_k}` are 1: `Σ_k t_k(z) + ρ Σ_k r_k(z) = v + ρa`, because `z ≠ zy`. At `X = zy`:
//! `Σ_k r_k(zy) = b`. So *whatever each piece contains*, the proof is about `T = Σ t_k` and `r = Σ r_k`, as if these
//! had been committed to as a whole. `T` has no constant term because none of the `t_k` has one. `r` has no power above
//! `n` because none of the `r_k` has one. `r` is fixed before `y`, both `r` and `t` before `z`, and `v`, `a` before
//! `ρ`. So the `t_k` sum to `t(X, y)` for the `r` of the commitments, and from here on the paper's argument applies. It
//! does not matter which piece has which power; only the honest cut has a short quotient. With a helper, `s(z, y)` and
//! so `v` come from the advice, after `ρ`. The aggregate shows that it is the only value for `z` and `y`, which were
//! fixed before.
//!
//! # Why it reveals nothing more
//! `Σ T_k` is a function of `r(x, 1)` and `r(xy, 1)`, and a proof also reveals `r(z, 1)` and `r(zy, 1)`. These are four
//! values at distinct points for four blinding coefficients of `r`, as in the paper. The pieces would be four more
//! values, for which there are no blinding coefficients. So wherever two pieces meet, the lower one ends with a random
//! term `c X^{m−1}`, and the upper one subtracts it as `−c X^{−1}`, which is the same power of the whole. All four
//! terms are fresh. So all commitments except the last of `r` and the last of `t` are uniform and independent of
//! everything else. The sums determine these two, and `f_z` has the value `f(z)` as before. The equation determines
//! `W`. No two pieces of `t` meet at `X^0`, because there is no point for a commitment to a random term there.

use algebra::{Group, Scalar};
use rand_core::CryptoRng;

use super::{field::Point, laurent::Laurent, system::Shape};

/// Pieces of `r(X, 1)`.
pub(crate) const R_PIECES: usize = 2;
/// Pieces of `t(X, y)`.
pub(crate) const T_PIECES: usize = 4;

/// Where a polynomial is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut<const N: usize> {
    /// The lowest power.
    low: i64,
    /// `m`, powers of a piece.
    length: usize,
}

impl<const N: usize> Cut<N> {
    /// `e_k`.
    pub fn shifts(self) -> [i64; N] {
        std::array::from_fn(|index| self.low + 1 + (index * self.length) as i64)
    }
}

impl Shape {
    /// How `r(X, 1)` is cut.
    pub(crate) fn cut_r(&self) -> Cut<R_PIECES> {
        Cut { low: self.lowest(), length: self.piece() }
    }

    /// How `t(X, y)` is cut.
    pub(crate) fn cut_t(&self) -> Cut<T_PIECES> {
        Cut { low: 2 * self.lowest(), length: self.piece() }
    }

    /// `m`: a fourth of the powers of `t(X, y)`, such that no cut is at `X^0`.
    fn piece(&self) -> usize {
        let below = 2 * self.lowest().unsigned_abs() as usize;
        let length = (below + 2 * self.gates + self.loose + 1).div_ceil(T_PIECES);
        if length * (T_PIECES - 1) == below { length + 1 } else { length }
    }
}

/// A polynomial in pieces: `f_k` with `e_k`.
pub(crate) struct Pieces<S: Scalar, const N: usize>(pub [(i64, Laurent<S>); N]);

impl<S: Scalar, const N: usize> Pieces<S, N> {
    /// Cuts a polynomial that begins with the lowest power of the cut. The last piece has all powers
    /// that are left.
    pub fn new(f: &Laurent<S>, cut: Cut<N>, rng: &mut (impl CryptoRng + ?Sized)) -> Self {
        let mut rest = f.coefficients();
        let mut carried = S::zero();
        let mut index = 0;
        Self(cut.shifts().map(|shift| {
            index += 1;
            let is_last = index == N;
            let length = if is_last { rest.len() } else { cut.length.min(rest.len()) };
            let (own, above) = rest.split_at(length);
            rest = above;
            let mut coefficients = Vec::with_capacity(cut.length.max(length) + 1);
            coefficients.extend_from_slice(own);
            if !is_last {
                coefficients.resize(cut.length, S::zero());
                coefficients.push(S::random(rng));
            }
            let taken_back = std::mem::take(&mut carried);
            // Only the last piece can be empty, and nothing is carried on from it.
            carried = coefficients.last().copied().unwrap_or_default();
            let mut piece = Laurent::new(-1, coefficients);
            if let Some(first) = piece.tail_mut(-1).first_mut() {
                *first -= taken_back;
            }
            (shift, piece)
        }))
    }

    /// What `f` makes of every `e_k` and `f_k`.
    pub fn try_map<T: Group, E>(
        &self,
        f: impl Fn(i64, &Laurent<S>) -> Result<T, E>,
    ) -> Result<[T; N], E> {
        let mut all = [T::identity(); N];
        for (one, (shift, piece)) in all.iter_mut().zip(&self.0) {
            *one = f(*shift, piece)?;
        }
        Ok(all)
    }

    /// The coefficient of `X^0` of the whole.
    pub fn constant(&self) -> S {
        self.0.iter().map(|(shift, piece)| piece.coefficient(-shift)).sum()
    }

    /// `f_z`: at `z`, it has the value of the whole.
    pub fn at(&self, z: &Point<S>) -> Laurent<S> {
        // There are two or four pieces.
        let longest = self.0.iter().map(|(_, piece)| piece.coefficients().len()).max();
        let mut sum = Laurent::new(-1, vec![S::zero(); longest.unwrap_or_default()]);
        self.0.iter().for_each(|(shift, piece)| sum.add_scaled(piece, z.pow(*shift)));
        sum
    }
}

#[cfg(test)]
mod tests {
    use algebra::{Bn254, ScalarOf};

    use super::*;
    use crate::test_circuit::rng;

    type S = ScalarOf<Bn254>;

    fn shapes() -> impl Iterator<Item = Shape> {
        let counts = (0..20).flat_map(|gates| (1..20).map(move |loose| (gates, loose)));
        counts.map(|(gates, loose)| Shape { gates, loose, constraints: loose })
    }

    fn check<const N: usize>(shape: Shape, cut: Cut<N>, low: i64, high: i64) {
        let mut rng = rng(1);
        let f = Laurent::new(low, S::random_many((high - low + 1) as usize, &mut rng));
        let [z, other] = [1, 2].map(|_| Point::new(S::random(&mut rng)).unwrap());
        let [one, two] = [1, 2].map(|_| Pieces::new(&f, cut, &mut rng));
        assert_eq!(one.constant(), f.constant(), "{shape:?}");
        assert_eq!(one.at(&z).evaluate(&z), f.evaluate(&z), "{shape:?}");
        assert_ne!(one.at(&z).evaluate(&other), two.at(&z).evaluate(&other), "{shape:?}");
        for (shift, piece) in &one.0 {
            assert_eq!(piece.low(), -1);
            assert!(piece.coefficients().len() <= cut.length + 1, "{shape:?}");
            assert!(*shift > low && -shift < shape.degree() as i64, "{shape:?}");
        }
        // Where two pieces meet, both have another coefficient in every proof, and it is not at X^0.
        for (left, right) in one.0.iter().zip(&one.0[1..]) {
            assert_eq!(left.0 + left.1.high(), right.0 - 1, "{shape:?}");
            assert_ne!(right.0 - 1, 0, "{shape:?}");
        }
        for (left, right) in one.0.iter().zip(&two.0) {
            assert_ne!(left.1.coefficients(), right.1.coefficients(), "{shape:?}");
        }
    }

    #[test]
    fn pieces_are_short_and_differ_from_proof_to_proof() {
        for shape in shapes() {
            let low = shape.lowest();
            check(shape, shape.cut_r(), low, shape.gates as i64);
            check(shape, shape.cut_t(), 2 * low, (2 * shape.gates + shape.loose) as i64);
        }
    }
}
