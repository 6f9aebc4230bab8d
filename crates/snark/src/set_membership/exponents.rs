//! Exponents of the equations: the secrets, their masks, the responses.

use algebra::Scalar as _;
use integer::{Integer, SecretInteger, random_bits};
use rand_core::CryptoRng;
use zeroize::Zeroize;

use super::{
    Error,
    params::{
        CHALLENGE_BITS, COFACTOR_RESPONSE_BITS, LIMB_BITS, LIMB_RESPONSE_BITS, LIMBS,
        PRODUCT_RESPONSE_BITS, RANDOMNESS_RESPONSE_BITS, Value, join,
    },
};

/// One exponent for every secret of a proof: as part of a proof, the responses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exponents {
    /// For the limbs of e.
    pub limbs: [Integer; LIMBS],
    /// For r, r_2 and r_3.
    pub randomness: [Integer; 3],
    /// For `β = e·r_2` and `δ = e·r_3`.
    pub products: [Integer; 2],
    /// For the cofactor b, if absence is proven.
    pub cofactor: Option<Integer>,
    /// For the value, if it is hashed.
    pub value: Option<Value>,
    /// For the blinding of D.
    pub blinding: Value,
    /// For the randomness of the commitment to the value.
    pub value_randomness: Value,
}

impl Exponents {
    /// That of e.
    pub(super) fn prime(&self) -> Integer {
        join(self.limbs.iter())
    }

    /// `mask + challenge · secret`, over the integers and in the field.
    pub(super) fn respond(mask: &Self, challenge: u128, secret: &Self) -> Self {
        let c = Value::from_u128(challenge);
        let scalar = |m: Value, s: Value| m + c * s;
        let both = |m: &Integer, s: &Integer| Integer::from(s * challenge) + m;
        let pairs = |m: &[Integer], s: &[Integer]| {
            m.iter().zip(s).map(|(m, s)| both(m, s)).collect::<Vec<_>>()
        };
        // The lists of masks and secrets are arrays of the same lengths, which `pairs` keeps.
        Self {
            limbs: pairs(&mask.limbs, &secret.limbs).try_into().unwrap_or_default(),
            randomness: pairs(&mask.randomness, &secret.randomness).try_into().unwrap_or_default(),
            products: pairs(&mask.products, &secret.products).try_into().unwrap_or_default(),
            cofactor: mask.cofactor.as_ref().zip(secret.cofactor.as_ref()).map(|(m, s)| both(m, s)),
            value: mask.value.zip(secret.value).map(|(m, s)| scalar(m, s)),
            blinding: scalar(mask.blinding, secret.blinding),
            value_randomness: scalar(mask.value_randomness, secret.value_randomness),
        }
    }

    /// Requires every integer to be in the interval in which honest responses are uniform.
    ///
    /// # Errors
    /// [`Error::ResponseRange`], naming the first that is not.
    pub(super) fn check_ranges(&self) -> Result<(), Error> {
        let require = |ok: bool, response| {
            if ok { Ok(()) } else { Err(Error::ResponseRange { response }) }
        };
        for limb in &self.limbs {
            let is_long = limb.significant_bits() > LIMB_BITS + CHALLENGE_BITS;
            require(is_long && is_below(limb, LIMB_RESPONSE_BITS), "for a limb")?;
        }
        for response in &self.randomness {
            require(is_below(response, RANDOMNESS_RESPONSE_BITS), "for randomness")?;
        }
        for response in &self.products {
            require(is_below(response, PRODUCT_RESPONSE_BITS), "for a product")?;
        }
        if let Some(response) = &self.cofactor {
            require(is_below(response, COFACTOR_RESPONSE_BITS), "for the cofactor")?;
        }
        Ok(())
    }

    fn integers_mut(&mut self) -> impl Iterator<Item = &mut Integer> {
        let integers = self.limbs.iter_mut().chain(&mut self.randomness);
        integers.chain(&mut self.products).chain(&mut self.cofactor)
    }

    pub(super) fn integers(&self) -> impl Iterator<Item = &Integer> {
        let integers = self.limbs.iter().chain(&self.randomness);
        integers.chain(&self.products).chain(&self.cofactor)
    }
}

/// Exponents that are erased when dropped.
pub(super) struct SecretExponents(pub Exponents);

impl SecretExponents {
    /// Masks for secrets of this shape. Those of the limbs are uniform in the whole interval of
    /// responses.
    pub fn masks(&self, rng: &mut impl CryptoRng) -> Self {
        let mut bits = |count: u32| random_bits(count, rng).expose().clone();
        let limbs = [(); LIMBS].map(|()| bits(LIMB_RESPONSE_BITS));
        let randomness = [(); 3].map(|()| bits(RANDOMNESS_RESPONSE_BITS));
        let products = [(); 2].map(|()| bits(PRODUCT_RESPONSE_BITS));
        let cofactor = self.0.cofactor.as_ref().map(|_| bits(COFACTOR_RESPONSE_BITS));
        let value = self.0.value.map(|_| Value::random(rng));
        let [blinding, value_randomness] = [(); 2].map(|()| Value::random(rng));
        Self(Exponents { limbs, randomness, products, cofactor, value, blinding, value_randomness })
    }
}

impl Drop for SecretExponents {
    fn drop(&mut self) {
        self.0.integers_mut().for_each(|integer| drop(SecretInteger::new(std::mem::take(integer))));
        self.0.value.zeroize();
        self.0.blinding.zeroize();
        self.0.value_randomness.zeroize();
    }
}

/// The limbs of an integer of 252 bits.
pub(super) fn split(prime: &Integer) -> [Integer; LIMBS] {
    let mut rest = prime.clone();
    [(); LIMBS].map(|()| {
        let limb = Integer::from(rest.keep_bits_ref(LIMB_BITS));
        rest >>= LIMB_BITS;
        limb
    })
}

fn is_below(integer: &Integer, bits: u32) -> bool {
    !integer.is_negative() && integer.significant_bits() <= bits
}
