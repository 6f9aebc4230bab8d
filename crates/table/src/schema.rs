//! What a table holds: types, values, bounds, policy; and the name that binds all of it.

use std::collections::BTreeSet;

use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};

use crate::{
    Fraction, Policy, Row, SchemaError,
    error::MAX_USER_LEN,
    hash::{Hash, TABLE},
    row::Slot,
    signing::PublicKey,
};

/// Bits that a query's row count may have; sums of that many powers must stay below the group
/// order.
const COUNT_BITS: u32 = 40;
const SUM_BITS: u32 = 250;
/// Columns, enum strings, grid points: more than any table needs.
const MAX_ITEMS: usize = 1 << 12;
/// Columns of all orders of a hierarchy: verifying an answer goes through its keys once for each.
const MAX_LEVELS: usize = 64;
/// Bytes of an encoded key.
const MAX_KEY_LEN: usize = 128;
/// A type column's kind; types are public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum TypeKind {
    /// `false` or `true`.
    Bool,
    /// A 32-bit number.
    U32,
    /// A 64-bit number.
    U64,
    /// One of these strings; the code is the position.
    Enum(Vec<String>),
}

/// A public column that rows are grouped by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeColumn {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: TypeKind,
}

impl TypeColumn {
    /// Bytes in an encoded key.
    pub fn width(&self) -> usize {
        match self.kind {
            TypeKind::Bool => 1,
            TypeKind::Enum(_) => 2,
            TypeKind::U32 => 4,
            TypeKind::U64 => 8,
        }
    }

    /// The largest code.
    pub fn max(&self) -> u64 {
        match &self.kind {
            TypeKind::Bool => 1,
            TypeKind::Enum(strings) => (strings.len() as u64).saturating_sub(1),
            TypeKind::U32 => u32::MAX.into(),
            TypeKind::U64 => u64::MAX,
        }
    }
}

/// A private column that answers speak about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueColumn {
    /// Its name.
    pub name: String,
    /// The unit that answers are shown with.
    #[serde(default)]
    pub unit: String,
    /// Decimal places: values are integers of `10^-scale` units.
    #[serde(default)]
    pub scale: u8,
    /// The least value, in steps of the scale.
    pub min: i64,
    /// The greatest value.
    pub max: i64,
    /// How many powers are committed to: 1 for sums, 2 for variances, 3 for skewness.
    #[serde(default = "one")]
    pub moments: u8,
    /// Whether rows are sorted by this column, which order statistics need.
    #[serde(default)]
    pub ordered: bool,
    /// Histogram edges that may be asked for, ascending.
    #[serde(default)]
    pub cuts: Vec<i64>,
}

fn one() -> u8 {
    1
}

impl ValueColumn {
    /// `MAX − MIN`: the largest committed value.
    pub fn span(&self) -> u64 {
        self.max.abs_diff(self.min)
    }

    /// The bit width `b` of range proofs: the least of 8, 16, 32, 64 that the span fits.
    pub fn bits(&self) -> u32 {
        let needed = u64::BITS - self.span().leading_zeros();
        needed.next_power_of_two().max(8)
    }
}

/// How the audit proves order and range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OrderProof {
    /// Aggregated Bulletproofs+.
    Bp,
    /// The epoch-wide bit matrix, for epochs with 1024 statements and more.
    Matrix,
}

/// Types, values and policy of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// The table's name for people.
    pub table: String,
    /// Public columns; without any, all rows have the same key.
    #[serde(default)]
    pub types: Vec<TypeColumn>,
    /// Private columns, at least one of them ordered.
    pub values: Vec<ValueColumn>,
    /// What may be asked.
    pub policy: Policy,
    /// How the audit proves order and range.
    #[serde(default = "matrix")]
    pub order_proof: OrderProof,
    /// Epochs after which users get new keys.
    pub key_period: u32,
    /// Seconds after the start of an epoch's successor by which it must be in the log.
    pub seal_deadline: u64,
}

