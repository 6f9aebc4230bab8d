//! What everybody may read.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{FromRequestParts as _, Path, Request, State as Shared},
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use log::{
    KeeperStore as _, TileStore as _,
    merkle::{consistency_proof, encode_proof},
    tile::Tile,
};
use serde::Deserialize;
use wire::{Digest, Encode as _};

use super::{
    State,
    write::{OCTETS, Octets},
};
use crate::http::{Params, Problem, path};

/// Leaves of an answer.
const MAX_LEAVES: u64 = 1 << 10;
/// Bytes of a payload in an answer: what a slow reader holds.
const PART: u64 = 128 << 10;
/// Seconds that a request may wait for news.
const MAX_WAIT: u64 = 25;

const TEXT: [(header::HeaderName, &str); 1] = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];

pub(super) async fn key(Shared(state): Shared<Arc<State>>) -> Response {
    (TEXT, format!("{}\n", state.key)).into_response()
}

pub(super) async fn checkpoint(Shared(state): Shared<Arc<State>>) -> Result<Response, Problem> {
    let nothing = || Problem::not_found("nothing", "the log has no entries");
    let latest = state.latest().ok_or_else(nothing)?;
    Ok((TEXT, latest.to_text()).into_response())
}

pub(super) async fn tile(
    Shared(state): Shared<Arc<State>>,
    Path(name): Path<String>,
) -> Result<Octets, Problem> {
    let missing = || Problem::not_found("tile", "the log has no such tile");
    let tile: Tile = name.parse().map_err(|_| missing())?;
    let shared = Arc::clone(&state);
    let bytes = state.gate.run(move || {
        let tiles = shared.entries.tiles();
        tiles.get(&tile).map_err(Problem::internal)?.ok_or_else(missing)
    });
    Ok((OCTETS, bytes.await?))
}

/// Which leaves.
#[derive(Deserialize)]
pub(super) struct LeavesParams {
    from: u64,
    limit: u64,
}

/// A count, and so many leaves: of the log that is shown.
pub(super) async fn leaves(
    Shared(state): Shared<Arc<State>>,
    Params(LeavesParams { from, limit }): Params<LeavesParams>,
) -> Result<Octets, Problem> {
    let shared = Arc::clone(&state);
    let bytes = state.gate.run(move || {
        let size = *shared.size.borrow();
        let end = from.saturating_add(limit.min(MAX_LEAVES)).min(size);
        let mut bytes = Vec::new();
        (end.saturating_sub(from) as u32).encode(&mut bytes);
        for index in from..end {
            let leaf = shared.entries.leaf(index).map_err(Problem::internal)?;
            leaf.ok_or_else(|| Problem::internal("a leaf is missing"))?.encode(&mut bytes);
        }
        Ok(bytes)
    });
    Ok((OCTETS, bytes.await?))
}

/// Between which sizes.
#[derive(Deserialize)]
pub(super) struct ConsistencyParams {
    from: u64,
    to: u64,
}

pub(super) async fn consistency(
    Shared(state): Shared<Arc<State>>,
    Params(ConsistencyParams { from, to }): Params<ConsistencyParams>,
) -> Result<Octets, Problem> {
    let shared = Arc::clone(&state);
    let bytes = state.gate.run(move || {
        if from > to || to > *shared.size.borrow() {
            return Err(Problem::refused("sizes", "there is no log between these sizes"));
        }
        let keeper = shared.keeper();
        let proof = consistency_proof(keeper.tree(), from, to).map_err(Problem::internal)?;
        let mut bytes = Vec::new();
        encode_proof(&proof, &mut bytes);
        Ok(bytes)
    });
    Ok((OCTETS, bytes.await?))
}

/// What would be news.
#[derive(Deserialize)]
pub(super) struct NewsParams {
    beyond: u64,
    seconds: u64,
}

/// 200 when the log has more leaves, 204 if it has not by then.
pub(super) async fn news(
    Shared(state): Shared<Arc<State>>,
    Params(NewsParams { beyond, seconds }): Params<NewsParams>,
) -> Result<StatusCode, Problem> {
    let mut size = state.size.subscribe();
    if *size.borrow() > beyond {
        return Ok(StatusCode::OK);
    }
    // Whoever waits is never cut off to make room: so many may, and no more.
    let full = |_| Problem::overloaded("too many wait for news", 1);
    let _place = state.waiting.try_acquire().map_err(full)?;
    let within = Duration::from_secs(seconds.min(MAX_WAIT));
    let grown = tokio::time::timeout(within, size.wait_for(|size| *size > beyond)).await;
    Ok(if matches!(grown, Ok(Ok(_))) { StatusCode::OK } else { StatusCode::NO_CONTENT })
}

/// Where an entry stands.
pub(super) async fn standing(
    Shared(state): Shared<Arc<State>>,
    request: Request,
) -> Result<Octets, Problem> {
    let (mut parts, _) = request.into_parts();
    let entry: Digest = path(&mut parts, "entry").await?;
    let shared = Arc::clone(&state);
    let standing = state.gate.run(move || {
        let standing = shared.entries.standing(&entry).map_err(Problem::internal)?;
        standing.ok_or_else(|| Problem::not_found("entry", "the log has no such entry"))
    });
    Ok((OCTETS, standing.await?.to_bytes()))
}

/// From which byte on.
#[derive(Deserialize)]
pub(super) struct PartParams {
    #[serde(default)]
    from: u64,
}

/// A part of an entry's payload: as much as fits into an answer.
pub(super) async fn payload(
    Shared(state): Shared<Arc<State>>,
    request: Request,
) -> Result<Octets, Problem> {
    let (mut parts, _) = request.into_parts();
    let entry: Digest = path(&mut parts, "entry").await?;
    let Params(PartParams { from }) = Params::from_request_parts(&mut parts, &state).await?;
    let shared = Arc::clone(&state);
    let part = state.gate.run(move || {
        let part = shared.entries.payload_part(&entry, from, PART).map_err(Problem::internal)?;
        part.ok_or_else(|| Problem::not_found("entry", "the log has no such entry"))
    });
    Ok((OCTETS, part.await?))
}
