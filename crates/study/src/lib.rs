//! Compositions: whole studies, from a description to a bundle that anyone can check.
//!
//! Two are here: an [`election`] and a pay [`survey`]. An election's [`description`] says what is
//! voted on and who runs it; [`preferences`] are what voters rank and how a ballot carries it; [`count`] turns opened ballots
//! into a result, and [`report`] into a page.
//!
//! ```
//! use study::{count::BallotBox, description::ElectionDescription};
//!
//! let lunch = ElectionDescription::from_toml(r#"
//!     title = "Lunch"
//!     question = "What for lunch?"
//!     candidates = ["Soup", "Salad", "Stew"]
//!     max_ranks = 3
//!     rules = ["irv"]
//!     trustees = 3
//!     threshold = 2
//!     mixers = 2
//!     minimum_mixers = 1
//! "#)?;
//!
//! // What a ballot carries, and what counting makes of it.
//! let layout = lunch.layout();
//! let shape = layout.ranking(0).unwrap();
//! let votes = [[0, 1].as_slice(), &[1], &[2, 1], &[0], &[1, 2]];
//! let rankings = votes.map(|choices| shape.ranking(choices.iter().copied()));
//! let cells = layout.encode(&rankings[0].as_ref().unwrap().into())?;
//! assert_eq!(layout.decode(&cells), rankings[0].clone().into());
//!
//! let tally = rankings.into_iter().collect::<BallotBox>().tally(&lunch.questions);
//! assert_eq!(tally.irv.and_then(|irv| irv.winner()), Some(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How the same votes are cast, mixed, decrypted and verified without anybody learning who cast
//! them is the business of [`election`].
#![forbid(unsafe_code)]

pub mod admission;
mod bundled;
mod checks;
pub mod count;
pub mod description;
pub mod election;
pub mod inquiry;
pub mod preferences;
pub mod replay;
pub mod report;
pub mod secrets;
pub mod survey;
pub mod tracing;

pub use bundled::BoardObjects;
