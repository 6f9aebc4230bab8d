//! Contracts in Solidity, compiled by solc and executed by the machine of ethereumjs: installed once for each
//! target directory.

use std::{fs, path::PathBuf, process::Command, sync::OnceLock};

use serde_json::{Value, json};

use crate::{
    install::{npm, once},
    run,
};

/// Change the name when the packages change: a directory that is complete is not made again.
const DIRECTORY: &str = "evm-a";
const PACKAGES: [&str; 2] = ["solc@0.8.37", "@ethereumjs/evm@10.1.3"];

/// A call: the name of a contract's source, or the address of a precompile, and what is sent to it.
#[derive(Clone, Debug)]
pub struct Call {
    /// Who is called.
    pub to: String,
    /// With what.
    pub data: Vec<u8>,
}

impl Call {
    /// A call of the contract in a source.
    pub fn contract(source: &str, data: Vec<u8>) -> Self {
        Self { to: source.to_owned(), data }
    }

    /// A call of a precompile. Its address has 20 bytes: `0x` and 40 digits.
    pub fn precompile(address: u8, data: Vec<u8>) -> Self {
        Self { to: format!("{address:#042x}"), data }
    }
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// Why it failed, if it did.
    pub error: Option<String>,
    /// What it returned.
    pub returned: Vec<u8>,
    /// Gas that the execution took.
    pub gas: u64,
}

/// Compiles sources, each of which has one contract, without a warning; deploys the contracts and makes the
/// calls. Says how the calls ended, and how many bytes each contract has.
pub fn execute(sources: &[(&str, String)], calls: &[Call]) -> (Vec<Called>, Value) {
    let folder = tempfile::tempdir().unwrap();
    let (request, answer) = (folder.path().join("request"), folder.path().join("answer"));
    let sources: Value =
        sources.iter().map(|(name, text)| (name.to_string(), json!(text))).collect();
    let call = |call: &Call| json!({ "contract": call.to, "data": hex(&call.data) });
    let asked = json!({ "sources": sources, "calls": calls.iter().map(call).collect::<Value>() });
    fs::write(&request, asked.to_string()).unwrap();
    let packages = packages();
    let mut node = Command::new("node");
    run(node.arg(packages.join("evm.mjs")).args([&packages, &request, &answer]));
    let answer: Value = serde_json::from_slice(&fs::read(answer).unwrap()).unwrap();
    let called = |called: &Value| Called {
        error: called["error"].as_str().map(str::to_owned),
        returned: unhex(called["returned"].as_str().unwrap()),
        gas: called["gas"].as_u64().unwrap(),
    };
    (answer["results"].as_array().unwrap().iter().map(called).collect(), answer["sizes"].clone())
}

fn packages() -> PathBuf {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let root = once(DIRECTORY, |root| npm(root, &PACKAGES));
        // Written each time, so that it may change without the packages.
        fs::write(root.join("evm.mjs"), include_str!("evm.mjs")).unwrap();
        root
    };
    MADE.get_or_init(make).clone()
}

/// Bytes in hexadecimal digits after `0x`.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold("0x".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

/// The bytes of [`hex`].
pub fn unhex(text: &str) -> Vec<u8> {
    let digits = text.strip_prefix("0x").unwrap().as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}
