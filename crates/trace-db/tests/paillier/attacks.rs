//! The known attacks (`B…` as in `docs/trace-attacks.md`), and hostile bytes.

use integer::{Integer, IsPrime, Modulus, Order, SecretInteger, random_bits, safe_prime};
use trace_db::paillier::*;
use wire::{DecodeError, Encode, Reader, put_bytes};

use super::support::*;

/// Server and count before the shares of a partial decryption.
const HEADER: usize = 2 + 4;

/// A partial decryption with element `index` replaced.
fn with_share(
    world: &World,
    partial: &PartialDecryption,
    index: usize,
    change: impl Fn(&Modulus, &Integer) -> Integer,
) -> PartialDecryption {
    let cipher = world.key.cipher();
    let share = change(cipher, &partial.shares().values()[index]);
    let (mut bytes, len) = (partial.to_bytes(), cipher.encoded_len());
    let start = HEADER + index * len;
    bytes[start..start + len].copy_from_slice(&cipher.encode(&share));
    PartialDecryption::decode(&mut Reader::new(&bytes), &world.key).unwrap()
}

/// The secret exponent of a server.
fn exponent(share: &KeyShare) -> Integer {
    Integer::from_digits(&share.to_secret_bytes()[HEADER..], Order::Lsf)
}

/// B1: a mask shorter than the key share gives the share away as the quotient of response and
/// challenge. Ours are 256 bits longer, so that no challenge below 2^128 leads back.
#[test]
fn responses_reveal_no_key_share() {
    for world in worlds(2) {
        let (list, _) = world.encrypt(&[1, 2], 1);
        for (share, partial) in world.shares.iter().zip(world.partials(&list, &[1, 2])) {
            let (secret, response) = (exponent(share), partial.proof().response());
            let longest: u32 = match world.key.scheme() {
                Scheme::Dealt => 2 * SIZE.bits(),
                Scheme::Bcp => 384,
            };
            assert!(secret.significant_bits() > longest - 16);
            assert!(response.significant_bits() > longest + 256 - 16);
            let least_quotient = Integer::from(response >> 128);
            assert!(least_quotient.significant_bits() > secret.significant_bits() + 100);
        }
    }
}

/// B2: every share is under the proof, the first one too. B4: the weights are not the prover's
/// choice, so that errors cannot be made to cancel.
#[test]
fn a_false_share_is_refused_wherever_it_stands() {
    for world in worlds(2) {
        let (list, _) = world.encrypt(&[1, 2, 3], 1);
        let honest = world.partials(&list, &[1, 2]);
        let n_th = Integer::from(world.key.plain().value() + 1);
        for index in 0..3 {
            let shift = |cipher: &Modulus, share: &Integer| cipher.mul(share, &n_th);
            let forged = with_share(&world, &honest[0], index, shift);
            let partials = [forged, honest[1].clone()];
            let refused = world.key.open(SESSION, b"open", &list, &partials).unwrap_err();
            assert_eq!(refused.culprit(), Some(1));
            let back = |cipher: &Modulus, share: &Integer| {
                cipher.mul(share, &cipher.invert(&n_th).unwrap())
            };
            let cancelling = with_share(&world, &partials[0], (index + 1) % 3, back);
            assert!(cancelling.verify(&world.key, &context(1, b"open"), &list).is_err());
        }
        let swapped = list.select(&world.key, &[1, 0, 2]);
        assert!(honest[0].verify(&world.key, &context(1, b"open"), &swapped).is_err());
    }
}

/// −1 has order 2: no proof about exponents excludes it, and decryption ignores it.
#[test]
fn signs_change_no_plaintext() {
    for world in worlds(2) {
        let (cipher, (list, _)) = (world.key.cipher(), world.encrypt(&[1, 2, 3], 1));
        let mut bytes = 3_u32.to_le_bytes().to_vec();
        for component in list.components() {
            let negated: Vec<_> = component.values().iter().map(|c| cipher.neg(c)).collect();
            bytes.extend(cipher.encode_all(&negated));
        }
        let negated = Ciphertexts::decode(&mut Reader::new(&bytes), &world.key).unwrap();
        assert_eq!(world.open(&negated), integers(&[1, 2, 3]));
    }
}

