//! Submissions as they come in.

use std::{collections::HashSet, sync::Arc};

use rayon::prelude::*;

use super::{Inputs, Session, Submission, paillier::MAX_ROWS};
use trace::TraceError;

/// The submissions of a session, as long as it takes any.
pub struct InputBox {
    session: Arc<Session>,
    submissions: Vec<Submission>,
    senders: HashSet<Vec<u8>>,
    limit: usize,
}

impl InputBox {
    /// An empty box, for as many submissions as can be mixed.
    pub fn new(session: Arc<Session>) -> Self {
        Self::with_limit(session, MAX_ROWS)
    }

    /// An empty box for so many submissions, or as many as can be mixed.
    pub fn with_limit(session: Arc<Session>, limit: usize) -> Self {
        let limit = limit.min(MAX_ROWS);
        Self { session, submissions: Vec::new(), senders: HashSet::new(), limit }
    }

    /// The session.
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Whether nobody has submitted anything.
    pub fn is_empty(&self) -> bool {
        self.submissions.is_empty()
    }

    /// Whether a sender has submitted.
    pub fn has(&self, sender: &[u8]) -> bool {
        self.senders.contains(sender)
    }

    /// Takes a submission. Its proofs are checked with those of all others when the box is closed.
    ///
    /// # Errors
    /// [`TraceError::Full`]; [`TraceError::Sender`]; [`TraceError::Ciphertext`] for a second one of
    /// its sender, and one that is for other servers.
    pub fn admit(&mut self, submission: Submission) -> Result<(), TraceError> {
        let number = self.submissions.len();
        if number >= self.limit {
            return Err(TraceError::Full { limit: self.limit });
        }
        submission.check_shape(number, &self.session)?;
        if !self.senders.insert(submission.sender().to_vec()) {
            let reason = "its sender has submitted before";
            return Err(TraceError::Ciphertext { submission: number, reason });
        }
        self.submissions.push(submission);
        Ok(())
    }

    /// Verifies all submissions as one batch. If that fails, each alone: those that are false, or
    /// copied from one before, are left out, so that no sender can stop a session. Says who they are.
    ///
    /// # Errors
    /// [`TraceError::Rows`] if none is left.
    pub fn close(self) -> Result<(Inputs, Vec<TraceError>), TraceError> {
        let Self { session, submissions, .. } = self;
        if let Ok(inputs) = Inputs::collect(session.clone(), submissions.clone()) {
            return Ok((inputs, Vec::new()));
        }
        let alone = |(number, submission): (usize, &Submission)| {
            let collected = Inputs::collect(session.clone(), vec![submission.clone()]);
            collected.err().map(|error| match error {
                TraceError::Ciphertext { reason, .. } => {
                    TraceError::Ciphertext { submission: number, reason }
                }
                other => other,
            })
        };
        let judged: Vec<_> = submissions.par_iter().enumerate().map(alone).collect();
        let (mut kept, mut refused, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        for ((number, submission), fault) in submissions.into_iter().enumerate().zip(judged) {
            let parts = submission.parts();
            if let Some(fault) = fault {
                refused.push(fault);
            } else if parts.iter().any(|part| seen.contains(part)) {
                let reason = "it has a part of another submission";
                refused.push(TraceError::Ciphertext { submission: number, reason });
            } else {
                seen.extend(parts);
                kept.push(submission);
            }
        }
        Ok((Inputs::collect(session, kept)?, refused))
    }
}
