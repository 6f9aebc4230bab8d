//! A traceable mix of the engine [`trace_db`] on a board: servers as processes, a dealer if the
//! rules name one, senders, queriers.
//!
//! | stage | who says what |
//! |---|---|
//! | keys | servers: the ElGamal key in three rounds, sealing keys, contributions to the Paillier key; or the dealer: that key, and servers: that their share is one of it |
//! | open | senders: submissions; the operator closes |
//! | mixing | servers, in order: permutations, then turns |
//! | decrypting | servers: signatures, then shares |
//! | ready | queriers: requests with signatures for both passes; servers and dealer: the steps of both passes; servers: refusals |
//!
//! Everybody replays the board into a [`DbTracing`], which verifies every entry; a [`DbNode`] does
//! what it waits for, a [`DealerNode`] what it waits for from the dealer.

mod dealer;
mod messages;
mod node;
mod queries;
mod stages;
mod state;
mod task;
mod text;

pub use dealer::DealerNode;
pub use messages::{DbMessage, DbSetup, Known};
pub use node::DbNode;
pub use queries::DbQuery;
pub use stages::DbStage;
pub use state::DbTracing;
pub use task::DbTask;
pub use text::{TEXT_BYTES, text_of, value_of};

/// A board of the engine `db`, followed.
pub type DbFollower = crate::replay::Replay<DbTracing>;

/// The kind of genesis entry that begins such a board.
pub const GENESIS: &str = "trace/db/setup";
