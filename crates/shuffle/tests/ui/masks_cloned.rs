//! Nor can the masks be copied before.

use algebra::Group;
use shuffle::tw::ListMasks;

fn copy<G: Group>(masks: &ListMasks<G>) -> ListMasks<G> {
    ListMasks::clone(masks)
}

fn main() {}