fn matrix() -> OrderProof {
    OrderProof::Matrix
}

impl Schema {
    /// Checks what the proofs rely on; every verifier repeats it.
    ///
    /// # Errors
    /// [`SchemaError::Schema`] with the rule that is broken.
    pub fn check(&self) -> Result<(), SchemaError> {
        let refused = |reason: String| Err(SchemaError::Schema(reason));
        let names = self.types.iter().map(|t| &t.name).chain(self.values.iter().map(|v| &v.name));
        let (mut distinct, mut count) = (BTreeSet::new(), 0_usize);
        names.for_each(|name| {
            distinct.insert(name);
            count += 1;
        });
        if count > MAX_ITEMS || distinct.len() < count {
            return refused("column names must be distinct".to_owned());
        }
        if self.key_len() > MAX_KEY_LEN {
            return refused(format!("type columns take more than {MAX_KEY_LEN} bytes"));
        }
        for column in &self.types {
            if let TypeKind::Enum(strings) = &column.kind
                && (strings.is_empty()
                    || strings.len() > MAX_ITEMS
                    || strings.iter().collect::<BTreeSet<_>>().len() < strings.len())
            {
                return refused(format!("`{}` needs distinct strings", column.name));
            }
        }
        self.values.iter().try_for_each(check_value)?;
        if self.ordered().next().is_none() {
            return refused("at least one value column must be ordered".to_owned());
        }
        if self.key_period == 0 {
            return refused("key_period must be at least 1".to_owned());
        }
        if self.policy.allow.as_ref().is_some_and(|kinds| !kinds.is_sorted_by(|a, b| a < b)) {
            return refused(
                "`allow` names moments, order, top, histogram in this order".to_owned(),
            );
        }
        if self.policy.rounding.is_some_and(|bits| !matches!(bits, 8 | 16 | 32)) {
            return refused("`rounding` is 8, 16 or 32".to_owned());
        }
        if let Some(hierarchy) = &self.policy.hierarchy {
            self.check_hierarchy(hierarchy)?;
        }
        let proper = |p: &Fraction| 0 < p.part && p.part < p.whole;
        match self.policy.quantiles.iter().all(proper) {
            true => Ok(()),
            false => refused("a quantile lies strictly between 0 and 1".to_owned()),
        }
    }

    fn check_hierarchy(&self, orders: &[Vec<String>]) -> Result<(), SchemaError> {
        let refused = |reason: String| Err(SchemaError::Schema(reason));
        let is_type = |name: &&String| self.types.iter().any(|column| column.name == **name);
        if let Some(name) = orders.iter().flatten().find(|name| !is_type(name)) {
            return refused(format!("`hierarchy` names `{name}`, which is no type column"));
        }
        let is_proper = |order: &Vec<String>| {
            !order.is_empty() && order.iter().collect::<BTreeSet<_>>().len() == order.len()
        };
        if orders.iter().flatten().count() > MAX_LEVELS || !orders.iter().all(is_proper) {
            let rule =
                format!("distinct type columns in every order, and {MAX_LEVELS} at most in all");
            return refused(format!("`hierarchy` has {rule}"));
        }
        match self.policy.rollups {
            // Their answers do not show the counts from which follows what is withheld.
            true => refused("there are no `rollups` where there is a `hierarchy`".to_owned()),
            false => Ok(()),
        }
    }

    /// The positions of the ordered columns; each has its own sum trees.
    pub fn ordered(&self) -> impl Iterator<Item = u16> {
        let ordered = self.values.iter().enumerate().filter(|(_, column)| column.ordered);
        ordered.map(|(index, _)| index as u16)
    }

