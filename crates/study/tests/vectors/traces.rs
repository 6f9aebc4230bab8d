//! Traceable mixes of both engines, each with its board and answers.

use board::Identity;
use study::{replay::Party as _, tracing::write_bundle};
use trace::{Direction, IndexSet, Question};

use super::Made;
use crate::{
    common::TraceKey,
    election::{tracing, tracing_claims::record_of, tracing_db},
};

fn keys(
    operator: &TraceKey,
    servers: Vec<Identity>,
    senders: &[TraceKey],
) -> Vec<(String, Identity)> {
    let servers =
        (1..).zip(servers).map(|(number, key): (u16, _)| (format!("server {number}"), key));
    let senders = (1..).zip(senders);
    let senders =
        senders.map(|(number, key): (u16, _)| (format!("sender {number}"), key.identity()));
    [("operator".to_owned(), operator.identity())]
        .into_iter()
        .chain(servers)
        .chain(senders)
        .collect()
}

/// Two servers, and three submissions of two values. Which results come from any of them; and whether the first
/// became one.
pub(super) fn routed() -> Made {
    let mut table = tracing::Table::new().ready();
    let first = Question { inputs: IndexSet::all(1), outputs: IndexSet::all(3) };
    let asked = [(table.ask(), IndexSet::all(3))];
    let asked =
        asked.into_iter().chain([(table.ask_about(Direction::In, first), IndexSet::all(1))]);
    let asked: Vec<_> = asked.collect();
    table.run(|_| false);
    let records: Vec<_> = asked.into_iter().map(|(id, yes)| record_of(&table, &id, yes)).collect();
    let servers = table.nodes.iter().map(|node| Identity::from_seed(&node.identity().to_seed()));
    let mut keys = keys(&table.operator, servers.collect(), &table.senders);
    keys.push(("querier".to_owned(), table.querier.identity()));
    let (board, state) = (table.follower.board(), table.follower.state());
    Made::new(keys, |root| drop(write_bundle(root, board, state, &records).unwrap()))
}

/// The same by the paper's own protocol: two servers, two submissions, a dealer's key of 2048 bits, and one question
/// about one of them.
pub(super) fn db() -> Made {
    let mut table = tracing_db::Table::new(tracing_db::dealt_key()).ready();
    let (id, querier_keys) = table.ask(Direction::In);
    table.run(|_| false);
    let state = table.follower.state();
    let asked = state.query(&id).unwrap().asked.as_ref().unwrap();
    let found = table.querier.db_querier().read(asked, &querier_keys).unwrap();
    let servers = table.servers.iter().map(TraceKey::identity).collect();
    let mut keys = keys(&table.operator, servers, &table.senders);
    keys.push(("querier".to_owned(), table.querier.identity()));
    keys.push(("dealer".to_owned(), Identity::from_seed(&table.dealer.identity().to_seed())));
    let board = table.follower.board();
    Made::new(keys, |root| drop(write_bundle(root, board, state, &[found.record]).unwrap()))
}
