//! What all answered queries together can have revealed.

use algebra::Group;

use crate::{
    Direction, Query,
    parts::closure::mark,
    policy::{Cells, Hidden, Side},
};

/// The most that the logged queries can have told their queriers, pooled: of every row of a side, in
/// which cell it is (see [`policy`](crate::policy)).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exposure {
    questions: usize,
    constant: usize,
    inputs: Option<Cells>,
    outputs: Option<Cells>,
}

impl Exposure {
    /// The report on the queries of a session whose plaintexts fall into the classes `class_of`,
    /// one entry for each output. By value, J is closed under equal plaintexts first.
    pub fn of<'a, G: Group>(
        queries: impl IntoIterator<Item = &'a Query<G>>,
        class_of: &[u32],
    ) -> Self {
        let mut exposure = Self::default();
        queries.into_iter().for_each(|query| exposure.add(query, class_of));
        exposure
    }

    /// Adds a query.
    pub fn add<G: Group>(&mut self, query: &Query<G>, class_of: &[u32]) {
        for request in query.requests() {
            let side = match request.direction {
                Direction::In => Side::Outputs,
                Direction::Out => Side::Inputs,
            };
            for question in &request.questions {
                self.cut(side, &mark(question, request, class_of));
            }
        }
    }

    /// Adds a question whose set on one side is this one.
    pub fn cut(&mut self, side: Side, marked: &[bool]) {
        self.questions += 1;
        if marked.iter().all(|marked| *marked) || !marked.contains(&true) {
            self.constant += 1;
            return;
        }
        let cells = match side {
            Side::Inputs => &mut self.inputs,
            Side::Outputs => &mut self.outputs,
        };
        cells.get_or_insert_with(|| Cells::whole(marked.len())).split(marked);
    }

    /// The questions.
    pub fn questions(&self) -> usize {
        self.questions
    }

    /// Questions about nothing or everything, whose answers everybody knows beforehand.
    pub fn constant(&self) -> usize {
        self.constant
    }

    /// The other questions: their answers tell something.
    pub fn telling(&self) -> usize {
        self.questions - self.constant
    }

    /// The cells of a side; `None` as long as nothing is told about them.
    pub fn cells(&self, side: Side) -> Option<&Cells> {
        match side {
            Side::Inputs => self.inputs.as_ref(),
            Side::Outputs => self.outputs.as_ref(),
        }
    }

    /// What the cells of a side leave hidden from who knows any `known` rows; `None` as long as
    /// nothing is told about them.
    pub fn hidden(&self, side: Side, class_of: &[u32], known: usize) -> Option<Hidden> {
        self.cells(side).map(|cells| cells.hidden(side, class_of, known))
    }
}
