//! Ceremonies, keys and proofs on the command line.

mod ceremony;
mod exchange;
mod killed;
mod native;
mod of_elections;
mod oracle;
mod phase2;
mod snark;
mod snark_circom;
mod snark_native;
mod snark_sets;
mod verdicts;
