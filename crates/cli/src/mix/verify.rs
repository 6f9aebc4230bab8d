//! `subrosa mix verify`: the whole chain.

use std::path::PathBuf;

use claim::Check;
use serde_json::json;
use shuffle::{Column, Equation, MixClaim, ShuffleError, tw::Generators, verify_mixes};
use wire::Progress;

use super::{
    shuffle::follows,
    store::{self, Published},
};
use crate::{failure::Failure, output, output::Output, progress::Bars};

/// Options of `verify`.
#[derive(clap::Args)]
pub struct Args {
    /// The encryption key.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The ciphertexts that the first mixer took.
    #[arg(value_name = "CIPHERTEXTS")]
    ciphertexts: PathBuf,
    /// The mixers' outputs, in the order in which they mixed.
    #[arg(value_name = "MIX", required = true)]
    mixes: Vec<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let key = store::public(&args.key)?;
    let inputs = store::ciphertexts(&args.ciphertexts, &key)?;
    let bars = Bars::new();
    bars.begin("reading", args.mixes.len() as u64);
    let mut chain = Vec::<Published>::new();
    for path in &args.mixes {
        let published = store::mix(path, &key)?;
        follows(chain.last().map(|before| &before.turn), &published.turn)?;
        chain.push(published);
        bars.advance(1);
    }

    let rows = inputs.first().map_or(0, Column::len);
    bars.begin("generators", rows as u64);
    let generators = Generators::derive(rows);
    bars.begin("verifying", (rows * chain.len()) as u64);
    let claims = chain.iter().map(|Published { turn, mix, .. }| {
        let context = turn.context();
        MixClaim { context, mix }
    });
    let claims: Vec<_> = claims.collect();
    verify_mixes(&key, &inputs, &claims, &generators).map_err(refused)?;
    bars.finish();
    report(rows, inputs.len(), &chain, output);
    Ok(())
}

/// A proof about other lists fails at its first equation.
fn refused(error: ShuffleError) -> Failure {
    let failure = Failure::refused(&error);
    match error {
        ShuffleError::Equation { equation: Equation::ListOpening, .. } => failure.hint(
            "the mixer cheated, or it took other ciphertexts than those that come before it here",
        ),
        _ => failure,
    }
}

/// Says what was checked.
fn report(rows: usize, columns: usize, chain: &[Published], output: &Output) {
    let proofs = if rows == 0 { 0 } else { chain.len() as u64 };
    let ciphertexts = (rows * columns * (chain.len() + 1)) as u64;
    let checks = [
        Check::new("ciphertexts decoded, every point checked", ciphertexts),
        Check::new("commitments proven to be to a permutation", proofs),
        Check::new("proofs that all columns moved by it and kept their messages", proofs),
    ];
    let mixers: Vec<u32> = chain.iter().map(|published| published.turn.mixer).collect();
    let turn = chain.first().map(|published| &published.turn);
    let object = json!({
        "verified": true,
        "study": turn.map(|turn| &turn.study),
        "mix": turn.map(|turn| &turn.mix),
        "rows": rows,
        "columns": columns,
        "mixers": mixers,
        "checks": checks,
    });
    output.result(&object, || {
        let line = |check: &Check| format!("{:>9}  {}", output::count(check.count), check.what);
        let mut lines: Vec<String> = checks.iter().map(line).collect();
        lines.extend(turn.map(|turn| format!("mix `{}` of `{}`", turn.mix, turn.study)));
        let mixer = |Published { turn, path, .. }: &Published| {
            format!("mixer {:<3} {}", turn.mixer, path.display())
        };
        lines.extend(chain.iter().map(mixer));
        lines.push("The last mixer's output holds the messages of the ciphertexts.".to_owned());
        lines
    });
}
