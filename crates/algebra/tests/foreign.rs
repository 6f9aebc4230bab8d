//! The byte forms, the sampling and the constants of snarkjs and bellman, against values that
//! ffjavascript 0.3.1 computed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

use algebra::{
    Bls12381, Bn254, ChaChaSampler, CurveGroup, Dialect, Engine, Group, Pairing, PointError,
    PointForm, Scalar, ScalarOf,
};
use proptest::prelude::*;

const FORMS: [PointForm; 5] = [
    PointForm::Montgomery,
    PointForm::Uncompressed(Dialect::Snarkjs),
    PointForm::Uncompressed(Dialect::Bellman),
    PointForm::Compressed(Dialect::Snarkjs),
    PointForm::Compressed(Dialect::Bellman),
];
const SNARKJS: PointForm = PointForm::Uncompressed(Dialect::Snarkjs);
const SEED: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn write<G: CurveGroup>(points: &[G], form: PointForm) -> Vec<u8> {
    let mut out = Vec::new();
    G::write_form(&G::precompute(points), form, &mut out);
    out
}

fn big_endian<S: Scalar>(scalar: S) -> String {
    let mut bytes = scalar.encode();
    bytes.reverse();
    hex(&bytes)
}

#[test]
fn generators() {
    let g = write(&[<Bn254 as Pairing>::G1::generator()], PointForm::Montgomery);
    assert_eq!(
        hex(&g),
        "9d0d8fc58d435dd33d0bc7f528eb780a2c4679786fa36e662fdf079ac1770a0e\
         3a1b1e8b1b87baa67b168eeb51d6f114588cf2f0de46ddcc5ebe0f3483ef141c"
    );
    let h = hex(&write(&[<Bn254 as Pairing>::G2::generator()], SNARKJS));
    assert_eq!(h.len(), 256);
    for (coefficient, (start, end)) in
        [("198e9393", "c2"), ("1800deef", "ed"), ("090689d0", "5b"), ("12c85ea5", "aa")]
            .into_iter()
            .enumerate()
    {
        let coefficient = &h[64 * coefficient..64 * coefficient + 64];
        assert!(coefficient.starts_with(start) && coefficient.ends_with(end));
    }
    let compressed = |dialect| {
        let point = <Bls12381 as Pairing>::G1::generator();
        hex(&write(&[point], PointForm::Compressed(dialect)))[..6].to_owned()
    };
    assert_eq!(compressed(Dialect::Snarkjs), "17f1d3");
    assert_eq!(compressed(Dialect::Bellman), "97f1d3");
}

#[test]
fn zcash_form_is_this_projects_own() {
    for scalar in 1..20 {
        let point = <Bls12381 as Pairing>::G2::mul_generator(&Scalar::from_u64(scalar));
        assert_eq!(write(&[point], PointForm::Compressed(Dialect::Bellman)), point.encode());
    }
}

#[test]
fn infinity() {
    fn check<G: CurveGroup>(zcash: u8) {
        let form = |form| hex(&write(&[G::identity()], form));
        let zeros = |first: u8, len: usize| format!("{first:02x}") + &"00".repeat(len - 1);
        let len = G::COORDINATE_LEN;
        assert_eq!(form(PointForm::Montgomery), zeros(0, 2 * len));
        assert_eq!(form(SNARKJS), zeros(0, 2 * len));
        assert_eq!(form(PointForm::Uncompressed(Dialect::Bellman)), zeros(0x40, 2 * len));
        assert_eq!(form(PointForm::Compressed(Dialect::Snarkjs)), zeros(0x40, len));
        assert_eq!(form(PointForm::Compressed(Dialect::Bellman)), zeros(zcash, len));
    }
    check::<<Bn254 as Pairing>::G1>(0x40);
    check::<<Bn254 as Pairing>::G2>(0x40);
    check::<<Bls12381 as Pairing>::G1>(0xc0);
    check::<<Bls12381 as Pairing>::G2>(0xc0);
}

