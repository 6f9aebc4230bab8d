//! SHA-256 against the crate `sha2`.

use algebra::Scalar;
use circuit::{
    gadgets::{Bit, sha256},
    synthesis::Synthesizer,
};
use sha2::{Digest as _, Sha256};

use super::support::{Of, S, check};

/// A change of any of these figures is a change of the circuit: keys made for it no longer fit.
#[test]
fn hashes_as_the_crate_does() {
    let mut counts = Vec::new();
    for len in [0, 3, 55, 56, 64, 119] {
        let message: Vec<u8> = (0..len).map(|index| (index * 11 + len) as u8).collect();
        let circuit = Of(|cs: &mut Synthesizer<S>| {
            let bits = Bit::private_bytes(cs, &message);
            let hash = sha256(cs, &bits);
            hash.iter().for_each(|word| cs.expose(&word.linear()));
        });
        let (system, outputs) = check(&circuit, 997);
        let digest = Sha256::digest(&message);
        let words = digest.chunks(4).map(|word| u32::from_be_bytes(word.try_into().unwrap()));
        let words: Vec<_> = words.map(|word| S::from_u64(word.into())).collect();
        assert_eq!(outputs, words, "{len} bytes");
        counts.push((len, system.header().constraints));
    }
    let expected = [(0, 8), (3, 24_506), (55, 26_141), (56, 45_250), (64, 45_544), (119, 52_885)];
    assert_eq!(counts, expected);
}
