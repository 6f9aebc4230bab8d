//! The leaves that commit to rows, and what opens them (`docs/spec/table.md`).

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::{
    Fault, Place, Row, Schema,
    commitment::{Encoded, Point, Scalar, commit, commit_halves, encode, powers},
    hash::{Hash, LEAF},
    keys::UserKeys,
};

/// What a leaf or a sum commits to, slot by slot: the secret of whoever can open it.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub(crate) struct Opening {
    pub(crate) values: Vec<Scalar>,
    pub(crate) blindings: Vec<Scalar>,
}

impl Opening {
    /// The opening of a user's leaf.
    pub(crate) fn derive(
        schema: &Schema,
        place: &Place<'_>,
        keys: &UserKeys,
        values: &[u64],
    ) -> Self {
        let mut opening = Self { values: Vec::new(), blindings: Vec::new() };
        for column in schema.columns_in(place.column) {
            // Callers have held the row to the schema: it has a value of every column.
            let value = values.get(usize::from(column)).copied().unwrap_or_default();
            let moments = schema.moments(column);
            opening.values.extend(powers(value, moments));
            let blinding = |power| keys.blinding(place, column, power, value);
            opening.blindings.extend((1..=moments).map(blinding));
        }
        opening
    }

    /// The opening of a sum of leaves.
    pub(crate) fn sum(openings: &[Self]) -> Self {
        let mut sum = Self { values: Vec::new(), blindings: Vec::new() };
        let add = |sums: &mut Vec<Scalar>, more: &[Scalar]| {
            sums.resize(more.len(), Scalar::ZERO);
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        };
        for opening in openings {
            add(&mut sum.values, &opening.values);
            add(&mut sum.blindings, &opening.blindings);
        }
        sum
    }

    /// Half the commitment of every slot, one opening after the other, on all threads; variable time.
    pub(crate) fn commit_halves(openings: &[Self]) -> Vec<Point> {
        let gather = |list: fn(&Self) -> &Vec<Scalar>| {
            // Growing would leave copies behind.
            let count = openings.iter().map(|opening| list(opening).len()).sum();
            let mut scalars = Zeroizing::new(Vec::with_capacity(count));
            openings.iter().for_each(|opening| scalars.extend_from_slice(list(opening)));
            scalars
        };
        let (values, blindings) = (gather(|own| &own.values), gather(|own| &own.blindings));
        commit_halves(&values, &blindings)
    }
}

/// A leaf as it travels: the row's tag and one encoded commitment per slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// `m`, see [`Place::tag`].
    pub tag: Hash,
    /// `enc(C)` of every slot.
    pub commitments: Vec<Encoded>,
}

impl Leaf {
    /// The leaf of a user's own row, in constant time: what the user expects to find in the table.
    ///
    /// # Errors
    /// [`Fault::Row`] for values outside the schema.
    pub fn recompute(
        schema: &Schema,
        place: &Place<'_>,
        keys: &UserKeys,
        row: &Row,
    ) -> Result<Self, Fault> {
        schema.check_row(row).map_err(|error| Fault::Row { reason: error.to_string() })?;
        let pseudonym = keys.pseudonym(place.table, place.epoch, place.column, &row.user);
        let opening = Opening::derive(schema, place, keys, &row.values);
        let pairs = opening.values.iter().zip(&opening.blindings);
        let commitments = pairs.map(|(value, blinding)| encode(&commit(value, blinding)));
        Ok(Self { tag: place.tag(&pseudonym), commitments: commitments.collect() })
    }

    /// `h_leaf`.
    pub fn hash(&self) -> Hash {
        hash_leaf(&self.tag, &self.commitments)
    }
}

/// `h_leaf = H_leaf(m, C_1..C_w)`.
pub(crate) fn hash_leaf(tag: &Hash, commitments: &[Encoded]) -> Hash {
    LEAF.start().bytes(tag.as_bytes()).list(commitments.iter()).finish()
}
