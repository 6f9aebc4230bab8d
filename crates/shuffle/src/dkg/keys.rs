//! The result: one public key, a verification key and a secret share for every trustee.

use algebra::{Group, Scalar};
use rayon::prelude::*;
use wire::Encode;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{Round1Board, Round2Board, TrusteeSecrets, round1::evaluate};
use crate::{elgamal::PublicKey, sigma::encode_points, threshold_error::ThresholdError};

/// The public part of a shared key. It is computed from the board by [`super::conclude`], never
/// read from a message, and therefore encodes (for its digest) but does not decode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySet<G: Group> {
    threshold: u16,
    qualified: Vec<u16>,
    public_key: PublicKey<G>,
    verification_keys: Vec<G>,
}

impl<G: Group> KeySet<G> {
    /// With `A_k = sum_i C_{i,k}` over the qualified dealers i: the key is `A_0`, the verification
    /// key of trustee j is `X_j = sum_k j^k·A_k`.
    pub(super) fn compute(
        board: &Round1Board<G>,
        qualified: Vec<u16>,
    ) -> Result<Self, ThresholdError> {
        let params = board.params();
        let mut sums = vec![G::identity(); params.threshold().into()];
        for &dealer in &qualified {
            let commitments = board.message(dealer)?.commitments();
            sums.iter_mut().zip(commitments).for_each(|(sum, point)| *sum += *point);
        }
        let public_key = sums.first().and_then(|point| PublicKey::new(*point));
        let public_key = public_key.ok_or(ThresholdError::IdentityKey)?;
        let trustees = 1..=params.trustees();
        let verification_keys =
            trustees.into_par_iter().map(|trustee| evaluate(&sums, trustee)).collect();
        Ok(Self { threshold: params.threshold(), qualified, public_key, verification_keys })
    }

    /// The number t of trustees that decrypt.
    pub fn threshold(&self) -> u16 {
        self.threshold
    }

    /// The number n of trustees.
    pub fn trustees(&self) -> usize {
        self.verification_keys.len()
    }

    /// The dealers whose contributions make up the key, in increasing order.
    pub fn qualified(&self) -> &[u16] {
        &self.qualified
    }

    /// The encryption key `x·G`.
    pub fn public_key(&self) -> &PublicKey<G> {
        &self.public_key
    }

    /// The verification keys `X_1..X_n`.
    pub fn verification_keys(&self) -> &[G] {
        &self.verification_keys
    }

    /// The verification key `X_j = x_j·G` of a trustee.
    ///
    /// # Errors
    /// [`ThresholdError::UnknownTrustee`] for an index outside 1..=n.
    pub fn verification_key(&self, trustee: u16) -> Result<&G, ThresholdError> {
        let position = usize::from(trustee).checked_sub(1);
        let key = position.and_then(|position| self.verification_keys.get(position));
        key.ok_or(ThresholdError::UnknownTrustee { trustee })
    }
}

/// Group name, threshold, counted list of qualified dealers, key, counted verification keys.
impl<G: Group> Encode for KeySet<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        wire::put_bytes(out, G::NAME.as_bytes());
        self.threshold.encode(out);
        (self.qualified.len() as u32).encode(out);
        self.qualified.iter().for_each(|dealer| dealer.encode(out));
        out.extend_from_slice(&self.public_key.point().encode());
        (self.verification_keys.len() as u32).encode(out);
        out.extend_from_slice(&encode_points(&self.verification_keys));
    }
}

/// A trustee's share `x_j` of the secret key, erased when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct KeyShare<G: Group> {
    trustee: u16,
    scalar: G::Scalar,
}

impl<G: Group> KeyShare<G> {
    /// Adds up the shares `x_j = sum_i f_i(j)` from the qualified dealers and checks that
    /// `x_j·G = X_j`.
    ///
    /// # Errors
    /// [`ThresholdError::BadShare`] if a share is bad that the trustee did not complain about,
    /// [`ThresholdError::ForeignSecret`] if secrets, board and keys do not belong together.
    pub fn derive(
        keys: &KeySet<G>,
        board: &Round2Board<G>,
        secrets: &TrusteeSecrets<G>,
    ) -> Result<Self, ThresholdError> {
        board.round1().check_secrets(secrets)?;
        let trustee = secrets.trustee();
        let mut share = Self { trustee, scalar: G::Scalar::zero() };
        for &dealer in &keys.qualified {
            share.scalar += if dealer == trustee {
                *secrets.share_for(trustee)
            } else {
                let unknown = ThresholdError::UnknownTrustee { trustee: dealer };
                let ephemeral = board.route(dealer, trustee).ok_or(unknown)?.ephemeral;
                let shared = Zeroizing::new(ephemeral.mul(secrets.transport().scalar()));
                *board.open(dealer, trustee, &shared)?
            };
        }
        share.check(keys)?;
        Ok(share)
    }

    /// Whose share this is.
    pub fn trustee(&self) -> u16 {
        self.trustee
    }

    /// Requires that `x_j·G` is the trustee's verification key in `keys`.
    pub(crate) fn check(&self, keys: &KeySet<G>) -> Result<(), ThresholdError> {
        let same = G::mul_generator(&self.scalar) == *keys.verification_key(self.trustee)?;
        same.then_some(()).ok_or(ThresholdError::ForeignSecret { trustee: self.trustee })
    }

    pub(crate) fn scalar(&self) -> &G::Scalar {
        &self.scalar
    }
}
