//! Closing a set of outputs under equal plaintexts.

use std::collections::HashSet;

use algebra::Group;

use crate::{By, Direction, IndexSet, Question, Request};

/// Which rows a question marks: I going out; J going in, by value with every output that has the
/// plaintext of one in J, so that answers about positions and about values agree.
///
/// `class_of` gives every output a number that it shares with the outputs of the same plaintext.
pub fn mark<G: Group>(question: &Question, request: &Request<G>, class_of: &[u32]) -> Vec<bool> {
    let set = match request.direction {
        Direction::In => &question.outputs,
        Direction::Out => &question.inputs,
    };
    if (request.direction, request.by) == (Direction::In, By::Value) {
        let classes = classes(set, class_of);
        return class_of.iter().map(|class| classes.contains(class)).collect();
    }
    let mut marked = vec![false; class_of.len()];
    for row in set.iter() {
        if let Some(mark) = marked.get_mut(row as usize) {
            *mark = true;
        }
    }
    marked
}

fn classes(outputs: &IndexSet, class_of: &[u32]) -> HashSet<u32> {
    outputs.iter().filter_map(|row| class_of.get(row as usize).copied()).collect()
}
