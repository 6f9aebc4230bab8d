//! Sessions of the engine `db`.

mod query;
mod serve;
mod session;

pub use query::{ask, read};
pub use serve::{DealArgs, deal, serve};
pub use session::{DbArgs, init};
