//! The server: routes, what happens around every request, and its beginning and end.

use std::{any::Any, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Request, State as Shared},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use tower_http::catch_panic::CatchPanicLayer;

#[cfg(feature = "sql")]
use super::pull;
use super::{
    access::admit,
    admin, audit, log,
    observe::observe,
    query, reload, rows, seal,
    state::{Notice, State, WRITERS, light_threads},
    user,
};
use crate::{
    config::Config,
    http::{Listener, Problem, ServeError, run, stop_signal, take_unread, unrouted},
};

/// Blocking threads beyond those that the gates let run.
const SPARE_THREADS: usize = 4;

/// Requests, from one list: `$name` routes them, and with the feature `openapi` documents the same handlers.
macro_rules! requests {
    ($(#[$attribute:meta])* $name:ident: $($method:ident $path:literal $module:ident::$handler:ident,)+) => {
        $(#[$attribute])*
        #[cfg_attr(
            feature = "openapi",
            derive(utoipa::OpenApi),
            openapi(paths($(super::$module::$handler),+))
        )]
        pub struct $name;

        impl $name {
            /// Methods and paths.
            #[cfg(feature = "openapi")]
            pub const LIST: &[(&str, &str)] = &[$((stringify!($method), $path)),+];

            fn router() -> Router<Arc<State>> {
                Router::new()$(.route($path, $method($module::$handler)))+
            }
        }
    };
}

requests! {
    /// Every request that is answered.
    Requests:
    get "/health" admin::health,
    get "/openapi.json" admin::openapi,
    get "/metrics" admin::metrics,
    get "/verify" admin::page,
    get "/v1/tables" admin::tables,
    post "/v1/tables" admin::create,
    get "/v1/tables/{table}" admin::genesis,
    post "/v1/tables/{table}/tokens" admin::token,
    post "/v1/tables/{table}/tokens/revoke" admin::revoke,
    post "/v1/tables/{table}/rotate" admin::rotate,
    post "/v1/tables/{table}/rows" rows::ingest,
    get "/v1/tables/{table}/receipts" rows::receipts,
    get "/v1/tables/{table}/epochs/{epoch}" seal::epoch_info,
    post "/v1/tables/{table}/epochs/{epoch}/seal" seal::seal_epoch,
    post "/v1/tables/{table}/query" query::ask,
    get "/v1/tables/{table}/queries" query::trail,
    get "/v1/tables/{table}/lookup" user::lookup,
    get "/v1/tables/{table}/absence" user::absence,
    get "/v1/tables/{table}/erased" user::erased,
    get "/v1/tables/{table}/keys" user::keys,
    post "/v1/tables/{table}/keys" user::issue_keys,
    get "/v1/tables/{table}/log" log::newest,
    get "/v1/tables/{table}/log/checkpoint" log::checkpoint,
    get "/v1/tables/{table}/log/tile/{*tile}" log::tile,
    get "/v1/tables/{table}/log/consistency" log::consistency,
    get "/v1/tables/{table}/log/growth" log::growth,
    post "/v1/tables/{table}/gossip" log::gossip,
    post "/v1/tables/{table}/cosignatures" log::cosign,
    get "/v1/tables/{table}/epochs/{epoch}/header" audit::epoch_header,
    get "/v1/tables/{table}/epochs/{epoch}/audit" audit::bundle,
    post "/v1/tables/{table}/attestations" audit::attest,
}

#[cfg(feature = "sql")]
requests! {
    /// What is answered about databases.
    Pulls:
    post "/v1/tables/{table}/epochs/{epoch}/pull" pull::pull,
}

fn router(state: Arc<State>) -> Router {
    let router = Requests::router();
    #[cfg(feature = "sql")]
    let router = router.merge(Pulls::router());
    unrouted(router)
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
    // For the record: a panic that says nothing is one all the same.
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
