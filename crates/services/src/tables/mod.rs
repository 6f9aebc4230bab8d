//! The table server: what an operator runs, and users,
//! queriers, auditors and witnesses ask.
//!
//! `state` holds the tables that are open and what is kept of them in memory; `access` says who may ask for what; every
//! other module answers one group of requests. Handlers read a request and hand the work to a [`crate::http::Gate`]:
//! nothing is computed on the asynchronous runtime. The store in each table's folder is authoritative. A receipt is
//! signed only after its rows are stored durably. The answer to a query is sent only after the question is stored
//! durably.

mod access;
mod admin;
mod audit;
mod epochs;
mod log;
mod observe;
#[cfg(feature = "openapi")]
mod openapi;
#[cfg(feature = "sql")]
mod pull;
mod query;
mod reload;
mod rows;
mod seal;
mod sealing;
mod served;
mod server;
mod state;
mod tokens;
mod user;

#[cfg(feature = "openapi")]
pub use self::openapi::{described, routed};
pub(crate) use self::state::now;
pub use self::{
    served::state_name,
    server::serve,
    state::Notice,
    tokens::{RoleToken, draw_role_token},
};

/// The OpenAPI document: what a server answers that has sources in SQL (one without the feature `sql` says
/// 404 to `pull`). Tests hold it against the handlers, by the feature `openapi`.
pub fn document() -> &'static str {
    include_str!("../../../../docs/openapi.json")
}