/// B6: nothing is built in.
#[test]
fn every_session_has_its_own_modulus() {
    let deal = |seed| dealt::deal(SIZE, Parties::all(2), &mut rng(seed)).unwrap().0;
    let (first, second) = (deal(10), deal(11));
    assert_ne!(first.plain(), second.plain());
    assert_eq!(first.plain().value().clone().gcd(second.plain().value()), 1);
    let generate = |seed| bcp::Parameters::generate(SIZE, &mut rng(seed)).unwrap();
    assert_ne!(generate(12).modulus(), generate(13).modulus());
}

/// B8: who knows the group's order can lengthen a response without changing any equation.
#[test]
fn responses_out_of_range_are_refused() {
    let [p, q] = primes().each_ref().map(|prime| Integer::from(prime.expose() >> 1));
    let order = Integer::from(dealt(1, 1).key.plain().value() * 4_u32) * p * q;
    for world in worlds(1) {
        let (list, _) = world.encrypt(&[1], 1);
        let partial = &world.partials(&list, &[1])[0];
        let response = partial.proof().response();
        let at = partial.to_bytes().len() - response.significant_digits::<u8>() - 4;
        let forge = |multiple: Integer| {
            let mut bytes = partial.to_bytes();
            bytes.truncate(at);
            let response = Integer::from(&order * &multiple) + response;
            put_bytes(&mut bytes, &response.to_digits::<u8>(Order::Lsf));
            let forged = PartialDecryption::decode(&mut Reader::new(&bytes), &world.key);
            forged.map(|forged| forged.verify(&world.key, &context(1, b"open"), &list))
        };
        assert_eq!(forge(Integer::new()), Ok(Ok(())));
        assert!(matches!(forge(Integer::from(1) << 400), Err(DecodeError::TooLong { .. })));
    }
}

/// A shuffle by another permutation than the committed one, with the proof of that other one.
#[test]
fn shuffles_follow_the_commitment() {
    for world in worlds(1) {
        let honest = passage(&world, &[1, 2, 3]);
        let (other, other_verified) = committed(&honest.generators, &[0, 2, 1]);
        let key = &world.key;
        let moved = shuffle_ciphertexts(key, &other, &honest.before, &mut rng(1)).unwrap();
        let mix = context(1, b"mix");
        let generators = &honest.generators;
        let proof =
            prove_shuffle(key, &mix, generators, &other, &honest.before, &moved, &mut rng(2));
        let proof = proof.unwrap();
        let claim = ShuffleClaim { after: &moved.list, proof: &proof, ..honest.claim() };
        let refused = Err(PaillierError::ShuffleOpening { server: 1 });
        assert_eq!(verify_shuffle(key, generators, &claim), refused);
        let claim = ShuffleClaim { permutation: &other_verified, ..claim };
        assert_eq!(verify_shuffle(key, generators, &claim), Ok(()));

        // Moved by one permutation and proven by the other: the commitment opens, the list does not
        // follow.
        let proof = prove_shuffle(
            key,
            &mix,
            generators,
            &honest.committed,
            &honest.before,
            &moved,
            &mut rng(3),
        );
        let proof = proof.unwrap();
        let claim = ShuffleClaim { after: &moved.list, proof: &proof, ..honest.claim() };
        let refused = Err(PaillierError::ShuffleComponent { server: 1, component: 1 });
        assert_eq!(verify_shuffle(key, generators, &claim), refused);
    }
}

/// A plaintext shifted by one anywhere in a shuffled list.
#[test]
fn shuffles_change_no_plaintext() {
    for world in worlds(1) {
        let honest = passage(&world, &[1, 2, 3]);
        for place in 0..3 {
            let mut shift = integers(&[0, 0, 0]);
            shift[place] = 1.into();
            let after = world.key.add(&honest.after, &world.key.trivial(&shift)).unwrap();
            let claim = ShuffleClaim { after: &after, ..honest.claim() };
            assert!(verify_shuffle(&world.key, &honest.generators, &claim).is_err());
        }
    }
}

