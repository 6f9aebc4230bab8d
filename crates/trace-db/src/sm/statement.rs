//! S5 and the statement of p_BB.

use algebra::{Group, Scalar, inner_product};
use rand_core::CryptoRng;
use shuffle::{
    PointList,
    decrypt::{Decryption, PartialDecryption},
};
use wire::Digest;

use super::{SmAgreed, SmQuery};
use crate::{
    Announced, Announcement, BbKey, Pass,
    bases::{F, G1, G2, bases},
    distributed::weights,
    exponents::{add_multiples, scaled},
    relation::{Relation, equation},
};
use trace::{
    TraceError,
    parts::encode::{digest_of, require_all},
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
    pub fn new(query: SmQuery, agreed: Digest, blinded: PointList<G1>) -> Result<Self, TraceError> {
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
    type Key = BbKey;
    type Scalars = [Vec<F>; 3];

    const EQUATIONS: usize = 2;

    fn pass(&self) -> &Pass {
        self.query.pass()
    }

    fn digest(&self) -> &Digest {
        &self.digest
    }

    fn apply(&self, scalars: &[Vec<F>; 3]) -> Vec<Vec<G1>> {
        let [v, r, b] = scalars;
        let negated: Vec<F> = v.iter().map(|&v| -v).collect();
        let signature = add_multiples(scaled(self.blinded.points(), &negated), &bases().g, b);
        let commitment = add_multiples(bases().g.mul_all(v), &bases().h, r);
        vec![signature, commitment]
    }

    fn key(&self) -> &G2 {
        self.query.offer().key()
    }

    fn secret<'k>(&self, key: &'k BbKey) -> Option<&'k F> {
        (key.public() == *Relation::key(self)).then(|| key.scalar())
    }

    fn signatures(&self) -> &[G1] {
        self.blinded.points()
    }

    /// `z_b·G + (c·x − z_v)·σ~`.
    fn expected(&self, z: &[Vec<F>; 3], c: &F, x: &F) -> Vec<G1> {
        let [z_v, _, z_b] = z;
        let factors: Vec<F> = z_v.iter().map(|&z| *c * *x - z).collect();
        add_multiples(scaled(self.blinded.points(), &factors), &bases().g, z_b)
    }

    /// `z_v·G + z_r·H + c·γ`.
    fn expected_others(&self, z: &[Vec<F>; 3], c: &F) -> Vec<Vec<G1>> {
        let [z_v, z_r, _] = z;
        let commitments = self.commitments();
        let commitment = scaled(&commitments, &vec![*c; commitments.len()]);
        vec![add_multiples(add_multiples(commitment, &bases().g, z_v), &bases().h, z_r)]
    }

    fn inconsistent(
        &self,
        z: &[Vec<F>; 3],
        c: &F,
        announced: &PointList<G1>,
        rng: &mut dyn CryptoRng,
    ) -> Vec<bool> {
        let [z_v, z_r, _] = z;
        let commitments = self.commitments();
        let items = commitments.len();
        let announced = equation(announced, 1, items);
        let weights = weights(items, rng);
        let full: Vec<F> = weights.iter().map(|&weight| F::from_u128(weight)).collect();
        let sum = bases().g.mul(&inner_product(&full, z_v))
            + bases().h.mul(&inner_product(&full, z_r))
            + G1::msm_short(&weights, &commitments).mul(c)
            - G1::msm_short(&weights, announced);
        if sum.is_identity() {
            return vec![false; items];
        }
        let expected = self.expected_others(z, c).concat();
        expected.iter().zip(announced).map(|(left, right)| left != right).collect()
    }
}

/// Blinded signatures that all servers opened together.
#[derive(Clone)]
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

    /// Requires that every server announced what it had committed to, and gives the challenge.
    ///
    /// # Errors
    /// [`TraceError::Missing`], [`TraceError::Step`] naming the server.
    pub fn challenge(
        &self,
        commitments: &[Digest],
        announcements: &[Announcement],
    ) -> Result<Announced, TraceError> {
        Announced::verify(self.statement(), commitments, announcements)
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
