//! Random oblivious transfers on ristretto255: the endemic transfer of Masny and Rindal (CCS 2019,
//! figure 8), secure against malicious parties under gap-CDH in the random-oracle model.
//!
//! For each bit b the receiver sends two points of which one hides `aG` under a hash of the other;
//! the sender's answer is a fresh `B = yG` for each transfer, at the cost of 32 bytes, since no proof
//! covers one B for all. Both keys of the sender are hashes of Diffie-Hellman points, and the
//! receiver can compute key b only.

use algebra::{Group, Ristretto255 as G};
use rand_core::CryptoRng;
use rayon::prelude::*;
use subtle::{Choice, ConditionallySelectable};
use zeroize::{Zeroize, Zeroizing};

use crate::{error::VoleError, hash::SessionId};

const POINT: usize = G::ENCODED_LEN;

type Scalar = <G as Group>::Scalar;

/// What the receiver keeps between its message and the sender's.
pub(crate) struct Receiver {
    choices: Zeroizing<Vec<bool>>,
    secrets: Zeroizing<Vec<Scalar>>,
    offers: Vec<[[u8; POINT]; 2]>,
}

impl Receiver {
    /// Two points for each choice.
    pub(crate) fn new(
        sid: &SessionId,
        choices: Zeroizing<Vec<bool>>,
        rng: &mut impl CryptoRng,
    ) -> Self {
        let secrets =
            Zeroizing::new(choices.iter().map(|_| Scalar::random(rng)).collect::<Vec<_>>());
        let decoys: Vec<_> = choices.iter().map(|_| G::random(rng)).collect();
        let offers: Vec<_> = (choices.par_iter().enumerate())
            .zip((&*secrets, &decoys))
            .map(|((index, &choice), (secret, decoy))| offer_one(sid, index, choice, secret, decoy))
            .collect();
        Self { choices, secrets, offers }
    }

    /// The receiver's message.
    pub(crate) fn offers(&self) -> &[u8] {
        self.offers.as_flattened().as_flattened()
    }

    /// The keys that were chosen, from the sender's message of [`answers_len`] bytes.
    pub(crate) fn finish(
        self,
        sid: &SessionId,
        answers: &[u8],
    ) -> Result<Zeroizing<Vec<u128>>, VoleError> {
        let (answers, _) = answers.as_chunks::<POINT>();
        let keys = (self.offers.par_iter().enumerate())
            .zip((answers, &*self.secrets, &*self.choices))
            .map(|((index, offer), (answer, secret, &choice))| {
                let shared = Zeroizing::new(decode(answer, index)?.mul(secret));
                Ok(key(sid, index, u8::from(choice), &shared, answer, offer))
            });
        keys.collect::<Result<_, VoleError>>().map(Zeroizing::new)
    }
}

/// `R_{1-b}` is the decoy, and `R_b = aG - H(R_{1-b})`.
fn offer_one(
    sid: &SessionId,
    index: usize,
    choice: bool,
    secret: &Scalar,
    decoy: &G,
) -> [[u8; POINT]; 2] {
    let encoded = encode(decoy);
    let hidden = G::mul_generator(secret) - pad(sid, index, 1 - u8::from(choice), &encoded);
    let (mut first, mut second) = (encode(&hidden), encoded);
    let swap = Choice::from(u8::from(choice));
    for (a, b) in first.iter_mut().zip(&mut second) {
        u8::conditional_swap(a, b, swap);
    }
    [first, second]
}

/// Bytes of the receiver's message.
pub(crate) const fn offers_len(count: usize) -> usize {
    2 * POINT * count
}

/// Bytes of the sender's message.
pub(crate) const fn answers_len(count: usize) -> usize {
    POINT * count
}

/// The sender's message, and its two keys for each transfer.
pub(crate) type Answered = (Vec<u8>, Zeroizing<Vec<[u128; 2]>>);

/// The sender's part: answers the receiver's message of [`offers_len`] bytes.
pub(crate) fn answer(
    sid: &SessionId,
    offers: &[u8],
    rng: &mut impl CryptoRng,
) -> Result<Answered, VoleError> {
    let (offers, _) = offers.as_chunks::<POINT>();
    let (offers, _) = offers.as_chunks::<2>();
    let secrets = Zeroizing::new(offers.iter().map(|_| Scalar::random(rng)).collect::<Vec<_>>());
    let sent: Vec<_> = (offers.par_iter().enumerate())
        .zip(&*secrets)
        .map(|((index, offer), secret)| answer_one(sid, index, offer, secret))
        .collect::<Result<_, VoleError>>()?;
    let (answers, keys): (Vec<_>, Vec<_>) = sent.into_iter().unzip();
    Ok((answers.into_flattened(), Zeroizing::new(keys)))
}

