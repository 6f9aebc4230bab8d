//! Tables, tokens, the operator's key, and how the server is.

use std::{
    path::PathBuf,
    sync::{Arc, RwLockWriteGuard, TryLockError},
    time::Duration,
};

use axum::{
    body::Bytes,
    extract::State as Shared,
    http::{HeaderName, StatusCode, header},
};
use client::api::{
    Health, NewTable, RevokeRequest, Revoked, Rotated, TableInfo, Tables, Token, TokenRequest,
};
use table::{
    Hash, PublicKey, Schema,
    store::{Custodian, RedbStore},
};

use super::{
    access::{Access, As, Custody, Granted, Monitoring, Public, Registering},
    document,
    log::Text,
    served::Served,
    state::{State, folder_problem, now},
    tokens::UserClaim,
    user::NO_STORE,
};
use crate::{
    folder::Plan,
    http::{Json, Problem},
};

/// Bytes of a user's identifier.
const MAX_USER: usize = 256;
/// A leap year.
const MAX_TOKEN_SECONDS: u32 = 366 * 86_400;
/// How long a change of the key waits for requests under way.
const PATIENCE: u32 = 300;
const STEP: Duration = Duration::from_millis(10);

/// Whether the server answers, and its tables' stores can be read and written. 503 if none can.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/health", tag = "server",
    responses((status = 200, description = "It does, for at least one table", body = Health))
))]
pub async fn health(
    Shared(state): Shared<Arc<State>>,
) -> Result<(StatusCode, Json<Health>), Problem> {
    let shared = Arc::clone(&state);
    let health = state.light.run(move || {
        let tables = shared.tables();
        let failed = tables.iter().filter(|table| !table.works()).map(|table| table.name.clone());
        let folder = |path: PathBuf| {
            // For people: a folder that ends in `..` has no name.
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let failing: Vec<String> = failed.chain(shared.closed().into_iter().map(folder)).collect();
        let all = tables.len() + shared.closed().len();
        let code = match all > 0 && failing.len() >= all {
            true => StatusCode::SERVICE_UNAVAILABLE,
            false => StatusCode::OK,
        };
        let status = if failing.is_empty() { "ok" } else { "failing" };
        let tables = tables.len() as u64;
        Ok((code, Json(Health { status: status.to_owned(), tables, failing })))
    });
    health.await
}

/// This document.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/openapi.json", tag = "server",
    responses((status = 200, description = "OpenAPI", body = Object))
))]
pub async fn openapi() -> ([(HeaderName, &'static str); 1], &'static str) {
    ([(header::CONTENT_TYPE, "application/json")], document())
}

/// What a browser is told of the page besides its own policy: no other page may frame it.
const PAGE: [(HeaderName, &str); 4] = [
    (header::CONTENT_TYPE, "text/html; charset=utf-8"),
    (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
];

/// The page with which a browser checks answers and bundles, if the operator serves one. Whoever does not
/// trust the operator takes it from somewhere else, or compares its hash.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/verify", tag = "server",
    responses(
        (status = 200, description = "HTML", body = String, content_type = "text/html"),
        (status = 404, description = "None is served", body = client::api::Problem, content_type = "application/problem+json"),
    )
))]
pub async fn page(
    Shared(state): Shared<Arc<State>>,
) -> Result<([(HeaderName, &'static str); 4], Bytes), Problem> {
    let page = state.live().page.clone();
    let none = "the operator serves no page: name one as `page` in the configuration";
    let page = page.ok_or_else(|| Problem::not_found("page", none))?;
    Ok((PAGE, page.html))
}

/// Counters, in the text format of Prometheus.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/metrics", tag = "server",
    responses((status = 200, description = "Counters", body = String, content_type = "application/openmetrics-text")),
    security(("token" = []))
))]
pub async fn metrics(
    _: Granted<As<Monitoring>>,
    Shared(state): Shared<Arc<State>>,
) -> ([(HeaderName, &'static str); 1], String) {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let waiting = state.light.waiting() + state.writes.waiting() + state.heavy.waiting();
    (
        [(header::CONTENT_TYPE, kind)],
        state.metrics.render(state.epochs.rows(), waiting, state.accesses.lost()),
    )
}

fn describe(table: &Served) -> Result<TableInfo, Problem> {
    let custodian = table.custodian();
    Ok(TableInfo {
        name: table.name.clone(),
        id: table.id.clone(),
        first_epoch: custodian.table().genesis().first_epoch,
        epochs: custodian.served_size()?,
        next_epoch: custodian.next_epoch()?,
    })
}

/// The tables.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables", tag = "server",
    responses((status = 200, description = "All that can be read", body = Tables))
))]
pub async fn tables(Shared(state): Shared<Arc<State>>) -> Result<Json<Tables>, Problem> {
    let open = state.tables();
    let described = state.light.run(move || {
        // One that fails does not hide the others.
        let tables = open.iter().filter_map(|table| describe(table).ok()).collect();
        Ok(Tables { tables })
    });
    described.await.map(Json)
}

/// The genesis of a table, in the form that its identifier is the hash of: compare it with the one that
/// you pin.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables/{table}", tag = "log",
    params(("table" = String, Path, description = "Name or identifier")),
    responses((status = 200, description = "The genesis", body = Object)),
))]
pub async fn genesis(
    Access { table, .. }: Access<Public>,
    Shared(state): Shared<Arc<State>>,
) -> Result<Text, Problem> {
    let json = [(header::CONTENT_TYPE, "application/json")];
    let bytes = state.light.run(move || Ok(table.custodian().table().genesis().to_bytes()));
    Ok((json, String::from_utf8(bytes.await?).map_err(Problem::internal)?))
}

