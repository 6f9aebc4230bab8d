//! What a board's protocol is, about whose mix claims speak.

use board::AuthorId;
use trace::Engine;
use wire::{CheckName, Digest};

use crate::replay::Begin;

/// A board's protocol, about whose mix an engine answers queries.
pub trait Traced: Begin {
    /// What must hold of a claim about its boards, by the name of the check in `docs/spec`.
    const CHECK: CheckName;

    /// The engine.
    type Engine: Engine;

    /// What the session is about.
    fn title(&self) -> &str;

    /// The session, once its outputs are open.
    fn opened(&self) -> Option<<Self::Engine as Engine>::Session>;

    /// The sender of every row of the inputs.
    fn senders_of_rows(&self) -> Vec<AuthorId>;

    /// Whether all servers signed a query of the board.
    fn is_agreed(&self, query: &Digest) -> bool;
}
