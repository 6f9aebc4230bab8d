//! `subrosa table rollup`.

use std::path::PathBuf;

use ::table::{rollup::Predicate, sql};
use serde_json::json;

use super::folder::Folder;
use crate::{failure::Failure, output::Output};

/// Options of `rollup`.
#[derive(clap::Args)]
pub struct Args {
    /// The table's folder.
    directory: PathBuf,
    /// A question, as for `query`: the next epoch will hold a roll-up that answers it from one tree.
    sql: String,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let custodian = Folder::new(&args.directory).open()?;
    let (table, size) = (custodian.table(), custodian.served_size()?);
    let plan = sql::plan(table, size, &args.sql)?;
    let mut predicates: Vec<Predicate> = Vec::new();
    for planned in &plan {
        let predicate = Predicate::of(table.schema(), &planned.query);
        if !predicates.contains(&predicate) {
            predicates.push(predicate);
        }
    }
    let epoch = custodian.add_rollups(&predicates)?;
    let names: Vec<String> = predicates.iter().map(|name| name.hash().to_string()).collect();
    let object = json!({ "epoch": epoch, "rollups": names });
    output.result(&object, || {
        let name = |name: &String| format!("epoch {epoch} will hold the roll-up {name}");
        names.iter().map(name).collect()
    });
    Ok(())
}
