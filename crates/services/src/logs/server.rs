//! The keeper over HTTP.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use axum::{
    Router,
    middleware::{from_fn, from_fn_with_state},
    routing::{get, post, put},
};
use tokio::time::{MissedTickBehavior, interval};

use super::{KeeperConfig, Rules, State, cosign, observe::observe, read, write};
use crate::{
    http::{
        Counts, Hangup, Listener, ServeError, Tuning, metered, run, stop_signal, take_unread,
        unrouted,
    },
    tables::Notice,
};

/// The routes of a keeper.
fn router(state: Arc<State>) -> Router {
    let routes = Router::new()
        .route("/health", get(async || "ok\n"))
        .route("/key", get(read::key))
        .route("/checkpoint", get(read::checkpoint))
        .route("/tile/{*name}", get(read::tile))
        .route("/v1/leaves", get(read::leaves))
        .route("/v1/consistency", get(read::consistency))
        .route("/v1/news", get(read::news))
        .route("/v1/headers", post(write::offer))
        .route("/v1/entries/{entry}", put(write::deliver).get(read::standing))
        .route("/v1/entries/{entry}/payload", get(read::payload));
    unrouted(routes)
        .layer(from_fn_with_state(Arc::clone(&state), metered::<State>))
        .layer(from_fn_with_state(Arc::clone(&state), observe))
        .layer(from_fn(take_unread))
        .with_state(state)
}

/// Appends what is promised, for ever.
async fn append(state: Arc<State>, every: Duration) {
    let mut tick = interval(every);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        let state = Arc::clone(&state);
        // A panic in there is told by the runtime, and the next round goes on.
        let _ = tokio::task::spawn_blocking(move || state.append()).await;
    }
}

/// Takes certificate, key and limits anew on SIGHUP, for ever.
async fn reload(state: Arc<State>, path: PathBuf, tuning: Tuning, mut hangup: Hangup) {
    loop {
        hangup.recv().await;
        let (from, tuning) = (path.clone(), tuning.clone());
        let taken = tokio::task::spawn_blocking(move || {
            let next = KeeperConfig::load(&from).map_err(|error| error.to_string())?;
            tuning.apply(&next.listening()).map_err(|error| error.to_string())
        });
        match taken.await {
            Ok(Ok(())) => (state.notice)(&format!("reload: {} is taken", path.display())),
            Ok(Err(reason)) => {
                (state.notice)(&format!("reload: {reason}: what held before holds on"));
            }
            Err(_) => return,
        }
    }
}

/// Serves until the process is told to stop; on SIGHUP it takes certificate, key and limits anew. `ready`
/// is told the address once connections are accepted.
///
/// # Errors
/// [`ServeError`]; also when the log's store fails while it is served.
pub fn serve(
    config: &KeeperConfig,
    rules: Rules,
    notice: Notice,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let state = Arc::new(State::open(config, rules, notice)?);
    let failed = run(None, async {
        let stop = stop_signal()?;
        let listener = Listener::bind(&config.listening(), Counts::default()).await?;
        ready(listener.address().map_err(ServeError::Runtime)?);
        let every = Duration::from_millis(config.append_milliseconds);
        tokio::spawn(append(Arc::clone(&state), every));
        tokio::spawn(cosign::run(Arc::clone(&state)));
        let hangup = Hangup::new()?;
        if let Some(path) = config.path.clone() {
            tokio::spawn(reload(Arc::clone(&state), path, listener.tuning(), hangup));
        }
        let served = listener.serve(router(Arc::clone(&state)), stop);
        Ok(tokio::select! {
            () = served => false,
            () = state.failed.notified() => true,
        })
    })?;
    state.accesses.finish();
    match failed {
        false => Ok(()),
        true => Err(ServeError::File {
            path: config.log.clone(),
            reason: "the store failed: begin again, which finds out what was kept".to_owned(),
        }),
    }
}
