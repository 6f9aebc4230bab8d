//! Whether claims about a user's own row say all that they must.

use std::collections::BTreeSet;

use crate::{Fault, Table};

/// The epochs that claims about a user speak of, where each is given with its ordered column. Every
/// ordered column of every epoch is spoken of once: a row that is right in one column may be another in
/// the next, and saying the first twice must not stand for both.
///
/// # Errors
/// [`Fault::Query`] for a place that is there twice or is none, or for one that is missing.
pub fn own_epochs(
    table: &Table,
    places: impl IntoIterator<Item = (u32, u16)>,
) -> Result<BTreeSet<u32>, Fault> {
    let refused = |reason| Err(Fault::Query { reason });
    let columns: BTreeSet<u16> = table.schema().ordered().collect();
    let (mut spoken, mut epochs) = (BTreeSet::new(), BTreeSet::new());
    for (epoch, column) in places {
        if !columns.contains(&column) {
            return refused("a column of a claim is not ordered");
        }
        if !spoken.insert((epoch, column)) {
            return refused("two claims speak of one column of an epoch");
        }
        epochs.insert(epoch);
    }
    let missing = epochs.iter().flat_map(|epoch| columns.iter().map(|column| (*epoch, *column)));
    match missing.into_iter().all(|place| spoken.contains(&place)) && !epochs.is_empty() {
        true => Ok(epochs),
        false => refused("the claims do not speak of every ordered column"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]
    use super::*;
    use crate::support::{schema, setup};

    #[test]
    fn one_column_twice_does_not_stand_for_two() {
        let mut two = schema();
        two.values.get_mut(1).unwrap().ordered = true;
        let table = setup(two).table;
        let epochs = |places: &[(u32, u16)]| own_epochs(&table, places.iter().copied());
        assert_eq!(epochs(&[(10, 0), (10, 1)]).unwrap(), BTreeSet::from([10]));
        assert_eq!(
            epochs(&[(11, 1), (10, 0), (11, 0), (10, 1)]).unwrap(),
            BTreeSet::from([10, 11])
        );
        for wrong in [
            &[][..],
            &[(10, 0)],
            // As many as there should be.
            &[(10, 0), (10, 0)],
            &[(10, 0), (11, 0)],
            &[(10, 0), (10, 0), (11, 1), (11, 1)],
            &[(10, 0), (10, 1), (10, 1)],
            &[(10, 0), (10, 2)],
            &[(10, 0), (10, 1), (11, 0)],
        ] {
            assert!(epochs(wrong).is_err(), "{wrong:?}");
        }
    }
}
