//! Fuzz targets for every decoder of bytes from outside: one program, in which the variable `TARGET` names the
//! target. Without it the program names all of them; with `SEEDS` it writes the target's first inputs, which are
//! pieces of the repository's honest files, into that directory.
//!
//! A decoder must not panic, overflow, or ask for memory by a number that stands in its input, and what it accepts
//! it must write again byte by byte where it says that there is one form.
#![no_main]
#![forbid(unsafe_op_in_unsafe_fn)]

mod boards;
mod ceremonies;
mod circuits;
mod claims;
mod clients;
mod memory;
mod pieces;
mod sessions;
mod shuffles;
mod snarks;
mod studies;
mod tables;
mod target;
mod traces;
mod voles;

use std::{env, fs, path::Path, process, sync::OnceLock};

use libfuzzer_sys::fuzz_target;

use target::Target;

static TARGET: OnceLock<Target> = OnceLock::new();

fuzz_target!(init: prepare(), |input: &[u8]| {
    if let Some(target) = TARGET.get() {
        target.run(input);
    }
});

fn targets() -> Vec<Target> {
    [
        boards::targets(),
        shuffles::targets(),
        traces::targets(),
        studies::targets(),
        tables::targets(),
        circuits::targets(),
        snarks::targets(),
        ceremonies::targets(),
        voles::targets(),
        clients::targets(),
        claims::targets(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Finds the target, and writes its seeds if that is asked for.
fn prepare() {
    let Ok(name) = env::var("TARGET") else {
        targets().iter().for_each(|target| println!("{}", target.name()));
        process::exit(0);
    };
    let Some(target) = targets().into_iter().find(|target| target.name() == name) else {
        eprintln!("there is no target `{name}`");
        process::exit(2);
    };
    if let Ok(folder) = env::var("SEEDS") {
        write_seeds(&target, Path::new(&folder));
        process::exit(0);
    }
    target.warm_up();
    let _ = TARGET.set(target);
    memory::bound();
}

fn write_seeds(target: &Target, folder: &Path) {
    let seeds = target.seeds();
    fs::create_dir_all(folder).expect("the directory of seeds is made");
    for (number, seed) in seeds.iter().enumerate() {
        fs::write(folder.join(format!("seed-{number:03}")), seed).expect("a seed is written");
    }
    println!("{}: {} seeds{}", target.name(), seeds.len(), target.unseeded(&seeds));
}
