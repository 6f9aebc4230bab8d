//! `subrosa vote keygen`.

use serde_json::json;

use super::batch;
use crate::{failure::Failure, keygen, output::Output};

/// Options of `keygen`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    key: keygen::Args,
    /// Your name or pseudonym on the roll. Prints your line for the registrar's file.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Your class, if the election has classes.
    #[arg(long, value_name = "CLASS", requires = "name")]
    class: Option<String>,
    #[command(flatten)]
    batch: batch::Args,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    if args.batch.make(args.key.out(), output)? {
        return Ok(());
    }
    let key = args.key.make()?.to_string();
    let Some(name) = &args.name else {
        output.result(&json!({ "public_key": key }), || vec![key.clone()]);
        return Ok(());
    };
    let mut writer = csv::Writer::from_writer(Vec::new());
    let fields = [Some(name.as_str()), Some(key.as_str()), args.class.as_deref()];
    writer.write_record(fields.iter().flatten()).map_err(Failure::input)?;
    let line = writer.into_inner().map_err(|error| Failure::input(error.to_string()))?;
    let line = String::from_utf8_lossy(&line).trim_end().to_owned();
    let object = json!({ "voter": name, "public_key": key, "class": args.class });
    output.result(&object, || vec![line]);
    Ok(())
}
