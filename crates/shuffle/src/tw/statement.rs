//! What the two proofs are about, and how transcripts absorb it
//! (`docs/spec/shuffle.md`).

use algebra::{Group, Scalar};
use transcript::{Transcript, TranscriptExt};

use super::Generators;
use crate::{Column, PointList, PublicKey, ShuffleError};

const PERMUTATION_LABEL: &[u8] = b"subrosa/shuffle/tw/perm/v1";
const LISTS_LABEL: &[u8] = b"subrosa/shuffle/tw/lists/v1";

/// Which permutation of which mix a commitment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PermutationContext<'a> {
    /// The study.
    pub study: &'a [u8],
    /// The mix within the study.
    pub mix: &'a [u8],
    /// The mixer, counted from 1.
    pub mixer: u32,
}

/// Which passage of lists through a permutation a list proof is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListContext<'a> {
    /// The study.
    pub study: &'a [u8],
    /// The mix within the study.
    pub mix: &'a [u8],
    /// Why the lists move: `mix`, or the identifier of a query.
    pub purpose: &'a [u8],
    /// The mixer, counted from 1.
    pub mixer: u32,
    /// The position in the chain of this purpose, counted from 1.
    pub position: u32,
}

/// Whether lists move with the permutation or against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `after[j] = before[pi(j)]`, re-encrypted.
    Forward,
    /// `after[j] = before[pi^{-1}(j)]`, re-encrypted.
    Backward,
}

/// One list before and after its passage, under its own key.
#[derive(Clone, Copy, Debug)]
pub struct Passage<'a, G: Group> {
    /// The key that the list is re-encrypted under.
    pub key: PublicKey<G>,
    /// The list that the mixer took.
    pub before: &'a Column<G>,
    /// The list that the mixer published.
    pub after: &'a Column<G>,
}

impl<'a, G: Group> Passage<'a, G> {
    /// The lists in the roles `(in, out)` of the proof, `out[i] = in[pi(i)]`: going backwards, the
    /// published list plays the input.
    fn roles(&self, direction: Direction) -> (&'a Column<G>, &'a Column<G>) {
        match direction {
            Direction::Forward => (self.before, self.after),
            Direction::Backward => (self.after, self.before),
        }
    }
}

/// What one list proof states: these lists passed, in this direction, on this occasion.
#[derive(Clone, Copy, Debug)]
pub struct ListStatement<'a, G: Group> {
    /// Which passage this is.
    pub context: ListContext<'a>,
    /// With or against the permutation.
    pub direction: Direction,
    /// The lists, one entry for each column.
    pub passages: &'a [Passage<'a, G>],
}

impl<'a, G: Group> ListStatement<'a, G> {
    /// The lists of every column in the roles `(in, out)` of the proof.
    pub(super) fn roles(&self) -> impl Iterator<Item = (&'a Column<G>, &'a Column<G>)> {
        self.passages.iter().map(|passage| passage.roles(self.direction))
    }

    /// Requires that every list of every passage has length n, and that there is one.
    pub(super) fn require_length(&self, n: usize) -> Result<(), ShuffleError> {
        if self.passages.is_empty() {
            return Err(ShuffleError::Empty);
        }
        let lists = self.passages.iter().flat_map(|passage| [passage.before, passage.after]);
        lists.map(Column::len).try_for_each(|got| require("list", n, got))
    }

    /// Starts the transcript and absorbs the statement, steps 1 to 7.
    pub(super) fn transcript(&self, permutation_digest: &[u8; 64]) -> Transcript {
        let ListContext { study, mix, purpose, mixer, position } = self.context;
        let mut transcript = Transcript::new(LISTS_LABEL);
        transcript.absorb(b"group", G::NAME.as_bytes());
        transcript.absorb(b"generators", Generators::<G>::LABEL);
        transcript.absorb(b"study", study);
        transcript.absorb(b"mix", mix);
        transcript.absorb(b"purpose", purpose);
        transcript.absorb_u64(b"mixer", mixer.into());
        transcript.absorb_u64(b"position", position.into());
        let direction = match self.direction {
            Direction::Forward => b"F",
            Direction::Backward => b"B",
        };
        transcript.absorb(b"direction", direction);
        let n = self.passages.first().map_or(0, |passage| passage.before.len());
        transcript.absorb_u64(b"n", n as u64);
        transcript.absorb_u64(b"columns", self.passages.len() as u64);
        for passage in self.passages {
            transcript.absorb(b"pk", &passage.key.point().encode());
        }
        transcript.absorb(b"permutation", permutation_digest);
        for (input, output) in self.roles() {
            let absorb =
                |component: &PointList<G>| transcript.absorb(b"list", component.encoding());
            input.components().into_iter().chain(output.components()).for_each(absorb);
        }
        transcript
    }
}

/// Starts the transcript of a permutation proof and absorbs its statement, steps 1 to 4.
pub(super) fn permutation_transcript<G: Group>(
    context: &PermutationContext<'_>,
    commitment: &PointList<G>,
) -> Transcript {
    let mut transcript = Transcript::new(PERMUTATION_LABEL);
    transcript.absorb(b"group", G::NAME.as_bytes());
    transcript.absorb(b"generators", Generators::<G>::LABEL);
    transcript.absorb(b"study", context.study);
    transcript.absorb(b"mix", context.mix);
    transcript.absorb_u64(b"mixer", context.mixer.into());
    transcript.absorb_u64(b"n", commitment.len() as u64);
    transcript.absorb(b"a", commitment.encoding());
    transcript
}

/// The digest of a permutation statement, by which list proofs refer to it.
pub(super) fn permutation_digest(transcript: &Transcript) -> [u8; 64] {
    transcript.clone().challenge_wide(b"statement digest")
}

/// Squeezes one full-size scalar.
pub(super) fn challenge_scalar<G: Group>(transcript: &mut Transcript) -> G::Scalar {
    G::Scalar::from_wide(&transcript.challenge_wide(b"c"))
}

/// Squeezes the n full-size scalars `e_1..e_n` of a permutation proof.
pub(super) fn challenge_vector<G: Group>(transcript: &mut Transcript, n: usize) -> Vec<G::Scalar> {
    transcript.challenge_wides(b"e", n).iter().map(G::Scalar::from_wide).collect()
}

/// Requires a length.
pub(super) fn require(what: &'static str, expected: usize, got: usize) -> Result<(), ShuffleError> {
    if got == expected { Ok(()) } else { Err(ShuffleError::Length { what, expected, got }) }
}
