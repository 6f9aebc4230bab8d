//! Known answers: a change of a transcript, a generator or an encoding must be deliberate.

use algebra::{Group, Ristretto255 as G};
use sha2::{Digest, Sha256};
use shuffle::{Mix, MixClaim, SecretKey, tw::Generators, verify_mixes};
use wire::{Decode, Encode};

use super::common::{encrypted_columns, rng, turn};

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// RFC 9496's map of the SHA-512 digests of the labels, computed apart from this workspace.
#[test]
fn generators_from_their_labels() {
    let generators = Generators::<G>::derive(2);
    assert_eq!(
        hex(generators.blinding().base().encode()),
        "52fbe8b0a720a223dd138f64e792249bb396614d4afa0cb3f584c3302506db68"
    );
    let list: Vec<_> = generators.list(2).iter().map(|point| hex(point.encode())).collect();
    assert_eq!(
        list,
        [
            "4ce9149fc1b13bbf9aeecf3db2d11220d7adbc9deb13517ec1234fe4e9fd6679",
            "4a66fafd7b20cbee4c9ff6a7f082819c1f8487f4430b324638529d60d4ca9c41"
        ]
    );
}

#[test]
fn mix_of_five_rows_and_two_columns() {
    let mut rng = rng(2024);
    let generators = Generators::<G>::derive(5);
    let key = SecretKey::generate(&mut rng).public_key();
    let inputs = encrypted_columns(&key, 5, 2, &mut rng);
    let mix = Mix::new(&key, &inputs, &generators, &turn(1), &mut rng).unwrap();
    let bytes = mix.to_bytes();
    let claims = [MixClaim { context: turn(1), mix: &Mix::from_bytes(&bytes).unwrap() }];
    assert_eq!(verify_mixes(&key, &inputs, &claims, &generators), Ok(()));
    assert_eq!(bytes.len(), 8 + 5 * 2 * 64 + (160 * 5 + 192) + 32 * (5 + 2 + 3 * 2));
    assert_eq!(
        hex(Sha256::digest(&bytes)),
        "a903e3c2412c2540eacddc7f304f5389d8e69f52cb2a1c9d601af0b31a131ef0"
    );
}
