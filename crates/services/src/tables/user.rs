//! What a table's user asks, with its token: its own row, that it has none, its keys.

use std::sync::Arc;

use axum::{
    extract::FromRequestParts,
    http::{HeaderName, header, request::Parts},
};
use client::api::{Keys, UserAnswer};
use data_encoding::{BASE64, HEXLOWER};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use serde::Deserialize;
use table::{
    AbsenceProof, BuiltEpoch, Lookup, UserKeys,
    store::{Custodian, CustodyError, RedbStore},
};
use wire::Encode as _;

use super::{
    access::{Access, AsUser},
    served::{Served, View},
    state::State,
    tokens::UserClaim,
};
use crate::http::{Json, Params, Problem};

/// A secret is kept nowhere on its way.
pub const NO_STORE: [(HeaderName, &str); 1] = [(header::CACHE_CONTROL, "no-store")];

/// Which epoch.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub struct AtEpoch {
    /// The epoch.
    pub epoch: u32,
}

/// What a user asks about itself in an epoch, which only its token allows.
pub struct Question {
    state: Arc<State>,
    table: Arc<Served>,
    claim: Arc<UserClaim>,
    epoch: u32,
}

impl FromRequestParts<Arc<State>> for Question {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<State>) -> Result<Self, Problem> {
        let Access { table, right: AsUser(claim) } =
            Access::from_request_parts(parts, state).await?;
        let Params(AtEpoch { epoch }) = Params::from_request_parts(parts, state).await?;
        Ok(Self { state: Arc::clone(state), table, claim, epoch })
    }
}

/// A proof about one ordered column, in its canonical form.
type Prove = fn(&About<'_>, u16) -> Result<Vec<u8>, Problem>;

/// What a proof is about.
struct About<'a> {
    view: &'a View,
    custodian: &'a Custodian<RedbStore>,
    /// In memory; without it, what is stored of its trees is enough.
    built: Option<&'a BuiltEpoch>,
    claim: &'a UserClaim,
    keys: &'a UserKeys,
    epoch: u32,
}

/// The user's own row in a sealed epoch, with its place in the log, for every ordered column.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables/{table}/lookup", tag = "user",
    params(("table" = String, Path, description = "Name or identifier"), AtEpoch),
    responses((status = 200, description = "Proofs of presence", body = UserAnswer)),
    security(("token" = [])),
))]
pub async fn lookup(question: Question) -> Result<Json<UserAnswer>, Problem> {
    answer(question, |about, column| {
        let logged = about.view.place(about.custodian, about.epoch)?;
        let found = match about.built {
            Some(built) => Lookup::find(built, logged, column, &about.pseudonym(column)),
            None => about.custodian.look_up(logged, column, &about.claim.user)?,
        };
        let absent = || {
            let detail =
                format!("this user has no row in epoch {}: `absence` proves it", about.epoch);
            Problem::not_found("row", detail)
        };
        Ok(found.ok_or_else(absent)?.to_bytes())
    })
    .await
}

/// That the user has no row in a sealed epoch, for every ordered column.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables/{table}/absence", tag = "user",
    params(("table" = String, Path, description = "Name or identifier"), AtEpoch),
    responses((status = 200, description = "Proofs of absence", body = UserAnswer)),
    security(("token" = [])),
))]
pub async fn absence(question: Question) -> Result<Json<UserAnswer>, Problem> {
    answer(question, |about, column| {
        let logged = about.view.place(about.custodian, about.epoch)?;
        let pseudonym = about.pseudonym(column);
        let shown = match about.built {
            Some(built) => AbsenceProof::show(built, logged, column, pseudonym),
            None => about.custodian.show_absence(logged, column, pseudonym)?,
        };
        let present = || {
            let detail = format!("this user has a row in epoch {}: `lookup` shows it", about.epoch);
            Problem::conflict("row", detail)
        };
        Ok(shown.ok_or_else(present)?.to_bytes())
    })
    .await
}

impl About<'_> {
    fn pseudonym(&self, column: u16) -> table::Hash {
        let table = self.custodian.table().id();
        self.keys.pseudonym(table, self.epoch, column, &self.claim.user)
    }
}

async fn answer(question: Question, prove: Prove) -> Result<Json<UserAnswer>, Problem> {
    let Question { state, table, claim, epoch } = question;
    // From memory, or from the tiles in the store; an epoch that has none is built where queries are.
    let ready = state.epochs.ready(&claim.table, epoch);
    let (served, of) = (Arc::clone(&table), Arc::clone(&claim));
    let quick = state.light.run(move || {
        let view = served.sealed(epoch)?;
        let custodian = served.custodian();
        match ready.is_some() || custodian.is_indexed(epoch)? {
            true => show(&custodian, &view, (&of, epoch), ready.as_deref(), prove).map(Some),
            false => Ok(None),
        }
    });
    if let Some(answer) = quick.await? {
        return Ok(Json(answer));
    }
    let (shared, asker) = (Arc::clone(&state), [b"user:", claim.user.as_slice()].concat());
    let build = move || {
        let view = table.sealed(epoch)?;
        let custodian = table.custodian();
        let built = shared.epochs.get(&custodian, epoch)?;
        show(&custodian, &view, (&claim, epoch), Some(&built), prove)
    };
    state.heavy.run_for(&asker, build).await.map(Json)
}

