//! The log: checkpoints and tiles for anybody, growth for witnesses, gossip.

use std::sync::Arc;

use axum::{
    extract::{FromRequestParts, State as Shared},
    http::{HeaderName, header, request::Parts},
};
use client::api::{Consistency, Cosigned, Gossip, LogView};
use serde::Deserialize;
use table::{
    Fault, Hash,
    log::{
        Cosignature, SignedCheckpoint,
        merkle::{self, Leaves},
        tile::{self, Content, Tile},
    },
    store::{Custodian, CustodyError, EpochState, RedbStore},
};
use wire::{Decode as _, Encode as _};

use super::{
    access::{Access, As, Public, Witnessing},
    served::{Served, View, state_name},
    state::State,
};
use crate::http::{Json, Params, Problem, Raw, path};

/// Text, as notes are.
pub type Text = ([(HeaderName, &'static str); 1], String);
/// Canonical bytes.
pub type Bytes = ([(HeaderName, &'static str); 1], Vec<u8>);

const TEXT: [(HeaderName, &str); 1] = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
/// What is there for good.
pub const BYTES: [(HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/octet-stream")];

/// The newest checkpoint, a signed note (C2SP `tlog-checkpoint`), with as many cosignatures as the
/// table asks for.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables/{table}/log/checkpoint", tag = "log",
    params(("table" = String, Path, description = "Name or identifier")),
    responses((status = 200, description = "A signed note", body = String, content_type = "text/plain")),
))]
pub async fn checkpoint(
    Access { table, .. }: Access<Public>,
    Shared(state): Shared<Arc<State>>,
) -> Result<Text, Problem> {
    let note = state.light.run(move || Ok(table.shown()?.sent.checkpoint.clone()));
    Ok((TEXT, note.await?))
}

/// The newest log that is shown, with all that verifies its checkpoint.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables/{table}/log", tag = "log",
    params(("table" = String, Path, description = "Name or identifier")),
    responses((status = 200, description = "The log", body = LogView)),
))]
pub async fn newest(
    Access { table, .. }: Access<Public>,
    Shared(state): Shared<Arc<State>>,
) -> Result<Json<LogView>, Problem> {
    state.light.run(move || Ok(table.shown()?.sent.clone())).await.map(Json)
}

/// What of the log a path names (C2SP `tlog-tiles`).
pub struct Named(Tile);

impl FromRequestParts<Arc<State>> for Named {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<State>) -> Result<Self, Problem> {
        let name: String = path(parts, "tile").await?;
        name.parse().map(Self).map_err(|_| no_tile())
    }
}

fn no_tile() -> Problem {
    Problem::not_found("tile", "the log has no such tile")
}

/// Hashes or entries of the log (C2SP `tlog-tiles`): `tile/<level>/<number>[.p/<width>]`, or
/// `tile/entries/<number>[.p/<width>]`. They never change.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables/{table}/log/tile/{tile}", tag = "log",
    params(
        ("table" = String, Path, description = "Name or identifier"),
        ("tile" = String, Path, description = "Level and number, such as 0/000.p/3"),
    ),
    responses((status = 200, description = "Hashes, or entries", body = Vec<u8>, content_type = "application/octet-stream")),
))]
pub async fn tile(
    Access { table, .. }: Access<Public>,
    Named(tile): Named,
    Shared(state): Shared<Arc<State>>,
) -> Result<Bytes, Problem> {
    let bytes = state.light.run(move || {
        let view = table.shown()?;
        let leaves: Vec<_> = view.digests.iter().map(Hash::as_bytes).collect();
        let bytes = match tile.content() {
            Content::Hashes(_) => {
                let Ok(bytes) = tile::hashes(&Leaves(&leaves), &tile, view.size());
                bytes
            }
            Content::Entries => tile::bundle(&leaves, &tile),
        };
        bytes.ok_or_else(no_tile)
    });
    Ok((BYTES, bytes.await?))
}

/// From which size to which.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub struct Sizes {
    /// Epochs in the older log.
    #[cfg_attr(feature = "openapi", param(format = "uint64"))]
    pub from: u64,
    /// Epochs in the newer log.
    #[cfg_attr(feature = "openapi", param(format = "uint64"))]
    pub to: u64,
}

/// That the log only grew from one size to another (RFC 6962).
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables/{table}/log/consistency", tag = "log",
    params(("table" = String, Path, description = "Name or identifier"), Sizes),
    responses((status = 200, description = "Nodes of the log", body = Consistency)),
))]
pub async fn consistency(
    Access { table, .. }: Access<Public>,
    Shared(state): Shared<Arc<State>>,
    Params(Sizes { from, to }): Params<Sizes>,
) -> Result<Json<Consistency>, Problem> {
    let proof = state.light.run(move || {
        let view = table.shown()?;
        match from <= to && to <= view.size() {
            true => Ok(consistent(&view.digests, from, to)),
            false => {
                let detail = format!("sizes ascend, up to {}", view.size());
                Err(Problem::refused("sizes", detail))
            }
        }
    });
    proof.await.map(Json)
}

/// The proof between two sizes of a log with these digests.
fn consistent(digests: &[Hash], from: u64, to: u64) -> Consistency {
    let leaves: Vec<_> = digests.iter().take(to as usize).map(Hash::as_bytes).collect();
    let proof = merkle::consistency(from as usize, &leaves);
    Consistency { from, to, proof: proof.iter().map(Hash::to_string).collect() }
}

