//! What the bench ran with.

use cli::names::{EngineName, Keys, PaillierBits};
use serde::Serialize;

/// What the bench ran with.
#[derive(Debug, Serialize)]
pub struct Params {
    pub(super) engine: EngineName,
    pub(super) curve: &'static str,
    pub(super) notice: &'static str,
    pub(super) entries: u32,
    pub(super) servers: u16,
    pub(super) values: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) paillier: Option<PaillierBits>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) keys: Option<Keys>,
    pub(super) threads: usize,
}