#[test]
fn sampling() {
    let mut sampler = ChaChaSampler::from_words(SEED);
    let words: Vec<u32> = (0..4).map(|_| sampler.next_u32()).collect();
    assert_eq!(words, [0x8891_120d, 0xa1d7_fd60, 0x546a_15d9, 0xf896_cad8]);

    let scalar = Bn254::sample_scalar(&mut ChaChaSampler::from_words(SEED));
    assert_eq!(
        big_endian(scalar),
        "194024b60a01081c3c07a37e58f7d174121b2dcb361840289d4a54ab9474a308"
    );
    let scalar = Bls12381::sample_scalar(&mut ChaChaSampler::from_words(SEED));
    assert_eq!(
        big_endian(scalar),
        "70137c73bb05bf030242fb91966aec28aa0803015e6676e332e181cfb75e8f90"
    );

    fn point<G: CurveGroup>() -> String {
        hex(&write(&[G::sample(&mut ChaChaSampler::from_words(SEED))], SNARKJS))
    }
    assert_eq!(
        point::<<Bn254 as Pairing>::G1>(),
        "0a7ff1694a79046066b7967c3351100f2674fee9758c26c0622faac5e4469698\
         0744637bbe02b7d14e2158c7872ba1c6eb6bafa0db7cff8d0409d1bc376b134f"
    );
    assert_eq!(
        point::<<Bn254 as Pairing>::G2>(),
        "2e32b9a8c1ab7b1a54e9a9c83480cc2cba00e452dd14ab791004b5d73a27691e\
         046a3f44c06efa3c450185453d0e37cd0363bdb676f108e104ce452123cb4628\
         14a8e9ffd499baddfbdbac21789623fdba132131150ade912d8576b455ef966d\
         1a08e99e008b8db296dbfc3380e6ebff7565be7420e27dda9f6937341f2e54ef"
    );
    assert_eq!(
        point::<<Bls12381 as Pairing>::G1>(),
        "0d7f9ce4243c4dcc3a3ae5459e45393816c22b709c4a6066a29638edacb0e8d1\
         7a2fd9a2f680f5a9a6a4e0e69aec7aa80a558441b6ab02a1b15e0ab2cacb812f\
         1d7e714f3e05c9bd9c0ccc87bd99e9a53bacfe2b75931f1dd8c2511c31f7410f"
    );
    assert_eq!(
        point::<<Bls12381 as Pairing>::G2>(),
        "01cbc2fcd504f5de77fe27b4289d7b7e7c116dfc244695a295310af626c28f0b6793e9a81d8ef640d542cfe6b9c6a8bf\
         03e33d52cbc124a719c941c4b76a5489dc799cb05e7ffc9a392f5c1b9c175010c16a10da697ff1803113c663510bedeb\
         048486fb9f4ddc23acd0ecd3f9c0619d98c291704f2d2c053d9d71b691dceb7eec49e31aa48f938b097409c46808f79f\
         054eac88596879d9a3cf734e1cc16d5106f46e2eb55ba700d4f7855c9c8340186bec967b09c4b1911fa3a53bdfecfce2"
    );
    // The digest's words are big-endian, and only its first half counts.
    let mut digest = [0xee; 64];
    digest[..32].fill(0);
    (1..=8).for_each(|word| digest[4 * usize::from(word) - 1] = word);
    assert_eq!(
        hex(&write(&[Bn254::hash_to_g2(&digest)], SNARKJS)),
        point::<<Bn254 as Pairing>::G2>()
    );
}

#[test]
fn constants() {
    fn check<E: Engine>(root: &str, two_adicity: u32) {
        assert_eq!(E::TWO_ADICITY, two_adicity);
        let largest = E::root_of_unity(two_adicity).unwrap();
        assert_eq!(big_endian(largest), format!("{root:0>64}"));
        assert_eq!(E::root_of_unity(two_adicity + 1), None);
        assert_eq!(E::root_of_unity(0), Some(Scalar::one()));
        assert_eq!(E::root_of_unity(1), Some(-ScalarOf::<E>::one()));
        assert_eq!(E::root_of_unity(two_adicity - 1), Some(largest * largest));
        assert_eq!(E::scalar_modulus().len(), E::SCALAR_LEN);
        assert_eq!(E::base_modulus().len(), E::BASE_LEN);
        // R is the scalar with representation R², whose representation over R is one.
        let radix = E::montgomery_radix();
        let doubled = (0..256).fold(ScalarOf::<E>::one(), |sum, _| sum + sum);
        assert_eq!(radix, doubled);
    }
    check::<Bn254>("2a3c09f0a58a7e8500e0a7eb8ef62abc402d111e41112ed49bd61b6e725b19f0", 28);
    check::<Bls12381>("212d79e5b416b6f0fd56dc8d168d6c0c4024ff270b3e0941b788f500b912f1f", 32);
}

