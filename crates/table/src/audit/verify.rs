//! Auditing an epoch from its bundle and header alone.

use wire::{Progress, Reader};

use super::{
    leaves::{self, ColumnLeaves, Rebuilt, rebuild},
    moments::{Powers, Weights},
    order, rollups,
    run::runs,
};
use crate::{
    EpochHeader, Fault, Hash, Refused, Schema, Table,
    checks::{TC_1, TC_2, TC_3, TC_4, TC_6, TC_8, Under as _},
    hash::AUDIT,
};

/// The hash of a bundle, which the epoch's digest binds.
pub fn hash(bundle: &[u8]) -> Hash {
    AUDIT.start().bytes(wire::Digest::of("subrosa/table/audit", bundle).as_bytes()).finish()
}

/// What an audit has checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Rows, of distinct users.
    pub rows: u64,
    /// Keys.
    pub keys: u64,
    /// Roll-ups over earlier epochs.
    pub rollups: u64,
    /// Statements about order and bounds.
    pub statements: u64,
    /// Proofs that bear them out.
    pub order_proofs: u64,
    /// Proofs of powers.
    pub power_proofs: u64,
}

/// Audits an epoch: rebuilds every hash that its header binds, and verifies every proof.
///
/// # Errors
/// [`Fault`] naming what does not hold.
pub fn verify(
    table: &Table,
    header: &EpochHeader,
    bundle: &[u8],
    progress: &dyn Progress,
) -> Result<Report, Fault> {
    Ok(check(table, header, bundle, progress)?)
}

/// [`verify`], naming the check that fails.
pub(crate) fn check(
    table: &Table,
    header: &EpochHeader,
    bundle: &[u8],
    progress: &dyn Progress,
) -> Result<Report, Refused> {
    let bundle_hash = hash(bundle);
    if bundle_hash != header.audit {
        return Err(Fault::Mismatch { what: "the audit bundle" }).under(TC_1);
    }
    let schema = table.schema();
    let core = header.core.hash(table.id());
    let mut reader = Reader::new(bundle);
    progress.begin("rebuilding trees", 3);
    let columns = leaves::decode(&mut reader, schema).under(TC_2)?;
    let rolled = rollups::decode(&mut reader, table, &header.core).under(TC_8)?;
    progress.advance(1);
    check_columns(header, &columns).under(TC_2)?;
    let epoch = header.core.epoch;
    let rebuilt = columns.iter().map(|column| rebuild(table, epoch, column));
    let rebuilt: Vec<Rebuilt> = rebuilt.collect::<Result<_, Fault>>().under(TC_3)?;
    progress.advance(1);
    if !rebuilt.iter().map(|column| &column.roots).eq(&header.core.columns) {
        return Err(Fault::Mismatch { what: "the trees of the audit bundle" }).under(TC_3);
    }
    let rolled_records = rolled.verify(table, &header.core).under(TC_8)?;
    let runs = runs(schema, &columns, &rolled.list);
    progress.begin("verifying order", 1);
    let records = rebuilt.iter().map(|column| column.records.clone());
    let records: Vec<Vec<Hash>> = records.chain([rolled_records]).collect();
    let order_proofs = order::verify(schema, &core, &runs, &records, &mut reader);
    let order_proofs = order_proofs.under(TC_4)?;
    progress.begin("verifying powers", 1);
    let hashes: Vec<_> = rebuilt.into_iter().map(|column| column.leaf_hashes).collect();
    let mut weights = Weights::new(&core, &bundle_hash);
    let mut power_proofs = 0;
    for powers in powers(schema, &core, &columns, &hashes) {
        power_proofs += powers.proofs.verify(&mut reader, &mut weights).under(TC_6)?;
    }
    reader.finish().under(TC_1)?;
    progress.finish();
    Ok(Report {
        rows: header.core.rows,
        keys: columns.first().map_or(0, |column| column.keys.len() as u64),
        rollups: rolled.list.len() as u64,
        statements: runs.iter().map(|run| run.len() as u64).sum(),
        order_proofs,
        power_proofs,
    })
}

/// Every column speaks of the same keys with the same numbers of rows, `n_rows` in all.
fn check_columns(header: &EpochHeader, columns: &[ColumnLeaves]) -> Result<(), Fault> {
    same_keys(columns)?;
    let rows = columns.first().into_iter().flat_map(|column| &column.keys);
    let got = rows.map(|key| key.rows() as u64).sum();
    match got == header.core.rows {
        true => Ok(()),
        false => Err(Fault::Number { what: "rows", got, expected: header.core.rows }),
    }
}

/// Every column speaks of the same keys with the same numbers of rows.
pub(super) fn same_keys(columns: &[ColumnLeaves]) -> Result<(), Fault> {
    let shape = |column: &ColumnLeaves| -> Vec<(Vec<u8>, usize)> {
        column.keys.iter().map(|key| (key.key.clone(), key.rows())).collect()
    };
    match columns.windows(2).all(|pair| pair.iter().map(shape).is_sorted_by(|a, b| a == b)) {
        true => Ok(()),
        false => Err(Fault::Mismatch { what: "the keys of another ordered column" }),
    }
}

/// Proofs of powers, and where their rows stand.
pub(super) struct PlacedPowers<'a> {
    pub(super) tree: usize,
    pub(super) index: usize,
    pub(super) proofs: Powers<'a>,
}

/// All value columns with more than one power, key by key, in the order of the bundle.
pub(super) fn powers<'a>(
    schema: &Schema,
    core: &'a Hash,
    columns: &'a [ColumnLeaves],
    hashes: &'a [Vec<Vec<Hash>>],
) -> Vec<PlacedPowers<'a>> {
    let mut all = Vec::new();
    for (tree, (leaves, hashes)) in columns.iter().zip(hashes).enumerate() {
        let slots = schema.slots(leaves.column);
        for (slot, first) in slots.iter().enumerate().filter(|(_, slot)| slot.power == 1) {
            let (column, powers) = (first.column, usize::from(schema.moments(first.column)));
            let keys = leaves.keys.iter().zip(hashes).enumerate();
            all.extend(keys.filter(|_| powers > 1).map(|(index, (key, hashes))| {
                let proofs = Powers { core, tree, key, column, slot, powers, hashes };
                PlacedPowers { tree, index, proofs }
            }));
        }
    }
    all
}
