//! What auditors read, in a stream with ranges, and their word.

use std::sync::Arc;

use axum::{
    body::{Body, Bytes as Part},
    extract::State as Shared,
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use client::api::Attested;
use http_body_util::channel::Channel;
use table::{
    EpochHeader,
    log::Attestation,
    store::{BUNDLE_CHUNK, EpochState},
};
use wire::{Decode as _, Encode as _};

use super::{
    access::{Access, As, Auditing, Epoch},
    log::{BYTES, Bytes},
    served::{Served, state_name},
    state::State,
};
use crate::http::{Json, Problem, Range, Raw};

/// The header of an epoch that is in the log, cosigned or not.
fn logged_header(table: &Served, epoch: u32) -> Result<EpochHeader, Problem> {
    let custodian = table.custodian();
    match custodian.state(epoch)? {
        EpochState::Logged | EpochState::Witnessed => Ok(custodian.header(epoch)?),
        state => {
            let detail = format!("epoch {epoch} is not in the log: it is {}", state_name(state));
            Err(Problem::not_found("epoch", detail))
        }
    }
}

/// What an epoch commits to, and the hash of its audit bundle.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables/{table}/epochs/{epoch}/header", tag = "auditor",
    params(("table" = String, Path, description = "Name or identifier"), ("epoch" = u32, Path, description = "The epoch")),
    responses((status = 200, description = "Canonical bytes", body = Vec<u8>, content_type = "application/octet-stream")),
    security(("token" = [])),
))]
pub async fn epoch_header(
    Access { table, .. }: Access<As<Auditing>>,
    Epoch(epoch): Epoch,
    Shared(state): Shared<Arc<State>>,
) -> Result<Bytes, Problem> {
    let header = state.light.run(move || Ok(logged_header(&table, epoch)?.to_bytes()));
    Ok((BYTES, header.await?))
}

/// The audit bundle of an epoch that is in the log, whole or in one range. Its `ETag` is the hash that
/// the epoch's header binds.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables/{table}/epochs/{epoch}/audit", tag = "auditor",
    params(("table" = String, Path, description = "Name or identifier"), ("epoch" = u32, Path, description = "The epoch"),
        ("Range" = Option<String>, Header, description = "bytes=<first>-<last>")),
    responses(
        (status = 200, description = "The bundle", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 206, description = "The range", body = Vec<u8>, content_type = "application/octet-stream"),
    ),
    security(("token" = [])),
))]
pub async fn bundle(
    Access { table, .. }: Access<As<Auditing>>,
    Epoch(epoch): Epoch,
    Shared(state): Shared<Arc<State>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let served = Arc::clone(&table);
    let described = state.light.run(move || {
        let header = logged_header(&served, epoch)?;
        Ok((header.audit.to_string(), served.bundle_length(epoch)?))
    });
    let (hash, length) = described.await?;
    let tag = format!("\"{hash}\"");
    // A header that is no text is none: then the whole bundle is sent.
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let current = text(header::IF_RANGE).is_none_or(|condition| condition == tag);
    let range = text(header::RANGE).filter(|_| current);
    let (status, first, last) = match Range::read(range, length) {
        Range::Whole => (StatusCode::OK, 0, length),
        Range::Part(first, last) => (StatusCode::PARTIAL_CONTENT, first, last + 1),
        Range::Unsatisfiable => {
            let detail = format!("the bundle has {length} bytes");
            let problem = Problem::new(StatusCode::RANGE_NOT_SATISFIABLE, "range", detail);
            let shown = [(header::CONTENT_RANGE, format!("bytes */{length}"))];
            return Ok((shown, problem).into_response());
        }
    };
    let mut response = Response::new(stream(state, table, epoch, first..last));
    *response.status_mut() = status;
    let mut fields = vec![
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::ACCEPT_RANGES, "bytes".to_owned()),
        (header::CONTENT_LENGTH, (last - first).to_string()),
        (header::ETAG, tag),
    ];
    if status == StatusCode::PARTIAL_CONTENT {
        let range = format!("bytes {first}-{}/{length}", last.saturating_sub(1));
        fields.push((header::CONTENT_RANGE, range));
    }
    for (name, value) in fields {
        response.headers_mut().insert(name, value.parse().map_err(Problem::internal)?);
    }
    Ok(response)
}

/// Sends a part at a time, and reads the next when the client has taken the last.
fn stream(state: Arc<State>, table: Arc<Served>, epoch: u32, range: std::ops::Range<u64>) -> Body {
    let (mut sender, body) = Channel::<Part, std::io::Error>::new(1);
    tokio::spawn(async move {
        let mut at = range.start;
        while at < range.end {
            let number = (at / BUNDLE_CHUNK as u64) as u32;
            let served = Arc::clone(&table);
            let read =
                state.light.run(move || Ok(served.custodian().bundle_chunk(epoch, number)?));
            let skip = (at % BUNDLE_CHUNK as u64) as usize;
            let part = match read.await {
                Ok(Some(part)) if part.len() > skip => Part::from(part).slice(skip..),
                // The connection ends early: the client sees that bytes are missing.
                _ => return sender.abort(std::io::Error::other("the bundle cannot be read")),
            };
            // More than fits is more than the part has.
            let wanted = usize::try_from(range.end - at).unwrap_or(usize::MAX).min(part.len());
            at += wanted as u64;
            if sender.send_data(part.slice(..wanted)).await.is_err() {
                return;
            }
        }
    });
    Body::new(body)
}

/// Takes an auditor's word in, so that answers show it. Whose it is, its signature says.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/tables/{table}/attestations", tag = "auditor",
    params(("table" = String, Path, description = "Name or identifier")),
    request_body(content = Vec<u8>, content_type = "application/octet-stream",
        description = "As `subrosa table audit run --out` writes it"),
    responses((status = 200, description = "Taken in", body = Attested)),
    security(("token" = [])),
))]
pub async fn attest(
    Access { table, .. }: Access<As<Auditing>>,
    Shared(state): Shared<Arc<State>>,
    Raw(bytes): Raw,
) -> Result<Json<Attested>, Problem> {
    let attested = state.writes.run(move || {
        let word = Attestation::from_bytes(&bytes)
            .map_err(|error| Problem::malformed("attestation", error.to_string()))?;
        logged_header(&table, word.epoch)?;
        let custodian = table.custodian();
        if !custodian.table().genesis().auditors.contains(&word.auditor) {
            let detail = "the key is not one of the table's auditors";
            return Err(Problem::refused("attestation", detail));
        }
        custodian.attest(&word)?;
        Ok(Attested { epoch: word.epoch, auditor: word.auditor.to_string() })
    });
    attested.await.map(Json)
}
