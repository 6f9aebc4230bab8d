//! Programs of the Python Package Index, installed once for each target directory.

use std::{fs, path::PathBuf, process::Command};

use crate::{run, temporary};

/// An interpreter that has these packages, such as `stvpoll==0.5.6`. The name changes with the list.
pub fn with(name: &str, packages: &[&str]) -> PathBuf {
    let root = temporary().join(name);
    let python = root.join("bin/python");
    if !root.join("complete").exists() {
        // Left by an installation that was cut off; the first time there is nothing to remove.
        let _ = fs::remove_dir_all(&root);
        run(Command::new("python3").args(["-m", "venv"]).arg(&root));
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run(Command::new(&python).args(install).args(packages));
        fs::write(root.join("complete"), "").unwrap();
    }
    python
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
