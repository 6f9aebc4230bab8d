//! Domains of roots of unity, and Fourier transforms of scalars over them.

use std::sync::Arc;

use thiserror::Error;

use crate::{
    Scalar,
    kernels::lanes::{FourierField, Transform, Twiddles},
    parallel,
};

/// Values below which a transform stays on one thread.
const SEQUENTIAL_MAX: usize = 1 << 12;

/// Scalars with `2^k`-th roots of unity.
pub trait FftScalar: Scalar {
    /// The largest `k` of which there is a primitive `2^k`-th root of unity.
    const TWO_ADICITY: u32;

    /// Eight elements at a time.
    #[doc(hidden)]
    type Lanes: FourierField<Scalar = Self>;

    /// arkworks' primitive `2^TWO_ADICITY`-th root of unity.
    fn two_adic_root() -> Self;

    /// The vector kernels' constants, where they run and transforms are long enough for them: from
    /// the powers of the roots of all orders, shortest first, and the inverse of the length.
    #[doc(hidden)]
    fn twiddles(powers: &[Self], size_inverse: &Self) -> Option<Twiddles<Self::Lanes>>;

    /// A transform by the vector kernels.
    #[doc(hidden)]
    fn transform(twiddles: &Twiddles<Self::Lanes>, values: &mut [Self], transform: Transform);
}

/// The vector kernels' constants.
type TwiddlesOf<S> = Twiddles<<S as FftScalar>::Lanes>;

/// Why there is no such domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DomainError {
    /// The field has no root of unity of that order, or the size is not a power of two.
    #[error("there is no domain of size {size}")]
    Size {
        /// The size asked for.
        size: usize,
    },
    /// The given root is not a primitive root of unity of the order stated.
    #[error("not a primitive 2^{log_order}-th root of unity")]
    Root {
        /// The order stated.
        log_order: u32,
    },
}

/// The powers of a primitive n-th root of unity ω, `n` a power of two, with its twiddle factors.
///
/// The transform of coefficients `c` is the values `Σ_j c_j ω^{ij}`.
///
/// ```
/// use algebra::{Bn254G1, Domain, Group, Scalar};
/// # type S = <Bn254G1 as Group>::Scalar;
///
/// let domain = Domain::<S>::new(4)?;
/// let mut values = [3, 1, 0, 0].map(S::from_u64);
/// domain.fft(&mut values);
/// assert_eq!(values[1], S::from_u64(3) + domain.root());
/// domain.ifft(&mut values);
/// assert_eq!(values, [3, 1, 0, 0].map(S::from_u64));
/// # Ok::<(), algebra::DomainError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Domain<S: FftScalar> {
    root: S,
    size_inverse: S,
    /// The first half of the powers of each primitive `2h`-th root for `h = 1, 2, 4, … n/2`, one
    /// after the other: those for h begin at `h − 1`.
    twiddles: Vec<S>,
    /// The same for the vector kernels, where they run and the domain is large enough.
    lanes: Option<Arc<TwiddlesOf<S>>>,
}

impl<S: FftScalar> Domain<S> {
    /// The domain of `size` elements with the root of unity that arkworks takes.
    ///
    /// # Errors
    /// [`DomainError::Size`]
    pub fn new(size: usize) -> Result<Self, DomainError> {
        Self::with_root(size, S::two_adic_root(), S::TWO_ADICITY)
    }

    /// The domain of `size` elements whose root is a power of `root`, a primitive
    /// `2^log_order`-th root of unity, as tools with roots of their own need it.
    ///
    /// # Errors
    /// [`DomainError::Root`] if it is not one, [`DomainError::Size`] if `2^log_order < size`.
    pub fn with_root(size: usize, root: S, log_order: u32) -> Result<Self, DomainError> {
        let square = |root: S, times| (0..times).fold(root, |root, _| root * root);
        let minus_one = -S::one();
        let primitive = match log_order {
            0 => root == S::one(),
            _ => log_order <= S::TWO_ADICITY && square(root, log_order - 1) == minus_one,
        };
        if !primitive {
            return Err(DomainError::Root { log_order });
        }
        if !size.is_power_of_two() || size.trailing_zeros() > log_order {
            return Err(DomainError::Size { size });
        }
        let root = square(root, log_order - size.trailing_zeros());
        // A power of two is not zero in a field of odd characteristic.
        let size_inverse = S::from_u128(size as u128).invert().unwrap_or_default();
        let twiddles = twiddles(size, root);
        let lanes = S::twiddles(&twiddles, &size_inverse).map(Arc::new);
        Ok(Self { root, size_inverse, twiddles, lanes })
    }

    /// The number of elements.
    #[allow(clippy::len_without_is_empty, reason = "a domain has at least one element")]
    pub fn len(&self) -> usize {
        self.twiddles.len() + 1
    }

    /// ω.
    pub fn root(&self) -> S {
        self.root
    }

    /// `1/n`.
    pub fn size_inverse(&self) -> S {
        self.size_inverse
    }

    /// `ω_{2h}^0, … ω_{2h}^{h−1}` for a power of two `h < n`.
    pub(crate) fn twiddles(&self, half: usize) -> &[S] {
        self.twiddles.get(half - 1..2 * half - 1).unwrap_or_default()
    }

    /// Coefficients to values, both in natural order, on all threads of the rayon pool.
    ///
    /// # Panics
    /// If the slice has not the length of the domain, as do all transforms.
    pub fn fft(&self, values: &mut [S]) {
        if let Some(lanes) = &self.lanes {
            return S::transform(lanes, values, Transform::Forward);
        }
        self.fft_to_reversed(values);
        reverse_bits(values);
    }

