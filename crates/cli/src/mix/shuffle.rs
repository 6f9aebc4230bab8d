//! `subrosa mix shuffle`: a mixer's turn.

use std::path::PathBuf;

use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, UnwrapErr};
use serde_json::json;
use shuffle::{Column, Mix, tw::Generators};
use wire::Progress;

use super::{
    format::{MixHead, NAME_LIMIT, Turn},
    store,
};
use crate::{failure::Failure, output, output::Output, progress::Bars};

/// Options of `shuffle`.
#[derive(clap::Args)]
pub struct Args {
    /// The encryption key.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The ciphertexts, or the output of the mixer before this one.
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// The name of the election that the mix belongs to. The proof is valid for no other.
    #[arg(long = "election", alias = "study", value_name = "TEXT", value_parser = name)]
    study: String,
    /// The name of the mix within the election. The proof is valid for no other.
    #[arg(long, value_name = "TEXT", value_parser = name)]
    mix: String,
    /// The mixer's number, counted from 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    mixer: u32,
    /// The mixer's place in the chain, counted from 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    position: u32,
    /// The mix to create: the shuffled ciphertexts and the proof.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

fn name(text: &str) -> Result<String, String> {
    match text.len() {
        1..=NAME_LIMIT => Ok(text.to_owned()),
        _ => Err(format!("a name has 1 to {NAME_LIMIT} bytes")),
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    store::require_new(&args.out)?;
    let key = store::public(&args.key)?;
    let input = store::input(&args.input, &key)?;
    let turn = Turn {
        study: args.study.clone(),
        mix: args.mix.clone(),
        mixer: args.mixer,
        position: args.position,
    };
    follows(input.after.as_ref(), &turn)?;

    let (rows, columns) = (input.columns.first().map_or(0, Column::len), input.columns.len());
    let bars = Bars::new();
    bars.begin("generators", rows as u64);
    let generators = Generators::derive(rows);
    bars.begin("shuffling", rows as u64);
    let mut rng = ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng));
    let mix = Mix::new(&key, &input.columns, &generators, &turn.context(), &mut rng);
    let mix = mix.map_err(Failure::input)?;
    bars.finish();

    let file = MixHead { key, turn }.with(&mix);
    store::write_new(&args.out, &file)?;
    let size = file.len() as u64;
    let object = json!({
        "rows": rows, "columns": columns, "mixer": args.mixer, "position": args.position,
        "bytes": size, "out": args.out,
    });
    output.result(&object, || {
        let (rows, size) = (output::counted(rows as u64, "row", "rows"), output::bytes(size));
        let mixer = format!("mixer {} shuffled {rows}", args.mixer);
        vec![format!("{mixer}, columns: {columns}, {size}: {}", args.out.display())]
    });
    Ok(())
}

/// Requires that this turn comes right after the one that made the input.
pub fn follows(before: Option<&Turn>, turn: &Turn) -> Result<(), Failure> {
    let expected = before.map_or(1, |before| before.position.saturating_add(1));
    if turn.position != expected {
        return Err(Failure::input(format!(
            "mixer {}: its position in the chain is {}, but must be {expected}",
            turn.mixer, turn.position
        ))
        .hint(
            "every mixer takes the output of the mixer before it: check the order of the files",
        ));
    }
    match before {
        Some(before) if (&before.study, &before.mix) != (&turn.study, &turn.mix) => {
            Err(Failure::input(format!(
                "mixer {}: mix `{}` of `{}` does not continue mix `{}` of `{}`",
                turn.mixer, turn.mix, turn.study, before.mix, before.study
            ))
            .hint("all mixers of a chain must name the same election and the same mix"))
        }
        _ => Ok(()),
    }
}
