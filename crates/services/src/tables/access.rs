//! Who asks, and for what they may ask. Handlers name the right that a request needs as a type, so
//! that none can forget to check it; it is checked before a body is read.

use std::{marker::PhantomData, sync::Arc, time::Instant};

use axum::{
    extract::{FromRequestParts, Request, State as Shared},
    http::{header, request::Parts},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use super::{
    served::Served,
    state::{State, now},
    tokens::{UserClaim, client_of},
};
use crate::{
    config::{ClientEntry, Role},
    http::{Peer, Problem, network, path},
};

/// Who asks.
#[derive(Clone, Debug)]
pub enum Caller {
    /// Somebody without a token.
    Anybody,
    /// A client of the configuration.
    Client(Arc<ClientEntry>),
    /// A table's user.
    User(Arc<UserClaim>),
}

/// Admits a request: a token must be known, and nobody asks too often.
pub async fn admit(
    Shared(state): Shared<Arc<State>>,
    mut request: Request,
    next: Next,
) -> Response {
    let peer = request.extensions().get::<Peer>().copied();
    let address = peer.map_or_else(Vec::new, |Peer(address)| network(address));
    let caller = match caller(&state, &request) {
        Ok(caller) => caller,
        // A wrong token costs as much as a request without one: guessing has a rate.
        Err(problem) => {
            // No error of the rate leaves the error of the token.
            return admitted(&state, &address).err().unwrap_or(problem).into_response();
        }
    };
    let bucket = match &caller {
        Caller::Anybody => address,
        Caller::Client(client) => [b"client ", client.name.as_bytes()].concat(),
        Caller::User(claim) => [b"user ", &claim.table.as_bytes()[..], &claim.user].concat(),
    };
    if let Err(problem) = admitted(&state, &bucket) {
        return problem.into_response();
    }
    request.extensions_mut().insert(caller.clone());
    let mut response = next.run(request).await;
    // For the access log.
    response.extensions_mut().insert(caller);
    response
}

fn admitted(state: &State, bucket: &[u8]) -> Result<(), Problem> {
    let taken = state.buckets.take(bucket, Instant::now());
    taken.map_err(|seconds| Problem::too_many("rate", "you ask too often", seconds))
}

fn caller(state: &State, request: &Request) -> Result<Caller, Problem> {
    let mut values = request.headers().get_all(header::AUTHORIZATION).iter();
    let value = match (values.next(), values.next()) {
        (None, _) => return Ok(Caller::Anybody),
        (Some(value), None) => value,
        _ => return Err(Problem::unauthorized("`Authorization` is there twice")),
    };
    // A header that is no text is no token, and is refused as such.
    let token = value.to_str().ok().and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    });
    let token = token
        .ok_or_else(|| Problem::unauthorized("the header is `Authorization: Bearer <token>`"))?;
    if let Some(client) = client_of(&state.live().clients, token) {
        return Ok(Caller::Client(Arc::new(client.clone())));
    }
    let holds = |claim: &UserClaim| {
        let alias = state.users.alias(&claim.table, &claim.user);
        state.revocations.generation(&alias) == claim.generation
    };
    let user = state.users.verify(token, now()).filter(holds);
    let unknown = "the token is not known here, or revoked, or its time is over";
    user.map(|claim| Caller::User(Arc::new(claim))).ok_or_else(|| Problem::unauthorized(unknown))
}

/// A right that a request needs.
pub trait Right: Send + Sync + Sized {
    /// Checks that the caller has it, for a table if the request is about one.
    ///
    /// # Errors
    /// 401 without a token, 403 with another.
    fn check(caller: &Caller, table: Option<&Served>) -> Result<Self, Problem>;
}

/// No token is needed.
pub struct Public;

impl Right for Public {
    fn check(_: &Caller, _: Option<&Served>) -> Result<Self, Problem> {
        Ok(Self)
    }
}

/// No token is needed, and a custodian's shows more.
pub struct Insight {
    /// Whether a custodian of the table asks.
    pub custody: bool,
}

