//! Nobody but `verify_permutation` makes a verified permutation.

use algebra::Group;
use shuffle::{PointList, tw::VerifiedPermutation};

fn unverified<G: Group>(commitment: PointList<G>) -> VerifiedPermutation<G> {
    VerifiedPermutation { commitment, digest: [0; 64] }
}

fn main() {}