    /// The value columns whose commitments stand in the leaves of an ordered column: itself, and
    /// in the first ordered column all that are not ordered.
    pub fn columns_in(&self, column: u16) -> impl Iterator<Item = u16> {
        let first = self.ordered().next() == Some(column);
        let unordered = self.values.iter().enumerate().filter(|(_, extra)| !extra.ordered);
        let extras =
            unordered.map(|(index, _)| index as u16).take(if first { usize::MAX } else { 0 });
        std::iter::once(column).chain(extras)
    }

    /// The slots of a leaf of an ordered column.
    pub fn slots(&self, column: u16) -> Vec<Slot> {
        let powers = |column| (1..=self.moments(column)).map(move |power| Slot { column, power });
        self.columns_in(column).flat_map(powers).collect()
    }

    /// A value column by position.
    pub fn value(&self, column: u16) -> Option<&ValueColumn> {
        self.values.get(usize::from(column))
    }

    /// Committed powers of a column; 0 if there is no such column.
    pub fn moments(&self, column: u16) -> u8 {
        self.value(column).map_or(0, |column| column.moments)
    }

    /// Bytes of an encoded key; a table without types has one constant byte.
    pub fn key_len(&self) -> usize {
        self.types.iter().map(TypeColumn::width).sum::<usize>().max(1)
    }

    /// Encodes type codes in schema order, so that keys sort as their codes do.
    ///
    /// # Errors
    /// [`SchemaError`] for a code out of range or another number of them.
    pub fn encode_key(&self, codes: &[u64]) -> Result<Vec<u8>, SchemaError> {
        if codes.len() != self.types.len() {
            return Err(SchemaError::Width { got: codes.len(), expected: self.types.len() });
        }
        let mut key = Vec::with_capacity(self.key_len());
        for (column, &code) in self.types.iter().zip(codes) {
            if code > column.max() {
                let reason = format!("{code} is not among its values");
                return Err(SchemaError::Column { column: column.name.clone(), reason });
            }
            let bytes = code.to_be_bytes();
            key.extend_from_slice(bytes.split_at(bytes.len() - column.width()).1);
        }
        if key.is_empty() {
            key.push(0);
        }
        Ok(key)
    }

    /// The type codes of a key; `None` if it is not one of this schema.
    pub fn decode_key(&self, key: &[u8]) -> Option<Vec<u64>> {
        let mut rest = key;
        let mut codes = Vec::with_capacity(self.types.len());
        for column in &self.types {
            let (head, tail) = rest.split_at_checked(column.width())?;
            codes.push(head.iter().fold(0, |code, &byte| code << 8 | u64::from(byte)));
            rest = tail;
        }
        (self.encode_key(&codes).ok()? == key).then_some(codes)
    }

    /// Checks a row's key, values and identifier.
    ///
    /// # Errors
    /// [`SchemaError`].
    pub fn check_row(&self, row: &Row) -> Result<(), SchemaError> {
        if row.user.is_empty() || row.user.len() > MAX_USER_LEN {
            return Err(SchemaError::User);
        }
        if self.decode_key(&row.key).is_none() {
            return Err(SchemaError::Schema("the key is not one of this schema".to_owned()));
        }
        if row.values.len() != self.values.len() {
            return Err(SchemaError::Width { got: row.values.len(), expected: self.values.len() });
        }
        let outside = |(column, value): &(&ValueColumn, &u64)| **value > column.span();
        match self.values.iter().zip(&row.values).find(outside) {
            None => Ok(()),
            Some((column, _)) => Err(SchemaError::Column {
                column: column.name.clone(),
                reason: format!("outside {} to {}", column.min, column.max),
            }),
        }
    }

    /// The key period of an epoch.
    pub fn period(&self, first_epoch: u32, epoch: u32) -> u32 {
        epoch.saturating_sub(first_epoch) / self.key_period.max(1)
    }
}

