//! Bytes from anybody.

use algebra::integer::{Integer, Modulus, Order};
use proptest::prelude::*;
use wire::Reader;

use super::{super::group::HiddenOrderGroup, *};

#[test]
fn elements_outside_the_group_are_refused() {
    // Small factors, so that there are elements that are no units.
    let group = HiddenOrderGroup::new(Modulus::new(Integer::from(1009 * 1013)).unwrap());
    let decode = |value: u32| {
        let mut bytes = Integer::from(value).to_digits::<u8>(Order::Lsf);
        bytes.resize(group.encoded_len(), 0);
        let element = group.decode(&mut Reader::new(&bytes), "element");
        element.map(|element| element.representative().clone())
    };
    let half = (1009 * 1013 - 1) / 2;
    assert_eq!(decode(1).unwrap(), 1);
    assert_eq!(decode(half).unwrap(), half);
    for (value, reason) in [
        (0, "prime to"),
        (1009, "prime to"),
        (1013 * 7, "prime to"),
        (half + 1, "larger"),
        (1009 * 1013 - 1, "larger"),
        (1009 * 1013, "below"),
        (1009 * 1013 + 1, "below"),
    ] {
        let error = decode(value).unwrap_err().to_string();
        assert!(error.contains(reason), "{value}: {error}");
    }
}

#[test]
fn elements_of_proofs_and_accumulators_are_checked() {
    let parameters = &PRIME.parameters;
    let case = PRIME.member(&mut rng(30));
    let modulus = parameters.group.modulus().value();
    let bytes = case.accumulator.to_file(parameters);
    let at = bytes.len() - parameters.group.encoded_len();
    let negative = Integer::from(modulus - case.accumulator.value.representative());
    for outside in [Integer::new(), modulus.clone(), negative, Integer::from(modulus + 1)] {
        let mut changed = bytes.clone();
        let mut encoded = outside.to_digits::<u8>(Order::Lsf);
        encoded.resize(parameters.group.encoded_len(), 0);
        changed.splice(at.., encoded);
        assert!(Accumulator::from_file(parameters, &changed).is_err());
    }
}

#[test]
fn files_that_are_cut_or_long_are_refused() {
    let parameters = &PRIME.parameters;
    let case = PRIME.absent(&mut rng(31));
    let proof = case.proof.to_file(parameters);
    for len in (0..proof.len()).step_by(13) {
        assert!(SetProof::from_file(parameters, &proof[..len]).is_err());
    }
    assert!(SetProof::from_file(parameters, &[&proof[..], &[0]].concat()).is_err());
    let key = PRIME.prover.key().to_file(parameters);
    for len in (0..key.len()).step_by(13) {
        assert!(SetKey::from_file(parameters, &key[..len]).is_err());
    }
}

/// A byte changed anywhere is an error of decoding, or a proof that does not verify.
#[test]
fn no_byte_of_a_proof_can_be_changed() {
    let parameters = &PRIME.parameters;
    let case = PRIME.absent(&mut rng(32));
    let bytes = case.proof.to_file(parameters);
    for at in (0..bytes.len()).step_by(37) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        if let Ok(proof) = SetProof::from_file(parameters, &changed) {
            assert!(PRIME.verify(&Case { proof, ..case.clone() }).is_err(), "byte {at}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn noise_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..4096)) {
        let parameters = &PRIME.parameters;
        let read = |header: wire::FileHeader| {
            let mut file = wire::Encode::to_bytes(&header);
            wire::put_bytes(&mut file, b"RSA-2048");
            file.extend(&bytes);
            file
        };
        prop_assert!(SetProof::from_file(parameters, &read(SetProof::HEADER)).is_err());
        prop_assert!(SetKey::from_file(parameters, &read(SetKey::HEADER)).is_err());
        prop_assert!(SetProof::from_file(parameters, &bytes).is_err());
    }
}
