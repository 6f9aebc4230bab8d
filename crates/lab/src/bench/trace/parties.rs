//! What the parties of both engines do alike.

use board::AuthorId;
use getrandom::SysRng;
use rand_core::{Rng as _, UnwrapErr};
use trace::{Agreement, Cut, MemoryJournal, Policy, TraceError};

/// What servers answer here: one query in each direction, about everything, which tells nothing.
pub fn policy(querier: AuthorId) -> Policy {
    Policy { queriers: vec![querier], max_questions: 2, cut: Cut::Nothing, by_position: false }
}

/// The signatures of all servers, each of which remembers in its journal what it signed.
pub fn agreement<S>(
    servers: &mut [S],
    journals: &mut [MemoryJournal],
    sign: impl Fn(&mut S, &mut MemoryJournal) -> Result<[u8; 64], TraceError>,
) -> Result<Agreement, TraceError> {
    let parties = servers.iter_mut().zip(journals);
    let signatures = parties.map(|(server, journal)| sign(server, journal));
    Ok(Agreement::new(signatures.collect::<Result<_, _>>()?))
}

pub fn encode_all<T: wire::Encode>(messages: &[T]) -> Vec<Vec<u8>> {
    messages.iter().map(wire::Encode::to_bytes).collect()
}

pub fn decode_all<T: wire::Decode>(messages: &[Vec<u8>]) -> Result<Vec<T>, TraceError> {
    messages.iter().map(|bytes| T::from_bytes_seeded(bytes, seed()).map_err(malformed)).collect()
}

/// With what messages that are there are checked.
pub fn seed() -> [u8; 32] {
    let mut seed = [0; 32];
    UnwrapErr(SysRng).fill_bytes(&mut seed);
    seed
}

pub fn malformed(error: wire::DecodeError) -> TraceError {
    TraceError::Malformed { what: "message", reason: error.to_string() }
}
