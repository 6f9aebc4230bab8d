//! Sessions of the engine `db`.

mod query;
mod serve;
mod session;

pub use query::ask;
pub use serve::{DealArgs, deal, serve};
pub use session::{DbArgs, init};
