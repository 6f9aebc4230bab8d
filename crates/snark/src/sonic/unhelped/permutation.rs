//! Which variable stands in which constraint, as permutations.
//!
//! Constraints and variables are the two sides of a bipartite graph, terms its edges. No vertex has
//! more than three; with further edges of factor zero, all have three. Such a graph is the union of
//! three perfect matchings (König 1916), which are permutations.

use algebra::Scalar;

use super::rewrite::DEGREE;

/// A matching of constraints and variables, both counted from 0.
#[derive(Clone, Debug)]
pub(super) struct Permutation<S> {
    /// `σ`: the constraint of every variable.
    pub rows: Vec<u32>,
    /// `ψ`: the factor in every constraint.
    pub factors: Vec<S>,
}

/// A term of a constraint.
#[derive(Clone, Copy)]
struct Edge<S> {
    column: u32,
    factor: S,
}

/// Divides the terms of constraints, `(variable, factor)`, among permutations of `0..size`. There are
/// at most `size` constraints, of at most three terms, and no variable is in more than three.
pub(super) fn permutations<S: Scalar>(
    size: usize,
    terms: &[Vec<(u32, S)>],
) -> [Permutation<S>; DEGREE] {
    let mut rows = regular(size, terms);
    // A regular graph less a perfect matching is regular.
    for degree in [3, 2] {
        let matching = perfect_matching(&columns(&rows), degree);
        for (row, chosen) in rows.iter_mut().zip(matching) {
            row.swap(chosen, degree - 1);
        }
    }
    [0, 1, 2].map(|index| {
        let edges = rows.iter().filter_map(|row| row.get(index));
        let mut permutation =
            Permutation { rows: vec![0; size], factors: Vec::with_capacity(size) };
        for (row, edge) in (0_u32..).zip(edges) {
            permutation.factors.push(edge.factor);
            if let Some(of_column) = permutation.rows.get_mut(edge.column as usize) {
                *of_column = row;
            }
        }
        permutation
    })
}

/// The graph with as many edges as are missing.
fn regular<S: Scalar>(size: usize, terms: &[Vec<(u32, S)>]) -> Vec<[Edge<S>; DEGREE]> {
    let mut missing = vec![DEGREE; size];
    for &(column, _) in terms.iter().flatten() {
        if let Some(missing) = missing.get_mut(column as usize) {
            *missing = missing.saturating_sub(1);
        }
    }
    let columns = (0_u32..).zip(missing);
    let mut spare = columns.flat_map(|(column, count)| std::iter::repeat_n(column, count));
    let mut edge = |term: Option<&(u32, S)>| match term {
        Some(&(column, factor)) => Edge { column, factor },
        // Rows lack as many edges in all as columns: three times `size` less the terms.
        None => Edge { column: spare.next().unwrap_or_default(), factor: S::zero() },
    };
    let row = |row: usize| {
        // Rows beyond the constraints are empty.
        let terms = terms.get(row).map(Vec::as_slice).unwrap_or_default();
        [0, 1, 2].map(|index| edge(terms.get(index)))
    };
    (0..size).map(row).collect()
}

/// The columns of every row.
fn columns<S>(rows: &[[Edge<S>; DEGREE]]) -> Vec<[u32; DEGREE]> {
    rows.iter().map(|row| row.each_ref().map(|edge| edge.column)).collect()
}

/// One of the first `degree` edges of every row, such that no two end at the same column, in a graph
/// in which as many end at each.
///
/// From every row a walk alternates between an edge that is not in the matching and the one that is,
/// until it finds a column that is not matched; the path without its loops is exchanged. If walks
/// choose at random, all together take `O(size · log size)` steps (Goel, Kapralov, Khanna, 2010).
/// These take the edges of a row in turn, so that everybody finds the same permutations.
fn perfect_matching(rows: &[[u32; DEGREE]], degree: usize) -> Vec<usize> {
    let mut matched: Vec<Option<usize>> = vec![None; rows.len()];
    let mut owners: Vec<Option<usize>> = vec![None; rows.len()];
    // The edge by which the walk last left each row: following these, a path has no loop.
    let mut exits = vec![0; rows.len()];
    for start in 0..rows.len() {
        let mut row = start;
        while let (Some(columns), Some(exit), Some(own)) =
            (rows.get(row), exits.get_mut(row), matched.get(row))
        {
            *exit = (*exit + 1) % degree;
            if Some(*exit) == *own {
                *exit = (*exit + 1) % degree;
            }
            // An exit is below the degree.
            let column = columns.get(*exit).copied().unwrap_or_default();
            match owners.get(column as usize) {
                Some(&Some(owner)) => row = owner,
                _ => break,
            }
        }
        let mut next = Some(start);
        while let Some(row) = next
            && let (Some(columns), Some(&exit), Some(own)) =
                (rows.get(row), exits.get(row), matched.get_mut(row))
            && let Some(owner) =
                columns.get(exit).and_then(|&column| owners.get_mut(column as usize))
        {
            *own = Some(exit);
            next = owner.replace(row);
        }
    }
    // A regular graph has a perfect matching (König), so that no row is left without an edge.
    matched.into_iter().map(Option::unwrap_or_default).collect()
}

#[cfg(test)]
mod tests {
    use algebra::{Bn254, ScalarOf};

    use super::*;
    use crate::test_circuit::rng;

    type S = ScalarOf<Bn254>;

    /// A graph of maximal degree three: three random permutations with a tenth of the edges left out,
    /// and no edge twice.
    fn random(size: usize, seed: u8) -> Vec<Vec<(u32, S)>> {
        use rand_core::Rng as _;
        let mut rng = rng(seed);
        let mut rows = vec![Vec::new(); size];
        for _ in 0..DEGREE {
            let mut columns: Vec<u32> = (0..size as u32).collect();
            for index in (1..size).rev() {
                columns.swap(index, rng.next_u64() as usize % (index + 1));
            }
            for (row, column) in rows.iter_mut().zip(columns) {
                if !rng.next_u64().is_multiple_of(10)
                    && row.iter().all(|(other, _)| *other != column)
                {
                    row.push((column, S::random(&mut rng)));
                }
            }
        }
        rows
    }

    #[test]
    fn three_permutations_have_all_terms() {
        for (size, seed) in [(1, 1), (2, 2), (3, 3), (50, 4), (20_000, 5)] {
            let rows = random(size, seed);
            let permutations = permutations(size, &rows);
            let mut found = vec![Vec::new(); size];
            for permutation in &permutations {
                let mut seen = vec![false; size];
                assert_eq!((permutation.rows.len(), permutation.factors.len()), (size, size));
                for (column, &row) in (0_u32..).zip(&permutation.rows) {
                    assert!(!std::mem::replace(&mut seen[row as usize], true));
                    let factor = permutation.factors[row as usize];
                    if factor != S::zero() {
                        found[row as usize].push((column, factor));
                    }
                }
            }
            for (row, found) in rows.iter().zip(&mut found) {
                found.sort_by_key(|(column, _)| *column);
                let mut row = row.clone();
                row.sort_by_key(|(column, _)| *column);
                assert_eq!(row, *found);
            }
        }
    }
}
