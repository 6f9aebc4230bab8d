//! One mixer's whole contribution (permutation, moved columns, proofs), and the check of a chain of
//! them.

use algebra::Group;
use wire::{Decode, DecodeError, Encode, Reader};

use crate::{
    Column, PointList, PublicKey, ShuffleError,
    ballot::MAX_COLUMNS,
    encode,
    tw::{
        Direction, Generators, ListClaim, ListContext, ListProof, ListStatement, Passage,
        PermutationContext, PermutationProof, VerifiedPermutation, verify_chain,
        verify_permutation,
    },
};

#[cfg(feature = "prove")]
mod prepare;

#[cfg(feature = "prove")]
pub use prepare::PreparedMix;

/// The most rows that a mix may have.
pub const MAX_ROWS: usize = 1 << 24;

const PURPOSE: &[u8] = b"mix";

/// Which mixer's turn in which mix it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MixContext<'a> {
    /// The study.
    pub study: &'a [u8],
    /// The mix within the study.
    pub mix: &'a [u8],
    /// The mixer, counted from 1.
    pub mixer: u32,
    /// The mixer's place in the chain, counted from 1; behind the mixer's number if others failed.
    pub position: u32,
}

impl<'a> MixContext<'a> {
    fn permutation(&self) -> PermutationContext<'a> {
        PermutationContext { study: self.study, mix: self.mix, mixer: self.mixer }
    }

    fn lists(&self) -> ListContext<'a> {
        let Self { study, mix, mixer, position } = *self;
        ListContext { study, mix, purpose: PURPOSE, mixer, position }
    }
}

/// What a mixer publishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix<G: Group> {
    /// The columns, permuted and re-encrypted.
    pub outputs: Vec<Column<G>>,
    /// The proof; absent exactly if there are no rows.
    pub proof: Option<MixProof<G>>,
}

/// Why the outputs of a mix hold the messages of its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixProof<G: Group> {
    /// `a_1..a_n`.
    pub commitment: PointList<G>,
    /// That the commitment is to a permutation.
    pub permutation: PermutationProof<G>,
    /// That every column moved by it.
    pub lists: ListProof<G>,
}

/// A mix with the place that it claims in a chain.
#[derive(Clone, Copy, Debug)]
pub struct MixClaim<'a, G: Group> {
    /// Whose turn it was.
    pub context: MixContext<'a>,
    /// What was published.
    pub mix: &'a Mix<G>,
}

