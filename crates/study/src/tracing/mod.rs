//! A traceable mix on a board: servers as processes, senders, queriers. The engine is
//! [`trace::routed`]: **our construction, no published proof yet**.
//!
//! Everybody replays the board into a [`Tracing`], which verifies every entry and says what each
//! server is waited for ([`Task`]); a [`Node`] does it. Answers travel over the board too, sealed
//! to their querier.

mod asked;
mod claim;
pub mod db;
mod docket;
mod follow;
mod journal;
mod key;
mod messages;
mod policy;
mod server;
mod state;
mod task;
mod traced;

pub use asked::{Asked, Failed, Step};
pub use claim::{CLAIM_KIND, TraceVerifier, write_bundle};
pub use docket::{Docket, is_about_query};
pub use follow::Follower;
pub(crate) use follow::is_about_a_query;
pub use journal::DirectoryJournal;
pub use messages::{G, MAX_SENDERS, Message, Setup};
pub use policy::policy_from_toml;
pub(crate) use policy::{queriers, refuse_former_fields};
pub use server::Node;
pub use state::{Decrypting, Fault, Mixing, Stage, Tracing};
pub use task::Task;
pub use traced::Traced;