/// Every point of a list in every form survives, and no form confuses two points.
fn round_trip<G: CurveGroup>() {
    let points: Vec<G> = (0..700_u64).map(|i| G::mul_generator(&Scalar::from_u64(i))).collect();
    let affine = G::precompute(&points);
    for form in FORMS {
        let bytes = write(&points, form);
        assert_eq!(bytes.len(), points.len() * G::form_len(form));
        assert_eq!(G::read_form(&bytes, form).unwrap(), affine);
        let cut = G::read_form(&bytes[..bytes.len() - 1], form);
        assert_eq!(cut, Err(PointError::Length { index: 699 }));
    }
    G::check_subgroup(&affine).unwrap();
    assert!(G::is_affine_identity(&affine[0]) && !G::is_affine_identity(&affine[1]));
    assert_eq!(affine[1], G::affine_generator());
}

#[test]
fn round_trips() {
    round_trip::<<Bn254 as Pairing>::G1>();
    round_trip::<<Bn254 as Pairing>::G2>();
    round_trip::<<Bls12381 as Pairing>::G1>();
    round_trip::<<Bls12381 as Pairing>::G2>();
}

/// Bytes that decode are the encoding of what they decode to.
fn canonical<G: CurveGroup>(seed: u64, at: usize, flip: u8) {
    let points = [G::mul_generator(&Scalar::from_u64(seed))];
    for form in FORMS {
        let mut bytes = write(&points, form);
        let at = at % bytes.len();
        bytes[at] ^= flip;
        if let Ok(points) = G::read_form(&bytes, form) {
            let mut again = Vec::new();
            G::write_form(&points, form, &mut again);
            assert_eq!(again, bytes, "{form:?}");
        }
    }
}

proptest! {
    #[test]
    fn decoding_is_canonical(seed in 0_u64..20, at in 0_usize..192, flip in 1_u8..) {
        canonical::<<Bn254 as Pairing>::G1>(seed, at, flip);
        canonical::<<Bn254 as Pairing>::G2>(seed, at, flip);
        canonical::<<Bls12381 as Pairing>::G1>(seed, at, flip);
        canonical::<<Bls12381 as Pairing>::G2>(seed, at, flip);
    }

    #[test]
    fn random_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for form in FORMS {
            let _ = <Bn254 as Pairing>::G1::read_form(&bytes, form);
            let _ = <Bls12381 as Pairing>::G2::read_form(&bytes, form);
        }
    }
}

#[test]
fn coordinates_are_reduced() {
    // x + q is the same coordinate: BN254 leaves room for it in 256 bits.
    let modulus = Bn254::base_modulus();
    let mut bytes = write(&[<Bn254 as Pairing>::G1::generator()], PointForm::Montgomery);
    for start in [0, 32] {
        let honest = bytes.clone();
        let mut carry = 0;
        for (byte, add) in bytes[start..].iter_mut().zip(&modulus) {
            carry += u16::from(*byte) + u16::from(*add);
            *byte = carry as u8;
            carry >>= 8;
        }
        let read = <Bn254 as Pairing>::G1::read_form(&bytes, PointForm::Montgomery);
        assert_eq!(read, Err(PointError::Encoding { index: 0 }));
        bytes = honest;
    }
}

#[test]
fn points_outside_the_subgroup_are_found() {
    // (0, 2) is on the curve of BLS12-381 G1 and has order 3.
    let mut bytes = vec![0; 96];
    bytes[95] = 2;
    let outside = <Bls12381 as Pairing>::G1::read_form(&bytes, SNARKJS).unwrap();
    let generator = <Bls12381 as Pairing>::G1::affine_generator();
    let points = [generator, generator, outside[0], generator];
    assert_eq!(
        <Bls12381 as Pairing>::G1::check_subgroup(&points),
        Err(PointError::Subgroup { index: 2 })
    );
}
