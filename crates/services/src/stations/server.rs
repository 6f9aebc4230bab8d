//! The routes of a station.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{FromRequest as _, Request, State as Shared},
    http::{HeaderName, header},
    middleware::{from_fn, from_fn_with_state},
    routing::{get, post},
};
use client::stations::About;

use super::{Counter, NotTaken};
use crate::{
    config::{Config, Limits, TlsFiles},
    http::{
        Buckets, Counts, Gate, Json, Limited, Listener, Metered, Peer, Problem, Raw, ServeError,
        metered, network, run, stop_signal, take_unread, unrouted,
    },
};

/// Blocking threads at once: a few group operations, and a file.
const RUNNING: usize = 4;
/// More than any ballot has.
const BODY: usize = 1 << 16;

/// Where and how a station listens.
#[derive(Clone, Debug)]
pub struct StationOptions {
    /// Address and port.
    pub listen: SocketAddr,
    /// Certificate and key; without them only loopback addresses are served.
    pub tls: Option<TlsFiles>,
}

impl StationOptions {
    fn config(&self) -> Config {
        let limits = Limits { body_bytes: BODY, ..Limits::default() };
        Config {
            path: None,
            reload_seconds: 0,
            access_log: None,
            listen: self.listen,
            tables: PathBuf::new(),
            page: None,
            tls: self.tls.clone(),
            limits,
            clients: Vec::new(),
            #[cfg(feature = "sql")]
            sources: Vec::new(),
        }
    }
}

struct State {
    counter: Arc<dyn Counter>,
    limits: Limits,
    gate: Gate,
    /// By address, where addresses are those of voters.
    buckets: Option<Buckets>,
}

impl Metered for State {
    fn buckets(&self) -> Option<&Buckets> {
        self.buckets.as_ref()
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

type Bytes = ([(HeaderName, &'static str); 1], Vec<u8>);
const BYTES: [(HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/octet-stream")];

impl From<NotTaken> for Problem {
    fn from(error: NotTaken) -> Self {
        let detail = error.to_string();
        match error {
            NotTaken::Malformed(_) => Self::malformed("ballot", detail),
            NotTaken::Refused(_) => Self::refused("ballot", detail),
            NotTaken::Closed(_) => Self::conflict("closed", detail),
            NotTaken::Failed(_) => Self::internal(detail),
        }
    }
}

fn router(counter: Arc<dyn Counter>, config: &Config) -> Router {
    let limits = config.limits.clone();
    let state = Arc::new(State {
        counter,
        gate: Gate::new(RUNNING, limits.waiting),
        buckets: config
            .tls
            .is_some()
            .then(|| Buckets::new(limits.requests_per_second, limits.burst)),
        limits,
    });
    let routes = Router::new()
        .route("/health", get(async || "ok\n"))
        .route("/v1/station", get(about))
        .route("/v1/ballots", post(take));
    unrouted(routes)
        .layer(from_fn_with_state(Arc::clone(&state), metered::<State>))
        .layer(from_fn(take_unread))
        .with_state(state)
}

async fn about(Shared(state): Shared<Arc<State>>) -> Json<About> {
    Json(state.counter.about())
}

async fn take(Shared(state): Shared<Arc<State>>, request: Request) -> Result<Bytes, Problem> {
    // Turns go round by address: who floods the station waits behind themselves.
    // Those that come from nowhere, as in tests, share one turn.
    let peer = request.extensions().get::<Peer>().map(|peer| network(peer.0)).unwrap_or_default();
    let Raw(ballot) = Raw::from_request(request, &state).await?;
    let counter = Arc::clone(&state.counter);
    let receipt = state.gate.run_for(&peer, move || Ok(counter.take(&ballot)?));
    Ok((BYTES, receipt.await?))
}

/// Takes ballots until the process is told to stop. `ready` is told the address once connections are accepted.
///
/// # Errors
/// [`ServeError`], before anything is served.
pub fn serve(
    options: &StationOptions,
    counter: Arc<dyn Counter>,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let config = options.config();
    config.check().map_err(|reason| ServeError::Listen {
        address: options.listen,
        source: std::io::Error::new(std::io::ErrorKind::InvalidInput, reason),
    })?;
    run(None, async {
        let stop = stop_signal()?;
        let listener = Listener::bind(&config, Counts::default()).await?;
        ready(listener.address().map_err(ServeError::Runtime)?);
        listener.serve(router(counter, &config), stop).await;
        Ok(())
    })
}
