//! Fourier transforms of field elements.
//!
//! For `n = 8m`, first come transforms over eight elements that are `m` apart, then the factors `ω^{jk'}`, then eight
//! transforms of m points side by side, which share their twiddle factors. In the last step lane k' of the m vectors
//! takes the m-point transform that makes the values with index `k'` modulo 8.

use std::{
    fmt::{self, Debug, Formatter},
    mem,
    sync::{Mutex, PoisonError},
};

use rayon::prelude::*;
use zeroize::Zeroize;

use super::{Eight, Kernel, Lanes, available, eight::FourierField, run};
use crate::domain::reverse;

/// The shortest transform in lanes.
pub(crate) const LEN_MIN: usize = 64;
/// Vectors of a transform that stays in a core's cache.
const CACHED: usize = 1 << 10;
/// Vectors of a piece of work for one thread.
const PIECE: usize = 1 << 9;

/// So many vectors before they are needed, they are on their way to the processor's cache.
const AHEAD: usize = 4;

/// The constants of transforms of one length.
pub struct Twiddles<F: FourierField> {
    /// `ω_{2h}^0, … ω_{2h}^{h−1}` from place `h − 1` on, for `h < m`.
    powers: Vec<F::Constant>,
    /// `ω^{jk'}` in lane k' of vector j.
    twists: Vec<F::Block>,
    /// `1/n`.
    size_inverse: F::Constant,
    /// The memory of the transform before, erased: the system takes longer to hand out new pages than a transform
    /// takes to fill them.
    spare: Mutex<Vec<F::Block>>,
}

impl<F: FourierField> Debug for Twiddles<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Twiddles").field("vectors", &self.twists.len()).finish_non_exhaustive()
    }
}

/// A transform in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transform {
    /// Coefficients to values.
    Forward,
    /// Coefficients to values in bit-reversed order.
    ToReversed,
    /// Values to coefficients.
    Inverse,
    /// Values in bit-reversed order to coefficients.
    FromReversed,
}

impl<F: FourierField> Twiddles<F> {
    /// From the powers of the roots of all orders `2h ≤ n`, shortest first; `None` for short
    /// transforms, and where [`run`] does nothing.
    pub(crate) fn new(powers: &[F::Scalar], size_inverse: &F::Scalar) -> Option<Self> {
        let size = powers.len() + 1;
        if size < LEN_MIN || !available() {
            return None;
        }
        let vectors = size / 8;
        // Kernels are available, as asked above.
        let constants = |scalars: &[F::Scalar]| run(Constants::<F>(scalars)).unwrap_or_default();
        let pieces: Vec<_> = powers[..vectors - 1].par_chunks(PIECE).map(constants).collect();
        let mut twists = vec![F::EMPTY; vectors];
        twists.par_chunks_mut(PIECE).enumerate().for_each(|(piece, out)| {
            run(Twists::<F> { powers: &powers[size / 2 - 1..], first: piece * PIECE, out });
        });
        let size_inverse = *constants(&[*size_inverse]).first()?;
        Some(Self { powers: pieces.concat(), twists, size_inverse, spare: Mutex::default() })
    }

