//! Takes part in Powers of Tau: `cargo run -p subrosa-ceremony --example contribute before.ptau after.ptau`
use std::{env, error::Error, fs::File, io::BufReader};

use algebra::Bn254;
use ceremony::{
    Snapshot, Trust,
    phase1::{self, Settings},
};
use getrandom::SysRng;
use rand_core::UnwrapErr;

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = env::args_os().skip(1);
    let (before, after) = paths.next().zip(paths.next()).ok_or("name two files")?;
    let mut input = Snapshot::take(BufReader::new(File::open(before)?), &())?;
    let (settings, mut rng, mut verifier) =
        (&Settings::default(), UnwrapErr(SysRng), UnwrapErr(SysRng));
    let mut output = File::options().read(true).write(true).create_new(true).open(after)?;
    let me = Some("example".to_owned());
    let trust = Trust::verify(settings, &mut verifier);
    let receipt = phase1::contribute::<Bn254>(&mut input, &mut output, me, trust, &mut rng, &())?;

    // What everybody does afterwards, and what a participant looks for: its own hash.
    let verified = phase1::verify::<Bn254>(&mut output, settings, &mut rng, &())?;
    let last = verified.contributions.last().ok_or("no contribution")?;
    println!("mine: {}", last.response_hash == receipt.response_hash);
    Ok(())
}
