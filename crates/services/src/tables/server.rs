//! The server: routes, what happens around every request, and its beginning and end.

use std::{any::Any, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Request, State as Shared},
    http::StatusCode,
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse as _, Response},
    routing::get,
};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    access::admit,
    admin, audit, log,
    observe::observe,
    query, reload, rows, seal,
    state::{State, WRITERS, light_threads},
    user,
};
use crate::{
    config::Config,
    http::{Listener, Problem, ServeError, run, stop_signal, take_unread},
};

/// Where the operator reads what it must look at, a line at a time.
pub type Notice = Box<dyn Fn(&str) + Send + Sync>;

/// Blocking threads beyond those that the gates let run.
const SPARE_THREADS: usize = 4;

/// Every request that is answered, with its documentation.
pub fn routes() -> OpenApiRouter<Arc<State>> {
    let router = OpenApiRouter::new();
    #[cfg(feature = "sql")]
    let router = router.routes(routes!(super::pull::pull));
    router
        .routes(routes!(admin::health))
        .routes(routes!(admin::openapi))
        .routes(routes!(admin::metrics))
        .routes(routes!(admin::tables, admin::create))
        .routes(routes!(admin::genesis))
        .routes(routes!(admin::token))
        .routes(routes!(admin::revoke))
        .routes(routes!(admin::rotate))
        .routes(routes!(rows::ingest))
        .routes(routes!(rows::receipts))
        .routes(routes!(seal::epoch_info))
        .routes(routes!(seal::seal_epoch))
        .routes(routes!(query::ask))
        .routes(routes!(query::trail))
        .routes(routes!(user::lookup))
        .routes(routes!(user::absence))
        .routes(routes!(user::keys))
        .routes(routes!(log::newest))
        .routes(routes!(log::checkpoint))
        .routes(routes!(log::consistency))
        .routes(routes!(log::gossip))
        .routes(routes!(log::growth))
        .routes(routes!(log::cosign))
        .routes(routes!(audit::epoch_header))
        .routes(routes!(audit::bundle))
        .routes(routes!(audit::attest))
        .route("/v1/tables/{table}/log/tile/{*tile}", get(log::tile))
}

fn router(state: Arc<State>) -> Router {
    let (router, _) = routes().split_for_parts();
    router
        .fallback(async || Problem::not_found("path", "there is nothing under this path"))
        .method_not_allowed_fallback(async || {
            let detail = "the path takes other methods: see `Allow`";
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", detail)
        })
        .layer(from_fn_with_state(Arc::clone(&state), limit_time))
        .layer(from_fn_with_state(Arc::clone(&state), admit))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn(take_unread))
        .layer(from_fn_with_state(Arc::clone(&state), observe))
        .with_state(state)
}

/// Answers in time, if only to say that there is no answer.
async fn limit_time(Shared(state): Shared<Arc<State>>, request: Request, next: Next) -> Response {
    let limit = Duration::from_secs(state.live().limits.request_seconds);
    let answer = tokio::time::timeout(limit, next.run(request)).await;
    answer.unwrap_or_else(|_| query::timed_out().into_response())
}

fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    Problem::internal(format!("panic: {text}")).into_response()
}

/// Serves until the process is told to stop (SIGINT, SIGTERM), and lets requests under way end. `ready`
/// is told the address once connections are accepted. On SIGHUP, and when its files have changed, the
/// configuration is read again.
///
/// # Errors
/// [`ServeError`], before anything is served.
pub fn serve(
    config: &Config,
    notice: Notice,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let state = Arc::new(State::open(config, notice)?);
    let threads = light_threads() + WRITERS + config.limits.queries + SPARE_THREADS;
    run(Some(threads), async {
        let stop = stop_signal()?;
        let listener = Listener::bind(config, state.metrics.connections.clone()).await?;
        reload::follow(&state, config, listener.tuning())?;
        state.tables().iter().for_each(|table| reload::resume(&state, table));
        reload::retry(&state);
        ready(listener.address().map_err(ServeError::Runtime)?);
        listener.serve(router(Arc::clone(&state)), stop).await;
        Ok(())
    })?;
    state.accesses.finish();
    Ok(())
}
