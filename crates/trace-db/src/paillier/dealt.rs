//! Threshold Paillier of Damgård, Jurik and Nielsen (2010), optimised, s = 1, with the paper's
//! trusted dealer.
//!
//! `N = P·Q` for safe primes P and Q, `μ = P'·Q'`; `h = −x²` generates elements of Jacobi symbol 1,
//! and `E(M; r) = (1 + N)^M·(h^N)^r`. The secret d is 0 modulo μ and 1 modulo N.
//!
//! * All of m: `d = sum_k d_k` modulo N·μ.
//! * t of m: `d_k = f(k)` for a random polynomial f of degree t − 1 over Z_{N·μ} with `f(0) = d`.
//!
//! **The dealer is trusted**: whoever runs [`deal`] knows the factors and can decrypt everything.
//! It must run where nobody looks and forget what it knew; [`bcp`](super::bcp) needs no such trust
//! in a key. x and the verification base are hashes, not the dealer's choice.

use integer::{Integer, SecretInteger, random_below, safe_prime};
use rand_core::CryptoRng;

use super::{
    KeyShare, ModulusSize, PaillierError, Parties, PublicKey, Scheme, bases::verification_base,
    certificate::Certificate, encode::Elements,
};

/// Deals a key: draws two safe primes, which takes tens of seconds for 3072 bits.
///
/// # Errors
/// [`PaillierError::Parties`].
pub fn deal(
    size: ModulusSize,
    parties: Parties,
    rng: &mut impl CryptoRng,
) -> Result<(PublicKey, Vec<KeyShare>), PaillierError> {
    parties.check()?;
    let primes = [safe_prime(size.bits() / 2, rng), safe_prime(size.bits() / 2, rng)];
    deal_from_primes(&primes, size, parties, rng)
}

/// Deals a key from safe primes that the caller drew.
///
/// # Errors
/// [`PaillierError::Parties`]; [`PaillierError::Modulus`] and [`PaillierError::ModulusSize`] if the
/// primes do not make a modulus of this size.
pub fn deal_from_primes(
    primes: &[SecretInteger; 2],
    size: ModulusSize,
    parties: Parties,
    rng: &mut impl CryptoRng,
) -> Result<(PublicKey, Vec<KeyShare>), PaillierError> {
    parties.check()?;
    let [p, q] = primes.each_ref().map(SecretInteger::expose);
    let plain = size.check(Integer::from(p * q))?;
    let cipher = plain.squared();
    let mu = SecretInteger::new(Integer::from(p >> 1) * Integer::from(q >> 1));
    let order = SecretInteger::new(Integer::from(plain.value() * mu.expose()));
    let inverse = plain.invert(mu.expose()).map(SecretInteger::new);
    let inverse = inverse.ok_or(PaillierError::Modulus(integer::IntegerError::Weak))?;
    let secret = SecretInteger::new(Integer::from(mu.expose() * inverse.expose()));

    let exponents = match parties.all_needed() {
        true => additive(&secret, &order, parties, rng),
        false => polynomial(&secret, &order, parties, rng),
    };
    let base = verification_base(&cipher);
    let keys = exponents.iter().map(|exponent| cipher.secure_pow(&base, exponent)).collect();
    let keys = Elements::new(&cipher, keys);
    let certificate = Certificate::of_factors(&plain, primes)?;
    let key = PublicKey::new(Scheme::Dealt, parties, (plain, certificate), keys)?;
    let shares = (1..).zip(exponents).map(|(server, exponent)| KeyShare::new(server, exponent));
    Ok((key, shares.collect()))
}

/// `d_1, …, d_m` with sum d modulo the order.
fn additive(
    secret: &SecretInteger,
    order: &SecretInteger,
    parties: Parties,
    rng: &mut impl CryptoRng,
) -> Vec<SecretInteger> {
    let mut shares: Vec<_> =
        (1..parties.servers).map(|_| random_below(order.expose(), rng)).collect();
    let others = SecretInteger::new(shares.iter().map(SecretInteger::expose).sum());
    let last = Integer::from(secret.expose() - others.expose());
    shares.push(SecretInteger::new(last.modulo(order.expose())));
    shares
}

/// `f(1), …, f(m)` modulo the order.
fn polynomial(
    secret: &SecretInteger,
    order: &SecretInteger,
    parties: Parties,
    rng: &mut impl CryptoRng,
) -> Vec<SecretInteger> {
    let mut coefficients = vec![secret.clone()];
    coefficients.extend((1..parties.needed).map(|_| random_below(order.expose(), rng)));
    let evaluate = |x: u16| {
        let horner = |sum: SecretInteger, coefficient: &SecretInteger| {
            let next = Integer::from(sum.expose() * u32::from(x)) + coefficient.expose();
            SecretInteger::new(next.modulo(order.expose()))
        };
        coefficients.iter().rev().fold(SecretInteger::new(Integer::new()), horner)
    };
    (1..=parties.servers).map(evaluate).collect()
}
