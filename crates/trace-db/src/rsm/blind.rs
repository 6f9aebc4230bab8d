//! S5: the dealt blindings are added to points and numbers.

use std::sync::Arc;

use algebra::Group;
use board::AuthorId;
use shuffle::{Ciphertext, PointList, SecretKey};
use wire::Digest;

use super::{RsmDealing, RsmRouted, dealing::Share};
use crate::{bases::G1, paillier::Ciphertexts};
use trace::{
    Agreement, TraceError,
    parts::{Subject, encode::digest_of},
};

/// Tuples with the blindings of all servers, and the sums of `Z_1^(k)`.
#[derive(Clone)]
pub struct RsmBlinded {
    routed: RsmRouted,
    dealing: Arc<RsmDealing>,
    points: Vec<Ciphertext<G1>>,
    integers: Ciphertexts,
    commitments: PointList<G1>,
    digest: Digest,
}

impl RsmBlinded {
    /// Verifies that the dealer whom the caller trusts signed the blindings for this pass and
    /// these lists, and adds up.
    ///
    /// # Errors
    /// [`TraceError::Dealing`]; [`TraceError::Engine`].
    pub fn verify(
        routed: RsmRouted,
        dealer: &AuthorId,
        dealing: RsmDealing,
    ) -> Result<Self, TraceError> {
        let dealt = dealing.check(&routed, dealer)?;
        let key = routed.session().paillier();
        let (mut points, mut integers) = (routed.points().to_vec(), routed.integers().clone());
        let mut commitments = vec![G1::identity(); points.len()];
        for (own_points, own_integers, own_commitments) in dealing.images() {
            let rows = points.iter_mut().zip(own_points.ciphertexts());
            rows.for_each(|(sum, own)| *sum = *sum + own);
            integers = key
                .add(&integers, own_integers)
                .map_err(|error| TraceError::engine("dealt blindings", error.culprit(), error))?;
            let rows = commitments.iter_mut().zip(own_commitments.points());
            rows.for_each(|(sum, &own)| *sum += own);
        }
        let parts: [&[u8]; 3] = [routed.digest().as_bytes(), dealer.as_bytes(), dealt.as_bytes()];
        let digest = digest_of("trace/db/rsm/blinded", &parts);
        let (dealing, commitments) = (Arc::new(dealing), PointList::new(commitments));
        Ok(Self { routed, dealing, points, integers, commitments, digest })
    }

    /// What came before.
    pub fn routed(&self) -> &RsmRouted {
        &self.routed
    }

    /// What all servers sign before any of them releases a share.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    pub(super) fn points(&self) -> &[Ciphertext<G1>] {
        &self.points
    }

    pub(super) fn integers(&self) -> &Ciphertexts {
        &self.integers
    }

    /// `Z_1`.
    pub(super) fn commitments(&self) -> &PointList<G1> {
        &self.commitments
    }

    /// What a server does before it signs.
    pub(super) fn check_own(&self, server: u16, key: &SecretKey<G1>) -> Result<(), TraceError> {
        self.dealing.check_own(&self.routed, server, key)
    }

    pub(super) fn share(&self, server: u16, key: &SecretKey<G1>) -> Result<Share, TraceError> {
        self.dealing.open(&self.routed, server, key)
    }
}

/// Blinded tuples on which all servers agree.
#[derive(Clone)]
pub struct RsmAgreed {
    blinded: RsmBlinded,
}

impl RsmAgreed {
    /// Verifies the signatures of all servers.
    ///
    /// # Errors
    /// [`TraceError::Disagreement`], [`TraceError::Missing`].
    pub fn verify(blinded: RsmBlinded, agreement: &Agreement) -> Result<Self, TraceError> {
        let servers = blinded.routed.session().rules().servers();
        agreement.verify(Subject::Query, servers, blinded.digest)?;
        Ok(Self { blinded })
    }

    /// What was agreed on.
    pub fn blinded(&self) -> &RsmBlinded {
        &self.blinded
    }
}
