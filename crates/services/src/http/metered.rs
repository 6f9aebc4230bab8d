//! What all routers do: so many requests of an address, and an answer where there is no route.

use std::{sync::Arc, time::Instant};

use axum::{
    Router,
    extract::{Request, State as Shared},
    http::StatusCode,
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use super::{Buckets, Peer, Problem, network};

/// A server's state that counts requests by address.
pub trait Metered: Send + Sync + 'static {
    /// The buckets, where addresses are those of clients.
    fn buckets(&self) -> Option<&Buckets>;
}

/// So many requests of an address.
pub async fn metered<S: Metered>(
    Shared(state): Shared<Arc<S>>,
    request: Request,
    next: Next,
) -> Response {
    // Requests that come from nowhere, as in tests, share one bucket.
    let peer = request.extensions().get::<Peer>().map(|peer| network(peer.0)).unwrap_or_default();
    match state.buckets().map_or(Ok(()), |all| all.take(&peer, Instant::now())) {
        Ok(()) => next.run(request).await,
        Err(seconds) => {
            let detail = "too many requests from this address";
            Problem::too_many("rate", detail, seconds).into_response()
        }
    }
}

/// Answers to paths that are none, and to methods that a path does not take.
pub fn unrouted<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    router
        .fallback(async || Problem::not_found("path", "there is nothing under this path"))
        .method_not_allowed_fallback(async || {
            let detail = "the path takes other methods: see `Allow`";
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", detail)
        })
}