/// Checks a chain of mixes, each taking what the one before published: every permutation, then all
/// list proofs in one multi-scalar multiplication.
///
/// # Errors
/// [`ShuffleError`] naming the first mixer, and the equation, that fails.
pub fn verify_mixes<G: Group>(
    key: &PublicKey<G>,
    inputs: &[Column<G>],
    claims: &[MixClaim<'_, G>],
    generators: &Generators<G>,
) -> Result<(), ShuffleError> {
    verify_mixes_for_reuse(key, inputs, claims, generators).map(drop)
}

/// [`verify_mixes`], for those who will check further lists against the same permutations: these, in
/// order, or none if there were no rows.
///
/// # Errors
/// Those of [`verify_mixes`].
pub fn verify_mixes_for_reuse<G: Group>(
    key: &PublicKey<G>,
    inputs: &[Column<G>],
    claims: &[MixClaim<'_, G>],
    generators: &Generators<G>,
) -> Result<Vec<VerifiedPermutation<G>>, ShuffleError> {
    let before: Vec<&[Column<G>]> = std::iter::once(inputs)
        .chain(claims.iter().map(|claim| claim.mix.outputs.as_slice()))
        .collect();
    let turns = || claims.iter().zip(&before);
    for (claim, before) in turns() {
        claim.require_shape(before)?;
    }
    let proofs: Vec<&MixProof<G>> =
        claims.iter().filter_map(|claim| claim.mix.proof.as_ref()).collect();
    if proofs.is_empty() {
        return Ok(Vec::new());
    }

    let permutations: Vec<_> = claims
        .iter()
        .zip(&proofs)
        .map(|(claim, proof)| {
            let commitment = proof.commitment.clone();
            let context = claim.context.permutation();
            verify_permutation(commitment, &proof.permutation, generators, &context)
        })
        .collect::<Result<_, _>>()?;
    let passages: Vec<Vec<_>> = turns()
        .map(|(claim, before)| {
            let pairs = before.iter().zip(&claim.mix.outputs);
            pairs.map(|(before, after)| Passage { key: *key, before, after }).collect()
        })
        .collect();
    let lists: Vec<_> = claims
        .iter()
        .zip(&passages)
        .zip(permutations.iter().zip(&proofs))
        .map(|((claim, passages), (permutation, proof))| ListClaim {
            permutation,
            statement: ListStatement {
                context: claim.context.lists(),
                direction: Direction::Forward,
                passages,
            },
            proof: &proof.lists,
        })
        .collect();
    verify_chain(&lists, generators)?;
    drop(lists);
    Ok(permutations)
}

impl<G: Group> MixClaim<'_, G> {
    /// Requires as many columns and rows as before, and a proof exactly if there are rows.
    fn require_shape(&self, before: &[Column<G>]) -> Result<(), ShuffleError> {
        let mixer = self.context.mixer;
        let (expected, got) = (before.len(), self.mix.outputs.len());
        if got != expected || expected == 0 {
            return Err(ShuffleError::Length { what: "columns", expected, got });
        }
        let expected = before.first().map_or(0, Column::len);
        let mut rows = before.iter().chain(&self.mix.outputs).map(Column::len);
        if let Some(got) = rows.find(|&got| got != expected) {
            return Err(ShuffleError::Length { what: "list", expected, got });
        }
        let has_rows = expected > 0;
        match has_rows == self.mix.proof.is_some() {
            true => Ok(()),
            false => Err(ShuffleError::Proof { mixer, rows: has_rows }),
        }
    }
}

/// Rows, columns, the columns, and the proof if there are rows.
impl<G: Group> Encode for Mix<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        encode_columns(&self.outputs, out);
        if let Some(proof) = &self.proof {
            out.extend_from_slice(proof.commitment.encoding());
            proof.permutation.encode(out);
            proof.lists.encode(out);
        }
    }
}

impl<G: Group> Decode for Mix<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let outputs = decode_columns(reader)?;
        let n = outputs.first().map_or(0, Column::len);
        let proof = match n {
            0 => None,
            _ => Some(MixProof {
                commitment: encode::point_list(reader, "a", n)?,
                permutation: PermutationProof::decode(reader, n)?,
                lists: ListProof::decode(reader, n, outputs.len())?,
            }),
        };
        Ok(Self { outputs, proof })
    }
}

/// Appends rows, columns, and the columns one after the other.
pub fn encode_columns<G: Group>(columns: &[Column<G>], out: &mut Vec<u8>) {
    let rows = columns.first().map_or(0, Column::len);
    // No list in memory is so long; readers would refuse such a count.
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    count(rows).encode(out);
    count(columns.len()).encode(out);
    columns.iter().for_each(|column| column.encode(out));
}

/// Reads what [`encode_columns`] writes: 1 to [`MAX_COLUMNS`] columns of at most [`MAX_ROWS`] rows.
///
/// # Errors
/// [`DecodeError`] on anything but a canonical encoding.
pub fn decode_columns<G: Group>(reader: &mut Reader<'_>) -> Result<Vec<Column<G>>, DecodeError> {
    let rows = reader.count("rows", MAX_ROWS)?;
    let columns = reader.count("columns", MAX_COLUMNS)?;
    if columns == 0 {
        return Err(DecodeError::out_of_bounds("columns", "there must be at least one"));
    }
    (0..columns).map(|_| encode::column(reader, "ciphertexts", rows)).collect()
}