fn show(
    custodian: &Custodian<RedbStore>,
    view: &View,
    (claim, epoch): (&UserClaim, u32),
    built: Option<&BuiltEpoch>,
    prove: Prove,
) -> Result<UserAnswer, Problem> {
    if custodian.is_erased(epoch, &claim.user)? {
        return Err(CustodyError::Erased { epoch }.into());
    }
    let keys = custodian.user_keys(epoch, &claim.user)?.ok_or_else(no_keys)?;
    let about = About { view, custodian, built, claim, keys: &keys, epoch };
    let columns = custodian.table().schema().ordered();
    let proofs = columns.map(|column| Ok(BASE64.encode(&prove(&about, column)?)));
    let proofs = proofs.collect::<Result<_, Problem>>()?;
    Ok(UserAnswer { log: view.sent.clone(), epoch, proofs })
}

fn no_keys() -> Problem {
    let detail = "this user has no keys in the epoch's key period: it gets them with its first row";
    Problem::not_found("keys", detail)
}

/// That the user's row in a sealed epoch was erased, for every ordered column.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables/{table}/erased", tag = "user",
    params(("table" = String, Path, description = "Name or identifier"), AtEpoch),
    responses((status = 200, description = "Proofs that it was erased", body = UserAnswer)),
    security(("token" = [])),
))]
pub async fn erased(question: Question) -> Result<Json<UserAnswer>, Problem> {
    let Question { state, table, claim, epoch } = question;
    let shown = state.light.run(move || {
        let view = table.sealed(epoch)?;
        let custodian = table.custodian();
        if !custodian.is_erased(epoch, &claim.user)? {
            return Err(Problem::not_found("row", format!("no row was erased in epoch {epoch}")));
        }
        let unrecorded = || {
            let detail = "the row was erased; the epoch that is sealed next records it";
            Problem::conflict("epoch-state", detail)
        };
        let proofs = custodian.show_erasure(&view.signed, epoch, &claim.user)?;
        let proofs = proofs.ok_or_else(unrecorded)?;
        let proofs = proofs.iter().map(|proof| BASE64.encode(&proof.to_bytes())).collect();
        Ok(UserAnswer { log: view.sent.clone(), epoch, proofs })
    });
    shown.await.map(Json)
}

/// Keys for a user that has none in the key period of an epoch; whoever has keys gets the same.
#[cfg_attr(feature = "openapi", utoipa::path(
    post, path = "/v1/tables/{table}/keys", tag = "user",
    params(("table" = String, Path, description = "Name or identifier"), AtEpoch),
    responses((status = 200, description = "Secret", body = Keys)),
    security(("token" = [])),
))]
pub async fn issue_keys(
    question: Question,
) -> Result<([(HeaderName, &'static str); 1], Json<Keys>), Problem> {
    let Question { state, table, claim, epoch } = question;
    let issued = state.writes.run(move || {
        let custodian = table.custodian();
        // No further than rows are taken in: a token draws no secrets of periods that never come.
        if epoch > custodian.next_epoch()? {
            return Err(Problem::not_found("epoch", "the epoch is not open yet"));
        }
        let keys = custodian.issue_keys(epoch, &claim.user, &mut UnwrapErr(SysRng))?;
        Ok(sent_keys(&custodian, epoch, &keys))
    });
    Ok((NO_STORE, Json(issued.await?)))
}

fn sent_keys(custodian: &Custodian<RedbStore>, epoch: u32, keys: &UserKeys) -> Keys {
    let genesis = custodian.table().genesis();
    let period = genesis.schema.period(genesis.first_epoch, epoch);
    Keys { period, keys: HEXLOWER.encode(&*keys.to_bytes()) }
}

/// The user's keys in the key period of an epoch, which it pins.
#[cfg_attr(feature = "openapi", utoipa::path(
    get, path = "/v1/tables/{table}/keys", tag = "user",
    params(("table" = String, Path, description = "Name or identifier"), AtEpoch),
    responses((status = 200, description = "Secret", body = Keys)),
    security(("token" = [])),
))]
pub async fn keys(
    question: Question,
) -> Result<([(HeaderName, &'static str); 1], Json<Keys>), Problem> {
    let Question { state, table, claim, epoch } = question;
    let keys = state.light.run(move || {
        let custodian = table.custodian();
        let genesis = custodian.table().genesis();
        if epoch < genesis.first_epoch {
            return Err(Problem::not_found("epoch", "the table begins later"));
        }
        let keys = custodian.user_keys(epoch, &claim.user)?.ok_or_else(no_keys)?;
        Ok(sent_keys(&custodian, epoch, &keys))
    });
    Ok((NO_STORE, Json(keys.await?)))
}
