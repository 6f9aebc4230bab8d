//! Ballots: honest ones verify, copied, altered and replayed ones are refused.

use algebra::{Group, Ristretto255 as G, Scalar};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use shuffle::{
    Ciphertext, PublicKey, SecretKey,
    ballot::{EncryptedBallot, MAX_COLUMNS, SeenCiphertexts, TrackingCode, verify_all},
    threshold_error::ThresholdError as Error,
};
use wire::{Decode, Encode};

type S = <G as Group>::Scalar;

const CONTEXT: &[u8] = b"test election";
const POINT: usize = 32;

struct Election {
    secret: SecretKey<G>,
    rng: ChaCha20Rng,
}

impl Election {
    fn new() -> Self {
        let mut rng = ChaCha20Rng::from_seed([7; 32]);
        Self { secret: SecretKey::generate(&mut rng), rng }
    }

    fn key(&self) -> PublicKey<G> {
        self.secret.public_key()
    }

    fn messages(&mut self, columns: usize) -> Vec<G> {
        (0..columns).map(|_| G::random(&mut self.rng)).collect()
    }

    fn ballot(&mut self, columns: usize, voter: &[u8]) -> EncryptedBallot<G> {
        let (messages, key) = (self.messages(columns), self.key());
        EncryptedBallot::encrypt(&messages, &key, CONTEXT, voter, &mut self.rng).unwrap()
    }

    fn verify(&self, ballot: &EncryptedBallot<G>, voter: &[u8]) -> Result<(), Error> {
        ballot.verify(ballot.ciphertexts().len(), &self.key(), CONTEXT, voter)
    }
}

/// A ballot of other ciphertexts around the proof of `ballot`.
fn with_ciphertexts(
    ballot: &EncryptedBallot<G>,
    ciphertexts: &[Ciphertext<G>],
) -> EncryptedBallot<G> {
    let bytes = ballot.to_bytes();
    let mut changed = (ciphertexts.len() as u32).to_bytes();
    changed.extend(ciphertexts.iter().flat_map(|c| [c.c1, c.c2]).flat_map(|p| Group::encode(&p)));
    changed.extend(&bytes[bytes.len() - 2 * POINT..]);
    EncryptedBallot::from_bytes(&changed).unwrap()
}

#[test]
fn honest_ballots_verify_and_decrypt() {
    let mut election = Election::new();
    for columns in [1, 2, 3, MAX_COLUMNS] {
        let (messages, key) = (election.messages(columns), election.key());
        let ballot =
            EncryptedBallot::encrypt(&messages, &key, CONTEXT, b"alice", &mut election.rng)
                .unwrap();
        assert_eq!(election.verify(&ballot, b"alice"), Ok(()));
        let decrypt = |c| election.secret.decrypt(c);
        assert!(ballot.ciphertexts().iter().map(decrypt).eq(messages));
        assert_eq!(EncryptedBallot::from_bytes(&ballot.to_bytes()).unwrap(), ballot);
        assert_eq!(ballot.to_bytes().len(), 4 + columns * 2 * POINT + 2 * POINT);
    }
}

#[test]
fn column_counts_are_bounded() {
    let mut election = Election::new();
    for got in [0, MAX_COLUMNS + 1] {
        let (messages, key) = (election.messages(got), election.key());
        let refused = EncryptedBallot::encrypt(&messages, &key, CONTEXT, b"a", &mut election.rng);
        assert!(matches!(refused, Err(Error::BallotColumns { got: g, .. }) if g == got));
    }
    let ballot = election.ballot(2, b"alice");
    for expected in [1, 3] {
        let refused = ballot.verify(expected, &election.key(), CONTEXT, b"alice");
        assert_eq!(refused, Err(Error::BallotColumns { ballot: 0, expected, got: 2 }));
    }
}

