//! The argument that two products are equal, on the prover's side.

use algebra::{FftScalar, Scalar};

use super::{
    super::{error::Error, field::Point, laurent::Laurent},
    system::from_power_1,
};

/// Two lists of factors, and the running quotient of their products.
pub(super) struct Product<S> {
    /// `a_i`.
    numerators: Vec<S>,
    /// `b_i`.
    denominators: Vec<S>,
    /// `c_i = c_{i−1} a_i / b_i`, from `c_1` on; `c_0 = 1`.
    quotients: Vec<S>,
}

impl<S: Scalar> Product<S> {
    /// # Errors
    /// [`Error::Challenge`] if one of the denominators is zero.
    pub fn new(numerators: Vec<S>, denominators: Vec<S>) -> Result<Self, Error> {
        if denominators.contains(&S::zero()) {
            return Err(Error::Challenge);
        }
        let mut quotients = denominators.clone();
        S::batch_invert(&mut quotients);
        let mut last = S::one();
        for (quotient, &numerator) in quotients.iter_mut().zip(&numerators) {
            last *= *quotient * numerator;
            *quotient = last;
        }
        Ok(Self { numerators, denominators, quotients })
    }

    /// `C(X)`.
    pub fn quotient(&self) -> Laurent<S> {
        from_power_1(self.quotients.iter().copied())
    }

    /// `B(wX) − X^{−1} A(wX) + w^{N+1} X^N`.
    pub fn difference(&self, w: &Point<S>) -> Laurent<S> {
        let size = self.denominators.len();
        let length = self.numerators.len().max(size + 1);
        let powers = w.powers(1, length);
        let mut coefficients = vec![S::zero(); length];
        for (coefficient, (&a, &power)) in
            coefficients.iter_mut().zip(self.numerators.iter().zip(&powers))
        {
            *coefficient -= a * power;
        }
        for (coefficient, (&b, &power)) in
            coefficients.iter_mut().skip(1).zip(self.denominators.iter().zip(&powers))
        {
            *coefficient += b * power;
        }
        if let (Some(coefficient), Some(&power)) = (coefficients.get_mut(size), powers.get(size)) {
            *coefficient += power;
        }
        Laurent::new(0, coefficients)
    }
}

impl<S: FftScalar> Product<S> {
    /// `(1 + C(X^{−1})) · (B(wX) − X^{−1} A(wX) + w^{N+1} X^N) − w^{N+1}`, which has no constant term
    /// if the products are equal.
    pub fn argument(&self, w: &Point<S>) -> Result<Laurent<S>, Error> {
        let size = self.quotients.len();
        let reversed = self.quotients.iter().rev().copied().chain([S::one()]).collect();
        let quotients = Laurent::new(-(size as i64), reversed);
        let product = quotients.multiply(&self.difference(w));
        let mut product = product.map_err(|_| Error::CircuitSize)?;
        product.add_constant(-w.pow(size as i64 + 1));
        Ok(product)
    }
}

#[cfg(test)]
mod tests {
    use algebra::{Bn254, ScalarOf};

    use super::*;
    use crate::test_circuit::rng;

    type S = ScalarOf<Bn254>;

    #[test]
    fn only_equal_products_leave_no_constant_term() {
        let w = Point::new(S::random(&mut rng(1))).unwrap();
        for size in [1, 2, 9] {
            let factors = S::random_many(size, &mut rng(2));
            let mut permuted: Vec<_> = factors.iter().rev().copied().collect();
            let argument = |denominators: &[S]| {
                Product::new(factors.clone(), denominators.to_vec()).unwrap().argument(&w).unwrap()
            };
            assert_eq!(argument(&permuted).constant(), S::zero());
            permuted[0] += S::one();
            let ratio = factors[size - 1] * permuted[0].invert().unwrap();
            let expected = w.pow(size as i64 + 1) * (ratio - S::one());
            assert_eq!(argument(&permuted).constant(), expected);
            permuted[0] = S::zero();
            let product = Product::new(factors.clone(), permuted);
            assert!(matches!(product, Err(Error::Challenge)));
        }
    }

    /// The value by which a verifier knows the argument.
    #[test]
    fn the_argument_is_a_product_of_two_values() {
        let [w, zeta] = [1, 2].map(|seed| Point::new(S::random(&mut rng(seed))).unwrap());
        let product =
            Product::new(S::random_many(5, &mut rng(3)), S::random_many(5, &mut rng(4))).unwrap();
        let inverse = Point { value: zeta.inverse, inverse: zeta.value };
        let quotient = S::one() + product.quotient().evaluate(&inverse);
        let value = quotient * product.difference(&w).evaluate(&zeta) - w.pow(6);
        assert_eq!(product.argument(&w).unwrap().evaluate(&zeta), value);
    }
}