/// `j · bitlen(MAX) + 40 ≤ 250`: no sum of powers wraps around the group order.
fn check_value(column: &ValueColumn) -> Result<(), SchemaError> {
    let refused = |reason: &str| {
        Err(SchemaError::Column { column: column.name.clone(), reason: reason.to_owned() })
    };
    if column.min >= column.max {
        return refused("min must be below max");
    }
    if !(1..=4).contains(&column.moments) || column.scale > 18 {
        return refused("moments lie in 1..=4 and scale in 0..=18");
    }
    let length = u64::BITS - column.span().leading_zeros();
    if u32::from(column.moments) * length + COUNT_BITS > SUM_BITS {
        return refused("the sum of the highest power could pass the group order");
    }
    if column.cuts.len() > MAX_ITEMS || !column.cuts.is_sorted_by(|a, b| a < b) {
        return refused("cuts must ascend");
    }
    Ok(())
}

/// The log that a table continues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Continued {
    /// The old table's name.
    #[serde(with = "crate::hash::hex")]
    pub table: Hash,
    /// Epochs in its log when the new table was made.
    pub epochs: u64,
    /// The root of its log then.
    #[serde(with = "crate::hash::hex")]
    pub root: Hash,
}

/// Everything that a table's name binds: it never changes, and every client pins it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Genesis {
    /// Types, values and policy.
    pub schema: Schema,
    /// The number of the first epoch.
    pub first_epoch: u32,
    /// The operator's first signing key.
    pub operator: PublicKey,
    /// Who cosigns checkpoints.
    pub witnesses: Vec<PublicKey>,
    /// Cosignatures that a checkpoint needs.
    pub quorum: u32,
    /// Witnesses that may be dishonest without two quorums seeing two histories.
    pub dishonest: u32,
    /// The auditors whose attestation makes an answer "verified".
    pub auditors: Vec<PublicKey>,
    /// 32 random bytes: two tables of one schema share nothing.
    #[serde(with = "crate::hash::hex")]
    pub nonce: Hash,
    /// The log of another table that this one continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<Continued>,
}

impl Genesis {
    /// Draws the nonce.
    pub fn draw_nonce(rng: &mut impl CryptoRng) -> Hash {
        let mut nonce = [0; 32];
        rng.fill_bytes(&mut nonce);
        nonce.into()
    }

    /// Checks schema and witness quorum: `2k − n` must exceed the number of dishonest witnesses.
    ///
    /// # Errors
    /// [`SchemaError::Schema`].
    pub fn check(&self) -> Result<(), SchemaError> {
        self.schema.check()?;
        let refused = |reason: &str| Err(SchemaError::Schema(reason.to_owned()));
        let distinct =
            |keys: &[PublicKey]| keys.iter().collect::<BTreeSet<_>>().len() == keys.len();
        if !distinct(&self.witnesses) || !distinct(&self.auditors) {
            return refused("a witness or auditor is named twice");
        }
        let (witnesses, quorum) = (self.witnesses.len() as u64, u64::from(self.quorum));
        match witnesses {
            0 if quorum == 0 => Ok(()),
            _ if quorum > witnesses || 2 * quorum <= witnesses + u64::from(self.dishonest) => {
                refused("two quorums of witnesses could see two histories")
            }
            _ => Ok(()),
        }
    }

    /// The one form in which a genesis is stored and hashed: JSON for people, indented.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Texts, numbers and lists are always JSON.
        let mut json = serde_json::to_vec_pretty(self).unwrap_or_default();
        json.push(b'\n');
        json
    }

    /// Reads and checks a genesis in its canonical form.
    ///
    /// # Errors
    /// [`SchemaError::Schema`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SchemaError> {
        let refused = |reason: String| SchemaError::Schema(reason);
        let genesis: Self =
            serde_json::from_slice(bytes).map_err(|error| refused(error.to_string()))?;
        if genesis.to_bytes() != bytes {
            return Err(refused("not in canonical form".to_owned()));
        }
        genesis.check()?;
        Ok(genesis)
    }

    /// The table's name.
    pub fn table_id(&self) -> Hash {
        TABLE.start().bytes(&self.to_bytes()).finish()
    }
}
