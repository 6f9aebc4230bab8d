//! Bytes from anybody.

use algebra::{Bls12381, Group};
use integer::{Integer, Modulus, Order};
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
    assert_eq!(decode(half - 1).unwrap(), half - 1);
    for (value, reason) in [
        (0, "prime to"),
        (1009, "prime to"),
        (1013 * 7, "prime to"),
        (half + 1, "larger"),
        (1009 * 1013 - 1, "larger"),
        (1009 * 1013, "below"),
        (1009 * 1013 + 1, "below"),
        (2, "Jacobi"),
        (half, "Jacobi"),
    ] {
        let error = decode(value).unwrap_err().to_string();
        assert!(error.contains(reason), "{value}: {error}");
    }
}

/// The file with other bytes in the place of these.
fn replaced(file: &[u8], bytes: &[u8], by: &[u8]) -> Vec<u8> {
    let at = file.windows(bytes.len()).position(|window| window == bytes).unwrap();
    let mut file = file.to_vec();
    file.splice(at..at + bytes.len(), by.iter().copied());
    file
}

/// Integers that are no elements, and why, for an element in whose place they are put.
fn no_elements(element: &Element) -> Vec<(Integer, &'static str)> {
    let modulus = PRIME.parameters.group.modulus();
    let (n, x) = (modulus.value(), element.representative());
    // Half of all units have the symbol −1.
    let other = (2_u32..).map(|factor| modulus.mul(x, &Integer::from(factor)));
    let outside = other.filter(|unit| modulus.jacobi(unit) == -1);
    let [outside] = outside.take(1).collect::<Vec<_>>().try_into().unwrap();
    let negative = modulus.neg(&outside);
    vec![
        (Integer::new(), "prime to"),
        (n.clone(), "below"),
        (Integer::from(n + 1), "below"),
        (Integer::from(n - 1), "larger"),
        (modulus.neg(x), "larger"),
        (outside.min(negative), "Jacobi"),
    ]
}

/// In every place where an element stands, in every file.
#[test]
fn elements_of_files_are_in_the_group() {
    let parameters = &PRIME.parameters;
    let group = &parameters.group;
    let (case, (_, set)) = (PRIME.absent(&mut rng(30)), PRIME.set(3));
    let witness = set.witness(parameters, 1).unwrap();
    let absence = set.absence(parameters, &case.opening.value).unwrap();
    let proof = case.proof.to_file(parameters);
    type Read = fn(&Parameters, &[u8]) -> Option<wire::DecodeError>;
    let (power, accumulator) = (absence.power.clone(), case.accumulator.clone());
    let files: [(Vec<u8>, Vec<Element>, Read); 4] = [
        (accumulator.to_file(parameters), vec![accumulator.value], |parameters, bytes| {
            Accumulator::from_file(parameters, bytes).err()
        }),
        (witness.to_file(parameters), vec![witness.0.clone()], |parameters, bytes| {
            MembershipWitness::from_file(parameters, bytes).err()
        }),
        (absence.to_file(parameters), vec![power], |parameters, bytes| {
            AbsenceWitness::from_file(parameters, bytes).err()
        }),
        (
            proof,
            case.proof.commitments.iter().chain(&case.proof.announcements).cloned().collect(),
            |parameters, bytes| SetProof::from_file(parameters, bytes).err(),
        ),
    ];
    for (file, elements, read) in files {
        for element in elements {
            for (integer, reason) in no_elements(&element) {
                let mut bytes = integer.to_digits::<u8>(Order::Lsf);
                bytes.resize(group.encoded_len(), 0);
                let changed = replaced(&file, &group.encode(&element), &bytes);
                let error = read(parameters, &changed).unwrap().to_string();
                assert!(error.contains(reason), "{error}");
            }
            // The neutral element is one; a proof or a statement with it is not right.
            let mut one = vec![1];
            one.resize(group.encoded_len(), 0);
            let changed = replaced(&file, &group.encode(&element), &one);
            assert!(read(parameters, &changed).is_none());
            if let Ok(proof) = SetProof::from_file(parameters, &changed) {
                assert!(PRIME.verify(&Case { proof, ..case.clone() }).is_err());
            }
            if let Ok(accumulator) = Accumulator::from_file(parameters, &changed) {
                assert!(PRIME.verify(&Case { accumulator, ..case.clone() }).is_err());
            }
        }
    }
    // So the symbol does not depend on which representative it is of.
    assert_eq!(group.modulus().value().mod_u(4), 1);
}

#[test]
fn points_of_files_are_in_the_subgroup() {
    type G2 = <Bls12381 as algebra::Pairing>::G2;
    let parameters = &PRIME.parameters;
    let case = PRIME.member(&mut rng(33));
    let (file, circuit) = (case.proof.to_file(parameters), &case.proof.circuit);
    let (a, b, c) = (circuit.proof.a, circuit.proof.b, circuit.proof.c);
    let [t_d, t_c] = case.proof.links;
    let g1 = Group::encode(&stray::<Curve>());
    let points = [circuit.commitment, a.into(), c.into(), t_d, t_c];
    let files = points.map(|point| replaced(&file, &Group::encode(&point), &g1));
    let b = replaced(&file, &Group::encode(&G2::from(b)), &Group::encode(&stray::<G2>()));
    for changed in files.into_iter().chain([b]) {
        let error = SetProof::from_file(parameters, &changed).unwrap_err().to_string();
        assert!(error.contains("subgroup"), "{error}");
    }
    let commitment = case.opening.commitment(parameters);
    let changed = replaced(&commitment.to_file(parameters), &Group::encode(&commitment), &g1);
    let error = Curve::from_file(parameters, &changed).unwrap_err().to_string();
    assert!(error.contains("subgroup"), "{error}");
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
