//! The engine `db`: the traceable mixnet's own protocol.

mod bases;
mod committed;
mod distributed;
mod exponents;
mod inputs;
mod knowledge;
mod mix;
mod outputs;
pub mod paillier;
mod pass;
mod proof;
pub mod rsm;
mod server;
mod session;
mod signature;
pub mod sm;
mod submission;
mod verdict;

pub use bases::{F, G1, G2};
pub use committed::Committed;
pub use distributed::{Announced, Announcement, SealedResponse};
pub use inputs::Inputs;
pub use knowledge::RepresentationProof;
pub use mix::{Mixed, PaillierTurn};
pub use outputs::Outputs;
pub use pass::{Pass, Side};
pub use proof::{Proof, Reading};
pub use server::Server;
pub use session::{PaillierSetup, SealingKey, Session};
pub use signature::{BbKey, BbsKey, BbsSignature};
pub use submission::Submission;
pub use verdict::Verdict;
