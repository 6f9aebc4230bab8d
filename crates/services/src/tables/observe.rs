//! What is noted of every request: counters, what the operator must look at, and a line of the access
//! log. No line says a token, a value, or who a table's user is.

use std::{
    sync::Arc,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use axum::{
    extract::{MatchedPath, Request, State as Shared},
    http::Uri,
    middleware::Next,
    response::Response,
};
use serde::Serialize;

use super::{access::Caller, state::State};
use crate::http::{Cause, Peer, Reason};

/// Hexadecimal digits of a user's alias.
const ALIAS: usize = 32;

/// A request and its outcome.
#[derive(Serialize)]
struct Line<'a> {
    /// Milliseconds since 1970.
    time: u64,
    /// `client:<name>`, `user:<alias>` or `nobody`.
    who: String,
    address: Option<String>,
    method: String,
    /// The path with the names of its parts.
    route: &'a str,
    /// The table's identifier, if there is such a table.
    table: Option<String>,
    epoch: Option<u32>,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    micros: u64,
}

/// Notes a request when it is answered.
pub async fn observe(Shared(state): Shared<Arc<State>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    // Paths that are none may be anything: they count as one.
    let route = route.map_or("none", MatchedPath::as_str).to_owned();
    let asked = state.accesses.is_kept().then(|| {
        let peer = request.extensions().get::<Peer>().copied();
        (request.method().to_string(), request.uri().clone(), peer)
    });
    let start = Instant::now();
    let response = next.run(request).await;
    let time = start.elapsed();
    state.metrics.answered(&route, response.status().as_u16(), time);
    if let Some(Cause(cause)) = response.extensions().get::<Cause>() {
        state.alarm("failure", &format!("{route}: {cause}"));
    }
    if let Some((method, uri, peer)) = asked {
        let (table, epoch) = subject(&state, &uri);
        let line = Line {
            time: since_1970(),
            who: who(&state, response.extensions().get::<Caller>()),
            address: peer.map(|Peer(address)| address.to_string()),
            method,
            route: &route,
            table,
            epoch,
            status: response.status().as_u16(),
            reason: response.extensions().get::<Reason>().map(|Reason(reason)| *reason),
            // No request takes 584 000 years.
            micros: u64::try_from(time.as_micros()).unwrap_or(u64::MAX),
        };
        // A line of text and numbers is always JSON.
        state.accesses.note(serde_json::to_string(&line).unwrap_or_default());
    }
    response
}

fn since_1970() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    // For the record: a clock before 1970 says 0, and no other says more than fits.
    since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

fn who(state: &State, caller: Option<&Caller>) -> String {
    match caller {
        None | Some(Caller::Anybody) => "nobody".to_owned(),
        Some(Caller::Client(client)) => format!("client:{}", client.name),
        Some(Caller::User(claim)) => {
            let alias = state.users.alias(&claim.table, &claim.user).to_hex();
            // For the record of accesses: an alias is longer than that.
            format!("user:{}", alias.get(..ALIAS).unwrap_or_default())
        }
    }
}

/// The table and the epoch that a request is about; nothing else of its address, which may say anything.
fn subject(state: &State, uri: &Uri) -> (Option<String>, Option<u32>) {
    let mut parts = uri.path().split('/').skip(1);
    // Here and below: what names no table and no epoch is about none.
    let named = match (parts.next(), parts.next(), parts.next()) {
        (Some("v1"), Some("tables"), Some(name)) => state.table(name).ok(),
        _ => None,
    };
    let in_path = match (parts.next(), parts.next()) {
        (Some("epochs"), Some(epoch)) => epoch.parse().ok(),
        _ => None,
    };
    let in_query = || {
        let mut params = uri.query()?.split('&');
        params.find_map(|param| param.strip_prefix("epoch=")?.parse().ok())
    };
    (named.map(|table| table.id.clone()), in_path.or_else(in_query))
}
