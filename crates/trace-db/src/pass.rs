//! What one pass of a query is about.

use std::sync::Arc;

use algebra::Group;
use shuffle::PointList;
use wire::Digest;

use super::{
    Outputs,
    bases::{G1, G2},
};
use trace::{
    Direction, Query, Request, TraceError,
    parts::{closure, encode::digest_of},
};

/// A proof shows a "yes" only; a "no" is a "yes" in the pass over the complement. Each pass has a
/// key of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The set that was asked about: J closed under equal plaintexts (going in), I (going out).
    Asked,
    /// Everything that is not in it.
    Complement,
}

impl Side {
    /// Both sides of a whole query.
    pub const BOTH: [Self; 2] = [Self::Asked, Self::Complement];
}

/// One side of a query that was checked against its session: every signature, every index.
#[derive(Clone)]
pub struct Pass {
    outputs: Arc<Outputs>,
    query: Query<G1>,
    request: Request<G1>,
    side: Side,
    id: Digest,
    marked: Vec<bool>,
    opened: Vec<u32>,
}

impl Pass {
    /// Checks a query of one request with one question, and lays out one side of it. Going in, I
    /// is opened and the side of J marked; going out, J closed under equal plaintexts is opened
    /// and the side of I marked.
    ///
    /// # Errors
    /// [`TraceError::ForeignRequest`], [`TraceError::IndexRange`],
    /// [`TraceError::RequestSignature`], [`TraceError::Query`].
    pub fn new(outputs: Arc<Outputs>, query: Query<G1>, side: Side) -> Result<Self, TraceError> {
        query.check(outputs.session().id(), outputs.rows())?;
        let one = TraceError::Query("this engine answers one question a query");
        let (1, Some(request)) = (query.requests().len(), query.requests().next().cloned()) else {
            return Err(one);
        };
        let [question] = request.questions.as_slice() else { return Err(one) };
        if request.by != trace::By::Value {
            return Err(TraceError::Query("this engine answers by value"));
        }
        let asked = closure::mark(question, &request, outputs.class_of());
        let marked = asked.iter().map(|&asked| asked == (side == Side::Asked)).collect();
        let opened = match request.direction {
            Direction::In => question.inputs.iter().collect(),
            Direction::Out => closed(&outputs, question.outputs.iter()),
        };
        let side_name: &[u8] = if side == Side::Asked { b"asked" } else { b"complement" };
        let parts = [outputs.digest().as_bytes().as_slice(), query.id().as_bytes(), side_name];
        let id = digest_of("trace/db/pass", &parts);
        Ok(Self { outputs, query, request, side, id, marked, opened })
    }

    /// The session's outputs.
    pub fn outputs(&self) -> &Arc<Outputs> {
        &self.outputs
    }

    /// The query.
    pub fn query(&self) -> &Query<G1> {
        &self.query
    }

    /// Its request.
    pub fn request(&self) -> &Request<G1> {
        &self.request
    }

    /// Which side of the query.
    pub fn side(&self) -> Side {
        self.side
    }

    /// What names session, query and side in everything that is said in the pass.
    pub fn id(&self) -> &Digest {
        &self.id
    }

    /// The rows whose items the querier signs, in order: outputs going in, inputs going out.
    pub fn signed(&self) -> Vec<u32> {
        (0..).zip(&self.marked).filter(|(_, marked)| **marked).map(|(row, _)| row).collect()
    }

    /// For every row, whether its item is signed.
    pub(super) fn marked(&self) -> &[bool] {
        &self.marked
    }

    /// The rows about which something is proven, in order: inputs going in, outputs going out.
    pub fn opened(&self) -> &[u32] {
        &self.opened
    }

    /// The entries of a list of all rows that are opened.
    pub(super) fn pick<T: Copy>(&self, list: &[T]) -> Vec<T> {
        self.opened.iter().filter_map(|&row| list.get(row as usize).copied()).collect()
    }

    fn require(&self, direction: Direction) -> Result<(), TraceError> {
        match self.request.direction == direction {
            true => Ok(()),
            false => Err(TraceError::Query("it goes the other way")),
        }
    }

    /// What must hold of a querier's signatures whatever their scheme: that the pass goes in this direction, that
    /// the querier signed them, that their key y is not neutral, and that there is one for each row. Tells the rows.
    pub(super) fn require_offer(
        &self,
        direction: Direction,
        (domain, digest, signature): (&str, Digest, &[u8; 64]),
        (key, signatures): (&G2, &PointList<G1>),
    ) -> Result<Vec<u32>, TraceError> {
        self.require(direction)?;
        let refused = |reason| Err(TraceError::Offer { row: None, reason });
        if !self.request.querier.verify(domain, digest, signature) {
            return refused("they are not the querier's");
        }
        if key.is_identity() {
            return refused("the key is neutral");
        }
        let rows = self.signed();
        match signatures.len() == rows.len() {
            true => Ok(rows),
            false => refused("there is not one for each row"),
        }
    }
}

/// All outputs with the plaintext of one of `rows`, in increasing order.
fn closed(outputs: &Outputs, rows: impl Iterator<Item = u32>) -> Vec<u32> {
    let class = |row: u32| outputs.class_of().get(row as usize).copied();
    let classes: std::collections::BTreeSet<u32> = rows.filter_map(class).collect();
    let mut rows: Vec<u32> =
        classes.into_iter().flat_map(|class| outputs.class(class).to_vec()).collect();
    rows.sort_unstable();
    rows
}