#[test]
fn ballots_are_bound_to_voter_election_and_key() {
    let mut election = Election::new();
    let ballot = election.ballot(2, b"alice");
    let refused = Err(Error::BallotProof { ballot: 0 });
    assert_eq!(election.verify(&ballot, b"bob"), refused);
    assert_eq!(ballot.verify(2, &election.key(), b"other election", b"alice"), refused);
    let other = SecretKey::generate(&mut election.rng).public_key();
    assert_eq!(ballot.verify(2, &other, CONTEXT, b"alice"), refused);
    // The border between context and voter is part of the proof.
    assert_eq!(ballot.verify(2, &election.key(), b"test electio", b"nalice"), refused);
}

#[test]
fn every_byte_of_a_ballot_counts() {
    let mut election = Election::new();
    let bytes = election.ballot(2, b"alice").to_bytes();
    for (i, flip) in (0..bytes.len()).flat_map(|i| [(i, 0x01), (i, 0x80)]) {
        let mut mutated = bytes.clone();
        mutated[i] ^= flip;
        let decoded = EncryptedBallot::from_bytes(&mutated);
        assert!(!decoded.is_ok_and(|b| b.verify(2, &election.key(), CONTEXT, b"alice").is_ok()));
    }
}

#[test]
fn ballots_are_not_malleable() {
    let mut election = Election::new();
    let key = election.key();
    let ballot = election.ballot(2, b"alice");
    let (c, r) = (ballot.ciphertexts(), S::from_u64(5));
    let re_encrypted: Vec<_> = c.iter().map(|&c| c + key.encrypt(&G::identity(), &r)).collect();
    let shifted = [c[0] + Ciphertext::trivial(G::generator()), c[1]];
    let doubled = [c[0] + c[0], c[1] + c[1]];
    let exchanged = [c[1], c[0]];
    let negated = [c[0] - c[0] - c[0], c[1]];
    for changed in [&re_encrypted[..], &shifted, &doubled, &exchanged, &negated] {
        let changed = with_ciphertexts(&ballot, changed);
        for voter in [&b"alice"[..], b"mallory"] {
            let refused = Err(Error::BallotProof { ballot: 0 });
            assert_eq!(election.verify(&changed, voter), refused);
        }
    }
    assert_eq!(with_ciphertexts(&ballot, c), ballot);
    let shorter = with_ciphertexts(&ballot, &c[..1]);
    assert_eq!(election.verify(&shorter, b"alice"), Err(Error::BallotProof { ballot: 0 }));
}

#[test]
fn identity_components_are_refused() {
    let mut election = Election::new();
    let ballot = election.ballot(3, b"alice");
    for column in 0..3 {
        let mut ciphertexts = ballot.ciphertexts().to_vec();
        ciphertexts[column].c1 = G::identity();
        let changed = with_ciphertexts(&ballot, &ciphertexts);
        let refused = Err(Error::BallotIdentity { ballot: 0, column });
        assert_eq!(election.verify(&changed, b"alice"), refused);
    }
}

#[test]
fn a_batch_names_the_bad_ballot() {
    let mut election = Election::new();
    let names: Vec<Vec<u8>> = (0..40).map(|i| format!("voter {i}").into_bytes()).collect();
    let mut ballots: Vec<_> = names.iter().map(|name| election.ballot(2, name)).collect();
    let key = election.key();
    let verify = |ballots: &[EncryptedBallot<G>]| {
        let pairs: Vec<_> = names.iter().map(Vec::as_slice).zip(ballots).collect();
        verify_all(&pairs, 2, &key, CONTEXT)
    };
    assert_eq!(verify(&[]), Ok(()));
    assert_eq!(verify(&ballots[..1]), Ok(()));
    assert_eq!(verify(&ballots), Ok(()));
    let honest = ballots.clone();
    ballots.swap(20, 31);
    assert_eq!(verify(&ballots), Err(Error::BallotProof { ballot: 20 }));
    for bad in [0, 17, 39] {
        let mut ballots = honest.clone();
        let mut ciphertexts = ballots[bad].ciphertexts().to_vec();
        ciphertexts[1].c2 += G::generator();
        ballots[bad] = with_ciphertexts(&ballots[bad], &ciphertexts);
        assert_eq!(verify(&ballots), Err(Error::BallotProof { ballot: bad }));
        ciphertexts[1].c1 = G::identity();
        ballots[bad] = with_ciphertexts(&ballots[bad], &ciphertexts);
        assert_eq!(verify(&ballots), Err(Error::BallotIdentity { ballot: bad, column: 1 }));
        ballots[bad] = election.ballot(1, &names[bad]);
        let refused = Error::BallotColumns { ballot: bad, expected: 2, got: 1 };
        assert_eq!(verify(&ballots), Err(refused));
    }
}

