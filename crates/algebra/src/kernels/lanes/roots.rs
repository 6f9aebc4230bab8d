//! Square roots in the fields of coordinates, eight at a time. Their characteristics are 3 modulo 4.

use ark_ff::{AdditiveGroup, Field};

use super::{Eight, Kernel, LaneField, Lanes, run};

/// A field of coordinates, in which roots are taken.
pub trait RootField: LaneField {
    /// A root of elements below 2p, if they have one and it is not among those of which the formula knows none;
    /// anything else of others. The inverse of 2 is needed.
    fn root<L: Lanes>(element: &Self::Limbs<L>, half: &Self::Limbs<L>) -> Self::Limbs<L>;
}

/// A prime field whose characteristic p is 3 modulo 4.
pub trait QuarterField: LaneField {
    /// `(p − 3)/4`.
    const QUARTER: [u64; 6];
}

/// What the trait's roots are of these elements; `None` where kernels do not run.
pub(crate) fn roots<F: RootField>(elements: &[F::Scalar]) -> Option<Vec<F::Scalar>> {
    run(Roots::<F> { elements, half: F::Scalar::ONE.double().inverse()? })
}

/// Elements whose roots are asked for.
pub(super) struct Roots<'a, F: LaneField> {
    pub(super) elements: &'a [F::Scalar],
    /// 1/2.
    pub(super) half: F::Scalar,
}

impl<F: RootField> Kernel for Roots<'_, F> {
    type Output = Vec<F::Scalar>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<F::Scalar> {
        let half = Eight::<F, L, 2>::enter([&self.half; 8]);
        let mut roots = Vec::with_capacity(self.elements.len().next_multiple_of(8));
        for elements in self.elements.chunks(8) {
            let mut eight = [&elements[0]; 8];
            for (lane, element) in elements.iter().enumerate() {
                eight[lane] = element;
            }
            roots.extend(Eight::<F, L, 2>::enter(eight).root(half).leave());
        }
        roots.truncate(self.elements.len());
        roots
    }
}

/// `a^((p + 1)/4)`.
#[inline(always)]
pub(super) fn prime<F: QuarterField, L: Lanes>(element: Eight<F, L, 2>) -> Eight<F, L, 2> {
    quarter_power(element).mul(element)
}

/// A root `x + yi` of `a + bi`, where `i² = −1`: with `s² = a² + b²` and `t = (a + s)/2`, it is `x² = t` and
/// `2xy = b` if t is a square, and otherwise `y² = −t`. The power `r = t^((p − 3)/4)` is the inverse of a root of
/// t or of −t, since `r²t = ±1`. There is none of these if `t = 0`, which it is only with `b = 0`.
#[inline(always)]
pub(super) fn quadratic<F: QuarterField, L: Lanes>(
    [a, b]: [Eight<F, L, 2>; 2],
    half: Eight<F, L, 2>,
) -> [Eight<F, L, 2>; 2] {
    let norm = a.square().add::<2, 4>(b.square()).shrink();
    let t = a.add::<2, 4>(prime(norm)).mul(half);
    let r = quarter_power(t);
    let root = r.mul(t);
    let other = r.mul(b).mul(half);
    let is_square = r.mul(root).sub::<2, 4>(Eight::one()).is_zero();
    let minus = Eight::<F, L, 0>::zero().sub(root);
    [Eight::select(is_square, root, other), Eight::select(is_square, other, minus)]
}

/// `base^((p − 3)/4)`, by digits of four bits.
#[inline(always)]
fn quarter_power<F: QuarterField, L: Lanes>(base: Eight<F, L, 2>) -> Eight<F, L, 2> {
    let mut powers = [Eight::<F, L, 2>::one(); 16];
    for digit in 1..16 {
        powers[digit] = powers[digit - 1].mul(base);
    }
    let mut places = 16 * F::QUARTER.len();
    while places > 0 && digit::<F>(places - 1) == 0 {
        places -= 1;
    }
    let mut power = powers[0];
    for place in (0..places).rev() {
        for _ in 0..4 {
            power = power.square();
        }
        power = power.mul(powers[digit::<F>(place)]);
    }
    power
}

/// Four bits of the exponent.
#[inline(always)]
fn digit<F: QuarterField>(place: usize) -> usize {
    (F::QUARTER[place / 16] >> (4 * (place % 16)) & 15) as usize
}
