//! A pay survey on this machine: the custodian in this process, the auditor in one of its own.
//!
//! All that passes between them is a folder of public files ([`Published`]): genesis, headers,
//! audit bundles and checkpoint from the custodian, attestations from the auditor.

pub mod audit;
mod custody;
mod published;
pub mod run;

use published::Published;