/// Tells the server which checkpoint somebody else saw. It answers with the newest log and a proof that
/// it continues that one; 409 means that there are two histories, and that the operator signed both.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/tables/{table}/gossip", tag = "log",
    params(("table" = String, Path, description = "Name or identifier")),
    request_body(content = String, content_type = "text/plain", description = "A signed note"),
    responses((status = 200, description = "The newest log", body = Gossip)),
))]
pub async fn gossip(
    Access { table, .. }: Access<Public>,
    Shared(state): Shared<Arc<State>>,
    Raw(note): Raw,
) -> Result<Json<Gossip>, Problem> {
    let shared = Arc::clone(&state);
    let answer = state.light.run(move || {
        let view = table.shown()?;
        let seen = read_note(&table, &note)?;
        compare(&shared, &table, &view, &seen)
    });
    answer.await.map(Json)
}

fn read_note(table: &Served, note: &[u8]) -> Result<SignedCheckpoint, Problem> {
    let refused = |fault: Fault| Problem::refused("note", fault.to_string());
    let note =
        std::str::from_utf8(note).map_err(|_| Problem::malformed("note", "a note is UTF-8"))?;
    let custodian = table.custodian();
    let seen = SignedCheckpoint::from_note(custodian.table(), note).map_err(refused)?;
    seen.verify_operator(custodian.table()).map_err(refused)?;
    Ok(seen)
}

fn compare(
    state: &State,
    table: &Served,
    view: &View,
    seen: &SignedCheckpoint,
) -> Result<Gossip, Problem> {
    let custodian = table.custodian();
    let (size, digests) = (seen.checkpoint.size, custodian.digests()?);
    match custodian.compare(seen, &[]) {
        Ok(()) => {}
        // From now on nothing is signed that could be a second history.
        Err(CustodyError::RolledBack { .. }) => {
            let message = format!("table {}: somebody saw a log of {size} epochs", table.id);
            state.alarm("rollback", &message);
            let detail = "the operator signed a longer log than this server has: it was set back";
            return Err(Problem::conflict("rollback", detail));
        }
        Err(CustodyError::Forked { .. }) => {
            let message = format!("table {}: another log of {size} epochs is about", table.id);
            state.alarm("equivocation", &message);
            let detail = "the operator signed another log of this size: keep both checkpoints";
            return Err(Problem::conflict("equivocation", detail));
        }
        Err(error) => return Err(error.into()),
    }
    let consistency = consistent(&digests, size, view.size().max(size));
    Ok(Gossip { log: view.sent.clone(), consistency })
}

/// Where a proof starts.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub struct Since {
    /// Epochs in the log that the witness saw last; 0 at first.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", param(format = "uint64"))]
    pub since: u64,
}

/// The newest log with what a witness checks before it cosigns, as `subrosa table log --out` writes it.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables/{table}/log/growth", tag = "witness",
    params(("table" = String, Path, description = "Name or identifier"), Since),
    responses((status = 200, description = "Canonical bytes", body = Vec<u8>, content_type = "application/octet-stream")),
    security(("token" = [])),
))]
pub async fn growth(
    Access { table, .. }: Access<As<Witnessing>>,
    Shared(state): Shared<Arc<State>>,
    Params(Since { since }): Params<Since>,
) -> Result<Bytes, Problem> {
    let bytes = state.light.run(move || {
        let custodian = table.custodian();
        let size = custodian.digests()?.len() as u64;
        if size == 0 {
            return Err(Problem::not_found("log", "no epoch of this table is in the log yet"));
        }
        if since > size {
            return Err(Problem::refused("sizes", format!("the log has {size} epochs")));
        }
        Ok(custodian.growth(since)?.to_bytes())
    });
    Ok((BYTES, bytes.await?))
}

/// Takes a witness's cosignature in; with enough of them the log is shown to everybody.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/tables/{table}/cosignatures", tag = "witness",
    params(("table" = String, Path, description = "Name or identifier")),
    request_body(content = Vec<u8>, content_type = "application/octet-stream",
        description = "As `subrosa table cosign sign` writes it"),
    responses((status = 200, description = "Taken in", body = Cosigned)),
    security(("token" = [])),
))]
pub async fn cosign(
    Access { table, .. }: Access<As<Witnessing>>,
    Shared(state): Shared<Arc<State>>,
    Raw(bytes): Raw,
) -> Result<Json<Cosigned>, Problem> {
    let cosigned = state.writes.run(move || {
        let cosignature = Cosignature::from_bytes(&bytes)
            .map_err(|error| Problem::malformed("cosignature", error.to_string()))?;
        let custodian = table.custodian();
        let (size, reached) = take_cosignature(&custodian, &cosignature)?;
        table.changed();
        Ok(Cosigned { size, state: state_name(reached).to_owned() })
    });
    cosigned.await.map(Json)
}

/// The log may have grown since the witness saw it: the newest size that the cosignature is of.
fn take_cosignature(
    custodian: &Custodian<RedbStore>,
    cosignature: &Cosignature,
) -> Result<(u64, EpochState), Problem> {
    let newest = custodian.digests()?.len() as u64;
    let oldest = custodian.served_size()?.max(1);
    for size in (oldest..=newest).rev() {
        match custodian.cosign(size, cosignature.clone()) {
            Ok(reached) => return Ok((size, reached)),
            Err(CustodyError::Fault(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let detail = "not of a witness of this table, or of another log";
    Err(Problem::refused("cosignature", detail))
}