    /// Transforms as many elements as the twiddles are for, on all threads.
    pub(crate) fn transform(&self, values: &mut [F::Scalar], transform: Transform) {
        let vectors = self.twists.len();
        assert_eq!(values.len(), 8 * vectors, "a transform of another length");
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let mut work = mem::take(&mut *spare());
        work.resize(vectors, F::EMPTY);
        let reversed = transform == Transform::FromReversed;
        work.par_chunks_mut(PIECE).enumerate().for_each(|(piece, out)| {
            run(First { twiddles: self, values, reversed, first: piece * PIECE, out });
        });
        self.columns(&mut work);
        match transform {
            Transform::Forward => {
                values.par_chunks_mut(8 * PIECE).enumerate().for_each(|(piece, out)| {
                    let first = piece * PIECE;
                    run(Last::<F> { work: &work, first, backwards: None, out });
                });
            }
            Transform::ToReversed => {
                let mut columns: Vec<_> =
                    values.chunks_mut(vectors).map(|column| column.chunks_mut(PIECE)).collect();
                let pieces: Vec<(_, Vec<_>)> = work
                    .chunks(PIECE)
                    .map(|work| (work, columns.iter_mut().filter_map(Iterator::next).collect()))
                    .collect();
                pieces.into_par_iter().for_each(|(work, columns)| {
                    run(LastReversed::<F> { work, columns });
                });
            }
            Transform::Inverse | Transform::FromReversed => {
                // The inverse takes ω^{−1}, hence the values backwards: the first stays where it is.
                let scale = Some(&self.size_inverse);
                let (first, rest) = values.split_at_mut(1);
                run(Last::<F> { work: &work, first: vectors - 1, backwards: scale, out: first });
                rest.par_chunks_mut(8 * PIECE).enumerate().for_each(|(piece, out)| {
                    let first = piece * PIECE;
                    run(Last::<F> { work: &work, first, backwards: scale, out });
                });
            }
        }
        // Of secrets, perhaps.
        work.par_iter_mut().with_min_len(PIECE).for_each(Zeroize::zeroize);
        *spare() = work;
    }

    /// The transforms of m points, natural to bit-reversed order: what is transformed next is what the caches have.
    fn columns(&self, work: &mut [F::Block]) {
        let len = work.len();
        if len <= CACHED {
            run(Block::<F> { powers: &self.powers, block: work });
            return;
        }
        let (left, right) = work.split_at_mut(len / 2);
        let (a, b) = left.split_at_mut(len / 4);
        let (c, d) = right.split_at_mut(len / 4);
        let left = a.par_chunks_mut(PIECE).zip(b.par_chunks_mut(PIECE));
        let right = c.par_chunks_mut(PIECE).zip(d.par_chunks_mut(PIECE));
        left.zip(right).enumerate().for_each(|(piece, ((a, b), (c, d)))| {
            let first = piece * PIECE;
            run(Quarters::<F> { powers: &self.powers, len, first, quarters: [a, b, c, d] });
        });
        work.par_chunks_mut(len / 4).for_each(|quarter| self.columns(quarter));
    }
}

/// Constants in lanes' form.
struct Constants<'a, F: FourierField>(&'a [F::Scalar]);

impl<F: FourierField> Kernel for Constants<'_, F> {
    type Output = Vec<F::Constant>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<F::Constant> {
        let mut constants = Vec::with_capacity(self.0.len());
        for scalars in self.0.chunks(8) {
            let mut eight = [&scalars[0]; 8];
            for (lane, scalar) in scalars.iter().enumerate() {
                eight[lane] = scalar;
            }
            let eight = Eight::<F, L, 2>::enter(eight).constants();
            constants.extend_from_slice(&eight[..scalars.len()]);
        }
        constants
    }
}

/// `ω^{jk'}` for j from `first` on, from the first half of the powers of ω.
struct Twists<'a, F: FourierField> {
    powers: &'a [F::Scalar],
    first: usize,
    out: &'a mut [F::Block],
}

impl<F: FourierField> Kernel for Twists<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let half = self.powers.len();
        for (index, out) in self.out.iter_mut().enumerate() {
            let mut scalars = [self.powers[0]; 8];
            for lane in 1..8 {
                let exponent = (self.first + index) * lane;
                let power = self.powers[exponent % half];
                // Of two powers `n/2` apart, one is the negative of the other.
                scalars[lane] = if (exponent / half).is_multiple_of(2) { power } else { -power };
            }
            *out = Eight::<F, L, 2>::enter(scalars.each_ref()).write();
        }
    }
}

/// The transforms over elements `m` apart, for vectors from `first` on, and the factors after them.
struct First<'a, F: FourierField> {
    twiddles: &'a Twiddles<F>,
    values: &'a [F::Scalar],
    reversed: bool,
    first: usize,
    out: &'a mut [F::Block],
}

