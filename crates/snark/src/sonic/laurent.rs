//! Laurent polynomials: terms of negative and positive powers.

use algebra::{Domain, DomainError, FftScalar, Scalar, scale_by_powers};
use rayon::prelude::*;
use zeroize::Zeroize;

use super::field::Point;

/// Coefficients that one thread takes at a time.
const CHUNK: usize = if cfg!(test) { 3 } else { 1 << 12 };

/// `Σ_i coefficients_i X^{low + i}`, with power 0 among the powers. Erased when dropped: most of
/// these know the witness.
#[derive(Clone)]
pub(crate) struct Laurent<S: Scalar> {
    low: i64,
    coefficients: Vec<S>,
}

impl<S: Scalar> Drop for Laurent<S> {
    fn drop(&mut self) {
        self.coefficients.zeroize();
    }
}

impl<S: Scalar> Laurent<S> {
    /// A polynomial whose lowest power is `low`, which is at most 0.
    pub fn new(low: i64, mut coefficients: Vec<S>) -> Self {
        let least = low.unsigned_abs() as usize + 1;
        if coefficients.len() < least {
            coefficients.resize(least, S::zero());
        }
        Self { low, coefficients }
    }

    /// The lowest power.
    pub fn low(&self) -> i64 {
        self.low
    }

    /// The highest power.
    pub fn high(&self) -> i64 {
        self.low + self.coefficients.len() as i64 - 1
    }

    /// From the lowest power on.
    pub fn coefficients(&self) -> &[S] {
        &self.coefficients
    }

    /// The coefficients of the powers from `power` on, to be changed.
    pub fn tail_mut(&mut self, power: i64) -> &mut [S] {
        // Below the lowest power no caller begins (`add_scaled`); beyond the highest there is nothing.
        let start = usize::try_from(power - self.low).unwrap_or(usize::MAX);
        self.coefficients.get_mut(start..).unwrap_or_default()
    }

    /// The coefficient of a power.
    pub fn coefficient(&self, power: i64) -> S {
        // A power that the polynomial does not reach has the coefficient zero.
        let index = usize::try_from(power - self.low).ok();
        index.and_then(|index| self.coefficients.get(index)).copied().unwrap_or_default()
    }

    /// The coefficient of `X^0`.
    pub fn constant(&self) -> S {
        self.coefficient(0)
    }

    /// The same with places up to that power at least.
    pub fn extended(&self, high: i64) -> Self {
        // One that reaches as far already gets no more places.
        let powers = usize::try_from(high - self.high()).unwrap_or(0);
        let mut coefficients = Vec::with_capacity(self.coefficients.len() + powers);
        coefficients.extend_from_slice(&self.coefficients);
        coefficients.resize(self.coefficients.len() + powers, S::zero());
        Self { low: self.low, coefficients }
    }

    /// Adds a constant.
    pub fn add_constant(&mut self, constant: S) {
        if let Some(coefficient) = self.tail_mut(0).first_mut() {
            *coefficient += constant;
        }
    }

    /// Adds `factor · other`, all of whose powers this polynomial must have.
    pub fn add_scaled(&mut self, other: &Self, factor: S) {
        let own = self.tail_mut(other.low).par_iter_mut().with_min_len(CHUNK);
        own.zip(&other.coefficients).for_each(|(own, &other)| *own += factor * other);
    }

    /// `f(yX)`.
    pub fn scale_argument(&self, y: &Point<S>) -> Self {
        let mut scaled = self.clone();
        scale_by_powers(&mut scaled.coefficients, y.pow(self.low), y.value);
        scaled
    }

    /// `f(z)`.
    pub fn evaluate(&self, z: &Point<S>) -> S {
        let horner = |chunk: &[S]| chunk.iter().rev().fold(S::zero(), |sum, &c| sum * z.value + c);
        let chunks = self.coefficients.par_chunks(CHUNK).enumerate();
        let values =
            chunks.map(|(index, chunk)| horner(chunk) * z.pow(self.low + (index * CHUNK) as i64));
        values.sum()
    }

    /// `f(z)` and `(f(X) − f(z)) / (X − z)`.
    pub fn divide(&self, z: &Point<S>) -> (S, Self) {
        let value = self.evaluate(z);
        let mut numerator = self.clone();
        numerator.add_constant(-value);
        // From the highest power down; what is left over under the lowest is zero.
        let mut carry = S::zero();
        for coefficient in numerator.coefficients.iter_mut().rev() {
            carry = *coefficient + carry * z.value;
            *coefficient = carry;
        }
        let mut coefficients = std::mem::take(&mut numerator.coefficients);
        // The quotient's term at each power was computed one place above it.
        coefficients.remove(0);
        (value, Self::new(self.low, coefficients))
    }
}

impl<S: FftScalar> Laurent<S> {
    /// The product, by Fourier transforms.
    ///
    /// # Errors
    /// [`DomainError::Size`] if the field has no domain as large as the product.
    pub fn multiply(&self, other: &Self) -> Result<Self, DomainError> {
        let length = self.coefficients.len() + other.coefficients.len() - 1;
        let domain = Domain::new(length.next_power_of_two())?;
        let transform = |coefficients: &[S]| {
            let mut values = Vec::with_capacity(domain.len());
            values.extend_from_slice(coefficients);
            values.resize(domain.len(), S::zero());
            domain.fft_to_reversed(&mut values);
            values
        };
        let mut product = transform(&self.coefficients);
        let mut factor = transform(&other.coefficients);
        let pairs = product.par_iter_mut().with_min_len(CHUNK).zip(&factor);
        pairs.for_each(|(product, factor)| *product *= *factor);
        factor.zeroize();
        domain.ifft_from_reversed(&mut product);
        product.truncate(length);
        Ok(Self::new(self.low + other.low, product))
    }
}

#[cfg(test)]
mod tests {
    use algebra::{Bn254, ScalarOf};
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::*;

    type S = ScalarOf<Bn254>;

    fn random(low: i64, length: usize, rng: &mut ChaCha20Rng) -> Laurent<S> {
        Laurent::new(low, S::random_many(length, rng))
    }

    #[test]
    fn products_quotients_and_values_agree() {
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        for (low, length) in [(0, 1), (-3, 4), (-3, 2), (-2, 9), (-5000, 9000)] {
            let (f, g) = (random(low, length, &mut rng), random(-4, 11, &mut rng));
            let z = Point::new(S::random(&mut rng)).unwrap();
            let at = Point::new(S::random(&mut rng)).unwrap();
            let product = f.multiply(&g).unwrap();
            assert_eq!(product.evaluate(&z), f.evaluate(&z) * g.evaluate(&z));
            assert_eq!(f.scale_argument(&at).evaluate(&z), f.evaluate(&at.times(&z)));
            let (value, quotient) = f.divide(&z);
            assert_eq!(value, f.evaluate(&z));
            assert_eq!(
                quotient.evaluate(&at) * (at.value - z.value),
                f.evaluate(&at) - f.evaluate(&z)
            );
        }
    }
}
