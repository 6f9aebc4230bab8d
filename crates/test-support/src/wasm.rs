//! Programs in WebAssembly's text, assembled by wabt: installed once for each target directory.

use std::{fs, process::Command};

use crate::{
    install::{npm, once},
    run,
};

/// Its name changes with the package.
const DIRECTORY: &str = "wabt-1.0.39-a";
const PACKAGE: &str = "wabt@1.0.39";
/// Assembles every `N.wat` of a directory.
const SCRIPT: &str = "
const { readFileSync, writeFileSync } = require('node:fs')
require('wabt')().then((wabt) => {
  for (let index = 0; index < Number(process.argv[2]); index++) {
    const name = process.argv[1] + '/' + index
    const module = wabt.parseWat(name, readFileSync(name + '.wat', 'utf8'))
    writeFileSync(name + '.wasm', module.toBinary({}).buffer)
  }
})";

/// The binary form of each text, which is not checked any further.
pub fn assemble(texts: &[String]) -> Vec<Vec<u8>> {
    let root = once(DIRECTORY, |root| npm(root, &[PACKAGE]));
    let folder = tempfile::tempdir().unwrap();
    for (index, text) in texts.iter().enumerate() {
        fs::write(folder.path().join(format!("{index}.wat")), text).unwrap();
    }
    let count = texts.len().to_string();
    run(Command::new("node").args(["-e", SCRIPT]).arg(folder.path()).arg(count).current_dir(root));
    let read = |index: usize| fs::read(folder.path().join(format!("{index}.wasm"))).unwrap();
    (0..texts.len()).map(read).collect()
}
