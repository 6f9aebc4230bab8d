//! What tests fetch and build once for each target directory: directories, and programs of crates.io.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::run;

/// The directory `tmp` of the target directory that the running test was compiled into.
fn temporary() -> PathBuf {
    let test = env::current_exe().unwrap();
    // A test is in `deps`, in the directory of its profile.
    test.ancestors().nth(3).unwrap().join("tmp")
}

/// A directory that is filled once. Its name changes with what fills it: what is complete is not made again.
pub(crate) fn once(name: impl AsRef<Path>, fill: impl FnOnce(&Path)) -> PathBuf {
    let root = temporary().join(name);
    let complete = root.join("complete");
    if !complete.exists() {
        // Left by an installation that was cut off; the first time there is nothing to remove.
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        fill(&root);
        fs::write(complete, "").unwrap();
    }
    root
}

/// Installs packages of npm into a directory.
pub(crate) fn npm(root: &Path, packages: &[&str]) {
    let flags = ["install", "--no-audit", "--no-fund", "--prefix", "."];
    run(Command::new("npm").args(flags).args(packages).current_dir(root));
}

/// A program of crates.io, such as `stv-rs`, in this version.
pub fn cargo_installed(name: &str, version: &str) -> PathBuf {
    let root = temporary().join(format!("{name}-{version}"));
    let program = root.join("bin").join(name);
    if !program.exists() {
        let package = format!("{name}@{version}");
        let install = ["install", "--quiet", "--locked", &package, "--root"];
        run(Command::new("cargo")
            .args(install)
            .arg(&root)
            .arg("--target-dir")
            .arg(root.join("build")));
    }
    program
}
