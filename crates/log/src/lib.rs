//! One log for boards and tables: entries in a Merkle tree, checkpoints that its keeper signs and
//! witnesses cosign, and evidence against a keeper that forks, withholds or turns the clock back.
//!
//! Tree, notes, checkpoints, cosignatures, tiles and the request to witnesses are those of RFC 6962 and C2SP
//! (`signed-note`, `tlog-checkpoint`, `tlog-cosignature`, `tlog-tiles`, `tlog-witness`), byte for byte. So witnesses
//! and monitors of other programs work with our logs, and ours with theirs. The content of a leaf is our own format.
//!
//! 1. An author signs a [`Header`]: kind, subject, time, digest and length of a payload.
//! 2. The [`Keeper`] decides by the header whether it takes the payload ([`Admission`]), stores both, and
//!    answers with a [`Promise`]: at a place from here on, before any heartbeat of a time after then.
//! 3. It appends a [`Leaf`], the header with the time, to the [`Tree`]. Times never decrease. Now and then it appends a
//!    heartbeat ([`Header::tick`]): the log's time advances, and all promises before it are kept.
//! 4. It signs a [`Checkpoint`], one root for each size, and stores it before anybody sees it.
//! 5. A [`Witness`] checks that the log only grew, remembers, and cosigns. Readers ask for a [`Quorum`].
//! 6. Whoever sees two histories, a broken promise or times that decrease has [`Evidence`]: bytes that
//!    convict the holder of the keeper's key without anybody's word. A witness's clock convicts nobody.
//!
//! The crate knows no sockets, files or clocks: stores are traits ([`TileStore`], [`KeeperStore`],
//! [`WitnessMemory`]), times are arguments.
//!
//! Two things are outside of this crate. The application's policy says who may write. If a keeper stops, or gives no
//! heartbeats, every reader sees that by its own clock, but nobody can convict the keeper.
//!
//! ```
//! use log::{
//!     AddCheckpoint, Checkpoint, Header, Identity, Leaf, MemoryTiles, MemoryWitness, Quorum,
//!     SignedCheckpoint, Tree, Witness, log_key, merkle,
//! };
//! use rand_core::SeedableRng;
//!
//! let rng = &mut rand_chacha::ChaCha20Rng::seed_from_u64(1);
//! let [alice, keeper, w] = [(); 3].map(|()| Identity::generate(rng));
//! let origin: log::Origin = "example.org/lunch".parse()?;
//!
//! // Alice writes; the keeper appends, and signs.
//! let soup = Header::sign(&alice, &origin, ("lunch/option", b"1"), 1_000, b"soup")?;
//! let leaves = [
//!     Leaf { time: 1_001, header: soup },
//!     Leaf { time: 1_060, header: Header::tick(&keeper, &origin, 1_060)? },
//! ];
//! let mut tree = Tree::new(MemoryTiles::default());
//! tree.append(&leaves.each_ref().map(Leaf::hash))?;
//! let checkpoint = Checkpoint::new(origin.clone(), tree.size(), tree.root()?);
//! let mut signed = checkpoint.sign(&keeper)?;
//!
//! // A witness remembers it, and cosigns.
//! let mut witness = Witness::new("witness.example/w".parse()?, w);
//! witness.follow(origin.clone(), keeper.id())?;
//! let mut memory = MemoryWitness::default();
//! let request = AddCheckpoint { old: 0, proof: Vec::new(), checkpoint: signed.clone() };
//! let line = witness.add_checkpoint(&mut memory, request.to_text().as_bytes(), 1_061)?;
//! signed.add(log::note::NoteSignature::from_line(line.trim_end())?);
//!
//! // A reader has the keys of keeper and witness, and checks everything.
//! let shown = SignedCheckpoint::parse(signed.to_text().as_bytes())?;
//! shown.verify(&log_key(&origin, keeper.id())?)?;
//! assert_eq!(Quorum::new(vec![witness.key()], 1)?.verify(&shown)?, Some(1_061));
//! let proof = merkle::inclusion_proof(&tree, 0, 2)?;
//! let log = shown.checkpoint();
//! merkle::verify_inclusion((0, &leaves[0].hash()), (log.size, &log.root), &proof)?;
//! leaves[0].header.verify(&origin)?;
//! leaves[0].header.verify_payload(b"soup")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod access;
pub mod admission;
mod checkpoint;
mod cosignature;
mod entry;
mod error;
mod evidence;
mod follower;
mod identity;
mod keeper;
#[cfg(feature = "store")]
mod keyfile;
mod leaf;
mod local;
mod memory;
pub mod merkle;
pub mod note;
pub mod outbox;
mod promise;
#[cfg(feature = "store")]
pub mod store;
pub mod tile;
mod tree;
mod witness;

pub use access::{AccessError, LogAccess};
pub use admission::{Admission, AdmissionError, AdmissionPolicy, Delivered, Quota};
pub use checkpoint::{Checkpoint, Origin, SignedCheckpoint, log_key};
pub use cosignature::{Quorum, QuorumError, cosign, cosigned_at, verify_cosignature};
pub use entry::{EntryError, Header, MAX_HEADER, MAX_KIND, MAX_PAYLOAD, MAX_SUBJECT, TICK};
pub use error::EvidenceError;
pub use evidence::{Evidence, MAX_EVIDENCE, Offence};
pub use follower::{FollowError, Follower};
pub use identity::{AuthorId, Identity};
pub use keeper::{Keeper, KeeperError, KeeperStore, Standing};
#[cfg(feature = "store")]
pub use keyfile::{KeyError, PartyKey};
pub use leaf::{Leaf, MAX_LEAF, Stretch};
pub use local::{Clock, LocalLog};
pub use memory::MemoryEntries;
pub use outbox::{Outbox, OutboxError, OutboxStore};
pub use promise::Promise;
#[cfg(feature = "store")]
pub use store::DirectoryLog;
pub use tree::{MemoryTiles, TileStore, Tree, TreeError};
pub use witness::{AddCheckpoint, MAX_REQUEST, MemoryWitness, Refusal, Witness, WitnessMemory};
