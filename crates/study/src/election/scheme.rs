//! What an election's shuffle decides: the group, what mixers publish, and what they prove it under.

use std::{fmt::Debug, sync::LazyLock};

use algebra::{Embed, Ristretto255};
use rand_core::CryptoRng;
use shuffle::{
    Column, Mix, MixClaim, MixContext, PublicKey, ShuffleError,
    tw::{Generators, VerifiedPermutation},
    verify_mixes_for_reuse,
};
use wire::{Decode, Encode};

use crate::description::Shuffle;

/// A shuffle for elections.
pub trait Scheme: Copy + Debug + Eq + Send + Sync + 'static {
    /// The group of the ballots and of the trustees' key.
    type Group: Embed;
    /// What a mixer publishes.
    type Mix: Clone + Debug + PartialEq + Encode + Decode + Send;
    /// What mixes are proven and verified under.
    type Parameters: Send + Sync;
    /// What a verified mix leaves for later proofs about the same permutation.
    type Verified: Send + Sync;

    /// Whether a description asks for this shuffle.
    fn is(shuffle: Shuffle) -> bool;

    /// Bytes of one ballot of so many columns in a mixer's entry.
    fn mix_row_len(columns: usize) -> usize;

    /// The parameters of a shuffle that needs none from outside.
    fn own_parameters() -> Option<Self::Parameters>;

    /// Checks and reads the parameters' file.
    ///
    /// # Errors
    /// The reason, naming what in the file is wrong.
    fn read_parameters(file: &[u8]) -> Result<Self::Parameters, String>;

    /// Who made the parameters, and in which ceremony.
    fn contributors(parameters: &Self::Parameters) -> &[String];

    /// The most ballots that can be mixed under the parameters.
    fn capacity(parameters: &Self::Parameters) -> usize;

    /// Readies the parameters for this number of ballots.
    fn extend(parameters: &mut Self::Parameters, ballots: usize);

    /// Mixes columns that all have the same number of rows, possibly none.
    ///
    /// # Errors
    /// [`ShuffleError`] if the columns do not match, or are too long for the parameters.
    fn mix(
        parameters: &Self::Parameters,
        key: &PublicKey<Self::Group>,
        inputs: &[Column<Self::Group>],
        context: &MixContext<'_>,
        rng: &mut impl CryptoRng,
    ) -> Result<Self::Mix, ShuffleError>;

    /// Checks one mixer's mix.
    ///
    /// # Errors
    /// [`ShuffleError`] naming the equation that fails.
    fn verify(
        parameters: &Self::Parameters,
        key: &PublicKey<Self::Group>,
        inputs: &[Column<Self::Group>],
        context: &MixContext<'_>,
        mix: &Self::Mix,
    ) -> Result<Self::Verified, ShuffleError>;

    /// The mixed columns.
    fn into_outputs(mix: Self::Mix) -> Vec<Column<Self::Group>>;
}

/// Terelius-Wikström over ristretto255: no trusted set-up, and points that carry 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TereliusWikstrom;

impl Scheme for TereliusWikstrom {
    type Group = Ristretto255;
    type Mix = Mix<Ristretto255>;
    type Parameters = Generators<Ristretto255>;
    /// None of a mix without rows.
    type Verified = Option<VerifiedPermutation<Ristretto255>>;

    fn is(shuffle: Shuffle) -> bool {
        matches!(shuffle, Shuffle::TereliusWikstrom)
    }

    /// Ciphertexts, commitment, both proofs.
    fn mix_row_len(columns: usize) -> usize {
        64 * columns + 192
    }

    fn own_parameters() -> Option<Self::Parameters> {
        // Every replay of a board begins with them.
        static OWN: LazyLock<Generators<Ristretto255>> = LazyLock::new(|| Generators::derive(0));
        Some(OWN.clone())
    }

    fn read_parameters(_: &[u8]) -> Result<Self::Parameters, String> {
        Err("this shuffle has no parameters".to_owned())
    }

    fn contributors(_: &Self::Parameters) -> &[String] {
        &[]
    }

    fn capacity(_: &Self::Parameters) -> usize {
        shuffle::MAX_ROWS
    }

    fn extend(parameters: &mut Self::Parameters, ballots: usize) {
        parameters.extend_to(ballots);
    }

    fn mix(
        parameters: &Self::Parameters,
        key: &PublicKey<Self::Group>,
        inputs: &[Column<Self::Group>],
        context: &MixContext<'_>,
        rng: &mut impl CryptoRng,
    ) -> Result<Self::Mix, ShuffleError> {
        Mix::new(key, inputs, parameters, context, rng)
    }

    fn verify(
        parameters: &Self::Parameters,
        key: &PublicKey<Self::Group>,
        inputs: &[Column<Self::Group>],
        context: &MixContext<'_>,
        mix: &Self::Mix,
    ) -> Result<Self::Verified, ShuffleError> {
        let claims = [MixClaim { context: *context, mix }];
        verify_mixes_for_reuse(key, inputs, &claims, parameters).map(|mut one| one.pop())
    }

    fn into_outputs(mix: Self::Mix) -> Vec<Column<Self::Group>> {
        mix.outputs
    }
}

/// Evaluates an expression in which a name stands for the [`Scheme`] of a [`Shuffle`].
#[macro_export]
macro_rules! with_scheme {
    ($shuffle:expr, $scheme:ident => $body:expr) => {
        match $shuffle {
            $crate::description::Shuffle::TereliusWikstrom => {
                type $scheme = $crate::election::TereliusWikstrom;
                $body
            }
            $crate::description::Shuffle::Tflsz { .. } => {
                type $scheme = $crate::election::Tflsz;
                $body
            }
        }
    };
}