#[test]
fn rogue_and_foreign_keys_are_refused() {
    let parameters = parameters();
    let contribute = |session, server| {
        let context = Context { session, purpose: b"key", server };
        parameters.contribute(&context, &mut rng(server.into())).1
    };
    let (first, second) = (contribute(SESSION, 1), contribute(SESSION, 2));
    let assemble = |list: &[&bcp::Contribution]| {
        let list: Vec<_> = list.iter().map(|&contribution| contribution.clone()).collect();
        parameters.assemble(SESSION, &list).map(|_| ())
    };
    assert_eq!(assemble(&[&first, &second]), Ok(()));
    assert_eq!(assemble(&[&second, &first]), Err(PaillierError::UnknownServer { server: 2 }));
    assert_eq!(assemble(&[&first, &first]), Err(PaillierError::UnknownServer { server: 1 }));
    assert!(matches!(assemble(&[]), Err(PaillierError::Parties { .. })));
    let replayed = contribute(b"other", 2);
    assert_eq!(assemble(&[&first, &replayed]), Err(PaillierError::KeyProof { server: 2 }));

    // The inverse of another's key, of which no exponent is known, under another's proof.
    let mut bytes = second.to_bytes();
    let cipher = Modulus::new(parameters.modulus().clone()).unwrap().squared();
    let len = cipher.encoded_len();
    let key = cipher.decode_units(&first.to_bytes()[2..2 + len]).unwrap();
    bytes[2..2 + len].copy_from_slice(&cipher.encode(&cipher.invert(&key[0]).unwrap()));
    let rogue = parameters.decode_contribution(&mut Reader::new(&bytes)).unwrap();
    assert_eq!(assemble(&[&first, &rogue]), Err(PaillierError::KeyProof { server: 2 }));
}

#[test]
fn elements_that_are_no_units_do_not_decode() {
    for world in worlds(1) {
        let cipher = world.key.cipher();
        let (list, _) = world.encrypt(&[1, 2], 1);
        let bytes = list.to_bytes();
        let len = cipher.encoded_len();
        let ends = [
            Integer::new(),
            world.key.plain().value().clone(),
            primes()[0].expose().clone(),
            cipher.value().clone(),
            Integer::from(cipher.value() + 1),
        ];
        for bad in ends {
            for index in 0..2 * world.key.scheme().components() {
                let mut bytes = bytes.clone();
                let mut digits = bad.to_digits::<u8>(Order::Lsf);
                digits.resize(len, 0);
                bytes[4 + index * len..][..len].copy_from_slice(&digits);
                let refused = Ciphertexts::decode(&mut Reader::new(&bytes), &world.key);
                assert!(matches!(refused, Err(DecodeError::Invalid { .. })));
            }
        }
        let many = u32::MAX.to_le_bytes();
        let refused = Ciphertexts::decode(&mut Reader::new(&many), &world.key);
        assert!(matches!(refused, Err(DecodeError::TooLong { .. })));
        let refused =
            PartialDecryption::decode(&mut Reader::new(&[&[1, 0], &many[..]].concat()), &world.key);
        assert!(matches!(refused, Err(DecodeError::TooLong { .. })));
    }
}

#[test]
fn impossible_keys_do_not_decode() {
    for world in worlds(2) {
        let bytes = world.key.to_bytes();
        let decode = |bytes: &[u8], size| PublicKey::decode(&mut Reader::new(bytes), size).is_ok();
        assert!(decode(&bytes, SIZE));
        for size in [ModulusSize::Bits2048, ModulusSize::Bits3072] {
            assert!(!decode(&bytes, size));
        }
        let with = |place: usize, value: u8| {
            let mut bytes = bytes.clone();
            bytes[place] = value;
            bytes
        };
        // Scheme, servers, servers needed, length and lowest byte of the modulus.
        for (place, value) in [(0, 0), (0, 3), (1, 0), (2, 1), (3, 0), (3, 3), (5, 0), (9, 0)] {
            assert!(!decode(&with(place, value), SIZE), "byte {place}");
        }
    }
    // Fewer servers than all need a joint key; a share of another key is none of this one.
    let mut bytes = bcp(2).key.to_bytes();
    bytes[3] = 1;
    assert!(PublicKey::decode(&mut Reader::new(&bytes), SIZE).is_err());
    let foreign = bcp(2).shares[0].to_secret_bytes();
    assert!(KeyShare::decode(&mut Reader::new(&foreign), &dealt(2, 2).key).is_err());
    let [p, _] = primes();
    let refused = bcp::Parameters::from_primes(&[p.clone(), p.clone()], SIZE);
    let refused = refused.map(|_| ()).unwrap_err();
    assert!(matches!(refused, PaillierError::Modulus(_)));
}

