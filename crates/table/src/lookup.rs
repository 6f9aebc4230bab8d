//! A user's own row (`docs/spec/table.md`): looked up with its rank, in the trie of pseudonyms alone, or
//! shown not to be there. All of it is asked for every ordered column.

use wire::{Decode, DecodeError, Encode, Reader, put_bytes};

use crate::{
    BuiltEpoch, Fault, Hash, Leaf, Refused, Row, Table, UserKeys,
    checks::{TB_3, TB_4, TB_10, TB_11, TB_12, TB_14, Under as _},
    log::{LoggedEpoch, SignedCheckpoint},
    sum_tree::{Path, decode_counted_leaf, encode_leaf},
    trie::{Absence, Member, id_leaf, type_leaf},
};

const MAX_KEY: usize = 128;

/// A row with its path to the log. It shows the user its rank in the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The epoch.
    pub epoch: LoggedEpoch,
    /// The ordered column.
    pub column: u16,
    /// The key.
    pub key: Vec<u8>,
    /// The pseudonym.
    pub pseudonym: Hash,
    /// The leaf.
    pub leaf: Leaf,
    /// Its path in the sum tree.
    pub path: Path,
    /// The key's path in the trie of keys.
    pub types: Member,
    /// The pseudonym's path in its trie: the same leaf counts among the distinct users.
    pub ids: Member,
}

impl Lookup {
    /// Finds a user's row in an ordered column; `None` if there is none.
    pub fn find(
        built: &BuiltEpoch,
        logged: LoggedEpoch,
        column: u16,
        pseudonym: &Hash,
    ) -> Option<Self> {
        let trees = built.column(column)?;
        let (tree, rank) = trees.find(pseudonym)?;
        Some(Self {
            epoch: logged,
            column,
            key: tree.key.clone(),
            pseudonym: *pseudonym,
            leaf: tree.tree.leaf(rank)?,
            path: tree.tree.path(rank)?,
            types: trees.types.member(&tree.key)?,
            ids: trees.ids.member(pseudonym.as_bytes())?,
        })
    }

    /// Checks that the table holds this leaf under this pseudonym. Whose it is and what it commits
    /// to, only its user can say: [`Lookup::verify_own`].
    ///
    /// # Errors
    /// [`Fault`].
    pub fn verify(&self, table: &Table, signed: &SignedCheckpoint) -> Result<(), Fault> {
        Ok(self.check(table, signed)?)
    }

    /// [`Lookup::verify`], naming the check that fails.
    pub(crate) fn check(&self, table: &Table, signed: &SignedCheckpoint) -> Result<(), Refused> {
        signed.check(table)?;
        self.epoch.verify(table, &signed.checkpoint).under(TB_4)?;
        self.verify_place(table)
    }

    /// Checks that the epoch's header holds the leaf; the header is another matter.
    pub(crate) fn verify_place(&self, table: &Table) -> Result<(), Refused> {
        let core = &self.epoch.header.core;
        let place = table.place(core.epoch, &self.key, self.column);
        if table.schema().slots(self.column).len() != self.leaf.commitments.len()
            || place.tag(&self.pseudonym) != self.leaf.tag
        {
            return Err(Fault::Mismatch { what: "the leaf's tag" }).under(TB_10);
        }
        let position = table.schema().ordered().position(|column| column == self.column);
        let roots = position.and_then(|position| core.columns.get(position));
        let roots = roots.ok_or(Fault::Bounds { what: "the column" }).under(TB_10)?;
        let root = self.path.sums(&self.leaf).under(TB_11)?.root;
        let record = type_leaf(&root.record(&place));
        self.types.verify(&roots.types, &self.key, &record).under(TB_11)?;
        let leaf = id_leaf(&self.pseudonym, &self.leaf.hash());
        self.ids.verify(&roots.ids, self.pseudonym.as_bytes(), &leaf).under(TB_12)
    }

    /// Checks that the table holds exactly this row of this user.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn verify_own(
        &self,
        table: &Table,
        signed: &SignedCheckpoint,
        row: &Row,
        keys: &UserKeys,
    ) -> Result<(), Fault> {
        let epoch = self.epoch.header.core.epoch;
        let place = table.place(epoch, &row.key, self.column);
        let own = Leaf::recompute(table.schema(), &place, keys, row)?;
        let pseudonym = keys.pseudonym(table.id(), epoch, self.column, &row.user);
        if own != self.leaf || pseudonym != self.pseudonym || row.key != self.key {
            return Err(Fault::Mismatch { what: "the row that was looked up" });
        }
        self.verify(table, signed)
    }
}

impl Encode for Lookup {
    fn encode(&self, out: &mut Vec<u8>) {
        self.epoch.encode(out);
        self.column.encode(out);
        put_bytes(out, &self.key);
        self.pseudonym.encode(out);
        (self.leaf.commitments.len() as u16).encode(out);
        encode_leaf(&self.leaf, out);
        self.path.encode(out);
        self.types.encode(out);
        self.ids.encode(out);
    }
}

