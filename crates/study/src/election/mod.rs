//! An election, from a description to a bundle that anyone can check.
//!
//! Parties write all their messages to one [board](board::Board). [`Election`] verifies every entry, and computes from
//! the board what has happened. There is no other state: a party that was killed reads the board and goes on, and an
//! auditor who replays the board at the end comes to the same result as every party.
//!
//! | phase | who writes | what |
//! |---|---|---|
//! | set-up | operator | the description and the parties; the parameters of a shuffle that needs some; the roll of voters |
//! | key generation | trustees | three rounds of distributed key generation |
//! | casting | operator, stations | the opening; sealed ballots, each signed by its voter; the closing |
//! | mixing | mixers, in turn | permuted and re-encrypted ballots with their proof |
//! | decryption | trustees, operator | partial decryptions with their proofs; the outcome |
//!
//! If the description has classes of voters, the roll says in which class each voter is. From the closing on every
//! class is a list of its own. It is mixed and opened separately, with proofs that name the class, and never with fewer
//! ballots than the class needs.
//!
//! An entry that breaks the protocol has no effect and is named as a [`Fault`]. The other parties go on if enough of
//! them are left. If a party is silent when it is its turn, the operator may declare it absent.
//!
//! [`Trustee`], [`Mixer`], [`Operator`] and [`cast`] are the parties, to be run by
//! [`Replay::participate`](crate::replay::Replay::participate) in a process each; [`write_bundle`] and [`ElectionVerifier`] make and check the claim.

mod booth;
mod bundle;
mod casting;
mod close;
mod counting;
mod explained;
mod fault;
mod key;
mod keygen;
mod lists;
mod messages;
mod mixer;
mod notices;
mod operator;
mod parameters;
mod parties;
mod policy;
mod replays;
mod roll;
mod rule;
mod rules;
mod scheme;
mod session;
#[cfg(test)]
mod simulator;
mod state;
mod station;
mod tflsz;
mod trustee;
mod turns;
pub mod voter;
mod words;

pub use booth::{Booth, Seat, Seed};
pub use bundle::{CLAIM_KIND, ElectionVerifier, write_bundle, write_bundle_with};
pub use casting::{RefusedBallot, Revision};
pub use close::Close;
pub use fault::Fault;
pub use lists::BallotList;
pub(crate) use lists::MIX as BALLOTS_MIX;
pub use messages::{MAX_BATCH, MAX_VOTERS, Message, Outcome, Setup, SignedBallot, Voter};
pub use mixer::Mixer;
pub use notices::{
    Absence, Closing, MAX_PARTS, MixHeader, MixPart, Opening, PART_BYTES, Ready, Seen,
};
pub use operator::{Operator, Until};
pub use parameters::{ParametersError, TflszParameters, VerifiedParameters};
pub use parties::{MAX_PARTIES, Parties, Party, Role};
pub use policy::{Clock, PartyPolicy};
pub use replays::Replays;
pub use roll::check_roll;
pub(crate) use rule::Rule;
pub use rules::Rules;
pub use scheme::{Scheme, TereliusWikstrom};
pub use session::{Session, Task, shuffle_on};
pub use state::{Election, NotAnElection, Phase, require_room};
pub use station::{cast, post_ballots};
pub use tflsz::{Tflsz, TflszSetup};
pub use trustee::Trustee;