/// With fixed weights, two ballots whose announcements are off by opposite amounts would pass.
#[test]
fn errors_do_not_cancel_in_a_batch() {
    let mut election = Election::new();
    let shift = |ballot: &EncryptedBallot<G>, by: S| {
        let mut bytes = ballot.to_bytes();
        let end = bytes.len();
        let z = S::decode(&bytes[end - POINT..].try_into().unwrap()).unwrap() + by;
        bytes[end - POINT..].copy_from_slice(&Scalar::encode(&z));
        EncryptedBallot::<G>::from_bytes(&bytes).unwrap()
    };
    let one = shift(&election.ballot(1, b"a"), S::one());
    let two = shift(&election.ballot(1, b"b"), -S::one());
    let pairs = [(&b"a"[..], &one), (b"b", &two)];
    let refused = verify_all(&pairs, 1, &election.key(), CONTEXT);
    assert_eq!(refused, Err(Error::BallotProof { ballot: 0 }));
}

#[test]
fn copies_and_second_ballots_are_refused() {
    let mut election = Election::new();
    let [a, b, c] = [b"a", b"b", b"c"].map(|voter| election.ballot(2, voter));
    let mut seen = SeenCiphertexts::new();
    assert_eq!(seen.admit(10, b"a", &a), Ok(()));
    assert_eq!(seen.admit(11, b"b", &b), Ok(()));
    let refused = Error::RepeatedVoter { ballot: 12, earlier: 10 };
    assert_eq!(seen.admit(12, b"a", &c), Err(refused));
    let refused = Error::RepeatedCiphertext { ballot: 13, column: 0, earlier: 11 };
    assert_eq!(seen.admit(13, b"c", &b), Err(refused));
    // One copied component, with another message and in another column.
    let copied = Ciphertext { c1: a.ciphertexts()[0].c1, c2: G::generator() };
    let mixed = with_ciphertexts(&c, &[c.ciphertexts()[0], copied]);
    let refused = Error::RepeatedCiphertext { ballot: 14, column: 1, earlier: 10 };
    assert_eq!(seen.admit(14, b"c", &mixed), Err(refused));
    let twice = with_ciphertexts(&c, &[c.ciphertexts()[0], c.ciphertexts()[0]]);
    let refused = Error::RepeatedCiphertext { ballot: 15, column: 1, earlier: 15 };
    assert_eq!(seen.admit(15, b"c", &twice), Err(refused));
    // Refused ballots left no trace.
    assert_eq!(seen.admit(16, b"c", &c), Ok(()));
}

#[test]
fn tracking_codes_read_back() {
    let mut election = Election::new();
    let code = election.ballot(1, b"a").tracking_code();
    let text = code.to_string();
    assert_eq!(text.len(), 24);
    assert!(text.split('-').all(|group| group.len() == 4) && text.split('-').count() == 5);
    assert_eq!(text.parse::<TrackingCode>().unwrap(), code);
    let sloppy = text.to_lowercase().replace('-', " ").replace('0', "o").replace('1', "l");
    assert_eq!(sloppy.parse::<TrackingCode>().unwrap(), code);
    assert_ne!(election.ballot(1, b"a").tracking_code(), code);
    for wrong in ["", "ABCD", &format!("{text}-0"), &text[1..], &text.replace('-', "_")] {
        assert!(wrong.parse::<TrackingCode>().is_err(), "{wrong}");
    }
    assert!("U0000000000000000000".parse::<TrackingCode>().is_err());
    // Computed with Python: the first 100 bits of the domain-tagged SHA-256.
    let known = TrackingCode::of(b"known answer").to_string();
    assert_eq!(known, "9WNS-HJZB-EQ09-Q701-A15N");
}