impl Decode for Lookup {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let epoch = LoggedEpoch::decode(reader)?;
        let column = reader.u16()?;
        let key = reader.bytes("key", MAX_KEY)?.to_vec();
        let pseudonym = Hash::decode(reader)?;
        let leaf = decode_counted_leaf(reader)?;
        let path = Path::decode(reader, leaf.commitments.len())?;
        let (types, ids) = (Member::decode(reader)?, Member::decode(reader)?);
        Ok(Self { epoch, column, key, pseudonym, leaf, path, types, ids })
    }
}

/// A pseudonym's leaf in the trie of pseudonyms: hashes only, and no rank. That the row counts in
/// sums rests on the auditors' check of that trie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LightLookup {
    /// The epoch.
    pub epoch: LoggedEpoch,
    /// The ordered column.
    pub column: u16,
    /// The path.
    pub member: Member,
}

/// A pseudonym is not in an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbsenceProof {
    /// The epoch.
    pub epoch: LoggedEpoch,
    /// The ordered column.
    pub column: u16,
    /// The pseudonym.
    pub pseudonym: Hash,
    /// Where the trie parts from it.
    pub absence: Absence,
}

/// The root of a column's pseudonyms in an epoch that the log holds.
fn ids(
    table: &Table,
    signed: &SignedCheckpoint,
    epoch: &LoggedEpoch,
    column: u16,
) -> Result<Hash, Refused> {
    signed.check(table)?;
    epoch.verify(table, &signed.checkpoint).under(TB_4)?;
    let position = table.schema().ordered().position(|ordered| ordered == column);
    let roots = position.and_then(|position| epoch.header.core.columns.get(position));
    roots.map(|roots| roots.ids).ok_or(Fault::Bounds { what: "the column" }).under(TB_14)
}

impl LightLookup {
    /// Finds a pseudonym; `None` if it is not there.
    pub fn find(
        built: &BuiltEpoch,
        epoch: LoggedEpoch,
        column: u16,
        pseudonym: &Hash,
    ) -> Option<Self> {
        let member = built.column(column)?.ids.member(pseudonym.as_bytes())?;
        Some(Self { epoch, column, member })
    }

    /// Checks that the table holds exactly this row of this user.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn verify_own(
        &self,
        table: &Table,
        signed: &SignedCheckpoint,
        row: &Row,
        keys: &UserKeys,
    ) -> Result<(), Fault> {
        let root = ids(table, signed, &self.epoch, self.column)?;
        let epoch = self.epoch.header.core.epoch;
        let place = table.place(epoch, &row.key, self.column);
        let own = Leaf::recompute(table.schema(), &place, keys, row)?.hash();
        let pseudonym = keys.pseudonym(table.id(), epoch, self.column, &row.user);
        self.member.verify(&root, pseudonym.as_bytes(), &id_leaf(&pseudonym, &own))
    }
}

impl AbsenceProof {
    /// Shows that a pseudonym is not there; `None` if it is.
    pub fn show(
        built: &BuiltEpoch,
        epoch: LoggedEpoch,
        column: u16,
        pseudonym: Hash,
    ) -> Option<Self> {
        let absence = built.column(column)?.ids.absence(pseudonym.as_bytes())?;
        Some(Self { epoch, column, pseudonym, absence })
    }

    /// Checks that the pseudonym is not in the epoch. The user compares it with its own.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn verify(&self, table: &Table, signed: &SignedCheckpoint) -> Result<(), Fault> {
        Ok(self.check(table, signed)?)
    }

    /// [`AbsenceProof::verify`], naming the check that fails.
    pub(crate) fn check(&self, table: &Table, signed: &SignedCheckpoint) -> Result<(), Refused> {
        let root = ids(table, signed, &self.epoch, self.column)?;
        self.absence.verify(&root, self.pseudonym.as_bytes()).under(TB_3)
    }
}

impl Encode for LightLookup {
    fn encode(&self, out: &mut Vec<u8>) {
        self.epoch.encode(out);
        self.column.encode(out);
        self.member.encode(out);
    }
}

impl Decode for LightLookup {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (epoch, column) = (LoggedEpoch::decode(reader)?, reader.u16()?);
        Ok(Self { epoch, column, member: Member::decode(reader)? })
    }
}

impl Encode for AbsenceProof {
    fn encode(&self, out: &mut Vec<u8>) {
        self.epoch.encode(out);
        self.column.encode(out);
        self.pseudonym.encode(out);
        self.absence.encode(out);
    }
}

impl Decode for AbsenceProof {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (epoch, column) = (LoggedEpoch::decode(reader)?, reader.u16()?);
        let (pseudonym, absence) = (Hash::decode(reader)?, Absence::decode(reader)?);
        Ok(Self { epoch, column, pseudonym, absence })
    }
}
