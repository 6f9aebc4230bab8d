//! `subrosa vole network`.

use std::{io, path::PathBuf};

use ::vole::circuit::Network;
use serde_json::json;

use super::inputs::read_json;
use crate::{failure::Failure, output, output::Output};

/// Options of `network`.
#[derive(clap::Args)]
pub struct Args {
    /// The network's weights, a file as docs/formats/vole-network.md describes it.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The records to classify, as a JSON list of lists of numbers.
    #[arg(long, value_name = "JSON")]
    records: PathBuf,
    /// The file for the circuit. It shows the layers' sizes and the number of records, but no weights: give
    /// it to the verifier.
    #[arg(long, value_name = "FILE")]
    circuit: PathBuf,
    /// The file for the witness: the weights and the records. Only its owner may read it.
    #[arg(long, value_name = "FILE")]
    witness: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let network: Network = read_json(&args.model)?;
    let records: Vec<Vec<i64>> = read_json(&args.records)?;
    let circuit =
        network.circuit(records.len()).map_err(|error| Failure::file(&args.model, error))?;
    if let Some((number, record)) =
        records.iter().enumerate().find(|(_, record)| record.len() != network.inputs())
    {
        let (got, expected) = (record.len(), network.inputs());
        let got = output::counted(got as u64, "number", "numbers");
        let reason = format!("record {number}: {got}, but the network takes {expected}");
        return Err(Failure::file(&args.records, reason));
    }
    let witness = zeroize::Zeroizing::new(json!(network.assignments(&records)).to_string());
    wire::write_secret(&args.witness, witness.as_bytes()).map_err(|error| {
        let failure = Failure::file(&args.witness, error.to_string());
        match error.kind() {
            io::ErrorKind::AlreadyExists => {
                failure.hint("a witness is never overwritten: give another name")
            }
            _ => failure,
        }
    })?;
    wire::write_atomic(&args.circuit, circuit.to_string().as_bytes())
        .map_err(|error| Failure::file(&args.circuit, error))?;
    let size = circuit.size();
    let object = json!({
        "records": records.len(),
        "gates": size.gates,
        "products": size.products,
        "decompositions": size.decompositions,
    });
    output.result(&object, || {
        let records = output::counted(records.len() as u64, "record", "records");
        let gates = output::counted(size.gates as u64, "gate", "gates");
        let products = output::counted(size.products as u64, "product", "products");
        vec![format!("{records}: {gates}, {products}")]
    });
    Ok(())
}
