//! Elections mixed by the pairing shuffle tFLSZ.

use algebra::{Bls12381, Bls12381G2};
use getrandom::SysRng;
use rand_core::{CryptoRng, UnwrapErr};
use shuffle::{
    Column, MixContext, PublicKey, ShuffleError,
    pairing::{Crs, PairingClaim, PairingMix, Prover, verify_mixes},
};
use wire::Decode;

use super::{Scheme, TflszParameters};
use crate::description::Shuffle;

/// tFLSZ over BLS12-381: no random oracle in the proof of a mix, and points that carry 2 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tflsz;

/// A reference string, and who made it.
pub struct TflszSetup {
    crs: Crs<Bls12381>,
    contributors: Vec<String>,
}

impl Scheme for Tflsz {
    type Group = Bls12381G2;
    type Mix = PairingMix<Bls12381>;
    type Parameters = TflszSetup;
    type Verified = ();

    fn is(shuffle: Shuffle) -> bool {
        matches!(shuffle, Shuffle::Tflsz { .. })
    }

    /// Ciphertexts; four commitments in G1 and one in G2.
    fn mix_row_len(columns: usize) -> usize {
        192 * columns + 4 * 48 + 96
    }

    fn own_parameters() -> Option<Self::Parameters> {
        None
    }

    fn read_parameters(file: &[u8]) -> Result<Self::Parameters, String> {
        let parameters = TflszParameters::from_bytes(file).map_err(|error| error.to_string())?;
        let verified = parameters.verify(&mut UnwrapErr(SysRng));
        let verified = verified.map_err(|error| error.to_string())?;
        Ok(TflszSetup { crs: Crs::tflsz(&verified.points), contributors: verified.contributors })
    }

    fn contributors(parameters: &Self::Parameters) -> &[String] {
        &parameters.contributors
    }

    fn capacity(parameters: &Self::Parameters) -> usize {
        parameters.crs.size()
    }

    fn extend(_: &mut Self::Parameters, _: usize) {}

    fn mix(
        parameters: &Self::Parameters,
        key: &PublicKey<Self::Group>,
        inputs: &[Column<Self::Group>],
        context: &MixContext<'_>,
        rng: &mut impl CryptoRng,
    ) -> Result<Self::Mix, ShuffleError> {
        PairingMix::new(&Prover::new(&parameters.crs, key), inputs, context, rng)
    }

    /// The weights of the equations are drawn here, after the mix is fixed.
    fn verify(
        parameters: &Self::Parameters,
        key: &PublicKey<Self::Group>,
        inputs: &[Column<Self::Group>],
        context: &MixContext<'_>,
        mix: &Self::Mix,
    ) -> Result<(), ShuffleError> {
        let claims = [PairingClaim { context: *context, mix }];
        verify_mixes(&parameters.crs, key, inputs, &claims, &mut UnwrapErr(SysRng))
    }

    fn into_outputs(mix: Self::Mix) -> Vec<Column<Self::Group>> {
        mix.outputs
    }
}
