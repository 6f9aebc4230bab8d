//! The witness over HTTP.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{FromRequestParts, Path, State as Shared},
    http::{HeaderName, header, request::Parts},
    middleware::from_fn_with_state,
    routing::get,
};
use board::Identity;
use serde::Serialize;
use table::{Hash, log::Growth};
use wire::{Decode as _, Encode as _};

use super::{Keeper, Refusal, WitnessConfig, follow};
use crate::{
    config::Limits,
    http::{
        Buckets, Counts, Gate, Json, Limited, Listener, Metered, Problem, Raw, ServeError, metered,
        run, stop_signal, unrouted,
    },
    tables::{Notice, now},
};

/// Blocking threads at once: the work is a few signatures and a file.
const RUNNING: usize = 4;

struct State {
    keeper: Arc<Keeper>,
    notice: Arc<Notice>,
    limits: Limits,
    gate: Gate,
    buckets: Buckets,
}

impl Metered for State {
    fn buckets(&self) -> Option<&Buckets> {
        Some(&self.buckets)
    }
}

impl Limited for Arc<State> {
    fn body_bytes(&self) -> usize {
        self.limits.body_bytes
    }

    fn body_time(&self) -> Duration {
        Duration::from_secs(self.limits.body_seconds)
    }

    fn json_depth(&self) -> usize {
        self.limits.json_depth
    }
}

/// A witness and what it witnesses.
#[derive(Serialize)]
struct About {
    /// Its public key.
    key: String,
    /// Tables by identifier, with the number of epochs in the log seen last.
    tables: Vec<(String, Option<u64>)>,
}

/// The identifier in the path.
struct Id(Hash);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        // Whatever is wrong with it, the path names no table.
        let id = path.ok().and_then(|Path(text)| text.parse().ok());
        id.map(Self).ok_or_else(|| Problem::not_found("table", "the path names no table"))
    }
}

type Bytes = ([(HeaderName, &'static str); 1], Vec<u8>);
const BYTES: [(HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/octet-stream")];

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let detail = refusal.to_string();
        match refusal {
            Refusal::Unknown(_) => Self::not_found("table", detail),
            Refusal::Nothing => Self::not_found("nothing", detail),
            Refusal::NotNamed => Self::refused("genesis", detail),
            Refusal::Since { .. } => Self::conflict("since", detail),
            Refusal::Fault(_) => Self::refused("log", detail),
            Refusal::Forked(_) => Self::conflict("equivocation", detail),
            Refusal::State { .. } => Self::internal(detail),
        }
    }
}

/// The routes of a witness.
pub fn router(keeper: Arc<Keeper>, limits: &Limits, notice: Arc<Notice>) -> Router {
    let state = Arc::new(State {
        keeper,
        notice,
        gate: Gate::new(RUNNING, limits.waiting),
        buckets: Buckets::new(limits.requests_per_second, limits.burst),
        limits: limits.clone(),
    });
    let routes = Router::new()
        .route("/health", get(async || "ok\n"))
        .route("/v1/witness", get(about))
        .route("/v1/tables/{table}/log", get(seen).post(cosign))
        .route("/v1/tables/{table}/gossip", axum::routing::post(gossip))
        .route("/v1/tables/{table}/evidence", get(evidence));
    unrouted(routes)
        .layer(from_fn_with_state(Arc::clone(&state), metered::<State>))
        .with_state(state)
}

async fn about(Shared(state): Shared<Arc<State>>) -> Result<Json<About>, Problem> {
    let keeper = Arc::clone(&state.keeper);
    let about = state.gate.run(move || {
        let one = |table: &Hash| {
            let seen = keeper.seen(table)?.map(|seen| seen.signed.checkpoint.size);
            Ok((table.to_string(), seen))
        };
        let tables = keeper.tables().map(one).collect::<Result<_, Refusal>>()?;
        Ok(About { key: keeper.key().to_string(), tables })
    });
    about.await.map(Json)
}

async fn seen(Id(table): Id, Shared(state): Shared<Arc<State>>) -> Result<Bytes, Problem> {
    let keeper = Arc::clone(&state.keeper);
    let seen = state.gate.run(move || Ok(keeper.seen(&table)?.ok_or(Refusal::Nothing)?));
    Ok((BYTES, seen.await?.to_bytes()))
}

async fn cosign(
    Id(table): Id,
    Shared(state): Shared<Arc<State>>,
    Raw(bytes): Raw,
) -> Result<Bytes, Problem> {
    let shared = Arc::clone(&state);
    let cosigned = state.gate.run(move || {
        let growth = Growth::from_bytes(&bytes)
            .map_err(|error| Problem::malformed("log", error.to_string()))?;
        if *growth.table.id() != table {
            return Err(Problem::refused("log", "the log is that of another table"));
        }
        let cosigned = shared.keeper.cosign(&growth, now());
        cosigned.map_err(|refusal| told(&shared, &table, refusal))
    });
    Ok((BYTES, cosigned.await?.to_bytes()))
}

async fn gossip(
    Id(table): Id,
    Shared(state): Shared<Arc<State>>,
    Raw(note): Raw,
) -> Result<Bytes, Problem> {
    let shared = Arc::clone(&state);
    let seen = state.gate.run(move || {
        let note =
            std::str::from_utf8(&note).map_err(|_| Problem::malformed("note", "not UTF-8"))?;
        shared.keeper.gossip(&table, note).map_err(|refusal| told(&shared, &table, refusal))
    });
    Ok((BYTES, seen.await?.to_bytes()))
}

async fn evidence(Id(table): Id, Shared(state): Shared<Arc<State>>) -> Result<Bytes, Problem> {
    let keeper = Arc::clone(&state.keeper);
    let evidence = state.gate.run(move || Ok(keeper.evidence(&table)?));
    Ok((BYTES, evidence.await?))
}

/// Tells whoever runs the witness what it must know.
fn told(state: &State, table: &Hash, refusal: Refusal) -> Problem {
    if matches!(refusal, Refusal::Forked(_) | Refusal::State { .. }) {
        (state.notice)(&format!("table {table}: {refusal}"));
    }
    refusal.into()
}

/// Serves until the process is told to stop. `ready` is told the address once connections are
/// accepted.
///
/// # Errors
/// [`ServeError`], before anything is served.
pub fn serve(
    config: &WitnessConfig,
    identity: Identity,
    notice: Notice,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let failed = |error: std::io::Error| ServeError::File {
        path: config.state.clone(),
        reason: error.to_string(),
    };
    std::fs::create_dir_all(&config.state).map_err(failed)?;
    let tables = config.tables.iter().filter_map(super::config::Witnessed::hash);
    let keeper = Arc::new(Keeper::new(identity, &config.state, tables));
    let notice = Arc::new(notice);
    run(None, async {
        let stop = stop_signal()?;
        let listener = Listener::bind(&config.listening(), Counts::default()).await?;
        for table in config.tables.iter().filter(|table| table.server.is_some()) {
            let (keeper, notice) = (Arc::clone(&keeper), Arc::clone(&notice));
            tokio::spawn(follow::run(keeper, table.clone(), notice));
        }
        ready(listener.address().map_err(ServeError::Runtime)?);
        listener.serve(router(keeper, &config.limits, notice), stop).await;
        Ok(())
    })
}