/// Roots that prove that N is prime to φ(N).
const ROOTS: usize = 8;

/// A modulus under which elements have several plaintexts: P divides Q − 1. An earlier version took it
/// from a dealer, and from who began a session.
#[test]
fn a_modulus_that_has_a_factor_in_common_with_its_order_is_refused() {
    let top = Integer::from(1) << 329_u32;
    let p = (top + random_bits(329, &mut rng(1)).expose()).next_prime();
    let (start, _) = (Integer::from(1) << 1022_u32).div_rem(Integer::from(p.square_ref()));
    let q = (0_u32..)
        .map(|step| Integer::from(&start + step) * 2_u32 * &p + 1_u32)
        .find(|q| {
            let n = Integer::from(q * &p);
            n.significant_bits() == 1024
                && n.mod_u(4) == 1
                && q.is_probably_prime(30) != IsPrime::No
        })
        .unwrap();
    let modulus = Integer::from(&p * &q);
    let factors = [p, q].map(SecretInteger::new);
    let refused = bcp::Parameters::from_primes(&factors, SIZE).map(|_| ()).unwrap_err();
    assert_eq!(refused, PaillierError::Uncertified);
    let refused = dealt::deal_from_primes(&factors, SIZE, Parties::all(2), &mut rng(2));
    assert!(refused.is_err());
    // The best roots that there are: of those hashes that have one.
    let plain = Modulus::new(modulus.clone()).unwrap();
    let roots = vec![Integer::from(4); ROOTS];
    assert!(decode_modulus(&modulus, &plain.encode_all(&roots), SIZE).is_err());
}

fn decode_modulus(
    modulus: &Integer,
    roots: &[u8],
    size: ModulusSize,
) -> Result<bcp::Parameters, DecodeError> {
    let mut bytes = Vec::new();
    put_bytes(&mut bytes, &modulus.to_digits::<u8>(Order::Lsf));
    bytes.extend_from_slice(roots);
    let mut reader = Reader::new(&bytes);
    let parameters = bcp::Parameters::decode(&mut reader, size)?;
    reader.finish().map(|()| parameters)
}

/// Roots are of one modulus, and every one of them counts.
#[test]
fn roots_of_a_modulus_prove_nothing_else() {
    let own = parameters().to_bytes();
    let n = SIZE.bits() as usize / 8;
    let (modulus, roots) = (parameters().modulus().clone(), &own[4 + n..]);
    assert_eq!(roots.len(), ROOTS * n);
    assert!(decode_modulus(&modulus, roots, SIZE).is_ok());
    for root in 0..ROOTS {
        let mut forged = roots.to_vec();
        forged[root * n + 5] ^= 1;
        assert!(decode_modulus(&modulus, &forged, SIZE).is_err(), "root {root}");
    }
    assert!(decode_modulus(&modulus, &roots[n..], SIZE).is_err());
    let [p, _] = primes();
    let others = [p.clone(), safe_prime(SIZE.bits() / 2, &mut rng(9))];
    let other = bcp::Parameters::from_primes(&others, SIZE).unwrap();
    assert!(decode_modulus(other.modulus(), roots, SIZE).is_err());
    assert!(decode_modulus(other.modulus(), &other.to_bytes()[4 + n..], SIZE).is_ok());
}

