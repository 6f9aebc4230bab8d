//! Installs snarkjs and circom, and makes files with them: once for each target directory.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use circuit::Curve;

use crate::{
    install::{npm, once},
    run,
};

/// Change the first line when anything below changes: it names the directory.
const DIRECTORY: &str = "snarkjs-0.7.6-a";
const PACKAGES: [&str; 2] = ["snarkjs@0.7.6", "circom2@0.2.23"];

/// A file that snarkjs made for a curve.
pub fn path(curve: Curve, name: &str) -> PathBuf {
    directory().join(curve.snarkjs_name()).join(name)
}

/// Its bytes.
pub fn read(curve: Curve, name: &str) -> Vec<u8> {
    fs::read(path(curve, name)).unwrap()
}

fn directory() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| once(DIRECTORY, make))
}

fn make(root: &Path) {
    npm(root, &PACKAGES);
    for curve in Curve::ALL {
        let folder = root.join(curve.snarkjs_name());
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("circuit.circom"), include_str!("circuit.circom")).unwrap();
        let script = ["-c", include_str!("make.sh"), "make.sh", curve.snarkjs_name()];
        run(Command::new("sh").args(script).current_dir(&folder));
    }
}
