//! gnark-crypto, built by Go once for each target directory.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use circuit::Curve;

use crate::{install::once, run};

/// Its name changes with what is below.
const DIRECTORY: &str = "gnark-crypto-0.19.2-a";
const MODULE: &str = "github.com/consensys/gnark-crypto@v0.19.2";

/// What gnark-crypto says of a proof and a key, both in hexadecimal digits: each of them again, and with all
/// points doubled; then a proof of points at infinity. `None` if there is no Go on this machine.
pub fn encodings(curve: Curve, is_raw: bool, proof: &str, key: &str) -> Option<Vec<String>> {
    if Command::new("go").arg("version").output().is_err() {
        eprintln!("There is no Go on this machine: nothing is compared with gnark-crypto.");
        return None;
    }
    let mut child = Command::new(built(curve))
        .arg(if is_raw { "raw" } else { "compressed" })
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(format!("{proof}\n{key}\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "gnark-crypto refuses: {proof}, {key}");
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

fn built(curve: Curve) -> PathBuf {
    let package = match curve {
        Curve::Bn254 => "bn254",
        Curve::Bls12381 => "bls12-381",
    };
    let root = once(Path::new(DIRECTORY).join(package), |root| {
        fs::write(root.join("go.mod"), "module points\n\ngo 1.23.0\n").unwrap();
        let source = include_str!("main.go.txt").replace("CURVE", package);
        fs::write(root.join("main.go"), source).unwrap();
        run(Command::new("go").args(["get", MODULE]).current_dir(root));
        run(Command::new("go").args(["mod", "tidy"]).current_dir(root));
        run(Command::new("go").args(["build", "-o", "program", "."]).current_dir(root));
    });
    root.join("program")
}