/// Servers share no modulus of 2048 bits that somebody drew.
#[test]
fn a_shared_modulus_of_2048_bits_is_the_challenge_number() {
    let size = ModulusSize::Bits2048;
    let challenge = bcp::Parameters::rsa_2048().unwrap();
    assert!(decode_modulus(challenge.modulus(), &[], size).is_ok());
    assert!(decode_modulus(challenge.modulus(), &[1], size).is_err());
    let prime = |seed| {
        let top = Integer::from(3) << 1022_u32;
        (top + random_bits(1022, &mut rng(seed)).expose()).next_prime()
    };
    let first = prime(1);
    let second = (2..).map(prime).find(|q| Integer::from(&first * q).mod_u(4) == 1).unwrap();
    let drawn = Integer::from(&first * &second);
    assert_eq!(drawn.significant_bits(), 2048);
    assert!(decode_modulus(&drawn, &[], size).is_err());
    let factors = [first, second].map(SecretInteger::new);
    let refused = bcp::Parameters::from_primes(&factors, size).map(|_| ()).unwrap_err();
    assert_eq!(refused, PaillierError::ForeignModulus);
    let refused = bcp::Parameters::generate(size, &mut rng(1)).map(|_| ()).unwrap_err();
    assert_eq!(refused, PaillierError::ForeignModulus);
}

/// The challenge number as RSA Laboratories published it: 617 digits that sum to 2738.
#[test]
fn the_challenge_number_is_the_published_one() {
    let parameters = bcp::Parameters::rsa_2048().unwrap();
    let digits = parameters.modulus().to_string();
    assert_eq!(digits.len(), 617);
    assert_eq!(digits.bytes().map(|digit| u32::from(digit - b'0')).sum::<u32>(), 2738);
}

#[test]
fn ciphertexts_that_were_never_formed_by_encryption_do_not_open() {
    for world in worlds(2) {
        let cipher = world.key.cipher();
        let mut bytes = 1_u32.to_le_bytes().to_vec();
        for component in 0..world.key.scheme().components() as u8 {
            let junk = cipher.hash_to_unit(b"junk", &[component]);
            bytes.extend(cipher.encode(&cipher.mul(&junk, &junk)));
        }
        let junk = Ciphertexts::decode(&mut Reader::new(&bytes), &world.key).unwrap();
        let opened = world.key.open(SESSION, b"open", &junk, &world.partials(&junk, &[1, 2]));
        match world.key.scheme() {
            // Every unit encrypts something.
            Scheme::Dealt => assert!(opened.is_ok()),
            Scheme::Bcp => assert_eq!(opened, Err(PaillierError::NoPlaintext { index: 0 })),
        }
    }
}

/// An element of Jacobi symbol −1 keeps it through every re-encryption: it would mark its row for
/// everybody. None enters, wherever it stands.
#[test]
fn elements_with_jacobi_symbol_minus_one_do_not_decode() {
    let plus = |key: &PublicKey, elements: &Elements| {
        elements.values().iter().all(|element| key.plain().jacobi(element) == 1)
    };
    // Of length `len` at every place of a message that holds elements, multiplied by `factor`.
    let multiplied = |cipher: &Modulus, bytes: &[u8], at: usize, factor: &Integer| {
        let (mut bytes, len) = (bytes.to_vec(), cipher.encoded_len());
        let element = Integer::from_digits(&bytes[at..at + len], Order::Lsf);
        bytes[at..at + len].copy_from_slice(&cipher.encode(&cipher.mul(&element, factor)));
        bytes
    };
    for world in worlds(2) {
        let (key, cipher) = (&world.key, world.key.cipher());
        let (plain, len) = (key.plain(), cipher.encoded_len());
        let minus = (2..).map(Integer::from).find(|x| plain.jacobi(x) == -1).unwrap();
        let (list, proofs) = packed(&world, 3, 1);
        assert!(list.components().iter().all(|component| plus(key, component)));
        let bytes = list.to_bytes();
        let decode = |bytes: &[u8]| Ciphertexts::decode(&mut Reader::new(bytes), key).is_ok();
        let square = Integer::from(&minus * &minus);
        for place in 0..3 * key.scheme().components() {
            let at = 4 + place * len;
            assert!(decode(&multiplied(cipher, &bytes, at, &square)));
            let tagged = multiplied(cipher, &bytes, at, &minus);
            assert!(!decode(&tagged), "element {place}");
            // Two cancel in the product of all.
            let other = 4 + (place + 1) % (3 * key.scheme().components()) * len;
            assert!(!decode(&multiplied(cipher, &tagged, other, &minus)), "element {place}");
        }
        let announced = multiplied(cipher, &proofs.to_bytes(), 0, &minus);
        let reader = &mut Reader::new(&announced);
        assert!(PlaintextProofs::decode(reader, key, 3, PACKED_BITS).is_err());
        // Verification keys follow scheme, servers, servers needed, N with its length, and its roots.
        let bytes = key.to_bytes();
        let decode = |bytes: &[u8]| PublicKey::decode(&mut Reader::new(bytes), SIZE).is_ok();
        let first = 1 + 2 + 2 + 4 + (1 + ROOTS) * SIZE.bits() as usize / 8;
        for at in [first, first + len] {
            assert!(decode(&multiplied(cipher, &bytes, at, &square)));
            assert!(!decode(&multiplied(cipher, &bytes, at, &minus)));
        }
        // The bases: their powers are all masks.
        let zero = key.trivial(&[Integer::new()]);
        let (masks, _) = key.rerandomize(&zero, &mut rng(2));
        assert!(masks.components().iter().all(|component| plus(key, component)));
    }
    let parameters = parameters();
    let cipher = Modulus::new(parameters.modulus().clone()).unwrap().squared();
    let plain = Modulus::new(parameters.modulus().clone()).unwrap();
    let minus = (2..).map(Integer::from).find(|x| plain.jacobi(x) == -1).unwrap();
    let context = context(1, b"key");
    let bytes = parameters.contribute(&context, &mut rng(1)).1.to_bytes();
    let decode = |bytes: &[u8]| parameters.decode_contribution(&mut Reader::new(bytes)).is_ok();
    assert!(decode(&bytes) && !decode(&multiplied(&cipher, &bytes, 2, &minus)));
    let parties = Parties { servers: 3, needed: 2 };
    let bytes = parameters.deal(parties, &context, &mut rng(1)).unwrap().0.to_bytes();
    let decode = |bytes: &[u8]| parameters.decode_dealing(&mut Reader::new(bytes), parties).is_ok();
    let coefficient = bytes.len() - cipher.encoded_len();
    assert!(decode(&bytes) && !decode(&multiplied(&cipher, &bytes, coefficient, &minus)));
}

