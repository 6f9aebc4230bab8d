//! Lists are only checked against a permutation that `verify_permutation` accepted.

use algebra::Group;
use shuffle::{
    PointList,
    tw::{ListClaim, ListProof, ListStatement},
};

fn claim<'a, G: Group>(
    commitment: &'a PointList<G>,
    statement: ListStatement<'a, G>,
    proof: &'a ListProof<G>,
) -> ListClaim<'a, G> {
    ListClaim { permutation: commitment, statement, proof }
}

fn main() {}
