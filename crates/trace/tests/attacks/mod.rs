//! The attacks of `docs/trace-attacks.md`: whatever a coalition of servers, senders and queriers tries
//! against key, inputs and mix (`session`), lists, sums and agreement (`query`), and shares
//! (`shares`); what all answers together tell (`policy`).

mod policy;
mod query;
mod session;
mod shares;