/// `B = yG` and the keys of `y (R_j + H(R_{1-j}))`, j = 0, 1.
fn answer_one(
    sid: &SessionId,
    index: usize,
    offer: &[[u8; POINT]; 2],
    secret: &Scalar,
) -> Result<([u8; POINT], [u128; 2]), VoleError> {
    let answer = encode(&G::mul_generator(secret));
    let [first, second] = offer;
    let key_of = |j: u8, own: &[u8; POINT], other: &[u8; POINT]| {
        let point = decode(own, index)? + pad(sid, index, 1 - j, other);
        if point.is_identity() {
            return Err(VoleError::Point { index });
        }
        let shared = Zeroizing::new(point.mul(secret));
        Ok(key(sid, index, j, &shared, &answer, offer))
    };
    Ok((answer, [key_of(0, first, second)?, key_of(1, second, first)?]))
}

/// H: the hash of a point, with the transfer's and the point's number, to the group.
fn pad(sid: &SessionId, index: usize, number: u8, point: &[u8; POINT]) -> G {
    let index = (index as u64).to_le_bytes();
    G::hash_to_group(&sid.derive_array::<64>("base OT pad", &[&index, &[number], point]))
}

fn key(
    sid: &SessionId,
    index: usize,
    number: u8,
    shared: &G,
    answer: &[u8; POINT],
    offer: &[[u8; POINT]; 2],
) -> u128 {
    let index = (index as u64).to_le_bytes();
    let mut shared = encode(shared);
    let parts: [&[u8]; 5] = [&index, &[number], &shared, answer, offer.as_flattened()];
    let key = sid.derive_key("base OT key", &parts);
    shared.zeroize();
    key
}

fn encode(point: &G) -> [u8; POINT] {
    let mut encoding = [0; POINT];
    encoding.iter_mut().zip(point.encode()).for_each(|(to, from)| *to = from);
    encoding
}

/// A point that is canonical and not the identity.
fn decode(bytes: &[u8; POINT], index: usize) -> Result<G, VoleError> {
    let point = G::decode(bytes).ok();
    point.filter(|point| !point.is_identity()).ok_or(VoleError::Point { index })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    fn sid() -> SessionId {
        SessionId::new(&[b"test"])
    }

    #[test]
    fn the_receiver_has_the_keys_that_it_chose() {
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        let choices: Vec<bool> = [true, false, false, true, true].to_vec();
        let receiver = Receiver::new(&sid(), Zeroizing::new(choices.clone()), &mut rng);
        assert_eq!(receiver.offers().len(), offers_len(choices.len()));
        let (answers, sent) = answer(&sid(), receiver.offers(), &mut rng).unwrap();
        assert_eq!(answers.len(), answers_len(choices.len()));
        let received = receiver.finish(&sid(), &answers).unwrap();
        for ((pair, key), choice) in sent.iter().zip(&*received).zip(choices) {
            assert_eq!(pair[usize::from(choice)], *key);
            assert_ne!(pair[usize::from(!choice)], *key);
        }
    }

    #[test]
    fn hostile_points_are_refused() {
        let mut rng = ChaCha20Rng::seed_from_u64(2);
        let good = encode(&G::random(&mut rng));
        // p, a point off the group, the identity.
        for bad in [[255; POINT], [1; POINT], [0; POINT]] {
            for offers in [[good, bad], [bad, good]] {
                let error = answer(&sid(), offers.as_flattened(), &mut rng).err();
                assert!(matches!(error, Some(VoleError::Point { index: 0 })));
            }
            let receiver = Receiver::new(&sid(), Zeroizing::new(vec![true]), &mut rng);
            assert!(receiver.finish(&sid(), &bad).is_err());
        }
        // R_0 = -H(R_1): the sender's point would be the identity.
        let cancelling = encode(&-pad(&sid(), 0, 1, &good));
        assert!(answer(&sid(), [cancelling, good].as_flattened(), &mut rng).is_err());
    }
}
