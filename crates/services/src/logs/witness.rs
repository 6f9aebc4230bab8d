//! A witness of logs over HTTP, as C2SP `tlog-witness` says.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    extract::{Path, Request, State as Shared},
    http::{StatusCode, header},
    middleware::{from_fn, from_fn_with_state},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use log::{
    MAX_REQUEST, Origin, Refusal, Witness, WitnessMemory as _,
    note::VerifierKey,
    store::{DirectoryWitness, system_clock},
};

use super::{WitnessLogsConfig, state::lock};
use crate::{
    http::{
        Buckets, Counts, Gate, Listener, Metered, Problem, ServeError, metered, run, stop_signal,
        take_unread,
    },
    tables::Notice,
};

/// Blocking threads at once: the work is a signature and a file.
const RUNNING: usize = 4;

/// A witness with its memory.
pub struct LogWitness {
    witness: Witness,
    origins: Vec<Origin>,
    memory: Mutex<DirectoryWitness>,
    notice: Notice,
    gate: Gate,
    buckets: Option<Buckets>,
    body_time: Duration,
}

impl Metered for LogWitness {
    fn buckets(&self) -> Option<&Buckets> {
        self.buckets.as_ref()
    }
}

impl LogWitness {
    /// A witness of the configured logs, with this key.
    ///
    /// # Errors
    /// [`ServeError::File`].
    pub fn open(
        config: &WitnessLogsConfig,
        identity: log::Identity,
        notice: Notice,
    ) -> Result<Self, ServeError> {
        let failed = |error: &dyn ToString| ServeError::File {
            path: config.state.clone(),
            reason: error.to_string(),
        };
        let name = config.name.parse().map_err(|error| failed(&error))?;
        let mut witness = Witness::new(name, identity);
        let mut origins = Vec::new();
        for key in config.log_keys().map_err(|error| failed(&error))? {
            let origin: Origin = key.name.as_str().parse().map_err(|error| failed(&error))?;
            witness.follow(origin.clone(), key.key).map_err(|error| failed(&error))?;
            origins.push(origin);
        }
        let memory = DirectoryWitness::open(&config.state).map_err(|error| failed(&error))?;
        Ok(Self {
            witness,
            origins,
            memory: Mutex::new(memory),
            notice,
            gate: Gate::new(RUNNING, config.limits.waiting),
            buckets: config
                .tls
                .is_some()
                .then(|| Buckets::new(config.limits.requests_per_second, config.limits.burst)),
            body_time: Duration::from_secs(config.limits.body_seconds),
        })
    }

    /// The key by which readers know the witness.
    pub fn key(&self) -> VerifierKey {
        self.witness.key()
    }

    /// Answers `add-checkpoint`; a keeper that is convicted by it is named, and what convicts it kept.
    fn add_checkpoint(&self, body: &[u8]) -> Response {
        let mut memory = lock(&self.memory);
        let refusal = match self.witness.add_checkpoint(&mut *memory, body, system_clock() / 1000) {
            Ok(line) => return line.into_response(),
            Err(refusal) => refusal,
        };
        if let Some(evidence) = refusal.evidence() {
            let name = evidence.log.name.as_str();
            let kept = evidence.log.name.as_str().parse().map(|origin| {
                memory.convict(&origin, evidence).map_or_else(
                    |error| error.to_string(),
                    |path| format!("what convicts it is {}", path.display()),
                )
            });
            // A log that has a key has a name that is an origin.
            let kept = kept.unwrap_or_default();
            (self.notice)(&format!(
                "the keeper of {name} is convicted ({}): {kept}",
                evidence.name()
            ));
        }
        if let Refusal::Memory(error) = &refusal {
            (self.notice)(&error.to_string());
        }
        let status = StatusCode::from_u16(refusal.status());
        // Every refusal has a status of HTTP; it is none of the keeper's doing if one had not.
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        match refusal.size_body() {
            Some(size) => {
                (status, [(header::CONTENT_TYPE, "text/x.tlog.size")], size).into_response()
            }
            None => (status, format!("{refusal}\n")).into_response(),
        }
    }

    fn origin(&self, name: &str) -> Result<&Origin, Problem> {
        let named = |origin: &&Origin| DirectoryWitness::name(origin).to_string() == name;
        let unknown = || Problem::not_found("log", "the log is not among those that are witnessed");
        self.origins.iter().find(named).ok_or_else(unknown)
    }
}

async fn add(Shared(witness): Shared<Arc<LogWitness>>, request: Request) -> Response {
    let body = axum::body::to_bytes(request.into_body(), MAX_REQUEST);
    let body = match tokio::time::timeout(witness.body_time, body).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            return Problem::malformed("body", "the body is too long, or ended early")
                .into_response();
        }
        Err(_) => return StatusCode::REQUEST_TIMEOUT.into_response(),
    };
    let shared = Arc::clone(&witness);
    let answer = witness.gate.run(move || Ok(shared.add_checkpoint(&body))).await;
    answer.unwrap_or_else(Problem::into_response)
}

async fn checkpoint(
    Shared(witness): Shared<Arc<LogWitness>>,
    Path(name): Path<String>,
) -> Result<String, Problem> {
    let shared = Arc::clone(&witness);
    let seen = witness.gate.run(move || {
        let seen = lock(&shared.memory).latest(shared.origin(&name)?);
        let seen = seen.map_err(Problem::internal)?;
        seen.ok_or_else(|| Problem::not_found("nothing", "nothing of this log was seen"))
    });
    seen.await.map(|seen| seen.to_text())
}

async fn evidence(
    Shared(witness): Shared<Arc<LogWitness>>,
    Path(name): Path<String>,
) -> Result<super::write::Octets, Problem> {
    let shared = Arc::clone(&witness);
    let evidence = witness.gate.run(move || {
        let evidence = lock(&shared.memory).evidence(shared.origin(&name)?);
        let evidence = evidence.map_err(Problem::internal)?;
        evidence.ok_or_else(|| Problem::not_found("nothing", "nothing convicts the keeper"))
    });
    Ok((super::write::OCTETS, evidence.await?))
}

fn router(witness: Arc<LogWitness>) -> Router {
    let key = format!("{}\n", witness.key());
    Router::new()
        .route("/health", get(async || "ok\n"))
        .route("/key", get(async move || key))
        .route("/add-checkpoint", post(add))
        .route("/v1/logs/{name}/checkpoint", get(checkpoint))
        .route("/v1/logs/{name}/evidence", get(evidence))
        .fallback(async || Problem::not_found("path", "there is nothing under this path"))
        .layer(from_fn_with_state(Arc::clone(&witness), metered::<LogWitness>))
        .layer(from_fn(take_unread))
        .with_state(witness)
}

/// Serves until the process is told to stop. `ready` is told the address once connections are
/// accepted.
///
/// # Errors
/// [`ServeError`].
pub fn serve(
    config: &WitnessLogsConfig,
    identity: log::Identity,
    notice: Notice,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let witness = Arc::new(LogWitness::open(config, identity, notice)?);
    run(None, async {
        let stop = stop_signal()?;
        let listener = Listener::bind(&config.listening(), Counts::default()).await?;
        ready(listener.address().map_err(ServeError::Runtime)?);
        listener.serve(router(witness), stop).await;
        Ok(())
    })
}
