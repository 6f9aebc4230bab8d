//! Noting what was asked of a keeper, and telling its operator what failed.

use std::{sync::Arc, time::Instant};

use axum::{
    extract::{MatchedPath, Request, State as Shared},
    middleware::Next,
    response::Response,
};
use log::store::system_clock;
use serde::Serialize;

use super::State;
use crate::http::{Cause, Peer, Reason};

/// A line of the access log.
#[derive(Serialize)]
struct Line<'a> {
    /// Milliseconds since 1970.
    time: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    method: String,
    /// The path with the names of its parts.
    route: &'a str,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    micros: u64,
}

/// Notes a request when it is answered.
pub(super) async fn observe(
    Shared(state): Shared<Arc<State>>,
    request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    // Paths that are none may be anything: they count as one.
    let route = route.map_or("none", MatchedPath::as_str).to_owned();
    let method = request.method().to_string();
    let peer = request.extensions().get::<Peer>().copied();
    let start = Instant::now();
    let response = next.run(request).await;
    if let Some(Cause(cause)) = response.extensions().get::<Cause>() {
        (state.notice)(&format!("{route}: {cause}"));
    }
    if state.accesses.is_kept() {
        let line = Line {
            time: system_clock(),
            address: peer.map(|Peer(address)| address.to_string()),
            method,
            route: &route,
            status: response.status().as_u16(),
            reason: response.extensions().get::<Reason>().map(|Reason(reason)| *reason),
            // No request takes 584 000 years.
            micros: u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX),
        };
        // A line of text and numbers is always JSON.
        state.accesses.note(serde_json::to_string(&line).unwrap_or_default());
    }
    response
}
