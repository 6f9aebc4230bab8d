//! What all answered queries together can have revealed.

use std::collections::{BTreeMap, HashMap};

use algebra::Group;

use crate::{
    Direction, Query,
    closure::{mark, told},
};

/// An item with the smallest set among which its counterpart may still be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Smallest {
    /// The row, counted from 0.
    pub row: u32,
    /// The size of the anonymity set; 1 is full disclosure.
    pub set: usize,
}

/// The worst that the logged queries can have told their queriers, pooled.
///
/// An item that was asked about in several questions is known to lie in one cell of the partition
/// that their marked sets make; which cell, only the queriers know. The report gives the smallest
/// cell of every such partition. It looks at each item by itself: knowledge about other items,
/// from elsewhere or by elimination, can only shrink its set further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exposure {
    /// Questions answered.
    pub questions: usize,
    /// Over the inputs asked about: candidates among the outputs. `None` if none was asked about.
    pub inputs: Option<Smallest>,
    /// Over the outputs asked about: candidates among the inputs. `None` if none was asked about.
    pub outputs: Option<Smallest>,
}

impl Exposure {
    /// The smallest anonymity set of any item, `rows` if nothing was asked.
    pub fn smallest(&self, rows: usize) -> usize {
        let sets = [self.inputs, self.outputs].into_iter().flatten().map(|smallest| smallest.set);
        sets.min().unwrap_or(rows)
    }

    /// The report on the queries of a session whose plaintexts fall into the classes `class_of`,
    /// one entry for each output. By value, equal outputs count as one: J is closed
    /// first, whichever way the query goes.
    pub fn of<'a, G: Group>(
        queries: impl IntoIterator<Item = &'a Query<G>>,
        class_of: &[u32],
    ) -> Self {
        let rows = class_of.len();
        let mut questions = 0;
        let mut inputs = Partitions::new(rows);
        let mut outputs = Partitions::new(rows);
        for request in queries.into_iter().flat_map(Query::requests) {
            for question in &request.questions {
                questions += 1;
                let marked = mark(question, request, class_of);
                match request.direction {
                    Direction::In => inputs.ask(question.inputs.iter(), marked),
                    Direction::Out => {
                        outputs.ask(told(question, request, class_of).into_iter(), marked);
                    }
                }
            }
        }
        Self { questions, inputs: inputs.smallest(), outputs: outputs.smallest() }
    }
}

/// The questions in which each item was asked about, and the sets that they marked.
struct Partitions {
    asked: BTreeMap<u32, Vec<usize>>,
    marked: Vec<Vec<bool>>,
    rows: usize,
}

impl Partitions {
    fn new(rows: usize) -> Self {
        Self { asked: BTreeMap::new(), marked: Vec::new(), rows }
    }

    fn ask(&mut self, items: impl Iterator<Item = u32>, marked: Vec<bool>) {
        let question = self.marked.len();
        items.for_each(|item| self.asked.entry(item).or_default().push(question));
        self.marked.push(marked);
    }

    /// Items that were asked about in the same questions have the same partition.
    fn smallest(self) -> Option<Smallest> {
        let mut groups: BTreeMap<&[usize], u32> = BTreeMap::new();
        for (&item, questions) in &self.asked {
            groups.entry(questions).or_insert(item);
        }
        let smallest = groups.into_iter().map(|(questions, row)| {
            let mut cells: HashMap<Vec<bool>, usize> = HashMap::new();
            for candidate in 0..self.rows {
                let marks = questions.iter().filter_map(|&question| self.marked.get(question));
                let cell = marks.map(|marked| marked.get(candidate) == Some(&true)).collect();
                *cells.entry(cell).or_default() += 1;
            }
            Smallest { row, set: cells.into_values().min().unwrap_or_default() }
        });
        smallest.min_by_key(|smallest| smallest.set)
    }
}
