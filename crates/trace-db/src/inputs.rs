//! The input list: "checking inputs".

use std::{collections::HashSet, sync::Arc};

use rayon::prelude::*;
use shuffle::sigma::KnowledgeProof;
use transcript::Transcript;
use wire::{Digest, Encode};

use super::{
    Session, Submission,
    bases::G1,
    paillier::{Ciphertexts, MAX_ROWS, PaillierError, verify_plaintexts},
    submission::proof_name,
    verified::{VerifiedPermutations, VerifiedTurns},
};
use trace::{TraceError, parts::encode};

/// Requires as many rows as a session takes, before anything is made of them.
fn require_rows(rows: usize) -> Result<(), TraceError> {
    match (1..=MAX_ROWS).contains(&rows) {
        true => Ok(()),
        false => Err(TraceError::Rows { rows, limit: MAX_ROWS }),
    }
}

fn all_hold(claims: Vec<Vec<(Transcript, G1, KnowledgeProof<G1>)>>) -> bool {
    KnowledgeProof::verify_all(claims.into_iter().flatten())
}

/// All submissions of a session, verified, with none copied: row i is submission i.
pub struct Inputs {
    session: Arc<Session>,
    submissions: Vec<Submission>,
    commitments: Vec<G1>,
    values: Ciphertexts,
    blindings: Ciphertexts,
    digest: Digest,
    permutations: VerifiedPermutations,
    turns: VerifiedTurns,
}

impl Inputs {
    /// Verifies every submission: its proofs, that its sender has no other, that no part of it
    /// occurs in another.
    ///
    /// # Errors
    /// [`TraceError::Rows`], [`TraceError::Sender`], [`TraceError::Ciphertext`] naming the first
    /// that fails.
    pub fn collect(
        session: Arc<Session>,
        submissions: Vec<Submission>,
    ) -> Result<Self, TraceError> {
        let rows = submissions.len();
        require_rows(rows)?;
        let refused = |submission, reason| TraceError::Ciphertext { submission, reason };
        let (mut senders, mut seen) = (HashSet::new(), HashSet::new());
        for (index, submission) in submissions.iter().enumerate() {
            submission.check_shape(index, &session)?;
            if !senders.insert(submission.sender()) {
                return Err(refused(index, "its sender has submitted before"));
            }
            if submission.parts().into_iter().any(|part| !seen.insert(part)) {
                return Err(refused(index, "it has a part of another submission"));
            }
        }
        let known = |submission: &Submission| submission.opening_is_known(session.id());
        if let Some(index) = submissions.par_iter().position_first(|item| !known(item)) {
            return Err(refused(index, "the proof of knowledge of its opening is false"));
        }
        // Sealed shares are bound to their sender: who copies them into its own submission is refused, and
        // whose they are is not, whoever came first.
        let claims = submissions.par_iter().map(|item| item.share_claims(&session));
        let claims: Vec<_> = claims.collect();
        if !claims.iter().cloned().collect::<Option<Vec<_>>>().is_some_and(all_hold) {
            let false_one = |claims: Option<_>| !claims.is_some_and(|own| all_hold(vec![own]));
            // One of them is false alone: were all true, so would be their sum, whatever the weights.
            let position = claims.into_par_iter().position_first(false_one).unwrap_or_default();
            return Err(refused(position, "its sender did not seal all of its shares"));
        }
        let names: Vec<Digest> =
            submissions.iter().map(|submission| proof_name(submission.sender())).collect();
        let claims: Vec<_> = submissions
            .iter()
            .zip(&names)
            .map(|(submission, name)| submission.claim(&session, name))
            .collect();
        let key = session.paillier();
        verify_plaintexts(key, &claims).map_err(|error| match error {
            PaillierError::PlaintextProof { claim, .. } => {
                refused(claim, "the proof of knowledge of its plaintexts is false")
            }
            error => TraceError::engine("inputs", error.culprit(), error),
        })?;

        let lists: Vec<&Ciphertexts> = submissions.iter().map(Submission::encrypted).collect();
        let all = Ciphertexts::concat(key, &lists);
        let places = |first: usize| (0..rows).map(|row| 2 * row + first).collect::<Vec<_>>();
        let (values, blindings) = (all.select(key, &places(0)), all.select(key, &places(1)));
        let commitments = submissions.iter().map(|item| *item.commitment()).collect();
        let mut bytes = Vec::new();
        session.id().encode(&mut bytes);
        encode::put_list(&submissions, &mut bytes);
        let digest = Digest::of("trace/db/inputs", &bytes);
        let (permutations, turns) = Default::default();
        Ok(Self {
            session,
            submissions,
            commitments,
            values,
            blindings,
            digest,
            permutations,
            turns,
        })
    }

    /// The session.
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// The submissions.
    pub fn submissions(&self) -> &[Submission] {
        &self.submissions
    }

    /// The number n of rows.
    pub fn rows(&self) -> usize {
        self.submissions.len()
    }

    /// γ_i of every row.
    pub fn commitments(&self) -> &[G1] {
        &self.commitments
    }

    /// ε_i of every row, as the first server takes them.
    pub fn values(&self) -> &Ciphertexts {
        &self.values
    }

    /// ε_{r,i} of every row.
    pub fn blindings(&self) -> &Ciphertexts {
        &self.blindings
    }

    /// The digest of the session and all submissions.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// The turns of the mix that were verified.
    pub(super) fn verified_turns(&self) -> &VerifiedTurns {
        &self.turns
    }

    /// The permutations that were verified.
    pub(super) fn verified_permutations(&self) -> &VerifiedPermutations {
        &self.permutations
    }

    /// What "pkcommverifs" is (1.7 S0): the querier, who trusts nobody, verifies the proofs of
    /// opening itself.
    ///
    /// # Errors
    /// [`TraceError::Ciphertext`] naming the first that fails.
    pub fn verify_openings(&self) -> Result<(), TraceError> {
        let id = self.session.id();
        let failing = self.submissions.par_iter().position_first(|item| !item.opening_is_known(id));
        match failing {
            None => Ok(()),
            Some(submission) => {
                let reason = "the proof of knowledge of its opening is false";
                Err(TraceError::Ciphertext { submission, reason })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nobody makes so many submissions for a test.
    #[test]
    fn a_session_takes_so_many_submissions() {
        assert_eq!((require_rows(1), require_rows(1 << 20)), (Ok(()), Ok(())));
        for rows in [0, (1 << 20) + 1, usize::MAX] {
            assert_eq!(require_rows(rows), Err(TraceError::Rows { rows, limit: 1 << 20 }));
        }
    }
}
