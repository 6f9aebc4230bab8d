//! A pairing with everything that the file formats of other tools ask of it.

use ark_ec::pairing::{Pairing as ArkPairing, PairingOutput};
use ark_ff::{FftField, Field, PrimeField};

use crate::{
    Bls12381, Bn254, ChaChaSampler, CurveGroup, Group, Pairing, montgomery, sampler::sample_field,
};

/// The scalar field of an engine.
pub type ScalarOf<E> = <<E as Pairing>::G1 as Group>::Scalar;

/// A pairing over two curves that circom, snarkjs and bellman know.
pub trait Engine: Pairing<G1: CurveGroup, G2: CurveGroup> + Eq {
    /// The name in `proof.json` and `verification_key.json`.
    const SNARKJS_NAME: &'static str;

    /// Bytes of an element of the field below both curves (`n8q`).
    const BASE_LEN: usize = <Self::G1 as CurveGroup>::COORDINATE_LEN;

    /// Bytes of a scalar (`n8r`).
    const SCALAR_LEN: usize = 32;

    /// The scalar field has roots of unity of order two to this power, and of no larger one.
    const TWO_ADICITY: u32;

    /// The order of the field below, [`Engine::BASE_LEN`] bytes little-endian.
    fn base_modulus() -> Vec<u8>;

    /// The order of the groups, [`Engine::SCALAR_LEN`] bytes little-endian.
    fn scalar_modulus() -> Vec<u8>;

    /// snarkjs' primitive root of unity of order `2^log_order`, from the smallest quadratic
    /// non-residue 5; `None` beyond [`Engine::TWO_ADICITY`]. On BLS12-381 arkworks has another.
    fn root_of_unity(log_order: u32) -> Option<ScalarOf<Self>>;

    /// `2^256` as a scalar: the factor of Montgomery form, of which `.zkey` applies two.
    fn montgomery_radix() -> ScalarOf<Self>;

    /// A scalar as snarkjs and bellman draw it.
    fn sample_scalar(sampler: &mut ChaChaSampler) -> ScalarOf<Self>;

    /// The hash to G2 of Zcash and snarkjs, from a BLAKE2b-512 digest.
    fn hash_to_g2(digest: &[u8; 64]) -> Self::G2 {
        let mut seed = [0; 32];
        seed.iter_mut().zip(digest).for_each(|(seed, byte)| *seed = *byte);
        Self::G2::sample(&mut ChaChaSampler::from_digest(&seed))
    }

    /// The twelve coefficients of an element of the target group, each [`Engine::BASE_LEN`] bytes
    /// big-endian, in the order of the tower 2·3·2.
    fn target_coefficients(target: &Self::Target) -> Vec<u8>;

    /// What [`Engine::target_coefficients`] wrote; `None` for other bytes. Only the field that the target
    /// group lies in is checked, not the group: compare it, and multiply it by nothing secret.
    fn target_from_coefficients(bytes: &[u8]) -> Option<Self::Target>;
}

macro_rules! impl_engine {
    ($engine:ty, $name:literal) => {
        impl Engine for $engine {
            const SNARKJS_NAME: &'static str = $name;
            const TWO_ADICITY: u32 = <ScalarOf<Self> as FftField>::TWO_ADICITY;

            fn base_modulus() -> Vec<u8> {
                modulus::<<Self as ArkPairing>::BaseField>()
            }

            fn scalar_modulus() -> Vec<u8> {
                modulus::<ScalarOf<Self>>()
            }

            fn root_of_unity(log_order: u32) -> Option<ScalarOf<Self>> {
                root_of_unity(log_order)
            }

            fn montgomery_radix() -> ScalarOf<Self> {
                let half: ScalarOf<Self> = 2_u64.into();
                half.pow([256_u64])
            }

            fn sample_scalar(sampler: &mut ChaChaSampler) -> ScalarOf<Self> {
                sample_field(sampler)
            }

            fn target_coefficients(target: &PairingOutput<Self>) -> Vec<u8> {
                target_coefficients(target)
            }

            fn target_from_coefficients(bytes: &[u8]) -> Option<PairingOutput<Self>> {
                target_from_coefficients(bytes)
            }
        }
    };
}

impl_engine!(Bn254, "bn128");
impl_engine!(Bls12381, "bls12381");

fn modulus<F: PrimeField>() -> Vec<u8> {
    let mut bytes = Vec::new();
    montgomery::write_le(&F::MODULUS, &mut bytes);
    bytes
}

fn root_of_unity<F: PrimeField + FftField>(log_order: u32) -> Option<F> {
    let squarings = F::TWO_ADICITY.checked_sub(log_order)?;
    let largest = F::from(5_u64).pow(F::TRACE);
    Some((0..squarings).fold(largest, |root, _| root.square()))
}

fn target_coefficients<E: ArkPairing>(target: &PairingOutput<E>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for coefficient in target.0.to_base_prime_field_elements() {
        montgomery::write_be(&coefficient.into_bigint(), &mut bytes);
    }
    bytes
}

/// The prime field below that of the target group.
type Below<E> = <<E as ArkPairing>::TargetField as Field>::BasePrimeField;

fn target_from_coefficients<E: ArkPairing>(bytes: &[u8]) -> Option<PairingOutput<E>> {
    // A coefficient has as many bytes as the limbs of the field's order.
    let width = 8 * Below::<E>::MODULUS.as_ref().len();
    if bytes.len() as u64 != width as u64 * E::TargetField::extension_degree() {
        return None;
    }
    let coefficient = |bytes| Below::<E>::from_bigint(montgomery::read_be(bytes));
    let coefficients: Option<Vec<_>> = bytes.chunks_exact(width).map(coefficient).collect();
    E::TargetField::from_base_prime_field_elems(coefficients?).map(PairingOutput)
}
