//! Sessions of the engine `db`.

mod begin;
mod query;
mod serve;
mod session;

pub use begin::DbArgs;
pub use query::{ask, read};
pub use serve::{DealArgs, deal, serve};
pub use session::init;