impl<F: FourierField> Kernel for First<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { twiddles, values, reversed, first, out } = self;
        let vectors = twiddles.twists.len();
        // ω_8, its square and its cube.
        let root = |power: usize| Eight::<F, L, 2>::splat(&twiddles.powers[3 + power]);
        let (root1, root2, root3) = (root(1), root(2), root(3));
        for (group, out) in out.chunks_exact_mut(8).enumerate() {
            let j = first + 8 * group;
            let mut a = [Eight::<F, L, 1>::zero(); 8];
            for k in 0..8 {
                let mut scalars = [&values[0]; 8];
                for lane in 0..8 {
                    scalars[lane] = if reversed {
                        &values[8 * reverse(j + lane, vectors) + reverse(k, 8)]
                    } else {
                        &values[k * vectors + j + lane]
                    };
                }
                a[k] = Eight::enter_plain(scalars);
            }
            let [a0, a1, a2, a3, a4, a5, a6, a7] = a;
            let even = four(a0.add(a4), a1.add(a5), a2.add(a6), a3.add(a7), root2);
            let odd = four(
                a0.sub(a4),
                a1.sub::<1, 2>(a5).mul(root1),
                a2.sub::<1, 2>(a6).mul(root2),
                a3.sub::<1, 2>(a7).mul(root3),
                root2,
            );
            let values = [even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]];
            let values = Eight::transpose(values);
            let twists = &twiddles.twists[j..j + 8];
            for vector in 0..8 {
                let twist = Eight::<F, L, 2>::read(&twists[vector]);
                out[vector] = values[vector].mul(twist).widen::<4>().write();
            }
        }
    }
}

/// The transform of four elements, values in natural order, with `root = ω_4`.
#[inline(always)]
fn four<F: FourierField, L: Lanes>(
    a0: Eight<F, L, 2>,
    a1: Eight<F, L, 2>,
    a2: Eight<F, L, 2>,
    a3: Eight<F, L, 2>,
    root: Eight<F, L, 2>,
) -> [Eight<F, L, 8>; 4] {
    let (sum0, sum1): (Eight<F, L, 4>, Eight<F, L, 4>) = (a0.add(a2), a1.add(a3));
    let (difference0, difference1): (Eight<F, L, 4>, _) =
        (a0.sub(a2), a1.sub::<2, 4>(a3).mul(root).widen::<4>());
    [sum0.add(sum1), difference0.add(difference1), sum0.sub(sum1), difference0.sub(difference1)]
}

/// Two layers of butterflies of a block of `len` vectors, from places `first` on in its quarters.
struct Quarters<'a, F: FourierField> {
    powers: &'a [F::Constant],
    len: usize,
    first: usize,
    quarters: [&'a mut [F::Block]; 4],
}

impl<F: FourierField> Kernel for Quarters<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { powers, len, first, quarters: [a, b, c, d] } = self;
        quarters::<F, L>(powers, len, first, a, b, c, d);
    }
}

/// Elements between layers are below 4p.
#[inline(always)]
fn quarters<F: FourierField, L: Lanes>(
    powers: &[F::Constant],
    len: usize,
    first: usize,
    a: &mut [F::Block],
    b: &mut [F::Block],
    c: &mut [F::Block],
    d: &mut [F::Block],
) {
    let half = &powers[len / 2 - 1..len - 1];
    let quarter = &powers[len / 4 - 1..len / 2 - 1];
    for index in 0..a.len() {
        let place = first + index;
        let (a0, a1) = (Eight::<F, L, 4>::read(&a[index]), Eight::<F, L, 4>::read(&b[index]));
        let (a2, a3) = (Eight::<F, L, 4>::read(&c[index]), Eight::<F, L, 4>::read(&d[index]));
        let twiddle = Eight::<F, L, 2>::splat(&half[place]);
        let further = Eight::<F, L, 2>::splat(&half[place + len / 4]);
        let square = Eight::<F, L, 2>::splat(&quarter[place]);
        let (sum0, sum1): (Eight<F, L, 8>, Eight<F, L, 8>) = (a0.add(a2), a1.add(a3));
        let difference0 = a0.sub::<4, 8>(a2).mul(twiddle);
        let difference1 = a1.sub::<4, 8>(a3).mul(further);
        a[index] = sum0.add::<8, 16>(sum1).shrink().widen::<4>().write();
        b[index] = sum0.sub::<8, 16>(sum1).mul(square).widen::<4>().write();
        c[index] = difference0.add::<2, 4>(difference1).write();
        d[index] = difference0.sub::<2, 4>(difference1).mul(square).widen::<4>().write();
    }
}

