//! Bytes in and out.
//!
//! * [`Encode`], [`Decode`] and [`Reader`]: the canonical binary form of every message, with
//!   explicit limits; nothing is allocated by a number that an attacker wrote.
//! * [`FileHeader`]: the first bytes of every file of ours, `SUBROSA\0`, kind, version.
//! * [`write_atomic`] and [`read_bounded`]: files that are whole or absent, and never too large.
//! * [`Digest`]: domain-tagged SHA-256, the name of every object that a claim speaks of.
//! * [`Channel`]: frames over memory, a UNIX socket, TCP or TLS, with time-outs and size caps. The
//!   feature `net` connects and listens, and has TLS; without it a channel takes connected sockets.
//! * [`SectionTable`] and [`SectionWriter`]: the container of the iden3 tools' files.
//! * [`Blake2b`]: BLAKE2b-512 with a state that can be stored, as `.ptau` files do.
//! * [`CheckName`]: the name of a check in `docs/spec`, which a refusal says.
//! * [`Progress`]: where long work reports how far it is.
//!
//! ```
//! use wire::{Decode, DecodeError, Encode, Reader};
//!
//! struct Point { x: u32, tags: Vec<u8> }
//!
//! impl Encode for Point {
//!     fn encode(&self, out: &mut Vec<u8>) {
//!         self.x.encode(out);
//!         wire::put_bytes(out, &self.tags);
//!     }
//! }
//! impl Decode for Point {
//!     fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
//!         Ok(Self { x: reader.u32()?, tags: reader.bytes("tags", 100)?.to_vec() })
//!     }
//! }
//!
//! let bytes = Point { x: 7, tags: vec![1, 2] }.to_bytes();
//! assert_eq!(Point::from_bytes(&bytes).unwrap().x, 7);
//! assert!(Point::from_bytes(&bytes[..bytes.len() - 1]).is_err());
//! ```
#![forbid(unsafe_code)]

mod blake2b;
mod channel;
mod check;
mod codec;
mod digest;
mod error;
mod file;
mod progress;
mod sections;

pub use blake2b::Blake2b;
pub use channel::{Address, AddressError, Channel, ChannelError};
#[cfg(feature = "net")]
pub use channel::{Listener, ListenerStop, TlsClient, TlsServer};
pub use check::CheckName;
pub use codec::{Decode, Encode, Reader, put_bytes};
pub use digest::{Digest, DigestWriter};
pub use error::DecodeError;
pub use file::{FileHeader, NewFile, read_bounded, write_atomic, write_new, write_secret};
pub use progress::Progress;
pub use sections::{Section, SectionBody, SectionError, SectionTable, SectionWriter};
