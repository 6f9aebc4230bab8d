//! Entries, in two steps: header, and payload.

use std::{
    fs::File,
    io::{Read as _, Seek as _, SeekFrom, Write as _},
    sync::Arc,
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    extract::{FromRequestParts as _, Request, State as Shared},
    http::{HeaderName, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use data_encoding::HEXLOWER;
use http_body_util::BodyExt as _;
use log::Header;
use serde::Deserialize;
use wire::{Decode as _, Digest, Encode as _};

use super::{State, state::lock};
use crate::http::{Params, Problem, Raw, path};

/// Larger payloads wait on the disk until they are whole.
const IN_MEMORY: u64 = 64 << 10;
/// Bytes that are written to the disk at once.
const CHUNK: usize = 256 << 10;

pub(super) type Octets = ([(HeaderName, &'static str); 1], Vec<u8>);
pub(super) const OCTETS: [(HeaderName, &str); 1] =
    [(header::CONTENT_TYPE, "application/octet-stream")];

/// Which seat an author was given.
#[derive(Deserialize)]
pub(super) struct SeatParams {
    seat: String,
}

/// `POST /v1/headers`: where the entry stands, or a seat for its payload.
pub(super) async fn offer(
    Shared(state): Shared<Arc<State>>,
    Raw(bytes): Raw,
) -> Result<Response, Problem> {
    let shared = Arc::clone(&state);
    let offered = state.gate.run(move || {
        let header = Header::from_bytes(&bytes)
            .map_err(|error| Problem::malformed("header", error.to_string()))?;
        let entry = header.digest();
        let standing = log::KeeperStore::standing(&shared.entries, &entry);
        match standing.map_err(Problem::internal)? {
            Some(standing) => Ok((OCTETS, standing.to_bytes()).into_response()),
            None => {
                let token = HEXLOWER.encode(&shared.admit(&header)?);
                Ok((StatusCode::ACCEPTED, token).into_response())
            }
        }
    });
    offered.await
}

/// A payload under way, which is given up if it does not come whole.
struct Upload {
    state: Arc<State>,
    entry: Digest,
    header: Header,
    generation: u64,
    within: Duration,
}

impl Upload {
    /// Takes the seat that a token names.
    fn begin(state: &Arc<State>, entry: Digest, token: &str) -> Result<Self, Problem> {
        let late = || Problem::conflict("late", "there is no such seat: send the header again");
        let now = state.now();
        let mut seats = lock(&state.seats);
        let seat = seats.get_mut(&entry).filter(|seat| seat.until > now && !seat.taken);
        let seat = seat.filter(|seat| HEXLOWER.encode(&seat.token) == token).ok_or_else(late)?;
        seat.taken = true;
        let within = Duration::from_millis(seat.until - now);
        let (header, generation) = (seat.header.clone(), seat.generation);
        Ok(Self { state: Arc::clone(state), entry, header, generation, within })
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        self.state.release(&self.entry);
    }
}

/// A payload that came.
enum Received {
    Memory(Vec<u8>),
    Disk(File),
}

/// `PUT /v1/entries/{entry}?seat=`: takes the payload, and promises the entry.
pub(super) async fn deliver(
    Shared(state): Shared<Arc<State>>,
    request: Request,
) -> Result<Octets, Problem> {
    let (mut parts, body) = request.into_parts();
    let entry: Digest = path(&mut parts, "entry").await?;
    let Params(SeatParams { seat }) = Params::from_request_parts(&mut parts, &state).await?;
    let upload = Upload::begin(&state, entry, &seat)?;
    let late = |_| Problem::new(StatusCode::REQUEST_TIMEOUT, "time", "the payload took too long");
    let received = tokio::time::timeout(upload.within, receive(body, &upload)).await;
    let received = received.map_err(late)??;
    let shared = Arc::clone(&state);
    let standing = state.gate.run(move || {
        let delivered = |payload: &[u8]| shared.deliver(&upload.entry, upload.generation, payload);
        match received {
            Received::Memory(payload) => delivered(&payload),
            Received::Disk(mut file) => {
                let _one = lock(&shared.large);
                let mut payload = Vec::new();
                file.seek(SeekFrom::Start(0)).map_err(Problem::internal)?;
                file.read_to_end(&mut payload).map_err(Problem::internal)?;
                delivered(&payload)
            }
        }
    });
    Ok((OCTETS, standing.await?.to_bytes()))
}

/// Takes as many bytes as the header says, and no more. Nothing is kept in memory for what was only
/// announced.
async fn receive(mut body: Body, upload: &Upload) -> Result<Received, Problem> {
    let expected = upload.header.length();
    let wrong = |detail: &str| Problem::malformed("payload", detail);
    let mut file = None;
    if expected > IN_MEMORY {
        file = Some(tempfile::tempfile_in(&upload.state.spool).map_err(Problem::internal)?);
    }
    let (mut buffer, mut got) = (Vec::new(), 0_u64);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| wrong("the body ended early or was sent wrongly"))?;
        let Ok(data) = frame.into_data() else { continue };
        let data: Bytes = data;
        got = got.saturating_add(data.len() as u64);
        if got > expected {
            return Err(wrong("the payload is longer than its header says"));
        }
        buffer.extend_from_slice(&data);
        if buffer.len() >= CHUNK
            && let Some(spooled) = file.take()
        {
            file = Some(write(spooled, std::mem::take(&mut buffer)).await?);
        }
    }
    if got < expected {
        return Err(wrong("the payload is shorter than its header says"));
    }
    match file {
        None => Ok(Received::Memory(buffer)),
        Some(file) => Ok(Received::Disk(write(file, buffer).await?)),
    }
}

/// Writes to the disk, on a thread that may wait for it.
async fn write(mut file: File, bytes: Vec<u8>) -> Result<File, Problem> {
    let written = tokio::task::spawn_blocking(move || file.write_all(&bytes).map(|()| file));
    written.await.map_err(Problem::internal)?.map_err(Problem::internal)
}
