//! Every field of every honest message, changed, is refused.

use trace_db::paillier::*;
use wire::{DecodeError, Encode, Reader};

use super::support::*;

/// Flips one bit in every `step`-th byte and in the last, and requires that each result does not
/// decode or is not accepted.
fn refuse_all<T: Encode + PartialEq>(
    honest: &T,
    step: usize,
    decode: impl Fn(&mut Reader<'_>) -> Result<T, DecodeError>,
    accept: impl Fn(&T) -> bool,
) {
    assert!(accept(honest));
    let bytes = honest.to_bytes();
    for place in (0..bytes.len()).step_by(step).chain([bytes.len() - 1]) {
        let mut bytes = bytes.clone();
        bytes[place] ^= 1 << (place % 8);
        let mut reader = Reader::new(&bytes);
        let Ok(changed) = decode(&mut reader) else { continue };
        if reader.finish().is_ok() {
            assert!(changed != *honest, "byte {place} is read by nobody");
            assert!(!accept(&changed), "byte {place}");
        }
    }
    assert!(decode(&mut Reader::new(&bytes[..bytes.len() - 1])).is_err());
}

#[test]
fn changed_shares_are_refused() {
    for world in worlds(2) {
        let (list, _) = world.encrypt(&[1, 2, 3], 1);
        let partial = &world.partials(&list, &[1])[0];
        let accept = |partial: &PartialDecryption| {
            partial.verify(&world.key, &context(1, b"open"), &list).is_ok()
        };
        refuse_all(partial, 13, |reader| PartialDecryption::decode(reader, &world.key), accept);
    }
}

#[test]
fn changed_plaintext_proofs_are_refused() {
    for world in worlds(1) {
        let (list, proofs) = packed(&world, 2, 1);
        let accept = |proofs: &PlaintextProofs| {
            verify_plaintexts(&world.key, &[plaintext_claim(&list, proofs)]).is_ok()
        };
        let decode =
            |reader: &mut Reader<'_>| PlaintextProofs::decode(reader, &world.key, 2, PACKED_BITS);
        refuse_all(&proofs, 13, decode, accept);
        let accept = |list: &Ciphertexts| {
            verify_plaintexts(&world.key, &[plaintext_claim(list, &proofs)]).is_ok()
        };
        refuse_all(&list, 29, |reader| Ciphertexts::decode(reader, &world.key), accept);
    }
}

#[test]
fn changed_shuffles_are_refused() {
    for world in worlds(1) {
        let passage = passage(&world, &[1, 2, 3]);
        let (key, generators) = (&world.key, &passage.generators);
        let accept = |proof: &ShuffleProof<G>| {
            let claim = ShuffleClaim { proof, ..passage.claim() };
            verify_shuffle(key, generators, &claim).is_ok()
        };
        refuse_all(&passage.proof, 13, |reader| ShuffleProof::decode(reader, key, 3), accept);
        let decode = |reader: &mut Reader<'_>| Ciphertexts::decode(reader, key);
        let accept = |before: &Ciphertexts| {
            verify_shuffle(key, generators, &ShuffleClaim { before, ..passage.claim() }).is_ok()
        };
        refuse_all(&passage.before, 97, decode, accept);
        let accept = |after: &Ciphertexts| {
            verify_shuffle(key, generators, &ShuffleClaim { after, ..passage.claim() }).is_ok()
        };
        refuse_all(&passage.after, 97, decode, accept);
    }
}

#[test]
fn changed_contributions_are_refused() {
    let parameters = parameters();
    let contribute = |server| parameters.contribute(&context(server, b"key"), &mut rng(1)).1;
    let (first, second) = (contribute(1), contribute(2));
    let accept = |contribution: &bcp::Contribution| {
        parameters.assemble(SESSION, &[contribution.clone(), second.clone()]).is_ok()
    };
    refuse_all(&first, 7, |reader| parameters.decode_contribution(reader), accept);
}

#[test]
fn proofs_are_bound_to_session_purpose_server_and_key() {
    for (world, other) in worlds(2).into_iter().zip([dealt(2, 1), bcp(3)]) {
        let (list, proofs) = packed(&world, 1, 1);
        let partial = &world.partials(&list, &[1])[0];
        let passage = passage(&world, &[1, 2]);
        let contexts = [
            Context { session: b"other", purpose: b"open", server: 1 },
            Context { session: SESSION, purpose: b"opem", server: 1 },
            Context { session: SESSION, purpose: b"open", server: 2 },
        ];
        for context in contexts {
            assert!(partial.verify(&world.key, &context, &list).is_err());
            let claim = PlaintextClaim { context, ..plaintext_claim(&list, &proofs) };
            let named = Err(PaillierError::PlaintextProof { claim: 0, index: 0 });
            assert_eq!(verify_plaintexts(&world.key, &[claim]), named);
            let claim = ShuffleClaim { context, ..passage.claim() };
            let refused = verify_shuffle(&world.key, &passage.generators, &claim);
            assert_eq!(refused.unwrap_err().culprit(), Some(context.server));
        }
        assert!(partial.verify(&other.key, &context(1, b"open"), &list).is_err());
        assert!(verify_plaintexts(&other.key, &[plaintext_claim(&list, &proofs)]).is_err());
        let refused = verify_shuffle(&other.key, &passage.generators, &passage.claim());
        assert!(refused.is_err());
    }
}