    /// Values to coefficients, both in natural order.
    pub fn ifft(&self, values: &mut [S]) {
        if let Some(lanes) = &self.lanes {
            return S::transform(lanes, values, Transform::Inverse);
        }
        reverse_bits(values);
        self.ifft_from_reversed(values);
    }

    /// Coefficients to values in bit-reversed order, which products element by element do not
    /// mind: cheaper than [`Domain::fft`].
    pub fn fft_to_reversed(&self, values: &mut [S]) {
        assert_eq!(values.len(), self.len(), "a transform of another length");
        if let Some(lanes) = &self.lanes {
            return S::transform(lanes, values, Transform::ToReversed);
        }
        self.decimate_in_frequency(values);
    }

    /// Values in bit-reversed order to coefficients: the inverse of [`Domain::fft_to_reversed`].
    pub fn ifft_from_reversed(&self, values: &mut [S]) {
        assert_eq!(values.len(), self.len(), "a transform of another length");
        if let Some(lanes) = &self.lanes {
            return S::transform(lanes, values, Transform::FromReversed);
        }
        self.decimate_in_time(values);
        // That was the transform forward; the inverse takes ω^{−1}, hence the values backwards.
        if let Some((_, rest)) = values.split_first_mut() {
            rest.reverse();
        }
        parallel::chunks_mut(values, SEQUENTIAL_MAX, |_, values| {
            values.iter_mut().for_each(|value| *value *= self.size_inverse);
        });
    }

    /// Natural to bit-reversed order.
    fn decimate_in_frequency(&self, values: &mut [S]) {
        let half = values.len() / 2;
        if half > 0 {
            let (left, right) = values.split_at_mut(half);
            each_pair(left, right, self.twiddles(half), |l, r, twiddle| {
                (*l, *r) = (*l + *r, (*l - *r) * *twiddle);
            });
            both(left, right, |values| self.decimate_in_frequency(values));
        }
    }

    /// Bit-reversed to natural order.
    fn decimate_in_time(&self, values: &mut [S]) {
        let half = values.len() / 2;
        if half > 0 {
            let (left, right) = values.split_at_mut(half);
            both(left, right, |values| self.decimate_in_time(values));
            each_pair(left, right, self.twiddles(half), |l, r, twiddle| {
                let product = *r * *twiddle;
                (*l, *r) = (*l + product, *l - product);
            });
        }
    }
}

/// Multiplies `values_i` by `start · base^i`: a shift of the domain, before a transform.
pub fn scale_by_powers<S: Scalar>(values: &mut [S], start: S, base: S) {
    let chunk = values.len().div_ceil(rayon::current_num_threads()).max(SEQUENTIAL_MAX);
    parallel::chunks_mut(values, chunk, |index, values| {
        let mut power = start * pow(base, index * chunk);
        for value in values {
            *value *= power;
            power *= base;
        }
    });
}

/// Moves `values_i` to the place whose index has the bits of i in reverse. The length must be a
/// power of two.
pub(crate) fn reverse_bits<T>(values: &mut [T]) {
    for index in 1..values.len() {
        let reversed = reverse(index, values.len());
        if index < reversed {
            values.swap(index, reversed);
        }
    }
}

/// The index with the bits of another in reverse, of indices below `size`, a power of two.
#[inline(always)]
pub(crate) fn reverse(index: usize, size: usize) -> usize {
    // Of size 1 the only index is 0, and the shift would be by all bits.
    index.reverse_bits().checked_shr(usize::BITS - size.trailing_zeros()).unwrap_or(0)
}

fn pow<S: Scalar>(mut base: S, mut exponent: usize) -> S {
    let mut power = S::one();
    while exponent > 0 {
        if exponent & 1 == 1 {
            power *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    power
}

/// The powers of the roots of all orders `2h ≤ size`, shortest first.
fn twiddles<S: FftScalar>(size: usize, root: S) -> Vec<S> {
    let mut twiddles = vec![S::one(); size - 1];
    let (mut half, mut root) = (size / 2, root);
    while half > 0 {
        if let Some(powers) = twiddles.get_mut(half - 1..2 * half - 1) {
            scale_by_powers(powers, S::one(), root);
        }
        half /= 2;
        root *= root;
    }
    twiddles
}

/// One layer of butterflies, on all threads if it is long.
fn each_pair<S: Scalar>(
    left: &mut [S],
    right: &mut [S],
    twiddles: &[S],
    butterfly: impl Fn(&mut S, &mut S, &S) + Sync,
) {
    // The last layer's twiddle is one.
    if let ([l], [r]) = (&mut *left, &mut *right) {
        (*l, *r) = (*l + *r, *l - *r);
        return;
    }
    let layer = |left: &mut [S], right: &mut [S], twiddles: &[S]| {
        for ((left, right), twiddle) in left.iter_mut().zip(right).zip(twiddles) {
            butterfly(left, right, twiddle);
        }
    };
    if twiddles.len() <= SEQUENTIAL_MAX {
        return layer(left, right, twiddles);
    }
    let halves = left.chunks_mut(SEQUENTIAL_MAX).zip(right.chunks_mut(SEQUENTIAL_MAX));
    let mut pieces: Vec<_> = halves.zip(twiddles.chunks(SEQUENTIAL_MAX)).collect();
    parallel::each_mut(&mut pieces, |_, ((left, right), twiddles)| layer(left, right, twiddles));
}

/// The same work on two halves, at once if they are long.
fn both<S: Scalar>(left: &mut [S], right: &mut [S], work: impl Fn(&mut [S]) + Sync) {
    if left.len() <= SEQUENTIAL_MAX {
        work(left);
        work(right);
    } else {
        parallel::join(&mut || work(left), &mut || work(right));
    }
}
