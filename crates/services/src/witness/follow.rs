//! Fetching a table's log from its server, and bringing the cosignature back.

use std::{sync::Arc, time::Duration};

use table::Hash;

use super::{Keeper, Refusal, config::Witnessed};
use crate::{
    remote::{Remote, RemoteError},
    tables::{Notice, now},
};

/// Looks at the server for ever.
pub(super) async fn run(keeper: Arc<Keeper>, table: Witnessed, notice: Arc<Notice>) {
    let every = Duration::from_secs(table.every);
    let table = Arc::new(table);
    // What was said last is not said again.
    let mut said = String::new();
    loop {
        let (one, keeper) = (Arc::clone(&table), Arc::clone(&keeper));
        let looked = tokio::task::spawn_blocking(move || look(&keeper, &one)).await;
        let now = match looked {
            Ok(Ok(())) => String::new(),
            Ok(Err(reason)) => format!("table {}: {reason}", table.id),
            Err(error) => format!("table {}: {error}", table.id),
        };
        if !now.is_empty() && now != said {
            notice(&now);
        }
        said = now;
        tokio::time::sleep(every).await;
    }
}

/// Cosigns the newest log, if it continues the one seen last.
fn look(keeper: &Keeper, witnessed: &Witnessed) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let id: Hash = witnessed.hash().ok_or("it has no identifier")?;
    let server = witnessed.server.as_deref().unwrap_or_default();
    let remote = Remote::open(server, witnessed.token.as_deref(), witnessed.roots.as_deref());
    let remote = remote.map_err(|error| text(&error))?;
    let seen = keeper.seen(&id).map_err(|refusal| text(&refusal))?;
    let size = seen.map_or(0, |seen| seen.signed.checkpoint.size);
    let growth = match remote.growth(&id, size) {
        Ok(growth) => growth,
        // No epoch is in the log yet.
        Err(RemoteError::Problem { status: 404, .. }) if size == 0 => return Ok(()),
        Err(error) => return Err(text(&error)),
    };
    if *growth.table.id() != id {
        return Err(text(&Refusal::Unknown(*growth.table.id())));
    }
    let cosignature = keeper.cosign(&growth, now()).map_err(|refusal| text(&refusal))?;
    remote.cosign(&id, &cosignature).map_err(|error| text(&error))
}
