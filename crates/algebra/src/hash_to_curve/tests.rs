//! RFC 9380, appendices J.9.1 and J.10.1, and the vectors of gnark-crypto for BN254, as compressed
//! points.

use super::{expand_message, hash_to_curve};
use crate::{point_format, weierstrass::Curve};

/// The five messages that all suites share.
fn messages() -> [String; 5] {
    let long = |start: &str, letter: &str, count| start.to_owned() + &letter.repeat(count);
    let [empty, abc, digits] = ["", "abc", "abcdef0123456789"].map(str::to_owned);
    [empty, abc, digits, long("q128_", "q", 128), long("a512_", "a", 512)]
}

fn check<P: Curve>(domain: &str, expected: [&str; 5]) {
    for (message, expected) in messages().iter().zip(expected) {
        let point = hash_to_curve::<P>(domain.as_bytes(), message.as_bytes());
        let mut bytes = Vec::new();
        point_format::encode(&point, &mut bytes);
        assert_eq!(hex(&bytes), expected, "{message}");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn bls12_381_g1() {
    check::<ark_bls12_381::g1::Config>(
        "QUUX-V01-CS02-with-BLS12381G1_XMD:SHA-256_SSWU_RO_",
        [
            "852926add2207b76ca4fa57a8734416c8dc95e24501772c814278700eed6d1e4e8cf62d9c09db0fa\
             c349612b759e79a1",
            "83567bc5ef9c690c2ab2ecdf6a96ef1c139cc0b2f284dca0a9a7943388a49a3aee664ba5379a7655\
             d3c68900be2f6903",
            "91e0b079dea29a68f0383ee94fed1b940995272407e3bb916bbf268c263ddd57a6a27200a784cbc2\
             48e84f357ce82d98",
            "b5f68eaa693b95ccb85215dc65fa81038d69629f70aeee0d0f677cf22285e7bf58d7cb86eefe8f2e\
             9bc3f8cb84fac488",
            "882aabae8b7dedb0e78aeb619ad3bfd9277a2f77ba7fad20ef6aabdc6c31d19ba5a6d12283553294\
             c1825c4b3ca2dcfe",
        ],
    );
}

#[test]
fn bls12_381_g2() {
    check::<ark_bls12_381::g2::Config>(
        "QUUX-V01-CS02-with-BLS12381G2_XMD:SHA-256_SSWU_RO_",
        [
            "a5cb8437535e20ecffaef7752baddf98034139c38452458baeefab379ba13dff5bf5dd71b7241871\
             7047f5b0f37da03d0141ebfbdca40eb85b87142e130ab689c673cf60f1a3e98d69335266f30d9b8d\
             4ac44c1038e9dcdd5393faf5c41fb78a",
            "939cddbccdc5e91b9623efd38c49f81a6f83f175e80b06fc374de9eb4b41dfe4ca3a230ed250fbe3\
             a2acf73a41177fd802c2d18e033b960562aae3cab37a27ce00d80ccd5ba4b7fe0e7a210245129dbe\
             c7780ccc7954725f4168aff2787776e6",
            "990d119345b94fbd15497bcba94ecf7db2cbfd1e1fe7da034d26cbba169fb3968288b3fafb265f9e\
             bd380512a71c3f2c121982811d2491fde9ba7ed31ef9ca474f0e1501297f68c298e9f4c0028add35\
             aea8bb83d53c08cfc007c1e005723cd0",
            "8934aba516a52d8ae479939a91998299c76d39cc0c035cd18813bec433f587e2d7a4fef038260eef\
             0cef4d02aae3eb9119a84dd7248a1066f737cc34502ee5555bd3c19f2ecdb3c7d9e24dc65d4e25e5\
             0d83f0f77105e955d78f4762d33c17da",
            "91fca2ff525572795a801eed17eb12785887c7b63fb77a42be46ce4a34131d71f7a73e95fee3f812\
             aea3de78b4d0156901a6ba2f9a11fa5598b2d8ace0fbe0a0eacb65deceb476fbbcb64fd24557c2f4\
             b18ecfc5663e54ae16a84f5ab7f62534",
        ],
    );
}

#[test]
fn bn254_g1() {
    check::<ark_bn254::g1::Config>(
        "QUUX-V01-CS02-with-BN254G1_XMD:SHA-256_SVDW_RO_",
        [
            "869ee54907f22185d4bb546a25ef2ac4f8db1465378d63f9b10d1706b96a970a",
            "d153af5b8b37b043466ab274135fdfa17dbee693f139719503109be8be17f723",
            "4a2d44215cc8914c2cf945410843fafd63718d54d654f2eeecac893c1cbf7d18",
            "5c3f23ba2e0ac4e5be51f06ca1e548ad9073210d592d45fc24535743072bfe00",
            "ce73212a21dc79c425e01f17bde7c24fe908de07bb4fea0ffd79bd40c55db081",
        ],
    );
}

#[test]
fn bn254_g2() {
    check::<ark_bn254::g2::Config>(
        "QUUX-V01-CS02-with-BN254G2_XMD:SHA-256_SVDW_RO_",
        [
            "001385de0a55dc81954fddd6e48eff274b9e19469962d5a62119120f5a00921135938c6ac921ed69\
             886212ad4841b089115de9bc71216e15163cf2a650d94797",
            "d2cc4fb984f58b296e7ece524e4643ab0af6d08c606915a486afc9ee548bc816fd4eba3cd1d9b364\
             b53e9c0998adcebc7f354232fc3da3f3edf58e7ecab35d8b",
            "70dcfd1eb8a29602326ab0bb3c057ece4535ea6f1f370e2399c643aa84fd351471f1ab8e17539c55\
             074f941e2bfe7ab16f2c9bc0c369ef9659b0b68505368a2a",
            "4183384417c532c575e8e62f3ab97b8304295ada2cb23c920dd063fb13c2ff2c265bb9ef88a8f7ec\
             d74b7ac26c05a75feef48e4c776c26f04743bcd138ef18a7",
            "5a62ca45286e3de586a447ce653102872001260417c5e76570f8369f150a2a244a9f63ad82414a64\
             ede1a394c7405d46b6e61f3c9055c1cc18cf982929f6f997",
        ],
    );
}

/// RFC 9380, appendix K.1.
#[test]
fn expand_message_xmd() {
    let domain = b"QUUX-V01-CS02-with-expander-SHA256-128";
    assert_eq!(
        hex(&expand_message(domain, b"", 32)),
        "68a985b87eb6b46952128911f2a4412bbc302a9d759667f87f7a21d803f07235"
    );
    assert_eq!(
        hex(&expand_message(domain, b"abc", 32)),
        "d8ccab23b5985ccea865c6c97b6e5b8350e794e603b4b97902f53a8a0d605615"
    );
}
