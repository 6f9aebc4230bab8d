//! Takes part in Powers of Tau: `cargo run -p ceremony --example contribute before.ptau after.ptau`
use std::{env, error::Error, fs::File, io::BufReader};

use algebra::Bn254;
use ceremony::phase1::{self, Settings};
use getrandom::SysRng;
use rand_core::UnwrapErr;

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = env::args_os().skip(1);
    let (before, after) = paths.next().zip(paths.next()).ok_or("name two files")?;
    let (mut input, mut rng) = (BufReader::new(File::open(before)?), UnwrapErr(SysRng));
    let mut output = File::options().read(true).write(true).create_new(true).open(after)?;
    let me = Some("example".to_owned());
    let receipt = phase1::contribute::<Bn254>(&mut input, &mut output, me, &mut rng, &())?;

    // What everybody does afterwards, and what a participant looks for: its own hash.
    let verified = phase1::verify::<Bn254>(&mut output, &Settings::default(), &mut rng, &())?;
    let last = verified.contributions.last().ok_or("no contribution")?;
    println!("mine: {}", last.response_hash == receipt.response_hash);
    Ok(())
}
