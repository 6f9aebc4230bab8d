//! Fetching a table's log from its server, and bringing the cosignature back.

use std::{path::Path, sync::Arc, time::Duration};

use client::{Options, Party};
use table::Hash;
use zeroize::Zeroizing;

use super::{Keeper, Refusal, config::Witnessed};
use crate::tables::{Notice, now};

const FILE_LIMIT: u64 = 1 << 24;

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
    let party = Party::open(&options(witnessed)?).map_err(|error| text(&error))?;
    let seen = keeper.seen(&id).map_err(|refusal| text(&refusal))?;
    let size = seen.map_or(0, |seen| seen.signed.checkpoint.size);
    let growth = match party.growth(size) {
        // No epoch is in the log yet.
        Err(error) if size == 0 && error.status() == Some(404) => return Ok(()),
        growth => growth.map_err(|error| text(&error))?,
    };
    if *growth.table.id() != id {
        return Err(text(&Refusal::Unknown(*growth.table.id())));
    }
    let cosignature = keeper.cosign(&growth, now()).map_err(|refusal| text(&refusal))?;
    party.cosign(&cosignature).map_err(|error| text(&error))
}

/// The server with token and authorities, which may be exchanged while the witness runs.
fn options(witnessed: &Witnessed) -> Result<Options, String> {
    let read = |path: &Path| {
        let bytes = wire::read_bounded(path, FILE_LIMIT);
        bytes.map_err(|error| format!("{}: {error}", path.display()))
    };
    // Only tables with a server are followed; an empty address is refused when it is connected to.
    let server = witnessed.server.as_deref().unwrap_or_default();
    let mut options = Options::new(server, &witnessed.id);
    if let Some(path) = &witnessed.token {
        let bytes = Zeroizing::new(read(path)?);
        let token = std::str::from_utf8(&bytes).map_err(|error| error.to_string())?;
        options = options.with_token(token);
    }
    match &witnessed.roots {
        Some(path) => Ok(options.with_roots(read(path)?)),
        None => Ok(options),
    }
}