/// All layers of a block. Elements are below 4p before and below 16p after.
struct Block<'a, F: FourierField> {
    powers: &'a [F::Constant],
    block: &'a mut [F::Block],
}

impl<F: FourierField> Kernel for Block<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { powers, block } = self;
        let mut len = block.len();
        while len > 4 {
            for block in block.chunks_exact_mut(len) {
                let (left, right) = block.split_at_mut(len / 2);
                let (a, b) = left.split_at_mut(len / 4);
                let (c, d) = right.split_at_mut(len / 4);
                quarters::<F, L>(powers, len, 0, a, b, c, d);
            }
            len /= 4;
        }
        if len == 2 {
            for pair in block.chunks_exact_mut(2) {
                let (left, right) =
                    (Eight::<F, L, 4>::read(&pair[0]), Eight::<F, L, 4>::read(&pair[1]));
                pair[0] = left.add::<4, 8>(right).widen::<16>().write();
                pair[1] = left.sub::<4, 8>(right).widen::<16>().write();
            }
        } else {
            let root = Eight::<F, L, 2>::splat(&powers[2]);
            for four in block.chunks_exact_mut(4) {
                let (a0, a1) = (Eight::<F, L, 4>::read(&four[0]), Eight::<F, L, 4>::read(&four[1]));
                let (a2, a3) = (Eight::<F, L, 4>::read(&four[2]), Eight::<F, L, 4>::read(&four[3]));
                let (sum0, sum1): (Eight<F, L, 8>, Eight<F, L, 8>) = (a0.add(a2), a1.add(a3));
                let difference0: Eight<F, L, 8> = a0.sub(a2);
                let difference1 = a1.sub::<4, 8>(a3).mul(root).widen::<8>();
                four[0] = sum0.add::<8, 16>(sum1).write();
                four[1] = sum0.sub::<8, 16>(sum1).write();
                four[2] = difference0.add::<8, 16>(difference1).write();
                four[3] = difference0.sub::<8, 16>(difference1).write();
            }
        }
    }
}

/// Values from groups of eight, `first` on: in natural order; or backwards and scaled.
struct Last<'a, F: FourierField> {
    work: &'a [F::Block],
    first: usize,
    backwards: Option<&'a F::Constant>,
    out: &'a mut [F::Scalar],
}

impl<F: FourierField> Kernel for Last<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { work, first, backwards, out } = self;
        let block = |group: usize| {
            let group = if backwards.is_some() { !group } else { group } % work.len();
            &work[reverse(group, work.len())]
        };
        for (index, out) in out.chunks_mut(8).enumerate() {
            L::prefetch(block(first + index + AHEAD));
            let values = Eight::<F, L, 16>::read(block(first + index));
            match backwards {
                None => {
                    out.copy_from_slice(&values.shrink().leave_plain());
                }
                Some(scale) => {
                    let values = values.mul(Eight::splat(scale)).leave_plain();
                    let (first, others) = (values[0], values.iter().rev());
                    match out {
                        [out] => *out = first,
                        _ => out.iter_mut().zip(others).for_each(|(out, value)| *out = *value),
                    }
                }
            }
        }
    }
}

/// Values in bit-reversed order, into a piece of each of the eight columns.
struct LastReversed<'a, F: FourierField> {
    work: &'a [F::Block],
    columns: Vec<&'a mut [F::Scalar]>,
}

impl<F: FourierField> Kernel for LastReversed<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        for (index, block) in self.work.iter().enumerate() {
            let values = Eight::<F, L, 16>::read(block).shrink().leave_plain();
            for (column, out) in self.columns.iter_mut().enumerate() {
                out[index] = values[reverse(column, 8)];
            }
        }
    }
}
