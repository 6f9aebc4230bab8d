//! S5 and the statement of p_BB.

use algebra::Group;
use shuffle::{
    PointList,
    decrypt::{Decryption, PartialDecryption},
};
use wire::Digest;

use super::{SmAgreed, SmQuery};
use crate::{
    TraceError,
    db::{
        Pass,
        bases::{F, G1, bases},
        distributed::Relation,
        exponents::{add_multiples, scaled},
    },
    encode::{digest_of, require_all},
};

/// What p_BB is about: the pass, and the blinded signatures `σ~_i` of the opened rows.
#[derive(Clone)]
pub struct SmStatement {
    query: SmQuery,
    agreed: Digest,
    blinded: PointList<G1>,
    digest: Digest,
}

impl SmStatement {
    /// Takes the blinded signatures that the servers name, as the querier does: whatever they
    /// are, the proof is about them. `agreed` is the digest that the servers signed.
    ///
    /// # Errors
    /// [`TraceError::Missing`] unless there is one for each opened row;
    /// [`TraceError::NeutralSignature`].
    pub fn new(
        query: SmQuery,
        agreed: Digest,
        blinded: PointList<G1>,
    ) -> Result<Self, TraceError> {
        let opened = query.pass().opened();
        require_all("blinded signatures", opened.len(), blinded.len())?;
        let neutral = opened.iter().zip(blinded.points()).find(|(_, point)| point.is_identity());
        if let Some((&row, _)) = neutral {
            return Err(TraceError::NeutralSignature { row });
        }
        let parts = [query.digest().as_bytes(), agreed.as_bytes(), blinded.encoding()];
        let digest = digest_of("trace/db/sm/opened", &parts);
        Ok(Self { query, agreed, blinded, digest })
    }

    /// The pass with its signatures.
    pub fn query(&self) -> &SmQuery {
        &self.query
    }

    /// The digest that all servers signed.
    pub fn agreed(&self) -> &Digest {
        &self.agreed
    }

    /// `σ~_i` of the opened rows.
    pub fn blinded(&self) -> &PointList<G1> {
        &self.blinded
    }

    /// `γ_i` of the opened rows.
    pub(super) fn commitments(&self) -> Vec<G1> {
        let pass = self.query.pass();
        pass.pick(pass.outputs().commitments())
    }
}

/// Witnesses v, r, b; equations `b·G − v·σ~` and `v·G + r·H`.
impl Relation for SmStatement {
    const EQUATIONS: usize = 2;
    const WITNESSES: usize = 3;

    fn pass(&self) -> &Pass {
        self.query.pass()
    }

    fn digest(&self) -> &Digest {
        &self.digest
    }

    fn apply(&self, scalars: &[Vec<F>]) -> Vec<Vec<G1>> {
        let [v, r, b] = scalars else { return Vec::new() };
        let negated: Vec<F> = v.iter().map(|&v| -v).collect();
        let signature = add_multiples(scaled(self.blinded.points(), &negated), &bases().g, b);
        let commitment = add_multiples(bases().g.mul_all(v), &bases().h, r);
        vec![signature, commitment]
    }
}

/// Blinded signatures that all servers opened together.
pub struct SmOpened {
    agreed: SmAgreed,
    statement: SmStatement,
}

impl SmOpened {
    /// Verifies the partial decryptions of servers 1..=m and opens the blinded signatures.
    ///
    /// # Errors
    /// [`TraceError::Decryption`] naming the server whose shares are false,
    /// [`TraceError::NeutralSignature`].
    pub fn open(
        agreed: SmAgreed,
        partials: Vec<PartialDecryption<G1>>,
    ) -> Result<Self, TraceError> {
        let query = agreed.blinded.routed().query();
        let decryption = agreed.decryption();
        let partials = partials.into_iter().map(|partial| decryption.verify_partial(partial));
        let opened = partials
            .collect::<Result<Vec<_>, _>>()
            .and_then(|partials| decryption.combine(&partials))
            .map_err(TraceError::Decryption)?;
        let statement =
            SmStatement::new(query.clone(), *agreed.blinded.digest(), PointList::new(opened))?;
        Ok(Self { agreed, statement })
    }

    /// What was agreed on.
    pub fn agreed(&self) -> &SmAgreed {
        &self.agreed
    }

    /// The statement to be proven.
    pub fn statement(&self) -> &SmStatement {
        &self.statement
    }
}

impl SmAgreed {
    pub(super) fn decryption(&self) -> Decryption<'_, G1> {
        let keys = self.blinded.routed().query().pass().outputs().session().keys();
        let context = [b"trace/db/sm".as_slice(), self.blinded.digest().as_bytes()].concat();
        Decryption::new(keys, self.blinded.ciphertexts(), &context)
    }
}
