//! The verifier of the list proof for one mixer (TW-11 and TW-12 of `docs/spec/shuffle.md`).

use algebra::Group;
use transcript::{Transcript, TranscriptExt};

use super::{
    Generators, ListProof, ListStatement, VerifiedPermutation,
    statement::{challenge_scalar, require},
};
use crate::{Equation, ShuffleError};

/// A list proof with its statement, as a verifier holds them: about a permutation that is verified,
/// ```
/// # use algebra::Group;
/// # use shuffle::{PointList, tw::{ListClaim, ListProof, ListStatement, VerifiedPermutation}};
/// fn claim<'a, G: Group>(
///     permutation: &'a VerifiedPermutation<G>,
///     statement: ListStatement<'a, G>,
///     proof: &'a ListProof<G>,
/// ) -> ListClaim<'a, G> {
///     ListClaim { permutation, statement, proof }
/// }
/// ```
/// and not about a bare commitment:
/// ```compile_fail,E0308
/// # use algebra::Group;
/// # use shuffle::{PointList, tw::{ListClaim, ListProof, ListStatement, VerifiedPermutation}};
/// fn claim<'a, G: Group>(
///     permutation: &'a PointList<G>,
///     statement: ListStatement<'a, G>,
///     proof: &'a ListProof<G>,
/// ) -> ListClaim<'a, G> {
///     ListClaim { permutation, statement, proof }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ListClaim<'a, G: Group> {
    /// The permutation that the lists moved by, already verified.
    pub permutation: &'a VerifiedPermutation<G>,
    /// Which lists, when and which way.
    pub statement: ListStatement<'a, G>,
    /// The proof.
    pub proof: &'a ListProof<G>,
}

/// The challenges of one list proof.
pub(super) struct ListChallenges<G: Group> {
    /// `e_1..e_n`, 128 bits each.
    pub(super) e: Vec<u128>,
    /// The sigma protocol's challenge.
    pub(super) c: G::Scalar,
    /// The transcript after the last message, from which weights are drawn.
    pub(super) transcript: Transcript,
}

impl<G: Group> ListClaim<'_, G> {
    /// Recomputes the challenges, after checking every length.
    pub(super) fn challenges(
        &self,
        generators: &Generators<G>,
    ) -> Result<ListChallenges<G>, ShuffleError> {
        let (n, responses) = (self.permutation.commitment().len(), &self.proof.responses);
        generators.require(n)?;
        self.statement.require_length(n)?;
        require("responses", n, responses.challenges.len())?;
        let columns = self.statement.passages.len();
        require("announcements", columns, self.proof.columns.len())?;
        require("responses", columns, responses.columns.len())?;

        let mut transcript = self.statement.transcript(self.permutation.digest());
        let e = transcript.challenge_shorts(b"e", n);
        self.proof.absorb_announcements(&mut transcript);
        let c = challenge_scalar::<G>(&mut transcript);
        responses.absorb(&mut transcript);
        Ok(ListChallenges { e, c, transcript })
    }

    /// (L0): `T_k = c·sum e_i·a_i + z_k·H + sum z_i·H_i`.
    fn opening_holds(&self, generators: &Generators<G>, challenges: &ListChallenges<G>) -> bool {
        let (z, a) = (&self.proof.responses, self.permutation.commitment());
        let opened = G::msm_short(&challenges.e, a.points()).mul(&challenges.c)
            + G::msm(&z.challenges, generators.list(a.len()));
        self.proof.opening == generators.blinding().add_mul(opened, &z.opening)
    }

    /// (L1), one component: `T = c·sum e_i·in[i] − z_u·base + sum z_i·out[i]`, base G or pk.
    fn component_holds(
        &self,
        column: usize,
        component: usize,
        challenges: &ListChallenges<G>,
    ) -> Option<bool> {
        let (input, output) = self.statement.roles().nth(column)?;
        let key = self.statement.passages.get(column)?.key.point();
        let base = *[G::generator(), key].get(component)?;
        let input = input.components().get(component)?.points();
        let output = output.components().get(component)?.points();
        let expected = G::msm_short(&challenges.e, input).mul(&challenges.c)
            - base.mul(self.proof.responses.columns.get(column)?)
            + G::msm(&self.proof.responses.challenges, output);
        Some(*self.proof.columns.get(column)?.get(component)? == expected)
    }
}

/// Checks one list proof, equation by equation.
///
/// # Errors
/// [`ShuffleError::Equation`] names the first equation, column and component that fails;
/// [`ShuffleError::Length`], [`ShuffleError::Empty`] and [`ShuffleError::Generators`] refuse
/// malformed input.
pub fn verify_lists<G: Group>(
    claim: &ListClaim<'_, G>,
    generators: &Generators<G>,
) -> Result<(), ShuffleError> {
    let fails =
        |equation| ShuffleError::Equation { mixer: claim.statement.context.mixer, equation };
    let challenges = claim.challenges(generators)?;
    if !claim.opening_holds(generators, &challenges) {
        return Err(fails(Equation::ListOpening));
    }
    for column in 0..claim.statement.passages.len() {
        for component in 0..2 {
            if claim.component_holds(column, component, &challenges) != Some(true) {
                let component = component + 1;
                return Err(fails(Equation::ListColumn { column, component }));
            }
        }
    }
    Ok(())
}
