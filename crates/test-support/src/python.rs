//! Programs of the Python Package Index, installed once for each target directory.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::{install::once, run};

/// An interpreter that has these packages, such as `stvpoll==0.5.6`. The name changes with the list.
pub fn with(name: &str, packages: &[&str]) -> PathBuf {
    let interpreter = |root: &Path| root.join("bin/python");
    let root = once(name, |root| {
        run(Command::new("python3").args(["-m", "venv"]).arg(root));
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run(Command::new(interpreter(root)).args(install).args(packages));
    });
    interpreter(&root)
}
