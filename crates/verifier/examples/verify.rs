//! Checks a bundle: `cargo run -p subrosa-verifier --example verify out/election/bundle`
use std::{env, error::Error, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let bundle: PathBuf = env::args_os().nth(1).ok_or("name a bundle")?.into();
    // Whoever knows the digest of the bundle or its board from elsewhere gives them here, to accept no other.
    let report = verifier::check(&bundle, verifier::Expected::default(), &())?;
    for verdict in &report.verdicts {
        println!("{} holds: {}", verdict.claim, verdict.statement);
        for check in &verdict.checks {
            println!("  {} {}", check.count, check.what);
        }
    }
    println!("bundle {}", report.digest);
    Ok(())
}