/// For a modulus that is 3 modulo 4, −1 and with it honest masks have symbol −1.
#[test]
fn a_modulus_that_is_3_modulo_4_is_refused() {
    let [p, _] = primes();
    let mut q = Integer::from(p.expose() + 2_u32).next_prime();
    while q.mod_u(4) != 1 {
        q.next_prime_mut();
    }
    let refused = bcp::Parameters::from_primes(&[p.clone(), SecretInteger::new(q)], SIZE);
    assert_eq!(refused.map(|_| ()).unwrap_err(), PaillierError::ModulusResidue);
}

/// Marking a row by the sign of its ciphertext: every check is up to the sign, so no proof refuses
/// it. What the servers publish must not show it: shares are squares, and what they open is the
/// square of the ciphertext without its mask.
#[test]
fn decryption_shares_do_not_show_signs() {
    let [p, q] = primes().each_ref().map(|prime| Modulus::new(prime.expose().clone()).unwrap());
    for world in worlds(2) {
        let (cipher, plain) = (world.key.cipher(), world.key.plain());
        let plaintexts: Vec<u64> = (1..=8).collect();
        let (list, _) = world.encrypt(&plaintexts, 1);
        let partials = world.partials(&list, &[1, 2]);
        for partial in &partials {
            let squares = |share: &Integer| p.jacobi(share) == 1 && q.jacobi(share) == 1;
            assert!(partial.shares().values().iter().all(squares));
        }
        let Some(payload) = list.components().get(1) else { continue };
        for (row, (payload, m)) in payload.values().iter().zip(&plaintexts).enumerate() {
            let shares = partials.iter().map(|partial| &partial.shares().values()[row]);
            let mask = shares.fold(Integer::from(1), |mask, share| cipher.mul(&mask, share));
            let unmask = cipher.invert(&mask).unwrap();
            let message = Integer::from(plain.value() * m) + 1_u32;
            assert!(!cipher.equal_up_to_sign(&cipher.mul(payload, &unmask), &message));
            let square = cipher.mul(payload, payload);
            assert_eq!(cipher.mul(&square, &unmask), cipher.mul(&message, &message));
        }
    }
}
