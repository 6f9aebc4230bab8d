//! A bulletin board: an append-only, hash-chained log of Ed25519-signed entries.
//!
//! An [`Identity`] signs an [`Entry`]: a kind and a payload, for one [`Position`] on one board.
//! Each entry names the digest of the one before it, so the last digest, [`Board::head`], stands
//! for everything that was ever written; the digest of the first, [`Board::id`], names the board.
//! Whoever holds the entries can verify them alone, and nobody can change, drop, reorder or
//! insert one, or move it to another board, without a signature failing or the head changing.
//!
//! The chain does *not* say who may write: an application checks [`Entry::author`]. A keeper may show a shorter chain
//! to some readers. To find out, compare heads.
//!
//! New boards are on logs ([`logged`]), which hosts share over HTTP. A [`Bulletin`] is a board of either kind.
//!
//! A [`Store`] keeps the bytes and decides who is first when two append at once:
//!
//! * [`MemoryStore`], for tests and within one process;
//! * [`DirectoryStore`], a file per entry, for processes on one machine.
//!
//! No store is trusted: a [`Board`] verifies every entry that it reads, once.
//!
//! ```
//! use board::{AppendError, Board, Identity, MemoryStore};
//! use rand_core::SeedableRng;
//!
//! let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(1);
//! let (alice, bob) = (Identity::generate(&mut rng), Identity::generate(&mut rng));
//!
//! let store = MemoryStore::new();
//! let mut hers = Board::create(store.clone(), &alice, "election/open", b"What for lunch?")?;
//! let mut his = Board::open_expecting(store, hers.id())?;
//!
//! // Both are about to write entry 1: Alice is first, so Bob looks before he writes.
//! hers.append(&alice, "election/option", b"soup")?;
//! let late = his.append(&bob, "election/option", b"soup");
//! assert!(matches!(late, Err(AppendError::Conflict { sequence: 1 })));
//! his.refresh()?;
//! assert_eq!(his.entries()[1].author(), alice.id());
//! his.append(&bob, "election/option", b"salad")?;
//!
//! hers.refresh()?;
//! assert_eq!(hers.head(), his.head());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod board;
mod bulletin;
mod chain;
mod entry;
mod error;
mod head;
mod limits;
pub mod logged;
mod store;

pub use board::{Board, Verified};
pub use bulletin::Bulletin;
pub use entry::{Entry, MAX_ENTRY, MAX_KIND, Position};
pub use error::{AppendError, BoardError, EntryError, StoreError};
pub use head::Head;
pub use limits::MAX_PAYLOAD;
pub use log::{AuthorId, Identity};
pub use store::{DirectoryStore, MemoryStore, Store};
