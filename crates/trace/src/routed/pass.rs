//! A query against a session: the markers that go in, and the places that are opened.

use std::{collections::BTreeSet, sync::Arc};

use algebra::Group;
use rayon::prelude::*;
use shuffle::{Ciphertext, Column, tw, tw::Generators};
use wire::Digest;

use super::{
    Ground, Inputs, Turn, mix,
    passage::{Occasion, query_purpose},
};
use crate::{By, Direction, Query, Request, TraceError, parts::closure};

/// A query that was checked against its session: every signature, every index. Everything in it
/// is computed, the same by everybody; the querier chooses no group element, so that it cannot
/// tag anything.
pub struct Pass<G: Group> {
    ground: Arc<Ground<G>>,
    query: Query<G>,
    markers: Vec<Column<G>>,
    /// For each request, what its querier gets to see.
    openings: Vec<Vec<Opening>>,
    sums: Vec<Sum>,
    purpose: Digest,
}

/// One ciphertext that is decrypted to a querier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// A row of a question's list.
    Row { column: usize, row: u32 },
    /// A blinded sum, by its place among the query's sums.
    Sum { column: usize, sum: usize },
}

impl Opening {
    /// The list that it is opened from, counted over all requests of the query.
    pub(super) fn column(&self) -> usize {
        match *self {
            Self::Row { column, .. } | Self::Sum { column, .. } => column,
        }
    }
}

/// The sum over all outputs of one class in a question's list: it encrypts how many of the marked
/// inputs have the plaintext, and is only opened blinded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) column: usize,
    pub(super) class: u32,
}

impl<G: Group> Pass<G> {
    /// Checks a query against the session and lays out its markers.
    ///
    /// # Errors
    /// [`TraceError::ForeignRequest`], [`TraceError::IndexRange`],
    /// [`TraceError::RequestSignature`].
    pub fn new(ground: Arc<Ground<G>>, query: Query<G>) -> Result<Self, TraceError> {
        query.check(ground.id(), ground.rows())?;
        let (mut markers, mut openings, mut sums) = (Vec::new(), Vec::new(), Vec::new());
        for request in query.requests() {
            let mut opened = Vec::new();
            for question in &request.questions {
                let column = markers.len();
                markers.push(mark(&closure::mark(question, request, ground.class_of())));
                match (request.direction, request.by) {
                    (Direction::In, _) => {
                        opened
                            .extend(question.inputs.iter().map(|row| Opening::Row { column, row }));
                    }
                    (Direction::Out, By::Position) => {
                        opened.extend(
                            question.outputs.iter().map(|row| Opening::Row { column, row }),
                        );
                    }
                    (Direction::Out, By::Value) => {
                        let classes = classes_of(&ground, question.outputs.iter());
                        let open = |class| open_class(&ground, column, class, &mut sums);
                        opened.extend(classes.into_iter().map(open));
                    }
                }
            }
            openings.push(opened);
        }
        let purpose = query_purpose(ground.digest(), query.id());
        Ok(Self { ground, query, markers, openings, sums, purpose })
    }

    /// The mix that is asked about.
    pub fn ground(&self) -> &Arc<Ground<G>> {
        &self.ground
    }

    /// The query.
    pub fn query(&self) -> &Query<G> {
        &self.query
    }

    /// `D_0`: one list of public markers for each question, `(0, G)` or `(0, 0)`.
    pub fn markers(&self) -> &[Column<G>] {
        &self.markers
    }

    pub(super) fn openings(&self, request: usize) -> &[Opening] {
        self.openings.get(request).map_or(&[], Vec::as_slice)
    }

    /// The list of a request's first question.
    pub(super) fn first_column(&self, request: usize) -> usize {
        self.query.requests().take(request).map(|request| request.questions.len()).sum()
    }

    pub(super) fn sums(&self) -> &[Sum] {
        &self.sums
    }

    pub(super) fn request(&self, request: usize) -> Result<&Request<G>, TraceError> {
        let unknown = TraceError::Query("there is no such request");
        self.query.requests().nth(request).ok_or(unknown)
    }

    /// How markers pass: with the permutations going out, against them going in.
    pub(super) fn occasion(&self) -> Occasion<'_, G> {
        occasion(&self.ground, &self.query, &self.purpose)
    }
}

impl<G: Group> Turn<G> {
    /// Checks that a server's turn of the mix has as many lists and rows as the inputs: without
    /// these the next server could not take its own. [`Mixed::verify`](super::Mixed::verify) judges
    /// what the turn did to them.
    ///
    /// # Errors
    /// [`TraceError::Shuffle`] naming the server.
    pub fn check_mix_shape(
        &self,
        inputs: &Inputs<G>,
        generators: &Generators<G>,
        server: u16,
    ) -> Result<(), TraceError> {
        let shape = (inputs.columns().len(), inputs.rows());
        // Shapes do not depend on the purpose.
        mix::occasion(inputs, generators, inputs.digest()).check_shape(server, shape, self)
    }

    /// Checks that the turn at a place of a query's chain, counted from 0, has as many lists and
    /// rows as went in: without these the next server could not take its own.
    /// [`Routed::verify`](super::Routed::verify) judges what the turn did to them.
    ///
    /// # Errors
    /// [`TraceError::Shuffle`] naming the server whose turn it is.
    pub fn check_shape(
        &self,
        ground: &Ground<G>,
        query: &Query<G>,
        place: usize,
    ) -> Result<(), TraceError> {
        let occasion = occasion(ground, query, query.id());
        let server = occasion.server_at(place, ground.mixers());
        let columns = query.requests().map(|request| request.questions.len()).sum();
        occasion.check_shape(server, (columns, ground.rows()), self)
    }
}

fn occasion<'a, G: Group>(
    ground: &'a Ground<G>,
    query: &'a Query<G>,
    purpose: &'a Digest,
) -> Occasion<'a, G> {
    Occasion {
        session: ground.id(),
        name: ground.name(),
        stage: "query",
        purpose: purpose.as_bytes(),
        direction: match query.direction() {
            Direction::In => tw::Direction::Backward,
            Direction::Out => tw::Direction::Forward,
        },
        key: *ground.keys().public_key(),
        generators: ground.generators(),
    }
}

fn mark<G: Group>(marked: &[bool]) -> Column<G> {
    let marker =
        |&marked: &bool| Ciphertext::trivial(if marked { G::generator() } else { G::identity() });
    Column::new(&marked.par_iter().map(marker).collect::<Vec<_>>())
}

/// The distinct plaintexts of outputs, by their classes.
pub(super) fn classes_of<G: Group>(
    ground: &Ground<G>,
    rows: impl Iterator<Item = u32>,
) -> BTreeSet<u32> {
    rows.filter_map(|row| ground.class_of().get(row as usize).copied()).collect()
}

/// A plaintext that occurs once is opened as it is; of any other only the blinded sum is.
fn open_class<G: Group>(
    ground: &Ground<G>,
    column: usize,
    class: u32,
    sums: &mut Vec<Sum>,
) -> Opening {
    match ground.class(class) {
        &[row] => Opening::Row { column, row },
        _ => {
            sums.push(Sum { column, class });
            Opening::Sum { column, sum: sums.len() - 1 }
        }
    }
}