impl Right for Insight {
    fn check(caller: &Caller, table: Option<&Served>) -> Result<Self, Problem> {
        Ok(Self { custody: As::<Custody>::check(caller, table).is_ok() })
    }
}

/// The rights of roles, as types.
pub trait OfRole: Send + Sync {
    /// The role.
    const ROLE: Role;
}

macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident = $role:ident;)*) => {$(
        $(#[$doc])*
        pub struct $name;

        impl OfRole for $name {
            const ROLE: Role = Role::$role;
        }
    )*};
}

roles! {
    /// See [`Role::Custodian`].
    Custody = Custodian;
    /// See [`Role::Feeder`].
    Feeding = Feeder;
    /// See [`Role::Registrar`].
    Registering = Registrar;
    /// See [`Role::Querier`].
    Querying = Querier;
    /// See [`Role::Auditor`].
    Auditing = Auditor;
    /// See [`Role::Witness`].
    Witnessing = Witness;
    /// See [`Role::Monitor`].
    Monitoring = Monitor;
}

/// A client with a role.
pub struct As<R> {
    /// The client.
    pub client: Arc<ClientEntry>,
    role: PhantomData<R>,
}

fn not_of(role: Role) -> Problem {
    Problem::forbidden(format!("only a token with the role `{role}` may do this"))
}

impl<R: OfRole> Right for As<R> {
    fn check(caller: &Caller, table: Option<&Served>) -> Result<Self, Problem> {
        let role = R::ROLE;
        let client = match caller {
            Caller::Anybody => {
                return Err(Problem::unauthorized(format!(
                    "a token with the role `{role}` is needed"
                )));
            }
            Caller::User(_) => return Err(not_of(role)),
            Caller::Client(client) => client,
        };
        if !client.roles.contains(&role) {
            return Err(not_of(role));
        }
        let granted = match (&client.tables, table) {
            (None, _) => true,
            (Some(tables), Some(table)) => {
                tables.contains(&table.name) || tables.contains(&table.id)
            }
            // Metrics and new tables are about all of them.
            (Some(_), None) => false,
        };
        match granted {
            true => Ok(Self { client: Arc::clone(client), role: PhantomData }),
            false => Err(Problem::forbidden("this token is for other tables")),
        }
    }
}

/// A user of the table that is asked about.
pub struct AsUser(pub Arc<UserClaim>);

impl Right for AsUser {
    fn check(caller: &Caller, table: Option<&Served>) -> Result<Self, Problem> {
        match (caller, table) {
            (Caller::Anybody, _) => Err(Problem::unauthorized("a user's token is needed")),
            (Caller::User(claim), Some(table)) if claim.table.to_string() == table.id => {
                Ok(Self(Arc::clone(claim)))
            }
            (Caller::User(_), _) => Err(Problem::forbidden("this token is for another table")),
            (Caller::Client(_), _) => {
                Err(Problem::forbidden("only a user may do this, with its own token"))
            }
        }
    }
}

/// A caller with a right.
pub struct Granted<R>(pub R);

impl<R: Right> FromRequestParts<Arc<State>> for Granted<R> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<State>) -> Result<Self, Problem> {
        R::check(&caller_of(parts), None).map(Self)
    }
}

/// The table of the path, and a caller with a right to it.
pub struct Access<R> {
    /// The table.
    pub table: Arc<Served>,
    /// The right.
    pub right: R,
}

impl<R: Right> FromRequestParts<Arc<State>> for Access<R> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<State>) -> Result<Self, Problem> {
        let name: String = path(parts, "table").await?;
        let table = state.table(&name)?;
        let right = R::check(&caller_of(parts), Some(&table))?;
        Ok(Self { table, right })
    }
}

fn caller_of(parts: &Parts) -> Caller {
    // `admit` sets it for every request; without it the caller has the least rights.
    parts.extensions.get::<Caller>().cloned().unwrap_or(Caller::Anybody)
}

/// The epoch of the path.
pub struct Epoch(pub u32);

impl FromRequestParts<Arc<State>> for Epoch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<State>) -> Result<Self, Problem> {
        path(parts, "epoch").await.map(Self)
    }
}