/// Makes a table, with keys of its own.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/tables", tag = "custodian",
    request_body = NewTable,
    responses((status = 201, description = "Made", body = TableInfo)),
    security(("token" = [])),
))]
pub async fn create(
    _: Granted<As<Custody>>,
    Shared(state): Shared<Arc<State>>,
    Json(request): Json<NewTable>,
) -> Result<(StatusCode, Json<TableInfo>), Problem> {
    let refused = |error: &dyn std::fmt::Display| Problem::refused("schema", error.to_string());
    let keys = |keys: &[String]| -> Result<Vec<PublicKey>, Problem> {
        let key = |text: &String| {
            let detail = || Problem::refused("key", format!("`{text}` is not a public key"));
            text.parse().map(PublicKey).map_err(|_| detail())
        };
        keys.iter().map(key).collect()
    };
    let plan = Plan {
        schema: serde_json::from_value::<Schema>(request.schema)
            .map_err(|error| refused(&error))?,
        first_epoch: request.first_epoch,
        witnesses: keys(&request.witnesses)?,
        quorum: request.quorum,
        dishonest: request.dishonest,
        auditors: keys(&request.auditors)?,
        continues: None,
    };
    let shared = Arc::clone(&state);
    let made = state.writes.run(move || describe(&*shared.make(plan)?));
    Ok((StatusCode::CREATED, Json(made.await?)))
}

/// A user that the operator names.
fn named(user: String) -> Result<Vec<u8>, Problem> {
    match (1..=MAX_USER).contains(&user.len()) {
        true => Ok(user.into_bytes()),
        false => {
            let detail = format!("a user's identifier has 1 to {MAX_USER} bytes");
            Err(Problem::refused("user", detail))
        }
    }
}

/// Makes a token for a user, which the operator hands over.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/tables/{table}/tokens", tag = "registrar",
    params(("table" = String, Path, description = "Name or identifier")),
    request_body = TokenRequest,
    responses((status = 200, description = "Secret", body = Token)),
    security(("token" = [])),
))]
pub async fn token(
    Access { table, .. }: Access<As<Registering>>,
    Shared(state): Shared<Arc<State>>,
    Json(TokenRequest { user, seconds }): Json<TokenRequest>,
) -> Result<([(HeaderName, &'static str); 1], Json<Token>), Problem> {
    let user = named(user)?;
    if !(1..=MAX_TOKEN_SECONDS).contains(&seconds) {
        let detail = format!("a token holds for 1 to {MAX_TOKEN_SECONDS} seconds");
        return Err(Problem::refused("seconds", detail));
    }
    let id: Hash = table.id.parse().map_err(Problem::internal)?;
    let generation = state.revocations.generation(&state.users.alias(&id, &user));
    let expires = now().saturating_add(seconds.into());
    let claim = UserClaim { table: id, expires, user, generation };
    Ok((NO_STORE, Json(Token { token: state.users.sign(&claim), expires })))
}

/// Voids all tokens that a user of the table has, and nobody else's. Those made afterwards hold.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/tables/{table}/tokens/revoke", tag = "registrar",
    params(("table" = String, Path, description = "Name or identifier")),
    request_body = RevokeRequest,
    responses((status = 200, description = "They hold no more", body = Revoked)),
    security(("token" = [])),
))]
pub async fn revoke(
    Access { table, .. }: Access<As<Registering>>,
    Shared(state): Shared<Arc<State>>,
    Json(RevokeRequest { user }): Json<RevokeRequest>,
) -> Result<Json<Revoked>, Problem> {
    let named = named(user.clone())?;
    let id: Hash = table.id.parse().map_err(Problem::internal)?;
    let alias = state.users.alias(&id, &named);
    let shared = Arc::clone(&state);
    let revoke = move || shared.revocations.revoke(&alias).map_err(Problem::internal);
    state.writes.run(revoke).await?;
    Ok(Json(Revoked { user }))
}

/// Changes the operator's signing key: the next epoch records it, and is the last that the old key
/// seals. Back up the table's `secrets/` before that epoch is sealed.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/tables/{table}/rotate", tag = "custodian",
    params(("table" = String, Path, description = "Name or identifier")),
    responses((status = 200, description = "Recorded", body = Rotated)),
    security(("token" = [])),
))]
pub async fn rotate(
    Access { table, .. }: Access<As<Custody>>,
    Shared(state): Shared<Arc<State>>,
) -> Result<Json<Rotated>, Problem> {
    let rotated = state.heavy.run(move || {
        let Some(_paused) = table.sealing.pause() else {
            return Err(Problem::conflict("epoch-state", "an epoch is being sealed"));
        };
        let mut custodian = alone(&table)?;
        let rotated = table.folder.rotate(&mut custodian);
        let (rotation, _) = rotated.map_err(|error| match error {
            crate::folder::FolderError::Custody(table::store::CustodyError::Fault(fault)) => {
                Problem::conflict("rotation", fault.to_string())
            }
            other => folder_problem(other),
        })?;
        table.changed();
        Ok(Rotated {
            epoch: rotation.epoch,
            old: rotation.old.to_string(),
            new: rotation.new.to_string(),
        })
    });
    rotated.await.map(Json)
}

/// The custodian alone. Nobody is kept waiting behind a writer that waits for a long query.
fn alone(table: &Served) -> Result<RwLockWriteGuard<'_, Custodian<RedbStore>>, Problem> {
    for _ in 0..PATIENCE {
        match table.try_exclusive() {
            Ok(custodian) => return Ok(custodian),
            // As in `Served::custodian`.
            Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(STEP),
        }
    }
    Err(Problem::overloaded("requests under way do not end", 10))
}
